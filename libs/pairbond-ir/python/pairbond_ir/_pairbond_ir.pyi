# Written by `python -m pairbond stubs`; see there. Changes are lost.

"""The native half of `pairbond_ir`."""

import enum
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self

import pairbond

__all__ = [
    "AffineAddExpr",
    "AffineBinaryExpr",
    "AffineCeilDivExpr",
    "AffineConstantExpr",
    "AffineDimExpr",
    "AffineExpr",
    "AffineFloorDivExpr",
    "AffineMap",
    "AffineMapAttr",
    "AffineModExpr",
    "AffineMulExpr",
    "AffineSymbolExpr",
    "ArrayAttr",
    "AsmState",
    "Attribute",
    "BF16Type",
    "Block",
    "BlockArgument",
    "BlockArgumentList",
    "BlockIterator",
    "BlockList",
    "BoolAttr",
    "CallSiteLoc",
    "ComplexType",
    "Context",
    "DenseArrayAttr",
    "DenseBoolArrayAttr",
    "DenseElementsAttr",
    "DenseF32ArrayAttr",
    "DenseF64ArrayAttr",
    "DenseFPElementsAttr",
    "DenseI16ArrayAttr",
    "DenseI32ArrayAttr",
    "DenseI64ArrayAttr",
    "DenseI8ArrayAttr",
    "DenseIntElementsAttr",
    "DenseResourceElementsAttr",
    "DenseStringElementsAttr",
    "Diagnostic",
    "DiagnosticHandler",
    "DiagnosticSeverity",
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
    "InsertionPoint",
    "IntegerAttr",
    "IntegerSet",
    "IntegerSetAttr",
    "IntegerSetConstraint",
    "IntegerType",
    "Location",
    "MemRefType",
    "Module",
    "NameLoc",
    "NamedAttribute",
    "NoneType",
    "OpAttributeMap",
    "OpOperand",
    "OpOperandList",
    "OpResult",
    "OpResultList",
    "OpSuccessors",
    "OpView",
    "OpaqueAttr",
    "OpaqueType",
    "Operation",
    "OperationIterator",
    "OperationList",
    "PatternRewriter",
    "RankedTensorType",
    "Region",
    "RegionSequence",
    "RewriteListener",
    "ShapedType",
    "Signedness",
    "SparseElementsAttr",
    "StridedLayoutAttr",
    "StringAttr",
    "SymbolRefAttr",
    "SymbolTable",
    "ThreadPool",
    "TupleType",
    "Type",
    "TypeAttr",
    "UnitAttr",
    "UnknownLoc",
    "UnrankedMemRefType",
    "UnrankedTensorType",
    "Value",
    "VectorType",
    "_Pass",
    "_PassItem",
    "_PassManager",
    "_Pattern",
    "_attribute",
    "_declare",
    "_part",
    "_parts",
    "_set_attribute",
    "_set_part",
    "_trace_locations",
    "apply_patterns",
]

class Signedness(enum.Enum):
    """Whether integers have a sign."""

    SIGNLESS = 0
    """`i8`: the operations know."""
    SIGNED = 1
    """`si8`"""
    UNSIGNED = 2
    """`ui8`"""

class DiagnosticSeverity(enum.Enum):
    """How bad it is."""

    ERROR = 0
    """It cannot be."""
    WARNING = 1
    """It may be wrong."""
    NOTE = 2
    """About another diagnostic."""
    REMARK = 3
    """Good to know."""

class Context(pairbond.Object):
    """Where types, attributes and locations are made, each once."""

    allow_unregistered_dialects: bool
    """Whether operations of unregistered dialects may be read. No dialect is registered, so this
    decides whether reading works at all unless the names are builtin's.
    """
    emit_error_diagnostics: bool
    """Whether errors that are raised are told to the handlers of diagnostics, too."""
    @property
    def dialects(self) -> Any:
        """The dialects by their names, `context.dialects.arith.AddIOp` or `context.dialects["arith"]`:
        those that were declared, and those of which there is a module in `pairbond_ir.dialects`.
        """
    @property
    def d(self) -> Any:
        """The same."""
    @property
    def live(self) -> tuple[int, int]:
        """How many types and attributes of this context are in use, locations included."""
    current: ClassVar[Context | None]
    """The context of the innermost `with` of this thread; None outside of all."""
    def __init__(self, *, thread_pool: ThreadPool | None = None) -> None:
        """A context of its own, whose passes run on the threads of a pool if one is given."""
    def is_registered_operation(self, operation_name: str) -> bool:
        """Whether operations of a name are known: those of declared dialects, of which there is a
        module in `pairbond_ir.dialects`, and the builtin ones.
        """
    def get_dialect_descriptor(self, dialect_name: str) -> Any:
        """The name of a dialect. `ValueError` if it is not declared."""
    def load_all_available_dialects(self) -> None:
        """There is nothing to load: dialects are declared for the process."""
    def enable_multithreading(self, enable: bool) -> None:
        """Whether passes in Rust may run on several functions at the same time, as they do unless this
        was called.
        """
    def get_num_threads(self) -> int:
        """How many threads passes run on at most."""
    def set_thread_pool(self, pool: ThreadPool) -> None:
        """Lets passes run on the threads of a pool."""
    def _mlir_thread_pool_ptr(self) -> int:
        """Returns the number of its pool; 0 if none was given."""
    @classmethod
    def _get_live_count(cls) -> int:
        """Returns how many contexts are alive in this process."""
    def _get_context_again(self) -> Self:
        """Returns itself."""
    def attach_diagnostic_handler(self, callback: Callable[..., Any]) -> DiagnosticHandler:
        """From now on a function is called with each `Diagnostic`. The last one attached is called
        first, and if it returns True the others are not. The handler that is returned can detach
        it, and does at the end of its `with` statement.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool: ...
    @property
    def _CAPIPtr(self) -> Any: ...
    @classmethod
    def _CAPICreate(cls, capsule: Any) -> Any: ...

class ThreadPool(pairbond.Object):
    """How many threads passes of several contexts run on: as many as the process may use processors.
    Threads are made for a run and end with it, so that a pool keeps none.
    """

    def __init__(self) -> None:
        """A pool of as many threads as the process may use processors."""
    def get_max_concurrency(self) -> int:
        """Returns how many threads passes run on at most."""
    def _mlir_thread_pool_ptr(self) -> int:
        """Returns a number that no other pool has while this one lives."""

class Type(pairbond.Object):
    """The type of a value. There is one object for each type of a context: equal types are identical."""

    @property
    def context(self) -> Context:
        """The context that it was made in."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def maybe_downcast(self) -> Self:
        """Itself: it is of its own class from the beginning."""
    def __str__(self) -> str: ...
    def dump(self) -> None:
        """Writes its text to the standard error stream."""
    def __repr__(self) -> str:
        """Its class and its text."""
    @classmethod
    def parse(cls, asm: str, context: Context | None = None) -> Type:
        """Reads a type from its text."""
    @property
    def _CAPIPtr(self) -> Any: ...
    @classmethod
    def _CAPICreate(cls, capsule: Any) -> Any: ...
    @property
    def typeid(self) -> Any: ...

