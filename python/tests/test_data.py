"""Data both ways: foray.learn, and Minari datasets that Minari itself reads back."""

from __future__ import annotations

import warnings
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
    with pytest.raises(foray.InputError, match="integers"):
        foray.learn([([0, 0], [0.5])], RIVER)
    with pytest.raises(foray.InputError, match="no episodes"):
        foray.learn([], RIVER)
    with pytest.raises(foray.UsageError, match="longer than the horizon of 1"):
        foray.learn([([0, 1, 0], [0, 0]), ([1, 1], [0])], states=2, actions=1, horizon=1)
    with pytest.raises(foray.UsageError, match="longer than the horizon of 1"):
        foray.learn([([0, 1, 0], [0, 0])], foray.unstructured_model(2, 1, 1))


def test_wrong_data_replace_nothing(tmp_path: Path) -> None:
    path, csv = tmp_path / "kept.foray", tmp_path / "bad.csv"
    foray.learn([([0, 1], [1])], RIVER, path=path).close()
    csv.write_text("episode,step,state,action,next\n0,0,0,0,99\n")
    before = path.read_bytes()
    for data, message in (([([0, 99], [0])], r"episode 0, step 0\)"), (csv, "99"), (tmp_path / "none.csv", "No such file")):
        with pytest.raises(foray.ForayError, match=message):
            foray.learn(data, RIVER, path=path, replace=True)
        assert path.read_bytes() == before
    text = "episode,step,state,action,next\n0,0,0,0,0\n"
    csv.write_text(text)
    with pytest.raises(foray.UsageError, match="are the data"):
        foray.learn(csv, RIVER, path=csv, replace=True)
    assert csv.read_text() == text
    assert foray.learn(csv, RIVER, path=path, replace=True).episodes == 1


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


SIZES: dict[str, Any] = {"states": 4, "actions": 2}


def test_first_states_are_learnt() -> None:
    data = _two_doors(2000)
    run = foray.learn(data, **SIZES)
    assert run.model.unstructured and run.model.initial() == {}
    assert (run.model.states, run.model.actions, run.model.horizon) == (4, 2, 3)
    # As if somebody had said that nothing is known.
    other = foray.learn(data, foray.unstructured_model(4, 2, 3))
    assert run.plan("reach:1").certificate == other.plan("reach:1").certificate
    # From 3 state 1 is two steps away, from 0 one: every episode can get there.
    plan = run.plan("reach:1")
    assert plan.low is not None and plan.high is not None
    assert 0.5 < plan.low <= 1 <= plan.high + 1e-9
    # Who says where episodes begin knows more.
    told = foray.learn(data, **SIZES, initial={0: 0.25, 3: 0.75})
    assert told.model.initial() == {0: 0.25, 3: 0.75}
    assert told.plan("reach:1").certificate.gap < plan.certificate.gap
    # Also where all of them began alike.
    assert foray.learn([row for row in data if row[0][0] == 3], **SIZES).model.initial() == {}
    assert foray.learn(data[:1], **SIZES, initial=np.int64(data[0][0][0])).model.initial() == {data[0][0][0]: 1.0}


def test_first_states_that_a_model_denies_are_told(tmp_path: Path) -> None:
    """initial=0, and all data began in 1: not a word."""
    elsewhere = ([1, 0, 1], [0, 1])
    with pytest.warns(UserWarning, match="begins in state 1, where .* taken on trust"):
        run = foray.learn([([0, 0], [0]), elsewhere], states=2, actions=2, initial=0)
    assert run.trusted is not None and run.trusted in repr(run)
    csv = tmp_path / "log.csv"
    csv.write_text("episode,step,state,action,next\n0,0,3,0,2\n")
    with pytest.warns(UserWarning, match="begins in state 3"):
        foray.learn(csv, RIVER)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learnt = foray.learn([elsewhere], states=2, actions=2)
        assert learnt.trusted is None and "trust" not in repr(learnt)
        assert foray.learn([elsewhere], states=2, actions=2, initial={0: 0.5, 1: 0.5}).trusted is not None
    assert foray.explore(RIVER, episodes=3).trusted is None


def test_intervals_cover_where_episodes_begin() -> None:
    """Three episodes; one in five begins in state 1. Once, where all three began alike, this was taken to be
    known: wrong in half of all cases, and "proved optimal". Errors are allowed in one of ten."""
    rng, wrong = np.random.default_rng(11), 0
    for _ in range(400):
        data = [([s, s], [0]) for s in rng.choice(2, size=3, p=[0.8, 0.2]).tolist()]
        plan = foray.learn(data, states=2, actions=1).plan(foray.goal(1))
        wrong += not plan.low - 1e-9 <= 0.2 <= plan.high + 1e-9
    assert wrong <= 40


def test_intervals_cover_what_was_never_seen() -> None:
    """State 0 is left with probability 0.3: once, data that did not show it made an exact plan."""
    rng, wrong = np.random.default_rng(12), 0
    for _ in range(300):
        states = [0]
        for _ in range(2):
            states.append(1 if states[-1] == 1 or rng.random() < 0.3 else 0)
        plan = foray.learn([(states, [0, 0])], states=2, actions=1, initial=0).plan(foray.goal(0))
        wrong += not plan.low - 1e-9 <= 1.7 <= plan.high + 1e-9
    assert wrong <= 30


