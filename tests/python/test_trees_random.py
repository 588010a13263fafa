"""100,000 random edits of trees, handles that come and go, attributes, collections, against a plain model.

PAIRBOND_SEED replays a run; PAIRBOND_LONG=1 does a million edits, or goes on for PAIRBOND_LONG_SECONDS.
"""

import collections
import gc
import os
import random
import time

import pairbond
import pytest
from pairbond_testext import Section

LONG = bool(os.environ.get("PAIRBOND_LONG"))
STEPS = 1_000_000 if LONG else 100_000
SECONDS = float((LONG and os.environ.get("PAIRBOND_LONG_SECONDS")) or "inf")
MANY = 300


class Node:
    """A node of the model."""

    def __init__(self, number):
        self.number = number
        self.parent = None
        self.below = []
        self.erased = False
        self.note = None

    def above(self):
        at = self
        while at is not None:
            yield at
            at = at.parent

    def all_below(self):
        work = [self]
        while work:
            node = work.pop()
            yield node
            work += node.below


class World:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nodes = {}
        self.held = {}
        self.made = 0
        self.outcomes = collections.Counter()

    def any(self):
        return self.random.choice(list(self.held))

    def real(self, node):
        return self.held[node]

    def hold(self, real):
        """A self that came from the tree, by its title; it is the one that there was."""
        node = self.nodes[int(real.title)]
        assert self.held.setdefault(node, real) is real
        assert getattr(real, "note", None) == node.note
        return node

    def edit(self, refused, real, model):
        if refused is None:
            real()
            model()
            self.outcomes[model.__name__] += 1
        else:
            with pytest.raises(refused):
                real()
            self.outcomes[refused.__name__] += 1

    def refused(self, *nodes, unless=True):
        if any(node.erased for node in nodes if node is not None):
            return pairbond.InvalidatedError
        return None if unless else ValueError

    def make(self):
        self.made += 1
        node = self.nodes[self.made] = Node(self.made)
        self.held[node] = Section(str(self.made))

    def insert(self):
        parent, child = self.any(), self.any()
        place = self.random.randint(0, len(parent.below))

        def insert():
            parent.below.insert(place, child)
            child.parent = parent

        refused = self.refused(parent, child, unless=child.parent is None and child not in parent.above())
        self.edit(refused, lambda: self.real(parent).insert(place, self.real(child)), insert)

    def splice(self):
        to, first, last = self.any(), self.any(), self.any()
        if self.random.random() < 0.7 and first.parent is not None:
            last = self.random.choice([node for node in first.parent.below if node in self.held])
        before = self.random.choice([None, *(node for node in to.below if node in self.held)])
        moved = []
        if first.parent is not None and first.parent is last.parent:
            below = first.parent.below
            moved = below[below.index(first) : below.index(last) + 1]

        def splice():
            old = first.parent.below
            del old[old.index(first) : old.index(last) + 1]
            place = len(to.below) if before is None else to.below.index(before)
            to.below[place:place] = moved
            for node in moved:
                node.parent = to

        good = bool(moved) and before not in moved and not any(node in moved for node in to.above())
        reals = [None if node is None else self.real(node) for node in (first, last, before)]
        self.edit(self.refused(to, first, last, before, unless=good), lambda: self.real(to).splice(*reals), splice)

    def detach(self):
        node = self.any()

        def detach():
            if node.parent is not None:
                node.parent.below.remove(node)
                node.parent = None

        self.edit(self.refused(node), lambda: self.real(node).detach(), detach)

    def erase(self):
        node = self.any()

        def erase():
            if node.parent is not None:
                node.parent.below.remove(node)
            for one in list(node.all_below()):
                one.erased, one.parent, one.below = True, None, []

        self.edit(self.refused(node), lambda: self.real(node).erase(), erase)

    def let_go(self):
        del self.held[self.any()]

    def look(self):
        node = self.any()
        real = self.real(node)
        assert pairbond.is_erased(real) == node.erased
        if node.erased:
            with pytest.raises(pairbond.InvalidatedError, match=f'"{node.number}" was erased'):
                real.sections()
            return
        assert [int(one.title) for one in real.sections()] == [one.number for one in node.below]
        parent = real.parent()
        assert (None if parent is None else self.hold(parent)) is node.parent
        if node.below:
            place = self.random.randrange(len(node.below))
            child = real.subsection(place)
            assert self.hold(child) is node.below[place]
            assert real.place(child) == place
            after = child.next()
            assert (None if after is None else int(after.title)) == next(
                (one.number for one in node.below[place + 1 :]), None
            )

    def note(self):
        node = self.any()
        node.note = self.made
        self.real(node).note = node.note

    def step(self):
        if not self.held:
            self.make()
        weights = {self.make: 8, self.insert: 16, self.splice: 8, self.detach: 4}
        weights |= {self.let_go: 5, self.look: 6, self.note: 3}
        actions = [*weights, self.erase]
        self.random.choices(actions, [*weights.values(), 1 if len(self.nodes) < MANY else 20])[0]()

    def alive(self):
        roots = {list(node.above())[-1] for node in self.held}
        return sum(1 for root in roots for _ in root.all_below())


def living():
    for _ in range(3):
        gc.collect()
    return pairbond.stats()["types"].get("pairbond_testext.Section", {"objects": 0})["objects"]


@pytest.mark.usefixtures("no_leak")
@pytest.mark.slow
def test_scripts_do_what_the_model_does():
    seed = int(os.environ.get("PAIRBOND_SEED") or random.randrange(2**32))
    print(f"PAIRBOND_SEED={seed}")
    before = living()
    world = World(seed)
    end = time.monotonic() + SECONDS
    for step in range(STEPS):
        world.step()
        if step % 2_000 == 0:
            assert living() - before == world.alive()
            if time.monotonic() > end:
                break
        if len(world.nodes) > 2 * MANY:
            world.held.clear()
            world.nodes.clear()
            gc.collect()
    names = {"insert", "splice", "detach", "erase", "ValueError", "InvalidatedError"}
    assert set(world.outcomes) == names, world.outcomes
    world.held.clear()
    assert living() == before
