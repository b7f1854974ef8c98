# mypy: ignore-errors
"""Orders of destruction, threads, signals, fork and spawn, copies: each attack in a process of its own.

    scripts/attack python orders [PATTERN]

A child must end by itself with code 0. Under AddressSanitizer, use after free is an end by abort.
"""

from __future__ import annotations

import copy
import gc
import itertools
import multiprocessing
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import foray

ATTACKS: dict[str, Callable[[], None]] = {}
LIMIT = 900  # seconds, for one that takes 10 alone but under AddressSanitizer on a busy machine


def attack(function: Callable[[], None]) -> Callable[[], None]:
    ATTACKS[function.__name__] = function
    return function


def small() -> foray.Run:
    return foray.explore("riverswim:states=4,horizon=8", episodes=50, progress=False)


def use(thing: Any) -> None:
    """Whatever can be done with it; what is closed may say so."""
    if isinstance(thing, (foray.Builder, foray.Simulator)) or hasattr(thing, "observation_space"):
        return
    for name in ("policy", "facts", "initial", "to_json", "bound", "data", "explain", "truth", "estimate", "_repr_html_"):
        try:
            found = getattr(thing, name, None)
            found() if callable(found) else found
            repr(thing)
        except (ValueError, foray.ForayError):
            pass


@attack
def every_order_of_destruction() -> None:
    """A run, its model, plan, policy, reward, explanation, in every order, closed or not."""
    for order in itertools.permutations(range(5)):
        for closing in (False, True):
            run = small()
            plan = run.plan("goal:3")
            things: list[Any] = [run, run.model, plan, plan.policy, plan.reward]
            del plan
            if closing:
                run.close()
            del run
            for at in order:
                things[at] = None
                gc.collect()
                for thing in things:
                    if isinstance(thing, np.ndarray):
                        assert thing.sum() >= 0
                    elif thing is not None:
                        use(thing)


@attack
def cycles() -> None:
    for _ in range(20):
        run = small()
        run.me = run  # type: ignore[attr-defined]
        run.plan("goal:3").me = run  # type: ignore[attr-defined]
        model = foray.world("riverswim")
        model.me = [model, foray.goal(1).build(model)]  # type: ignore[attr-defined]
        del run, model
    gc.collect()


@attack
def arrays_outlive() -> None:
    policies = [small().plan("goal:3").policy for _ in range(20)]
    gc.collect()
    assert all(0 <= policy.min() and policy.max() <= 1 for policy in policies)
    views = [policy[1:, ::2].T for policy in policies]
    del policies
    gc.collect()
    assert all(view.max() <= 1 for view in views)


@attack
def closed_in_the_middle() -> None:
    """close() inside callbacks: an environment's, a progress bar's, a trace's."""
    box: list[foray.Run] = []

    def step(s: int, a: int, rng: random.Random) -> int:
        if box:
            box[0].close()
        return (s + a) % 3

    run = foray.explore(foray.Simulator(step, states=3, actions=2, horizon=4), episodes=5, progress=False)
    box.append(run)
    try:
        run.explore(episodes=50)
    except (ValueError, foray.ForayError):
        pass
    use(run)


@attack
def asked_in_the_middle() -> None:
    """The world asks its own run for plans, bounds and more episodes while it is explored."""
    box: list[foray.Run] = []
    depth = [0]

    def step(s: int, a: int, rng: random.Random) -> int:
        if box and depth[0] < 3:
            depth[0] += 1
            for ask in (lambda: box[0].plan("goal:1"), box[0].bound, box[0].data, lambda: box[0].explore(episodes=90)):
                try:
                    ask()
                except (ValueError, foray.ForayError):
                    pass
        return (s + a) % 3

    run = foray.explore(foray.Simulator(step, states=3, actions=2, horizon=4), episodes=5, progress=False)
    box.append(run)
    try:
        run.explore(episodes=50)
    except (ValueError, foray.ForayError):
        pass
    use(run)


@attack
def one_run_in_two_threads() -> None:
    run = foray.explore("rooms:rows=2,cols=2,size=3,horizon=12", episodes=200, progress=False)
    first = run.plan("goal:3")
    wanted, failures = (first.value, first.policy.tobytes()), []

    def work(k: int) -> None:
        try:
            for i in range(10):
                plan = run.plan("goal:3")
                if (plan.value, plan.policy.tobytes()) != wanted:
                    failures.append("other numbers")
                plan.explain(), run.bound(), run.data(), plan.to_json(), run.model.facts(), run.intervals()
        except BaseException as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures, failures[:3]


