"""Libraries of C: objects, values, functions, errors, threads, and what is refused."""

import copy
import gc
import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
import threading
import weakref

import pairbond
import pytest
from c_libraries import build


def live(kind):
    gc.collect()
    return pairbond.live_objects().get(kind, 0)


def test_a_module_has_what_the_library_describes(shapes):
    assert shapes.__doc__ == "Shapes of C."
    assert shapes.UNIT == 2.5
    assert "Node" in shapes.__all__
    assert shapes.Node.__doc__ == "A node of a graph."
    assert shapes.Node.weight.__doc__ == "Its weight."
    assert pairbond.load(build("shapes.c")) is shapes


def test_signatures(shapes):
    assert str(inspect.signature(shapes.Node)) == "(name, weight=1, *, origin=None)"
    assert str(inspect.signature(shapes.Node.chain)) == "(self, /)"
    assert str(inspect.signature(shapes.Node("a").chain)) == "()"
    assert str(inspect.signature(shapes.apply)) == "(function, *arguments)"
    assert shapes.make_point.__doc__ == "Makes a point."
    assert shapes.make_point.__name__ == "make_point"
    assert shapes.Node.chain.__qualname__ == "Node.chain"
    assert shapes.Node.chain.__objclass__ is shapes.Node
    assert repr(shapes.Node.chain) == "<method 'chain' of 'shapes.Node' objects>"


def test_stubs_name_what_the_library_describes():
    command = [sys.executable, "-m", "pairbond", "stubs", str(build("shapes.c"))]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    for line in (
        "class Node(pairbond.Object):",
        "class Leaf(Node):",
        "    def __init__(self, name: str, weight: int = 1, *, origin: Node | None = None) -> None:",
        "    next: Node | None",
        "def make_point(good: bool = True) -> Point:",
    ):
        assert line in run.stdout, run.stdout


def test_functions_and_methods_are_pickled_by_name(shapes):
    for function in (shapes.apply, shapes.Node.chain):
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function


def test_an_object_has_one_self(shapes):
    a = shapes.Node("a", 3)
    b = shapes.Node("b", origin=a)
    assert b.origin is a
    a.next = b
    assert a.next is b
    assert a.chain()[1] is b
    a.note = "kept"
    address = id(a)
    shapes.keep(a)
    del a
    b = None
    gc.collect()
    again = shapes.keep(None)
    assert id(again) == address
    assert again.note == "kept"


def test_a_subclass_is_kept_with_its_object(shapes):
    class Sub(shapes.Node):
        def __init__(self, weight):
            super().__init__("sub", weight)
            self.extra = weight

    sub = Sub(4)
    shapes.keep(sub)
    del sub
    gc.collect()
    again = shapes.keep(None)
    assert type(again) is Sub
    assert (again.extra, again.weight, repr(again)) == (4, 4, "Node(sub, 4)")


def test_weak_references_on_both_sides(shapes):
    node = shapes.Node("a")
    reference = weakref.ref(node)
    shapes.remember(node)
    assert shapes.recall() is node
    del node
    gc.collect()
    assert reference() is None
    assert shapes.recall() is None
    node = shapes.Node("b")
    assert shapes.upgrade(node) is node


def test_cycles_of_c_are_collected(shapes):
    before = live("shapes.Node")
    a, b = shapes.Node("a"), shapes.Node("b")
    a.next, b.next = b, a
    a.attribute = b
    references = weakref.ref(a), weakref.ref(b)
    del a, b
    gc.collect()
    assert [reference() for reference in references] == [None, None]
    assert live("shapes.Node") == before


def test_cycles_with_python_are_collected(shapes):
    class Sub(shapes.Node):
        pass

    def make():
        node = Sub("a")
        node.held = [node]
        other = shapes.Node(lambda: other, origin=node)
        node.next = other
        return weakref.ref(node)

    before = live("shapes.Node")
    reference = make()
    gc.collect()
    assert reference() is None
    assert live("shapes.Node") == before


def test_cycles_with_other_languages_are_collected(shapes):
    before = live("shapes.Node")
    items = pairbond.List()
    node = shapes.Node(items)
    items.append(node)
    reference = weakref.ref(node)
    del items, node
    gc.collect()
    assert reference() is None
    assert live("shapes.Node") == before


