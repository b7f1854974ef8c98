"""The environment's own reward, which is known only where it was seen.

While exploring, r(s,a,s') is recorded for every transition that happened. Of the others only the
range [low, high] is known. Let r- and r+ be the rewards that take the others to be low and high.
Whatever r is, r- <= r <= r+, so for the policy pi that is planned for r-

    V*_r - V^pi_r  <=  V*_r+ - V^pi_r-  =  (V*_r+ - V^pi_r+) + (V^pi_r+ - V^pi_r-)

The first difference is at most the certificate of pi for r+. The second is (high - low) times the
expected number of unseen transitions under pi, a reward itself, whose upper bound is used. All
hold on the same event of probability 1 - delta, so their sum is a certificate for r.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ._context import Context
from .environments import Environment
from .errors import UsageError
from .plans import Plan
from .rewards import BuiltReward, _create

if TYPE_CHECKING:
    from .runs import Run


def _environment(run: Run) -> tuple[Environment, float, float]:
    env = run._player
    if not isinstance(env, Environment):
        raise UsageError("own: only environments that were explored here have a reward of their own")
    if run._range is None:
        raise UsageError(
            "own: give explore(..., range=(low, high)): what a step may be worth cannot be seen"
        )
    low, high = run._range
    return env, min(low, 0.0), max(high, 0.0)


def _fill(built: BuiltReward, env: Environment, seen: float | None) -> BuiltReward:
    """Sets what was seen: to its value, or to `seen`. Nothing is earned where episodes ended."""
    S, A = env.states, env.actions
    for where, value in env.own.items():
        state, action, following = where // (S * A), where // S % A, where % S
        built.set_next(-1, state, action, following, value if seen is None else seen)
    for state in env.ends:
        built.set(-1, state, -1, 0.0)
    return built


def own_reward(run: Run, low: bool) -> BuiltReward:
    """r-, or r+."""
    env, least, most = _environment(run)
    rest = least if low else most
    return _fill(_create(Context(), run.model, "own", least, most, rest), env, None)


def own_plan(run: Run, mode: str) -> Plan:
    """The plan for r-, with a certificate that holds for r."""
    env, least, most = _environment(run)
    plan = run._plans([own_reward(run, low=True)], mode)[0]
    above = run._certify(plan.policy, own_reward(run, low=False))
    width = most - least
    missing = _fill(_create(Context(), run.model, "unseen", 0.0, width, width), env, 0.0)
    unseen = run._certify(plan.policy, missing)
    gap = min(above.certificate.gap + unseen.high, width * run.model.horizon)
    plan.certificate = replace(
        above.certificate,
        gap=gap,
        optimal=gap <= 1e-9 * width * run.model.horizon,
        vacuous=gap >= width * run.model.horizon,
    )
    plan.high = above.high
    return plan
