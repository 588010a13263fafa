"""Copying, pickling and comparing graphs of native objects, and what Python has attached to them."""

import contextlib
import copy
import gc
import pickle
import subprocess
import sys
import threading
import weakref

import pairbond
import pairbond_holders as holders
import pairbond_testext as ext
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairbond._picklers import recent

Node = holders.Node
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


class Own(Node):
    """A class of our own."""

    def __init__(self, number=0, label=""):
        super().__init__(number)
        self.label = label


class Slotted(Node):
    __slots__ = ("tag",)


class Stateful(Node):
    def __getstate__(self):
        return {"kept": self.kept}

    def __setstate__(self, state):
        self.kept = state["kept"]
        self.restored = True


class NewArguments(Node):
    def __new__(cls, number=0, *, word="none"):
        self = super().__new__(cls, number)
        self.word = word
        return self

    def __init__(self, number=0, *, word="none"):
        super().__init__(number)

    def __getnewargs_ex__(self):
        return (self.number,), {"word": self.word.upper()}


class Reduced(Node):
    def __reduce__(self):
        return Reduced, (self.number + 100,)


class Copied(Node):
    def __copy__(self):
        return "copied"

    def __deepcopy__(self, memo):
        return Copied(self.number + 1000)


class Opaque:
    def __init__(self, **values):
        self.__dict__.update(values)


def ways():
    for protocol in PROTOCOLS:
        yield pytest.param(lambda x, p=protocol: pickle.loads(pickle.dumps(x, p)), id=f"pickle{protocol}")
    # The same written in Python, which recurses differently and remembers in the same way.
    yield pytest.param(lambda x: pickle._loads(pickle._dumps(x)), id="pickle-python")
    yield pytest.param(copy.deepcopy, id="deepcopy")


carried = pytest.mark.parametrize("carry", list(ways()))


@carried
def test_cycles_sharing_and_attributes(carry):
    a, b = Own(1, "first"), Node(2)
    a.next, b.next = b, a
    a.children.append(b)
    b.value = [a, b, {"a": a}]
    b.note = ["list", a]
    c = carry(a)
    assert type(c) is Own
    assert c is not a
    d = c.next
    assert type(d) is Node
    assert d.next is c
    assert c.children[0] is d
    assert d.value[0] is c
    assert d.value[1] is d
    assert d.value[2]["a"] is c
    assert d.note == ["list", c]
    assert c.label == "first"
    assert (c.number, d.number) == (1, 2)
    assert pairbond.structural_equal(pairbond.List([a.next.next.number]), pairbond.List([c.number]))


@carried
def test_two_roots_share(carry):
    shared = Node(7)
    x, y, z = Node(1), Node(2), Own(3)
    x.next = y.next = shared
    z.value = shared
    box = Opaque(y=y)
    shared.value = box
    got = carried_list = carry([x, box, z, shared, y])
    assert got[0].next is got[3]
    assert got[4].next is got[3]
    assert got[2].value is got[3]
    assert got[1].y is got[4]
    assert got[3].value is got[1]
    del carried_list


@carried
def test_from_every_end_of_a_graph(carry):
    """Which object of a component comes first makes no difference."""
    ring = [Own(i, f"n{i}") for i in range(5)]
    for i, node in enumerate(ring):
        node.next = ring[(i + 1) % 5]
        node.back = ring[i - 1]
    got = carry(ring[2:] + ring[:2])
    got = got[3:] + got[:3]
    for i, node in enumerate(got):
        assert node.next is got[(i + 1) % 5]
        assert node.back is got[i - 1]
        assert node.label == f"n{i}"


@carried
def test_states(carry):
    a = Slotted(1)
    a.tag, a.other = ["tag"], "attribute"
    b = carry(a)
    assert type(b) is Slotted
    assert b.tag == ["tag"]
    assert b.tag is not a.tag
    assert b.other == "attribute"
    c = Stateful(2)
    c.kept, c.lost = [c], 1
    d = carry(c)
    assert d.kept[0] is d
    assert d.restored
    assert not hasattr(d, "lost")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_new_arguments(protocol):
    a = NewArguments(5, word="word")
    a.next = NewArguments(6, word="other")
    b = pickle.loads(pickle.dumps(a, protocol))
    # The attributes come last, as they do for all classes.
    assert (type(b), b.number, b.word, b.next.number) == (NewArguments, 5, "word", 6)


