# Written by `python -m pairbond stubs`; see there. Changes are lost.

"""The native half of `pairbond_autograd`."""

import builtins
import enum
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self

import pairbond

__all__ = [
    "AccumulateGrad",
    "CopySlices",
    "DType",
    "Node",
    "RemovableHandle",
    "Storage",
    "StridedTensor",
    "Tensor",
    "TensorBase",
    "TensorIterator",
    "TensorMath",
    "TensorOperators",
    "TensorReductions",
    "TensorShape",
    "Variable",
    "_FunctionInfo",
    "_FunctionNode",
    "_Hooks",
    "_Kept",
    "_KeptPart",
    "_NodeHooks",
    "_Packed",
    "_VariableHooks",
    "_adam_step",
    "_arange",
    "_as_tensor",
    "_assign",
    "_backward",
    "_current_graph_task_id",
    "_delayed_error",
    "_dropout",
    "_eye",
    "_from_array",
    "_full",
    "_gelu",
    "_grad",
    "_has_saved_tensors_hooks",
    "_linear",
    "_linspace",
    "_load_file",
    "_make_storage",
    "_manual_seed",
    "_max_pool2d",
    "_normal",
    "_pad",
    "_pop_saved_tensors_hooks",
    "_push_saved_tensors_hooks",
    "_queue_callback",
    "_rand",
    "_randint",
    "_randn",
    "_randperm",
    "_rebuild",
    "_save_file",
    "_set_anomaly",
    "_set_grad_enabled",
    "_sgd_step",
    "_softplus",
    "_uniform",
    "_where",
    "_will_engine_execute_node",
    "cat",
    "conv2d",
    "get_num_threads",
    "is_grad_enabled",
    "set_num_threads",
    "stack",
    "tensor",
]

class DType(enum.Enum):
    """The type of a tensor's elements."""

    bool = 0
    """Truth values."""
    int64 = 1
    """Integers of 64 bits."""
    float32 = 2
    """Numbers of 32 bits."""
    float64 = 3
    """Numbers of 64 bits."""
    @property
    def is_floating_point(self) -> Any: ...
    @property
    def is_complex(self) -> Any: ...
    @property
    def is_signed(self) -> Any: ...
    @property
    def itemsize(self) -> Any: ...

class Storage(pairbond.Object):
    """The numbers that a tensor and its views share.

    They are this storage's own until they are shared (with numpy, by DLPack), or belong to another
    library from the beginning. Then they lie in an array, which Python may write to at any time,
    and a computation takes a copy of that moment.
    """

    @property
    def dtype(self) -> DType: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...
    def nbytes(self) -> int:
        """How many bytes the numbers take."""
    def data_ptr(self) -> int:
        """Where the numbers lie."""
    def _copy(self) -> pairbond.Array:
        """A copy of the numbers."""
    def tolist(self) -> Any:
        """The numbers, in a list."""
    def __reduce_ex__(self, protocol: Any) -> Any: ...
    def __deepcopy__(self, memo: Any) -> Any: ...

