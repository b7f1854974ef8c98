"""Environments that are stepped together (gymnasium.make_vec): episodes are played ahead in all of
them at once, and handed to the library one after the other.

Between two plans all episodes follow one table, so that the next N can be played before they are
asked for. What a new plan would have played otherwise is thrown away and played again. Episodes are
the same, to the last bit, as in one environment: each is reset with the seed of its own number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .environments import Chance, seed_of
from .episodes import Environment, finish, passed_through


@dataclass
class Played:
    """An episode that is ready: s_0, a_0, r_0, s_1, ... and whether it ended or was cut off."""

    path: list[int]
    actions: list[int]
    rewards: list[Any]
    terminated: bool = False


def _one(observations: Any, i: int) -> Any:
    """The observation of one environment, out of those of all."""
    if isinstance(observations, dict):
        return {key: _one(part, i) for key, part in observations.items()}
    if isinstance(observations, tuple):
        return tuple(_one(part, i) for part in observations)
    return observations[i]


class VectorEnvironment(Environment):
    """N environments; step by step, where an algorithm decides so, only the first of them counts."""

    def __init__(self, env: Any, horizon: int | None, **more: Any) -> None:
        super().__init__(env, horizon, **more)
        self.count = int(env.num_envs)
        mode = getattr(env, "metadata", {}).get("autoreset_mode")
        self._mode = str(getattr(mode, "value", mode or "NextStep"))
        self._space = env.action_space
        self._ahead: dict[int, Played] = {}
        self._seed = -1
        #: Episodes that were played, and discarded because a new plan does something else.
        self.discarded = 0

    def _limit(self, horizon: int | None) -> int:
        spec = getattr(self.env, "spec", None)
        limit = getattr(spec, "max_episode_steps", None)
        if horizon is None and limit is None:
            inner = getattr(self.env, "envs", None)
            limit = getattr(getattr(inner[0], "spec", None), "max_episode_steps", None) if inner else None
        return super()._limit(horizon if horizon is not None else limit)

    # -- all of them

    def _act(self, actions: list[int]) -> Any:
        """One step of all; where the action space is discrete, as an array of its dtype."""
        chosen = [self._moves[a] for a in actions]
        if isinstance(chosen[0], dict):
            return self.env.step({key: np.array([c[key] for c in chosen]) for key in chosen[0]})
        if isinstance(chosen[0], tuple):
            return self.env.step(tuple(np.array(part) for part in zip(*chosen, strict=True)))
        return self.env.step(np.array(chosen, dtype=getattr(self._space, "dtype", None)))

    def _last(self, observations: Any, info: dict[str, Any], i: int, ended: bool) -> Any:
        """What was observed; where the reset came in the same step, before it."""
        if ended and self._mode == "SameStep" and "final_obs" in info:
            return info["final_obs"][i]
        return _one(observations, i)

    def _renew(self, over: np.ndarray[Any, Any]) -> None:
        """Environments that ended and are not reset by themselves must be before they are stepped."""
        if self._mode == "Disabled" and over.any() and not over.all():
            self.env.reset(options={"reset_mask": over.copy()})

    def _play_ahead(self, seed: int, first: int, table: Any, states: int, chance: Chance) -> None:
        """Episodes first, first + 1, ... as many as there are environments."""
        N, episodes = self.count, range(first, first + self.count)
        sees = [self._numbers(seed, k) for k in episodes]
        observations, _ = self.env.reset(seed=[seed_of(seed, k) for k in episodes])
        played = [Played([sees[i](_one(observations, i))], [], []) for i in range(N)]
        over = np.zeros(N, dtype=bool)
        for t in range(self.horizon):
            actions = [self._chosen(p, table, t, states, seed, first + i, chance, bool(over[i]))
                       for i, p in enumerate(played)]  # fmt: skip
            self._renew(over)
            observations, rewards, terminated, truncated, info = self._act(actions)
            for i in np.flatnonzero(~over).tolist():
                ended = bool(terminated[i])
                state = sees[i](self._last(observations, info, i, ended or bool(truncated[i])))
                played[i].path.append(self.twin.get(state, state) if ended else state)
                played[i].actions.append(actions[i])
                played[i].rewards.append(rewards[i])
                played[i].terminated = ended
                over[i] = ended or bool(truncated[i])
            if over.all():
                break
        self._ahead = dict(zip(episodes, played, strict=True))

    def _chosen(self, played: Played, table: Any, t: int, states: int, seed: int, episode: int,
                chance: Chance, over: bool) -> int:  # fmt: skip
        if over:
            return 0
        action = table[t * states + played.path[-1]]
        return int(action) if action >= 0 else chance(seed, episode, t, played.path[-1])

    def _agrees(self, played: Played, table: Any, states: int, seed: int, episode: int, chance: Chance) -> bool:
        return all(
            action == self._chosen(Played([state], [], []), table, t, states, seed, episode, chance, False)
            for t, (state, action) in enumerate(zip(played.path, played.actions, strict=False))
        )

    # -- one by one

    def play(self, seed: int, episode: int, table: Any, states: int, out: Any, chance: Chance) -> None:
        ready = self._ahead.pop(episode, None) if seed == self._seed else None
        if ready is not None and not self._agrees(ready, table, states, seed, episode, chance):
            self.discarded += 1 + len(self._ahead)
            ready = None
        if ready is None:
            self._seed = seed
            self._play_ahead(seed, episode, table, states, chance)
            ready = self._ahead.pop(episode)
        self.own.begin_episode(episode)
        if ready.terminated:
            self.own.ends.add(ready.path[-1])
        for state, action, following, reward in zip(
            ready.path, ready.actions, ready.path[1:], ready.rewards, strict=False
        ):
            self.own.note(state, action, following, reward)
        whole = ready.terminated or len(ready.path) == len(out)
        self.own.end_episode(math.fsum(map(float, ready.rewards)) if self.own.total else 0.0, whole)
        passed = self.own.ends.intersection(ready.path[:-1] if ready.terminated else ready.path)
        if passed:
            raise passed_through(passed.pop())
        finish(ready.path, len(out) - 1, ready.terminated, self.unstructured, out)

    def _begin(self, seed: int, episode: int) -> Any:
        self.own.begin_episode(episode)
        self._ahead = {}
        number = self._numbers(seed, episode)
        observations, _ = self.env.reset(seed=[seed_of(seed, episode)] * self.count)
        return number(_one(observations, 0)), number

    def _move(self, action: int) -> Any:
        observations, rewards, terminated, truncated, info = self._act([action] * self.count)
        over = bool(terminated[0] or truncated[0])
        return (
            self._last(observations, info, 0, over), rewards[0], terminated[0], truncated[0], {},
        )  # fmt: skip
