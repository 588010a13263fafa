"""What messages say of tensors and classes, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._dtypes import tensor_type
from .._pairbond_autograd import Tensor


def size_text(shape: Sequence[int]) -> str:
    """`torch.Size([2, 3])`"""
    return f"torch.Size({list(shape)})"


def typename(value: Any) -> str:
    """What PyTorch calls the type of a value: `int`, `torch.FloatTensor`."""
    if isinstance(value, Tensor):
        return tensor_type(value.dtype)
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
