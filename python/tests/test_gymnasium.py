"""Gymnasium environments as sources."""

from __future__ import annotations

import copy
import functools
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foray
from foray.environments import seed_of

gymnasium = pytest.importorskip("gymnasium")


def lake(**more: Any) -> Any:
    return gymnasium.make("FrozenLake-v1", is_slippery=True, **more)


def test_the_first_example_ends_in_a_small_certificate() -> None:
    run = foray.explore(lake(), known="table", laws="all", episodes=1000, horizon=30)
    plan = run.plan(foray.reach(15))
    assert plan.certificate.proved and plan.certificate.gap < 0.05
    assert plan.low <= 0.347872703235486 <= plan.high + plan.certificate.gap
    assert run.model.unknowns == 2 and not run.model.known
    nothing = foray.explore(lake(), episodes=1000, horizon=30).plan(foray.reach(15))
    assert nothing.certificate.gap > 0.5  # what knowing nothing costs


def test_probabilities_of_the_table_are_never_looked_at() -> None:
    env = lake()
    honest = foray.explore(env, known="table", episodes=50, horizon=10)
    for actions in env.unwrapped.P.values():
        for rows in actions.values():
            rows[:] = [(0.01 + 0.1 * i, *row[1:]) for i, row in enumerate(rows)]
    assert honest.model.same_as(foray.explore(env, known="table", episodes=1, horizon=10).model)


def test_episodes_are_functions_of_seed_and_number() -> None:
    one, other = (foray.explore(lake(), episodes=60, horizon=20, seed=4) for _ in range(2))
    assert np.array_equal(one.data()[0], other.data()[0])
    assert len({seed_of(1, k) for k in range(1000)} | {seed_of(2, k) for k in range(1000)}) == 2000
    states, actions = one.data()
    for k in (0, 59):  # played again by hand
        env = lake()
        state, _ = env.reset(seed=seed_of(4, k))
        ended = False
        for t in range(20):
            assert state == states[k, t]
            if not ended:
                state, _, ended, _, _ = env.step(int(actions[k, t]))


def test_step_by_step_and_whole_episodes_agree() -> None:
    """random decides step by step; what it met must be what a replay by table meets."""
    run = foray.explore(lake(), known="table", algorithm="random", episodes=40, horizon=15)
    states, _ = run.data()
    ended = np.isin(states, [5, 7, 11, 12, 15])
    for row, end in zip(states, ended, strict=True):
        first = int(np.argmax(end)) if end.any() else len(row)
        assert (row[first:] == row[first] if first < len(row) else True) is not False
        assert np.all(row[first:] == row[min(first, len(row) - 1)])


def test_the_reward_of_its_own() -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    run = foray.explore(env, algorithm="random", known="table", laws="all", episodes=4000, horizon=30,
                        range=(0, 1))  # fmt: skip
    reached = run.plan(foray.reach(15))
    own = run.plan("own")
    assert own.certificate.proved and own.certificate.gap < 0.1
    assert own.value == pytest.approx(reached.value, abs=0.02)
    assert run.own.at(0, 14, 2, 15) == 1.0
    with pytest.raises(foray.UsageError, match="own"):
        foray.explore("riverswim", episodes=5).plan("own")


class Odd(gymnasium.Env):  # type: ignore[misc, name-defined]
    """Four states in a row, which begins again; it misbehaves in one way or another."""

    def __init__(self, fault: str = "", after: int = 0, **spaces: Any) -> None:
        self.observation_space = gymnasium.spaces.Discrete(4)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.__dict__.update(spaces)
        self.fault, self.after, self.count, self.at, self.steps = fault, after, 0, 0, 0

    def _seen(self) -> Any:
        odd = {"float": self.at + 0.0, "half": self.at + 0.5, "array": np.array([self.at]), "far": 7,
               "none": None, "small": np.uint8(self.at)}  # fmt: skip
        return odd.get(self.fault, self.at)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.at = self.steps = 0
        return self._seen(), {}

    def step(self, action: int) -> Any:
        self.count += 1
        self.steps += 1
        self.at = (self.at + action) % 4
        if self.fault == "raises" and self.count > 20:
            raise RuntimeError("the battery is empty")
        reward: Any = {"reward": float(self.count), "nan": float("nan"), "text": "a lot"}.get(self.fault, 0.0)
        cut = self.fault == "short" and self.steps >= self.after
        if self.fault == "old":
            return self._seen(), reward, False, {}
        return self._seen(), reward, self.fault == "ends" and self.at == 2, cut, {}


BOTH = pytest.mark.parametrize("algorithm", ["inverse-count", "random"])


