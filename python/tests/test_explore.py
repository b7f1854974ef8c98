"""Exploring and planning: the bits of the command, errors, threads, interruption."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foray

WORLDS = ["rooms:rows=1,cols=2,size=2,horizon=6", "riverswim:states=5,horizon=8", "frozenlake"]
ALGORITHMS = ["ucrl-rfe", "ucrl-rfe+", "scout", "rf-express", "random"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("world", WORLDS)
def test_the_bits_of_the_command(
    world: str, algorithm: str, command: Callable[..., Any], tmp_path: Path
) -> None:
    theirs = str(tmp_path / "theirs.foray")
    said = command("explore", world, "-k", "400", "--seed", "7", "-a", algorithm, "-o", theirs)
    ours = foray.explore(world, episodes=400, seed=7, algorithm=algorithm)
    assert ours.bound().gap == said["bound"]["gap"]
    assert ours.replans == said["plans"]
    with foray.open_run(theirs) as run:
        for one, other in zip(ours.data(), run.data(), strict=True):
            assert np.array_equal(one, other)
    for reward in ("goal:2", "reach:3"):
        plan = ours.plan(reward)
        found = command("plan", theirs, "-r", reward, "--no-store")["plans"][0]
        assert plan.certificate.gap == found["certificate"]["gap"]
        value = found["value"]
        assert (plan.value, plan.low, plan.high) == (value["policy"], value["low"], value["high"])


def test_plans_of_arrays_mappings_and_functions_agree() -> None:
    run = foray.explore("riverswim:states=5,horizon=8", episodes=500)
    S, A, H = run.model.states, run.model.actions, run.model.horizon
    by_state = np.zeros(S)
    by_state[4] = 1
    plans = run.plans(
        ["goal:4", foray.goal(4), by_state, np.repeat(by_state[:, None], A, axis=1),
         np.broadcast_to(by_state[None, :, None], (H, S, A)), {4: 1.0}, {(4, None): 1.0},
         lambda s: s == 4, lambda s, a: s == 4]  # fmt: skip
    )
    assert len({plan.value for plan in plans}) == 1
    assert len({plan.certificate.gap for plan in plans}) == 1
    for plan in plans:
        assert np.array_equal(plan.policy, plans[0].policy)
        assert not plan.policy.flags.writeable
    entering = run.plans([lambda s, a, n: float(n == 4), {(None, None, 4): 1.0}])
    assert entering[0].value == entering[1].value > 0
    array = np.zeros((S, A, S))
    array[:, :, 4] = 1
    assert run.plan(array).value == entering[0].value
    assert run.plan("reach:4").value <= run.plan(foray.reach(3, 4)).value


def test_a_reward_in_its_own_unit() -> None:
    run = foray.explore("riverswim:states=5,horizon=8", episodes=2000)
    one = run.plan({4: 1.0})
    ten = run.plan(foray.reward({4: 10.0}, range=(0, 10)))
    assert ten.value == pytest.approx(10 * one.value) and ten.reward.facts.high == 10
    least = run.plan(foray.reward({4: 1.0}, minimise=True))
    assert least.value <= one.value
    early = run.plan(foray.reward("goal:4", discount=0.5))
    assert early.value < one.value


def test_errors_are_exceptions_with_the_message() -> None:
    with pytest.raises(foray.UsageError, match="rows=0"):
        foray.world("rooms:rows=0")
    with pytest.raises(foray.UsageError, match="no-such"):
        foray.explore("riverswim", algorithm="no-such")
    with pytest.raises(ValueError, match="episodes"):
        foray.explore("riverswim", episodes=-3)
    with pytest.raises(foray.FileError, match="missing"):
        foray.open_run("/tmp/missing.foray")
    with pytest.raises(foray.UsageError, match="nothing to explore"):
        foray.explore(17)
    run = foray.explore("riverswim", episodes=10)
    with pytest.raises(ValueError, match="state"):
        run.plan("goal:99")
    with pytest.raises(ValueError, match="no such file"):
        run.plan("gaol:1")
    with pytest.raises(ValueError, match="shape"):
        run.plan(np.zeros((2, 2)))
    run.close()
    assert run.closed and repr(run) == "<foray.Run, closed>"
    with pytest.raises(ValueError, match="closed"):
        run.plan("goal:1")


def test_files_are_resumed_to_the_same_bits(tmp_path: Path) -> None:
    path = tmp_path / "a.foray"
    whole = foray.explore("riverswim", episodes=600, seed=3)
    with foray.explore("riverswim", episodes=200, seed=3, path=path):
        pass
    with pytest.raises(foray.ForayError, match="exists"):
        foray.explore("riverswim", episodes=200, seed=3, path=path)
    with foray.explore("riverswim", episodes=600, seed=3, path=path, resume=True) as run:
        assert run.episodes == 600
        assert run.bound() == whole.bound()
        run.plan("goal:5")
        run.verify()
    with pytest.raises(foray.UsageError, match="another model"):
        foray.explore("frozenlake", path=path, resume=True)
    with foray.open_run(path) as run:
        assert run.plan("goal:5").value == whole.plan("goal:5").value
        assert run.trace().shape[1] == 3


def test_what_goes_on_is_the_same_run(tmp_path: Path) -> None:
    """Other settings were dropped without a word, and two worlds were taken for one."""
    def still(state: int, action: int, rng: Any) -> int:
        return state

    def leaves(state: int, action: int, rng: Any) -> int:
        return 1

    river = "riverswim:states=4,horizon=8"
    begun = foray.explore(river, episodes=20, path=tmp_path / "river", seed=3)
    begun.close()
    for other in ({"delta": 0.001}, {"seed": 4}, {"algorithm": "random"}, {"radius_scale": 0.5}):
        with pytest.raises(foray.UsageError, match="was started with"):
            foray.explore(river, episodes=30, path=tmp_path / "river", resume=True, **other)
    again = foray.explore(river, episodes=30, path=tmp_path / "river", resume=True, seed=3, delta=0.1, algorithm="ucrl-rfe")
    assert again.episodes == 30
    with pytest.raises(foray.UsageError, match="path="):
        foray.explore(river, episodes=30, resume=True)
    worlds = [foray.Simulator(step, states=2, actions=1, horizon=3) for step in (still, leaves)]
    foray.explore(worlds[0], episodes=50, path=tmp_path / "still").close()
    with pytest.raises(foray.UsageError, match="explored still, and not leaves"):
        foray.explore(worlds[1], episodes=60, path=tmp_path / "still", resume=True)
    with foray.explore(worlds[0], episodes=60, path=tmp_path / "still", resume=True) as run:
        assert run.episodes == 60


def test_a_budget_can_only_be_raised() -> None:
    left = [30]

    def step(state: int, action: int, rng: Any) -> int:
        left[0] -= 1
        if left[0] == 0:
            raise RuntimeError("enough")
        return state

    world = foray.Simulator(step, states=2, actions=1, horizon=3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run")
        with pytest.raises(RuntimeError, match="enough"):
            foray.explore(world, episodes=10**9, path=path)
        with pytest.raises(foray.UsageError, match="only be raised"):
            foray.explore(world, episodes=12, path=path, resume=True)
        assert foray.open_run(path).episodes < 10


def test_temporary_files_go_away() -> None:
    run = foray.explore("riverswim", episodes=10)
    path = run.path
    assert os.path.exists(path)
    del run
    gc.collect()
    assert not os.path.exists(path)


def test_threads_with_a_context_each_give_the_bits_of_one() -> None:
    def work() -> tuple[float, float, bytes]:
        run = foray.explore("rooms:rows=1,cols=2,size=2,horizon=6", episodes=300, seed=5)
        return run.bound().gap, run.plan("goal:3").certificate.gap, run.data()[0].tobytes()

    alone, found = work(), []
    threads = [threading.Thread(target=lambda: found.append(work())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 8


INTERRUPTED = """
import foray, sys
sys.stderr.write("ready\\n"); sys.stderr.flush()
try:
    foray.explore({source}, episodes=10**9, {more})
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize(
    ("source", "more"),
    [
        ('"rooms:rows=2,cols=2"', "progress=True"),
        ("foray.Simulator(lambda s, a, rng: (s + a) % 3, states=3, actions=2, horizon=4)", "progress=True"),
    ],
)
def test_ctrl_c_stops_exploring(source: str, more: str, tmp_path: Path) -> None:
    code = INTERRUPTED.format(source=source, more=f"{more}, path={str(tmp_path / 'a.foray')!r}")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stderr is not None
    while b"left" not in child.stderr.read(80):  # until the bar says that it explores
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == b"stopped\n" and child.returncode == 0
    with foray.open_run(tmp_path / "a.foray") as run:
        assert run.episodes > 0


