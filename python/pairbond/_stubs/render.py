"""The text of a stub: what Rust tells; and what only the class in Python shows, typed as loosely as it must."""

from __future__ import annotations

import inspect
import keyword
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType

import pairbond
from pairbond._stubs.members import (
    Attribute,
    Class,
    Enumeration,
    ExceptionClass,
    Function,
    Parameter,
    Record,
    known_classes,
    members,
)
from pairbond._stubs.rust import annotation, canonical

#: What Python or its type checkers expect of these, whatever Rust calls it.
RETURNS = {
    "__bool__": "bool",
    "__buffer__": "memoryview",
    "__contains__": "bool",
    "__eq__": "bool",
    "__float__": "float",
    "__hash__": "int",
    "__index__": "int",
    "__int__": "int",
    "__len__": "int",
    "__ne__": "bool",
    "__repr__": "str",
    "__str__": "str",
}
#: They must take what everybody's do.
TAKE_ANYTHING = {"__contains__", "__eq__", "__ne__"}
#: What every class has, and what is not for type checkers.
EVERYBODYS = {
    *("__class__", "__delattr__", "__dict__", "__doc__", "__firstlineno__", "__getattribute__", "__hash__", "__init__"),
    *("__annotate_func__", "__annotations__", "__annotations_cache__"),
    *("__module__", "__new__", "__setattr__", "__static_attributes__", "__vectorcalloffset__", "__weakref__"),
}
ASSIGN_ITEM = {"__setitem__", "__delitem__"}
#: Of a class's `__flags__`: Py_TPFLAGS_BASETYPE.
SUBCLASSABLE = 1 << 10
#: What annotations name without an import.
BUILTINS = {
    *(
        "bool",
        "bytearray",
        "bytes",
        "dict",
        "float",
        "int",
        "list",
        "memoryview",
        "object",
        "range",
        "set",
        "slice",
        "str",
        "tuple",
    ),
}
GENERATED = "# Written by `python -m pairbond stubs`; see there. Changes are lost."
WIDTH = 120
#: With what they are imported from.
NAMES = {
    "Any": "typing",
    "ClassVar": "typing",
    "GenericAlias": "types",
    "ModuleType": "types",
    "NotRequired": "typing",
    "Protocol": "typing",
    "Self": "typing",
    "TypeAlias": "typing",
    "TypedDict": "typing",
    "Unpack": "typing",
    "final": "typing",
    "type_check_only": "typing",
    "Callable": "collections.abc",
    "Coroutine": "collections.abc",
    "Iterable": "collections.abc",
    "Mapping": "collections.abc",
}


def stub(module: ModuleType, *, as_package: bool = False) -> str:
    """The stub of an extension module that is made with pairbond. `as_package`: each module inside has a stub of its
    own beside it, from which it is imported."""
    return "\n".join(_Stub(module, as_package).lines()) + "\n"


def modules_inside(module: ModuleType) -> list[ModuleType]:
    """The modules that a module has as attributes, and is the package of."""
    named = (found for name, found in sorted(vars(module).items()) if _is_inside(module, name, found))
    return [found for found in named if isinstance(found, ModuleType)]


def _is_inside(module: ModuleType, name: str, found: object) -> bool:
    return isinstance(found, ModuleType) and found.__name__ == f"{module.__name__}.{name}"


