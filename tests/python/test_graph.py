"""`pairbond.graph` and `leaks().graph()`: pictures of who holds whom."""

import gc
import importlib.util
import sys
import threading
import time
import weakref
from xml.etree import ElementTree

import pairbond
import pytest
import shop
from pairbond_holders import Holder, Leaf, Node

HAS_LAYOUT = importlib.util.find_spec("graphlay") is not None
drawn = pytest.mark.skipif(not HAS_LAYOUT, reason="graphlay, the extra pairbond[graph], is not installed")
LIST, CART, ITEM, OP, BLOCK = "pairbond.List", "shop.Cart", "shop.Item", "shop.Op", "shop.Block"
PYTHON, NATIVE = "Python, outside of the picture", "native code, outside of the picture"


def edges(graph):
    """The edges by what stands in their nodes."""
    names = [node.type for node in graph.nodes]
    return sorted((names[e.source], e.label, names[e.target], e.native, e.count) for e in graph.edges)


def inside(graph):
    """The edges that begin in the picture."""
    return [edge for edge in edges(graph) if edge[0] not in (PYTHON, NATIVE)]


def node(graph, type):
    """The only node of a type."""
    (found,) = [node for node in graph.nodes if node.type == type]
    return found


def cart(*prices):
    made = shop.Cart()
    for price in prices:
        made.items.append(shop.Item(price))
    return made


def test_native_references():
    it = cart(1, 2)
    graph = pairbond.graph(it)
    assert inside(graph) == [
        (LIST, "", ITEM, True, 1),
        (LIST, "", ITEM, True, 1),
        (CART, ".items", LIST, True, 1),
    ]
    assert graph.nodes[0] == ("native", CART, 1, pairbond.native_id(it), 1, 0, 0)
    assert (graph.objects, graph.grouped, graph.complete) == (4, "", True)


def test_wrappers_are_told_apart():
    it = cart(1)
    it.owner = shop.Cart()  # its list was never shown
    kept = it.items[0]
    graph = pairbond.graph(it)
    lists = [node for node in graph.nodes if node.type == LIST]
    assert sorted((node.wrappers, node.dormant) for node in lists) == [(0, 0), (1, 1)]
    assert (node(graph, ITEM).wrappers, node(graph, ITEM).dormant) == (1, 0)
    assert (PYTHON, "", ITEM, False, 1) in edges(graph)
    del kept
    assert node(pairbond.graph(it), ITEM).dormant == 1


def test_no_wrapper_is_made_and_none_is_lost():
    it = Node.chain(50)
    before = pairbond.stats()["wrappers"]
    pairbond.graph(it)
    assert pairbond.stats()["wrappers"] == before


def test_the_one_asked_about_may_be_dormant_again():
    it = Node(1)
    holder = Holder(it)
    pairbond.graph(it)
    number = id(it)
    del it
    assert pairbond.is_dormant(holder.get())
    assert id(holder.get()) == number


def test_attributes_and_containers_of_python():
    it, other = cart(), cart()
    it.first = other
    it.table = {"k": [other]}
    it.text = "left out"
    it.leads_nowhere = [1, []]
    graph = pairbond.graph(it)
    assert [edge for edge in inside(graph) if edge[1] != ".items"] == [
        ("dict", "['k']", "list", False, 1),
        ("list", "[0]", CART, False, 1),
        (CART, ".first", CART, False, 1),
        (CART, ".table", "dict", False, 1),
    ]


def test_a_cycle_across_the_border():
    it = cart()
    it.me = [it]
    it.on_change = lambda it=it: it
    found = inside(pairbond.graph(it))
    assert (CART, ".me", "list", False, 1) in found
    assert ("list", "[0]", CART, False, 1) in found
    assert (CART, ".on_change", "function", True, 1) in found
    assert ("function", "", CART, False, 1) in found
    gone = weakref.ref(it)
    del it
    gc.collect()
    assert gone() is None


def test_closures_but_not_the_globals_of_a_function():
    it, seen = cart(), cart()
    it.on_change = lambda: seen
    names = [node.type for node in pairbond.graph(it).nodes]
    assert names.count(CART) == 2
    assert "cell" in names
    assert "module" not in names
    assert len(names) < 10


def test_what_native_code_holds_of_python_is_shown():
    it = Holder(object.__new__(type("Thing", (), {})))
    assert (f"{Holder.__module__}.Holder", ".value", "Thing", True, 1) in inside(pairbond.graph(it))


