"""Classes with `fast_getters`: whatever happens to a class, its attributes are what CPython's own search finds."""

from __future__ import annotations

import random

import pairbond_testext as ext
import pytest
from interpreters import KINDS, check

NAMES = ["value", "other", "half", "double", "extra", "note", "__class__", "__dict__", "__doc__", "missing"]


def outcome(read, thing, name):
    try:
        value = read(thing, name)
    except Exception as error:
        return type(error), str(error)
    # Methods are bound anew each time.
    return value if name != "double" else getattr(value, "__name__", value)


def agrees(thing) -> bool:
    """The first time it is found, the second time it is remembered."""
    return all(
        outcome(getattr, thing, name) == outcome(object.__getattribute__, thing, name) for _ in "12" for name in NAMES
    )


@pytest.fixture
def restored():
    classes = [ext.Quick, ext.QuickChild]
    before = [dict(vars(cls)) for cls in classes]
    yield
    for cls, attributes in zip(classes, before, strict=True):
        for name in set(vars(cls)) - set(attributes):
            delattr(cls, name)
        for name, value in attributes.items():
            if vars(cls).get(name) is not value:
                setattr(cls, name, value)
        assert dict(vars(cls)) == attributes


def test_attributes_are_read():
    quick = ext.Quick(4)
    for _ in range(3):
        assert (quick.value, quick.half, quick.other, quick.double()) == (4, 2, None, 8)
    quick.value, quick.other = 5, quick
    for _ in range(3):
        assert (quick.other, quick.value) == (quick, 5)
        with pytest.raises(ValueError, match="5 is odd"):
            _ = quick.half
        with pytest.raises(AttributeError, match="Quick' object has no attribute 'missing'"):
            _ = quick.missing
    quick.other = None
    quick.note = "mine"
    assert (quick.note, quick.__dict__) == ("mine", {"note": "mine"})
    assert "__getattribute__" not in vars(ext.Quick)
    assert all(map(agrees, [quick, ext.QuickChild(4, 1)]))


def test_a_getter_comes_before_an_attribute_and_a_method_after():
    quick = ext.Quick(4)
    quick.__dict__.update(value="hidden", double="mine")
    for _ in range(3):
        assert (quick.value, quick.double) == (4, "mine")


def test_a_remembered_method_is_bound_to_its_object_and_gives_way():
    first, second = ext.Quick(4), ext.Quick(6)
    for _ in range(3):
        assert [it.double() for it in (first, second)] == [8, 12]
        assert first.double.__self__ is first
        assert first.double == first.double != second.double
    # An attribute of an object hides it from then on, and not any more when it is gone.
    for _ in range(3):
        first.double = lambda: "mine"
        assert (first.double(), second.double()) == ("mine", 12)
        del first.double
        assert (first.double(), second.double()) == (8, 12)
    vars(second)["double"] = lambda: "mine"
    assert (first.double(), second.double()) == (8, "mine")


def test_a_remembered_method_may_be_replaced(restored):
    quick = ext.Quick(4)
    native = ext.Quick.double
    for _ in range(3):
        assert quick.double() == 8
        ext.Quick.double = lambda self: ("replaced", self.value)
        assert quick.double() == ("replaced", 4)
        ext.Quick.double = native


def test_names_that_are_made_at_run_time_are_as_good():
    class Name(str):
        __slots__ = ()

    quick = ext.Quick(4)
    for _ in range(20):
        # Each may lie where the one before lay.
        for letters, value in (["v", "alue"], 4), (["h", "alf"], 2), (["o", "ther"], None):
            assert getattr(quick, "".join(letters)) == value
        assert getattr(quick, Name("value")) == 4
        with pytest.raises(TypeError, match="attribute name must be string"):
            object.__getattribute__(quick, 1)
        with pytest.raises(TypeError):
            getattr(quick, 1)


def test_a_class_that_is_changed(restored):
    quick = ext.Quick(4)
    assert quick.value == 4
    before = vars(ext.Quick)["value"]
    ext.Quick.value = property(lambda self: "patched")
    assert quick.value == "patched"
    del ext.Quick.value
    with pytest.raises(AttributeError):
        _ = quick.value
    ext.Quick.value = before
    assert quick.value == 4
    # Another class's descriptor does not fit, and says so.
    for name, other in ("x", ext.Plain), ("value", ext.Sealed):
        ext.Quick.value = vars(other)[name]
        for _ in range(3):
            with pytest.raises(
                TypeError, match=f"descriptor '{name}' for '{other.__module__}.{other.__name__}' objects"
            ):
                _ = quick.value
    # And that of a base, under another name, does.
    ext.QuickChild.extra = before
    child = ext.QuickChild(6, 1)
    for _ in range(3):
        assert child.extra == 6


