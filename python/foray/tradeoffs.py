"""Several rewards at once: fronts for every weighting, and plans within limits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from ctypes import POINTER, byref, c_double, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._context import Context
from ._library import FrontStruct, LimitedStruct, LimitStruct, lib
from ._numbers import integer, real, reals
from ._numbers import text as as_text
from .errors import LimitsError, UsageError
from .models import Model
from .plans import Law, Plan, Policy, certificate_of, law_of
from .rewards import BuiltReward, RewardLike, parsed_reward

if TYPE_CHECKING:
    from .runs import Run

OUTCOMES = ("undecided", "kept", "impossible")


class Front:
    """Few policies for every weighting of several rewards.

    For every weighting one of ``plans`` loses at most ``certificate.gap``; and for every policy there is a
    mixture of them that is at most ``certificate.gap * abs(scale[i])`` worse in every reward i at once.
    Weights are of values divided by ``scale``, the width of each reward's range unless another was given; it is
    negative where little is wanted. ``value``, ``low`` and ``high`` are [policies, rewards], ``weights`` a weighting in the
    middle of each policy's own; ``corners`` are the weightings where another policy becomes the best,
    ``top`` what no policy exceeds there, and ``loss`` [corners, policies] the certificates, NaN where
    another policy is better. ``full``: more policies were wanted than allowed.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=2000)
    >>> front = run.tradeoff(["goal:0", "goal:3"])
    >>> front.certificate.gap < 0.1, front.value.shape == (len(front), 2)
    (True, True)
    >>> plan, loss = front.choose([0.5, 0.5])
    >>> plan.action(0, 0) in (0, 1), loss <= front.certificate.gap
    (True, True)
    """

    def __init__(self, found: Any, policies: list[Policy], model: Model, built: Sequence[BuiltReward], run: Run | None):
        m, K, C = found.rewards, found.policies, found.corners
        self.certificate = certificate_of(found.certificate)
        self.scale, self.full = _array(found.scale, (m,)), bool(found.full)
        self.value, self.low, self.high = (_array(a, (K, m)) for a in (found.value, found.low, found.high))
        self.weights, self.corners = _array(found.centre, (K, m)), _array(found.corner, (C, m))
        self.top, self.loss = _array(found.top, (C,)), _array(found.loss, (C, K))
        self._policies, self._model, self._built, self._run = policies, model, list(built), run
        self._plans: dict[int, Plan] = {}

    def __len__(self) -> int:
        return len(self._policies)

    def __reduce__(self) -> Any:
        raise TypeError("a front can be neither copied nor pickled: copy its plans")

    def plan(self, k: int) -> Plan:
        """Policy k, as a plan for the weighting in the middle of its own."""
        k = integer(k, "policy", 0, len(self) - 1)
        if k not in self._plans:
            terms = [[w / s, json.loads(b._json())] for w, s, b in zip(self.weights[k], self.scale, self._built, strict=True)]
            file = {"format": "foray-reward", "version": 1, "name": "weighted", "sum": terms}
            asked = parsed_reward(self._model, as_text(json.dumps(file), "reward"))
            self._plans[k] = Plan(self._policies[k], self._model, asked, self._run)
        return self._plans[k]

    @property
    def plans(self) -> list[Plan]:
        """All of them."""
        return [self.plan(k) for k in range(len(self))]

    def choose(self, weights: npt.ArrayLike) -> tuple[Plan, float]:
        """The plan for a weighting, and what it loses at most, of weights that sum to 1."""
        given = reals(weights, "weights")
        if given.shape != self.scale.shape or given.min() < 0 or not given.sum() > 0:
            raise UsageError(f"weights={weights!r}: {len(self.scale)} numbers from 0 on, not all 0")
        loss, keep = c_double(), [np.ascontiguousarray(a) for a in (self.scale, self.value, self.loss, given)]
        numbers = [a.ctypes.data_as(POINTER(c_double)) for a in keep]
        struct = FrontStruct(rewards=len(self.scale), policies=len(self), corners=len(self.top))
        struct.scale, struct.value, struct.loss = numbers[:3]
        k = lib.foray_front_choose(byref(struct), numbers[3], byref(loss))
        return self.plan(k), loss.value

    def __repr__(self) -> str:
        return f"<foray.Front of {len(self)} policies, certificate {self.certificate.gap:.6g}>"


@dataclass(frozen=True)
class Limit:
    """A limit and the value of its reward: one more of it would cost ``price`` of the reward that is planned for,
    by the estimate."""

    reward: str
    bound: float
    at_most: bool
    value: float
    low: float
    high: float
    price: float


def _array(pointer: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """A copy of the library's numbers."""
    return np.array(np.ctypeslib.as_array(pointer, shape), dtype=np.float64)


