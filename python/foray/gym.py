"""Foray's worlds as Gymnasium environments, one at a time or many at once, and plans that play.

Importing this module registers every built-in world, ``import foray`` does so where Gymnasium is
installed. Observations are states, episodes are truncated at the horizon, and nothing is earned
unless a reward is given:

>>> import gymnasium
>>> env = gymnasium.make("foray/Rooms-v0", rows=1, cols=2, size=2, horizon=6, reward="goal:7")
>>> state, info = env.reset(seed=1)
>>> state, reward, terminated, truncated, info = env.step(0)
>>> (terminated, truncated)
(False, False)

The n-th episode after ``reset(seed=s)`` is a function of (s, n), and with the same actions it is the
n-th episode of ``foray explore --seed s``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ._context import Context, Native
from ._library import lib
from .data import Relabelling
from .environments import ModelWorld
from .episodes import Environment
from ._numbers import index_of, integer, integers
from .errors import UsageError
from .models import Model, world, worlds
from .plans import Plan
from .rewards import RewardLike

Ints = npt.NDArray[np.int64]
DRAW = np.dtype([("seed", np.uint64), ("episode", np.uint64), ("step", np.uint32)], align=True)

#: Gymnasium's spaces of more than that alone take gigabytes.
MAX_ENVS = 1 << 24

#: Names of more than one word; all others only begin with a capital letter.
WORDS = {
    "cliffwalking": "CliffWalking",
    "deepsea": "DeepSea",
    "frozenlake": "FrozenLake",
    "riverswim": "RiverSwim",
}


class Batch(Native):
    """Many episodes of one world at once: arrays of draws and states, which the library changes."""

    def __init__(self, model: Model, count: int) -> None:
        self.model, self.horizon = model, model.horizon
        self._context = Context()
        self._world: ModelWorld | None = ModelWorld(self._context, model)
        self.draw = np.zeros(count, dtype=DRAW)
        self.state: Ints = np.zeros(count, dtype=np.int64)
        self._count, self._steps = count, self.draw["step"]
        self._where = (self.draw.ctypes.data, self.state.ctypes.data)

    def __reduce__(self) -> Any:
        return _batch, (self.model, self.draw, self.state)

    def turn(self) -> Any:
        """With what this returns, no other thread changes the arrays: a step is several calls."""
        return self._context.turn()

    def begin(self, seeds: npt.ArrayLike, which: Any = slice(None)) -> None:
        """Episode 0 of each seed, up to its first state."""
        self.draw["seed"][which] = seeds
        self.draw["episode"][which] = 0
        self._first(which)

    def again(self, which: Any = slice(None)) -> None:
        """The next episode of the same seed, up to its first state."""
        self.draw["episode"][which] += np.uint64(1)
        self._first(which)

    def _first(self, which: Any) -> None:
        self._steps[which] = 0
        for i in np.arange(self._count)[which]:
            where, state = self.draw[i : i + 1].ctypes.data, self.state[i : i + 1].ctypes.data
            self._call(1, where, state, None, state)

    def advance(self, action: Ints) -> None:
        """One step everywhere; where an episode is over, the first state of the next one."""
        draw, state = self._where
        self._call(self._count, draw, state, action.ctypes.data, state)

    def renew(self) -> npt.NDArray[np.bool_]:
        """Which episodes are over: they begin anew with the next call."""
        over = self._steps > self.horizon
        if over.any():
            self._steps[over] = 0
            self.draw["episode"][over] += np.uint64(1)
        return over

    @property
    def over(self) -> npt.NDArray[np.bool_]:
        """Is the horizon reached?"""
        return self._steps > self.horizon

    @property
    def step(self) -> Ints:
        """How many steps each episode has behind it."""
        return self._steps.astype(np.int64) - 1

    def _call(self, count: int, draw: int, state: int, action: int | None, following: int) -> None:
        if self._world is None:
            raise UsageError("the environment is closed")
        self._context.call(
            lib.foray_world_advance, self._world, count, draw, state, action, following
        )

    def close(self) -> None:
        """Releases the world; the arrays stay."""
        self._world = None


def _batch(model: Model, draw: npt.NDArray[Any], state: Ints) -> Batch:
    """The same episodes again, where they are."""
    batch = Batch(model, len(state))
    batch.draw[:], batch.state[:] = draw, state
    return batch


def _model(text: str | Model, parameters: dict[str, object]) -> Model:
    model = text if isinstance(text, Model) else world(text, **parameters)
    if not model.known:
        raise UsageError(f"{model.name} is not a world: its probabilities are not known")
    return model


def _masks(model: Model) -> npt.NDArray[np.int8] | None:
    """Which actions there are in each state; None: all of them everywhere."""
    S, A = model.states, model.actions
    if model.facts().pairs == S * A:
        return None
    return np.array([[model.available(s, a) for a in range(A)] for s in range(S)], dtype=np.int8)


class World(gymnasium.Env[np.int64, np.int64]):
    """A world of Foray as an environment: a built-in one by its name and parameters, or a model.

    >>> env = foray.gym.World("riverswim", states=5, horizon=8)
    >>> env.observation_space, env.action_space
    (Discrete(5), Discrete(2))

    If states lack actions, ``info["action_mask"]`` says which are available, as ``sample(mask)``
    takes it, and the others raise :class:`foray.UsageError`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        world: str | Model,
        *,
        reward: RewardLike | None = None,
        render_mode: str | None = None,
        **parameters: object,
    ) -> None:
        self.model, self.render_mode = _model(world, parameters), render_mode
        self.observation_space = Discrete(self.model.states)
        self.action_space = Discrete(self.model.actions)
        self._reward, self._mask = Relabelling(self.model, reward), _masks(self.model)
        self._batch, self._begun = Batch(self.model, 1), False

    def _info(self) -> dict[str, Any]:
        if self._mask is None:
            return {}
        return {"action_mask": self._mask[self._batch.state[0]]}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Episode 0 of a seed; without one, the next episode of the last seed."""
        seed = None if seed is None else integer(seed, "seed", 0, 2**64 - 1)
        super().reset(seed=seed)
        with self._batch.turn():
            if seed is not None or not self._begun:
                self._batch.begin(seed if seed is not None else int(self.np_random.integers(2**31)))
            else:
                self._batch.again()
            self._begun = True
            return self._batch.state[0], self._info()

    def step(
        self, action: np.int64
    ) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """One step; truncated with the last one of the horizon, and never terminated."""
        batch = self._batch
        action = np.int64(integer(action, "action", 0, self.model.actions - 1))
        with batch.turn():
            if not self._begun or batch.over[0]:
                raise UsageError("the episode is over: reset() begins the next one")
            t, state = int(batch.step[0]), int(batch.state[0])
            batch.advance(np.array([action]))
            following = batch.state[0]
            reward = self._reward.at(t, state, int(action), int(following))
            return following, reward, False, bool(batch.over[0]), self._info()

    def render(self) -> Any:
        """The map with an @ where the episode is, or the name of the state."""
        if self.render_mode != "ansi":
            return None
        return draw_map(self.model, int(self._batch.state[0]))

    def close(self) -> None:
        """Releases the world."""
        self._batch.close()


def draw_map(model: Model, here: int) -> str:
    """The map of a model as text: '.' a state, '@' the one that is meant."""
    grid = model.grid
    if grid is None:
        return f"{model.state_name(here) or here}\n"
    rows = [[" "] * grid[1] for _ in range(grid[0])]
    for s in range(model.states):
        cell = model.cell(s)
        if cell is not None and (s == here or rows[cell[0]][cell[1]] == " "):
            rows[cell[0]][cell[1]] = "@" if s == here else "."
    return "".join("".join(row).rstrip() + "\n" for row in rows)


class Worlds(VectorEnv[Ints, Ints, npt.NDArray[np.bool_]]):
    """Many episodes of one world, stepped at once in C.

    ``reset(seed=s)`` gives environment i the seed s + i, as Gymnasium's own vectors do; then it plays
    what ``World`` plays. Environments whose episode is over are reset by the next step, whose action
    does not count for them (AutoresetMode.NEXT_STEP). ``copy=False`` hands out the library's own
    memory, which the next step changes.

    >>> envs = gymnasium.make_vec("foray/Rooms-v0", num_envs=1000, rows=2, cols=2)
    >>> states, _ = envs.reset(seed=0)
    >>> states, rewards, terminated, truncated, _ = envs.step(np.zeros(1000, dtype=np.int64))
    >>> states.shape, states.dtype
    ((1000,), dtype('int64'))
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int,
        world: str | Model,
        *,
        reward: RewardLike | None = None,
        copy: bool = True,
        render_mode: str | None = None,
        **parameters: object,
    ) -> None:
        self.model, self.render_mode = _model(world, parameters), render_mode
        num_envs = self.num_envs = integer(num_envs, "num_envs", 1, MAX_ENVS)
        self.single_observation_space = Discrete(self.model.states)
        self.single_action_space = Discrete(self.model.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._reward, self._copy = Relabelling(self.model, reward), copy
        self._mask = _masks(self.model)
        self._batch = Batch(self.model, num_envs)
        self._begun = False
        self._never = np.zeros(num_envs, dtype=np.bool_)
        self._nothing = np.zeros(num_envs)

    def _answer(self) -> tuple[Ints, dict[str, Any]]:
        state = self._batch.state.copy() if self._copy else self._batch.state
        return state, {} if self._mask is None else {"action_mask": self._mask[state]}

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Ints, dict[str, Any]]:
        """Episode 0 of seeds s, s + 1, ...; without any, the next episode everywhere. With
        ``options={"reset_mask": which}`` only some are reset."""
        which = self._chosen(options)
        with self._batch.turn():
            if seed is None and not self._begun:
                seed = int(np.random.SeedSequence().generate_state(1)[0])
            if seed is None:
                self._batch.again(which)
            else:
                self._batch.begin(self._seeds(seed)[which], which)
            self._begun = True
            return self._answer()

    def _chosen(self, options: Any) -> Ints:
        """Those that options={"reset_mask": which} names, or all."""
        if not isinstance(options, (Mapping, type(None))):
            raise UsageError(f"options={options!r}: a dictionary")
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, dtype=np.bool_)))
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise UsageError(f"reset_mask: an array of True and False, {self.num_envs} of them")
        return np.flatnonzero(mask)

    def _seeds(self, seed: Any) -> npt.NDArray[np.uint64]:
        one = index_of(seed)
        given = seed if one is None else [one + i for i in range(self.num_envs)]
        if not isinstance(given, (list, tuple)) or len(given) != self.num_envs:
            raise UsageError(f"seed={seed!r}: one, or {self.num_envs} of them")
        fresh = np.random.SeedSequence().generate_state(self.num_envs)
        seeds = [int(fresh[i]) if s is None else s for i, s in enumerate(given)]
        return np.array([integer(s, "seed", 0, 2**64 - 1) for s in seeds], dtype=np.uint64)

    def step(
        self, actions: Ints
    ) -> tuple[Ints, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """One step in each environment, or a reset where its episode is over."""
        if not self._begun:
            raise UsageError("reset() comes before the first step")
        chosen = np.ascontiguousarray(integers(actions, "action", 0, self.model.actions - 1))
        if chosen.shape != (self.num_envs,):
            raise UsageError(f"actions of the shape {chosen.shape}, but there are {self.num_envs}")
        with self._batch.turn():
            return self._step(chosen)

    def _step(self, chosen: Ints) -> tuple[Ints, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        batch = self._batch
        began = batch.renew()
        rewards = self._nothing
        if self._reward.nothing:
            batch.advance(chosen)
        else:
            before, steps = batch.state.copy(), batch.step
            batch.advance(chosen)
            steps[began] = 0
            rewards = self._reward.along(steps, before, chosen, batch.state, ~began)
        state, info = self._answer()
        if self._copy:
            return state, rewards.copy(), self._never.copy(), batch.over, info
        return state, rewards, self._never, batch.over, info

    def close_extras(self, **_: Any) -> None:
        self._batch.close()


# ------------------------------------------------------------------------------ plans that play


class Follow(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment with a plan to play in it: ``env.policy(observation)`` is what the plan does
    now, given the number of steps since the last reset, which this wrapper counts.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=2000)
    >>> env = foray.gym.Follow(foray.gym.World("riverswim:states=4,horizon=8", reward="goal:3"),
    ...                        run.plan("goal:3"))
    >>> state, _ = env.reset(seed=5)
    >>> for _ in range(8):
    ...     state, reward, terminated, truncated, _ = env.step(env.policy(state))
    >>> truncated, env.steps
    (True, 8)
    >>> len(env.play(episodes=10, seed=5))
    10
    """

    def __init__(self, env: gymnasium.Env[Any, Any], plan: Plan) -> None:
        super().__init__(env)
        self.plan, self.steps, self.episodes = plan, 0, -1
        self._read = self._memory = 0  # of tasks: how many states were read, and what is remembered
        horizon, states = plan.model.horizon, plan.model.states
        self._clusters = plan._clusters
        player = plan.run._player if plan.run is not None else None
        if isinstance(player, Environment) and self._clusters is not None:
            self._moves = player._moves
        else:
            view = Environment(env, horizon)
            same = view.states == states or (isinstance(player, Environment) and player.given == view.given)
            if not same or view.actions != plan.model.actions:
                raise UsageError(
                    f"the plan is for {states} states and {plan.model.actions} actions, but the"
                    f" environment has {view.states} and {view.actions}"
                )
            self._number, self._moves = view._number, view._moves

    def policy(self, observation: Any) -> Any:
        """What the plan does in this step, as an action of the environment."""
        if self.steps >= self.plan.model.horizon:
            raise UsageError(f"the plan ends after {self.plan.model.horizon} steps")
        if self._clusters is not None:
            return self._moves[self.plan.action(self.steps, observation)]
        state = self._number(observation)
        if self.plan.memories > 1 and self._read < self.steps + 1:
            self._memory, self._read = self.plan.read(self._memory, state), self.steps + 1
        return self._moves[self.plan._at(self.steps, state, max(self.episodes, 0), memory=self._memory)]

    def reset(self, **more: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the environment, and begins to count. Of a mixture every episode has one policy."""
        self.steps = self._read = self._memory = 0
        self.episodes += 1
        return self.env.reset(**more)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps in the environment, with any action."""
        self.steps += 1
        return self.env.step(action)

    def play(self, episodes: int = 1, seed: int | None = None) -> npt.NDArray[np.float64]:
        """Plays episodes with the plan, up to its horizon, and returns what each earned."""
        episodes = integer(episodes, "episodes", 0)
        earned = np.zeros(episodes)
        for k in range(episodes):
            observation, _ = self.reset(seed=seed) if k == 0 else self.reset()
            over = False
            while not over and self.steps < self.plan.model.horizon:
                observation, reward, ended, cut, _ = self.step(self.policy(observation))
                earned[k] += float(reward)
                over = ended or cut
        return earned


# -------------------------------------------------------------------------------- registration


def name_of(world_name: str) -> str:
    """The environment's name, without its version.

    >>> foray.gym.name_of("riverswim")
    'foray/RiverSwim'
    """
    if not isinstance(world_name, str):
        raise UsageError(f"{world_name!r} is no name of a world")
    return "foray/" + WORDS.get(world_name, world_name.capitalize())


def register() -> None:
    """Registers every built-in world that is not registered yet."""
    for name in worlds():
        identity = name_of(name) + "-v0"
        if identity not in gymnasium.registry:
            gymnasium.register(
                identity,
                entry_point="foray.gym:World",
                vector_entry_point="foray.gym:Worlds",
                kwargs={"world": name},
                disable_env_checker=True,
            )


register()
