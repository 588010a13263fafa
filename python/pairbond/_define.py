"""Native types that are defined in Python: ``@pairbond.object``.

The conventions are those of :mod:`dataclasses`, which does everything that is a convention here, too: it collects
fields, and writes ``__eq__``, ``__repr__`` and so on. What is ours: the class is made anew as a native one, its fields
are stored natively, and its constructor is native.
"""

import abc
import ast
import dataclasses
import functools
import inspect
import sys
import types
import typing

from pairbond._annotations import Reader, remember
from pairbond._pairbond import Object, Record, _base_parameters, _complete, _define, _DictRecord, _is_native

__all__ = ["field", "object_"]

_FIELD, _INITVAR = dataclasses._FIELD, dataclasses._FIELD_INITVAR
_MISSING = dataclasses.MISSING
_NO_DOC = " "
# In the metadata of a field that is a parameter of the Rust type's constructor: whether it has a default.
_THEIRS = "pairbond.base"
_FACTORY = dataclasses._HAS_DEFAULT_FACTORY


def field(**options):
    """A field of a native type: :func:`dataclasses.field`."""
    return dataclasses.field(**options)


def object_(
    key=None,
    /,
    *,
    init=True,
    repr=True,
    eq=True,
    order=False,
    unsafe_hash=False,
    frozen=False,
    match_args=True,
    kw_only=False,
    dict=False,
):
    """Makes a class a native type, with the conventions of :func:`dataclasses.dataclass`.

    ``key`` is the type's name in the process, ``"module.Name"``; without one it is the class's own. Objects have no
    attributes beside their fields unless ``dict`` is true.
    """
    options = {
        "repr": repr,
        "eq": eq,
        "order": order,
        "unsafe_hash": unsafe_hash,
        "frozen": frozen,
        "match_args": match_args,
        "kw_only": kw_only,
    }
    # The names that the class's annotations can use beside those of its module.
    frame = sys._getframe(1)
    frame_locals = frame.f_locals if frame.f_locals is not frame.f_globals else {}

    def define(cls):
        return _make(cls, key, frame_locals, init, dict, options)

    if isinstance(key, type):
        cls, key = key, None
        return define(cls)
    if key is not None and not isinstance(key, str):
        raise TypeError(f"the key of a type is a str, not {type(key).__name__}")
    return define


def _make(cls, key, frame_locals, init, has_dict, options):
    if not isinstance(cls, type):
        raise TypeError(f"@pairbond.object is for classes, not for {type(cls).__name__}")
    if issubclass(cls, Object) and _is_native(cls):
        raise TypeError(f"{cls.__name__} is a native type already")
    if "__slots__" in vars(cls):
        raise TypeError(f"{cls.__name__} already specifies __slots__; a native type has none of Python's")
    key = key or f"{cls.__module__}.{cls.__qualname__}"
    if not all(key.rpartition(".")):
        raise ValueError(f"the key {key!r} is not of the form 'module.Name'")
    bases = _bases(cls, has_dict)
    theirs = _parameters_of_base(bases)
    if theirs is not None and "__init__" in vars(cls):
        raise TypeError(
            f"{cls.__name__}: a class that extends a Rust type has the __init__ that is made for it; use __post_init__"
        )
    made, own_init = _again(cls, bases, theirs or {})
    dataclasses.dataclass(made, init=False, **options)
    try:
        _define_fields(cls, made, key, frame_locals, init and not own_init, options)
    finally:
        _change_cells(cls, made)
    abc.update_abstractmethods(made)
    remember(made)
    return made


def _bases(cls, has_dict):
    """The bases of the native class: one of them is native."""
    natives = [base for base in cls.__bases__ if issubclass(base, Object)]
    if natives:
        chief = max(natives, key=lambda base: len(base.__mro__))
        for other in natives:
            if not issubclass(chief, other):
                raise TypeError(
                    f"{cls.__name__}: an object is of one native type, it cannot extend {chief.__name__} "
                    f"and {other.__name__}"
                )
        if has_dict and not chief.__dictoffset__:
            raise TypeError(
                f"{cls.__name__}: objects of {chief.__name__}, which it extends, have no __dict__; say dict=True there"
            )
        return cls.__bases__
    has_dict = has_dict or any(base.__dictoffset__ for base in cls.__bases__)
    return (*(base for base in cls.__bases__ if base is not object), _DictRecord if has_dict else Record)


