"""Nothing reachable is freed, nothing unreachable stays: cycles through Python, native references and both."""

import copy
import gc
import itertools
import pickle
import sys
import sysconfig
import threading
import weakref

import pairbond
import pytest
from lockgraph import Package, parse
from pairbond_holders import Bare, Holder, Leaf, Node, call, call_on_thread, echo, surveys
from promises import Grandchild, WithDel, WithDict, WithSlots, at_once, collect_until

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
pytestmark = pytest.mark.usefixtures("no_leak")


def watched(*objects):
    return [weakref.ref(it) for it in objects]


def gone(watches):
    collect_until(lambda: all(watch() is None for watch in watches))
    return [watch() for watch in watches if watch() is not None] == []


@pytest.mark.parametrize("make", [lambda: Package("a"), Node, Leaf, lambda: WithDict("a"), lambda: Grandchild("a")])
def test_an_attribute_of_itself(make):
    it = make()
    it.me = it
    watches = watched(it)
    gc.collect()
    assert watches[0]() is it
    del it
    assert gone(watches)


def test_what_reaches_no_python_object_is_not_tracked():
    """Until somebody gives it an attribute. Without a GIL classes with attributes are tracked from birth."""
    assert gc.is_tracked(Node())
    leaf = Leaf()
    assert not gc.is_tracked(leaf) or FREE_THREADED
    gc.collect()
    assert not gc.is_tracked(leaf) or FREE_THREADED
    leaf.me = 1
    assert gc.is_tracked(leaf)


def test_a_slot_of_itself():
    it = WithSlots("a")
    it.other = it
    watches = watched(it)
    del it
    assert gone(watches)


@pytest.mark.parametrize(
    "tie",
    [
        lambda a, b: setattr(a, "next", b),
        lambda a, b: setattr(a, "value", b),
        lambda a, b: setattr(a, "value", [b]),
        lambda a, b: setattr(a, "value", {"b": (b,)}),
        lambda a, b: setattr(a, "value", lambda: b),
        lambda a, b: setattr(a, "value", b.same),
        lambda a, b: setattr(a, "value", pairbond.List([b])),
        lambda a, b: setattr(a, "value", copy.copy(pairbond.List([b]))),
        lambda a, b: setattr(a, "value", copy.copy(pairbond.Map({"b": b}))),
        lambda a, b: setattr(a, "value", pairbond.Map({"b": [b]})),
        lambda a, b: setattr(a, "value", pairbond.Tuple((b,))),
        lambda a, b: setattr(a, "value", Holder(b)),
        lambda a, b: a.children.append(b),
        lambda a, b: setattr(a, "other", b),
        lambda a, b: setattr(a, "other", a.children.append(b) or a.children),
    ],
    ids=[
        "field",
        "any",
        "any in a list",
        "any in a dict",
        "closure",
        "method",
        "native list",
        "copied list",
        "copied map",
        "native map",
        "native tuple",
        "holder",
        "children",
        "attribute",
        "both",
    ],
)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_rings(tie, size):
    nodes = [Node(i) for i in range(size)]
    for a, b in zip(nodes, nodes[1:] + nodes[:1], strict=True):
        tie(a, b)
    a.__dict__
    watches = watched(*nodes)
    del a, b, nodes[1:]
    gc.collect()
    assert all(watch() is not None for watch in watches)
    del nodes
    assert gone(watches)


def test_native_rings_that_python_never_saw():
    for size in (1, 2, 3, 50):
        ring = Node.ring(size)
        watch = weakref.ref(ring)
        del ring
        assert gone([watch])


@pytest.fixture
def by_hand():
    """No collection but those that the test asks for."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def lost_rings():
    """Native rings that had a wrapper once: garbage that Python's collector never comes to."""
    before = pairbond.stats()["objects"]
    for size in (1, 2, 3, 50):
        Node.ring(size)
    assert pairbond.trim() >= 4
    return pairbond.stats()["objects"] - before


