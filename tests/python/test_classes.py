"""Classes: construction, fields, protocols, inheritance on both sides."""

from __future__ import annotations

import abc
import asyncio
import copy
import gc
import operator
import pickle
import pydoc
import sys
import weakref

import pairbond
import pairbond_testext as ext
import pytest


def test_names():
    assert ext.Package.__name__ == "Package"
    assert ext.Package.__qualname__ == "Package"
    assert ext.Package.__module__ == "pairbond_testext"
    assert repr(ext.Package) == "<class 'pairbond_testext.Package'>"
    assert ext.Package.__mro__ == (ext.Package, pairbond.Object, object)


def test_construction():
    package = ext.Package("a")
    assert (package.name, package.count, package.note) == ("a", 0, None)
    package = ext.Package("b", 3, note="n")
    assert (package.name, package.count, package.note) == ("b", 3, "n")
    package = ext.Package(note=None, name="c", count=4)
    assert (package.name, package.count, package.note) == ("c", 4, None)
    assert repr(package) == str(package) == "<Package c>"


def test_a_constructor_that_fails_leaves_nothing():
    before = pairbond.live_objects().get("pairbond_testext.Package", 0)
    for _ in range(10):
        with pytest.raises(ValueError, match="a package needs a name"):
            ext.Package("")
        with pytest.raises(TypeError):
            ext.Package(1)
        with pytest.raises(pairbond.PanicError, match="cannot be made"):
            ext.Broken()
    gc.collect()
    assert pairbond.live_objects().get("pairbond_testext.Package", 0) == before


def test_fields():
    package = ext.Package("a")
    package.count = 5
    package.note = "x"
    assert (package.count, package.note) == (5, "x")
    package.note = None
    assert package.note is None
    other = ext.Package("b")
    package.next = other
    assert package.next is other
    package.next = package
    assert package.next is package
    package.next = None
    for value in (None, 1, "x", [1], object(), other):
        package.extra = value
        assert package.extra is value or package.extra == value


def test_field_errors():
    package = ext.Package("a", 3)
    with pytest.raises(AttributeError):
        package.name = "b"
    with pytest.raises(AttributeError, match=r"'count' of pairbond_testext\.Package objects cannot be deleted"):
        del package.count
    with pytest.raises(TypeError, match=r"Package.count: expected an int of 64 bits, got str 'x'"):
        package.count = "x"
    with pytest.raises(OverflowError, match=r"Package.count"):
        package.count = 1 << 64
    with pytest.raises(TypeError, match=r"Package.next: expected pairbond_testext.Package or None, got int 1"):
        package.next = 1
    assert package.count == 3
    with pytest.raises(AttributeError):
        del package.name
    with pytest.raises(TypeError, match=r"pairbond_testext\.Package"):
        package.next = ext.lock()


def test_properties():
    package = ext.Package("abc")
    assert package.length == 3
    with pytest.raises(AttributeError):
        package.length = 1
    with pytest.raises(ValueError, match="no note, no label"):
        _ = package.label
    package.label = "l"
    assert package.label == package.note == "l"
    with pytest.raises(TypeError, match=r"Package.*label: expected str, got int 1"):
        package.label = 1


def test_attributes_of_the_class():
    class Special(ext.Package):
        pass

    try:
        ext.Package.set_limit(7)
        assert ext.Package.limit == Special.limit == ext.Package("a").limit == Special("a").limit == 7
        descriptor = vars(ext.Package)["limit"]
        assert (descriptor.__name__, descriptor.__doc__) == ("limit", "How many there may be.")
        assert repr(descriptor) == "<class getter 'limit'>"
        assert gc.get_referents(descriptor) == [type(descriptor)]
        with pytest.raises(TypeError, match="cannot create"):
            type(descriptor)()
        package = ext.Package("a")
        with pytest.raises(AttributeError, match="object attribute 'limit' is read-only: it is the class's"):
            package.limit = 3
        with pytest.raises(AttributeError, match="read-only"):
            del package.limit
        assert "limit" not in vars(package)
        assert "limit" in dir(ext.Package)
        assert "limit" in pydoc.render_doc(ext.Package)
    finally:
        ext.Package.set_limit(-1)
    for where in (ext.Package, Special, ext.Package("a")):
        with pytest.raises(ValueError, match="there is no limit"):
            _ = where.limit

    class Own(ext.Package):
        limit = 5

    assert Own.limit == Own("a").limit == 5