def test_what_a_simulator_raises_comes_out() -> None:
    def broken(state: int, action: int, rng: object) -> int:
        raise LookupError("lost the map")

    for algorithm in ("inverse-count", "random"):
        with pytest.raises(LookupError, match="lost the map"):
            foray.explore(foray.Simulator(broken, states=3, actions=2, horizon=4), algorithm=algorithm)
    with pytest.raises(foray.WorldError, match="state 9"):
        foray.explore(foray.Simulator(lambda s, a, rng: 9, states=3, actions=2, horizon=4))
    with pytest.raises(foray.UsageError, match="3 is none"):
        foray.Simulator(3, states=3, actions=2, horizon=4)  # type: ignore[arg-type]
    assert repr(foray.Simulator(broken, states=3, actions=2, horizon=4)) == (
        "<foray.Simulator broken: 3 states, 2 actions, horizon 4>"
    )


def test_a_policy_from_elsewhere_is_certified() -> None:
    run = foray.explore("riverswim:states=4,horizon=8", episodes=3000)
    best = run.plan("goal:3")
    again = run.certify(best.policy, "goal:3")
    assert again.certificate.gap == best.certificate.gap and again.mode == "given"
    stay = run.certify(np.zeros(run.model.states, dtype=int), "goal:3")
    assert stay.certificate.gap > best.certificate.gap
    value, optimal = best.truth()
    assert optimal - value <= best.certificate.gap and best.low <= value <= best.high