class _Stub:
    def __init__(self, module: ModuleType, as_package: bool = False) -> None:
        self.module = module
        self.as_package = as_package
        self.members = members(module)
        self.classes = [it for it in self.members.classes if not it.variant]
        # A type alias is mostly called like the class, which is not what a generic type is called.
        generic = {of.rust_name.partition("<")[0] for of in self.classes if "<" in of.rust_name}
        self.own = {of.name: of.name for of in self.classes if of.name not in generic}
        self.own |= {canonical(of.rust_name): of.name for of in self.classes}
        self.own |= {of.rust_name: of.name for of in self.members.enums}
        self.records = {of.name: of for of in self.members.records}
        self.elsewhere = known_classes(module.__name__)
        #: Names that stand for something else in some scope of the stub.
        self.shadowed = {it.name for it in self.members.functions}
        for of in self.members.classes:
            self.shadowed |= {it.name for it in of.attributes} | {it.name for it in of.methods}
        #: What the text refers to.
        self.used: list[str] = []

    def lines(self) -> list[str]:
        body: list[str] = []
        for exception in self.members.exceptions:
            body += ["", *self.of_exception(exception)]
        for enum in self.members.enums:
            body += ["", *self.of_enum(enum)]
        for record in self.members.records:
            body += self.of_record(record)
        for of in self.members.classes:
            body += ["", *self.of_class(of)]
        documented = True
        for function in self.members.functions:
            body += [""] if documented else []
            body += self.function(function, None)
            documented = bool(function.doc)
        names = [it.name for it in self.members.enums] + [it.name for it in self.classes]
        names += [it.name for it in self.members.functions] + [it.name for it in self.members.exceptions]
        # What another library has added to the module, such as PyO3.
        for name in sorted(set(getattr(self.module, "__all__", ())) - set(names)):
            body += ["", *self.of_other(name, getattr(self.module, name))]
            names.append(name)
        listed = [f"    {name!r},".replace("'", '"') for name in sorted(names)]
        everything = ["", "__all__ = [", *listed, "]"] if names else []
        doc = _doc(self.module.__doc__ or "", "")
        return [GENERATED, "", *doc, *_imports(self.used), *everything, *body]

    def use(self, annotation: str) -> str:
        self.used.append(annotation)
        return annotation

    def class_of(self, rust_name: str, taken: bool) -> str | None:
        if record := self.records.get(rust_name):
            return f"_{record.name}Like" if taken else self.given(record)
        if name := self.own.get(rust_name):
            return name
        if place := self.elsewhere.get(rust_name):
            return ".".join(place)
        return None

    def base(self, of: Class) -> str:
        name = of.base.rpartition(".")[2]
        found = self.found(of).__mro__[1]
        if any(it.name == name and vars(self.module)[it.name] is found for it in self.classes):
            return name
        return ".".join(self.elsewhere.get(of.base, (found.__module__, found.__qualname__)))

    def found(self, of: Class) -> type:
        """The class itself."""
        if of.variant:
            found: type = getattr(vars(self.module)[of.base.rpartition(".")[2]], of.name)
        else:
            found = vars(self.module)[of.name]
        return found

    def name(self, of: Class) -> str:
        """What a stub calls it: a class cannot be defined inside of its own base."""
        return f"_{of.base.rpartition('.')[2]}{of.name}" if of.variant else of.name

    def of_exception(self, of: ExceptionClass) -> Iterator[str]:
        own = {f"{self.module.__name__}.{it.name}": it.name for it in self.members.exceptions}
        yield f"class {of.name}({self.use(own.get(of.base, of.base))}):" + ("" if of.doc else " ...")
        yield from _doc(of.doc, "    ")

    def given(self, of: Record) -> str:
        """What a function returns that returns a record."""
        if of.class_ is not None:
            module, _, name = of.class_.rpartition(".")
            return name if module == self.module.__name__ else of.class_
        return of.name if _names_attributes(of) else f"_{of.name}"

    def keys(self, of: Record) -> str:
        """The dict that is taken for a record, where not each key is required."""
        return f"_{of.name}Keys"

    def of_record(self, of: Record) -> Iterator[str]:
        """Types for checkers only: the dict that is given, the dict and the object that are taken."""
        like = [self.keys(of)]
        if of.class_ is None:
            fields = [(it.name, self.type(it.rust_type, taken=False)) for it in of.fields]
            yield from ["", *self.typed_dict(of, self.given(of), fields)]
            like.append(self.given(of))
        taken = [(it.name, self.type(it.rust_type, taken=True), it.required) for it in of.fields]
        fields = [(name, kind if required else self.use(f"NotRequired[{kind}]")) for name, kind, required in taken]
        yield from ["", *self.typed_dict(of, self.keys(of), fields)]
        if _names_attributes(of) and taken:
            like.append(f"_{of.name}Attributes")
            # Of all optional attributes an object would have none.
            required = [(name, kind) for name, kind, required in taken if required]
            yield from ["", f"@{self.use('type_check_only')}", f"class {like[-1]}({self.use('Protocol')}):"]
            for name, kind in required or [(name, kind) for name, kind, _ in taken]:
                yield from ["    @property", f"    def {name}(self) -> {kind}: ..."]
        yield from ["", f"_{of.name}Like: {self.use('TypeAlias')} = {' | '.join(like)}"]

    def typed_dict(self, of: Record, name: str, fields: list[tuple[str, str]]) -> Iterator[str]:
        self.use("TypedDict type_check_only")
        if not _names_attributes(of):
            inside = ", ".join(f'"{key}": {kind}' for key, kind in fields)
            yield f'{name} = TypedDict("{name}", {{{inside}}})'
            return
        yield from ["@type_check_only", f"class {name}(TypedDict):"]
        doc = _doc(of.doc, "    ") if name == of.name else []
        body = [f"    {key}: {kind}" for key, kind in fields]
        yield from [*doc, *([""] if doc and body else []), *body] or ["    ..."]

    def of_enum(self, of: Enumeration) -> Iterator[str]:
        yield f"class {of.name}({self.use('enum.Enum')}):"
        yield from [*_doc(of.doc, "    "), *([""] if of.doc else [])]
        for name, value, doc in of.members:
            yield f"    {name} = {value}"
            yield from _doc(doc, "    ")
        # What Python has added.
        for name, found in vars(vars(self.module)[of.name]).items():
            if isinstance(found, property):
                yield from self.loose(name, found)

    def of_class(self, of: Class) -> Iterator[str]:
        found = self.found(of)
        if not found.__flags__ & SUBCLASSABLE:
            yield f"@{self.use('final')}"
        yield f"class {self.name(of)}({self.use(self.base(of))}):"
        body: list[str] = []
        told = {"__match_args__"}
        if "__match_args__" in vars(found):
            body.append(f"    __match_args__ = {_tuple(vars(found)['__match_args__'])}")
        for variant in self.members.classes:
            if variant.variant and self.found(variant).__mro__[1] is found:
                told.add(variant.name)
                body.append(f"    {variant.name}: {self.use('TypeAlias')} = {self.name(variant)}")
        for attribute in of.attributes:
            told.add(attribute.name)
            body += self.attribute(attribute)
        for name, kind in of.declared:
            told.add(name)
            if name == "*":
                # Attributes of any name.
                self.use("Any")
                body.append(f"    @{self.use('type_check_only')}")
                body.append("    def __getattr__(self, name: str, /) -> Any: ...")
                body.append("    def __setattr__(self, name: str, value: Any, /) -> None: ...")
                continue
            text = self.use(self.builtin(kind[1:])) if kind.startswith("=") else self.type(kind, taken=False)
            body.append(f"    {name}: {text}")
        for name, kind in inspect.get_annotations(found).items():
            # What `pairbond.attributes` declared.
            told.add(name)
            body.append(f"    {name}: {self.use(self.builtin(str(kind)))}")
        for getter in of.methods:
            if getter.binding == "class getter":
                body.append(f"    {getter.name}: {self.use('ClassVar')}[{self.returns(getter)}]")
                body += _doc(getter.doc, "    ")
        constructors = [it for it in of.methods if it.binding == "constructor"]
        for constructor in constructors:
            body += self.function(constructor, of)
        if not constructors and "__init__" in vars(found):
            body += [
                f"    def __init__(self, *args: {self.use('Any')}, **kwargs: Any) -> None:",
                *_doc("Cannot be made from Python.", "        "),
            ]
        for method in of.methods:
            told.add(method.name)
            if method.binding not in ("constructor", "class getter"):
                body += self.function(method, of)
        if found.__hash__ is None:
            body.append(f"    __hash__: {self.use('ClassVar')}[None]  # type: ignore[assignment]")
        for name in vars(found):
            # One slot of CPython has both: the one that Rust does not tell of raises a TypeError.
            invented = name in ASSIGN_ITEM and ASSIGN_ITEM & told
            if name not in told and name not in EVERYBODYS and not invented:
                body += self.loose(name, getattr(found, name))
        yield from _doc(of.doc, "    ")
        yield from ["", *body] if body and of.doc else body
        if not body and not of.doc:
            yield "    ..."

    def attribute(self, of: Attribute) -> Iterator[str]:
        given = self.type(of.rust_type, taken=False)
        if of.settable and given == self.type(of.rust_type, taken=True):
            yield f"    {of.name}: {given}"
            yield from _doc(of.doc, "    ")
            return
        yield "    @property"
        yield f"    def {of.name}(self) -> {given}:" + ("" if of.doc else " ...")
        yield from _doc(of.doc, "        ")
        if of.settable:
            yield f"    @{of.name}.setter"
            yield f"    def {of.name}(self, value: {self.type(of.rust_type, taken=True)}) -> None: ..."

    def function(self, of: Function, owner: Class | None) -> Iterator[str]:
        indent = "    " if owner else ""
        name = "__init__" if of.binding == "constructor" else of.name
        if of.binding in ("class", "static"):
            yield f"{indent}@{of.binding}method"
        receiver = {"instance": ["self"], "constructor": ["self"], "class": ["cls"]}.get(of.binding, [])
        end = ":" if of.doc else ": ..."
        first, *more = _head(indent, name, [*receiver, *self.parameters(of, name)], self.returns(of), end)
        yield first + ("  # type: ignore[override]" if owner and self.is_other_than_inherited(of, owner) else "")
        yield from more
        yield from _doc(of.doc, indent + "    ")

    def is_other_than_inherited(self, of: Function, owner: Class) -> bool:
        """Whether a class above has a method of the name with which type checkers find fault with this one."""
        above = next((it for it in self.classes if it.name == self.base(owner)), None)
        if above is None or of.binding == "constructor":
            return False
        for method in above.methods:
            if method.name == of.name:
                types = [it.rust_type for it in of.parameters]
                return types[: len(method.parameters)] != [it.rust_type for it in method.parameters]
        return self.is_other_than_inherited(of, above)

    def parameters(self, of: Function, name: str) -> Iterator[str]:
        bare = False
        if name == "__buffer__":
            yield "flags: int, /"
        for parameter in of.parameters:
            if parameter.kind == "keyword" and not bare:
                yield "*"
            bare = bare or parameter.kind != "standard"
            yield self.parameter(parameter, name)
        if name in ("__pow__", "__rpow__"):
            yield "modulus: None = None"
        if of.parameters and of.binding == "instance" and _is_slot(name):
            yield "/"

    def parameter(self, of: Parameter, name: str) -> str:
        kind = "object" if name in TAKE_ANYTHING else self.type(of.rust_type, taken=True)
        if of.kind == "rest keywords" and (record := self.records.get(of.rust_type)):
            return f"**{of.name}: {self.use('Unpack')}[{self.keys(record)}]"
        if of.kind == "rest keywords":
            value = re.fullmatch(r"(?:\w+::)*\w*Map<[^,]*, ?(.*)>", of.rust_type)
            return f"**{of.name}: {self.type(value[1], taken=True) if value else 'Any'}"
        if of.kind == "rest":
            element = re.fullmatch(r"(?:Vec<|&\[|&'\w+ \[)(.*)[>\]]", of.rust_type)
            return f"*{of.name}: {self.type(element[1], taken=True) if element else 'Any'}"
        return f"{of.name}: {kind}" + (f" = {_quoted(of.default)}" if of.default is not None else "")

    def returns(self, of: Function) -> str:
        if of.binding == "constructor":
            return "None"
        if of.name in RETURNS:
            return self.builtin(RETURNS[of.name])
        given = self.type(of.returns, taken=False)
        # `None` is the end, and never what iterating gives.
        return given.removesuffix(" | None") if of.name == "__next__" else given

    def type(self, rust_type: str, *, taken: bool) -> str:
        text = annotation(rust_type, lambda name: self.class_of(name, taken), taken=taken, itself="Self")
        return self.use(self.builtin(text))

    def builtin(self, text: str) -> str:
        """Python's own types by their full name, where a member is called like one."""
        for name in self.shadowed & BUILTINS:
            text = re.sub(rf"(?<![\w.]){name}\b", f"builtins.{name}", text)
        return text

    def of_other(self, name: str, found: object) -> Iterator[str]:
        """A member of the module that is not made with pairbond: its types are not known."""
        if not isinstance(found, type):
            yield from self.other_member("", name, found)
            return
        base = found.__mro__[1]
        yield f"class {name}:" if base is object else f"class {name}({base.__module__}.{base.__qualname__}):"
        body: list[str] = []
        if "__init__" not in vars(found) and "__new__" in vars(found):
            body += _head("    ", "__init__", ["self", *self.loosely(found)], "None", ": ...")
        for member, value in vars(found).items():
            if member not in EVERYBODYS:
                body += self.other_member("    ", member, value)
        doc = _doc(found.__doc__ or "", "    ")
        yield from [*doc, *([""] if doc and body else []), *body] or ["    ..."]

    def other_member(self, indent: str, name: str, found: object) -> Iterator[str]:
        doc = inspect.getdoc(found) if callable(found) or inspect.isdatadescriptor(found) else None
        if isinstance(found, (classmethod, staticmethod)):
            yield f"{indent}@{type(found).__name__}"
            found = found.__func__
        if callable(found):
            result = RETURNS.get(name, self.use("Any"))
            yield from _head(indent, name, [*self.loosely(found)], result, ":" if doc else ": ...")
            yield from _doc(doc or "", indent + "    ")
        elif self.as_package and not indent and _is_inside(self.module, name, found):
            yield f"from . import {name} as {name}"
        elif isinstance(found, ModuleType):
            yield f"{indent}{name}: {self.use('ModuleType')}"
        else:
            yield f"{indent}{name}: {self.type_of(found)}"

    def type_of(self, value: object) -> str:
        """The type of a constant, as far as all that it holds is of one."""

        def each(values: Iterable[object]) -> str:
            kinds = {self.type_of(it) for it in values}
            return kinds.pop() if len(kinds) == 1 else self.use("Any")

        if value is None:
            return "None"
        if type(value) in (bool, int, float, str, bytes):
            return self.builtin(type(value).__name__)
        # Containers are those of pairbond.
        name = f"pairbond.{type(value).__name__}"
        if isinstance(value, pairbond.Map | pairbond.FrozenMap):
            return self.use(f"{name}[{each(value)}, {each(value.values())}]")
        if isinstance(value, pairbond.List | pairbond.Tuple | pairbond.Set):
            return self.use(f"{name}[{each(value)}]")
        return self.use("Any")

    def loosely(self, found: Callable[..., object]) -> Iterator[str]:
        """Parameters without their types."""
        self.use("Any")
        try:
            yield from _loose_parameters(inspect.signature(found))
        except (TypeError, ValueError):
            yield from ("*args: Any", "**kwargs: Any")

    def loose(self, name: str, found: object) -> Iterator[str]:
        """A member that Rust does not tell of: one that Python or pairbond made."""
        if name == "__class_getitem__":
            yield f"    def __class_getitem__(cls, item: {self.use('Any')}, /) -> {self.use('GenericAlias')}: ..."
            return
        if name == "__init_subclass__":
            yield f"    def __init_subclass__(cls, **options: {self.use('Any')}) -> None: ..."
            return
        self.use("Any")
        if isinstance(found, property) and found.fset is None:
            yield "    @property"
            yield f"    def {name}(self) -> Any: ..."
            return
        if not callable(found):
            kind = self.builtin("str") if isinstance(found, str) else "Any"
            yield f"    {name}: {self.use('ClassVar')}[{kind}]"
            return
        try:
            parameters = [*_loose_parameters(inspect.signature(found))]
        except (TypeError, ValueError):
            parameters = ["self", "*args: Any", "**kwargs: Any"]
        if inspect.ismethod(found) and isinstance(found.__self__, type):
            yield "    @classmethod"
            parameters = ["cls", *parameters]
        result = RETURNS.get(name, "bool" if name in ("__lt__", "__le__", "__gt__", "__ge__") else "Any")
        yield from _head("    ", name, parameters, result, ": ...")