@BOTH
def test_broken_contracts_are_told(algorithm: str) -> None:
    def explore(fault: str, **more: Any) -> foray.Run:
        return foray.explore(Odd(fault), algorithm=algorithm, episodes=10, horizon=4, **more)

    with pytest.raises(foray.WorldError, match="must be a function"):
        explore("reward", range=(0, 100))
    with pytest.raises(foray.WorldError, match="is nan, which is not a number"):
        explore("nan", range=(0, 1))
    with pytest.raises(foray.WorldError, match="'a lot', which is not a number"):
        explore("text", range=(0, 1))
    with pytest.raises(foray.WorldError, match=r"reward .* is 1.0, but range=\(2, 3\)"):
        explore("reward", range=(2, 3))
    for fault in ("half", "far", "none"):
        with pytest.raises(foray.WorldError, match="which is not in Discrete"):
            explore(fault)
    with pytest.raises(foray.WorldError, match="as Gymnasium has it since 0.26"):
        explore("old")
    with pytest.raises(RuntimeError, match="battery"):
        explore("raises")
    for fault in ("float", "array", "small"):
        assert np.array_equal(explore(fault).data()[0], explore("").data()[0])
    with pytest.raises(foray.UsageError, match="horizon"):
        foray.explore(Odd(""), episodes=10)
    with pytest.raises(foray.UsageError, match="clusters="):
        foray.explore(gymnasium.make("Pendulum-v1"), horizon=3)
    with pytest.raises(foray.UsageError, match="Odd is a class: create an object"):
        foray.explore(Odd, horizon=3)


@BOTH
def test_a_reward_that_is_no_function_stops_nobody_who_does_not_want_it(algorithm: str) -> None:
    for fault in ("reward", "nan", "text"):
        run = foray.explore(Odd(fault), algorithm=algorithm, episodes=10, horizon=4)
        with pytest.raises(foray.UsageError, match="own: the environment's reward"):
            run.plan("own")