@carried
def test_reduced_and_referred_to(carry):
    """A class that says itself how it is pickled is asked, wherever its objects are met."""
    a, r = Node(1), Reduced(2)
    a.next, a.value = r, [r]
    a.children.append(r)
    b = carry(a)
    assert type(b.next) is Reduced
    assert b.next.number == 102
    assert b.value[0] is b.next
    assert b.children[0] is b.next


def test_own_ways_of_copying():
    a = Node(1)
    a.next = Copied(2)
    assert copy.copy(a.next) == "copied"
    b = copy.deepcopy(a)
    assert type(b.next) is Copied
    assert b.next.number == 1002
    assert copy.copy(Reduced(1)).number == 101


def test_copy_is_shallow():
    a = Own(1, ["label"])
    a.next, a.value = Node(2), a
    b = copy.copy(a)
    assert type(b) is Own
    assert b is not a
    assert b.next is a.next
    assert b.value is a
    assert b.label is a.label
    items = pairbond.List([1, a])
    other = copy.copy(items)
    other.append(2)
    assert len(items) == 2
    assert other[1] is a


@pytest.mark.skipif(sys.version_info < (3, 13), reason="copy.replace is of 3.13")
def test_replace():
    special = ext.Settled(5)
    assert copy.replace(special, value=6).value == 6
    assert copy.replace(special).value == 5
    with pytest.raises(TypeError, match="color"):
        copy.replace(special, color=1)


@carried
def test_containers(carry):
    node = Node(1)
    items = pairbond.List([node, 1, 2.5, "text", b"bytes", None, True, 2**100])
    items.append(items)
    mapping = pairbond.Map({"node": node, 1: items})
    mapping[node] = mapping
    both = pairbond.Tuple([items, mapping, pairbond.Set([1, "x"]), pairbond.FrozenMap({"k": node})])
    a, b, c, d = carry(both)
    assert type(carry(both)) is pairbond.Tuple
    assert list(a)[1:8] == [1, 2.5, "text", b"bytes", None, True, 2**100]
    assert a[8] is a
    assert b["node"] is a[0]
    assert b[a[0]] is b
    assert b[1] is a
    assert d["k"] is a[0]
    assert set(c) == {1, "x"}


@carried
def test_python_keys(carry):
    """Keys that Python compares are found again."""
    key, word = frozenset([1, 2]), (1, "x")
    mapping = pairbond.Map({key: 1, word: 2})
    frozen = pairbond.FrozenMap({key: "f", word: "w"})
    holder = Node(1)
    holder.value = pairbond.Tuple([mapping, frozen])
    a, b = carry(holder).value
    assert a[frozenset([1, 2])] == 1
    assert a[(1, "x")] == 2
    assert b[frozenset([1, 2])] == "f"
    assert b[(1, "x")] == "w"


@carried
def test_callables_and_values(carry):
    node = Node(1)
    node.value = pairbond.List([len, str, pairbond.DType("float32"), pairbond.Device("cpu:0")])
    assert list(carry(node).value) == [len, str, pairbond.DType("float32"), pairbond.Device("cpu:0")]
    assert carry(pairbond.DType("int8")) == pairbond.DType("int8")
    bound = Own(3, "bound")
    bound.value = bound.same
    other = carry(bound)
    # copy.deepcopy takes built-in methods for atoms.
    assert other.value.__self__ is (bound if carry is copy.deepcopy else other)


def test_native_functions_go_by_name():
    native = ext.built()
    with pytest.raises(TypeError, match="registered"):
        pickle.dumps(native)
    pairbond.register_function("serial.test.native", native)
    node = Node(1)
    node.value = native
    assert pickle.loads(pickle.dumps(native)) is native
    assert pickle.loads(pickle.dumps(node)).value is native
    pairbond.remove_function("serial.test.native")


@pytest.mark.parametrize(
    ("protocol", "count"),
    [
        *((protocol, 20_000) for protocol in PROTOCOLS),
        pytest.param(pickle.HIGHEST_PROTOCOL, 1_000_000, marks=pytest.mark.large),
    ],
)
def test_a_million_deep_and_oneself(protocol, count):
    chain = Node.chain(count)
    data = pickle.dumps(chain, protocol)
    other = pickle.loads(data)
    assert pairbond.structural_equal(chain, other)
    loop = Node(1)
    loop.next = loop
    assert pickle.loads(pickle.dumps(loop, protocol)).next.number == 1


@pytest.mark.large
def test_a_deep_copy():
    chain = Node.chain(100_000)
    other = copy.deepcopy(chain)
    assert other is not chain
    assert pairbond.structural_hash(chain) == pairbond.structural_hash(other)


