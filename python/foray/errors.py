"""What can go wrong, as exceptions that carry the library's message."""

from __future__ import annotations

import os
from typing import Any


class ForayError(Exception):
    """Anything that the library refused; the message says what, where and why."""


class UsageError(ForayError, ValueError):
    """An invalid argument or setting."""


class OutOfRange(UsageError, IndexError):
    """A step or a state that a plan does not have."""


class InputError(ForayError, ValueError):
    """Bad input: an invalid model, reward or file."""


class WorldError(ForayError, RuntimeError):
    """The world failed, or did what the model rules out."""


class RunError(ForayError, RuntimeError):
    """Not a usable run file."""


class FileError(ForayError, OSError):
    """A file could not be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class OutOfMemory(ForayError, MemoryError):
    """Out of memory; nothing is lost."""


class LimitsError(ForayError, ValueError):
    """No plan is proved to keep limits: ``outcome`` is "impossible" where it is proved that no policy
    keeps them, else "undecided". ``limits`` are those of the policy that comes closest, ``laws`` what
    should be visited more."""

    def __init__(self, message: str, outcome: str, limits: list[Any], laws: list[Any]) -> None:
        super().__init__(message)
        self.outcome, self.limits, self.laws = outcome, limits, laws

    def __reduce__(self) -> Any:
        return LimitsError, (str(self), self.outcome, self.limits, self.laws)


BY_STATUS: dict[int, type[ForayError]] = {
    -1: UsageError,
    -2: InputError,
    -3: WorldError,
    -4: RunError,
    -5: FileError,
    -6: OutOfMemory,
}


def check_free(path: str | os.PathLike[str], replace: bool) -> None:
    """Nothing that exists is replaced unless asked for, and a run not even then."""
    if not os.path.exists(path):
        return
    name = os.fsdecode(path)
    if not replace:
        raise FileError(f"{name} already exists: replace=True replaces it")
    if os.path.isfile(path):
        with open(path, "rb") as file:
            if file.read(15) == b"SQLite format 3":
                raise FileError(f"{name} is a run: choose another name")
