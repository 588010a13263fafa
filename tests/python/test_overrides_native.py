"""Methods that a program assigns to the class of a native type: Rust code reaches them as Python code does."""

import gc
import threading

import pairbond
import pairbond_testext as ext
import pytest
from promises import at_once, in_a_process, nothing_stays

AREA, LABEL = ext.Shape.area, ext.Shape.label


@pytest.fixture(autouse=True)
def classes_as_they_were():
    yield
    for cls in (ext.Shape, ext.Square, pairbond.Object):
        for name in ("area", "label", "helper", "__pairbond_function__"):
            if name in vars(cls) and vars(cls)[name] not in (AREA, LABEL):
                delattr(cls, name)
    if "area" not in vars(ext.Shape):
        ext.Shape.area = AREA
    if "label" not in vars(ext.Shape):
        ext.Shape.label = LABEL
    ext.keep_shape(None)
    assert ext.area_of(ext.Shape(2)) == ext.area_elsewhere(ext.Square(2)) == 2.0


class Plain(ext.Shape):
    """Overrides nothing."""


class Circle(ext.Shape):
    def area(self, factor):
        return 3 * super().area(factor)


def answers(shape):
    """What Python and Rust say."""
    return {shape.area(1.0), ext.area_of(shape), ext.area_elsewhere(shape), shape.twice() / 2}


def test_a_method_of_the_native_class():
    shapes = [ext.Shape(2), ext.Square(2), Plain(2)]
    for number in range(3):
        assert [answers(shape) for shape in shapes] == [{2.0}] * 3
        ext.Shape.area = lambda self, factor, number=number: 10.0 + number + self.size
        assert [answers(shape) for shape in shapes] == [{12.0 + number}] * 3
        ext.Shape.area = lambda self, factor: 20.0
        assert [answers(shape) for shape in shapes] == [{20.0}] * 3
        ext.Shape.area = AREA
    assert [answers(shape) for shape in shapes] == [{2.0}] * 3


def test_only_the_class_below():
    ext.Square.area = lambda self, factor: 5.0
    assert answers(ext.Square(2)) == {5.0}
    assert answers(ext.Shape(2)) == answers(Plain(2)) == {2.0}
    ext.Shape.area = lambda self, factor: 7.0
    assert (answers(ext.Square(2)), answers(ext.Shape(2))) == ({5.0}, {7.0})
    del ext.Square.area
    assert answers(ext.Square(2)) == {7.0}


def test_the_class_below_is_made_later():
    class Big(ext.Square):
        pass

    ext.Shape.area = lambda self, factor: 7.0

    class Later(ext.Square):
        pass

    assert [answers(cls(2)) for cls in (Big, Later, Circle)] == [{7.0}, {7.0}, {21.0}]
    Big.area = lambda self, factor: 8.0
    assert [answers(cls(2)) for cls in (Big, Later)] == [{8.0}, {7.0}]


def test_a_method_that_is_deleted():
    shape = ext.Shape(2)
    del ext.Shape.area
    for call in (lambda: shape.area(1.0), lambda: ext.area_of(shape), lambda: ext.area_elsewhere(shape)):
        with pytest.raises(AttributeError, match="area"):
            call()


def test_another_method_and_other_attributes():
    shape = ext.Shape(2)
    ext.Shape.helper = lambda self: 1
    assert answers(shape) == {2.0}
    ext.Shape.label = lambda self, prefix: f"{prefix}mine"
    assert answers(shape) == {2.0}
    assert ext.methods_of(shape, ext.Shape(1))[:2] == (-2.0, "<mine")
    ext.Shape.area = ext.Shape.plain_area  # A native method, but another.
    assert answers(shape) == {-1.0}
    ext.Shape.area = lambda self, factor: 9.0
    ext.Shape.label = LABEL
    assert ext.methods_of(shape, ext.Shape(1))[:2] == (9.0, "<-1")


def test_an_object_that_has_no_self():
    """Only native code holds it; its self is made for the call, and may be given back afterwards."""
    ext.keep_shape(ext.Square(2))
    gc.collect()
    pairbond.trim()
    seen = []
    assert ext.kept_area() == 2.0
    ext.Shape.area = lambda self, factor: seen.append(type(self)) or 6.0
    for _ in range(3):
        assert ext.kept_area() == 6.0
        gc.collect()
        pairbond.trim()
    assert at_once(4, lambda i: ext.kept_area()) == [6.0] * 4
    assert set(seen) == {ext.Square}
    ext.Shape.area = AREA
    assert ext.kept_area() == 2.0


