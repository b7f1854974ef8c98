"""Models from arrays and tables that other libraries use."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import byref, c_char_p, c_void_p, sizeof
from typing import Any

import numpy as np

from ._context import Context
from ._library import ImportFacts, ImportOptions, lib
from ._numbers import Initial, flag, integer, law_of, path_of, real, reals, text
from .errors import UsageError
from .models import Builder, Model


TOLERANCE = 1e-9  # as the library has it


def _layers(P: Any, layout: str | None) -> list[Any]:
    """P as one matrix [S, S] for each action: dense or scipy.sparse, in either layout."""
    if isinstance(P, (list, tuple)) and any(hasattr(matrix, "tocoo") for matrix in P):
        if layout == "SAS":
            raise UsageError("sparse matrices are one for each action: layout='ASS'")
        return list(P)
    array = reals(P, "P")
    if array.ndim != 3:
        raise ValueError(f"P has {array.ndim} dimensions, but transition arrays have 3")
    first, middle, last = array.shape
    if layout is None:
        if first == middle == last:
            raise ValueError(
                "P has as many states as actions: say layout='ASS' (pymdptoolbox) or 'SAS' (QuantEcon)"
            )
        layout = "ASS" if middle == last else "SAS"
    if layout == "SAS" and first == last:
        return [array[:, a, :] for a in range(middle)]
    if layout == "ASS" and middle == last:
        return [array[a] for a in range(first)]
    raise ValueError(f"P of shape {array.shape} is no {layout} array")


def _entries(matrix: Any) -> Iterable[tuple[int, int, float]]:
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        sparse.sum_duplicates()
        stored = sparse.data != 0  # a zero that is written down is as impossible as one that is not
        rows, cols, values = sparse.row[stored], sparse.col[stored], sparse.data[stored]
    else:
        dense = np.asarray(matrix, dtype=np.float64)
        rows, cols = np.nonzero(dense)
        values = dense[rows, cols]
    return zip(rows.tolist(), cols.tolist(), values.tolist(), strict=True)


def _check_sums(matrix: Any, action: int) -> None:
    sums = np.asarray(matrix.sum(axis=1), dtype=np.float64).reshape(-1)
    for state in np.flatnonzero(~(np.abs(sums - 1) <= TOLERANCE)):
        raise ValueError(f"state {state}, action {action}: the probabilities sum to {sums[state]:.12g}, not to 1")


def from_arrays(
    P: Any,
    horizon: int,
    *,
    initial: Initial = 0,
    layout: str | None = None,
    forget: bool = False,
    name: str = "arrays",
) -> Model:
    """A model from transition probabilities: A x S x S (pymdptoolbox), S x A x S (QuantEcon), or
    one matrix for each action, dense or scipy.sparse. Transitions of probability zero are
    impossible. With ``forget``, the model knows only which transitions are possible, not how likely
    they are.

    >>> P = [[[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], [[1, 0, 0]] * 3]
    >>> foray.from_arrays(P, horizon=10)
    <foray.Model arrays: 3 states, 2 actions, horizon 10, 2 unknowns>
    """
    layers = _layers(P, layout)
    if not layers:
        raise ValueError("P has no actions")
    states = layers[0].shape[0]
    if any(layer.shape != (states, states) for layer in layers):
        raise ValueError(f"transition matrices must all be {states} x {states}")
    builder = Builder.tabular(states, len(layers), horizon).name(name)
    for action, layer in enumerate(layers):
        if not flag(forget, "forget"):
            _check_sums(layer, action)
        for state, following, probability in _entries(layer):
            builder.transition(state, action, following, probability)
    builder.initial(law_of(initial, states))
    return (builder.forget() if forget else builder).finish()


# ------------------------------------------------------------------------ Gymnasium's tables

Table = Mapping[int, Mapping[int, Sequence[tuple[float, int, float, bool]]]]
FORM = "table: it must be P[state][action] = [(probability, next, reward, done), ...]"


def _rows_of(table: Table) -> Iterator[tuple[int, int, Sequence[tuple[float, int, float, bool]]]]:
    """What a table says of each (s,a), if it is one."""
    try:
        listed = [(s, a, list(rows)) for s, actions in table.items() for a, rows in actions.items()]
        if all(len(row) == 4 for _, _, rows in listed for row in rows):
            yield from listed
            return
    except (AttributeError, TypeError):
        pass
    raise UsageError(FORM)


def _write_table(directory: str, table: Table) -> str:
    """What can follow what, as the library imports it. Probabilities are not told: each outcome of
    a pair gets the same."""
    path = os.path.join(directory, "table.csv")
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["state", "action", "next", "probability", "done"])
        for state, action, rows in _rows_of(table):
            possible = [row for row in rows if real(row[0], "table: probability", 0.0, 1 + TOLERANCE) > 0]
            if not possible:
                raise UsageError(f"table: nothing follows state {state}, action {action}")
            share = repr(1.0 / len(possible))
            for row in possible:
                where = [integer(n, "table: state or action", 0) for n in (state, action, row[1])]
                writer.writerow([*where, share, _done(row[3])])
    return path


def _done(value: Any) -> int:
    """True or False, which some tables write as 1 and 0."""
    return int(value) if isinstance(value, (bool, np.bool_)) else integer(value, "table: done", 0, 1)


def from_table(
    table: Table,
    horizon: int,
    *,
    initial: Initial = 0,
    laws: str = "pair",
) -> Model:
    """What a Gymnasium table ``P[s][a] = [(probability, next, reward, done), ...]`` says can
    happen, without how likely it is. ``laws`` says which (s,a) share a law: with "pair" none, with
    "action" those of an action, with "all" all that have equally many outcomes. A state in which
    some episodes end and others go on has an absorbing twin, numbered after the states of the
    table."""
    if not isinstance(table, Mapping):
        raise UsageError(FORM)
    return from_table_with_twins(table, horizon, law_of(initial, len(table)), laws)[0]


def from_table_with_twins(
    table: Table, horizon: int, initial: Mapping[int, float], laws: str
) -> tuple[Model, dict[int, int]]:
    """The model, and the twin of every state that has one."""
    context, out, facts = Context(), c_void_p(), ImportFacts()
    with tempfile.TemporaryDirectory(prefix="foray-") as directory:
        path = _write_table(directory, table)
        start = os.path.join(directory, "initial.txt")
        with open(start, "w") as file:
            file.writelines(f"{float(initial.get(s, 0.0))!r}\n" for s in range(len(table)))
        options = ImportOptions(
            size=sizeof(ImportOptions),
            horizon=integer(horizon, "horizon", 1),
            initial=path_of(start),
            laws=text(laws, "laws"),
            forget_theta=True,
            format=b"csv",
        )
        paths = (c_char_p * 1)(path_of(path))
        context.call(
            lib.foray_model_import,
            context.pointer, paths, 1, byref(options), byref(out), None, byref(facts),
        )  # fmt: skip
    model = Model(out)
    return model, _twins(table, model, initial) if facts.twins else {}


def rewards_of_table(
    table: Table, twin: Mapping[int, int]
) -> tuple[list[tuple[int, int, int, Any]], set[int]]:
    """(s, a, s', r) of all that can happen, and where episodes end."""
    possible = [(s, a, row) for s, a, rows in _rows_of(table) for row in rows if row[0] > 0]
    ends = {twin.get(row[1], row[1]) for _, _, row in possible if row[3]}
    earned = [(s, a, twin.get(row[1], row[1]) if row[3] else row[1], row[2]) for s, a, row in possible]
    return [row for row in earned if row[0] not in ends], ends


def _twins(table: Table, model: Model, initial: Mapping[int, float]) -> dict[int, int]:
    """Which state each twin belongs to: the library numbers them, in the order of their states, for
    those that reachable states enter by transitions that are done and by others (src/import/ends.c)."""
    rows = {s: [row for rows in actions.values() for row in rows if row[0] > 0] for s, actions in table.items()}
    goes_on = {s for s, p in initial.items() if p > 0}
    queue = list(goes_on)
    while queue:
        for _, following, _, done in rows[queue.pop()]:
            if not done and following not in goes_on:
                goes_on.add(following)
                queue.append(following)
    ends = {int(row[1]) for listed in rows.values() for row in listed if row[3]}
    both = sorted(ends & goes_on)
    if len(both) != model.states - len(table):
        raise ValueError(f"{model.name}: {model.states - len(table)} twins, but {len(both)} were expected")
    return {state: len(table) + i for i, state in enumerate(both)}
