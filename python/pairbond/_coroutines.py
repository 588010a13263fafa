"""Awaiting an `async fn` of Rust, in asyncio."""

import asyncio
import collections.abc
import contextlib
import warnings

__all__ = ["Coroutine"]


class Coroutine(collections.abc.Coroutine):
    """What calling an `async fn` returns: to be awaited once, or made a task of.

    Cancelling the task, :meth:`close` and :meth:`throw` drop the Rust future, wherever it waits.
    """

    __slots__ = ("__name__", "__qualname__", "__weakref__", "_is_started", "_step")

    def __init__(self, name, step):
        self.__qualname__ = name
        self.__name__ = name.rpartition(".")[2]
        #: Polls with a function that wakes: the result in a tuple, or None. Without a function it drops the future.
        self._step = step
        self._is_started = False

    def __await__(self):
        return self

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def send(self, value, /):
        if value is not None and not self._is_started:
            raise TypeError("can't send non-None value to a just-started coroutine")
        loop = asyncio.get_running_loop()
        self._is_started = True
        waiting = loop.create_future()

        def wake():
            # The loop may be closed, and with it the task that waits.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_set, waiting)

        done = self._step(wake)
        if done is not None:
            raise StopIteration(done[0])
        # The future itself, in the way in which a task expects it.
        return next(waiting.__await__())

    def throw(self, type, value=None, traceback=None, /):
        self.close()
        exception = value if isinstance(value, BaseException) else type
        if isinstance(exception, BaseException):
            raise exception if traceback is None else exception.with_traceback(traceback)
        raise type if value is None else type(value)

    def close(self):
        self._is_started = True
        self._step(None)

    def __del__(self):
        if not self._is_started:
            message = f"coroutine {self.__qualname__!r} was never awaited"
            warnings.warn(message, RuntimeWarning, source=self, stacklevel=2)

    def __repr__(self):
        return f"<coroutine {self.__qualname__} of Rust at {id(self):#x}>"


Coroutine.__module__ = "pairbond"


def _set(waiting):
    if not waiting.done():
        waiting.set_result(None)
