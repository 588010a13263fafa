"""The IR in xDSL, which is written in Python."""

from __future__ import annotations

import io
import types

from harness.ir_cases import Case, chain, foldable


class Contender:
    name = "xDSL"

    def __init__(self):
        import xdsl
        from xdsl.context import Context
        from xdsl.dialects import arith, builtin, func
        from xdsl.parser import Parser
        from xdsl.printer import Printer
        from xdsl.transforms.canonicalize import CanonicalizePass

        self.version = str(xdsl.__version__)
        self.trim = lambda: None
        self.arith, self.builtin = arith, builtin
        self.Parser, self.Printer, self.Canonicalize = Parser, Printer, CanonicalizePass
        self.context = Context(allow_unregistered=True)
        for dialect in (builtin.Builtin, arith.Arith, func.Func):
            self.context.load_dialect(dialect)

    def parse(self, text: str):
        return self.Parser(self.context, text).parse_module()

    def block(self, module):
        return module.body.blocks[0].first_op.regions[0].blocks[0]

    def cases(self, n: int, pattern: str = "") -> dict[str, Case]:
        del pattern
        text, unknown = chain(n, "arith.negf"), chain(n, "my.unary")
        state = types.SimpleNamespace(module=self.parse(text), unknown=self.parse(unknown))
        block = self.block(state.module)
        fold = foldable(n)
        by_class, plain = self.arith.NegfOp, self.context.get_op("my.unary").create
        return {
            "create": Case(self.empty, lambda it: self.create(it, self.arith.NegfOp.create, n), n),
            "create, unknown dialect": Case(self.empty, lambda it: self.create(it, plain, n), n),
            "create by class": Case(self.empty, lambda it: self.create_by_class(it, by_class, n), n),
            "parse": Case(None, lambda _: self.parse(text), n),
            "parse, unknown dialect": Case(None, lambda _: self.parse(unknown), n),
            "print": Case(None, lambda _: self.text(state.module), n),
            "names": Case(None, lambda _: names(block), n),
            "names, unknown dialect": Case(None, lambda _: names(self.block(state.unknown)), n),
            "operands": Case(None, lambda _: operands(block), n),
            "owner": Case(None, lambda _: owners(block), n),
            "uses": Case(None, lambda _: uses(block), n),
            "walk": Case(None, lambda _: walk(state.module), n),
            "clone": Case(None, lambda _: state.module.clone(), n),
            "erase": Case(lambda: self.parse(text), lambda module: erase(self.block(module)), n),
            "canonicalise": Case(lambda: self.parse(fold), self.canonicalise, n),
        }

    def text(self, module) -> str:
        out = io.StringIO()
        self.Printer(out, print_generic_format=True).print_op(module)
        return out.getvalue()

    def empty(self):
        module = self.parse(chain(0, ""))
        return module, self.block(module)

    def create(self, state, make, n):
        _, block = state
        value = block.args[0]
        results = [value.type]
        for _ in range(n):
            op = make(operands=[value], result_types=results)
            block.add_op(op)
            value = op.results[0]
        return value

    def create_by_class(self, state, make, n):
        _, block = state
        value = block.args[0]
        for _ in range(n):
            op = make(value)
            block.add_op(op)
            value = op.result
        return value

    def canonicalise(self, module):
        self.Canonicalize().apply(self.context, module)
        return module


def names(block):
    for op in block.ops:
        _name = op.name


def operands(block):
    for op in block.ops:
        _name = op.name
        for _operand in op.operands:
            pass
        for _result in op.results:
            pass


def owners(block):
    found = 0
    before = None
    for op in block.ops:
        owner = op.operands[0].owner
        if before is not None:
            found += owner is before
        before = op
    return found


def uses(block):
    for op in block.ops:
        for result in op.results:
            for use in result.uses:
                _user = use.operation


def walk(module):
    def visit(op):
        return None

    for op in module.walk():
        visit(op)


def erase(block):
    for op in reversed(list(block.ops)):
        op.detach()
        op.erase()
