"""Numbers, texts and paths of the wrong kind, size or shape are refused before they reach C."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foray
from foray import _numbers as numbers

NO_INTEGER: list[Any] = [0.5, float("nan"), float("inf"), "1", None, True, 1j, [1], 2**63, -(2**63) - 1, 2**64 + 1, np.True_]
NO_REAL: list[Any] = [float("nan"), float("inf"), "1", None, 1j, [1, 2], 10**400, np.complex128(1)]
RIVER = "riverswim:states=4,horizon=8"


def refused(call: Callable[..., Any], *values: Any) -> None:
    for value in values:
        with pytest.raises(foray.ForayError):
            call(value)


def test_what_a_number_is() -> None:
    for value in (3, 3.0, np.int64(3), np.uint8(3), np.float32(3), np.array(3), np.array([3])):
        assert numbers.integer(value, "x") == 3 and numbers.real(value, "x") == 3.0
    refused(lambda x: numbers.integer(x, "x"), *NO_INTEGER)
    refused(lambda x: numbers.real(x, "x"), *NO_REAL)
    refused(lambda x: numbers.text(x, "x"), "a\0b", b"a", 1, None, "\ud800")
    refused(numbers.path_of, "a\0b", b"a\0b", 1.5, None)
    refused(lambda x: numbers.integers(x, "x"), [0, True], [[0, 1], (np.False_, 1)], deque([2, True]), [np.array([True]), [1]])
    assert numbers.integers(np.zeros((0, 3)), "x").shape == (0, 3)


def test_models() -> None:
    model = foray.world(RIVER)
    for one in (model.state_name, model.cell, lambda s: model.available(s, 0), lambda a: model.available(0, a),
                lambda s: model.successors(s, 0), lambda a: model.probabilities(0, a), model.action_name):  # fmt: skip
        refused(one, *NO_INTEGER, -1, 4)
    others: list[Any] = [foray.goal(0).build(model), foray.Builder.tabular(1, 1, 1), 5, None, foray.Model]
    refused(model.same_as, *others)
    refused(model.state, "4", "99999999999999999999")
    for size in (lambda n: foray.unstructured_model(n, 2, 3), lambda n: foray.unstructured_model(2, n, 3),
                 lambda n: foray.unstructured_model(2, 2, n)):  # fmt: skip
        refused(size, *NO_INTEGER, 0, -1)
    laws: list[Any] = [{0: 0.3}, {0: 1.5, 1: -0.5}, {0: float("nan")}, {0.5: 1.0}, {9: 1.0}, 9, -1, 0.5]
    refused(lambda law: foray.unstructured_model(4, 2, 3, law), *laws)
    refused(lambda law: foray.from_arrays(np.eye(4)[None], 3, initial=law), *laws)
    assert foray.from_arrays(np.eye(4)[None], 3, initial=np.int64(1)).initial() == {1: 1.0}
    refused(lambda horizon: foray.from_arrays(np.eye(4)[None], horizon), *NO_INTEGER, 0)
    refused(lambda P: foray.from_arrays(P, 3), [[["1"]]], [[[np.nan]]], np.array([[[1j]]]))
    table: Any = {0: {0: [(1.0, 0.9, 0.0, False)]}}
    refused(lambda t: foray.from_table(t, 3), table, {0: {0: []}}, {0: {0: [(1.0, 2**64, 0.0, False)]}})
    refused(foray.world, "river\0swim", 3)
    refused(foray.load_model, "a\0b.json")


def test_builders_read_no_further_than_arrays_go() -> None:
    refused(lambda p: foray.Builder.classes(2, 1, 3, [3]).law(0, p), [1.0], [0.5] * 4, ["1"] * 3, [np.nan] * 3)
    refused(lambda n: foray.Builder.classes(2, 1, 3, [3]).outcomes(0, 0, 0, n), [0], [0] * 4, [0.5] * 3, [2**64] * 3)
    refused(lambda c: foray.Builder.classes(2, 1, 3, [3]).law(c, [1, 0, 0]), -1, 1, 2**64)
    refused(foray.Builder.mixture(2, 1, 3, 2).weights, [1.0], [0.5] * 3, [[0.5, 0.5]])
    refused(foray.Builder.features(2, 1, 3, 2, 1.0).theta, [1.0], [0.5] * 3)
    builder = foray.Builder.tabular(2, 1, 3)
    no_mappings: list[Any] = [[], (0, 1), 5, None, "x", np.zeros(2)]
    refused(builder.initial, *no_mappings)
    refused(lambda f: foray.Builder.features(2, 1, 3, 2, 1.0).feature(0, 0, 0, f), *no_mappings)
    refused(foray.world(RIVER).state, 3, None, b"x", [])
    refused(lambda s: builder.transition(s, 0, 0, 1.0), *NO_INTEGER)
    refused(lambda p: builder.transition(0, 0, 0, p), *NO_REAL)
    refused(lambda a: builder.available(0, [a]), *NO_INTEGER)
    refused(builder.name, "a\0b", 3)
    refused(lambda n: foray.Builder.tabular(n, 1, 3), *NO_INTEGER)


def test_plans_and_runs(tmp_path: Path) -> None:
    run = foray.explore(RIVER, episodes=100)
    plan = run.plan("goal:3")
    for ask in (lambda t: plan.action(t, 0), lambda s: plan.action(0, s), plan.figure):
        refused(ask, -1, 8, 2**64)
        with pytest.raises(IndexError):
            ask(-1)
    refused(lambda t: plan.reward.at(t, 0, 0), *NO_INTEGER, -1, 8)
    refused(lambda n: plan.reward.at(0, 0, 0, n), 0.5, "1", -1, 4)
    refused(plan.explain, *NO_REAL)
    policies: list[Any] = [np.full(4, 1.7), [0, 0, 0, 2], [-1, 0, 0, 0], [0], np.zeros((4, 8)), 0, [2**32] * 4,
                           [True] * 4, ["0"] * 4, [[0], [0, 1]], [np.nan] * 4]  # fmt: skip
    refused(lambda policy: run.certify(policy, "goal:3"), *policies)
    assert run.certify(np.ones(4), "goal:3").certificate == run.certify([1] * 4, "goal:3").certificate
    refused(lambda k: run.explore(episodes=k), *[n for n in NO_INTEGER if n is not None], 2**64 + 1000, 0, -1)
    assert run.episodes == 100
    for mode in ("plug in", "given", "", 1):
        with pytest.raises(foray.UsageError, match="optimistic, plugin, pessimistic"):
            run.plan("goal:3", mode=mode)  # type: ignore[arg-type]
    assert run.plan("goal:3", mode="plug-in").value == plan.value
    assert foray.explore(RIVER, episodes=1e2).episodes == 100  # type: ignore[arg-type]
    refused(run.setting, "a\0b", 3)
    for write in (plan.save, run.report, run.model.save):
        refused(write, f"{tmp_path}/a\0b.json", 3)
    refused(run.model.save, tmp_path / "m.umb", tmp_path / "m.csv")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        foray.open_run(tmp_path / "missing.foray")
    with pytest.raises(FileNotFoundError):
        foray.load_model(tmp_path / "missing.json")


def test_exploring(tmp_path: Path) -> None:
    def refuse(value: Any, **more: Any) -> None:
        refused(lambda _: foray.explore(value, episodes=5, **more), 0)

    for key in ("threads", "horizon"):
        for bad in (0.5, "1", 0, -1, 2**64 + 1):
            refuse(RIVER, **{key: bad})
    refuse(RIVER, until=float("nan"))
    refuse(RIVER, path=f"{tmp_path}/a\0b")
    refuse(RIVER, algorithm="rf\0express")
    refuse("FrozenLake-v1")
    with pytest.raises(foray.UsageError, match="gymnasium.make"):
        foray.explore("FrozenLake-v1")
    for key, value in {"initial": 0, "known": foray.world(RIVER), "laws": "all", "twins": True}.items():
        refuse(RIVER, **{key: value})
        refuse(foray.world(RIVER), **{key: value})
    refuse(foray.world(RIVER), horizon=3)

    def step(state: int, action: int, rng: Any) -> int:
        return state

    for sizes in ({"states": 2.5}, {"actions": 0}, {"horizon": 2**64}, {"start": 3}, {"start": 0.5}, {"initial": {0: 0.3}},
                  {"initial": {0: 0.5, 1: 0.5}}):  # fmt: skip
        given: dict[str, Any] = {"states": 3, "actions": 2, "horizon": 4, **sizes}
        refused(lambda _, given=given: foray.Simulator(step, **given), 0)
    begins = foray.Simulator(step, states=3, actions=2, horizon=4, start=lambda rng: 0.9)  # type: ignore[arg-type, return-value]
    refuse(begins)
    refuse(foray.Simulator(step, states=3, actions=2, horizon=4), known=foray.unstructured_model(2, 2, 4))
    told = foray.Simulator(step, states=3, actions=2, horizon=4, start=np.int64(1))
    assert told.reset(np.int64(5), 0) == 1
    refused(lambda seed: told.reset(seed, 0), -1, 2**64, True, np.arange(3))
    refused(lambda episode: told.reset(5, episode), -1, 2**64 + 1, 0.5)
    assert foray.explore(told, episodes=5).model.initial() == {1: 1.0}
    assert foray.explore(foray.Simulator(step, states=3, actions=2, horizon=4, start=lambda rng: 2),
                         episodes=5).model.initial() == {}  # fmt: skip


def test_clusters_and_comparisons() -> None:
    refused(lambda high: foray.Clusters("grid:3x5", low=[-1, -8], high=high), [1], [1, np.nan], ["1", "2"], [1, np.inf])
    clusters = foray.Clusters("grid:3x5", low=[-1, -8], high=[1, 8])
    refused(clusters.centre, *NO_INTEGER, -1, 15)
    refused(lambda n: foray.compare(RIVER, ["random"], seeds=n, episodes=5), *NO_INTEGER, 0)
    refused(lambda n: foray.compare(RIVER, ["random"], goals=n, episodes=5), 0.5, 2**64)
    refused(lambda name: foray.compare(RIVER, [name], episodes=5), "ran\0dom", 3)
    refused(foray.lab, "a\0b", 3)


def test_what_is_said_of_an_environment() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    lake, pendulum = gymnasium.make("FrozenLake-v1"), gymnasium.make("Pendulum-v1")

    def see(**more: Any) -> foray.Run:
        return foray.explore(pendulum, clusters="grid:2x2x2", horizon=3, episodes=2, **{"actions": 3, **more})

    refused(lambda known: foray.explore(lake, horizon=3, episodes=2, known=known), 5, True, ["table"], np.zeros(3), "x")
    refused(lambda r: foray.explore(lake, horizon=3, episodes=2, range=r), 5, (1, 0), (0, np.inf), ("0", 1), (0, 1, 2))
    refused(lambda box: see(box=box), 5, ("a", "b"), ("-1", "1"), (np.nan, 1), (1, -1), ([0, 0], [1, 1]), (None, 1))
    bad: list[Any] = [True, [], [[9.0]], [["1"]], [[np.nan]], "x", [[1, 2]], 0, -1, 10**9, None, 2.5]
    refused(lambda actions: see(actions=actions), *bad)
    assert see(actions=np.int64(3)).model.actions == see(actions=[-2.0, [0.0], 2]).model.actions == 3


def test_observations_are_as_many_numbers_as_there_are_dimensions() -> None:
    """One number was taken for both, a text for its number, and what is imaginary was dropped."""
    clusters = foray.Clusters("grid:3x5", low=[-1, -8], high=[1, 8])
    refused(clusters.nearest, [0.5], 0.5, [1, 2, 3], ["0.5", "1"], [1j, 1], [None, 1], [np.nan, 1], "x", None)
    assert clusters.nearest(np.array([[0.9], [8]], np.float32)) == 14


def test_wide_numbers_and_bytes() -> None:
    refused(lambda x: numbers.reals(x, "x"), [np.longdouble("1e4000")], [1.0, np.inf])
    refused(lambda x: numbers.real(x, "x"), bytearray(b"1"), memoryview(b"1"))
    refused(lambda until: foray.explore(RIVER, episodes=3, until=until), -1, -0.5)


def test_tables_and_what_is_none() -> None:
    """What is no number was taken for impossible."""
    def table(p: Any, done: Any = False) -> foray.Model:
        return foray.from_table({0: {0: [(p, 1, 0.0, done), (1.0, 0, 0.0, False)]}, 1: {0: [(1.0, 1, 0.0, False)]}}, 4)

    wrong: list[Any] = ["x", 5, None, [], {0: 5}, {0: {0: 5}}, {0: {0: [5]}}, {0: {0: [(1,)]}}, {0: {0: "abcd"}}]
    refused(lambda what: foray.from_table(what, 4), *wrong)
    refused(lambda what: foray.compare(what, ["random"]), *wrong[1:])
    refused(lambda what: foray.to_minari(what, "x/y-v0"), *wrong)
    refused(lambda threads: foray.lab("complexity", threads=threads), 0, 2**31 - 1)
    refused(table, np.nan, -0.5, "1", None, 1.7, np.inf)
    refused(lambda done: table(0.5, done), "no", 2, None)
    assert table(0.5, np.True_).states == table(0.5, 1).states
    sparse = pytest.importorskip("scipy.sparse")
    zero = sparse.csr_matrix(([0.5, 0.5, 0.0, 1.0, 1.0], ([0, 0, 0, 1, 2], [0, 1, 2, 1, 2])), shape=(3, 3))
    assert foray.from_arrays([zero], 4).same_as(foray.from_arrays(zero.toarray()[None], 4))


def test_worlds_for_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("foray/RiverSwim-v0", states=4, horizon=8)
    env.reset(seed=1)
    refused(env.unwrapped.step, 0.9, 2, -1, "0", 2**64)
    envs = gymnasium.make_vec("foray/RiverSwim-v0", num_envs=2, states=4, horizon=8)
    refused(lambda n: foray.gym.Worlds(n, RIVER), 0, -1, 0.5, "2", 2**31)
    refused(lambda seed: envs.reset(seed=seed), [1], [1, -1], [1, 0.5], 2**64, "1")
    envs.reset(seed=np.int64(3))
    refused(envs.step, np.array([0, 0.9]), [0, 2], [0], [0, 2**64])


def test_an_end_that_is_left_names_the_way_out() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    with pytest.raises(foray.WorldError, match="twins=True"):
        foray.explore(gymnasium.make("Blackjack-v1"), horizon=10, episodes=500)


def test_flags_are_true_or_false(tmp_path: Path) -> None:
    """minimise="no" minimised, and replace="no" replaced a file."""
    run = foray.explore(RIVER, episodes=3, progress=False)
    plan, there = run.plan("goal:0"), tmp_path / "there.json"
    there.write_text("mine")
    wrong: Any
    for wrong in ("no", 0, 1, 2.0, [], "False"):
        for call in (
            lambda: foray.reward({0: 1.0}, minimise=wrong),
            lambda: plan.save(there, replace=wrong),
            lambda: plan.model.save(there, replace=wrong),
            lambda: run.report(there, replace=wrong),
            lambda: foray.explore(RIVER, episodes=3, progress=wrong),
            lambda: foray.explore(RIVER, episodes=3, path=tmp_path / "a.foray", resume=wrong),
            lambda: foray.explore(RIVER, episodes=3, path=there, replace=wrong),
            lambda: foray.open_run(run.path, write=wrong),
        ):
            with pytest.raises(ValueError, match="True or False"):
                call()
    assert there.read_text() == "mine"


def test_there_is_one_place() -> None:
    """Texts become bytes in _numbers.py, or they are the package's own JSON."""
    for path in Path(foray.__file__).parent.glob("*.py"):
        if path.name != "_numbers.py":
            text = path.read_text()
            assert "fsencode" not in text, path
            assert not re.search(r"(?<!json\.dumps\(parts\))\.encode\(", text), path


def test_the_border_that_was_passed_is_named() -> None:
    """2**64 + 1000 "must be at least 1", and 2**70 "at least -9223372036854775808"."""
    run = foray.explore("riverswim", episodes=5)
    with pytest.raises(ValueError, match=r"must lie between 1 and 9223372036854775807"):
        run.explore(episodes=2**64 + 1000)
    with pytest.raises(ValueError, match=r"must be at most 9223372036854775807"):
        foray.from_arrays(np.full((1, 2, 2), 0.5), 2**70)
    with pytest.raises(ValueError, match=r"must be at least 1$"):
        run.explore(episodes=0)
    with pytest.raises(ValueError, match="states are given one by one"):
        run.plan(foray.avoid(np.array([1, 2])))  # type: ignore[arg-type]
    for wrong in (np.datetime64("2020"), [1], np.array([1]), b"1", len):  # str() of the first is a seed
        with pytest.raises(ValueError, match="seed=.*: a number, a text, True or False"):
            foray.explore("riverswim", episodes=5, seed=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'goal:1' is one reward"):
        run.plans("goal:1")
