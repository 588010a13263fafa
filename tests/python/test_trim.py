"""pairbond.trim(): wrappers that nobody can miss are given back, and no others."""

import gc
import os
import sys
import threading
import time
import weakref

import pairbond
import pytest
from lockgraph import Package
from pairbond_holders import Holder, Leaf, Node
from promises import LeafChild, WithDel, WithDict, WithSlots, at_once, in_a_process

pytestmark = pytest.mark.usefixtures("no_leak")
WRAPPERS = {Node: "pairbond_holders.Node", Leaf: "pairbond_holders.Leaf", Package: "lockgraph.Package"}


@pytest.fixture(autouse=True)
def _nothing_else_to_trim():
    gc.collect()
    pairbond.trim()


def wrappers(cls) -> int:
    return pairbond.stats()["types"].get(WRAPPERS[cls], {"wrappers": 0})["wrappers"]


def make(cls, number=1):
    return Package(f"p{number}") if cls is Package else cls(number)


@pytest.mark.parametrize("cls", WRAPPERS)
def test_dormant_wrappers_are_given_back(cls):
    before = wrappers(cls)
    holders = [Holder(make(cls, i)) for i in range(100)]
    addresses = [pairbond.native_id(holder.get()) for holder in holders]
    assert wrappers(cls) == before + 100
    assert pairbond.trim() == 100
    assert wrappers(cls) == before
    assert pairbond.trim() == 0
    again = [holder.get() for holder in holders]
    assert [pairbond.native_id(it) for it in again] == addresses, "the objects are the same"
    assert all(holder.get() is it for holder, it in zip(holders, again, strict=True))
    assert type(again[0]) is cls


def test_of_objects_born_native():
    ring = Node.ring(50)
    node = ring
    for _ in range(49):
        node = node.next
    del node
    assert pairbond.trim() == 49
    assert ring.next.next.number == 2
    assert pairbond.trim() == 2


@pytest.mark.parametrize("cls", WRAPPERS)
class TestWhatStays:
    def kept(self, holder):
        it = holder.get()
        number = id(it)
        del it
        assert pairbond.trim() == 0
        assert id(holder.get()) == number
        return holder.get()

    def test_with_a_reference(self, cls):
        it = make(cls)
        holder = Holder(it)
        assert self.kept(holder) is it

    def test_with_attributes(self, cls):
        holder = Holder(make(cls))
        holder.get().mark = "here"
        assert self.kept(holder).mark == "here"

    def test_with_a_weak_reference(self, cls):
        holder = Holder(make(cls))
        weak = weakref.ref(holder.get())
        assert self.kept(holder) is weak()
        del weak
        assert pairbond.trim() == 1

    def test_whose_dict_somebody_has(self, cls):
        holder = Holder(make(cls))
        names = holder.get().__dict__
        self.kept(holder)
        names["late"] = 1
        assert holder.get().late == 1
        del names, holder.get().__dict__["late"]
        assert pairbond.trim() == 1, "an empty dict that is nobody's is nothing to miss"

    def test_in_python_custody(self, cls):
        it = Holder(make(cls)).take()
        assert pairbond.trim() == 0
        assert pairbond.native_id(it)

    def test_that_have_a_finalizer(self, cls):
        deaths = []
        cls.__del__ = lambda self: deaths.append(1)
        try:
            holder = Holder(make(cls))
            self.kept(holder)
            assert deaths == []
            del holder
            gc.collect()
            assert deaths == [1]
        finally:
            del cls.__del__
        gc.collect()


@pytest.mark.parametrize(
    "make", [lambda: WithDict("d"), lambda: WithSlots("s"), lambda: WithDel("x"), lambda: LeafChild(1)]
)
def test_instances_of_subclasses_stay(make):
    holder = Holder(make())
    cls, number = type(holder.get()), id(holder.get())
    assert pairbond.trim() == 0
    assert (type(holder.get()), id(holder.get())) == (cls, number)


def test_nothing_is_given_back_within_a_collection():
    """What a collection has found out about wrappers must stay true until it ends."""
    holder = Holder(Leaf(1))
    results = []

    class Asks:
        def __del__(self):
            results.append(pairbond.trim())

    asks = Asks()
    asks.me = asks
    del asks
    gc.collect()
    assert results == [0]
    assert pairbond.trim() == 1
    del holder