def test_weak_references():
    tree, leaf, elsewhere = Node(1), Node(2), Node(3)
    tree.children.append(leaf)
    leaf.parent, tree.parent = tree, elsewhere
    other = copy.deepcopy(tree)
    assert other.children[0].parent is other
    assert other.parent is None


def test_nothing_is_kept():
    node = Own(1, "x")
    node.value = [node]
    gone = weakref.ref(node)
    copies = [weakref.ref(pickle.loads(pickle.dumps(node))), weakref.ref(copy.deepcopy(node))]
    node.__reduce_ex__(4)
    gc.collect()
    assert pairbond._picklers.recent() is None
    del node
    gc.collect()
    assert gone() is None
    assert all(copy() is None for copy in copies)


def test_a_pickle_in_a_pickle_and_one_that_stays():
    """Each pickle has what it needs, whatever others are in the making."""

    class Nested:
        def __reduce__(self):
            return bytes, (pickle.dumps([x, shared]),)

    x, y, shared = Node(1), Node(2), Node(3)
    x.next = y.next = shared
    got = pickle.loads(pickle.dumps([x, Nested(), y, shared]))
    assert got[0].next is got[3]
    assert got[2].next is got[3]
    inner = pickle.loads(got[1])
    assert inner[0].next is inner[1]

    import io

    out = io.BytesIO()
    stays = pickle.Pickler(out)
    stays.dump([x, y])
    shared.value = "changed"
    for _ in range(2):
        a, b, c = pickle.loads(pickle.dumps([y, x, shared]))
        assert a.next is b.next is c
        assert c.value == "changed"
    del stays


def test_threads_do_not_mix():
    roots = [Node.chain(50) for _ in range(4)]
    failures = []

    def work(root):
        for _ in range(50):
            a, b = pickle.loads(pickle.dumps([root, root.next]))
            if a.next is not b:
                failures.append(root)

    threads = [threading.Thread(target=work, args=(root,)) for root in roots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_what_cannot_be_taken_apart_is_named():
    node = Node(1)
    node.value = holders.Holder()
    for attempt in (pickle.dumps, copy.deepcopy, pairbond.to_json, pairbond.structural_hash):
        with pytest.raises(TypeError, match=r"pairbond_holders\.Holder"):
            attempt(node)
    node.value = lambda: None
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(node)
    assert pickle.loads(pickle.dumps(Node(3))).number == 3


def test_arrays_out_of_band():
    array = pairbond.Array.from_buffer(memoryview(bytearray(range(24))).cast("B", (4, 6)))
    node = Node(1)
    node.value = pairbond.List([array])
    buffers = []
    data = pickle.dumps(node, 5, buffer_callback=buffers.append)
    assert len(buffers) == 1
    assert len(buffers[0].raw()) == 24
    memory = bytearray(buffers[0].raw())
    other = pickle.loads(data, buffers=[memory]).value[0]
    assert memoryview(other).tobytes() == bytes(range(24))
    assert other.shape == (4, 6)
    # It is that memory itself.
    memory[0] = 99
    assert memoryview(other).cast("B")[0] == 99
    for protocol in PROTOCOLS:
        other = pickle.loads(pickle.dumps(node, protocol)).value[0]
        memoryview(other).cast("B")[7] = 1
        assert memoryview(array).cast("B")[7] == 7


def test_json():
    ring = Node.ring(3)
    text = pairbond.to_json(ring)
    other = pairbond.from_json(text)
    assert other.next.next.next is other
    assert pairbond.structural_equal(ring, other)
    assert pairbond.to_json(other) == text
    assert pairbond.from_json(pairbond.to_json(pairbond.List([1, 1.0, "é", None, 2**80])))[3] is None
    ring.value = object()
    with pytest.raises(TypeError, match="JSON"):
        pairbond.to_json(ring)
    for wrong in (
        "",
        "{}",
        "[]",
        '{"pairbond": 1}',
        text.replace("Node", "Unknown"),
        text.replace('"number"', '"nummer"'),
    ):
        with pytest.raises((ValueError, TypeError)) as error:
            pairbond.from_json(wrong)
        assert str(error.value)
    with pytest.raises((TypeError, ValueError), match=r"Node\.number"):
        pairbond.from_json(text.replace('"number":0', '"number":"zero"'))
    for length in range(9):
        raw = b"\0\xff\x7f and"[:length]
        written = pairbond.to_json(pairbond.List([raw]))
        assert pairbond.from_json(written)[0] == raw
    for wrong in ("AP9", "AP9/*", "AP9=fw==", "é"):
        with pytest.raises(ValueError, match="base 64"):
            pairbond.from_json(written.replace("AP9/IGFuZA==", wrong))


def test_structural():
    a, b = Node.ring(4), Node.ring(4)
    assert pairbond.structural_equal(a, b)
    assert pairbond.structural_hash(a) == pairbond.structural_hash(b)
    b.next.value = 1
    assert not pairbond.structural_equal(a, b)
    assert pairbond.structural_compare(pairbond.List([1, 2]), pairbond.List([1, 3])) == -1
    with pytest.raises(TypeError, match="order"):
        pairbond.structural_compare(a, b)


node_specs = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(st.none(), st.integers(0, 9)),
        st.lists(st.integers(0, 9), max_size=3),
        st.one_of(st.none(), st.integers(), st.text(max_size=3), st.floats(allow_nan=False), st.binary(max_size=3)),
        st.one_of(st.none(), st.integers(0, 9)),
    ),
    min_size=1,
    max_size=10,
)


