"""Hooks of what modules compute backwards."""

import gc
import weakref

import pairbond_autograd as torch
import pytest
from pairbond_autograd import nn


class Both(nn.Module):
    """Two arguments, of which one may be no tensor; two results."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([2.0]))

    def forward(self, x, factor):
        return x * self.weight, x * factor


def lists(grads):
    return tuple(it if it is None else it.tolist() for it in grads)


def test_what_a_hook_sees():
    module, seen = Both(), []
    module.register_full_backward_hook(lambda *args: seen.append((args[0] is module, *map(lists, args[1:]))))
    x = torch.tensor([3.0], requires_grad=True)
    a, b = module(x, 5.0)
    (a + b).backward()
    assert seen == [(True, ([7.0], None), ([1.0], [1.0]))]
    assert (x.grad.tolist(), module.weight.grad.tolist()) == ([7], [3])
    module(x, 5.0)[0].backward()
    assert seen[1] == (True, ([2.0], None), ([1.0], None))


def test_what_a_hook_returns():
    module = nn.Linear(1, 1, bias=False)
    module.weight.data.fill_(3.0)
    pre = module.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 10,))
    after = module.register_full_backward_hook(lambda module, grads, _: (grads[0] * 100,))
    x = torch.tensor([[2.0]], requires_grad=True)
    module(x).sum().backward()
    assert (x.grad.item(), module.weight.grad.item()) == (3000, 20)
    pre.remove()
    with after:
        x.grad = None
        module(x).sum().backward()
        assert x.grad.item() == 300
    x.grad = None
    module(x).sum().backward()
    assert x.grad.item() == 3


def test_the_order_of_hooks():
    module, order = nn.Linear(1, 1), []
    module.register_full_backward_hook(lambda *_: order.append("first"))
    module.register_full_backward_pre_hook(lambda *_: order.append("pre"))
    module.register_full_backward_hook(lambda *_: order.append("second"))
    module(torch.tensor([[1.0]], requires_grad=True)).sum().backward()
    assert order == ["pre", "first", "second"]


def test_of_a_module_whose_arguments_require_nothing():
    module, seen = nn.Linear(1, 1), []
    handle = module.register_full_backward_hook(lambda module, a, b: seen.append((lists(a), lists(b))))
    module(torch.tensor([[1.0]])).sum().backward()
    assert seen == [((None,), ([[1.0]],))]
    handle.remove()
    module.register_full_backward_hook(lambda module, a, b: (b[0],))
    with pytest.raises(RuntimeError, match="should always return None"):
        module(torch.tensor([[1.0]])).sum().backward()
    with torch.no_grad():
        assert module(torch.tensor([[1.0]])).grad_fn is None


def test_misuse():
    module = nn.Linear(1, 1)
    x = torch.tensor([[1.0]], requires_grad=True)
    with module.register_full_backward_hook(lambda *_: (None, None)):
        y = module(x)
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        y.sum().backward()
    with module.register_full_backward_pre_hook(lambda *_: ()):
        y = module(x)
    with pytest.raises(RuntimeError, match="invalid number of grad_output, got 0, but expected 1"):
        y.sum().backward()

    class Lists(nn.Module):
        def forward(self, x):
            return [x * 2]

    module = Lists()
    module.register_full_backward_hook(lambda *_: None)
    with pytest.warns(UserWarning, match="should be a Tensor or a tuple of Tensors"):
        assert module(x)[0].item() == 2


def test_a_hook_over_its_module_and_what_that_gave_is_collected():
    module = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
    module[0].register_full_backward_hook(lambda *_, held=module: held.out and None)
    module[1].register_full_backward_pre_hook(lambda *_, held=module: held.out and None)
    x = torch.tensor([[1.0]], requires_grad=True)
    module.out = module(x)
    x.module = module
    module.out.sum().backward()
    gone = [weakref.ref(it) for it in (module, module.out, module.out.grad_fn, x)]
    del module, x
    gc.collect()
    assert [it() for it in gone] == [None] * 4


def test_what_has_no_cycle_goes_at_once():
    module = nn.Linear(1, 1)
    module.register_full_backward_hook(lambda *_: None)
    gc.collect()
    gc.disable()
    try:
        y = module(torch.tensor([[1.0]], requires_grad=True))
        gone = [weakref.ref(it) for it in (y, y.grad_fn)]
        del y
        assert [it() for it in gone] == [None, None]
    finally:
        gc.enable()


def test_gradients_are_not_kept_for_hooks_that_have_run():
    module, seen = nn.Linear(1, 1), []
    module.register_full_backward_hook(lambda module, _, grads: seen.append(weakref.ref(grads[0])))
    y = module(torch.tensor([[1.0]], requires_grad=True))
    (y * 2).sum().backward(retain_graph=True)
    assert [it() for it in seen] == [None]
