"""`tensor.data = other`: the tensor stays the same one, with the memory of another."""

import gc
import operator
import threading
import weakref

import autograd_data as programs
import pairbond_autograd as torch
import pytest
from autograd_threads import together

REFUSED = {
    "saved_of_another_shape": "size of tensor a",
    "a_graph_while_the_former_is_alive": r"got \[5\] but expected shape compatible with \[3\]",
    "a_gradient_of_the_former_shape": "size of tensor a",
    "a_gradient_of_the_former_shape_assigned": "attempting to assign a gradient of size",
    "written_after": "modified by an inplace operation",
    "what_was_computed_of_another_shape": "invalid gradient",
    "integers_where_gradients_are_required": "must be floating point",
    "momentum_of_another_shape": r"a parameter of shape \[5\]",
    "averages_of_another_shape": r"a parameter of shape \[5\]",
    "averages_of_another_dtype": "float64 has a gradient or a state",
    "a_step_of_another_shape": r"a parameter of shape \[5\]",
    "set_of_a_leaf": "a leaf Variable that requires grad",
    "set_of_another_dtype": "Could not set tensor",
    "deleted": "Deleting tensor data is not allowed",
    "no_tensor": "data",
}
TURNED = ([[0, 3], [1, 4], [2, 5]], (1, 3), True)
FOUND = {
    "saved_by_the_graph": ([5, 5, 5], [1, 2, 3], "float32"),
    "saved_of_another_dtype": ([5, 5, 5], [1, 2, 3], "float32"),
    "a_graph_of_the_former_shape": ([2, 2, 2], [2, 2, 2], [5]),
    "a_graph_of_the_former_dtype": ([5, 5, 5], "float32"),
    "without_the_former_gradient": [2, 2, 2, 2, 2],
    "versions": [2, 2, 5, 1, 0, 5],
    "the_other_is_saved": [12, 12, 12],
    "written_through_data": [4, 4, 4],
    "the_other_written_after": ([7, 7, 7], [7, 7, 7]),
    "views_from_before": ([1, 1, 1, 1], [6, 6], True),
    "a_written_view_from_before": ([5, 5, 0, 0], [5, 5, 1, 1], [5, 5], [0, 0, 0, 0]),
    "a_view_of_other_memory": ([5, 5, 1, 1], [0, 0], [1, 1, 1, 1], True),
    "views_from_after": ([4, 100, 100, 100], [10, 10, 10], [2, 10, 10, 10]),
    "what_was_computed": ([16, 16, 16], [[3]], "MulBackward0", False),
    "a_saved_result": [1, 1, 1],
    "a_result_that_a_function_saved": [1, 1, 1],
    "expanded_before": ([2, 2, 2], [[1, 1, 1], [1, 1, 1]]),
    "second_order": [10, 10, 10],
    "integers": ([0, 1, 2], "int64"),
    "itself": (True, [1, 1, 1], True, [2, 2, 2]),
    "one_that_requires_a_gradient": (False, True, [2, 2, 2]),
    "strides": ((1, 3), 1, [[2, 8], [4, 10], [6, 12]], True),
    "hooks": [[5], (True, [5])],
    "copies": ([TURNED, TURNED, TURNED], True),
    "a_module_of_another_dtype": ([True, True], ["float32", "float64", "float64"], [2, 2], "float32"),
    "set_": (True, [0, 0, 0, 0], 1, [1, 1, 1, 1], 1),
}


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda it: it.__name__)
def test_programs(program):
    name = program.__name__
    if name in REFUSED:
        with pytest.raises((RuntimeError, TypeError), match=REFUSED[name]):
            program(torch)
    else:
        assert program(torch) == FOUND[name]


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda it: it.__name__)
def test_torch_does_the_same(program):
    theirs = pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")
    if program.__name__ in REFUSED:
        with pytest.raises((RuntimeError, TypeError)):
            program(theirs)
    else:
        assert program(theirs) == FOUND[program.__name__]


def test_exported_arrays_stay_valid():
    numpy = pytest.importorskip("numpy")
    p = torch.ones(3)
    exported, view = p.numpy(), memoryview(p)
    p.data = torch.zeros(5)
    gc.collect()
    exported[0] = 9
    assert (exported.tolist(), view.tolist(), p.tolist()) == ([9, 1, 1], [9, 1, 1], [0] * 5)
    p.data = torch.from_numpy(numpy.arange(4.0))
    del exported, view
    assert p.numpy().tolist() == p.tolist() == [0, 1, 2, 3]
    p.numpy()[1] = 7
    assert p.tolist() == [0, 7, 2, 3]


