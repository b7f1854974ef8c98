"""What Python costs, in processor seconds, the least of several repeats that take turns:

    FORAY_COMMAND=build/release/foray python python/bench/overhead.py [REPEATS]

With foray as `pip install .` builds it: the wheel of ./check all is compiled with -O1, and slower.

* a world in C explored from here, and by the command: at least 0.9 of its episodes a second;
* a step of a world in Python on top of its own cost: at most 3 microseconds where the actions of an
  episode are a table, 5 where the algorithm decides step by step;
* steps of Foray's worlds as a vector environment of Gymnasium: at least 5 million a second.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import foray

WORLD, EPISODES = "rooms:rows=3,cols=3", 60_000
HORIZON, PLAYED = 100, 2_000


def seconds(work: Callable[[], object]) -> float:
    """Of this process and of its children."""

    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    before = used()
    work()
    return used() - before


def in_turns(repeats: int, works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The least time of each, measured one after the other again and again."""
    least = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            least[name] = min(least[name], seconds(work))
    return least


def compare_with_command(program: str, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        line = [program, "explore", WORLD, "-k", str(EPISODES), "-o", directory + "/run.foray", "--force"]
        found = in_turns(repeats, {
            "here": lambda: foray.explore(WORLD, episodes=EPISODES, progress=False).close(),
            "command": lambda: subprocess.run([*line, "--quiet"], check=True),
        })  # fmt: skip
    here, command = EPISODES / found["here"], EPISODES / found["command"]
    print(f"{WORLD}: {here:,.0f} episodes/s here, {command:,.0f} by the command,")
    print(f"    {here / command:.2f} of it (target: at least 0.9)")


# ------------------------------------------------------------------------------ worlds in Python


def step(state: int, action: int, rng: random.Random) -> int:
    return (state * 5 + action) % 16


def alone() -> None:
    rng = random.Random(1)
    for _ in range(PLAYED):
        state = 0
        for _ in range(HORIZON):
            state = step(state, 1, rng)


class Walk:
    """The same as a Gymnasium environment."""

    spec, metadata = None, {}  # type: ignore[var-annotated]

    def __init__(self) -> None:
        from gymnasium.spaces import Discrete

        self.observation_space, self.action_space = Discrete(16), Discrete(4)
        self.unwrapped, self.state = self, 0

    def reset(self, *, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.state = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.state = (self.state * 5 + action) % 16
        return self.state, 0.0, False, False, {}


def environment_alone() -> None:
    walk = Walk()
    for _ in range(PLAYED):
        walk.reset(seed=1)
        for _ in range(HORIZON):
            walk.step(1)


def on_top(repeats: int, source: Callable[[], object], own: Callable[[], None], what: str) -> None:
    def explore(algorithm: str) -> Callable[[], object]:
        return lambda: foray.explore(
            source(), episodes=PLAYED, horizon=HORIZON, algorithm=algorithm, progress=False
        )

    found = in_turns(repeats, {"table": explore("inverse-count"), "steps": explore("random"), "own": own})
    for name, target in (("table", 3), ("steps", 5)):
        extra = (found[name] - found["own"]) / (PLAYED * HORIZON) * 1e6
        print(f"{what}, {name}: {extra:.2f} microseconds a step on top (target: at most {target})")


def vector(repeats: int) -> None:
    import gymnasium

    envs = gymnasium.make_vec("foray/Rooms-v0", num_envs=1024, rows=3, cols=3)
    envs.reset(seed=1)
    actions = np.zeros(1024, dtype=np.int64)

    def run() -> None:
        for _ in range(500):
            envs.step(actions)

    least = in_turns(repeats, {"vector": run})["vector"]
    print(f"vector environment: {500 * 1024 / least / 1e6:.1f} million steps/s (target: at least 5)")


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    if "FORAY_COMMAND" in os.environ:
        compare_with_command(os.environ["FORAY_COMMAND"], repeats)
    on_top(repeats, lambda: foray.Simulator(step, states=16, actions=4, horizon=HORIZON), alone, "function")
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        print("skipped, since Gymnasium is not installed: environments")
    else:
        on_top(repeats, Walk, environment_alone, "environment")
        vector(repeats)
