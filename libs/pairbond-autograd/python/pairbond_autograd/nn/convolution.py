"""Modules of windows times weights."""

from __future__ import annotations

import math

from .._create import empty
from .._pairbond_autograd import DType, Tensor
from . import functional as F
from . import init
from ._sizes import Size, spread
from .module import Module
from .parameter import Parameter


class _Convolution(Module):
    """The settings that all kinds have, and their weights."""

    rank: int
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
        if padding_mode != "zeros":
            raise ValueError(f"padding_mode must be 'zeros', but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.padding_mode = spread(kernel_size, self.rank), padding_mode
        self.padding: str | tuple[int, ...] = padding if isinstance(padding, str) else spread(padding, self.rank)
        self.weight = Parameter(
            empty(out_channels, in_channels // groups, *self.kernel_size, device=device, dtype=dtype)
        )
        self.register_parameter("bias", Parameter(empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begins anew: the more inputs, the smaller."""
        inputs = self.weight.shape[1] * math.prod(self.kernel_size)
        bound = 1 / math.sqrt(inputs) if inputs else 0.0
        for parameter in self.parameters(False):
            init.uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        nothing = (0,) * self.rank
        if self.padding != nothing:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.rank:
            text += f", dilation={self.dilation}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text


class Conv1d(_Convolution):
    """Convolution along one dimension."""

    rank = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Convolution):
    """Convolution of images with several channels."""

    rank = 2

    def forward(self, input: Tensor) -> Tensor:
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
