# mypy: ignore-errors
"""Every public function, class, method and property of foray, called with what does not belong there.

The names are found by introspection, so that what is added is attacked too. Each argument in turn is
replaced by every value of NASTY, the others being as they should; then several at once. Nothing may
crash, hang, or raise anything but ValueError, TypeError (both with a sentence), foray.ForayError or
what an index or a file may raise. Each target is attacked in a process of its own, so that the next
ones are attacked after a crash too; the library may be built with -DFORAY_SANITIZE=address,undefined.

    scripts/attack python calls [PATTERN]            everything, or what matches; --accepted lists what was taken
"""

from __future__ import annotations

import ctypes
import inspect
import os
import re
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import foray

LIMIT = int(os.environ.get("FORAY_ATTACK_SECONDS", "3"))


class Awkward:
    """Raises whatever it is asked."""

    def __index__(self) -> int:
        raise ValueError("no index here")

    def __float__(self) -> float:
        raise ValueError("no float here")

    def __len__(self) -> int:
        return 3

    def __getitem__(self, key: Any) -> Any:
        raise ValueError("no item here")


def _readonly() -> Any:
    array = np.zeros(4)
    array.flags.writeable = False
    return array


NASTY: list[Any] = [
    None, "", "x", "x\0y", "\ud800", "é\n", "1", b"x", b"\xff", float("nan"), float("inf"), -float("inf"),
    -1, 0, 1, 3, 0.9, 1.7, 1e300, True, 2**31 - 1, 2**31, 2**32 + 1, 2**63 - 1, 2**63, 2**64 + 1000, -(2**63) - 1,
    10**400, 1j, [], {}, (), [None], ["x"], [[]], [-1], [2**40], {0: None}, {None: 1.0}, {"x": "y"}, {-1: 1.0},
    {2**40: 1.0}, {0: float("nan")}, (0, 1, 2, 3, 4), {(0, 0, 0, 0): 1.0}, object(), Awkward(), len, int, lambda: 0,
    lambda s: None, lambda s: "x", lambda s, a, n, t: 0.0, lambda *x: 1.0, np.array(1.0), np.array([]),
    np.zeros((2, 2, 2, 2)), np.zeros((4, 0)), np.array([None, 1], object), np.array(["a", "b"]), np.full(4, np.nan),
    np.full((6, 9), 1.7), np.full(9, 2**40), np.full(9, -1), np.arange(18.0)[::2], _readonly(),
    np.arange(9, dtype=">i4"), np.arange(9, dtype=">f8"), np.int64(1), np.float64(0.5), np.bool_(True),
    np.datetime64("2020"), np.zeros(3, dtype=[("a", int)]), np.ma.masked_array([1.0, 2.0], [True, False]),
    Path("/nonexistent/x"), Path("x\0y"),
]  # fmt: skip


class Slow(BaseException):
    """Nothing wrong if a number says that much is to be done, and an alarm ends it."""


def _ring(*_: Any) -> None:
    raise Slow


ALLOWED = (
    ValueError, TypeError, foray.ForayError, IndexError, KeyError, OSError, ImportError, StopIteration, MemoryError,
)  # fmt: skip