def _parameters_of_base(bases):
    """Fields for the parameters of the Rust type that is extended directly; None if there is no such constructor."""
    natives = [base for base in bases if issubclass(base, Object) and base not in (Record, _DictRecord)]
    for base in natives:
        parameters = next((found for it in base.__mro__ if (found := _base_parameters(it)) is not None), None)
        if parameters is None or hasattr(base, "__pairbond_fields__"):
            continue
        fields = {}
        for name, keyword_only, default in parameters:
            shown = hasattr(base, name)
            options = {
                "kw_only": keyword_only,
                "repr": shown,
                "compare": shown,
                "metadata": {_THEIRS: default is not None},
            }
            if default is not None:
                try:
                    options["default"] = ast.literal_eval(default)
                    if options["default"].__hash__ is None:
                        raise ValueError
                except (ValueError, SyntaxError):
                    options.pop("default", None)
                    options["default_factory"] = _unknown_default
            fields[name] = dataclasses.field(**options)
        return fields
    return None


def _unknown_default():
    raise TypeError("the default is the Rust type's own")


def _again(cls, bases, theirs):
    """The same class again, with other bases and no slots of Python's; whether it has an ``__init__`` of its own."""
    namespace = dict(vars(cls))
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace["__slots__"] = ()
    namespace["__qualname__"] = cls.__qualname__
    # `dataclasses` would ask for a signature that is not there yet.
    if not namespace.get("__doc__"):
        namespace["__doc__"] = _NO_DOC
    own = _own_annotations(cls)
    if theirs := {name: f for name, f in theirs.items() if name not in own}:
        for name in ("__annotate__", "__annotate_func__", "__annotations_cache__"):
            namespace.pop(name, None)
        namespace["__annotations__"] = dict.fromkeys(theirs, typing.Any) | own
        namespace.update(theirs)
    for name in own:
        # What a base has under the name of a field is no default of the field.
        if name not in namespace and any(name in vars(base) for base in cls.__mro__[1:]):
            namespace[name] = dataclasses.field()
    made = type(cls)(cls.__name__, bases, namespace)
    return made, "__init__" in namespace


def _own_annotations(cls):
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return vars(cls).get("__annotations__", {})


def _define_fields(original, cls, key, frame_locals, init, options):
    every = cls.__dataclass_fields__.values()
    own_names = set(_own_annotations(cls))
    inherited = {name for base in cls.__mro__[1:] for name in vars(base).get("__pairbond_fields__", ())}
    theirs = [f for f in every if _THEIRS in f.metadata]
    own = [
        f
        for f in every
        if f._field_type is _FIELD and _THEIRS not in f.metadata and (f.name in own_names or f.name not in inherited)
    ]
    reader = Reader(cls, original, frame_locals)
    described = []
    for f in own:
        try:
            kind = reader.kind(f.type)
        except TypeError as error:
            raise TypeError(f"{key}.{f.name}: {error}") from None
        described.append((f.name, getattr(f, "doc", None) or "", kind, not options["frozen"]))
    parameters = _parameters(cls, every)
    fixed = [
        f for f in every if f._field_type is _FIELD and _THEIRS not in f.metadata and not f.init and _has_default(f)
    ]
    # What a Rust type at the beginning compares is its own business.
    compared = options["eq"] and "__eq__" not in vars(original) and not any(_THEIRS in f.metadata for f in every)
    hashed = compared and cls.__hash__ is not None
    constructor, descriptors = _define(
        {
            "class": cls,
            "key": key,
            "doc": inspect.getdoc(original) if vars(original).get("__doc__") else "",
            "fields": tuple(described),
            "params": tuple(map(_parameter, parameters)),
            "positional": sum(not f.kw_only for f in parameters),
            "fixed": tuple(map(_parameter, fixed)),
            "post_init": hasattr(cls, "__post_init__"),
            "laters": len(reader.laters),
            "checks": reader.checks,
            "resolver": reader.resolver(),
            "missing": _FACTORY,
            "compared": tuple(
                f.name for f in every if f._field_type is _FIELD and f.compare and _THEIRS not in f.metadata
            )
            if compared
            else None,
            "hashed": hashed,
        }
    )
    for f in own + theirs:
        if f.name in vars(cls):
            type.__delattr__(cls, f.name)
    for name, descriptor in descriptors.items():
        type.__setattr__(cls, name, descriptor)
    cls.__pairbond_fields__ = tuple(f.name for f in own)
    if init:
        cls.__init__ = _initializer(cls, parameters, constructor)
    if cls.__doc__ == _NO_DOC:
        cls.__doc__ = f"{cls.__name__}{_text_signature(cls)}"
    _complete((cls, init))