def test_a_getter_may_lend_a_field():
    package, other = ext.Package("a"), ext.Package("b")
    assert package.following is None
    package.next = other
    assert package.following is package.next is other
    # One that Python holds no more, and one that it never saw.
    other.seen = True
    del other
    assert package.following.seen
    package.next = ext.Package.make("c")
    gc.collect()
    assert package.following is package.next
    package.next = None
    assert package.following is None


def test_identity_through_methods():
    package = ext.Package("a")
    assert package.me() is package
    assert package.me_owned() is package
    assert ext.owned(package) is package
    assert ext.same(package, package)
    assert not ext.same(package, ext.Package("a"))
    assert package.dependencies is package.dependencies
    assert ext.any(package) is package
    ext.keep(package)
    number = id(package)
    del package
    gc.collect()
    assert [id(p) for p in ext.kept()] == [number]
    ext.drop_kept()


def test_methods_on_the_class():
    package = ext.Package("a")
    assert ext.Package.hello(package) == package.hello() == "hello from a"
    with pytest.raises(TypeError):
        ext.Package.hello(3)
    with pytest.raises(TypeError):
        ext.Package.hello()


def test_inheritance_in_rust():
    special = ext.Special("s", 7)
    assert (special.name, special.level) == ("s", 7)
    assert isinstance(special, ext.Package)
    assert issubclass(ext.Special, ext.Package)
    assert ext.Special.__mro__ == (ext.Special, ext.Package, pairbond.Object, object)
    assert special.hello() == "hello from s"
    assert repr(special) == "<Package s>"
    special.level = 8
    assert ext.both(special, special) == ("s", 8)
    with pytest.raises(TypeError, match=r"both\(\) argument 'special': expected pairbond_testext.Special or None, got"):
        ext.both(None, ext.Package("p"))
    born = ext.special("t", 9)
    assert type(born) is ext.Special
    assert born.level == 9
    with pytest.raises(TypeError, match=r"Special.level|'level'"):
        ext.Special.level.__get__(ext.Package("p"))


def test_init_of_the_wrong_class():
    special = ext.Special.__new__(ext.Special)
    with pytest.raises(TypeError, match="it cannot make a"):
        ext.Package.__init__(special, "a")
    ext.Special.__init__(special, "a", 1)
    assert special.level == 1
    package = ext.Package.__new__(ext.Package)
    with pytest.raises(TypeError):
        ext.Special.__init__(package, "a", 1)


def test_classes_without_constructor():
    with pytest.raises(TypeError, match=r"cannot create 'pairbond_testext.Lock' instances from Python"):
        ext.Lock()

    class Mine(ext.Lock):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match=r"cannot create 'pairbond_testext.Lock' instances"):
        Mine()
    with pytest.raises(TypeError, match="cannot create"):
        ext.Lock.__new__(ext.Lock)
    with pytest.raises(TypeError):
        object.__new__(ext.Lock)
    assert type(ext.lock()) is ext.Lock
    with pytest.raises(TypeError, match="cannot create"):
        ext.lock().__init__()
    with pytest.raises(TypeError, match="cannot create"):
        pairbond.Object()


def test_half_made_objects_say_so():
    package = ext.Package.__new__(ext.Package, 1, 2, x=3)
    for use in (
        lambda: package.name,
        lambda: package.hello(),
        lambda: setattr(package, "count", 1),
        lambda: ext.owned(package),
        lambda: ext.names([package]),
    ):
        with pytest.raises(RuntimeError, match=r"Package.__init__\(\) was not called"):
            use()
    assert ext.foreign(package) is package
    assert ext.any(package) is package
    package.__init__("late")
    assert package.name == "late"
    with pytest.raises(TypeError, match="called twice"):
        package.__init__("again")
    assert package.name == "late"


class Child(ext.Package):
    """A subclass with more arguments."""

    def __init__(self, name, color="red"):
        super().__init__(name.upper(), 1)
        self.color = color

    def hello(self):
        return "child: " + super().hello()


def test_subclasses_in_python():
    child = Child("a", color="blue")
    assert (child.name, child.color, child.count) == ("A", "blue", 1)
    assert child.hello() == "child: hello from A"
    assert ext.owned(child) is child
    assert type(ext.owned(child)) is Child
    assert child.me() is child
    ext.keep(child)
    del child
    gc.collect()
    [child] = ext.kept()
    assert type(child) is Child
    assert child.color == "blue"
    ext.drop_kept()


def test_a_subclass_that_forgets_init():
    class Forgetful(ext.Package):
        def __init__(self):
            pass

    forgetful = Forgetful()
    with pytest.raises(RuntimeError, match=r"__init__\(\) was not called"):
        forgetful.hello()


