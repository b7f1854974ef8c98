"""Gymnasium's spaces as integers: observations are numbered, and actions are listed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ._numbers import index_of, integer, reals
from .errors import UsageError, WorldError

MAX_ACTIONS = 4096


def _kind(space: Any) -> str:
    return type(space).__name__


def _integer(value: Any, space: Any) -> int:
    """An integer, in whatever shape it comes; what is none is refused and not rounded."""
    found = index_of(value)
    if found is not None:
        return found
    raise WorldError(f"the environment answered with {value!r}, which is not in {space}")


def _discrete(space: Any) -> tuple[int, Callable[[Any], int]]:
    start, count = int(space.start), int(space.n)

    def number(value: Any) -> int:
        n = (value if type(value) is int else _integer(value, space)) - start
        if 0 <= n < count:
            return n
        raise WorldError(f"the environment answered with {value!r}, which is not in {space}")

    return count, number


def _mixed(sizes: Sequence[int], parts: Callable[[Any], Any], space: Any) -> tuple[int, Callable[[Any], int]]:
    """Several integers as one, the last of them counting fastest."""

    def number(value: Any) -> int:
        n = 0
        for part, size in zip(parts(value), sizes, strict=True):
            digit = _integer(part, space)
            if not 0 <= digit < size:
                raise WorldError(f"the environment answered with {value!r}, which is not in {space}")
            n = n * size + digit
        return n

    return math.prod(sizes), number


def _ravelled(start: Any) -> Callable[[Any], Any]:
    return lambda value: (np.ravel(value) - start).tolist()


def _not_discrete(space: Any, what: str, part: bool) -> UsageError:
    if part:
        way = " gymnasium.wrappers.FlattenObservation makes one vector of all parts, for which clusters= works"
        return UsageError(
            f"a part of the {what} space, {space}, is not discrete" + (f":{way}" if what == "observation" else "")
        )
    way = "give clusters='grid:21x21' or the like" if what == "observation" else "give actions="
    return UsageError(f"the {what} space {space} is not discrete" + (f": {way}" if _kind(space) == "Box" else ""))


def numbers(space: Any, what: str, part: bool = False) -> tuple[int, Callable[[Any], int]]:
    """How many values a discrete space has, and a function that numbers them from 0. ``part``: it is one
    of several in a Tuple or Dict."""
    kind = _kind(space)
    if kind == "Discrete":
        return _discrete(space)
    if kind == "MultiDiscrete":
        sizes = [int(n) for n in np.ravel(space.nvec)]
        return _mixed(sizes, _ravelled(np.ravel(getattr(space, "start", np.zeros(len(sizes), int)))), space)
    if kind == "MultiBinary":
        return _mixed([2] * math.prod(space.shape), _ravelled(0), space)
    if kind in ("Tuple", "Dict"):
        spaces = list(space.spaces) if kind == "Tuple" else [space.spaces[key] for key in space.spaces]
        keys = range(len(spaces)) if kind == "Tuple" else list(space.spaces)
        each = [numbers(one, what, part=True) for one in spaces]
        return _mixed(
            [count for count, _ in each],
            lambda value: [number(value[key]) for key, (_, number) in zip(keys, each, strict=True)],
            space,
        )
    raise _not_discrete(space, what, part)


def _box_moves(space: Any, given: Any) -> list[Any]:
    """Actions of a Box: so many in each direction, evenly from border to border, or those given."""
    count = index_of(given)
    if count is not None or isinstance(given, (bool, str)) or not isinstance(given, Iterable):
        given = integer(given, "actions", 0)
        low, high = np.ravel(space.low), np.ravel(space.high)
        if given < 2 or not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise UsageError(f"actions={given}: at least 2 in each direction, between finite borders")
        if given ** len(low) > MAX_ACTIONS:
            raise UsageError(f"actions={given} in each of {len(low)} directions are more than {MAX_ACTIONS}")
        each = [np.linspace(a, b, given) for a, b in zip(low, high, strict=True)]
        given = list(itertools.product(*each))
    moves = [_box_move(space, value) for value in given]
    if not moves:
        raise UsageError("actions: there is none in the list")
    return moves


def _box_move(space: Any, given: Any) -> Any:
    row = reals(given, "actions")
    if row.size == math.prod(space.shape):
        move = row.astype(space.dtype).reshape(space.shape)
        if space.contains(move):
            return move
    raise UsageError(f"actions: {given} is not in {space}")


def moves(space: Any, given: Any = None) -> list[Any]:
    """All actions of a space as `step` takes them; for a Box, those that `given` says."""
    kind = _kind(space)
    if kind == "Box":
        if given is None:
            raise UsageError(f"the action space {space} is not discrete: give actions=5 or a list of them")
        return _box_moves(space, given)
    if given is not None:
        raise UsageError(f"actions= is for continuous actions, and these are {space}")
    count, _ = numbers(space, "action")
    if kind == "Discrete":
        return list(range(int(space.start), int(space.start) + count))
    if count > MAX_ACTIONS:
        raise UsageError(f"the action space {space} has {count} actions, more than {MAX_ACTIONS}")
    if kind == "MultiDiscrete":
        start = getattr(space, "start", 0)
        found = itertools.product(*(range(int(n)) for n in np.ravel(space.nvec)))
        return [np.asarray(one, space.dtype).reshape(space.nvec.shape) + start for one in found]
    if kind == "MultiBinary":
        found = itertools.product((0, 1), repeat=math.prod(space.shape))
        return [np.asarray(one, space.dtype).reshape(space.shape) for one in found]
    parts = list(space.spaces) if kind == "Tuple" else [space.spaces[key] for key in space.spaces]
    together = itertools.product(*(moves(part) for part in parts))
    if kind == "Tuple":
        return list(together)
    return [dict(zip(space.spaces, one, strict=True)) for one in together]
