"""pairbond.stats(): what is alive, what has a wrapper, what lies dormant, what was collected."""

import gc
import threading

import pairbond
import pytest
from lockgraph import Package
from pairbond_holders import Holder, Leaf, Node
from promises import LeafChild, at_once, in_a_process

pytestmark = pytest.mark.usefixtures("no_leak")
NOTHING = {"objects": 0, "wrappers": 0, "dormant": 0}


def of(name: str) -> dict[str, int]:
    return pairbond.stats()["types"].get(f"pairbond_holders.{name}", NOTHING)


def more(before: dict[str, int], after: dict[str, int]) -> tuple[int, int, int]:
    return tuple(after[key] - before[key] for key in NOTHING)


@pytest.mark.parametrize("cls", [Node, Leaf])
class TestOneType:
    """Types that a collector lists, and such that nobody lists."""

    def test_objects_made_from_python(self, cls):
        before = of(cls.__name__)
        made = [cls(i) for i in range(10)]
        assert more(before, of(cls.__name__)) == (10, 10, 0)
        del made[:4]
        assert more(before, of(cls.__name__)) == (6, 6, 0)
        del made
        assert more(before, of(cls.__name__)) == (0, 0, 0)

    def test_dormant_wrappers(self, cls):
        before = of(cls.__name__)
        holder = Holder(cls(1))
        assert more(before, of(cls.__name__)) == (1, 1, 1)
        it = holder.get()
        assert more(before, of(cls.__name__)) == (1, 1, 0)
        del it
        assert more(before, of(cls.__name__)) == (1, 1, 1)
        it = holder.take()
        assert more(before, of(cls.__name__)) == (1, 1, 0), "Python has custody"
        holder.put(it)
        del it
        holder.drop_on_thread()
        assert more(before, of(cls.__name__)) == (0, 0, 0)

    def test_objects_are_counted_wherever_they_die(self, cls):
        before = of(cls.__name__)

        def work(_):
            holders = [Holder(cls(i)) for i in range(50)]
            for holder in holders[::2]:
                holder.drop_on_thread()
            return holders

        kept = at_once(4, work)
        assert more(before, of(cls.__name__)) == (100, 100, 100)
        del kept
        assert more(before, of(cls.__name__)) == (0, 0, 0)


def test_objects_without_wrappers():
    before = of("Node")
    first = Node.ring(100)
    assert more(before, of("Node")) == (100, 1, 0)
    second = first.next
    assert more(before, of("Node")) == (100, 2, 0)
    del second
    assert more(before, of("Node")) == (100, 2, 1)
    del first
    gc.collect()
    assert more(before, of("Node")) == (0, 0, 0)


def test_subclasses_count_for_their_type():
    before = of("Leaf")
    it = LeafChild(3)
    holder = Holder(it)
    del it
    assert more(before, of("Leaf")) == (1, 1, 1)
    del holder


def test_sums():
    kept = [Package("a"), Node(1), Holder(Leaf(1))]
    stats = pairbond.stats()
    for key in NOTHING:
        assert stats[key] == sum(one[key] for one in stats["types"].values())
    assert stats["types"].keys() >= {"lockgraph.Package", "pairbond_holders.Node", "pairbond_holders.Leaf"}
    assert {key: one["objects"] for key, one in stats["types"].items()} == pairbond.live_objects()
    del kept


def test_collections_and_what_they_found():
    gc.collect()
    before = pairbond.stats()
    it = Node.ring(7)
    it.me = it
    del it
    gc.collect()
    after = pairbond.stats()
    assert after["collections"] > before["collections"]
    assert after["collected"] == before["collected"] + 14, "seven nodes with a list each"


def test_asked_while_others_work():
    """Numbers may be of different moments, but nothing breaks, and nothing is negative."""
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            holder = Holder(Leaf(1))
            [Node(i) for i in range(10)]
            holder.drop_on_thread()

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        stats = pairbond.stats()
        assert all(number >= 0 for one in stats["types"].values() for number in one.values())
    stop.set()
    for thread in threads:
        thread.join()


def test_nothing_is_alive_in_a_new_process():
    program = """
        made = [pairbond_holders.Leaf(1) for _ in range(3)]
        print(pairbond.stats()["types"]["pairbond_holders.Leaf"])
        del made
        print("pairbond_holders.Leaf" in pairbond.stats()["types"])
    """
    assert in_a_process(program).splitlines() == [str({"objects": 3, "wrappers": 3, "dormant": 0}), "False"]
