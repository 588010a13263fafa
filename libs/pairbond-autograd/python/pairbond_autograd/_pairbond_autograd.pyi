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
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __gt__(self, other: Any, /) -> Tensor: ...
    def __ge__(self, other: Any, /) -> Tensor: ...
    def __hash__(self) -> int: ...
    def __and__(self, other: Any, /) -> Tensor: ...
    def __or__(self, other: Any, /) -> Tensor: ...
    def __xor__(self, other: Any, /) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __matmul__(self, other: Tensor, /) -> Tensor: ...
    def add(self, other: Any, *, alpha: Any = None) -> Tensor:
        """The sum; `other` counts `alpha` times."""
    def sub(self, other: Any, *, alpha: Any = None) -> Tensor:
        """The difference; `other` counts `alpha` times."""
    def mul(self, other: Any) -> Tensor: ...
    def div(self, other: Any) -> Tensor: ...
    def pow(self, other: Any) -> Tensor: ...
    def floor_divide(self, other: Any) -> Tensor:
        """The quotient, rounded down."""
    def remainder(self, other: Any) -> Tensor:
        """What is left of a division, with the sign of the divisor."""
    def lt(self, other: Any) -> Tensor: ...
    def le(self, other: Any) -> Tensor: ...
    def eq(self, other: Any) -> Tensor: ...
    def ne(self, other: Any) -> Tensor: ...
    def gt(self, other: Any) -> Tensor: ...
    def ge(self, other: Any) -> Tensor: ...
    def maximum(self, other: Tensor) -> Tensor: ...
    def minimum(self, other: Tensor) -> Tensor: ...
    def matmul(self, other: Tensor) -> Tensor: ...
    def mm(self, other: Tensor) -> Tensor: ...
    def bmm(self, other: Tensor) -> Tensor: ...
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
    def round(self) -> Tensor: ...
    def trunc(self) -> Tensor: ...
    def square(self) -> Tensor: ...
    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Within bounds."""
    def logical_not(self) -> Tensor: ...
    def isnan(self) -> Tensor: ...
    def __rand__(self, value: Any, /) -> Any: ...
    def __rxor__(self, value: Any, /) -> Any: ...
    def __ror__(self, value: Any, /) -> Any: ...
    def __rmatmul__(self, value: Any, /) -> Any: ...

class TensorShape(TensorMath):
    """What a tensor can do with its dimensions."""

    @property
    def T(self) -> Tensor:
        """A view with the dimensions in the opposite order."""
    @property
    def mT(self) -> Tensor:
        """A view with the last two dimensions exchanged."""
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Cannot be made from Python."""
    def sum(self, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
        """The sum of all elements, or over dimensions."""
    def mean(self, dim: Any = None, keepdim: bool = False) -> Tensor: ...
    def var(
        self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: float | None = None
    ) -> Tensor:
        """The variance."""
    def std(
        self, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: float | None = None
    ) -> Tensor:
        """The standard deviation."""
    def prod(self, dim: int | None = None, keepdim: bool = False) -> Tensor: ...
    def logsumexp(self, dim: Any, keepdim: bool = False) -> Tensor: ...
    def softmax(self, dim: int) -> Tensor: ...
    def log_softmax(self, dim: int) -> Tensor: ...
    def cumsum(self, dim: int) -> Tensor: ...
    def amax(self, dim: Any = None, keepdim: bool = False) -> Tensor: ...
    def amin(self, dim: Any = None, keepdim: bool = False) -> Tensor: ...
    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor: ...
    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor: ...
    def max(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The largest element; along a dimension, with its place; or of two tensors."""
    def min(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The smallest element; along a dimension, with its place; or of two tensors."""
    def all(self, dim: Any = None, keepdim: bool = False) -> Tensor: ...
    def any(self, dim: Any = None, keepdim: bool = False) -> Tensor: ...
    def argsort(self, dim: int = -1, descending: bool = False) -> Tensor: ...
    def sort(self, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
        """The elements in order along a dimension, and their places."""
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
        """What is left of a dimension: one tensor for each place."""
    def index_select(self, dim: int, index: Tensor) -> Tensor: ...
    def index_add(self, dim: int, index: Tensor, source: Tensor) -> Tensor: ...
    def gather(self, dim: int, index: Tensor) -> Tensor: ...
    def scatter(self, dim: int, index: Tensor, src: Any) -> Tensor: ...
    def scatter_add(self, dim: int, index: Tensor, src: Tensor) -> Tensor: ...
    def masked_fill(self, mask: Tensor, value: float) -> Tensor: ...
    def where(self, condition: Tensor, other: Any) -> Tensor: ...
    def flip(self, *dims: Any) -> Tensor: ...
    def tril(self, diagonal: int = 0) -> Tensor: ...
    def triu(self, diagonal: int = 0) -> Tensor: ...

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

def cat(tensors: Iterable[Tensor], dim: int = 0) -> Tensor:
    """Behind each other along a dimension."""

def stack(tensors: Iterable[Tensor], dim: int = 0) -> Tensor:
    """Behind each other along a new dimension."""

def _where(condition: Tensor, input: Any, other: Any) -> Tensor:
    """The elements of one where the condition is true, else those of the other."""

def _clone(input: Tensor) -> Tensor:
    """The same numbers in memory of their own."""

def _pad(input: Tensor, pad: Any, value: float) -> Tensor:
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

def _max_pool2d(input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Tensor, Tensor]:
    """The largest of each window, and optionally where it is."""

def _embedding(weight: Tensor, index: Tensor) -> Tensor:
    """Rows of a table, one for each number of the index."""

def _dropout(input: Tensor, p: float) -> Tensor:
    """`a` without some of its elements, which become zero; the others grow so that the mean stays."""

def _leaky_relu(input: Tensor, negative_slope: float) -> Tensor:
    """`x` where it is positive, and a part of it elsewhere."""

def _gelu(input: Tensor) -> Tensor:
    """`x` times the part of a normal distribution that is below it."""

def _silu(input: Tensor) -> Tensor:
    """`x` times its sigmoid."""

def _softplus(input: Tensor) -> Tensor:
    """The logarithm of `1 + exp(x)`."""

def _seed(number: int) -> None:
    """Begins again there."""

def _uniform(size: Any, low: float, high: float, dtype: DType) -> Tensor:
    """Numbers from `low` up to and without `high`."""

def _normal(size: Any, mean: float, std: float, dtype: DType) -> Tensor:
    """Numbers of a normal distribution."""

def _assign(tensor: Tensor, value: Tensor) -> None:
    """Takes the numbers of another tensor, whatever the history of both."""

def _sgd_step(
    param: Tensor,
    grad: Tensor,
    momentum_buffer: Tensor | None,
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
    param: Tensor,
    grad: Tensor,
    mean: Tensor,
    square: Tensor,
    step: float,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
    decoupled: bool,
    maximize: bool,
) -> None:
    """Adam; `decoupled` weight decay makes it `AdamW`."""

def _save_file(path: str | os.PathLike[str], tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> None:
    """Writes tensors under names."""

def _load_file(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors of a file, and the texts about them."""