class Variable(pairbond.Object):
    """A value with a history. A library's tensors extend it, and have its methods in Python."""

    requires_grad: builtins.bool
    """Whether derivatives are computed for it."""
    @property
    def output_nr(self) -> int:
        """Which of the results of `grad_fn` it is."""
    @property
    def _version(self) -> int:
        """How often its memory was written to."""
    @property
    def retains_grad(self) -> builtins.bool:
        """Whether `retain_grad` was called on a tensor that is no leaf."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def requires_grad_(self, requires_grad: builtins.bool = True) -> Self:
        """Says whether derivatives are computed for it, and returns it."""
    def _gradient_edge(self) -> tuple[Node, int] | None:
        """The destination of its gradient: a node, and the number of its result; None if it requires
        no gradient.
        """
    def detach(self) -> Any:
        """The same memory without a history."""
    def detach_(self) -> Self:
        """Forgets how it was made, and returns it."""
    def retain_grad(self) -> None:
        """Keeps the gradient of a tensor that is no leaf in `grad`, too."""
    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(grad)` when its gradient is computed; a result replaces the gradient."""
    def register_post_accumulate_grad_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(tensor)` each time after a gradient was added to that of a leaf."""
    def backward(
        self,
        gradient: Any = None,
        retain_graph: builtins.bool | None = None,
        create_graph: builtins.bool = False,
        inputs: Any = None,
    ) -> None:
        """Computes the gradients of the leaves that led here, or of `inputs`, and adds them to their
        `grad`.
        """
    def _bump_version(self) -> None:
        """Says that something wrote to it."""

class TensorBase(Variable):
    """What a tensor is: numbers in memory, with a history. Its methods are those of the tape; what
    computes is in `Tensor`, which all tensors are.
    """

    @property
    def _base(self) -> Tensor | None:
        """Whose memory this is a view of, if it is one. Never a view itself."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class TensorOperators(TensorBase):
    """The operators of a tensor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __add__(self, other: Any, /) -> Tensor: ...
    def __radd__(self, other: Any, /) -> Tensor: ...
    def __sub__(self, other: Any, /) -> Tensor: ...
    def __rsub__(self, other: Any, /) -> Tensor: ...
    def __mul__(self, other: Any, /) -> Tensor: ...
    def __rmul__(self, other: Any, /) -> Tensor: ...
    def __truediv__(self, other: Any, /) -> Tensor: ...
    def __rtruediv__(self, other: Any, /) -> Tensor: ...
    def __floordiv__(self, other: Any, /) -> Tensor: ...
    def __rfloordiv__(self, other: Any, /) -> Tensor: ...
    def __mod__(self, other: Any, /) -> Tensor: ...
    def __rmod__(self, other: Any, /) -> Tensor: ...
    def __pow__(self, other: Any, modulus: None = None, /) -> Tensor: ...
    def __rpow__(self, other: Any, modulus: None = None, /) -> Tensor: ...
    def __lt__(self, other: Any, /) -> Tensor: ...
    def __le__(self, other: Any, /) -> Tensor: ...
    def __eq__(self, other: object, /) -> builtins.bool: ...
    def __ne__(self, other: object, /) -> builtins.bool: ...
    def __gt__(self, other: Any, /) -> Tensor: ...
    def __ge__(self, other: Any, /) -> Tensor: ...
    def __hash__(self) -> int: ...
    def __and__(self, other: Any, /) -> Tensor: ...
    def __or__(self, other: Any, /) -> Tensor: ...
    def __xor__(self, other: Any, /) -> Tensor: ...
    def __lshift__(self, other: Any, /) -> Tensor: ...
    def __rlshift__(self, other: Any, /) -> Tensor: ...
    def __rshift__(self, other: Any, /) -> Tensor: ...
    def __rrshift__(self, other: Any, /) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __matmul__(self, other: Tensor, /) -> Tensor: ...
    def __rand__(self, value: Any, /) -> Any: ...
    def __rxor__(self, value: Any, /) -> Any: ...
    def __ror__(self, value: Any, /) -> Any: ...
    def __rmatmul__(self, value: Any, /) -> Any: ...

class TensorMath(TensorOperators):
    """Functions of each element of a tensor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def add(self, other: Any, *, alpha: Any = None) -> Tensor:
        """The sum; `other` counts `alpha` times."""
    def sub(self, other: Any, *, alpha: Any = None) -> Tensor:
        """The difference; `other` counts `alpha` times."""
    def mul(self, other: Any) -> Tensor: ...
    def div(self, other: Any) -> Tensor: ...
    def pow(self, other: Any) -> Tensor: ...
    def hypot(self, other: Tensor) -> Tensor:
        """The root of the sum of both squares, also where a square would overflow."""
    def floor_divide(self, other: Any) -> Tensor:
        """The quotient, rounded down."""
    def remainder(self, other: Any) -> Tensor:
        """The remainder of a division, with the sign of the divisor."""
    def fmod(self, other: Any) -> Tensor:
        """The rest of a division that rounds towards zero."""
    def lerp(self, end: Tensor, weight: Any) -> Tensor:
        """So far on the way to the end."""
    def lt(self, other: Any) -> Tensor: ...
    def le(self, other: Any) -> Tensor: ...
    def eq(self, other: Any) -> Tensor: ...
    def ne(self, other: Any) -> Tensor: ...
    def gt(self, other: Any) -> Tensor: ...
    def ge(self, other: Any) -> Tensor: ...
    def maximum(self, other: Tensor) -> Tensor: ...
    def minimum(self, other: Tensor) -> Tensor: ...
    def matmul(self, other: Tensor) -> Tensor: ...
    def mm(self, other: Tensor) -> Tensor:
        """The product of two matrices."""
    def bmm(self, other: Tensor) -> Tensor:
        """The products of two batches of as many matrices."""
    def neg(self) -> Tensor: ...
    def exp(self) -> Tensor: ...
    def expm1(self) -> Tensor: ...
    def log(self) -> Tensor: ...
    def log2(self) -> Tensor: ...
    def log10(self) -> Tensor: ...
    def log1p(self) -> Tensor: ...
    def sqrt(self) -> Tensor: ...
    def rsqrt(self) -> Tensor: ...
    def reciprocal(self) -> Tensor: ...
    def sin(self) -> Tensor: ...
    def cos(self) -> Tensor: ...
    def tan(self) -> Tensor: ...
    def asin(self) -> Tensor: ...
    def acos(self) -> Tensor: ...
    def atan(self) -> Tensor: ...
    def sinh(self) -> Tensor: ...
    def cosh(self) -> Tensor: ...
    def tanh(self) -> Tensor: ...
    def sigmoid(self) -> Tensor: ...
    def erf(self) -> Tensor: ...
    def relu(self) -> Tensor: ...
    def abs(self) -> Tensor: ...
    def sign(self) -> Tensor: ...
    def floor(self) -> Tensor: ...
    def ceil(self) -> Tensor: ...
    def round(self, *, decimals: int = 0) -> Tensor:
        """The nearest whole number, or that with so many decimals; halves to the even one."""
    def frac(self) -> Tensor:
        """The part behind the point."""
    def nan_to_num(
        self,
        nan: builtins.float | None = None,
        posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """Finite numbers in place of those that are not."""
    def trunc(self) -> Tensor: ...
    def square(self) -> Tensor: ...
    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Within bounds."""
    def logical_not(self) -> Tensor: ...
    def isnan(self) -> Tensor: ...

class TensorReductions(TensorMath):
    """Operations along the dimensions of a tensor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def sum(self, dim: Any = None, keepdim: builtins.bool = False, *, dtype: DType | None = None) -> Tensor:
        """The sum of all elements, or over dimensions."""
    def mean(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor: ...
    def var(
        self,
        dim: Any = None,
        unbiased: builtins.bool = True,
        keepdim: builtins.bool = False,
        *,
        correction: builtins.float | None = None,
    ) -> Tensor:
        """The variance."""
    def std(
        self,
        dim: Any = None,
        unbiased: builtins.bool = True,
        keepdim: builtins.bool = False,
        *,
        correction: builtins.float | None = None,
    ) -> Tensor:
        """The standard deviation."""
    def prod(self, dim: int | None = None, keepdim: builtins.bool = False) -> Tensor: ...
    def logsumexp(self, dim: Any, keepdim: builtins.bool = False) -> Tensor: ...
    def softmax(self, dim: int) -> Tensor: ...
    def log_softmax(self, dim: int) -> Tensor: ...
    def cumsum(self, dim: int) -> Tensor: ...
    def amax(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor: ...
    def amin(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor: ...
    def argmax(self, dim: int | None = None, keepdim: builtins.bool = False) -> Tensor: ...
    def argmin(self, dim: int | None = None, keepdim: builtins.bool = False) -> Tensor: ...
    def max(self, dim: Any = None, keepdim: builtins.bool = False) -> Any:
        """The largest element; along a dimension, with its place; or of two tensors."""
    def min(self, dim: Any = None, keepdim: builtins.bool = False) -> Any:
        """The smallest element; along a dimension, with its place; or of two tensors."""
    def all(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor: ...
    def any(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor: ...
    def argsort(self, dim: int = -1, descending: builtins.bool = False) -> Tensor: ...
    def sort(self, dim: int = -1, descending: builtins.bool = False) -> tuple[Tensor, Tensor]:
        """The elements in order along a dimension, and their places."""

class TensorShape(TensorReductions):
    """Operations on the dimensions of a tensor."""

    @property
    def T(self) -> Tensor:
        """A view with the dimensions in the opposite order."""
    @property
    def mT(self) -> Tensor:
        """A view with the last two dimensions exchanged."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in another shape: a view where that is possible."""
    def view(self, *shape: Any) -> Tensor:
        """The same elements in another shape, as a view."""
    def view_as(self, other: Tensor) -> Tensor: ...
    def reshape_as(self, other: Tensor) -> Tensor: ...
    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor: ...
    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """A view with two dimensions exchanged."""
    def swapaxes(self, axis0: int, axis1: int) -> Tensor: ...
    def t(self) -> Tensor:
        """A matrix with rows and columns exchanged."""
    def permute(self, *dims: Any) -> Tensor:
        """A view with the dimensions in another order."""
    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """A view of the elements whose places in two dimensions are the same, but for `offset`, as the
        last dimension.
        """
    def expand(self, *shape: Any) -> Tensor:
        """A view that repeats elements."""
    def expand_as(self, other: Tensor) -> Tensor: ...
    def repeat(self, *repeats: Any) -> Tensor: ...
    def squeeze(self, dim: Any = None) -> Tensor: ...
    def unsqueeze(self, dim: int) -> Tensor: ...
    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        """A part of a dimension, as a view."""
    def select(self, dim: int, index: int) -> Tensor: ...
    def split(self, split_size: Any, dim: int = 0) -> Any:
        """Parts of so many elements each along a dimension, as views."""
    def chunk(self, chunks: int, dim: int = 0) -> Any:
        """So many parts along a dimension, as views."""
    def unbind(self, dim: int = 0) -> Any:
        """Removes a dimension: returns one tensor for each place."""
    def index_select(self, dim: int, index: Tensor) -> Tensor: ...
    def index_add(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = None) -> Tensor: ...
    def gather(self, dim: int, index: Tensor) -> Tensor: ...
    def scatter(self, dim: int, index: Tensor, src: Any) -> Tensor: ...
    def scatter_add(self, dim: int, index: Tensor, src: Tensor) -> Tensor: ...
    def masked_fill(self, mask: Tensor, value: Any) -> Tensor: ...
    def where(self, condition: Tensor, other: Any) -> Tensor: ...
    def flip(self, *dims: Any) -> Tensor: ...
    def tril(self, diagonal: int = 0) -> Tensor: ...
    def triu(self, diagonal: int = 0) -> Tensor: ...

class StridedTensor(TensorShape):
    """A tensor as numbers in memory. Its methods are those that look at elements, share them and write
    them, without a derivative of their own.
    """

    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def device(self) -> str:
        """Where its numbers are: always the processor's memory."""
    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
    data: Tensor
    """The same memory without a history. Writes to it are not counted as writes to the tensor."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def dim(self) -> int:
        """How many dimensions there are."""
    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of one dimension."""
    def stride(self, dim: int | None = None) -> Any:
        """How far the next element in each dimension is, or in one."""
    def numel(self) -> int: ...
    def nelement(self) -> int: ...
    def element_size(self) -> int:
        """The bytes of an element."""
    def storage_offset(self) -> int:
        """Which of its storage's numbers is the first element."""
    def untyped_storage(self) -> Storage:
        """The numbers that it shares with its views."""
    def storage(self) -> Storage:
        """The numbers that it shares with its views."""
    def _parts(self) -> tuple[Storage, Any, Any, int]:
        """Storage, shape, strides and offset, as they are at one moment."""
    def data_ptr(self) -> int:
        """Where the first element lies in memory."""
    def is_contiguous(self) -> builtins.bool:
        """Whether the elements lie behind each other in order."""
    def contiguous(self) -> Tensor:
        """The same elements behind each other in order; the same tensor if they are."""
    def clone(self) -> Tensor:
        """A copy, which knows where it came from."""
    def _is_view(self) -> builtins.bool:
        """Whether it shares the memory of another tensor, and its history."""
    def set_(self, source: Tensor) -> Self:
        """As an assignment to `data`, but counted as a write to the tensor."""
    def is_floating_point(self) -> builtins.bool: ...
    def _to(self, dtype: Any, copy: builtins.bool = False) -> Tensor:
        """The same numbers in another dtype, or in that of another tensor; the same tensor if it is of
        that dtype.
        """
    def float(self) -> Tensor:
        """As float32."""
    def double(self) -> Tensor:
        """As float64."""
    def long(self) -> Tensor:
        """As int64."""
    def bool(self) -> Tensor:
        """As truth values."""
    def type_as(self, other: Tensor) -> Tensor:
        """As the dtype of another tensor."""
    def _array(self) -> pairbond.Array:
        """An array that shares the numbers: what numpy and others look at."""
    def __buffer__(self, flags: int, /) -> memoryview:
        """The memory of the tensor, for `memoryview(tensor)` and others."""
    def tolist(self) -> Any:
        """The numbers, in lists."""
    def item(self) -> Any:
        """The only number."""
    def __float__(self) -> builtins.float: ...
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __bool__(self) -> builtins.bool: ...
    def __repr__(self) -> str: ...
    def __len__(self) -> int: ...
    def __contains__(self, number: object, /) -> builtins.bool:
        """Whether one of its elements is that number."""
    def __iter__(self) -> TensorIterator: ...
    def __getitem__(self, key: Any, /) -> Tensor:
        """A view for numbers, slices, None and ...; a copy for tensors and lists of integers or truth
        values.
        """
    def __setitem__(self, key: Any, value: Any, /) -> None: ...
    def fill_(self, value: Any) -> Self:
        """Writes a number to all places."""
    def zero_(self) -> Self:
        """Writes zeros to all places."""

class Tensor(StridedTensor):
    """An array of numbers that knows how it was computed."""

    grad: Tensor | None
    """The gradient that was accumulated."""
    @property
    def grad_fn(self) -> Node | None:
        """The node that computed it; None for a leaf."""
    @property
    def is_leaf(self) -> builtins.bool:
        """Whether nothing made it."""
    def __init__(
        self,
        *data: Any,
        dtype: DType | None = None,
        requires_grad: builtins.bool = False,
        _alias: builtins.bool = False,
    ) -> None:
        """A tensor of numbers in lists (of float32, if no other dtype is said), one that shares
        another one's memory, or, of numbers alone, zeros of that shape.
        """
    def add_(self, other: Any, *, alpha: Any = None) -> Self:
        """Adds to its numbers, `alpha` times."""
    def sub_(self, other: Any, *, alpha: Any = None) -> Self:
        """Subtracts from its numbers, `alpha` times."""
    def mul_(self, other: Any) -> Self:
        """Multiplies its numbers."""
    def div_(self, other: Any) -> Self:
        """Divides its numbers."""
    def pow_(self, exponent: Any) -> Self:
        """Raises its numbers to a power."""
    def __iadd__(self, other: Any, /) -> Self: ...
    def __isub__(self, other: Any, /) -> Self: ...
    def __imul__(self, other: Any, /) -> Self: ...
    def __itruediv__(self, other: Any, /) -> Self: ...
    def clamp_(self, min: Any = None, max: Any = None) -> Self:
        """Cuts its numbers off at bounds."""
    def masked_fill_(self, mask: Tensor, value: Any) -> Self:
        """Writes a number where a mask is true."""
    def _change(self, operation: str, compute: Callable[..., Any]) -> Self:
        """Writes what `compute` makes of its numbers, with the history of that. Errors of later runs
        call it `operation`.
        """
    def _change_to_comparison(self, operation: str, other: Tensor, compare: Callable[..., Any]) -> Self:
        """As [`Self::change_by`], of a comparison with another tensor."""
    def neg_(self) -> Self:
        """Changes the sign of its numbers."""
    def abs_(self) -> Self:
        """Takes the sign from its numbers."""
    def exp_(self) -> Self:
        """As `exp`, in place."""
    def log_(self) -> Self:
        """As `log`, in place."""
    def sqrt_(self) -> Self:
        """As `sqrt`, in place."""
    def tanh_(self) -> Self:
        """As `tanh`, in place."""
    def sigmoid_(self) -> Self:
        """As `sigmoid`, in place."""
    def relu_(self) -> Self:
        """Writes zero where its numbers are negative."""
    def copy_(self, other: Any) -> Self:
        """Takes the numbers of another one."""
    def div(self, other: Any, *, rounding_mode: Any = None) -> Any: ...
    def addcdiv(self, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any: ...
    def addcmul(self, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Any: ...
    def bitwise_and(self, other: Any) -> Any: ...
    def bitwise_left_shift(self, other: Any) -> Any: ...
    def bitwise_or(self, other: Any) -> Any: ...
    def bitwise_right_shift(self, other: Any) -> Any: ...
    def bitwise_xor(self, other: Any) -> Any: ...
    def clamp_max(self, max: Any) -> Any: ...
    def clamp_min(self, min: Any) -> Any: ...
    def clip(self, min: Any = None, max: Any = None) -> Any: ...
    def count_nonzero(self, dim: Any = None) -> Any: ...
    def greater_equal(self, other: Any) -> Any: ...
    def isclose(self, other: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: Any = False) -> Any: ...
    def isfinite(self) -> Any: ...
    def isinf(self) -> Any: ...
    def less_equal(self, other: Any) -> Any: ...
    def logaddexp(self, other: Any) -> Any: ...
    def logical_and(self, other: Any) -> Any: ...
    def logical_or(self, other: Any) -> Any: ...
    def logical_xor(self, other: Any) -> Any: ...
    def not_equal(self, other: Any) -> Any: ...
    def rsub(self, other: Any, *, alpha: Any = 1) -> Any: ...
    @property
    def shape(self) -> Any: ...
    def size(self, dim: Any = None) -> Any: ...
    def broadcast_to(self, size: Any) -> Any: ...
    def diag(self, diagonal: Any = 0) -> Any: ...
    def movedim(self, source: Any, destination: Any) -> Any: ...
    def ravel(self) -> Any: ...
    def repeat_interleave(self, repeats: Any, dim: Any = None) -> Any: ...
    def roll(self, shifts: Any, dims: Any = None) -> Any: ...
    def tile(self, *dims: Any) -> Any: ...
    def trace(self) -> Any: ...
    def unflatten(self, dim: Any, sizes: Any) -> Any: ...
    def max(self, dim: Any = None, keepdim: Any = False) -> Any: ...
    def min(self, dim: Any = None, keepdim: Any = False) -> Any: ...
    def sort(self, dim: Any = -1, descending: Any = False, *, stable: Any = False) -> Any: ...
    def topk(self, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Any: ...
    def kthvalue(self, k: Any, dim: Any = -1, keepdim: Any = False) -> Any: ...
    def masked_select(self, mask: Any) -> Any: ...
    def median(self, dim: Any = None, keepdim: Any = False) -> Any: ...
    def nonzero(self, *, as_tuple: Any = False) -> Any: ...
    def take(self, index: Any) -> Any: ...
    def unique(self, sorted: Any = True, return_inverse: Any = False, return_counts: Any = False) -> Any: ...
    def addmm(self, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any: ...
    def addmv(self, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any: ...
    def baddbmm(self, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any: ...
    def dot(self, tensor: Any) -> Any: ...
    def mv(self, vec: Any) -> Any: ...
    def norm(self, p: Any = "fro", dim: Any = None, keepdim: Any = False, dtype: Any = None) -> Any: ...
    def outer(self, vec2: Any) -> Any: ...
    def to(
        self,
        *args: Any,
        dtype: Any = None,
        device: Any = None,
        non_blocking: Any = False,
        copy: Any = False,
        memory_format: Any = None,
    ) -> Any: ...
    def type(self, dtype: Any = None) -> Any: ...
    def cpu(self) -> Any: ...
    def cuda(self, device: Any = None) -> Any: ...
    @property
    def device(self) -> Any: ...
    @property
    def is_cpu(self) -> Any: ...
    @property
    def is_cuda(self) -> Any: ...
    def new_full(self, size: Any, fill_value: Any, **options: Any) -> Any: ...
    def new_zeros(self, *size: Any, **options: Any) -> Any: ...
    def new_empty(self, *size: Any, **options: Any) -> Any: ...
    def new_ones(self, *size: Any, **options: Any) -> Any: ...
    def new_tensor(self, data: Any, **options: Any) -> Any: ...
    def as_subclass(self, cls: Any) -> Any: ...
    def __init_subclass__(cls, **options: Any) -> None: ...
    def acos_(self, *args: Any, **kwargs: Any) -> Any: ...
    def addcdiv_(self, *args: Any, **kwargs: Any) -> Any: ...
    def addcmul_(self, *args: Any, **kwargs: Any) -> Any: ...
    def asin_(self, *args: Any, **kwargs: Any) -> Any: ...
    def atan_(self, *args: Any, **kwargs: Any) -> Any: ...
    def bitwise_and_(self, *args: Any, **kwargs: Any) -> Any: ...
    def bitwise_left_shift_(self, *args: Any, **kwargs: Any) -> Any: ...
    def bitwise_or_(self, *args: Any, **kwargs: Any) -> Any: ...
    def bitwise_right_shift_(self, *args: Any, **kwargs: Any) -> Any: ...
    def bitwise_xor_(self, *args: Any, **kwargs: Any) -> Any: ...
    def ceil_(self, *args: Any, **kwargs: Any) -> Any: ...
    def clamp_max_(self, *args: Any, **kwargs: Any) -> Any: ...
    def clamp_min_(self, *args: Any, **kwargs: Any) -> Any: ...
    def clip_(self, *args: Any, **kwargs: Any) -> Any: ...
    def cos_(self, *args: Any, **kwargs: Any) -> Any: ...
    def cosh_(self, *args: Any, **kwargs: Any) -> Any: ...
    def cumsum_(self, *args: Any, **kwargs: Any) -> Any: ...
    def erf_(self, *args: Any, **kwargs: Any) -> Any: ...
    def expm1_(self, *args: Any, **kwargs: Any) -> Any: ...
    def floor_(self, *args: Any, **kwargs: Any) -> Any: ...
    def floor_divide_(self, *args: Any, **kwargs: Any) -> Any: ...
    def fmod_(self, *args: Any, **kwargs: Any) -> Any: ...
    def frac_(self, *args: Any, **kwargs: Any) -> Any: ...
    def hypot_(self, *args: Any, **kwargs: Any) -> Any: ...
    def index_add_(self, *args: Any, **kwargs: Any) -> Any: ...
    def lerp_(self, *args: Any, **kwargs: Any) -> Any: ...
    def log10_(self, *args: Any, **kwargs: Any) -> Any: ...
    def log1p_(self, *args: Any, **kwargs: Any) -> Any: ...
    def log2_(self, *args: Any, **kwargs: Any) -> Any: ...
    def logical_and_(self, *args: Any, **kwargs: Any) -> Any: ...
    def logical_not_(self, *args: Any, **kwargs: Any) -> Any: ...
    def logical_or_(self, *args: Any, **kwargs: Any) -> Any: ...
    def logical_xor_(self, *args: Any, **kwargs: Any) -> Any: ...
    def maximum_(self, *args: Any, **kwargs: Any) -> Any: ...
    def minimum_(self, *args: Any, **kwargs: Any) -> Any: ...
    def nan_to_num_(self, *args: Any, **kwargs: Any) -> Any: ...
    def reciprocal_(self, *args: Any, **kwargs: Any) -> Any: ...
    def remainder_(self, *args: Any, **kwargs: Any) -> Any: ...
    def round_(self, *args: Any, **kwargs: Any) -> Any: ...
    def rsqrt_(self, *args: Any, **kwargs: Any) -> Any: ...
    def scatter_(self, *args: Any, **kwargs: Any) -> Any: ...
    def scatter_add_(self, *args: Any, **kwargs: Any) -> Any: ...
    def sign_(self, *args: Any, **kwargs: Any) -> Any: ...
    def sin_(self, *args: Any, **kwargs: Any) -> Any: ...
    def sinh_(self, *args: Any, **kwargs: Any) -> Any: ...
    def square_(self, *args: Any, **kwargs: Any) -> Any: ...
    def tan_(self, *args: Any, **kwargs: Any) -> Any: ...
    def tril_(self, *args: Any, **kwargs: Any) -> Any: ...
    def triu_(self, *args: Any, **kwargs: Any) -> Any: ...
    def trunc_(self, *args: Any, **kwargs: Any) -> Any: ...
    def eq_(self, other: Any) -> Any: ...
    def ge_(self, other: Any) -> Any: ...
    def gt_(self, other: Any) -> Any: ...
    def le_(self, other: Any) -> Any: ...
    def lt_(self, other: Any) -> Any: ...
    def ne_(self, other: Any) -> Any: ...
    def __iand__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __ifloordiv__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __ilshift__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __imod__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __ior__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __irshift__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __ixor__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __ipow__(self, other: Any, modulus: None = None, /) -> Any: ...
    def bernoulli_(self, p: Any = 0.5) -> Any: ...
    def fill_diagonal_(self, fill_value: Any) -> Any: ...
    def normal_(self, mean: Any = 0.0, std: Any = 1.0) -> Any: ...
    def uniform_(self, from_: Any = 0.0, to: Any = 1.0, **bounds: Any) -> Any: ...
    def __format__(self, spec: Any) -> Any: ...
    def __reversed__(self) -> Any: ...
    def numpy(self, *, force: Any = False) -> Any: ...
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any: ...
    __array_priority__: ClassVar[Any]
    def __dlpack__(self, **asked: Any) -> Any: ...
    def __dlpack_device__(self) -> Any: ...
    def __reduce_ex__(self, protocol: Any) -> Any: ...
    def __setstate__(self, state: Any) -> Any: ...
    def __copy__(self) -> Any: ...
    def __deepcopy__(self, memo: Any) -> Any: ...
    def bincount(self, weights: Any = None, minlength: Any = 0) -> Any: ...
    def multinomial(self, num_samples: Any, replacement: Any = False, *, generator: None = None) -> Any: ...

class TensorIterator(pairbond.Object):
    """A view of each place of the first dimension."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __iter__(self) -> Self: ...
    def __next__(self) -> Tensor: ...

class Node(pairbond.Object):
    """A step of the backward pass: takes gradients of an operation's results, returns those of its
    inputs.
    """

    @property
    def next_functions(self) -> Any:
        """Where the gradients that it gives go on: pairs of a node and the number of its input."""
    @property
    def metadata(self) -> pairbond.Map[Any, Any]:
        """A mapping for whatever users want to put there."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def name(self) -> str:
        """Its name."""
    def _sequence_nr(self) -> int:
        """Its place among the nodes of its thread."""
    def _register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(n, *grad_inputs, *grad_outputs)` after it has run; n is the number of
        grad_inputs.
        """
    def _register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(*grad_outputs)` before it runs."""
    def _call(self, *grads: Any) -> list[Any]:
        """Computes its results from gradients, alone."""
    def __repr__(self) -> str: ...
    def register_hook(self, fn: Any) -> Any: ...
    def register_prehook(self, fn: Any) -> Any: ...
    def __call__(self, *grads: Any) -> Any: ...

