"""Contexts, and calls that may take long: without the GIL, and ended by Ctrl-C."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from ._library import lib
from ._numbers import whole
from .errors import BY_STATUS, FileError, ForayError, MissingFileError

OK, TARGET_MISSED, INTERRUPTED = 0, 1, 2


class Context:
    """A foray_context: the last message, the number of threads, and a flag that says stop.

    The library wants one thread at a time in a context; the lock sees to that.
    """

    def __init__(self, threads: int = 1) -> None:
        count = whole(threads, "threads", 1, 2**31 - 1)
        pointer = lib.foray_context_create()
        if not pointer:
            raise MemoryError
        self.pointer: int = pointer
        self.lock = threading.RLock()
        self.flag = ctypes.c_int(0)
        #: Is a world in Python being asked, so that what is raised comes out of the call?
        self.asking = False
        lib.foray_context_set_threads(pointer, count)
        weakref.finalize(self, lib.foray_context_destroy, pointer)

    def check(self, status: int) -> int:
        """Raises what a negative status means, with the library's message."""
        if status < 0:
            text = lib.foray_message(self.pointer).decode()
            kind = BY_STATUS.get(status, ForayError)
            missing = kind is FileError and text.endswith(os.strerror(errno.ENOENT))
            raise (MissingFileError if missing else kind)(text)
        return status

    def call(self, function: Any, *arguments: Any) -> int:
        """A call that does not take long."""
        with self.lock:
            return self.check(function(*arguments))

    def long(self, function: Any, *arguments: Any, here: bool = False) -> int:
        """A call that may take long: Ctrl-C raises the flag, and KeyboardInterrupt afterwards.

        Python's own signal handlers run only between the bytecodes of the main thread, which would
        be waiting in C. So C gets a thread of its own, and the main thread waits for it; unless
        the call comes back to Python anyway, for steps of an environment, and is to stay `here`.
        """
        with self.lock, Interruptible(self):
            if here or not _is_main():
                return self.check(function(*arguments))
            answer: list[int] = []
            worker = threading.Thread(target=lambda: answer.append(function(*arguments)))
            worker.start()
            worker.join()
            return self.check(answer[0])


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


class Interruptible:
    """While it is entered, Ctrl-C sets the context's flag; on leaving, it means what it meant. A second
    one means so at once where a world in Python is asked, which may never answer."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.caught: list[tuple[int, FrameType | None]] = []
        self.before: Any = None

    def _catch(self, number: int, frame: FrameType | None) -> None:
        again = bool(self.caught)
        self.caught.append((number, frame))
        self.context.flag.value = 1
        if again and self.context.asking:
            self.context.asking = False
            self.caught.clear()
            self.before(number, frame)

    def __enter__(self) -> None:
        flag = self.context.flag
        flag.value = 0
        lib.foray_context_set_stop(
            self.context.pointer, lib.foray_context_stop_flag, ctypes.addressof(flag)
        )
        if _is_main() and callable(signal.getsignal(signal.SIGINT)):
            self.before = signal.signal(signal.SIGINT, self._catch)

    def __exit__(self, *_: object) -> None:
        lib.foray_context_set_stop(self.context.pointer, None, None)
        if self.before is None:
            return
        signal.signal(signal.SIGINT, self.before)
        if self.caught:
            self.before(*self.caught[-1])


def text_of(context: Context, function: Callable[..., int], *arguments: Any) -> bytes:
    """What a *_print function of the library writes, as bytes."""
    out, size = ctypes.c_void_p(), ctypes.c_size_t()
    context.call(function, *arguments, ctypes.byref(out), ctypes.byref(size))
    data = ctypes.string_at(out.value or 0, size.value)
    lib.foray_free(out)
    return data
