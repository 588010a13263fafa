"""Results of operations on a subclass of `Tensor` are of that class, as in PyTorch: views of the tensors made.

That is so for methods and operators, and for functions of the module that get such a tensor as an argument. A class
whose `_makes_plain_tensors` is true is left alone, as parameters are. Programs without such classes pay nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import _functions, nn
from ._pairbond_autograd import Tensor
from .autograd.function import FunctionMeta

__all__ = ["as_subclass"]

_OPERATORS = """
add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg pos abs invert
and rand or ror xor rxor eq ne lt le gt ge getitem reversed
"""
_SPECIAL = frozenset(f"__{name}__" for name in _OPERATORS.split())
_VIEWS = ("T", "mT", "data")


def as_subclass(self: Tensor, cls: type[Tensor]) -> Any:
    """The same tensor as an instance of a subclass: a view of it."""
    instance = cls.__new__(cls)
    Tensor.__init__(instance, self, _alias=True)
    return instance


def _kept(cls: type[Tensor], made: Any) -> Any:
    """What an operation returns, with its tensors in the class."""
    if type(made) is Tensor:
        return as_subclass(made, cls)
    if isinstance(made, tuple) and any(type(it) is Tensor for it in made):
        parts = [_kept(cls, it) for it in made]
        return type(made)(*parts) if hasattr(made, "_fields") else tuple(parts)
    if type(made) is list and any(type(it) is Tensor for it in made):
        return [_kept(cls, it) for it in made]
    return made


def _keeps(cls: type) -> bool:
    return issubclass(cls, Tensor) and cls is not Tensor and not getattr(cls, "_makes_plain_tensors", False)


def _method(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def kept(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        return _kept(type(self), plain(self, *args, **kwargs))

    kept._is_kept = True  # type: ignore[attr-defined]
    return kept


def _function(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def kept(*args: Any, **kwargs: Any) -> Any:
        made = plain(*args, **kwargs)
        several = [it for arg in args for it in (arg if isinstance(arg, (list, tuple)) else (arg,))]
        cls = next((type(it) for it in (*several, *kwargs.values()) if _keeps(type(it))), None)
        return made if cls is None else _kept(cls, made)

    kept._is_kept = True  # type: ignore[attr-defined]
    return kept


def _iterated(self: Tensor) -> Iterator[Any]:
    return (_kept(type(self), it) for it in Tensor.__iter__(self))


def _init_subclass(cls: Any, /, **options: Any) -> None:
    """Called for each class that extends `Tensor`."""
    super(Tensor, cls).__init_subclass__(**options)
    if not _keeps(cls):
        return
    for name in dir(Tensor):
        if name.startswith("_") and name not in _SPECIAL:
            continue
        method = getattr(cls, name)
        if callable(method) and not hasattr(method, "_is_kept"):
            setattr(cls, name, _method(method))
    for name in _VIEWS:
        plain: Any = getattr(Tensor, name)
        setattr(cls, name, property(_method(plain.__get__), plain.__set__ if name == "data" else None))
    if cls.__iter__ is Tensor.__iter__:
        cls.__iter__ = _iterated
    _wrap_functions()


def _wrap_functions() -> None:
    """Functions of the module look at their arguments from the first such class on."""
    modules = [(sys.modules[__name__.rpartition(".")[0]], _functions.__all__), (nn.functional, dir(nn.functional))]
    for module, names in modules:
        for name in names:
            plain = getattr(module, name)
            plain_function = callable(plain) and not isinstance(plain, (type, FunctionMeta))
            if plain_function and not name.startswith("_") and not hasattr(plain, "_is_kept"):
                setattr(module, name, _function(plain))


setattr(Tensor, "as_subclass", as_subclass)  # noqa: B010
setattr(Tensor, "__init_subclass__", classmethod(_init_subclass))  # noqa: B010
