"""Enumerations of `arith`, which MLIR's bindings generate."""

from __future__ import annotations

import enum


class CmpIPredicate(enum.IntEnum):
    """How integers are compared."""

    eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge = range(10)


class CmpFPredicate(enum.IntEnum):
    """How floats are compared."""

    AlwaysFalse, OEQ, OGT, OGE, OLT, OLE, ONE, ORD, UEQ, UGT, UGE, ULT, ULE, UNE, UNO, AlwaysTrue = range(16)


class IntegerOverflowFlags(enum.IntFlag):
    """What never happens."""

    none = 0
    nsw = 1
    nuw = 2


class FastMathFlags(enum.IntFlag):
    """What rewrites of floats may take for granted."""

    none = 0
    reassoc = 1
    nnan = 2
    ninf = 4
    nsz = 8
    arcp = 16
    contract = 32
    afn = 64
    fast = 127
