"""The images, and which of them are kept from the network."""

from __future__ import annotations

import gzip
from pathlib import Path

import pairbond_autograd as torch
from pairbond_autograd.utils.data import TensorDataset

SIDE = 8
BRIGHTEST = 16
SAMPLE = 1 + SIDE * SIDE
# Every so many-th image is only for judging.
HELD_OUT = 5


def read() -> tuple[TensorDataset, TensorDataset]:
    """What to learn from, and what to judge by."""
    raw = gzip.decompress(Path(__file__).with_name("digits.bin.gz").read_bytes())
    samples = [raw[start : start + SAMPLE] for start in range(0, len(raw), SAMPLE)]
    judged = samples[HELD_OUT - 1 :: HELD_OUT]
    learned = [sample for number, sample in enumerate(samples, 1) if number % HELD_OUT]
    return dataset(learned), dataset(judged)


def dataset(samples: list[bytes]) -> TensorDataset:
    """Images of one channel from 0 to 1, and their labels."""
    pixels = torch.tensor([[*sample[1:]] for sample in samples], dtype=torch.float32) / BRIGHTEST
    labels = torch.tensor([sample[0] for sample in samples])
    return TensorDataset(pixels.reshape(-1, 1, SIDE, SIDE), labels)
