"""pairbond.trace(): what happens, told to Python."""

import gc
import sys
import threading
import time
import weakref

import pairbond
import pytest
from pairbond_holders import Holder, Leaf, Node, emit, emit_many, emit_on_threads
from promises import at_once, in_a_process

pytestmark = pytest.mark.usefixtures("no_leak")


def kinds(events, key=None, at=None):
    return [e.kind for e in events if (key is None or e.type == key) and (at is None or e.object == at)]


def devices(events):
    return [(e.device_kind, e.device, e.a, e.b) for e in events if e.kind == "device"]


@pytest.mark.parametrize("cls", [Node, Leaf])
def test_the_life_of_an_object(cls):
    key, events = f"pairbond_holders.{cls.__name__}", []
    with pairbond.trace(events.append):
        it = cls(1)
        at = pairbond.native_id(it)
        holder = Holder(it)
        del it
        it = holder.take()
        del it
    assert kinds(events, key) == ["made", "tied", "handed_over", "freed"]
    assert kinds(events, key, at) == kinds(events, key)
    tied = next(e for e in events if e.kind == "tied")
    assert tied.interpreter > 0
    assert all(type(e) is pairbond.Event for e in events)


def test_wrapper_made_for_a_native_object():
    ring, events = Node.ring(2), []
    pairbond.trim()
    with pairbond.trace(events.append):
        at = pairbond.native_id(ring.next)
        assert pairbond.trim() == 1
    assert kinds(events, "pairbond_holders.Node", at) == ["tied", "severed"]


def test_a_reference_released_late():
    events = []
    holder = Holder(Leaf(1))
    at = pairbond.native_id(holder.get())
    with pairbond.trace(events.append):
        holder.drop_on_thread()
    assert kinds(events, at=at) == ["handed_over", "released_late", "freed"]


def test_device_events_in_their_order():
    events = []
    with pairbond.trace(events.append):
        for i in range(10):
            emit(5, 1, i, 2**64 - 1)
    assert devices(events) == [(5, 1, i, 2**64 - 1) for i in range(10)]
    emit(5, 1, 11, 0)
    assert len(devices(events)) == 10, "nothing is told after the block"


def test_events_before_the_block_are_not_told():
    first, second = [], []
    with pairbond.trace(first.append):
        emit(1, 0, 0, 0)
        with pairbond.trace(second.append):
            emit(2, 0, 0, 0)
        emit(3, 0, 0, 0)
    assert [kind for kind, *_ in devices(first)] == [1, 2, 3]
    assert [kind for kind, *_ in devices(second)] == [2]


def test_the_same_tracer_twice():
    events = []
    tracer = pairbond.trace(events.append)
    with tracer, tracer:
        emit(1, 0, 0, 0)
    with tracer:
        emit(2, 0, 0, 0)
    assert [kind for kind, *_ in devices(events)] == [1, 1, 2]


def test_from_threads_that_are_not_attached():
    events = []
    with pairbond.trace(events.append):
        emit_on_threads(4, 500)
    told = devices(events)
    assert len(told) == 2000
    for device in range(4):
        assert [a for _, d, a, _ in told if d == device] == list(range(500)), "each thread's in its order"


def test_too_many_events_are_counted():
    events = []
    with pairbond.trace(events.append):
        emit_many(100_000)
    lost = [e for e in events if e.kind == "lost"]
    assert len(devices(events)) + sum(e.a for e in lost) == 100_000
    assert len(devices(events)) >= 65_000
    assert len(lost) == 1
    with pairbond.trace(events.append):
        emit(9, 9, 9, 9)
    assert devices(events)[-1] == (9, 9, 9, 9)


def test_told_while_the_main_thread_is_in_pure_python():
    events = []
    with pairbond.trace(events.append):
        timer = threading.Timer(0.01, emit_on_threads, (1, 1))
        timer.start()
        end = time.monotonic() + 20
        while not events and time.monotonic() < end:
            pass
        assert devices(events) == [(0, 0, 0, 0)], "before the block ends"
        timer.join()


