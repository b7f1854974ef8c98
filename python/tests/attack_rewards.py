# mypy: ignore-errors
"""Random rewards, each given in every form that can say it, in every kind of model.

All forms of one reward must give the same bits: value, bounds, certificate and actions. Where the
true probabilities are known, plain backward induction on arrays says what a policy earns; that must
lie between the plan's bounds, and the certificate must cover what the best policy earns more.

    scripts/attack python rewards [N [SEED]]  N rewards (default 100,000), in all models in turn

tests/test_attack.py runs a slice of it. The runs are the same each time: their data were drawn with
fixed seeds, and none of them is among the tenth that delta allows to be wrong.
"""

from __future__ import annotations

import functools
import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import foray

Floats = npt.NDArray[np.float64]
Law = Floats  #: P[s,a,s'], and 0 everywhere for a pair (s,a) that there is not


@dataclass
class Case:
    """A run, and what is true of its world."""

    name: str
    run: foray.Run
    law: Law | None  #: the true probabilities
    first: Floats | None = None  #: where episodes truly begin

    @property
    def shape(self) -> tuple[int, int, int]:
        model = self.run.model
        return model.horizon, model.states, model.actions

    def possible(self) -> npt.NDArray[np.bool_]:
        """What the model lets follow what."""
        model, (_, S, A) = self.run.model, self.shape
        found = np.zeros((S, A, S), bool)
        for s, a in itertools.product(range(S), range(A)):
            found[s, a, slice(None) if model.unstructured else model.successors(s, a)] = model.available(s, a)
        return found


@dataclass
class Wanted:
    """A reward as an array worth[t,s,a,s'], or states to reach and to avoid, with all its forms."""

    kind: str
    worth: Floats | None
    to: list[int]
    away: list[int]
    discount: float
    minimise: bool
    forms: dict[str, Any]


# --------------------------------------------------------------------------------- the models


def law_of(model: foray.Model) -> Law:
    """P[s,a,s'] of a model that knows it."""
    law = np.zeros((model.states, model.actions, model.states))
    for s, a in itertools.product(range(model.states), range(model.actions)):
        if model.available(s, a):
            np.add.at(law[s, a], model.successors(s, a), model.probabilities(s, a))
    return law


def first_of(model: foray.Model) -> Floats:
    first = np.zeros(model.states)
    for state, probability in model.initial().items():
        first[state] += probability
    return first


def table(rng: np.random.Generator, S: int, A: int, H: int, start: int = 1) -> foray.Model:
    """Any probabilities, a third of them 0; episodes begin in `start` states."""
    P = rng.dirichlet(np.ones(S), size=(A, S)) * (rng.random((A, S, S)) < 0.67)
    P[:, np.arange(S), np.arange(S)] += 0.05
    P /= P.sum(axis=2, keepdims=True)
    initial = dict(enumerate(rng.dirichlet(np.ones(start)).tolist())) if start > 1 else {0: 1.0}
    return foray.from_arrays(P, H, layout="ASS", initial=initial)


def classes(rng: np.random.Generator, S: int, A: int, H: int) -> foray.Model:
    """Two laws for all pairs, one action missing, and names."""
    builder = foray.Builder.classes(S, A, H, outcomes=[2, 3])
    missing = int(rng.integers(S))
    builder.available(missing, range(A - 1))
    for s, a in itertools.product(range(S), range(A)):
        if s != missing or a < A - 1:
            law = int(rng.integers(2))
            builder.outcomes(s, a, law, rng.choice(S, 2 + law, replace=False).tolist())
    for law in range(2):
        builder.law(law, rng.dirichlet(np.ones(2 + law)).tolist())
    for s in range(S):
        builder.state_name(s, f"room {s}")
    return builder.initial({0: 0.75, S - 1: 0.25}).finish()


def mixture(rng: np.random.Generator, S: int, A: int, H: int, count: int = 3) -> foray.Model:
    builder = foray.Builder.mixture(S, A, H, simulators=count)
    for k, s, a in itertools.product(range(count), range(S), range(A)):
        for following, p in enumerate(rng.dirichlet(np.ones(S)).tolist()):
            builder.simulator(k, s, a, following, p)
    return builder.weights(rng.dirichlet(np.ones(count)).tolist()).initial({0: 1.0}).finish()


