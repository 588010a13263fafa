"""MLIR's own bindings, where they are installed: bytecode, and capsules for extension modules of theirs.

Contexts, types, attributes, locations and affine expressions, maps and sets have the capsules that extension modules
of MLIR's take: each is made once more in a context of MLIR's, which lives as long as the context here. Operations,
blocks and values have none, because a copy of them would be another.
"""

from __future__ import annotations

import importlib
import re
import sys
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

import pairbond

from ._pairbond_ir import (
    AffineExpr,
    AffineMap,
    Attribute,
    Context,
    IntegerSet,
    Location,
    Module,
    Operation,
    Type,
)

__all__: list[str] = []

#: Where the bindings may be, the first that there is.
_NAMES = ("mlir.ir", "jaxlib.mlir.ir")
#: The context of MLIR's that belongs to one of ours.
_partners: WeakKeyDictionary[Context, Any] = WeakKeyDictionary()


def _bindings() -> Any:
    """Returns MLIR's module `ir`: the one that is imported, or else one that can be.

    ImportError: if there is none.
    """
    for name in _NAMES:
        if name in sys.modules:
            return sys.modules[name]
    for name in _NAMES:
        with suppress(ImportError):
            return importlib.import_module(name)
    raise ImportError("MLIR's own bindings are needed for this: pip install jaxlib")


def _context(ir: Any) -> Any:
    """Returns a new context of MLIR's with the dialects that its bindings bring."""
    made = ir.Context()
    made.allow_unregistered_dialects = True
    with suppress(ImportError):  # jaxlib's register none by themselves
        extension = importlib.import_module(f"{ir.__name__.removesuffix('.ir')}._mlir_libs._jax_mlir_ext")
        registry = ir.DialectRegistry()
        extension.register_dialects(registry)
        made.append_dialect_registry(registry)
    made.load_all_available_dialects()
    return made


def _partner(context: Context) -> Any:
    found = _partners.get(context)
    if found is None:
        found = _partners[context] = _context(_bindings())
    return found


def _own_context(theirs: Any) -> Context:
    """Returns the context that one of MLIR's belongs to, or else the current one."""
    found = next((own for own, it in list(_partners.items()) if it is theirs), Context.current)
    if found is None:
        raise ValueError("a capsule of another library's context: work inside of `with context:`")
    return found


def _map_of(expr: Any, maps: Any) -> Any:
    """Returns an expression, of either library, as a map of that library."""
    sizes = [1 + max(map(int, re.findall(rf"\b{it}(\d+)", str(expr))), default=-1) for it in "ds"]
    return maps.get(*sizes, [expr], context=expr.context)


def _theirs(thing: Any) -> Any:
    """Returns the same in the context of MLIR's that belongs to its context."""
    ir, text = _bindings(), str(thing)
    context = _partner(thing.context)
    if isinstance(thing, Type):
        return ir.Type.parse(text, context)
    if isinstance(thing, Location):
        return ir.Operation.parse(f'"builtin.module"() ({{^bb0:}}) : () -> () {text}', context=context).location
    if isinstance(thing, Attribute):
        return ir.Attribute.parse(text, context)
    if isinstance(thing, AffineMap):
        return ir.Attribute.parse(f"affine_map<{text}>", context).value
    if isinstance(thing, AffineExpr):
        return _theirs(_map_of(thing, AffineMap)).results[0]
    exprs = [_theirs(it.expr) for it in thing.constraints]
    flags = [it.is_eq for it in thing.constraints]
    return ir.IntegerSet.get(thing.n_dims, thing.n_symbols, exprs, flags, context)


def _ours(cls: type, thing: Any) -> Any:
    """Returns the same of this library."""
    context, text = _own_context(thing.context), str(thing)
    if issubclass(cls, Location):
        return Operation.parse(f'"builtin.module"() ({{^bb0:}}) : () -> () {text}', context=context).location
    if issubclass(cls, AffineMap):
        return Attribute.parse(f"affine_map<{text}>", context).value  # type: ignore[attr-defined]
    if issubclass(cls, AffineExpr):
        return _ours(AffineMap, _map_of(thing, _bindings().AffineMap)).results[0]
    if issubclass(cls, IntegerSet):
        exprs = [_ours(AffineExpr, it.expr) for it in thing.constraints]
        flags = [it.is_eq for it in thing.constraints]
        return IntegerSet.get(thing.n_dims, thing.n_symbols, exprs, flags, context)
    return cls.parse(text, context)  # type: ignore[attr-defined]


def _capsule(self: Any) -> Any:
    return _theirs(self)._CAPIPtr


def _create(cls: Any, capsule: Any) -> Any:
    return _ours(cls, getattr(_bindings(), cls.__name__)._CAPICreate(capsule))


_cls: Any
for _cls in (Attribute, Type, Location, AffineExpr, AffineMap, IntegerSet):
    _cls._CAPIPtr = property(_capsule)
    _cls._CAPICreate = classmethod(_create)


def _of_context(cls: Any, capsule: Any) -> Context:
    """Returns the context that one of MLIR's belongs to; a new one for a context that belongs to none."""
    theirs = _bindings().Context._CAPICreate(capsule)
    for own, it in list(_partners.items()):
        if it is theirs:
            return own
    made: Context = cls()
    _partners[made] = theirs
    return made


_cls = Context
_cls._CAPIPtr = property(lambda self: _partner(self)._CAPIPtr)
_cls._CAPICreate = classmethod(_of_context)


def _write_bytecode(operation: Any, file: Any, version: int | None) -> None:
    """Writes an operation as bytecode to a path or a file object, by MLIR's bindings."""
    ir = _bindings()
    kind = ir.Module if isinstance(operation, Module) else ir.Operation
    text = operation.get_asm(enable_debug_info=True)
    theirs = kind.parse(text, context=_context(ir)).operation
    theirs.write_bytecode(file, *([] if version is None else [version]))


def _read_bytecode(code: bytes) -> str:
    """Returns the text of bytecode, with its locations and resources."""
    ir = _bindings()
    module = ir.Module.parse(code, _context(ir))
    text: str = module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True)
    return text


pairbond.register_function("pairbond_ir.write_bytecode", _write_bytecode, True)
pairbond.register_function("pairbond_ir.read_bytecode", _read_bytecode, True)