def test_what_a_callback_raises_is_reported(monkeypatch):
    reported, events = [], []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: reported.append((it.exc_type, it.object)))

    def fails(event):
        raise ValueError(event.kind)

    with pairbond.trace(fails), pairbond.trace(events.append):
        emit(1, 0, 0, 0)
    assert reported == [(ValueError, fails)]
    assert len(devices(events)) == 1, "others are told all the same"


def test_an_exception_that_is_under_way_stays():
    events = []

    def raises():
        with pairbond.trace(events.append):
            emit(1, 0, 0, 0)
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        raises()
    assert len(devices(events)) == 1


def test_what_a_callback_does_is_not_observed():
    events = []

    def works(event):
        events.append(event)
        emit(2, 0, 0, 0)
        Holder(Leaf(1)).clear()

    with pairbond.trace(works):
        emit(1, 0, 0, 0)
        emit(3, 0, 0, 0)
    assert kinds(events) == ["device", "device"]
    assert [kind for kind, *_ in devices(events)] == [1, 3]


def test_a_callback_that_traces():
    inner, outer = [], []

    def nests(event):
        outer.append(event.device_kind)
        with pairbond.trace(inner.append):
            pass

    with pairbond.trace(nests):
        emit(1, 0, 0, 0)
    assert outer == [1]


@pytest.mark.parametrize("wrong", [None, 3, "callback"])
def test_a_callback_must_be_callable(wrong):
    with pytest.raises(TypeError, match="must be callable"):
        pairbond.trace(wrong)


def test_callbacks_are_let_go():
    class Callback:
        def __call__(self, event):
            pass

    callback = Callback()
    weak = weakref.ref(callback)
    with pairbond.trace(callback):
        emit(1, 0, 0, 0)
    del callback
    gc.collect()
    assert weak() is None


def test_garbage_is_told():
    events = []
    with pairbond.trace(events.append):
        it = Node.ring(3)
        it.me = it
        del it
        gc.collect()
    assert kinds(events, "pairbond_holders.Node").count("freed") == 3


def test_traced_by_many_threads_at_once():
    def work(i):
        events = []
        for _ in range(30):
            with pairbond.trace(events.append):
                emit(100 + i, 0, 0, 0)
                Holder(Node(i)).drop_on_thread()
        return [e.device_kind for e in events if e.kind == "device"].count(100 + i)

    assert at_once(4, work) == [30] * 4, "each hears itself"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="several interpreters are opened from Python since 3.12")
def test_each_interpreter_has_its_own():
    program = """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        from pairbond_holders import Leaf, emit
        other = interpreters.create()
        source = '''if True:
            import pairbond
            from pairbond_holders import Leaf, emit
            events = []
            with pairbond.trace(events.append):
                emit(2, 0, 0, 0)
                leaf = Leaf(1)
            print("other", [(e.kind, e.device_kind) for e in events], flush=True)
            del leaf
        '''
        events = []
        with pairbond.trace(events.append):
            leaf = Leaf(2)
            failed = interpreters.run_string(other, source)
            assert not failed, failed
            interpreters.destroy(other)
        mine = [e for e in events if e.kind == "tied"]
        print(len(mine), [e.kind for e in events if e.kind in ("opened", "disarmed")])
        print("main", [(e.kind, e.device_kind) for e in events if e.kind == "device"])
        del leaf
    """
    other, ends, main = in_a_process(program).splitlines()
    assert other == "other [('device', 2), ('made', 0), ('tied', 0)]"
    assert ends == "1 ['opened', 'disarmed']"
    assert main == "main [('device', 2)]"


def test_a_trace_that_is_open_at_exit():
    program = """
        from pairbond_holders import Leaf, Holder, emit
        tracer = pairbond.trace(lambda event: None)
        tracer.__enter__()
        kept = [Leaf(1), Holder(Leaf(2))]
        emit(1, 0, 0, 0)
        print("fine")
    """
    assert in_a_process(program) == "fine\n"


def test_nothing_waits_when_nobody_traces():
    for i in range(1000):
        emit(1, 0, i, 0)
    events = []
    with pairbond.trace(events.append):
        pass
    assert devices(events) == []
