"""What is wanted: rewards as short forms, arrays, dictionaries and functions."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import POINTER, byref, c_int64, c_void_p
from functools import wraps
from typing import Any, ParamSpec, Union

import numpy as np
import numpy.typing as npt

from ._context import Context, Native, text_of
from ._library import Label, RewardFacts, lib
from ._numbers import flag, integer, path_of, real, reals, text
from .errors import UsageError
from .models import Model

State = Union[int, str]
Arguments = ParamSpec("Arguments")
RewardLike = Union["Reward", str, npt.NDArray[Any], Mapping[Any, float], Callable[..., float]]


class BuiltReward(Native):
    """A foray_reward of one model."""

    def __init__(self, context: Context, model: Model, made: c_void_p) -> None:
        self.context, self.model, self.pointer = context, model, self._taken(made)
        self.sizes = model.horizon, model.states, model.actions
        self._destroyed_by(_destroy, model, self.pointer)

    def __reduce__(self) -> Any:
        return parsed_reward, (self.model, self._json())

    @property
    def name(self) -> str:
        return str(lib.foray_reward_name(self.pointer).decode())

    @property
    def facts(self) -> RewardFacts:
        facts = RewardFacts()
        lib.foray_reward_describe(self.pointer, byref(facts))
        return facts

    def at(self, step: int, state: int, action: int, following: int | None = None) -> float:
        H, S, A = self.sizes
        step, state = integer(step, "step", 0, H - 1), integer(state, "state", 0, S - 1)
        action = integer(action, "action", 0, A - 1)
        if following is None:
            return float(lib.foray_reward_at(self.pointer, step, state, action))
        following = integer(following, "next state", 0, S - 1)
        return float(lib.foray_reward_next_at(self.pointer, step, state, action, following))

    def to_json(self) -> str:
        return self._json().decode()

    def _json(self) -> bytes:
        return text_of(self.context, lib.foray_reward_print, self.context, self)

    def _set(self, step: int, state: int, action: int, value: float) -> None:
        self.context.call(
            lib.foray_reward_set, self.context.pointer, self.pointer, step, state, action, value
        )

    def _set_next(self, step: int, state: int, action: int, following: int, value: float) -> None:
        self.context.call(
            lib.foray_reward_set_next,
            self.context.pointer, self.pointer, step, state, action, following, value,
        )  # fmt: skip


def _destroy(model: Model, pointer: int) -> None:
    """The model is an argument so that it outlives the reward."""
    lib.foray_reward_destroy(pointer)


def parsed_reward(model: Model, data: bytes) -> BuiltReward:
    """A reward from the bytes of a reward file."""
    context, out = Context(), c_void_p()
    context.call(lib.foray_reward_parse, context, model, data, len(data), b"reward", byref(out))
    return BuiltReward(context, model, out)


class Reward:
    """A reward that can be built for any model it fits; see :func:`foray.reward`."""

    def __init__(
        self,
        make: Callable[[Context, Model], BuiltReward],
        *,
        discount: float = 1.0,
        minimise: bool = False,
    ) -> None:
        self._make, self.minimise = make, flag(minimise, "minimise")
        self.discount = real(discount, "discount", 0.0, 1.0)
        #: The function that it was made of, and with what, for those that call it in another way.
        self.of_function: tuple[Callable[..., float], dict[str, Any]] | None = None
        #: The call that made it, which copies repeat.
        self.call: tuple[Callable[..., Reward], tuple[Any, ...], dict[str, Any]] | None = None

    def __reduce__(self) -> Any:
        if self.call is None:
            raise TypeError("a Reward can be pickled where foray.reward, reach, avoid, goal or load_reward made it")
        return _again, self.call

    def build(self, model: Model) -> BuiltReward:
        """The reward of a model, as the library has it."""
        if not isinstance(model, Model):
            raise UsageError(f"{model!r} is no foray.Model")
        context = Context()
        built = self._make(context, model)
        if self.discount != 1.0:
            context.call(
                lib.foray_reward_set_discount, context.pointer, built.pointer, self.discount
            )
        if self.minimise:
            context.call(lib.foray_reward_set_minimise, context.pointer, built.pointer, True)
        return built


def _again(function: Callable[..., Reward], given: tuple[Any, ...], named: dict[str, Any]) -> Reward:
    return function(*given, **named)


def _copyable(function: Callable[Arguments, Reward]) -> Callable[Arguments, Reward]:
    """The same, whose rewards know the call that made them."""

    @wraps(function)
    def called(*given: Arguments.args, **named: Arguments.kwargs) -> Reward:
        made = function(*given, **named)
        made.call = made.call or (called, given, named)
        return made

    return called


def _create(context: Context, model: Model, name: str, low: float, high: float,
            default: float) -> BuiltReward:  # fmt: skip
    out = c_void_p()
    context.call(
        lib.foray_reward_create,
        context.pointer, model.pointer, text(name, "name"), low, high, default, byref(out),
    )  # fmt: skip
    return BuiltReward(context, model, out)


# --------------------------------------------------------------------------------- short forms


def _number(model: Model, state: State) -> int:
    if isinstance(state, (list, tuple, set, range)) or (isinstance(state, np.ndarray) and state.size != 1):
        raise UsageError(f"{state!r}: states are given one by one, as in reach(3, 4), or reach(*states)")
    return model.state(state) if isinstance(state, str) else integer(state, "state", 0, model.states - 1)


def _numbers(model: Model, states: Iterable[State]) -> npt.NDArray[np.int64]:
    return np.array([_number(model, s) for s in states], dtype=np.int64)


def _label(form: str, states: Iterable[State]) -> str:
    return form + ":" + ",".join(str(s) for s in states)


@_copyable
def reach(*states: State, avoid: Iterable[State] = (), name: str | None = None) -> Reward:
    """The probability of getting to one of the states, without having been in one to avoid.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=500)
    >>> 0 <= run.plan(foray.reach(3)).value <= 1
    True
    """
    avoided = tuple(avoid) if isinstance(avoid, Iterable) and not isinstance(avoid, str) else (avoid,)

    def make(context: Context, model: Model) -> BuiltReward:
        to, away, out = _numbers(model, states), _numbers(model, avoided), c_void_p()
        label = name or (_label("reach", states) if states else _label("avoid", avoided))
        context.call(
            lib.foray_reward_create_reach,
            context.pointer, model.pointer, text(label, "name"), len(to), to.ctypes.data,
            len(away), away.ctypes.data, byref(out),
        )  # fmt: skip
        return BuiltReward(context, model, out)

    return Reward(make)


@_copyable
def avoid(*states: State, name: str | None = None) -> Reward:
    """The probability of never being in one of the states."""
    return reach(avoid=states, name=name)


@_copyable
def task(formula: str, labels: Mapping[str, Iterable[State]] | None = None, name: str | None = None) -> Reward:
    """The probability that an episode satisfies a formula of linear temporal logic on finite traces:
    ``! & | -> X N F G U R W``, ``F<=k``, ``G<=k``. Atoms are labels, which are sets of states, names
    of states in quotes, and numbers of states. The plan remembers what has happened: see
    ``Plan.read``.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=500)
    >>> plan = run.plan(foray.task("F (end & F start)", {"end": [3], "start": [0]}))
    >>> plan.memories, plan.certificate.status
    (3, 'certified')
    """
    sets = {name: tuple(states) for name, states in (labels or {}).items()}

    def make(context: Context, model: Model) -> BuiltReward:
        out, numbers = c_void_p(), [_numbers(model, states) for states in sets.values()]
        given = (Label * max(1, len(sets)))()
        for label, key, states in zip(given, sets, numbers, strict=False):
            label.name, label.count = text(key, "label"), len(states)
            label.state = states.ctypes.data_as(POINTER(c_int64))
        context.call(
            lib.foray_reward_create_task,
            context.pointer, model.pointer, text(name or f"task:{formula}"[:200], "name"),
            text(formula, "formula"), len(sets), byref(given), byref(out),
        )  # fmt: skip
        return BuiltReward(context, model, out)

    return Reward(make)


@_copyable
def goal(*states: State, name: str | None = None) -> Reward:
    """1 for every step that begins in one of the states."""
    if not states:
        raise UsageError("goal: which states?")

    def make(context: Context, model: Model) -> BuiltReward:
        built = _create(context, model, name or _label("goal", states), 0.0, 1.0, 0.0)
        for state in _numbers(model, states).tolist():
            built._set(-1, state, -1, 1.0)
        return built

    return Reward(make)


@_copyable
def load_reward(path: str | os.PathLike[str]) -> Reward:
    """A reward file (JSON)."""

    where = path_of(path)

    def make(context: Context, model: Model) -> BuiltReward:
        out = c_void_p()
        context.call(lib.foray_reward_load, context.pointer, model.pointer, where, byref(out))
        return BuiltReward(context, model, out)

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

LAYOUTS = ("S", "SA", "SAS", "HSA")
#: Most r(s,a,s') that are asked for one by one, where every state may follow.
MAX_VALUES = 1 << 27


class Values:
    """What a reward says, r_t(s,a,s'), until its range is known. -1 stands for every one, and `next`
    None for a value that does not depend on what follows. What is worth the default is not kept."""

    def __init__(self, default: float) -> None:
        self.default = self.low = self.high = default
        self.kept: list[tuple[int, int, int, Any, Any]] = []

    def add(self, step: int, state: int, action: int, value: float, next: int | None = None) -> None:
        """r = value, for one next state or for all of them."""
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.kept.append((step, state, action, next, value))

    def add_all(self, state: int, action: int, next: Any, values: npt.NDArray[np.float64]) -> None:
        """r(s,a,.) of all states that may follow."""
        if values.size:
            self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        other = values != self.default
        if other.any():
            self.kept.append((-1, state, action, next[other], values[other]))

    def range(self) -> tuple[float, float]:
        """Certificates depend on it: [0,1] if all values lie in it, or from the least to the largest."""
        return (0.0, 1.0) if 0.0 <= self.low and self.high <= 1.0 else (self.low, self.high)

    def fill(self, built: BuiltReward) -> None:
        for step, state, action, next, value in self.kept:
            if next is None:
                built._set(step, state, action, value)
            elif isinstance(next, int):
                built._set_next(step, state, action, next, value)
            else:
                for n, v in zip(next.tolist(), value.tolist(), strict=True):
                    built._set_next(step, state, action, n, v)


def _following(model: Model, name: str) -> Iterator[tuple[int, int, Any]]:
    """Every (s,a) that there is, with all that may follow it: where nothing is known, every state."""
    S, A = model.states, model.actions
    if model.unstructured and S * A * S > MAX_VALUES:
        raise UsageError(
            f"{name}: r(s,a,s') has {S * A * S:,} values here, because any state may follow:"
            " a dictionary {(None, None, 15): 1.0} says only those that count"
        )
    every = np.arange(S) if model.unstructured else None
    for s in range(S):
        for a in range(A):
            if model.available(s, a):
                yield s, a, every if every is not None else model.successors(s, a)


def _layout(shape: tuple[int, ...], model: Model, layout: str | None) -> str:
    """What the dimensions of an array are. Two answers are none."""
    S, A, H = model.states, model.actions, model.horizon
    shapes = {"S": (S,), "SA": (S, A), "SAS": (S, A, S), "HSA": (H, S, A)}
    if layout is not None and layout not in shapes:
        raise UsageError(f"layout={layout!r}: it is one of {', '.join(LAYOUTS)}")
    fit = [name for name in LAYOUTS if shapes[name] == shape and layout in (None, name)]
    if len(fit) == 1:
        return fit[0]
    if fit:
        raise UsageError(
            f"an array of shape {shape} may be r[s,a,s'] or r[t,s,a] here: say which by"
            " foray.reward(array, layout='SAS') or layout='HSA'"
        )
    expected = ", ".join(f"{shapes[name]} ({name})" for name in LAYOUTS if layout in (None, name))
    raise UsageError(f"an array of shape {shape} is no reward here: expected {expected}")


def _read_array(values: Values, given: Any, model: Model, layout: str | None, name: str) -> None:
    array = np.asarray(given)
    layout = _layout(array.shape, model, layout)
    S, A, H = model.states, model.actions, model.horizon
    if layout == "S":
        for s, value in enumerate(reals(array, name).tolist()):
            values.add(-1, s, -1, value)
    elif layout == "SAS":
        for s, a, following in _following(model, name):
            values.add_all(s, a, following, reals(array[s, a][following], f"{name}[{s}, {a}]"))
    else:
        for t, layer in enumerate(array[np.newaxis] if layout == "SA" else array):
            step = t if layout == "HSA" and H > 1 else -1
            for s in range(S):
                for a in range(A):
                    if model.available(s, a):
                        values.add(step, s, a, real(layer[s, a], f"{name}[{s}, {a}]"))


def _read_mapping(values: Values, given: Mapping[Any, float], model: Model, name: str) -> None:
    def state(key: Any) -> int:
        return -1 if key is None else _number(model, key)

    for key, value in given.items():
        where = key if isinstance(key, tuple) else (key, None)
        if len(where) not in (2, 3):
            raise UsageError(f"{key!r}: keys are s, (s,a) or (s,a,s'), with None for every one")
        action = -1 if where[1] is None else integer(where[1], f"{name}: action", 0, model.actions - 1)
        worth = real(value, f"{name}[{key!r}]")
        if len(where) == 2 or where[2] is None:
            values.add(-1, state(where[0]), action, worth)
        else:
            values.add(-1, state(where[0]), action, worth, state(where[2]))


def arguments_of(function: Callable[..., float], name: str) -> int:
    """How many arguments a function must have: those that have a default are its own business."""
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as problem:
        raise UsageError(f"{name} does not say how many arguments it takes: lambda s: {name}(s) does") from problem
    needed = [p for p in listed if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if not 1 <= len(needed) <= 3 or any(p.kind is p.KEYWORD_ONLY for p in needed):
        raise UsageError(f"a reward is a function r(s), r(s,a) or r(s,a,s'), and {name} is none of them")
    return len(needed)


def _read_function(values: Values, given: Callable[..., float], model: Model, name: str) -> None:
    arguments = arguments_of(given, name)
    if arguments == 1:
        for s in range(model.states):
            values.add(-1, s, -1, real(given(s), f"{name}({s})"))
    elif arguments == 2:
        for s in range(model.states):
            for a in filter(lambda a: model.available(s, a), range(model.actions)):
                values.add(-1, s, a, real(given(s, a), f"{name}({s}, {a})"))
    else:
        for s, a, following in _following(model, name):
            worth = [real(given(s, a, n), f"{name}({s}, {a}, {n})") for n in following.tolist()]
            values.add_all(s, a, following, np.array(worth))


@_copyable
def reward(
    what: RewardLike,
    *,
    range: tuple[float, float] | None = None,
    default: float = 0.0,
    discount: float = 1.0,
    minimise: bool = False,
    layout: str | None = None,
    name: str | None = None,
) -> Reward:
    """A reward from a text ("goal:3,7", "reach:home", a file), an array r[s], r[s,a], r[s,a,s'] or
    r[t,s,a], a dictionary with the keys s, (s,a) or (s,a,s') (None: all), or a function r(s),
    r(s,a) or r(s,a,s').

    ``range`` is what a step may be worth; certificates depend on it. Without it, it is [0,1] if all
    values lie there, and otherwise from the smallest to the largest value. ``default`` is what a
    dictionary does not say. Where an array fits two forms, ``layout`` says which it is: "S", "SA",
    "SAS" or "HSA".

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=500)
    >>> run.plan({3: 1.0}).value == run.plan("goal:3").value == run.plan(lambda s: s == 3).value
    True
    """
    plain = range is None and default == 0.0 and layout is None and name is None
    if isinstance(what, Reward):
        if not plain or discount != 1.0 or minimise:
            raise UsageError("a Reward has its range, discount and so on already: give them where it is made")
        return what
    if isinstance(what, str):
        if not plain:
            raise UsageError(f"{what}: range=, default=, layout= and name= are for arrays, dictionaries and functions")
        return Reward(_from_text(what)._make, discount=discount, minimise=minimise)
    if layout is not None and (callable(what) or isinstance(what, Mapping)):
        raise UsageError(f"layout={layout!r} is for arrays")
    called, fallback = name or _name_of(what), real(default, "default")

    def make(context: Context, model: Model) -> BuiltReward:
        values = Values(fallback)
        if isinstance(what, Mapping):
            _read_mapping(values, what, model, called)
        elif callable(what):
            _read_function(values, what, model, called)
        else:
            _read_array(values, what, model, layout, called)
        low, high = range_of(range) if range is not None else values.range()
        built = _create(context, model, called, low, high, fallback)
        values.fill(built)
        return built

    made = Reward(make, discount=discount, minimise=minimise)
    if callable(what):
        made.of_function = what, {"range": range, "default": default, "discount": discount,
                                  "minimise": minimise, "name": called}  # fmt: skip
    return made


def range_of(given: Any, name: str = "range") -> tuple[float, float]:
    """What a step, or an episode, may be worth: two numbers."""
    try:
        low, high = given
    except (TypeError, ValueError) as problem:
        raise UsageError(f"{name}={given!r}: it is (low, high)") from problem
    least, most = real(low, f"{name}: low"), real(high, f"{name}: high")
    if not least <= most:
        raise UsageError(f"{name}: {least:g} is not below {most:g}")
    return least, most


def _name_of(what: object) -> str:
    name = getattr(what, "__name__", "")
    return name if name and name != "<lambda>" else "reward"
