"""Every number and every text that goes to C is checked here, for kind and range.

ctypes and numpy would cut off what does not fit: 2**64 + 1 becomes 1, 0.9 becomes 0, and a text ends
at its first NUL. What was meant is then not what is computed, so that it is refused instead.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InputError, UsageError

MIN, MAX = -(2**63), 2**63 - 1
MAX_STATE = 2**31 - 1

Error = type[Exception]
#: Where episodes begin: in one state, or in several with these probabilities.
Initial = int | Mapping[int, float]


def index_of(value: Any) -> int | None:
    """An integer of any kind, also 3.0 or an array of one; None: it is none. True is none."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(-1)[0]
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        return None


def flag(value: Any, what: str) -> bool:
    """True or False: "no" and 0 would be taken for one of them."""
    if not isinstance(value, (bool, np.bool_)):
        raise UsageError(f"{what}={value!r}, but it is True or False")
    return bool(value)


def integer(value: Any, what: str, low: int = MIN, high: int = MAX, error: Error = UsageError) -> int:
    """An integer from low to high."""
    found = index_of(value)
    if found is None:
        raise error(f"{what} {value!r} is not an integer")
    if not low <= found <= high:
        raise error(f"{what} {found}, but " + _between(low, high, found))
    return found


def _between(low: float, high: float, found: float) -> str:
    """The border that was passed, or both."""
    if high in (MAX, math.inf) and found < low:
        return f"it must be at least {low}"
    return f"it must be at most {high}" if low == MIN else f"it must lie between {low} and {high}"


def integers(
    values: Any, what: str, low: int = MIN, high: int = MAX, error: Error = UsageError
) -> npt.NDArray[np.int64]:
    """An array of integers from low to high, of any shape."""
    array = _array(values, what, error)
    if _has_truth(values):
        raise error(f"{what}: True and False are no integers")
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind == "O":
        found = [integer(value, what, low, high, error) for value in array.reshape(-1).tolist()]
        return np.array(found, dtype=np.int64).reshape(array.shape)
    if array.dtype.kind == "f":
        odd = ~(np.isfinite(array) & (array == np.floor(array)))
    else:
        odd = np.full(array.shape, array.dtype.kind not in "iu")
    if odd.any():
        raise error(f"{what} {array[odd][0].item()!r}: these must be integers")
    for extreme in (array.min(), array.max()):
        integer(extreme, what, low, high, error)
    return np.asarray(array, dtype=np.int64, order="C")


def _has_truth(values: Any) -> bool:
    """numpy takes True for 1 where it stands among numbers."""
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes, range, memoryview)):
        return any(map(_has_truth, values))
    return isinstance(values, (bool, np.bool_)) or (isinstance(values, np.ndarray) and values.dtype.kind == "b")


def _array(values: Any, what: str, error: Error) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as problem:
        raise error(f"{what}: rows of different lengths, or no array at all") from problem
    if np.ma.is_masked(values):
        raise error(f"{what}: some values are masked")
    return array


def real(
    value: Any, what: str, low: float = -math.inf, high: float = math.inf, error: Error = UsageError
) -> float:
    """A number from low to high that is not infinite; truth values are 0 and 1."""
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.reshape(-1)[0]
    try:
        texts = (str, bytes, bytearray, memoryview)
        found = math.nan if isinstance(value, texts) or np.iscomplexobj(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise error(f"{what} {value!r} is not a finite number")
    if not low <= found <= high:
        raise error(f"{what} {found}, but " + _between(low, high, found))
    return found


def reals(values: Any, what: str, error: Error = UsageError) -> npt.NDArray[np.float64]:
    """An array of numbers that are not infinite, of any shape."""
    array = _array(values, what, error)
    if array.dtype.kind == "O":
        found = [real(value, what, error=error) for value in array.reshape(-1).tolist()]
        return np.array(found, dtype=np.float64).reshape(array.shape)
    if array.dtype.kind not in "biuf":
        raise error(f"{what}: an array of {array.dtype}, not of numbers")
    with np.errstate(over="ignore"):  # a wider number may be infinite here
        found64 = np.asarray(array, dtype=np.float64, order="C")
    if not np.isfinite(found64).all():
        raise error(f"{what}: {array[~np.isfinite(found64)][0]} is not a finite number")
    return found64


def text(value: Any, what: str) -> bytes:
    """A text as C has it."""
    if not isinstance(value, str):
        raise UsageError(f"{what} {value!r} is not a text")
    return _ended(value, what)


def _ended(value: str, what: str) -> bytes:
    if "\0" in value:
        raise UsageError(f"{what} {value!r}: a NUL would end it there")
    try:
        return value.encode()
    except UnicodeEncodeError as problem:
        raise UsageError(f"{what} {value!r} is no text in UTF-8") from problem


def path_of(value: Any) -> bytes:
    """A path as C has it."""
    try:
        found = os.fsencode(value)
    except (TypeError, ValueError) as problem:
        raise UsageError(f"{value!r} is no path") from problem
    if b"\0" in found:
        raise UsageError(f"path {value!r}: a NUL would end it there")
    return found


def law_of(initial: Any, states: int) -> dict[int, float]:
    """Where episodes begin, by state: what `initial=` says."""
    if not isinstance(initial, Mapping):
        return {integer(initial, "initial: state", 0, states - 1): 1.0}
    law = {
        integer(s, "initial: state", 0, states - 1): real(p, "initial: probability", 0.0, 1.0)
        for s, p in initial.items()
    }
    if not abs(math.fsum(law.values()) - 1) < 1e-9:
        raise InputError(f"initial: the probabilities sum to {math.fsum(law.values()):.12g}, not to 1")
    return {s: p for s, p in sorted(law.items()) if p > 0}
