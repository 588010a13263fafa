"""Sharing numbers with numpy and others: nothing is copied, and the memory lives as long as anybody looks."""

import gc
import struct
import threading
import weakref

import pairbond
import pairbond_autograd as torch
import pytest

numpy = pytest.importorskip("numpy", reason="shared with numpy")

DTYPES = [(torch.float32, "float32"), (torch.float64, "float64"), (torch.int64, "int64"), (torch.bool, "bool")]


@pytest.mark.parametrize(("dtype", "name"), DTYPES)
def test_to_numpy(dtype, name):
    t = torch.tensor([[1, 0], [0, 1]], dtype=dtype)
    array = t.numpy()
    assert (array.dtype, array.shape, array.tolist()) == (name, (2, 2), t.tolist())
    array[0, 1] = 1
    assert t[0, 1].item() == 1
    t[1, 0] = 1
    assert array[1, 0] == 1
    assert numpy.shares_memory(t.numpy(), array)
    assert t.data_ptr() == array.ctypes.data


def test_views_to_numpy():
    t = torch.arange(24, dtype=torch.float64)
    whole = t.numpy()
    part = t[3:20:4]
    assert part.numpy().tolist() == part.tolist()
    assert numpy.shares_memory(part.numpy(), whole)
    grid = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert grid.transpose(0, 1).numpy().tolist() == [[1, 4], [2, 5], [3, 6]]
    assert grid.transpose(0, 1).numpy().strides == (4, 12)
    assert grid[:, 1].numpy().tolist() == [2, 5]
    assert torch.zeros(0, 3).numpy().shape == (0, 3)
    assert torch.tensor(3).numpy().shape == ()


@pytest.mark.parametrize(("dtype", "name"), DTYPES)
def test_from_numpy(dtype, name):
    array = numpy.array([[1, 0, 1], [0, 1, 1]], dtype=name)
    t = torch.from_numpy(array)
    assert (t.dtype, t.shape, t.tolist()) == (dtype, (2, 3), array.tolist())
    array[0, 0] = 0
    assert t[0, 0].item() == 0
    t[1, 0] = 1
    assert array[1, 0] == 1
    assert t.numpy().ctypes.data == array.ctypes.data == t.data_ptr()


@pytest.mark.parametrize(
    "layout",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a.transpose(1, 0, 2),
        lambda a: a[:, 1:2],
        lambda a: a[::2],
        lambda a: a[:, ::-1],
        lambda a: a[0, 0, 0:0],
        lambda a: a[1, 2, 3],
        lambda a: numpy.asfortranarray(a),
    ],
)
def test_any_layout(layout):
    whole = numpy.arange(24.0).reshape(2, 3, 4)
    array = numpy.asarray(layout(whole)).view()
    if not array.shape:
        array = numpy.array(3.0)
    t = torch.from_numpy(array)
    assert t.tolist() == array.tolist()
    expected = array * 2
    t[...] = t * 2
    assert array.tolist() == expected.tolist() == t.tolist()
    assert t.numpy().ctypes.data == array.ctypes.data
    if array.size > 1:
        t[0] = -1
        assert array.tolist() == t.tolist()
        assert (array[0] == -1).all()