class AccumulateGrad(Node):
    """Adds what arrives to the gradient of a tensor. The tensor knows it weakly, so there is at most
    one, and it lives as long as a graph or Python refers to it.
    """

    @property
    def variable(self) -> Variable:
        """Whose gradient it is."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class CopySlices(Node):
    """The node of a tensor to whose view an operation wrote."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class _Kept(pairbond.Object):
    """A result that is looked for before it is made again."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class _KeptPart(pairbond.Object):
    """A result of what wrote to a view: it is part of the base from then on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class _Packed(pairbond.Object):
    """The result of a user's hook for a tensor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class _Hooks(pairbond.Object):
    """Functions, in the order in which they came."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class RemovableHandle(pairbond.Object):
    """Takes a hook away again, by `remove()` or at the end of a `with` block."""

    @property
    def id(self) -> int:
        """Its number."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def remove(self) -> None:
        """Takes the hook away, if it is still there."""
    def __enter__(self) -> Self: ...
    def __exit__(self, _class: Any, _error: Any, _traceback: Any) -> None: ...

class _NodeHooks(pairbond.Object):
    """The hooks of a node."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class _VariableHooks(pairbond.Object):
    """The hooks of a leaf."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

class _FunctionInfo(pairbond.Object):
    """A `Function` as it is applied: its `apply`, and what all its nodes have in common. The Python
    class keeps the methods here as they are in the class.
    """

    __match_args__ = ("name", "contexts", "forward", "setup", "backward")
    @property
    def name(self) -> str:
        """The name of its nodes."""
    @property
    def contexts(self) -> Callable[..., Any]:
        """The class of its contexts, which is called with this."""
    forward: Callable[..., Any]
    """`forward`, with the context first if there is no `setup_context`."""
    setup: Callable[..., Any] | None
    """`setup_context`, with the context, the result, and the arguments."""
    backward: Callable[..., Any]
    """`backward`, with the context first."""
    def __init__(
        self,
        name: str,
        contexts: Callable[..., Any],
        unpack: Callable[..., Any],
        forward: Callable[..., Any],
        setup: Callable[..., Any] | None,
        backward: Callable[..., Any],
    ) -> None: ...
    def __call__(self, *arguments: Any) -> Any:
        """Computes, and records."""
    def __copy__(self) -> Self:
        """There is one for each `Function`."""
    def __deepcopy__(self, memo: Any, /) -> Self:
        """As `__copy__`."""

class _FunctionNode(Node):
    """The context of one call of a `Function`, and its node."""

    @property
    def materialize_grads(self) -> builtins.bool:
        """As `set_materialize_grads`."""
    @property
    def needs_input_grad(self) -> Any:
        """Of each argument of `forward`, whether a derivative is wanted."""
    @property
    def saved_tensors(self) -> Any:
        """The arguments of `save_for_backward`: the inputs themselves."""
    @property
    def _info(self) -> _FunctionInfo:
        """The name and the `backward` that all contexts of a function share."""
    def __init__(self, info: _FunctionInfo) -> None: ...
    def save_for_backward(self, *tensors: Any) -> None:
        """Keeps tensors for `backward`, which finds them in `saved_tensors`. In `forward` or
        `setup_context`, once.
        """
    def mark_dirty(self, *tensors: Any) -> None:
        """Says which arguments `forward` wrote to."""
    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Says which results have no derivative."""
    def set_materialize_grads(self, value: builtins.bool) -> None:
        """Says whether `backward` gets zeros for gradients that are not there, which it does at first,
        or None.
        """