def test_a_subclass_with_new_slots_and_hooks():
    seen = []

    class Base(ext.Package):
        __slots__ = ("a", "b")

        def __new__(cls, *args, **kwargs):
            self = super().__new__(cls)
            self.a = args
            return self

        def __init_subclass__(cls, **kwargs):
            seen.append((cls.__name__, kwargs))

    class Derived(Base, tag=1):
        pass

    derived = Derived("n")
    assert derived.a == ("n",)
    assert derived.name == "n"
    with pytest.raises(AttributeError):
        _ = derived.b
    assert seen == [("Derived", {"tag": 1})]


def test_abstract_base_classes_and_multiple_inheritance():
    class Named(abc.ABC):
        @abc.abstractmethod
        def title(self): ...

    class Both(ext.Package, Named):
        def title(self):
            return self.name.title()

    class Missing(ext.Package, Named):
        pass

    assert Both("abc").title() == "Abc"
    assert isinstance(Both("x"), Named)
    assert not isinstance(ext.Package("x"), Named)
    Named.register(ext.Package)
    assert isinstance(ext.Package("x"), Named)
    with pytest.raises(TypeError, match="abstract method"):
        Missing("x")


def test_attributes_and_weak_references():
    package = ext.Package("a")
    package.color = "red"
    assert package.color == "red"
    assert vars(package) == {"color": "red"}
    reference = weakref.ref(package)
    assert reference() is package
    del package
    gc.collect()
    assert reference() is None


def test_sealed_classes():
    sealed = ext.Sealed(3)
    assert sealed.value == 3
    with pytest.raises(AttributeError):
        sealed.color = 1
    with pytest.raises(TypeError):
        weakref.ref(sealed)
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (ext.Sealed,), {})
    assert not hasattr(sealed, "__dict__")


def test_immutable_classes():
    with pytest.raises(TypeError, match="cannot set '__repr__' attribute of immutable type"):
        ext.Settled.__repr__ = lambda self: "other"
    with pytest.raises(TypeError, match="immutable"):
        del ext.Settled.value
    settled = ext.Settled(3)
    settled.color = 1
    assert (settled.value, settled.color, weakref.ref(settled)()) == (3, 1, settled)

    class Sub(ext.Settled):
        pass

    Sub.__repr__ = lambda self: f"Sub({self.value})"
    assert repr(Sub(4)) == "Sub(4)"
    ext.Plain.extra = 1  # the others can be changed
    del ext.Plain.extra


def test_assigning_the_class_crashes_nothing():
    package, plain = ext.Package("a"), ext.Plain(1.0, 2.0)
    for it, cls in ((plain, ext.Package), (package, ext.Plain), (package, ext.Special), (package, int)):
        with pytest.raises(TypeError, match=r"cannot assign __class__ of a .*another native type"):
            it.__class__ = cls
    with pytest.raises(TypeError, match="can be set to a class only"):
        package.__class__ = 5
    with pytest.raises(TypeError):
        del package.__class__
    assert type(plain) is plain.__class__ is ext.Plain

    class Sub(ext.Package):
        pass

    class Other(ext.Package):
        def shout(self):
            return self.name.upper()

    with pytest.raises(TypeError, match="which is decided when an object is made"):
        package.__class__ = Sub
    sub = Sub("sub")
    sub.__class__ = Other
    assert sub.shout() == "SUB"
    assert type(sub) is Other
    sub.__class__ = ext.Package
    assert type(sub) is ext.Package
    assert plain.x == 1.0
    assert package.name == "a"


def test_half_made_objects_have_no_number():
    half = ext.Package.__new__(ext.Package)
    for use in (pairbond.native_id, pairbond.is_dormant):
        with pytest.raises(RuntimeError, match=r"Package.__init__\(\) was not called"):
            use(half)
    with pytest.raises(TypeError, match="expected a pairbond object, got int"):
        pairbond.native_id(5)


def test_messages_name_the_class_and_not_the_struct():
    with pytest.raises(TypeError, match=r"^Renamed.method\(\) argument 'x'"):
        ext.Renamed().method("x")
    with pytest.raises(TypeError, match=r"^Renamed\(\) takes 0 positional"):
        ext.Renamed(1)
    with pytest.raises(TypeError, match=r"^Renamed.level"):
        ext.Renamed().level = "x"


def test_classes_are_mutable_like_classes_in_python():
    ext.Package.shout = lambda self: self.name.upper()
    try:
        assert ext.Package("abc").shout() == "ABC"
    finally:
        del ext.Package.shout
    original = ext.Package.__init__
    ext.Package.__init__ = lambda self, name: original(self, name * 2)
    try:
        assert ext.Package("ab").name == "abab"
        assert ext.Package(name="x").name == "xx"
    finally:
        ext.Package.__init__ = original
    assert ext.Package("ab").name == "ab"