def built(specs):
    classes = [Node, Own, Slotted, Node]
    nodes = [classes[kind](i) for i, (kind, *_) in enumerate(specs)]
    for node, (kind, after, children, value, parent) in zip(nodes, specs, strict=True):
        node.next = None if after is None else nodes[after % len(nodes)]
        for child in children:
            node.children.append(nodes[child % len(nodes)])
        node.value = value
        node.parent = None if parent is None else nodes[parent % len(nodes)]
        if kind == 1:
            node.friend = nodes[children[0] % len(nodes)] if children else None
    return nodes


def shape(nodes):
    """Who refers to whom, by the order in which all are met."""
    order, met = [], {}

    def meet(node):
        if node is None:
            return None
        if id(node) not in met:
            met[id(node)] = len(order)
            order.append(node)
        return met[id(node)]

    roots, out, at = [meet(node) for node in nodes], [], 0
    while at < len(order):
        node = order[at]
        at += 1
        out.append(
            (
                type(node),
                node.number,
                meet(node.next),
                [meet(child) for child in node.children],
                node.value,
                meet(node.parent),
                meet(getattr(node, "friend", None)),
            )
        )
    return roots, out


@given(node_specs)
@settings(max_examples=40, deadline=None)
def test_random_graphs(specs):
    nodes = built(specs)
    expected = shape(nodes)
    # One graph, and one for each end: weak references are kept to what the graph has for other reasons.
    whole = pairbond.List(nodes)
    for protocol in (2, 5):
        assert shape(pickle.loads(pickle.dumps(whole, protocol))) == expected
    assert shape(copy.deepcopy(whole)) == expected
    for node in nodes:
        node.parent = None
    expected = shape(nodes)
    assert shape(pickle.loads(pickle.dumps(nodes))) == expected
    assert shape(copy.deepcopy(nodes)) == expected
    # Native all the way: JSON knows nothing of attributes and classes, and strong references only.
    natives = pairbond.List(nodes)
    other = pairbond.from_json(pairbond.to_json(natives))
    assert pairbond.structural_equal(natives, other)
    assert pairbond.structural_hash(natives) == pairbond.structural_hash(other)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_damaged_tables(data):
    if recent() is not None:
        # Without a GIL a pickler of another test may wait for the collector, and would be asked about.
        gc.collect()
    node = Node.ring(3)
    node.children.append(node.next)
    node.value = pairbond.Map({"a": node, 1: pairbond.Tuple([1, node])})
    graph, _ = node.__reduce_ex__(4)[1]
    made, arguments = graph.__reduce_ex__(4)[:2]
    # The probes for the pickler's dispatch table are saved by none here.
    _, arguments = arguments[2].__reduce_ex__(4)
    table = bytearray(arguments[0])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(table) - 1))
        table[at] = data.draw(st.integers(0, 255))
    # A KeyError: a byte says now that a string is the name of a function, which is not registered.
    with contextlib.suppress(ValueError, TypeError, OverflowError, KeyError):
        result = made(2, (), bytes(table), *arguments[1:])
        copy.deepcopy(result.object(0))