def front_of(
    run: Run | None, model: Model, built: Sequence[BuiltReward], scale: npt.ArrayLike | None, policies: int, until: float
) -> Front:
    """The front of a run, or of a model whose theta is known."""
    from .runs import pointers_of

    context = run._context if run is not None else Context()
    out = POINTER(FrontStruct)()
    count, pointers = len(built), pointers_of(built)
    most, goal = integer(policies, "policies", 1), real(until, "until", 0.0)
    scales = None if scale is None else np.ascontiguousarray(reals(scale, "scale"))
    if scales is not None and scales.shape != (count,):
        raise UsageError(f"scale={scale!r}: one number for each of {count} rewards")
    units = None if scales is None else scales.ctypes.data
    if run is not None:
        context.long(lib.foray_explorer_tradeoff, run._explorer, count, pointers, units, most, goal, byref(out))
    else:
        context.long(lib.foray_tradeoff_known, context, model, count, pointers, units, most, goal, byref(out))
    try:
        found = out.contents
        made: list[Policy] = []
        for k in range(found.policies):
            made.append(Policy(c_void_p(found.policy[k])))
            found.policy[k] = None  # it is ours now
        return Front(found, made, model, built, run)
    finally:
        lib.foray_front_destroy(out)


def limits_of(subject_to: Iterable[Any]) -> list[tuple[RewardLike, bool, float]]:
    """Limits as given: the reward, whether it is to be at most the bound, and the bound."""
    if isinstance(subject_to, str):
        subject_to = [subject_to]
    read = []
    for limit in subject_to:
        if isinstance(limit, str):
            sign = max(("<=", ">="), key=limit.rfind)
            what, found, number = limit.rpartition(sign)
            try:
                limit = (what.strip(), found, float(number))
            except ValueError:
                limit = ()
        if not isinstance(limit, tuple) or len(limit) != 3 or limit[1] not in ("<=", ">="):
            raise UsageError(f"subject_to={limit!r}: a limit is (reward, '>=' or '<=', number), or that as a text")
        read.append((limit[0], limit[1] == "<=", real(limit[2], "subject_to")))
    return read


def plan_within(
    run: Run | None, model: Model, reward: BuiltReward, limits: list[tuple[BuiltReward, bool, float]]
) -> tuple[Plan, list[Limit]]:
    """The plan within limits, and these; LimitsError where none is proved to keep them."""
    context = run._context if run is not None else Context()
    out = POINTER(LimitedStruct)()
    asked = (LimitStruct * len(limits))(*(LimitStruct(r.pointer, bound, most) for r, most, bound in limits))
    if run is not None:
        context.long(lib.foray_explorer_plan_limited, run._explorer, reward, len(limits), asked, byref(out))
    else:
        context.long(lib.foray_plan_known_limited, context, model, reward, len(limits), asked, byref(out))
    try:
        found = out.contents
        kept = [
            Limit(r.name, bound, most, found.value[i], found.low[i], found.high[i], found.price[i])
            for i, (r, most, bound) in enumerate(limits)
        ]
        outcome = OUTCOMES[found.outcome]
        if outcome != "kept":
            raise LimitsError(_why(outcome, kept, found), outcome, kept, _laws(found))
        made = Policy(c_void_p(found.policy))
        found.policy = None
        return Plan(made, model, reward, run), kept
    finally:
        lib.foray_limited_destroy(out)


def _laws(found: Any) -> list[Law]:
    if not found.doubt:
        return []
    doubt = found.doubt.contents
    return [law_of(w) for w in doubt.law[: doubt.laws]]


def _why(outcome: str, limits: list[Limit], found: Any) -> str:
    """In words, as the command has it."""
    if outcome == "impossible":
        terms = " + ".join(f"{limit.price:.4g} x {limit.reward}" for limit in limits if limit.price != 0)
        return (
            f"no policy keeps these limits: {terms} would have to be at least {found.needed:.6g},"
            f" and no policy has more than {found.top:.6g}"
        )
    missing = [
        f"{limit.reward} {'<=' if limit.at_most else '>='} {limit.bound:.6g}, but it is in [{limit.low:.6g}, {limit.high:.6g}]"
        for limit in limits
        if (limit.high > limit.bound if limit.at_most else limit.low < limit.bound)
    ]
    return "undecided: neither that a policy keeps the limits is proved, nor that none does: " + "; ".join(missing)
