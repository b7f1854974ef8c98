"""Contexts, and calls that may take long: without the GIL, and ended by signals.

Whoever holds something of the library's is a Native, and is handed to calls itself: so it lives
until they have ended, and is asked for its pointer only when its turn has come.
"""

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
from ._numbers import integer
from .errors import BY_STATUS, FileError, ForayError, MissingFileError, UsageError

#: More than machines have.
MAX_THREADS = 1024
OK, TARGET_MISSED, INTERRUPTED = 0, 1, 2


class Native:
    """Something of the library's, which must be destroyed once: so it is neither copied nor pickled, unless
    a class says how."""

    pointer: int
    #: What to do instead of copying it.
    INSTEAD = "make another one"

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} can be neither copied nor pickled: {self.INSTEAD}")

    def _taken(self, made: ctypes.c_void_p) -> int:
        """Takes over what the library has put there, once; no number is such a place."""
        if not isinstance(made, ctypes.c_void_p) or not made.value:
            raise TypeError(f"a {type(self).__name__} is nothing to make by itself: functions and methods return it")
        pointer, made.value = made.value, None
        return pointer

    def _destroyed_by(self, function: Callable[..., None], *arguments: Any) -> None:
        """Destroys it when nobody has it. Not at exit: other threads may still be at work with it."""
        weakref.finalize(self, function, *arguments).atexit = False


def _raw(argument: Any) -> Any:
    return argument.pointer if isinstance(argument, Native) else argument


class Context(Native):
    """A foray_context: the last message, the number of threads, and a flag that says stop.

    The library wants one thread at a time in a context: others wait for their turn. What a call
    calls back cannot wait for it, and is refused.
    """

    def __init__(self, threads: int = 1) -> None:
        count = integer(threads, "threads", 1, MAX_THREADS)
        pointer = lib.foray_context_create()
        if not pointer:
            raise MemoryError
        self.pointer = pointer
        self.lock = threading.RLock()
        self.flag = ctypes.c_int(0)
        #: Is a world in Python being asked, so that what is raised comes out of the call?
        self.asking = False
        #: Was it made by a process of which this one is a fork?
        self.forked = False
        self.underway: Underway | None = None
        self._inside: tuple[int, ...] = ()
        lib.foray_context_set_threads(pointer, count)
        self._destroyed_by(lib.foray_context_destroy, pointer)
        _contexts.add(self)

    def turn(self) -> Any:
        """With what this returns, nobody else is in the context. It is the lock itself, since signals cannot
        come between taking one and giving it back, as they can in a context manager in Python."""
        if threading.get_ident() in self._inside:
            raise UsageError("this was called by a call about the same run, which must end first")
        return self.lock

    def after_fork(self) -> None:
        """Threads that held the lock are not in this process."""
        self.lock, self._inside, self.forked = threading.RLock(), (), True

    def check(self, status: int) -> int:
        """Raises what a negative status means, with the library's message."""
        if status < 0:
            text = lib.foray_message(self.pointer).decode()
            kind = BY_STATUS.get(status, ForayError)
            missing = kind is FileError and text.endswith(os.strerror(errno.ENOENT))
            raise (MissingFileError if missing else kind)(text)
        return status

    def ask(self, function: Any, *arguments: Any) -> Any:
        """What a function returns that cannot fail, and does not take long."""
        with self.turn():
            return function(*map(_raw, arguments))

    def call(self, function: Any, *arguments: Any) -> int:
        """A call that does not take long, and calls nothing back."""
        with self.turn():
            return self.check(function(*map(_raw, arguments)))

    def long(self, function: Any, *arguments: Any, here: bool = False) -> int:
        """A call that may take long, or calls back: if a signal's handler raises, it stops, and that is
        raised afterwards.

        Python's own signal handlers run only between the bytecodes of the main thread, which would
        be waiting in C. So C gets a thread of its own, and the main thread waits for it; unless
        the call comes back to Python anyway, for steps of an environment, and is to stay `here`.
        """
        with self.turn(), Underway(self) as underway:
            raw = [_raw(argument) for argument in arguments]
            if here or not _is_main():
                status = function(*raw)
            else:
                status = underway.elsewhere(lambda: function(*raw))
            return status if underway.error is not None else self.check(status)

    def returning(self, kind: Any, function: Callable[..., Any], failed: Any = False) -> Any:
        """A function to be called back by :meth:`long`, out of which comes what it raises. ctypes would
        print and forget it."""

        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except BaseException as error:
                self.stop(error)
                return failed

        return kind(call)

    def stop(self, error: BaseException) -> None:
        """Ends the call that is under way; `error` comes out of it."""
        if self.underway is not None:
            self.underway.stop(error)

    def entered(self) -> None:
        """This thread is in a call that may call back."""
        self._inside = (*self._inside, threading.get_ident())

    def left(self) -> None:
        """No thread is."""
        self._inside = ()


