"""Events: what happens to native objects and interpreters."""

import functools
from collections import namedtuple

from pairbond._pairbond import _as_method, _enter_block, _exit_block, _trace_start, _trace_stop

__all__ = ["Event", "trace"]

Event = namedtuple("Event", "kind type object interpreter device_kind device a b")
Event.__module__ = "pairbond"
Event.__doc__ = """Something that happened.

``kind`` is one of ``"made"``, ``"freed"``, ``"tied"``, ``"handed_over"``, ``"severed"``, ``"released_late"``,
``"opened"``, ``"disarmed"``, ``"device"`` and ``"lost"``. ``type`` and ``object`` are the key and the address of the
native object (``native_id``), if it is about one; addresses are used again. ``interpreter`` is pairbond's number of the
interpreter, or 0. A library's own events have ``device_kind``, ``device`` and two words, ``a`` and ``b``.
"""


class trace:
    """Calls ``callback(event)`` with what happens inside a ``with`` block, on whatever thread.

    Events are noted where they happen and told in order soon after: at the next call into a library, between two steps
    of the main thread, after a collection, and at the latest when the block ends. The callback may run on any thread of
    this interpreter. What it raises is reported through ``sys.unraisablehook``; what it does is not observed. Events of
    other interpreters' wrappers are not told. When 65,536 events wait, further ones are counted, and told as one of
    kind ``"lost"``, with their number as ``a``.
    """

    __slots__ = ("_begin", "_end", "_open")

    def __init__(self, callback):
        if not callable(callback):
            raise TypeError(f"a trace callback must be callable, not {type(callback).__name__}")
        self._begin = functools.partial(_trace_start, callback, Event)
        self._end = _trace_stop
        self._open = []

    # No interrupt comes between beginning and noting that.
    __enter__ = _as_method(_enter_block)
    __exit__ = _as_method(_exit_block)

    def __del__(self):
        # CPython may look for signals between ``__enter__`` and the block.
        while getattr(self, "_open", None):
            self.__exit__()
