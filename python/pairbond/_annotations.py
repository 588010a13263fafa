"""What a field of a native type takes, from its annotation.

A kind is a tuple that begins with a word, as ``crates/pairbond-python/src/define/field_kinds.rs`` reads it. What has no
native form is *opaque*: held as the Python object that it is, and checked by ``isinstance``. Names that are not defined
yet are looked up when they are needed first.
"""

import builtins
import collections.abc
import sys
import types
import typing
import weakref

from pairbond._pairbond import Function, List, Map, Object, Set, Tuple, _is_native

_SIMPLE = {
    int: ("int",),
    float: ("float",),
    bool: ("bool",),
    str: ("str",),
    bytes: ("bytes",),
    type(None): ("none",),
    None: ("none",),
    object: ("any",),
    typing.Any: ("any",),
    typing.Hashable: ("any",),
    Function: ("callable",),
    collections.abc.Callable: ("callable",),
    typing.Callable: ("callable",),
}
_LISTS = {list, List}
_SETS = {set, Set}
_MAPS = {dict, Map}
_TUPLES = {tuple, Tuple}
_WRAPPERS = [
    getattr(typing, name)
    for name in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly")
    if hasattr(typing, name)
]

# Classes by the place where they were defined: names of a function's own are in no module's dictionary.
_defined: dict[tuple[str, str], "typing.Any"] = {}


def remember(cls):
    """Lets other definitions find a class that no module names."""
    if "<locals>" in cls.__qualname__:
        _defined[cls.__module__, cls.__qualname__] = weakref.ref(cls)


