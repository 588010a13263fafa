"""The last native reference and the last Python reference go in alternation: nothing dies early, nothing stays."""

import gc
import os
import weakref

import pairbond
import pytest
from pairbond_holders import Holder
from promises import KINDS, LONG, in_a_process

pytestmark = pytest.mark.usefixtures("no_leak")
ROUNDS = 1000


@pytest.mark.parametrize("on_thread", [False, True], ids=["here", "on a native thread"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_alternation(kind, on_thread):
    deaths = []
    it = kind.make()
    number = id(it)
    watch = weakref.ref(it, deaths.append)
    holder, keeper = Holder(), []
    count = sum(pairbond.live_objects().values())
    for i in range(ROUNDS if not on_thread else ROUNDS // 10):
        # The last Python reference goes while native code holds the object …
        holder.put(it)
        assert pairbond.is_dormant(it)
        del it
        if i % 100 == 0:
            gc.collect()
        it = holder.get()
        assert id(it) == number
        # … and the last native one while Python holds it.
        if on_thread:
            holder.drop_on_thread()
        else:
            holder.clear()
        # (The ring of one holds itself.)
        assert pairbond.is_dormant(it) == (kind.name == "born native")
        keeper.append(it)
        del it
        it = keeper.pop()
        assert kind.intact(it) if i % 10 == 0 else True
    assert deaths == []
    assert sum(pairbond.live_objects().values()) == count
    del it
    gc.collect()
    assert watch() is None
    assert len(deaths) == 1


def test_made_and_dropped_natively():
    """A thousand objects that Python sees for a moment only, and a thousand that native code sees for a moment only."""
    before = pairbond.live_objects()
    for kind in KINDS:
        for _ in range(ROUNDS // 10):
            holder = Holder(kind.make())
            assert holder.get() is holder.get()
            holder.clear()
            assert holder.get() is None
    del holder
    gc.collect()
    assert pairbond.live_objects() == before


RESIDENT = """
import os

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def work(rounds):
    holder = Holder()
    for i in range(rounds):
        it = make(i)
        holder.put(it)
        del it
        it = holder.get()
        holder.clear()
        it.mark = it.note if isinstance(it, Package) else None
        holder.put(it)
        del it
        holder.clear()

from lockgraph import Package
from pairbond_holders import Holder, Leaf, Node
make = [
    lambda i: Package("memory"),
    lambda i: WithDict("d"),
    lambda i: WithSlots("s"),
    lambda i: Node(i),
    lambda i: Leaf(i),
    lambda i: Node.ring(1).children,
][int(sys.argv[2])]
rounds = int(sys.argv[1])
gc.disable()
work(rounds // 10)
gc.collect()
before, start = pairbond.live_objects(), resident()
for part in range(10):
    work(rounds // 10)
    gc.collect()
grown = resident() - start
assert pairbond.live_objects() == before, (pairbond.live_objects(), before)
print(grown)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads /proc")
@pytest.mark.parametrize("kind", range(6), ids=["plain", "subclass", "slots", "node", "leaf", "list of a ring"])
def test_memory_stays_flat(kind):
    rounds = 1_000_000 if LONG else 30_000
    # A leak of one pair a round would be some 200 bytes times that.
    grown = int(in_a_process(RESIDENT, str(rounds), str(kind), timeout=1200))
    assert grown < max(2 << 20, 16 * rounds), f"{grown} bytes in {rounds} rounds"


BUSY = """
import threading
from pairbond_holders import Holder, Node

stop = False

def busy():
    while not stop:
        [Node(i).__dict__ for i in range(10)]

threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads:
    thread.start()
holder = Holder()
for i in range(300):
    it = WithDict("it")
    it.more = {i: [it.extra]}
    holder.put(it)
    del it
    holder.drop_on_thread()
stop = True
for thread in threads:
    thread.join()
gc.collect()
print(pairbond.live_objects().get("lockgraph.Package", 0))
"""


@pytest.mark.slow
def test_native_threads_drop_while_python_is_busy():
    """They are not attached, whoever else is: what they drop is released by somebody who is."""
    assert in_a_process(BUSY) == "0\n"


def test_the_memory_of_wrappers_goes_back_where_it_came_from():
    """Some is kept for the next wrappers, with what lies before an object in memory: CPython's allocators look."""
    in_a_process(
        """
        import pairbond_testext as ext

        class Finalized(ext.Package):
            def __del__(self):
                pass

        for round in range(3):
            for make in ext.Package, Finalized, ext.Sealed, ext.Special, ext.Plain:
                arguments = {ext.Sealed: (1,), ext.Plain: (1.0, 2.0), ext.Special: ("x", 1)}.get(make, ("x",))
                kept = [make(*arguments) for _ in range(200)]
                for each in kept[::3]:
                    if make is not ext.Sealed:
                        each.attribute = weakref.ref(each)
                del kept, each
            gc.collect()
        ext.Package.__del__ = lambda self: None
        kept = [ext.Package("x") for _ in range(10)]
        kept[0].me = kept[0]
        del kept
        gc.collect()
        del ext.Package.__del__
        kept = [ext.Package("x") for _ in range(100)]
        """,
        PYTHONMALLOC="debug",
    )
