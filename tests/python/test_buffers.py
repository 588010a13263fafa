"""Classes of libraries that lend memory: `__buffer__`."""

import gc
import struct
import sys
import weakref

import pytest
from interpreters import check
from pairbond import Array
from pairbond_testext import Lender, array_constant, array_strided

pytestmark = pytest.mark.usefixtures("no_leak")


@pytest.mark.parametrize(
    ("dtype", "name"), [("float64", "d"), ("float32", "f"), ("int64", "q"), ("uint8", "B"), ("bool", "?")]
)
def test_a_view_is_of_the_object_s_memory(dtype, name):
    array = Array([1, 0, 1], dtype=dtype)
    lender = Lender(array)
    view = memoryview(lender)
    assert (view.obj, view.format, view.shape, view.readonly) == (lender, name, (3,), False)
    assert bytes(view) == struct.pack(f"=3{name}", 1, 0, 1)
    view[1] = 1
    assert array[1] == 1
    array[0] = 0
    assert view[0] == 0


def test_strides_and_what_was_asked_for():
    whole = Array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    view = memoryview(Lender(array_strided(whole, [3, 2], [1, 3], 0)))
    assert (view.strides, view.tolist()) == ((8, 24), [[1, 4], [2, 5], [3, 6]])
    assert view.f_contiguous
    with pytest.raises(BufferError, match="one behind the other"):
        struct.unpack_from("d", Lender(whole[:, 1]))
    assert memoryview(Lender(Array(2.5))).tolist() == 2.5


def test_what_cannot_be_written():
    view = memoryview(Lender(array_constant([1.0])))
    assert view.readonly
    with pytest.raises(TypeError, match="read-only"):
        view[0] = 2
    with pytest.raises(TypeError, match="read-write"):
        struct.pack_into("d", Lender(array_constant([1.0])), 0, 2.0)


def test_an_error_is_raised_as_it_is():
    lender = Lender(None)
    before = sys.getrefcount(lender)
    with pytest.raises(RuntimeError, match="nothing to lend"):
        memoryview(lender)
    assert sys.getrefcount(lender) == before


def test_a_view_keeps_its_lender_and_the_memory_although_the_lender_has_another():
    lender = Lender(Array([1.0, 2.0]))
    gone = weakref.ref(lender)
    view = memoryview(lender)
    lender.array = Array([9.0])
    del lender
    gc.collect()
    assert view.tolist() == [1, 2]
    assert memoryview(gone()).tolist() == [9]
    view.release()
    assert gone() is None


def test_a_cycle_through_a_view_is_collected():
    lender = Lender(Array([1.0]))
    lender.view = memoryview(lender)
    gone = weakref.ref(lender)
    del lender
    gc.collect()
    assert gone() is None


def test_a_subclass_lends_as_well():
    class Sub(Lender):
        pass

    assert memoryview(Sub(Array([3.0]))).tolist() == [3]
    with pytest.raises(TypeError, match="bytes-like"):
        memoryview(type("Other", (), {})())


def test_the_method():
    assert Lender(Array([3.0])).__buffer__(0x11C).tolist() == [3]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="a class without C slots can lend since 3.12")
def test_of_a_loaded_library():
    check(
        """
        import sys
        from pathlib import Path
        import pairbond, pairbond_holders
        library = pairbond.load(Path(pairbond_holders.__file__).parent / "libpairbond_testlib.so")
        lender = library.Lender(pairbond.Array([1.0, 2.0]))
        view = memoryview(lender)
        view[0] = 5
        assert lender.array[0] == 5
        del lender
        assert view.tolist() == [5, 2]
        print("fine")
        """
    )
