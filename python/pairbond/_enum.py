"""Enums of Rust without data, as classes of :mod:`enum`. Called by the native module."""

import enum

from pairbond._pairbond import _DictRecord


def make(fetch, module, name, doc, members):
    """The class: ``fetch(cls, number)`` gives the native object of a member its self, which is the member."""
    bases = (_DictRecord, enum.Enum)
    namespace = enum.EnumType.__prepare__(name, bases)
    numbers = iter(range(len(members)))

    def __new__(cls, value):
        member = fetch(cls, next(numbers))
        member._value_ = value
        return member

    def __reduce_ex__(self, protocol):
        return (type(self), (self._value_,))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    for function in (__new__, __reduce_ex__, __copy__, __deepcopy__):
        function.__qualname__ = f"{name}.{function.__name__}"
        function.__module__ = module
        namespace[function.__name__] = function
    namespace["__module__"] = module
    namespace["__qualname__"] = name
    if doc:
        namespace["__doc__"] = doc
    for member, value, _ in members:
        namespace[member] = value
    made = enum.EnumType(name, bases, namespace)
    # Otherwise `enum` shows values as what it takes for their type shows itself.
    made._value_repr_ = None
    for member, _, text in members:
        if text:
            made[member].__doc__ = text
    return made
