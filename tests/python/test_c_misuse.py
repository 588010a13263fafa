"""What a program of C++ must not do is an exception, and what it may do keeps its objects as they are."""

import gc
import inspect

import pairbond
import pytest
from c_libraries import build


@pytest.fixture(scope="module")
def misuse():
    return pairbond.load(build("misuse.cpp"))


@pytest.mark.slow
def test_a_member_with_several_names_is_shown_once(misuse):
    a, b = misuse.Item("a"), misuse.Item("b")
    a.next, b.next = b, a
    del b
    gc.collect()
    assert (a.also_next.text, a.next_to_read is a.next, a.next.also_next is a) == ("b", True, True)
    a.also_next = None
    assert a.next is None


def test_an_argument_by_value_is_a_copy(misuse):
    text = "a text that is too long to lie in its string"
    item = misuse.Item(text)
    assert misuse.text_of(item, "!") == misuse.text_of(item=item, more="!") == f"{text}!"
    holder = misuse.Holder()
    holder.taken = item
    assert (holder.taken, item.text) == (text, text)


def test_a_value_that_lies_in_no_object_is_none(misuse):
    for call in (misuse.on_the_stack, misuse.static_one, misuse.Holder().lent):
        for _ in range(3):
            with pytest.raises(TypeError, match=r"a misuse\.Item lies in no object"):
                call()
    with pytest.raises(TypeError, match=r"a misuse\.Branch lies in no object"):
        misuse.branch_on_the_stack()


def test_a_constructor_cannot_have_a_reference_to_its_object(misuse):
    before = pairbond.live_objects().get("misuse.Early", 0)
    for make in (misuse.Early, misuse.make_early, lambda keep: misuse.Early(keep=keep)):
        with pytest.raises(RuntimeError, match=r"a misuse\.Early is used whose constructor has not returned"):
            make(True)
        assert misuse.early() is None
        assert type(make(False)) is misuse.Early
    assert pairbond.live_objects().get("misuse.Early", 0) == before


def test_a_destructor_cannot_have_a_reference_to_its_object(misuse):
    for make in (misuse.Late, misuse.make_late):
        make()
        assert "a misuse.Late is used whose constructor has not returned, or that is being destroyed" in misuse.late()


def test_a_node_in_its_constructor_and_destructor(misuse):
    before = misuse.Branch.alive()
    with pytest.raises(RuntimeError, match=r"a misuse\.Branch is used whose constructor has not returned"):
        misuse.Branch(True)
    with pytest.raises(RuntimeError, match=r"a misuse\.Branch is used whose constructor has not returned"):
        misuse.Branch(early=True)
    root = misuse.Branch()
    root.append(misuse.Branch())
    misuse.seen()
    del root
    gc.collect()
    # A node that is being destroyed has nothing around it.
    assert misuse.seen().startswith("a misuse.Branch is used")
    assert misuse.Branch.alive() == before


def test_a_node_that_only_its_tree_keeps_has_references(misuse):
    before = misuse.Branch.alive()
    root = misuse.Branch()
    root.append(misuse.Branch())
    first = root.first_kept_by_its_tree()
    del root
    gc.collect()
    assert misuse.Branch.alive() == before + 2
    assert first.root().branches[0] is first
    del first
    gc.collect()
    assert misuse.Branch.alive() == before


def test_an_object_as_one_of_a_base_begins_with_that(misuse):
    third = misuse.Third()
    assert misuse.as_first(third) is third
    with pytest.raises(TypeError, match=r"Third does not begin with its part of .*Second"):
        misuse.as_second(third)


def test_cells_keep_their_types(misuse):
    slots = misuse.Slots()
    assert slots.read() == (0, "", True, 0)
    slots.small, slots.text, slots.function, slots.large = -128, "text", len, 2**64 - 1
    assert slots.read() == (-128, "text", False, 2**64 - 1)
    slots.function = None
    assert slots.read() == (-128, "text", True, 2**64 - 1)
    for name, value, error, words in (
        ("small", 128, OverflowError, r"128 does not fit into an int from -128 to 127"),
        ("small", "x", TypeError, r"expected an int of 64 bits, got str 'x'"),
        ("text", 3, TypeError, r"expected str, got int 3"),
        ("text", None, TypeError, r"expected str, got None"),
        ("function", 3, TypeError, r"expected a callable, got int 3"),
        ("large", -1, OverflowError, r"int -1 does not fit"),
    ):
        with pytest.raises(error, match=rf"Slots\.{name}: {words}"):
            setattr(slots, name, value)
    assert slots.read() == (-128, "text", True, 2**64 - 1)


