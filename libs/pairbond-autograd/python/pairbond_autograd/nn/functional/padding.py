"""More numbers around what there is."""

from __future__ import annotations

from collections.abc import Sequence

from ..._pairbond_autograd import Tensor, _pad


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """With a number around the last dimensions: pairs, the last dimension's first."""
    if mode != "constant":
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    return _pad(input, list(pad), value or 0.0)
