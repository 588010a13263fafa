"""Operations as plain Python objects, and random edits of both them and the real ones."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pairbond
import pairbond_ir as ir
import pytest
from model_regions import Regions

GONE = "gone"


@dataclass(eq=False)
class Block:
    owner: Op | None
    ops: list[Op] = field(default_factory=list)


@dataclass(eq=False)
class Op:
    name: str
    results: int
    #: each an operation and which of its results, or GONE
    operands: list
    block: Block | None = None
    blocks: list[Block] = field(default_factory=list)
    attributes: dict = field(default_factory=dict)

    def inside(self) -> list[Op]:
        found = [self]
        for block in self.blocks:
            for op in block.ops:
                found += op.inside()
        return found

    def is_in(self, other: Op) -> bool:
        at = self
        while at is not None and at is not other:
            at = at.block.owner if at.block else None
        return at is other


class World(Regions):
    """A model and the real thing, edited alike. `handles` are kept on purpose: they must stay what they are."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.context = ir.Context()
        self.module = ir.Module.create(context=self.context)
        self.i32 = ir.IntegerType.get_signless(32, self.context)
        self.top = Block(None)
        self.blocks: dict[Block, ir.Block] = {self.top: self.module.body}
        self.handles: dict[Op, ir.Operation] = {}
        self.users: dict[tuple[Op, int], list[tuple[Op, int]]] = {}
        self.detached: list[Op] = []
        self.erased: list[ir.Operation] = []
        self.counts: dict[str, int] = {}

    def some(self) -> Op | None:
        return self.random.choice(list(self.handles)) if self.handles else None

    def value(self):
        op = self.some()
        return (op, self.random.randrange(op.results)) if op and op.results else None

    def real(self, value) -> ir.Value:
        return self.handles[value[0]].results[value[1]]

    def use(self, user: Op, place: int, value) -> None:
        old = user.operands[place]
        if old is not GONE and old is not None:
            self.users[old].remove((user, place))
        user.operands[place] = value
        self.users.setdefault(value, []).append((user, place))

    def step(self) -> None:
        often = [self.create] * 3 + [self.erase] * 2
        once = [self.move, self.detach, self.set_operand, self.replace, self.attribute, self.clone]
        edit = self.random.choice([*often, *once, self.merge, self.take_body])
        if edit():
            self.counts[edit.__name__] = self.counts.get(edit.__name__, 0) + 1

    def create(self):
        if len(self.handles) > 150:
            return self.erase()
        operands = [value for _ in range(self.random.randrange(4)) if (value := self.value())]
        block = self.random.choice(list(self.blocks))
        model = Op(f"t.{self.random.randrange(100)}", self.random.randrange(3), [None] * len(operands), block)
        place = self.random.randrange(len(block.ops) + 1)
        at = self.handles[block.ops[place]] if place < len(block.ops) else self.blocks[block]
        real = ir.Operation.create(
            model.name,
            results=[self.i32] * model.results,
            operands=[self.real(value) for value in operands],
            regions=(regions := self.random.choice([0, 0, 0, 1, 2])),
            loc=self.module.location,
            ip=ir.InsertionPoint(at),
        )
        block.ops.insert(place, model)
        self.handles[model] = real
        for place, value in enumerate(operands):
            self.use(model, place, value)
        for number in range(regions):
            inner = Block(model)
            model.blocks.append(inner)
            self.blocks[inner] = real.regions[number].blocks.append()
        return True

    def erase(self):
        model = self.some()
        if model is None:
            return False
        inside = set(model.inside())
        used = any(
            user not in inside for number in range(model.results) for user, _ in self.users.get((model, number), [])
        )
        real = self.handles[model]
        if used and self.random.random() < 0.97:
            with pytest.raises(ir.IRError, match="still used"):
                real.erase()
            return False
        real.erase(drop_uses=True) if used or self.random.random() < 0.5 else real.erase()
        (model.block.ops if model.block else self.detached).remove(model)
        for op in inside:
            for place, value in enumerate(op.operands):
                if value is not GONE:
                    self.users[value].remove((op, place))
            self.erased.append(self.handles.pop(op))
            for block in op.blocks:
                del self.blocks[block]
        for op in inside:
            for number in range(op.results):
                for user, place in self.users.pop((op, number), []):
                    user.operands[place] = GONE
        del self.erased[:-20]
        return True

    def place(self, model: Op, block: Block, place: int) -> None:
        (model.block.ops if model.block else self.detached).remove(model)
        model.block = block
        block.ops.insert(place, model)

    def move(self):
        model, other = self.some(), self.some()
        if model is None or other.block is None:
            return False
        if model is not other and other.is_in(model):
            with pytest.raises(ValueError, match=r"cycle|below"):
                self.handles[model].move_before(self.handles[other])
            return False
        before = self.random.random() < 0.5
        real = self.handles[model]
        (real.move_before if before else real.move_after)(self.handles[other])
        if model is not other:
            block = other.block
            (model.block.ops if model.block else self.detached).remove(model)
            model.block = block
            block.ops.insert(block.ops.index(other) + (not before), model)
        return True

    def detach(self):
        model = self.some()
        if model is None or model.block is None:
            return False
        self.handles[model].detach_from_parent()
        model.block.ops.remove(model)
        model.block = None
        self.detached.append(model)
        return True

    def set_operand(self):
        model, value = self.some(), self.value()
        if model is None or value is None or not model.operands:
            return False
        place = self.random.randrange(len(model.operands))
        self.handles[model].operands[place] = self.real(value)
        self.use(model, place, value)
        return True

    def replace(self):
        old, new = self.value(), self.value()
        if old is None or new is None or old == new:
            return False
        self.real(old).replace_all_uses_with(self.real(new))
        for user, place in list(self.users.get(old, [])):
            self.use(user, place, new)
        return True

    def attribute(self):
        model = self.some()
        if model is None:
            return False
        name, value = f"k{self.random.randrange(4)}", self.random.randrange(5)
        attributes = self.handles[model].attributes
        if name in model.attributes and self.random.random() < 0.5:
            del model.attributes[name], attributes[name]
        else:
            model.attributes[name] = value
            attributes[name] = ir.IntegerAttr.get(self.i32, value)
        return True

    def clone(self):
        model = self.some()
        if model is None or len(self.handles) > 120 or any(GONE in op.operands for op in model.inside()):
            return False
        copies: dict[Op, Op] = {}
        self.copy(model, copies)
        real = self.handles[model].clone(ip=False)
        self.adopt(copies[model], real)
        for op, copy in copies.items():
            for place, (defining, number) in enumerate(op.operands):
                copy.operands[place] = None
                self.use(copy, place, (copies.get(defining, defining), number))
        self.detached.append(copies[model])
        return True

    def copy(self, op: Op, copies: dict[Op, Op]) -> Op:
        new = copies[op] = Op(op.name, op.results, list(op.operands), attributes=dict(op.attributes))
        for block in op.blocks:
            new.blocks.append(inner := Block(new))
            inner.ops = [self.copy(it, copies) for it in block.ops]
            for it in inner.ops:
                it.block = inner
        return new

    def adopt(self, model: Op, real: ir.Operation) -> None:
        self.handles[model] = real
        for block, region in zip(model.blocks, real.regions, strict=True):
            self.blocks[block] = region.blocks[0]
            for inner, op in zip(block.ops, region.blocks[0].operations, strict=True):
                self.adopt(inner, op)

    def check(self) -> None:
        """The real thing is as the model says, in each respect."""
        for block, real in self.blocks.items():
            assert list(real.operations) == [self.handles[op] for op in block.ops]
        for model, real in self.handles.items():
            assert (real.name, len(real.operands), len(real.results)) == (
                model.name,
                len(model.operands),
                model.results,
            )
            assert real.block is (self.blocks[model.block] if model.block else None)
            assert {name: it.value for name, it in real.attributes.items()} == model.attributes
            for place, value in enumerate(model.operands):
                if value is GONE:
                    with pytest.raises(pairbond.InvalidatedError):
                        real.operands[place]
                else:
                    assert real.operands[place] is self.real(value)
            for number in range(model.results):
                uses = {(it.owner, it.operand_number) for it in real.results[number].uses}
                wanted = {(self.handles[user], place) for user, place in self.users.get((model, number), [])}
                assert uses == wanted
                assert len(real.results[number].uses) == len(wanted)
                assert real.results[number].has_uses == bool(wanted)
        for real in self.erased:
            assert pairbond.is_erased(real)
            with pytest.raises(pairbond.InvalidatedError):
                real.name
        for op in self.random.sample(list(self.handles), min(5, len(self.handles))):
            if self.is_closed(op):
                text = str(self.handles[op].clone(ip=False))
                assert str(ir.Operation.parse(text, context=self.context)) == text
                self.counts["read again"] = self.counts.get("read again", 0) + 1

    def is_closed(self, op: Op) -> bool:
        """Whether a text of it alone says what is used in it, by names that are known there."""
        inside = set(op.inside())

        def is_known(value, user: Op) -> bool:
            if value is GONE or value[0] not in inside or value[0] is op:
                return False
            # A name is known in the region in which it is defined, and in those inside of that; regions have one block.
            at = user
            while at is not op and at.block is not value[0].block:
                at = at.block.owner
            return at is not op

        return all(is_known(value, user) for user in inside for value in user.operands)