def test_while_other_threads_fetch_and_drop():
    """Whoever has an object in hand keeps it; nobody meets a wrapper without an object."""
    nodes = [Holder(Node(i)) for i in range(20)]
    leaves = [Holder(Leaf(i)) for i in range(20)]
    stop, given_back = threading.Event(), []

    def trims():
        while not stop.is_set():
            given_back.append(pairbond.trim())

    def works(seed):
        rounds = 0
        try:
            # A pydebug build checks every object of the heap at each turn.
            for rounds in range(200 if hasattr(sys, "gettotalrefcount") else 3000):
                i = (rounds * 7 + seed) % 20
                node, leaf = nodes[i].get(), leaves[i].get()
                assert node.number == leaf.number == i
                assert nodes[i].get() is node
                assert leaves[i].get() is leaf
                if rounds % 100 == seed:
                    assert all(it.number >= 0 for it in gc.get_objects() if type(it) is Node)
                del node, leaf
        finally:
            if seed == 0:
                stop.set()
        return rounds

    thread = threading.Thread(target=trims)
    thread.start()
    try:
        at_once(3, works)
    finally:
        stop.set()
        thread.join()
    assert sum(given_back) > 0, "it happened"
    assert [holder.get().number for holder in nodes + leaves] == [*range(20), *range(20)]


def test_while_native_threads_clone_drop_and_upgrade():
    holders = []
    for i in range(4):
        it = Node(i) if i % 2 else Leaf(i)
        holder = Holder(it)
        holder.watch(it)
        del it
        holder.juggle(1)
        holders.append(holder)
    given_back = 0
    for _ in range(500):
        for i, holder in enumerate(holders):
            assert holder.get().number == i
        given_back += pairbond.trim()
    end = time.monotonic() + 30
    while not all(holder.rounds for holder in holders) and time.monotonic() < end:
        time.sleep(0.001)
    rounds = [holder.stop() for holder in holders]
    assert given_back > 0
    assert all(rounds)


def test_while_native_threads_hand_over():
    """The last native reference goes on a thread that never saw Python while wrappers are given back."""
    stop, given_back = threading.Event(), []

    def trims():
        while not stop.is_set():
            given_back.append(pairbond.trim())

    thread = threading.Thread(target=trims)
    thread.start()
    before = pairbond.live_objects()
    for i in range(300):
        holder = Holder(Node(i) if i % 2 else Leaf(i))
        if i % 3 == 0:
            holder.get().mark = i
        holder.drop_on_thread()
    stop.set()
    thread.join()
    del holder
    gc.collect()
    assert {k: v for k, v in pairbond.live_objects().items() if before.get(k) != v} == {}


MEMORY = """
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def show_all():
    node = first
    while node is not None:
        node = node.next

count = 200_000
gc.disable()  # A collection takes memory of its own.
first = pairbond_holders.Node.chain(count)
start = resident()
show_all()
grown = resident() - start
given_back = pairbond.trim()
left = resident() - start
assert given_back >= count - 1, given_back
show_all()
print(grown, left, resident() - start)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads /proc")
@pytest.mark.slow
def test_memory_comes_back():
    grown, left, again = map(int, in_a_process(MEMORY).split())
    assert grown > 200_000 * 40, "the wrappers took memory"
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        assert left < grown / 3, f"{left} of {grown} bytes stay"
    # CPython without a GIL keeps it, for others.
    assert again < grown * 1.2, f"{again} bytes for what took {grown} before"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.slow
def test_a_collection_keeps_no_memory_for_the_next():
    """Its arrays take some 30 bytes for each object, of which each point has two; debug builds leave more to malloc."""
    in_a_process(
        """
        import os
        from pairbond_holders import Point

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        gc.collect()
        points = [Point.ring(400_000)]
        while len(points) < 400_000:
            points.append(points[-1].next)
        before = resident()
        for _ in range(3):
            gc.collect()
        grown = (resident() - before) / len(points)
        assert grown < 45, grown
        """
    )