class IntegerType(Type):
    """Integers of any width up to 2²⁴ − 1 bits."""

    @property
    def width(self) -> int:
        """In bits."""
    @property
    def signedness(self) -> Signedness:
        """Whether it has a sign."""
    @property
    def is_signless(self) -> bool: ...
    @property
    def is_signed(self) -> bool: ...
    @property
    def is_unsigned(self) -> bool: ...
    SIGNLESS: ClassVar[Signedness]
    SIGNED: ClassVar[Signedness]
    UNSIGNED: ClassVar[Signedness]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, width: int, signedness: Signedness = ..., context: Context | None = None) -> IntegerType:
        """`i8`, or one with a sign."""
    @classmethod
    def get_signless(cls, width: int, context: Context | None = None) -> IntegerType:
        """`i8`: whose sign the operations know."""
    @classmethod
    def get_signed(cls, width: int, context: Context | None = None) -> IntegerType:
        """`si8`"""
    @classmethod
    def get_unsigned(cls, width: int, context: Context | None = None) -> IntegerType:
        """`ui8`"""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class IndexType(Type):
    """Integers of the target's size."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> IndexType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class NoneType(Type):
    """The type of nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> NoneType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class ComplexType(Type):
    """Pairs of real and imaginary part."""

    @property
    def element_type(self) -> Type:
        """The type of its parts."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, element_type: Type) -> ComplexType:
        """Complex numbers of parts of a type."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class FunctionType(Type):
    """From inputs to results."""

    @property
    def inputs(self) -> list[Type]: ...
    @property
    def results(self) -> list[Type]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, inputs: Iterable[Type], results: Iterable[Type], context: Context | None = None) -> FunctionType:
        """The type of functions from inputs to results."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class TupleType(Type):
    """Several values in one."""

    @property
    def num_types(self) -> int: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get_tuple(cls, elements: Iterable[Type], context: Context | None = None) -> TupleType:
        """The type of tuples of these."""
    def get_type(self, pos: int) -> Type: ...
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class OpaqueType(Type):
    """A type of an unregistered dialect, kept as its text."""

    @property
    def dialect_namespace(self) -> str: ...
    @property
    def data(self) -> str: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, dialect_namespace: str, buffer: str, context: Context | None = None) -> OpaqueType:
        """`!dialect.buffer`"""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

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
        """The number that stands for an unknown size."""
    @classmethod
    def is_dynamic_size(cls, dim_size: int) -> bool:
        """Whether that stands for a size that is not known."""
    @classmethod
    def is_static_size(cls, dim_size: int) -> bool:
        """Whether that is a size."""
    @classmethod
    def get_dynamic_stride_or_offset(cls) -> int:
        """The number that stands for an unknown stride or offset."""
    def is_dynamic_stride_or_offset(self, dim_size: int) -> bool:
        """Whether that stands for a stride or an offset that is not known."""
    def is_static_stride_or_offset(self, dim_size: int) -> bool:
        """Whether that is a stride or an offset."""
    def is_dynamic_dim(self, dim: int) -> bool: ...
    def is_static_dim(self, dim: int) -> bool: ...
    def get_dim_size(self, dim: int) -> int: ...

class VectorType(ShapedType):
    """`vector<4x[8]xf32>`"""

    @property
    def scalable(self) -> bool:
        """Whether one of its sizes is a multiple of what the target says."""
    @property
    def scalable_dims(self) -> list[bool]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(
        cls,
        shape: Iterable[int],
        element_type: Type,
        *,
        scalable: Iterable[bool] | None = None,
        scalable_dims: Iterable[int] | None = None,
        loc: Location | None = None,
    ) -> VectorType:
        """A vector of a shape. The target says of how many of them the sizes that are `scalable` are:
        all that have True there, or whose places are in `scalable_dims`.
        """
    @classmethod
    def get_unchecked(
        cls,
        shape: Iterable[int],
        element_type: Type,
        *,
        scalable: Iterable[bool] | None = None,
        scalable_dims: Iterable[int] | None = None,
        context: Context | None = None,
    ) -> VectorType:
        """The same, in a context. It is checked all the same."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class RankedTensorType(ShapedType):
    """`tensor<4x?xf32>`"""

    @property
    def encoding(self) -> Attribute | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(
        cls, shape: Iterable[int], element_type: Type, encoding: Attribute | None = None, loc: Location | None = None
    ) -> RankedTensorType:
        """A tensor of a shape. Errors are reported at `loc`, as for all types and attributes that take
        one.
        """
    @classmethod
    def get_unchecked(
        cls, shape: Iterable[int], element_type: Type, encoding: Attribute | None = None, context: Context | None = None
    ) -> RankedTensorType:
        """The same, in a context. It is checked all the same."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class UnrankedTensorType(ShapedType):
    """`tensor<*xf32>`"""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, element_type: Type, loc: Location | None = None) -> UnrankedTensorType:
        """A tensor of any shape."""
    @classmethod
    def get_unchecked(cls, element_type: Type, context: Context | None = None) -> UnrankedTensorType:
        """The same, in a context. It is checked all the same."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class MemRefType(ShapedType):
    """`memref<4x?xf32>`"""

    @property
    def layout(self) -> Attribute:
        """A map, or strides; of types that are written without it the map of each dimension to itself."""
    @property
    def memory_space(self) -> Attribute | None: ...
    @property
    def affine_map(self) -> AffineMap:
        """From indices to places in memory."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(
        cls,
        shape: Iterable[int],
        element_type: Type,
        layout: Attribute | None = None,
        memory_space: Attribute | None = None,
        loc: Location | None = None,
    ) -> MemRefType:
        """A memref of a shape: row after row, unless a map or strides say otherwise."""
    @classmethod
    def get_unchecked(
        cls,
        shape: Iterable[int],
        element_type: Type,
        layout: Attribute | None = None,
        memory_space: Attribute | None = None,
        context: Context | None = None,
    ) -> MemRefType:
        """The same, in a context. It is checked all the same."""
    def get_strides_and_offset(self) -> tuple[list[int], int]:
        """From one element to the next along each dimension, and the place of the first; dynamic ones
        are `get_dynamic_stride_or_offset()`.
        """
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class UnrankedMemRefType(ShapedType):
    """`memref<*xf32>`"""

    @property
    def memory_space(self) -> Attribute | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(
        cls, element_type: Type, memory_space: Attribute | None = None, loc: Location | None = None
    ) -> UnrankedMemRefType:
        """A memref of any shape."""
    @classmethod
    def get_unchecked(
        cls, element_type: Type, memory_space: Attribute | None = None, context: Context | None = None
    ) -> UnrankedMemRefType:
        """The same, in a context. It is checked all the same."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

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
    def get(cls, context: Context | None = None) -> Float4E2M1FNType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float6E2M3FNType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float6E2M3FNType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float6E3M2FNType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float6E3M2FNType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E3M4Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E3M4Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E4M3Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E4M3Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E4M3FNType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E4M3FNType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E4M3FNUZType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E4M3FNUZType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E4M3B11FNUZType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E4M3B11FNUZType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E5M2Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E5M2Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E5M2FNUZType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E5M2FNUZType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Float8E8M0FNUType(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> Float8E8M0FNUType:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class BF16Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> BF16Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class F16Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> F16Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class FloatTF32Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> FloatTF32Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class F32Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> F32Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class F64Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> F64Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class F80Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> F80Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class F128Type(FloatType):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> F128Type:
        """The type of this context."""
    type_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class Attribute(pairbond.Object):
    """A constant of a program, known when it is compiled. There is one object for each attribute of a
    context: equal attributes are identical.
    """

    @property
    def context(self) -> Context:
        """The context that it was made in."""
    @property
    def type(self) -> Type:
        """Its type; `none` if it has none."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def get_named(self, name: str) -> NamedAttribute:
        """Under a name, as operations have it."""
    def maybe_downcast(self) -> Self:
        """Itself: it is of its own class from the beginning."""
    def __str__(self) -> str: ...
    def dump(self) -> None:
        """Writes its text to the standard error stream."""
    def __repr__(self) -> str:
        """Its class and its text."""
    @classmethod
    def parse(cls, asm: str, context: Context | None = None) -> Attribute:
        """Reads an attribute from its text."""
    @property
    def _CAPIPtr(self) -> Any: ...
    @classmethod
    def _CAPICreate(cls, capsule: Any) -> Any: ...
    @property
    def typeid(self) -> Any: ...

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
    def get(cls, attributes: Iterable[Attribute], context: Context | None = None) -> ArrayAttr: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[Attribute]: ...
    def __iter__(self) -> list[Attribute]: ...
    def __add__(self, other: Iterable[Attribute], /) -> ArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class DictAttr(Attribute):
    """Attributes by name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: Mapping[str, Attribute] | None = None, context: Context | None = None) -> DictAttr: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __getitem__(self, key: Any, /) -> Any:
        """By name, or the entry at a place."""
    def __iter__(self) -> list[str]: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[Attribute]: ...
    def items(self) -> list[tuple[str, Attribute]]: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class SymbolRefAttr(Attribute):
    """The name of a symbol, from outside to inside."""

    @property
    def value(self) -> list[str]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, symbols: Iterable[str], context: Context | None = None) -> Attribute: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class FlatSymbolRefAttr(Attribute):
    """The name of a symbol, which is one word."""

    @property
    def value(self) -> str: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: str, context: Context | None = None) -> FlatSymbolRefAttr: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class UnitAttr(Attribute):
    """Says something by being there."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> UnitAttr: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class StringAttr(Attribute):
    """A text, or any bytes."""

    @property
    def value(self) -> str:
        """As a str; bytes that are not UTF-8 are an error, and `value_bytes` has them."""
    @property
    def value_bytes(self) -> bytes: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: Any, context: Context | None = None) -> StringAttr:
        """From a str, or bytes."""
    @classmethod
    def get_typed(cls, type: Type, value: str) -> StringAttr:
        """Of a type."""
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class TypeAttr(Attribute):
    """A type."""

    @property
    def value(self) -> Type: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: Type, context: Context | None = None) -> TypeAttr: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class AffineMapAttr(Attribute):
    """An affine map."""

    @property
    def value(self) -> AffineMap: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, affine_map: AffineMap) -> AffineMapAttr: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class IntegerSetAttr(Attribute):
    """An affine set."""

    @property
    def value(self) -> IntegerSet: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, integer_set: IntegerSet) -> IntegerSetAttr: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class StridedLayoutAttr(Attribute):
    """Strides and offset of a memref."""

    @property
    def offset(self) -> int: ...
    @property
    def strides(self) -> list[int]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, offset: int, strides: Iterable[int], context: Context | None = None) -> StridedLayoutAttr: ...
    @classmethod
    def get_fully_dynamic(cls, rank: int, context: Context | None = None) -> StridedLayoutAttr:
        """One of that rank of which nothing is known."""
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class OpaqueAttr(Attribute):
    """An attribute of an unregistered dialect, kept as its text."""

    @property
    def dialect_namespace(self) -> str: ...
    @property
    def data(self) -> bytes:
        """The text behind the dialect, as bytes."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(
        cls, dialect_namespace: str, buffer: Any, type: Type | None = None, context: Context | None = None
    ) -> OpaqueAttr:
        """`#dialect.buffer`, of a type. The buffer is a str, or bytes of UTF-8."""
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class DistinctAttr(Attribute):
    """Each is another, whatever it holds."""

    @property
    def referenced_attr(self) -> Attribute: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def create(cls, referenced_attr: Attribute) -> DistinctAttr:
        """Another one each time."""
    static_typeid: ClassVar[Any]