@pytest.mark.parametrize(
    "other", [lambda: None, lambda: Node.ring(1), lambda: [Node(1)]], ids=["none", "ring", "python"]
)
def test_native_rings_without_wrappers(by_hand, other):
    """One collection finds them, whether there is wrapped garbage, Python garbage or nothing else."""
    alive = [Node.ring(3), Node(5)]
    before = pairbond.stats()["objects"]
    garbage = [other()]
    garbage.append(garbage)
    del garbage
    assert lost_rings() == 2 * (1 + 2 + 3 + 50), "a list each"
    gc.collect()
    assert pairbond.stats()["objects"] == before
    assert alive[0].next.next.next is alive[0]


def test_a_second_survey_is_made_only_when_there_may_be_something(by_hand):
    """When wrapped objects are alive, with all that they lead to, one survey says so."""
    alive = [Node.ring(30), Node(5), Holder(Node.ring(2))]

    def found(expected):
        before = surveys()
        gc.collect()
        return surveys() - before == expected

    # With a GIL each full collection begins with one, for what Python's collector does not know, and ends with one if
    # that found garbage.
    Bare()
    with_a_gil = not FREE_THREADED
    assert found(with_a_gil)
    assert lost_rings()
    assert found(1)
    ring = Node.ring(2)
    ring.mark = ring
    del ring
    assert found(1 + 2 * with_a_gil), "the clearing of the ring looked at everything"
    assert alive


def test_a_native_ring_with_one_attribute():
    ring = Node.ring(5)
    ring.next.next.mark = [ring]
    watch = weakref.ref(ring)
    holder = Holder(ring.next.next.next)
    del ring
    gc.collect()
    assert holder.get().next.next is watch()
    holder.clear()
    assert gone([watch])


def test_shared_nodes():
    """Owners by the dozen, some with a wrapper and some without, in Python and in native custody."""
    hub = Node(0)
    owners = [Node(i) for i in range(12)]
    for owner in owners:
        owner.next = hub
        owner.children.append(hub)
        hub.children.append(owner)
    hub.value = [hub, owners[3], lambda owner=owners[5]: owner]
    watches = watched(hub, *owners)
    del owner, owners[1:]
    gc.collect()
    assert all(watch() is not None for watch in watches)
    del owners
    gc.collect()
    assert all(watch() is not None for watch in watches)
    del hub
    assert gone(watches)


