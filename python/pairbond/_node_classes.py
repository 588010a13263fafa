"""Python classes for nodes of trees with a given name."""

from pairbond._pairbond import _class_for

__all__ = ["class_for"]


def class_for(of, name):
    """Makes a Python class the class of all nodes of a native class that have a given name::

        @pairbond.class_for(ir.Operation, "toy.print")
        class Print(ir.Operation): ...

    A node's name is the one that its type gives it in errors. Nodes may be created before or after, in Rust or Python:
    the class is chosen when a node gets its wrapper, which keeps it then. ``__init__`` is not called. Another class for
    the same name replaces this one.
    """

    def chosen(cls):
        _class_for(of, name, cls)
        return cls

    return chosen


class_for.__module__ = "pairbond"
