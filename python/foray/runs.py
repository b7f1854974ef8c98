"""Exploring, and what comes of it: runs."""

from __future__ import annotations

import atexit
import ctypes
import inspect
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from ctypes import byref, c_bool, c_void_p, sizeof
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from . import pictures
from . import progress as bars
from ._context import Context, Native
from ._library import (
    EPISODES,
    PROGRESS,
    TRACE,
    CertificateStruct,
    DifferenceStruct,
    ExplorerFacts,
    Refutation,
    Settings,
    lib,
)
from ._numbers import Initial, flag, integer, integers, law_of, path_of, real, reals
from ._numbers import text as as_text
from .clusters import Clusters
from .environments import ModelWorld, PythonWorld, Simulator
from .episodes import Environment, is_environment, is_vector
from .errors import ForayError, UsageError, WorldError, check_free
from .models import Model, load_model, unstructured_model, world
from .own import own_certify, own_plan, own_reward
from .plans import GIVEN, Certificate, Difference, Plan, Policy, certificate_of, mode_of
from .rewards import BuiltReward, Reward, RewardLike, arguments_of, range_of, reward
from .tradeoffs import Front, front_of, limits_of, plan_within
from .vector import VectorEnvironment

NEW, REPLACE = 0, 1
READ, WRITE = 0, 1


