"""Data both ways: recorded episodes become runs, and runs become datasets with any reward."""

from __future__ import annotations

import ctypes
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ._context import Context
from ._library import EPISODES, lib
from ._numbers import MAX_STATE, Initial, flag, integers, path_of, text
from .errors import InputError, UsageError, WorldError
from .models import Model, unstructured_model
from .rewards import BuiltReward, RewardLike, reward
from .runs import Run, create, model_of
from .spaces import numbers

Steps = npt.NDArray[np.int32]
Episode = tuple[Steps, Steps]
LARGEST_TABLE = 1 << 20
SHAPES = (
    "data are a list of pairs (states, actions), arrays (states [K, H + 1], actions [K, H]), a Minari dataset,"
    " or the path of a CSV file"
)


class Relabelling:
    """What steps are worth, r_t(s,a,s'), by a reward of a model; without one, nothing.

    What a reward says about steps is used as it stands, without its discount. An event, such as
    :func:`foray.reach`, is not earned step by step and is refused.
    """

    def __init__(self, model: Model, what: RewardLike | BuiltReward | None) -> None:
        self.nothing = what is None
        self._built: BuiltReward | None = None
        if what is None:
            return
        self._built = what if isinstance(what, BuiltReward) else reward(what).build(model)
        facts, self._model = self._built.facts, model
        if facts.stops:
            raise UsageError(
                f"{self._built.name} is the probability of an event, which no single step earns:"
                " give a reward of steps, such as goal:STATE"
            )
        self._ahead = bool(facts.looks_ahead)
        self._seen: dict[int, float] = {}

    def at(self, step: int, state: int, action: int, following: int) -> float:
        """What one step is worth."""
        if self._built is None:
            return 0.0
        return self._built.at(step, state, action, following if self._ahead else None)

    def along(
        self,
        step: npt.NDArray[np.int64],
        state: npt.NDArray[Any],
        action: npt.NDArray[Any],
        following: npt.NDArray[Any],
        where: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.float64]:
        """What many steps are worth; 0 but `where`. Equal ones are asked about once."""
        worth = np.zeros(len(step))
        if self._built is None:
            return worth
        S, A = self._model.states, self._model.actions
        key = (step.astype(np.int64) * S + state) * A + action
        if self._ahead:
            key = key * S + following
        keys, first, back = np.unique(key[where], return_index=True, return_inverse=True)
        t, s, a, n = step[where][first], state[where][first], action[where][first], following[where][first]
        values, seen = np.empty(len(keys)), self._seen
        for i, k in enumerate(keys.tolist()):
            if k not in seen:
                if len(seen) >= LARGEST_TABLE:
                    seen.clear()
                seen[k] = self.at(int(t[i]), int(s[i]), int(a[i]), int(n[i]))
            values[i] = seen[k]
        worth[where] = values[back]
        return worth


# ------------------------------------------------------------------------------- from elsewhere


def _is_minari(data: object) -> bool:
    return hasattr(data, "iterate_episodes") and hasattr(data, "observation_space")


def _minari_episodes(data: Any) -> Iterator[Episode]:
    _, number = numbers(data.observation_space, "observation")
    _, numbered = numbers(data.action_space, "action")
    for k, episode in enumerate(data.iterate_episodes()):
        seen = episode.observations
        each: Iterable[Any] = zip(*seen, strict=True) if isinstance(seen, tuple) else seen
        if isinstance(seen, dict):
            each = [dict(zip(seen, one, strict=True)) for one in zip(*seen.values(), strict=True)]
        try:
            states, actions = [number(o) for o in each], [numbered(a) for a in episode.actions]
        except WorldError as error:
            raise InputError(f"episode {k}: {error}") from None
        yield np.array(states, dtype=np.int32), np.array(actions, dtype=np.int32)


def _rank(values: Any) -> int:
    try:
        return int(np.ndim(values))
    except ValueError:  # rows of different lengths
        return 1


def _row(values: Any, what: str, low: int) -> Steps:
    row = integers(values, what, low, MAX_STATE, InputError).astype(np.int32)
    if row.ndim != 1:
        raise InputError(f"{what}s are no row of numbers: {SHAPES}")
    return row


