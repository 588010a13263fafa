"""What is said of custom functions that are wrong."""

import pairbond_autograd as torch
import pytest
from pairbond_autograd.autograd import Function
from test_function import Cube, Double, leaf


def wrong(result, *others):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x, *rest):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return result(grad) if callable(result) else result

    return Wrong.apply(leaf(1.0, 2.0), *others).sum().backward


@pytest.mark.parametrize(
    ("result", "others", "error", "message"),
    [
        (
            (),
            (),
            RuntimeError,
            r"function WrongBackward returned an incorrect number of gradients \(expected 1, got 0\)",
        ),
        (lambda g: (g, g), (), RuntimeError, r"incorrect number of gradients \(expected 1, got 2\)"),
        (lambda g: g, (5,), RuntimeError, r"incorrect number of gradients \(expected 2, got 1\)"),
        (lambda g: (g, g), (5,), RuntimeError, "gradient different from None at position 2"),
        (lambda g: (3,), (), TypeError, "position 1 something that is neither a tensor nor None"),
        (3, (), RuntimeError, "expected Variable or None"),
        (
            torch.tensor([1.0, 2.0, 3.0]),
            (),
            RuntimeError,
            r"invalid gradient at index 0 - got \[3\] but expected shape .*\[2\]",
        ),
    ],
)
def test_wrong_gradients(result, others, error, message):
    with pytest.raises(error, match=message):
        wrong(result, *others)()


def test_more_nones_than_arguments_and_wider_gradients():
    wrong(lambda g: (g, None, None))()
    x = leaf(1.0, 2.0)

    class Wide(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return torch.tensor([[1.0, 2.0], [3.0, 4.0]])

    Wide.apply(x).sum().backward()
    assert (x.grad.tolist(), x.grad.dtype) == ([4, 6], torch.float64)


def test_misuse():
    with pytest.raises(RuntimeError, match="is not instantiated: a Function has static methods"):
        Double()

    class NoBackward(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match="must implement either the backward"):
        NoBackward.apply(leaf(1.0)).backward()

    class NoForward(Function):
        pass

    with pytest.raises(NotImplementedError, match="must implement the forward"):
        NoForward.apply(leaf(1.0))
    assert torch.is_grad_enabled()

    class SavesNumbers(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(3)

    with pytest.raises(TypeError, match="keep it as an attribute"):
        SavesNumbers.apply(leaf(1.0))
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        Double.apply(torch.tensor([1.0])).register_hook(print)

    class NotReturned(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x * 1

    with pytest.raises(RuntimeError, match="were not returned"):
        NotReturned.apply(leaf(1.0) * 1)


def test_a_node_that_is_called_alone_after_it_was_released():
    x = leaf(2.0)
    y = Cube.apply(x)
    ctx = y.grad_fn
    assert ctx(torch.tensor([1.0], dtype=torch.float64)).item() == 12
    y.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        ctx(torch.tensor([1.0]))


def test_an_exception_comes_out_as_it_is():
    class Mine(Exception):
        pass

    error = Mine()

    class Raises(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise error

    x = leaf(1.0)
    with pytest.raises(Mine) as caught:
        Raises.apply(x * 2).backward()
    assert caught.value is error
    error.__traceback__ = None
    assert torch.is_grad_enabled()
