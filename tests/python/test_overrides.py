"""Rust code that calls an overridable method reaches the method of a Python subclass."""

import gc
import threading

import pairbond
import pairbond_testext as ext
import pytest
from promises import at_once, in_a_process, nothing_stays


class Plain(ext.Shape):
    """Overrides nothing."""


class Other(ext.Shape):
    def unrelated(self):
        return 0


class Circle(ext.Shape):
    def __init__(self, size=1.0):
        super().__init__(size)
        self.calls = []

    def area(self, factor):
        self.calls.append(factor)
        return 3 * super().area(factor)

    def label(self, prefix):
        return f"{prefix}circle>"

    def notify(self):
        self.calls.append("notify")
        return "ignored"

    def choose(self, other, points):
        assert list(points) == [1, 2]
        return other


def test_no_override():
    for shape in (ext.Shape(2), Plain(2), Other(2), ext.Square(2)):
        assert ext.area_of(shape) == 2.0
        assert ext.area_of(shape) == 2.0
        assert shape.twice() == 4.0
        assert shape.area(3) == 6.0
        assert ext.area_elsewhere(shape, 3) == 6.0
        other = ext.Shape(1)
        area, label, chosen = ext.methods_of(shape, other)
        assert (area, label) == (-2.0, "<-1")
        assert chosen is shape


def test_overrides():
    circle, other = Circle(2), ext.Shape(5)
    assert ext.area_of(circle) == 6.0
    assert ext.area_of(circle, factor=2) == 12.0
    assert circle.calls == [1.0, 2.0]
    assert circle.twice() == 12.0
    area, label, chosen = ext.methods_of(circle, other)
    assert (area, label) == (12.0, "<circle>")
    assert chosen is other
    assert circle.calls == [1.0, 2.0, 1.0, "notify", 2.0]
    assert circle.size == 2.0


def test_super_is_the_method_as_written():
    class Deep(Circle):
        def area(self, factor):
            return 1 + super().area(factor)

    deep = Deep(2)
    assert ext.area_of(deep) == 7.0
    assert deep.area(1) == 7.0
    assert ext.Shape.area(deep, 1) == 2.0


def test_subclasses_of_a_native_subclass():
    class Big(ext.Square):
        def area(self, factor):
            return 100.0

    assert ext.area_of(Big(2)) == 100.0
    assert ext.area_of(ext.Square(2)) == 2.0
    assert ext.area_elsewhere(Big(1)) == 100.0


def test_mixins():
    class Mixin:
        def area(self, factor):
            return 50.0

    class First(Mixin, ext.Shape):
        pass

    class Second(ext.Shape, Mixin):
        pass

    assert ext.area_of(First()) == 50.0
    assert ext.area_of(Second()) == 1.0


def test_a_class_that_changes():
    class Changing(ext.Shape):
        pass

    class Below(Changing):
        pass

    shapes = [Changing(2), Below(2)]
    for _ in range(3):
        assert [ext.area_of(s) for s in shapes] == [2.0, 2.0]
        Changing.area = lambda self, factor: 7.0
        assert [ext.area_of(s) for s in shapes] == [7.0, 7.0]
        assert [ext.area_elsewhere(s) for s in shapes] == [7.0, 7.0]
        Changing.area = lambda self, factor: 8.0
        assert [ext.area_of(s) for s in shapes] == [8.0, 8.0]
        del Changing.area
    assert [ext.area_of(s) for s in shapes] == [2.0, 2.0]


def test_only_classes_override():
    shape = Plain(2)
    shape.area = lambda factor: 9.0
    assert ext.area_of(shape) == 2.0


def test_native_code_holds_the_object():
    """The self lives on: no slicing."""
    circle = Circle(2)
    circle.calls.append("before")
    ext.keep_shape(circle)
    del circle
    gc.collect()
    assert ext.kept_area() == 6.0
    results = at_once(4, lambda i: ext.kept_area())
    assert results == [6.0] * 4
    ext.keep_shape(None)


