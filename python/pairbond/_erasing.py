"""Naming what erases nodes of trees."""

import functools
import threading

from pairbond._pairbond import _as_method, _enter_block, _erasing, _exit_block

__all__ = ["erasing"]


class erasing:
    """Names what erases nodes of trees inside a ``with`` block, on this thread::

        with pairbond.erasing("dead-code elimination"):
            op.erase()

    Whoever uses a node that was erased there is told the name. Blocks nest: the innermost counts. A name is kept for as
    long as the process: it is the name of a pass, not a message. It holds for all that this thread does, so a
    coroutine must not wait inside.
    """

    __slots__ = ("_begin", "_end", "_open", "_thread")

    def __init__(self, name):
        if not isinstance(name, str):
            raise TypeError(f"the name of what erases must be str, not {type(name).__name__}")
        self._begin = functools.partial(_erasing, name)
        self._end = _erasing
        self._thread = threading.get_ident()
        self._open = []

    # No interrupt comes between beginning and noting that.
    __enter__ = _as_method(_enter_block)
    __exit__ = _as_method(_exit_block)

    def __del__(self):
        # CPython may look for signals between ``__enter__`` and the block.
        if getattr(self, "_open", None) and self._thread == threading.get_ident():
            self.__exit__()


erasing.__module__ = "pairbond"
