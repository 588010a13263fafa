"""Attributes that users of a native class may set, declared for type checkers."""

from pairbond._pairbond import Object


def attributes(cls, /, **types):
    """Declares attributes that instances of a native class may have besides those of Rust: the stub of its module lists
    them. A type is a class, or the text of an annotation. Returns the class.

    >>> pairbond.attributes(dom.Node, note="str | None", seen=bool)
    """
    if not (isinstance(cls, type) and issubclass(cls, Object)):
        raise TypeError(f"expected a native class, got {cls!r}")
    if not cls.__dictoffset__ and not cls.__flags__ & 1 << 4:
        raise TypeError(f"instances of {cls.__module__}.{cls.__qualname__} take no attributes")
    import inspect  # it takes long to import, and few declare attributes

    own = inspect.get_annotations(cls)
    for name in types:
        if hasattr(cls, name):
            raise TypeError(f"{cls.__qualname__}.{name} is a member of the class already")
    cls.__annotations__ = {**own, **{name: _text(it) for name, it in types.items()}}
    return cls


def _text(kind):
    """As a stub writes it."""
    if kind is None or isinstance(kind, str):
        return str(kind)
    if type(kind) is type:
        return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return repr(kind)
