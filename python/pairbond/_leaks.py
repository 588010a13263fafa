"""The leak report."""

from collections import namedtuple

from pairbond._pairbond import _leaks, collect, live_objects

__all__ = ["Leak", "Leaks", "leaks"]


class Leak(namedtuple("Leak", "type count held_by path")):
    """Native objects of one type that are alive in the same way: what holds them, and the steps from there to them."""

    __slots__ = ()

    def __str__(self):
        through = " through " + " → ".join([*self.path, self.type]) if self.path else ""
        return f"{self.count} × {self.type}: held by {self.held_by}{through}"


Leak.__module__ = "pairbond"


class Leaks(list):
    """A leak report: a list of :class:`Leak`, most numerous first."""

    def __init__(self, leaks=(), keys=()):
        super().__init__(leaks)
        self._keys = frozenset(keys)

    def graph(self, *, max_nodes=60):
        """The report as a picture: what holds objects, and the paths from there to them. See :func:`graph`."""
        from pairbond._graph import graph_of_leaks

        return graph_of_leaks(self, self._keys, max_nodes)


Leaks.__module__ = "pairbond"


def leaks():
    """What is alive, most numerous first, and on whose account. Collects first.

    Native objects are grouped by type, by what holds them in the end (native references that no object shows, a wrapper
    that Python refers to, a global function), and by the fields on the way from there. An object that several hold is
    reported once, on the shortest path. With ``PAIRBOND_LEAKS=1`` in the environment, the same is printed when the main
    interpreter ends, unless nothing is alive then.
    """
    collect()
    found = [Leak(*leak) for leak in _leaks()]
    return Leaks(found, live_objects())
