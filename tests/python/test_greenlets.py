"""Greenlets switch in the middle of destructors and comparisons: nothing that a thread keeps points into their frames.

Run where greenlet is installed: `make test-long ARGS=greenlets` installs it and gevent.
"""

import gc
import weakref

import pairbond
import pytest
from pairbond_holders import Holder, Node
from promises import in_a_process

greenlet = pytest.importorskip("greenlet", reason="greenlet is not installed: no frames to be switched")


class Switches:
    """Goes back to the main greenlet when it dies in another."""

    def __init__(self, log):
        self.log, self.main = log, greenlet.getcurrent()

    def __del__(self):
        self.log.append("begin")
        if greenlet.getcurrent() is not self.main:
            self.main.switch()
        self.log.append("end")


def deep(count):
    """A chain whose death needs the thread's work list."""
    first = Node(0)
    for number in range(1, count):
        node = Node(number)
        node.next, first = first, node
    return first


def overwrite(depth=0):
    """Puts other frames where those of the suspended greenlet were."""
    return overwrite(depth + 1) if depth < 60 else [bytes(100) for _ in range(50)]


@pytest.mark.parametrize("kind", ["field", "list", "map", "attribute", "holder"])
def test_a_destructor_switches_and_others_destroy_meanwhile(kind):
    log = []

    def keep(value):
        if kind == "field":
            node = Node(1)
            node.value = value
            return node
        if kind == "list":
            return pairbond.List([value])
        if kind == "map":
            return pairbond.Map(a=value)
        if kind == "holder":
            return Holder(value)
        node = Node(1)
        node.mark = value
        return node

    boxes = [[keep(Switches(log)), Node(2)] for _ in range(10)]
    suspended = [greenlet.greenlet(box.clear) for box in boxes]
    for one in suspended:
        one.switch()
        overwrite()
        chain = deep(5000)
        gone = weakref.ref(chain)
        del chain
        assert gone() is None  # not left for the suspended greenlet to do
        pairbond.List([deep(100), {}, Node(3)]).clear()
    assert log == ["begin"] * 10
    for one in reversed(suspended):
        one.switch()
        overwrite()
        assert one.dead
    assert log == ["begin"] * 10 + ["end"] * 10
    gc.collect()


def test_suspended_comparisons_do_not_count_for_others():
    """Each is some levels deep in nested containers; together they would be too deep."""

    class Suspends:
        __hash__ = None

        def __eq__(self, other):
            greenlet.getcurrent().parent.switch()
            return True

    def nested(inner, depth):
        for _ in range(depth):
            inner = pairbond.List([inner])
        return inner

    suspended = [greenlet.greenlet(lambda: nested(Suspends(), 100) == nested(Suspends(), 100)) for _ in range(20)]
    for one in suspended:
        one.switch()
    assert nested(1, 400) == nested(1, 400)
    assert [one.switch() for one in suspended] == [True] * 20
    with pytest.raises(RecursionError):
        nested(1, 5000) == nested(1, 5000)


def test_a_process_ends_with_greenlets_suspended_in_destructors():
    out = in_a_process("""
    import greenlet
    main = greenlet.getcurrent()
    class D:
        def __del__(self):
            if greenlet.getcurrent() is not main:
                main.switch()
    kept = []
    for _ in range(5):
        made = pairbond.List([D(), pairbond_holders.Node(1)])
        kept.append(greenlet.greenlet(made.clear))
        kept[-1].switch()
        pairbond.List([pairbond_holders.Node(2)]).clear()
    print("end")
    """)
    assert out == "end\n"


def test_gevent():
    pytest.importorskip("gevent", reason="gevent is not installed")
    out = in_a_process("""
    import gevent, random

    class Sleeps:
        def __del__(self):
            gevent.sleep(0)

    def work(seed):
        rng = random.Random(seed)
        for _ in range(100):
            node = pairbond_holders.Node(seed)
            node.next = pairbond_holders.Node(1)
            node.value = Sleeps() if rng.random() < 0.5 else [1]
            made = pairbond.Map({i: pairbond_holders.Node(i) for i in range(5)})
            made["x"] = Sleeps() if rng.random() < 0.5 else node
            if rng.random() < 0.3:
                gevent.sleep(0)
            del node
            made.clear()
        return seed

    jobs = [gevent.spawn(work, seed) for seed in range(20)]
    gevent.joinall(jobs)
    assert [job.value for job in jobs] == list(range(20))
    import gc; gc.collect()
    print("fine")
    """)
    assert out == "fine\n"
