"""Policies with what they earn, and certificates of how near they are to the best one."""

from __future__ import annotations

import ctypes
import math
import os
from ctypes import POINTER, byref, c_double, c_int64, c_void_p, cast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import pictures
from ._context import Context, Native, text_of
from ._library import CertificateStruct, Doubt, Draw, PolicyStruct, lib
from ._numbers import flag, integer, path_of, real
from .clusters import Clusters
from .errors import OutOfRange, UsageError, check_free
from .models import Model
from .rewards import BuiltReward

if TYPE_CHECKING:
    from .runs import Run

MODES = ("optimistic", "plugin", "pessimistic", "given")
GIVEN = MODES.index("given")


def mode_of(name: str) -> int:
    """How to plan, as the library numbers it."""
    if not isinstance(name, str) or name.replace("-", "") not in MODES[:GIVEN]:
        raise UsageError(f"mode={name!r}: it is one of {', '.join(MODES[:GIVEN])}")
    return MODES.index(name.replace("-", ""))


@dataclass(frozen=True)
class Certificate:
    """With probability at least 1 - delta, no policy is better by more than ``gap``, if ``proved``.

    ``status`` is "certified", "exact", "estimate", "heuristic", "refuted" or "none", and
    ``because`` what that word means or why nothing is proved; ``radius`` and ``bound`` name the
    confidence set and the bound that gave the gap. ``optimal`` is "proved" where the gap is exactly
    0, "rounding" where it is at most 1e-9 of the largest possible return, else "no"; ``verdict``
    says in words what the certificate amounts to.
    ``vacuous``: it is as large as rewards allow, and says nothing.
    """

    gap: float
    delta: float
    radius: str
    bound: str
    status: str
    because: str
    optimal: str
    vacuous: bool
    verdict: str

    @property
    def proved(self) -> bool:
        """Is it proved end to end?"""
        return self.status in ("certified", "exact")


def certificate_of(struct: CertificateStruct) -> Certificate:
    """What C says, as Python has it."""
    return Certificate(
        gap=struct.gap,
        delta=struct.delta,
        radius=lib.foray_radius_name(struct.radius).decode(),
        bound=lib.foray_bound_name(struct.bound).decode(),
        status=lib.foray_certificate_status(byref(struct)).decode(),
        because=lib.foray_certificate_because(byref(struct)).decode(),
        optimal=lib.foray_certificate_optimal(byref(struct)).decode(),
        vacuous=bool(struct.vacuous),
        verdict=lib.foray_certificate_verdict(byref(struct)).decode(),
    )


@dataclass(frozen=True)
class Difference:
    """What one policy is worth more than another: by the estimate, and between which bounds under every law that
    fits the data. ``certificate.gap`` is how much worse the first can be at most."""

    value: float
    low: float
    high: float
    certificate: Certificate


@dataclass(frozen=True)
class Place:
    """Where another action might be better, or (the policy's own action) what follows is doubtful."""

    step: int
    state: int
    action: int
    share: float


@dataclass(frozen=True)
class Law:
    """A law whose uncertainty is behind a certificate; ``more`` visits would about halve it."""

    name: str
    state: int
    action: int
    visits: int
    share: float
    more: float


@dataclass(frozen=True)
class Reasons:
    """Why a certificate is not 0, largest shares first."""

    places: list[Place]
    laws: list[Law]


class Policy(Native):
    """A foray_policy."""

    INSTEAD = "copy the plan"

    def __init__(self, made: ctypes.c_void_p) -> None:
        self.pointer = self._taken(made)
        self._destroyed_by(lib.foray_policy_destroy, self.pointer)

    def fill(self, actions: npt.NDArray[np.int64]) -> None:
        """Takes these actions, [horizon, states]: -1 in the states about which it says nothing."""
        struct = cast(self.pointer, POINTER(PolicyStruct)).contents
        silent = (actions < 0).any(axis=0)
        odd = silent & (actions >= 0)
        if odd.any():
            raise UsageError(
                f"policy: action -1 in state {int(np.argwhere(odd)[0, 1])}, but not in every step:"
                " it is for states where no episode can be"
            )
        if silent.any():
            self._covered = np.flatnonzero(~silent).astype(np.int32)  # C reads it as long as there is the policy
            struct.state = self._covered.ctypes.data_as(POINTER(ctypes.c_int32))
            struct.covered = len(self._covered)
        copied = np.ascontiguousarray(actions[:, ~silent], dtype=np.int32)
        ctypes.memmove(struct.action, copied.ctypes.data, copied.nbytes)


