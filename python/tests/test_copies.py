"""Copies of everything that holds something of the library's: right, or refused in so many words."""

from __future__ import annotations

import copy
import ctypes
import gc
import importlib
import inspect
import pickle
import pkgutil
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import foray
from foray import _context, data, environments, episodes, own, plans, progress, rewards, runs, vector

WORLD = "rooms:rows=1,cols=2,size=2,horizon=6"
WAYS: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(lambda made, protocol=protocol: pickle.loads(pickle.dumps(made, protocol)) for protocol in range(2, 6)),
]


def step(state: int, action: int, rng: random.Random) -> int:
    return (state + action + (rng.random() < 0.3)) % 5


def explored(**more: Any) -> foray.Run:
    return foray.explore(WORLD, episodes=300, seed=3, **more)


# --------------------------------------------------- what makes one, and what it says of itself


def of_model(model: foray.Model) -> Any:
    names = [(model.state_name(s), model.cell(s)) for s in range(model.states)]
    return model.to_json(), model.name, model.grid, names, [model.action_name(a) for a in range(model.actions)]


def of_reward(built: rewards.BuiltReward) -> Any:
    H, S, A = built.model.horizon, built.model.states, built.model.actions
    facts = {name: getattr(built.facts, name) for name, *_ in built.facts._fields_}
    return facts, built.name, [built.at(t, s, a, n) for t in range(H) for s in range(S) for a in range(A) for n in range(S)]


def of_plan(plan: foray.Plan) -> Any:
    said = (plan.value, plan.low, plan.high, plan.values, plan.certificate, plan.mode, repr(plan))
    return said, plan.policy.tolist(), plan.to_json(), of_reward(plan.reward), of_model(plan.model)


def of_clusters(made: foray.Clusters) -> Any:
    return made.text, [made.centre(k).tolist() for k in range(made.count)], made.nearest([0.3, 0.4])


def of_episodes(env: Any) -> Any:
    return [env.step(action)[:4] for action in np.array([0, 1, 2])]


#: What can be copied: how to make one, and everything that it says.
COPIED: dict[type, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    foray.Model: (lambda: foray.world(WORLD), of_model),
    foray.Plan: (lambda: explored().plan(foray.reward({7: 1.0}, range=(-1, 2), discount=0.9)), of_plan),
    foray.Reward: (lambda: foray.reward({7: 2.0, (1, 2): -1.0, (0, 1, 1): 0.5}, name="mine", minimise=True),
                   lambda reward: of_reward(reward.build(foray.world(WORLD)))),
    rewards.BuiltReward: (lambda: foray.reach(7, avoid=[2]).build(foray.world(WORLD)), of_reward),
    foray.Clusters: (lambda: foray.Clusters("radial:9", low=[-1, -8], high=[1, 8]), of_clusters),
    foray.Certificate: (lambda: explored().bound(), repr),
    foray.Reasons: (lambda: explored().plan("goal:7").explain(), repr),
    foray.Place: (lambda: foray.Place(1, 2, 3, 0.5), repr),
    foray.Difference: (lambda: explored().difference(np.zeros(9), np.ones(9), "goal:7"), repr),
    foray.Limit: (lambda: foray.Limit("goal:7", 0.5, False, 0.6, 0.5, 0.7, 0.0), repr),
    foray.Law: (lambda: foray.Law("a", 1, 2, 3, 0.5, 7.0), repr),
    foray.Simulator: (lambda: foray.Simulator(step, states=5, actions=2, horizon=4),
                      lambda made: foray.explore(made, episodes=50).data()[0].tolist()),
    own.Own: (lambda: own.Own(3, 2), lambda made: (made.values, made.ends)),
    rewards.Values: (lambda: rewards.Values(0.5), lambda made: made.range()),
    data.Relabelling: (lambda: data.Relabelling(foray.world(WORLD), "goal:7"), lambda made: made.at(0, 7, 0, 7)),
}  # fmt: skip


def of_context(kind: type) -> Any:
    context, model = _context.Context(), foray.world(WORLD)
    if kind is environments.ModelWorld:
        return environments.ModelWorld(context, model)
    return environments.PythonWorld(context, model, foray.Simulator(step, states=5, actions=2, horizon=4))


