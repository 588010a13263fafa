"""Batches of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..._create import as_tensor
from ..._pairbond_autograd import DType, Tensor, stack, tensor


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch of samples: tensors on each other, numbers as a tensor, tuples and dicts part by part."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, float):
        return Tensor(list(batch), dtype=DType.float64)
    if isinstance(first, (bool, int)):
        return tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return list(batch)
    if type(first).__module__ == "numpy":
        return stack([as_tensor(sample) for sample in batch])
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )
