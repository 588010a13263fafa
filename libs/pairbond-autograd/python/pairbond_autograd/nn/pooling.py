"""Modules of one number for each window."""

from __future__ import annotations

from typing import Any

from .._pairbond_autograd import Tensor
from . import functional as F
from ._sizes import Size
from .module import Module


class MaxPool2d(Module):
    """The largest element of each window."""

    function: Any = staticmethod(F.max_pool2d)

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding, self.dilation = kernel_size, padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode
        self.stride = kernel_size if stride is None else stride

    def forward(self, input: Tensor) -> Any:
        places = self.kernel_size, self.stride, self.padding, self.dilation
        return type(self).function(input, *places, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of each window."""

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        counted = self.ceil_mode, self.count_include_pad, self.divisor_override
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, *counted)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"
