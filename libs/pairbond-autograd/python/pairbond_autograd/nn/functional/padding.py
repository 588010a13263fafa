"""More numbers around what there is."""

from __future__ import annotations

from collections.abc import Sequence

from ..._pairbond_autograd import DType, Tensor, _pad
from ..._sizes import enough_memory


def _around(mode: str, place: int, size: int) -> int:
    """Which element stands at a place that may be before or behind all."""
    match mode:
        case "replicate":
            return min(max(place, 0), size - 1)
        case "circular":
            return place % size
    return size - 1 - abs(size - 1 - abs(place))


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """With numbers around the last dimensions: pairs, the last dimension's first.

    `mode` is "constant" (of `value`), "reflect" (at the outermost elements), "replicate" (these) or "circular".
    """
    if mode == "constant":
        return _pad(input, list(pad), value or 0.0)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise RuntimeError(f"padding of {len(pad)} numbers for {input.ndim} dimensions")
    for dim, sizes in enumerate(zip(pad[::2], pad[1::2], strict=True), 1):
        size = input.shape[-dim]
        most = {"reflect": size - 1, "circular": size}.get(mode, max(sizes))
        if max(sizes) > most or size == 0:
            raise RuntimeError(
                f"Padding size should be less than the corresponding input dimension, but got: padding {sizes} at "
                f"dimension {input.ndim - dim} of input {list(input.shape)}"
            )
        enough_memory(size + sum(sizes))
        places = [_around(mode, place, size) for place in range(-sizes[0], size + sizes[1])]
        input = input.index_select(-dim, Tensor(places, dtype=DType.int64))
    return input