_contexts: weakref.WeakSet[Context] = weakref.WeakSet()


def _after_fork() -> None:
    for context in list(_contexts):
        context.after_fork()


os.register_at_fork(after_in_child=_after_fork)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


class Underway:
    """A call that is under way, and must end before anything is raised: what it uses may not outlive
    that. While it is entered, signals' handlers run as ever, but what they raise is kept for later,
    and sets the context's flag.

    Only a world in Python that is being asked, which may never answer, is interrupted by it, if it
    is not the first Ctrl-C: with that, an episode is played to its end.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.error: BaseException | None = None
        self.before: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def stop(self, error: BaseException) -> None:
        """Sets the flag. An exit is not forgotten over a mere error."""
        if self.error is None or not isinstance(error, Exception):
            self.error = error
        self.context.flag.value = 1

    def _catch(self, number: int, frame: FrameType | None) -> None:
        try:
            self.before[number](number, frame)
        except BaseException as error:
            context, again = self.context, self.context.flag.value != 0
            if context.underway is not self:
                raise
            self.stop(error)
            if context.asking and (again or number != signal.SIGINT):
                context.asking = False
                raise

    def elsewhere(self, function: Callable[[], int]) -> int:
        """What a function returns in a thread of its own, whatever happens here meanwhile."""
        answer: list[int] = []
        ended = threading.Event()

        def work() -> None:
            try:
                self.context.entered()
                answer.append(function())
            except BaseException as error:
                self.stop(error)
            ended.set()

        worker = threading.Thread(target=work)
        try:
            worker.start()
        except RuntimeError:  # there are no more threads, as when Python is about to exit
            return function()
        while not ended.is_set():  # join() itself may believe an exception that it was the end
            try:
                ended.wait()
            except BaseException as error:
                self.stop(error)
        worker.join()
        return answer[0] if answer else INTERRUPTED

    def __enter__(self) -> Underway:
        flag, context = self.context.flag, self.context
        try:
            for number in signal.valid_signals() if _is_main() else ():
                handler = signal.getsignal(number)
                if callable(handler):
                    self.before[number] = handler
                    signal.signal(number, self._catch)
            context.entered()
            flag.value, context.asking, context.underway = 0, False, self  # from here on, nothing is raised
        except BaseException:
            context.underway = self
            self.__exit__()
            raise
        lib.foray_context_set_stop(context.pointer, lib.foray_context_stop_flag, ctypes.addressof(flag))
        return self

    def __exit__(self, *_: object) -> None:
        lib.foray_context_set_stop(self.context.pointer, None, None)
        self.context.left()
        try:
            self._restore()
        finally:
            self.context.underway = None
        if self.error is not None:
            raise self.error

    def _restore(self) -> None:
        """The signals' own handlers, which may raise as soon as they are back, one after the other."""
        try:
            for number, handler in self.before.items():
                if signal.getsignal(number) == self._catch:  # a handler may have set another one
                    signal.signal(number, handler)
        except BaseException as error:
            try:
                self.stop(error)
            finally:
                self._restore()


def text_of(context: Context, function: Callable[..., int], *arguments: Any) -> bytes:
    """What a *_print function of the library writes, as bytes."""
    out, size = ctypes.c_void_p(), ctypes.c_size_t()
    context.call(function, *arguments, ctypes.byref(out), ctypes.byref(size))
    data = ctypes.string_at(out.value or 0, size.value)
    lib.foray_free(out)
    return data
