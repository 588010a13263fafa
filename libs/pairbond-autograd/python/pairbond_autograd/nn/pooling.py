"""Modules of one number for each window, and of images of another size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._pairbond_autograd import Tensor
from . import functional as F
from ._sizes import Size, spread
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


class MaxPool1d(MaxPool2d):
    """As `MaxPool2d`, along one dimension."""

    function = staticmethod(F.max_pool1d)


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


class AvgPool1d(AvgPool2d):
    """As `AvgPool2d`, along one dimension."""

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        steps = spread(kernel_size if stride is None else stride, 1)
        super().__init__(spread(kernel_size, 1), steps, spread(padding, 1), ceil_mode, count_include_pad)

    def forward(self, input: Tensor) -> Tensor:
        counted = self.ceil_mode, self.count_include_pad
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, *counted)


class LPPool2d(Module):
    """The norm of each window."""

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class AdaptiveAvgPool2d(Module):
    """So many means along both dimensions."""

    function: Any = staticmethod(F.adaptive_avg_pool2d)

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        return type(self).function(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptiveAvgPool2d):
    """So many means."""

    function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveMaxPool2d(AdaptiveAvgPool2d):
    """So many largest elements along both dimensions."""

    function: Any = staticmethod(F.adaptive_max_pool2d)

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return type(self).function(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(AdaptiveMaxPool2d):
    """So many largest elements."""

    function = staticmethod(F.adaptive_max_pool1d)


class Upsample(Module):
    """Images of another size."""

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.mode, self.align_corners = size, mode, align_corners
        if scale_factor is None or isinstance(scale_factor, (int, float)):
            self.scale_factor: Any = None if scale_factor is None else float(scale_factor)
        else:
            self.scale_factor = tuple(float(factor) for factor in scale_factor)
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        rest = self.mode, self.align_corners, self.recompute_scale_factor
        return F.interpolate(input, self.size, self.scale_factor, *rest)

    def extra_repr(self) -> str:
        size = f"size={self.size!r}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{size}, mode={self.mode!r}"


class PixelShuffle(Module):
    """Channels become pixels."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"
