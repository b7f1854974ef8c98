"""What Python costs, in processor seconds: exploring a world in C from here and by the command, and
a step of a world in Python on top of its own cost.

    FORAY_COMMAND=build/release/foray python python/bench/overhead.py

Targets: at least 0.9 of the command's episodes a second; at most 3 microseconds a step where the
actions of an episode are a table, 5 where the algorithm decides step by step.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable

import foray

WORLD, EPISODES = "rooms:rows=3,cols=3", 60_000
HORIZON, PLAYED = 100, 3_000


def seconds(work: Callable[[], object]) -> float:
    """Of this process and of its children."""

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    before = used()
    work()
    return used() - before


def compare_with_command(program: str) -> None:
    here = seconds(lambda: foray.explore(WORLD, episodes=EPISODES, progress=False))
    with tempfile.TemporaryDirectory() as directory:
        line = [program, "explore", WORLD, "-k", str(EPISODES), "-o", directory + "/run.foray", "--quiet"]
        there = seconds(lambda: subprocess.run(line, check=True))
    print(f"{WORLD}: {EPISODES / here:,.0f} episodes/s here, {EPISODES / there:,.0f} by the command,")
    print(f"    {there / here:.2f} of it (target: at least 0.9)")


def step(state: int, action: int, rng: random.Random) -> int:
    return (state * 5 + action) % 16


def alone() -> None:
    rng = random.Random(1)
    for _ in range(PLAYED):
        state = 0
        for _ in range(HORIZON):
            state = step(state, 1, rng)


def on_top(algorithm: str, target: int) -> None:
    world = foray.Simulator(step, states=16, actions=4, horizon=HORIZON)
    whole = seconds(
        lambda: foray.explore(world, episodes=PLAYED, algorithm=algorithm, progress=False)
    )
    extra = (whole - seconds(alone)) / (PLAYED * HORIZON) * 1e6
    print(f"{algorithm}: {extra:.2f} microseconds a step on top (target: at most {target})")


if __name__ == "__main__":
    if "FORAY_COMMAND" in os.environ:
        compare_with_command(os.environ["FORAY_COMMAND"])
    on_top("rf-express", 3)
    on_top("random", 5)
