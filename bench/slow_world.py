"""A simulator that takes a millisecond a step, as many do that compute or ask others."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "examples", "outside"))
from foray_world import World, serve, uniform  # noqa: E402


class Slow(World):
    """A ring of ten states: one step on with probability 0.7, or none."""

    name = "slow"
    states = 10
    actions = ["on", "back"]
    horizon = 16
    simulators = 0
    rewards = []

    def reset(self, key):
        return 0

    def step(self, key, simulator, action, state):
        time.sleep(0.001)
        way = 1 if action == 0 else -1
        return (int(state[0]) + (way if uniform(key, 0) < 0.7 else 0)) % 10


serve(Slow())
