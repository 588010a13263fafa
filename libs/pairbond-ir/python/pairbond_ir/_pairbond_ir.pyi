# Written by `python -m pairbond stubs`; see there. Changes are lost.

"""The native half of `pairbond_ir`."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import pairbond

__all__ = [
    "AffineMapAttr",
    "ArrayAttr",
    "Attribute",
    "BF16Type",
    "BoolAttr",
    "CallSiteLoc",
    "ComplexType",
    "Context",
    "DenseArrayAttr",
    "DenseElementsAttr",
    "DenseResourceElementsAttr",
    "DenseStringElementsAttr",
    "DictAttr",
    "DistinctAttr",
    "F128Type",
    "F16Type",
    "F32Type",
    "F64Type",
    "F80Type",
    "FileLineColLoc",
    "FlatSymbolRefAttr",
    "Float4E2M1FNType",
    "Float6E2M3FNType",
    "Float6E3M2FNType",
    "Float8E3M4Type",
    "Float8E4M3B11FNUZType",
    "Float8E4M3FNType",
    "Float8E4M3FNUZType",
    "Float8E4M3Type",
    "Float8E5M2FNUZType",
    "Float8E5M2Type",
    "Float8E8M0FNUType",
    "FloatAttr",
    "FloatTF32Type",
    "FloatType",
    "FunctionType",
    "FusedLoc",
    "IndexType",
    "IntegerAttr",
    "IntegerSetAttr",
    "IntegerType",
    "Location",
    "MemRefType",
    "NameLoc",
    "NamedAttribute",
    "NoneType",
    "OpaqueAttr",
    "OpaqueType",
    "RankedTensorType",
    "ShapedType",
    "SparseElementsAttr",
    "StridedLayoutAttr",
    "StringAttr",
    "SymbolRefAttr",
    "TupleType",
    "Type",
    "TypeAttr",
    "UnitAttr",
    "UnknownLoc",
    "UnrankedMemRefType",
    "UnrankedTensorType",
    "VectorType",
]

class Context(pairbond.Object):
    """Where types, attributes and locations are made, each once."""

    allow_unregistered_dialects: bool
    """Whether operations of dialects that nobody has registered may be read. No dialect is registered, so this says
    whether reading works at all
    unless the names are builtin's.
    """
    @property
    def live(self) -> tuple[int, int]:
        """How many types and attributes of this context are in use, locations included."""
    @property
    def _current(self) -> Context | None:
        """The context of the innermost `with`; None outside of all."""
    def __init__(self) -> None:
        """A context of its own."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool: ...

class Type(pairbond.Object):
    """What a value is. There is one object for each type of a context: equal types are identical."""

    @property
    def context(self) -> Context:
        """The context that it was made in."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def parse(cls, asm: str, context: Context | None = None) -> Type:
        """Reads a type from its text."""
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...

class IntegerType(Type):
    """Integers of any width up to 2²⁴ − 1 bits."""

    @property
    def width(self) -> int:
        """In bits."""
    @property
    def is_signless(self) -> bool: ...
    @property
    def is_signed(self) -> bool: ...
    @property
    def is_unsigned(self) -> bool: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get_signless(cls, width: int, context: Context | None = None) -> Type:
        """`i8`: whose sign the operations know."""
    @classmethod
    def get_signed(cls, width: int, context: Context | None = None) -> Type:
        """`si8`"""
    @classmethod
    def get_unsigned(cls, width: int, context: Context | None = None) -> Type:
        """`ui8`"""

class IndexType(Type):
    """Integers of the target's size."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class NoneType(Type):
    """The type of nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class ComplexType(Type):
    """Pairs of real and imaginary part."""

    @property
    def element_type(self) -> Type:
        """What its parts are."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, element_type: Type) -> Type:
        """Complex numbers of parts of a type."""

class FunctionType(Type):
    """From inputs to results."""

    @property
    def inputs(self) -> list[Type]: ...
    @property
    def results(self) -> list[Type]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, inputs: Iterable[Type], results: Iterable[Type], context: Context | None = None) -> Type:
        """The type of functions from inputs to results."""

class TupleType(Type):
    """Several values in one."""

    @property
    def num_types(self) -> int: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get_tuple(cls, elements: Iterable[Type], context: Context | None = None) -> Type:
        """The type of tuples of these."""
    def get_type(self, pos: int) -> Type: ...

class OpaqueType(Type):
    """Of a dialect that nobody has registered, kept as its text."""

    @property
    def dialect_namespace(self) -> str: ...
    @property
    def data(self) -> str: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, dialect_namespace: str, buffer: str, context: Context | None = None) -> Type:
        """`!dialect.buffer`"""