def test_a_lock_file():
    names = [f"p{i}" for i in range(40)]

    def needs(i):
        return [*{names[i * 7 % 40], names[i // 2]} - {names[i]}]

    text = "version = 4\n" + "".join(
        f'[[package]]\nname = "{name}"\nversion = "1.0.0"\ndependencies = {needs(i)}\n' for i, name in enumerate(names)
    ).replace("'", '"')
    lock = parse(text)
    for package in lock:
        package.lock = lock
        package.call = lambda package=package: package
    watches = watched(lock, *lock)
    del lock, package
    assert gone(watches)


def test_live_cycles_stay():
    """The converse: cycles that somebody holds, natively or in Python, are whole after any number of collections."""
    held = [Node.ring(4), *map(Node, range(3))]
    held[1].next, held[2].next, held[3].next = held[2], held[3], held[1]
    for i, node in enumerate(held):
        node.number_of_mine = i
        node.value = [node, {"me": node}]
        node.children.append(held[(i + 1) % 4])
    holders = [Holder(held[0]), pairbond.List([held[1]]), [held[2]], Holder(held[3])]
    watches = watched(*held)
    del held, node
    for _ in range(10):
        gc.collect()
        node = holders[0].get()
        assert node is watches[0]()
        assert node.next.next.next.next is node
        assert (node.number_of_mine, node.value[0], node.value[1]["me"]) == (0, node, node)
        assert holders[1][0].next is holders[2][0] is watches[2]()
        assert holders[1][0].next.next is holders[3].get()
        assert [it() is not None for it in watches] == [True] * 4
        del node
    holders.clear()
    assert gone(watches)


def test_partly_live():
    """Of a chain of rings the front is garbage and the rest is held: only the front goes."""
    rings = [Node.ring(3, i * 3) for i in range(6)]
    for a, b in itertools.pairwise(rings):
        a.children.append(b)
    watches = watched(*rings)
    holder = Holder(rings[3])
    del rings, a, b
    gc.collect()
    gc.collect()
    assert [watch() is None for watch in watches] == [True] * 3 + [False] * 3
    assert [watch().number for watch in watches[3:]] == [9, 12, 15]
    assert watches[3]().next.next.next.children[0] is watches[4]()
    holder.clear()
    assert gone(watches)


def test_finalizers_in_a_cycle():
    order = []

    class Last(Node):
        def __del__(self):
            order.append((self.number, self.next.number, len(self.children), self.value))

    a, b = Last(1), Last(2)
    a.next, b.next = b, a
    a.children.append(b)
    a.value, b.value = "a", "b"
    del a, b
    collect_until(lambda: len(order) == 2)
    assert sorted(order) == [(1, 2, 1, "a"), (2, 1, 0, "b")]


def test_a_finalizer_that_rescues_a_cycle():
    rescued = []

    class Rescue(Node):
        def __del__(self):
            rescued.append(self)

    a, b = Rescue(1), Node(2)
    a.next, b.next = b, a
    b.mark = [a]
    watch = weakref.ref(b)
    del a, b
    for _ in range(5):
        gc.collect()
    assert len(rescued) == 1
    assert rescued[0].next.next is rescued[0]
    assert rescued[0].next.mark == rescued
    watch = weakref.ref(rescued[0].next)
    rescued.clear()
    assert gone([watch])


def test_cycles_while_native_threads_hold_on():
    """Native threads clone and drop a node of the ring: it may stay as long as they run, and is whole; then it goes."""
    ring = Node.ring(5)
    ring.mark = [ring]
    holder = Holder(ring)
    watch = weakref.ref(ring)
    holder.watch(ring)
    del ring
    holder.juggle(2)
    try:
        while holder.rounds < 1000:
            gc.collect()
            node = holder.get()
            assert node is watch()
            assert node.next.next.next.next.next is node
            assert node.mark == [node]
            del node
    finally:
        holder.stop()
    holder.clear()
    assert gone([watch])
    assert holder.upgrade() is None


def test_cycles_from_many_threads():
    """All threads make rings, hold some for a while, and collect."""

    def work(i):
        watches, kept = [], []
        for step in range(60):
            ring = Node.ring(3, step)
            ring.next.value = [ring, kept]
            ring.children.append(ring.next)
            watches.append(weakref.ref(ring))
            kept.append(Holder(ring))
            if len(kept) > 5:
                node = kept.pop(0).take()
                assert node.next.next.next is node
                assert node.next.value[0] is node
                del node
            if step % 10 == i:
                gc.collect()
            assert all(it.get().next.next.next is it.get() for it in kept)
            del ring
        kept.clear()
        return watches

    watches = [watch for watches in at_once(8, work) for watch in watches]
    assert gone(watches)


def test_long_chains_die_flat():
    chain = Node.chain(1_000_000)
    assert chain.next.number == 999_998
    del chain


def test_a_long_python_chain_dies_flat():
    first = None
    for i in range(100_000):
        node = Node(i)
        node.before = first
        first = node
    del node
    del first


def test_a_long_mixed_cycle_is_collected():
    first = node = Node(0)
    for i in range(1, 20_000):
        following = Node(i)
        if i % 3 == 0:
            node.next = following
        elif i % 3 == 1:
            node.value = [following]
        else:
            node.attribute = following
        node = following
    node.next = first
    watches = watched(first, node)
    del first, node, following
    assert gone(watches)


def test_cycles_through_two_extension_modules():
    """Types that two separately built modules made, wrapped on either side or on both, in one cycle."""
    package, node, holder = Package("a"), Node(1), Holder()
    package.mark = node
    node.value = package
    holder.put(package)
    node.children.append(Node(2))
    node.children[0].value = holder
    package.back = [node.children[0]]
    watches = watched(package, node, holder, node.children[0])
    other = Package("b")
    other.depend_on(package)
    del package, holder
    gc.collect()
    assert all(watch() is not None for watch in watches)
    del node
    gc.collect()
    assert all(watch() is not None for watch in watches), "the other package depends on it"
    watches += watched(other)
    del other
    assert gone(watches)


@pytest.mark.parametrize(
    "through", [lambda call, *values: call(*values), call, call_on_thread], ids=["python", "native", "thread"]
)
def test_cycles_through_exceptions_whose_tracebacks_hold_frames(through):
    """An exception that an object keeps holds the frame, whose variables hold the object."""

    def fails(it):
        local = it  # noqa: F841
        raise ValueError("kept")

    node, holder = Node(1), Holder()
    holder.put(node)
    try:
        through(fails, node)
    except ValueError as error:
        node.value = error
        holder.error = error
    assert node.value is holder.error
    assert node.value.__traceback__ is not None
    watches = watched(node, holder)
    del holder
    gc.collect()
    assert watches[0]() is node
    del node
    assert gone(watches)


def test_a_finalizer_that_stores_its_object_natively():
    """A cycle that a finalizer hands to native code is alive and whole; it is garbage again when that lets go."""
    holder, died = Holder(), []

    class Stores(Node):
        def __del__(self):
            died.append(self.number)
            holder.put(self)

    a, b = Stores(1), Node(2)
    a.next, b.next = b, a
    a.mark = [b]
    watch = weakref.ref(b)
    del a, b
    gc.collect()
    assert died == [1]
    for _ in range(3):
        gc.collect()
        stored = holder.get()
        assert stored.next.next is stored
        assert stored.mark == [stored.next]
        del stored
    watch = weakref.ref(holder.get().next)
    holder.clear()
    assert gone([watch])
    assert died == [1], "once in its life"


def test_held_by_a_function_of_the_process():
    """What a function that is registered by name refers to is alive until the function is taken back."""
    node = Node(1)
    node.next = node
    watch = weakref.ref(node)
    pairbond.register_function("test_cycles.held", lambda node=node: node)
    del node
    for _ in range(3):
        gc.collect()
    assert pairbond.get_function("test_cycles.held")() is watch()
    pairbond.remove_function("test_cycles.held")
    assert gone([watch])


def test_what_was_cleared_can_still_be_used():
    """Finalizers see objects whose collection has begun; nothing crashes, and fields are empty at worst."""
    seen = []

    class Sees:
        def __init__(self, node):
            self.node = node

        def __del__(self):
            node = self.node
            seen.append((node.next, node.value, len(node.children), echo(node) is node))

    nodes = [Node(i) for i in range(4)]
    for a, b in zip(nodes, nodes[1:] + nodes[:1], strict=True):
        a.next = b
        a.value = Sees(b)
        a.children.append(b)
        a.attribute = Sees(a)
    watches = watched(*nodes)
    del nodes, a, b
    assert gone(watches)
    assert len(seen) == 8
    assert all(echoed for *_, echoed in seen)
    seen.clear()


def test_deaths_in_a_collection_count_once():
    watches = []
    for i in range(20):
        a, b = WithDel(f"cycle{i}"), WithDel(f"other{i}")
        a.depend_on(b)
        b.depend_on(a)
        a.all = watches
        watches += watched(a, b)
    del a, b
    assert gone(watches)
    for i in range(20):
        assert WithDel.deaths.count(f"cycle{i}") == WithDel.deaths.count(f"other{i}") == 1


def test_an_upgrade_between_decision_and_clearing():
    """The garbage that CPython clears first runs a callback, which asks a native weak reference for other garbage: it
    gets nothing, or an object that is whole."""
    holder, found = Holder(), []
    leaf = Leaf(1)
    watch = weakref.ref(leaf, lambda _: found.append(holder.upgrade()))
    before = [leaf]
    before.append(before)
    node = Node(7)
    node.next = node
    holder.watch(node)
    del leaf, before, node
    gc.collect()
    assert watch() is None
    assert len(found) == 1
    whole = found[0] is None or found[0].next is found[0]
    found.clear()
    assert whole


@pytest.mark.parametrize("ask", [Holder.upgrade, Holder.upgrade_on_thread], ids=["attached", "detached"])
@pytest.mark.parametrize("watch", [Holder.watch, Holder.watch_next], ids=["wrapped", "unwrapped"])
def test_an_upgrade_between_the_passes(ask, watch):
    """A finalizer, and a thread that it waits for, ask a native weak reference for garbage of the same collection: it
    does not come back, as its Python weak references have gone."""
    holder, found = Holder(), []

    class Asks:
        def __del__(self):
            found.append(ask(holder))

    ring = Node.ring(3)
    ring.mark = [ring, Asks()]
    watch(holder, ring)
    gone = weakref.ref(ring)
    assert holder.upgrade_on_thread()
    del ring
    gc.collect()
    assert len(found) == 1
    assert not found[0]
    assert gone() is None
    assert not ask(holder)


def test_a_weak_reference_brings_back_what_is_being_finalized():
    """While a finalizer runs, another thread gets from a native weak reference what it gets from Python's: the object,
    but nothing in free-threaded builds."""
    started, asked = threading.Event(), threading.Event()
    deaths = []

    class Slow(Node):
        def __del__(self):
            deaths.append(self.number)
            started.set()
            assert asked.wait(60)

    child, watches = Node(2), []

    def live():  # here from birth: without a GIL, an object is finalized by the thread that has made it
        one = Slow(1)
        child.parent = one
        watches.append(weakref.ref(one))

    thread = threading.Thread(target=live)
    thread.start()
    assert started.wait(60)
    [watch] = watches
    back = child.parent
    assert back is watch()
    assert back is None or back.number == 1
    asked.set()
    thread.join()
    assert child.parent is back
    del back
    gc.collect()
    assert watch() is child.parent is None
    assert deaths == [1]


class Plain:
    """What `Node` is, as Python alone has it."""

    def __init__(self, value):
        self.value = value


def last_events(base):
    """What runs when a ring of objects of a class derived from `base` is garbage, in order."""
    log = []

    class Kind(base):
        def __del__(self):
            log.append(("del", self.place))

    nodes = [Kind(i) for i in range(8)]
    for i, node in enumerate(nodes):
        node.place, node.next = i, nodes[i - 1]
    watches = [
        weakref.ref(node, lambda _, i=i, n=n: log.append((f"callback {n}", i)))
        for i, node in enumerate(nodes)
        for n in range(2)
    ]
    gc.collect()
    assert log == []
    del node, nodes
    collect_until(lambda: len(log) == 24)
    gc.collect()
    assert [watch() for watch in watches] == [None] * 16
    return log


def test_callbacks_and_finalizers_run_in_the_order_of_python_each_once():
    ours, theirs = last_events(Node), last_events(Plain)
    assert len(set(ours)) == len(ours) == 24
    if sys.version_info < (3, 13) or sys._is_gil_enabled():
        assert ours == theirs
    else:
        # There the order among equals is that of addresses.
        assert sorted(ours) == sorted(theirs)
        assert [what == "del" for what, _ in ours] == [what == "del" for what, _ in theirs]


def test_a_finalizer_may_look_at_references_that_it_changed():
    seen = []

    class Kind(Node):
        def __del__(self):
            self.next = None
            seen.extend(map(type, gc.get_referents(self)))

    a = Kind(1)
    a.next = Node(2)
    a.me = a
    del a
    collect_until(lambda: seen)
    assert Kind in seen or type in seen or dict in seen
    # What native objects own is not shown, nor is what they owned when the collection began.
    assert Node not in seen


@pytest.mark.parametrize(
    "carry",
    [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it, 2)), lambda it: pickle.loads(pickle.dumps(it))],
    ids=["copy", "deepcopy", "pickle 2", "pickle"],
)
def test_through_what_was_copied_or_pickled(carry):
    """Cycles of originals and of copies go, whether they run natively, through Python, or both."""
    a, b = Subclass(1), Node(2)
    a.next, b.next = b, a
    b.value = [a, {"b": b}]
    a.other = {"b": b}
    a.children.append(b)
    copied = carry(a)
    assert type(copied) is Subclass
    assert copied is not a
    watches = watched(a, b, copied, copied.next, copied.children)
    gc.collect()
    assert all(watch() is not None for watch in watches[:4])
    del a, b
    assert copied.next.next is not None
    del copied
    assert gone(watches)


class Subclass(Node):
    """A class that Python made."""
