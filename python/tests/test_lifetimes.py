"""Signals, callbacks, threads, forks and exits in the middle of a call: nothing is used after its end."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import random
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foray

WORLD = "rooms:rows=1,cols=2,size=2,horizon=6"


def step(state: int, action: int, rng: random.Random) -> int:
    return (state + action + (rng.random() < 0.3)) % 5


def simulator(function: Any = step) -> foray.Simulator:
    return foray.Simulator(function, states=5, actions=2, horizon=4)


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory in which nothing but what the test leaves is temporary."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


# --------------------------------------------------------------------------------- signals

SIGNALLED = """
import gc, itertools, os, signal, sys, threading, time
import numpy as np
import foray

def step(state, action, rng):
    return (state + action + (rng.random() < 0.3)) % 5

class Late(Exception):
    pass

count = 0
def handler(number, frame):
    global count
    count += 1
    while frame is not None and frame.f_code is not call.__code__:
        frame = frame.f_back
    if frame is not None:  # so what it raises comes out of call()
        {raises}
run = foray.explore("rooms:rows=2,cols=2", episodes=2_000, progress=False)
large = foray.explore("rooms:rows=3,cols=3,horizon=50", episodes=100, progress=False)
rewards = [foray.reward({{s: 1.0}}) for s in range(20)]

def call(k):
    {call}

for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT):
    signal.signal(number, handler)

def shoot():
    time.sleep(0.02)
    for shot in itertools.count():
        time.sleep(0.0003)
        if over:
            break
        os.kill(os.getpid(), (signal.SIGALRM, signal.SIGTERM, signal.SIGINT)[shot % 3])
seen = 0
for k in range(4):
    shooter = threading.Thread(target=shoot, daemon=True)
    over = False
    shooter.start()
    try:
        call(k)
    except (Late, SystemExit):
        seen += 1
    over = True
    shooter.join()
    gc.collect()
print("seen", seen > 0, signal.getsignal(signal.SIGTERM) is handler)
assert run.plan("goal:1").certificate.gap >= 0
sys.stdout.flush()
"""

RAISES = ["raise Late(number)", "raise SystemExit(number)"]
CALLS = [
    "while True: large.plans(rewards)",
    "foray.explore('rooms:rows=2,cols=2', episodes=10**9, progress=False)",
    "foray.explore(foray.Simulator(step, states=5, actions=2, horizon=4), episodes=10**9, progress=False)",
    "while True: large.intervals()",
    "while True: run.data()",
]


def spoken(code: str, **more: Any) -> str:
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300, **more)
    assert child.returncode == 0, (child.returncode, child.stderr[-3000:])
    # Python ignores what is raised while it destroys something, but nothing may be lost in a callback.
    ignored = [line for line in child.stderr.splitlines() if line.startswith("Exception ignored")]
    assert all("<finalize" in line for line in ignored), child.stderr[-3000:]
    return str(child.stdout)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("raises", RAISES)
def test_what_a_handler_raises_waits_for_the_call(raises: str, call: str) -> None:
    """One exception after the other, the next while the call is still ending."""
    assert spoken(SIGNALLED.format(raises=raises, call=call)) == "seen True True\n"


def test_handlers_that_raise_nothing_run_and_stop_nothing() -> None:
    code = SIGNALLED.format(
        raises="pass",
        call="got = foray.explore('rooms:rows=2,cols=2', episodes=5_000, progress=False).episodes; assert got == 5_000",
    )
    assert spoken(code) == "seen False True\n"


def test_an_alarm_interrupts_a_step_that_never_ends() -> None:
    def hang(state: int, action: int, rng: random.Random) -> int:
        while True:
            time.sleep(0.01)

    def late(*_: object) -> None:
        raise TimeoutError("too long")

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(TimeoutError, match="too long"):
            foray.explore(simulator(hang), episodes=10)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ------------------------------------------------------------------------------- callbacks


@pytest.mark.parametrize("algorithm", ["inverse-count", "random"])
def test_a_callback_may_not_use_the_run_that_calls_it(algorithm: str) -> None:
    run = foray.explore(simulator(), episodes=20, algorithm=algorithm)
    refused = 0

    def meddle(state: int, action: int, rng: random.Random) -> int:
        nonlocal refused
        uses = [run.close, run.bound, run.data, run.trace, run.verify, lambda: run.plan("goal:1"), lambda: run.episodes,
                lambda: run.explore(episodes=10), lambda: run.setting("seed"), run.estimate]  # fmt: skip
        for use in uses:
            with pytest.raises(foray.UsageError, match="must end first"):
                use()
            refused += 1
        assert run.model.states == 5 and not run.closed
        return step(state, action, rng)

    assert run._player is not None
    run._player._next = meddle  # type: ignore[union-attr]
    run.explore(episodes=30)
    assert refused and run.episodes == 30
    other = foray.explore(simulator(lambda s, a, rng: (run.episodes, step(s, a, rng))[1]), episodes=5)
    assert other.episodes == 5  # another run may be used


def test_what_a_progress_bar_raises_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Shut:
        def write(self, _: str) -> int:
            raise BrokenPipeError("nobody reads this")

        def flush(self) -> None: ...

    monkeypatch.setattr(sys, "stderr", Shut())
    with pytest.raises(BrokenPipeError, match="nobody"):
        foray.explore("rooms:rows=2,cols=2", episodes=100_000, progress=True)
    with pytest.raises(BrokenPipeError, match="nobody"):
        foray.compare("riverswim:states=4,horizon=6", ["random"], episodes=500, seeds=2, rounds=0, progress=True)


def test_an_exit_in_a_callback_comes_out() -> None:
    def leave(state: int, action: int, rng: random.Random) -> int:
        sys.exit(7)

    with pytest.raises(SystemExit, match="7"):
        foray.explore(simulator(leave), episodes=10)


# --------------------------------------------------------------------- orders of destruction


def test_what_belongs_to_a_run_outlives_it() -> None:
    run = foray.explore(WORLD, episodes=200)
    model = run.model
    plan = run.plan({(0, 0, 1): 1.0, 7: 0.5})
    policy, built = plan.policy, plan.reward
    values = [built.at(0, s, 0, n) for s in range(9) for n in range(9)]
    said, worth = plan.to_json(), plan.truth()
    run.close()
    run.close()
    del run
    gc.collect()
    assert model.successors(0, 0).size and model.to_json()
    assert [built.at(0, s, 0, n) for s in range(9) for n in range(9)] == values
    assert plan.action(0, 0) == policy[0, 0] and plan.truth() == worth
    assert "reward" in plan.to_json() and '"action"' in said
    copy = pickle.loads(pickle.dumps(plan))
    with pytest.raises(ValueError, match="closed"):
        plan.explain()
    with pytest.raises(foray.UsageError, match="without its run"):
        copy.explain()
    with pytest.raises(foray.UsageError, match="without its run"):
        copy.action(0, (1, 2))
    del plan, model
    gc.collect()
    assert policy.sum() >= 0 and built.name == "reward" and copy.policy.tolist() == policy.tolist()


def test_closing_while_another_thread_is_at_work_waits_or_refuses() -> None:
    for _ in range(20):
        run = foray.explore(WORLD, episodes=200)
        failed: list[BaseException] = []

        def use(run: foray.Run = run, failed: list[BaseException] = failed) -> None:
            try:
                while True:
                    for ask in (lambda: run.plan("goal:7"), run.data, lambda: run.world, lambda: run.episodes, run.bound):
                        ask()
            except ValueError as error:
                failed.append(error)

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(0.02)
        run.close()
        for thread in threads:
            thread.join()
        assert ["closed" in str(error) for error in failed] == [True] * 4


EXIT = """
import threading, time
import foray
from pathlib import Path
def step(s, a, rng): return (s + a) % 5
class Ring: pass
ring = Ring(); ring.ring = ring
ring.run = foray.explore("riverswim", episodes=100)
ring.plan = ring.run.plan("goal:1")
ring.builder = foray.Builder.tabular(2, 1, 3)
ring.clusters = foray.Clusters("grid:3", low=[0], high=[1])
def forever():
    {call}
