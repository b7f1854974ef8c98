"""Rewards in every form mean the same, in every kind of model; what could mean two things is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foray

S, A, H = 4, 2, 5
TRIES = 40


def _law(rng: np.random.Generator) -> Any:
    law = rng.dirichlet(np.ones(S), size=(S, A))
    law[law < 0.15] = 0
    law /= law.sum(axis=2, keepdims=True)
    law[:, :, 0][law.sum(axis=2) == 0] = 1
    return law


def _table() -> foray.Run:
    return foray.explore(foray.from_arrays(_law(np.random.default_rng(3)), H, layout="SAS"), episodes=300)


def _mixture() -> foray.Run:
    rng = np.random.default_rng(4)
    builder = foray.Builder.mixture(S, A, H, simulators=2).weights([0.25, 0.75])
    for i in range(2):
        for (s, a, n), p in np.ndenumerate(_law(rng)):
            if p > 0:
                builder.simulator(i, s, a, n, p)
    return foray.explore(builder.finish(), episodes=300)


def _lacking() -> foray.Run:
    """State 1 has one action only."""
    law = _law(np.random.default_rng(5))
    builder = foray.Builder.tabular(S, A, H).available(1, [1])
    for (s, a, n), p in np.ndenumerate(law):
        if p > 0 and (s, a) != (1, 0):
            builder.transition(s, a, n, p)
    return foray.explore(builder.finish(), episodes=300)


def _walk(state: int, action: int, rng: random.Random) -> int:
    return min(state + 1, S - 1) if action == 1 and rng.random() < 0.7 else max(state - 1, 0)


def _nothing_known() -> foray.Run:
    return foray.explore(foray.Simulator(_walk, states=S, actions=A, horizon=H), episodes=300)


KINDS = pytest.mark.parametrize("explored", [_table, _mixture, _lacking, _nothing_known])


def _random(rng: np.random.Generator, form: str) -> Any:
    shape = {"S": (S,), "SA": (S, A), "SAS": (S, A, S), "HSA": (H, S, A)}[form]
    if rng.random() < 0.3:
        return rng.integers(0, 2, size=shape).astype(float)
    return np.round(rng.normal(size=shape) * rng.choice([0.1, 1.0, 30.0]), 3)


def _triples(model: foray.Model) -> list[tuple[int, int, int]]:
    return [(s, a, n) for s in range(S) for a in range(A) if model.available(s, a)
            for n in model.successors(s, a).tolist()]  # fmt: skip


def _entries(model: foray.Model, array: Any) -> list[list[Any]]:
    """The reward as a file says it."""
    if array.shape == (S,):
        return [[None, s, None, v] for s, v in enumerate(array.tolist())]
    pairs = [(s, a) for s in range(S) for a in range(A) if model.available(s, a)]
    if array.shape == (S, A):
        return [[None, s, a, float(array[s, a])] for s, a in pairs]
    if array.shape == (H, S, A):
        return [[t, s, a, float(array[t, s, a])] for t in range(H) for s, a in pairs]
    return [[None, s, a, n, float(array[s, a, n])] for s, a, n in _triples(model)]


def _file(path: Path, entries: list[list[Any]]) -> str:
    values = [0.0] + [entry[-1] for entry in entries]
    given = [0, 1] if min(values) >= 0 and max(values) <= 1 else [min(values), max(values)]
    path.write_text(json.dumps({
        "format": "foray-reward", "version": 1, "name": "file", "range": given, "default": 0, "entries": entries,
    }))  # fmt: skip
    return str(path)


def _forms(model: foray.Model, array: Any, path: Path) -> list[Any]:
    entries = _entries(model, array)
    forms: list[Any] = [array, _file(path, entries)]
    functions: dict[Any, Callable[..., float]] = {
        (S,): lambda s: array[s], (S, A): lambda s, a: array[s, a], (S, A, S): lambda s, a, n: array[s, a, n],
    }  # fmt: skip
    if array.shape in functions:
        keys = [e[1] if array.ndim == 1 else tuple(e[1 : 1 + array.ndim]) for e in entries]
        forms += [functions[array.shape], {key: e[-1] for key, e in zip(keys, entries, strict=True)}]
    return forms


@KINDS
def test_every_form_gives_the_same_numbers(explored: Callable[[], foray.Run], tmp_path: Path) -> None:
    run, rng = explored(), np.random.default_rng(7)
    model = run.model
    for _ in range(TRIES):
        for form in ("S", "SA", "SAS", "HSA"):
            array = _random(rng, form)
            plans = run.plans(_forms(model, array, tmp_path / "reward.json"))
            for plan in plans:
                at = plan.reward.at
                for s, a, n in _triples(model):
                    for t in range(H):
                        said = {"S": (s,), "SA": (s, a), "SAS": (s, a, n), "HSA": (t, s, a)}[form]
                        assert at(t, s, a, n) == pytest.approx(array[said], rel=1e-15)
                assert plan.certificate == plans[0].certificate
                assert (plan.value, plan.low, plan.high) == (plans[0].value, plans[0].low, plans[0].high)
                assert np.array_equal(plan.policy, plans[0].policy)


def test_what_follows_counts_where_nothing_is_known() -> None:
    """As a function it was once dropped, and "proved optimal" with value 0."""
    run = _nothing_known()
    array = np.zeros((S, A, S))
    array[:, :, 3] = 1.0
    plans = run.plans([lambda s, a, n: n == 3, array, {(None, None, 3): 1.0}])
    assert len({(plan.value, plan.certificate.gap, plan.low, plan.high) for plan in plans}) == 1
    assert plans[0].value > 0.5 and plans[0].certificate.gap > 0 and not plans[0].proved_optimal
    assert run.model.successors(0, 0).tolist() == [0, 1, 2, 3]
    large = foray.Simulator(_walk, states=10_000, actions=A, horizon=H)
    with pytest.raises(foray.UsageError, match="a dictionary"):
        foray.explore(large, episodes=5).plan(lambda s, a, n: n == 3)


def test_what_does_not_depend_on_what_follows_can_be_said_as_if_it_did() -> None:
    """Where nothing is known it made certificates larger, and broke ties otherwise."""
    rng = np.random.default_rng(3)
    P, data = rng.dirichlet(np.ones(4), size=(4, 2)), []
    for _ in range(300):
        states, actions = [0], rng.integers(2, size=3).tolist()
        for action in actions:
            states.append(int(rng.choice(4, p=P[states[-1], action])))
        data.append((states, actions))
    run = foray.learn(data, foray.unstructured_model(4, 2, 3, 0))
    every = [(s, a, n) for s in range(4) for a in range(2) for n in range(4)]

    def said(what: Any) -> Any:
        plan = run.plan(what)
        return repr(plan), plan.low, plan.high, plan.certificate.gap, plan.policy.tolist()

    for r in (rng.random((4, 2)), rng.integers(0, 3, (4, 2)).astype(float), np.full((4, 2), 0.7), np.zeros((4, 2))):
        wanted = said(foray.reward(r, name="x"))
        for what in (lambda s, a, n, r=r: r[s, a], {(s, a, n): r[s, a] for s, a, n in every}):
            assert said(foray.reward(what, name="x")) == wanted
    v = rng.uniform(0.5, 1, 4)
    wanted = said(foray.reward({(None, None, n): v[n] for n in range(4)}, name="x"))
    assert said(foray.reward({(s, a, n): v[n] for s, a, n in every}, name="x")) == wanted
    # What was said last of a pair counts, whatever was said before of each that follows it.
    overruled: dict[Any, float] = {**{(0, 0, n): 0.9 for n in range(4)}, **{(1, a, n): 0.5 for a in range(2) for n in range(4)}, (0, 0): 0.1}
    plain = foray.reward({(0, 0): 0.1, **{(1, a): 0.5 for a in range(2)}}, name="x")
    assert run.plan(overruled).low <= run.plan(plain).value <= run.plan(overruled).high


def test_what_cannot_follow_does_not_widen_the_range() -> None:
    run = _table()
    array = np.full((S, A, S), 1e6)
    for triple in _triples(run.model):
        array[triple] = 0.5
    array[0, 0, np.setdiff1d(np.arange(S), run.model.successors(0, 0))] = np.nan
    assert run.plan(array).reward.facts.high == 1.0


def test_shapes_that_fit_twice_are_refused() -> None:
    P = np.array([[[0.5, 0.5], [0.2, 0.8]], [[1, 0], [0, 1]]])
    run = foray.explore(foray.from_arrays(P, 2, layout="ASS"), episodes=200)
    array = np.array([[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]])
    with pytest.raises(ValueError, match="layout='SAS'"):
        run.plan(array)
    follows, steps = (run.plan(foray.reward(array, layout=layout)).reward for layout in ("SAS", "HSA"))
    assert follows.at(1, 0, 0, 1) == 1.0 and steps.at(1, 0, 0) == 4.0
    with pytest.raises(ValueError, match="expected"):
        run.plan(foray.reward(array, layout="SA"))
    with pytest.raises(ValueError, match="one of S, SA"):
        run.plan(foray.reward(array, layout="ASS"))
    with pytest.raises(ValueError, match="for arrays"):
        foray.reward({0: 1.0}, layout="S")


def test_rewards_that_are_none_are_refused() -> None:
    run = _table()
    bad: list[tuple[Any, str]] = [
        (lambda s, goal=3: s == goal, ""),
        (lambda *where: 1.0, "none of them"), (lambda s, a, n, t: 1.0, "none of them"),
        (lambda s: float("nan"), "not a finite number"), (lambda s: "1", "not a finite number"),
        ({0: float("inf")}, "not a finite number"), ({-1: 1.0}, "state -1"), ({(0, -1): 1.0}, "action -1"),
        ({0.5: 1.0}, "not an integer"), ({(0, 1, 2, 3): 1.0}, "keys are"), ({True: 1.0}, "not an integer"),
        (np.array([0, 1, np.nan, 0]), "not a finite number"), (np.array(["a"] * S), "not of numbers"),
    ]  # fmt: skip
    assert run.plan(bad.pop(0)[0]).value == run.plan("goal:3").value
    for what, message in bad:
        with pytest.raises(foray.UsageError, match=message):
            run.plan(what)
    for states in ([3, 2], (3,), 1.5, 99, -1, 2**64 + 1):
        with pytest.raises(foray.UsageError, match="state"):
            run.plan(foray.reach(states))  # type: ignore[arg-type]
    for model in (run, run.plan("goal:3"), 5, None):  # a run in the place of its model ended the process
        with pytest.raises(foray.UsageError, match="no foray.Model"):
            foray.goal(3).build(model)  # type: ignore[arg-type]
    with pytest.raises(foray.UsageError, match="one by one"):
        run.plan(foray.reach([2, 3]))  # type: ignore[arg-type]
    assert run.plan(foray.reach(np.int64(3))).value == run.plan("reach:3").value
    with pytest.raises(foray.UsageError, match="already"):
        foray.reward(foray.goal(3), discount=0.5)
    with pytest.raises(foray.UsageError, match="range="):
        foray.reward("goal:3", range=(0, 2))
    for given in ((0, float("nan")), 3, (1, 2, 3)):
        with pytest.raises(foray.UsageError, match="range"):
            run.plan(foray.reward({0: 1.0}, range=given))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not below"):
        run.plan(foray.reward({0: 0.0}, range=(1, 0)))
    with pytest.raises(foray.UsageError, match="NUL"):
        run.plan(foray.reward({0: 1.0}, name="a\0b"))


def test_functions_of_what_is_seen_through_clusters() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("Pendulum-v1")
    for twins in (False, True):
        run = foray.explore(env, episodes=20, clusters="grid:3x3x3", actions=3, horizon=6, twins=twins)
        clusters = run.clusters
        assert clusters is not None
        count = clusters.count

        def high(seen: Any) -> float:
            return float(seen[0] > 0)

        by_number = {(s, a, n): high(clusters.centre(s)) + 10 * (a == 1) + 100 * high(clusters.centre(n % count))
                     for s in range(count) for a in range(3) for n in range(run.model.states)}  # fmt: skip
        torque = [float(move[0]) for move in run._player._moves]  # type: ignore[union-attr]

        def ahead(seen: Any, action: Any, following: Any, torque: list[float] = torque) -> float:
            return high(seen) + 10 * (float(action[0]) == torque[1]) + 100 * high(following)

        one, other, made = run.plans([by_number, ahead, foray.reward(ahead)])
        assert one.value == other.value == made.value > 0
        assert one.certificate == other.certificate == made.certificate
        assert run.plan(foray.reward(high)).value == run.plan(high).value