def test_a_type_made_at_run_time_refers_to_c(shapes):
    @pairbond.object("test_c.Holder")
    class Holder:
        node: shapes.Node

    holder = Holder(shapes.Node("held"))
    assert repr(holder.node) == "Node(held, 1)"
    reference = weakref.ref(holder.node)
    holder.node.back = holder
    del holder
    gc.collect()
    assert reference() is None


def test_fields(shapes):
    point = shapes.make_point()
    assert (point.x, point.small, point.flag, point.large) == (1.5, -3, True, 2**64 - 1)
    point.x, point.small, point.flag, point.large = 2, 127, False, 7
    assert (point.x, point.small, point.flag, point.large) == (2.0, 127, False, 7)
    node = shapes.Node("a")
    assert node.heavy is False
    node.heavy = True
    assert node.weight == 1000


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (("small", 128), OverflowError, "Point.small: int 128 does not fit into an int from -128 to 127"),
        (("small", "x"), TypeError, "Point.small: expected an int from -128 to 127, got str 'x'"),
        (("large", -1), OverflowError, "Point.large: int -1 does not fit into an int from 0 to 2"),
        (("flag", 1), TypeError, "Point.flag: expected bool, got int 1"),
        (("x", None), TypeError, "Point.x: expected float, got None"),
    ],
)
def test_a_field_takes_its_kind_of_value(shapes, change, error, words):
    point = shapes.make_point()
    with pytest.raises(error, match=words):
        setattr(point, *change)
    assert (point.x, point.small, point.flag, point.large) == (1.5, -3, True, 2**64 - 1)


def test_a_field_cannot_be_deleted_nor_a_constant_one_set(shapes):
    node = shapes.Node("a")
    with pytest.raises(AttributeError):
        node.name = "b"
    with pytest.raises((AttributeError, TypeError)):
        del node.weight
    with pytest.raises(TypeError, match=r"Node.next: expected shapes.Node or None, got int 3"):
        node.next = 3
    with pytest.raises(TypeError, match=r"Node.next: expected shapes.Node or None"):
        node.next = shapes.make_point()


def test_a_type_that_extends_another(shapes):
    leaf = shapes.Leaf(2.5)
    assert isinstance(leaf, shapes.Node)
    assert (leaf.value, leaf.weight, leaf.name) == (2.5, 7, None)
    node = shapes.Node("a", origin=leaf)
    leaf.next = node
    reference = weakref.ref(leaf)
    assert leaf.chain()[1] is node
    del leaf, node
    gc.collect()
    assert reference() is None


def test_many_classes(monkeypatch):
    """More than there are functions that make objects in one step."""
    monkeypatch.delenv("FAULT", raising=False)
    many = pairbond.load(build("faulty.c", "-DMANY=100", name="many"))
    for number in range(100):
        kind = getattr(many, f"Thing{number}")
        assert type(kind()) is kind
        assert kind().number == 0
        with pytest.raises(TypeError, match=rf"Thing{number}\(\)"):
            kind(1, 2, 3)


