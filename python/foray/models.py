"""What is known beforehand: models, built-in worlds, tables, and the four builders."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from ctypes import byref, c_double, c_int32, c_int64, c_void_p
from typing import Any

import numpy as np
import numpy.typing as npt

from ._context import Context, Native, text_of
from ._library import ModelFacts, WorldInfo, lib
from ._numbers import MAX_STATE, Initial, flag, integer, integers, law_of, path_of, real, reals
from ._numbers import text as as_text
from .errors import UsageError, check_free

Floats = npt.NDArray[np.float64]
JSON, COMPACT = 0, 1


class Model(Native):
    """States, actions, a horizon, what may follow what, and which laws are shared.

    A model whose probabilities are known (``model.known``) is also a world to explore.

    >>> import foray
    >>> model = foray.world("rooms:rows=1,cols=2,size=2,horizon=6")
    >>> model.states, model.actions, model.horizon, model.known
    (9, 4, 6, True)
    >>> model.unknowns < model.facts().pairs        # laws are shared
    True
    """

    def __init__(self, made: c_void_p) -> None:
        """Takes a foray_model over."""
        self.pointer = self._taken(made)
        self._destroyed_by(lib.foray_model_destroy, self.pointer)

    def __reduce__(self) -> Any:
        context = Context()
        return _parsed, (text_of(context, lib.foray_model_print, context, self, COMPACT),)

    @property
    def name(self) -> str:
        """Its name, including a world's parameters."""
        return str(lib.foray_model_name(self.pointer).decode())

    @property
    def states(self) -> int:
        """How many states there are."""
        return int(lib.foray_model_states(self.pointer))

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return int(lib.foray_model_actions(self.pointer))

    @property
    def horizon(self) -> int:
        """How many steps an episode has."""
        return int(lib.foray_model_horizon(self.pointer))

    @property
    def known(self) -> bool:
        """Does the model know its probabilities, so that it is a world?"""
        return lib.foray_model_theta(self.pointer) is not None

    @property
    def unstructured(self) -> bool:
        """Is nothing known about what can follow what?"""
        return bool(lib.foray_model_is_unstructured(self.pointer))

    @property
    def unknowns(self) -> int:
        """How many numbers there are to find out."""
        return int(lib.foray_model_unknowns(self.pointer))

    def _state(self, state: int) -> int:
        return integer(state, "state", 0, self.states - 1)

    def _action(self, action: int) -> int:
        return integer(action, "action", 0, self.actions - 1)

    def available(self, state: int, action: int) -> bool:
        """Can the action be chosen in the state?"""
        return bool(lib.foray_model_available(self.pointer, self._state(state), self._action(action)))

    def successors(self, state: int, action: int) -> npt.NDArray[np.int32]:
        """The states that may follow, in the model's own order; where nothing is known, all states."""
        state, action = self._state(state), self._action(action)
        if self.unstructured:
            return np.arange(self.states, dtype=np.int32)
        following = ctypes.POINTER(c_int32)()
        count = lib.foray_model_successors(self.pointer, state, action, byref(following))
        return np.array(following[:count] if count else [], dtype=np.int32)

    def probabilities(self, state: int, action: int) -> Floats:
        """Those of the successors, where the model knows them."""
        theta = lib.foray_model_theta(self.pointer)
        if theta is None:
            raise ValueError(f"{self.name}: the probabilities are not known")
        count = len(self.successors(state, action))
        state, action = self._state(state), self._action(action)
        return np.array(
            [lib.foray_model_probability(self.pointer, theta, state, action, j) for j in range(count)]
        )

    def initial(self) -> dict[int, float]:
        """Where episodes begin, and how probably."""
        state, probability = ctypes.POINTER(c_int32)(), ctypes.POINTER(c_double)()
        count = lib.foray_model_initial(self.pointer, byref(state), byref(probability))
        return {state[i]: probability[i] for i in range(count)}

    def state_name(self, state: int) -> str | None:
        """The name of a state, if it has one."""
        name = lib.foray_model_state_name(self.pointer, self._state(state))
        return None if name is None else str(name.decode())

    def action_name(self, action: int) -> str | None:
        """The name of an action, if it has one."""
        name = lib.foray_model_action_name(self.pointer, self._action(action))
        return None if name is None else str(name.decode())

    def state(self, name: str) -> int:
        """The state of a name, or of a number as text."""
        as_text(name, "state")
        if name.strip().isascii() and name.strip().isdigit():
            return self._state(int(name))
        for s in range(self.states):
            if self.state_name(s) == name:
                return s
        raise ValueError(f"{self.name} has no state called {name!r}")

    @property
    def grid(self) -> tuple[int, int] | None:
        """Rows and columns of the map, if there is one."""
        rows, cols = c_int64(), c_int64()
        if not lib.foray_model_grid(self.pointer, byref(rows), byref(cols)):
            return None
        return rows.value, cols.value

    def cell(self, state: int) -> tuple[int, int] | None:
        """Where a state lies on the map."""
        row, col = c_int64(), c_int64()
        if not lib.foray_model_cell(self.pointer, self._state(state), byref(row), byref(col)):
            return None
        return row.value, col.value

    def facts(self) -> ModelFacts:
        """Checks the model, and says what was found; raises what is wrong with it."""
        facts, context = ModelFacts(), Context()
        context.call(lib.foray_model_check, context.pointer, self.pointer, byref(facts))
        return facts

    def same_as(self, other: Model) -> bool:
        """Do both say the same about the same world, bit for bit?"""
        if not isinstance(other, Model):
            raise UsageError(f"{other!r} is no Model")
        return bool(lib.foray_model_equal(self.pointer, other.pointer))

    def to_json(self) -> str:
        """The model as the text of a model file."""
        context = Context()
        return text_of(context, lib.foray_model_print, context.pointer, self.pointer, JSON).decode()

    def save(self, path: str | os.PathLike[str], replace: bool = False) -> None:
        """Writes it, as JSON, or compact if the name ends in .compact."""
        name = path_of(path)
        ending = os.path.splitext(name)[1].decode(errors="replace")
        if ending not in ("", ".json", ".compact"):
            raise UsageError(
                f"{os.fsdecode(name)}: a model is written as .json or .compact; `foray export` writes other formats"
            )
        check_free(path, flag(replace, "replace"))
        context, form = Context(), COMPACT if ending == ".compact" else JSON
        context.call(lib.foray_model_save, context.pointer, self.pointer, form, name)

    def __repr__(self) -> str:
        return (
            f"<foray.Model {self.name}: {self.states} states, {self.actions} actions,"
            f" horizon {self.horizon}, {self.unknowns} unknowns>"
        )