thread = threading.Thread(target=forever, daemon=True)
thread.start()
time.sleep(0.3)
print("end")
"""


@pytest.mark.parametrize(
    "call",
    [
        'foray.explore("rooms:rows=2,cols=2", episodes=10**9, progress=False)',
        "foray.explore(foray.Simulator(step, states=5, actions=2, horizon=4), episodes=10**9, progress=False)",
        "while True: ring.run.plans([f'goal:{s}' for s in range(6)])",
        "while True: foray.world('rooms:rows=5,cols=5').facts()",
    ],
)
def test_python_ends_while_a_thread_is_at_work(call: str, alone: Path) -> None:
    code = EXIT.format(call=call)
    assert spoken(code, env={**os.environ, "TMPDIR": str(alone)}) == "end\n"
    assert not list(alone.iterdir())


# ------------------------------------------------------------------------- forks and spawns


def _answer(pipe: Any, run: foray.Run, plan: foray.Plan) -> None:
    found = []
    for use in (lambda: run.plan("goal:7"), lambda: run.episodes, run.data):
        try:
            use()
        except foray.UsageError as error:
            found.append("forked" in str(error))
    run.close()
    pipe.send((found, repr(run), plan.policy.tolist(), run.model.states, foray.explore(WORLD, episodes=50).episodes))


def together(*works: Callable[[], None]) -> list[str]:
    """All at once, with threads that change as often as they can; what they raise."""
    raised: list[str] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            raised.append(repr(error))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    return raised


def test_an_environment_in_several_threads() -> None:
    """A reset while another thread stepped ended the process."""
    pytest.importorskip("gymnasium")
    code = """if True:
        import foray, sys, threading
        sys.setswitchinterval(1e-6)
        env = foray.gym.World("riverswim:states=4,horizon=8", reward="goal:3")
        env.reset(seed=1)
        def work():
            for i in range(1500):
                try:
                    env.step(i % 2)
                except foray.UsageError:
                    env.reset()
        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads], [t.join() for t in threads]
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]


