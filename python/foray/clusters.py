"""Observations that are vectors, seen through clusters: a grid over a box, or centres in it.

What follows a cluster depends on where in it one is, so that certificates are estimates here and
never proved. The library places the clusters and weighs them; nothing of that is done here.
"""

from __future__ import annotations

from functools import partial
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_void_p, sizeof
from typing import Any

import numpy as np
import numpy.typing as npt

from ._context import Context, Native
from ._library import SYSTEM_RESET, SYSTEM_STEP, Draw, SystemOps, SystemSpec, lib
from ._numbers import integer, reals
from ._numbers import text as as_text
from .errors import OutOfRange, UsageError, WorldError

FAILED = -3
LEVEL = 7  # which of a draw's random numbers chooses the cluster


def _never(*_: Any) -> int:
    return FAILED


_OPS = SystemOps(size=sizeof(SystemOps), reset=SYSTEM_RESET(_never), step=SYSTEM_STEP(_never))


def _border(given: Any, what: str, size: int) -> npt.NDArray[np.float64]:
    row = reals(given, what).ravel()
    if len(row) not in (1, size):
        raise UsageError(f"{what}: {len(row)} numbers, but observations have {size}")
    return np.full(size, row)


def _borders(space: Any, box: Any) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    size = int(np.prod(space.shape))
    if box is None:
        low, high = (np.asarray(border, dtype=np.float64).ravel() for border in (space.low, space.high))
    else:
        try:
            low, high = box
        except (TypeError, ValueError) as problem:
            raise UsageError(f"box={box!r}: it is (low, high)") from problem
        low, high = _border(low, "box: low", size), _border(high, "box: high", size)
    wide = ~(np.isfinite(low) & np.isfinite(high)) | (high - low > 1e30)
    if wide.any():
        raise UsageError(
            f"observation {int(np.argmax(wide))} lies between {low[wide][0]:g} and {high[wide][0]:g}:"
            " give box=(low, high), two numbers or two rows of them, between which clusters are"
        )
    return low, high


class Clusters(Native):
    """Clusters over a box, from a text as `foray explore --clusters` takes it.

    >>> clusters = foray.Clusters("grid:3x5", low=[-1, -8], high=[1, 8])
    >>> clusters.count, clusters.centre(0).tolist()
    (15, [-1.0, -8.0])
    >>> clusters.nearest([0.9, 8.0])
    14
    """

    def __init__(self, text: str, *, low: npt.ArrayLike, high: npt.ArrayLike) -> None:
        self.text = text
        self.low, self.high = reals(low, "low").ravel(), reals(high, "high").ravel()
        if len(self.low) != len(self.high):
            raise UsageError(f"low has {len(self.low)} dimensions, but high has {len(self.high)}")
        context = self._context = Context()
        spec = SystemSpec(
            size=sizeof(SystemSpec), name=b"environment", dimensions=len(self.low), actions=1, horizon=1,
            low=self.low.ctypes.data_as(POINTER(c_double)), high=self.high.ctypes.data_as(POINTER(c_double)),
        )  # fmt: skip
        system, out = c_void_p(), c_void_p()
        context.call(lib.foray_system_create, context.pointer, byref(spec), byref(_OPS), None, byref(system))
        self._destroyed_by(_release, context, lib.foray_system_destroy, system.value)
        context.call(lib.foray_clusters_parse, context.pointer, system, c_char_p(as_text(text, "clusters")), byref(out))
        self.pointer = out.value or 0
        self._destroyed_by(_release, context, lib.foray_clusters_destroy, self.pointer)
        #: How many there are.
        self.count = int(lib.foray_clusters_count(self.pointer))
        most = int(lib.foray_clusters_max(self.pointer))
        self._where = np.empty(len(self.low))
        self._at, self._cluster, self._weight = self._where.ctypes.data, (c_int32 * most)(), (c_double * most)()

    def __reduce__(self) -> Any:
        return partial(Clusters, low=self.low, high=self.high), (self.text,)

    @staticmethod
    def of_space(space: Any, clusters: str | Clusters, box: Any) -> Clusters:
        """Those of a Box, with borders of one's own where its borders are far away."""
        if isinstance(clusters, Clusters):
            return clusters
        if type(space).__name__ != "Box":
            raise UsageError(f"clusters= is for continuous observations, and these are {space}")
        low, high = _borders(space, box)
        return Clusters(clusters, low=low, high=high)

    def _place(self, observation: npt.ArrayLike) -> int:
        """Puts an observation where the library looks for it, and asks for its clusters: one thread at a time."""
        where = reals(observation, "observation", WorldError).ravel()
        if len(where) != len(self.low):
            raise WorldError(f"observation {observation!r} is not {len(self.low)} numbers")
        np.clip(where, self.low, self.high, out=self._where)
        return int(lib.foray_clusters_of(self.pointer, self._at, self._cluster, self._weight))

    def draw(self, observation: npt.ArrayLike, draw: Draw) -> int:
        """A cluster of an observation, drawn by its weight."""
        u = lib.foray_draw_uniform(byref(draw), LEVEL)
        with self._context.turn():
            count = self._place(observation)
            for i in range(count - 1):
                u -= self._weight[i]
                if u < 0:
                    return int(self._cluster[i])
            return int(self._cluster[count - 1])

    def nearest(self, observation: npt.ArrayLike) -> int:
        """The cluster that an observation belongs to most."""
        with self._context.turn():
            count = self._place(observation)
            return int(self._cluster[max(range(count), key=lambda i: self._weight[i])])

    def centre(self, cluster: int) -> npt.NDArray[np.float64]:
        """The middle of a cluster."""
        cluster = integer(cluster, "cluster", 0, self.count - 1, OutOfRange)
        centre = np.empty(len(self.low))
        lib.foray_clusters_centre(self.pointer, cluster, centre.ctypes.data)
        return centre

    def _action(self, policy: int, step: int, observation: npt.ArrayLike) -> int:
        """What a policy over the clusters does at an observation: as its clusters weigh."""
        with self._context.turn():
            self._place(observation)
            return int(lib.foray_policy_act(policy, self.pointer, step, self._at))

    def __repr__(self) -> str:
        return f"<foray.Clusters {self.text}: {self.count} in {len(self.low)} dimensions>"


def _release(context: Context, function: Any, pointer: int | None) -> None:
    """The context is an argument so that it lives as long as what was made with it."""
    function(pointer)
