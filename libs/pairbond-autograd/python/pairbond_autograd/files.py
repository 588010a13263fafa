"""Tensors in files, in the format safetensors."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ._pairbond_autograd import Tensor, _load_file, _save_file


def save_file(
    tensors: Mapping[str, Tensor], filename: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> None:
    """Writes tensors under names, and texts about them."""
    _save_file(filename, dict(tensors), None if metadata is None else dict(metadata))


def load_file(filename: str | os.PathLike[str]) -> dict[str, Tensor]:
    """The tensors of a file by name, in memory of their own."""
    return dict(_load_file(filename)[0])


def load_metadata(filename: str | os.PathLike[str]) -> dict[str, str]:
    """The texts of a file."""
    return dict(_load_file(filename)[1])
