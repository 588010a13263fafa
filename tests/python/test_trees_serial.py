"""Copies, pickles and JSON of nodes of trees: a subtree with its order and its references, without what is above it."""

import copy
import gc
import json
import pickle
import random
import weakref

import pairbond
import pairbond_testext as ext
import pytest

WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "json": lambda node: pairbond.from_json(pairbond.to_json(node)),
    **{
        f"pickle{protocol}": lambda node, protocol=protocol: pickle.loads(pickle.dumps(node, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.fixture(params=WAYS, ids=str)
def again(request):
    return WAYS[request.param]


def shape(section):
    """Titles and texts, in their order."""
    return (
        section.title,
        [(type(it).__name__, it.text, getattr(it, "source", None)) for it in section.paragraphs()],
        [shape(it) for it in section.sections()],
    )


def document(seed=1, depth=4):
    chance = random.Random(seed)

    def fill(section, depth):
        for number in range(chance.randrange(1, 4)):
            if chance.random() < 0.3:
                section.write(ext.Quotation(f"said {number}", "somebody"))
            else:
                section.write(ext.Paragraph(f"text {number}"))
        section.fill(chance.randrange(3))
        if depth:
            for number in range(chance.randrange(1, 4)):
                below = ext.Section(f"{section.title}.{number}")
                section.add(below)
                fill(below, depth - 1)

    root = ext.Section("root")
    fill(root, depth)
    return root


def test_a_subtree_with_its_order(again):
    root = document()
    part = root.sections()[0]
    made = again(part)
    assert made is not part
    assert type(made) is ext.Section
    assert shape(made) == shape(part)
    assert made.parent() is None
    assert part.parent() is root
    # It is a tree as others are.
    for below in made.sections():
        assert below.parent() is made
        below.detach()
    assert made.sections() == []
    assert len(part.sections()) > 0
    root.add(made)
    assert root.sections()[-1] is made


def test_references_inside(again):
    root = ext.Section("root")
    a, b = ext.Section("a"), ext.Section("b")
    leaf = ext.Paragraph("leaf")
    root.add(a)
    root.add(b)
    b.write(leaf)
    a.extra, leaf.extra, b.extra = leaf, root, b
    made = again(root)
    new_a, new_b = made.sections()
    (new_leaf,) = new_b.paragraphs()
    assert new_a.extra is new_leaf
    assert new_leaf.extra is made
    assert new_b.extra is new_b
    assert new_leaf is not leaf


def test_references_outside():
    root, a, b = ext.Section("root"), ext.Section("a"), ext.Section("b")
    root.add(a)
    root.add(b)
    b.subdivide("below b")
    a.extra = b
    # What a copy refers to is there already, and stays where it is.
    made = copy.copy(a)
    assert made.extra is b
    assert b.parent() is root
    # A deep one has copies of that, too: of the subtree, without what is above it.
    for way in ("deepcopy", "json", f"pickle{pickle.HIGHEST_PROTOCOL}"):
        made = WAYS[way](a)
        assert made.extra is not b
        assert shape(made.extra) == shape(b)
        assert made.extra.parent() is None
    # Who refers to the parent has the parent, with all that is below it.
    a.extra = root
    for way in ("deepcopy", "json", f"pickle{pickle.HIGHEST_PROTOCOL}"):
        made = WAYS[way](a)
        assert made.parent() is made.extra
        assert shape(made.extra) == shape(root)
    assert copy.copy(a).extra is root


class Note(ext.Section):
    pass


@pytest.mark.parametrize("way", [way for way in WAYS if way != "json"])
def test_attributes_and_classes(way):
    root, below = Note("root"), Note("below")
    root.add(below)
    plain = ext.Paragraph("plain")
    below.write(plain)
    root.colour, below.colour, plain.colour = "red", ["green"], {"blue": below}
    made = WAYS[way](root)
    (new,) = made.sections()
    (text,) = new.paragraphs()
    assert type(made) is Note
    assert type(new) is Note
    assert type(text) is ext.Paragraph
    assert (made.colour, new.colour) == ("red", ["green"])
    if way == "copy":
        # The attributes themselves, as copy.copy does.
        assert new.colour is below.colour
        assert text.colour is plain.colour
    else:
        assert new.colour is not below.colour
        assert text.colour["blue"] is new


def test_several_of_one_tree():
    root = document()
    parts = root.sections()
    together = [parts[0], root, parts[-1]]
    for made in (copy.deepcopy(together), pickle.loads(pickle.dumps(together))):
        assert made[0] is made[1].sections()[0]
        assert made[2] is made[1].sections()[-1]
        assert shape(made[1]) == shape(root)


def test_of_equal_structure():
    root = document()
    made = copy.deepcopy(root)
    assert pairbond.structural_equal(root, made)
    assert pairbond.structural_hash(root) == pairbond.structural_hash(made)
    made.sections()[0].paragraphs()[0].text = "another"
    assert not pairbond.structural_equal(root, made)
    # Where a node stands is no part of it.
    one = root.sections()[0]
    assert pairbond.structural_equal(one, copy.deepcopy(one))


def test_json_has_lists_and_no_place():
    root = ext.Section("root")
    root.write(ext.Paragraph("text"))
    data = json.loads(pairbond.to_json(root))
    assert "links" not in json.dumps(data)
    assert "paragraphs" in json.dumps(data)


def test_damaged_json_is_refused():
    root, below = ext.Section("root"), ext.Section("below")
    root.add(below)
    below.write(ext.Paragraph("text"))
    text = pairbond.to_json(root)
    assert shape(pairbond.from_json(text)) == shape(root)
    objects = json.loads(text)
    refused = 0
    chance = random.Random(3)

    def numbers(value, path=()):
        if isinstance(value, dict):
            for key, it in value.items():
                yield from numbers(it, (*path, key))
        elif isinstance(value, list):
            for key, it in enumerate(value):
                yield from numbers(it, (*path, key))
        elif isinstance(value, int) and not isinstance(value, bool):
            yield path

    places = list(numbers(objects))
    for _ in range(300):
        data = json.loads(text)
        path = chance.choice(places)
        at = data
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = chance.randrange(6)
        try:
            made = pairbond.from_json(json.dumps(data))
        except (ValueError, TypeError, pairbond.Error, RuntimeError):
            refused += 1
        else:
            if isinstance(made, ext.Section):
                shape(made)
    assert refused > 50
    gc.collect()


def test_erased_nodes_are_refused(again):
    root, below = ext.Section("root"), ext.Section("below")
    root.add(below)
    below.erase()
    with pytest.raises(pairbond.InvalidatedError, match="erased"):
        again(below)
    assert shape(again(root)) == ("root", [], [])


def test_nothing_is_kept(again):
    root = document(depth=2)
    made = again(root)
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None
    assert shape(root) == shape(document(depth=2))


@pytest.mark.large
def test_a_deep_tree():
    root = at = ext.Section("root")
    for number in range(30_000):
        below = ext.Section(str(number))
        at.add(below)
        at = below
    for made in (copy.copy(root), copy.deepcopy(root), pickle.loads(pickle.dumps(root))):
        depth = 0
        while below := made.subsection(0):
            made, depth = below, depth + 1
        assert depth == 30_000


@pytest.mark.parametrize("seed", range(20))
def test_random_documents(seed):
    root = document(seed)
    nodes = [root]
    for node in nodes:
        nodes.extend(node.sections())
    everything = nodes + [text for node in nodes for text in node.paragraphs()]
    chance = random.Random(seed)
    for _ in range(30):
        chance.choice(everything).extra = chance.choice(everything)
    part = chance.choice(nodes)
    for made in (copy.deepcopy(part), pickle.loads(pickle.dumps(part))):
        assert shape(made) == shape(part)
        assert pairbond.structural_equal(made, part)
