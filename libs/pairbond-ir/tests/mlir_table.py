# ruff: noqa: E501 - texts of the IR and what is said of them in one line
"""The table of the page *Coming from MLIR's bindings*: each public name of theirs, and what it is here.

    mlir_table.py --write    writes it into docs/explanation/from-mlir.md

The names are in data/mlir_names.json, which mlir_names.py takes from jaxlib; test_mlir_table.py compares all three.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pairbond_ir

DATA = Path(__file__).parent / "data" / "mlir_names.json"
PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "from-mlir.md"
BEGIN, END = "<!-- names -->\n", "<!-- end of names -->\n"

NO_DIALECTS = "no dialect is registered: `@dialect.op` declares operations, for the process"
ITERATORS = "sequences are iterated by Python's own iterators"
INTERFACES = "there are no interfaces: `Trait` says what is known of declared operations"
DYNAMIC = "`ir.Dialect` and `@dialect.op` declare operations; types and attributes of other dialects are their texts"
BYTECODE = "bytecode is written and read by MLIR's own bindings, if they are installed"
CASTERS = "a type or attribute is of its class from the beginning"

#: What is there and does something else, and how.
DIFFERENT = {
    "ir.Attribute": "equal ones are the same object; so are types and locations",
    "ir.Block": "equal handles are the same object; one to an erased block raises `InvalidatedError`",
    "ir.Context": "`allow_unregistered_dialects` is True at first; what is made of another context than that of the `with` is an error",
    "ir.Dialect": "declares operations of a dialect; MLIR's is a registered one",
    "ir.Dialects": "those that are declared, and modules of `pairbond_ir.dialects` that declare one when it is asked for",
    "ir.DiagnosticInfo": "`error_diagnostics` has one, the first that is found",
    "ir.InsertionPoint": "the end of a block is only known if its last operation is of a known dialect, or declared",
    "ir.Location": "an attribute",
    "ir.MLIRError": "`IRError`: `message` is what is wrong, and `filename`, `line` and `column` say where",
    "ir.Module": "is the operation itself: `module.operation is module`; parsing does not verify",
    "ir.OpView": "the class of undeclared operations, which declared ones extend; there are no views: `op.opview is op`",
    "ir.Operation": f"the base of all operations, modules included; printed in the generic form; parsing does not verify; `clone` may take a mapping; {BYTECODE}",
    "ir.OpaqueAttr": "of any dialect whose attributes are not builtin's",
    "ir.OpaqueType": "of any dialect whose types are not builtin's",
    "ir.SymbolTable": "looks anew each time, so it knows of all edits",
    "passmanager.PassManager": "`any(…)` and pipelines of `canonicalize`, `cse`, `dce`, `symbol-dce`, `inline` and passes of Python; verifies if `enable_verifier(True)` was called",
}
#: What is not there, and why; of a class the members that it does not have.
ABSENT = {
    "ir.AffineExprList": "lists of expressions are Python's lists",
    "ir.ArrayAttributeIterator": ITERATORS,
    "ir.BlockPredecessors": "`block.predecessors` is a list",
    "ir.BlockSuccessors": "`block.successors` is a list",
    "ir.ConditionallySpeculatable": INTERFACES,
    **{f"ir.Dense{it}ArrayIterator": ITERATORS for it in ("Bool", "F32", "F64", "I8", "I16", "I32", "I64")},
    "ir.DialectRegistry": NO_DIALECTS,
    "ir.DynamicAttr": DYNAMIC,
    "ir.DynamicOpTrait": DYNAMIC,
    "ir.DynamicType": DYNAMIC,
    "ir.InferShapedTypeOpInterface": INTERFACES,
    "ir.InferTypeOpInterface": INTERFACES,
    "ir.IntegerSetConstraintList": "`set.constraints` is a list",
    "ir.IsTerminatorTrait": INTERFACES,
    "ir.MemoryEffectInstancesList": INTERFACES,
    "ir.MemoryEffectsOpInterface": INTERFACES,
    "ir.NoTerminatorTrait": INTERFACES,
    "ir.OpAdaptor": "patterns match operations, and not adaptors of their operands",
    "ir.OpOperandIterator": ITERATORS,
    "ir.OpOperands": "`op.op_operands` is a list",
    "ir.ShapedTypeComponents": INTERFACES,
    "ir.Speculatability": INTERFACES,
    "ir.append_load_on_create_dialect": NO_DIALECTS,
    "ir.get_dialect_registry": NO_DIALECTS,
    "ir.get_load_on_create_dialects": NO_DIALECTS,
    "ir.register_type_caster": CASTERS,
    "ir.register_value_caster": "a value has one handle, whose class is `OpResult` or `BlockArgument` from the beginning: a caster would make others",
    "ir.Context.append_dialect_registry": NO_DIALECTS,
    "ir.FloatType.static_typeid": "a class of several kinds has none",
    "ir.ShapedType.static_typeid": "a class of several kinds has none",
    "ir.IntegerType.Signedness": "`ir.Signedness`",
    "ir.OpView.build_generic": "the constructor of a declared class",
    "ir.OpView.has_trait": INTERFACES,
    "ir.Operation.has_trait": INTERFACES,
}


def has(owner: object, name: str) -> bool:
    """Whether a class or module has a name, without asking properties of classes for what they are."""
    fields: dict[str, object] = getattr(owner, "__dataclass_fields__", {})
    noted = getattr(owner, "__annotations__", {}) if isinstance(owner, type) else {}
    return name in dir(owner) or name in fields or name in noted or (name == "message" and owner is pairbond_ir.IRError)


def row(module: str, name: str, members: list[str] | None) -> str:
    """What one of their names is here."""
    key = f"{module}.{name}"
    ours = pairbond_ir if module == "ir" else importlib.import_module(f"pairbond_ir.{module}")
    if not has(ours, name):
        return f"| `{key}` | absent | {ABSENT[key]} |"
    missing = [it for it in members or [] if not has(getattr(ours, name), it)]
    notes = [DIFFERENT[key]] if key in DIFFERENT else []
    notes += [f"no `{it}`: {ABSENT[f'{key}.{it}']}" for it in missing]
    return f"| `{key}` | {'different' if notes else 'same'} | {'; '.join(notes)} |"


def table() -> str:
    """The whole table. KeyError: of a name that is not here nobody said why."""
    known = json.loads(DATA.read_text())
    rows = [row(module, name, members) for module, names in known.items() for name, members in names.items()]
    return "\n".join(["| name | here | |", "|---|---|---|", *rows]) + "\n"


def stale() -> set[str]:
    """What is said of names that MLIR does not have, or that are here."""
    known = json.loads(DATA.read_text())
    theirs = {f"{module}.{name}" for module, names in known.items() for name in names}
    theirs |= {
        f"{module}.{name}.{it}" for module, names in known.items() for name, its in names.items() for it in its or []
    }
    text = table()
    return {it for it in [*DIFFERENT, *ABSENT] if it not in theirs} | {it for it in ABSENT.values() if it not in text}


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    new = f"{before}{BEGIN}{table()}{END}{after}"
    if "--write" in sys.argv:
        PAGE.write_text(new)
    else:
        sys.exit(int(new != PAGE.read_text()))
