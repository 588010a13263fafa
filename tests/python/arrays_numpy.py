"""What `test_arrays.py` runs beside numpy, each function in a process of its own."""

import gc
import sys
import threading
import weakref

import numpy as np
from pairbond import Array
from pairbond_testext import array_constant, array_drop_elsewhere, array_is_slice, array_scale, array_sum

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TYPES += ["float16", "float32", "float64", "complex64", "complex128", "bool"]


def _raises(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was not raised")


def every_type_both_ways():
    for dtype in TYPES:
        ours = Array.zeros((3, 4), dtype)
        for theirs in (np.asarray(ours), np.from_dlpack(ours)):
            assert theirs.dtype == dtype
            assert theirs.shape == (3, 4)
            assert theirs.flags.writeable
            theirs[1, 2] = 1
            assert ours[1, 2] == 1
            ours[1, 2] = 0
            assert theirs[1, 2] == 0
        values = np.arange(12).reshape(3, 4).astype(dtype)
        for again in (Array.from_buffer(values), Array.from_dlpack(values), Array.of(values)):
            assert str(again.dtype) == dtype
            assert again.tolist() == values.tolist()
            again[0, 0] = 1
            assert values[0, 0] == 1
            values[0, 0] = 0
            assert again[0, 0] == 0
        assert Array(values.tolist(), values.dtype).tobytes() == values.tobytes()
        assert Array(values.tolist(), values.dtype.type).tobytes() == values.tobytes()


def every_layout_both_ways():
    base = np.arange(2 * 3 * 4, dtype="int32").reshape(2, 3, 4)
    layouts = [base, base.T, base[::-1], base[:, ::-2, 1::2], base[..., 0], base[0, 1, 2:3], np.asfortranarray(base)]
    layouts += [base[:0], base[:, :0], base[1:, 2:, 3:], base.reshape(-1)[::5], np.array(7, "int32"), base[None]]
    layouts += [np.broadcast_to(base[0], (5, 3, 4)), np.lib.stride_tricks.sliding_window_view(base.ravel(), 3)]
    for theirs in layouts:
        for ours in (Array.from_buffer(theirs), Array.from_dlpack(theirs)):
            assert ours.shape == theirs.shape
            assert ours.tolist() == theirs.tolist()
            # Of an axis with one element numpy may say anything.
            strides = zip(theirs.shape, ours.strides, theirs.strides, strict=True)
            assert ours.size == 0 or all(a == b for n, a, b in strides if n > 1)
            assert ours.readonly == (not theirs.flags.writeable)
            for back in (np.asarray(ours), np.from_dlpack(ours)):
                assert back.shape == theirs.shape
                assert (back == theirs).all()
                assert theirs.size == 0 or np.shares_memory(back, theirs)
            assert np.asarray(ours.copy()).flags.c_contiguous
            assert ours.transposed.tolist() == theirs.T.tolist()


def subscripts_are_numpys():
    theirs = np.arange(60).reshape(3, 4, 5)
    ours = Array.of(theirs)
    subscripts = [0, -1, (0, 1), (0, 1, 2), (..., 0), (0, ...), (slice(None), 1), (slice(None, None, -1), slice(1, 3))]
    subscripts += [(slice(2, 0, -1), ..., slice(None, None, 2)), slice(5, 9), (slice(0, 0), 2), (..., slice(-2, None))]
    for subscript in subscripts:
        expected = theirs[subscript]
        found = ours[subscript]
        assert (found.tolist() if isinstance(found, Array) else found) == expected.tolist()
        mine, model = Array.of(theirs.copy()), theirs.copy()
        mine[subscript] = -7
        model[subscript] = -7
        assert mine.tolist() == model.tolist()
    ours[0] = np.ones((4, 5), int)
    assert (theirs[0] == 1).all()
    ours[1, 1, 1] = np.int64(5)
    assert theirs[1, 1, 1] == 5
    _raises(ValueError, lambda: ours.__setitem__(0, np.ones((4, 5))))


def what_is_refused():
    assert "order of another processor" in _raises(BufferError, lambda: Array.from_buffer(np.arange(3).astype(">i4")))
    for bad in [np.array(["a"]), np.array([object()]), np.zeros(2, "i4,f8"), np.array([b"a"])]:
        _raises((BufferError, TypeError, ValueError), lambda bad=bad: Array.from_buffer(bad))
        _raises((BufferError, TypeError, ValueError), lambda bad=bad: Array.from_dlpack(bad))
        _raises((BufferError, TypeError, ValueError), lambda bad=bad: Array.of(bad))
    _raises((BufferError, TypeError, ValueError), lambda: Array.of(np.array(["2026-11-21"], "datetime64[D]")))
    fields = np.zeros(3, [("a", "i1"), ("b", "f8")])  # elements that are not aligned, and strides of 9
    ours = Array.from_buffer(fields["b"])
    fields["b"][1] = 2.5
    assert ours.tolist() == [0, 2.5, 0]
    assert array_sum(fields["b"]) == 2.5
    array_scale(fields["b"], 2.0)
    assert fields["b"][1] == 5
    assert "parts of an element" in _raises(BufferError, lambda: ours.__dlpack__())
    assert "bfloat16" in _raises(
        BufferError, lambda: np.asarray(Array([1.0], "bfloat16")).dtype and memoryview(Array([1.0], "bfloat16"))
    )


def what_is_readonly_stays_so():
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    for ours in (Array.from_buffer(frozen), Array.from_dlpack(frozen)):
        assert ours.readonly
        assert not np.asarray(ours).flags.writeable
        assert not np.from_dlpack(ours).flags.writeable
        _raises(ValueError, lambda ours=ours: ours.__setitem__(0, 1.0))
        _raises(ValueError, lambda ours=ours: array_scale(ours, 2.0))
    _raises((BufferError, ValueError), lambda: Array.from_buffer(frozen, readonly=False))
    constant = array_constant([1.0, 2.0])
    theirs = np.asarray(constant)
    assert not theirs.flags.writeable
    assert array_is_slice(constant)
    _raises(ValueError, lambda: setattr(theirs.flags, "writeable", True))
    assert np.from_dlpack(constant, copy=True).flags.writeable


def rust_takes_numpys():
    theirs = np.arange(6.0).reshape(2, 3)
    assert array_sum(theirs) == array_sum(theirs.T) == 15
    array_scale(theirs[:, 1], 10.0)
    assert theirs.tolist() == [[0, 10, 2], [3, 40, 5]]
    assert array_drop_elsewhere(theirs) == 60


def memory_is_given_back():
    theirs = np.arange(10.0)
    before = sys.getrefcount(theirs)
    for make in (Array.from_buffer, Array.from_dlpack):
        ours = make(theirs)
        part = ours[2:]
        del ours
        assert sys.getrefcount(theirs) == before + 1
        back = np.asarray(part)
        del part
        assert sys.getrefcount(theirs) == before + 1
        del back
        gc.collect()
        assert sys.getrefcount(theirs) == before
    ours = Array.zeros(10)
    for look in (np.asarray, np.from_dlpack):
        back = look(ours)
        gone = weakref.ref(back)
        del back
        assert gone() is None
    back = np.from_dlpack(ours)
    del ours
    gc.collect()
    back[...] = 1
    assert back.sum() == 10


def a_cycle_through_numpy_is_collected():
    class Owner(np.ndarray):
        pass

    theirs = np.zeros(3).view(Owner)
    theirs.array = Array.from_buffer(theirs)
    gone = weakref.ref(theirs)
    del theirs
    gc.collect()
    assert gone() is None


def threads_share_memory():
    ours = Array.zeros(10_000, "int64")
    theirs = np.asarray(ours)

    def work(value):
        for _ in range(20):
            theirs[:] = value
            ours[...] = value
            assert 0 <= array_sum(ours) <= 40_000
            part = Array.of(theirs[value::2])
            assert set(part.tolist()) <= set(range(5))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
