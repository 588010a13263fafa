"""What stands in brackets: numpy is the oracle, with random shapes and keys."""

import os
import random
import time

import pairbond_autograd as torch
import pytest

numpy = pytest.importorskip("numpy", reason="the oracle is numpy")

SEED = int(os.environ.get("PAIRBOND_SEED") or random.randrange(1 << 32))


def numbered(shape):
    """A tensor and an array of the same different numbers."""
    array = numpy.arange(int(numpy.prod(shape)), dtype="float64").reshape(shape)
    return torch.tensor(array), array


def a_slice(rng, n):
    def end():
        return rng.choice([None, rng.randint(-n - 2, n + 2)])

    return slice(end(), end(), rng.choice([None, 1, 1, 2, 3]))


def random_key(rng, shape, chooses):
    """A key for an array of that shape."""
    key, axis, lengths = [], 0, rng.choice([(), (1,), (3,), (2, 3), (2, 1)])
    dots = rng.random() < 0.3
    last = rng.randint(0, len(shape))
    while axis < last:
        n = shape[axis]
        kind = rng.random()
        if kind < 0.15:
            key.append(None)
            continue
        if chooses and kind < 0.3 and n:
            own = tuple(rng.choice([1, k]) for k in lengths[rng.randint(0, len(lengths)) :])
            key.append(numpy.array(rng.choices(range(-n, n), k=int(numpy.prod(own)))).reshape(own).astype("int64"))
        elif chooses and kind < 0.35 and lengths in [(), (1,)] and not any(isinstance(k, numpy.ndarray) for k in key):
            mask = numpy.array([rng.random() < 0.5 for _ in range(n)], dtype=bool)
            if mask.sum() != 1:
                mask[:] = False
                mask[:1] = True
            key.append(mask)
        elif kind < 0.6 and n:
            key.append(rng.randint(-n, n - 1))
        else:
            key.append(a_slice(rng, n))
        axis += 1
    if dots and last == len(shape):
        pass
    elif dots or rng.random() < 0.1:
        key.append(Ellipsis)
    return tuple(key)


def ours(key):
    """The same key, with tensors in place of arrays."""
    return tuple(torch.tensor(part) if isinstance(part, numpy.ndarray) else part for part in key)


def rounds(count):
    """As many, or for some seconds, each with the seed to find it again."""
    until = time.monotonic() + float(os.environ.get("PAIRBOND_LONG_SECONDS") or 60)
    n = 0
    while n < count or (os.environ.get("PAIRBOND_LONG") and time.monotonic() < until):
        yield SEED + n
        n += 1


@pytest.mark.parametrize("chooses", [False, True])
def test_reading(chooses):
    chosen = 0
    for seed in rounds(600):
        rng = random.Random(seed)
        shape = tuple(rng.choice([0, 1, 2, 3, 4]) for _ in range(rng.randint(0, 4)))
        tensor, array = numbered(shape)
        if rng.random() < 0.4 and len(shape) > 1:
            tensor, array = tensor.transpose(0, 1), array.swapaxes(0, 1)
        key = random_key(rng, array.shape, chooses)
        got, expected = tensor[ours(key)], array[key]
        context = f"PAIRBOND_SEED={seed}: {array.shape}{key}"
        assert got.shape == expected.shape, context
        assert got.tolist() == expected.tolist(), context
        fancy = any(isinstance(part, numpy.ndarray) and part.shape for part in key)
        chosen += fancy
        assert (got.untyped_storage() is tensor.untyped_storage()) == (not fancy), context
    assert bool(chosen) == chooses


@pytest.mark.parametrize("chooses", [False, True])
def test_writing(chooses):
    for seed in rounds(400):
        rng = random.Random(seed)
        shape = tuple(rng.choice([0, 1, 2, 3, 4]) for _ in range(rng.randint(0, 4)))
        tensor, array = numbered(shape)
        key = random_key(rng, shape, chooses)
        target = array[key].shape
        context = f"PAIRBOND_SEED={seed}: {shape}{key}"
        value_shape = tuple(rng.choice([1, n]) for n in target[rng.randint(0, len(target)) :])
        value = -1 - numpy.arange(int(numpy.prod(value_shape)), dtype="float64").reshape(value_shape)
        tensor[ours(key)] = torch.tensor(value)
        array[key] = value
        assert tensor.tolist() == array.tolist(), context


