"""Samples in batches."""

from .collate import default_collate as default_collate
from .dataset import Dataset as Dataset
from .dataset import TensorDataset as TensorDataset
from .loader import DataLoader as DataLoader
from .sampler import BatchSampler as BatchSampler
from .sampler import RandomSampler as RandomSampler
from .sampler import Sampler as Sampler
from .sampler import SequentialSampler as SequentialSampler
