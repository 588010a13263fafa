"""Trees of C and C++: edits, what was erased, iteration while lists are edited, collection, threads."""

import gc
import threading
import weakref

import pairbond
import pytest


def live():
    gc.collect()
    counts = pairbond.live_objects()
    return sum(counts.get(f"shapes.{name}", 0) for name in ("Branch", "Bough"))


def tree(shapes, count=3):
    root = shapes.Branch("root")
    children = [shapes.Branch(str(number)) for number in range(count)]
    for child in children:
        root.append(child)
    return root, children


def test_children_stand_in_order(shapes):
    root, (a, b, c) = tree(shapes)
    assert root.branches == [a, b, c]
    assert all(one is other for one, other in zip(root.branches, (a, b, c), strict=True))
    assert (len(root), root.take(1), root.take(3)) == (3, b, None)
    assert (b.parent(), b.root(), b.next(), b.previous(), b.index()) == (root, root, c, a, 1)
    assert (root.parent(), root.root(), root.index(), a.previous(), c.next()) == (None, root, None, None, None)
    d, e = shapes.Branch("d"), shapes.Branch("e")
    root.insert(0, d)
    root.insert_before(b, e)
    assert root.branches == [d, a, e, b, c]
    root.move(a, b, d)
    assert root.branches == [a, e, b, d, c]
    other = shapes.Branch("other")
    other.move(e, d)
    assert (root.branches, other.branches) == ([a, c], [e, b, d])
    a.append(other)
    assert root.below() == [a, other, e, b, d, c]
    assert d.above() == [other, a, root]
    assert (d.is_in(a), d.is_in(c), d.is_in(d)) == (True, False, True)
    a.detach()
    assert (a.parent(), root.branches, d.root()) == (None, [c], a)


def test_any_handle_keeps_the_tree(shapes):
    before = live()
    root, (a, *_) = tree(shapes)
    a.note = "kept"
    reference = weakref.ref(root)
    del root, _
    gc.collect()
    assert a.parent() is reference()
    assert len(a.parent()) == 3
    b = a.next()
    del a
    gc.collect()
    assert b.previous().note == "kept"
    del b
    assert live() == before


@pytest.mark.parametrize("reason", ["a pass", None])
def test_what_was_erased_raises_with_the_reason(shapes, reason):
    root, (a, b, _) = tree(shapes)
    b.append(inner := shapes.Branch("inner"))
    b.erase(reason) if reason else b.erase()
    said = f"this shapes.Branch %s was erased, by {reason or r'erase()'}".replace("(", r"\(").replace(")", r"\)")
    for node in (b, inner):
        assert pairbond.is_erased(node)
        named = "1" if node is b else "inner"
        for use in (
            lambda node=node: node.name,
            lambda node=node: node.extra,
            lambda node=node: setattr(node, "extra", 1),
            lambda node=node: node.branches,
            lambda node=node: node.parent(),
            lambda node=node: len(node),
            lambda node=node: root.append(node),
            lambda node=node: a.is_in(node),
            lambda node=node: shapes.Node(node),
            lambda node=node: shapes.keep(node),
            lambda node=node: node.erase(),
        ):
            with pytest.raises(pairbond.InvalidatedError, match=said % named):
                use()
        assert repr(node).startswith("<")
    assert root.branches == [a, _]
    with pairbond.erasing("the scope"):
        a.erase()
    with pytest.raises(pairbond.InvalidatedError, match="by the scope"):
        a.index()


