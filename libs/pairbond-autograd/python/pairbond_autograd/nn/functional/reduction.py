"""How the losses of elements become one."""

from __future__ import annotations

from ..._pairbond_autograd import Tensor


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """The mean, the sum, or the losses themselves."""
    match reduction:
        case "mean":
            return losses.mean()
        case "sum":
            return losses.sum()
        case "none":
            return losses
    raise ValueError(f"{reduction} is not a valid value for reduction")
