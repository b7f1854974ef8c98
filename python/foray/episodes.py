"""Gymnasium environments as worlds. The contract:

* the reset of an episode gets a seed that is a function of (seed, episode), so that an episode can
  be repeated, and a resumed run meets the same ones;
* after ``terminated`` the environment is not stepped: the state is absorbing for the rest;
* ``truncated`` ends the recorded episode: what was seen counts, and nothing is said about the rest;
* its own reward is recorded, and read from its table; a transition with two values is refused, unless
  rewards are random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ._library import Draw
from ._numbers import integer, law_of
from .clusters import Clusters
from .environments import DONE, OVER, Chance, seed_of
from .errors import UsageError, WorldError
from .models import Model
from .own import Own
from .spaces import moves, numbers
from .tables import from_table_with_twins, rewards_of_table

MASK = 2**64 - 1


def is_environment(source: object) -> bool:
    """Is it a Gymnasium environment? (Asked without importing Gymnasium.)"""
    return all(hasattr(source, name) for name in ("reset", "step", "observation_space", "action_space"))


def is_vector(source: object) -> bool:
    """Is it several environments that are stepped together?"""
    return is_environment(source) and hasattr(source, "num_envs") and hasattr(source, "single_action_space")


def _name_of(env: Any) -> str:
    spec = getattr(env, "spec", None)
    return "gymnasium:" + (spec.id if spec is not None else type(getattr(env, "unwrapped", env)).__name__)


class Environment:
    """A Gymnasium environment: discrete observations, or vectors that are seen through clusters."""

    def __init__(
        self,
        env: Any,
        horizon: int | None,
        *,
        clusters: str | Clusters | None = None,
        box: Any = None,
        actions: Any = None,
        twins: bool | None = None,
    ) -> None:
        self.env, self.name, self.unstructured = env, _name_of(env), False
        space = getattr(env, "single_observation_space", env.observation_space)
        self.clusters: Clusters | None = None
        if clusters is not None:
            self.clusters = Clusters.of_space(space, clusters, box)
            self.name += f" through {self.clusters.text}"
            self.given = self.clusters.count
        else:
            self.given, self._number = numbers(space, "observation")
        #: The first observation, if these are whole numbers: that of state 0.
        self.begins = int(getattr(space, "start", 0)) if type(space).__name__ == "Discrete" else 0
        if twins is None:  # what ends an episode and what does not are seldom told apart by clusters
            twins = self.clusters is not None
        self.states = self.given * 2 if twins else self.given
        #: Where an episode that ends in a state is from then on: there, or in its twin.
        self.twin: Mapping[int, int] = {s: s + self.given for s in range(self.given)} if twins else {}
        self._moves = moves(getattr(env, "single_action_space", env.action_space), actions)
        self.actions = len(self._moves)
        self.horizon = self._limit(horizon)
        self._over, self._done, self._now = False, False, -1
        self._paid, self._steps = 0.0, 0
        self.own = Own(self.states, self.actions)

    def _limit(self, horizon: int | None) -> int:
        limit = getattr(getattr(self.env, "spec", None), "max_episode_steps", None)
        if horizon is None:
            horizon = limit
        if horizon is None:
            raise UsageError("the environment has no limit of steps: give horizon=")
        return integer(horizon, "horizon", 1)

    # -- what is known

    def initial(self) -> dict[int, float] | None:
        """Where episodes begin, if the environment says so; None: it does not."""
        law = getattr(getattr(self.env, "unwrapped", None), "initial_state_distrib", None)
        if law is None or self.clusters is not None or len(law) != self.given:
            return None
        return law_of({s: p for s, p in enumerate(np.asarray(law).tolist()) if p != 0}, self.given)

    def table(self) -> Any:
        table = getattr(getattr(self.env, "unwrapped", None), "P", None)
        if table is None:
            raise UsageError("known='table', but the environment has no table `P`")
        if self._moves != list(range(self.actions)):
            raise UsageError("known='table', but actions are not numbered from 0")
        return table

    def use_table(self, initial: Mapping[int, float], laws: str) -> Model:
        """The model of the environment's table, in whose twins episodes end from now on."""
        model, self.twin = from_table_with_twins(self.table(), self.horizon, initial, laws)
        self.states = model.states
        self.own = Own(self.states, self.actions)
        self.own.read(*rewards_of_table(self.table(), self.twin))
        return model

    # -- step by step

    def number(self, observation: Any) -> int:
        """The state that an observation is."""
        return self._number(observation)

    def _numbers(self, seed: int, episode: int) -> Callable[[Any], int]:
        """What numbers the observations of an episode, in their order."""
        if self.clusters is None:
            return self._number
        see, draw = self.clusters.draw, Draw(seed & MASK, episode, 0)

        def number(observation: Any) -> int:
            state = see(observation, draw)
            draw.step += 1
            return state

        return number

    def _begin(self, seed: int, episode: int) -> tuple[int, Callable[[Any], int]]:
        self.own.begin_episode(episode)
        number = self._numbers(seed, episode)
        answer = self.env.reset(seed=seed_of(seed, episode))
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise WorldError("reset must give (observation, info), as Gymnasium has it since 0.26")
        return number(answer[0]), number

    def reset(self, seed: int, episode: int) -> int:
        self._over = self._done = False
        self._paid, self._steps = 0.0, 0
        self._now, self._see = self._begin(seed, episode)
        return self._now

    def _move(self, action: int) -> Any:
        answer = self.env.step(self._moves[action])
        return answer if type(answer) is tuple and len(answer) == 5 else _no_step(answer)

    def step(self, state: int, action: int) -> int:
        if state != self._now:
            raise UsageError("an environment cannot be asked about any state, as this algorithm does")
        if self._done:
            return state
        seen, reward, terminated, truncated, _ = self._move(action)
        following = self._see(seen)
        if terminated:
            following = self.end(following)
            self._done = True
        elif following in self.own.ends:
            raise passed_through(following)
        self.own.note(state, action, following, reward)
        self._over = bool(truncated) and not terminated
        self._steps += 1
        if self.own.total is not None:
            self._paid += float(reward)
            if terminated or self._steps == self.horizon:
                self.own.end_episode(self._paid, True)
        self._now = following
        return following

    def end(self, state: int) -> int:
        """Where an episode is that ended in a state."""
        state = self.twin.get(state, state)
        self.own.ends.add(state)
        return state

    def ended(self) -> bool:
        return self._done

    def cut(self) -> bool:
        return self._over

    # -- whole episodes

    def play(self, seed: int, episode: int, table: Any, states: int, out: Any, chance: Chance) -> None:
        step, listed, own, note = self.env.step, self._moves, self.own.values, self.own.note
        ends = self.own.ends
        state, number = self._begin(seed, episode)
        A, S, at, steps = self.actions, self.states, 0, len(out) - 1
        path, paid, totals = [state], 0.0, self.own.total is not None
        for t in range(steps):
            action = table[at + state]
            if action < 0:
                action = chance(seed, episode, t, state)
            answer = step(listed[action])
            if type(answer) is not tuple or len(answer) != 5:
                _no_step(answer)
            seen, reward, terminated, truncated, _ = answer
            following = number(seen)
            if terminated:
                following = self.end(following)
            elif following in ends:
                raise passed_through(following)
            if own.get((state * A + action) * S + following) != reward:
                note(state, action, following, reward)
            if totals:
                paid += float(reward)
            path.append(following)
            state = following
            at += states
            if terminated or truncated:
                break
        self.own.end_episode(paid, bool(terminated) or len(path) == steps + 1)
        finish(path, steps, bool(terminated), self.unstructured, out)


def passed_through(state: int) -> WorldError:
    return WorldError(
        f"an episode went on in state {state}, but another one ended there: an end must always be one."
        " twins=True gives every end a state of its own"
    )


def _no_step(answer: Any) -> Any:
    if isinstance(answer, tuple) and len(answer) == 5:
        return answer
    raise WorldError(
        "step must give (observation, reward, terminated, truncated, info), as Gymnasium has it since 0.26"
    )


def finish(path: list[int], steps: int, terminated: bool, is_open: bool, out: Any) -> None:
    """An episode as the library takes it, which may have ended before its time: what is known about
    the rest is that nothing is (cut off), or that it stays where it is."""
    missing = steps + 1 - len(path)
    if missing > 0:
        filler = (DONE if is_open else path[-1]) if terminated else OVER
        path = path + [filler] * missing
    out[:] = path

