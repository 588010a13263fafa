"""The example: derivatives of arrays of numpy, its training run, its table of leaks, and what libraries share."""

import gc
import pickle
import sys
import threading
import weakref
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import _tape_numpy as tape  # noqa: E402
import tape_numpy  # noqa: E402
import train  # noqa: E402
from tape_numpy import Array, backward, grad, matmul, step, tanh  # noqa: E402


def numerical(function, x, eps=1e-6):
    """The gradient of a number by differences."""
    result = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        there, here = x.copy(), x.copy()
        there[place] += eps
        here[place] -= eps
        result[place] = (function(Array(there)).data - function(Array(here)).data) / (2 * eps)
    return result


def test_classes_of_the_tape_are_found_where_they_say():
    """So that pickle, help() and others find them."""
    for cls in (tape.Variable, tape.Node, type(Array([1.0], requires_grad=True).register_hook(print))):
        assert pickle.loads(pickle.dumps(cls)) is cls


FUNCTIONS = {
    "products": lambda x: (x * x * x).sum(),
    "broadcast": lambda x: (x * Array([1.0, 2.0, 3.0]) + Array(4.0)).mean(),
    "stretched": lambda x: (Array(np.arange(12.0).reshape(4, 3)) * Array([[2.0], [1.0], [3.0], [5.0]]) * x.sum()).sum(),
    "matrices": lambda x: tanh(x @ x.T).sum(),
    "differences": lambda x: ((x - tanh(x)) * (x - tanh(x))).mean(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_both_orders(name):
    function = FUNCTIONS[name]
    values = np.random.default_rng(2).normal(size=(2, 3))
    x = Array(values, requires_grad=True)
    (first,) = grad([function(x)], [x], create_graph=True)
    assert first.shape == (2, 3)
    np.testing.assert_allclose(first.data, numerical(function, values), rtol=1e-6, atol=1e-8)

    def slope(x):
        x.requires_grad_()
        return (grad([function(x)], [x], create_graph=True)[0] * Array(values)).sum()

    if not first.requires_grad:  # linear
        return
    (second,) = grad([(first * Array(values)).sum()], [x])
    np.testing.assert_allclose(second.data, numerical(slope, values), rtol=1e-5, atol=1e-7)


def test_gradients_are_summed_to_the_operand():
    bias = Array([1.0, 2.0, 3.0], requires_grad=True)
    column = Array(np.ones((4, 1)), requires_grad=True)
    (bias + column).sum().backward()
    assert bias.grad.data.tolist() == [4.0, 4.0, 4.0]
    assert column.grad.data.tolist() == [[3.0]] * 4
    (bias * bias).sum().backward()
    assert bias.grad.data.tolist() == [6.0, 8.0, 10.0]


@pytest.mark.slow
def test_the_training_run_converges():
    before, after, right = train.train(steps=300)
    assert before > 1
    assert after < 0.15
    assert right > 0.95


def test_no_cycle_leaks():
    rows = train.leaks()
    assert {fate for *_, fate in rows} == {"at once", "collected"}
    assert [fate for name, _, fate in rows if name == "none"] == ["at once", "at once"]
    assert len(rows) == 2 * len(train.CYCLES)


def test_changes_that_the_tape_was_told_are_found():
    x = Array([1.0, 2.0], requires_grad=True)
    factor = Array([3.0, 4.0])
    y = (x * factor).sum()
    factor.data[0] = 5.0
    factor._bump_version()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_hooks_and_edges():
    x = Array([1.0, 2.0], requires_grad=True)
    y = x * x
    y.retain_grad()
    seen = []
    y.register_hook(lambda grad: grad * Array(10.0))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.data.tolist()))
    y.grad_fn._register_prehook(lambda *grads: seen.append("before"))
    y.sum().backward(retain_graph=True)
    assert seen == ["before", [20.0, 40.0]]
    assert y.grad.data.tolist() == [10.0, 10.0]
    assert y.grad_fn.name() == "MulBackward"
    assert y.grad_fn.next_functions[0][0].variable is x
    edge = (y.grad_fn, 0)
    (found,) = grad([edge], [x], [Array([1.0, 1.0])])
    assert found.data.tolist() == [20.0, 40.0]  # through the hook of y, whose gradient it is
    with pytest.raises(RuntimeError, match="a second time"):
        backward([y], [Array([1.0, 1.0])])


