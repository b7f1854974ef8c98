"""A slice of each attack on the package; scripts/attack python runs them in full."""

from __future__ import annotations

import copy
import ctypes
from typing import Any

import attack_coverage
import attack_rewards
import numpy as np
import pytest

import foray


def test_every_form_of_a_reward_says_the_same_in_every_kind_of_model() -> None:
    said: list[str] = []
    counts = attack_rewards.run_attack(200, seed=20, say=said.append)
    assert counts["rewards"] == 200 and not said, said[:3]


def test_bounds_hold_where_the_first_state_is_learnt() -> None:
    wrong = [seed for seed in range(20) if attack_coverage.wrong("learn", seed)]
    assert len(wrong) <= attack_coverage.allowed(20)


def test_a_square_array_could_be_either_and_is_refused() -> None:
    run = foray.learn([([0, 1, 2, 0], [0, 1, 2])], foray.unstructured_model(3, 3, 3))
    with pytest.raises(ValueError, match="layout"):
        run.plan(np.zeros((3, 3, 3)))


def test_numbers_are_no_addresses() -> None:
    """They were: a model at 5 ended the process."""
    run = foray.explore("riverswim", episodes=1, progress=False)
    plan = run.plan("goal:0")
    wrong: Any
    for wrong in (5, 0, None, "x", 2**64 + 1, ctypes.c_int64(5)):
        for make in (
            lambda: foray.Model(wrong), lambda: foray.Builder(run._context, wrong), lambda: foray.Run(run._context, wrong, ""),
            lambda: foray.Plan(wrong, plan.model, plan.reward, run), lambda: type(plan.reward)(run._context, run.model, wrong),
        ):  # fmt: skip
            with pytest.raises(TypeError, match="nothing to make by itself"):
                make()


def test_a_policy_is_silent_about_what_cannot_be_reached() -> None:
    """What plan.policy shows is what run.certify takes: it refused its own plans."""
    model = foray.Builder.tabular(3, 2, 3).initial({0: 1.0})
    for s in range(3):
        model.transition(s, 0, 0, 0.5).transition(s, 0, 1, 0.5).transition(s, 1, (s + 1) % 2, 1.0)
    run = foray.explore(model.finish(), episodes=300, progress=False)
    plan = run.plan("goal:1")
    assert (plan.policy[:, 2] == -1).all() and (plan.policy[:, :2] >= 0).all()
    for given in (plan.policy, plan.policy.tolist(), np.where(plan.policy < 0, 1, plan.policy)):
        again = run.certify(given, "goal:1")
        assert (again.value, again.certificate) == (plan.value, plan.certificate)
        assert again.truth() == plan.truth()
        copied = copy.copy(again)
        assert np.array_equal(copied.policy, again.policy) and copied.certificate == again.certificate
    silent = plan.policy.copy()
    silent[1, 1] = -1
    with pytest.raises(ValueError, match="action -1 in state 1, but not in every step"):
        run.certify(silent, "goal:1")
    silent[:, 1] = -1
    with pytest.raises(foray.InputError, match="says nothing about state 1, which can be reached"):
        run.certify(silent, "goal:1")
    for wrong in (np.full((3, 3), -1), np.full(3, -2), np.full((3, 3), 2)):
        with pytest.raises(ValueError, match="policy"):
            run.certify(wrong, "goal:1")
