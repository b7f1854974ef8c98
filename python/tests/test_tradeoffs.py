"""Fronts and plans within limits say what the library says, and what they say is so."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import foray


@pytest.fixture(scope="module")
def run() -> foray.Run:
    return foray.explore("riverswim", episodes=4000, seed=3)


def test_a_front_serves_every_weighting(run: foray.Run) -> None:
    front = run.tradeoff(["goal:0", "goal:5"])
    assert front.certificate.proved and len(front) == len(front.plans) > 2
    assert front.value.shape == front.low.shape == front.high.shape == (len(front), 2)
    assert (front.low <= front.value).all() and (front.value <= front.high).all()
    for w in ([1, 0], [0, 1], [0.5, 0.5], [3, 1]):
        plan, loss = front.choose(w)
        assert loss <= front.certificate.gap
        value, optimal = plan.truth()  # of the plan's own weighting
        assert optimal - value <= front.certificate.gap
        assert plan.reward.name == "weighted"
    # Every true value lies in its interval.
    for k, plan in enumerate(front.plans):
        for i, goal in enumerate(("goal:0", "goal:5")):
            again = run.certify(plan.policy, goal)
            true, _ = again.truth()
            assert front.low[k, i] <= true <= front.high[k, i]
    assert "Front of" in repr(front)


def test_fronts_end_at_a_budget_or_a_target(run: foray.Run) -> None:
    few = run.tradeoff(["goal:0", "goal:5"], policies=2)
    assert len(few) == 2 and few.full
    enough = run.tradeoff(["goal:0", "goal:5"], until=1.0)
    assert enough.certificate.gap <= 1.0
    least = run.tradeoff([foray.goal(0), foray.reward({5: 5.0}, range=(0, 5), minimise=True)])
    assert least.scale.tolist() == [1, -5]


def test_limits_are_kept_or_impossible(run: foray.Run) -> None:
    plan = run.plan("goal:5", subject_to=["goal:0 >= 2", (foray.goal(1), "<=", 6)])
    assert plan.certificate.proved and [limit.bound for limit in plan.limits] == [2, 6]
    assert plan.limits[0].low >= 2 and plan.limits[1].high <= 6
    assert plan.draws == (len(plan.parts) > 1)
    value, _ = plan.truth()
    assert plan.low <= value <= plan.high
    with pytest.raises(foray.LimitsError, match="no policy has more than") as error:
        run.plan("goal:5", subject_to="goal:0 >= 1000")
    assert error.value.outcome == "impossible"
    again = pickle.loads(pickle.dumps(error.value))
    assert again.outcome == "impossible" and str(again) == str(error.value)


def test_mixtures_draw_once_per_episode(run: foray.Run) -> None:
    plan = run.plan("goal:5", subject_to="goal:0 >= 10")
    assert plan.draws
    with pytest.raises(foray.UsageError, match="mixture"):
        _ = plan.policy
    with pytest.raises(foray.UsageError, match="episode="):
        plan.action(0, 0)
    assert abs(sum(odds for odds, _ in plan.parts) - 1) < 1e-12
    for episode in range(20):
        kept = [plan.action(t, 0, episode=episode) for t in range(run.model.horizon)]
        assert any(kept == [int(part[t, 0]) for t in range(run.model.horizon)] for _, part in plan.parts)
    drawn = {tuple(plan.action(t, 0, episode=k) for t in range(run.model.horizon)) for k in range(200)}
    assert len(drawn) == len({tuple(part[:, 0].tolist()) for _, part in plan.parts})
    copy = pickle.loads(pickle.dumps(plan))
    assert copy.action(0, 0, episode=3) == plan.action(0, 0, episode=3)


@pytest.mark.parametrize(
    "subject_to", ["goal:0", "goal:0 > 2", "goal:0 >= x", [("goal:0", "=", 2)], [3], [("goal:0", ">=", float("nan"))]]
)
def test_what_is_no_limit_is_refused(run: foray.Run, subject_to: object) -> None:
    with pytest.raises(foray.ForayError):
        run.plan("goal:5", subject_to=subject_to)  # type: ignore[arg-type]


def test_wrong_calls_are_refused(run: foray.Run) -> None:
    with pytest.raises(foray.UsageError, match="2 to 5 rewards"):
        run.tradeoff(["goal:0"])
    with pytest.raises(foray.UsageError):
        run.tradeoff(["goal:0", "goal:5"], policies=0)
    with pytest.raises(foray.UsageError, match="no mode"):
        run.plan("goal:5", mode="optimistic", subject_to="goal:0 >= 1")
    front = run.tradeoff(["goal:0", "goal:5"], policies=3)
    for weights in ([1], [0, 0], [-1, 2], [float("nan"), 1]):
        with pytest.raises(foray.ForayError):
            front.choose(weights)


def test_where_nothing_is_known() -> None:
    run = foray.learn(
        [([0, 1, 2, 1, 2, 3, 3], [1, 1, 0, 1, 1, 0])] * 400 + [([0, 0, 1, 0, 0, 1, 2], [0, 1, 0, 0, 1, 1])] * 400,
        states=4, actions=2, horizon=6,
    )  # fmt: skip
    front = run.tradeoff(["goal:0", "goal:3"])
    assert len(front) >= 1 and front.certificate.radius == "counts"


def test_policies_that_draw_are_certified_and_compared(run: foray.Run) -> None:
    plan = run.plan("goal:5")
    H, S, A = run.model.horizon, run.model.states, run.model.actions
    chance = np.full((H, S, A), 0.1 / A)
    chance[np.arange(H)[:, None], np.arange(S)[None, :], plan.policy] += 0.9
    drawn = run.certify(chance, "goal:5")
    assert drawn.draws and drawn.low <= drawn.truth()[0] <= drawn.high
    assert drawn.certificate.gap >= plan.certificate.gap
    better = run.difference(plan, drawn, "goal:5")
    true = plan.truth()[0] - drawn.truth()[0]
    assert better.low <= true <= better.high and better.low > plan.low - drawn.high
    same = run.difference(plan, plan.policy, "goal:5")
    assert (same.low, same.high) == (0, 0)
    mixture = run.plan("goal:5", subject_to="goal:0 >= 10")
    again = run.certify(mixture, "goal:0")
    assert again.low >= 10 - 1e-9
    with pytest.raises(foray.ForayError, match="sum to 1"):
        run.certify(chance / 2, "goal:5")
