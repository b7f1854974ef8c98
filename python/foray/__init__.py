"""Foray: explore once, without a reward; then plan for any reward, with a certificate.

>>> import foray
>>> run = foray.explore("rooms:rows=1,cols=2,size=2,horizon=6", episodes=500)
>>> plan = run.plan(foray.reach(7))
>>> plan.certificate.gap <= 1
True
"""

from contextlib import suppress as _suppress

from ._library import lib as _lib
from .clusters import Clusters
from .data import learn, to_minari
from .environments import Simulator
from .errors import (
    FileError,
    ForayError,
    InputError,
    LimitsError,
    MissingFileError,
    OutOfMemory,
    RunError,
    UsageError,
    WorldError,
)
from .lab import Tables, compare, experiments, lab
from .models import Builder, Model, load_model, unstructured_model, world, worlds
from .plans import Certificate, Difference, Law, Place, Plan, Reasons
from .rewards import Reward, avoid, goal, load_reward, reach, reward, task
from .runs import Run, explore, open_run
from .tables import from_arrays, from_table
from .tradeoffs import Front, Limit

with _suppress(ImportError):  # no Gymnasium, or one before 1.0
    from . import gym as gym  # registers the built-in worlds

__version__: str = _lib.foray_version().decode()

__all__ = [
    "Builder",
    "Certificate",
    "Clusters",
    "Difference",
    "FileError",
    "ForayError",
    "Front",
    "InputError",
    "Law",
    "Limit",
    "LimitsError",
    "MissingFileError",
    "Model",
    "OutOfMemory",
    "Place",
    "Plan",
    "Reasons",
    "Reward",
    "Run",
    "RunError",
    "Simulator",
    "Tables",
    "UsageError",
    "WorldError",
    "avoid",
    "compare",
    "experiments",
    "explore",
    "from_arrays",
    "from_table",
    "goal",
    "lab",
    "learn",
    "load_model",
    "load_reward",
    "unstructured_model",
    "open_run",
    "reach",
    "reward",
    "task",
    "to_minari",
    "world",
    "worlds",
]
