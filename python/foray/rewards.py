"""What is wanted: rewards as short forms, arrays, dictionaries and functions."""

from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Callable, Iterable, Mapping
from ctypes import byref, c_void_p
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ._context import Context, text_of
from ._library import RewardFacts, lib
from .models import Model

State = Union[int, str]
RewardLike = Union["Reward", str, npt.NDArray[Any], Mapping[Any, float], Callable[..., float]]


class BuiltReward:
    """A foray_reward of one model."""

    def __init__(self, context: Context, model: Model, pointer: int) -> None:
        self.context, self.model, self.pointer = context, model, pointer
        weakref.finalize(self, _destroy, model, pointer)

    @property
    def name(self) -> str:
        return str(lib.foray_reward_name(self.pointer).decode())

    @property
    def facts(self) -> RewardFacts:
        facts = RewardFacts()
        lib.foray_reward_describe(self.pointer, byref(facts))
        return facts

    def at(self, step: int, state: int, action: int, following: int | None = None) -> float:
        if following is None:
            return float(lib.foray_reward_at(self.pointer, step, state, action))
        return float(lib.foray_reward_next_at(self.pointer, step, state, action, following))

    def to_json(self) -> str:
        context = self.context
        return text_of(context, lib.foray_reward_print, context.pointer, self.pointer).decode()

    def set(self, step: int, state: int, action: int, value: float) -> None:
        self.context.call(
            lib.foray_reward_set, self.context.pointer, self.pointer, step, state, action, value
        )

    def set_next(self, step: int, state: int, action: int, following: int, value: float) -> None:
        self.context.call(
            lib.foray_reward_set_next,
            self.context.pointer, self.pointer, step, state, action, following, value,
        )  # fmt: skip


def _destroy(model: Model, pointer: int) -> None:
    """The model is an argument so that it outlives the reward."""
    lib.foray_reward_destroy(pointer)


class Reward:
    """A reward that can be built for any model it fits; see :func:`foray.reward`."""

    def __init__(
        self,
        make: Callable[[Context, Model], BuiltReward],
        *,
        discount: float = 1.0,
        minimise: bool = False,
    ) -> None:
        self._make, self.discount, self.minimise = make, discount, minimise

    def build(self, model: Model) -> BuiltReward:
        """The reward of a model, as the library has it."""
        context = Context()
        built = self._make(context, model)
        if self.discount != 1.0:
            context.call(
                lib.foray_reward_set_discount, context.pointer, built.pointer, self.discount
            )
        if self.minimise:
            context.call(lib.foray_reward_set_minimise, context.pointer, built.pointer, True)
        return built


def _create(context: Context, model: Model, name: str, low: float, high: float,
            default: float) -> BuiltReward:  # fmt: skip
    out = c_void_p()
    context.call(
        lib.foray_reward_create_between,
        context.pointer, model.pointer, name.encode(), low, high, default, byref(out),
    )  # fmt: skip
    return BuiltReward(context, model, out.value or 0)


# --------------------------------------------------------------------------------- short forms


def _numbers(model: Model, states: Iterable[State]) -> npt.NDArray[np.int64]:
    found = [model.state(s) if isinstance(s, str) else int(s) for s in states]
    return np.array(found, dtype=np.int64)


def _label(form: str, states: Iterable[State]) -> str:
    return form + ":" + ",".join(str(s) for s in states)


def reach(*states: State, avoid: Iterable[State] = (), name: str | None = None) -> Reward:
    """The probability of getting to one of the states, without having been in one to avoid.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=500)
    >>> 0 <= run.plan(foray.reach(3)).value <= 1
    True
    """
    avoided = tuple(avoid)

    def make(context: Context, model: Model) -> BuiltReward:
        to, away, out = _numbers(model, states), _numbers(model, avoided), c_void_p()
        label = name or (_label("reach", states) if states else _label("avoid", avoided))
        context.call(
            lib.foray_reward_create_reach,
            context.pointer, model.pointer, label.encode(), len(to), to.ctypes.data,
            len(away), away.ctypes.data, byref(out),
        )  # fmt: skip
        return BuiltReward(context, model, out.value or 0)

    return Reward(make)


def avoid(*states: State, name: str | None = None) -> Reward:
    """The probability of never being in one of the states."""
    return reach(avoid=states, name=name)


def goal(*states: State, name: str | None = None) -> Reward:
    """1 for every step that begins in one of the states."""

    def make(context: Context, model: Model) -> BuiltReward:
        built = _create(context, model, name or _label("goal", states), 0.0, 1.0, 0.0)
        for state in _numbers(model, states).tolist():
            built.set(-1, state, -1, 1.0)
        return built

    return Reward(make)


def load_reward(path: str | os.PathLike[str]) -> Reward:
    """A reward file (JSON)."""

    def make(context: Context, model: Model) -> BuiltReward:
        out = c_void_p()
        context.call(
            lib.foray_reward_load, context.pointer, model.pointer, os.fsencode(path), byref(out)
        )
        return BuiltReward(context, model, out.value or 0)

    return Reward(make)


