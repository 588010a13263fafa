"""Pickling: a module travels as its text, with locations, and a context as a new one.

Modules that are pickled together and were of one context are of one context again. What is inside of a module has no
pickle of its own: it is found in the module. Attributes that Python gave to a module go along.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any

from ._pairbond_ir import Context, Module


def _module(text: str, context: Context) -> Module:
    return Module.parse(text, context)


def _reduce_module(module: Module) -> tuple[Callable[..., Module], tuple[Any, ...], dict[str, Any] | None]:
    state = {**vars(module)} or None
    return _module, (module.get_asm(enable_debug_info=True), module.context), state


def _reduce_context(_: Context) -> tuple[type[Context], tuple[()]]:
    return Context, ()


copyreg.pickle(Module, _reduce_module)
copyreg.pickle(Context, _reduce_context)
