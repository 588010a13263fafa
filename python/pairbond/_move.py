"""Handing objects over by value."""

from pairbond._pairbond import _move

__all__ = ["move"]


# Written in Python because a function's own variable is a reference that is known: see `wrapper/part.rs`.
def move(obj, /):
    """Hand a native object over: ``f(pairbond.move(x))``.

    If `x` is the only reference to its object, from Python and from Rust, the callee gets the only one: it may change
    the object in place, or take its value out. `x` is empty then, and using it raises :class:`InvalidatedError`.

    Otherwise the callee shares the object as it would without ``move``, and copies it if it wants one of its own. An
    object is shared too if somebody could miss its self: one with attributes, weak references or a finalizer, or of a
    Python subclass.

    A reference is a variable of the caller (local, global or shared with an inner function), or a value that has no
    name. What lies in a container or an attribute is referred to from there: take it out first.
    """
    return _move()


move.__module__ = "pairbond"
