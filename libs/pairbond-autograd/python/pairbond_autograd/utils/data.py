"""Samples in batches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .._pairbond_autograd import DType, Tensor, _uniform, stack, tensor


class Dataset:
    """Samples by number: subclasses define `__getitem__` and `__len__`."""

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


class TensorDataset(Dataset):
    """Tensors whose first dimension counts samples."""

    def __init__(self, *tensors: Tensor) -> None:
        if len({len(tensor) for tensor in tensors}) > 1:
            raise ValueError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        return tuple(tensor.select(0, index) for tensor in self.tensors)

    def batch(self, indices: Sequence[int]) -> tuple[Tensor, ...]:
        """Several samples at once."""
        chosen = Tensor(list(indices), dtype=DType.int64)
        return tuple(tensor.index_select(0, chosen) for tensor in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


def default_collate(samples: Sequence[Any]) -> Any:
    """A batch of samples: tensors on each other, numbers as a tensor, tuples and dicts part by part."""
    first = samples[0]
    if isinstance(first, Tensor):
        return stack(list(samples))
    if isinstance(first, (bool, int, float)):
        return tensor(list(samples))
    if isinstance(first, (tuple, list)):
        return type(first)(default_collate(part) for part in zip(*samples, strict=True))
    if isinstance(first, dict):
        return {key: default_collate([sample[key] for sample in samples]) for key in first}
    return list(samples)


def progress(items: Iterable[Any], total: int, text: str) -> Iterator[Any]:
    """Shows on stderr how far it is: with tqdm where that is installed."""
    try:
        from tqdm import tqdm  # type: ignore[import-untyped]
    except ImportError:
        return _plain(items, total, text)
    return iter(tqdm(items, total=total, desc=text, leave=False, file=sys.stderr))


def _plain(items: Iterable[Any], total: int, text: str) -> Iterator[Any]:
    width = 30
    for number, item in enumerate(items, 1):
        yield item
        if sys.stderr.isatty():
            bar = ("#" * (width * number // max(total, 1))).ljust(width)
            print(f"\r{text} |{bar}| {number}/{total}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class DataLoader:
    """The samples of a dataset in batches.

    They come in another order each time if `shuffle`, with a progress bar of that name if `progress` is said.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        *,
        drop_last: bool = False,
        collate_fn: Callable[[Sequence[Any]], Any] | None = None,
        progress: str | None = None,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.collate_fn, self.progress = collate_fn, progress

    def __len__(self) -> int:
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def _batches(self) -> Iterator[Any]:
        count = len(self.dataset)
        order = _uniform([count], 0.0, 1.0, DType.float64).argsort().tolist() if self.shuffle else range(count)
        for number in range(len(self)):
            chosen = order[number * self.batch_size : (number + 1) * self.batch_size]
            if self.collate_fn is None and isinstance(self.dataset, TensorDataset):
                yield self.dataset.batch(chosen)
            else:
                yield (self.collate_fn or default_collate)([self.dataset[index] for index in chosen])

    def __iter__(self) -> Iterator[Any]:
        return self._batches() if self.progress is None else progress(self._batches(), len(self), self.progress)
