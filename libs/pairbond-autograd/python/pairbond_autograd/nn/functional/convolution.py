"""Windows times weights, of one dimension and of two, and the opposite."""

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


def _apart(input: Tensor, dim: int, step: int) -> Tensor:
    """With zeros between the elements of a dimension, so that they are `step` places apart."""
    if step == 1:
        return input
    size, place = input.shape[dim], input.ndim + dim
    spaced = _pad(input.unsqueeze(place + 1), [0, 0] * (-dim - 1) + [0, step - 1], 0.0)
    flat = spaced.reshape(*input.shape[:place], size * step, *input.shape[place + 1 :])
    return flat.narrow(dim, 0, (size - 1) * step + 1)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """What the gradient of `conv2d` does: each element times the weights, added up where they overlap."""
    steps, pads, more, dilations = (spread(it) for it in (stride, padding, output_padding, dilation))
    if any(extra >= max(step, gap) for extra, step, gap in zip(more, steps, dilations, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got output_padding_height: "
            f"{more[0]} output_padding_width: {more[1]} stride_height: {steps[0]} stride_width: {steps[1]} "
            f"dilation_height: {dilations[0]} dilation_width: {dilations[1]}"
        )
    inputs, outputs, *window = weight.shape
    rest = [gap * (size - 1) - pad for gap, size, pad in zip(dilations, window, pads, strict=True)]
    spaced = _apart(_apart(input, -1, steps[1]), -2, steps[0])
    padded = _pad(spaced, [rest[1], rest[1] + more[1], rest[0], rest[0] + more[0]], 0.0)
    grouped = weight.reshape(groups, inputs // groups, outputs, *window).transpose(1, 2)
    turned = grouped.reshape(groups * outputs, inputs // groups, *window).flip(-2, -1)
    return _conv2d(padded, turned, bias, 1, 0, dilations, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Size = 1,
    padding: Size = 0,
    output_padding: Size = 0,
    groups: int = 1,
    dilation: Size = 1,
) -> Tensor:
    """As `conv_transpose2d`, along one dimension."""
    steps, pads = (1, *spread(stride, 1)), (0, *spread(padding, 1))
    more, dilations = (0, *spread(output_padding, 1)), (1, *spread(dilation, 1))
    images = input.unsqueeze(-2), weight.unsqueeze(-2)
    return conv_transpose2d(*images, bias, steps, pads, more, groups, dilations).squeeze(-2)