def test_certificates_are_explained_and_plans_saved(tmp_path: Path) -> None:
    run = foray.explore("rooms:rows=3,cols=3", episodes=200)
    plan = run.plan("goal:92")
    reasons = plan.explain()
    assert reasons.places and reasons.laws and reasons.places[0].share > 0
    plan.save(tmp_path / "policy.json")
    assert '"reward"' in plan.to_json()
    low, high = run.intervals()
    assert np.all(low <= high) and np.all(low >= 0) and np.all(high <= 1)
    theta, width = run.estimate()
    assert theta.shape == width.shape
    run.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000


def test_memory_stays_flat() -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def once() -> None:
        with foray.explore("riverswim:states=4,horizon=6", episodes=20_000) as run:
            run.plan("goal:3").explain()
            run.data()

    for _ in range(5):
        once()
    gc.collect()
    before = resident()
    for _ in range(30):
        once()
    gc.collect()
    assert resident() - before < 2_000_000


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    path = tmp_path / "kept.foray"
    with foray.explore("riverswim", episodes=20, path=path, progress=False) as run:
        plan = run.plan("goal:5")
        for write, name in ((plan.save, "policy.json"), (run.report, "page.html")):
            write(tmp_path / name)
            with pytest.raises(foray.FileError, match="already exists"):
                write(tmp_path / name)
            write(tmp_path / name, replace=True)
            with pytest.raises(foray.FileError, match="is a run"):
                write(path, replace=True)


def test_wrong_arguments_make_no_file_and_replace_none(tmp_path: Path) -> None:
    kept, new = tmp_path / "kept.foray", tmp_path / "new.foray"
    foray.explore("riverswim", episodes=20, path=kept, progress=False).close()
    before = kept.read_bytes()
    wrong: Any
    for wrong in (
        {"targets": ["goal:99"]}, {"until": -1}, {"reward_for": "nothing"}, {"range": (0, 1)}, {"progress": "no"},
        {"episodes": 0}, {"delta": 7},
    ):  # fmt: skip
        for path in (kept, new):
            with pytest.raises(ValueError):
                foray.explore("riverswim", **({"episodes": 20, "progress": False} | wrong), path=path, replace=True)
    assert kept.read_bytes() == before and os.listdir(tmp_path) == ["kept.foray"]
    targets = (foray.goal(state) for state in (0, 1))
    with foray.explore("riverswim", episodes=9, path=kept, replace=True, targets=targets, progress=False) as run:
        assert run.episodes == 9


def test_a_world_that_fails_has_begun_a_new_run(tmp_path: Path) -> None:
    """As with --force: what fails beforehand replaces nothing, and what fails later leaves the episodes before it."""
    kept, steps = tmp_path / "kept.foray", 0

    def step(state: int, action: int, rng: random.Random) -> int:
        nonlocal steps
        steps += 1
        if steps == 43:
            raise RuntimeError("broken")
        return (state + action) % 3

    world = foray.Simulator(step, states=3, actions=2, horizon=4)
    foray.explore("riverswim", episodes=20, path=kept).close()
    before = kept.read_bytes()
    with pytest.raises(foray.UsageError, match="its own"):
        foray.explore(world, episodes=30, path=kept, replace=True, horizon=5)
    assert kept.read_bytes() == before
    with pytest.raises(RuntimeError, match="broken"):
        foray.explore(world, episodes=30, path=kept, replace=True)
    with foray.open_run(kept) as run:
        assert run.episodes == 10 and len(run.data()[0]) == 10
    with foray.explore(world, episodes=30, path=kept, resume=True) as run:
        assert run.episodes == 30
        run.verify()
    assert os.listdir(tmp_path) == ["kept.foray"]