def test_types_are_imported_by_the_pickle():
    """A process that has imported nothing finds the types, and one without them says so."""
    data = pickle.dumps(Node.ring(3))
    code = "import pickle, sys; x = pickle.loads(bytes.fromhex(sys.argv[1])); print(x.next.next.next is x)"
    run = [sys.executable, "-c", code, data.hex()]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.strip() == "True"
    with pytest.raises(TypeError, match=r"shop\.Unknown"):
        pairbond.from_json(
            '{"pairbond": 1, "root": {"ref": 0}, "types": {}, "nodes": [{"type": "shop.Unknown", "items": []}]}'
        )


@pairbond.object("serial_tests.Point")
class Point:
    x: float
    y: float = 0.0


@pairbond.object("serial_tests.Circle")
class Circle:
    center: Point
    radius: float = 1.0
    tags: list[str] = pairbond.field(default_factory=list)
    other: "Circle | None" = None


class Ring(Circle):
    """A class that extends one that is a native type itself."""


def test_types_defined_in_python():
    center = Point(1.0, 2.0)
    for cls in (Circle, Ring):
        first, second = cls(center, 2.0, ["a"]), Circle(center)
        first.other, second.other = second, first
        for carry in (
            copy.deepcopy,
            lambda it: pickle.loads(pickle.dumps(it, 2)),
            lambda it: pickle.loads(pickle.dumps(it)),
        ):
            got = carry(first)
            assert type(got) is cls
            assert type(got.other) is Circle
            assert got.center is got.other.center
            assert got.center is not center
            assert got.other.other is got
            assert (got.radius, list(got.tags), got.center.y) == (2.0, ["a"], 2.0)
            assert pairbond.structural_equal(first, got)
        got = pairbond.from_json(pairbond.to_json(first))
        assert got.other.other is got
        assert pairbond.structural_hash(got) == pairbond.structural_hash(first)
        assert copy.copy(first).other is second
    text = pairbond.to_json(center)
    with pytest.raises(TypeError, match=r"serial_tests\.Point\.x"):
        pairbond.from_json(text.replace('"x":1.0', '"x":"wide"'))


OLD = """
import pairbond
@pairbond.object("aged.Shape")
class Shape:
    name: str
"""
NEW = (
    OLD
    + """
    sides: int = 4
    tags: list[str] = pairbond.field(default_factory=lambda: ["new"])
    scale: float = 1.5
    filled: bool = True
    cache: dict = pairbond.field(default_factory=dict, init=False)
    late: int = pairbond.field(init=False)
    next: "Shape | None" = None
"""
)
WRITE = """
import aged, json, pairbond, pickle
shape = aged.Shape("square")
print(json.dumps([pairbond.to_json(shape), *(pickle.dumps([shape, shape], p).hex() for p in range(2, 6))]))
"""
READ = """
import aged, json, pairbond, pickle, sys
text, *pickles = json.load(sys.stdin)
shapes = [pairbond.from_json(text)]
for data in pickles:
    both = pickle.loads(bytes.fromhex(data))
    assert both[0] is both[1]
    shapes.append(both[0])
for one in shapes:
    assert (one.name, one.sides, one.scale, one.filled, one.next) == ("square", 4, 1.5, True, None), one
    assert list(one.tags) == ["new"] and one.cache == {} and not hasattr(one, "late")
assert len({id(one.tags) for one in shapes}) == len(shapes)
print("read")
"""


def test_a_class_that_has_more_fields_by_now(tmp_path):
    """What is written by a class with fewer fields is read with what the class says the others have by default."""

    def run(code, text=None):
        return subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, cwd=tmp_path)

    module = tmp_path / "aged.py"
    module.write_text(OLD)
    written = run(WRITE)
    assert written.returncode == 0, written.stderr
    module.write_text(NEW)
    read = run(READ, written.stdout)
    assert read.stdout == "read\n", read.stderr
    module.write_text(OLD + "    sides: int\n")
    refused = run(READ, written.stdout)
    assert "ValueError: the data lacks the field `sides` of aged.Shape, which has no default" in refused.stderr


def test_a_class_that_was_defined_again():
    """As in a notebook: copies of older instances are of the class that they had."""

    def define():
        @pairbond.object("serial_tests.Again")
        class Again:
            x: int
            other: object = None

        return Again

    old = define()
    it = old(1)
    it.other = [old(2)]
    new = define()
    assert new is not old
    for carry in (copy.copy, copy.deepcopy):
        got = carry(it)
        assert type(got) is old
        assert type(got.other[0]) is old
        assert (got.x, got.other[0].x) == (1, 2)
        assert type(carry(new(3))) is new
    # Python pickles no instance of a class that is not the one of its name.
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(it)