def _given_episodes(data: Any) -> Iterator[Episode]:
    """Arrays (states [K, H + 1], actions [K, H]) with -1 after an end, or pairs of such rows."""
    if hasattr(data, "to_csv"):
        raise UsageError(
            f"a {type(data).__name__}: write it with .to_csv('data.csv', index=False), with the columns episode,"
            " step, state, action and next, and give the path"
        )
    both = isinstance(data, tuple) and len(data) == 2 and _rank(data[1]) == 2
    if both and len(data[0]) != len(data[1]):
        raise InputError(f"states of {len(data[0])} episodes, but actions of {len(data[1])}")
    rows: Iterable[Any] = zip(data[0], data[1], strict=True) if both else data
    for k, pair in enumerate(rows):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(f"episode {k} is no pair (states, actions): {SHAPES}")
        met = _row(pair[0], f"episode {k}: state", 0)
        done = _row(pair[1], f"episode {k}: action", -2)
        steps = int(np.argmax(done < 0)) if (done < 0).any() else len(done)
        if (done[steps:] >= 0).any():
            raise InputError(f"episode {k}: action {done[done >= 0][-1]} after the end of the episode (-1)")
        if len(met) != len(done) + 1:
            raise InputError(f"episode {k}: {len(met)} states, but {len(done)} actions need one more")
        yield met[: steps + 1], done[:steps]


def _pieces(episodes: Iterable[Episode], horizon: int) -> Iterator[Episode]:
    """Episodes that are longer than the horizon, cut into pieces, as `foray learn` cuts them."""
    for states, actions in episodes:
        for at in range(0, len(actions), horizon):
            done = np.ascontiguousarray(actions[at : at + horizon])
            yield np.ascontiguousarray(states[at : at + len(done) + 1]), done


def _sizes_of(data: Any, states: int | None, actions: int | None) -> tuple[int, int]:
    """How many there are, which data cannot show: what they do not have may happen all the same."""
    if _is_minari(data):
        states = numbers(data.observation_space, "observation")[0] if states is None else states
        actions = numbers(data.action_space, "action")[0] if actions is None else actions
    if states is None or actions is None:
        raise UsageError(
            "data do not show what never happened: give states= and actions=, how many there are (more will do),"
            " or a model"
        )
    return states, actions


def _check_lengths(model: Model, episodes: Iterable[Episode]) -> None:
    """Pieces of an episode begin where it was cut, and would teach a law of first states that is none."""
    longest = max(len(actions) for _, actions in episodes)
    if model.unstructured and not model.initial() and longest > model.horizon:
        raise UsageError(
            f"an episode of {longest} steps is longer than the horizon of {model.horizon}, and its pieces would"
            " begin elsewhere than episodes do: give a longer horizon, or initial={state: probability}"
        )


def _known(known: Model | str, horizon: int | None, others: Mapping[str, object]) -> Model:
    for name, value in others.items():
        if value is not None:
            raise UsageError(f"{name}= is for data of which nothing is known, and here a model says it")
    return model_of(known, horizon)


def learn(
    data: Any,
    known: Model | str | None = None,
    *,
    states: int | None = None,
    actions: int | None = None,
    horizon: int | None = None,
    initial: Initial | None = None,
    delta: float = 0.1,
    path: str | os.PathLike[str] | None = None,
    replace: bool = False,
) -> Run:
    """A run from episodes that were recorded elsewhere, as `foray learn` makes it.

    ``data`` is a Minari dataset with discrete observations, arrays (states [K, H + 1], actions [K,
    H]), in which actions are -1 after the end of a shorter episode, a list of pairs (states,
    actions), or the path of a CSV file (docs/data.md). ``known`` is what is known beforehand: a
    model, or a world's name. Without it, ``states`` and ``actions`` say how many there are, or an
    upper bound, unless a Minari dataset says so; data cannot show what never happened. Where
    episodes begin is then learnt like any other law, unless ``initial`` says it. Rewards in the
    data are not used: what is learnt serves every reward. Actions must not depend on what followed
    them.

    >>> explored = foray.explore("riverswim:states=4,horizon=8", episodes=500)
    >>> run = foray.learn(explored.data(), "riverswim:states=4,horizon=8")
    >>> run.episodes, run.algorithm
    (500, 'recorded')
    """
    file = isinstance(data, (str, os.PathLike))
    if known is not None:
        model = _known(known, horizon, {"states": states, "actions": actions, "initial": initial})
    else:
        states, actions = _sizes_of(data, states, actions)
        if file and horizon is None:
            raise UsageError("a file is read episode by episode: give horizon=, or a model")
    episodes: list[Episode] = []
    if not file:
        episodes = list(_minari_episodes(data) if _is_minari(data) else _given_episodes(data))
        episodes = [episode for episode in episodes if len(episode[1])]
        if not episodes:
            raise InputError("the data have no episodes")
    if known is None and states is not None and actions is not None:
        longest = horizon if horizon is not None else max(len(done) for _, done in episodes)
        model = unstructured_model(states, actions, longest, initial)
    if not file:
        _check_lengths(model, episodes)
    if path is not None and flag(replace, "replace") and os.path.exists(path):
        if file and os.path.exists(data) and os.path.samefile(path, data):
            raise UsageError(f"path={os.fspath(path)!r} are the data: choose another name")
        _recorded(data, episodes, model, delta, None, False).close()  # wrong data replace nothing
    run = _recorded(data, episodes, model, delta, path, replace)
    begun = _elsewhere(run)
    if begun is not None:
        warnings.warn(
            f"an episode, or a piece of one, begins in state {begun}, where by {model.name} none does: {run.trusted}",
            stacklevel=2,
        )
    return run