def test_bases_that_change():
    class Mixin:
        pass

    class Below(Mixin, ext.Shape):
        pass

    class Other:
        def area(self, factor):
            return 4.0

    below = Below(2)
    assert answers(below) == {2.0}
    Mixin.area = Other.area
    assert answers(below) == {4.0}
    del Mixin.area
    assert answers(below) == {2.0}
    ext.Shape.area = lambda self, factor: 6.0
    assert answers(below) == {6.0}
    Below.__bases__ = (Other, ext.Shape)
    assert answers(below) == {4.0}
    Below.__bases__ = (ext.Shape,)
    assert answers(below) == {6.0}


def test_functions_that_the_native_class_takes_over():
    shape, square = ext.Shape(2), ext.Square(3)
    ext.Square.__pairbond_function__ = lambda self, original, *args: -original(*args)
    assert (ext.double_size(shape), ext.double_size(square)) == (4.0, -6.0)
    assert ext.double_size_elsewhere(square) == -6.0
    ext.Shape.__pairbond_function__ = lambda self, original, *args: 100.0
    assert (ext.double_size(shape), ext.double_size(square), ext.double_size(Plain(1))) == (100.0, -6.0, 100.0)
    del ext.Square.__pairbond_function__
    assert ext.double_size(square) == 100.0
    del ext.Shape.__pairbond_function__
    assert (ext.double_size(shape), ext.double_size(square)) == (4.0, 6.0)


def test_errors_and_wrong_results():
    def area(self, factor):
        raise LookupError("mine")

    ext.Shape.area = area
    with pytest.raises(LookupError, match="mine"):
        ext.area_of(ext.Shape())
    ext.Shape.area = lambda self, factor: "text"
    with pytest.raises(TypeError, match="expected float, got str 'text'"):
        ext.area_elsewhere(ext.Shape())


@pytest.mark.slow
def test_threads_that_call_and_one_that_assigns():
    stop, shape = threading.Event(), ext.Shape(2)

    def change():
        while not stop.is_set():
            ext.Shape.area = lambda self, factor: 7.0
            ext.Shape.area = AREA

    changer = threading.Thread(target=change)
    changer.start()
    try:
        results = at_once(3, lambda i: [ext.area_elsewhere(shape) for _ in range(300)])
    finally:
        stop.set()
        changer.join()
    assert set().union(*results) <= {2.0, 7.0}
    assert answers(shape) == {2.0}
    ext.Shape.area = lambda self, factor: 7.0
    assert at_once(4, lambda i: ext.area_elsewhere(shape)) == [7.0] * 4


def test_nothing_stays():
    shape = ext.Shape(2)
    with nothing_stays():
        for _ in range(10):
            ext.Shape.area = lambda self, factor: 7.0
            assert answers(shape) == {7.0}
            ext.Shape.area = AREA
            assert answers(shape) == {2.0}


def test_interpreters_have_classes_of_their_own():
    in_a_process(
        """
        import threading
        import pairbond_testext as ext
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        new = hasattr(interpreters, "new_config")
        def create():
            return interpreters.create("legacy") if new else interpreters.create(isolated=False)
        source = '''if True:
            import pairbond_testext as ext
            shape = ext.Shape(2)
            assert ext.area_of(shape) == ext.area_elsewhere(shape) == 2.0
            ext.Shape.area = lambda self, factor: 3.0
            assert ext.area_of(shape) == ext.area_elsewhere(shape) == shape.area(1) == 3.0
            ext.keep_shape(shape)
        '''
        shape = ext.Shape(2)
        for threads in (0, 1):
            stop = threading.Event()
            if threads:
                threading.Thread(target=stop.wait).start()
            for _ in range(3):
                interp = create()
                result = interpreters.run_string(interp, source)
                assert result is None, result
                assert ext.area_of(shape) == ext.area_elsewhere(shape) == 2.0
                ext.Shape.label = ext.Shape.label
                assert ext.area_of(shape) == ext.area_elsewhere(shape) == 2.0
                ext.keep_shape(None)
                interpreters.destroy(interp)
                assert ext.area_of(shape) == ext.area_elsewhere(shape) == 2.0
            stop.set()
        original = ext.Shape.area
        ext.Shape.area = lambda self, factor: 5.0
        assert ext.area_of(shape) == ext.area_elsewhere(shape) == 5.0
        ext.Shape.area = original
        assert ext.area_of(shape) == ext.area_elsewhere(shape) == 2.0
        """
    )
