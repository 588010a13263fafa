"""Random edits that move what is in blocks and regions, for `model.World`."""

from __future__ import annotations

from typing import Any

import pairbond_ir as ir
import pytest


class Regions:
    """Each region has one block without arguments; one that lost it gets a new one."""

    random: Any
    handles: dict[Any, ir.Operation]
    blocks: dict[Any, ir.Block]
    users: dict[Any, list[Any]]

    def renew(self, block):
        """A new block in the place of one that went elsewhere, in the region of its owner."""
        owner = block.owner
        number = owner.blocks.index(block)
        inner = owner.blocks[number] = type(block)(owner)
        self.blocks[inner] = self.handles[owner].regions[number].blocks.append()

    def inner_block(self):
        """One that is in an operation, not the module's."""
        found = [block for block in self.blocks if block.owner is not None]
        return self.random.choice(found) if found else None

    def merge(self):
        source, into = self.inner_block(), self.random.choice(list(self.blocks))
        if source is None:
            return False
        real = self.blocks[source]
        place = self.random.randrange(len(into.ops) + 1)
        before = into.ops[place] if place < len(into.ops) else None

        def edit():
            if before is None:
                real.merge_into(self.blocks[into])
            else:
                real.inline_before(self.handles[before])

        if source is into or any(into.owner is not None and into.owner.is_in(op) for op in source.ops):
            with pytest.raises(ir.IRError, match="into itself"):
                edit()
            return False
        edit()
        for op in source.ops:
            op.block = into
        into.ops[place:place] = source.ops
        del self.blocks[source]
        self.renew(source)
        return True

    def take_body(self):
        taker, source = self.inner_block(), self.inner_block()
        if taker is None:
            return False
        kept = {op for it in source.ops for op in it.inside()}
        lost = [op for it in taker.ops for op in it.inside() if op not in kept]
        regions = [self.blocks[it].region for it in (taker, source)]
        values = [(op, number) for op in lost for number in range(op.results)]
        refused = (
            (taker is source and "its own body")
            or (any(taker.owner.is_in(op) for op in source.ops) and "into itself")
            or (
                any(user not in set(lost) for value in values for user, _ in self.users.get(value, [])) and "still used"
            )
        )
        if refused:
            with pytest.raises(ir.IRError, match=refused):
                regions[0].take_body(regions[1])
            return False
        regions[0].take_body(regions[1])
        del self.blocks[taker]
        if source.owner not in lost:
            self.renew(source)
        taker.owner.blocks[taker.owner.blocks.index(taker)] = source
        source.owner = taker.owner
        self.lose(lost, source)
        return True

    def lose(self, lost, kept):
        """Forgets erased operations, whose values nobody else used, and their blocks but one."""
        for op in lost:
            for place, value in enumerate(op.operands):
                if isinstance(value, tuple) and value in self.users:
                    self.users[value].remove((op, place))
        for op in lost:
            self.erased.append(self.handles.pop(op))
            for block in op.blocks:
                if block is not kept:
                    del self.blocks[block]
            for number in range(op.results):
                self.users.pop((op, number), None)
        del self.erased[:-20]
