"""What a Rust type, as written in the source, is to Python's type checkers.

A value that is passed to Rust may be more than one that comes back: `Vec<f64>` takes any iterable and is returned as a
list. A name that is neither one of Rust's nor a class of a module is `Any`: nothing is known of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

#: The annotation of a class by the name of its Rust type; None if there is none.
Classes = Callable[[str], str | None]

BITS = (8, 16, 32, 64, 128, "size")
INTEGERS = {f"{sign}{bits}" for sign in "iu" for bits in BITS} | {"BigInt", "BigUint", "NonZero"}
INTEGERS |= {f"NonZero{sign}{bits}" for sign in "IU" for bits in BITS}
TEXTS = {"str", "String", "Str", "char"}
#: pairbond's, and those of `ndarray`.
ARRAYS = {"Array", "ArrayD", *(f"Array{axes}" for axes in range(7))}
#: Handles that are what they hold.
TRANSPARENT = {"Ref", "Borrow", "New", "Unique", "Cell", "Box", "Arc", "Rc", "Cow"}
#: To Rust and from Rust.
SIMPLE = {
    "bool": ("bool", "bool"),
    "f32": ("float", "float"),
    "f64": ("float", "float"),
    "Bytes": ("bytes | bytearray | memoryview", "bytes"),
    "Path": ("str | os.PathLike[str]", "str"),
    "PathBuf": ("str | os.PathLike[str]", "str"),
    "OsStr": ("str | os.PathLike[str]", "str"),
    "OsString": ("str | os.PathLike[str]", "str"),
    "Function": ("Callable[..., Any]", "Callable[..., Any]"),
    "Any": ("Any", "Any"),
    "Subscript": ("slice", "slice"),
    "IntOrSlice": ("int | slice", "int | slice"),
    "AnyRef": ("Any", "Any"),
    "Foreign": ("Any", "Any"),
    "ErasedRef": ("pairbond.Object", "pairbond.Object"),
    "ErasedBorrow": ("pairbond.Object", "pairbond.Object"),
    # Whatever lends its numbers by the buffer protocol or DLPack, such as an array of numpy.
    **dict.fromkeys(ARRAYS, ("pairbond.Array | Any", "pairbond.Array")),
    "DType": ("pairbond.DType | str", "pairbond.DType"),
    "Device": ("pairbond.Device | str", "pairbond.Device"),
    "Decimal": ("decimal.Decimal | int", "decimal.Decimal"),
    **dict.fromkeys(INTEGERS, ("int", "int")),
    **dict.fromkeys(TEXTS, ("str", "str")),
}
#: Types of the standard library and of other crates that are a class of Python's library, both ways.
LIBRARY = {
    "Duration": "datetime.timedelta",
    "TimeDelta": "datetime.timedelta",
    "SignedDuration": "datetime.timedelta",
    "SystemTime": "datetime.datetime",
    "DateTime": "datetime.datetime",
    "NaiveDateTime": "datetime.datetime",
    "Timestamp": "datetime.datetime",
    "ZonedDateTime": "datetime.datetime",
    "Date": "datetime.date",
    "NaiveDate": "datetime.date",
    "Time": "datetime.time",
    "NaiveTime": "datetime.time",
    "FixedOffset": "datetime.timezone",
    "TimeZone": "datetime.tzinfo",
    "IpAddr": "ipaddress.IPv4Address | ipaddress.IPv6Address",
    "Ipv4Addr": "ipaddress.IPv4Address",
    "Ipv6Addr": "ipaddress.IPv6Address",
    "Range": "range",
    "RangeInclusive": "range",
    "Uuid": "uuid.UUID",
}
SIMPLE |= {name: (of, of) for name, of in LIBRARY.items()}
#: Parameters of generic types that are not written.
HIDDEN = {"RandomState", "Global"}
#: To Rust and from Rust, with the parameters in place of the dots.
GENERIC = {
    "Vec": ("Iterable[...]", "list[...]"),
    "Few": ("Iterable[...]", "list[...]"),
    "HashSet": ("Iterable[...]", "set[...]"),
    "BTreeSet": ("Iterable[...]", "list[...]"),
    "HashMap": ("Mapping[...]", "dict[...]"),
    "BTreeMap": ("Mapping[...]", "dict[...]"),
    "IndexMap": ("Mapping[...]", "dict[...]"),
    "IndexSet": ("Iterable[...]", "list[...]"),
    "List": ("Iterable[...]", "pairbond.List[...]"),
    "Tuple": ("Iterable[...]", "pairbond.Tuple[...]"),
    "Set": ("Iterable[...]", "pairbond.Set[...]"),
    "Map": ("Mapping[...]", "pairbond.Map[...]"),
    "FrozenMap": ("Mapping[...]", "pairbond.FrozenMap[...]"),
}


@dataclass(frozen=True)
class Type:
    """A path with its parameters, or `()` for tuples, `[]` for arrays and slices. A reference is what it refers to."""

    name: str
    parameters: tuple[Type, ...] = ()


def parse(text: str) -> Type:
    """Read a type; what is none in this small grammar is `?`."""
    try:
        return _type(_Tokens(re.findall(r"'\w+|\w+|::|[<>()\[\],;&+*]|->|\S", text)))
    except StopIteration:
        return Type("?")


def canonical(text: str) -> str:
    """A type without the paths of its parts: `Grid<String>` for `Grid<alloc::string::String>`."""
    return _text(parse(text))


def _text(of: Type) -> str:
    inside = [_text(it) for it in of.parameters if it.name not in HIDDEN]
    return f"{of.name}<{', '.join(inside)}>" if inside else of.name


class _Tokens:
    def __init__(self, tokens: list[str]) -> None:
        self._all = tokens
        self._at = 0

    @property
    def next(self) -> str:
        return self._all[self._at] if self._at < len(self._all) else ""

    def take(self) -> str:
        if not self.next:
            raise StopIteration
        self._at += 1
        return self._all[self._at - 1]


def _type(tokens: _Tokens) -> Type:
    while tokens.next in ("&", "mut", "dyn", "impl", "::") or tokens.next.startswith("'"):
        tokens.take()
    token = tokens.take()
    if token == "(":
        return Type("()", _several(tokens, ")"))
    if token == "[":
        element = _type(tokens)
        while tokens.take() != "]":
            pass
        return Type("[]", (element,))
    while tokens.next == "::":
        tokens.take()
        if tokens.next == "<":
            break
        token = tokens.take()
    if tokens.next != "<":
        return Type(token)
    tokens.take()
    return Type(token, _several(tokens, ">"))


def _several(tokens: _Tokens, end: str) -> tuple[Type, ...]:
    found: list[Type] = []
    while tokens.next != end:
        if tokens.next == "," or tokens.next.startswith("'"):
            tokens.take()
        else:
            found.append(_type(tokens))
    tokens.take()
    return tuple(found)


def annotation(text: str, classes: Classes, *, taken: bool, itself: str = "Any") -> str:
    """What Python calls a Rust type: of what is `taken` as an argument, or of what is given. `itself` is `Self`."""
    return _annotation(parse(text), classes, 0 if taken else 1, itself)


def _annotation(of: Type, classes: Classes, direction: int, itself: str) -> str:
    def inner(index: int = 0) -> str:
        if index >= len(of.parameters):
            return "Any"
        return _annotation(of.parameters[index], classes, direction, itself)

    if of.name == "()":
        inside = ", ".join(inner(i) for i in range(len(of.parameters)))
        return f"tuple[{inside}]" if inside else "None"
    if of.name == "[]":
        if of.parameters[0] == Type("u8"):
            return SIMPLE["Bytes"][direction]
        return GENERIC["Vec"][direction].replace("...", inner())
    if of == Type("Vec", (Type("u8"),)) and direction == 1:
        return SIMPLE["Bytes"][1]
    if of.name == "Self":
        return itself
    if of.name == "__Coroutine":
        return f"Coroutine[Any, Any, {inner()}]"
    if of.name == "Either":
        return " | ".join(dict.fromkeys([inner(0), inner(1)]))
    if of.name in ("Option", "Weak"):
        inside = inner()
        return inside if inside in ("Any", "None") or inside.endswith(" | None") else f"{inside} | None"
    if of.name == "Result" or of.name in TRANSPARENT:
        return inner()
    # A class of that name is nearer than one of pairbond's.
    if found := classes(_text(of)) or classes(of.name):
        return found
    if of.name in GENERIC:
        # Containers of pairbond hold anything unless told; elements of theirs are what they are in both directions.
        elements = 1 if GENERIC[of.name][1].startswith("pairbond.") else direction
        width = 2 if "Map" in of.name else 1
        each = [_annotation(it, classes, elements, itself) for it in of.parameters[:width]]
        each += ["Any"] * (width - len(each))
        python = GENERIC[of.name][direction]
        if python == "set[...]" and each[0].startswith(("list[", "dict[", "set[")):
            # What cannot be hashed is given as a list.
            python = "list[...]"
        return python.replace("...", ", ".join(each))
    return SIMPLE.get(of.name, ("Any", "Any"))[direction]
