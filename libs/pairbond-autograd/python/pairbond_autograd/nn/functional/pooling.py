"""One number for each window."""

from __future__ import annotations

from collections.abc import Sequence

from ..._pairbond_autograd import Tensor, _max_pool2d, _pad, cat, conv2d, stack
from ..._sizes import enough_memory
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


def max_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """As `max_pool2d`, along one dimension."""
    step = kernel_size if stride is None else stride
    window, steps, pads, dilations = (spread(it, 1) for it in (kernel_size, step, padding, dilation))
    image = input.unsqueeze(-2)
    values, places = _max_pool2d(image, (1, *window), (1, *steps), (0, *pads), (1, *dilations), ceil_mode)
    return (values.squeeze(-2), places.squeeze(-2)) if return_indices else values.squeeze(-2)


def avg_pool1d(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """As `avg_pool2d`, along one dimension."""
    window = spread(kernel_size, 1)
    steps = window if stride is None else spread(stride, 1)
    image = input.unsqueeze(-2)
    pads = (0, *spread(padding, 1))
    return avg_pool2d(image, (1, *window), (1, *steps), pads, ceil_mode, count_include_pad).squeeze(-2)


def _parts(size: int, count: int) -> list[tuple[int, int]]:
    """Where so many windows begin and end that together they are all of a dimension."""
    enough_memory(16 * count)
    return [(number * size // count, -(-(number + 1) * size // count)) for number in range(count)]


def _outputs(input: Tensor, output_size: int | Sequence[int | None] | None, count: int) -> list[int]:
    """As many windows as are asked for, or as there are elements."""
    sizes = [output_size] * count if output_size is None or isinstance(output_size, int) else [*output_size]
    return [input.shape[axis - count] if size is None else size for axis, size in enumerate(sizes)]


def _means(input: Tensor, dim: int, count: int) -> Tensor:
    """The means of windows along a dimension."""
    if count == 1:
        return input.mean(dim, True)
    means = [input.narrow(dim, start, end - start).mean(dim, True) for start, end in _parts(input.shape[dim], count)]
    return cat(means, dim)


def adaptive_avg_pool1d(input: Tensor, output_size: Size) -> Tensor:
    """So many means, of windows of one size, nearly."""
    return _means(input, -1, _outputs(input, output_size, 1)[0])


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """So many means along both dimensions, of windows of one size, nearly."""
    rows, columns = _outputs(input, output_size, 2)
    return _means(_means(input, -1, columns), -2, rows)


def adaptive_max_pool2d(
    input: Tensor, output_size: int | Sequence[int | None] | None, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """So many largest elements along both dimensions, of windows of one size, nearly."""
    rows, columns = _outputs(input, output_size, 2)
    height, width = input.shape[-2:]
    values, places = [], []
    for top, bottom in _parts(height, rows):
        for left, right in _parts(width, columns):
            window = input.narrow(-2, top, bottom - top).narrow(-1, left, right - left)
            value, place = window.flatten(-2).max(-1)
            values.append(value)
            across = right - left
            places.append((place.floor_divide(across) + top) * width + place.remainder(across) + left)
    shape = (*input.shape[:-2], rows, columns)
    largest = stack(values, -1).reshape(shape)
    return (largest, stack(places, -1).reshape(shape)) if return_indices else largest


def adaptive_max_pool1d(
    input: Tensor, output_size: Size, return_indices: bool = False
) -> Tensor | tuple[Tensor, Tensor]:
    """So many largest elements, of windows of one size, nearly."""
    values, places = adaptive_max_pool2d(input.unsqueeze(-2), (1, *spread(output_size, 1)), True)
    return (values.squeeze(-2), places.squeeze(-2)) if return_indices else values.squeeze(-2)


def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
) -> Tensor:
    """The norm of each window."""
    window = spread(kernel_size)
    means = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    sums = means * float(window[0] * window[1])
    return (sums.sign() * sums.abs().relu()).pow(1.0 / norm_type)
