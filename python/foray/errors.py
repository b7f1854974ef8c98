"""What can go wrong, as exceptions that carry the library's message."""

from __future__ import annotations


class ForayError(Exception):
    """Anything that the library refused; the message says what, where and why."""


class UsageError(ForayError, ValueError):
    """An invalid argument or setting."""


class InputError(ForayError, ValueError):
    """Bad input: a model, a reward or a file that does not make sense."""


class WorldError(ForayError, RuntimeError):
    """The world failed, or did what the model rules out."""


class RunError(ForayError, RuntimeError):
    """Not a usable run file."""


class FileError(ForayError, OSError):
    """A file could not be read or written."""


class OutOfMemory(ForayError, MemoryError):
    """Out of memory; nothing is lost."""


BY_STATUS: dict[int, type[ForayError]] = {
    -1: UsageError,
    -2: InputError,
    -3: WorldError,
    -4: RunError,
    -5: FileError,
    -6: OutOfMemory,
}