# --------------------------------------------------------------------- by name and from files


def world(text: str, **parameters: object) -> Model:
    """A built-in world, with its parameters in the text, as arguments, or both.

    >>> foray.world("riverswim", states=5).states
    5
    """
    as_text(text, "world")
    extra = ",".join(f"{key}={value}" for key, value in parameters.items())
    spec = text + ("," if ":" in text else ":") + extra if extra else text
    name, context, out = as_text(spec, "world"), Context(), c_void_p()
    context.call(lib.foray_model_builtin, context.pointer, name, byref(out))
    return Model(out)


def worlds() -> dict[str, str]:
    """The built-in worlds, with a line about each.

    >>> "rooms" in foray.worlds()
    True
    """
    info, found, index = WorldInfo(), {}, 0
    while lib.foray_world_describe(index, byref(info)):
        found[info.name.decode()] = info.summary.decode()
        index += 1
    return found


def load_model(path: str | os.PathLike[str]) -> Model:
    """Reads a model file, JSON or compact."""
    context, out = Context(), c_void_p()
    context.call(lib.foray_model_load, context.pointer, path_of(path), byref(out))
    return Model(out)


def unstructured_model(states: int, actions: int, horizon: int, initial: Initial | None = None) -> Model:
    """Nothing is known but the sizes and, if given, where episodes begin, a state or probabilities:
    any state may follow any other.

    >>> foray.unstructured_model(1000, 4, 20, {0: 0.5, 999: 0.5}).unstructured
    True
    """
    states, actions = integer(states, "states", 1, MAX_STATE), integer(actions, "actions", 1, MAX_STATE)
    first = {} if initial is None or initial == {} else law_of(initial, states)
    spec = f"unstructured:states={states},actions={actions},horizon={integer(horizon, 'horizon', 1)}"
    if len(first) < 2:
        return world(spec + "".join(f",initial={s}" for s in first))
    parts = {
        "format": "foray-model", "version": 1, "kind": "unstructured", "name": spec, "states": states,
        "actions": actions, "horizon": integer(horizon, "horizon"), "initial": list(first.items()),
    }  # fmt: skip
    data = json.dumps(parts).encode()
    return _parsed(data)


