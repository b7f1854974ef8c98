"""A frozen lake of 16 cells as a simulator about which Foray is told nothing but its sizes.

    foray explore "exec:python3 lake.py" -k 2000 -o lake.foray
    foray plan lake.foray -r reach:15
"""
from foray_world import World, serve, uniform

MAP = ("S...",  # S: start, O: hole, G: goal; holes and the goal are never left
       ".O.O",
       "...O",
       "O..G")


class Lake(World):
    name = "lake"
    states = 16
    actions = ["left", "down", "right", "up"]
    horizon = 30
    simulators = 0  # it can only be tried
    rewards = ["goal"]

    def reset(self, key):
        return 0

    def step(self, key, simulator, action, state):
        cell = int(state[0])
        row, col = divmod(cell, 4)
        if MAP[row][col] in "OG":
            return cell
        way = (action + int(3 * uniform(key, 0)) - 1) % 4  # as meant, or slipped to either side
        row += (way == 1) - (way == 3)
        col += (way == 2) - (way == 0)
        return 4 * row + col if 0 <= row < 4 and 0 <= col < 4 else cell

    def reward(self, name, state, action):
        return float(state[0] == 15)


if __name__ == "__main__":
    serve(Lake())
