"""Models from names, files, arrays, tables and builders."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import foray


def test_arrays_in_every_layout_give_one_model() -> None:
    rng = np.random.default_rng(1)
    P = rng.dirichlet(np.ones(4), size=(2, 4))  # A x S x S
    P[P < 0.1] = 0
    P /= P.sum(axis=2, keepdims=True)
    one = foray.from_arrays(P, 6)
    assert one.same_as(foray.from_arrays(P.transpose(1, 0, 2), 6))
    assert one.same_as(foray.from_arrays([P[0], P[1]], 6))
    sparse = pytest.importorskip("scipy.sparse")
    assert one.same_as(foray.from_arrays([sparse.csr_matrix(p) for p in P], 6))
    assert one.same_as(foray.from_arrays([sparse.coo_array(p) for p in P], 6))
    for s in range(4):
        for a in range(2):
            assert np.allclose(P[a, s][one.successors(s, a)], one.probabilities(s, a))
    assert not foray.from_arrays(P, 6, forget=True).known
    with pytest.raises(ValueError, match="layout"):
        foray.from_arrays(np.ones((2, 2, 2)) / 2, 6)
    for wrong in (P * 0.9, [sparse.csr_matrix(p * 0.9) for p in P]):
        with pytest.raises(ValueError, match="state 0, action 0: the probabilities sum to 0.9"):
            foray.from_arrays(wrong, 6)
    assert foray.from_arrays(P > 0, 6, forget=True).same_as(foray.from_arrays(P, 6, forget=True))


def test_a_model_explored_from_arrays_is_planned_for() -> None:
    P = np.array([[[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], [[1, 0, 0], [1, 0, 0], [1, 0, 0]]])
    run = foray.explore(foray.from_arrays(P, 10), episodes=3000)
    plan = run.plan(foray.reach(2))
    value, best = plan.truth()
    assert best - value <= plan.certificate.gap < 0.05


def test_the_forest_of_pymdptoolbox_comes_out_the_same() -> None:
    """docs/python.md shows it; V and policy are those that mdp.FiniteHorizon(P, R, 0.9, 3) finds."""
    P = np.array([[[0.1, 0.9, 0], [0.1, 0, 0.9], [0.1, 0, 0.9]], [[1, 0, 0]] * 3])
    R = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 2.0]])
    run = foray.explore(foray.from_arrays(P, horizon=3), episodes=5000)
    plan = run.plan(foray.reward(R, discount=0.9))
    assert plan.truth() == pytest.approx((2.6973, 2.6973)) and plan.proved_optimal
    assert plan.policy.T.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert f"{plan.value:.5f} in [{plan.low:.5f}, {plan.high:.5f}]" == "2.66586 in [2.57637, 2.74872]"
    ahead = np.stack([np.repeat(R[:, [a]], 3, axis=1) for a in range(2)])  # A x S x S
    again = run.plan(foray.reward(ahead.transpose(1, 0, 2), discount=0.9))
    assert again.truth() == pytest.approx(plan.truth())
    for start, best in enumerate((2.6973, 5.9373, 9.9373)):
        model = foray.from_arrays(P.transpose(1, 0, 2).tolist(), 3, layout="SAS", initial=start)
        plan = foray.explore(model, episodes=10).plan(foray.reward(R, discount=0.9))
        assert plan.truth()[1] == pytest.approx(best)


def test_files_and_names(tmp_path: Path) -> None:
    model = foray.world("rooms:rows=1,cols=2,size=2", horizon=6)
    assert model.horizon == 6 and model.grid is not None and model.cell(0) == (0, 0)
    for name in ("a.json", "a.compact"):
        model.save(tmp_path / name)
        assert foray.load_model(tmp_path / name).same_as(model)
        assert foray.explore(str(tmp_path / name), episodes=5).model.same_as(model)
    assert model.initial() and model.state_name(0) and model.action_name(0)
    assert foray.world("riverswim").state("2") == 2
    with pytest.raises(ValueError, match="nowhere"):
        model.state("nowhere")


def test_the_four_builders() -> None:
    tabular = foray.Builder.tabular(2, 1, 3).transition(0, 0, 1, 1).transition(1, 0, 0, 1).finish()
    assert tabular.unknowns == 0
    mixture = foray.Builder.mixture(2, 1, 3, simulators=2).weights([0.25, 0.75])
    for s in range(2):
        mixture.simulator(0, s, 0, 0, 1.0).simulator(1, s, 0, 1, 1.0)
    assert mixture.finish().probabilities(0, 0).tolist() == pytest.approx([0.25, 0.75])
    classes = foray.Builder.classes(2, 1, 3, outcomes=[2]).law(0, [0.5, 0.5])
    classes.outcomes(0, 0, 0, [0, 1]).outcomes(1, 0, 0, [1, 0]).name("coin").state_name(0, "heads")
    model = classes.finish()
    assert model.name == "coin" and model.state("heads") == 0 and model.known
    features = foray.Builder.features(2, 1, 3, dim=1, norm_bound=1.0).theta([1.0])
    features.feature(0, 0, 1, {0: 1.0}).feature(1, 0, 0, {0: 1.0})
    assert features.initial({1: 1.0}).finish().initial() == {1: 1.0}
    limited = foray.Builder.tabular(1, 2, 3).available(0, [1]).transition(0, 1, 0, 1.0).finish()
    assert not limited.available(0, 0) and limited.available(0, 1)
    with pytest.raises(foray.InputError):
        foray.Builder.tabular(2, 1, 3).transition(0, 0, 1, 1).finish()
    with pytest.raises(foray.ForayError, match="successor 7"):
        foray.Builder.tabular(2, 1, 3).transition(0, 0, 7, 1).finish()


def test_open_models_with_several_first_states() -> None:
    law = {0: 0.25, 3: 0.75}
    model = foray.unstructured_model(5, 2, 4, law)
    assert model.unstructured and model.initial() == law
    assert foray.unstructured_model(5, 2, 4).initial() == {}
    assert foray.unstructured_model(5, 2, 4, {2: 1.0}).initial() == {2: 1.0}
    assert foray.world("unstructured:states=5,actions=2,horizon=4,initial=0:0.25+3:0.75").initial() == law
    with pytest.raises(foray.InputError, match=r"sum to 0\.75"):
        foray.unstructured_model(5, 2, 4, {0: 0.5, 3: 0.25})


def test_open_models_are_explored_from_all_their_first_states() -> None:
    law = {0: 0.25, 3: 0.75}

    def step(state: int, action: int, rng: random.Random) -> int:
        return min(state + action, 4)

    def simulator(first: Callable[[random.Random], int]) -> foray.Simulator:
        return foray.Simulator(step, states=5, actions=2, horizon=4, start=first, initial=law)

    run = foray.explore(simulator(lambda rng: 0 if rng.random() < 0.25 else 3), episodes=3000)
    begun = run.data()[0][:, 0]
    assert run.model.initial() == law and set(begun.tolist()) == set(law)
    plan = run.plan("reach:4")  # 1 from both: four steps from 0, one from 3
    assert plan.low <= 1 <= plan.high + 1e-9 and plan.value == pytest.approx(1)
    with pytest.raises(foray.ForayError, match="which the model rules out"):
        foray.explore(simulator(lambda rng: 1), episodes=10)


def test_proved_is_said_of_a_certificate_of_exactly_0() -> None:
    """Staying loses 0.001 against leaving: less than a billionth of what the range allows."""
    run = foray.explore(foray.from_arrays(np.eye(1)[None].repeat(2, axis=0), 1), episodes=10)
    what = foray.reward(np.array([[0.0, 0.001]]), range=(-1e9, 1e9))
    worse, better = run.certify([0], what), run.certify([1], what)
    assert worse.certificate.optimal == "rounding" and worse.certificate.gap >= 0.001
    assert not worse.proved_optimal
    assert repr(worse).endswith("(optimal up to rounding)>")
    assert better.proved_optimal and repr(better).endswith("(proved optimal)>")
