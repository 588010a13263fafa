"""Selfs that keep each other by attributes die in a row, however long, also where the stack is small."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import contextmanager

import pytest
from interpreters import KINDS, check
from pairbond_holders import Leaf, Node

pytestmark = pytest.mark.usefixtures("no_leak")

LONG = 20_000


class Sub(Leaf):
    """Dies as CPython has it."""


def on_a_small_stack(run):
    raised = []

    def inside():
        try:
            run()
        except BaseException as error:
            raised.append(error)

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=inside)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    if raised:
        raise raised.pop()


def chain(make, count=LONG, link=lambda it: it):
    """The last of a row in which each keeps the one before."""
    it = make(0)
    for number in range(1, count):
        before, it = it, make(number)
        it.before = link(before)
    return it


MAKE = {
    "untraced": Leaf,
    "traced": Node,
    "both": lambda number: (Leaf, Node)[number % 2](number),
    "every other of a class made in Python": lambda number: (Leaf, Sub)[number % 2](number),
}


@pytest.mark.parametrize(
    "link", [lambda it: it, lambda it: [it], lambda it: {"it": (it,)}], ids=["self", "list", "dict"]
)
@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_a_row_dies(make, link):
    on_a_small_stack(lambda: chain(make, link=link))


@pytest.mark.parametrize("make", MAKE.values(), ids=MAKE)
def test_a_row_that_is_garbage(make):
    def run():
        last = first = chain(make)
        while hasattr(first, "before"):
            first.before.after = first
            first = first.before
        del first, last
        gc.collect()

    on_a_small_stack(run)


def test_each_weak_reference_is_told_once():
    told = []

    def run():
        last = it = chain(Leaf)
        references = []
        while it is not None:
            references.append(weakref.ref(it, told.append))
            it = getattr(it, "before", None)
        del last
        assert all(ref() is None for ref in references)

    on_a_small_stack(run)
    assert len(told) == len(set(map(id, told))) == LONG


@contextmanager
def finalizer(cls, function):
    cls.__del__ = function
    try:
        yield
    finally:
        del cls.__del__


def test_each_finalizer_runs_once_and_may_keep_its_self():
    seen, kept = [], []

    def finalize(self):
        seen.append(id(self))
        if len(seen) % 1000 == 0:
            kept.append(self)

    with finalizer(Leaf, finalize):
        on_a_small_stack(lambda: chain(Leaf))
        # Whoever was kept has kept the rest of the row.
        while kept:
            before = len(seen)
            assert not hasattr(kept[0], "before") or type(kept[0].before) is Leaf
            on_a_small_stack(lambda: kept.pop(0))
            assert len(seen) > before or not kept
    assert len(set(seen)) <= len(seen) == LONG


def test_nobody_finds_what_waits():
    """Finalizers in the middle of it see each self alive and whole, or not at all; collections find nothing to do."""
    references, seen = [], []

    class Probe:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            if self.number % 40 == 0:
                gc.collect()
            alive = [it.number for ref in references if (it := ref()) is not None and it.probe is not None]
            seen.append((self.number, alive))

    it = None
    for number in range(300):
        before, it = it, Node(number)
        it.before, it.probe = before, Probe(number)
        references.append(weakref.ref(it))
    del it, before
    assert sorted(number for number, _ in seen) == [*range(300)]
    for number, alive in seen:
        assert alive == [*range(len(alive))], number
        assert number not in alive


@pytest.mark.parametrize("kind", KINDS)
def test_a_finalizer_that_enters_another_interpreter(kind):
    """What dies there does not wait for what dies here."""
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native

        code = '''if True:
            import weakref
            import pairbond, pairbond_holders as native
            it, refs, told = None, [], []
            for _ in range(200):
                before, it = it, native.Leaf(0)
                it.before = before
                refs.append(weakref.ref(it, told.append))
            del it, before
            assert len(told) == 200
        '''

        ran = []

        class Enters:
            def __del__(self):
                with Interpreter(sys.argv[1]) as other:
                    other.run(code)
                ran.append(1)

        it = None
        for number in range(200):
            before, it = it, native.Leaf(number)
            it.before = before
            it.enters = Enters() if number % 60 == 0 else None
        del it, before
        assert len(ran) == 4
        print("fine")
        """,
        kind,
    )