def features(rng: np.random.Generator, S: int, A: int, H: int, dim: int = 3) -> foray.Model:
    """phi(s'|s,a) whose product with theta is a probability for any weights: a mixture in disguise,
    stretched so that theta is not one of weights."""
    scale, weights = rng.uniform(1.8, 3, dim), rng.dirichlet(np.ones(dim))
    builder = foray.Builder.features(S, A, H, dim, norm_bound=float(np.linalg.norm(weights * scale)) * 1.1)
    for s, a in itertools.product(range(S), range(A)):
        laws = rng.dirichlet(np.ones(S), size=dim)
        for following in range(S):
            phi = {k: float(laws[k, following] / scale[k]) for k in range(dim)}
            builder.feature(s, a, following, phi)
    return builder.theta((weights * scale).tolist()).initial({0: 1.0}).finish()


def explored(name: str, model: foray.Model, episodes: int, **more: Any) -> Case:
    return Case(name, foray.explore(model, episodes=episodes, progress=False, **more), law_of(model), first_of(model))


def opened(name: str, model: foray.Model, episodes: int, initial: bool) -> Case:
    """The same world, of which nothing is known but its sizes."""
    known = foray.unstructured_model(model.states, model.actions, model.horizon, model.initial() if initial else None)
    data = foray.explore(model, episodes=episodes, algorithm="random", progress=False).data()
    return Case(name, foray.learn(data, known), law_of(model), first_of(model))


def cases() -> Iterator[Case]:
    """Every kind of model, small, with few and with many episodes."""
    rng = np.random.default_rng(25)
    for episodes in (3, 300):
        few = "few" if episodes < 10 else "many"
        yield explored(f"table, {few}", table(rng, 4, 2, 3), episodes)
        yield explored(f"table from several states, {few}", table(rng, 3, 3, 4, start=3), episodes)
        yield explored(f"table of one step, {few}", table(rng, 3, 2, 1), episodes)
        yield explored(f"table of one action, {few}", table(rng, 3, 1, 2), episodes)
        yield explored(f"table by rf-express, {few}", table(rng, 4, 2, 3), episodes, algorithm="rf-express")
        yield explored(f"classes, {few}", classes(rng, 5, 2, 4), episodes)
        yield explored(f"mixture, {few}", mixture(rng, 3, 2, 4), episodes)
        yield explored(f"features, {few}", features(rng, 3, 2, 4), episodes)
        yield opened(f"open, {few}", table(rng, 4, 2, 3), episodes, initial=True)
        yield opened(f"open from anywhere, {few}", table(rng, 4, 2, 3, start=3), episodes, initial=False)
        yield explored(f"riverswim, {few}", foray.world("riverswim:states=4,horizon=5"), episodes)
        yield opened(f"square, {few}", table(rng, 3, 3, 3), episodes, initial=True)
    model = table(rng, 4, 2, 5)
    yield Case("function", foray.explore(simulator(model), episodes=200, progress=False), law_of(model), first_of(model))
    yield from lakes()
    yield from vectors()


def simulator(model: foray.Model) -> foray.Simulator:
    law = law_of(model)
    rows = {(s, a): law[s, a].cumsum() for s in range(model.states) for a in range(model.actions)}

    def step(state: int, action: int, random: Any) -> int:
        return min(int(np.searchsorted(rows[state, action], random.random(), side="right")), model.states - 1)

    return foray.Simulator(step, states=model.states, actions=model.actions, horizon=model.horizon)


def lakes() -> Iterator[Case]:
    """FrozenLake through Gymnasium, with each kind of knowledge."""
    try:
        import gymnasium
    except ImportError:
        return
    env = gymnasium.make("FrozenLake-v1", map_name=None, desc=["SFF", "FHF", "FFG"], is_slippery=True)
    law = np.zeros((9, 4, 9))
    for s, actions in env.unwrapped.P.items():  # type: ignore[attr-defined]
        for a, rows in actions.items():
            for probability, following, _, _ in rows:
                law[s, a, following] += probability
    first = np.eye(9)[0]
    for name, more in {
        "lake": {}, "lake, table": {"known": "table"}, "lake, one law": {"known": "table", "laws": "all"},
    }.items():  # fmt: skip
        for episodes in (4, 400):
            run = foray.explore(env, episodes=episodes, horizon=6, progress=False, **more)
            yield Case(f"{name}, {episodes}", run, law, first)


