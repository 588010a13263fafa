"""The IR through an API that is that of MLIR's Python bindings: theirs, from jaxlib, and pairbond_ir's.

`Contender(which)` presents what `harness/ir_cases.py` asks for. Both run the same code, but for how contexts and passes
are had.
"""

from __future__ import annotations

import gc
import types

from harness.ir_cases import Case, chain, foldable, functions, nested, numbered, repeated


class Contender:
    def __init__(self, which: str):
        self.name = which
        if which == "jaxlib":
            import jaxlib
            from jaxlib.mlir import ir, passmanager
            from jaxlib.mlir._mlir_libs import _jax_mlir_ext

            self.version = jaxlib.__version__
            self.trim = lambda: None
            self.ir, self.manager = ir, passmanager.PassManager
            registry = ir.DialectRegistry()
            _jax_mlir_ext.register_dialects(registry)
            self.context = ir.Context()
            self.context.append_dialect_registry(registry)
        else:
            import pairbond
            import pairbond_ir as ir

            self.version = ""
            self.trim = pairbond.trim
            self.ir, self.manager = ir, ir.PassManager
            self.context = ir.Context()
        self.context.allow_unregistered_dialects = True

    def parse(self, text: str):
        return self.ir.Module.parse(text, self.context)

    def block(self, module):
        return module.body.operations[0].regions[0].blocks[0]

    def cases(self, n: int, pattern: str = "") -> dict[str, Case]:
        """All of them; with the pattern "create" only those that need no text."""
        creating = {
            "create": Case(self.empty, self.create("arith.negf", n), n),
            "create, unknown dialect": Case(self.empty, self.create("my.unary", n), n),
            "create, own attribute": Case(self.empty, self.create_numbered(n), n),
            "create by class": Case(self.empty, self.create_by_class(n), n),
        }
        return creating if pattern == "create" else creating | self.others(n)

    def others(self, n: int) -> dict[str, Case]:
        text, unknown = chain(n, "arith.negf"), chain(n, "my.unary")
        # What only reads, reads this; what edits gets a copy of its own each time.
        state = types.SimpleNamespace(module=self.parse(text), unknown=self.parse(unknown))
        block = self.block(state.module)
        own, fold, twice, small, deep = numbered(n), foldable(n), repeated(n), functions(n), nested(n)
        return {
            "parse": Case(None, lambda _: self.parse(text), n),
            "parse, unknown dialect": Case(None, lambda _: self.parse(unknown), n),
            "parse, own attributes": Case(None, lambda _: self.parse(own), n),
            "print": Case(None, lambda _: state.module.operation.get_asm(print_generic_op_form=True), n),
            "names": Case(None, lambda _: names(block), n),
            "names, unknown dialect": Case(None, lambda _: names(self.block(state.unknown)), n),
            "first walk": Case(lambda: self.parse(text), lambda module: names(self.block(module)), n),
            "operands": Case(None, lambda _: operands(block), n),
            "owner": Case(None, lambda _: owners(block), n),
            "uses": Case(None, lambda _: uses(block), n),
            "walk": Case(None, lambda _: state.module.operation.walk(self.visitor()), n),
            "index": Case(None, lambda places: at(block, places), n),
            "clone": Case(None, lambda _: state.module.operation.clone(), n),
            "verify": Case(None, lambda _: state.module.operation.verify(), n),
            "replace": Case(lambda: self.values(text), replace, n),
            "erase": Case(lambda: self.parse(text), lambda module: erase(self.block(module)), n),
            "drop": Case(lambda: [self.parse(text)], list.clear, n),
            "drop, touched": Case(lambda: self.touched(text), drop, n),
            "cse": Case(lambda: self.parse(twice), self.runs("cse"), n),
            "canonicalise": Case(lambda: self.parse(fold), self.runs("canonicalize"), n),
            "canonicalise, small": Case(lambda: self.parse(small), self.runs("canonicalize"), n),
            "canonicalise, nested": Case(lambda: self.parse(deep), self.runs("canonicalize"), n),
        }

    def visitor(self):
        go_on = self.ir.WalkResult.ADVANCE

        def visit(op):
            return go_on

        return visit

    def empty(self):
        """A function without operations, and its argument."""
        module = self.parse(chain(0, ""))
        return module, self.block(module)

    def create(self, name: str, n: int):
        ir = self.ir

        def run(state):
            _, block = state
            value = block.arguments[0]
            create = ir.Operation.create
            with ir.Location.unknown(self.context), ir.InsertionPoint(block):
                results = [value.type]
                for _ in range(n):
                    value = create(name, results=results, operands=[value]).result
            return value

        return run

    def create_numbered(self, n: int):
        ir = self.ir

        def run(state):
            _, block = state
            argument = block.arguments[0]
            create, number = ir.Operation.create, ir.IntegerAttr.get
            with ir.Location.unknown(self.context), ir.InsertionPoint(block):
                results, i64 = [argument.type], ir.IntegerType.get_signless(64)
                for i in range(n):
                    create("my.unary", results=results, operands=[argument], attributes={"number": number(i64, i)})

        return run

    def create_by_class(self, n: int):
        operation = self.negate()

        def run(state):
            _, block = state
            value = block.arguments[0]
            with self.ir.Location.unknown(self.context), self.ir.InsertionPoint(block):
                for _ in range(n):
                    value = operation(value).result
            return value

        return run

    def negate(self):
        """A class of operations that have one operand, and a result of its type."""
        if self.name == "jaxlib":
            from jaxlib.mlir.dialects import arith

            return arith.NegFOp
        ir = self.ir

        @ir.Dialect("my").op(traits=ir.Trait.PURE | ir.Trait.SAME_OPERANDS_AND_RESULT_TYPE)
        class Negate(ir.OpView):
            operand: ir.Operand[ir.FloatType]
            result: ir.Result[ir.FloatType]

        return Negate

    def runs(self, name: str):
        def run(module):
            with self.context:
                self.manager.parse(f"builtin.module({name})").run(module.operation)
            return module

        return run

    def values(self, text: str):
        """A module, the results of its operations, and the argument that replaces them."""
        module = self.parse(text)
        block = self.block(module)
        return module, [op.result for op in block if len(op.results)], block.arguments[0]

    def touched(self, text: str):
        """The only reference to a module of which Python has seen each operation, and keeps none."""
        module = self.parse(text)
        names(self.block(module))
        return [module]


def names(block):
    for op in block:
        _name = op.name


def operands(block):
    for op in block:
        _name = op.name
        for _operand in op.operands:
            pass
        for _result in op.results:
            pass


def owners(block):
    found = 0
    before = None
    for op in block:
        owner = op.operands[0].owner
        if before is not None:
            # `==`: handles of jaxlib's are made anew each time.
            found += owner == before
        before = op
    return found


def uses(block):
    for op in block:
        for result in op.results:
            for use in result.uses:
                _user = use.owner


def replace(state):
    _, values, argument = state
    for value in values:
        value.replace_all_uses_with(argument)


def drop(held):
    """Drops the only reference, and collects."""
    held.clear()
    gc.collect()


def at(block, places):
    operations = block.operations
    for place in places:
        operations[place]


def erase(block):
    for op in reversed(list(block)):
        op.erase()