def test_nothing_known() -> None:
    states, actions = foray.explore(RIVER, episodes=50).data()
    few: list[dict[str, Any]] = [{}, {"states": 5}, {"actions": 2}]
    for sizes in few:
        with pytest.raises(foray.UsageError, match="states= and actions="):
            foray.learn((states, actions), **sizes)
    run = foray.learn((states, actions), states=7, actions=2)  # an upper bound is enough
    assert (run.model.states, run.model.actions, run.model.horizon, run.model.known) == (7, 2, 9, False)
    with pytest.raises(foray.ForayError, match="3"):
        foray.learn([([0, 3], [0])], states=3, actions=2)
    with pytest.raises(foray.ForayError, match="2"):
        foray.learn([([0, 1], [2])], states=3, actions=2)
    known: list[dict[str, Any]] = [{"states": 5}, {"initial": 0}]
    for more in known:
        with pytest.raises(foray.UsageError, match="a model says it"):
            foray.learn((states, actions), RIVER, **more)
    with pytest.raises(foray.UsageError, match="horizon of 9"):
        foray.learn((states, actions), foray.world(RIVER), horizon=3)


def test_numbers_that_are_none_are_refused() -> None:
    """Cast to 32 bits, 2^32 + 1 was once state 1, and 0.9 state 0."""
    bad: list[Any] = [
        ([0, 2**32 + 1], [0]), ([0, 2**64 + 1], [0]), ([0, 0.9], [0]), ([0.9, 0], [0]), ([0, -1], [0]),
        ([0, float("nan")], [0]), (["0", "1"], [0]), ([True, False], [0]), ([0, 1 + 0j], [0]), ([0, None], [0]),
        ([0, 1], [2**32]), ([0, 1], [0.5]), ([0, 1], [-3]), ([0, 1], [True]), ([0, True, 0], [0, 0]),
        ([0, 1, 0], (1, np.True_)), ([0, 1], ["0"]), ([[0, 1]], [0]),
        ([0, 1], [[0]]), ([0, [1]], [0]), ([0, 1, 1, 1], [0, -1, 1]), (np.ma.array([0, 1], mask=[False, True]), [0]),
    ]  # fmt: skip
    for states, actions in bad:
        with pytest.raises(foray.InputError, match="episode 0"):
            foray.learn([(states, actions)], states=2, actions=2)
    exact = foray.learn([([0, 1], [0])], states=2, actions=2)
    good: list[Any] = [np.array([0.0, 1.0]), np.array([0, 1], dtype=np.uint8), np.array([0, 1], dtype=object)]
    for row in good:
        assert np.array_equal(foray.learn([(row, [0])], states=2, actions=2).data()[0], exact.data()[0])


def test_files_and_what_is_no_data(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("episode,step,state,action,next\n0,0,0,1,0\n0,1,0,1,1\n1,0,0,0,0\n")
    run = foray.learn(path, RIVER)
    direct = foray.learn([([0, 0, 1], [1, 1]), ([0, 0], [0])], RIVER)
    assert run.episodes == 2 and run.plan("goal:4").certificate == direct.plan("goal:4").certificate
    assert foray.learn(str(path), states=3, actions=2, horizon=4).model.initial() == {}
    with pytest.raises(foray.UsageError, match="give horizon="):
        foray.learn(path, states=3, actions=2)
    with pytest.raises(FileNotFoundError):
        foray.learn(tmp_path / "missing.csv", RIVER)

    class Frame:
        def to_csv(self) -> None: ...

    with pytest.raises(foray.UsageError, match=r"a Frame: write it with \.to_csv"):
        foray.learn(Frame(), RIVER)
    none: list[Any] = [[0, 1, 2], [([0, 0], [0], [1.0])], ([0, 0], [0]), [{"states": [0, 0], "actions": [0]}]]
    for data in none:
        with pytest.raises(foray.InputError, match="data are a list of pairs"):
            foray.learn(data, RIVER)
    pairs = (([0, 0], [0]), ([0, 0, 0], [0, 0]))  # a tuple of two
    assert foray.learn(pairs, RIVER).episodes == 2


class Recorded:
    """A dataset as Minari has them."""

    def __init__(self, states: Any, actions: Any) -> None:
        spaces = pytest.importorskip("gymnasium").spaces
        self.observation_space, self.action_space = spaces.Discrete(3, start=10), spaces.Discrete(2, start=5)
        self.observations, self.actions = states, actions

    def iterate_episodes(self) -> Any:
        return iter([self])


def test_numbers_of_a_minari_dataset_are_checked() -> None:
    run = foray.learn(Recorded(np.array([10, 12, 11]), np.array([5, 6])))
    assert run.data()[0].tolist() == [[0, 2, 1]] and run.data()[1].tolist() == [[0, 1]]
    assert (run.model.states, run.model.actions, run.model.initial()) == (3, 2, {})
    for states, actions in (([10, 2**32 + 10], [5]), ([10, 10.9], [5]), ([10, 13], [5]), ([10, 11], [7]),
                            ([10, 11], [5.5]), ([10, 11], [2**32 + 5])):  # fmt: skip
        with pytest.raises(foray.InputError, match="episode 0: .*not in Discrete"):
            foray.learn(Recorded(np.array(states), np.array(actions)))


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
