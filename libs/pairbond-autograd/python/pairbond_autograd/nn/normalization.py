"""Modules of means of 0 and variances of 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._create import ones, zeros
from .._pairbond_autograd import DType, Tensor
from . import functional as F
from . import init
from ._state import IncompatibleKeys
from .module import Module
from .parameter import Parameter


class _Scaled(Module):
    """What is learned of each element or channel: how much, and from where."""

    weight: Parameter | None
    bias: Parameter | None

    def _learn(
        self, shape: Sequence[int], weight: bool, bias: bool, device: object = None, dtype: DType | None = None
    ) -> None:
        self.register_parameter("weight", Parameter(ones(shape, device=device, dtype=dtype)) if weight else None)
        self.register_parameter("bias", Parameter(zeros(shape, device=device, dtype=dtype)) if bias else None)

    def reset_parameters(self) -> None:
        """Begins anew."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


def _whole(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(_Scaled):
    """With mean 0 and variance 1 over the last dimensions, then as is learned."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: object = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.eps, self.elementwise_affine = _whole(normalized_shape), eps, elementwise_affine
        self._learn(self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        text = f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        return f"{text}, bias={self.bias is not None}"


class _OfBatches(_Scaled):
    """What remembers the means and variances of batches."""

    ranks: tuple[int, ...]
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: object = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._learn((num_features,), affine, affine and bias, device, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("num_batches_tracked", zeros((), device=device, dtype=DType.int64) if tracked else None)

    def reset_running_stats(self) -> None:
        """Forgets all batches."""
        for buffer, value in ((self.running_mean, 0), (self.running_var, 1), (self.num_batches_tracked, 0)):
            if buffer is not None:
                buffer.fill_(value)

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def _load(
        self, state: Mapping[str, Any], prefix: str, assign: bool, keys: IncompatibleKeys, wrong: list[str]
    ) -> None:
        """Old states do not say how many batches there were."""
        super()._load(state, prefix, assign, keys, wrong)
        if f"{prefix}num_batches_tracked" in keys.missing_keys:
            keys.missing_keys.remove(f"{prefix}num_batches_tracked")

    def _check(self, input: Tensor) -> None:
        if input.ndim not in self.ranks:
            ranks = " or ".join(f"{rank}D" for rank in self.ranks)
            raise ValueError(f"expected {ranks} input (got {input.ndim}D input)")

    def extra_repr(self) -> str:
        settings = f"eps={self.eps}, momentum={self.momentum}, affine={self.affine}"
        settings += f", bias={self.bias is not None}"
        return f"{self.num_features}, {settings}, track_running_stats={self.track_running_stats}"


class _BatchNorm(_OfBatches):
    """With mean 0 and variance 1 over batches, then as is learned."""

    def forward(self, input: Tensor) -> Tensor:
        self._check(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean of all batches
                momentum = 1.0 / float(self.num_batches_tracked.item())
        of_batch = self.training or (self.running_mean is None and self.running_var is None)
        remembered = (self.running_mean, self.running_var) if not of_batch or self.track_running_stats else (None, None)
        return F.batch_norm(input, *remembered, self.weight, self.bias, of_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Of vectors, or of channels of one dimension."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Of channels of images."""

    ranks = (4,)
