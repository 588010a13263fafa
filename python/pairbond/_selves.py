"""Which classes the selfs of nodes of trees are of."""

from pairbond._pairbond import _class_for

__all__ = ["class_for"]


def class_for(of, name):
    """Lets a class made in Python be that of all nodes of a native class that have a name::

        @pairbond.class_for(ir.Operation, "toy.print")
        class Print(ir.Operation): ...

    A node's name is what its type calls it in errors. Nodes may be made before or after, by whomever: the class is
    chosen when a node gets its self, which keeps it then. ``__init__`` is not called. Another class for the same name
    replaces this one.
    """

    def chosen(cls):
        _class_for(of, name, cls)
        return cls

    return chosen


class_for.__module__ = "pairbond"