def _parsed(data: bytes) -> Model:
    """A model from the bytes of a model file."""
    context, out = Context(), c_void_p()
    context.call(lib.foray_model_parse, context.pointer, data, len(data), b"model", byref(out))
    return Model(out)


# ------------------------------------------------------------------------------------ builders


def _ints(values: Iterable[int], what: str, count: int | None = None) -> npt.NDArray[np.int64]:
    """A row of integers, as many as C reads."""
    return _counted(integers(list(values), what), what, count)


def _counted(row: npt.NDArray[Any], what: str, count: int | None) -> npt.NDArray[Any]:
    if row.ndim != 1 or count not in (None, len(row)):
        raise UsageError(f"{what}: an array of shape {row.shape}, and not " + ("a row" if count is None else f"{count}"))
    return row


class Builder(Native):
    """Builds a model by hand, in one of four ways; every method returns the builder.

    Errors stick, and :meth:`finish` raises the first one.

    >>> builder = foray.Builder.classes(2, 1, 4, outcomes=[2])      # one law with two outcomes
    >>> model = builder.outcomes(0, 0, 0, [0, 1]).outcomes(1, 0, 0, [1, 0]).finish()
    >>> model.unknowns
    1
    """

    INSTEAD = "finish() makes a model, which can"

    def __init__(self, context: Context, made: c_void_p) -> None:
        self._context, self._pointer = context, self._taken(made)
        self._destroyed_by(_destroy_builder, context, self._pointer)

    @staticmethod
    def _make(function: Any, *arguments: Any) -> Builder:
        context, out = Context(), c_void_p()
        context.call(function, context.pointer, *arguments, byref(out))
        return Builder(context, out)

    def _say(self, function: Any, *arguments: Any) -> Builder:
        """Errors stick, so that nothing is to be checked; but one thread at a time."""
        self._context.ask(function, self._pointer, *arguments)
        return self

    def _sized(self, outcomes: Sequence[int] = (), dim: int = 0) -> Builder:
        """How long the arrays are that C reads without being told."""
        self._outcomes, self._dim = list(outcomes), dim
        return self

    @staticmethod
    def tabular(states: int, actions: int, horizon: int) -> Builder:
        """Every (s,a) has a law of its own."""
        sizes = _sizes(states, actions, horizon)
        return Builder._make(lib.foray_builder_create_tabular, *sizes)._sized()

    @staticmethod
    def classes(states: int, actions: int, horizon: int, outcomes: Sequence[int]) -> Builder:
        """Pairs (s,a) of one class share the probabilities of its outcomes."""
        counts = _ints(outcomes, "outcomes")
        return Builder._make(
            lib.foray_builder_create_classes, *_sizes(states, actions, horizon), len(counts), counts.ctypes.data
        )._sized(outcomes=counts.tolist())

    @staticmethod
    def mixture(states: int, actions: int, horizon: int, simulators: int) -> Builder:
        """A mixture of known simulators with unknown weights."""
        sizes, dim = _sizes(states, actions, horizon), integer(simulators, "simulators")
        return Builder._make(lib.foray_builder_create_mixture, *sizes, dim)._sized(dim=dim)

    @staticmethod
    def features(
        states: int, actions: int, horizon: int, dim: int, norm_bound: float
    ) -> Builder:
        """Any sparse features phi(s'|s,a), and a bound on the norm of theta."""
        sizes, dim = _sizes(states, actions, horizon), integer(dim, "dim")
        return Builder._make(
            lib.foray_builder_create, *sizes, dim, real(norm_bound, "norm_bound")
        )._sized(dim=dim)

    def transition(self, state: int, action: int, following: int, probability: float) -> Builder:
        """The probability of a successor (tabular)."""
        where = _triple(state, action, following)
        return self._say(lib.foray_builder_transition, *where, real(probability, "probability"))

    def outcomes(self, state: int, action: int, law: int, following: Sequence[int]) -> Builder:
        """Which law a pair obeys, and where each of its outcomes leads (classes)."""
        law, array = self._law(law, following, "following")
        return self._say(
            lib.foray_builder_outcomes, integer(state, "state"), integer(action, "action"), law, array.ctypes.data
        )

    def _law(self, law: int, values: Any, what: str) -> tuple[int, npt.NDArray[Any]]:
        """A law, and as many values as it has outcomes."""
        law = integer(law, "law", 0, len(self._outcomes) - 1)
        array = integers(list(values), what) if what == "following" else reals(values, what)
        return law, _counted(array, f"{what} of law {law}", self._outcomes[law])

    def law(self, law: int, probabilities: Sequence[float]) -> Builder:
        """The probabilities of a law's outcomes, where they are known (classes)."""
        law, array = self._law(law, probabilities, "probabilities")
        return self._say(lib.foray_builder_law, law, array.ctypes.data)

    def simulator(
        self, simulator: int, state: int, action: int, following: int, probability: float
    ) -> Builder:
        """The probability of a successor in one of the simulators (mixture)."""
        where = integer(simulator, "simulator"), *_triple(state, action, following)
        return self._say(lib.foray_builder_simulator, *where, real(probability, "probability"))

    def weights(self, weights: Sequence[float]) -> Builder:
        """The weights of the simulators, where they are known (mixture)."""
        array = _counted(reals(weights, "weights"), "weights", self._dim)
        return self._say(lib.foray_builder_weights, array.ctypes.data)

    def feature(
        self, state: int, action: int, following: int, features: Mapping[int, float]
    ) -> Builder:
        """The features phi(s'|s,a) that are not 0, by their coordinates (features)."""
        where = _ints(_mapping(features, "features"), "coordinates")
        values = reals(list(features.values()), "features")
        where_to = _triple(state, action, following)
        return self._say(
            lib.foray_builder_feature, *where_to, len(where), where.ctypes.data, values.ctypes.data
        )

    def theta(self, theta: Sequence[float]) -> Builder:
        """The vector theta, where it is known (features)."""
        array = _counted(reals(theta, "theta"), "theta", self._dim)
        return self._say(lib.foray_builder_theta, array.ctypes.data)

    def available(self, state: int, actions: Sequence[int]) -> Builder:
        """The only actions that a state has."""
        array = _ints(actions, "actions")
        return self._say(lib.foray_builder_available, integer(state, "state"), len(array), array.ctypes.data)

    def initial(self, probabilities: Mapping[int, float]) -> Builder:
        """Where episodes begin, and how probably."""
        for state, probability in _mapping(probabilities, "initial").items():
            p = real(probability, "initial: probability")
            self._say(lib.foray_builder_initial, integer(state, "initial: state"), p)
        return self

    def forget(self) -> Builder:
        """The model says what is possible, but not how likely it is."""
        return self._say(lib.foray_builder_forget_theta)

    def name(self, name: str) -> Builder:
        """The name of the model."""
        return self._say(lib.foray_builder_name, as_text(name, "name"))

    def state_name(self, state: int, name: str) -> Builder:
        """The name of a state."""
        return self._say(lib.foray_builder_state_name, integer(state, "state"), as_text(name, "name"))

    def action_name(self, action: int, name: str) -> Builder:
        """The name of an action."""
        return self._say(lib.foray_builder_action_name, integer(action, "action"), as_text(name, "name"))

    def grid(self, rows: int, cols: int) -> Builder:
        """The size of the map."""
        return self._say(lib.foray_builder_grid, integer(rows, "rows"), integer(cols, "cols"))

    def cell(self, state: int, row: int, col: int) -> Builder:
        """Where a state lies on the map."""
        return self._say(lib.foray_builder_cell, integer(state, "state"), integer(row, "row"), integer(col, "col"))

    def finish(self) -> Model:
        """The model; raises what is wrong with it. A builder makes one model."""
        out = c_void_p()
        self._context.call(lib.foray_builder_finish, self._pointer, byref(out))
        return Model(out)


def _mapping(given: Any, what: str) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping):
        raise UsageError(f"{what}: {given!r} is no dictionary of numbers")
    return given


def _sizes(states: int, actions: int, horizon: int) -> tuple[int, int, int]:
    return integer(states, "states"), integer(actions, "actions"), integer(horizon, "horizon")


def _triple(state: int, action: int, following: int) -> tuple[int, int, int]:
    return integer(state, "state"), integer(action, "action"), integer(following, "following")


def _destroy_builder(context: Context, pointer: int) -> None:
    """The context is an argument so that it lives as long as the builder."""
    lib.foray_builder_destroy(pointer)
