"""What is useful around training."""

from . import data as data