class IntegerAttr(Attribute):
    """An integer of a type."""

    @property
    def value(self) -> int:
        """Signed, unless its type is unsigned."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, type: Type, value: int) -> IntegerAttr:
        """A value of an integer or index type, which it must fit."""
    def __int__(self) -> int: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class BoolAttr(IntegerAttr):
    """True or false: an integer of one bit."""

    @property
    def value(self) -> bool: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, value: bool, context: Context | None = None) -> BoolAttr:  # type: ignore[override]
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
    def get(cls, type: Type, value: float, loc: Location | None = None) -> FloatAttr:
        """The value of a type that is nearest."""
    @classmethod
    def get_unchecked(cls, type: Type, value: float, context: Context | None = None) -> FloatAttr:
        """The same, in a context. It is checked all the same."""
    @classmethod
    def get_f32(cls, value: float, context: Context | None = None) -> FloatAttr: ...
    @classmethod
    def get_f64(cls, value: float, context: Context | None = None) -> FloatAttr: ...
    def __float__(self) -> float: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

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
    def get(
        cls,
        array: Any = None,
        signless: Any = None,
        type: Type | None = None,
        shape: Iterable[int] | None = None,
        context: Context | None = None,
        *,
        attrs: Iterable[Attribute] | None = None,
        shaped_type: Type | None = None,
    ) -> DenseElementsAttr:
        """Of a buffer, `get(array, signless=True, type=None, shape=None)`: its shape is that of the
        elements unless another is given, and so is its type; a single number stands for all. Or of
        attributes, `get(attrs, shaped_type=None)`: as many as the shape has, or one for all.
        """
    @classmethod
    def get_splat(cls, shaped_type: Type, element_attr: Attribute) -> DenseElementsAttr:
        """The same attribute everywhere."""
    def get_splat_value(self) -> Attribute: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any:
        """A Python number; of a complex number an array of two attributes."""
    def __buffer__(self, flags: int, /) -> memoryview: ...
    static_typeid: ClassVar[Any]

class DenseIntElementsAttr(DenseElementsAttr):
    """Integers of a shape, `index` included."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __getitem__(self, index: int, /) -> int: ...

class DenseFPElementsAttr(DenseElementsAttr):
    """Floats of a shape."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __getitem__(self, index: int, /) -> float:
        """Rounded, if it is of a kind with more digits than Python's."""

class DenseStringElementsAttr(Attribute):
    """Texts of a shape."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    static_typeid: ClassVar[Any]

class DenseArrayAttr(Attribute):
    """Numbers in a row."""

    @property
    def element_type(self) -> Type: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def of_attributes(cls, element_type: Type, attrs: Iterable[Attribute]) -> DenseArrayAttr:
        """Of attributes of the element type."""
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any:
        """A Python number; of other kinds than those with a class of their own an attribute."""
    def __buffer__(self, flags: int, /) -> memoryview: ...
    static_typeid: ClassVar[Any]

class DenseBoolArrayAttr(DenseArrayAttr):
    """Truth values in a row."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, values: Iterable[Any], context: Context | None = None) -> DenseBoolArrayAttr: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[bool]: ...
    def __iter__(self) -> list[bool]: ...
    def __add__(self, other: Iterable[Any], /) -> DenseBoolArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DenseI8ArrayAttr(DenseArrayAttr):
    """Integers of 8 bits in a row."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, values: Iterable[Any], context: Context | None = None) -> DenseI8ArrayAttr: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[int]: ...
    def __iter__(self) -> list[int]: ...
    def __add__(self, other: Iterable[Any], /) -> DenseI8ArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DenseI16ArrayAttr(DenseArrayAttr):
    """Integers of 16 bits in a row."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, values: Iterable[Any], context: Context | None = None) -> DenseI16ArrayAttr: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[int]: ...
    def __iter__(self) -> list[int]: ...
    def __add__(self, other: Iterable[Any], /) -> DenseI16ArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DenseI32ArrayAttr(DenseArrayAttr):
    """Integers of 32 bits in a row."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, values: Iterable[Any], context: Context | None = None) -> DenseI32ArrayAttr: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[int]: ...
    def __iter__(self) -> list[int]: ...
    def __add__(self, other: Iterable[Any], /) -> DenseI32ArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DenseI64ArrayAttr(DenseArrayAttr):
    """Integers of 64 bits in a row."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, values: Iterable[Any], context: Context | None = None) -> DenseI64ArrayAttr: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[int]: ...
    def __iter__(self) -> list[int]: ...
    def __add__(self, other: Iterable[Any], /) -> DenseI64ArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DenseF32ArrayAttr(DenseArrayAttr):
    """Floats of 32 bits in a row."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, values: Iterable[Any], context: Context | None = None) -> DenseF32ArrayAttr: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[float]: ...
    def __iter__(self) -> list[float]: ...
    def __add__(self, other: Iterable[Any], /) -> DenseF32ArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DenseF64ArrayAttr(DenseArrayAttr):
    """Floats of 64 bits in a row."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, values: Iterable[Any], context: Context | None = None) -> DenseF64ArrayAttr: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __reversed__(self) -> list[float]: ...
    def __iter__(self) -> list[float]: ...
    def __add__(self, other: Iterable[Any], /) -> DenseF64ArrayAttr: ...
    def __radd__(self, value: Any, /) -> Any: ...

class DenseResourceElementsAttr(Attribute):
    """Numbers that lie elsewhere, under a name."""

    @property
    def name(self) -> str:
        """The name of the data in the context."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get_from_buffer(
        cls,
        array: pairbond.Array | Any,
        name: str,
        type: Type,
        alignment: int | None = None,
        is_mutable: bool = False,
        context: Context | None = None,
    ) -> DenseResourceElementsAttr:
        """An attribute of a buffer, which is not copied: the context keeps it, and later writes to it
        change the attribute. If several resources ask for the same name, each gets another, which
        `name` then returns.
        """
    def __buffer__(self, flags: int, /) -> memoryview: ...
    attr_name: ClassVar[str]
    static_typeid: ClassVar[Any]

class SparseElementsAttr(Attribute):
    """Numbers of a shape of which most are zero."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    static_typeid: ClassVar[Any]

