"""FrozenLake: from a Gymnasium environment to a certified plan, and what knowing less costs.

    python frozenlake.py [PICTURE]
"""

import sys

import gymnasium

import foray

EPISODES = (50, 100, 200, 500, 1000, 2000, 5000)
KNOWN = {
    "what can follow what,\nand that slipping is the same everywhere": {"known": "table", "laws": "all"},
    "what can follow what": {"known": "table"},
    "that there are 16 states and 4 actions": {},
}


def plans(env, known):
    """Plans to get to the goal, after ever more episodes of one run."""
    run = foray.explore(env, horizon=30, episodes=EPISODES[0], **known)
    return [run.explore(episodes=k).plan(foray.reach(15)) for k in EPISODES]


def draw(env, plan, curves, path):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return print("matplotlib is not installed: there will not be a picture")
    figure, (lake, falling) = plt.subplots(
        1, 2, figsize=(9, 3.6), width_ratios=(1, 1.7), layout="constrained"
    )
    cells = [cell.decode() for cell in env.unwrapped.desc.ravel()]
    shades = [{"H": 0.8, "G": 0.3}.get(cell, 0.0) for cell in cells]
    lake.imshow([shades[row : row + 4] for row in range(0, 16, 4)], cmap="Blues", vmin=0, vmax=1)
    for s, cell in enumerate(cells):
        mark = {"H": "hole", "G": "goal"}.get(cell, "←↓→↑"[plan.action(0, s)])
        style = {"color": "white" if cell == "H" else "black", "fontsize": 10 if cell in "HG" else 16}
        lake.text(s % 4, s // 4, mark, ha="center", va="center", **style)
    lake.set(xticks=[], yticks=[], title=f"the first step; value {plan.value:.3f}")
    for name, gaps in curves.items():
        falling.plot(EPISODES, gaps, marker="o", markersize=3, label=name)
    falling.set(xscale="log", ylim=(0, 1.05), xlabel="episodes", title="the certificate, by what is known")
    falling.legend(fontsize=8, loc="center left", frameon=False)
    figure.savefig(path)


def main(path="frozenlake.png"):
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    found = {name: plans(env, known) for name, known in KNOWN.items()}
    for name, made in found.items():
        print(f"known: {' '.join(name.split())}\n    {made[-1]}")
    curves = {name: [plan.certificate.gap for plan in made] for name, made in found.items()}
    draw(env, next(iter(found.values()))[-1], curves, path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