def test_numbers_in_containers_are_read_as_arguments_are(misuse):
    assert misuse.numbers([0, True, 2**64 - 1]) == [0, 1, 2**64 - 1]
    assert misuse.signed_numbers([-(2**63), False]) == [-(2**63), 0]
    assert misuse.floats([1, True, 2**70, 2.5]) == [1.0, 1.0, 2.0**70, 2.5]
    assert misuse.to_the_end() == 2**64 - 1
    assert str(inspect.signature(misuse.to_the_end)) == f"(count={2**64 - 1})"
    for call in (
        lambda: misuse.numbers([2**64]),
        lambda: misuse.numbers([-1]),
        lambda: misuse.signed_numbers([2**63]),
        lambda: misuse.floats([10**400]),
    ):
        with pytest.raises(OverflowError, match="does not fit into"):
            call()
    with pytest.raises(TypeError, match="expected int, got float"):
        misuse.numbers([1.0])


def test_containers_of_another_kind_are_refused(misuse):
    assert misuse.names(("a", "b")) == misuse.names(pairbond.List(["a", "b"])) == ["a", "b"]
    assert misuse.names(pairbond.Set(["a"])) == ["a"]
    assert misuse.pair([1, 2]) == misuse.pair(pairbond.Tuple((1, 2))) == (1, 2)
    assert misuse.table({1: None}) == misuse.table(pairbond.Map({1: None})) == {1: None}
    for call, words in (
        (lambda: misuse.names({"a": 1}), "expected a list, got pairbond.Map"),
        (lambda: misuse.pair({1: 2, 3: 4}), "expected a tuple, got pairbond.Map"),
        (lambda: misuse.pair(pairbond.Set([1, 2])), "expected a tuple, got pairbond.Set"),
        (lambda: misuse.table([1, 2]), "expected a dict, got pairbond.List"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


def test_defaults(misuse):
    assert misuse.separated() == "it's \\\n"
    assert inspect.signature(misuse.separated).parameters["by"].default == "it's \\\n"
    assert inspect.signature(misuse.close_to).parameters["by"].default == misuse.close_to() == 1e-9


def test_a_shape_that_overflows(misuse):
    for rows, columns in ((2**32, 2**32), (2**63, 2)):
        with pytest.raises((ValueError, OverflowError)):
            misuse.many(rows, columns)
    assert misuse.many(0, 5).shape == (0, 5)


REFUSED = {
    1: (TypeError, r"refused\.Both: its values do not begin with their part of .*Two, which it extends"),
    2: (TypeError, r"refused\.WithVirtual: its values do not begin with their part of .*Two"),
    3: (ValueError, r"refused\.Another: the C\+\+ class .*Thing is registered already, as refused\.Thing"),
    4: (ValueError, r"refused\.Thing is described twice"),
    5: (TypeError, r"f\(\) argument 'it': the C\+\+ class .*Unknown is used, and no pb::class_ has registered it"),
    6: (TypeError, r"f\(\) argument 'it': expected int, got float"),
    7: (TypeError, r"f\(\) argument 'it': expected refused\.One, got None"),
    8: (ValueError, r"two members of the name f"),
    9: (ValueError, r'"refused\.Both": it has two attributes of the name f'),
    10: (ValueError, r"f\(\): two parameters have the name it"),
    11: (ValueError, r"f\(\): more pb::arg than parameters"),
    12: (RuntimeError, r"not today"),
    13: (ValueError, r"refused\.Both: it has two constructors"),
}


@pytest.mark.slow
def test_modules_that_cannot_be_described(monkeypatch):
    library = build("refused.cpp")
    for fault, (error, words) in REFUSED.items():
        monkeypatch.setenv("FAULT", str(fault))
        with pytest.raises(error, match=words):
            pairbond.load(library)
    # What was described before does not count twice.
    monkeypatch.setenv("FAULT", "0")
    refused = pairbond.load(library)
    thing = refused.Thing()
    thing.next = refused.Thing()
    thing.next.next = thing
    gc.collect()
    assert thing.next.next is thing
    del thing
    gc.collect()
    assert pairbond.live_objects().get("refused.Thing", 0) == 0


@pytest.mark.slow
def test_libraries_with_visible_classes_of_one_name():
    one, two = (
        pairbond.load(build("visible.cpp", f"-DNUMBER={number}", "-fvisibility=default", name=f"visible{number}"))
        for number in (1, 2)
    )
    first, second = one.Same(), two.Same()
    first.next, second.next = first, second
    assert (first.value, one.value_of(first), first.next is first) == (1, 1, True)
    assert (second.value, two.value_of(second), second.next is second) == ("two", "two", True)
    for library, other in ((one, second), (two, first)):
        with pytest.raises(TypeError, match=r"expected visible\d\.Same, got visible\d\.Same"):
            library.value_of(other)
    del first, second, other
    gc.collect()
    assert [pairbond.live_objects().get(f"visible{number}.Same", 0) for number in (1, 2)] == [0, 0]