class Diagnostic(pairbond.Object):
    """A diagnostic at a location. It stays as it is after the handler that got it has returned."""

    @property
    def location(self) -> Attribute:
        """The place."""
    @property
    def message(self) -> str:
        """The message."""
    @property
    def severity(self) -> DiagnosticSeverity:
        """How bad it is."""
    @property
    def _notes(self) -> list[Diagnostic]:
        """More about it. Python has them as `notes`, a tuple."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    @property
    def notes(self) -> Any: ...

class DiagnosticHandler(pairbond.Object):
    """Hears of diagnostics of a context until it is detached, or its `with` statement ends."""

    @property
    def had_error(self) -> bool:
        """Whether it has raised an exception."""
    @property
    def attached(self) -> bool:
        """Whether it hears of anything."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def detach(self) -> None:
        """Hears of nothing any more."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None: ...

class Location(Attribute):
    """The origin of an operation or value. In a `with` statement it is the location of everything that
    is made inside.
    """

    @property
    def attr(self) -> Self:
        """Itself: locations are attributes."""
    current: ClassVar[Location | None]
    """The location of the innermost `with` of this thread; None outside of all."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def unknown(cls, context: Context | None = None) -> UnknownLoc: ...
    @classmethod
    def file(
        cls,
        filename: str,
        line: int | None = None,
        col: int | None = None,
        *more: Any,
        start_line: int | None = None,
        start_col: int | None = None,
        end_line: int | None = None,
        end_col: int | None = None,
        context: Context | None = None,
    ) -> FileLineColLoc:
        """A place in a file, or from there to another: `file(name, line, col)`, `file(name,
        start_line, start_col, end_line, end_col)`. A context may stand behind.
        """
    @classmethod
    def file_range(
        cls, filename: str, start_line: int, start_col: int, end_line: int, end_col: int, context: Context | None = None
    ) -> FileLineColLoc:
        """From a place in a file to another."""
    @classmethod
    def name(cls, name: str, childLoc: Location | None = None, context: Context | None = None) -> NameLoc:
        """Something that has a name, at a place or none."""
    @classmethod
    def callsite(cls, callee: Location, frames: Iterable[Location], context: Context | None = None) -> CallSiteLoc:
        """A callee, called from frames, the innermost first."""
    @classmethod
    def fused(
        cls, locations: Iterable[Location], metadata: Attribute | None = None, context: Context | None = None
    ) -> Location:
        """Several together."""
    @classmethod
    def from_attr(cls, attribute: Attribute, context: Context | None = None) -> Location:
        """Returns the location that an attribute is."""
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool: ...
    def emit_error(self, message: str) -> None:
        """Reports an error at this location to the context's diagnostic handlers, and goes on. If no
        handler takes it, it is written to standard error.
        """
    @classmethod
    def parse(cls, asm: str, context: Context | None = None) -> Location:
        """Reads a location from its text, `loc(…)`."""
    @property
    def _CAPIPtr(self) -> Any: ...
    @classmethod
    def _CAPICreate(cls, capsule: Any) -> Any: ...

class UnknownLoc(Location):
    """An unknown location."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, context: Context | None = None) -> UnknownLoc:
        """The same as `Location.unknown`."""
    static_typeid: ClassVar[Any]

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
    @classmethod
    def get(
        cls,
        filename: str,
        line: int | None = None,
        col: int | None = None,
        *more: Any,
        start_line: int | None = None,
        start_col: int | None = None,
        end_line: int | None = None,
        end_col: int | None = None,
        context: Context | None = None,
    ) -> FileLineColLoc:
        """A place in a file, by line and column; or from there to another line and column. A context
        may stand behind.
        """
    static_typeid: ClassVar[Any]

class NameLoc(Location):
    """Something that has a name."""

    @property
    def name_str(self) -> str: ...
    @property
    def child_loc(self) -> Location: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, name: str, child_loc: Location | None = None, context: Context | None = None) -> NameLoc:
        """The same as `Location.name`."""
    static_typeid: ClassVar[Any]

class CallSiteLoc(Location):
    """Something that was called from somewhere."""

    @property
    def callee(self) -> Location: ...
    @property
    def caller(self) -> Location: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(cls, callee: Location, frames: Iterable[Location], context: Context | None = None) -> CallSiteLoc:
        """The same as `Location.callsite`."""
    static_typeid: ClassVar[Any]

class FusedLoc(Location):
    """Several places together."""

    @property
    def locations(self) -> list[Location]: ...
    @property
    def metadata(self) -> Attribute | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def get(
        cls, locations: Iterable[Location], metadata: Attribute | None = None, context: Context | None = None
    ) -> FusedLoc:
        """As `Location.fused`, but what would be no fused location is a `ValueError`."""
    static_typeid: ClassVar[Any]

class AffineExpr(pairbond.Object):
    """An affine expression. Those of a context are equal if they are alike."""

    @property
    def context(self) -> Context:
        """The context that it is used in."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @staticmethod
    def get_add(lhs: Any, rhs: Any) -> AffineExpr: ...
    @staticmethod
    def get_mul(lhs: Any, rhs: Any) -> AffineExpr: ...
    @staticmethod
    def get_mod(lhs: Any, rhs: Any) -> AffineExpr: ...
    @staticmethod
    def get_floor_div(lhs: Any, rhs: Any) -> AffineExpr: ...
    @staticmethod
    def get_ceil_div(lhs: Any, rhs: Any) -> AffineExpr: ...
    @staticmethod
    def get_constant(value: int, context: Context | None = None) -> AffineExpr: ...
    @staticmethod
    def get_dim(position: int, context: Context | None = None) -> AffineExpr: ...
    @staticmethod
    def get_symbol(position: int, context: Context | None = None) -> AffineExpr: ...
    @staticmethod
    def simplify_affine_expr(expr: AffineExpr, num_dims: int, num_symbols: int) -> AffineExpr:
        """An expression of so many dimensions and symbols, simplified as a whole: what cancels out
        goes. One in which a factor or a divisor is no constant stays as it is.
        """
    def compose(self, other: AffineMap) -> AffineExpr:
        """The results of a map in place of the dimensions."""
    def shift_dims(self, num_dims: int, shift: int, offset: int = 0) -> AffineExpr:
        """Dimensions from `offset` to `num_dims` become those `shift` places further."""
    def shift_symbols(self, num_symbols: int, shift: int, offset: int = 0) -> AffineExpr:
        """Symbols from `offset` to `num_symbols` become those `shift` places further."""
    def __add__(self, other: Any, /) -> AffineExpr: ...
    def __radd__(self, other: Any, /) -> AffineExpr: ...
    def __sub__(self, other: Any, /) -> AffineExpr: ...
    def __rsub__(self, other: int, /) -> AffineExpr: ...
    def __mul__(self, other: Any, /) -> AffineExpr: ...
    def __rmul__(self, other: Any, /) -> AffineExpr: ...
    def __mod__(self, other: Any, /) -> AffineExpr: ...
    def __rmod__(self, other: int, /) -> AffineExpr: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def dump(self) -> None:
        """Writes its text to the standard error stream."""
    def maybe_downcast(self) -> Self:
        """Itself: it is of its own class from the beginning."""
    def __lt__(self, value: Any, /) -> bool: ...
    def __le__(self, value: Any, /) -> bool: ...
    def __ne__(self, value: Any, /) -> bool: ...
    def __gt__(self, value: Any, /) -> bool: ...
    def __ge__(self, value: Any, /) -> bool: ...
    @property
    def _CAPIPtr(self) -> Any: ...
    @classmethod
    def _CAPICreate(cls, capsule: Any) -> Any: ...

class AffineConstantExpr(AffineExpr):
    """A number."""

    @property
    def value(self) -> int: ...
    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(value: int, context: Context | None = None) -> AffineExpr: ...

class AffineDimExpr(AffineExpr):
    """A dimension."""

    @property
    def position(self) -> int: ...
    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(position: int, context: Context | None = None) -> AffineExpr: ...