class _Name:
    """A name that is not defined yet, in an expression."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Name(f"{self.text}.{name}")

    def __getitem__(self, item):
        return self

    def __or__(self, other):
        return _Either(self, other)

    def __ror__(self, other):
        return _Either(other, self)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.text} is not defined yet")

    def __repr__(self):
        return self.text


class _Either:
    __slots__ = ("members",)

    def __init__(self, *members):
        self.members = members

    def __or__(self, other):
        return _Either(*self.members, other)

    def __ror__(self, other):
        return _Either(other, *self.members)

    def __call__(self):
        raise TypeError("not a class")

    def __repr__(self):
        return " | ".join(map(repr, self.members))


class _Namespace(dict):
    """The names that an annotation can use; those that are not defined are :class:`_Name`."""

    def __init__(self, scopes):
        super().__init__()
        self._scopes = scopes

    def __missing__(self, name):
        for scope in self._scopes:
            if name in scope:
                return scope[name]
        return _Name(name)


class _OneOf:
    """``isinstance`` for ``typing.Literal``."""

    __slots__ = ("values",)

    def __init__(self, values):
        self.values = values

    def __instancecheck__(self, value):
        return any(type(value) is type(it) and value == it for it in self.values)


class Reader:
    """Reads the annotations of one class."""

    def __init__(self, cls, original, frame_locals):
        self.cls = cls
        self._original = original
        self.checks = []
        self.laters = []
        module = sys.modules.get(cls.__module__)
        own = {name: value for name, value in vars(cls).items() if isinstance(value, type)}
        parameters = {p.__name__: p for p in getattr(cls, "__type_params__", ()) or ()}
        local = {name: value for name, value in frame_locals.items() if _is_for_annotations(value)}
        self._scopes = [parameters, own, local, getattr(module, "__dict__", {}), vars(builtins)]

    def evaluate(self, text):
        """The value of an annotation that was given as a string."""
        try:
            code = compile(text.strip(), f"<annotation of {self.cls.__qualname__}>", "eval")
        except SyntaxError as error:
            raise TypeError(f"{self.cls.__qualname__}: {text!r} is no annotation: {error.msg}") from None
        return eval(code, {"__builtins__": {}}, _Namespace(self._scopes))

    def kind(self, annotation, inside=False):
        """The kind of an annotation."""
        if isinstance(annotation, str):
            return self.kind(self.evaluate(annotation), inside)
        if isinstance(annotation, _Name):
            return self._later(annotation.text)
        if isinstance(annotation, _Either):
            return self._union(annotation.members, inside)
        if isinstance(annotation, typing.ForwardRef):
            return self.kind(annotation.__forward_arg__, inside)
        if annotation is int and inside:
            return ("int64",)
        try:
            simple = _SIMPLE.get(annotation)
        except TypeError:
            return self._opaque(annotation)
        if simple is not None:
            return simple
        if annotation is getattr(typing, "Self", None):
            return ("own", self.cls.__name__)
        if isinstance(annotation, typing.NewType):
            return self.kind(annotation.__supertype__, inside)
        if isinstance(annotation, typing.TypeVar):
            return self._variable(annotation, inside)
        if type(annotation).__name__ == "TypeAliasType":
            return self.kind(annotation.__value__, inside)
        origin = typing.get_origin(annotation)
        if origin is not None:
            return self._generic(annotation, origin, typing.get_args(annotation), inside)
        if isinstance(annotation, type):
            return self._class(annotation)
        return self._opaque(annotation)

    def _class(self, cls):
        if cls is self.cls or cls is self._original:
            return ("own", cls.__name__)
        if cls in _LISTS:
            return ("list", ("any",))
        if cls in _SETS:
            return ("set", ("any",))
        if cls in _MAPS:
            return ("map", ("any",), ("any",))
        if cls in _TUPLES:
            return ("tuple", ("any",))
        if issubclass(cls, Object) and _is_native(cls):
            return ("object", cls)
        return self._opaque(cls)

    def _generic(self, annotation, origin, arguments, inside):
        if origin in (typing.Union, types.UnionType):
            return self._union(arguments, inside)
        if origin is typing.Annotated or origin in _WRAPPERS:
            return self.kind(arguments[0], inside)
        if origin is typing.Literal:
            return self._check(str(annotation), _OneOf(arguments))
        if origin in _LISTS:
            return ("list", self.kind(arguments[0], True))
        if origin in _SETS:
            return ("set", self.kind(arguments[0], True))
        if origin in _MAPS:
            return ("map", self.kind(arguments[0], True), self.kind(arguments[1], True))
        if origin in _TUPLES:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                return ("tuple", self.kind(arguments[0], True))
            if len(arguments) == 1 and origin is Tuple:
                return ("tuple", self.kind(arguments[0], True))
            return ("fixed", tuple(self.kind(argument) for argument in arguments))
        if origin is collections.abc.Callable:
            return ("callable",)
        if isinstance(origin, type):
            return self._class(origin)
        return ("any",)

    def _variable(self, variable, inside):
        if variable.__bound__ is not None:
            return self.kind(variable.__bound__, inside)
        if variable.__constraints__:
            return self._union(variable.__constraints__, inside)
        return ("any",)

    def _union(self, members, inside):
        kinds = []
        for member in members:
            kind = self.kind(member, inside)
            for one in kind[1] if kind[0] == "union" else (kind,):
                if one not in kinds:
                    kinds.append(one)
        if ("any",) in kinds:
            return ("any",)
        return kinds[0] if len(kinds) == 1 else ("union", tuple(kinds))

    def _opaque(self, annotation):
        if isinstance(annotation, type):
            if annotation is object:
                return ("any",)
            if getattr(annotation, "_is_protocol", False) and not getattr(annotation, "_is_runtime_protocol", False):
                return ("any",)
            name = annotation.__qualname__
            if annotation.__module__ not in ("builtins", "typing"):
                name = f"{annotation.__module__}.{name}"
            return self._check(name, annotation)
        raise TypeError(f"{self.cls.__qualname__}: {annotation!r} is no type that a field can have")

    def _check(self, name, check):
        self.checks.append(check)
        return ("opaque", name, len(self.checks) - 1)

    def _later(self, text):
        if text == self.cls.__name__ or text == self.cls.__qualname__:
            return ("own", text)
        if text not in self.laters:
            self.laters.append(text)
        return ("later", text, self.laters.index(text))

    def resolver(self):
        """A function from the number of a name to its kind. It refers to no class."""
        if not self.laters:
            return _find_nothing
        laters, checks, scopes = self.laters, self.checks, self._scopes
        module, qualname = self.cls.__module__, self.cls.__qualname__
        # Names that are defined later: what there is when they are needed.
        scopes = [scope for scope in scopes if scope]

        def find(number):
            text = laters[number]
            reader = Reader.__new__(Reader)
            reader.cls = reader._original = _NoClass
            reader.checks, reader.laters, reader._scopes = checks, [], scopes
            value = reader.evaluate(text)
            if isinstance(value, _Name):
                value = _by_place(module, qualname, text)
            kind = reader.kind(value)
            if reader.laters:
                raise TypeError(f"an annotation of {module}.{qualname} cannot be resolved: {text!r} is not defined")
            return kind

        return find


class _NoClass:
    pass


def _find_nothing(number):
    raise TypeError("no such name")


def _by_place(module, qualname, text):
    """A class that was defined in the same function."""
    prefix = qualname.rpartition(".")[0]
    reference = _defined.get((module, f"{prefix}.{text}"))
    cls = reference() if reference is not None else None
    return _Name(text) if cls is None else cls


def _is_for_annotations(value):
    return isinstance(value, (type, types.ModuleType, types.GenericAlias, types.UnionType, typing.TypeVar)) or (
        typing.get_origin(value) is not None
    )