def test_the_former_memory_is_given_back():
    """An array of numpy, which says when it goes."""
    numpy = pytest.importorskip("numpy")

    class Watched(numpy.ndarray):
        pass

    array = numpy.zeros(1000).view(Watched)
    gone = weakref.ref(array)
    p = torch.from_numpy(array)
    p.requires_grad_()
    (p * p).sum().backward()
    del array
    assert gone() is not None
    p.data = torch.zeros(1)
    gc.collect()
    assert gone() is None


@pytest.mark.large
def test_a_million_other_shapes_take_no_memory():
    """What a tensor had before is kept nowhere, neither numbers nor shapes."""
    resource = pytest.importorskip("resource")
    p, parts = torch.ones(3), [torch.zeros(1 << 14).reshape(-1, 1 << at) for at in range(8)]

    def exchange(times):
        for at in range(times):
            p.data = parts[at % 8] * 1.0

    exchange(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    exchange(4000)
    # In KiB; each of the 4000 is 64.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16 << 10


def test_cycles_through_other_memory_are_collected():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    x.data = y
    y.data = torch.ones(5)
    x.holder = [x, y]
    x.register_hook(lambda grad, y=y: grad)
    gone = weakref.ref(x)
    del x, y
    gc.collect()
    assert gone() is None


def alternate(p, one, other, stop):
    """Once in each round, so that a switch of threads between rounds finds the one or the other."""
    while not stop.is_set():
        p.data = one
        one, other = other, one


@pytest.mark.parametrize("double", [False, True])
def test_threads_read_the_one_or_the_other(double):
    """Never the shape of the one with the numbers of the other, whatever reads them."""
    small, large = torch.full((3,), 3.0), torch.full((2, 40), 7.0)
    if double:
        large = large.double()
    p = torch.ones(3)
    p.data = small
    seen, stop = set(), threading.Event()

    def read():
        try:
            while not (stop.is_set() or {str(small.tolist()), str(large.tolist())} <= seen):
                found = [p.tolist(), (p * 1).tolist(), (p + p).tolist(), p.clone().tolist(), p.var().item()]
                found += [
                    p.reshape(-1).tolist(),
                    p[..., 1:].tolist(),
                    p.sum().item(),
                    repr(p),
                    p.logsumexp(-1).tolist(),
                ]
                seen.update(map(str, found))
        finally:
            stop.set()

    together(lambda: alternate(p, small, large, stop), *[read] * 2)
    expected = set()
    for it in (small, large):
        expected |= {str(f) for f in [it.tolist(), (it + it).tolist(), it.var().item(), it.reshape(-1).tolist()]}
        expected |= {str(f) for f in [it[..., 1:].tolist(), it.sum().item(), repr(it), it.logsumexp(-1).tolist()]}
    assert seen <= expected


@pytest.mark.parametrize("operation", [operator.add, operator.mod, operator.iadd, torch.maximum, torch.hypot])
def test_both_operands_are_the_one_or_the_other(operation):
    small, large = torch.full((3,), 3.0), torch.full((2, 40), 7.0)
    p, stop, shapes = torch.ones(3), threading.Event(), set()
    p.data = small

    def compute():
        try:
            for _ in range(5000):
                shapes.add(tuple(operation(p, p).shape))
        finally:
            stop.set()

    together(lambda: alternate(p, small, large, stop), compute)
    assert shapes <= {(3,), (2, 40)}


def test_threads_differentiate_with_the_one_or_the_other():
    p = torch.ones(3, requires_grad=True)
    one, other, stop, seen = torch.full((3,), 2.0), torch.full((3,), 5.0), threading.Event(), set()

    def run():
        try:
            while len(seen) < 2:
                (g,) = torch.autograd.grad((p * p * 1).sum(), p)
                seen.update(map(float, g))
        finally:
            stop.set()

    p.data = one
    together(lambda: alternate(p, one, other, stop), run)
    assert seen <= {4.0, 7.0, 10.0}