class Plan(Native):
    """A policy for a reward: ``plan.action(step, state)``, ``plan.policy[step, state]``.

    ``plan.value`` is what it earns under the estimate, and its true value lies between ``plan.low``
    and ``plan.high``; ``plan.certificate`` says how much better any other policy can be.

    >>> run = foray.explore("riverswim:states=4,horizon=8", episodes=2000)
    >>> plan = run.plan("goal:3")
    >>> plan.low <= plan.value <= plan.high, plan.certificate.status
    (True, 'certified')
    >>> plan.policy.shape, plan.action(0, 0) == int(plan.policy[0, 0])
    ((8, 4), True)
    """

    def __init__(
        self, policy: Policy, model: Model, reward: BuiltReward, run: Run | None, clusters: Clusters | None = None
    ) -> None:
        if not isinstance(policy, Policy):
            raise TypeError("a Plan is nothing to make by itself: run.plan and run.certify return it")
        self._policy, self.pointer = policy, policy.pointer
        self.model, self.reward, self.run = model, reward, run
        self._struct = struct = cast(self.pointer, POINTER(PolicyStruct)).contents
        self._clusters = run.clusters if run is not None else clusters
        self.mode = MODES[struct.mode]
        #: The limits that it keeps, where it was planned within some.
        self.limits: list[Any] = []
        #: What the policy earns by what was learnt, and between which bounds that lies.
        self.value, self.low, self.high = struct.expected, struct.low, struct.high
        self.certificate = certificate_of(struct.certificate)

    def __reduce__(self) -> Any:
        return _parsed, (self._json(), self.model, self.reward, self._clusters)

    @property
    def policy(self) -> npt.NDArray[np.int32]:
        """The actions, [horizon, states], for reading; -1 in states where no episode can be. Of a
        mixture ask for its :attr:`parts`; of a task, [horizon, states, memories]."""
        struct = self._struct
        if struct.odds:
            raise UsageError("this policy is a mixture: plan.parts are its policies, with their odds")
        if not struct.state:
            return _view(struct.action, (struct.horizon, struct.states), self)
        actions = np.full((struct.horizon, struct.states), -1, np.int32)
        actions[:, np.ctypeslib.as_array(struct.state, (struct.covered,))] = _view(
            struct.action, (struct.horizon, struct.covered), self
        )
        if struct.memory:
            actions = actions.reshape(struct.horizon, -1, self.memories)
        actions.flags.writeable = False
        return actions

    @property
    def memories(self) -> int:
        """How much a plan for a task can remember; 1: what it does depends on step and state alone."""
        return int(self._struct.memory.contents.states) if self._struct.memory else 1

    def read(self, memory: int, state: int) -> int:
        """What is remembered once a state has been entered: of plans for tasks, which begin with 0
        before the first state of an episode. ``action`` takes it."""
        held = c_int64(integer(memory, "memory", 0, self.memories - 1, OutOfRange))
        state = integer(state, "state", 0, self._struct.states // self.memories - 1, OutOfRange)
        if int(lib.foray_policy_read(self.pointer, byref(held), state)) < 0:
            raise OutOfRange(f"state {state} is unreachable after what has happened")
        return held.value

    @property
    def draws(self) -> bool:
        """Is it a mixture, of which one policy is drawn for every episode, or does it draw its actions?"""
        return bool(self._struct.odds) or bool(self._struct.chance)

    @property
    def parts(self) -> list[tuple[float, npt.NDArray[np.int32]]]:
        """The policies of a mixture, [horizon, states] as :attr:`policy`, with their odds; of any other,
        itself."""
        struct = self._struct
        if not struct.odds:
            return [(1.0, self.policy)]
        covered = struct.covered if struct.state else struct.states
        shape = (struct.parts * struct.horizon, covered)
        rows = _view(struct.action, shape, self).reshape(struct.parts, struct.horizon, covered)
        where = np.ctypeslib.as_array(struct.state, (covered,)) if struct.state else slice(None)
        found = []
        for k in range(struct.parts):
            actions = np.full((struct.horizon, struct.states), -1, np.int32)
            actions[:, where] = rows[k]
            actions.flags.writeable = False
            found.append((struct.odds[k], actions))
        return found

    def _at(self, step: int, state: int, episode: int | None = None, seed: int = 1, memory: int = 0) -> int:
        if self._struct.memory:
            state = state * self.memories + integer(memory, "memory", 0, self.memories - 1, OutOfRange)
        if self.draws:
            if episode is None:
                raise UsageError("this policy draws: give the number of the episode, action(step, state, episode=)")
            draw = Draw(integer(seed, "seed", 0), integer(episode, "episode", 0), step)
            action = int(lib.foray_policy_draw(self.pointer, byref(draw), state))
        else:
            action = int(lib.foray_policy_action(self.pointer, step, state))
        if action < 0:
            raise OutOfRange(f"state {state} is unreachable: no episode of the model can be there")
        return action

    @property
    def values(self) -> dict[str, float]:
        """The values of the three recursions: optimistic, plugin, pessimistic."""
        return dict(zip(MODES, self._struct.value, strict=False))

    @property
    def proved_optimal(self) -> bool:
        """Is it proved that no policy is better (with probability 1 - delta)?"""
        return self.certificate.optimal == "proved"

    def action(
        self, step: int, state: Any, *, episode: int | None = None, seed: int = 1, memory: int = 0
    ) -> int:
        """What to do in a state, with step from 0; in a run that explored an environment, also at
        one of its observations: of any space, or a row of numbers that is seen through clusters. What a
        policy draws (:attr:`draws`) depends on the seed, the number of the episode, and the step. Plans for tasks
        take what is remembered there, as :meth:`read` says it."""
        step = integer(step, "step", 0, self._struct.horizon - 1, OutOfRange)
        if isinstance(state, (int, np.integer)):
            if self.run is not None:
                self.run._check_meant(state)
            number = integer(state, "state", 0, self._struct.states // self.memories - 1, OutOfRange)
            return self._at(step, number, episode, seed, memory)
        if self._clusters is not None and self.draws:
            raise UsageError("a policy that draws answers the numbers of clusters, not vectors")
        if self._clusters is not None:
            return self._clusters._action(self.pointer, step, state)
        if self.run is None:
            raise UsageError("this plan is a copy without its run, which knows observations: give the number of a state")
        return self._at(step, self.run.state_of(state), episode, seed, memory)

    __call__ = action

    def truth(self) -> tuple[float, float]:
        """The true value of the policy and that of the best one, if the model knows them."""
        context, value, best = Context(), c_double(), c_double()
        context.call(
            lib.foray_evaluate,
            context.pointer, self.model.pointer, self.reward.pointer, self.pointer,
            byref(value), byref(best),
        )  # fmt: skip
        return value.value, best.value

    def explain(self, target: float = 0.0) -> Reasons:
        """Why the certificate is not 0: where and when, and which laws are behind it."""
        target = real(target, "target")
        if self.run is None:
            raise UsageError("this plan is a copy without its run, which knows the reasons: ask the plan itself")
        out = POINTER(Doubt)()
        self.run._context.long(
            lib.foray_explorer_explain, self.run._explorer, self.reward, self, target, byref(out)
        )
        doubt = out.contents
        places = [
            Place(p.step, p.state // self.memories, p.action, p.share) for p in doubt.place[: doubt.places]
        ]
        laws = [
            law_of(w) for w in doubt.law[: doubt.laws]
        ]
        lib.foray_doubt_destroy(out)
        return Reasons(places, laws)

    def to_json(self) -> str:
        """The policy as the text of a policy file."""
        return self._json().decode()

    def _json(self) -> bytes:
        context = self._complete()
        return text_of(context, lib.foray_policy_print, context, self)

    def save(self, path: str | os.PathLike[str], replace: bool = False) -> None:
        """Writes a policy file, which `foray act` and `foray policy` read."""
        name = path_of(path)
        check_free(path, flag(replace, "replace"))
        context = self._complete()
        context.call(lib.foray_policy_save, context, self, name)

    def _complete(self) -> Context:
        """Copies are complete. Once its run is closed, a plan tells all but which run it was."""
        if self.run is None:
            return Context()
        context = Context() if self.run.closed else self.run._context
        if self.run.closed:
            context.call(lib.foray_policy_complete, context, self, self.model, self.reward)
        else:
            context.call(lib.foray_run_complete_policy, self.run, self.reward, self)
        if self._clusters is not None and self._clusters.count == self.model.states:
            context.call(lib.foray_policy_keep_clusters, context, self, self._clusters)
        return context

    def figure(self, step: int = 0) -> Any:
        """What is done in a step, on the model's map; without one, what is done in every state and
        step. A matplotlib figure, which has ``savefig``."""
        return pictures.map_of(self, integer(step, "step", 0, self._struct.horizon - 1, OutOfRange))

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return pictures.html(self)

    def __repr__(self) -> str:
        return (
            f"<foray.Plan for {self.reward.name}: value {self.value:.6g}"
            f" in [{self.low:.6g}, {self.high:.6g}], certificate {self.certificate.gap:.6g}"
            f" ({self.certificate.verdict})>"
        )


def _parsed(data: bytes, model: Model, reward: BuiltReward, clusters: Clusters | None) -> Plan:
    """A plan from the bytes of a policy file."""
    context, out = Context(), c_void_p()
    context.call(lib.foray_policy_parse, context, data, len(data), b"plan", byref(out))
    return Plan(Policy(out), model, reward, None, clusters)


def law_of(law: Any) -> Law:
    """What C says of a law, as Python has it."""
    return Law(_law_name(law), law.state, law.action, law.visits, law.share, law.more)


def _law_name(law: Any) -> str:
    text = ctypes.create_string_buffer(96)
    lib.foray_doubt_law_name(byref(law), text, len(text))
    return text.value.decode()


def _view(pointer: Any, shape: tuple[int, int], owner: object) -> npt.NDArray[np.int32]:
    """The library's memory as an array that keeps its owner alive."""
    address = cast(pointer, ctypes.c_void_p).value or 0
    memory: Any = (ctypes.c_int32 * math.prod(shape)).from_address(address)
    memory.owner = owner
    return np.frombuffer(memoryview(memory).toreadonly(), dtype=np.int32).reshape(shape)
