"""Samples by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from ..._pairbond_autograd import DType, Tensor

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Samples by number: subclasses define `__getitem__`, and most of them `__len__`."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors whose first dimension counts samples."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].shape[0] != tensor.shape[0] for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def batch(self, indices: Sequence[int]) -> tuple[Tensor, ...]:
        """Several samples at once."""
        chosen = Tensor(list(indices), dtype=DType.int64)
        return tuple(tensor.index_select(0, chosen) for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])