def test_match():
    assert ext.Package.__match_args__ == ("name", "count", "note")
    match ext.Package("a", 3):
        case ext.Package("a", count, note=None):
            assert count == 3
        case _:
            pytest.fail("no match")
    assert ext.Plain.__match_args__ == ("x", "y")
    assert not hasattr(ext.Lock, "__match_args__")


def test_subscription_of_the_class():
    assert ext.Adder[int] == ("Adder", int)
    with pytest.raises(TypeError, match="not subscriptable"):
        ext.Package[int]


def test_copies_and_pickles():
    package = ext.Package("a")
    for make in (copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))):
        other = make(package)
        assert other is not package
        assert other.name == "a"


# ---- operators ----


def test_operators():
    a, b = ext.Vector(1, 2), ext.Vector(3, 4)
    assert a + b == ext.Vector(4, 6)
    assert b - a == ext.Vector(2, 2)
    assert a * 2 == 2 * a == ext.Vector(2, 4)
    assert a * True == a
    assert 10 - a == ext.Vector(9, 8)
    assert a / 2 == ext.Vector(0.5, 1)
    assert a @ b == 11
    assert b**2 == ext.Vector(9, 16)
    assert pow(b, 2) == ext.Vector(9, 16)
    assert -a == ext.Vector(-1, -2)
    assert abs(b) == float(b) == int(b) == 5
    assert divmod(b, 2) == (1.0, 1.0)
    assert [10, 20][a] == 20
    assert (str(a), repr(a)) == ("(1, 2)", "Vector(1, 2)")
    with pytest.raises(ZeroDivisionError, match="not divided by zero"):
        a / 0


def test_operands_that_are_not_known_are_left_to_the_other():
    class Other:
        def __radd__(self, other):
            return ("radd", other)

        def __eq__(self, other):
            return "eq"

        __hash__ = None

    a = ext.Vector(1, 2)
    other = Other()
    assert a + other == ("radd", a)
    assert (a == other) == "eq"
    assert a != 3
    assert a != "x"
    for operation in (operator.add, operator.sub, operator.matmul, operator.mod, operator.pow):
        with pytest.raises(TypeError, match="unsupported operand"):
            operation(a, "x")
    for operation in (operator.add, operator.matmul, operator.lshift):
        with pytest.raises(TypeError, match="unsupported operand"):
            operation(3, a)
    with pytest.raises(TypeError, match="unsupported operand"):
        pow(a, 2, 3)
    assert ext.Vector.__add__(a, 3) is NotImplemented
    assert ext.Vector.__eq__(a, 3) is NotImplemented


def test_in_place_operators():
    a = b = ext.Vector(1, 2)
    a += ext.Vector(1, 1)
    assert a is b
    assert a == ext.Vector(2, 3)
    a -= ext.Vector(1, 1)
    assert a is not b
    with pytest.raises(TypeError, match="unsupported operand"):
        a += 1


def test_operators_of_subclasses():
    class Mine(ext.Vector):
        def __radd__(self, other):
            return "mine"

    assert ext.Vector(1, 2) + Mine(1, 1) == "mine"
    assert Mine(1, 1) + ext.Vector(1, 2) == ext.Vector(2, 3)


