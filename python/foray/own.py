"""What an environment itself pays, which is known from its table, or else only where it was seen.

While exploring, r(s,a,s') is recorded for every transition that happened, and the library keeps it
in the run (src/run/plans.c, which also says how it is planned for and certified).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
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
    """The rewards that are known: r(s,a,s') by (s * A + a) * S + s', and where episodes end.

    An environment whose reward is no function of (s,a,s') has none that could be planned for. Where
    its range was given, so that it is wanted, that is said at once; otherwise when it is asked for.
    """

    TABLE = "the reward in the environment's table"

    def __init__(self, states: int, actions: int) -> None:
        self.states, self.actions = states, actions
        self.values: dict[int, float] = {}
        self.ends: set[int] = set()
        self.range: tuple[float, float] | None = None
        self.fault: str | None = None
        self.complete = False

    def note(self, state: int, action: int, following: int, reward: Any, who: str = "the environment's reward") -> None:
        """Records what a step is worth."""
        where = (state * self.actions + action) * self.states + following
        value = self._number(reward)
        place = f"(s={state}, a={action}, s'={following})"
        if value is None or not math.isfinite(value):
            self._refuse(f"{who} for {place} is {reward!r}, which is not a number")
        elif self.values.setdefault(where, value) != value:
            self._refuse(
                f"{who} for {place} was {self.values[where]} and is now {value}:"
                " a reward must be a function of (s,a,s')"
            )
        elif self.range is not None and not self.range[0] <= value <= self.range[1]:
            low, high = self.range
            self._refuse(f"{who} for {place} is {value}, but range=({low:g}, {high:g})")

    def read(self, table: Iterable[tuple[int, int, int, Any]], ends: Iterable[int]) -> None:
        """What a table says of every (s,a,s'), so that nothing remains to be seen."""
        for state, action, following, reward in table:
            self.note(state, action, following, reward, self.TABLE)
        self.ends.update(ends)
        self.complete = True

    def begin(self, range: tuple[float, float] | None) -> None:
        """The range that was given, which what a table says must lie in; a table has one of its own."""
        if range is None and self.complete:
            self.range = self._spanned() if self.fault is None else None
            return
        self.range = range
        if range is not None and self.fault is not None:
            raise WorldError(self.fault)
        for where, value in self.values.items():
            pair, following = divmod(where, self.states)
            self.note(*divmod(pair, self.actions), following, value, self.TABLE)

    def _spanned(self) -> tuple[float, float]:
        """The range of the values that there are, and of what is earned after an end."""
        low, high = min(self.values.values(), default=0.0), max(self.values.values(), default=0.0)
        return min(low, 0.0), max(high, 0.0) if low < 0 or high > 0 else 1.0

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

    def keep(self, run: Run) -> None:
        """Puts what is known into the run's file. Nothing is earned after the end of an episode."""
        if self.fault is not None:
            return
        S, A = self.states, self.actions
        rows = [(w // (S * A), w // S % A, w % S, v) for w, v in sorted(self.values.items())]
        rows += [(s, -1, -1, 0.0) for s in sorted(self.ends)]
        values = (OwnValue * len(rows))(*(OwnValue(*row) for row in rows))
        low, high = self.range or self._spanned()
        given = OwnStruct(
            min(low, 0.0), max(high, 0.0), self.range is None, len(rows), cast(values, POINTER(OwnValue))
        )
        run._context.call(lib.foray_run_keep_own, run, byref(given))

    def take(self, run: Run) -> None:
        """Goes on with what the run's file has."""
        found = OwnStruct()
        if not run._context.ask(lib.foray_run_own, run, byref(found)):
            return
        for v in found.value[: found.count]:
            if v.action < 0:
                self.ends.add(v.state)
            else:
                self.values[(v.state * self.actions + v.action) * self.states + v.next] = v.reward
        if self.range is None and not found.guessed:
            self.range = (found.low, found.high)


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

