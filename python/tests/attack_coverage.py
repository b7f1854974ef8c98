# mypy: ignore-errors
"""How often bounds are wrong where nothing is known, by simulation at delta 0.1.

Small worlds of its own, whose first state is random, are explored or recorded with fixed seeds; for
three rewards, plain backward induction says what each plan really earns, and what the best one does.
A run fails if any of its intervals or certificates is wrong. delta allows a tenth of the runs to
fail; more than `allowed(runs)` would happen to a correct library once in 10,000 times.

    scripts/attack python coverage [RUNS]            RUNS of each way to begin (default 300)
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from attack_rewards import Case, Wanted, against_truth, first_of, law_of

import foray

DELTA = 0.1


def allowed(runs: int) -> int:
    """The smallest number of failures that at most one in 10,000 correct libraries exceeds."""
    tail, k = 1.0, -1
    while tail > 1e-4:
        k += 1
        tail -= math.comb(runs, k) * DELTA**k * (1 - DELTA) ** (runs - k)
    return k


def world(seed: int) -> foray.Model:
    """Three or four states, and a first state that is sometimes another: few looks do not show it."""
    rng = np.random.default_rng(seed)
    S, A, H = int(rng.integers(3, 5)), 2, int(rng.choice([1, 1, 1, 3]))
    P = rng.dirichlet(np.full(S, 0.5), size=(A, S))
    rare = float(rng.choice([0.01, 0.03]))
    return foray.from_arrays(P, H, layout="ASS", initial={0: 1 - rare, S - 1: rare})


class Player:
    """The model as a Gymnasium environment, or as a function."""

    def __init__(self, model: foray.Model) -> None:
        self.model, self.law = model, law_of(model)
        self.first = first_of(model)

    def start(self, rng: random.Random) -> int:
        return rng.choices(range(self.model.states), self.first)[0]

    def step(self, state: int, action: int, rng: random.Random) -> int:
        return rng.choices(range(self.model.states), self.law[state, action])[0]


def as_environment(model: foray.Model, salt: int) -> Any:
    """An environment with random numbers of its own."""
    import gymnasium

    player = Player(model)

    class World(gymnasium.Env[int, int]):
        observation_space = gymnasium.spaces.Discrete(model.states)
        action_space = gymnasium.spaces.Discrete(model.actions)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            if seed is not None:
                self.rng = random.Random(f"{salt} {seed}")
            self.state = player.start(self.rng)
            return self.state, {}

        def step(self, action: int) -> Any:
            before, self.state = self.state, player.step(self.state, action, self.rng)
            return self.state, worth_of(before, action, self.state), False, False, {}

    return World()


def worth_of(state: int, action: int, following: int) -> float:
    """What the environment itself pays."""
    return ((state + 2 * action + 3 * following) % 5) / 4 - 0.25


def recorded(model: foray.Model, episodes: int, seed: int) -> Any:
    """Data by a fixed policy that knows nothing of what follows."""
    rng, player, states, actions = random.Random(seed), Player(model), [], []
    for _ in range(episodes):
        path, done = [player.start(rng)], []
        for _ in range(model.horizon):
            done.append(rng.randrange(model.actions))
            path.append(player.step(path[-1], done[-1], rng))
        states.append(path), actions.append(done)
    return np.array(states), np.array(actions)


def by_learning(model: foray.Model, episodes: int, seed: int) -> foray.Run:
    data = recorded(model, episodes, seed)
    return foray.learn(data, states=model.states, actions=model.actions, delta=DELTA)


def by_learning_more(model: foray.Model, episodes: int, seed: int) -> foray.Run:
    """An upper bound on the number of states is enough."""
    data = recorded(model, episodes, seed)
    return foray.learn(data, states=model.states + 2, actions=model.actions, delta=DELTA)


def by_exploring(model: foray.Model, episodes: int, seed: int) -> foray.Run:
    return foray.explore(
        as_environment(model, seed), episodes=episodes, horizon=model.horizon, seed=seed, delta=DELTA, range=(-0.25, 0.75),
        progress=False,
    )  # fmt: skip


def by_simulator(model: foray.Model, episodes: int, seed: int) -> foray.Run:
    player = Player(model)
    simulator = foray.Simulator(
        player.step, states=model.states, actions=model.actions, horizon=model.horizon, start=player.start
    )
    return foray.explore(simulator, episodes=episodes, seed=seed, delta=DELTA, progress=False)


WAYS: dict[str, Callable[[foray.Model, int, int], foray.Run]] = {
    "learn": by_learning, "learn, more states": by_learning_more, "explore": by_exploring, "simulator": by_simulator,
}  # fmt: skip


def wrong(way: str, seed: int) -> str | None:
    """One run and four rewards: what was wrong."""
    model = world(seed)
    rng = np.random.default_rng((seed, 1))
    with WAYS[way](model, int(rng.choice([3, 10, 100])), seed) as run:
        H, S, A = model.horizon, run.model.states, model.actions
        law, first = np.zeros((S, A, S)), np.zeros(S)
        law[: model.states, :, : model.states], first[: model.states] = law_of(model), first_of(model)
        law[range(model.states, S), :, range(model.states, S)] = 1.0
        case = Case(way, run, law, first)
        for kind in ("ends", "ahead", "reach", "own"):
            if kind == "own" and way != "explore":
                continue
            worth = np.zeros((H, S, A, S))
            if kind == "ends":
                worth[:] = (np.arange(S) == model.states - 1)[None, :, None, None]
            elif kind == "ahead":
                worth[:] = rng.random((S, A, S))
            elif kind == "own":
                worth[:] = np.fromfunction(np.vectorize(worth_of), (S, A, S), dtype=int)
            what: Any = {"ends": f"goal:{model.states - 1}", "reach": foray.reach(model.states - 1), "own": "own"}.get(kind)
            if kind == "ahead":
                what = {(s, a, n): worth[0, s, a, n] for s in range(S) for a in range(A) for n in range(S)}
            to = [model.states - 1] if kind == "reach" else []
            wanted = Wanted(kind, None if to else worth, to, [], 1.0, False, {})
            fault = against_truth(case, wanted, run.plan(what))
            if fault is not None:
                return f"{kind}: {fault}"
    return None


def run_attack(runs: int, say: Callable[[str], None] = print) -> Counter[str]:
    """Failures of each way, and how many were too many."""
    counts: Counter[str] = Counter()
    for way in WAYS:
        counts[way] = 0
        for seed in range(runs):
            fault = wrong(way, seed)
            if fault is not None:
                counts[way] += 1
                say(f"{way}, seed {seed}: {fault}")
        counts["too many"] += counts[way] > allowed(runs)
    return counts


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    total = run_attack(number)
    print(f"runs {number} each, allowed {allowed(number)}:", "  ".join(f"{name} {n}" for name, n in total.items()))
    sys.exit(1 if total["too many"] else 0)
