"""Functions that a Python class takes over, by `__pairbond_function__`."""

import gc
import inspect

import pairbond_testext as ext
import pytest
from promises import at_once, nothing_stays


class Plain(ext.Shape):
    """Takes nothing over."""


class Loud(ext.Shape):
    """Takes everything over, and goes on."""

    def __init__(self, size=1.0):
        super().__init__(size)
        self.calls = []

    def __pairbond_function__(self, original, *args):
        self.calls.append((original.__name__, args))
        return original(*args)


class Own(ext.Shape):
    """Answers by itself."""

    def __pairbond_function__(self, original, *args):
        return 42.0


def test_nobody_takes_it_over():
    for shape in (ext.Shape(2), Plain(2), ext.Square(2)):
        assert ext.double_size(shape) == 4.0
        assert ext.double_size(shape=shape) == 4.0
        assert ext.double_size_elsewhere(shape) == 4.0
        assert ext.larger(shape, ext.Shape(1)) is shape
        assert ext.larger(ext.Shape(1), shape) is shape
        assert ext.size_of_any(shape) == 2.0
        ext.set_size(shape, 3)
        assert shape.size == 3.0
    ext.set_size(None, 3)
    assert ext.size_of_any(None) == -1.0
    assert ext.size_of_any([]) == -1.0


def test_a_class_answers_by_itself():
    own = Own(2)
    assert ext.double_size(own) == 42.0
    assert ext.double_size_elsewhere(own) == 42.0
    assert ext.larger(ext.Shape(1), own) == 42.0
    assert ext.larger(own, ext.Shape(1)) == 42.0
    assert ext.size_of_any(own) == 42.0
    assert ext.set_size(own, 3.0) is None
    assert own.size == 2.0


def test_the_original_is_the_function_as_written():
    loud = Loud(2)
    assert ext.double_size(loud) == 4.0
    assert ext.double_size_elsewhere(loud) == 4.0
    assert loud.calls == [("double_size", (loud,))] * 2
    ext.set_size(loud, 5)
    assert loud.size == 5.0
    assert loud.calls.pop() == ("set_size", (loud, 5.0))


def test_arguments_come_by_position_with_their_defaults():
    loud, other = Loud(2), ext.Shape(3)
    assert ext.larger(other=loud, one=other) is other
    assert loud.calls.pop() == ("larger", (other, loud, 1.0))
    assert ext.larger(loud, other, factor=2) is other
    assert loud.calls.pop() == ("larger", (loud, other, 2.0))


def test_one_after_the_other():
    one, two = Loud(1), Loud(2)
    assert ext.larger(one, two) is two
    assert one.calls == two.calls == [("larger", (one, two, 1.0))]
    own = Own()
    assert ext.larger(one, own) == 42.0
    assert len(one.calls) == 2
    assert ext.larger(own, one) == 42.0
    assert len(one.calls) == 2


def test_the_original_can_be_called_otherwise():
    originals = []

    class Curious(ext.Shape):
        def __pairbond_function__(self, original, *args):
            originals.append(original)
            return original(other=args[1], one=args[0])

    curious, large = Curious(1), ext.Shape(9)
    assert ext.larger(curious, large) is large
    (original,) = originals
    assert original(curious, large, 2) is large
    assert original(curious, large, factor=3) is large
    assert len(originals) == 1, "the original does not ask the same argument again"
    assert str(inspect.signature(original)) == "(one, other, factor=1.0)"
    assert original.__doc__ is None or "area" in original.__doc__
    with pytest.raises(TypeError, match=r"larger\(\) missing 1 required positional argument: 'other'"):
        original(curious)
    with pytest.raises(TypeError, match=r"larger\(\) argument 'one': expected pairbond_testext.Shape, got int"):
        original(1, 2)


def test_super():
    class Deep(Loud):
        def __pairbond_function__(self, original, *args):
            result = super().__pairbond_function__(original, *args)
            return result + 1 if original.__name__ == "double_size" else result

    deep = Deep(2)
    assert ext.double_size(deep) == 5.0
    assert [name for name, _ in deep.calls] == ["double_size"]


def test_what_it_raises_and_returns():
    class Failing(ext.Shape):
        def __pairbond_function__(self, original, *args):
            raise LookupError("not here")

    class Wrong(ext.Shape):
        def __pairbond_function__(self, original, *args):
            return "text"

    with pytest.raises(LookupError, match="not here"):
        ext.double_size(Failing())
    with pytest.raises(LookupError, match="not here"):
        ext.double_size_elsewhere(Failing())
    with pytest.raises(TypeError, match=r"the result of __pairbond_function__\(\) for double_size\(\): expected float"):
        ext.double_size(Wrong())
    assert ext.set_size(Wrong(), 1) is None
    assert ext.larger(Wrong(), ext.Shape()) == "text"


def test_classes_change():
    class Changing(ext.Shape):
        pass

    shape = Changing(2)
    for _ in range(3):
        assert ext.double_size(shape) == 4.0
    Changing.__pairbond_function__ = lambda self, original, *args: 7.0
    for _ in range(3):
        assert ext.double_size(shape) == 7.0
    del Changing.__pairbond_function__
    for _ in range(3):
        assert ext.double_size(shape) == 4.0
    Changing.__bases__ = (Own,)
    assert ext.double_size(shape) == 42.0


def test_calling_itself():
    class Endless(ext.Shape):
        def __pairbond_function__(self, original, *args):
            return ext.double_size(self)

    with pytest.raises(RecursionError):
        ext.double_size(Endless())


def test_threads():
    loud, plain = [Loud(2) for _ in range(4)], Plain(2)

    def work(i):
        for _ in range(200):
            assert ext.double_size(loud[i]) == 4.0
            assert ext.double_size(plain) == 4.0

    at_once(4, work)
    assert [len(it.calls) for it in loud] == [200] * 4


def test_nothing_stays():
    gc.collect()
    with nothing_stays():
        loud = Loud(2)
        loud.calls.append(loud)
        assert ext.larger(loud, Loud(1)) is loud
        del loud


def test_what_it_costs():
    """The figures are for reading; the ratio to the function as written is in the benchmarks."""
    for shape in (ext.Shape(), Plain()):
        looked, plain = ext.time_double_size(shape, 3)
        print(type(shape).__name__, looked, plain)
        assert looked > 0
        assert plain > 0
