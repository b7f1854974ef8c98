"""Foray's worlds as Gymnasium environments, one at a time and many at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import foray

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402

ROOMS = "rooms:rows=2,cols=2,size=2,horizon=12"


@pytest.mark.parametrize("name", list(foray.worlds()))
def test_gymnasium_has_nothing_to_say_about_any_world(name: str) -> None:
    env = gymnasium.make(foray.gym.name_of(name) + "-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_parameters_and_names() -> None:
    env = gymnasium.make("foray/Rooms-v0", rows=3, cols=3)
    assert env.observation_space.n == foray.world("rooms:rows=3,cols=3").states
    with pytest.raises(foray.UsageError, match="rows"):
        gymnasium.make("foray/Rooms-v0", rows=-1)
    assert "foray/FrozenLake-v0" in gymnasium.registry


def test_it_plays_the_episodes_of_a_run() -> None:
    """The n-th episode after reset(seed=s) is the n-th that explore meets with the seed s."""
    run = foray.explore(ROOMS, episodes=20, seed=9)
    states, actions = run.data()
    env = foray.gym.World(ROOMS)
    for k in range(20):
        state, _ = env.reset(seed=9) if k == 0 else env.reset()
        assert state == states[k, 0]
        for t in range(12):
            state, reward, terminated, truncated, _ = env.step(actions[k, t])
            assert state == states[k, t + 1] and reward == 0.0 and not terminated
            assert truncated == (t == 11)
    with pytest.raises(foray.UsageError, match="over"):
        env.step(np.int64(0))


def test_rewards_are_the_library_s() -> None:
    want = {(None, 1): 0.25, 3: 1.0}
    env = foray.gym.World(ROOMS, reward=want)
    built = foray.reward(want).build(env.model)
    state, _ = env.reset(seed=1)
    for t in range(12):
        following, reward, _, _, _ = env.step(np.int64(t % 4))
        assert reward == built.at(t, int(state), t % 4)
        state = following
    with pytest.raises(foray.UsageError, match="event"):
        foray.gym.World(ROOMS, reward=foray.reach(3))


@pytest.mark.parametrize("want", [None, "goal:3", {(None, None, 3): 1.0}])
def test_many_at_once_are_what_each_is_alone(want: Any) -> None:
    envs = gymnasium.make_vec("foray/Rooms-v0", num_envs=7, rows=2, cols=2, size=2, horizon=12, reward=want)
    assert isinstance(envs.unwrapped, foray.gym.Worlds)
    alone = [foray.gym.World(ROOMS, reward=want) for _ in range(7)]
    states, _ = envs.reset(seed=100)
    assert states.tolist() == [env.reset(seed=100 + i)[0] for i, env in enumerate(alone)]
    rng, over = np.random.default_rng(1), np.zeros(7, dtype=bool)
    for _ in range(60):
        actions = rng.integers(4, size=7)
        states, rewards, terminated, truncated, _ = envs.step(actions)
        for i, env in enumerate(alone):
            if over[i]:
                assert (states[i], rewards[i], truncated[i]) == (env.reset()[0], 0.0, False)
            else:
                seen, reward, _, cut, _ = env.step(actions[i])
                assert (states[i], rewards[i], truncated[i]) == (seen, reward, cut)
        assert not terminated.any()
        over = truncated
    with pytest.raises(foray.UsageError, match="shape"):
        envs.step(np.zeros(3, dtype=np.int64))
    with pytest.raises(foray.UsageError, match="action 4"):
        envs.step(np.full(7, 4))


def test_some_can_be_reset_and_memory_can_be_shared() -> None:
    envs = foray.gym.Worlds(4, ROOMS, copy=False)
    states, _ = envs.reset(seed=0)
    for _ in range(5):
        again, *_ = envs.step(np.ones(4, dtype=np.int64))
        assert again is states
    before = states.copy()
    envs.reset(options={"reset_mask": np.array([False, True, False, False])})
    assert states[[0, 2, 3]].tolist() == before[[0, 2, 3]].tolist()
    assert envs._batch.step.tolist() == [5, 0, 5, 5]


def test_seeds_and_options_of_the_wrong_kind_are_refused() -> None:
    """They raised what only Gymnasium knows, or an AttributeError."""
    env, envs = foray.gym.World(ROOMS), foray.gym.Worlds(4, ROOMS)
    wrong: Any
    for wrong in ("x", [1], 0.5, -1, 2**64, True, np.array([1, 2])):
        for reset in (env.reset, envs.reset):
            with pytest.raises(ValueError, match="seed"):
                reset(seed=wrong)
    assert env.reset(seed=np.int64(3))[0] == env.reset(seed=3)[0]
    for wrong in (1, "x", [1], len):
        with pytest.raises(ValueError, match="options=.*: a dictionary"):
            envs.reset(options=wrong)
    for wrong in ([0], 3, "x", [True], [0.5] * 4, None, np.ones((4, 4), dtype=bool)):
        with pytest.raises(ValueError, match="reset_mask: an array of True and False, 4 of them"):
            envs.reset(options={"reset_mask": wrong})


def test_states_that_are_none_in_shared_memory_are_refused() -> None:
    envs = foray.gym.Worlds(3, ROOMS, copy=False)
    states, _ = envs.reset(seed=0)
    for wrong in (10**9, -1, 2**40, -(2**63)):
        states[1] = wrong
        with pytest.raises(foray.ForayError):
            envs.step(np.zeros(3, dtype=np.int64))


def test_a_plan_plays() -> None:
    run = foray.explore(ROOMS, episodes=3000)
    plan = run.plan("goal:3")
    env = foray.gym.Follow(foray.gym.World(ROOMS, reward="goal:3"), plan)
    earned = env.play(episodes=2000, seed=3)
    value, _ = plan.truth()
    assert abs(earned.mean() - value) < 5 * earned.std() / 2000**0.5
    assert np.array_equal(earned, env.play(episodes=2000, seed=3))
    with pytest.raises(foray.UsageError, match="ends after 12"):
        env.policy(0)
    with pytest.raises(foray.UsageError, match="the plan is for"):
        foray.gym.Follow(foray.gym.World("riverswim"), plan)


def test_a_plan_plays_in_somebody_else_s_environment() -> None:
    lake = gymnasium.make("FrozenLake-v1", is_slippery=True)
    run = foray.explore(lake, known="table", laws="all", episodes=1000, horizon=30)
    plan = run.plan(foray.reach(15))
    earned = foray.gym.Follow(lake, plan).play(episodes=1000, seed=1)
    assert abs(earned.mean() - plan.value) < 0.08


def test_a_map_is_drawn() -> None:
    env = gymnasium.make("foray/Rooms-v0", rows=1, cols=1, size=2, render_mode="ansi")
    env.reset(seed=0)
    assert env.render().count("@") == 1
