"""How far things are from each other."""

from __future__ import annotations

from collections.abc import Callable

from ..._pairbond_autograd import Tensor, _where
from ..._products import norm
from .reduction import reduced


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors."""
    lengths = norm(x1, 2, dim, True).clamp(min=eps), norm(x2, 2, dim, True).clamp(min=eps)
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The norm of the difference of vectors."""
    return norm(x1 - x2 + eps, p, -1, keepdim)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """The cosine should be 1 where the target is 1, and no more than a margin where it is -1."""
    cosine = cosine_similarity(input1, input2, -1)
    return reduced(_where(target.eq(1), 1 - cosine, (cosine - margin).clamp(min=0)), reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """The positive should be nearer to the anchor than the negative, by a margin."""

    def distance(one: Tensor, other: Tensor) -> Tensor:
        return pairwise_distance(one, other, p, eps)

    return triplet_margin_with_distance_loss(
        anchor, positive, negative, distance_function=distance, margin=margin, swap=swap, reduction=reduction
    )


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """As `triplet_margin_loss`, for any distance."""
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced((near - far + margin).clamp(min=0), reduction)