class ShapedType(Type):
    """A type whose values have a shape and elements."""

    @property
    def element_type(self) -> Type: ...
    @property
    def has_rank(self) -> bool: ...
    @property
    def rank(self) -> int: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def has_static_shape(self) -> bool: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get_dynamic_size(cls) -> int:
        """What stands for a size that is not known."""
    def is_dynamic_dim(self, dim: int) -> bool: ...
    def get_dim_size(self, dim: int) -> int: ...

class VectorType(ShapedType):
    """`vector<4x[8]xf32>`"""

    @property
    def scalable_dims(self) -> list[bool]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, shape: Iterable[int], element_type: Type, *, scalable: Iterable[bool] | None = None) -> Type: ...

class RankedTensorType(ShapedType):
    """`tensor<4x?xf32>`"""

    @property
    def encoding(self) -> Attribute | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, shape: Iterable[int], element_type: Type, encoding: Attribute | None = None) -> Type: ...

class UnrankedTensorType(ShapedType):
    """`tensor<*xf32>`"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, element_type: Type) -> Type: ...

class MemRefType(ShapedType):
    """`memref<4x?xf32>`"""

    @property
    def layout(self) -> Attribute | None:
        """None when it is the identity."""
    @property
    def memory_space(self) -> Attribute | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(
        cls,
        shape: Iterable[int],
        element_type: Type,
        layout: Attribute | None = None,
        memory_space: Attribute | None = None,
    ) -> Type: ...

class UnrankedMemRefType(ShapedType):
    """`memref<*xf32>`"""

    @property
    def memory_space(self) -> Attribute | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, element_type: Type, memory_space: Attribute | None = None) -> Type: ...

class FloatType(Type):
    """A floating-point type."""

    @property
    def width(self) -> int:
        """How many bits a value has."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class Float4E2M1FNType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float6E2M3FNType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float6E3M2FNType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E3M4Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E4M3Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E4M3FNType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E4M3FNUZType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E4M3B11FNUZType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E5M2Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E5M2FNUZType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Float8E8M0FNUType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class BF16Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class F16Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class FloatTF32Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class F32Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class F64Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class F80Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class F128Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Type:
        """The type of this context."""

class Attribute(pairbond.Object):
    """What is known when a program is compiled. There is one object for each attribute of a context: equal attributes
    are identical.
    """

    @property
    def context(self) -> Context:
        """The context that it was made in."""
    @property
    def type(self) -> Type:
        """Its type; `none` if it has none."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def parse(cls, asm: str, context: Context | None = None) -> Attribute:
        """Reads an attribute from its text."""
    def get_named(self, name: str) -> NamedAttribute:
        """Under a name, as operations have it."""
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...

class NamedAttribute(pairbond.Object):
    """An attribute under a name."""

    @property
    def name(self) -> str: ...
    @property
    def attr(self) -> Attribute: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __repr__(self) -> str: ...

class ArrayAttr(Attribute):
    """Attributes in order."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, attributes: Iterable[Attribute], context: Context | None = None) -> Attribute: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Attribute: ...
    def __iter__(self) -> list[Attribute]: ...
    def __add__(self, other: Iterable[Attribute], /) -> Attribute: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DictAttr(Attribute):
    """Attributes by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: Mapping[str, Attribute] | None = None, context: Context | None = None) -> Attribute: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __getitem__(self, key: Any, /) -> Any:
        """By name, or the entry at a place."""
    def __iter__(self) -> list[str]: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[Attribute]: ...
    def items(self) -> list[tuple[str, Attribute]]: ...

class SymbolRefAttr(Attribute):
    """The name of a symbol, from outside to inside."""

    @property
    def value(self) -> list[str]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, symbols: Iterable[str], context: Context | None = None) -> Attribute: ...

class FlatSymbolRefAttr(Attribute):
    """The name of a symbol, which is one word."""

    @property
    def value(self) -> str: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: str, context: Context | None = None) -> Attribute: ...

class UnitAttr(Attribute):
    """Says something by being there."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Attribute: ...

class StringAttr(Attribute):
    """A text, or any bytes."""

    @property
    def value(self) -> str:
        """As a str; what is not UTF-8 is an error, and `value_bytes` has it."""
    @property
    def value_bytes(self) -> bytes: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: Any, context: Context | None = None) -> Attribute:
        """From a str, or bytes."""
    @classmethod
    def get_typed(cls, type: Type, value: str) -> Attribute:
        """Of a type."""

class TypeAttr(Attribute):
    """A type."""

    @property
    def value(self) -> Type: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: Type) -> Attribute: ...

class AffineMapAttr(Attribute):
    """An affine map."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class IntegerSetAttr(Attribute):
    """An affine set."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class StridedLayoutAttr(Attribute):
    """Strides and offset of a memref."""

    @property
    def offset(self) -> int: ...
    @property
    def strides(self) -> list[int]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, offset: int, strides: Iterable[int], context: Context | None = None) -> Attribute: ...