@attack
def closed_by_another_thread() -> None:
    for k in range(8):
        run = foray.explore("rooms:rows=2,cols=2,size=3,horizon=12", episodes=100, progress=False)
        plan = run.plan("goal:3")
        stop: list[BaseException] = []

        def work(run: foray.Run = run, plan: foray.Plan = plan, stop: Any = stop) -> None:
            try:
                while True:
                    run.plan("goal:1"), plan.explain(), run.model.states, run.episodes, run.setting("seed"), plan.to_json()
                    run.model.successors(0, 0), run.model.initial(), run.estimate(), run.trace(), run.world
            except (ValueError, foray.ForayError) as error:
                stop.append(error)

        threads = [threading.Thread(target=work) for _ in range(2)]
        [t.start() for t in threads]
        time.sleep(0.02 * (k + 1))
        run.close()
        [t.join(60) for t in threads]
        assert len(stop) == 2, stop


@attack
def explored_in_two_threads() -> None:
    run = foray.explore("riverswim:states=4,horizon=8", episodes=10, progress=False)
    threads = [threading.Thread(target=run.explore, kwargs={"episodes": 500 + k}) for k in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert run.episodes == 502
    run.verify()


class Alarm(BaseException):
    pass


def interrupted(what: Callable[[], Any], delays: Any, seconds: float = 60) -> int:
    """Calls it again and again; an alarm raises after each delay. How often it did so."""
    raised = 0

    def ring(*_: Any) -> None:
        raise Alarm

    signal.signal(signal.SIGALRM, ring)
    until = time.monotonic() + seconds
    for delay in delays:
        if time.monotonic() > until:
            break
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            what()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Alarm:
            raised += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return raised


DELAYS = [0.002 * 1.35**k for k in range(16)]


@attack
def alarm_while_exploring() -> None:
    assert interrupted(lambda: foray.explore("rooms", episodes=10**7, progress=False), DELAYS) > 3


@attack
def alarm_while_planning() -> None:
    run = foray.explore("rooms:rows=3,cols=3", episodes=200, progress=False)
    wanted = run.plan("goal:3").policy.tobytes()
    assert interrupted(lambda: run.plans(["goal:3"] * 40), DELAYS) > 3
    assert run.plan("goal:3").policy.tobytes() == wanted
    interrupted(lambda: (run.bound(), run.intervals(), run.verify()), DELAYS[:8])
    run.close()


@attack
def alarm_in_the_bar() -> None:
    sys.stderr = open(os.devnull, "w")
    assert interrupted(lambda: foray.explore("rooms", episodes=10**7, progress=True), DELAYS[4:]) > 3


@attack
def alarm_in_an_environment() -> None:
    def step(s: int, a: int, rng: random.Random) -> int:
        return (s + a) % 3

    world = foray.Simulator(step, states=3, actions=2, horizon=4)
    assert interrupted(lambda: foray.explore(world, episodes=10**7, progress=False), DELAYS) > 3
    run = foray.explore(world, episodes=10, progress=False)

    def more() -> None:
        try:
            run.explore(episodes=10**7)
        except foray.UsageError as error:
            assert "open the run again" in str(error)

    assert interrupted(more, DELAYS) >= 1
    run.close()


@attack
def alarm_while_comparing() -> None:
    assert interrupted(
        lambda: foray.compare("rooms", ["random", "rf-express"], seeds=4, episodes=100_000, progress=False), DELAYS[6:]
    ) > 1  # fmt: skip


@attack
def alarm_that_uses_the_run() -> None:
    """The handler itself asks the run, plans with it, and closes it."""
    run = foray.explore("rooms:rows=3,cols=3", episodes=200, progress=False)

    def ring(*_: Any) -> None:
        run.episodes, repr(run)
        run.close()

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        for _ in range(1000):
            run.plans(["goal:3"] * 40)
    except (ValueError, foray.ForayError):
        pass
    run.close()
    assert run.closed


@attack
def exit_while_exploring() -> None:
    """SIGTERM to sys.exit, SIGINT, and a daemon thread that explores at the end."""
    code = (
        "import foray, signal, sys, threading\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "if sys.argv[1] == 'thread':\n"
        "    threading.Thread(target=lambda: foray.explore('rooms', episodes=10**7, progress=False), daemon=True).start()\n"
        "    print('on', flush=True); import time; time.sleep(0.5); sys.exit(7)\n"
        "if sys.argv[1] == 'function':\n"
        "    w = foray.Simulator(lambda s, a, r: (s + a) % 3, states=3, actions=2, horizon=4)\n"
        "else: w = 'rooms'\n"
        "print('on', flush=True)\n"
        "foray.explore(w, episodes=10**7, progress=False)\n"
    )
    for how, number, wanted in [
        ("plain", signal.SIGTERM, (7,)), ("function", signal.SIGTERM, (7,)), ("plain", signal.SIGINT, (130, -2, 1)),
        ("function", signal.SIGINT, (130, -2, 1)), ("thread", None, (7,)),
    ]:  # fmt: skip
        child = subprocess.Popen(
            [sys.executable, "-c", code, how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert child.stdout is not None and child.stdout.readline() == "on\n"
        time.sleep(0.5)
        if number is not None:
            child.send_signal(number)
        _, errors = child.communicate(timeout=60)
        assert child.returncode in wanted, (how, number, child.returncode, errors[-300:])


@attack
def forked() -> None:
    """A fork has copies of runs and plans; parent and child destroy theirs."""
    run, model = small(), foray.world("riverswim:states=4,horizon=8")
    plan = run.plan("goal:3")
    for _ in range(4):
        child = os.fork()
        if child == 0:
            assert plan.policy.sum() >= 0
            use(model), use(plan)
            other = foray.explore(model, episodes=30, progress=False)
            other.plan("goal:1"), other.close()
            del plan, model
            gc.collect()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
    assert os.path.exists(run.path), "a child removed the run of its parent"
    run.plan("goal:2"), run.verify()


@attack
def forked_and_exited() -> None:
    """A child that ends as multiprocessing's do, with finalizers: the parent's run stays."""
    run = small()
    context = multiprocessing.get_context("fork")
    worker = context.Process(target=time.sleep, args=(0,))
    worker.start(), worker.join()
    assert worker.exitcode == 0 and os.path.exists(run.path), "a child removed the run of its parent"
    child = os.fork()
    if child == 0:
        sys.exit(0)
    os.waitpid(child, 0)
    assert os.path.exists(run.path), "a child removed the run of its parent"
    run.plan("goal:2"), run.verify()


def states_of(thing: Any) -> Any:
    return thing.states if isinstance(thing, foray.Model) else thing.policy.sum()


def copies_of(thing: Any) -> list[Any]:
    found = [copy.copy(thing), copy.deepcopy(thing)]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        found.append(pickle.loads(pickle.dumps(thing, protocol)))
    return found


@attack
def copied() -> None:
    """Copies say what the original says, also when it is gone; what has no copy says so."""
    for name in ("riverswim:states=4,horizon=8", "rooms:rows=1,cols=2,size=2,horizon=6"):
        model = foray.world(name)
        text, run = model.to_json(), foray.explore(model, episodes=30, progress=False)
        plan = run.plan("goal:3")
        before = (plan.value, plan.low, plan.high, plan.certificate, plan.policy.tobytes(), repr(plan), plan.proved_optimal)
        copies, plans = copies_of(model), copies_of(plan)
        del model, plan
        gc.collect()
        noise = [foray.world(name) for _ in range(50)]
        for one in copies:
            assert one.to_json() == text
        for one in plans:
            after = (one.value, one.low, one.high, one.certificate, one.policy.tobytes(), repr(one), one.proved_optimal)
            assert after == before, (after, before)
            one.action(0, 0), one.truth(), use(one)
        del noise
        run.close()
        for one in plans:
            assert one.policy.tobytes() == before[4]
            use(one)


@attack
def copied_of_a_closed_run() -> None:
    run = small()
    plan, model = run.plan("goal:3"), run.model
    policy = plan.policy.tobytes()
    run.close()
    for make in (lambda: copies_of(plan), lambda: copies_of(model)):
        try:
            for one in make():
                use(one)
                if isinstance(one, foray.Plan):
                    assert one.policy.tobytes() == policy
        except (ValueError, TypeError, foray.ForayError) as error:
            assert len(str(error).split()) > 2, error


@attack
def copied_otherwise() -> None:
    """Every other class: a copy that works, or a refusal in words."""
    run = small()
    plan = run.plan("goal:3")
    things = [
        run, foray.Builder.tabular(2, 1, 3), foray.Clusters("grid:3", low=[0], high=[1]), foray.goal(1), plan.reward,
        foray.reward({1: 2.0}), foray.reward(np.zeros(4)), foray.reach(1), plan.certificate, plan.explain(),
        foray.Simulator(states_of, states=3, actions=2, horizon=4), plan.policy, run.model,
    ]  # fmt: skip
    if hasattr(foray, "gym"):
        things += [foray.gym.World("riverswim"), foray.gym.Worlds(2, "riverswim")]
        things.append(foray.gym.Follow(foray.gym.World("riverswim:states=4,horizon=8"), plan))
        things[-3].reset(seed=1), things[-2].reset(seed=1), things[-1].reset(seed=1)
    for thing in things:
        for make in (copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))):
            try:
                one = make(thing)
            except (ValueError, TypeError, foray.ForayError) as error:
                assert len(str(error).split()) > 3, (type(thing), error)
                continue
            except (AttributeError, pickle.PicklingError) as error:  # functions of functions, by pickle itself
                assert "local" in str(error) or "lambda" in str(error), (type(thing), error)
                continue
            assert type(one) is type(thing)
            use(one)
            if isinstance(one, foray.Reward):
                run.plan(one)
            if isinstance(one, foray.Clusters):
                assert one.nearest([0.9]) == thing.nearest([0.9])
            if hasattr(one, "step") and hasattr(one, "reset") and not isinstance(one, foray.Simulator):
                one.reset(seed=3)
                one.step(np.zeros(2, np.int64) if hasattr(one, "num_envs") else 0)
                one.close()
            del one
            gc.collect()
    for thing in things:
        if hasattr(thing, "close"):
            thing.close()
    gc.collect()


@attack
def spawned() -> None:
    plan = small().plan("goal:3")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        model = foray.world("riverswim:states=4,horizon=8")
        assert pool.map(states_of, [model, plan, model]) == [4, plan.policy.sum(), 4]


@attack
def temporary_runs_are_removed() -> None:
    """Also after errors; and nobody else may read them."""
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        run = small()
        assert all(os.stat(os.path.join(folder, name)).st_mode & 0o077 == 0 for name in os.listdir(folder))
        run.close()
        failing = foray.Simulator(lambda s, a, r: 1 // 0, states=3, actions=2, horizon=4)
        for wrong in (
            lambda: foray.explore("riverswim", episodes=-1), lambda: foray.explore("riverswim", delta=7),
            lambda: foray.explore("riverswim", algorithm="x"), lambda: foray.explore(failing, episodes=3),
            lambda: foray.explore("riverswim", episodes=3, until=-1), lambda: foray.explore("riverswim", targets=["x"]),
            lambda: foray.explore("riverswim", reward_for="x"), lambda: foray.learn([([0], [])], "riverswim"),
            lambda: foray.learn([([0, 99], [0])], "riverswim"), lambda: foray.explore("riverswim", nonsense=1),
            lambda: foray.explore(foray.unstructured_model(2, 1, 3), episodes=3),
        ):  # fmt: skip
            try:
                wrong().close()
            except (ValueError, ArithmeticError, foray.ForayError):
                pass
        gc.collect()
        assert os.listdir(folder) == [], os.listdir(folder)
        tempfile.tempdir = None


def run_all(pattern: str) -> int:
    faults = 0
    chosen = [name for name in ATTACKS if re.search(pattern, name)]
    for name in chosen:
        began = time.monotonic()
        child = subprocess.Popen([sys.executable, __file__, "--here", name], stderr=subprocess.PIPE, text=True, errors="replace")
        try:
            _, errors = child.communicate(timeout=LIMIT)
            how = str(child.returncode)
        except subprocess.TimeoutExpired:
            child.kill()
            _, errors = child.communicate()
            how = "HANGS"
        faults += how != "0"
        print(f"{'ok' if how == '0' else 'FAULT ' + how}  {name}  {time.monotonic() - began:.1f} s", flush=True)
        if how != "0":
            lines = [x for x in errors.splitlines() if x.strip()]
            told = [x for x in lines if "ERROR" in x or re.match(r"\s*#[0-6] ", x)][:10] or lines[-4:]
            print("    " + "\n    ".join(x[:240] for x in told), flush=True)
    print(f"orders {len(chosen)}  faults {faults}")
    return 1 if faults else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        ATTACKS[sys.argv[2]]()
    else:
        sys.exit(run_all(sys.argv[1] if len(sys.argv) > 1 else ""))
