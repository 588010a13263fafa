# Written by `python -m pairbond stubs`; see there. Changes are lost.

"""The native half of `pairbond_autograd`."""

import enum
from collections.abc import Iterable
from typing import Any

import pairbond

__all__ = [
    "AccumulateGrad",
    "DType",
    "Node",
    "Storage",
    "Tensor",
    "TensorBase",
    "_backward",
    "_set_grad_enabled",
    "is_grad_enabled",
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

class Tensor(TensorBase):
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
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def exp(self) -> Any: ...
    def __matmul__(self, other: Tensor, /) -> Any: ...
    def matmul(self, other: Tensor) -> Any: ...
    def sum(self, dim: int | None = None, keepdim: bool = False) -> Any:
        """The sum of all elements, or over a dimension."""
    def transpose(self, dim0: int, dim1: int) -> Any:
        """A view with two dimensions exchanged."""
    def expand(self, *shape: int) -> Any:
        """A view that repeats elements."""
    def __rmatmul__(self, value: Any, /) -> Any: ...

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