class OpaqueAttr(Attribute):
    """Of a dialect that nobody has registered, kept as its text."""

    @property
    def dialect_namespace(self) -> str: ...
    @property
    def data(self) -> str: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, dialect_namespace: str, buffer: str, context: Context | None = None) -> Attribute: ...

class DistinctAttr(Attribute):
    """Each is another, whatever it holds."""

    @property
    def referenced_attr(self) -> Attribute: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def create(cls, referenced_attr: Attribute) -> Attribute:
        """Another one each time."""

class IntegerAttr(Attribute):
    """An integer of a type."""

    @property
    def value(self) -> int:
        """Signed, unless its type is unsigned."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, type: Type, value: int) -> Attribute:
        """A value of an integer or index type, which it must fit."""
    def __int__(self) -> int: ...

class BoolAttr(Attribute):
    """True or false: an integer of one bit."""

    @property
    def value(self) -> bool: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: bool, context: Context | None = None) -> Attribute:
        """True or false."""
    def __bool__(self) -> bool: ...

class FloatAttr(Attribute):
    """A float of a type."""

    @property
    def value(self) -> float:
        """As a Python float, to which wider kinds are rounded."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, type: Type, value: float) -> Attribute:
        """The value of a type that is nearest."""
    @classmethod
    def get_f32(cls, value: float, context: Context | None = None) -> Attribute: ...
    @classmethod
    def get_f64(cls, value: float, context: Context | None = None) -> Attribute: ...
    def __float__(self) -> float: ...

class DenseElementsAttr(Attribute):
    """Numbers of a shape."""

    @property
    def is_splat(self) -> bool: ...
    @property
    def raw(self) -> bytes:
        """The elements as they lie in memory, each in whole bytes; of a splat only one."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, attrs: Iterable[Attribute], shaped_type: Type) -> Attribute:
        """Of attributes of the element type, as many as the shape has."""
    @classmethod
    def get_splat(cls, shaped_type: Type, element_attr: Attribute) -> Attribute:
        """The same attribute everywhere."""
    def get_splat_value(self) -> Attribute: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Attribute: ...

class DenseStringElementsAttr(Attribute):
    """Texts of a shape."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class DenseArrayAttr(Attribute):
    """Numbers in a row."""

    @property
    def element_type(self) -> Type: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, element_type: Type, attrs: Iterable[Attribute]) -> Attribute:
        """Of attributes of the element type."""
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Attribute: ...

class DenseResourceElementsAttr(Attribute):
    """Numbers that lie elsewhere, under a name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class SparseElementsAttr(Attribute):
    """Numbers of a shape of which most are zero."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class Location(Attribute):
    """Where something comes from. In a `with` statement it is the location of what is made inside."""

    @property
    def attr(self) -> Self:
        """Itself: locations are attributes."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def unknown(cls, context: Context | None = None) -> Attribute: ...
    @classmethod
    def file(cls, filename: str, line: int, col: int, context: Context | None = None) -> Attribute:
        """A place in a file."""
    @classmethod
    def file_range(
        cls, filename: str, start_line: int, start_col: int, end_line: int, end_col: int, context: Context | None = None
    ) -> Attribute:
        """From a place in a file to another."""
    @classmethod
    def name(cls, name: str, childLoc: Location | None = None, context: Context | None = None) -> Attribute:
        """Something that has a name, at a place or none."""
    @classmethod
    def callsite(cls, callee: Location, frames: Iterable[Location], context: Context | None = None) -> Attribute:
        """A callee, called from frames, the innermost first."""
    @classmethod
    def fused(
        cls, locations: Iterable[Location], metadata: Attribute | None = None, context: Context | None = None
    ) -> Attribute:
        """Several together."""
    @classmethod
    def from_attr(cls, attribute: Attribute, context: Context | None = None) -> Attribute:
        """What an attribute says."""
    @classmethod
    def parse(cls, asm: str, context: Context | None = None) -> Attribute:
        """Reads a location from its text, `loc(…)`."""
    @classmethod
    def current(cls) -> Attribute | None:
        """The location of the innermost `with`."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool: ...
    def __repr__(self) -> str: ...

class UnknownLoc(Location):
    """Nobody knows."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class FileLineColLoc(Location):
    """A place or a range of a file."""

    @property
    def filename(self) -> str: ...
    @property
    def start_line(self) -> int: ...
    @property
    def start_col(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_col(self) -> int: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class NameLoc(Location):
    """Something that has a name."""

    @property
    def name_str(self) -> str: ...
    @property
    def child_loc(self) -> Attribute: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class CallSiteLoc(Location):
    """Something that was called from somewhere."""

    @property
    def callee(self) -> Attribute: ...
    @property
    def caller(self) -> Attribute: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class FusedLoc(Location):
    """Several places together."""

    @property
    def locations(self) -> list[Attribute]: ...
    @property
    def metadata(self) -> Attribute | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
