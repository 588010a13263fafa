"""Modules of windows times weights."""

from __future__ import annotations

import math
from typing import Any

from .._create import empty
from .._pairbond_autograd import DType, Tensor
from . import functional as F
from . import init
from ._sizes import Size, spread
from ._texts import size_text
from .functional.convolution import around
from .module import Module
from .parameter import Parameter

_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Module):
    """The settings that all kinds have, and their weights."""

    rank: int
    transposed = False
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size | str = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: object = None,
        dtype: DType | None = None,
        output_padding: Size = 0,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        self.stride, self.dilation = spread(stride, self.rank), spread(dilation, self.rank)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string '{padding}', should be one of {{'valid', 'same'}}")
            if padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            modes = "{" + ", ".join(map(repr, _MODES)) + "}"
            raise ValueError(f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.padding_mode = spread(kernel_size, self.rank), padding_mode
        self.padding: str | tuple[int, ...] = padding if isinstance(padding, str) else spread(padding, self.rank)
        self.output_padding = spread(output_padding, self.rank)
        first, second = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = Parameter(empty(first, second // groups, *self.kernel_size, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begins anew: the more inputs, the smaller."""
        inputs = self.weight.shape[1] * math.prod(self.kernel_size)
        bound = 1 / math.sqrt(inputs) if inputs else 0.0
        for parameter in self.parameters(False):
            init.uniform_(parameter, -bound, bound)

    def _numbers(self) -> tuple[int, ...]:
        """The padding, if it does not depend on the window."""
        return (0,) * self.rank if isinstance(self.padding, str) else self.padding

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """What the window goes over, and what is still to be added around it."""
        if self.padding_mode == "zeros":
            return input, self.padding
        if self.padding == "same":
            pads = around(self.kernel_size, self.dilation)
        else:
            pads = [pad for pad in reversed(self._numbers()) for _ in range(2)]
        return F.pad(input, pads, self.padding_mode), 0

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        nothing = (0,) * self.rank
        if self.padding != nothing:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.rank:
            text += f", dilation={self.dilation}"
        if self.output_padding != nothing:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class Conv1d(_Convolution):
    """Convolution along one dimension."""

    rank = 1

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self._padded(input)
        return F.conv1d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_Convolution):
    """Convolution of images with several channels."""

    rank = 2

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self._padded(input)
        return F.conv2d(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class _Transposed(_Convolution):
    """What the gradient of a convolution does."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        sizes = in_channels, out_channels, kernel_size, stride, padding, dilation
        super().__init__(*sizes, groups, bias, padding_mode, device, dtype, output_padding)

    def _more(self, input: Tensor, output_size: Size | None) -> tuple[int, ...]:
        """How much has to be added behind, so that the result is of a size."""
        if output_size is None:
            return self.output_padding
        wanted = spread(output_size, self.rank)[-self.rank :]
        settings = self.stride, self._numbers(), self.dilation, self.kernel_size
        least = [
            (size - 1) * step - 2 * pad + gap * (window - 1) + 1
            for size, step, pad, gap, window in zip(input.shape[-self.rank :], *settings, strict=True)
        ]
        most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {least} to {most} (for an input "
                f"of {size_text(input.shape[-self.rank :])})"
            )
        return tuple(size - low for size, low in zip(wanted, least, strict=True))


class ConvTranspose1d(_Transposed):
    """The opposite of `Conv1d`, as to shapes."""

    rank = 1

    def forward(self, input: Tensor, output_size: Size | None = None) -> Tensor:
        more = self._more(input, output_size)
        settings = self.stride, self._numbers(), more, self.groups, self.dilation
        return F.conv_transpose1d(input, self.weight, self.bias, *settings)


class ConvTranspose2d(_Transposed):
    """The opposite of `Conv2d`, as to shapes."""

    rank = 2

    def forward(self, input: Tensor, output_size: Size | None = None) -> Tensor:
        more = self._more(input, output_size)
        settings = self.stride, self._numbers(), more, self.groups, self.dilation
        return F.conv_transpose2d(input, self.weight, self.bias, *settings)