@pytest.mark.parametrize(
    ("edit", "error", "words"),
    [
        (lambda s, r, a, b: r.append(a), ValueError, "has a parent already"),
        (lambda s, r, a, b: a.append(r), ValueError, "trees have no cycles"),
        (lambda s, r, a, b: a.append(a), ValueError, "has a parent already"),
        (lambda s, r, a, b: r.append(None), ValueError, "NULL is no node"),
        (lambda s, r, a, b: r.append(s.Node("x")), TypeError, "a shapes.Node is no node of a tree"),
        (lambda s, r, a, b: r.append_any(s.make_point()), TypeError, "a shapes.Point is no node of a tree"),
        (lambda s, r, a, b: s.Bough("x").add(s.Branch("y")), TypeError, "shapes.Branch does not go into a list of sha"),
        (lambda s, r, a, b: r.insert_before(r, s.Branch("x")), ValueError, "does not stand in that list"),
        (lambda s, r, a, b: r.move(b, a), ValueError, "before the first"),
        (lambda s, r, a, b: a.move(a, b), ValueError, "trees have no cycles"),
        (lambda s, r, a, b: r.foreign_list(a, s.Branch("x")), ValueError, "is not one of this shapes.Branch"),
        (lambda s, r, a, b: setattr(r, "branches", []), AttributeError, "branches"),
        (lambda s, r, a, b: r.links, AttributeError, "links"),
    ],
)
def test_an_edit_that_cannot_be_changes_nothing(shapes, edit, error, words):
    root, (a, b) = tree(shapes, 2)
    with pytest.raises(error, match=words):
        edit(shapes, root, a, b)
    assert (root.branches, root.below()) == ([a, b], [a, b])


def test_a_list_is_edited_while_it_is_iterated(shapes):
    root, (a, b, c, d) = tree(shapes, 4)
    seen = []

    def edit(child):
        seen.append(child)
        if child is a:
            root.insert(1, shapes.Branch("new"))
        elif child is b:
            b.erase("while it is the current one")
        elif child is c:
            d.detach()

    root.each(edit)
    assert [pairbond.is_erased(node) or node.name for node in seen] == ["0", "new", True, "2"]
    with pytest.raises(pairbond.InvalidatedError, match="by all of it"):
        root.each(lambda child: root.erase("all of it"))


def test_types_that_extend_a_node(shapes):
    before = live()
    bough, other = shapes.Bough("a"), shapes.Bough("b")
    bough.add(other)
    bough.append(inner := shapes.Branch("c"))
    assert (bough.more, bough.branches) == ([other], [inner])
    assert bough.below() == [inner, other]

    class Sub(shapes.Branch):
        def __init__(self, name):
            super().__init__(name)
            self.mark = name

    inner.append(Sub("sub"))
    gc.collect()
    assert inner.take(0).mark == "sub"
    # A range of the one list goes into the other only if all of it is of the right type.
    bough.append(shapes.Bough("d"))
    branches = bough.branches
    with pytest.raises(TypeError, match=r"no node|does not go into"):
        shapes.Bough("e").add(branches[0])
    del bough, other, inner, branches
    assert live() == before


def test_pairbond_walks_trees_of_c(shapes):
    root, (a, b) = tree(shapes, 2)
    a.append_any(b_ := shapes.Branch("x"))
    assert list(pairbond.descendants(root)) == [a, b_, b]
    assert list(pairbond.ancestors(b_)) == [a, root]


def test_nodes_are_found_by_their_name(shapes):
    @pairbond.class_for(shapes.Branch, "special")
    class Special(shapes.Branch):
        pass

    root = shapes.Branch("root")
    root.append(shapes.Branch("special"))
    gc.collect()
    assert type(shapes.Branch("other")) is shapes.Branch
    assert type(root.take(0)) is shapes.Branch  # it has its wrapper


def test_cycles_through_trees_are_collected(shapes):
    before = live()

    def make():
        root, children = tree(shapes)
        children[0].extra = root
        children[1].extra = [children]
        children[2].attribute = lambda: root
        return [weakref.ref(node) for node in (root, *children)]

    references = make()
    gc.collect()
    assert [reference() for reference in references] == [None] * 4
    assert live() == before


def test_a_deep_tree_dies_without_recursion(shapes):
    before = live()
    root = at = shapes.Branch("0")
    for _ in range(100_000):
        below = shapes.Branch("x")
        at.append(below)
        at = below
    assert len(root.below()) == 100_000
    root.take(0).erase("all at once")
    assert pairbond.is_erased(at)
    del root, at, below
    assert live() == before


