#!/usr/bin/env python3
"""A heated room as a system from outside: thermostat.c in Python, number for number.

foray world check "exec:python3 thermostat.py"
"""

import sys

from foray_world import World, serve, uniform

LOSS = (0.05, 0.15, 0.4)  # windows shut, ajar, open: three simulators
HEAT = (0.0, 1.5, 4.0)


class Thermostat(World):
    name = "thermostat"
    dimensions = ["room", "wall"]
    low = [0, 0]
    high = [35, 35]
    actions = ["off", "low", "high"]
    horizon = 24
    simulators = 3
    weights = [0.5, 0.3, 0.2]
    rewards = ["comfort", "thrift"]

    def reset(self, key):
        return 14 + 4 * uniform(key, 0), 14 + 2 * uniform(key, 1)

    def step(self, key, simulator, action, state):
        window = simulator
        if window < 0:  # reality draws the window; the weather is the same for every simulator
            u = uniform(key, 0)
            window = 0 if u < 0.5 else 1 if u < 0.5 + 0.3 else 2
        outside = 2 + 6 * uniform(key, 1)
        room, wall = state
        return (
            room + HEAT[action] + 0.2 * (wall - room) - LOSS[window] * (room - outside),
            wall + 0.1 * (room - wall),
        )

    def reward(self, name, state, action):
        if name == "comfort":
            return max(0.0, 1 - abs(state[0] - 21) / 5)
        return 1 - HEAT[action] / HEAT[2]


if __name__ == "__main__":
    world = Thermostat()
    if len(sys.argv) > 1:
        world.horizon = int(sys.argv[1])
    serve(world)