def _settings(context: Context, values: Mapping[str, object]) -> Settings:
    """The library's defaults with these changes, each read from text as on the command line."""
    settings = Settings()
    lib.foray_settings_init(byref(settings), sizeof(settings))
    for name, value in values.items():
        if not isinstance(value, (str, int, float, np.integer, np.floating, np.bool_)):
            raise UsageError(f"{name}={value!r}: a number, a text, True or False")
        said = {True: "on", False: "off"}[bool(value)] if isinstance(value, (bool, np.bool_)) else str(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
            said = str(int(value))  # 1e5 episodes
        context.call(
            lib.foray_settings_set, context.pointer, byref(settings), as_text(name, "setting"), as_text(said, name)
        )
    return settings


def _setting(context: Context, settings: Any, name: str) -> str:
    """One of them, as text."""
    text = ctypes.create_string_buffer(600)
    context.call(lib.foray_settings_get, context.pointer, settings, as_text(name, "setting"), text, len(text))
    return text.value.decode()


# ------------------------------------------------------------------------------------- sources


def model_of(source: Model | str, horizon: int | None) -> Model:
    """A model, a model file or a built-in world, as the command tells them apart."""
    horizon = None if horizon is None else integer(horizon, "horizon", 1)
    if isinstance(source, Model):
        model = source
    elif not isinstance(source, str):
        raise UsageError(f"{source!r} is no model: foray.Model, the path of a model file, or a world's name")
    elif "/" in source or source.endswith((".json", ".compact")) or os.path.isfile(source):
        model = load_model(source)
    else:
        return world(source) if horizon is None else world(source, horizon=horizon)
    if horizon not in (None, model.horizon):
        raise UsageError(f"horizon={horizon}, but the model {model.name} has a horizon of {model.horizon}")
    return model


def _model_of_environment(
    env: Environment, known: Model | str | None, laws: str, initial: Initial | None
) -> Model:
    """What is known of an environment. Where episodes begin is what it says, or something to be
    learnt like all else: looking at a few of them would prove nothing."""
    first = law_of(initial, env.states) if initial is not None else env.initial()
    if isinstance(known, str) and known == "table":
        if first is None:
            raise UsageError(
                "the environment does not say where episodes begin, and its table neither:"
                " give initial=state, or {state: probability}"
            )
        return env.use_table(first, laws)
    if known is not None:
        raise UsageError(f"known={known!r}: a model, 'table', or nothing")
    return unstructured_model(env.states, env.actions, env.horizon, first)


class Looks(TypedDict, total=False):
    """How an environment is looked at: see :func:`explore`."""

    clusters: str | Clusters | None
    box: Any
    actions: Any
    twins: bool | None


def _resolve(
    source: object,
    horizon: int | None,
    known: Model | str | None,
    laws: str,
    initial: Initial | None,
    looks: Looks,
) -> tuple[Model, Environment | Simulator | None, str]:
    """What is known, who plays if it is not the model itself, and a name."""
    if isinstance(source, type):
        raise UsageError(f"{source.__name__} is a class: create an object of it first, {source.__name__}(...)")
    if laws != "pair" and not (isinstance(known, str) and known == "table"):
        raise UsageError(f"laws={laws!r} is about the environment's table: known='table'")
    if isinstance(known, Model):
        _only({"initial": initial}, "a model says it: known=")
    if is_environment(source):
        player = (VectorEnvironment if is_vector(source) else Environment)(source, horizon, **looks)
        if isinstance(known, Model):
            return _fitting(known, player, horizon), player, player.name
        return _model_of_environment(player, known, laws, initial), player, player.name
    _only(looks, f"it is for Gymnasium environments, and this is {type(source).__name__}")
    if isinstance(source, Simulator):
        _only({"initial": initial, "horizon": horizon}, "a Simulator has its own")
        if isinstance(known, Model):
            return _fitting(known, source, None), source, source.name
        _only({"known": known}, "it is a model here")
        return unstructured_model(source.states, source.actions, source.horizon, source.initial), source, source.name
    if isinstance(source, (str, os.PathLike, Model)):
        _only({"known": known, "initial": initial}, f"{source} says what is known")
        model = model_of(source if isinstance(source, Model) else _spelled(os.fspath(source)), horizon)
        return model, None, model.name if isinstance(source, Model) else os.fspath(source)
    if callable(source):
        raise UsageError(
            "a function is nothing to explore by itself: foray.Simulator(step, states=, actions=, horizon=)"
            " makes a world of it"
        )
    raise UsageError(
        f"{type(source).__name__} is nothing to explore: a world's name, a model, a Simulator or"
        " a Gymnasium environment"
    )


def _only(given: Mapping[str, object], why: str) -> None:
    """What would not be looked at is refused."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise UsageError(f"{name}={value!r}: {why}")


def _spelled(source: str) -> str:
    """Gymnasium's names end in a version, and those of Foray's worlds do not."""
    if re.search(r"-v\d+$", source) and not os.path.exists(source):
        raise UsageError(f"{source} is a name of Gymnasium: explore(gymnasium.make({source!r}), ...)")
    return source


def _fitting(known: Model, player: Environment | Simulator, horizon: int | None) -> Model:
    """A model that says what is known of somebody's states and actions has all of them."""
    if known.states < player.states or known.actions != player.actions:
        raise UsageError(
            f"known={known.name} has {known.states} states and {known.actions} actions, but {player.name} has"
            f" {player.states} and {player.actions}"
        )
    return model_of(known, horizon)


# ---------------------------------------------------------------------------------------- runs


class Run(Native):
    """An explorer, its episodes and its plans: in a file of the given path, or in a temporary one.

    >>> with foray.explore("rooms:rows=1,cols=2,size=2,horizon=6", episodes=300) as run:
    ...     run.episodes, run.algorithm, run.bound().status
    (300, 'ucrl-rfe', 'certified')
    """

    INSTEAD = "give `path` to foray.open_run in the other process, or a plan, which can"

    def __init__(self, context: Context, made: c_void_p, path: str, temporary: Temporary | None = None) -> None:
        self._context, self._pointer, self.path = context, self._taken(made), path
        self._release = weakref.finalize(self, _close, context, self._pointer, temporary)
        self._explorer = Explorer(self)
        #: What was known beforehand.
        self.model = Model(c_void_p(lib.foray_model_share(lib.foray_run_model(self._pointer))))
        self._player: Environment | Simulator | None = None
        #: What the states of the run are, where it was explored through clusters here.
        self.clusters: Clusters | None = None
        self._stores = temporary is None  # plans are kept in files

    # -- opening and closing

    def close(self) -> None:
        """Closes the file; what is in it stays, unless it is temporary. In a process that was forked
        off, it stays open: it belongs to the other one."""
        if not self._context.forked:
            with self._context.turn():
                self._release()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Is the file closed?"""
        return not self._release.alive

    @property
    def pointer(self) -> int:  # type: ignore[override]
        """The foray_run, as long as there is one."""
        if self.closed:
            raise ValueError("the run is closed")
        if self._context.forked:
            raise UsageError(
                "the run belongs to the process that this one was forked from:"
                " here, foray.open_run(path) opens its file, if it has one"
            )
        return self._pointer

    # -- what it is

    def state_of(self, observation: Any) -> int:
        """The number of an observation, in a run that explored a Gymnasium environment here: states are
        the values of its space in their order, the last part of a Tuple or Dict counting fastest."""
        if not isinstance(self._player, Environment) or self.clusters is not None:
            raise UsageError("only what was seen in an environment of discrete observations has a number")
        return self._player.number(observation)

    def _check_meant(self, number: int | np.integer[Any]) -> None:
        """Where observations are whole numbers but not those of states, either may be meant."""
        player = self._player
        if self.clusters is None and isinstance(player, Environment) and player.begins != 0:
            raise UsageError(
                f"{number} may be a state or an observation, which begin at {player.begins} here:"
                " plan.action(step, numpy.array(observation)), or plan.policy[step, state]"
            )

    @property
    def world(self) -> str:
        """The world that was explored, as it was named."""
        return str(self._context.ask(lib.foray_run_world, self).decode())

    @property
    def algorithm(self) -> str:
        """The name of the algorithm that explores."""
        return self.setting("algorithm")

    def setting(self, name: str) -> str:
        """One setting, as text."""
        with self._context.turn():
            return _setting(self._context, lib.foray_run_settings(self.pointer), name)

    def _facts(self) -> ExplorerFacts:
        facts = ExplorerFacts()
        self._context.call(lib.foray_explorer_describe, self._explorer, byref(facts))
        return facts

    @property
    def episodes(self) -> int:
        """How many episodes there are."""
        return int(self._facts().episodes)

    @property
    def trusted(self) -> str | None:
        """What certificates rest on and data do not test: where recorded episodes begin, if the model says it.
        None: there is no such thing."""
        if self.algorithm != "recorded" or not self.model.initial():
            return None
        return "the law of first states is taken on trust: recorded episodes may begin anywhere"

    @property
    def replans(self) -> int:
        """How many exploration plans were made."""
        return int(self._facts().plans)

    def __repr__(self) -> str:
        if self.closed:
            return "<foray.Run, closed>"
        if self._context.forked:
            return "<foray.Run, of another process>"
        trusted = f"; {self.trusted}" if self.trusted else ""
        return f"<foray.Run of {self.world}: {self.episodes:,} episodes with {self.algorithm}{trusted}>"

    # -- exploring

    def explore(self, *, episodes: int | None = None, progress: bool | None = None) -> Run:
        """Continues, up to ``episodes`` in all. Ctrl-C stops it, and finished episodes are kept."""
        episodes = None if episodes is None else integer(episodes, "episodes", 1)
        budget = int(self.setting("episodes"))
        if episodes is not None and episodes > budget:
            self._context.call(lib.foray_run_extend, self, episodes)
        elif episodes is not None and episodes < budget and self.episodes < budget:
            raise UsageError(f"the run was started for {budget} episodes, and episodes={episodes} can only be raised")
        bar = bars.Bar() if bars.wanted(progress) else None
        context = self._context

        def tell(_: Any, now: Any) -> bool:
            if bar is not None:
                bar.show(now[0])
            return not context.flag.value

        shown = bar is not None or self._player is not None
        callback = context.returning(PROGRESS, tell) if shown else None
        try:
            self._explore(callback)
        finally:
            if bar is not None:
                bar.close()
        return self

    def _explore(self, callback: Any) -> None:
        context = self._context
        if self._player is None:
            world = ModelWorld(context, self.model)
            context.long(
                lib.foray_run_explore, self, 1, byref(c_void_p(world.pointer)), callback, None
            )
            return
        aggregated = self.clusters is not None
        python = PythonWorld(context, self.model, self._player, aggregated=aggregated)
        worlds = byref(c_void_p(python.pointer))
        try:
            context.long(lib.foray_run_explore, self, 1, worlds, callback, None, here=True)
        except BaseException as error:
            with suppress(ForayError):  # what could not be kept either is not what was wrong
                self._keep_own()
            if isinstance(error, WorldError) and "says that it is absorbing" in str(error):
                raise WorldError(f"{error}. twins=True gives every end a state of its own") from None
            raise
        else:
            self._keep_own()
        finally:
            python.close()

    def _keep_own(self) -> None:
        """What the environment paid, where states are its observations."""
        if isinstance(self._player, Environment) and self.clusters is None:
            self._player.own.keep(self)

    # -- plans

    def plan(self, what: RewardLike, *, mode: str = "plugin", subject_to: Iterable[Any] = ()) -> Plan:
        """The plan for a reward: see :func:`foray.reward` for what that can be; "own" is the
        environment's own reward, where it was seen.

        ``subject_to`` are limits, such as ``"goal:0 >= 2"`` or ``(reward, "<=", 0.1)``: the plan is then the
        best within them, a mixture of few policies, and ``plan.limits`` are proved to be kept; the
        certificate is about all policies that keep them. LimitsError where no policy does, or nothing is
        proved."""
        limits = limits_of(subject_to)
        if not limits:
            return self.plans([what], mode=mode)[0]
        if mode != "plugin":
            raise UsageError("plans within limits have no mode: they are mixtures")
        built = [(self._reward(wanted), most, bound) for wanted, most, bound in limits]
        plan, plan_limits = plan_within(self, self.model, self._reward(what), built)
        plan.limits = plan_limits
        return plan

    def tradeoff(
        self, rewards: Iterable[RewardLike], *, scale: npt.ArrayLike | None = None, policies: int = 60, until: float = 0.0
    ) -> Front:
        """Few policies for every weighting of 2 to 5 rewards: at most so many, until one of them loses at
        most ``until`` whatever the weighting, or more would not help. Weights are of values divided by
        ``scale``, by default the width of each reward's range."""
        return front_of(self, self.model, [self._reward(what) for what in rewards], scale, policies, until)

    def plans(self, rewards: Iterable[RewardLike], *, mode: str = "plugin") -> list[Plan]:
        """Plans for several rewards at once, which is cheaper than one after the other."""
        if isinstance(rewards, (str, Mapping)):
            raise UsageError(f"{rewards!r} is one reward: plan(...), or plans([...])")
        given = list(rewards)
        if any(isinstance(what, str) and what == "own" for what in given):
            return [
                own_plan(self, mode) if isinstance(what, str) and what == "own"
                else self.plan(what, mode=mode)
                for what in given
            ]  # fmt: skip
        return self._plans([self._reward(what) for what in given], mode)

    def _reward(self, what: RewardLike) -> BuiltReward:
        """The reward of the run's model. Functions of what is seen through clusters are asked about
        the middle of each, and about actions as the environment takes them; after an end nothing is
        earned. An end itself is where its twin is."""
        asked = what if isinstance(what, Reward) else reward(what)
        if self.clusters is None or asked.of_function is None:
            return asked.build(self.model)
        function, options = asked.of_function
        count = self.clusters.count
        centres = [self.clusters.centre(s) for s in range(count)]
        moves = getattr(self._player, "_moves", range(self.model.actions))
        told: list[Callable[..., float]] = [
            lambda s: function(centres[s]) if s < count else 0.0,
            lambda s, a: function(centres[s], moves[a]) if s < count else 0.0,
            lambda s, a, n: function(centres[s], moves[a], centres[n % count]) if s < count else 0.0,
        ]
        return reward(told[arguments_of(function, options["name"]) - 1], **options).build(self.model)

    def _plans(self, built: Sequence[BuiltReward], mode: str) -> list[Plan]:
        count = len(built)
        pointers, out = pointers_of(built), (c_void_p * count)()
        plan, source = (
            (lib.foray_run_plan, self) if self._stores else (lib.foray_explorer_plan, self._explorer)
        )
        self._context.long(plan, source, count, pointers, mode_of(mode), out)
        return [
            Plan(Policy(c_void_p(pointer)), self.model, b, self) for pointer, b in zip(out, built, strict=True)
        ]

    def certify(self, policy: npt.ArrayLike | Plan, what: RewardLike) -> Plan:
        """Certifies a policy from anywhere for a reward: a plan, or an array of actions, [horizon, states] or
        [states], or of their probabilities, [horizon, states, actions] or [states, actions]. In states where
        no episode can be actions may be -1, as ``plan.policy`` is."""
        own = isinstance(what, str) and what == "own"
        built = own_reward(self) if own else self._reward(what)
        made = self._policy_of(policy)
        if own:
            own_certify(self, made)
        else:
            self._context.long(lib.foray_explorer_certify, self._explorer, built, made)
        return Plan(made, self.model, built, self)

    def _policy_of(self, policy: npt.ArrayLike | Plan) -> Policy:
        """A policy of one's own, from what :meth:`certify` takes."""
        out, context = c_void_p(), self._context
        shape = (self.model.horizon, self.model.states)
        laws = (*shape, self.model.actions)
        if isinstance(policy, Plan):
            data = policy._json()
            context.call(lib.foray_policy_parse, context, data, len(data), b"plan", byref(out))
            return Policy(out)
        try:
            drawn = np.asarray(policy)
        except ValueError:
            drawn = np.empty(0)  # of rows that differ: refused below
        if drawn.dtype.kind == "f" and drawn.shape in (laws, laws[1:]):
            chance = np.ascontiguousarray(np.broadcast_to(reals(policy, "policy: probability"), laws))
            context.call(lib.foray_policy_create_drawing, context, self.model, chance.ctypes.data, byref(out))
            return Policy(out)
        given = integers(policy, "policy: action", -1, self.model.actions - 1)
        if given.shape not in (shape, shape[1:]):
            raise UsageError(
                f"a policy of shape {given.shape}, but here it is {shape}, or {shape[1:]} for every step, or with"
                f" {self.model.actions} probabilities for each"
            )
        context.call(lib.foray_policy_create, context, self.model, GIVEN, byref(out))
        made = Policy(out)
        made.fill(np.broadcast_to(given, shape))
        return made

    def difference(self, one: npt.ArrayLike | Plan, other: npt.ArrayLike | Plan, what: RewardLike) -> Difference:
        """What one policy is worth more than another for a reward, under one and the same law: much sharper than
        two intervals. Policies as :meth:`certify` takes them."""
        built, found = self._reward(what), DifferenceStruct()
        a, b = self._policy_of(one), self._policy_of(other)
        self._context.long(lib.foray_explorer_compare, self._explorer, built, a, b, byref(found))
        return Difference(found.expected, found.low, found.high, certificate_of(found.certificate))

    def bound(self) -> Certificate:
        """The bound for all rewards r(s,a) in [0,1] at once."""
        found = CertificateStruct()
        self._context.long(lib.foray_explorer_bound, self._explorer, 0, byref(found))
        return certificate_of(found)

    @property
    def own(self) -> BuiltReward:
        """The environment's own reward where it was seen; the rest counts low."""
        return own_reward(self)

    # -- what was learnt

    def estimate(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The estimate of theta, and half the width of each coordinate's interval."""
        dim = int(lib.foray_model_dim(self.model.pointer))
        theta, width = np.empty(dim), np.empty(dim)
        self._context.call(
            lib.foray_explorer_estimate, self._explorer, theta.ctypes.data, width.ctypes.data
        )
        return theta, width

    def intervals(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Lower and upper bounds on every probability, all valid at once with probability 1 -
        delta: pair by pair, in the order of ``model.successors``."""
        count = int(self.model.facts().transitions)
        low, high = np.empty(count), np.empty(count)
        self._context.long(
            lib.foray_explorer_intervals, self._explorer, low.ctypes.data, high.ctypes.data, None
        )
        return low, high

    def refutation(self) -> str | None:
        """Why no law that the model admits fits the data; None: the data do not refute the
        model."""
        found = Refutation()
        self._context.call(lib.foray_explorer_refutation, self._explorer, byref(found))
        if not found.refuted:
            return None
        text = ctypes.create_string_buffer(400)
        lib.foray_refutation_print(self.model.pointer, byref(found), text, len(text))
        return text.value.decode()

    def data(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """All episodes: states [episodes, horizon + 1], and actions [episodes, horizon], which are
        -1 after the end of a recorded episode that was shorter."""
        H, K = self.model.horizon, int(self._context.ask(lib.foray_run_saved, self))
        wide = 2 * H if lib.foray_algorithm_is_generative(as_text(self.algorithm, "algorithm")) else H + 1
        states, actions = np.empty((K, wide), np.int32), np.empty((K, H), np.int32)
        to_states, to_actions, copy = states.ctypes.data, actions.ctypes.data, ctypes.memmove

        def take(_: Any, k: int, state: int, action: int) -> bool:
            copy(to_states + 4 * wide * k, state, 4 * wide)
            copy(to_actions + 4 * H * k, action, 4 * H)
            return True

        callback = self._context.returning(EPISODES, take)
        self._context.long(lib.foray_run_episodes, self, 0, callback, None, here=True)
        return states, actions

    def trace(self) -> npt.NDArray[np.float64]:
        """How the bound for all rewards fell: rows of (episodes, plans, bound)."""
        rows: list[tuple[float, float, float]] = []

        def take(_: Any, episodes: int, plans: int, bound: float) -> bool:
            rows.append((episodes, plans, bound))
            return True

        callback = self._context.returning(TRACE, take)
        self._context.long(lib.foray_run_trace, self, callback, None, here=True)
        return np.array(rows, dtype=np.float64).reshape(-1, 3)

    def figure(self) -> Any:
        """How the bound for all rewards fell: a matplotlib figure, which has ``savefig``."""
        return pictures.curve_of(self)

    def report(self, path: str | os.PathLike[str], replace: bool = False) -> None:
        """Writes a page about the run, as `foray report` does."""
        name = path_of(path)
        check_free(path, flag(replace, "replace"))
        self._context.long(lib.foray_report_save, self, name)

    def verify(self) -> None:
        """Checks the whole file and replays all episodes; raises what is wrong."""
        self._context.long(lib.foray_run_verify, self)


def _close(context: Context, pointer: int, temporary: Temporary | None) -> None:
    """Also at exit, when another thread may be exploring still: it is told to stop."""
    if context.forked:
        return
    context.flag.value = 1
    with context.lock:
        status = lib.foray_run_close(pointer)
        if temporary is None:
            context.check(status)
        else:
            temporary.remove()


class Explorer(Native):
    """The foray_explorer of a run."""

    INSTEAD = "it is part of the run"

    def __init__(self, run: Run) -> None:
        self._run = weakref.ref(run)

    @property
    def pointer(self) -> int:  # type: ignore[override]
        run = self._run()
        assert run is not None
        return int(lib.foray_run_explorer(run.pointer))


# ----------------------------------------------------------------------------------- functions


def pointers_of(natives: Sequence[Native]) -> Any:
    """As an array, which keeps them alive."""
    array: Any = (c_void_p * len(natives))(*(native.pointer for native in natives))
    array.natives = list(natives)
    return array


def _target(context: Context, run: Run, until: float | None, targets: Iterable[RewardLike]) -> None:
    if until is not None:
        context.call(lib.foray_run_set_until, run, real(until, "until", 0.0))
    built = [run._reward(what) for what in targets]
    if built:
        context.call(lib.foray_run_set_targets, run, len(built), pointers_of(built))


def _prepare(
    run: Run,
    player: Environment | Simulator | None,
    range: tuple[float, float] | None,
    reward_for: RewardLike | None,
    random_rewards: bool,
    range_total: tuple[float, float] | None,
) -> None:
    """Who plays, and what is wanted beside exploring."""
    run._player = player
    if isinstance(player, Environment):
        if range is not None and player.clusters is not None:
            raise UsageError("range= and clusters=: what a cluster pays is no single number; plan for a function")
        run.clusters = player.clusters
        player.own.begin(
            None if range is None else range_of(range),
            flag(random_rewards, "random_rewards"),
            None if range_total is None else range_of(range_total, "range_total"),
        )
        player.own.take(run)
    elif range is not None or range_total is not None or random_rewards:
        name = "range=" if range is not None else "range_total=" if range_total is not None else "random_rewards="
        raise UsageError(f"{name} is about an environment's own reward, and there is no environment here")
    if reward_for is not None:
        built = run._reward(reward_for)
        run._context.call(lib.foray_run_give_reward, run, built)


class Temporary:
    """A directory of our own, for files that others may neither read nor put a link in the place of. It
    is removed with this object, or at exit, by the process that made it."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="foray-")
        _temporary[self.path] = os.getpid()
        self.remove = weakref.finalize(self, _remove, self.path, os.getpid())

    def close_to_others(self) -> None:
        """What is in it belongs to this user alone, wherever it may be copied to."""
        for name in os.listdir(self.path):
            os.chmod(os.path.join(self.path, name), 0o600)

    def __reduce__(self) -> Any:
        raise TypeError("what is in a temporary directory can be neither copied nor pickled: give path=")


#: Those that are not removed yet, and whose they are: what a signal's handler raises may end a removal.
_temporary: dict[str, int] = {}


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
        _temporary.pop(path, None)


@atexit.register
def _remove_all() -> None:
    for path, owner in list(_temporary.items()):
        _remove(path, owner)


def create(
    context: Context, model: Model, world: str, settings: Mapping[str, object],
    path: str | os.PathLike[str] | None, replace: bool,
) -> Run:  # fmt: skip
    """A run that has seen nothing: in a file, or without a path in a temporary one."""
    made, out = _settings(context, settings), c_void_p()
    temporary = Temporary() if path is None else None
    where = os.path.join(temporary.path, "run.foray") if temporary is not None else os.fspath(path or "")
    context.call(
        lib.foray_run_create,
        context, path_of(where), REPLACE if replace else NEW, model, as_text(world, "name"), byref(made),
        byref(out),
    )  # fmt: skip
    run = Run(context, out, where, temporary)
    if temporary is not None:
        temporary.close_to_others()
    return run


def explore(
    source: object,
    *,
    episodes: int | None = None,
    horizon: int | None = None,
    seed: int | None = None,
    algorithm: str | None = None,
    path: str | os.PathLike[str] | None = None,
    resume: bool = False,
    replace: bool = False,
    known: Model | str | None = None,
    laws: str = "pair",
    initial: Initial | None = None,
    reward_for: RewardLike | None = None,
    until: float | None = None,
    targets: Iterable[RewardLike] = (),
    range: tuple[float, float] | None = None,
    range_total: tuple[float, float] | None = None,
    random_rewards: bool = False,
    clusters: str | Clusters | None = None,
    box: Any = None,
    actions: Any = None,
    twins: bool | None = None,
    threads: int = 1,
    progress: bool | None = None,
    **settings: object,
) -> Run:
    """Explores without a reward, and returns the run.

    ``source`` is a built-in world's name ("rooms:rows=3,cols=3"), a model file, a :class:`Model`, a
    :class:`Simulator`, a Gymnasium environment, or several that are stepped together
    (``gymnasium.make_vec``), in which episodes are played ahead.

    ``path`` keeps the run in a file, which ``resume=True`` continues; ``replace=True`` begins
    again: what is wrong beforehand replaces nothing, but a world that fails later has begun a new
    run. ``known`` says what is known about an environment: a model, or "table", which takes from
    its ``P`` what can follow what and what it pays, but never how likely it is; ``laws`` says which
    (s,a) then share a law. ``until`` ends exploring at a bound for all rewards, or at certificates
    for ``targets``, which exploring is then for (`scout`, unless ``algorithm`` says otherwise).
    ``range`` is the range of the environment's own reward, which certificates of plans for "own"
    need; a table has it. With a range, and rewards that no table has, exploring looks for them, too
    (`scout`, unless ``algorithm`` says otherwise). ``range_total`` is the same for all that an episode pays,
    and makes certificates smaller. ``random_rewards`` says that rewards are drawn, by a law that
    depends on (s,a,s') alone; without it they must be a function of (s,a,s'). ``clusters``
    ("grid:21x21", "radial:500" or :class:`Clusters`) is how vector observations are seen, within
    ``box=(low, high)`` if the environment's own bounds are too wide; certificates are then
    estimates. ``actions`` turns continuous actions into a list: the list itself, or how many in each
    direction. ``twins`` doubles the states: an episode that ends in s moves to its twin, s + the
    number of observations, so that other episodes may pass through s. Clusters have twins unless
    ``twins=False`` says that episodes do not end. ``reward_for`` is for the few algorithms that see
    a reward while they explore. All other settings are those of `foray explore`, by name.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=1000, seed=7)
    >>> run.episodes, run.setting("seed")
    (1000, '7')
    """
    context = Context(threads)
    looks: Looks = {"clusters": clusters, "box": box, "actions": actions, "twins": None if twins is None else flag(twins, "twins")}
    model, player, name = _resolve(source, horizon, known, laws, initial, looks)
    asked = {"algorithm": algorithm, "seed": seed, **settings}
    if model.unstructured:
        # Where nothing is known counting is enough, and far faster: as the command chooses.
        algorithm = algorithm or "inverse-count"
    targets = list(targets)
    if targets and not settings.get("literal"):
        algorithm = algorithm or "scout"  # which goes where their certificates are decided
    if _pays_unknown(model, player) and range is not None and not settings.get("literal"):
        algorithm = algorithm or "scout"  # which also looks for rewards
        if algorithm == "scout":
            settings.setdefault("rewards", "random" if random_rewards else "function")
    named = {"algorithm": algorithm, "episodes": episodes, "seed": seed}
    chosen = {key: value for key, value in {**named, **settings}.items() if value is not None}
    if flag(resume, "resume") and path is None:
        raise UsageError("resume=True goes on with a file: give its path=")
    old = _open(context, path, WRITE) if resume and path is not None and os.path.exists(path) else None
    if path is not None and old is None:  # what is wrong makes no file, and replaces none
        bars.wanted(progress)
        with create(Context(), model, name, chosen, None, False) as rehearsal:
            _prepare(rehearsal, player, range, reward_for, random_rewards, range_total)
            _target(rehearsal._context, rehearsal, until, targets)
    run = old or create(context, model, name, chosen, path, flag(replace, "replace"))
    try:
        if old is not None:
            _check_same(run, model, name if player is not None else None, asked)
        _prepare(run, player, range, reward_for, random_rewards, range_total)
        _target(context, run, until, targets)
        return run.explore(episodes=episodes, progress=progress)
    except BaseException:  # nobody else has the run, and whoever resumes it wants its file closed
        run.close()
        raise


def _pays_unknown(model: Model, player: object) -> bool:
    """Is it an environment of which more is known than sizes, but not what it pays?"""
    return (
        isinstance(player, Environment)
        and not model.unstructured
        and player.clusters is None
        and not player.own.complete
    )


def _check_same(run: Run, model: Model, player: str | None, asked: Mapping[str, object]) -> None:
    """What a run has seen is of one world, with one algorithm: what is asked for must be what it has."""
    same = c_bool()
    run._context.call(lib.foray_run_is_of, run, model, byref(same))
    if not same.value:
        raise UsageError(f"{run.path} is a run of another model: it explored {run.world}")
    if player not in (None, run.world):
        raise UsageError(f"{run.path} explored {run.world}, and not {player}")
    wanted = {name: value for name, value in asked.items() if value is not None}
    settings = _settings(run._context, {"algorithm": run.algorithm, **wanted})
    for name in wanted:
        has, said = run.setting(name), _setting(run._context, byref(settings), name)
        if has != said:
            raise UsageError(
                f"{run.path} was started with {name} {has}, not {said}: only episodes=, until= and targets= can change"
            )


def open_run(path: str | os.PathLike[str], *, write: bool = False, threads: int = 1) -> Run:
    """Opens a run file, to plan with it."""
    run = _open(Context(threads), path, WRITE if flag(write, "write") else READ)
    run._stores = write
    return run


def _open(context: Context, path: str | os.PathLike[str], how: int) -> Run:
    out = c_void_p()
    try:
        context.long(lib.foray_run_open, context, path_of(path), how, byref(out))
    except BaseException:  # also one that came when it was open already
        lib.foray_run_close(out)
        raise
    return Run(context, out, os.fspath(path))
