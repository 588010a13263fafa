"""Naming what erases nodes of trees."""

from pairbond._pairbond import _erasing

__all__ = ["erasing"]


class erasing:
    """Names what erases nodes of trees inside a ``with`` block, on this thread::

        with pairbond.erasing("dead-code elimination"):
            op.erase()

    Whoever uses a node that was erased there is told the name. Blocks nest: the innermost counts. A name is kept for as
    long as the process: it is the name of a pass, not a message. It holds for all that this thread does, so a
    coroutine must not wait inside.
    """

    __slots__ = ("_before", "_name")

    def __init__(self, name):
        if not isinstance(name, str):
            raise TypeError(f"the name of what erases must be str, not {type(name).__name__}")
        self._name = name
        self._before = []

    def __enter__(self):
        self._before.append(_erasing(self._name))
        return self

    def __exit__(self, *exception):
        _erasing(self._before.pop())


erasing.__module__ = "pairbond"
