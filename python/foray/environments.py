"""Worlds in Python, as the library steps in them, and functions that are such worlds.

The library asks for whole episodes wherever the actions of one are settled when it begins (between
two plans they are a table), so that only one call crosses the border in an episode.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from ctypes import byref, c_int32, c_void_p, sizeof
from typing import Any, Protocol

from ._context import Context, Native
from ._library import ENDED, EPISODE, RESET, STEP, Draw, WorldOps, lib
from ._numbers import MAX_STATE, Initial, integer, law_of
from .errors import UsageError, WorldError
from .models import Model

FAILED = -3
#: What stands for the state that follows the last one of an episode: it was cut off, or it ended in
#: an absorbing state.
OVER, DONE = -1, -2

Chance = Callable[[int, int, int, int], int]


class Player(Protocol):
    """What a world in Python can do."""

    #: Of how many states each is numbered; is anything known about what can follow what?
    unstructured: bool

    def reset(self, seed: int, episode: int) -> int:
        """Begins an episode; its first state."""

    def step(self, state: int, action: int) -> int:
        """The state that follows."""

    def ended(self) -> bool:
        """Was the last state that followed absorbing?"""

    def cut(self) -> bool:
        """Was the episode cut off after it?"""

    def play(self, seed: int, episode: int, table: Any, states: int, out: Any, chance: Chance) -> None:
        """A whole episode: in step t and state s the action is table[t * states + s] or, where that
        is -1, chance(seed, episode, t, s)."""


def seed_of(seed: int, episode: int) -> int:
    """The seed of an episode, by the library's own random numbers: from 0 to 2**31 - 1."""
    draw = Draw(integer(seed, "seed", 0, 2**64 - 1), integer(episode, "episode", 0), 0)
    return int(lib.foray_draw_uniform(byref(draw), 0) * 2.0**31)


class PythonWorld(Native):
    """A foray_world whose steps are taken by a player. What the player raises comes out of the call
    that explores, as it was raised."""

    def __init__(
        self, context: Context, model: Model, player: Player, *, aggregated: bool = False
    ) -> None:
        self.context, self.player, self._model = context, player, model
        player.unstructured = model.unstructured
        self._table = c_int32 * (model.horizon * model.states)
        self._path = c_int32 * (model.horizon + 1)
        self._ops = WorldOps(
            size=sizeof(WorldOps),
            reset=RESET(self._reset),
            step=STEP(self._step),
            ended=context.returning(ENDED, lambda _: player.ended()),
            episode=EPISODE(self._episode),
            cut=context.returning(ENDED, lambda _: player.cut()),
            aggregated=aggregated,
        )
        out = c_void_p()
        context.call(lib.foray_world_create, context.pointer, byref(self._ops), None, byref(out))
        self.pointer = out.value or 0

    def _fail(self, error: BaseException) -> int:
        self.context.stop(error)
        return FAILED

    def _chance(self, seed: int, episode: int, t: int, state: int) -> int:
        draw = Draw(seed, episode, 0)
        return int(lib.foray_draw_action(byref(draw), self._model.pointer, t, state))

    def _reset(self, _: Any, draw: Any, state: Any) -> int:
        try:
            self.context.asking = True
            state[0] = self.player.reset(draw[0].seed, draw[0].episode)
            self.context.asking = False
        except BaseException as error:
            self.context.asking = False
            return self._fail(error)
        return 0

    def _step(self, _: Any, draw: Any, state: int, action: int, following: Any) -> int:
        try:
            self.context.asking = True
            following[0] = self.player.step(state, action)
            self.context.asking = False
        except BaseException as error:
            self.context.asking = False
            return self._fail(error)
        return 0

    def _episode(self, _: Any, draw: Any, horizon: int, states: int, action: int, path: int) -> int:
        try:
            self.context.asking = True
            where = draw[0]
            table, out = self._table.from_address(action), self._path.from_address(path)
            self.player.play(where.seed, where.episode, table, states, out, self._chance)
            self.context.asking = False
        except BaseException as error:
            self.context.asking = False
            return self._fail(error)
        return 0

    def close(self) -> None:
        lib.foray_world_destroy(self.pointer)
        self.pointer = 0


# ------------------------------------------------------------------------------------ functions


class Simulator:
    """A world that is a Python function: ``step(state, action, rng)`` gives the state that follows,
    where ``rng`` is a random.Random that is seeded again for every episode; ``start`` is a state,
    or a function of ``rng``, whose law is learnt unless ``initial`` says it.

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
        initial: Initial | None = None,
        name: str | None = None,
    ) -> None:
        if not callable(step):
            raise UsageError(f"a Simulator is a function step(state, action, rng), and {step!r} is none")
        self.states = integer(states, "states", 1, MAX_STATE)
        self.actions = integer(actions, "actions", 1, MAX_STATE)
        self.horizon = integer(horizon, "horizon", 1)
        #: Where episodes begin; None: that is learnt.
        self.initial = None if initial is None else law_of(initial, self.states)
        if not callable(start):
            start = integer(start, "start", 0, self.states - 1)
            if self.initial not in (None, {start: 1.0}):
                raise UsageError(f"initial={initial!r}, but every episode begins in start={start}")
            self.initial = {start: 1.0}
        self.name = str(name or getattr(step, "__name__", "function"))
        self.unstructured = False
        self._next, self._start, self._rng = step, start, random.Random()

    def __repr__(self) -> str:
        return f"<foray.Simulator {self.name}: {self.states} states, {self.actions} actions, horizon {self.horizon}>"

    def reset(self, seed: int, episode: int) -> int:
        self._rng.seed(seed_of(seed, episode))
        return self._start if isinstance(self._start, int) else self._checked(self._start(self._rng))

    def step(self, state: int, action: int) -> int:
        return self._checked(self._next(state, action, self._rng))

    def ended(self) -> bool:
        """A function does not say so."""
        return False

    def cut(self) -> bool:
        """Nor that."""
        return False

    def _checked(self, state: Any) -> int:
        return integer(state, f"{self.name} answered with state", 0, self.states - 1, WorldError)

    def play(self, seed: int, episode: int, table: Any, states: int, out: Any, chance: Chance) -> None:
        follow, rng = self._next, self._rng
        out[0] = state = self.reset(seed, episode)
        at = 0
        for t in range(1, len(out)):
            action = table[at + state]
            if action < 0:
                action = chance(seed, episode, t - 1, state)
            following = follow(state, action, rng)
            if type(following) is not int or not 0 <= following < states:
                following = self._checked(following)
            out[t] = state = following
            at += states


class ModelWorld(Native):
    """The foray_world of a model that knows its probabilities."""

    def __init__(self, context: Context, model: Model) -> None:
        out = c_void_p()
        context.call(lib.foray_world_from_model, context, model, byref(out))
        self.pointer = out.value or 0
        self._destroyed_by(_destroy_world, context, model, self.pointer)


def _destroy_world(context: Context, model: Model, pointer: int) -> None:
    """What the world was made of are arguments so that they live as long as it does."""
    lib.foray_world_destroy(pointer)