def _elsewhere(run: Run) -> int | None:
    """A state in which an episode begins although the model says that none does."""
    law, found = run.model.initial(), -1

    def take(_: Any, k: int, state: int, action: int) -> bool:
        nonlocal found
        first = ctypes.c_int32.from_address(state).value
        found = found if first in law else first
        return found < 0

    if 0 < len(law) < run.model.states:
        callback = run._context.returning(EPISODES, take)
        run._context.long(lib.foray_run_episodes, run, 0, callback, None, here=True)
    return None if found < 0 else found


def _recorded(
    data: Any, episodes: list[Episode], model: Model, delta: float, path: str | os.PathLike[str] | None, replace: bool
) -> Run:
    """A run of the episodes or, if there are none, of those in the file `data`."""
    context = Context()
    run = create(context, model, model.name, {"algorithm": "recorded", "delta": delta}, path, flag(replace, "replace"))
    try:
        if not episodes:
            context.long(lib.foray_run_learn_file, run, path_of(data), None, None)
        for met, done in _pieces(episodes, model.horizon):
            context.call(lib.foray_run_learn, run, len(done), met.ctypes.data, done.ctypes.data)
        context.call(lib.foray_run_save, run)
        if run.episodes == 0:
            raise InputError("the data have no episodes")
    except BaseException:
        run.close()
        if path is not None:
            os.unlink(run.path)
        raise
    return run


# ------------------------------------------------------------------------------------ to Minari


def _buffers(run: Run, what: RewardLike | BuiltReward | None) -> Iterator[dict[str, Any]]:
    """Every episode of a run as Minari has it."""
    built = what if what is None or isinstance(what, BuiltReward) else run._reward(what)
    relabelling = Relabelling(run.model, built)
    states, actions = run.data()
    K, H = actions.shape
    went = actions >= 0
    step = np.broadcast_to(np.arange(H), (K, H)).reshape(-1)
    worth = relabelling.along(
        step, states[:, :-1].reshape(-1), actions.reshape(-1), states[:, 1:].reshape(-1),
        went.reshape(-1),
    ).reshape(K, H)  # fmt: skip
    for k, steps in enumerate(went.sum(axis=1).tolist()):
        truncations = np.zeros(steps, dtype=np.bool_)
        truncations[-1] = True
        yield {
            "id": k,
            "observations": states[k, : steps + 1].astype(np.int64),
            "actions": actions[k, :steps].astype(np.int64),
            "rewards": worth[k, :steps].tolist(),
            "terminations": np.zeros(steps, dtype=np.bool_).tolist(),
            "truncations": truncations.tolist(),
        }


def to_minari(
    run: Run, dataset_id: str, *, reward: RewardLike | BuiltReward | None = None, **more: Any
) -> Any:
    """Writes all episodes of a run as a Minari dataset, and returns it.

    Rewards are zero, or those of any reward that is earned step by step: one run gives as many
    datasets as there are rewards. Every episode ends in a truncation. ``more`` goes to
    ``minari.create_dataset_from_buffers``: author, description, env and the like.
    """
    if not isinstance(run, Run):
        raise UsageError(f"{run!r} is no run")
    import minari
    from gymnasium.spaces import Discrete
    from minari.data_collector import EpisodeBuffer

    if lib.foray_algorithm_is_generative(text(run.algorithm, "algorithm")):
        raise UsageError(f"{run.algorithm} asks about any state: its steps make no episodes")
    model = run.model
    given = {
        "observation_space": Discrete(model.states),
        "action_space": Discrete(model.actions),
        "algorithm_name": f"foray {run.algorithm}",
        "description": f"{run.world}, explored without a reward",
        **more,
    }
    buffers = [EpisodeBuffer(**episode) for episode in _buffers(run, reward)]
    return minari.create_dataset_from_buffers(dataset_id, buffer=buffers, **given)