class Objects:
    """One good object of each class, and a good value for each parameter."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="foray-attack-")
        self.model = foray.world("rooms:rows=1,cols=2,size=2,horizon=6")
        self.path = os.path.join(self.folder, "run.foray")
        self.run = foray.explore(self.model, episodes=20, path=self.path, progress=False)
        self.plan = self.run.plan("goal:7")
        self.model.save(os.path.join(self.folder, "model.json"))
        Path(self.folder, "reward.json").write_text('{"format":"foray-reward","version":1,"entries":[[null,1,null,1]]}')
        self.builder = foray.Builder.tabular(3, 2, 4)
        self.simulator = foray.Simulator(lambda s, a, rng: 0, states=3, actions=2, horizon=4)
        self.clusters = foray.Clusters("grid:3x5", low=[-1, -8], high=[1, 8])
        self.reward = foray.goal(7)
        self.all = [
            self.model, self.run, self.plan, self.plan.policy, self.plan.reward, self.reward, self.clusters, self.simulator,
            self.builder, self.plan.certificate, foray.Model, foray.world("riverswim"), foray.goal(1).build(foray.world("riverswim")),
        ]  # fmt: skip

    def good(self, name: str, owner: str) -> Any:
        number = len(os.listdir(self.folder))
        table = {s: {a: [(0.5, 0, 0.0, False), (0.5, 1, 0.0, False)] for a in range(2)} for s in range(3)}
        if name == "path":
            reads = {"load_model": "model.json", "load_reward": "reward.json", "open_run": "run.foray"}
            return os.path.join(self.folder, reads.get(owner, f"new{number}"))
        if name == "text":
            return {"world": "riverswim", "Clusters": "grid:3x5"}.get(owner, "riverswim")
        if name == "initial":
            return {0: 1.0}
        if name == "name":
            return None if owner in ("rows", "frame", "Simulator", "reach", "avoid", "goal", "reward") else "algorithm"
        return {
            "source": self.model, "episodes": 5, "horizon": 6, "seed": 1, "data": self.run.data(), "known": self.model,
            "state": 0, "action": 0, "following": 1, "probability": 1.0, "states": 3, "actions": 2, "step": 0,
            "what": "goal:7", "reward": "goal:7", "rewards": ["goal:7"], "policy": self.plan.policy, "mode": "plugin",
            "P": np.full((2, 3, 3), 1 / 3), "table": table, "laws": "pair", "layout": None, "delta": 0.1,
            "low": [-1, -8], "high": [1, 8], "cluster": 0, "observation": [0.0, 0.0], "target": 0.0, "other": self.model,
            "outcomes": [2], "law": 0, "simulators": 2, "dim": 2, "norm_bound": 1.0, "weights": [0.5, 0.5],
            "theta": [0.5, 0.5], "features": {0: 1.0}, "simulator": 0, "row": 0, "col": 0, "rows": 2, "cols": 2,
            "probabilities": [0.5, 0.5], "dataset_id": "x/y-v0", "run": self.run, "experiment": "complexity",
            "algorithms": ["random"], "world": "riverswim", "env": None, "seeds": 1, "num_envs": 2, "progress": False,
            "quick": True, "seconds": 0.05, "default": 0.0, "discount": 1.0, "range": (0.0, 1.0), "model": self.model,
            "avoid": [], "until": None, "targets": (), "threads": 1, "goals": 0, "rounds": 0, "rewards_": 0,
        }.get(name)  # fmt: skip


def _is_public(name: str) -> bool:
    return not name.startswith("_") or name in ("__init__", "__call__", "__repr__", "__enter__", "__reduce__")


def targets(of: Objects) -> Iterator[tuple[str, Callable[[], Any], str]]:
    """(name, how to get what is called, the name of its owner): functions, and methods of objects that
    are made anew each time."""
    modules = {"": foray}
    if hasattr(foray, "gym"):
        modules["gym."] = foray.gym
    instances: dict[str, Callable[[], Any]] = {
        "Model": lambda: of.model, "Run": lambda: of.run, "Plan": lambda: of.plan, "Reward": lambda: of.reward,
        "Clusters": lambda: of.clusters, "Simulator": lambda: of.simulator,
        "Builder": lambda: foray.Builder.tabular(3, 2, 4), "Certificate": lambda: of.plan.certificate,
        "Builder(classes)": lambda: foray.Builder.classes(3, 2, 4, [2, 1000]),
        "Builder(mixture)": lambda: foray.Builder.mixture(3, 2, 4, 1000),
        "Builder(features)": lambda: foray.Builder.features(3, 2, 4, 1000, 1.0),
        "Builder(finished)": finished_builder, "Run(closed)": lambda: closed_run(),
        "gym.World": lambda: foray.gym.World("riverswim"), "gym.Worlds": lambda: foray.gym.Worlds(3, "riverswim"),
        "gym.World(closed)": closed_world,
        "BuiltReward": lambda: of.reward.build(of.model), "Tables": lambda: foray.Tables(of.folder, None),
    }  # fmt: skip
    for prefix, module in modules.items():
        for name in getattr(module, "__all__", ["World", "Worlds", "Follow", "name_of"]):
            thing = getattr(module, name)
            if inspect.isclass(thing) and issubclass(thing, BaseException):
                continue
            yield prefix + name, (lambda thing=thing: thing), name
    if hasattr(foray, "gym"):
        yield "explore an environment", (lambda: explore_lake), "explore"
        yield "explore vectors", (lambda: explore_pendulum), "explore"
    for name, make in instances.items():
        if name.startswith("gym.") and not hasattr(foray, "gym"):
            continue
        for attribute, what in inspect.getmembers(type(make())):
            if not _is_public(attribute) or attribute == "__init__" or attribute in ("np_random", "np_random_seed", "get_wrapper_attr"):
                continue
            if isinstance(what, property):
                yield f"{name}.{attribute} (property)", (lambda m=make, a=attribute: lambda: getattr(m(), a)), attribute
            elif callable(what):
                yield f"{name}.{attribute}", (lambda m=make, a=attribute: getattr(m(), a)), attribute


def explore_lake(
    known=None, laws="pair", initial=None, range=None, twins=None, horizon=5, targets=(), range_total=None,
    random_rewards=False,
):  # fmt: skip
    import gymnasium

    return foray.explore(
        gymnasium.make("FrozenLake-v1"), episodes=3, progress=False, known=known, laws=laws, initial=initial, range=range,
        twins=twins, horizon=horizon, targets=targets, range_total=range_total, random_rewards=random_rewards,
    )  # fmt: skip


def explore_pendulum(clusters="grid:2x2x2", box=None, actions=3, twins=None, horizon=3):
    import gymnasium

    env = gymnasium.make("Pendulum-v1")
    return foray.explore(
        env, episodes=3, progress=False, clusters=clusters, box=box, actions=actions, twins=twins, horizon=horizon
    )


def finished_builder() -> foray.Builder:
    builder = foray.Builder.tabular(1, 1, 1).transition(0, 0, 0, 1.0)
    builder.finish()
    return builder


def closed_run() -> foray.Run:
    run = foray.explore("riverswim", episodes=1, progress=False)
    run.close()
    return run


def closed_world() -> Any:
    env = foray.gym.World("riverswim")
    env.reset(seed=1)
    env.close()
    return env


def parameters_of(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return []


def calls(get: Callable[[], Any], owner: str, of: Objects) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A good call, then each argument replaced, then all of them at random."""
    listed = parameters_of(get())

    def call(changed: dict[str, Any]) -> Any:
        positional, named = [], {}
        for p in listed:
            if p.name not in changed and p.default is not p.empty and p.name not in ("episodes", "progress", "horizon", "seconds", "path"):
                continue
            value = changed.get(p.name, of.good(p.name, owner))
            if p.kind == p.VAR_POSITIONAL:
                positional += [value] if p.name in changed else [0]
            elif p.kind == p.VAR_KEYWORD:
                named |= {"delta": value} if p.name in changed else {}
            elif p.kind == p.KEYWORD_ONLY:
                named[p.name] = value
            else:
                positional.append(value)
        return get()(*positional, **named)

    yield "as it should be", lambda: call({})
    for p in listed:
        for i, value in enumerate(NASTY + of.all):
            yield f"{p.name}=#{i} {_show(value)}", lambda p=p, value=value: call({p.name: value})
    rng, things = np.random.default_rng(5), NASTY + of.all
    for _ in range(30 if len(listed) > 1 else 0):
        chosen = {p.name: things[rng.integers(len(things))] for p in listed}
        yield "all " + _show(chosen), lambda chosen=chosen: call(chosen)