def test_threads_move_nodes(shapes, graphs):
    for make, name in ((shapes.Branch, "branches"), (graphs.Section, "sections")):
        roots = [make(str(number)) for number in range(3)]
        nodes = [make("x") for _ in range(30)]
        for number, node in enumerate(nodes):
            roots[number % 3].append(node)
        moved, erased = [0] * 6, []

        def work(thread, roots=roots, nodes=nodes, moved=moved, erased=erased, name=name):
            for turn in range(600):
                node = nodes[(turn * 7 + thread) % 30]
                try:
                    if turn % 100 == 99 and len(erased) < 5:
                        node.erase()
                        erased.append(node)
                    elif name == "branches":
                        roots[(turn + thread) % 3].move(node, node)
                    else:
                        roots[(turn + thread) % 3].move(node)
                    moved[thread] += 1
                except pairbond.InvalidatedError:
                    pass
                for root in roots:
                    assert all(child is not None for child in getattr(root, name))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for _ in range(10):
            gc.collect()
        for thread in threads:
            thread.join()
        assert all(moved)
        assert erased
        standing = [child for root in roots for child in getattr(root, name)]
        assert sorted(map(id, standing)) == sorted(id(node) for node in nodes if not pairbond.is_erased(node))


def test_trees_of_cpp(graphs):
    root, a, b = graphs.Section("root"), graphs.Section("a"), graphs.Chapter("b")
    root.append(a)
    root.insert(0, b)
    assert root.sections == [b, a]
    assert graphs.Section.sections.__doc__ == "Its parts."
    assert (a.parent, a.root, a.previous, b.next, a.next, a.index, root.index) == (root, root, b, a, None, 1, None)
    assert (root.last, root.titles()) == (a, ["b", "a"])
    with pytest.raises(IndexError, match="there is no child at index"):
        a.last
    b.note(note := graphs.Section("note"))
    b.append(graphs.Section("part"))
    assert (b.notes, [it.title for it in root.below()]) == ([note], ["b", "part", "note", "a"])
    root.insert_before(a, c := graphs.Section("c"))
    root.move(c, b)
    assert root.titles() == ["c", "b", "a"]
    assert (note.is_in(b), note.is_in(a)) == (True, False)
    with pytest.raises(ValueError, match="has a parent already"):
        a.append(c)
    c.detach()
    assert (c.parent, root.titles()) == (None, ["b", "a"])
    root.drop_all("clean-up")
    assert root.sections == []
    for node in (a, b, note):
        with pytest.raises(pairbond.InvalidatedError, match=rf"{node.__class__.__name__} \w+ was erased, by clean-up"):
            node.title


def test_a_node_whose_name_cannot_be_made(graphs):
    """An exception of the function that names nodes leaves them without one."""
    nameless = graphs.Section("throws")
    nameless.erase()
    with pytest.raises(pairbond.InvalidatedError, match=r"this graphs\.Section was erased, by erase\(\)"):
        nameless.title


def test_trees_of_cpp_are_collected(graphs):
    gc.collect()
    before = graphs.Section.alive()
    root = graphs.Section("root")
    for number in range(10):
        root.append(child := graphs.Chapter(str(number)))
        child.extra = root
        child.note(graphs.Section("note"))
        child.attribute = [child]
    del root, child
    gc.collect()
    assert graphs.Section.alive() == before


def test_trees_of_several_languages_do_not_share_lists(shapes, graphs):
    with pytest.raises(TypeError, match=r"a graphs.Section does not go into a list of shapes.Branch"):
        shapes.Branch("a").append(graphs.Section("b"))
    root, section = shapes.Branch("a"), graphs.Section("b")
    root.append_any(section)
    section.append(graphs.Section("c"))
    assert [type(node) for node in root.below()] == [graphs.Section, graphs.Section]
    section.detach()
    assert (section.parent, root.below()) == (None, [])