def _has_default(f):
    return f.default is not _MISSING or f.default_factory is not _MISSING


def _parameters(cls, fields):
    """The fields that are parameters of the constructor, those by position first."""
    every = [f for f in fields if f._field_type in (_FIELD, _INITVAR) and f.init]
    parameters = [f for f in every if not f.kw_only]
    default = None
    for f in parameters:
        if _has_default(f):
            default = f
        elif default is not None:
            raise TypeError(f"non-default argument {f.name!r} follows default argument {default.name!r}")
    return parameters + [f for f in every if f.kw_only]


def _parameter(f):
    """Name, whether it is for ``__post_init__`` only, how the default is given, the default."""
    for_post_init = f._field_type is _INITVAR
    if _THEIRS in f.metadata:
        return (f.name, False, "base with default" if f.metadata[_THEIRS] else "base", None)
    if f.default is not _MISSING:
        return (f.name, for_post_init, "value", f.default)
    if f.default_factory is not _MISSING:
        return (f.name, for_post_init, "factory", f.default_factory)
    return (f.name, for_post_init, "required", None)


def _initializer(cls, parameters, constructor):
    """``__init__`` as everybody sees it. Calls of the class itself do not need it."""
    names = {"_constructor": constructor}
    texts, keyword_only = [], False
    for number, f in enumerate(parameters):
        if f.kw_only and not keyword_only:
            texts.append("*")
            keyword_only = True
        text = f.name
        if _has_default(f):
            names[f"_default_{number}"] = _FACTORY if f.default is _MISSING else f.default
            text += f"=_default_{number}"
        texts.append(text)
    me = "self" if all(f.name != "self" for f in parameters) else "_pairbond_self"
    arguments = ", ".join([me, *(f.name for f in parameters)])
    scope = {}
    source = (
        f"def make({', '.join(names)}):\n"
        f" def __init__({', '.join([me, *texts])}):\n"
        f"  _constructor({arguments})\n"
        f" return __init__\n"
    )
    exec(source, {"__builtins__": {}}, scope)
    function = scope["make"](**names)
    function.__qualname__ = f"{cls.__qualname__}.__init__"
    function.__module__ = cls.__module__
    function.__annotations__ = {f.name: f.type for f in parameters} | {"return": None}
    return function


def _text_signature(cls):
    try:
        return str(inspect.signature(cls)).replace(" -> None", "")
    except (TypeError, ValueError):
        return ""


def _change_cells(original, made):
    """``super()`` and ``__class__`` in methods mean the native class."""
    for value in list(vars(made).values()):
        for function in _functions(value):
            for cell in function.__closure__ or ():
                try:
                    if cell.cell_contents is original:
                        cell.cell_contents = made
                except ValueError:
                    pass


def _functions(value):
    """The functions of a member of a class."""
    seen = 0
    while not isinstance(value, types.FunctionType) and seen < 10:
        seen += 1
        if isinstance(value, (staticmethod, classmethod, types.MethodType)):
            value = value.__func__
        elif isinstance(value, property):
            for part in (value.fget, value.fset, value.fdel):
                if part is not None:
                    yield from _functions(part)
            return
        elif isinstance(value, functools.cached_property):
            value = value.func
        elif isinstance(inner := getattr(value, "__wrapped__", None), types.FunctionType):
            value = inner
        else:
            return
    while isinstance(value, types.FunctionType):
        yield value
        value = getattr(value, "__wrapped__", None)
