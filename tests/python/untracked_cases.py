"""Wrappers that Python's collector does not know, because they hold nothing of Python's: `gc/sweep.rs`.

`Bare` and `Twig` own no Python object by themselves; `Node` may. Free-threaded builds track all wrappers, and the same
is collected.

`test_untracked.py` runs them, in a process of their own: once a second interpreter was opened in a process, as other
tests do, all wrappers are tracked from birth.
"""

import gc
import sys
import sysconfig
import weakref

import pairbond
import pytest
from c_libraries import build
from pairbond_holders import Bare, Holder, Leaf, Node, Twig, surveys

FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
#: Births that make pairbond look for garbage, several times over.
MANY = 400_000

only_with_a_gil = pytest.mark.skipif(FREE_THREADED, reason="free-threaded builds track all wrappers")


def live(cls) -> int:
    return pairbond.live_objects().get(f"pairbond_holders.{cls.__name__}", 0)


@pytest.fixture(autouse=True)
def nothing_stays():
    gc.collect()
    before = [live(cls) for cls in (Bare, Leaf, Node, Twig)]
    yield
    gc.collect()
    gc.collect()
    assert [live(cls) for cls in (Bare, Leaf, Node, Twig)] == before


@pytest.fixture
def without_collector():
    gc.disable()
    yield
    gc.enable()


class Full:
    """How many full collections there were."""

    def __enter__(self):
        self.before = gc.get_stats()[2]["collections"]
        return self

    def __exit__(self, *_):
        self.count = gc.get_stats()[2]["collections"] - self.before


class Sub(Bare):
    pass


@only_with_a_gil
def test_who_is_tracked():
    for it in (Bare(), Bare.ring(2), Twig.bush(1), Twig.bush(1).twigs[0]):
        assert not gc.is_tracked(it)
    assert gc.is_tracked(Sub())
    assert gc.is_tracked(Node())


@only_with_a_gil
@pytest.mark.parametrize("touch", ["it.x = 1", "vars(it)['x'] = 1", "object.__setattr__(it, 'x', 1)"])
def test_a_full_collection_sees_attributes(touch):
    it = Bare()
    exec(touch)
    gc.collect()
    assert gc.is_tracked(it)
    it.x = it
    gc.collect()
    assert gc.is_tracked(it)


@only_with_a_gil
def test_a_sweep_sees_attributes(without_collector):
    it = Bare()
    it.x = 1
    kept = [Bare() for _ in range(MANY)]
    assert gc.is_tracked(it)
    assert not gc.is_tracked(kept[0])


@pytest.mark.slow
def test_objects_with_attributes_that_refer_to_themselves_do_not_pile_up():
    most = 0
    for number in range(MANY):
        it = Bare()
        it.me = it
        if number % 1000 == 0:
            most = max(most, live(Bare))
    # Their dictionaries are older than what a young collection looks at: a full one comes by and by.
    assert most < MANY // 3


@only_with_a_gil
def test_what_was_shown_to_a_collection_is_forgotten_again():
    plain, other, marked = Bare(), Bare(), Bare()
    plain.next, marked.mark = marked, []
    gc.collect()
    assert [gc.is_tracked(it) for it in (plain, other, marked)] == [False, False, True]
    del marked.mark
    gc.collect()
    gc.collect()
    assert not gc.is_tracked(plain)