def _names_attributes(of: Record) -> bool:
    """Whether each key is a name that attributes can have."""
    return all(it.name.isidentifier() and not keyword.iskeyword(it.name) for it in of.fields)


def _loose_parameters(signature: inspect.Signature) -> Iterator[str]:
    """Parameters of which nothing but names and defaults is known, and whether they are only ever None."""
    before = "POSITIONAL_OR_KEYWORD"
    for it in signature.parameters.values():
        kind = it.kind.name
        if before == "POSITIONAL_ONLY" != kind:
            yield "/"
        if kind == "KEYWORD_ONLY" and before not in ("KEYWORD_ONLY", "VAR_POSITIONAL"):
            yield "*"
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(kind, "")
        known = "None" if it.annotation in (None, "None") else "Any"
        text = it.name if it.name == "self" else f"{stars}{it.name}: {known}"
        yield text if it.default is it.empty else f"{text} = {_quoted(repr(it.default))}"
        before = kind
    if before == "POSITIONAL_ONLY":
        yield "/"


def _is_slot(name: str) -> bool:
    """Whether it is a special method whose arguments Python gives by position only."""
    named = ("__init__", "__call__", "__exit__", "__enter__", "__aexit__", "__format__")
    return name.startswith("__") and name.endswith("__") and name not in named