def _from_text(text: str) -> Reward:
    form, colon, rest = text.partition(":")
    forms: dict[str, Callable[..., Reward]] = {"goal": goal, "reach": reach, "avoid": avoid}
    if colon and form in forms:
        return forms[form](*rest.split(","), name=text)
    if os.path.exists(text) or text.endswith(".json"):
        return load_reward(text)
    raise ValueError(
        f"{text}: no such file; without one a reward is goal:STATE, reach:STATE or avoid:STATE"
    )


# ------------------------------------------------------------- arrays, dictionaries, functions


def _range(values: Iterable[float], given: tuple[float, float] | None,
           default: float) -> tuple[float, float]:  # fmt: skip
    """Certificates depend on it: what was given, [0,1] if all lie in it, or what there is."""
    if given is not None:
        return given
    low, high = min(values, default=default), max(values, default=default)
    low, high = min(low, default), max(high, default)
    return (0.0, 1.0) if 0.0 <= low and high <= 1.0 else (low, high)


def _fill_array(built: BuiltReward, array: npt.NDArray[np.float64], model: Model) -> None:
    S, A, H = model.states, model.actions, model.horizon
    if array.shape == (S,):
        for s, value in enumerate(array.tolist()):
            built.set(-1, s, -1, value)
        return
    if array.shape == (S, A):
        array = array[np.newaxis]
    elif array.shape == (S, A, S) and array.shape != (H, S, A):
        for s in range(S):
            for a in range(A):
                for following in model.successors(s, a).tolist():
                    built.set_next(-1, s, a, following, float(array[s, a, following]))
        return
    elif array.shape != (H, S, A):
        raise ValueError(
            f"an array of shape {array.shape} is no reward here: expected {(S,)}, {(S, A)},"
            f" {(S, A, S)} or {(H, S, A)}"
        )
    for t, layer in enumerate(array):
        for s in range(S):
            for a in range(A):
                if model.available(s, a):
                    built.set(t if len(array) > 1 or H == 1 else -1, s, a, float(layer[s, a]))


def _fill_mapping(built: BuiltReward, values: Mapping[Any, float], model: Model) -> None:
    def number(state: Any) -> int:
        if state is None:
            return -1
        return model.state(state) if isinstance(state, str) else int(state)

    for key, value in values.items():
        where = key if isinstance(key, tuple) else (key, None)
        state, action = number(where[0]), -1 if where[1] is None else int(where[1])
        if len(where) == 2:
            built.set(-1, state, action, float(value))
        elif len(where) == 3:
            built.set_next(-1, state, action, number(where[2]), float(value))
        else:
            raise ValueError(f"{key!r}: keys are s, (s,a) or (s,a,s'), with None for every one")


def _tabulate(function: Callable[..., float], model: Model) -> dict[Any, float]:
    """All values of r(s), r(s,a) or r(s,a,s'), as many arguments as it takes."""
    arguments = len(inspect.signature(function).parameters)
    table: dict[Any, float] = {}
    for s in range(model.states):
        if arguments == 1:
            table[s] = float(function(s))
            continue
        for a in filter(lambda a: model.available(s, a), range(model.actions)):
            if arguments == 2:
                table[s, a] = float(function(s, a))
            else:
                for following in model.successors(s, a).tolist():
                    table[s, a, following] = float(function(s, a, following))
    return table


def reward(
    what: RewardLike,
    *,
    range: tuple[float, float] | None = None,
    default: float = 0.0,
    discount: float = 1.0,
    minimise: bool = False,
    name: str | None = None,
) -> Reward:
    """A reward from a text ("goal:3,7", "reach:home", a file), an array r[s], r[s,a], r[s,a,s'] or
    r[t,s,a], a dictionary with the keys s, (s,a) or (s,a,s') (None: all), or a function r(s),
    r(s,a) or r(s,a,s').

    ``range`` is what a step may be worth; certificates depend on it. Without it, it is [0,1] if all
    values lie there, and otherwise from the smallest to the largest value.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=500)
    >>> run.plan({3: 1.0}).value == run.plan("goal:3").value == run.plan(lambda s: s == 3).value
    True
    """
    if isinstance(what, Reward):
        return what
    if isinstance(what, str):
        made = _from_text(what)
        return Reward(made._make, discount=discount, minimise=minimise)

    def make(context: Context, model: Model) -> BuiltReward:
        values = _tabulate(what, model) if callable(what) else what
        listed = values.values() if isinstance(values, Mapping) else np.ravel(values).tolist()
        low, high = _range(listed, range, default)
        built = _create(context, model, name or _name_of(what), low, high, default)
        if isinstance(values, Mapping):
            _fill_mapping(built, values, model)
        else:
            _fill_array(built, np.asarray(values, dtype=np.float64), model)
        return built

    return Reward(make, discount=discount, minimise=minimise)


def _name_of(what: object) -> str:
    name = getattr(what, "__name__", "")
    return name if name and name != "<lambda>" else "reward"
