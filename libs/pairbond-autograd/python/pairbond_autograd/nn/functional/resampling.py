"""Images of another size."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..._pairbond_autograd import DType, Tensor
from ..._sizes import enough_memory

_RANKS = {"nearest": (3, 4, 5), "nearest-exact": (3, 4, 5), "linear": (3,), "bilinear": (4,)}


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """All dimensions but the first two in another size: the nearest element, or between two along each dimension."""
    if mode not in _RANKS or input.ndim not in _RANKS[mode]:
        raise NotImplementedError(
            f"Got {input.ndim}D input and mode {mode!r}: there are 'nearest' and 'nearest-exact' of any, 'linear' of "
            "3D and 'bilinear' of 4D input"
        )
    if mode.startswith("nearest") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    rank = input.ndim - 2
    scales: list[float | None] = [None] * rank
    if size is not None:
        sizes = [size] * rank if isinstance(size, int) else [*size]
    elif scale_factor is not None:
        factors = [scale_factor] * rank if isinstance(scale_factor, (int, float)) else [*scale_factor]
        sizes = [math.floor(long * factor) for long, factor in zip(input.shape[2:], factors, strict=True)]
        scales = [None if recompute_scale_factor else 1 / factor for factor in factors]
    else:
        raise ValueError("either size or scale_factor should be defined")
    for axis, (target, scale) in enumerate(zip(sizes, scales, strict=True), 2):
        enough_memory(4 * target)
        step = input.shape[axis] / target if scale is None else scale
        if mode.startswith("nearest"):
            input = _nearest(input, axis, target, step, 0.5 if mode == "nearest-exact" else 0.0)
        else:
            input = _between(input, axis, target, step, bool(align_corners))
    return input


def _indices(places: list[int]) -> Tensor:
    return Tensor(places, dtype=DType.int64)


def _nearest(input: Tensor, axis: int, target: int, step: float, shift: float) -> Tensor:
    last = input.shape[axis] - 1
    return input.index_select(axis, _indices([min(int((i + shift) * step), last) for i in range(target)]))


def _between(input: Tensor, axis: int, target: int, step: float, corners: bool) -> Tensor:
    last = input.shape[axis] - 1
    if corners:
        places = [i * last / (target - 1) if target > 1 else 0.0 for i in range(target)]
    else:
        places = [max((i + 0.5) * step - 0.5, 0.0) for i in range(target)]
    before = [min(int(place), last) for place in places]
    behind = [min(low + 1, last) for low in before]
    parts = Tensor([place - low for place, low in zip(places, before, strict=True)], dtype=input.dtype)
    parts = parts.reshape(-1, *[1] * (input.ndim - axis - 1))
    low, high = input.index_select(axis, _indices(before)), input.index_select(axis, _indices(behind))
    return low + (high - low) * parts


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels become pixels."""
    *batch, channels, height, width = input.shape
    side = upscale_factor
    if channels % (side * side):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {side * side}"
        )
    parts = input.reshape(-1, channels // side**2, side, side, height, width).permute(0, 1, 4, 2, 5, 3)
    return parts.reshape(*batch, channels // side**2, height * side, width * side)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Pixels become channels."""
    *batch, channels, height, width = input.shape
    side = downscale_factor
    parts = input.reshape(-1, channels, height // side, side, width // side, side).permute(0, 1, 3, 5, 2, 4)
    return parts.reshape(*batch, channels * side**2, height // side, width // side)
