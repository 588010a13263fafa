"""Attributes, subclass and weak references last as long as the native object; finalizers run once, when it dies."""

import gc
import threading
import weakref

import pairbond
import pytest
from lockgraph import Package
from pairbond_holders import Holder, Leaf, Node
from promises import KINDS, NUMBERS, Grandchild, WithDel, WithDict, WithSlots, at_once, collect_until

pytestmark = pytest.mark.usefixtures("no_leak")


def kinds(*without):
    chosen = [kind for kind in KINDS if kind.name not in without]
    return pytest.mark.parametrize("kind", chosen, ids=lambda kind: kind.name)


@kinds()
def test_attributes_and_class_survive(kind):
    it = kind.make()
    cls = type(it)
    it.later = mark = object()
    holder = Holder(it)
    del it
    for _ in range(5):
        gc.collect()
        it = holder.get()
        assert type(it) is cls
        assert it.later is mark
        assert kind.intact(it)
        del it
    holder.get().later = [mark]
    assert holder.get().later == [mark]
    del holder.get().later
    assert not hasattr(holder.get(), "later")


@pytest.mark.parametrize("cls", [WithSlots, Grandchild])
def test_slots_survive(cls):
    holder = Holder(cls("slots"))
    holder.get().other = mark = object()
    gc.collect()
    assert holder.get().other is mark
    del holder.get().other
    gc.collect()
    assert not hasattr(holder.get(), "other")
    assert holder.get().holds_its_state()


@kinds()
def test_weak_references_survive(kind):
    it = kind.make()
    calls = []
    plain, proxy = weakref.ref(it), weakref.proxy(it)
    called = weakref.ref(it, calls.append)
    finalizer = weakref.finalize(it, calls.append, "finalized")
    hashable = type(it).__hash__ is not None  # a list is not
    values, keys = weakref.WeakValueDictionary(it=it), weakref.WeakKeyDictionary({it: "value"} if hashable else {})
    holder = Holder(it)
    number = id(it)
    del it
    for _ in range(5):
        gc.collect()
        assert id(plain()) == id(called()) == id(values["it"]) == number
        assert proxy.__class__ is type(plain())
        assert not hashable or keys[holder.get()] == "value"
        assert calls == []
        assert finalizer.alive
    holder.clear()
    collect_until(lambda: plain() is None)
    assert plain() is called() is None
    assert sorted(map(repr, calls)) == sorted(["'finalized'", repr(called)])
    assert len(values) == len(keys) == 0
    with pytest.raises(ReferenceError):
        proxy.anything
    gc.collect()
    assert len(calls) == 2


@pytest.mark.parametrize("end", ["python", "native", "native thread", "native cycle", "python cycle"])
def test_del_runs_once(end):
    name = f"end{next(NUMBERS)}"
    it = WithDel(name)
    deaths = []
    watch = weakref.ref(it, lambda _: deaths.append(list(WithDel.deaths)))
    holder = Holder(it)
    assert holder.get() is it
    if end == "python":
        holder.clear()
        assert name not in WithDel.deaths
        del it
    elif end == "native":
        del it
        gc.collect()
        assert name not in WithDel.deaths
        holder.clear()
    elif end == "native thread":
        del it
        holder.drop_on_thread()
        pairbond.live_objects()
    elif end == "native cycle":
        it.dependencies.append(it)
        del it
        holder.clear()
        assert name not in WithDel.deaths
        gc.collect()
    else:
        it.cycle = [it]
        del it
        gc.collect()
        holder.clear()
        assert name not in WithDel.deaths
        gc.collect()
    collect_until(lambda: watch() is None)
    assert watch() is None
    assert WithDel.deaths.count(name) == 1
    gc.collect()
    assert WithDel.deaths.count(name) == 1
    assert len(deaths) == 1


def test_del_sees_a_working_object():
    seen = {}

    class Looks(Package):
        def __del__(self):
            seen["name"] = self.name
            seen["extra"] = self.extra
            seen["path"] = self.path_to(self) == [self]
            seen["closure"] = [it.name for it in self.closure()]

    it = Looks("looks", "1.0.0")
    it.extra = 5
    it.depend_on(Package("below"))
    holder = Holder(it)
    del it
    holder.clear()
    collect_until(lambda: seen)
    assert seen == {"name": "looks", "extra": 5, "path": True, "closure": ["below"]}


@pytest.mark.parametrize("into", ["python", "native"])
def test_resurrection(into):
    """`__del__` that keeps the object: it lives on as before, and dies later without another `__del__`."""
    kept, calls, holder = [], [], Holder()

    class Keeps(Package):
        def __del__(self):
            calls.append(self.name)
            if into == "python":
                kept.append(self)
            else:
                holder.put(self)

    it = Keeps("keeps", "1.0.0")
    it.extra = "extra"
    number, native = id(it), pairbond.native_id(it)
    del it
    again = kept.pop() if into == "python" else holder.take()
    assert (id(again), pairbond.native_id(again), again.extra, calls) == (number, native, "extra", ["keeps"])
    for _ in range(3):
        holder.put(again)
        del again
        gc.collect()
        again = holder.take()
        assert id(again) == number
    assert again.depend_on(again) is None
    watch = weakref.ref(again)
    del again
    collect_until(lambda: watch() is None)
    assert watch() is None
    assert calls == ["keeps"]


def test_a_callback_that_uses_the_holder():
    """Callbacks run when nothing is half done: they may use everything that is left."""
    holder, seen = Holder(), []
    it = Node(1)
    other = Node(2)

    def gone(_):
        seen.append(holder.get())
        holder.put(other)

    watch = weakref.ref(it, gone)
    holder.put(it)
    del it
    holder.clear()
    assert watch() is None
    assert seen == [None]
    assert holder.get() is other


def test_native_weak_references():
    node = Node(1)
    holder = Holder()
    holder.watch(node)
    child = Node(2)
    child.parent = node
    assert holder.upgrade() is child.parent is node
    assert holder.upgrade_on_thread()
    node.mark = mark = object()
    kept = Holder(node)
    del node
    assert child.parent.mark is mark
    assert holder.upgrade_on_thread()
    kept.clear()
    assert child.parent is holder.upgrade() is None
    assert not holder.upgrade_on_thread()


def test_threads_that_set_the_first_attribute():
    for _ in range(200):
        leaf = Leaf(1)
        at_once(4, lambda i, leaf=leaf: setattr(leaf, f"x{i}", leaf))
        assert vars(leaf) == {f"x{i}": leaf for i in range(4)}


def test_classes_are_collected():
    class Temporary(Node):
        pass

    watch = weakref.ref(Temporary)
    holder = Holder(Temporary(1))
    del Temporary
    gc.collect()
    assert type(holder.get()) is watch()
    holder.clear()
    collect_until(lambda: watch() is None)
    assert watch() is None


def test_the_last_reference_goes_with_its_thread():
    watches = []

    def work(i):
        local = threading.local()
        local.node = WithDict(f"thread{i}")
        watches.append(weakref.ref(local.node))
        local.holder = Holder(local.node)

    at_once(8, work)
    collect_until(lambda: all(watch() is None for watch in watches))
    assert [watch() for watch in watches] == [None] * 8