class AffineSymbolExpr(AffineExpr):
    """A symbol."""

    @property
    def position(self) -> int: ...
    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(position: int, context: Context | None = None) -> AffineExpr: ...

class AffineBinaryExpr(AffineExpr):
    """One of two."""

    @property
    def lhs(self) -> AffineExpr: ...
    @property
    def rhs(self) -> AffineExpr: ...
    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""

class AffineAddExpr(AffineBinaryExpr):
    """A sum."""

    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(lhs: Any, rhs: Any) -> AffineExpr: ...

class AffineMulExpr(AffineBinaryExpr):
    """A product."""

    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(lhs: Any, rhs: Any) -> AffineExpr: ...

class AffineModExpr(AffineBinaryExpr):
    """The remainder of a division."""

    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(lhs: Any, rhs: Any) -> AffineExpr: ...

class AffineFloorDivExpr(AffineBinaryExpr):
    """A quotient, rounded down."""

    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(lhs: Any, rhs: Any) -> AffineExpr: ...

class AffineCeilDivExpr(AffineBinaryExpr):
    """A quotient, rounded up."""

    def __init__(self, expr: AffineExpr) -> None:
        """The same expression, of which this class is known."""
    @staticmethod
    def get(lhs: Any, rhs: Any) -> AffineExpr: ...

class AffineMap(pairbond.Object):
    """An affine map. Those of a context are equal if they are alike."""

    @property
    def context(self) -> Context:
        """The context that it is used in."""
    @property
    def is_permutation(self) -> bool: ...
    @property
    def is_projected_permutation(self) -> bool: ...
    @property
    def n_dims(self) -> int: ...
    @property
    def n_symbols(self) -> int: ...
    @property
    def n_inputs(self) -> int: ...
    @property
    def results(self) -> list[AffineExpr]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @staticmethod
    def get(
        dim_count: int, symbol_count: int, exprs: Iterable[AffineExpr], context: Context | None = None
    ) -> AffineMap:
        """A map of so many dimensions and symbols to expressions of them."""
    @staticmethod
    def get_constant(value: int, context: Context | None = None) -> AffineMap:
        """To a number, of no dimensions."""
    @staticmethod
    def get_empty(context: Context | None = None) -> AffineMap:
        """Of nothing to nothing."""
    @staticmethod
    def get_identity(n_dims: int, context: Context | None = None) -> AffineMap:
        """Each dimension to itself."""
    @staticmethod
    def get_minor_identity(n_dims: int, n_results: int, context: Context | None = None) -> AffineMap:
        """The last dimensions to themselves."""
    @staticmethod
    def get_permutation(permutation: Iterable[int], context: Context | None = None) -> AffineMap:
        """The dimensions in another order."""
    @staticmethod
    def compress_unused_symbols(maps: Iterable[AffineMap], context: Context | None = None) -> list[AffineMap]:
        """Maps of the same dimensions and symbols without the symbols that none of them uses."""
    def get_submap(self, result_positions: Iterable[int]) -> AffineMap:
        """The same map with the results at some positions."""
    def get_major_submap(self, n_results: int) -> AffineMap:
        """The first results, not all of them."""
    def get_minor_submap(self, n_results: int) -> AffineMap:
        """The last results, not all of them."""
    def replace(self, expr: AffineExpr, replacement: AffineExpr, n_result_dims: int, n_result_syms: int) -> AffineMap:
        """An expression in place of another, wherever that occurs."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def dump(self) -> None:
        """Writes its text to the standard error stream."""
    def __lt__(self, value: Any, /) -> bool: ...
    def __le__(self, value: Any, /) -> bool: ...
    def __ne__(self, value: Any, /) -> bool: ...
    def __gt__(self, value: Any, /) -> bool: ...
    def __ge__(self, value: Any, /) -> bool: ...
    @property
    def _CAPIPtr(self) -> Any: ...
    @classmethod
    def _CAPICreate(cls, capsule: Any) -> Any: ...

class IntegerSet(pairbond.Object):
    """A set of integers that satisfy constraints. Those of a context are equal if they are alike."""

    @property
    def context(self) -> Context:
        """The context that it is used in."""
    @property
    def is_canonical_empty(self) -> bool:
        """Whether it is what `get_empty` gives."""
    @property
    def n_dims(self) -> int: ...
    @property
    def n_symbols(self) -> int: ...
    @property
    def n_inputs(self) -> int: ...
    @property
    def n_equalities(self) -> int: ...
    @property
    def n_inequalities(self) -> int: ...
    @property
    def constraints(self) -> list[IntegerSetConstraint]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @staticmethod
    def get(
        num_dims: int,
        num_symbols: int,
        exprs: Iterable[AffineExpr],
        eq_flags: Iterable[bool],
        context: Context | None = None,
    ) -> IntegerSet:
        """Where each expression is zero, if its flag says so, or else not negative."""
    @staticmethod
    def get_empty(num_dims: int, num_symbols: int, context: Context | None = None) -> IntegerSet:
        """No integers."""
    def get_replaced(
        self,
        dim_exprs: Iterable[AffineExpr],
        symbol_exprs: Iterable[AffineExpr],
        num_result_dims: int,
        num_result_symbols: int,
    ) -> IntegerSet:
        """Expressions in place of all dimensions and symbols."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...
    def dump(self) -> None:
        """Writes its text to the standard error stream."""
    def __lt__(self, value: Any, /) -> bool: ...
    def __le__(self, value: Any, /) -> bool: ...
    def __ne__(self, value: Any, /) -> bool: ...
    def __gt__(self, value: Any, /) -> bool: ...
    def __ge__(self, value: Any, /) -> bool: ...
    @property
    def _CAPIPtr(self) -> Any: ...
    @classmethod
    def _CAPICreate(cls, capsule: Any) -> Any: ...

