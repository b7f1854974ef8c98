"""A pendulum with a weak motor: one exploration, and then three things that may be wanted.

    python pendulum.py [PICTURE]

Systems with continuous states belong to the command: it makes a model of the pendulum as it is seen
through 21 x 21 points, and that model is what is explored here and what certificates are about.
"""

import os
import shutil
import subprocess
import sys
import tempfile

import foray

SYSTEM, POINTS = "pendulum:masses=2,lengths=1,dampings=2,horizon=40@grid:21x21", 21
COMMAND = os.environ.get("FORAY_COMMAND") or shutil.which("foray")


def export():
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "pendulum.compact")
        subprocess.run([COMMAND, "world", "export", SYSTEM, "-o", file], check=True)
        return foray.load_model(file)


def draw(model, plans, path):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return print("matplotlib is not installed: there will not be a picture")
    figure, axes = plt.subplots(1, len(plans), figsize=(9, 3.1), sharey=True, layout="constrained")
    for shown, (name, plan) in zip(axes, plans.items()):
        cells = sorted((model.cell(s), plan.action(0, s)) for s in range(model.states))  # from above
        rows = [[action for _, action in cells[i : i + POINTS]] for i in range(0, len(cells), POINTS)]
        shown.imshow(rows, extent=(-180, 180, -8, 8), aspect="auto", cmap="coolwarm", alpha=0.7)
        shown.set_title(f"{name}: {plan.value:.2f}, certificate {plan.certificate.gap:.2g}", fontsize=9)
        shown.set(xticks=(-180, -90, 0, 90, 180), xlabel="degrees from upright")
    axes[0].set_ylabel("angular velocity (rad/s)")
    figure.savefig(path)


def main(path="pendulum.png"):
    if not COMMAND:
        return print("the command foray is not on the path: it makes the model of the pendulum")
    model = export()
    names = [model.state_name(s).split(", ") for s in range(model.states)]  # "angle=-3.142", "velocity=-8"
    angle, velocity = ([float(name[i].split("=")[1]) for name in names] for i in (0, 1))
    wanted = {
        "stand": lambda s: abs(angle[s]) < 0.5 and abs(velocity[s]) < 1.5,
        "turn left": lambda s: max(velocity[s], 0.0) / 8,
        "stand, save power": lambda s, a: 0.8 * (abs(angle[s]) < 0.5) + 0.2 * (a == 1),
    }
    run = foray.explore(model, episodes=500)
    plans = dict(zip(wanted, run.plans(wanted.values())))
    print(*(f"{name}: {plan}" for name, plan in plans.items()), sep="\n")
    draw(model, plans, path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