def test_more_functions_than_there_are_places_for():
    """Those beyond are objects of another kind, with the same behaviour."""
    program = f"""
import pairbond
many = pairbond.load({str(build("faulty.c", "-DFUNCTIONS=2100", name="many_functions"))!r})
assert [getattr(many, f"f{{number}}")() for number in range(2100)] == list(range(2100))
kinds = [type(getattr(many, f"f{{number}}")).__name__ for number in range(2100)]
assert kinds[0] == "builtin_function_or_method" and kinds[-1] == "NativeFunction", (kinds[0], kinds[-1])
late = many.Thing()
assert type(many.Thing.plus).__name__ == "NativeMethod"
assert (late.plus(2), late.plus(number=3), late[5]) == (2, 3, 5)
for call in (lambda: late.plus(), lambda: late.plus("x"), lambda: many.Thing.plus(3, 1), lambda: many.f2099(1)):
    try:
        call()
    except TypeError as error:
        assert "plus" in str(error) or "f2099" in str(error), error
    else:
        raise AssertionError("no error")

class Sub(many.Thing):
    def __getitem__(self, index):
        return super().__getitem__(index) + 1

assert Sub()[5] == 6
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def test_a_constructor_that_is_replaced(shapes):
    native = shapes.Branch.__init__
    assert shapes.Branch(name="a").name == "a"
    shapes.Branch.__init__ = lambda self, name: native(self, name=f"{name}!")
    try:
        assert shapes.Branch("a").name == "a!"
        assert shapes.Bough("a").name == "a"
    finally:
        shapes.Branch.__init__ = native
    assert shapes.Branch("a").name == "a"

    class Sub(shapes.Branch):
        def __new__(cls, number):
            return super().__new__(cls, number)

        def __init__(self, number):
            super().__init__(str(number))

    assert Sub(5).name == "5"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        shapes.Branch()
    with pytest.raises(TypeError, match="nothing"):
        shapes.Branch("a", nothing=1)


def test_special_methods(shapes):
    a, b, c = shapes.Node("same", 5), shapes.Node("same", 5), shapes.Node("other", 5)
    assert a == b
    assert a != c
    assert a != 3
    assert hash(a) == hash(b) == 5
    assert len({a, b, c}) == 2
    assert shapes.Node.count == shapes.Node.alive()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda s: s.Node(), TypeError, "missing 1 required positional argument: 'name'"),
        (lambda s: s.Node("a", 1, 2), TypeError, "positional argument"),
        (lambda s: s.Node("a", nothing=1), TypeError, "nothing"),
        (lambda s: s.Node("a", "b"), TypeError, r"Node\(\) argument 'weight': expected an int of 64 bits, got str 'b'"),
        (lambda s: s.Node("a", 2**70), OverflowError, "does not fit into an int of 64 bits"),
        (lambda s: s.Node("a", -1), ValueError, "a weight is not negative"),
        (lambda s: s.Node("a", origin=3), TypeError, "expected shapes.Node, got int 3"),
        (lambda s: s.Node("a", origin=s.make_point()), TypeError, "expected shapes.Node, got shapes.Point"),
        (lambda s: s.say_nothing(), RuntimeError, r"say_nothing\(\) failed without an error"),
        (lambda s: s.read_more(1), TypeError, r"read_more\(\) argument 1, which it does not describe, is missing"),
        (lambda s: s.return_twice(), RuntimeError, r"return_twice\(\) gave a result twice"),
        (lambda s: s.Node.chain(3), TypeError, "'chain' for 'shapes.Node' objects doesn't apply to a 'int' object"),
        (lambda s: s.Node.chain(s.make_point()), TypeError, "doesn't apply to a 'shapes.Point' object"),
        (lambda s: s.Node.chain(), TypeError, r"unbound method Node.chain\(\) needs an argument"),
        (lambda s: s.Node("a").__init__("b"), TypeError, "was called twice"),
        (lambda s: s.Node.__init__(s.Leaf(1.0), "b"), TypeError, "makes shapes.Node objects, it cannot make"),
        (lambda s: s.numbers(-1), OverflowError, "does not fit"),
        (lambda s: s.bytes("x"), TypeError, "expected bytes, got str 'x'"),
        (lambda s: s.apply(3), TypeError, "expected a callable, got int 3"),
    ],
)
def test_bad_input_is_an_exception(shapes, call, error, words):
    before = live("shapes.Node")
    with pytest.raises(error, match=words):
        call(shapes)
    assert live("shapes.Node") == before


def test_errors_of_c(shapes):
    with pytest.raises(shutil_error(), match="no point") as caught:
        shapes.make_point(False)
    assert caught.value.__notes__ == ["a note of C"]
    with pytest.raises(ValueError, match="oh") as caught:
        shapes.fail(2, "oh")
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(RuntimeError, match="unknown"):
        shapes.fail(4711, "unknown")


def shutil_error():
    import shutil

    return shutil.Error


def test_an_exception_passes_through_c_as_it_is(shapes):
    raised = LookupError("mine")

    def fail():
        raise raised

    with pytest.raises(LookupError) as caught:
        shapes.apply(fail)
    assert caught.value is raised
    with pytest.raises(KeyboardInterrupt):
        shapes.apply(interrupt)


def interrupt():
    raise KeyboardInterrupt


def test_functions_are_values(shapes):
    assert shapes.apply(max, 1, 5, 3) == 5
    adder = shapes.adder(4)
    assert adder(1, 2) == 7
    assert shapes.apply(adder, 6) == 10
    with pytest.raises(TypeError, match=r"adder\(\) adds up integers"):
        adder("x")
    same = object()
    assert shapes.apply(lambda x: x, same) is same


def test_functions_by_name(shapes):
    assert shapes.by_name(lambda: pairbond.get_function("shapes.published")) is not None
    assert shapes.by_name(lambda: 5) == 5
    with pytest.raises(KeyError, match=r"shapes\.published"):
        pairbond.get_function("shapes.published")
    with pytest.raises(KeyError, match="nothing"):
        shapes.by_name(lambda: pairbond.get_function("nothing"))


def test_names_of_functions(shapes):
    assert shapes.by_name(shapes.names_of_functions).count("shapes.published") == 1
    assert "shapes.published" not in shapes.names_of_functions()


def test_longjmp_within_a_function(shapes):
    """The rule of the header: a jump stays within frames of the library."""
    assert shapes.parsed("123") == 123
    for _ in range(100):
        with pytest.raises(ValueError, match="not a number"):
            shapes.parsed("12x")


def test_the_shorter_way(shapes):
    before = shapes.quick_calls()
    assert (shapes.product(6, 7), shapes.product(3), shapes.product(-4, 2**29)) == (42, 30, -(2**31))
    assert shapes.quick_calls() == before + 3
    # What it does not read goes the other way, which reports.
    assert (shapes.product(2**40, 2), shapes.product(a=2, b=3), shapes.product(True, 5)) == (2**41, 6, 5)
    assert shapes.quick_calls() == before + 3
    with pytest.raises(TypeError, match=r"product\(\) argument 'a': expected an int of 64 bits, got str 'x'"):
        shapes.product("x")
    with pytest.raises(ZeroDivisionError, match="quick"):
        shapes.product(1, 0)
    with pytest.raises(TypeError, match="argument"):
        shapes.product(1, 2, 3)


def test_containers(shapes):
    items, found, unique, removed, sums, fine = shapes.containers()
    assert list(items) == [1, 20]
    assert found is items
    assert set(unique) == {5}
    assert (removed, sums, fine) == (9, 2021, True)


def test_bytes_and_large_numbers(shapes):
    assert shapes.bytes(b"a\0b") == b"a\0b"
    assert shapes.numbers(2**64 - 1) == 2**64 - 1


def test_events_and_the_allocator(shapes):
    def work():
        for _ in range(3):
            shapes.Node("a")

    made, freed, tied, emitted, allocated, deallocated, ended = shapes.watch(work)
    assert (made, freed, tied, emitted, ended) == (3, 3, 3, 1, 1)
    assert allocated == deallocated >= 3


def test_other_threads_run_while_c_is_detached(shapes):
    done = threading.Event()
    ticks = []

    def tick():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    while not ticks:
        done.wait(0.001)
    before = len(ticks)
    assert shapes.spin(200_000_000) == 0
    after = len(ticks)
    done.set()
    thread.join()
    assert after > before


def test_ctrl_c_ends_a_loop_of_c():
    program = f"""