class IntegerSetConstraint(pairbond.Object):
    """A constraint on an expression: it is zero, or not negative."""

    @property
    def expr(self) -> AffineExpr: ...
    @property
    def is_eq(self) -> bool:
        """Whether it must be zero."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __lt__(self, value: Any, /) -> bool: ...
    def __le__(self, value: Any, /) -> bool: ...
    def __ne__(self, value: Any, /) -> bool: ...
    def __gt__(self, value: Any, /) -> bool: ...
    def __ge__(self, value: Any, /) -> bool: ...

class Operation(pairbond.Object):
    """The base of all operations, modules included."""

    @property
    def context(self) -> Context: ...
    @property
    def name(self) -> str: ...
    @property
    def operation(self) -> Self:
        """Itself: there are no views of operations."""
    @property
    def opview(self) -> Self:
        """Itself."""
    @property
    def operands(self) -> OpOperandList: ...
    @property
    def op_operands(self) -> list[OpOperand]:
        """The uses that its operands are."""
    @property
    def results(self) -> OpResultList: ...
    @property
    def result(self) -> Value:
        """The only result."""
    @property
    def regions(self) -> RegionSequence: ...
    @property
    def successors(self) -> OpSuccessors: ...
    @property
    def attributes(self) -> OpAttributeMap:
        """By name, those in the properties included."""
    location: Location
    @property
    def parent(self) -> Operation | None:
        """The operation around it; None for the outermost."""
    @property
    def block(self) -> Block | None: ...
    @property
    def attached(self) -> bool:
        """Whether it stands in a block."""
    @property
    def next(self) -> Operation | None: ...
    @property
    def previous(self) -> Operation | None: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def create(
        cls,
        name: str,
        results: Iterable[Type] | None = None,
        operands: Iterable[Value] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        successors: Iterable[Block] | None = None,
        regions: int = 0,
        loc: Location | None = None,
        ip: Any = None,
        infer_type: bool = False,
    ) -> Operation:
        """A new operation, at `ip`: None is the insertion point of the innermost `with`, False is
        nowhere. With `infer_type` the types of its results are those that follow from the rest,
        unless they are given.
        """
    def replace_uses_of_with(self, of: Value, with_: Value) -> None:
        """Lets its operands that are one value be another one."""
    def detach_from_parent(self) -> Operation:
        """Takes it out of its block; it lives on."""
    def erase(self, *, drop_uses: bool = False) -> None:
        """Erases it and its contents. It is refused while its results have other uses, unless
        `drop_uses`: then their operands are gone.
        """
    def move_before(self, other: Operation) -> None: ...
    def move_after(self, other: Operation) -> None: ...
    def is_before_in_block(self, other: Operation) -> bool:
        """Whether it stands before another of the same block."""
    def clone(self, ip: Any = None, *, mapping: Mapping[Any, Any] | None = None) -> Operation:
        """A copy of it and its contents, at `ip` as with `create`. Values from outside are used by the
        copy, or their replacements in `mapping`; the copies of results and arguments are put into
        `mapping`.
        """
    def walk(self, callback: Callable[..., Any], walk_order: str = "post", op_class: Any = None) -> bool:
        """Calls a function with each operation in it, and itself, or those of `op_class`: inner ones
        first, or `walk_order="pre"`. The function may return "skip" (its regions, in pre-order) or
        "interrupt". Says whether it went through. An exception of the function is the cause of a
        `RuntimeError`.
        """
    def structural_equal(self, other: Operation) -> bool:
        """Whether another operation is the same but for names, places and locations: the same
        operations in it, connected alike. Values used from outside must be identical.
        """
    def structural_hash(self) -> int:
        """Equal for operations that are structurally equal, until they are edited."""
    def get_asm(
        self,
        binary: bool = False,
        large_elements_limit: int | None = None,
        large_resource_limit: int | None = None,
        enable_debug_info: bool = False,
        pretty_debug_info: bool = False,
        print_generic_op_form: bool = True,
        use_local_scope: bool = False,
        use_name_loc_as_prefix: bool = False,
        assume_verified: bool = False,
        skip_regions: bool = False,
    ) -> Any:
        """Its text in the generic form, as bytes if `binary`: with locations if `enable_debug_info`,
        as people read them if `pretty_debug_info`; without aliases if `use_local_scope`; values
        named by their locations if `use_name_loc_as_prefix`; without the contents of its regions if
        `skip_regions`. Attributes with more elements than `large_elements_limit` are written as
        `dense_resource<__elided__>`, and data of resources whose text is longer than
        `large_resource_limit` is left out. It is never verified.
        """
    def print(
        self,
        state: AsmState | None = None,
        file: Any = None,
        binary: bool = False,
        *,
        large_elements_limit: int | None = None,
        large_resource_limit: int | None = None,
        enable_debug_info: bool = False,
        pretty_debug_info: bool = False,
        print_generic_op_form: bool = True,
        use_local_scope: bool = False,
        use_name_loc_as_prefix: bool = False,
        assume_verified: bool = False,
        skip_regions: bool = False,
    ) -> None:
        """Writes that text to a file object or a path, or where Python's `print` writes; as bytes if
        `binary`. With `state` values are called as that knows them: `print(state)`, `print(state,
        file)`.
        """
    def write(self, file: Any, *, enable_debug_info: bool = False) -> None:
        """Writes its text in the generic form to a path, or to what has a method `write`, some of it
        at a time. Other threads go on meanwhile.
        """
    def write_bytecode(self, file: Any, desired_version: int | None = None) -> None:
        """Writes it as MLIR's bytecode to a path or a file object, of an older version if one is
        given. MLIR's own bindings do it, which must be installed: `ImportError` if they are not.
        """
    def dump(self) -> None:
        """Writes its text to the standard error stream."""
    def __str__(self) -> str: ...
    @classmethod
    def parse(cls, source: Any, *, source_name: str = "-", context: Context | None = None) -> Operation:
        """Reads one operation from its text."""
    def verify(self) -> bool:
        """Whether it and everything in it is valid: True, or an `IRError` about the first
        violation.
        """

class OpView(Operation):
    """An operation as lists and builders return it; classes of declared operations extend it."""

    OPERATION_NAME: ClassVar[str]
    """The name of the operations of a declared class."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class Module(OpView):
    """The operation `builtin.module`, whose one block holds what a program consists of."""

    @property
    def body(self) -> Block:
        """Its block."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def create(cls, loc: Location | None = None, context: Context | None = None) -> Module:  # type: ignore[override]
        """An empty module."""
    @classmethod
    def parse(cls, asm: Any, context: Context | None = None) -> Module:  # type: ignore[override]
        """Reads a module from its text, as `str` or as bytes in UTF-8, while other threads go on;
        operations that stand in none are put into one.
        """
    @classmethod
    def parse_file(cls, file: Any, progress: Any = None, context: Context | None = None) -> Module:
        """Reads a module from a path, or from an object with a method `read`, as files, pipes and what
        decompresses have. It may be of any size: of the text a piece at a time is in memory. Other
        threads go on meanwhile, and Ctrl-C ends it. `progress` is True for a bar, if `tqdm` is
        installed, or a function that is called now and then with how many bytes were read, and how
        many there are, or None.
        """
    @classmethod
    def parseFile(cls, path: str, context: Context | None = None) -> Module:
        """Reads a module from a path: [`parse_file`](Module::parse_file) by MLIR's name."""

class Region(pairbond.Object):
    """Blocks in order, below an operation."""

    @property
    def blocks(self) -> BlockList: ...
    @property
    def owner(self) -> Operation | None:
        """The operation that it is a region of."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def inline_before(self, block: Block) -> None:
        """Moves the blocks before a block of another region. This region stays, without blocks."""
    def append_to(self, region: Region) -> None:
        """Moves the blocks to the end of another region. This region stays, without blocks."""
    def take_body(self, other: Region) -> None:
        """Erases the blocks, and takes those of another region, which may be somewhere in them. It is
        refused while others use what would be erased.
        """
    def __iter__(self) -> BlockIterator: ...

class Block(pairbond.Object):
    """Arguments, and operations in order."""

    @property
    def arguments(self) -> BlockArgumentList: ...
    @property
    def operations(self) -> OperationList: ...
    @property
    def region(self) -> Region | None:
        """The region that it stands in."""
    @property
    def owner(self) -> Operation | None:
        """The operation that it stands in."""
    @property
    def successors(self) -> list[Block]:
        """The blocks that its last operation may go on with."""
    @property
    def predecessors(self) -> list[Block]:
        """The blocks of its region whose last operations may go on with it, each once for each way."""
    @property
    def terminator(self) -> Operation | None:
        """The last operation; None if there is none."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    @classmethod
    def create_at_start(
        cls, parent: Region, arg_types: Iterable[Type] | None = None, arg_locs: Iterable[Location] | None = None
    ) -> Block:
        """A new first block of a region."""
    def create_before(self, *arg_types: Type, arg_locs: Iterable[Location] | None = None) -> Block:
        """A new block before this one."""
    def create_after(self, *arg_types: Type, arg_locs: Iterable[Location] | None = None) -> Block:
        """A new block behind this one."""
    def append_to(self, region: Region) -> None:
        """Makes it the last block of a region."""
    def add_argument(self, type: Type, loc: Location | None = None) -> Value:
        """Another argument, the last."""
    def erase_argument(self, index: int) -> None:
        """Erases an argument, which must have no uses."""
    def append(self, operation: Operation) -> None:
        """Puts an operation to the end, from wherever it stands."""
    def erase(self, *, drop_uses: bool = False) -> None:
        """Erases the block and its contents. It is refused while their results have other uses, unless
        `drop_uses`.
        """
    def split_before(self, operation: Operation) -> Block:
        """Moves the operations from one on to a new block behind this one, which is returned."""
    def merge_into(self, other: Block, arg_values: Iterable[Value] | None = None) -> None:
        """Moves the operations to the end of another block, replaces the arguments by values, and
        erases this block, which must have no predecessors.
        """
    def inline_before(self, operation: Operation, arg_values: Iterable[Value] | None = None) -> None:
        """The same, before an operation."""
    def __iter__(self) -> OperationIterator: ...
    def __str__(self) -> str: ...