@pytest.mark.slow
@only_with_a_gil
def test_making_wrappers_causes_no_full_collection():
    # A process in which all is frozen has no objects of which a quarter could be new: it collects each time.
    others = [[] for _ in range(10_000)]
    gc.collect()
    with Full() as full:
        kept = [Bare() for _ in range(MANY)]
        kept += Twig.bush(MANY // 2).twigs
    assert full.count == 0
    assert len(others) + len(kept) > MANY


@pytest.mark.slow
@only_with_a_gil
def test_dropped_rings_need_no_collector(without_collector):
    most = 0
    for number in range(MANY // 2):
        Bare.ring(2, number).next.next
        if number % 1000 == 0:
            most = max(most, live(Bare))
    assert most < MANY
    # What is left is less than a reason to look.
    assert live(Bare) < MANY // 1.5


@only_with_a_gil
def test_a_large_heap_is_not_swept_for_few_wrappers(without_collector):
    # A sweep visits all objects: there are more of them than wrappers are made here.
    heap = Bare.ring(300_000)
    gc.collect()
    before = live(Bare)
    for number in range(60_000):
        Bare.ring(2, number).next.next
    assert live(Bare) - before == 120_000
    assert heap.next is not heap


@pytest.mark.slow
@only_with_a_gil
def test_dropped_trees_need_no_collector(without_collector):
    most = 0
    for _ in range(12):
        bush = Twig.bush(50_000)
        for twig in bush.twigs:
            twig.number
        del bush, twig
        most = max(most, live(Twig))
    assert most < 5 * 50_000


def walk(bush) -> int:
    return sum(1 for twig in bush.twigs if twig.number >= 0)


@only_with_a_gil
def test_a_large_tree_in_use_is_not_swept(without_collector):
    before = surveys()
    bush = Twig.bush(MANY)
    assert walk(bush) == MANY
    assert surveys() == before


@only_with_a_gil
def test_a_dead_tree_beside_a_large_one_is_swept(without_collector):
    dead = Twig.bush(60_000)
    walk(dead)
    del dead
    bush = Twig.bush(MANY)
    assert walk(bush) == MANY
    assert live(Twig) == MANY + 1


@only_with_a_gil
def test_a_dead_ring_beside_a_smaller_tree_is_swept(without_collector):
    Bare.ring(MANY).next.next
    bush = Twig.bush(MANY // 2 - 10)
    walk(bush)
    assert live(Bare) == 0


def test_a_wrapper_in_use_keeps_everything():
    ring = Bare.ring(3)
    watch = weakref.ref(ring.next.next)
    gc.collect()
    assert watch() is ring.next.next
    del ring
    gc.collect()
    assert watch() is None


def test_weak_references_to_a_dead_ring():
    ring = Bare.ring(4)
    watches = [weakref.ref(it) for it in (ring, ring.next, ring.next.next)]
    called = []
    watches.append(weakref.ref(ring.next, called.append))
    del ring
    gc.collect()
    assert not any(watch() for watch in watches)
    assert called == watches[3:]


def test_a_native_reference_keeps_a_ring():
    holder = Holder(Bare.ring(3))
    holder.get().next.next
    gc.collect()
    assert holder.get().next.next.next is holder.get()
    number = holder.get().next.number
    assert number == 1


@pytest.mark.parametrize("generations", [[2], [0, 2], [1, 2]])
@pytest.mark.parametrize(
    "close",
    [
        lambda plain, far: setattr(far, "mark", plain),
        lambda plain, far: setattr(far, "mark", [plain]),
        lambda plain, far: far.__dict__.update(mark=plain),
        lambda plain, far: object.__setattr__(far, "mark", plain),
    ],
)
@pytest.mark.parametrize("length", [0, 1, 5])
def test_a_cycle_through_an_attribute_of_another(length, close, generations):
    """plain → (native) … → far → (Python) plain: only one of the wrappers is tracked."""
    plain = Bare(0)
    far = plain
    for number in range(length):
        far.next = Bare(number + 1)
        far = far.next
    close(plain, far)
    watch = weakref.ref(plain)
    gc.collect()
    assert watch() is plain
    del plain, far
    for generation in generations:
        gc.collect(generation)
    assert watch() is None


def test_a_cycle_through_a_leaf():
    plain, leaf = Bare(), Leaf()
    plain.leaf, leaf.mark = leaf, plain
    watch = weakref.ref(plain)
    del plain, leaf
    gc.collect()
    assert watch() is None


def test_a_cycle_through_a_native_field():
    plain = Bare()
    plain.node = Node()
    plain.node.value = [plain]
    watch = weakref.ref(plain)
    del plain
    gc.collect()
    assert watch() is None


def test_a_cycle_through_an_object_without_wrapper():
    plain = Bare()
    plain.next = Bare()
    plain.next.node = Node()
    plain.next.node.value = lambda it=plain: it
    watch = weakref.ref(plain)
    del plain
    gc.collect()
    assert watch() is None


def test_a_cycle_through_an_instance_of_a_python_class():
    plain = Bare()
    plain.next = Sub()
    plain.next.mark = plain
    watch = weakref.ref(plain)
    del plain
    gc.collect()
    assert watch() is None


def test_two_components_that_only_python_connects():
    one, other = Bare(), Bare()
    one.next, other.next = Bare(), Bare()
    one.next.mark, other.next.mark = other, one
    watches = [weakref.ref(one), weakref.ref(other)]
    del one, other
    gc.collect()
    assert [watch() for watch in watches] == [None, None]


def test_what_a_dead_list_held_goes_in_the_same_collection():
    ring = Bare.ring(3)
    held = [ring, ring.next]
    held.append(held)
    before = live(Bare)
    del ring, held
    gc.collect()
    assert live(Bare) == before - 3


def test_a_finalizer_of_a_native_class():
    ended = []
    Bare.__del__ = lambda it: ended.append(it.number)
    try:
        ring = Bare.ring(3, 7)
        ring.next.next
        del ring
        gc.collect()
        assert sorted(ended) == [7, 8, 9]
    finally:
        del Bare.__del__


def test_frozen_wrappers_are_left_alone():
    far = Bare()
    far.next = Bare()
    far.next.mark = far
    watch = weakref.ref(far)
    gc.freeze()
    try:
        del far
        gc.collect()
    finally:
        gc.unfreeze()
    gc.collect()
    assert watch() is None


def test_a_tree_with_an_attribute_is_collected():
    bush = Twig.bush(5)
    bush.twigs[3].mark = bush
    watch = weakref.ref(bush.twigs[2])
    gc.collect()
    assert watch() is bush.twigs[2]
    del bush
    gc.collect()
    assert watch() is None


def test_without_callbacks_nothing_dangles():
    """Somebody takes pairbond's callbacks away from `gc.callbacks`: less is collected, and nothing else happens."""
    saved = gc.callbacks[:]
    gc.callbacks.clear()
    try:
        ring = Bare.ring(3)
        ring.mark = ring
        watch = weakref.ref(ring)
        del ring
        gc.collect()
    finally:
        gc.callbacks[:] = saved
    gc.collect()
    assert watch() is None


@pytest.mark.slow
@only_with_a_gil
def test_storing_and_deleting_attributes_at_any_time():
    it = Bare()
    for number in range(3000):
        setattr(it, f"a{number % 40}", number)
        if number % 7 == 0:
            gc.collect(number % 3)
        if number % 5 == 0:
            delattr(it, f"a{number % 40}")
    assert sys.getrefcount(it) <= 2


#: Of C and of C++: a type that its author declares with references to objects only.
FOREIGN = [("shapes.c", "shapes"), ("graphs.cpp", "graphs")]


@pytest.fixture(params=FOREIGN, ids=["C", "C++"])
def foreign(request):
    """The class of nodes of a library of C or C++, which there is one of in the process."""
    source, name = request.param
    if name not in sys.modules:
        sys.modules[name] = pairbond.load(build(source))
    return sys.modules[name].Node


def ring_of(cls, length: int):
    nodes = [cls(str(number)) for number in range(length)]
    for node, follower in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
        node.next = follower
    return nodes


def live_foreign(cls) -> int:
    return pairbond.live_objects().get(f"{cls.__module__}.Node", 0)


@only_with_a_gil
def test_wrappers_of_other_languages_are_untracked(foreign):
    assert not gc.is_tracked(foreign("a"))


@pytest.mark.slow
@only_with_a_gil
def test_dead_rings_of_other_languages_need_no_collector(foreign, without_collector):
    most = 0
    for _ in range(MANY // 1_000):
        ring_of(foreign, 1_000)
        most = max(most, live_foreign(foreign))
    assert most < MANY // 2


def test_cycles_through_python_objects_of_other_languages(foreign):
    ring = ring_of(foreign, 4)
    ring[2].mark = ring
    watches = [weakref.ref(it) for it in ring]
    before = live_foreign(foreign)
    del ring
    gc.collect()
    assert not any(watch() for watch in watches)
    assert live_foreign(foreign) == before - 4


def test_a_python_object_where_its_author_names_a_text():
    """What a type declares decides when a cycle is found, and not whether."""
    shapes = sys.modules.get("shapes") or pairbond.load(build("shapes.c"))
    sys.modules["shapes"] = shapes
    node = shapes.Node("a")
    held = [node]
    other = shapes.Node(lambda held=held: held)
    node.next = other
    watch = weakref.ref(node)
    del node, held, other
    gc.collect()
    assert watch() is None


@pytest.fixture
def odd():
    """A class made in Python that odd twigs get, and its replacements: the last one stays."""

    def define(**members):
        made = type("Odd", (Twig,), members)
        return pairbond.class_for(Twig, "odd")(made)

    return define


def test_handles_of_named_classes_are_untracked(odd):
    first = odd()
    bush = Twig.bush(3)
    assert [type(twig) for twig in bush.twigs] == [first, Twig, first]
    if not FREE_THREADED:
        assert not any(gc.is_tracked(twig) for twig in bush.twigs)
    bush.twigs[0].mark = 1
    gc.collect()
    assert gc.is_tracked(bush.twigs[0])
    assert bush.twigs[0].mark == 1


@pytest.mark.slow
@only_with_a_gil
def test_dead_trees_of_named_classes_need_no_collector(odd, without_collector):
    odd()
    most = 0
    for _ in range(12):
        bush = Twig.bush(50_000)
        for twig in bush.twigs:
            twig.number
        del bush, twig
        most = max(most, live(Twig))
    assert most < 5 * 50_000


def test_a_named_class_that_is_replaced_is_garbage_with_its_handles(odd):
    """From then on the way from a handle to its class matters."""
    first = odd()
    bush = Twig.bush(1)
    first.cached = bush.twigs[0]
    watches = [weakref.ref(first), weakref.ref(bush)]
    del first
    odd()
    if not FREE_THREADED:
        assert gc.is_tracked(bush.twigs[0])
    del bush
    gc.collect()
    gc.collect()
    assert [watch() for watch in watches] == [None, None]


@pytest.mark.parametrize(
    "members", [{"__slots__": ("mark",)}, {"__del__": lambda twig: None}], ids=["slots", "finalizer"]
)
def test_handles_of_named_classes_that_may_hold_objects_are_tracked(odd, members):
    odd(**members)
    twig = Twig.bush(1).twigs[0]
    assert gc.is_tracked(twig)
    if "__slots__" in members:
        twig.mark = twig
    watch = weakref.ref(twig)
    del twig
    gc.collect()
    gc.collect()
    assert watch() is None


@only_with_a_gil
def test_a_finalizer_that_a_named_class_gets(odd):
    ended = []
    made = odd()
    twig = Twig.bush(1).twigs[0]
    made.__del__ = lambda it: ended.append(it.number)
    twig = None
    gc.collect()
    gc.collect()
    assert twig is None
    assert ended == [1]
