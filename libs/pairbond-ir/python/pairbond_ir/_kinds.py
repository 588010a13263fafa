"""Which kind of type or attribute one is, as MLIR's bindings tell it: `typeid`, `type_name` and `attr_name`."""

from __future__ import annotations

from typing import Any

from . import _pairbond_ir as native

__all__ = ["TypeID"]


class TypeID:
    """What all types or attributes of one kind have in common, and no others: it compares, and is a key."""

    __slots__ = ("_kind",)

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeID) and self._kind == other._kind

    def __hash__(self) -> int:
        return hash((TypeID, self._kind))

    def __repr__(self) -> str:
        return f"<TypeID of {self._kind}>"


#: What types are called in `type_name`, by their classes.
_TYPES = {
    native.ComplexType: "complex",
    native.FunctionType: "function",
    native.IndexType: "index",
    native.IntegerType: "integer",
    native.MemRefType: "memref",
    native.NoneType: "none",
    native.OpaqueType: "opaque",
    native.RankedTensorType: "tensor",
    native.TupleType: "tuple",
    native.UnrankedMemRefType: "unranked_memref",
    native.UnrankedTensorType: "unranked_tensor",
    native.VectorType: "vector",
    native.BF16Type: "bf16",
    native.F16Type: "f16",
    native.FloatTF32Type: "tf32",
    native.F32Type: "f32",
    native.F64Type: "f64",
    native.F80Type: "f80",
    native.F128Type: "f128",
    native.Float4E2M1FNType: "f4E2M1FN",
    native.Float6E2M3FNType: "f6E2M3FN",
    native.Float6E3M2FNType: "f6E3M2FN",
    native.Float8E3M4Type: "f8E3M4",
    native.Float8E4M3B11FNUZType: "f8E4M3B11FNUZ",
    native.Float8E4M3FNType: "f8E4M3FN",
    native.Float8E4M3FNUZType: "f8E4M3FNUZ",
    native.Float8E4M3Type: "f8E4M3",
    native.Float8E5M2FNUZType: "f8E5M2FNUZ",
    native.Float8E5M2Type: "f8E5M2",
    native.Float8E8M0FNUType: "f8E8M0FNU",
}
#: What attributes are called in `attr_name`.
_ATTRIBUTES = {
    native.AffineMapAttr: "affine_map",
    native.ArrayAttr: "array",
    native.DenseResourceElementsAttr: "dense_resource_elements",
    native.DictAttr: "dictionary",
    native.FlatSymbolRefAttr: "symbol_ref",
    native.FloatAttr: "float",
    native.IntegerAttr: "integer",
    native.IntegerSetAttr: "integer_set",
    native.OpaqueAttr: "opaque",
    native.StridedLayoutAttr: "strided_layout",
    native.StringAttr: "string",
    native.SymbolRefAttr: "symbol_ref",
    native.TypeAttr: "type",
    native.UnitAttr: "unit",
}
#: Kinds of attributes that have no such name.
_OTHERS = (
    *(native.UnknownLoc, native.FileLineColLoc, native.NameLoc, native.CallSiteLoc, native.FusedLoc),
    *(native.DenseElementsAttr, native.DenseStringElementsAttr, native.SparseElementsAttr),
    *(native.DenseArrayAttr, native.DistinctAttr),
)


def _typeid(self: Any) -> TypeID:
    found: TypeID = type(self).static_typeid
    return found


_cls: Any
for _cls in (native.Type, native.Attribute):
    _cls.typeid = property(_typeid, doc="Which kind it is of.")
for _cls, _name in _TYPES.items():
    _cls.type_name = f"builtin.{_name}"
    _cls.static_typeid = TypeID(f"type {_name}")
for _cls, _name in _ATTRIBUTES.items():
    _cls.attr_name = f"builtin.{_name}"
    _cls.static_typeid = TypeID(f"attribute {_name}")
for _cls in _OTHERS:
    _cls.static_typeid = TypeID(_cls.__name__)
