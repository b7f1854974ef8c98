"""Worlds in Python: functions and Gymnasium environments, as the library steps in them.

The library asks for whole episodes wherever the actions of one are settled when it begins (between
two plans they are a table), so that only one call crosses the border in an episode. The contract
with an environment:

* the reset of an episode gets a seed that is a function of (seed, episode), so that an episode can
  be repeated, and a resumed run meets the same ones;
* after ``terminated`` the environment is not stepped: the state is absorbing for the rest;
* ``truncated`` before the horizon is refused: choose a horizon that the environment allows;
* its own reward is recorded; a transition that shows two values is refused.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Mapping
from ctypes import byref, c_int32, c_void_p, sizeof
from typing import Any, Protocol

import numpy as np

from ._context import Context
from ._library import EPISODE, RESET, STEP, Draw, WorldOps, lib
from .errors import UsageError, WorldError
from .models import Model

FAILED = -3


class Player(Protocol):
    """What a world in Python can do."""

    def reset(self, seed: int, episode: int) -> int:
        """Begins an episode; its first state."""

    def step(self, state: int, action: int) -> int:
        """The state that follows."""

    def play(self, seed: int, episode: int, table: Any, states: int, out: Any) -> None:
        """A whole episode: in step t and state s the action is table[t * states + s]."""


def seed_of(seed: int, episode: int) -> int:
    """The seed of an episode, by the library's own random numbers: from 0 to 2**31 - 1."""
    draw = Draw(seed & (2**64 - 1), episode, 0)
    return int(lib.foray_draw_uniform(byref(draw), 0) * 2.0**31)


class PythonWorld:
    """A foray_world whose steps are taken by a player. What the player raises comes out of the call
    that explores, as it was raised."""

    def __init__(self, context: Context, model: Model, player: Player) -> None:
        self.context, self.player = context, player
        self.error: BaseException | None = None
        self._table = c_int32 * (model.horizon * model.states)
        self._path = c_int32 * (model.horizon + 1)
        self._ops = WorldOps(
            size=sizeof(WorldOps),
            reset=RESET(self._reset),
            step=STEP(self._step),
            episode=EPISODE(self._episode),
        )
        out = c_void_p()
        context.call(lib.foray_world_create, context.pointer, byref(self._ops), None, byref(out))
        self.pointer = out.value or 0

    def _fail(self, error: BaseException) -> int:
        self.error = error
        return FAILED

    def _reset(self, _: Any, draw: Any, state: Any) -> int:
        try:
            state[0] = self.player.reset(draw[0].seed, draw[0].episode)
        except BaseException as error:
            return self._fail(error)
        return 0

    def _step(self, _: Any, draw: Any, state: int, action: int, following: Any) -> int:
        try:
            following[0] = self.player.step(state, action)
        except BaseException as error:
            return self._fail(error)
        return 0

    def _episode(self, _: Any, draw: Any, horizon: int, states: int, action: int, path: int) -> int:
        try:
            where = draw[0]
            table, out = self._table.from_address(action), self._path.from_address(path)
            self.player.play(where.seed, where.episode, table, states, out)
        except BaseException as error:
            return self._fail(error)
        return 0

    def close(self) -> None:
        lib.foray_world_destroy(self.pointer)
        self.pointer = 0


# ------------------------------------------------------------------------------------ functions


class Simulator:
    """A world that is a Python function: ``step(state, action, rng)`` gives the state that follows,
    ``rng`` being a random.Random that is seeded again for every episode; ``start`` is a state, or
    a function of ``rng``.

    >>> def step(state, action, rng):
    ...     return min(state + 1, 4) if action == 1 and rng.random() < 0.7 else max(state - 1, 0)
    >>> walk = foray.Simulator(step, states=5, actions=2, horizon=8)
    >>> run = foray.explore(walk, episodes=3000)
    >>> run.plan("reach:4").certificate.status
    'certified'
    """

    def __init__(
        self,
        step: Callable[[int, int, random.Random], int],
        *,
        states: int,
        actions: int,
        horizon: int,
        start: int | Callable[[random.Random], int] = 0,
        initial: Mapping[int, float] | None = None,
        name: str | None = None,
    ) -> None:
        if initial is None and not isinstance(start, int):
            raise UsageError("initial={state: probability} must say where `start` begins")
        self.states, self.actions, self.horizon = states, actions, horizon
        self.initial = initial if initial is not None else {int(start): 1.0}  # type: ignore[arg-type]
        self.name = name or getattr(step, "__name__", "function")
        self._next, self._start, self._rng = step, start, random.Random()

    def reset(self, seed: int, episode: int) -> int:
        self._rng.seed(seed_of(seed, episode))
        return self._start if isinstance(self._start, int) else int(self._start(self._rng))

    def step(self, state: int, action: int) -> int:
        return int(self._next(state, action, self._rng))

    def play(self, seed: int, episode: int, table: Any, states: int, out: Any) -> None:
        follow, rng = self._next, self._rng
        out[0] = state = self.reset(seed, episode)
        t, at = 1, 0
        for t in range(1, len(out)):
            state = int(follow(state, table[at + state], rng))
            if not 0 <= state < states:
                raise WorldError(f"{self.name} answered with state {state}, but there are {states}")
            out[t] = state
            at += states


# ------------------------------------------------------------------------------------ Gymnasium