def test_native_holders_from_outside():
    it = cart()
    shop.keep(it)
    try:
        assert (NATIVE, "", CART, True, 1) in edges(pairbond.graph(it))
    finally:
        shop.forget()
    assert NATIVE not in [node.type for node in pairbond.graph(it).nodes]


def test_python_holders_from_outside_are_counted():
    it = cart(1)
    held = [it.items[0]] * 3
    assert (PYTHON, "", ITEM, False, 3) in edges(pairbond.graph(it))
    assert (PYTHON, "", CART, False, 1) in edges(pairbond.graph(it))
    del held


def test_a_python_object_to_begin_with():
    graph = pairbond.graph([cart(), "text"])
    assert graph.nodes[0].kind == "python"
    assert ("list", "[0]", CART, False, 1) in inside(graph)
    assert pairbond.graph("text").objects == 1


class TestTrees:
    def tree(self):
        block = shop.Block()
        for name in "ab":
            block.push(shop.Op(name))
        return block

    def test_children_and_parents(self):
        block = self.tree()
        found = inside(pairbond.graph(block))
        assert found == [(BLOCK, ".ops", OP, True, 1)] * 2 + [(OP, "parent", BLOCK, True, 1)] * 2
        # From a node in the middle the whole tree is found: it keeps it.
        assert pairbond.graph(block.ops[0]).objects == 3

    def test_they_are_not_held_from_outside(self):
        block = self.tree()
        assert NATIVE not in [node.type for node in pairbond.graph(block).nodes]
        op = block.ops[1]
        graph = pairbond.graph(block)
        assert NATIVE not in [node.type for node in graph.nodes]
        assert [node.dormant for node in graph.nodes if node.type == OP] == [1, 0]
        del op

    def test_nodes_without_handles_stay_so(self):
        block = self.tree()
        pairbond.trim()
        before = pairbond.stats()["types"][OP]
        graph = pairbond.graph(block)
        assert [node.wrappers for node in graph.nodes if node.type == OP] == [0, 0]
        assert pairbond.stats()["types"][OP] == before

    def test_erased(self):
        block = self.tree()
        op = block.ops[0]
        op.note = [block]
        op.erase()
        graph = pairbond.graph(op)
        assert (graph.nodes[0].type, graph.nodes[0].erased) == (OP, 1)
        assert (OP, ".note", "list", False, 1) in inside(graph)
        assert graph.objects == 4
        assert "erased" in graph.to_dot()


@pytest.mark.large
class TestLarge:
    COUNT = 1_000_000

    def test_grouped_by_type_and_path(self):
        it = Node.chain(30)
        graph = pairbond.graph(it, max_nodes=10)
        key = "pairbond_holders.Node"
        assert graph.grouped == "path"
        assert inside(graph) == sorted(
            [
                (key, ".children", LIST, True, 1),
                (key, ".children", LIST, True, 29),
                (key, ".next", key, True, 1),
                (key, ".next", key, True, 28),
            ]
        )
        assert [node.count for node in graph.nodes if node.kind == "native"] == [1, 29, 1, 29]

    def test_grouped_by_type_when_there_are_too_many_paths(self):
        it = root = cart()
        for _ in range(200):
            below = cart(1)
            it.a = [below]
            it = below
        graph = pairbond.graph(root, max_nodes=6)
        assert graph.grouped == "type"
        assert len(graph.nodes) <= 6 + 2
        assert sum(node.count for node in graph.nodes if node.kind != "outside") == graph.objects

    def test_the_rarest_types_together(self):
        root = pairbond.List([cart(1), shop.Block(), shop.Op("x"), Leaf(1), Node(1), [cart()], {"k": cart()}])
        graph = pairbond.graph(root, max_nodes=4)
        assert len([node for node in graph.nodes if node.kind != "outside"]) == 4
        assert node(graph, "other types").count > 1

    def test_a_million(self):
        it = Node.chain(self.COUNT)
        began = time.process_time()
        graph = pairbond.graph(it)
        took = time.process_time() - began
        assert graph.objects == 2 * self.COUNT
        assert len(graph.nodes) <= 62
        assert len(graph.to_dot()) < 20_000
        assert took < 60, "a picture takes seconds, whatever it is of"
        del graph, it
        gc.collect()

    def test_the_walk_ends_where_it_is_told(self):
        it = Node.chain(1000)
        graph = pairbond.graph(it, max_objects=100)
        assert (graph.objects, graph.complete) == (100, False)

    def test_refused(self):
        with pytest.raises(ValueError, match="at least 2 nodes"):
            pairbond.graph(1, max_nodes=1)


