"""Modules that compute."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .._pairbond_autograd import DType, Tensor, _normal, _uniform, conv2d
from . import functional as F
from .module import Module
from .parameter import Parameter

Size = int | Sequence[int]


def _pair(size: Size) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


def _bounded(shape: Sequence[int], inputs: int, dtype: DType) -> Parameter:
    """As PyTorch begins: the more inputs, the smaller."""
    bound = 1 / math.sqrt(inputs) if inputs else 0.0
    return Parameter(_uniform(list(shape), -bound, bound, dtype))


class Linear(Module):
    """`x @ weight.T + bias`"""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: DType = DType.float32) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = _bounded((out_features, in_features), in_features, dtype)
        if bias:
            self.bias = _bounded((out_features,), in_features, dtype)
        else:
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Conv2d(Module):
    """Convolution of images with several channels."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: DType = DType.float32,
    ) -> None:
        super().__init__()
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of {'zeros', 'reflect', 'replicate', 'circular'}, but got "
                f"padding_mode='{padding_mode}'"
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.padding_mode = padding_mode
        self.kernel_size, self.stride = _pair(kernel_size), _pair(stride)
        self.padding, self.dilation = _pair(padding), _pair(dilation)
        inputs = in_channels // groups * math.prod(self.kernel_size)
        self.weight = _bounded((out_channels, in_channels // groups, *self.kernel_size), inputs, dtype)
        if bias:
            self.bias = _bounded((out_channels,), inputs, dtype)
        else:
            self.register_parameter("bias", None)

    def forward(self, input: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            (down, right), mode = self.padding, self.padding_mode
            padded = F.pad(input, (right, right, down, down), mode)
            return conv2d(padded, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)
        return conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        return text + (f", padding={self.padding}" if any(self.padding) else "")


class MaxPool2d(Module):
    """The largest element of each window."""

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
        return F.max_pool2d(input, *places, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}"


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


class Flatten(Module):
    """Dimensions as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    """While training, some elements become zero."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Embedding(Module):
    """Rows of a table that is learned."""

    def __init__(self, num_embeddings: int, embedding_dim: int, dtype: DType = DType.float32) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(_normal([num_embeddings, embedding_dim], 0.0, 1.0, dtype))

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"


class LayerNorm(Module):
    """With mean 0 and variance 1 over the last dimensions, then as is learned."""

    def __init__(self, normalized_shape: Size, eps: float = 1e-5, dtype: DType = DType.float32) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = Parameter(_uniform(list(self.normalized_shape), 1.0, 1.0, dtype))
        self.bias = Parameter(_uniform(list(self.normalized_shape), 0.0, 0.0, dtype))

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class _Activation(Module):
    """A function without anything to learn."""

    def forward(self, input: Tensor) -> Tensor:
        result: Tensor = getattr(F, type(self).__name__.lower())(input)
        return result


class ReLU(_Activation):
    """Nothing below zero."""


class GELU(_Activation):
    """`x` times the part of a normal distribution below it."""


class SiLU(_Activation):
    """`x` times its sigmoid."""


class Sigmoid(_Activation):
    """From 0 to 1."""


class Tanh(_Activation):
    """From -1 to 1."""


class Softplus(_Activation):
    """The logarithm of `1 + exp(x)`."""


class Identity(Module):
    """What comes."""

    def forward(self, input: Tensor) -> Tensor:
        return input


class Softmax(Module):
    """What adds up to 1 along a dimension."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return input.softmax(self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Sequential(Module):
    """One after the other."""

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = isinstance(modules[0], OrderedDict) if len(modules) == 1 else False
        pairs: Iterable[tuple[Any, Module]] = modules[0].items() if named else enumerate(modules)
        for name, module in pairs:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        for module in self.children():
            input = module(input)
        return input

    def append(self, module: Module) -> Sequential:
        self.add_module(str(len(self)), module)
        return self

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __getitem__(self, index: int) -> Module:
        return [*self.children()][index]


class ModuleList(Sequential):
    """Modules that somebody else calls."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__(*modules)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError('Module [ModuleList] is missing the required "forward" function')
