"""What native code asks of objects that only Python understands."""

from __future__ import annotations

from typing import Any

import pairbond

__all__: list[str] = []


def _truth(given: Any) -> bool:
    return bool(given)


def _format(array: Any) -> str:
    """Returns what buffers call the elements of an array, or else what numpy does."""
    try:
        return memoryview(array).format
    except (TypeError, ValueError, BufferError):
        return str(array.dtype)


def _bits(array: Any) -> Any:
    """An array of numbers that buffers have no name for, as one of integers as large; None if it is no array."""
    dtype = getattr(array, "dtype", None)
    if dtype is None or not hasattr(array, "view"):
        return None
    if dtype.itemsize not in (1, 2, 4, 8) or dtype.hasobject:
        raise ValueError(f"unimplemented array format conversion from format: {_format(array)}")
    return pairbond.Array.of(array.view(f"u{dtype.itemsize}"))


pairbond.register_function("pairbond_ir.truth", _truth, True)
pairbond.register_function("pairbond_ir.bits", _bits, True)