def _show(value: Any) -> str:
    return re.sub(r"\s+", " ", repr(value))[:90].encode("ascii", "replace").decode()


def use(answer: Any) -> None:
    """What came out is looked at: what was accepted may crash later."""
    repr(answer)
    if isinstance(answer, foray.Model):
        answer.facts(), answer.initial(), answer.to_json()
    elif isinstance(answer, foray.Run):
        answer.plan("goal:0"), answer.bound(), answer.data()
        try:
            answer.plan("own")
        except ALLOWED:
            pass
    elif isinstance(answer, foray.Plan):
        answer.policy.sum(), answer.to_json()
    elif isinstance(answer, foray.Builder):
        try:
            use(answer.finish())
        except ALLOWED:
            pass


def outcome(call: Callable[[], Any], text: str) -> str:
    """What came of it, as a line. The alarm may ring until the end."""
    try:
        answer = call()
        use(answer)
        line = f"took {text} -> {_show(answer)}\n"
    except ALLOWED as error:
        few = not isinstance(error, (OSError, ImportError, StopIteration, MemoryError)) and len(str(error).split()) < 3
        line = f"words {text}: {type(error).__name__}: {error}\n" if few else ""
    except Slow:
        raise
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{Path(where.filename).name}:{where.lineno}"
        line = f"raised {text}: {type(error).__name__} at {at}: {_show(str(error))}\n"
    signal.setitimer(signal.ITIMER_REAL, 0)
    return line


def attack_one(name: str, get: Callable[[], Any], owner: str, of: Objects, log: Any) -> None:
    """Writes a line for each call: what was wrong, or what was accepted."""
    for text, call in calls(get, owner, of):
        log.write(f"try {name}({text})\n")
        log.flush()
        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        try:
            log.write(outcome(call, f"{name}({text})"))
        except Slow:
            log.write(f"slow {name}({text})\n")


def run(pattern: str, accepted: bool) -> int:
    """Each target in a child."""
    faults, count = 0, 0
    of = Objects()
    for name, get, owner in targets(of):
        if not re.search(pattern, name):
            continue
        with tempfile.NamedTemporaryFile("r", errors="replace") as log:
            child = os.fork()
            if child == 0:
                try:
                    os.chdir(of.folder)
                    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
                        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
                    warnings.simplefilter("ignore")
                    with open(log.name, "w", errors="replace") as out:
                        attack_one(name, get, owner, Objects(), out)
                except BaseException:
                    traceback.print_exc()
                    os._exit(1)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            lines = log.read().splitlines()
            count += sum(line.startswith("try ") for line in lines)
            if status != 0:
                faults += 1
                how = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
                print(f"CRASH ({how}): {lines[-1] if lines else name}", flush=True)
            for line in lines:
                if line.startswith(("raised", "words", "slow") + (("took",) if accepted else ())):
                    faults += line.startswith(("raised", "words"))
                    print(line, flush=True)
    print(f"calls {count}  faults {faults}")
    return 1 if faults else 0


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _ring)
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    with tempfile.TemporaryDirectory(prefix="foray-attack-") as tempfile.tempdir:  # children end without tidying up
        faults = run(words[0] if words else "", "--accepted" in sys.argv)
    sys.exit(faults)