def test_a_class_that_gets_a_method_for_what_is_missing():
    """It is CPython's affair from then on, so this has a process of its own."""
    check(
        """
        import pairbond_testext as ext

        quick = ext.Quick(4)
        ext.Quick.__getattr__ = lambda self, name: name
        assert [(quick.value, quick.half, quick.missing) for _ in range(3)] == [(4, 2, "missing")] * 3
        del ext.Quick.value
        assert (quick.value, quick.half) == ("value", 2)
        del ext.Quick.__getattr__
        ext.Quick.__getattribute__ = lambda self, name: name
        assert (quick.value, quick.half) == ("value", "half")
        print("fine")
        """
    )


def test_python_subclasses_are_as_usual():
    class Sub(ext.Quick):
        value = 7

        @property
        def half(self):
            return super().half + 0.5

        def __getattr__(self, name):
            return "any " + name

    class Other(ext.Quick):
        __slots__ = ()

    sub = Sub(4)
    for _ in range(3):
        assert (sub.value, sub.half, sub.double(), sub.foo) == (7, 2.5, 8, "any foo")
        assert agrees(Other(4))


@pytest.mark.parametrize("seed", range(5))
def test_random_changes(seed, restored):
    """Classes change in any order, and what is read is always what CPython's own search finds."""
    rng = random.Random(seed)
    getters = [vars(ext.Quick)[name] for name in ("value", "other", "half", "double")]
    others = [
        vars(ext.Plain)["x"],
        vars(ext.Sealed)["value"],
        property(lambda self: 1),
        5,
        lambda self: 2,
        vars(ext.QuickChild)["extra"],
    ]
    classes = [ext.Quick, ext.QuickChild]
    things = [ext.Quick(4), ext.Quick(5), ext.QuickChild(6, 7)]
    for _ in range(300):
        cls, name, thing = rng.choice(classes), rng.choice(NAMES[:6]), rng.choice(things)
        action = rng.randrange(5)
        if action == 0:
            setattr(cls, name, rng.choice(getters + others))
        elif action == 1 and name in vars(cls):
            delattr(cls, name)
        elif action == 2:
            thing.__dict__[name] = rng.choice(["a", "b"])
        elif action == 3:
            thing.__dict__.pop(name, None)
        assert all(agrees(thing) for thing in things)


USE = """
import pairbond_testext as ext
quick = ext.Quick(4)
for _ in range(200):
    assert (quick.value, quick.half, quick.double()) == (4, 2, 8)
before = vars(ext.Quick)["value"]
ext.Quick.value = PATCH
for _ in range(200):
    assert quick.value == PATCH and quick.half == 2
ext.Quick.value = before
assert quick.value == 4
"""


@pytest.mark.parametrize("kind", KINDS)
def test_each_interpreter_has_its_own(kind):
    check(
        """
        import sys, threading
        from interpreters import Interpreter
        import pairbond_testext as ext

        def use(number):
            for _ in range(4):
                with Interpreter(sys.argv[1]) as one:
                    one.run(sys.argv[2].replace("PATCH", str(number)))
                    one.run(sys.argv[2].replace("PATCH", str(number + 1)))

        quick = ext.Quick(6)
        threads = [threading.Thread(target=use, args=(10 * i,)) for i in range(4)]
        for thread in threads:
            thread.start()
            # With a GIL for all, 3.11 never asks a thread of another interpreter to let go of it.
            if sys.argv[1] == "legacy":
                thread.join()
            assert (quick.value, quick.half) == (6, 3)
        while any(thread.is_alive() for thread in threads):
            assert (quick.value, quick.half) == (6, 3)
        print("fine")
        """,
        kind,
        USE,
    )


def test_the_class_goes_on_after_many_changes(restored):
    """Since 3.12 CPython gives a class a thousand versions; without one nothing is remembered, and nothing is wrong."""
    quick = ext.Quick(4)
    before = vars(ext.Quick)["value"]
    for i in range(3000):
        ext.Quick.value = i
        assert quick.value == i
    ext.Quick.value = before
    assert quick.value == 4