def test_on_threads_that_python_does_not_know():
    assert ext.area_elsewhere(Circle(2), 5) == 30.0
    assert sum(at_once(4, lambda i: ext.area_elsewhere(Circle(i), 10))) == 3 * 10 * (0 + 1 + 2 + 3)


def test_errors():
    class Raises(ext.Shape):
        def area(self, factor):
            raise LookupError("mine")

    class Wrong(ext.Shape):
        def area(self, factor):
            return "text"

        def choose(self, other, points):
            return None

    with pytest.raises(LookupError, match="mine") as caught:
        ext.area_of(Raises())
    assert caught.traceback[-1].name == "area"
    with pytest.raises(LookupError, match="mine"):
        ext.area_elsewhere(Raises())
    message = r"the result of area\(\) of a subclass of pairbond_testext.Shape: expected float, got str 'text'"
    with pytest.raises(TypeError, match=message):
        ext.area_of(Wrong())
    with pytest.raises(TypeError, match=r"the result of choose\(\).*expected pairbond_testext.Shape, got None"):
        ext.methods_of(Wrong(), ext.Shape())


def test_nothing_is_left_behind():
    with nothing_stays():
        for _ in range(10):
            ext.area_of(Circle(1))
            ext.area_elsewhere(Circle(1), 3)

            class Raises(ext.Shape):
                def area(self, factor):
                    raise LookupError(self)

            with pytest.raises(LookupError):
                ext.area_of(Raises())
        del Raises


@pytest.mark.slow
def test_classes_change_while_threads_call():
    class Changing(ext.Shape):
        pass

    stop = threading.Event()

    def change():
        while not stop.is_set():
            Changing.area = lambda self, factor: 7.0
            del Changing.area

    changer = threading.Thread(target=change)
    changer.start()
    try:
        results = at_once(3, lambda i: [ext.area_elsewhere(Changing(2)) for _ in range(200)])
    finally:
        stop.set()
        changer.join()
    assert set().union(*results) <= {2.0, 7.0}
    assert ext.area_of(Changing(2)) == 2.0


def test_many_classes():
    classes = [
        type(f"C{i}", (ext.Shape,), {"area": lambda self, factor, i=i: float(i)} if i % 2 else {}) for i in range(20)
    ]
    shapes = [cls(100) for cls in classes]
    for _ in range(3):
        assert [ext.area_of(s) for s in shapes] == [float(i) if i % 2 else 100.0 for i in range(20)]


def test_in_another_interpreter():
    out = in_a_process(
        """
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
            class Circle(ext.Shape):
                def area(self, factor):
                    return 3.0
            assert ext.area_of(Circle()) == 3.0
            assert ext.area_elsewhere(Circle()) == 3.0
            assert ext.area_of(ext.Shape()) == 1.0
            ext.keep_shape(Circle(4))
            assert ext.kept_area() == 3.0
        '''
        class Circle(ext.Shape):
            def area(self, factor):
                return 5.0
        for _ in range(3):
            interp = create()
            result = interpreters.run_string(interp, source)
            assert result is None, result
            try:
                print("open", ext.kept_area())
            except pairbond.ClosedError as error:
                print("open", error)
            interpreters.destroy(interp)
            try:
                print("ended", ext.kept_area())
            except pairbond.ClosedError as error:
                print("ended", error)
            assert ext.area_of(Circle()) == 5.0
        """
    )
    lines = out.strip().splitlines()
    assert len(lines) == 6
    for line in lines:
        # No slicing: what the class says is not to be had any more.
        assert "has ended" in line, lines


def test_it_costs_next_to_nothing():
    """No time is asserted; the numbers are printed for those who look."""
    for shape in (ext.Shape(), Plain(), Circle()):
        looked, plain = ext.time_area(shape, 3)
        print(type(shape).__name__, looked, plain)
        assert looked > 0
        assert plain > 0
    assert pairbond.Object
