"""Every conversion of the test extension with values that fit and values that do not, and what comes of them.

Run as a script it prints that as JSON, for the extension or, with PAIRBOND_LOAD, for the same source as a library
without a frontend: `test_load.py` compares the two.
"""

from __future__ import annotations

import array
import datetime
import decimal
import inspect
import ipaddress
import json
import os
import re
import types
import uuid
from datetime import timedelta, timezone
from pathlib import Path

import pairbond

if library := os.environ.get("PAIRBOND_LOAD"):
    pairbond.load(library)

import pairbond_testext as ext


class Text(str):
    pass


class Int(int):
    pass


class Index:
    def __index__(self) -> int:
        return 7


class Fails:
    def __index__(self) -> int:
        raise LookupError("mine")

    def __fspath__(self) -> str:
        raise LookupError("mine")

    def __iter__(self):
        raise LookupError("mine")

    def __repr__(self) -> str:
        return "Fails()"


def named() -> int:
    return 1


UTC = datetime.UTC
EAST = timezone(timedelta(hours=5, minutes=30))
NOON = datetime.datetime(2024, 2, 29, 12, 30, 15, 1)

PARTS = {"name": Text("n"), "data": bytearray(b"ab"), "count": Index(), "more": ((True, "x"),)}

#: Each conversion gets each of them.
VALUES = [
    *(PARTS | {"more": [(1, "x")]}, types.SimpleNamespace(**PARTS), types.SimpleNamespace(name="n", data=[1, 256])),
    *({"name": "n"}, {"name": 1, "data": b"", "count": 1}, PARTS | {"more": [(1, 2)]}, PARTS | {"nome": 1}),
    types.SimpleNamespace(
        name="n", data=b"", count=1, more=[], when=timedelta(1), inner=types.SimpleNamespace(**PARTS)
    ),
    types.SimpleNamespace(name="n", data=b"", count=Fails(), more=[]),
    *(None, True, 0, 1, -1, 7, 255, 256, 2**31, 2**63, 2**64, -(2**63), 2**128 - 1, 2**200, 1.5, float("inf"), 1j),
    *("", "a", "äbc€", "text" * 100, "\udcff", b"", b"abc", b"abcd", bytearray(b"abcd"), memoryview(b"abcd")),
    *(Text("sub"), Int(5), Index(), Fails(), Path("a/b"), os.fsdecode(b"not\xffutf8")),
    *([], [1, 2], [1, 2, 3], [1, "a"], [[1], [2]], ["a"], (), (1, "a"), (1, 2), (1, None), [b"a", b"b"]),
    *(set(), {1}, frozenset({1}), {}, {"a": 1}, {1: 2}, {"a": [(1, None)]}, {"a": [(1, "x")]}, range(3), iter([1])),
    *(pairbond.List([1, 2]), pairbond.Tuple([1, "a"]), pairbond.Map({"a": 1}), pairbond.Set([1])),
    *(timedelta(hours=1, microseconds=1), timedelta(-1), timedelta.max, [timedelta(1)], UTC, EAST),
    *(NOON, NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=EAST), NOON.date(), NOON.time(), datetime.date.min),
    *(ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address("::1"), ipaddress.ip_address("fe80::1%eth0")),
    *(range(3, 300), range(-5, -2), range(2**100, 2**100 + 3), range(0, 10, 2), slice(1, 2), ...),
    *(uuid.UUID(int=5), decimal.Decimal("1.50"), decimal.Decimal("NaN"), decimal.Decimal("1E+30")),
    *(array.array("d", [1.0, 2.0]), array.array("q", [1, 2]), memoryview(array.array("d", [1, 2, 3, 4])).cast("B")),
    *(memoryview(array.array("d", [1, 2, 3, 4])).cast("B").cast("d", [2, 2]), array.array("b", [-1])),
    *(len, named, int, ext.nothing, pairbond.DType("float32"), pairbond.Device("cpu"), object, NotImplemented),
]


def conversions() -> list[str]:
    """The functions that return their one argument."""
    found = []
    for name, value in vars(ext).items():
        if isinstance(value, types.BuiltinFunctionType) and ext.converts(name):
            assert list(inspect.signature(value).parameters) == ["value"], name
            found.append(name)
    return found


def shown(value: object, ordered: bool) -> str:
    """The value and all types in it, without addresses."""
    if isinstance(value, dict | pairbond.Map | pairbond.FrozenMap):
        inside = ", ".join(f"{shown(key, ordered)}: {shown(each, ordered)}" for key, each in value.items())
    elif isinstance(value, list | tuple | set | frozenset | pairbond.List | pairbond.Tuple | pairbond.Set):
        all = [shown(each, ordered) for each in value]
        inside = ", ".join(all if ordered else sorted(all))
    else:
        inside = re.sub(r"0x[0-9a-f]+", "0x…", repr(value))
    return f"{type(value).__qualname__}({inside})"


def outcome(function, *arguments: object) -> str:
    try:
        # Rust's sets have another order each time.
        return shown(function(*arguments), ordered="unordered" not in f"{function.__name__}{arguments[0]}")
    except Exception as error:
        return re.sub(r"0x[0-9a-f]+", "0x…", f"{type(error).__qualname__}: {error}")


def table() -> dict[str, list[str]]:
    """Called by Python, and by Rust with values of any kind."""
    table = {}
    for name in conversions():
        table[name] = [outcome(getattr(ext, name), value) for value in VALUES]
        table[f"{name}, called by Rust"] = [outcome(ext.called_by_rust, name, value) for value in VALUES]
    return table


if __name__ == "__main__":
    print(json.dumps(table()))
