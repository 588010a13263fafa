"""One number for each window."""

from __future__ import annotations

from ..._pairbond_autograd import Tensor, _max_pool2d, _pad, conv2d
from .._sizes import Size, spread


def max_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The largest element of each window."""
    values, places = _max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, places) if return_indices else values


def avg_pool2d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window, with zeros around the image, which count or do not."""
    window, pads = spread(kernel_size), spread(padding)
    strides = window if stride is None else spread(stride)
    if any(2 * pad > size for pad, size in zip(pads, window, strict=True)):
        raise RuntimeError("pad should be at most half of effective kernel size")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    channels, image = input.shape[-3], input.shape[-2:]
    # How far windows go beyond the padding.
    beyond = [0, 0]
    for axis in range(2) if ceil_mode else ():
        left = image[axis] + 2 * pads[axis] - window[axis]
        count = -(-left // strides[axis])
        if count * strides[axis] >= image[axis] + pads[axis]:
            count -= 1
        beyond[axis] = max(count * strides[axis] - left, 0)
    around = [pads[1], pads[1] + beyond[1], pads[0], pads[0] + beyond[0]]

    def total(images: Tensor, channels: int) -> Tensor:
        ones = Tensor([1.0], dtype=input.dtype).expand(channels * window[0] * window[1])
        return conv2d(images, ones.reshape(channels, 1, *window), None, strides, 0, 1, channels)

    sums = total(_pad(input, around, 0.0) if any(around) else input, channels)
    if divisor_override is not None or not any(around) or (count_include_pad and not any(beyond)):
        return sums / (divisor_override or window[0] * window[1])
    # How many numbers each window has.
    counted = [image[axis] + (2 * pads[axis] if count_include_pad else 0) for axis in range(2)]
    ones = Tensor([1.0], dtype=input.dtype).expand(counted[0] * counted[1]).reshape(1, *counted)
    rest = [0, beyond[1], 0, beyond[0]] if count_include_pad else around
    return sums / total(_pad(ones, rest, 0.0), 1)