def test_a_wrong_shape_is_told():
    @tape_numpy.operation(lambda ctx, grad: Array(np.ones(7)))
    def odd(ctx, a):
        return Array(a.data)

    with pytest.raises(RuntimeError, match=r"OddBackward returned an invalid gradient .* got \[7\]"):
        odd(Array([1.0, 2.0], requires_grad=True)).sum().backward()
    with pytest.raises(TypeError, match="of a Backend returns"):
        tape.Wrapped(1.0, BROKEN, requires_grad=True).detach()


BROKEN = tape.Backend(meta=lambda data: ([], 0), full=max, detach=lambda value: 3, add=max)


def test_anomaly_mode_finds_what_is_not_a_number():
    with pytest.MonkeyPatch.context():
        tape._set_anomaly(lambda: ["here"], lambda name, place: None)
        try:
            x = Array([0.0], requires_grad=True)
            with pytest.raises(RuntimeError, match="MulBackward' returned nan values"):
                (x * Array([np.nan])).sum().backward()
        finally:
            tape._set_anomaly(None, None)


@pytest.mark.large
def test_a_deep_chain_runs_and_goes_on_a_small_stack():
    fates = []

    def run():
        x = Array(1.0, requires_grad=True)
        y = x
        one = Array(1.0)
        for _ in range(50_000):
            y = y * one
        watched = weakref.ref(y.grad_fn)
        y.backward()
        del y
        fates.append((x.grad.data.tolist(), watched() is None))

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert fates == [(1.0, True)]


def test_threads_add_to_one_leaf():
    """Sums are made in Python, without a lock: each gradient counts nevertheless."""
    x = Array(np.zeros(3), requires_grad=True)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def run():
        for _ in range(50):
            (x * Array([1.0, 2.0, 3.0])).sum().backward()

    try:
        threads = [threading.Thread(target=run) for _ in range(4)]
        for it in threads:
            it.start()
        for it in threads:
            it.join()
    finally:
        sys.setswitchinterval(interval)
    assert x.grad.data.tolist() == [200.0, 400.0, 600.0]


def test_a_step_leaves_no_graph():
    x = Array([1.0], requires_grad=True)
    (x * x).sum().backward()
    gradient = weakref.ref(x.grad)
    step([x], 0.5)
    gc.collect()
    assert x.data.tolist() == [0.0]
    assert gradient() is None
    assert x.is_leaf


def test_one_graph_through_two_libraries():
    """Nodes are of one class, whichever module made them, and a function can lead from one library to the other."""
    torch = pytest.importorskip("pairbond_autograd")

    class ToTensor(torch.autograd.Function):
        @staticmethod
        def forward(ctx, array):
            return torch.tensor(array.data.tolist())

        @staticmethod
        def backward(ctx, gradient):
            return Array(gradient.numpy())

    x = Array([[1.0, 2.0]], requires_grad=True)
    out = ToTensor.apply(matmul(x, Array(np.eye(2)))).exp()
    assert isinstance(out.grad_fn, tape.Node)
    assert isinstance(x * x, tape.Variable)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.data, np.exp([[1.0, 2.0]]), rtol=1e-6)
    assert not x.grad.requires_grad
    before = tape._set_grad_enabled(False)
    assert not torch.is_grad_enabled()  # one mode for both
    tape._set_grad_enabled(before)
    with pytest.raises(TypeError, match=r"pairbond_tape\.Wrapped on the tape, not a pairbond_autograd\.Tensor"):
        (x * x).sum().backward(torch.tensor(1.0))