class Pressed(Odd):
    """In step 30 somebody presses Ctrl-C, so many times; or the step itself raises it."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times, self.pressed = times, 0

    def step(self, action: int) -> Any:
        if self.count == 29:
            while self.pressed < self.times:
                self.pressed += 1
                signal.raise_signal(signal.SIGINT)
            if not self.times:
                raise KeyboardInterrupt("by hand")
        return super().step(action)


@BOTH
def test_ctrl_c_inside_a_step(algorithm: str, tmp_path: Path) -> None:
    def explore(env: Any, name: str, **more: Any) -> foray.Run:
        return foray.explore(env, algorithm=algorithm, horizon=6, path=tmp_path / name, progress=False, **more)

    for times, pressed in ((0, 0), (1, 1), (5, 2)):  # the second one does not wait for the step to end
        env = type("Odd", (Pressed,), {})(times)  # what goes on must have the same name
        with pytest.raises(KeyboardInterrupt, match=None if times else "by hand"):
            explore(env, f"{times}", episodes=20)
        assert env.pressed == pressed and (env.count == 29 or times == 1)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        with explore(Odd(), f"{times}", episodes=20, resume=True) as run:  # what ended is kept
            run.verify()
            assert np.array_equal(run.data()[0], explore(Odd(), f"whole{times}", episodes=20).data()[0])


class Unseeded(Odd):
    """Random, whatever the seed is."""

    chance = np.random.default_rng(1)

    def step(self, action: int) -> Any:
        return super().step(action if self.chance.random() < 0.7 else 0)


@BOTH
def test_an_environment_that_ignores_its_seed(algorithm: str, tmp_path: Path) -> None:
    """It cannot be repeated; what was recorded is right all the same, and a run can go on."""
    def explore(episodes: int, **more: Any) -> foray.Run:
        return foray.explore(Unseeded(), algorithm=algorithm, episodes=episodes, horizon=6, **more)

    assert not np.array_equal(explore(50).data()[0], explore(50).data()[0])
    explore(300, path=tmp_path / "run").close()
    with explore(600, path=tmp_path / "run", resume=True) as run:
        run.verify()
        plan = run.plan("reach:3")
        assert plan.certificate.proved and plan.low <= 0.92953 <= plan.high + plan.certificate.gap


# --------------------------------------------------------------------- episodes that are cut off


@pytest.mark.parametrize(
    ("algorithm", "known"),
    [("inverse-count", None), ("random", None), ("rf-express", "model"), ("random", "model")],
)
def test_truncated_episodes_count_as_far_as_they_went(algorithm: str, known: str | None, tmp_path: Path) -> None:
    builder = foray.Builder.tabular(4, 2, 9)
    for s in range(4):
        builder.transition(s, 0, s, 1.0).transition(s, 1, (s + 1) % 4, 1.0)
    more: dict[str, Any] = {"known": builder.forget().finish()} if known else {}
    run = foray.explore(Odd("short", 5), algorithm=algorithm, episodes=30, horizon=9, path=tmp_path / "run", **more)
    states, actions = run.data()
    assert np.all(actions[:, :5] >= 0) and np.all(actions[:, 5:] == -1)
    assert np.all(states[:, 5:] == states[:, 5:6])
    assert sum(law.visits for law in run.plan("goal:3").explain().laws) <= 30 * 5 if known else True
    run.verify()
    run.close()
    with foray.explore(Odd("short", 5), algorithm=algorithm, episodes=60, horizon=9, path=tmp_path / "run",
                       resume=True, **more) as longer:  # fmt: skip
        whole = foray.explore(Odd("short", 5), algorithm=algorithm, episodes=60, horizon=9, **more)
        assert np.array_equal(longer.data()[1], whole.data()[1])
        assert longer.plan("goal:3").certificate == whole.plan("goal:3").certificate


def test_a_limit_below_the_horizon_cuts_episodes_off() -> None:
    short = gymnasium.make("FrozenLake-v1", is_slippery=True, max_episode_steps=7)
    run = foray.explore(short, known="table", laws="all", episodes=300, horizon=20)
    _, actions = run.data()
    steps = (actions >= 0).sum(axis=1)
    assert set(steps.tolist()) == {7, 20}  # cut off, or ended in a state that is absorbing
    plan = run.plan(foray.reach(15))
    assert plan.certificate.proved and plan.low < plan.value < plan.high
    whole = foray.explore(lake(), known="table", laws="all", episodes=300, horizon=20).plan(foray.reach(15))
    assert plan.certificate.gap > whole.certificate.gap  # less was seen


def test_where_nothing_is_known_the_end_of_episodes_is_learnt() -> None:
    run = foray.explore(Odd("ends"), episodes=40, horizon=6)
    _, actions = run.data()
    assert (actions == -2).any() and not (actions == -1).any()
    assert run.plan("reach:2").certificate.gap < 1 == run.plan("reach:2").value
    assert run.plan("reach:3").value == 0.0  # an episode ends before


# ----------------------------------------------------------------------- rewards of their own


def test_the_reward_is_kept_in_the_run(tmp_path: Path, command: Callable[..., Any]) -> None:
    def explore(episodes: int, path: str, **more: Any) -> foray.Run:
        return foray.explore(lake(), algorithm="random", known="table", laws="all", episodes=episodes,
                             horizon=30, path=tmp_path / path, **more)  # fmt: skip

    with explore(2000, "one", range=(0, 1)) as run:
        half = run.plan("own")
    with explore(4000, "one", resume=True) as run:  # the range is kept as well
        assert run.own.at(0, 14, 2, 15) == 1.0
        resumed = run.plan("own")
    with explore(4000, "whole", range=(0, 1)) as run:
        whole = run.plan("own")
        again = run.certify(whole.policy, "own")
        assert again.certificate == whole.certificate
    assert resumed.certificate == whole.certificate and resumed.value == whole.value
    assert whole.certificate.gap < half.certificate.gap < 1
    opened = foray.open_run(tmp_path / "whole").plan("own")
    assert opened.certificate == whole.certificate
    said = command("plan", str(tmp_path / "whole"), "-r", "own")["plans"][0]
    assert said["value"]["policy"] == whole.value
    assert said["certificate"]["gap"] == whole.certificate.gap


def best_of(env: Any, horizon: int) -> float:
    """The value of the best policy for what a table pays, by backward induction."""
    table, start = env.unwrapped.P, env.unwrapped.initial_state_distrib
    after = np.zeros(len(table))
    for _ in range(horizon):
        after = np.array([
            max(sum(p * (r + (0 if done else after[n])) for p, n, r, done in rows) for rows in actions.values())
            for _, actions in sorted(table.items())
        ])  # fmt: skip
    return float(np.dot(start, after))


@pytest.mark.parametrize(("name", "horizon", "best"), [("CliffWalking-v1", 100, -13), ("Taxi-v4", 50, 7.93)])
def test_the_reward_of_a_table_is_known(name: str, horizon: int, best: float) -> None:
    env = gymnasium.make(name)
    plan = foray.explore(env, known="table", horizon=horizon, episodes=1).plan("own")
    assert plan.value == pytest.approx(best_of(env, horizon)) == pytest.approx(best)
    assert plan.certificate.status == "certified" and plan.certificate.optimal in ("proved", "rounding")


def test_a_table_gives_the_range(tmp_path: Path) -> None:
    with foray.explore(lake(), known="table", episodes=1, horizon=5, path=tmp_path / "run") as run:
        assert run.plan("own").certificate.status == "certified"
    with foray.explore(lake(), known="table", episodes=2, horizon=5, path=tmp_path / "run", resume=True) as run:
        assert run.plan("own").certificate.status == "certified"
    with pytest.raises(foray.WorldError, match=r"table for \(s=14, .* is 1.0, but range=\(-1, 0.5\)"):
        foray.explore(lake(), known="table", episodes=1, horizon=5, range=(-1, 0.5))
    env = lake()
    p, following, _, done = env.unwrapped.P[14][2][0]
    env.unwrapped.P[14][2].append((0.0, following, 5.0, done))  # which cannot happen
    foray.explore(env, known="table", episodes=1, horizon=5).plan("own")
    env.unwrapped.P[14][2].append((p, following, 0.5, done))


def test_a_table_may_pay_several_amounts(tmp_path: Path) -> None:
    """Where (s,a,s') has several rewards, they are drawn: their mean is learnt, within their range."""
    env = lake()
    env.unwrapped.P[14][2] = [
        (p / 2, following, r * paid, done)
        for p, following, r, done in env.unwrapped.P[14][2]
        for paid in ((0.5, 1.0) if r else (1.0, 1.0))
    ]
    best = best_of(env, 20)

    known: dict[str, Any] = {"known": "table", "horizon": 20, "seed": 3}
    with foray.explore(env, episodes=1500, path=tmp_path / "run", **known) as run:
        plan = run.plan("own")
        assert plan.certificate.status == "certified"
    with foray.explore(env, episodes=3000, path=tmp_path / "run", resume=True, **known) as run:
        later = run.plan("own")
        run.verify()
    assert plan.low <= best and best - plan.certificate.gap <= plan.high
    assert later.certificate.gap < plan.certificate.gap
    assert later.low - 1e-9 <= value_of(env, later, 20) <= later.high + 1e-9
    assert best - value_of(env, later, 20) <= later.certificate.gap + 1e-9


class Toss(gymnasium.Env):  # type: ignore[misc, name-defined]
    """Pays 0 or 1, whatever is done; after `battery` steps of an episode there is an error."""

    observation_space, action_space = gymnasium.spaces.Discrete(1), gymnasium.spaces.Discrete(1)
    P = {0: {0: [(0.5, 0, 0.0, False), (0.5, 0, 1.0, False)]}}  # noqa: RUF012

    def __init__(self, battery: int = 1000) -> None:
        self.battery, self.done = battery, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.done = 0
        return 0, {}

    def step(self, action: Any) -> Any:
        self.done += 1
        if self.done > self.battery:
            raise RuntimeError("the battery is empty")
        return 0, float(self.np_random.random() < 0.5), False, False, {}


TOSSES: dict[str, Any] = {"horizon": 4, "range": (0, 1), "initial": 0, "seed": 3, "delta": 0.5, "progress": False}


@BOTH
def test_draws_of_an_episode_that_broke_off_count_once(algorithm: str, tmp_path: Path) -> None:
    """An episode that is played again draws the same: 60 tries were taken for 180 draws, and excluded the truth."""
    more = {**TOSSES, "random_rewards": True, "algorithm": algorithm, "episodes": 2}
    for _ in range(20):
        with pytest.raises(RuntimeError, match="battery"):
            foray.explore(Toss(3), path=tmp_path / "run", resume=True, **more)
    found = foray.explore(Toss(), path=tmp_path / "run", resume=True, **more).plan("own")
    plain = foray.explore(Toss(), **more).plan("own")
    assert (found.low, found.high, found.certificate) == (plain.low, plain.high, plain.certificate)
    assert found.low <= 2 <= found.high


def test_what_came_once_is_no_mean(tmp_path: Path) -> None:
    """A run that goes on with random_rewards=True had proved what its first episode paid."""
    more = {**TOSSES, "horizon": 1}
    for seed in (3, 4, 5, 6):
        path = tmp_path / f"run{seed}"
        foray.explore(Toss(), episodes=1, path=path, **{**more, "seed": seed}).close()
        plan = foray.explore(
            Toss(), episodes=3, path=path, resume=True, random_rewards=True, **{**more, "seed": seed}
        ).plan("own")
        assert plan.certificate.status == "certified" and plan.low < plan.high


def test_what_is_drawn_may_have_the_whole_range() -> None:
    """A table that pays 0 or 1 for the same had a range that "nobody gave"."""
    plan = foray.explore(Toss(), known="table", **{k: v for k, v in TOSSES.items() if k != "range"}, episodes=500).plan("own")
    assert plan.certificate.status == "certified" and plan.low <= 2 <= plan.high < 2.5


def known_laws(env: Any, horizon: int) -> foray.Model:
    """What can follow what, of a table, and nothing of what it pays."""
    start = enumerate(env.unwrapped.initial_state_distrib.tolist())
    return foray.from_table(env.unwrapped.P, horizon, initial={s: p for s, p in start if p > 0})


@pytest.mark.parametrize(
    ("name", "horizon", "bounds", "episodes"),
    [("CliffWalking-v1", 40, (-100, 0), 8), ("CliffWalking-v1", 100, (-100, 0), 3), ("Taxi-v4", 50, (-10, 20), 85)],
)
def test_unseen_rewards_are_explored(name: str, horizon: int, bounds: tuple[float, float], episodes: int) -> None:
    """Laws are certain and rewards are not: the best policy is proved after a few episodes."""
    env = gymnasium.make(name)
    known = known_laws(env, horizon)
    more: Any = {"range": bounds, "horizon": horizon, "episodes": episodes, "seed": 1}
    run = foray.explore(env, known=known, **more)
    plan = run.plan("own")
    assert run.setting("algorithm") == "scout" and run.setting("rewards") == "function"
    assert plan.value == pytest.approx(best_of(env, horizon))
    assert plan.certificate.status == "certified" and plan.certificate.optimal in ("proved", "rounding")
    wandering = foray.explore(env, known=known, algorithm="random", **more).plan("own")
    assert wandering.certificate.gap > 1


@pytest.mark.parametrize("known", [None, "laws"])
def test_totals(known: str | None, tmp_path: Path) -> None:
    """Where an episode pays at most 1, its own reward is as good as the probability of the goal."""
    env = lake()
    model = None if known is None else foray.from_table(env.unwrapped.P, 100, initial={0: 1.0})
    more: Any = {"known": model, "horizon": 100, "range": (0, 1), "seed": 2, "algorithm": "random"}
    with foray.explore(env, episodes=3000, range_total=(0, 1), path=tmp_path / "run", **more) as run:
        own, reach = run.plan("own"), run.plan(foray.reach(15))
        run.verify()
    without = foray.explore(env, episodes=3000, **more).plan("own")
    assert own.certificate.gap <= 1 and own.certificate.gap <= without.certificate.gap + 1e-6
    assert known == "laws" or without.certificate.gap > 50
    assert own.certificate.gap <= 1.2 * reach.certificate.gap
    assert own.low - 1e-9 <= value_of(env, own, 100) <= own.high + 1e-9
    assert best_of(env, 100) - value_of(env, own, 100) <= own.certificate.gap
    with foray.open_run(tmp_path / "run") as again:
        assert again.plan("own").certificate.gap == own.certificate.gap
    with pytest.raises(foray.WorldError, match=r"an episode paid 1 in all, but range_total=\(0, 0.5\)"):
        foray.explore(env, episodes=3000, range_total=(0, 0.5), **more)


def blackjack(horizon: int) -> float:
    """The best value of Gymnasium's game: an ace counts 1, and 11 where that is no more than 21 in
    all; the deck is infinite."""
    cards = {k: 1 / 13 for k in range(1, 10)} | {10: 4 / 13}

    def add(total: int, ace: int, card: int) -> tuple[int, int]:
        return total + card, int(ace or card == 1)

    def worth(total: int, ace: int) -> int:
        return total + 10 if ace and total + 10 <= 21 else total

    @functools.cache
    def dealer(total: int, ace: int) -> dict[int, float]:
        if worth(total, ace) >= 17:
            return {worth(total, ace) if total <= 21 else 0: 1.0}
        ends: dict[int, float] = {}
        for card, p in cards.items():
            for end, q in dealer(*add(total, ace, card)).items():
                ends[end] = ends.get(end, 0) + p * q
        return ends

    @functools.cache
    def stick(mine: int, shown: int) -> float:
        ends: dict[int, float] = {}
        for card, p in cards.items():
            for end, q in dealer(*add(shown, int(shown == 1), card)).items():
                ends[end] = ends.get(end, 0) + p * q
        return sum(q * ((mine > end) - (mine < end)) for end, q in ends.items())

    @functools.cache
    def values(total: int, ace: int, shown: int, left: int) -> tuple[float, float]:
        hit = sum(
            p * (-1 if add(total, ace, card)[0] > 21 else best(*add(total, ace, card), shown, left - 1))
            for card, p in cards.items()
        )
        return stick(worth(total, ace), shown), hit

    def best(total: int, ace: int, shown: int, left: int) -> float:
        return max(values(total, ace, shown, left)) if left > 0 else 0.0

    return sum(
        p * q * r * best(*add(*add(0, 0, one), other), shown, horizon)
        for one, p in cards.items() for other, q in cards.items() for shown, r in cards.items()
    )  # fmt: skip


def test_blackjack() -> None:
    """Nothing known, an end that is no end elsewhere, rewards that are drawn."""
    env = gymnasium.make("Blackjack-v1")
    run = foray.explore(
        env, episodes=6000, horizon=6, twins=True, random_rewards=True, range=(-1, 1), range_total=(-1, 1)
    )
    plan, best = run.plan("own"), blackjack(6)
    assert plan.certificate.status == "certified" and not plan.certificate.vacuous
    assert -0.06 < best < -0.03  # as books have it
    assert plan.certificate.gap <= 2 and plan.low <= best + 1e-9 and best <= plan.low + plan.certificate.gap + 2
    played = [play_blackjack(env, plan, seed) for seed in range(4000)]
    mean = float(np.mean(played))
    assert plan.low - 0.1 <= mean <= plan.high + 0.1
    assert best - mean <= plan.certificate.gap + 0.1
    with pytest.raises(foray.WorldError, match="random_rewards=True"):
        foray.explore(env, episodes=2000, horizon=6, twins=True, range=(-1, 1))


def play_blackjack(env: Any, plan: foray.Plan, seed: int) -> float:
    seen, _ = env.reset(seed=seed)
    total = 0.0
    for t in range(6):
        state = (seen[0] * 11 + seen[1]) * 2 + seen[2]
        seen, reward, done, _, _ = env.step(int(plan.policy[t, state]))
        total += reward
        if done:
            break
    return total


def value_of(env: Any, plan: foray.Plan, horizon: int) -> float:
    """What a plan is worth for what a table pays."""
    table, start = env.unwrapped.P, env.unwrapped.initial_state_distrib
    after = np.zeros(len(table))
    for t in reversed(range(horizon)):
        after = np.array([
            sum(p * (r + (0 if done else after[n])) for p, n, r, done in actions[int(plan.policy[t, s])])
            for s, actions in sorted(table.items())
        ])  # fmt: skip
    return float(np.dot(start, after))


def test_without_a_range_it_is_an_estimate(tmp_path: Path, command: Callable[..., Any]) -> None:
    with foray.explore(lake(), episodes=50, horizon=10, path=tmp_path / "run") as run:
        plan = run.plan("own")
        assert plan.certificate.status == "estimate" and "range" in plan.certificate.because
        again = run.certify(plan.policy, "own")
        assert again.certificate == plan.certificate
    with foray.explore(lake(), episodes=60, horizon=10, path=tmp_path / "run", resume=True) as run:
        assert run.plan("own").certificate.status == "estimate"
        run.verify()
    assert command("plan", str(tmp_path / "run"), "-r", "own")["plans"][0]["certificate"]["status"] == "estimate"
    with foray.explore(lake(), episodes=70, horizon=10, path=tmp_path / "run", resume=True, range=(0, 1)) as run:
        assert run.plan("own").certificate.status == "certified"


def test_own_where_nothing_was_seen() -> None:
    known = foray.from_table(lake().unwrapped.P, 30, laws="all")
    run = foray.explore(lake(), known=known, episodes=1, range=(0, 1), algorithm="ucrl-rfe")
    plan = run.plan("own")
    assert plan.certificate.vacuous and plan.certificate.gap == 30 and plan.low == 0
    with pytest.raises(foray.UsageError, match="no environment"):
        foray.explore("riverswim", episodes=5, range=(0, 1))


# ----------------------------------------------------------------------------- spaces, twins


def test_spaces_of_every_kind() -> None:
    from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple

    from foray.spaces import moves, numbers

    kinds = [Discrete(5), Discrete(5, start=-2), MultiDiscrete([2, 3]), MultiDiscrete([2, 3], start=[4, -1]),
             MultiBinary(3), Tuple((Discrete(2, start=7), Discrete(3))),
             Dict({"b": Discrete(3), "a": MultiBinary(2)})]  # fmt: skip
    for space in kinds:
        count, number = numbers(space, "observation")
        listed = moves(space)
        assert [number(one) for one in listed] == list(range(count))
        assert all(space.contains(one) or not isinstance(space, Discrete) for one in listed)
        space.seed(1)
        for _ in range(20):
            sample = space.sample()
            assert space.contains(sample) and 0 <= number(sample) < count
    assert [float(m[0]) for m in moves(Box(-2, 2, (1,)), 5)] == [-2, -1, 0, 1, 2]
    assert len(moves(Box(-1, 1, (2,)), [[0, 0], [1, 1]])) == 2
    for fault in (1, [[5]], None):
        with pytest.raises(foray.UsageError, match="actions"):
            moves(Box(-2, 2, (1,)), fault)


class Keys(Odd):
    """A place and whether one has been to place 2: a Dict."""

    def _seen(self) -> Any:
        return {"place": self.at, "key": int(self.at >= 2)}


def test_plans_are_asked_by_observations() -> None:
    spaces = gymnasium.spaces
    env = Keys(observation_space=spaces.Dict({"key": spaces.Discrete(2), "place": spaces.Discrete(4)}))
    run = foray.explore(env, episodes=50, horizon=5)
    seen = {"key": 1, "place": 3}
    assert run.state_of(seen) == 7
    plan = run.plan(foray.goal(7))
    assert plan.action(0, seen) == plan.action(0, 7) == plan(0, np.int64(7))
    with pytest.raises(IndexError, match="step 5"):
        plan.action(5, seen)
    with pytest.raises(foray.WorldError, match="not in"):
        plan.action(0, {"key": 2, "place": 0})
    with pytest.raises(foray.UsageError, match="an environment"):
        foray.explore("riverswim", episodes=1).state_of(seen)
    mixed = spaces.Dict({"a": spaces.Discrete(3), "b": spaces.Box(0, 1, (2,))})
    with pytest.raises(foray.UsageError, match=r"a part of the observation space.*FlattenObservation"):
        foray.explore(Keys(observation_space=mixed), horizon=5)


def test_spaces_that_do_not_start_at_zero() -> None:
    class Shifted(Odd):
        def _seen(self) -> Any:
            return self.at + 10

        def step(self, action: int) -> Any:
            assert action in (5, 6)
            return super().step(action - 5)

    spaces = gymnasium.spaces
    shifted = Shifted(observation_space=spaces.Discrete(4, start=10), action_space=spaces.Discrete(2, start=5))
    run, plain = (foray.explore(env, episodes=20, horizon=5) for env in (shifted, Odd()))
    assert np.array_equal(run.data()[0], plain.data()[0])
    plan = run.plan("goal:3")
    follow = foray.gym.Follow(shifted, plan)
    assert follow.policy(follow.reset()[0]) in (5, 6)
    for s in range(4):
        assert plan.action(0, np.array(s + 10)) == plan.policy[0, s] == copy.copy(plan).action(0, s)
    for either in (3, np.int64(11)):  # it took an observation for a state, if there was such a state
        with pytest.raises(foray.UsageError, match="which begin at 10 here"):
            plan.action(0, either)


def test_what_a_model_rules_out_is_told_as_it_happened() -> None:
    """It was about the reward, which could not be kept."""
    circle = foray.Builder.tabular(4, 2, 5)
    for s in range(4):
        circle.transition(s, 0, (s + 1) % 4, 1.0).transition(s, 1, (s + 2) % 4, 1.0)
    known = circle.forget().finish()
    with pytest.raises(foray.WorldError, match=r"state 0 followed \(s=0, a=0\), which the model rules out"):
        foray.explore(Odd(), known=known, episodes=5, horizon=5)


class Passing(Odd):
    """Ends in state 2 now and then, and passes through it at other times."""

    P = {s: {a: [(0.5, (s + a) % 4, 0.0, False), (0.5, (s + a) % 4, 0.0, s + a == 2)] for a in range(2)}
         for s in range(4)}  # fmt: skip

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.rng = np.random.default_rng(seed)
        return super().reset(seed=seed)

    def step(self, action: int) -> Any:
        before = self.at
        seen, reward, _, cut, info = super().step(action)
        return seen, reward, before + action == 2 and self.rng.random() < 0.5, cut, info


def test_ends_that_are_passed_through() -> None:
    with pytest.raises(foray.WorldError, match="twins=True"):
        foray.explore(Passing(), episodes=50, horizon=8)
    run = foray.explore(Passing(), episodes=400, horizon=8, twins=True)
    assert run.model.states == 8 and set(np.unique(run.data()[0])) == {0, 1, 2, 3, 6}
    table = foray.explore(Passing(), known="table", episodes=400, horizon=8, initial=0)
    assert table.model.states == 5 and {2, 4} <= set(np.unique(table.data()[0])) <= {0, 1, 2, 3, 4}
    for plan in (run.plan("reach:3"), table.plan("reach:3")):  # half of all episodes end on the way
        assert plan.low <= 0.5 <= plan.high and plan.certificate.proved
    assert foray.gym.Follow(Passing(), table.plan("reach:3")).play(5, seed=1).tolist() == [0.0] * 5


class Doors(Odd):
    """One episode in fifty begins in state 1."""

    def __init__(self, salt: int) -> None:
        super().__init__()
        self.salt = salt

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset()
        self.at = int(np.random.default_rng([self.salt, seed or 0]).random() < 0.02)
        return self._seen(), {}


def test_where_episodes_begin_is_learnt() -> None:
    """32 resets were once taken to prove it. Errors are allowed in one of ten."""
    wrong = 0
    for salt in range(100):
        plan = foray.explore(Doors(salt), episodes=5, horizon=1).plan(foray.goal(1))
        wrong += not plan.low - 1e-9 <= 0.02 <= plan.high + 1e-9
    assert wrong <= 10
    assert foray.explore(Odd(), episodes=5, horizon=3).model.initial() == {}
    for start in (0, np.int64(0), {0: 1.0}):
        assert foray.explore(Odd(), episodes=5, horizon=3, initial=start).model.initial() == {0: 1.0}
    with pytest.raises(foray.UsageError, match="give initial="):
        foray.explore(Passing(), known="table", episodes=5, horizon=8)


# --------------------------------------------------------------------- many at once, vectors


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP", "DISABLED"])
@pytest.mark.parametrize("count", [1, 3])
def test_vector_environments_give_the_bits_of_one(count: int, mode: str) -> None:
    chosen = {"autoreset_mode": gymnasium.vector.AutoresetMode[mode]}
    for known in (None, "table"):
        for algorithm in ("rf-express" if known else "inverse-count", "random"):
            envs = gymnasium.make_vec("FrozenLake-v1", num_envs=count, vectorization_mode="sync",
                                      is_slippery=True, vector_kwargs=chosen)  # fmt: skip
            if known:
                envs.P = lake().unwrapped.P
                envs.unwrapped.initial_state_distrib = lake().unwrapped.initial_state_distrib
            more: dict[str, Any] = {"known": known, "algorithm": algorithm, "episodes": 60, "horizon": 20}
            run, one = foray.explore(envs, **more), foray.explore(lake(), **more)
            assert np.array_equal(run.data()[0], one.data()[0])
            assert np.array_equal(run.data()[1], one.data()[1])
            envs.close()


def test_environments_in_processes() -> None:
    envs = gymnasium.make_vec("FrozenLake-v1", num_envs=2, vectorization_mode="async", is_slippery=True)
    run = foray.explore(envs, episodes=40, horizon=20, range=(0, 1))
    envs.close()
    one = foray.explore(lake(), episodes=40, horizon=20, range=(0, 1))
    assert np.array_equal(run.data()[0], one.data()[0])
    assert run._player.own.values == one._player.own.values  # type: ignore[union-attr]


def test_vectors_are_seen_through_clusters(tmp_path: Path) -> None:
    env = gymnasium.make("Pendulum-v1")
    more: dict[str, Any] = {"clusters": "grid:5x5x7", "actions": 3, "horizon": 15, "twins": False}
    run = foray.explore(env, episodes=60, path=tmp_path / "run", **more)
    assert run.model.states == 175 and run.bound().status == "estimate"
    plan = run.plan(lambda x: (1 + x[0]) / 2)
    assert plan.certificate.status == "estimate" and not plan.proved_optimal
    torque = run.plan(foray.reward(lambda s, a: 0.5))
    assert torque.value == pytest.approx(7.5)
    seen, _ = env.reset(seed=3)
    assert plan.action(0, seen) == plan(0, seen) and 0 <= plan.action(14, seen) < 3
    follow = foray.gym.Follow(env, plan)
    assert follow.policy(follow.reset(seed=3)[0]).shape == (1,)
    assert len(follow.play(3, seed=3)) == 3
    plan.save(tmp_path / "policy.json")
    run.close()
    again = foray.explore(env, episodes=120, path=tmp_path / "run", resume=True, **more)
    whole = foray.explore(env, episodes=120, **more)
    assert np.array_equal(again.data()[0], whole.data()[0]) and again.bound().status == "estimate"
    assert foray.open_run(tmp_path / "run").bound().status == "estimate"


def test_boxes_without_borders_need_some() -> None:
    env = gymnasium.make("CartPole-v1")
    with pytest.raises(foray.UsageError, match="box="):
        foray.explore(env, clusters="grid:3x3x3x3", episodes=5, horizon=10)
    box = ([-2.4, -3, -0.21, -3], [2.4, 3, 0.21, 3])
    run = foray.explore(env, clusters="grid:3x3x3x3", box=box, episodes=30, horizon=20)
    assert run.model.states == 2 * 81 and run.data()[0].max() >= 81
    assert run.plan("goal:40").certificate.status == "estimate"
    with pytest.raises(foray.UsageError, match="no single number"):
        foray.explore(env, clusters="grid:3x3x3x3", box=box, episodes=5, horizon=10, range=(0, 1))
    with pytest.raises(foray.UsageError, match="continuous"):
        foray.explore(lake(), clusters="grid:3", episodes=5, horizon=10)
    with pytest.raises(foray.UsageError, match="is for Gymnasium"):
        foray.explore("riverswim", clusters="grid:3", episodes=5)
