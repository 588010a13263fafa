"""`save` and `load`: whatever Python can pickle, with tensors in it, as checkpoints of training are.

A file is one pickle. Storages lie in it as bytes, each once, so that tensors which share memory do so afterwards, and
reading needs to call nothing but what is named here.
"""

from __future__ import annotations

import importlib
import io
import os
import pickle
from collections import OrderedDict
from typing import IO, Any

import pairbond

from . import _pairbond_autograd as _native
from . import _tensor
from ._pairbond_autograd import DType, Storage, Tensor

__all__ = ["load", "save"]

_File = str | os.PathLike[str] | IO[bytes]
#: What `load` looks up by name, unless it is told that the file may run anything.
_HARMLESS = {
    (it.__module__, it.__qualname__): it
    for it in (OrderedDict, Tensor, DType, _tensor._rebuild, set, frozenset, complex, bytearray)
}
#: The same, of modules that need this one.
_LATER = {
    ("pairbond_autograd._sizes", "Size"),
    ("pairbond_autograd._devices", "device"),
    ("pairbond_autograd.nn.parameter", "Parameter"),
}
#: What dtypes are to `memoryview`.
_FORMATS: dict[str, Any] = {"float32": "f", "float64": "d", "int64": "q", "bool": "?"}


class _Pickler(pickle.Pickler):
    def __init__(self, file: Any, protocol: int) -> None:
        super().__init__(file, protocol)
        self._storages: dict[int, tuple[Storage, tuple[Any, ...]]] = {}

    def persistent_id(self, obj: Any) -> Any:
        if not isinstance(obj, Storage):
            return None
        if id(obj) not in self._storages:
            numbers = obj._copy()
            told = ("storage", len(self._storages), str(numbers.dtype), bytes(numbers))
            self._storages[id(obj)] = (obj, told)
        # The same object each time, which pickle writes once.
        return self._storages[id(obj)][1]


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, weights_only: bool) -> None:
        super().__init__(file)
        self._weights_only = weights_only
        self._storages: dict[int, Storage] = {}

    def persistent_load(self, pid: Any) -> Storage:
        kind, number, dtype, data = pid
        if kind != "storage" or dtype not in _FORMATS:
            raise pickle.UnpicklingError(f"this is no storage: {kind!r} of {dtype!r}")
        if number not in self._storages:
            numbers = pairbond.Array(memoryview(bytearray(data)).cast(_FORMATS[dtype]))
            self._storages[number] = _native._make_storage(numbers)
        return self._storages[number]

    def find_class(self, module: str, name: str) -> Any:
        if not self._weights_only:
            return super().find_class(module, name)
        if (module, name) in _LATER:
            return getattr(importlib.import_module(module), name)
        if (module, name) in _HARMLESS:
            return _HARMLESS[module, name]
        raise pickle.UnpicklingError(
            f"Weights only load failed: the file wants {module}.{name}. "
            "With weights_only=False it is loaded, and may run anything: do so only if you trust the file."
        )


def save(obj: object, f: _File, pickle_module: object = None, pickle_protocol: int = 4) -> None:
    """Writes an object to a path or a file: tensors, without history and gradient, and what else Python can pickle.

    It is written to memory first, so that a file is not touched by what cannot be written.
    """
    del pickle_module
    if not (hasattr(f, "write") or isinstance(f, (str, os.PathLike))):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    memory = io.BytesIO()
    _Pickler(memory, max(pickle_protocol, 2)).dump(obj)
    if not isinstance(f, (str, os.PathLike)):
        f.write(memory.getvalue())
        return
    with open(f, "wb") as file:
        file.write(memory.getvalue())


def load(f: _File, map_location: Any = None, pickle_module: object = None, *, weights_only: bool = True) -> Any:
    """What `save` wrote. Tensors, numbers, texts and containers of them; anything else only without `weights_only`.

    A file may be made to run whatever its author likes when it is loaded with `weights_only=False`.
    """
    del map_location, pickle_module  # there is one device, and one way to read
    if not (hasattr(f, "read") or isinstance(f, (str, os.PathLike))):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'read' attribute")
    if not isinstance(f, (str, os.PathLike)):
        return _Unpickler(f, weights_only).load()
    with open(f, "rb") as file:
        return _Unpickler(file, weights_only).load()
