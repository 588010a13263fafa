"""What programs from before tensors had histories look for: `Variable`, and by it the engine."""

from __future__ import annotations

from .._pairbond_autograd import Tensor, _queue_callback


class _Engine:
    """The engine, as far as programs talk to it."""

    queue_callback = staticmethod(_queue_callback)


class Variable:
    """`Variable(tensor)` is the tensor."""

    _execution_engine = _Engine()

    def __new__(cls, data: Tensor, requires_grad: bool = False) -> Tensor:  # type: ignore[misc]
        return data.requires_grad_(requires_grad) if requires_grad else data
