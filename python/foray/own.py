"""What an environment itself pays, which is known from its table, or else only where it was seen.

While exploring, r(s,a,s') is recorded for every transition that happened or, where rewards are drawn,
how often (s,a) paid what; the library keeps it in the run (src/run/own.c, which also says how it is
planned for and certified).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from ctypes import POINTER, byref, c_void_p, cast
from typing import TYPE_CHECKING, Any

from ._library import OwnStruct, OwnValue, lib
from .errors import UsageError, WorldError
from .plans import Plan, Policy, mode_of
from .rewards import BuiltReward

if TYPE_CHECKING:
    from .runs import Run

LOW, HIGH, UNSEEN = 0, 1, 2


class Own:
    """What is known: r(s,a,s') by (s * A + a) * S + s', or how often which number was drawn; and where
    episodes end.

    Unless ``drawn`` says that rewards are random, they must be a function of (s,a,s'). Where a range
    was given, so that they are wanted, what is wrong is said at once; otherwise when they are asked for.
    """

    TABLE = "the reward in the environment's table"
    #: Beyond so many numbers of a pair they are counted in as many cells of the range.
    MOST = 1024

    def __init__(self, states: int, actions: int) -> None:
        self.states, self.actions = states, actions
        self.values: dict[int, float] = {}
        #: How often which number was drawn, by pair or, where a table gives their range, by transition.
        self.counts: dict[int, dict[tuple[float, float], int]] = {}
        self.between: dict[int, tuple[float, float]] = {}
        #: What was drawn in the episode under way, and its number: one that is played again counts once.
        self.drawing: list[tuple[int, float]] = []
        self.episode = -1
        self.ends: set[int] = set()
        self.range: tuple[float, float] | None = None
        self.total: tuple[float, float] | None = None
        self.drawn = False
        self.fault: str | None = None
        self.complete = False

    def note(self, state: int, action: int, following: int, reward: Any, who: str = "the environment's reward") -> None:
        """Records what a step is worth."""
        where = (state * self.actions + action) * self.states + following
        value = self._number(reward)
        place = f"(s={state}, a={action}, s'={following})"
        if value is None or not math.isfinite(value):
            self._refuse(f"{who} for {place} is {reward!r}, which is not a number")
        elif self.range is not None and not self.range[0] <= value <= self.range[1]:
            low, high = self.range
            self._refuse(f"{who} for {place} is {value}, but range=({low:g}, {high:g})")
        elif where in self.between:
            low, high = self.between[where]
            if not low <= value <= high:
                self._refuse(f"{who} for {place} is {value}, but its table has {low:g} to {high:g}")
            self.drawing.append((where, value))
        elif self.drawn and not self.complete:
            self.drawing.append((state * self.actions + action, value))
        elif self.values.setdefault(where, value) != value:
            self._refuse(
                f"{who} for {place} was {self.values[where]} and is now {value}:"
                " a reward must be a function of (s,a,s'), unless random_rewards=True says that it is drawn"
            )

    def begin_episode(self, episode: int) -> None:
        """What was drawn before counts, unless the same episode begins again."""
        if episode != self.episode:
            self._count_drawn()
        self.drawing, self.episode = [], episode

    def _count_drawn(self) -> None:
        for where, value in self.drawing:
            self._count(self.counts.setdefault(where, {}), value)
        self.drawing = []

    def _count(self, counts: dict[tuple[float, float], int], value: float) -> None:
        low, high = self.range or (0.0, 0.0)
        cell = (value, value)
        if len(counts) >= self.MOST and cell not in counts and high > low:
            width = (high - low) / self.MOST
            for (least, most), times in list(counts.items()):
                if least == most:
                    del counts[least, most]
                    self._add(counts, low, width, least, times)
            self._add(counts, low, width, value, 1)
        else:
            counts[cell] = counts.get(cell, 0) + 1

    def _add(self, counts: dict[tuple[float, float], int], low: float, width: float, value: float, times: int) -> None:
        """In the cell of the range that a number lies in."""
        k = min(int((value - low) / width), self.MOST - 1)
        cell = min(low + k * width, value), max(low + (k + 1) * width, value)
        if k + 1 == self.MOST and self.range is not None:
            cell = cell[0], self.range[1]
        known = next((c for c in counts if c[0] < c[1] and c[0] <= value <= c[1]), cell)
        counts[known] = counts.get(known, 0) + times

    def end_episode(self, total: float, whole: bool) -> None:
        """What an episode paid in all, of which nothing is missing if it is whole."""
        if self.total is not None and whole and not self.total[0] - 1e-9 <= total <= self.total[1] + 1e-9:
            low, high = self.total
            raise WorldError(f"an episode paid {total:g} in all, but range_total=({low:g}, {high:g})")

    def read(self, table: Iterable[tuple[int, int, int, Any]], ends: Iterable[int]) -> None:
        """What a table says of every (s,a,s'): what it pays or, where that is drawn, between which bounds."""
        paid: dict[tuple[int, int, int], list[float]] = {}
        for state, action, following, reward in table:
            value = self._number(reward)
            if value is None or not math.isfinite(value):
                self.note(state, action, following, reward, self.TABLE)
            else:
                paid.setdefault((state, action, following), []).append(value)
        for (state, action, following), values in paid.items():
            if min(values) == max(values):
                self.note(state, action, following, values[0], self.TABLE)
            else:
                where = (state * self.actions + action) * self.states + following
                self.between[where] = min(values), max(values)
        self.ends.update(ends)
        self.complete = True

    def begin(
        self, range: tuple[float, float] | None, drawn: bool = False, total: tuple[float, float] | None = None
    ) -> None:
        """What was given, which what a table says must agree with; a table has a range of its own."""
        self.drawn, self.total = drawn, total
        if range is None and self.complete:
            self.range = self._spanned() if self.fault is None else None
            return
        self.range = range
        if range is not None and self.fault is not None:
            raise WorldError(self.fault)
        for where, bounds in [*((w, (v, v)) for w, v in self.values.items()), *self.between.items()]:
            pair, following = divmod(where, self.states)
            for value in bounds:
                if range is not None and not range[0] <= value <= range[1]:
                    state, action = divmod(pair, self.actions)
                    self._refuse(
                        f"{self.TABLE} for (s={state}, a={action}, s'={following}) is {value},"
                        f" but range=({range[0]:g}, {range[1]:g})"
                    )

    def _spanned(self) -> tuple[float, float]:
        """The range of the values that there are, and of what is earned after an end."""
        seen = [*self.values.values(), 0.0]
        for bounds in [*self.between.values(), *(cell for counts in self.counts.values() for cell in counts)]:
            seen.extend(bounds)
        low, high = min(seen), max(seen)
        return low, high if low < 0 or high > 0 else 1.0

    @staticmethod
    def _number(reward: Any) -> float | None:
        try:
            return float(reward)
        except (TypeError, ValueError):
            return None

    def _refuse(self, why: str) -> None:
        self.fault = self.fault or why
        if self.range is not None:
            raise WorldError(why)

    # -- in the run

    def _rows(self) -> Iterator[tuple[int, int, int, float, float, int]]:
        S, A = self.states, self.actions
        for where, value in sorted(self.values.items()):
            yield where // (S * A), where // S % A, where % S, value, value, 0
        for where, (low, high) in sorted(self.between.items()):
            yield where // (S * A), where // S % A, where % S, low, high, 0
        for where, counts in sorted(self.counts.items()):
            place = (where // A, where % A, -1) if not self.complete else (where // (S * A), where // S % A, where % S)
            for (low, high), times in sorted(counts.items()):
                yield (*place, low, high, times)
        for state in sorted(self.ends):
            yield state, -1, -1, 0.0, 0.0, 0

    def keep(self, run: Run) -> None:
        """Puts what is known into the run's file. Nothing is earned after the end of an episode."""
        if self.fault is not None:
            return
        if run.episodes > self.episode:
            self._count_drawn()
        self.drawing = []  # of an episode that broke off, and will be played again
        rows = list(self._rows())
        values = (OwnValue * len(rows))(*(OwnValue(*row) for row in rows))
        low, high = self.range or self._spanned()
        given = OwnStruct(
            min(low, 0.0), max(high, 0.0), *(self.total or (0.0, 0.0)), self.range is None, len(rows),
            cast(values, POINTER(OwnValue)),
        )  # fmt: skip
        run._context.call(lib.foray_run_keep_own, run, byref(given))

    def take(self, run: Run) -> None:
        """Goes on with what the run's file has."""
        found = OwnStruct()
        if not run._context.ask(lib.foray_run_own, run, byref(found)):
            return
        for v in found.value[: found.count]:
            pair = v.state * self.actions + v.action
            where = pair * self.states + v.next
            if v.action < 0:
                self.ends.add(v.state)
            elif v.count > 0:
                self.drawn = self.drawn or v.next < 0
                self.counts.setdefault(pair if v.next < 0 else where, {})[v.low, v.high] = v.count
            elif v.low < v.high:
                self.between[where] = v.low, v.high
            elif self.complete or not self.drawn:  # drawn, it was what came once
                self.values[where] = v.low
        if self.range is None and not found.guessed:
            self.range = (found.low, found.high)
        if self.total is None and (found.total_low or found.total_high):
            self.total = (found.total_low, found.total_high)


def _explain(run: Run) -> UsageError:
    player = run._player
    own = getattr(player, "own", None)
    if isinstance(own, Own) and own.fault is not None:
        return UsageError(f"own: {own.fault}")
    return UsageError("own: the run has none: only environments pay, and not where they are seen through clusters")


def _has_own(run: Run) -> bool:
    own = getattr(run._player, "own", None)
    kept = bool(run._context.ask(lib.foray_run_own, run, byref(OwnStruct())))
    return kept and not (isinstance(own, Own) and own.fault is not None)


def own_reward(run: Run, side: int = LOW) -> BuiltReward:
    """r-, r+, or how much of the range is open."""
    if not _has_own(run):
        raise _explain(run)
    out, context = c_void_p(), run._context
    context.call(lib.foray_run_own_reward, run, side, byref(out))
    return BuiltReward(context, run.model, out)


def own_plan(run: Run, mode: str) -> Plan:
    """The plan in which what was not seen counts low, with a certificate in which it counts high."""
    if not _has_own(run):
        raise _explain(run)
    out = c_void_p()
    run._context.long(lib.foray_run_own_plan, run, mode_of(mode), run._stores, byref(out))
    return Plan(Policy(out), run.model, own_reward(run), run)


def own_certify(run: Run, policy: Policy) -> None:
    """Fills in the certificate of a policy from anywhere."""
    if not _has_own(run):
        raise _explain(run)
    run._context.long(lib.foray_run_own_certify, run, policy)

