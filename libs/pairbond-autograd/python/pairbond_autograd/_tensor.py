"""What a tensor does in terms of Python: sharing its numbers with numpy and others, copying, pickling."""

from __future__ import annotations

import contextlib
import copy
import importlib
from typing import TYPE_CHECKING, Any

from . import _pairbond_autograd as _native
from ._pairbond_autograd import Storage, Tensor, is_grad_enabled

if TYPE_CHECKING:
    import pairbond

__all__ = ["Tensor"]


def _module(name: str) -> Any:
    """Numpy is only there where somebody wants it."""
    return importlib.import_module(name)


def _numpy(self: Tensor, *, force: bool = False) -> Any:
    """An array of numpy that shares the numbers. With `force` also of a tensor that requires a gradient."""
    if self.requires_grad and is_grad_enabled() and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return _module("numpy").asarray(self._array())


def _as_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """What `numpy.asarray` asks for: the same memory, unless another dtype or a copy is wanted."""
    numpy, shared = _module("numpy"), _numpy(self)
    if copy is None or numpy.lib.NumpyVersion(numpy.__version__) < "2.0.0":
        return numpy.array(shared, dtype=dtype) if copy else numpy.asarray(shared, dtype=dtype)
    return numpy.asarray(shared, dtype=dtype, copy=copy)


def _dlpack(self: Tensor, **asked: Any) -> Any:
    """A capsule that shares the numbers with whatever understands DLPack."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self._array().__dlpack__(**asked)


def _dlpack_device(self: Tensor) -> tuple[int, int]:
    """The processor's memory."""
    return 1, 0


def _read_storage(numbers: pairbond.Array) -> Storage:
    return _native._make_storage(numbers)


def _reduce_storage(self: Storage, protocol: int) -> Any:
    return _read_storage, (self._copy(),)


def _deepcopy_storage(self: Storage, memo: dict[int, Any]) -> Storage:
    copied = memo[id(self)] = _native._make_storage(self._copy())
    return copied


def _rebuild(
    cls: type[Tensor],
    storage: Storage,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
    requires_grad: bool,
) -> Tensor:
    tensor = _native._rebuild(storage, shape, strides, offset)
    if cls is not Tensor:
        # Whatever arguments the class's own __init__ takes.
        instance = cls.__new__(cls)
        Tensor.__init__(instance, tensor)
        tensor = instance
    tensor.requires_grad = requires_grad
    return tensor


def _parts(self: Tensor) -> tuple[Any, ...]:
    return type(self), *self._parts(), self.requires_grad


def _reduce(self: Tensor, protocol: int) -> Any:
    """Tensors that share memory do so afterwards, if pickled together. History and gradient are left behind."""
    return _rebuild, _parts(self), dict(self.__dict__) or None


def _setstate(self: Tensor, state: dict[str, Any]) -> None:
    self.__dict__.update(state)


def _copy(self: Tensor) -> Tensor:
    """Another tensor of the same memory."""
    copied = _rebuild(*_parts(self))
    copied.__dict__.update(self.__dict__)
    return copied


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A leaf with memory of its own. Tensors that share memory do so afterwards, if they are copied together."""
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage"
        )
    cls, storage, *rest = _parts(self)
    copied = memo[id(self)] = _rebuild(cls, copy.deepcopy(storage, memo), *rest)
    if self.grad is not None:
        copied.grad = copy.deepcopy(self.grad, memo)
    for name, value in self.__dict__.items():
        setattr(copied, name, copy.deepcopy(value, memo))
    return copied


def _reversed(self: Tensor) -> Tensor:
    """With the first dimension in the opposite order."""
    return self.flip(0) if self.ndim else self


def _format(self: Tensor, spec: str) -> str:
    """A number is written as numbers are."""
    return format(self.item() if spec and not self.ndim else str(self), spec)


def _delattr(self: Tensor, name: str) -> None:
    """`del tensor.grad` forgets the gradient."""
    if name == "grad":
        self.grad = None
    elif name == "data":
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")
    else:
        object.__delattr__(self, name)


for _name, _function in {
    "__delattr__": _delattr,
    "__format__": _format,
    "__reversed__": _reversed,
    "numpy": _numpy,
    "__array__": _as_array,
    # Before numpy's own operators: `array * tensor` is a tensor.
    "__array_priority__": 1000,
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
    "__reduce_ex__": _reduce,
    "__setstate__": _setstate,
    "__copy__": _copy,
    "__deepcopy__": _deepcopy,
}.items():
    setattr(Tensor, _name, _function)
for _name, _function in {"__reduce_ex__": _reduce_storage, "__deepcopy__": _deepcopy_storage}.items():
    setattr(Storage, _name, _function)

# The tape is no module of its own: pickle, help() and others find its classes here.
for _shown in [*vars(_native).values()]:
    if isinstance(_shown, type) and _shown.__module__ == "pairbond_tape":
        # One of them, which is not for users, cannot be changed.
        with contextlib.suppress(TypeError):
            _shown.__module__ = _native.__name__