def test_gradients_of_reading():
    for seed in rounds(150):
        rng = random.Random(seed)
        shape = tuple(rng.choice([1, 2, 3]) for _ in range(rng.randint(1, 3)))
        tensor, _ = numbered(shape)
        tensor.requires_grad = True
        key = random_key(rng, shape, True)
        out = tensor[ours(key)]
        weights = numpy.arange(1, out.numel() + 1, dtype="float64").reshape(out.shape)
        (out * torch.tensor(weights)).sum().backward()
        expected = numpy.zeros(shape)
        numpy.add.at(expected, key, weights)
        assert tensor.grad.tolist() == expected.tolist(), f"PAIRBOND_SEED={seed}: {shape}{key}"


def test_derivatives_of_derivatives():
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    y = x[[0, 2, 2]]
    (y * y * y).sum().backward(create_graph=True)
    first, x.grad = x.grad, None
    assert first.tolist() == [3, 0, 54]
    first[1:].sum().backward()
    assert x.grad.tolist() == [0, 0, 36]


def test_lists_and_truth_values():
    t = torch.arange(6)
    assert t[[1, -1]].tolist() == [1, 5]
    assert t[[True, False] * 3].tolist() == [0, 2, 4]
    assert t[t[3]].item() == 3
    assert t[numpy.int64(2)].item() == 2
    assert t[[]].tolist() == []
    assert t[True].shape == (1, 6)
    assert t[False].shape == (0, 6)
    assert t[numpy.array([1, 2])].tolist() == [1, 2]
    grid = torch.tensor([[0, 1, 2], [3, 4, 5]])
    assert grid[torch.tensor([[True, False, True], [False, False, True]])].tolist() == [0, 2, 5]
    assert grid[:, [0, 2]].tolist() == [[0, 2], [3, 5]]


def test_errors():
    t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(IndexError, match="index 2 is out of bounds for dimension 1 with size 2"):
        t[0, 2]
    with pytest.raises(IndexError, match="too many indices"):
        t[0, 0, 0]
    with pytest.raises(IndexError, match="single ellipsis"):
        t[..., ...]
    with pytest.raises(IndexError, match="mask"):
        t[[True, False, True]]
    with pytest.raises(IndexError, match="broadcast"):
        t[[0, 1], [0, 1, 0]]
    with pytest.raises(IndexError, match="long, int, byte or bool"):
        t[torch.tensor([0.5])]
    with pytest.raises(ValueError, match="greater than zero"):
        t[::-1]
    with pytest.raises(ValueError, match="cannot be zero"):
        t[::0]
    with pytest.raises(TypeError):
        t["a"]
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[3\] cannot be broadcast to .* \[2\]"):
        t[0] = torch.tensor([1.0, 2.0, 3.0])
    assert t.tolist() == [[1, 2], [3, 4]]


def test_huge_slices():
    t = torch.arange(3)
    assert t[-(10**30) : 10**30].tolist() == [0, 1, 2]
    assert t[:: 10**30].tolist() == [0]


def test_views_keep_their_base():
    t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    row = t[1]
    assert row._base is t
    assert row[0]._base is t
    assert row._is_view()
    assert not t._is_view()
    row[0] = 9
    assert t.tolist() == [[1, 2], [9, 4]]
    assert (t._version, row._version) == (1, 1)
    assert (row.storage_offset(), row.stride(), t[:, 1].stride()) == (2, (1,), (2,))


def test_a_value_may_be_part_of_the_target():
    t = torch.arange(5)
    t[1:] = t[:-1]
    assert t.tolist() == [0, 0, 1, 2, 3]


def test_iterating():
    t = torch.tensor([[1, 2], [3, 4]])
    assert [row.tolist() for row in t] == [[1, 2], [3, 4]]
    _, b = t
    assert b._base is t
    assert list(torch.zeros(0, 3)) == []
    with pytest.raises(TypeError, match="0-d"):
        iter(torch.tensor(1))
