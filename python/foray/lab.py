"""Comparing algorithms and running experiments, as `foray compare` and `foray lab` do."""

from __future__ import annotations

import ctypes
import csv
import os
from collections.abc import Iterable
from ctypes import byref, c_char_p
from pathlib import Path
from typing import Any

from . import progress as bars
from ._context import Context
from ._library import WORK, Comparison, LabOptions, lib
from ._numbers import flag, integer, path_of, text
from .errors import UsageError
from .models import Model
from .rewards import RewardLike, reward
from .runs import Temporary, _settings, model_of


class Tables:
    """The tables and the page in a directory; a temporary directory is removed with this object.

    ``tables.names`` lists them, ``tables.rows(name)`` and ``tables.frame(name)`` give one as a list
    of dictionaries, or as a pandas DataFrame.
    """

    def __init__(self, directory: str, temporary: Any) -> None:
        self.directory, self._temporary = directory, temporary

    @property
    def names(self) -> list[str]:
        """The names of the tables."""
        return sorted(path.stem for path in Path(self.directory).glob("*.csv"))

    @property
    def page(self) -> str:
        """The path of the page with all results."""
        return os.path.join(self.directory, "index.html")

    def _path(self, name: str | None) -> str:
        chosen = name or "rows"
        path = os.path.join(self.directory, chosen + ".csv")
        if not os.path.exists(path):
            raise UsageError(f"there is no table {chosen!r}: they are {', '.join(self.names)}")
        return path

    def rows(self, name: str | None = None) -> list[dict[str, str]]:
        """A table as it was written, row by row; without a name, the one with a row for each run."""
        with open(self._path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def frame(self, name: str | None = None) -> Any:
        """A table as a pandas DataFrame; without a name, the one with a row for each run."""
        path = self._path(name)
        try:
            import pandas
        except ImportError as error:
            raise ImportError("DataFrames need pandas: pip install 'foray-rl[frames]', or use .rows()") from error
        return pandas.read_csv(path, comment="#")

    @property
    def findings(self) -> list[str]:
        """What was found, a sentence each; of a comparison, which algorithm won."""
        path = Path(self.directory, "findings.txt")
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def __repr__(self) -> str:
        return f"<foray.Tables in {self.directory}: {', '.join(self.names)}>"


def _directory(path: str | os.PathLike[str] | None) -> tuple[str, Any]:
    if path is not None:
        return os.fspath(path), None
    temporary = Temporary()
    return os.path.join(temporary.path, "results"), temporary


def _teller(context: Context, progress: bool | None) -> tuple[Any, Any]:
    bar = bars.Bar() if bars.wanted(progress) else None

    def tell(_: Any, now: Any) -> bool:
        if bar is not None:
            bar.work(now[0])
        return not context.flag.value

    return context.returning(WORK, tell), bar


def _texts(values: Iterable[str], what: str) -> Any:
    encoded = [text(value, what) for value in values]
    return (c_char_p * len(encoded))(*encoded)


def compare(
    source: str | Model,
    algorithms: Iterable[str],
    *,
    episodes: int | None = None,
    seeds: int = 5,
    seed: int | None = None,
    path: str | os.PathLike[str] | None = None,
    reward_for: RewardLike | None = None,
    rewards: int | None = None,
    goals: int | None = None,
    rounds: int | None = None,
    threads: int = 1,
    progress: bool | None = None,
    **settings: object,
) -> Tables:
    """Compares algorithms on one world that knows its probabilities: the same seeds, rewards and
    measures for each. ``path`` is a directory, which a later call with more seeds or algorithms
    continues; without it the results are temporary.

    >>> tables = foray.compare("riverswim:states=4,horizon=6", ["rf-express", "random"], episodes=50,
    ...                        seeds=2, rounds=0)
    >>> sorted({row["algorithm"] for row in tables.rows()})
    ['random', 'rf-express']
    """
    context, comparison = Context(threads), Comparison()
    lib.foray_comparison_default(byref(comparison))
    named = {"episodes": episodes, "seed": seed, **settings}
    comparison.settings = _settings(context, {k: v for k, v in named.items() if v is not None})
    names = _texts([algorithms] if isinstance(algorithms, str) else algorithms, "algorithm")
    comparison.algorithms, comparison.algorithm = len(names), names
    comparison.seeds = integer(seeds, "seeds", 1)
    for name, value in (("rewards", rewards), ("goals", goals), ("rounds", rounds)):
        if value is not None:
            setattr(comparison, name, integer(value, name, 0))
    model = model_of(source, None)
    built = reward(reward_for).build(model) if reward_for is not None else None
    comparison.reward = built.pointer if built is not None else None
    directory, temporary = _directory(path)
    world = source if isinstance(source, str) else model.name
    teller, bar = _teller(context, progress)
    try:
        context.long(
            lib.foray_compare,
            context, model, text(world, "world"), byref(comparison),
            path_of(directory), teller, None,
        )  # fmt: skip
    finally:
        if bar is not None:
            bar.close()
    return Tables(directory, temporary)


def lab(
    experiment: str,
    *,
    quick: bool = True,
    path: str | os.PathLike[str] | None = None,
    threads: int = 1,
    progress: bool | None = None,
    **parameters: object,
) -> Tables:
    """Runs an experiment of the lab (docs/lab.md), with parameters by name: a quick look, or with
    ``quick=False`` the full measurement.

    >>> "complexity" in foray.experiments()
    True
    """
    context, options = Context(threads), LabOptions()
    chosen = _texts((f"{name}={_value(value)}" for name, value in parameters.items()), "parameter")
    options.quick, options.settings, options.setting = flag(quick, "quick"), len(chosen), chosen
    directory, temporary = _directory(path)
    teller, bar = _teller(context, progress)
    try:
        context.long(
            lib.foray_lab_run,
            context, text(experiment, "experiment"), byref(options), path_of(directory), teller, None,
        )  # fmt: skip
    finally:
        if bar is not None:
            bar.close()
    return Tables(directory, temporary)


def _value(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return str(value)


def experiments() -> dict[str, str]:
    """The experiments of the lab, with a line about each."""
    from ._library import LabInfo

    info, found, index = LabInfo(), {}, 0
    while lib.foray_lab_describe(index, ctypes.byref(info)):
        found[info.name.decode()] = info.summary.decode()
        index += 1
    return found
