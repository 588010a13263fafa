"""What each query finds among keys."""

from __future__ import annotations

import math

from ..._pairbond_autograd import DType, Tensor, _uniform
from .dropout import dropout


def bias_of(mask: Tensor, dtype: DType) -> Tensor:
    """What to add to scores: minus infinity where a mask is true; other masks are numbers to add already."""
    if mask.dtype != DType.bool:
        return mask
    return _uniform(list(mask.shape), 0.0, 0.0, dtype).masked_fill(mask, -math.inf)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """Means of values, with the softmax of products of queries and keys for weights. A mask is true where to look."""
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("Explicit attn_mask should not be set when is_causal=True")
        attn_mask = _uniform([query.shape[-2], key.shape[-2]], 1.0, 1.0, query.dtype).tril().bool()
    if attn_mask is not None:
        scores = scores + bias_of(~attn_mask if attn_mask.dtype == DType.bool else attn_mask, query.dtype)
    return dropout(scores.softmax(-1), dropout_p) @ value