def tensor(
    data: Any, *, dtype: DType | None = None, device: str | None = None, requires_grad: builtins.bool = False
) -> Tensor:
    """A tensor of numbers in lists, or a copy of those of an array or a tensor."""

def _as_tensor(data: Any, dtype: DType | None = None) -> Tensor:
    """The tensor itself, or one that shares the numbers of an array, if it is of that dtype; a copy
    otherwise.
    """

def _from_array(array: pairbond.Array | Any) -> Tensor:
    """A tensor that shares the numbers of an array: of numpy, by the buffer protocol, or by DLPack."""

def _full(shape: Iterable[int], value: Any, dtype: DType | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """The same number everywhere."""

def _arange(
    start: Any, end: Any, step: Any, dtype: DType | None = None, requires_grad: builtins.bool = False
) -> Tensor:
    """Numbers from `start` on, as long as they are before `end`."""

def _linspace(
    start: builtins.float,
    end: builtins.float,
    steps: int,
    dtype: DType | None = None,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Numbers at equal distances, both ends included."""

def _eye(n: int, m: int, dtype: DType | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Ones on the diagonal."""

def _rand(shape: Iterable[int], dtype: DType | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Random numbers from 0 up to and without 1."""

def _randn(shape: Iterable[int], dtype: DType | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Random numbers of the standard normal distribution."""

def _randint(low: int, high: int, shape: Iterable[int], dtype: DType | None = None) -> Tensor:
    """Random whole numbers from `low` up to and without `high`."""

def _randperm(n: int) -> Tensor:
    """The numbers below `n` in a random order."""

def _manual_seed(seed: int) -> None:
    """Makes the random numbers the same from here on."""

def _rebuild(storage: Storage, shape: Iterable[int], strides: Iterable[int], offset: int) -> Tensor:
    """A tensor of a storage that was read back."""

def _make_storage(numbers: pairbond.Array | Any) -> Storage:
    """A storage that has the numbers of an array, in order."""

def _delayed_error(message: str, tensor: Any) -> Any:
    """The tensors again, with a derivative that is an error."""

def _backward(
    tensors: Iterable[Any],
    gradients: Iterable[Tensor | None] | None,
    retain_graph: builtins.bool | None = None,
    create_graph: builtins.bool = False,
    inputs: Iterable[Any] | None = None,
) -> None:
    """Runs the graphs that made `tensors` backwards, and adds to the gradients of their leaves, or of
    `inputs`.
    """

def _grad(
    outputs: Iterable[Any],
    inputs: Iterable[Any],
    grad_outputs: Iterable[Tensor | None] | None,
    retain_graph: builtins.bool | None = None,
    create_graph: builtins.bool = False,
    allow_unused: builtins.bool = False,
) -> list[Tensor | None]:
    """The gradients of `inputs`, by running the graphs that made `outputs` backwards; None where there
    is none.
    """

def is_grad_enabled() -> builtins.bool:
    """Whether operations on this thread are recorded."""

def _set_grad_enabled(enabled: builtins.bool) -> builtins.bool:
    """Sets whether operations on this thread are recorded; returns the previous setting."""

def _set_anomaly(
    place: Callable[..., Any] | None, warn: Callable[..., Any] | None, check_nan: builtins.bool = True
) -> None:
    """Begins or ends it for this thread."""

def _push_saved_tensors_hooks(pack: Callable[..., Any], unpack: Callable[..., Any]) -> None:
    """From now on this thread keeps what `pack` makes of tensors, and `unpack` makes tensors of that."""

def _pop_saved_tensors_hooks() -> None:
    """The opposite."""

def _has_saved_tensors_hooks() -> builtins.bool:
    """Whether there are hooks in force on this thread."""

def _current_graph_task_id() -> int:
    """The number of the run that this thread is in; -1 if it is in none."""

def _will_engine_execute_node(node: Node) -> builtins.bool:
    """Whether the run that this thread is in runs a node."""

def _queue_callback(callback: Callable[..., Any]) -> None:
    """Calls something when the run that this thread is in is done."""

def cat(tensors: Iterable[Tensor], dim: int = 0) -> Tensor:
    """Behind each other along a dimension."""

def stack(tensors: Iterable[Tensor], dim: int = 0) -> Tensor:
    """Behind each other along a new dimension."""

def _where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """The elements of one where the condition is true, else those of the other."""

def _pad(input: Tensor, pad: Any, value: builtins.float) -> Tensor:
    """With some more of a number around the last dimensions: pairs, the last dimension's first."""

def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x` times the transposed weights, and a bias."""

def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = ...,
    padding: Any = ...,
    dilation: Any = ...,
    groups: int = 1,
) -> Tensor:
    """Convolution of images with several channels."""

def _max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: builtins.bool
) -> tuple[Tensor, Tensor]:
    """The largest of each window, and optionally where it is."""

def _dropout(input: Tensor, p: builtins.float) -> Tensor:
    """`a` without some of its elements, which become zero; the others grow so that the mean stays."""

def _gelu(input: Tensor) -> Tensor:
    """`x` times the part of a normal distribution that is below it."""

def _softplus(input: Tensor) -> Tensor:
    """The logarithm of `1 + exp(x)`."""

def _uniform(size: Any, low: builtins.float, high: builtins.float, dtype: DType) -> Tensor:
    """Numbers from `low` up to and without `high`."""

def _normal(size: Any, mean: builtins.float, std: builtins.float, dtype: DType) -> Tensor:
    """Numbers of a normal distribution."""

def _assign(tensor: Tensor, value: Tensor) -> None:
    """Takes the numbers of another tensor, whatever the history of both."""

def _sgd_step(
    param: Tensor,
    grad: Tensor,
    momentum_buffer: Tensor | None,
    first: builtins.bool,
    lr: builtins.float,
    momentum: builtins.float,
    dampening: builtins.float,
    weight_decay: builtins.float,
    nesterov: builtins.bool,
    maximize: builtins.bool,
) -> None:
    """Gradient descent with momentum. `first`: there is no momentum yet."""

def _adam_step(
    param: Tensor,
    grad: Tensor,
    mean: Tensor,
    square: Tensor,
    largest: Tensor | None,
    step: builtins.float,
    lr: builtins.float,
    betas: tuple[builtins.float, builtins.float],
    eps: builtins.float,
    weight_decay: builtins.float,
    decoupled: builtins.bool,
    maximize: builtins.bool,
) -> None:
    """Adam; `decoupled` weight decay makes it `AdamW`, and with `largest`, the largest squares so far,
    it is AMSGrad.
    """

def _save_file(path: str | os.PathLike[str], tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> None:
    """Writes tensors under names."""

def _load_file(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a file, and the texts about them."""

def get_num_threads() -> int:
    """How many threads compute a large kernel: at first as `OMP_NUM_THREADS` says, or one for each
    processor that this process may use.
    """

def set_num_threads(int: int) -> None:
    """Computes large kernels with so many threads from now on, the caller's among them."""