def test_clusters_in_several_threads() -> None:
    clusters, wrong = foray.Clusters("grid:21x21", low=[-1, -1], high=[1, 1]), [0]
    points = np.random.default_rng(1).uniform(-1, 1, (200, 2))
    wanted = [clusters.nearest(point) for point in points]

    def ask() -> None:
        for _ in range(10):
            wrong[0] += [clusters.nearest(point) for point in points] != wanted

    assert together(*[ask] * 4) == [] and wrong == [0]


def test_a_builder_in_several_threads() -> None:
    builder = foray.Builder.tabular(40, 4, 4)

    def fill(first: int) -> Callable[[], None]:
        def work() -> None:
            for s in range(first, 40, 4):
                for a in range(4):
                    for n in range(10):
                        builder.transition(s, a, (s + n) % 40, 0.1)
                builder.name("x" * s).state_name(s, f"state {s}")
        return work

    assert together(*[fill(k) for k in range(4)]) == []
    model = builder.finish()
    assert model.facts().transitions == 1600 and model.state_name(39) == "state 39"


def test_an_interrupted_removal_is_made_up_for(tmp_path: Path) -> None:
    """What a handler raises while a temporary run is removed is dropped by Python, and the rest stayed."""
    code = """if True:
        import foray, os, shutil, tempfile
        whole = shutil.rmtree
        def interrupted(*given, **more):
            shutil.rmtree = whole
            raise KeyboardInterrupt
        run = foray.explore("riverswim:states=4,horizon=8", episodes=3, progress=False)
        shutil.rmtree = interrupted
        del run
        assert os.listdir(tempfile.gettempdir())
    """
    there = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=there, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "KeyboardInterrupt" in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_nobody_writes_into_a_plan() -> None:
    plan = foray.explore("riverswim:states=4,horizon=8", episodes=20).plan("goal:3")
    with pytest.raises(ValueError, match="WRITEABLE"):
        plan.policy.flags.writeable = True
    assert not hasattr(plan.reward, "set") and not hasattr(plan.reward, "set_next")


def test_a_fork_leaves_the_run_to_its_parent() -> None:
    run = foray.explore(WORLD, episodes=200)
    plan = run.plan("goal:7")
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()
    child = fork.Process(target=_answer, args=(theirs, run, plan))
    child.start()
    assert ours.poll(60)
    found, shown, policy, states, episodes = ours.recv()
    child.join()
    assert child.exitcode == 0 and found == [True] * 3 and "another process" in shown
    assert policy == plan.policy.tolist() and states == 9 and episodes == 50
    status = os.system(  # one that runs what is to be run at exit
        f"{sys.executable} -c 'import os, sys, foray; r = foray.explore(\"riverswim\", episodes=50)\n"
        "if os.fork() == 0: sys.exit(0)\n"
        "assert os.wait()[1] == 0 and os.path.exists(r.path); r.explore(episodes=90); r.verify()'"
    )
    assert status == 0
    assert os.path.exists(run.path) and run.explore(episodes=300).episodes == 300
    run.verify()


def act(plan: foray.Plan, model: foray.Model) -> Any:
    again = foray.explore(model, episodes=300, seed=3).plan("goal:7")
    return plan.policy.tolist(), plan.certificate, repr(plan), again.policy.tolist()


def test_a_spawned_process_gets_the_same_plan_and_model() -> None:
    run = foray.explore(WORLD, episodes=300, seed=3)
    plan = run.plan("goal:7")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        policy, certificate, shown, again = pool.apply(act, (plan, foray.world(WORLD)))
    assert (policy, certificate, shown) == (plan.policy.tolist(), plan.certificate, repr(plan))
    assert again == policy


# -------------------------------------------------------------------------- temporary files


def _failures() -> Iterator[Any]:
    yield lambda: foray.explore("riverswim", episodes=-3)
    yield lambda: foray.explore("riverswim", algorithm="no-such")
    yield lambda: foray.explore("riverswim", delta=7)
    yield lambda: foray.explore(simulator(lambda s, a, rng: 9), episodes=10)
    yield lambda: foray.explore("riverswim", episodes=10, targets=["goal:99"], until=0.1)
    yield lambda: foray.learn((np.zeros((2, 9), int), np.full((2, 8), 5)), "riverswim:states=4,horizon=8")
    yield lambda: foray.lab("no-such")
    yield lambda: foray.compare("riverswim", ["no-such"])


def test_nothing_temporary_is_left_behind(alone: Path) -> None:
    for fail in _failures():
        with pytest.raises(foray.ForayError):
            fail()
        gc.collect()
        assert not list(alone.iterdir())
    run = foray.explore("riverswim", episodes=10)
    (directory,) = alone.iterdir()
    assert Path(run.path).parent == directory and stat.S_IMODE(directory.stat().st_mode) == 0o700
    run.plan("goal:3")
    run.explore(episodes=30)
    assert {stat.S_IMODE(file.stat().st_mode) for file in directory.iterdir()} == {0o600}
    run.close()
    assert not list(alone.iterdir())
