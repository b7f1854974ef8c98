"""Gymnasium environments as sources."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import foray
from foray.environments import seed_of

gymnasium = pytest.importorskip("gymnasium")


def lake(**more: Any) -> Any:
    return gymnasium.make("FrozenLake-v1", is_slippery=True, **more)


def test_the_first_example_ends_in_a_small_certificate() -> None:
    run = foray.explore(lake(), known="table", laws="all", episodes=1000, horizon=30)
    plan = run.plan(foray.reach(15))
    assert plan.certificate.proved and plan.certificate.gap < 0.05
    assert plan.low <= 0.347872703235486 <= plan.high + plan.certificate.gap
    assert run.model.unknowns == 2 and not run.model.known
    nothing = foray.explore(lake(), episodes=1000, horizon=30).plan(foray.reach(15))
    assert nothing.certificate.gap > 0.5  # what knowing nothing costs


def test_probabilities_of_the_table_are_never_looked_at() -> None:
    env = lake()
    honest = foray.explore(env, known="table", episodes=50, horizon=10)
    for actions in env.unwrapped.P.values():
        for rows in actions.values():
            rows[:] = [(0.01 + 0.1 * i, *row[1:]) for i, row in enumerate(rows)]
    assert honest.model.same_as(foray.explore(env, known="table", episodes=1, horizon=10).model)


def test_episodes_are_functions_of_seed_and_number() -> None:
    one, other = (foray.explore(lake(), episodes=60, horizon=20, seed=4) for _ in range(2))
    assert np.array_equal(one.data()[0], other.data()[0])
    assert len({seed_of(1, k) for k in range(1000)} | {seed_of(2, k) for k in range(1000)}) == 2000
    states, actions = one.data()
    for k in (0, 59):  # played again by hand
        env = lake()
        state, _ = env.reset(seed=seed_of(4, k))
        ended = False
        for t in range(20):
            assert state == states[k, t]
            if not ended:
                state, _, ended, _, _ = env.step(int(actions[k, t]))


def test_step_by_step_and_whole_episodes_agree() -> None:
    """random decides step by step; what it met must be what a replay by table meets."""
    run = foray.explore(lake(), known="table", algorithm="random", episodes=40, horizon=15)
    states, _ = run.data()
    ended = np.isin(states, [5, 7, 11, 12, 15])
    for row, end in zip(states, ended, strict=True):
        first = int(np.argmax(end)) if end.any() else len(row)
        assert (row[first:] == row[first] if first < len(row) else True) is not False
        assert np.all(row[first:] == row[min(first, len(row) - 1)])


def test_the_reward_of_its_own() -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    run = foray.explore(env, algorithm="random", known="table", laws="all", episodes=4000, horizon=30,
                        range=(0, 1))  # fmt: skip
    reached = run.plan(foray.reach(15))
    own = run.plan("own")
    assert own.certificate.proved and own.certificate.gap < 0.1
    assert own.value == pytest.approx(reached.value, abs=0.02)
    assert run.own.at(0, 14, 2, 15) == 1.0
    with pytest.raises(foray.UsageError, match="range"):
        foray.explore(env, episodes=5, horizon=5).plan("own")
    with pytest.raises(foray.UsageError, match="own"):
        foray.explore("riverswim", episodes=5).plan("own")


class Odd(gymnasium.Env):  # type: ignore[misc, name-defined]
    """Two states; its reward changes its mind, or it is truncated early."""

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, fault: str) -> None:
        self.fault, self.count = fault, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.count += 1
        reward = float(self.count) if self.fault == "reward" else 0.0
        return 0, reward, False, self.fault == "short", {}


@pytest.mark.parametrize("algorithm", ["rf-express", "random"])
def test_broken_contracts_are_told(algorithm: str) -> None:
    with pytest.raises(foray.WorldError, match="must be a function"):
        foray.explore(Odd("reward"), algorithm=algorithm, episodes=10, horizon=4)
    with pytest.raises(foray.UsageError, match="truncated after 1 steps"):
        foray.explore(Odd("short"), algorithm=algorithm, episodes=10, horizon=4)
    with pytest.raises(foray.UsageError, match="horizon"):
        foray.explore(Odd(""), episodes=10)
    with pytest.raises(foray.UsageError, match="truncates"):
        foray.explore(lake(), episodes=10, horizon=1000)
    with pytest.raises(foray.UsageError, match="discrete"):
        foray.explore(gymnasium.make("Pendulum-v1"), horizon=3)