class Value(pairbond.Object):
    """A value: the result of an operation or the argument of a block."""

    @property
    def context(self) -> Context: ...
    @property
    def location(self) -> Location:
        """Where it comes from: that of the operation that computes it, or its own."""
    @property
    def type(self) -> Type: ...
    @property
    def owner(self) -> pairbond.Object | None:
        """The operation that computes it, or the block that it is an argument of."""
    @property
    def uses(self) -> list[OpOperand]:
        """The uses of the value, in no particular order."""
    @property
    def has_uses(self) -> bool: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def set_type(self, type: Type) -> None:
        """Makes it a value of another type."""
    def replace_all_uses_with(self, with_: Value) -> None:
        """Replaces all uses of this value by another one."""
    def replace_all_uses_except(self, with_: Value, exceptions: Any) -> None:
        """The same, but for one operation, or several."""
    def replace_uses_with_if(self, with_: Value, condition: Callable[..., Any]) -> None:
        """The same where a function says so, which is asked with each use."""
    def maybe_downcast(self) -> Self:
        """Itself: it is of its own class from the beginning."""
    def get_name(
        self, use_local_scope: Any = ..., use_name_loc_as_prefix: bool = False, *, state: AsmState | None = None
    ) -> str:
        """`%0`, as it is called in the text of the outermost operation around it; with
        `use_local_scope` in that of the innermost one that uses nothing from outside; as its
        location is called with `use_name_loc_as_prefix`. Or as an `AsmState` knows it, which may
        stand in place of all.
        """
    def __str__(self) -> str: ...
    def dump(self) -> None:
        """Writes its text to the standard error stream."""

class OpResult(Value):
    """A result of an operation."""

    @property
    def result_number(self) -> int: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class BlockArgument(Value):
    """An argument of a block."""

    @property
    def arg_number(self) -> int: ...
    @property
    def location(self) -> Location: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def set_location(self, loc: Location) -> None: ...

class OpOperand(pairbond.Object):
    """One operand of an operation: a use of a value."""

    @property
    def owner(self) -> Operation:
        """The operation that uses the value."""
    @property
    def operand_number(self) -> int:
        """As which of its operands the operation uses the value."""
    @property
    def value(self) -> Value:
        """The value that is used."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __lt__(self, value: Any, /) -> bool: ...
    def __le__(self, value: Any, /) -> bool: ...
    def __ne__(self, value: Any, /) -> bool: ...
    def __gt__(self, value: Any, /) -> bool: ...
    def __ge__(self, value: Any, /) -> bool: ...

class InsertionPoint(pairbond.Object):
    """Where new operations go: before an operation, or to the end of a block. In a `with` statement it
    is where all go that are made inside.
    """

    @property
    def block(self) -> Block | None: ...
    @property
    def ref_operation(self) -> Operation | None: ...
    current: ClassVar[InsertionPoint]
    """The insertion point of the innermost `with` of this thread. `ValueError` outside of all."""
    def __init__(self, before_or_block: Any) -> None:
        """Before an operation, or at the end of a block."""
    @classmethod
    def at_block_begin(cls, block: Block) -> Self:
        """At the beginning of a block."""
    @classmethod
    def at_block_terminator(cls, block: Block) -> Self:
        """Before the last operation of a block, which must be known to be a terminator: by its
        dialect, or because it was declared so. `ValueError` if it is not.
        """
    @classmethod
    def after(cls, operation: Operation) -> Self:
        """Behind an operation."""
    def insert(self, operation: Operation) -> None:
        """Puts an operation there that stands nowhere. Others are moved by `move_before`, `move_after`
        and a block's `append`.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool: ...

class OpAttributeMap(pairbond.Object):
    """The attributes of an operation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __getitem__(self, key: Any, /) -> Any:
        """By name, or the entry at a place."""
    def __setitem__(self, name: str, value: Attribute, /) -> None: ...
    def __delitem__(self, name: str, /) -> None: ...
    def __iter__(self) -> list[str]: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[Attribute]: ...
    def items(self) -> list[tuple[str, Attribute]]: ...
    def get(self, key: str, default: Any = None) -> Any: ...

class OperationList(pairbond.Object):
    """The operations of a block."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any:
        """The element at an index; of a slice, those that exist at the time of an access."""
    def __reversed__(self) -> list[Operation]: ...
    def __iter__(self) -> Any: ...
    def __contains__(self, operation: object, /) -> bool: ...
    def insert(self, index: int, operation: Operation) -> None:
        """Puts an operation before the one at a place, or to the end."""
    def append(self, operation: Operation) -> None: ...

class BlockList(pairbond.Object):
    """The blocks of a region."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any:
        """The element at an index; of a slice, those that exist at the time of an access."""
    def __reversed__(self) -> list[Block]: ...
    def __iter__(self) -> Any: ...
    def append(self, *args: Type, arg_locs: Iterable[Location] | None = None) -> Block:
        """A new last block with arguments of these types, at a location for each, or that of the
        innermost `with`, or none.
        """

class RegionSequence(pairbond.Object):
    """The regions of an operation."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __add__(self, other: RegionSequence, /) -> list[Region]: ...
    def __getitem__(self, key: Any, /) -> Any:
        """The element at an index; of a slice, those that exist at the time of an access."""
    def __reversed__(self) -> list[Region]: ...
    def __iter__(self) -> list[Region]: ...
    def __radd__(self, value: Any, /) -> Any: ...
    __nb_signature__: ClassVar[str]

class BlockArgumentList(pairbond.Object):
    """The arguments of a block."""

    @property
    def types(self) -> list[Type]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __add__(self, other: BlockArgumentList, /) -> list[Value]: ...
    def __getitem__(self, key: Any, /) -> Any:
        """The element at an index; of a slice, those that exist at the time of an access."""
    def __reversed__(self) -> list[Value]: ...
    def __iter__(self) -> list[Value]: ...
    def __radd__(self, value: Any, /) -> Any: ...
    __nb_signature__: ClassVar[str]

class OpResultList(pairbond.Object):
    """The results of an operation."""

    @property
    def types(self) -> list[Type]: ...
    @property
    def owner(self) -> Operation: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __add__(self, other: OpResultList, /) -> list[Value]: ...
    def __getitem__(self, key: Any, /) -> Any:
        """The element at an index; of a slice, those that exist at the time of an access."""
    def __reversed__(self) -> list[Value]: ...
    def __iter__(self) -> list[Value]: ...
    def __radd__(self, value: Any, /) -> Any: ...
    __nb_signature__: ClassVar[str]

class OpOperandList(pairbond.Object):
    """The operands of an operation."""

    @property
    def types(self) -> list[Type]: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __add__(self, other: OpOperandList, /) -> list[Value]: ...
    def __getitem__(self, key: Any, /) -> Any:
        """The element at an index; of a slice, those that exist at the time of an access."""
    def __reversed__(self) -> list[Value]: ...
    def __setitem__(self, index: int, value: Value, /) -> None: ...
    def __iter__(self) -> list[Value]: ...
    def __radd__(self, value: Any, /) -> Any: ...
    __nb_signature__: ClassVar[str]

class OpSuccessors(pairbond.Object):
    """The blocks that a terminator may go to."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def __add__(self, other: OpSuccessors, /) -> list[Block]: ...
    def __getitem__(self, key: Any, /) -> Any:
        """The element at an index; of a slice, those that exist at the time of an access."""
    def __reversed__(self) -> list[Block]: ...
    def __setitem__(self, index: int, block: Block, /) -> None: ...
    def __iter__(self) -> list[Block]: ...
    def __radd__(self, value: Any, /) -> Any: ...
    __nb_signature__: ClassVar[str]

class OperationIterator(pairbond.Object):
    """Over the operations of a block."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __iter__(self) -> Self: ...
    def __next__(self) -> Operation: ...