import signal, pairbond
shapes = pairbond.load({str(build("shapes.c"))!r})
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    shapes.spin_until_interrupted()
except KeyboardInterrupt:
    print("interrupted")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.stdout == "interrupted\n", run.stderr


def test_threads_make_and_drop_objects(shapes):
    before = live("shapes.Node")
    shared = [shapes.Node("shared")]

    def work():
        for number in range(2000):
            node = shapes.Node("a", number, origin=shared[0])
            shared[0].next = node
            assert shared[0].next is not None
            node.next = shared[0]

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        gc.collect()
    for thread in threads:
        thread.join()
    shared.clear()
    assert live("shapes.Node") == before


def test_a_library_is_an_extension_module():
    """In a process of its own, and imported anew: one file for every version of Python."""
    library = build("shapes.c")
    program = f"""
import importlib, importlib.util, sys
import pairbond
spec = importlib.util.spec_from_file_location("shapes", {str(library)!r})
shapes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shapes)
sys.modules["shapes"] = shapes
assert shapes.__doc__ == "Shapes of C." and "Node" in shapes.__all__, shapes.__all__
assert shapes.__file__ == {str(library)!r}
node = shapes.Node("a")
assert repr(node) == "Node(a, 1)"
# Loading the file gives what was imported.
assert pairbond.load({str(library)!r}) is shapes and sys.modules["shapes"] is shapes
again = importlib.util.module_from_spec(spec)
spec.loader.exec_module(again)
assert again.Node is shapes.Node
print("GIL", getattr(sys, "_is_gil_enabled", lambda: True)())
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    free_threaded = "free-threading" in sys.version
    assert run.stdout == f"GIL {not free_threaded}\n"


FAULTS = {
    1: (ValueError, "Thing.number: 8 bytes at 1 are not within a value of 16 bytes, or not aligned"),
    2: (ValueError, "are not within a value of 16 bytes"),
    3: (ValueError, "Thing.other: a reference that can change must be a pb_cell"),
    4: (ValueError, 'the type "faulty.Thing": it has no destructor; .*PB_TYPE_TRIVIAL'),
    5: (ValueError, r"a structure of 16 bytes is too short: \d+ are needed"),
    6: (ValueError, "a key is a module's name, a point, and the type's name"),
    7: (TypeError, "an alignment is a power of two and at most 4096, and not 3"),
    8: (ValueError, "flags that this version of pairbond does not know"),
    9: (TypeError, "pairbond.List cannot be extended: only the language that it is written in"),
    10: (TypeError, 'the type key "faulty.Thing" is already registered with another layout'),
    12: (OSError, "there is no device"),
    13: (RuntimeError, "a function of a C library failed without an error"),
    14: (ValueError, r"f\(\) has no C function"),
    15: (UnicodeError, "a text of a C library is not UTF-8"),
    16: (ValueError, "a node needs a field of the kind PB_FIELD_LINKS"),
    17: (ValueError, "places and children are fields of nodes: set the flag PB_TYPE_TREE"),
    18: (ValueError, "a node has one place only, and here are several"),
    19: (ValueError, "PB_TYPE_PLAIN does not go with PB_TYPE_TREE"),
    20: (ImportError, r"has a table of 24 bytes where \d+ are needed"),
    21: (
        ImportError,
        r"built with the headers of pairbond 7.1.0, .* too old for it: pip install --upgrade 'pairbond>=7.1.0'",
    ),
    22: (ImportError, r"pip install --upgrade 'pairbond>=7.1.0rc1'"),
    23: (
        ImportError,
        r"interface pairbond .* does not have any more: build it again, or: pip install 'pairbond==0.0.1'",
    ),
    24: (ImportError, "a table without a function that describes it"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_library_is_refused(fault, monkeypatch):
    kind, words = FAULTS[fault]
    monkeypatch.setenv("FAULT", str(fault))
    of_its_own = (f"-DFAULT={fault}",) if fault >= 20 else ()
    library = build("faulty.c", *of_its_own, name=f"faulty{fault}" if of_its_own else None)
    for _ in range(2):
        with pytest.raises(kind, match=words):
            pairbond.load(library)


@pytest.mark.parametrize("fault", [11, 30], ids=["twice", "not its own"])
def test_a_trace_function_that_shows_what_it_does_not_own_is_named(fault):
    """Where the runtime counts (builds with debug assertions)."""
    program = f"""
import gc, pairbond
faulty = pairbond.load({str(build("faulty.c"))!r})
inner = faulty.Thing()
outer = faulty.Thing(inner)
keep = outer
if {fault} == 11:
    del inner
gc.collect()
print("collected")
"""
    environment = {**os.environ, "FAULT": str(fault)}
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    if "collected" in run.stdout and not run.stderr:
        pytest.skip("needs a build with debug assertions")
    assert "of the types that refer to it (faulty.Thing) one shows a reference" in run.stderr, run.stderr


def test_importlib_finds_the_file():
    assert importlib.util.spec_from_file_location("shapes", build("shapes.c")) is not None
