"""Data both ways: foray.learn, and Minari datasets that Minari itself reads back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foray

RIVER = "riverswim:states=5,horizon=9"


def test_what_is_learnt_is_what_was_explored() -> None:
    """Certificates from likelihoods use counts only: those of both runs agree to the last bit."""
    explored = foray.explore(RIVER, episodes=400)
    learnt = foray.learn(explored.data(), RIVER)
    assert learnt.algorithm == "recorded" and learnt.episodes == 400
    for one, other in zip(explored.data(), learnt.data(), strict=True):
        assert np.array_equal(one, other)
    assert learnt.plan("goal:4").certificate.proved
    learnt.verify()


def test_short_and_long_episodes(tmp_path: Path) -> None:
    path = tmp_path / "short.foray"
    data = [([0, 0, 0], [0, 0]), ([0] * 21, [0] * 20)]
    with foray.learn(data, RIVER, path=path) as run:
        assert run.episodes == 4  # 2 steps; 20 steps in pieces of 9, 9 and 2
        assert (run.data()[1] >= 0).sum(axis=1).tolist() == [2, 9, 9, 2]
    again = foray.open_run(path)
    assert again.episodes == 4
    with pytest.raises(foray.FileError):
        foray.learn(data, RIVER, path=path)
    assert foray.learn(data, RIVER, path=path, replace=True).episodes == 4


def test_bad_data_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bad.foray"
    with pytest.raises(foray.ForayError, match="rules out"):
        foray.learn([([0, 4], [0])], RIVER, path=path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(foray.InputError, match="need one more"):
        foray.learn([([0, 0], [0, 0])], RIVER)
    with pytest.raises(foray.InputError, match="whole numbers"):
        foray.learn([([0, 0], [0.5])], RIVER)
    with pytest.raises(foray.InputError, match="no episodes"):
        foray.learn([], RIVER)
    with pytest.raises(foray.UsageError, match="longer than the horizon of 1"):
        foray.learn([([0, 1, 0], [0, 0]), ([1, 1], [0])], horizon=1)
    with pytest.raises(foray.UsageError, match="longer than the horizon of 1"):
        foray.learn([([0, 1, 0], [0, 0])], foray.open_model(2, 1, 1))


def _two_doors(episodes: int) -> list[tuple[list[int], list[int]]]:
    """Episodes of three steps that begin in 0 or in 3; action 1 goes up from 0 and down from 3."""
    rng, data = np.random.default_rng(5), []
    for _ in range(episodes):
        states, actions = [int(rng.choice([0, 3], p=[0.25, 0.75]))], []
        for _ in range(3):
            actions.append(int(rng.integers(2)))
            step = 0 if actions[-1] == 0 else 1 if states[-1] in (0, 1) else -1
            states.append(states[-1] + step)
        data.append((states, actions))
    return data


def test_first_states_that_differ_are_learnt() -> None:
    data = _two_doors(2000)
    run = foray.learn(data)
    assert run.model.open and run.model.initial() == {}
    assert (run.model.states, run.model.actions, run.model.horizon) == (4, 2, 3)
    # As if somebody had said that nothing is known.
    other = foray.learn(data, foray.open_model(4, 2, 3))
    assert run.plan("reach:1").certificate == other.plan("reach:1").certificate
    # From 3 state 1 is two steps away, from 0 one: every episode can get there.
    plan = run.plan("reach:1")
    assert plan.low is not None and plan.high is not None
    assert 0.5 < plan.low <= 1 <= plan.high + 1e-9
    # Who says where episodes begin knows more.
    told = foray.learn(data, initial={0: 0.25, 3: 0.75})
    assert told.model.initial() == {0: 0.25, 3: 0.75}
    assert told.plan("reach:1").certificate.gap < plan.certificate.gap
    # One first state is taken to be known.
    assert foray.learn([row for row in data if row[0][0] == 3]).model.initial() == {3: 1.0}


def test_nothing_known() -> None:
    states, actions = foray.explore(RIVER, episodes=50).data()
    run = foray.learn((states, actions))
    assert (run.model.actions, run.model.horizon, run.model.known) == (2, 9, False)
    assert run.model.states == states.max() + 1


@pytest.fixture
def minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    pytest.importorskip("h5py", reason="h5py, which Minari stores with, is not installed")
    pytest.importorskip("PIL", reason="pillow, which Minari's HDF5 store imports, is not installed")
    return pytest.importorskip("minari", reason="Minari is not installed")


@pytest.mark.filterwarnings("ignore")  # Minari's, about what a dataset does not tell of its author
def test_minari_reads_what_was_written(minari: Any) -> None:
    run = foray.explore(RIVER, episodes=30)
    states, actions = run.data()
    want = {(None, None, 1): 0.5, (0, 0): 0.25}
    for number, (reward, name) in enumerate([(None, "zero"), ("goal:1", "goal"), (want, "ahead")]):
        foray.to_minari(run, f"foray/{name}-v{number}", reward=reward)
        read = minari.load_dataset(f"foray/{name}-v{number}")
        assert read.total_episodes == 30 and read.total_steps == 270
        built = None if reward is None else foray.reward(reward).build(run.model)
        for k, episode in enumerate(read.iterate_episodes()):
            assert np.array_equal(episode.observations, states[k])
            assert np.array_equal(episode.actions, actions[k])
            assert episode.truncations.tolist() == [False] * 8 + [True]
            assert not episode.terminations.any()
            for t in range(9):
                s, a, n = int(states[k, t]), int(actions[k, t]), int(states[k, t + 1])
                expected = 0.0 if built is None else built.at(t, s, a, n)
                assert episode.rewards[t] == expected
    with pytest.raises(foray.UsageError, match="event"):
        foray.to_minari(run, "foray/event-v0", reward="reach:3")


@pytest.mark.filterwarnings("ignore")
def test_runs_learnt_from_minari(minari: Any) -> None:
    run = foray.explore(RIVER, episodes=60)
    foray.to_minari(run, "foray/river-v0")
    read = minari.load_dataset("foray/river-v0")
    learnt, direct = foray.learn(read, RIVER), foray.learn(run.data(), RIVER)
    assert learnt.plan("goal:4").certificate == direct.plan("goal:4").certificate
    assert foray.learn(read).model.states == 5  # which the dataset says, whatever was seen


@pytest.mark.filterwarnings("ignore")
def test_somebody_else_s_dataset(minari: Any) -> None:
    """What a collector of Minari records in FrozenLake, shorter episodes included."""
    gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    pytest.importorskip("jax", reason="Minari's collector needs jax, which is not installed")
    env = minari.DataCollector(gymnasium.make("FrozenLake-v1"))
    for k in range(20):
        env.reset(seed=k)
        over = False
        while not over:
            _, _, ended, cut, _ = env.step(env.action_space.sample())
            over = ended or cut
    read = env.create_dataset("lake/random-v0")
    assert foray.learn(read, horizon=20).episodes >= 20
