"""A slice of each attack on the package; scripts/attack python runs them in full."""

from __future__ import annotations

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
