# Written by `python -m pairbond stubs`; see there. Changes are lost.

"""The native half of `pairbond_autograd`."""

import enum
import os
from collections.abc import Iterable, Mapping
from typing import Any

import pairbond

__all__ = [
    "AccumulateGrad",
    "DType",
    "Node",
    "Storage",
    "Tensor",
    "TensorBase",
    "TensorMath",
    "TensorShape",
    "_adam_step",
    "_assign",
    "_backward",
    "_clone",
    "_dropout",
    "_embedding",
    "_gelu",
    "_leaky_relu",
    "_linear",
    "_load_file",
    "_max_pool2d",
    "_normal",
    "_pad",
    "_save_file",
    "_seed",
    "_set_grad_enabled",
    "_sgd_step",
    "_silu",
    "_softplus",
    "_uniform",
    "_where",
    "cat",
    "conv2d",
    "is_grad_enabled",
    "stack",
]

class DType(enum.Enum):
    """What the elements of a tensor are."""

    bool = 0
    """Truth values."""
    int64 = 1
    """Integers of 64 bits."""
    float32 = 2
    """Numbers of 32 bits."""
    float64 = 3
    """Numbers of 64 bits."""

class Storage(pairbond.Object):
    """The numbers that a tensor and its views share."""

    @property
    def dtype(self) -> DType: ...
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __len__(self) -> int: ...

class TensorBase(pairbond.Object):
    """What a tensor is, and its history. Its methods are those of the engine; what computes is in `Tensor`, which all
    tensors are.
    """

    @property
    def _base(self) -> Tensor | None:
        """Whose memory this is a view of, if it is one. Never a view itself."""
    requires_grad: bool
    """Whether derivatives are computed for it."""
    grad: Any
    """The gradient that was accumulated."""
    @property
    def grad_fn(self) -> Node | None:
        """What made it; None for a leaf."""
    @property
    def output_nr(self) -> int:
        """Which of the results of `grad_fn` it is."""
    @property
    def is_leaf(self) -> bool:
        """Whether nothing made it."""
    @property
    def _version(self) -> int:
        """How often its memory was written to."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def backward(self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False) -> None:
        """Computes the gradients of the leaves that led here, and adds them to their `grad`."""

class TensorMath(TensorBase):
    """What a tensor can do with each of its elements."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __floordiv__(self, other: Any, /) -> Any: ...
    def __rfloordiv__(self, other: Any, /) -> Any: ...
    def __mod__(self, other: Any, /) -> Any: ...
    def __rmod__(self, other: Any, /) -> Any: ...
    def __pow__(self, other: Any, modulus: None = None, /) -> Any: ...
    def __rpow__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __hash__(self) -> int: ...
    def __and__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __xor__(self, other: Any, /) -> Any: ...
    def __invert__(self) -> Any: ...
    def __neg__(self) -> Any: ...
    def __pos__(self) -> Any: ...
    def __abs__(self) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def add(self, other: Any, *, alpha: Any = None) -> Any:
        """The sum; `other` counts `alpha` times."""
    def sub(self, other: Any, *, alpha: Any = None) -> Any:
        """The difference; `other` counts `alpha` times."""
    def mul(self, other: Any) -> Any: ...
    def div(self, other: Any) -> Any: ...
    def pow(self, other: Any) -> Any: ...
    def floor_divide(self, other: Any) -> Any:
        """The quotient, rounded down."""
    def remainder(self, other: Any) -> Any:
        """What is left of a division, with the sign of the divisor."""
    def lt(self, other: Any) -> Any: ...
    def le(self, other: Any) -> Any: ...
    def eq(self, other: Any) -> Any: ...
    def ne(self, other: Any) -> Any: ...
    def gt(self, other: Any) -> Any: ...
    def ge(self, other: Any) -> Any: ...
    def maximum(self, other: Any) -> Any: ...
    def minimum(self, other: Any) -> Any: ...
    def matmul(self, other: Any) -> Any: ...
    def mm(self, other: Any) -> Any: ...
    def bmm(self, other: Any) -> Any: ...
    def neg(self) -> Any: ...
    def exp(self) -> Any: ...
    def expm1(self) -> Any: ...
    def log(self) -> Any: ...
    def log2(self) -> Any: ...
    def log10(self) -> Any: ...
    def log1p(self) -> Any: ...
    def sqrt(self) -> Any: ...
    def rsqrt(self) -> Any: ...
    def reciprocal(self) -> Any: ...
    def sin(self) -> Any: ...
    def cos(self) -> Any: ...
    def tan(self) -> Any: ...
    def asin(self) -> Any: ...
    def acos(self) -> Any: ...
    def atan(self) -> Any: ...
    def sinh(self) -> Any: ...
    def cosh(self) -> Any: ...
    def tanh(self) -> Any: ...
    def sigmoid(self) -> Any: ...
    def erf(self) -> Any: ...
    def relu(self) -> Any: ...
    def abs(self) -> Any: ...
    def sign(self) -> Any: ...
    def floor(self) -> Any: ...
    def ceil(self) -> Any: ...
    def round(self) -> Any: ...
    def trunc(self) -> Any: ...
    def square(self) -> Any: ...
    def clamp(self, min: Any = None, max: Any = None) -> Any:
        """Within bounds."""
    def logical_not(self) -> Any: ...
    def isnan(self) -> Any: ...
    def __rand__(self, value: Any, /) -> Any: ...
    def __rxor__(self, value: Any, /) -> Any: ...
    def __ror__(self, value: Any, /) -> Any: ...
    def __rmatmul__(self, value: Any, /) -> Any: ...