class BlockIterator(pairbond.Object):
    """Over the blocks of a region."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __iter__(self) -> Self: ...
    def __next__(self) -> Block: ...

class SymbolTable(pairbond.Object):
    """The symbols of an operation with one region of one block. It looks anew each time, so it knows
    of all edits.
    """

    def __init__(self, operation: Operation) -> None:
        """The table of an operation, which has a region with a block."""
    def __getitem__(self, name: str, /) -> Operation: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __delitem__(self, name: str, /) -> None:
        """Erases a symbol."""
    def erase(self, operation: Operation) -> None:
        """Erases an operation, which must be a symbol of this table."""
    def insert(self, operation: Operation) -> Attribute:
        """Puts a symbol to the end of the block, under another name if its own is taken. The name that
        it has now.
        """
    @classmethod
    def get_symbol_name(cls, symbol: Operation) -> Attribute:
        """The attribute with the name of a symbol."""
    @classmethod
    def set_symbol_name(cls, symbol: Operation, name: str) -> None:
        """Gives a symbol another name. Who refers to it is not changed."""
    @classmethod
    def get_visibility(cls, symbol: Operation) -> Attribute:
        """The visibility of a symbol: the attribute "public", "private" or "nested"."""
    @classmethod
    def set_visibility(cls, symbol: Operation, visibility: str) -> None:
        """Sets the visibility of a symbol."""
    @classmethod
    def walk_symbol_tables(cls, from_op: Operation, all_sym_uses_visible: bool, callback: Callable[..., Any]) -> None:
        """Calls a function with each symbol table in an operation, inner ones first, and whether all
        uses of its symbols are in sight: those of a table that is no symbol or a private one are,
        and all if `all_sym_uses_visible`. An exception of the function is the cause of a
        `RuntimeError`.
        """
    @classmethod
    def replace_all_symbol_uses(cls, old_symbol: str, new_symbol: str, from_op: Operation) -> None:
        """Replaces references to a symbol by another name: those of `from_op` and its contents that
        are looked up where its own symbols are. Names in nested symbol tables are others, and stay;
        so does the name of the symbol itself.
        """

class AsmState(pairbond.Object):
    """Printed names of values and blocks: computed once, where others compute them anew each time.
    Values made afterwards have no name, and erased ones keep theirs.
    """

    def __init__(self, op: Any, use_local_scope: bool = False) -> None:
        """The names of the contents of an operation, or of the surroundings of a value: of all its
        ancestors, or with `use_local_scope` of the innermost operation that uses nothing from
        outside. It keeps these values.
        """

class RewriteListener(pairbond.Object):
    """Receives edits in Python: subclasses override the methods for the edits that they need."""

    def __init__(self) -> None: ...
    def created(self, operation: Operation) -> None:
        """An operation was made."""
    def inserted(self, operation: Operation) -> None:
        """An operation was put into a block, or to another place."""
    def modified(self, operation: Operation) -> None:
        """An operation has other operands, attributes or whatever else."""
    def replaced(self, operation: Operation, values: Iterable[Value]) -> None:
        """An operation is about to be replaced by values, one for each result."""
    def erased(self, operation: Operation) -> None:
        """An operation is about to be erased."""

class _Pattern(pairbond.Object):
    """A pattern of Python's: a function, or what a subclass overrides."""

    __match_args__ = ("root", "benefit", "name")
    @property
    def root(self) -> str | None:
        """The name of the operations that it looks at; None for all."""
    @property
    def benefit(self) -> int:
        """Those of greater benefit are tried first."""
    @property
    def name(self) -> str:
        """Its name: erased operations report it."""
    def __init__(
        self, root: str | None, benefit: int, name: str, function: Callable[..., Any] | None = None
    ) -> None: ...
    def rewrite(self, operation: Operation, rewriter: PatternRewriter) -> None:
        """Looks at an operation, and rewrites it with the rewriter or does nothing."""

class PatternRewriter(pairbond.Object):
    """Edits operations and calls listeners. Edits without it are not reported, and do not count as a
    rewrite.
    """

    __match_args__ = ("ip",)
    ip: InsertionPoint
    """Where new operations go: before the operation that a pattern looks at."""
    def __init__(self, ip: InsertionPoint, *, listener: Any = None) -> None:
        """A rewriter of one's own, outside of patterns. A listener is a `RewriteListener`, or a
        callable that gets the name of what happens, the operation, and the values if it is
        replaced.
        """
    def create(
        self,
        name: str,
        results: Iterable[Type] | None = None,
        operands: Iterable[Value] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        successors: Iterable[Block] | None = None,
        regions: int = 0,
        loc: Location | None = None,
    ) -> Operation:
        """Makes an operation at `ip`."""
    def insert(self, op: Operation) -> None:
        """Puts an operation to `ip`, from wherever it stands."""
    def replace_op(self, op: Operation, with_: Any) -> None:
        """Lets others use values, or the results of another operation, in place of the results of an
        operation, and erases it.
        """
    def erase_op(self, op: Operation) -> None:
        """Erases an operation, and its contents. It is refused while its results have other uses."""
    def replace_all_uses_with(self, value: Value, with_: Value) -> None:
        """Lets others use another value."""
    def modify_op_in_place(self, op: Operation, change: Callable[..., Any]) -> None:
        """Calls a function that edits an operation, and tells so."""
    def move_op_before(self, op: Operation, other: Operation) -> None:
        """Moves an operation before another."""
    def move_op_after(self, op: Operation, other: Operation) -> None:
        """Moves an operation behind another."""
    def merge_blocks(self, block: Block, into: Block, arg_values: Iterable[Value] | None = None) -> None:
        """Moves the operations of a block to the end of another one, lets values be used in place of
        its arguments, and erases it.
        """
    def inline_block_before(
        self, block: Block, operation: Operation, arg_values: Iterable[Value] | None = None
    ) -> None:
        """The same, before an operation."""
    def inline_region_before(self, region: Region, block: Block) -> None:
        """Moves the blocks of a region before a block of another one."""
    def take_body(self, region: Region, other: Region) -> None:
        """Erases the blocks of a region, and gives it those of another one."""

class _PassItem(pairbond.Object):
    """An item of a manager: a pass, or a manager for nested operations."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class _Pass(pairbond.Object):
    """A pass of Python's: a function, or what a subclass overrides."""

    __match_args__ = ("name",)
    @property
    def name(self) -> str:
        """Its name: erased operations report it."""
    def __init__(self, name: str, function: Callable[..., Any] | None = None) -> None: ...
    def run(self, operation: Operation) -> None:
        """Does it with an operation."""

class _PassManager(pairbond.Object):
    """Passes in order, for operations of one name."""

    __match_args__ = ("anchor",)
    @property
    def anchor(self) -> str:
        """The name of the operations that it runs on; "any" for all."""
    def __init__(self, anchor: str) -> None: ...
    def _watch(self, watcher: Callable[..., Any]) -> None:
        """From now on a function is called with "before", "after" or "failed", the name of a pass, and
        the operation, which is None if it was erased.
        """
    def _add_text(self, pipeline: str) -> None: ...
    def _add_pass(self, added: _Pass) -> None: ...
    def _add_manager(self, manager: _PassManager) -> None: ...
    def run(self, operation: Operation) -> None:
        """Runs all passes on an operation. Managers for nested operations run on one after the other,
        those without Python passes on several threads at a time.
        """
    def __str__(self) -> str: ...

def apply_patterns(
    operation: Operation,
    patterns: Iterable[_Pattern],
    *,
    listener: Any = None,
    max_iterations: int = 10,
    fold: bool = True,
    simplify_regions: bool = True,
) -> bool:
    """Applies patterns to the contents of an operation, until none applies; folds constants and erases
    dead code, too, unless `fold` is false, and blocks and arguments of blocks that are not needed,
    unless `simplify_regions` is. Returns whether there was an edit.

    Of patterns with the same root those of greater benefit are tried first, then those that come
    first.
    """

def _trace_locations(begin: bool) -> None:
    """Begins or ends a `with`."""

def _declare(
    name: str,
    operands: Any,
    results: Any,
    regions: Any,
    successors: Any,
    attributes: Any,
    traits: int,
    parents: Iterable[str],
    verifier: Callable[..., Any] | None,
) -> None:
    """Says what operations of a name are. A part is its name, whether it is 0 one, 1 at most one, 2
    any number, and keys of the types that it may have.
    """

def _part(op: Operation, kind: str, number: int) -> Any:
    """A part of an operation that is one object, or None if there is none."""

def _parts(op: Operation, kind: str, number: int) -> list[Any]:
    """A part of an operation that is any number of objects."""

def _set_part(op: Operation, kind: str, number: int, value: Any) -> None:
    """Lets other values, or blocks, be the operands or successors of a part: as many as there were."""

def _attribute(op: Operation, name: str) -> Attribute | None:
    """An attribute by name; None if there is none."""

def _set_attribute(op: Operation, name: str, value: Attribute | None) -> None:
    """Sets an attribute, or takes it out."""