def vectors() -> Iterator[Case]:
    """A point on a line, seen through clusters. What is true of clusters is not known."""
    try:
        import gymnasium
    except ImportError:
        return

    class Line(gymnasium.Env[Any, Any]):
        observation_space = gymnasium.spaces.Box(-1.0, 1.0, (1,))
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.x = 0.0
            return np.array([self.x], np.float32), {}

        def step(self, action: Any) -> Any:
            self.x = float(np.clip(self.x + (2 * action - 1) * self.np_random.uniform(0, 0.7), -1, 1))
            return np.array([self.x], np.float32), 0.0, False, False, {}

    for twins in (False, True):
        run = foray.explore(Line(), clusters="grid:4", horizon=3, episodes=50, twins=twins, progress=False)
        yield Case(f"clusters, twins {twins}", run, None)


# -------------------------------------------------------------------------------- the rewards


def values_of(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Numbers as people write them, and as nobody does."""
    style = rng.integers(6)
    if style == 0:
        return rng.random(shape)
    if style == 1:
        return (rng.random(shape) < 0.3).astype(float)
    if style == 2:
        return rng.normal(0, 10.0 ** rng.integers(-3, 4), shape)
    if style == 3:
        return rng.integers(-3, 4, shape).astype(float)
    if style == 4:
        return np.zeros(shape) if rng.random() < 0.5 else np.full(shape, float(rng.normal()))
    return np.where(rng.random(shape) < 0.2, rng.uniform(-5, 5, shape), 0.0)


def entries(worth: Floats, possible: npt.NDArray[np.bool_], kind: str) -> list[list[Any]]:
    """The entries of a reward file."""
    if kind == "s":
        return [[None, s, None, v] for s, v in enumerate(worth[0, :, 0, 0].tolist())]
    H, S, A, _ = worth.shape
    if kind == "sa":
        return [[None, s, a, worth[0, s, a, 0]] for s in range(S) for a in range(A) if possible[s, a].any()]
    if kind == "hsa":
        steps = itertools.product(range(H), range(S), range(A))
        return [[t, s, a, worth[t, s, a, 0]] for t, s, a in steps if possible[s, a].any()]
    return [[None, s, a, n, worth[0, s, a, n]] for s, a, n in np.argwhere(possible).tolist()]


class Maker:
    """Rewards of one case, with all forms of each."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder, self.possible = case, folder, case.possible()
        self.clusters = case.run.clusters

    def make(self, rng: np.random.Generator) -> Wanted:
        kind = str(rng.choice(["s", "sa", "hsa", "sas", "n", "goal", "reach", "overruled"]))
        if kind in ("goal", "reach"):
            return self._named(rng, kind)
        if kind == "overruled":
            return self._overruled(rng)
        H, S, A = self.case.shape
        shape = {"s": (1, S, 1, 1), "sa": (1, S, A, 1), "hsa": (H, S, A, 1), "sas": (1, S, A, S), "n": (1, 1, 1, S)}[kind]
        worth = np.array(np.broadcast_to(values_of(rng, shape), (H, S, A, S)))
        # What is impossible is worth what something else is: arrays say it too, and ranges depend on it.
        if kind in ("sas", "n"):
            worth[:, ~self.possible] = worth[:, self.possible][:, :1]
        if kind in ("sa", "hsa"):
            pairs = self.possible.any(axis=2)
            worth[:, ~pairs] = worth[:, pairs][:, :1]
        how: dict[str, Any] = {}
        low, high = min(worth.min(), 0.0), max(worth.max(), 0.0)
        if rng.random() < 0.5:
            how["range"] = (float(low) - float(rng.integers(2)), float(high) + 1.0)
        plain = self.case.run.algorithm not in ("ucrl-vtr",) and rng.random() < 0.5
        discount = 1.0 if plain else float(rng.choice([0.5, 0.9]))
        minimise = bool(rng.random() < 0.3)
        how |= {"discount": discount, "minimise": minimise, "name": "x"}
        forms = {form: foray.reward(what, **how) for form, what in self._forms(kind, worth).items()}
        if "range" not in how:
            how["range"] = (0.0, 1.0) if low >= 0 and high <= 1 else (float(low), float(high))
        forms["file"] = self._file(worth, kind, how)
        return Wanted(kind, worth, [], [], discount, minimise, forms)

    def _forms(self, kind: str, worth: Floats) -> dict[str, Any]:
        """Arrays of every layout in memory, dictionaries, and functions of every kind."""
        H, S, A = self.case.shape
        square = H == S == A
        w, triples = np.ascontiguousarray(worth[0]), np.argwhere(self.possible).tolist()
        ahead: dict[str, Any] = {  # what does not depend on what follows can be said as if it did
            "dictionary of triples": {(s, a, n): w[s, a, n] for s, a, n in triples},
            "triples backwards": {(s, a, n): w[s, a, n] for s, a, n in reversed(triples)},
            "function of what follows": lambda s, a, n: w[s, a, n],
        }  # fmt: skip
        if not square:
            ahead |= {"array of what follows": w, "list": w.tolist(), "columns of what follows": np.asfortranarray(w)}
        if kind == "n":
            met = np.flatnonzero(self.possible.any(axis=(0, 1))).tolist()
            value = {n: w[self.possible[:, :, n].nonzero()][0, n] for n in met}
            return ahead | {"next states": {(None, None, n): value[n] for n in met}}
        if kind == "sas":
            return ahead
        if kind == "s":
            r = np.ascontiguousarray(worth[0, :, 0, 0])
            forms: dict[str, Any] = {
                "array": r, "list": r.tolist(), "reversed": r[::-1].copy()[::-1], "swapped": r.astype(">f8"),
                "array of pairs": np.ascontiguousarray(worth[0, :, :, 0]), "dictionary": dict(enumerate(r.tolist())),
                "dictionary of numpy": {(np.int64(s), None): v for s, v in enumerate(r)},
                "function": lambda s: r[s], "partial": functools.partial(lambda q, s: q[s], r),
            }  # fmt: skip
            if not square:
                forms["array of steps"] = np.ascontiguousarray(worth[:, :, :, 0])
            if self.case.run.model.state_name(0):
                forms["names"] = {self.case.run.model.state_name(s): v for s, v in enumerate(r.tolist())}
        elif kind == "hsa":
            return {} if square else {"array": worth[:, :, :, 0], "list": worth[:, :, :, 0].tolist()}
        else:
            q = np.ascontiguousarray(worth[0, :, :, 0])
            pairs = np.argwhere(self.possible.any(axis=2)).tolist()
            forms = {
                "array": q, "list": q.tolist(), "columns": np.asfortranarray(q),
                "dictionary": {(s, a): q[s, a] for s, a in pairs}, "function": lambda s, a: q[s, a],
            }  # fmt: skip
            if not square:
                forms["array of steps"] = np.ascontiguousarray(worth[:, :, :, 0])
        return ahead | forms

    def _overruled(self, rng: np.random.Generator) -> Wanted:
        """A few entries about one or about all, of which later ones overrule earlier ones."""
        H, S, A = self.case.shape
        said: dict[tuple[Any, Any, Any], float] = {}
        for value in values_of(rng, (int(rng.integers(1, 8)),)).tolist():
            key = tuple(None if rng.random() < 0.4 else int(rng.integers(size)) for size in (S, A, S))
            if self.possible[tuple(slice(None) if k is None else k for k in key)].any():
                said.pop(key, None)  # type: ignore[call-overload]
                said[key] = value  # type: ignore[index]
        w = np.zeros((S, A, S))
        for key, value in said.items():
            w[tuple(slice(None) if k is None else k for k in key)] = value
        low, high = min(0.0, *said.values(), 0.0), max(1.0, *said.values(), 0.0)
        how: dict[str, Any] = {"range": (low, high), "discount": float(rng.choice([1.0, 0.9])), "name": "x",
                               "minimise": bool(rng.random() < 0.3)}  # fmt: skip
        short = {key if key[2] is not None else key[:2] if key[1] is not None else key[0]: v for key, v in said.items()}
        forms = {"dictionary": foray.reward(said, **how), "short keys": foray.reward(short, **how),
                 "function": foray.reward(lambda s, a, n: w[s, a, n], **how),
                 "array": foray.reward(w, layout="SAS", **how)}  # fmt: skip
        listed = [[None, *key[:2], *key[2:] * (key[2] is not None), v] for key, v in said.items()]
        forms["file"] = self._file(w, "", how, listed)
        worth = np.array(np.broadcast_to(w, (H, S, A, S)))
        return Wanted("overruled", worth, [], [], how["discount"], how["minimise"], forms)

    def _named(self, rng: np.random.Generator, kind: str) -> Wanted:
        H, S, A = self.case.shape
        chosen = rng.permutation(S).tolist()
        to = chosen[: int(rng.integers(1, 3))]
        text = ",".join(map(str, to))
        if kind == "goal":
            r = np.isin(np.arange(S), to).astype(float)
            worth = np.array(np.broadcast_to(r[None, :, None, None], (H, S, A, S)))
            forms = {
                "goal": foray.goal(*to), "text": foray.reward(f"goal:{text}"), "array": foray.reward(r),
                "numpy": foray.goal(*np.array(to)), "dictionary": foray.reward({s: 1.0 for s in to}),
                "function": foray.reward(lambda s: s in to), "file": self._file(worth, "s", {"range": (0.0, 1.0)}),
            }  # fmt: skip
            return Wanted(kind, worth, [], [], 1.0, False, forms)
        minimise = bool(rng.random() < 0.3)
        away = chosen[2 : 2 + int(rng.integers(0, 2))] if rng.random() < 0.7 else []
        content = {"reach": to, "avoid": away} if away else {"reach": to}
        forms = {"reach": foray.reach(*to, avoid=away), "numpy": foray.reach(*np.array(to), avoid=np.array(away, int))}
        if not away and rng.random() < 0.5:
            content, to, away = {"avoid": to}, [], to
            forms = {"avoid": foray.avoid(*away), "text": foray.reward(f"avoid:{text}")}
        elif not away:
            forms["text"] = foray.reward(f"reach:{text}")
        forms["file"] = self._write(content)
        if minimise:
            forms = {"text": foray.reward(f"reach:{text}", minimise=True)} if to and not away else forms
            minimise = bool(to and not away)
            if minimise:
                forms["file"] = self._write({**content, "optimise": "min"})
        return Wanted(kind, None, to, away, 1.0, minimise, forms)

    def _file(
        self, worth: Floats, kind: str, how: dict[str, Any], listed: list[list[Any]] | None = None
    ) -> foray.Reward:
        content: dict[str, Any] = {"range": list(how["range"]), "default": 0.0}
        content["entries"] = entries(worth, self.possible, kind) if listed is None else listed
        if how.get("discount", 1.0) != 1.0:
            content["discount"] = how["discount"]
        if how.get("minimise"):
            content["optimise"] = "min"
        return self._write(content)

    def _write(self, content: dict[str, Any]) -> foray.Reward:
        path = self.folder / "reward.json"
        head = {"format": "foray-reward", "version": 1, "name": "x"}
        path.write_text(json.dumps({**head, **content}))
        return foray.load_reward(path)


class ThroughClusters(Maker):
    """Functions are asked about the middle of each cluster; nothing is earned after an end."""

    def make(self, rng: np.random.Generator) -> Wanted:
        clusters, (H, S, A) = self.case.run.clusters, self.case.shape
        assert clusters is not None
        kind, near = str(rng.choice(["s", "sa", "sas"])), clusters.nearest
        if kind == "sas":
            w = values_of(rng, (S, A, clusters.count))
            w[clusters.count :] = 0.0
            array = w[:, :, np.arange(S) % clusters.count]
            forms = {
                "array": array, "function": lambda x, move, y: w[near(x), int(move), near(y)],
                "dictionary": {k: v for k, v in np.ndenumerate(array)},
            }  # fmt: skip
            return Wanted(kind, None, [], [], 1.0, False, forms)
        q = values_of(rng, (S, 1 if kind == "s" else A))
        q[clusters.count :] = 0.0
        function = (lambda x: q[near(x), 0]) if kind == "s" else (lambda x, move: q[near(x), int(move)])
        array = q[:, 0] if kind == "s" else q
        listed = dict(enumerate(array.tolist())) if kind == "s" else {k: v for k, v in np.ndenumerate(array)}
        forms = {"array": array, "dictionary": listed, "function": function, "reward of it": foray.reward(function)}
        return Wanted(kind, None, [], [], 1.0, False, forms)


# ----------------------------------------------------------------------------------- the oracle


def optimum(law: Law, wanted: Wanted, horizon: int, policy: npt.NDArray[Any] | None = None) -> Floats:
    """Backward induction: the value of a policy, or of the best one, from every state."""
    S, A, _ = law.shape
    missing, V = law.sum(axis=2) == 0, np.zeros(S)
    sign = -1.0 if wanted.minimise else 1.0
    event = wanted.worth is None
    decided = np.full(S, np.nan)
    if event:
        V = np.zeros(S) if wanted.to else np.ones(S)
        decided[wanted.away], decided[wanted.to] = 0.0, 1.0
        V = np.where(np.isnan(decided), V, decided)
    for t in reversed(range(horizon)):
        ahead = V if event else wanted.discount**t * wanted.worth[t] + V  # type: ignore[index]
        Q = np.where(missing, np.nan, (law * ahead).sum(axis=2))
        V = np.nanmax(sign * Q, axis=1) * sign if policy is None else Q[np.arange(S), policy[t]]
        V = np.where(np.isnan(decided), V, decided)
    return V


# ------------------------------------------------------------------------------------- attacks


def numbers_of(plan: foray.Plan) -> tuple[Any, ...]:
    certificate = plan.certificate
    return (
        plan.value, plan.low, plan.high, plan.mode, *plan.values.values(), certificate.gap, certificate.status,
        certificate.bound, certificate.radius, certificate.vacuous, plan.policy.tobytes(),
    )  # fmt: skip


def attack(maker: Maker, rng: np.random.Generator) -> str | None:
    """One reward; what is wrong with its plans."""
    case, wanted = maker.case, maker.make(rng)
    if not wanted.forms:
        return None
    mode = str(rng.choice(foray.plans.MODES[:3]))
    names, rewards = list(wanted.forms), list(wanted.forms.values())
    plans = case.run.plans(rewards, mode=mode)
    alone = int(rng.integers(len(rewards)))
    plans.append(case.run.plan(rewards[alone], mode=mode))
    names.append(names[alone] + ", alone")
    found = [numbers_of(plan) for plan in plans]
    for name, numbers in zip(names, found, strict=True):
        if str(numbers) != str(found[0]):
            return f"{names[0]} {found[0][:11]} is not {name} {numbers[:11]}"
    again = [numbers_of(case.run.certify(plans[0].policy, what)) for what in rewards]
    if any(str(numbers) != str(again[0]) for numbers in again):
        return f"certify: {names[0]} {again[0][:11]} is not {[numbers[:11] for numbers in again]}"
    return against_truth(case, wanted, plans[0]) if case.law is not None else None


def against_truth(case: Case, wanted: Wanted, plan: foray.Plan) -> str | None:
    assert case.law is not None and case.first is not None
    H, S, A = case.shape
    value = float(case.first @ optimum(case.law, wanted, H, plan.policy))
    best = float(case.first @ optimum(case.law, wanted, H))
    size = 1.0 if wanted.worth is None else max(2.0, float(np.ptp(wanted.worth))) * H
    slack = 1e-9 * size
    if case.run.model.known and (
        abs(plan.truth()[0] - value) > slack or abs(plan.truth()[1] - best) > slack
    ):
        return f"truth {plan.truth()}, but backward induction says {value}, {best}"
    if not plan.low - slack <= value <= plan.high + slack:
        return f"earns {value}, not in [{plan.low}, {plan.high}]"
    if plan.certificate.proved and abs(best - value) > plan.certificate.gap + slack:
        return f"loses {abs(best - value)}, but the certificate is {plan.certificate.gap}"
    return None


def run_attack(count: int, seed: int = 1, say: Callable[[str], None] = print) -> Counter[str]:
    """`count` rewards, in all models in turn; says what is wrong, and counts."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        makers = [(Maker if case.run.clusters is None else ThroughClusters)(case, Path(folder)) for case in cases()]
        for i in range(count):
            maker = makers[i % len(makers)]
            try:
                fault = attack(maker, np.random.default_rng((seed, i)))
            except Exception as error:  # a form that one accepts and another refuses is a fault too
                fault = f"{type(error).__name__}: {error}"
            counts["rewards"] += 1
            if fault is not None:
                counts["faults"] += 1
                counts[f"fault in {maker.case.name}"] += 1
                say(f"{maker.case.name}, reward {i} of seed {seed}: {fault}")
    return counts


if __name__ == "__main__":
    arguments = [int(float(word)) for word in sys.argv[1:]]
    total = run_attack(*(arguments or [100_000]))
    print("  ".join(f"{name} {n}" for name, n in total.items()))
    sys.exit(1 if total["faults"] else 0)
