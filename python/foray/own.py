"""What an environment itself pays, which is known only where it was seen.

While exploring, r(s,a,s') is recorded for every transition that happened, and the library keeps it
in the run (src/run/own.c, which also says how it is planned for and certified).
"""

from __future__ import annotations

import math
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
    """The rewards that were seen: r(s,a,s') by (s * A + a) * S + s', and where episodes ended.

    An environment whose reward is no function of (s,a,s') has none that could be planned for. Where
    its range was given, so that it is wanted, that is said at once; otherwise when it is asked for.
    """

    def __init__(self, states: int, actions: int) -> None:
        self.states, self.actions = states, actions
        self.values: dict[int, float] = {}
        self.ends: set[int] = set()
        self.range: tuple[float, float] | None = None
        self.fault: str | None = None

    def note(self, state: int, action: int, following: int, reward: Any) -> None:
        """Records what a step was worth."""
        where = (state * self.actions + action) * self.states + following
        value = self._number(reward)
        place = f"(s={state}, a={action}, s'={following})"
        if value is None or not math.isfinite(value):
            self._refuse(f"the environment's reward for {place} is {reward!r}, which is not a number")
        elif self.values.setdefault(where, value) != value:
            self._refuse(
                f"the environment's reward for {place} was {self.values[where]} and is now {value}:"
                " a reward must be a function of (s,a,s')"
            )
        elif self.range is not None and not self.range[0] <= value <= self.range[1]:
            low, high = self.range
            self._refuse(f"the environment's reward for {place} is {value}, but range=({low:g}, {high:g})")

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
        """Puts what was seen into the run's file. Nothing is earned after the end of an episode."""
        if self.range is None or self.fault is not None:
            return
        S, A = self.states, self.actions
        rows = [(w // (S * A), w // S % A, w % S, v) for w, v in sorted(self.values.items())]
        rows += [(s, -1, -1, 0.0) for s in sorted(self.ends)]
        values = (OwnValue * len(rows))(*(OwnValue(*row) for row in rows))
        low, high = self.range
        given = OwnStruct(min(low, 0.0), max(high, 0.0), len(rows), cast(values, POINTER(OwnValue)))
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
        if self.range is None:
            self.range = (found.low, found.high)


def _explain(run: Run) -> UsageError:
    player = run._player
    own = getattr(player, "own", None)
    if isinstance(own, Own) and own.fault is not None:
        return UsageError(f"own: {own.fault}")
    if isinstance(own, Own):
        return UsageError(
            "own: give explore(..., range=(low, high)): what a step may be worth cannot be seen"
        )
    return UsageError("own: the run has none; environments pay, and explore(..., range=(low, high)) keeps it")


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

