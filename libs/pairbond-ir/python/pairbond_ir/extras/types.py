"""Types by short names: `from pairbond_ir.extras import types as T`, then `T.i32()`, `T.tensor(2, 3, T.f32())`.

All are of the current context.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from .. import _pairbond_ir as native
from .._pairbond_ir import Type


def i(width: int) -> native.IntegerType:
    """An integer without a sign."""
    return native.IntegerType.get_signless(width)


def si(width: int) -> native.IntegerType:
    """A signed integer."""
    return native.IntegerType.get_signed(width)


def ui(width: int) -> native.IntegerType:
    """An unsigned integer."""
    return native.IntegerType.get_unsigned(width)


def _integer(make: Callable[[int], native.IntegerType], width: int) -> Callable[[], native.IntegerType]:
    return lambda: make(width)


bool = _integer(i, 1)
i8, i16, i32, i64 = (_integer(i, width) for width in (8, 16, 32, 64))
si8, si16, si32, si64 = (_integer(si, width) for width in (8, 16, 32, 64))
ui8, ui16, ui32, ui64 = (_integer(ui, width) for width in (8, 16, 32, 64))

index = native.IndexType.get
none = native.NoneType.get
f16, f32, f64, bf16 = native.F16Type.get, native.F32Type.get, native.F64Type.get, native.BF16Type.get
tf32 = native.FloatTF32Type.get
f4E2M1FN = native.Float4E2M1FNType.get
f6E2M3FN, f6E3M2FN = native.Float6E2M3FNType.get, native.Float6E3M2FNType.get
f8E3M4, f8E4M3, f8E4M3FN = native.Float8E3M4Type.get, native.Float8E4M3Type.get, native.Float8E4M3FNType.get
f8E4M3B11FNUZ, f8E4M3FNUZ = native.Float8E4M3B11FNUZType.get, native.Float8E4M3FNUZType.get
f8E5M2, f8E5M2FNUZ = native.Float8E5M2Type.get, native.Float8E5M2FNUZType.get
f8E8M0FNU = native.Float8E8M0FNUType.get


def complex(type: Type) -> native.ComplexType:
    """Complex numbers of parts of a type."""
    return native.ComplexType.get(type)


def opaque(dialect_namespace: str, type_data: str) -> native.OpaqueType:
    """A type of a dialect that nobody has registered."""
    return native.OpaqueType.get(dialect_namespace, type_data)


def _parts(shape: Sequence[Any], element_type: Type | None) -> builtins.tuple[list[int] | None, Type]:
    """The sizes, None if there are none, and the element type, which stands last unless it is given by its name."""
    if shape and isinstance(shape[-1], Type):
        if element_type is not None:
            raise ValueError("the element type is given twice: as the last argument, and by its name")
        shape, element_type = shape[:-1], shape[-1]
    if element_type is None:
        raise ValueError("the element type is missing: it is the last argument, or element_type=…")
    return (list(shape) if shape else None), element_type


def vector(
    *shape: Any,
    element_type: Type | None = None,
    scalable: Sequence[Any] | None = None,
    scalable_dims: Sequence[int] | None = None,
) -> native.VectorType:
    """A vector: `vector(4, 8, f32())`."""
    sizes, element = _parts(shape, element_type)
    return native.VectorType.get(sizes or [], element, scalable=scalable, scalable_dims=scalable_dims)


def tensor(*shape: Any, element_type: Type | None = None, encoding: str | None = None) -> native.ShapedType:
    """A tensor: `tensor(4, 8, f32())`, or of any shape, `tensor(f32())`."""
    sizes, element = _parts(shape, element_type)
    if sizes is None:
        if encoding is not None:
            raise ValueError("UnrankedTensorType does not support encoding.")
        return native.UnrankedTensorType.get(element)
    return native.RankedTensorType.get(sizes, element, None if encoding is None else native.StringAttr.get(encoding))


def memref(
    *shape: Any,
    element_type: Type | None = None,
    memory_space: int | None = None,
    layout: native.StridedLayoutAttr | None = None,
) -> native.ShapedType:
    """A memref: `memref(4, 8, f32(), memory_space=1)`, or of any shape, `memref(f32())`."""
    sizes, element = _parts(shape, element_type)
    space = None if memory_space is None else native.Attribute.parse(str(memory_space))
    if sizes is None:
        return native.UnrankedMemRefType.get(element, space)
    return native.MemRefType.get(sizes, element, layout, space)


def tuple(*elements: Type) -> native.TupleType:
    """Several values in one."""
    return native.TupleType.get_tuple(elements)


def function(*, inputs: Sequence[Type], results: Sequence[Type]) -> native.FunctionType:
    """From inputs to results."""
    return native.FunctionType.get(inputs, results)