def test_equality_and_hash():
    assert ext.Vector(1, 2) == ext.Vector(1, 2)
    assert ext.Vector(1, 2) != ext.Vector(1, 3)
    assert len({ext.Vector(1, 2), ext.Vector(1, 2), ext.Vector(2, 1)}) == 2
    assert ext.Equal(1) == ext.Equal(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(ext.Equal(1))
    package = ext.Package("a")
    assert package == package
    assert package != ext.Package("a")
    assert {package: 1}[package] == 1


def test_order():
    a, b = ext.Ordered(1), ext.Ordered(2)
    assert a < b
    assert not b < a
    assert b > a
    assert sorted([b, a]) == [a, b]
    assert a == a
    assert a != b
    assert len({a, b, ext.Ordered(1)}) == 3
    assert a >= 1
    with pytest.raises(ValueError, match="negative"):
        _ = a >= -1
    with pytest.raises(TypeError, match="not supported between"):
        _ = a < 1
    with pytest.raises(TypeError, match="not supported between"):
        _ = a <= b


def test_truth_length_and_hash():
    assert ext.Truth()
    assert not ext.Truth(False, 3)
    assert len(ext.Truth(len=5)) == 5
    with pytest.raises(ValueError, match="should return >= 0"):
        len(ext.Truth(len=-5))
    for value in (0, 1, -1, -2, 1 << 61, (1 << 64) - 1, -(1 << 100)):
        assert hash(ext.Truth(hash=value)) == hash(value)


# ---- protocols ----


def test_iterators():
    countdown = ext.Countdown(3)
    assert iter(countdown) is countdown
    assert list(countdown) == [3, 2, 1]
    assert list(countdown) == []
    assert next(countdown, "end") == "end"
    with pytest.raises(StopIteration):
        next(countdown)
    with pytest.raises(ValueError, match="below zero"):
        list(ext.Countdown(-1))


def test_sequences():
    sequence = ext.Sequence(1, "b", None)
    assert len(sequence) == 3
    assert sequence[1] == "b"
    assert list(sequence) == [1, "b", None]
    assert list(reversed(sequence)) == [None, "b", 1]
    assert "b" in sequence
    assert "c" not in sequence
    first, *_ = sequence
    assert first == 1
    with pytest.raises(IndexError, match="out of range"):
        sequence[3]
    with pytest.raises(OverflowError):
        sequence[-1]
    with pytest.raises(TypeError):
        sequence["a"]
    with pytest.raises(TypeError, match="does not support item assignment"):
        sequence[0] = 1
    with pytest.raises(TypeError, match=r"(does not|doesn't) support item deletion"):
        del sequence[0]


def test_mappings():
    table = ext.Table({"a": 1})
    assert "a" in table
    assert "b" not in table
    assert table["a"] == 1
    table["b"] = [2]
    assert table["b"] == [2]
    assert list(table) == ["a", "b"]
    with pytest.raises(KeyError, match="zzz"):
        table["zzz"]
    with pytest.raises(TypeError, match=r"Table.__getitem__\(\) argument 'name': expected str, got int 3"):
        table[3]
    with pytest.raises(TypeError, match="does not support item deletion"):
        del table["a"]
    with pytest.raises(TypeError, match=r"__contains__\(\) argument 'name'"):
        _ = 3 in table


def test_calls():
    adder = ext.Adder(10)
    assert adder(1) == 11
    assert adder(1, 2) == 21
    assert adder(times=3, value=0) == 30
    assert adder(*(5,), times=0) == 5
    assert callable(adder)
    assert not callable(ext.Package("a"))
    assert list(map(adder, [1, 2])) == [11, 12]


def test_context_managers():
    guard = ext.Guard()
    with guard as entered:
        assert entered is guard
    assert guard.entered == 1
    assert guard.seen is None
    error = ValueError("x")
    with pytest.raises(ValueError, match="x"), guard:
        raise error
    assert guard.seen is error
    with ext.Guard(True):
        raise error
    guard.__exit__(None, None, None)


def test_awaitables():
    async def work():
        return 42

    async def main():
        return await ext.Awaitable(work().__await__())

    assert asyncio.run(main()) == 42


def test_references_are_balanced():
    """Construction, fields and methods neither lose nor leak a reference."""
    name, value = "a name of its own", object()
    package = ext.Package(name)

    def counts():
        for _ in range(100):
            package.extra = value
            assert package.extra is value
            package.me()
            package.me_owned()
            ext.Package(name)
            with pytest.raises(TypeError):
                ext.Package(value)
            Child(name)
            package.extra = None
        gc.collect()
        return [sys.getrefcount(it) for it in (name, value, package, ext.Package)]

    before = counts()
    assert counts() == before


@pytest.mark.skipif(sys.version_info < (3, 14), reason="before CPython 3.14 such attributes are in a dictionary")
def test_memory_that_is_used_again_keeps_its_places_for_attributes():
    """CPython clears the places of a dying object's attributes for good, and looks methods of such memory up slowly.

    A class has the fewer places the more instances it had, so the names are known to it from the beginning.
    """
    first = ext.Settled(0)
    first.mark = first.other = first.note_of_its_own = None

    def die_together():
        for _ in range(200):
            one, other = ext.Settled(1), ext.Settled(2)
            one.other, other.other = other, one
        gc.collect()

    def die_alone():
        for _ in range(200):
            ext.Settled(3).note_of_its_own = "x"
        for _ in range(200):
            vars(ext.Settled(4))

    for die in (die_together, die_alone):
        die()
        value = object()
        packages = [ext.Settled(5) for _ in range(300)]
        for package in packages:
            package.mark = value
        with_dicts = [p for p in packages if any(isinstance(r, dict) for r in gc.get_referents(p))]
        assert not with_dicts
        assert all(value in gc.get_referents(package) for package in packages)