class TestLeaks:
    def test_graph(self):
        it = cart(1)
        shop.keep(it)
        del it
        try:
            report = pairbond.leaks()
            graph = report.graph()
            outside = "1 native reference from outside"
            assert {(outside, "", CART, True, 1), (CART, ".items", LIST, True, 1), (LIST, "", ITEM, True, 1)} <= set(
                edges(graph)
            )
            assert node(graph, CART).wrappers == -1
        finally:
            shop.forget()

    def test_steps_that_repeat(self):
        it = Node.chain(10)
        key = "pairbond_holders.Node"
        report = pairbond.leaks()
        found = edges(report.graph(max_nodes=1000))
        assert (key, ".next…", key, True, 1) in found
        assert (key, ".next", key, True, 1) in found
        del it

    def test_bounded(self):
        keys = [f"shop.T{i}" for i in range(500)]
        rows = [pairbond.Leak(key, 2, "1 native reference from outside", (f"{key}.x", f"{key}.y")) for key in keys]
        graph = pairbond.Leaks(rows, keys).graph(max_nodes=50)
        assert len(graph.nodes) <= 51
        assert graph.nodes[-1].type.endswith(" objects more")
        assert not graph.complete
        assert graph.objects == 1000

    def test_is_a_list(self):
        assert isinstance(pairbond.leaks(), list)


def test_while_native_threads_relink():
    holders = [Holder(Node(i)) for i in range(3)]
    for holder in holders:
        holder.juggle(1)
    for _ in range(50):
        assert pairbond.graph(holders).objects >= 4
    for holder in holders:
        holder.stop()


def test_while_python_threads_change_it():
    it = cart(*range(50))
    done = threading.Event()

    def change(name):
        while not done.is_set():
            it.items.append(shop.Item(1))
            it.items.pop()
            setattr(it, name, [it.items[0]])
            delattr(it, name)

    threads = [threading.Thread(target=change, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    try:
        for _ in range(100):
            assert pairbond.graph(it, max_nodes=20).objects >= 40
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert len(it.items) == 50


class TestWriting:
    def test_dot(self):
        it = cart()
        it.quoted = {'a"\\b': it}
        dot = pairbond.graph(it).to_dot()
        assert dot.startswith("digraph pairbond {")
        assert r'''label="['a\"\\\\b']"''' in dot
        assert "shop.Cart\\nwrapper" in dot

    def test_imported_when_it_is_needed(self):
        import subprocess

        code = "import sys, pairbond; print('pairbond._graph' in sys.modules); pairbond.graph; print(pairbond.Graph)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert run.stdout == "False\n<class 'pairbond.Graph'>\n"

    @drawn
    def test_svg(self, tmp_path):
        it = cart(1, 2)
        it.me = it
        graph = pairbond.graph(it)
        root = ElementTree.fromstring(graph.to_svg())
        space = "{http://www.w3.org/2000/svg}"
        assert len(root.findall(f"{space}g")) == len(graph.nodes)
        assert len(root.findall(f"{space}path")) == len(graph.edges)
        text = "".join(root.itertext())
        for word in (CART, ".items", ".me", "dormant wrapper", PYTHON):
            assert word in text
        assert graph._repr_svg_() == graph.to_svg(), "the same each time"
        assert "http" not in graph.to_svg().replace("http://www.w3.org/2000/svg", ""), "nothing from elsewhere"
        graph.save(tmp_path / "graph.svg")
        graph.save(tmp_path / "graph.dot")
        assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == graph.to_svg()
        with pytest.raises(ValueError, match=r"\.dot or \.svg, not to 'graph\.png'"):
            graph.save(tmp_path / "graph.png")

    @drawn
    def test_svg_of_a_large_one(self):
        root = ElementTree.fromstring(pairbond.graph([cart(*range(20)) for _ in range(3000)]).to_svg())
        assert float(root.get("width")) < 5000
        assert ElementTree.fromstring(pairbond.Graph([], [], 0).to_svg()) is not None

    def test_without_what_places_the_nodes(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "graphlay", None)
        graph = pairbond.graph(cart())
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'pairbond\[graph\]'"):
            graph.to_svg()
        assert graph._repr_svg_() is None
        assert repr(graph) == "<Graph of 2 objects: 3 nodes, 2 edges>"
