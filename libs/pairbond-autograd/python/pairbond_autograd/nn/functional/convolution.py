"""Windows times weights, of one dimension and of two."""

from __future__ import annotations

from collections.abc import Sequence

from ..._pairbond_autograd import Tensor, _pad
from ..._pairbond_autograd import conv2d as _conv2d
from .._sizes import Size, spread


def around(kernel_size: Sequence[int], dilation: Sequence[int]) -> list[int]:
    """What `padding='same'` adds: pairs, the last dimension's first, with the larger half behind."""
    pads: list[int] = []
    for size, step in zip(reversed(kernel_size), reversed(dilation), strict=True):
        total = step * (size - 1)
        pads += [total // 2, total - total // 2]
    return pads


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of images with several channels. `padding` may be "valid" (none) or "same" (the size stays)."""
    if input.ndim not in (3, 4):
        raise RuntimeError(
            f"Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: {list(input.shape)}"
        )
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if min(spread(stride)) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(spread(dilation)) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(spread(dilation))}")
    if padding == "same":
        if spread(stride) != (1, 1):
            raise RuntimeError("padding='same' is not supported for strided convolutions")
        input, padding = _pad(input, around(weight.shape[2:], spread(dilation)), 0.0), 0
    elif padding == "valid":
        padding = 0
    elif isinstance(padding, str):
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if min(spread(padding)) < 0:
        raise RuntimeError("negative padding is not supported")
    return _conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size | str = 0,
    dilation: Size = 1,
    groups: int = 1,
) -> Tensor:
    """As `conv2d`, along one dimension."""
    if input.ndim not in (2, 3) or weight.ndim != 3:
        raise RuntimeError(
            f"Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: {list(input.shape)}"
        )
    pads = padding if isinstance(padding, str) else (0, *spread(padding, 1))
    steps, dilations = (1, *spread(stride, 1)), (1, *spread(dilation, 1))
    return conv2d(input.unsqueeze(-2), weight.unsqueeze(-2), bias, steps, pads, dilations, groups).squeeze(-2)