def _head(indent: str, name: str, parameters: list[str], returns: str, end: str) -> Iterator[str]:
    """The first line of a function; several, if it is long."""
    line = f"{indent}def {name}({', '.join(parameters)}) -> {returns}{end}"
    if len(line) <= WIDTH:
        yield line
        return
    inside = f"{indent}    {', '.join(parameters)}"
    yield f"{indent}def {name}("
    yield from [inside] if len(inside) <= WIDTH else [f"{indent}    {it}," for it in parameters]
    yield f"{indent}) -> {returns}{end}"


def _quoted(default: str) -> str:
    """A string in the quotes that formatters prefer."""
    plain = default.startswith("'") and default.endswith("'") and '"' not in default and "\\" not in default
    return f'"{default[1:-1]}"' if plain else default


def _doc(text: str, indent: str) -> list[str]:
    """A documentation string."""
    if not text:
        return []
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    width = WIDTH - len(indent)
    one = f'"""{escaped}{" " if escaped.endswith(chr(34)) else ""}"""'
    # The first line has the quotes before it.
    lines = [part for line in f'"""{escaped}'.splitlines() for part in _wrapped(line, width)]
    if len(lines) == 1 and len(one) > width:
        # Only its quotes are too much: formatters would not let them stand alone.
        lines = _wrapped(lines[0], width - 4)
    if len(lines) == 1:
        return [indent + one]
    return [f"{indent}{line}".rstrip() for line in [*lines, '"""']]


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    margin = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)


def _tuple(names: Iterable[str]) -> str:
    listed = [f'"{name}"' for name in names]
    return f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"


def _imports(annotations: Iterable[str]) -> list[str]:
    """The imports of what annotations name."""
    text = "\n".join(annotations)
    modules = sorted({name.rpartition(".")[0] for name in re.findall(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+", text)})
    homes: dict[str, list[str]] = {}
    for name, home in NAMES.items():
        if re.search(rf"(?<![\w.]){name}\b", text):
            homes.setdefault(home, []).append(name)
    standard = [name for name in modules if name.partition(".")[0] in sys.stdlib_module_names]
    groups = [
        [f"import {name}" for name in standard],
        [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(homes.items())],
    ]
    others = [f"import {name}" for name in modules if name not in standard]
    first = groups[0] + groups[1]
    return [*([""] if first else []), *first, *([""] if others else []), *others]
