"""The graph as users see it: edges of numbers, gradient edges, batches of gradients, second runs, modes of threads."""

import pairbond_autograd as torch
import pytest
from pairbond_autograd import autograd
from pairbond_autograd.autograd import graph
from pairbond_autograd.nn import functional


def leaf(*values):
    return torch.tensor(list(values) or [1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)


ARITHMETIC = {
    "AddBackward0": lambda x: x + 2,
    "SubBackward0": lambda x: x - 2,
    "RsubBackward1": lambda x: 2 - x,
    "MulBackward0": lambda x: 2 * x,
    "DivBackward0": lambda x: x / 2,
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_a_number_is_an_input_without_an_edge(name):
    x = leaf()
    node = ARITHMETIC[name](x).grad_fn
    assert node.name() == name
    (first, place), *number = node.next_functions
    assert (first.variable is x, place) == (True, 0)
    assert number == ([] if name == "RsubBackward1" else [(None, 0)])


@pytest.mark.parametrize("made", [lambda x: x * 2, lambda x: x / 2, lambda x: x * x], ids=["mul", "div", "square"])
def test_a_second_run_is_refused(made):
    out = made(leaf()).sum()
    out.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        out.backward()
    out = made(leaf()).sum()
    out.backward(retain_graph=True)
    out.backward()


def test_a_sum_needs_nothing_for_a_second_run():
    x = leaf()
    out = (x + 2).sum()
    out.backward()
    out.backward()
    assert x.grad.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "made",
    [
        functional.relu,
        lambda x: functional.max_pool2d(x.view(1, 1, 2, 2), 2),
    ],
    ids=["relu", "max_pool2d"],
)
def test_a_gradient_that_is_flat_in_its_input(made):
    """It depends on the input by zeros, so that a second derivative is asked for in vain, and not an error."""
    x = leaf(1.0, -2.0, 3.0, 0.5)
    (first,) = autograd.grad(made(x).sum(), x, create_graph=True)
    assert first.requires_grad
    (second,) = autograd.grad(first.sum(), x)
    assert second.tolist() == [0, 0, 0, 0]


def test_whole_quotients_have_no_derivative():
    x = leaf()
    made = x // 2
    assert made.requires_grad
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        made.sum().backward()


def test_gradient_edges():
    x = leaf()
    y = x * 2
    edge = graph.get_gradient_edge(y)
    assert isinstance(edge, graph.GradientEdge)
    assert edge == (y.grad_fn, 0)
    leaf_edge = graph.get_gradient_edge(x)
    assert leaf_edge.node.variable is x
    out = (y * y).sum()
    of_edge, of_leaf = autograd.grad(out, [edge, leaf_edge], retain_graph=True)
    assert (of_edge.tolist(), of_leaf.tolist()) == ([4, 8, 12], [8, 16, 24])
    # Where a run starts, an edge does as well as its tensor.
    (again,) = autograd.grad(graph.get_gradient_edge(out), x, grad_outputs=torch.ones((), dtype=torch.float64))
    assert again.tolist() == [8, 16, 24]
    y = x * 2
    autograd.backward(graph.get_gradient_edge(y), torch.ones(3, dtype=torch.float64))
    assert x.grad.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match="does not require gradients"):
        graph.get_gradient_edge(torch.zeros(3))
    with pytest.raises(RuntimeError, match="materialize_grads"):
        autograd.grad((x * 2).sum(), leaf_edge, materialize_grads=True)


def test_batches_of_gradients():
    """The rows of a Jacobian at once."""
    x = leaf()
    y = x * x
    rows = torch.eye(3, dtype=torch.float64)
    (jacobian,) = autograd.grad(y, x, rows, is_grads_batched=True)
    assert jacobian.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    with pytest.raises(RuntimeError, match="second time"):
        autograd.grad(y, x, rows, is_grads_batched=True)
    unused = leaf()
    _, none = autograd.grad(x * x, [x, unused], rows, is_grads_batched=True, allow_unused=True)
    assert none is None
    with pytest.raises(RuntimeError, match="one more dimension"):
        autograd.grad((x * x).sum(), x, is_grads_batched=True)


def test_what_grad_refuses():
    x = leaf()
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        assert autograd.grad((x * 2).sum(), x, only_inputs=False)[0].tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `grad\(\)` cannot be empty"):
        autograd.grad((x * 2).sum(), [])
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty"):
        (x * 2).sum().backward(inputs=[])


def test_what_hooks_of_nodes_return():
    x = leaf()
    y = x * 2
    y.grad_fn.register_hook(lambda made, given: [made[0]])
    with pytest.raises(TypeError, match="expected tuple, but hook returned 'list'"):
        y.sum().backward()
    y = x * 2
    y.grad_fn.register_prehook(lambda given: given[0])
    with pytest.raises(TypeError, match="expected tuple, but hook returned 'Tensor'"):
        y.sum().backward()
    y = x * 2
    y.grad_fn.register_prehook(lambda given: (given[0] * 3,))
    y.sum().backward()
    assert x.grad.tolist() == [6, 6, 6]


def test_inference_mode():
    x = leaf()
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled()
        assert not torch.is_grad_enabled()
        assert not (x * 2).requires_grad
        with torch.inference_mode(False):
            assert not torch.is_inference_mode_enabled()
            assert (x * 2).requires_grad
        assert torch.is_inference_mode_enabled()
    assert torch.is_grad_enabled()
    assert not torch.is_inference_mode_enabled()

    @torch.inference_mode
    def bare(x):
        return x * 2, torch.is_inference_mode_enabled()

    @torch.inference_mode()
    def steps(x):
        yield (x * 2).requires_grad
        yield torch.is_inference_mode_enabled()

    made, was_on = bare(x)
    assert (made.requires_grad, was_on) == (False, True)
    assert list(steps(x)) == [False, True]
    assert not torch.is_inference_mode_enabled()


def test_other_doors():
    assert not torch.is_anomaly_enabled()
    with autograd.detect_anomaly(check_nan=False):
        assert (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()) == (True, False)
    x = leaf()
    with autograd.set_multithreading_enabled(False):
        (x * x).sum().backward()
    assert x.grad.tolist() == [2, 4, 6]