def is_environment(source: object) -> bool:
    """Is it a Gymnasium environment? (Asked without importing Gymnasium.)"""
    return all(hasattr(source, name) for name in ("reset", "step", "observation_space", "action_space"))


def _size(space: Any, what: str) -> tuple[int, Callable[[Any], int]]:
    """How many values a discrete space has, and a function that numbers them."""
    kind = type(space).__name__
    if kind == "Discrete":
        start = int(space.start)
        return int(space.n), (int if start == 0 else lambda value: int(value) - start)
    if kind == "MultiDiscrete":
        shape = tuple(int(n) for n in np.ravel(space.nvec))
        return int(np.prod(shape)), lambda value: int(np.ravel_multi_index(tuple(value), shape))
    if kind == "Tuple" and all(type(part).__name__ == "Discrete" for part in space.spaces):
        shape = tuple(int(part.n) for part in space.spaces)
        return int(np.prod(shape)), lambda value: int(np.ravel_multi_index(tuple(value), shape))
    raise UsageError(f"the {what} space {space} is not discrete")


class Environment:
    """A Gymnasium environment with discrete observations and actions."""

    def __init__(self, env: Any, horizon: int | None) -> None:
        self.env = env
        self.states, self._state = _size(env.observation_space, "observation")
        self.actions, _ = _size(env.action_space, "action")
        self._first_action = int(getattr(env.action_space, "start", 0))
        limit = getattr(env.spec, "max_episode_steps", None)
        if horizon is None:
            horizon = limit
        if horizon is None:
            raise UsageError("the environment has no limit of steps: give horizon=")
        self.horizon = int(horizon)
        if limit is not None and self.horizon > limit:
            raise UsageError(
                f"horizon {self.horizon}, but the environment truncates episodes after {limit} steps"
            )
        self.name = "gymnasium:" + (env.spec.id if env.spec is not None else type(env.unwrapped).__name__)
        self._ended, self._t = False, 0
        #: The environment's own reward: r(s,a,s') by (s * A + a) * S + s', of what was seen.
        self.own: dict[int, float] = {}
        #: States in which episodes have ended.
        self.ends: set[int] = set()

    def initial(self, probes: int = 32) -> dict[int, float]:
        """Where episodes begin: as the environment says, or in the one state that is seen."""
        law = getattr(self.env.unwrapped, "initial_state_distrib", None)
        if law is not None:
            return {int(s): float(law[s]) for s in np.flatnonzero(law)}
        seen = {self._state(self.env.reset(seed=seed_of(0, k))[0]) for k in range(probes)}
        if len(seen) > 1:
            raise UsageError(
                f"episodes begin in different states ({sorted(seen)[:5]}, ...):"
                " give initial={state: probability}"
            )
        return {seen.pop(): 1.0}

    def table(self) -> Any:
        table = getattr(self.env.unwrapped, "P", None)
        if table is None:
            raise UsageError("known='table', but the environment has no table `P`")
        return table

    def reset(self, seed: int, episode: int) -> int:
        self._ended, self._t = False, 0
        self._now = self._state(self.env.reset(seed=seed_of(seed, episode))[0])
        return self._now

    def step(self, state: int, action: int) -> int:
        if state != self._now:
            raise UsageError("an environment cannot be asked about any state, as this algorithm does")
        self._t += 1
        if self._ended:
            return state
        seen, reward, terminated, truncated, _ = self.env.step(action + self._first_action)
        self._now = self._state(seen)
        self._note((state * self.actions + action) * self.states + self._now, float(reward))
        if terminated:
            self._end(self._now)
        elif truncated and self._t < self.horizon:
            raise self._too_short()
        return self._now

    def _too_short(self) -> Exception:
        return UsageError(
            f"the environment was truncated after {self._t} steps: the horizon may not be longer"
        )

    def _end(self, state: int) -> None:
        self._ended = True
        self.ends.add(state)

    def _note(self, where: int, reward: float) -> None:
        if self.own.setdefault(where, reward) != reward:
            state, following = where // (self.actions * self.states), where % self.states
            raise WorldError(
                f"the environment's reward for (s={state}, a={where // self.states % self.actions},"
                f" s'={following}) was {self.own[where]} and is now {reward}: a reward must be"
                " a function of (s,a,s')"
            )

    def play(self, seed: int, episode: int, table: Any, states: int, out: Any) -> None:
        step, number, own, first = self.env.step, self._state, self.own, self._first_action
        state = self.reset(seed, episode)
        A, S, at, steps = self.actions, self.states, 0, len(out) - 1
        path = [state]
        for t in range(1, steps + 1):
            action = table[at + state]
            seen, reward, terminated, truncated, _ = step(action + first)
            following = number(seen)
            where = (state * A + action) * S + following
            if own.get(where) != reward:
                self._note(where, float(reward))
            path.append(following)
            state = following
            at += states
            if terminated:
                self._end(state)
                path.extend([state] * (steps - t))
                break
            if truncated and t < steps:
                self._t = t
                raise self._too_short()
        out[:] = path


def simulate(context: Context, model: Model) -> ctypes.c_void_p:
    """The world of a model that knows its probabilities."""
    out = c_void_p()
    context.call(lib.foray_world_from_model, context.pointer, model.pointer, byref(out))
    return out
