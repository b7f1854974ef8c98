"""A pendulum with a weak motor: one exploration, and then three things that may be wanted.

    python pendulum.py [PICTURE]

Gymnasium's Pendulum-v1 shows the cosine and the sine of the angle and the angular velocity. They are
seen through a grid of 9 x 9 x 9 points, and of all torques three are tried. What follows a point of
the grid obeys no single law, so certificates are estimates here; how the plans do is tried in the end.
"""

import math
import sys

import foray

HORIZON, TORQUES = 60, (-2.0, 0.0, 2.0)
WANTED = {
    "up": lambda x, torque: (1 + x[0]) / 2,
    "turn left": lambda x, torque: max(x[2], 0.0) / 8,
    "up, save power": lambda x, torque: 0.4 * (1 + x[0]) + 0.2 * (torque[0] == 0),
}


def play(env, plan, reward, episodes=20):
    """What a plan earns on average in the environment itself."""
    total = 0.0
    for episode in range(episodes):
        seen, _ = env.reset(seed=episode)
        for t in range(HORIZON):
            torque = [TORQUES[plan.action(t, seen)]]
            total += reward(seen, torque)
            seen, *_ = env.step(torque)
    return total / episodes


def draw(plans, path):
    try:
        import matplotlib.pyplot as plt
        from matplotlib.patches import Patch
    except ImportError:
        return print("matplotlib is not installed: there will not be a picture")
    angles = [math.radians(degrees) for degrees in range(-180, 181, 6)]
    speeds = [speed / 4 for speed in range(32, -33, -1)]  # from above
    figure, axes = plt.subplots(1, len(plans), figsize=(9, 3.1), sharey=True, layout="constrained")
    for shown, (name, plan) in zip(axes, plans.items()):
        rows = [[plan.action(0, (math.cos(a), math.sin(a), v)) for a in angles] for v in speeds]
        shown.imshow(rows, "coolwarm", extent=(-180, 180, -8, 8), aspect="auto", interpolation="nearest", alpha=0.7)
        shown.set_title(f"{name}: {plan.value:.1f} of {HORIZON}", fontsize=9)
        shown.set(xticks=(-180, -90, 0, 90, 180), xlabel="degrees from upright")
    axes[0].set_ylabel("angular velocity (rad/s)")
    colours = plt.get_cmap("coolwarm")([0.0, 0.5, 1.0])
    keys = [Patch(color=colour, alpha=0.7, label=f"{torque:g} N m") for colour, torque in zip(colours, TORQUES)]
    figure.legend(handles=keys, loc="outside right upper", fontsize=8)
    figure.savefig(path)


def main(path="pendulum.png"):
    try:
        import gymnasium
    except ImportError:
        return print("Gymnasium is not installed: it has the pendulum")
    env = gymnasium.make("Pendulum-v1")
    run = foray.explore(
        env, clusters="grid:9x9x9", actions=[[torque] for torque in TORQUES], horizon=HORIZON,
        episodes=800, twins=False, plan_every=50,
    )  # fmt: skip
    plans = dict(zip(WANTED, run.plans(WANTED.values())))
    for name, plan in plans.items():
        print(f"{name}: {plan}, {play(env, plan, WANTED[name]):.1f} when played")
    draw(plans, path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
