"""Arrays that C and C++ share with Python, without copying."""

import array
import gc

import pairbond
import pytest

numpy = pytest.importorskip("numpy", reason="needs numpy")


def test_memory_of_c(shapes):
    before = shapes.ramps_freed()
    ramp = shapes.ramp(5)
    assert isinstance(ramp, pairbond.Array)
    seen = numpy.asarray(ramp)
    assert seen.tolist() == [0, 1, 2, 3, 4]
    seen[1] = 10
    assert shapes.mean(ramp) == shapes.mean(seen) == 3.8
    del ramp
    gc.collect()
    assert shapes.ramps_freed() == before
    assert seen.sum() == 19
    del seen
    gc.collect()
    assert shapes.ramps_freed() == before + 1
    assert numpy.asarray(shapes.ramp(3)).tolist() == [2, 1, 0]
    assert not numpy.asarray(shapes.ramp(6)).flags.writeable


def test_tensors_of_c(shapes):
    """A raw DLManagedTensor in and out: its deleter runs once, also when it is refused."""
    before = shapes.ramps_freed()
    seen = numpy.asarray(shapes.tensor(2))
    assert (seen.dtype, seen.tolist()) == (numpy.float32, [[0, 1], [2, 3]])
    turned = numpy.asarray(shapes.transposed(seen))
    turned[1, 0] = 9
    assert (seen.tolist(), turned.tolist()) == ([[0, 9], [2, 3]], [[0, 2], [9, 3]])
    del seen
    gc.collect()
    assert shapes.ramps_freed() == before
    assert turned.sum() == 14
    del turned
    gc.collect()
    assert shapes.ramps_freed() == before + 1
    fixed = shapes.tensor(7)
    assert not numpy.asarray(fixed).flags.writeable
    with pytest.raises(ValueError, match="read-only, which a DLManagedTensor cannot say"):
        shapes.transposed(fixed)
    for columns, words in ((0, "a tensor without memory"), (-1, "a tensor of -1 dimensions")):
        before = shapes.ramps_freed()
        with pytest.raises((ValueError, BufferError), match=words):
            shapes.tensor(columns)
        assert shapes.ramps_freed() == before + 1


def test_tensors_of_cpp(graphs):
    line = numpy.arange(4.0)
    numpy.asarray(graphs.through_dlpack(line))[1] = 7
    assert line.tolist() == [0, 7, 2, 3]
    with pytest.raises(TypeError, match="expected an array of float32, got one of float64"):
        graphs.as_floats(line)


def test_what_is_no_array_is_refused(shapes):
    before = shapes.ramps_freed()
    with pytest.raises(ValueError, match="an array with dimensions has a shape"):
        shapes.ramp(4)
    with pytest.raises(ValueError, match="its elements are not made of bytes"):
        shapes.ramp(2)
    assert shapes.ramps_freed() == before + 2
    with pytest.raises(TypeError, match="expected an array, got str"):
        shapes.mean("x")
    with pytest.raises(ValueError, match="one dimension of doubles"):
        shapes.mean(numpy.zeros((2, 2)))
    with pytest.raises(TypeError, match="expected an array, got a int"):
        shapes.describe_any(3)
    assert shapes.describe_any(shapes.ramp(1)) == 1


def test_arrays_given_to_c(shapes):
    numbers = numpy.arange(10.0)
    assert shapes.mean(numbers) == 4.5
    assert shapes.mean(numbers[::-2]) == 5.0
    assert shapes.mean(array.array("d", [1, 2])) == 1.5


def test_an_array_in_an_object_of_cpp_keeps_it(graphs):
    signal = graphs.Signal([1, 2, 3])
    samples = numpy.asarray(signal.samples)
    samples[0] = 5
    assert signal.first == 5
    del signal
    gc.collect()
    assert samples.tolist() == [5, 2, 3]
    assert pairbond.live_objects()["graphs.Signal"] == 1
    del samples
    gc.collect()
    assert "graphs.Signal" not in pairbond.live_objects()


def test_arrays_of_cpp(graphs):
    grid = graphs.grid(2, 3)
    assert numpy.asarray(grid).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert numpy.asarray(grid).dtype == numpy.float32
    numbers = numpy.arange(6.0).reshape(2, 3)
    assert graphs.sum_of(numbers) == 15
    assert graphs.sum_of(numbers.T) == 15
    assert graphs.sum_of(numbers[:, 1]) == 5
    line = numpy.arange(3.0)
    scaled = graphs.scale(line, 2)
    assert line.tolist() == [0, 2, 4]
    assert numpy.asarray(scaled).tolist() == [0, 2, 4]
    fixed = numpy.arange(3.0)
    fixed.flags.writeable = False
    assert graphs.sum_of(fixed) == 3
    for call, error, words in (
        (lambda: graphs.scale(fixed, 2), ValueError, "the array cannot be written"),
        (lambda: graphs.sum_of(numpy.arange(3)), TypeError, "expected an array of float64, got one of int64"),
        (lambda: graphs.sum_of(3), TypeError, "expected an array, got int"),
        (lambda: graphs.element(line, 3), IndexError, "beyond the array"),
    ):
        with pytest.raises(error, match=words):
            call()
