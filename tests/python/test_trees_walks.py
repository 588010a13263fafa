"""`pairbond.descendants` and `pairbond.ancestors`, while trees are edited."""

import gc
import random

import pairbond
import pairbond_testext as ext
import pytest


def tree():
    """root > a > (a1, a2 > deep), b > b1; each with paragraphs."""
    nodes = {name: ext.Section(name) for name in ("root", "a", "a1", "a2", "deep", "b", "b1")}
    for above, below in [("root", "a"), ("a", "a1"), ("a", "a2"), ("a2", "deep"), ("root", "b"), ("b", "b1")]:
        nodes[above].add(nodes[below])
    nodes["a1"].write(ext.Paragraph("text"))
    nodes["root"].write(ext.Paragraph("end"))
    return nodes


def name(node):
    return node.title if isinstance(node, ext.Section) else node.text


def names(walk):
    return [name(node) for node in walk]


def test_all_in_order():
    nodes = tree()
    assert names(pairbond.descendants(nodes["root"])) == ["a", "a1", "text", "a2", "deep", "b", "b1", "end"]
    assert names(pairbond.descendants(nodes["a2"])) == ["deep"]
    assert names(pairbond.descendants(nodes["deep"])) == []
    assert names(pairbond.ancestors(nodes["deep"])) == ["a2", "a", "root"]
    assert names(pairbond.ancestors(nodes["root"])) == []
    assert next(pairbond.ancestors(nodes["b1"])) is nodes["b"]
    (paragraph,) = nodes["a1"].paragraphs()
    assert names(pairbond.ancestors(paragraph)) == ["a1", "a", "root"]


def test_what_is_no_node_is_refused():
    for walk in (pairbond.descendants, pairbond.ancestors):
        for what in (pairbond.List(), 5, None, object()):
            with pytest.raises(TypeError):
                walk(what)
        erased = ext.Section("erased")
        erased.erase()
        with pytest.raises(pairbond.InvalidatedError):
            walk(erased)


@pytest.mark.parametrize("way", ["erase", "detach"])
def test_an_ancestor_goes_during_a_walk(way):
    nodes = tree()
    seen = []
    for node in pairbond.descendants(nodes["root"]):
        seen.append(name(node))
        if node is nodes["deep"]:
            getattr(nodes["a"], way)()
    assert seen == ["a", "a1", "text", "a2", "deep", "b", "b1", "end"]


def test_each_node_is_erased_when_it_is_seen():
    nodes = tree()
    seen = []
    for node in pairbond.descendants(nodes["root"]):
        seen.append(name(node))
        node.erase()
    # With what stands below it.
    assert seen == ["a", "b", "end"]
    assert names(pairbond.descendants(nodes["root"])) == []


def test_what_is_detached_is_passed_over_and_what_comes_is_seen():
    nodes = tree()
    seen = []
    for node in pairbond.descendants(nodes["root"]):
        seen.append(name(node))
        if node is nodes["a"]:
            nodes["a"].detach()
        if node is nodes["b"]:
            nodes["b"].insert(0, ext.Section("new"))
            nodes["root"].add(ext.Section("behind"))
    assert seen == ["a", "b", "new", "b1", "behind", "end"]


def test_the_root_is_erased():
    nodes = tree()
    walk = pairbond.descendants(nodes["root"])
    assert name(next(walk)) == "a"
    nodes["root"].erase()
    assert list(walk) == []
    assert list(walk) == []


def test_ancestors_go_and_change():
    nodes = tree()
    walk = pairbond.ancestors(nodes["deep"])
    assert next(walk) is nodes["a2"]
    nodes["a2"].erase()
    assert names(walk) == ["a", "root"]

    nodes = tree()
    walk = pairbond.ancestors(nodes["deep"])
    assert next(walk) is nodes["a2"]
    nodes["a2"].detach()
    nodes["b1"].add(nodes["a2"])
    assert names(walk) == ["b1", "b", "root"]

    nodes = tree()
    walk = pairbond.ancestors(nodes["deep"])
    assert next(walk) is nodes["a2"]
    nodes["a"].erase()
    assert names(walk) == []
    assert names(walk) == []


def test_a_walk_is_collected_with_its_tree():
    import weakref

    nodes = tree()
    walk = pairbond.descendants(nodes["root"])
    next(walk)
    nodes["deep"].extra = walk
    gone = weakref.ref(nodes["root"])
    del nodes, walk
    gc.collect()
    gc.collect()
    assert gone() is None


class Model:
    """Lists of children, and the walk by its definition."""

    def __init__(self):
        self.children, self.parents, self.erased = {}, {}, set()

    def add(self, parent, place, child):
        self.children[parent].insert(place, child)
        self.parents[child] = parent

    def detach(self, node):
        parent = self.parents.pop(node, None)
        if parent is not None:
            self.children[parent].remove(node)

    def below(self, node):
        for child in self.children[node]:
            yield child
            yield from self.below(child)

    def erase(self, node):
        all_of_them = [node, *self.below(node)]
        self.detach(node)
        for it in all_of_them:
            self.erased.add(it)
            self.children[it] = []
            self.parents.pop(it, None)

    def is_in(self, node, above):
        while node is not None:
            if node == above:
                return True
            node = self.parents.get(node)
        return False

    def descendants(self, root):
        def behind(parent, now):
            mates = self.children[parent]
            place = mates.index(now) + 1
            return mates[place] if place < len(mates) else None

        def children(parent):
            stand = self.children[parent][0] if self.children[parent] else None
            while stand is not None:
                after = behind(parent, stand)
                yield stand
                if self.parents.get(stand) == parent:
                    yield from children(stand)
                if self.parents.get(stand) == parent:
                    stand = behind(parent, stand)
                elif after is not None and self.parents.get(after) == parent:
                    stand = after
                else:
                    stand = None

        yield from children(root)


@pytest.mark.parametrize("seed", range(40))
def test_random_edits_during_walks(seed):
    chance = random.Random(seed)
    model, real = Model(), {}

    def make():
        number = len(real)
        real[number] = ext.Section(str(number))
        model.children[number] = []
        return number

    def edit():
        alive = [number for number in real if number not in model.erased]
        node, other = chance.choice(alive), chance.choice(alive)
        kind = chance.random()
        if kind < 0.15:
            node = make()
        if kind < 0.6:
            if model.is_in(other, node) or node == 0:
                return
            model.detach(node)
            real[node].detach()
            place = chance.randrange(len(model.children[other]) + 1)
            model.add(other, place, node)
            real[other].insert(place, real[node])
        elif kind < 0.8:
            model.detach(node)
            real[node].detach()
        elif kind < 0.85 and node != 0:
            model.erase(node)
            real[node].erase()

    for _ in range(20):
        make()
    for _ in range(60):
        edit()
    edits = 0
    for _ in range(25):
        for _ in range(6):
            model.add(0, 0, node := make())
            real[0].insert(0, real[node])
        root = 0 if chance.random() < 0.7 else chance.choice([it for it in real if it not in model.erased])
        walk, expected = pairbond.descendants(real[root]), model.descendants(root)
        for _ in range(400):
            now, wanted = next(walk, None), next(expected, None)
            assert (None if now is None else int(now.title)) == wanted
            if now is None:
                break
            for _ in range(chance.randrange(3)):
                edit()
                edits += 1
        for _ in range(5):
            make()
            edit()
    assert edits > 20
