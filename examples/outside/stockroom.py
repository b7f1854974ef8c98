#!/usr/bin/env python3
"""A finite system from outside: stockroom.c in Python, number for number.

foray world check "exec:python3 stockroom.py"
"""

from foray_world import World, serve, uniform

ROOM_FOR = 20
DEMAND = ((0, 3), (2, 6), (5, 10))  # quiet, normal, rush: three simulators
ORDER = (0, 5, 10)


class Stockroom(World):
    name = "stockroom"
    states = ROOM_FOR + 1
    dimensions = ["items"]
    actions = ["order-0", "order-5", "order-10"]
    horizon = 14
    simulators = 3
    weights = [0.3, 0.5, 0.2]
    rewards = ["served", "lean"]

    def reset(self, key):
        return (ROOM_FOR // 2,)

    def step(self, key, simulator, action, state):
        day = simulator
        if day < 0:  # reality draws the day
            u = uniform(key, 0)
            day = 0 if u < 0.3 else 1 if u < 0.3 + 0.5 else 2
        least, most = DEMAND[day]
        demand = least + int(uniform(key, 1) * (most - least + 1))
        return (max(min(state[0] + ORDER[action], ROOM_FOR) - demand, 0),)

    def reward(self, name, state, action):
        if name == "served":
            return float(state[0] >= 5)
        return 1 - state[0] / ROOM_FOR


if __name__ == "__main__":
    serve(Stockroom())
