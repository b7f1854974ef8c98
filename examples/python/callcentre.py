"""A call centre: how many clerks to pay for, hour by hour, when all there is is a simulator.

    python callcentre.py [PICTURE]
"""

import sys

import foray

CALLS = (1, 2, 3, 4, 2, 3, 3, 1)  # lines that may ring in each hour of the day
HOURS, MOST = len(CALLS), 4  # callers that can wait; further callers are lost
NIGHT = HOURS * (MOST + 1)  # the last state; all others are (hour, callers waiting)
EPISODES = (250, 500, 1000, 2000, 4000, 8000, 16000)


def step(state, more, luck):
    """An hour with 1 + more clerks. Foray sees what comes out, and nothing of this."""
    if state == NIGHT:
        return NIGHT
    hour, waiting = divmod(state, MOST + 1)
    served = sum(luck.random() < 0.8 for _ in range(1 + more))
    calls = sum(luck.random() < 0.6 for _ in range(CALLS[hour]))
    waiting = min(max(waiting - served, 0) + calls, MOST)
    return NIGHT if hour + 1 == HOURS else (hour + 1) * (MOST + 1) + waiting


def calm(state, more):
    """Few callers waiting, and few clerks to be paid: decided after exploring."""
    return 0 if state == NIGHT else 0.7 * (1 - state % (MOST + 1) / MOST) + 0.3 * (1 - more / 2)


def draw(run, plans, path):
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return print("matplotlib is not installed: there will not be a picture")
    figure, (day, falling) = plt.subplots(1, 2, figsize=(9, 3.2), width_ratios=(1.5, 1), layout="constrained")
    states, _ = run.data()
    for state in set(states.flat) - {NIGHT}:  # what was never seen stays empty
        hour, waiting = divmod(int(state), MOST + 1)
        day.text(hour, waiting, clerks := 1 + plans[-1].action(hour, state), ha="center", va="center")
        day.bar(hour, 0.96, 0.96, waiting - 0.48, color=plt.cm.Oranges(0.25 * clerks - 0.15))
    day.set(xticks=range(HOURS), xlabel="hour", ylabel="callers waiting", title="how many clerks")
    bounds = zip(*((plan.low, plan.high) for plan in plans))
    falling.fill_between(EPISODES, *bounds, alpha=0.25, label="proved bounds")
    falling.plot(EPISODES, [plan.value for plan in plans], marker="o", markersize=3, label="value of the plan")
    falling.set(xscale="log", ylim=(0, HOURS), xlabel="episodes", title="what the plan earns in a day")
    falling.legend(fontsize=8, loc="lower right", frameon=False)
    figure.savefig(path)


def main(path="callcentre.png"):
    run = foray.explore(foray.Simulator(step, states=NIGHT + 1, actions=3, horizon=HOURS), episodes=1)
    plans = [run.explore(episodes=k).plan(calm) for k in EPISODES]
    print(plans[-1])
    draw(run, plans, path)


if __name__ == "__main__":
    main(*sys.argv[1:2])
