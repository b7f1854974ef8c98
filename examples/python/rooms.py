"""Four rooms: one exploration, and then three things that may be wanted, painted on the map.

    python rooms.py [PICTURE]
"""

import sys

import foray

ARROWS = {"up": "↑", "right": "→", "down": "↓", "left": "←"}
PAINTED = """\
....474
....797
....474
.......
999....
.......
......."""


def painted(model, picture):
    """What a step in each state is worth: digits are tenths, everything else is nothing."""
    rows, values = picture.splitlines(), {}
    for state in range(model.states):
        row, col = model.cell(state)
        values[state] = int(rows[row][col]) / 10 if rows[row][col].isdigit() else 0.0
    return values


def draw(model, plans, values, path):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return print("matplotlib is not installed: there will not be a picture")
    figure, maps = plt.subplots(1, len(plans), figsize=(9, 3.5), layout="compressed")
    for drawn, (name, plan), worth in zip(maps, plans.items(), values):
        for state in range(model.states):
            row, col = model.cell(state)
            drawn.bar(col, 0.96, 0.96, row - 0.48, color=plt.cm.Greens(0.7 * worth.get(state, 0.0) + 0.05))
            arrow = ARROWS[model.action_name(plan.action(0, state))]
            drawn.text(col, row, arrow, ha="center", va="center")
        drawn.set(xticks=[], yticks=[], aspect="equal", facecolor="0.3")
        drawn.invert_yaxis()
        drawn.set_title(f"{name}: {plan.value:.2f}\nnone is better by more than {plan.certificate.gap:.2g}", fontsize=10)
    figure.savefig(path)


def main(path="rooms.png"):
    model = foray.world("rooms", rows=2, cols=2, size=3, horizon=20)
    run = foray.explore(model, episodes=5000)  # nobody has said yet what is wanted
    corner, picture = model.states - 1, painted(model, PAINTED)
    wanted = {"reach the corner": foray.reach(corner), "be in the corner": {corner: 1.0}, "painted": picture}
    plans = dict(zip(wanted, run.plans(wanted.values())))
    for name, plan in plans.items():
        print(f"{name}: {plan}\n    in truth (its value, the best one): {plan.truth()}")
    draw(model, plans, [{corner: 1.0}, {corner: 1.0}, picture], path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
