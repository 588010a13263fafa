"""`DataLoader`: the samples of a dataset in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .collate import default_collate
from .dataset import TensorDataset
from .progress import progress as shown
from .sampler import BatchSampler, RandomSampler, SequentialSampler


class DataLoader:
    """The samples of a dataset in batches.

    They come in another order each time if `shuffle`, with a progress bar of that name if `progress` is said. All
    is done in this process.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Sequence[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        progress: str | None = None,
    ) -> None:
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if num_workers:
            raise NotImplementedError("there are no worker processes: use num_workers=0")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if persistent_workers:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = RandomSampler(dataset) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.batch_size, self.drop_last, self.num_workers = dataset, batch_size, drop_last, num_workers
        self.sampler, self.batch_sampler, self.pin_memory = sampler, batch_sampler, pin_memory
        batched = batch_size is not None or batch_sampler is not None
        self._plain = collate_fn is None
        self.collate_fn = collate_fn or (default_collate if batched else lambda sample: sample)
        self.generator, self.progress = generator, progress

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]

    def _all(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            return (self.collate_fn(self.dataset[number]) for number in self.sampler or ())
        if self._plain and type(self.dataset) is TensorDataset:
            return ([*self.dataset.batch(numbers)] for numbers in self.batch_sampler)
        return (self.collate_fn([self.dataset[number] for number in numbers]) for numbers in self.batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        return self._all() if self.progress is None else shown(self._all(), len(self), self.progress)
