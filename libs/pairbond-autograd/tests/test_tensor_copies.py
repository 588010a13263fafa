"""`pickle`, `copy`, `deepcopy`: what is kept, and what is shared afterwards."""

import copy
import pickle

import pairbond_autograd as torch
import pytest


class Named(torch.Tensor):
    def __init__(self, data, name):
        super().__init__(data)
        self.name = name


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bool])
def test_pickle(protocol, dtype):
    t = torch.tensor([[1, 0, 1], [0, 0, 1]], dtype=dtype).transpose(0, 1)
    back = pickle.loads(pickle.dumps(t, protocol))
    assert (back.tolist(), back.dtype, back.stride()) == (t.tolist(), dtype, (1, 3))
    empty = pickle.loads(pickle.dumps(torch.zeros(0, 2, dtype=dtype), protocol))
    assert (empty.shape, empty.dtype) == ((0, 2), dtype)


def test_pickled_together_they_share():
    t = torch.arange(6)
    note = Named([1.0, 2.0], "weights")
    note.owner = t
    one, part, again, named = pickle.loads(pickle.dumps([t, t[2:4], t, note]))
    assert one is again
    assert one.untyped_storage() is part.untyped_storage()
    part[0] = 9
    assert one.tolist() == [0, 1, 9, 3, 4, 5]
    assert t.tolist() == [0, 1, 2, 3, 4, 5]
    assert (type(named), named.name, named.tolist()) == (Named, "weights", [1, 2])
    assert named.owner is one


def test_a_leaf_stays_one():
    x = torch.tensor([1.0], requires_grad=True)
    x.grad = torch.tensor([2.0])
    assert pickle.loads(pickle.dumps(x)).requires_grad
    assert pickle.loads(pickle.dumps(x)).grad is None
    y = pickle.loads(pickle.dumps(x * 2))
    assert (y.is_leaf, y.requires_grad, y.tolist()) == (True, True, [2])


def test_copy_shares():
    x = Named([1.0, 2.0], "weights")
    other = copy.copy(x)
    assert (type(other), other.name) == (Named, "weights")
    other[0] = 5
    assert x.tolist() == [5, 2]


def test_deepcopy():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.grad = torch.tensor([3.0, 4.0])
    x.note = ["kept"]
    x.itself = x
    other = copy.deepcopy(x)
    assert (other.requires_grad, other.grad.tolist(), other.note) == (True, [3, 4], ["kept"])
    assert other.note is not x.note
    assert other.itself is other
    assert other.grad is not x.grad
    base = torch.arange(4)
    one, part = copy.deepcopy([base, base[1:]])
    part[0] = 9
    assert (one.tolist(), base.tolist()) == ([0, 9, 2, 3], [0, 1, 2, 3])
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 2)


def test_a_damaged_pickle_is_refused():
    rebuild, arguments, _ = torch.arange(4).__reduce_ex__(4)
    cls, storage, *_ = arguments
    for shape, strides, offset in [((5,), (1,), 0), ((4,), (1,), 1), ((2, 2), (1,), 0), ((2,), (1 << 63,), 0)]:
        with pytest.raises(ValueError, match="does not fit"):
            rebuild(cls, storage, shape, strides, offset, False)