def test_strides_are_numpy_s():
    array = numpy.zeros((2, 3, 4)).transpose(2, 0, 1)
    assert torch.from_numpy(array).stride() == tuple(stride // 8 for stride in array.strides)


def test_operations_see_what_others_wrote():
    array = numpy.array([1.0, 2.0, 3.0])
    x = torch.from_numpy(array)
    x.requires_grad = True
    array[:] = [4, 5, 6]
    y = (x * x).sum()
    assert y.item() == 77
    y.backward()
    assert x.grad.tolist() == [8, 10, 12]


def test_what_cannot_be_shared():
    with pytest.raises(TypeError, match="float64, float32, int64, and bool"):
        torch.from_numpy(numpy.array([1], dtype="int16"))
    array = numpy.array([1.0])
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        torch.from_numpy(array)
    assert torch.as_tensor(array).tolist() == [1]
    with pytest.raises(RuntimeError, match="requires grad"):
        torch.tensor([1.0], requires_grad=True).numpy()
    assert torch.tensor([1.0], requires_grad=True).numpy(force=True).tolist() == [1]
    with pytest.raises(TypeError):
        torch.from_numpy([1.0])


def test_asarray():
    t = torch.tensor([1.0, 2.0])
    assert numpy.shares_memory(numpy.asarray(t), t.numpy())
    assert not numpy.shares_memory(numpy.array(t, copy=True), t.numpy())
    assert numpy.asarray(t, dtype="float64").dtype == "float64"
    assert type(numpy.array([1.0, 2.0]) * t) is torch.Tensor
    assert type(numpy.float64(2) * t) is torch.Tensor


def test_dlpack():
    t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert t.__dlpack_device__() == (1, 0)
    array = numpy.from_dlpack(t.transpose(0, 1))
    assert array.tolist() == [[1, 3], [2, 4]]
    assert numpy.shares_memory(array, t.numpy())
    back = torch.from_dlpack(numpy.array([1.0, 2.0]))
    assert (back.tolist(), back.dtype) == ([1, 2], torch.float64)
    assert torch.from_dlpack(t).untyped_storage() is t.untyped_storage()
    with pytest.raises(BufferError, match="gradient"):
        numpy.from_dlpack(torch.tensor([1.0], requires_grad=True))


def test_buffers():
    t = torch.from_numpy(memoryview(bytearray(16)).cast("d"))
    assert t.tolist() == [0, 0]
    shared = torch.from_numpy(pairbond.Array([1.0, 2.0]))
    assert shared.tolist() == [1, 2]
    assert memoryview(shared._array()).tolist() == [1, 2]


@pytest.mark.parametrize(("dtype", "name"), DTYPES)
def test_a_memoryview(dtype, name):
    t = torch.tensor([[1, 0, 1], [0, 1, 1]], dtype=dtype)
    view = memoryview(t)
    assert (view.obj, view.shape, view.strides) == (t, (2, 3), (3 * t.itemsize, t.itemsize))
    assert (numpy.dtype(view.format), view.readonly, view.c_contiguous) == (name, False, True)
    assert view.tolist() == t.tolist()
    view[0, 1] = 1
    assert t[0, 1].item() == 1
    t[1, 0] = 1
    assert view[1, 0] == 1
    assert bytes(view) == t.numpy().tobytes()
    turned = memoryview(t.transpose(0, 1))
    assert (turned.tolist(), turned.f_contiguous) == (t.transpose(0, 1).tolist(), True)
    assert memoryview(t[:, 1:]).tolist() == t[:, 1:].tolist()
    assert memoryview(t[1]).nbytes == t[1].nbytes
    assert memoryview(torch.tensor(1, dtype=dtype)).tolist() == 1
    with pytest.raises(BufferError, match="one behind the other"):
        struct.unpack_from("b", t[:, 1])


def test_a_memoryview_keeps_the_memory_and_its_tensor():
    t = torch.tensor([1.0, 2.0, 3.0])
    gone = weakref.ref(t)
    view = memoryview(t)
    part = view[1:]
    del t, view
    gc.collect()
    assert part.tolist() == [2, 3]
    assert gone() is part.obj
    gone().add_(1.0)
    assert part.tolist() == [3, 4]
    part.release()
    assert gone() is None


def test_a_tensor_that_holds_a_view_of_itself_is_collected():
    t = torch.tensor([1.0])
    t.view_of_it = memoryview(t)
    gone = weakref.ref(t)
    del t
    gc.collect()
    assert gone() is None


def test_no_memoryview_of_what_requires_a_gradient():
    t = torch.tensor([1.0], requires_grad=True)
    with pytest.raises(BufferError, match="require gradient"):
        memoryview(t)
    assert memoryview(t.detach()).tolist() == [1]
    with pytest.raises(RuntimeError, match="requires grad"):
        numpy.asarray(t)


def test_the_memory_outlives_the_tensor_and_the_array():
    array = torch.arange(1000).numpy()
    gc.collect()
    assert array.sum() == 499500

    class Array(numpy.ndarray):
        pass

    array = numpy.arange(1000).view(Array)
    gone = weakref.ref(array)
    t = torch.from_numpy(array)[10:20]
    del array
    gc.collect()
    assert gone() is not None
    assert t.tolist() == list(range(10, 20))
    del t
    gc.collect()
    assert gone() is None


def test_a_cycle_through_an_array_is_collected():
    class Array(numpy.ndarray):
        pass

    array = numpy.arange(3.0).view(Array)
    array.tensor = torch.from_numpy(array)
    gone = weakref.ref(array)
    del array
    gc.collect()
    gc.collect()
    assert gone() is None


def test_writers_of_different_elements_do_not_disturb_each_other():
    array = numpy.zeros(64)
    t = torch.from_numpy(array)
    barrier = threading.Barrier(4)

    def write(k):
        barrier.wait()
        for n in range(200):
            t[k::4] = n
            array[k + 32] = n

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert (array == 199).all()


def test_a_clone_has_memory_of_its_own():
    t = torch.tensor([1.0, 2.0])
    copied = t.clone()
    assert copied.data_ptr() != t.data_ptr()
    t.numpy()[0] = 5
    assert copied.tolist() == [1, 2]


def test_with_torch():
    pytorch = pytest.importorskip("torch", reason="shared with PyTorch where it is installed")
    t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    theirs = pytorch.from_dlpack(t)
    theirs[0, 0] = 9
    assert t[0, 0].item() == 9
    back = torch.from_dlpack(pytorch.arange(6).reshape(2, 3).T)
    assert back.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert back.stride() == (1, 3)


def test_numbers_of_what_requires_a_gradient():
    """Under `no_grad` there is nothing that could be missed."""
    numpy = pytest.importorskip("numpy")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        assert x.numpy().tolist() == [1, 2]
        assert numpy.asarray(x).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match=r"Use tensor\.detach"):
        x.numpy()


def test_the_numbers_of_another_tensor():
    x, other = torch.ones(3, requires_grad=True), torch.zeros(3)
    x.data = other
    assert x.tolist() == [0, 0, 0]
    other.add_(1)
    assert x.tolist() == [1, 1, 1]
    (x * x).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    with torch.no_grad():
        x.mul_(5)
    assert other.tolist() == [5, 5, 5]
    x.data = x.data * 2
    assert (x.tolist(), other.tolist()) == ([10, 10, 10], [5, 5, 5])
    assert x.is_leaf