class TensorShape(TensorMath):
    """What a tensor can do with its dimensions."""

    @property
    def T(self) -> Any:
        """A view with the dimensions in the opposite order."""
    @property
    def mT(self) -> Any:
        """A view with the last two dimensions exchanged."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def sum(self, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Any:
        """The sum of all elements, or over dimensions."""
    def mean(self, dim: Any = None, keepdim: bool = False) -> Any: ...
    def var(
        self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: float | None = None
    ) -> Any:
        """The variance."""
    def std(
        self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: float | None = None
    ) -> Any:
        """The standard deviation."""
    def prod(self, dim: int | None = None, keepdim: bool = False) -> Any: ...
    def logsumexp(self, dim: Any, keepdim: bool = False) -> Any: ...
    def softmax(self, dim: int) -> Any: ...
    def log_softmax(self, dim: int) -> Any: ...
    def cumsum(self, dim: int) -> Any: ...
    def amax(self, dim: Any = None, keepdim: bool = False) -> Any: ...
    def amin(self, dim: Any = None, keepdim: bool = False) -> Any: ...
    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Any: ...
    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Any: ...
    def max(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The largest element; along a dimension, with its place; or of two tensors."""
    def min(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The smallest element; along a dimension, with its place; or of two tensors."""
    def all(self, dim: Any = None, keepdim: bool = False) -> Any: ...
    def any(self, dim: Any = None, keepdim: bool = False) -> Any: ...
    def argsort(self, dim: int = -1, descending: bool = False) -> Any: ...
    def sort(self, dim: int = -1, descending: bool = False) -> tuple[Any, Any]:
        """The elements in order along a dimension, and their places."""
    def reshape(self, *shape: Any) -> Any:
        """The same elements in another shape: a view where that is possible."""
    def view(self, *shape: Any) -> Any:
        """The same elements in another shape, as a view."""
    def view_as(self, other: Any) -> Any: ...
    def reshape_as(self, other: Any) -> Any: ...
    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Any: ...
    def transpose(self, dim0: int, dim1: int) -> Any:
        """A view with two dimensions exchanged."""
    def swapaxes(self, axis0: int, axis1: int) -> Any: ...
    def t(self) -> Any:
        """A matrix with rows and columns exchanged."""
    def permute(self, *dims: Any) -> Any:
        """A view with the dimensions in another order."""
    def expand(self, *shape: Any) -> Any:
        """A view that repeats elements."""
    def expand_as(self, other: Any) -> Any: ...
    def repeat(self, *repeats: Any) -> Any: ...
    def squeeze(self, dim: Any = None) -> Any: ...
    def unsqueeze(self, dim: int) -> Any: ...
    def narrow(self, dim: int, start: int, length: int) -> Any:
        """A part of a dimension, as a view."""
    def select(self, dim: int, index: int) -> Any: ...
    def split(self, split_size: Any, dim: int = 0) -> Any:
        """Parts of so many elements each along a dimension, as views."""
    def chunk(self, chunks: int, dim: int = 0) -> Any:
        """So many parts along a dimension, as views."""
    def unbind(self, dim: int = 0) -> Any:
        """What is left of a dimension: one tensor for each place."""
    def index_select(self, dim: int, index: Any) -> Any: ...
    def index_add(self, dim: int, index: Any, source: Any) -> Any: ...
    def gather(self, dim: int, index: Any) -> Any: ...
    def scatter(self, dim: int, index: Any, src: Any) -> Any: ...
    def scatter_add(self, dim: int, index: Any, src: Any) -> Any: ...
    def masked_fill(self, mask: Any, value: float) -> Any: ...
    def where(self, condition: Any, other: Any) -> Any: ...
    def flip(self, *dims: Any) -> Any: ...
    def tril(self, diagonal: int = 0) -> Any: ...
    def triu(self, diagonal: int = 0) -> Any: ...

class Tensor(TensorShape):
    """An array of numbers that knows how it was computed."""

    __match_args__ = ("dtype",)
    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
    def __init__(self, data: Any, dtype: DType | None = None, *, requires_grad: bool = False) -> None:
        """A tensor of numbers in lists, or one that shares another one's memory."""
    def numel(self) -> int: ...
    def stride(self) -> Any:
        """How far the next element in each dimension is."""
    def storage_offset(self) -> int: ...
    def untyped_storage(self) -> Storage:
        """The numbers that it shares with its views."""
    def tolist(self) -> Any:
        """The numbers, in lists."""
    def item(self) -> Any:
        """The only number."""
    def __repr__(self) -> str: ...
    def __len__(self) -> int: ...

class Node(pairbond.Object):
    """A step of the way back: takes gradients of what an operation made, gives those of what it was made from."""

    @property
    def next_functions(self) -> Any:
        """Where the gradients that it gives go on: pairs of a node and the number of its input."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def name(self) -> str:
        """What it is called."""
    def __repr__(self) -> str: ...

class AccumulateGrad(Node):
    """Adds what arrives to the gradient of a tensor. The tensor knows it weakly, so that there is at most one, and it
    lives as long as a graph or Python refers to it.
    """

    @property
    def variable(self) -> Tensor:
        """Whose gradient it is."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""

def _backward(
    tensors: Iterable[Any],
    gradients: Iterable[Any] | None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """Runs the graphs that made `tensors` backwards, and adds to the gradients of their leaves, or of `inputs`."""

def is_grad_enabled() -> bool:
    """Whether operations on this thread are recorded."""

def _set_grad_enabled(enabled: bool) -> bool:
    """Says whether operations on this thread are recorded; returns what was said before."""

def cat(tensors: Iterable[Any], dim: int = 0) -> Any:
    """Behind each other along a dimension."""

def stack(tensors: Iterable[Any], dim: int = 0) -> Any:
    """Behind each other along a new dimension."""

def _where(condition: Any, input: Any, other: Any) -> Any:
    """The elements of one where the condition is true, else those of the other."""

def _clone(input: Any) -> Any:
    """The same numbers in memory of their own."""

def _pad(input: Any, pad: Any, value: float) -> Any:
    """With some more of a number around the last dimensions: pairs, the last dimension's first."""

def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """`x` times the transposed weights, and a bias."""

def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = ...,
    padding: Any = ...,
    dilation: Any = ...,
    groups: int = 1,
) -> Any:
    """Convolution of images with several channels."""

def _max_pool2d(input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Any, Any]:
    """The largest of each window, and optionally where it is."""

def _embedding(weight: Any, index: Any) -> Any:
    """Rows of a table, one for each number of the index."""

def _dropout(input: Any, p: float) -> Any:
    """`a` without some of its elements, which become zero; the others grow so that the mean stays."""

def _leaky_relu(input: Any, negative_slope: float) -> Any:
    """`x` where it is positive, and a part of it elsewhere."""

def _gelu(input: Any) -> Any:
    """`x` times the part of a normal distribution that is below it."""

def _silu(input: Any) -> Any:
    """`x` times its sigmoid."""

def _softplus(input: Any) -> Any:
    """The logarithm of `1 + exp(x)`."""

def _seed(number: int) -> None:
    """Begins again there."""

def _uniform(size: Any, low: float, high: float, dtype: DType) -> Any:
    """Numbers from `low` up to and without `high`."""

def _normal(size: Any, mean: float, std: float, dtype: DType) -> Any:
    """Numbers of a normal distribution."""

def _assign(tensor: Any, value: Any) -> None:
    """Takes the numbers of another tensor, whatever the history of both."""

def _sgd_step(
    param: Any,
    grad: Any,
    momentum_buffer: Any,
    first: bool,
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """Gradient descent with momentum. `first`: there is no momentum yet."""

def _adam_step(
    param: Any,
    grad: Any,
    mean: Any,
    square: Any,
    step: float,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
    decoupled: bool,
    maximize: bool,
) -> None:
    """Adam; `decoupled` weight decay makes it `AdamW`."""

def _save_file(path: str | os.PathLike[str], tensors: Mapping[str, Any], metadata: Mapping[str, str] | None) -> None:
    """Writes tensors under names."""

def _load_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The tensors of a file, and the texts about them."""
