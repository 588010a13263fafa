"""Sums of products, and rows of tables."""

from __future__ import annotations

from ..._pairbond_autograd import DType, Tensor, _arange, _embedding, _linear, _where


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`"""
    return _linear(input, weight, bias)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input1 @ weight[k] @ input2` for each k, and a bias."""
    outputs, first, second = weight.shape
    inner = _linear(input1, weight.transpose(1, 2).reshape(outputs * second, first))
    out = (inner.reshape(*input1.shape[:-1], outputs, second) * input2.unsqueeze(-2)).sum(-1)
    return out if bias is None else out + bias


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Rows of `weight`, one for each number. The row of `padding_idx` gets no gradient."""
    rows = _embedding(weight, input)
    if padding_idx is None:
        return rows
    if not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return _where(input.eq(padding_idx % weight.shape[0]).unsqueeze(-1), rows.detach(), rows)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A one at the place of each class, zeros elsewhere."""
    if tensor.dtype != DType.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return Tensor([0], dtype=DType.int64).expand(0).reshape(*tensor.shape, num_classes)
    if (tensor < 0).any():
        raise RuntimeError("Class values must be non-negative.")
    largest = int(tensor.max().item())
    if num_classes == -1:
        num_classes = largest + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return tensor.unsqueeze(-1).eq(_arange(0, num_classes, 1)).long()