#: What is refused: how to make one, and what the message must name.
REFUSED: dict[type, tuple[Callable[[], Any], str]] = {
    foray.Run: (explored, "open_run"),
    foray.Builder: (lambda: foray.Builder.tabular(2, 1, 3), r"finish\(\)"),
    _context.Native: (_context.Native, "another one"),
    _context.Context: (_context.Context, "another one"),
    runs.Explorer: (lambda: explored()._explorer, "part of the run"),
    runs.Temporary: (runs.Temporary, "path="),
    plans.Policy: (lambda: explored().plan("goal:7")._policy, "the plan"),
    foray.Front: (lambda: explored().tradeoff(["goal:7", "goal:1"], policies=3), "its plans"),
    environments.ModelWorld: (lambda: of_context(environments.ModelWorld), "another one"),
    environments.PythonWorld: (lambda: of_context(environments.PythonWorld), "another one"),
}  # fmt: skip

#: What holds nothing of the library's by itself: nothing is freed twice, whatever becomes of it.
PLAIN = {
    environments.Player, runs.Looks, progress.Bar, _context.Underway, foray.Tables,
    episodes.Environment, vector.VectorEnvironment, vector.Played,
}  # fmt: skip


def _with_gymnasium() -> None:
    from foray import gym

    def world() -> Any:
        env = foray.gym.World(WORLD, reward="goal:7")
        env.reset(seed=5)
        env.step(np.int64(1))
        return env

    def many() -> Any:
        envs = foray.gym.Worlds(3, WORLD, reward="goal:7")
        envs.reset(seed=5)
        return envs

    def batch() -> Any:
        made = gym.Batch(foray.world(WORLD), 4)
        made.begin([1, 2, 3, 4])
        return made

    def on(made: Any) -> Any:
        made.advance(np.array([0, 1, 2, 3]))
        return made.state.tolist(), made.step.tolist()

    COPIED.update({
        gym.World: (world, of_episodes),
        gym.Worlds: (many, lambda envs: [part.tolist() for part in envs.step(np.array([0, 1, 2]))[:4]]),
        gym.Batch: (batch, on),
    })  # fmt: skip
    PLAIN.add(gym.Follow)


def classes() -> set[type]:
    """Every class that is defined in the package, but for exceptions and the mirror of C's structs."""
    found: set[type] = set()
    for module in pkgutil.iter_modules(foray.__path__, "foray."):
        if module.name == "foray._library":
            continue
        try:
            names = vars(importlib.import_module(module.name))
        except ImportError:
            continue
        found |= {c for c in names.values() if inspect.isclass(c) and c.__module__ == module.name}
    return {c for c in found if not issubclass(c, Exception)}


def test_nothing_is_made_of_an_address() -> None:
    model, context = foray.world(WORLD), _context.Context()
    built = foray.goal(7).build(model)
    makes: list[Callable[[Any], Any]] = [
        foray.Model, plans.Policy, lambda made: foray.Builder(context, made), lambda made: foray.Run(context, made, ""),
        lambda made: rewards.BuiltReward(context, model, made), lambda made: foray.Plan(made, model, built, None),
    ]  # fmt: skip
    for make in makes:
        for made in (5, model.pointer, None, "", ctypes.c_void_p()):
            with pytest.raises(TypeError, match="nothing to make by itself"):
                make(made)


def test_every_class_is_copied_or_refused() -> None:
    """A new class must be put into one of the tables above."""
    if hasattr(foray, "gym"):
        _with_gymnasium()
    assert classes() == COPIED.keys() | REFUSED.keys() | PLAIN
    for kind in classes() - PLAIN:
        if issubclass(kind, _context.Native) and kind not in REFUSED:
            assert "__reduce__" in vars(kind), kind
    for kind, (make, say) in COPIED.items():
        for way in WAYS:
            expected, original = say(make()), make()
            made = way(original)
            del original  # the last of it, before its copy is used
            gc.collect()
            assert type(made) is kind and repr(say(made)) == repr(expected), kind
    for kind, (make, named) in REFUSED.items():
        original = make()
        for way in WAYS:
            with pytest.raises(TypeError, match=named):
                way(original)
