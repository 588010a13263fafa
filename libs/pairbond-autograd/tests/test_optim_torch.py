"""Optimizers beside torch's: parameters, states, representations and errors."""

import random

import pytest

pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

from nn_comparison import expressions, near, numbers, ours, theirs


def trained(torch, make, steps=30):
    """Parameters after some steps, and what the optimizer remembers."""
    dice = random.Random(2)
    first, second = (
        torch.tensor(numbers(shape, dice), dtype=torch.float64, requires_grad=True) for shape in ((3, 2), (4,))
    )
    optimizer = eval(make, {"optim": torch.optim, "first": first, "second": second, "torch": torch})
    for step in range(steps):
        optimizer.zero_grad()
        (
            (first * first).sum() * 0.7 + (first.sum() * second).exp().sum() * 0.1 + (second * (step % 3 - 1)).sum()
        ).backward()
        optimizer.step()
    state = optimizer.state_dict()
    remembered = [
        (number, name, value.tolist() if isinstance(value, torch.Tensor) else value)
        for number, kept in state["state"].items()
        for name, value in kept.items()
    ]
    return [first.tolist(), second.tolist()], remembered, state["param_groups"], repr(optimizer)


@expressions("""
    optim.SGD([first, second], 0.01)
    optim.SGD([first, second], lr=0.01, momentum=0.9, dampening=0.1, weight_decay=0.1, maximize=True)
    optim.SGD([{"params": first, "lr": 0.02}, {"params": [second], "nesterov": True}], lr=0.01, momentum=0.5)
    optim.SGD([("one", first), ("two", second)], 0.01, foreach=False, fused=False)
    optim.Adam([first, second], 0.05, amsgrad=True, weight_decay=0.1, foreach=False)
    optim.Adam([first, second], 0.1, (0.8, 0.9), 1e-4, 0.1, maximize=True, decoupled_weight_decay=True)
    optim.AdamW([first, second], 0.05)
    optim.AdamW(iter([first, second]), 0.05, weight_decay=0.3, amsgrad=True)
""")
def test_optimizers(expression):
    here, there = trained(ours, expression), trained(theirs, expression)
    near(here[0], there[0], 1e-9, expression)
    assert [it[:2] for it in here[1]] == [it[:2] for it in there[1]]
    near([it[2] for it in here[1]], [it[2] for it in there[1]], 1e-9, expression)
    assert here[2:] == there[2:]


def problem(torch, expression):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    try:
        result = eval(expression, {"optim": torch.optim, "x": x, "torch": torch})
    except Exception as error:
        return type(error).__name__, str(error)
    return repr(result)


@expressions("""
    optim.SGD([])
    optim.SGD(["a"])
    optim.SGD("a")
    optim.SGD(x)
    optim.SGD({x})
    optim.SGD([x * 2])
    optim.SGD([x], lr=-1)
    optim.SGD([x], momentum=-0.5)
    optim.SGD([x], weight_decay=-0.5)
    optim.SGD([x], nesterov=True)
    optim.SGD([{"params": x}, {"params": [x]}])
    optim.SGD([{"params": {x}}])
    optim.SGD([{"parameters": x}])
    optim.SGD([x]).add_param_group([x])
    optim.SGD([x]).load_state_dict({"state": {}, "param_groups": []})
    optim.SGD([x]).load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})
    optim.Adam([x], lr=-1.0)
    optim.Adam([x], eps=-1.0)
    optim.Adam([x], betas=(1.0, 0.9))
    optim.Adam([x], betas=(0.9, -1.0))
    optim.AdamW([x], weight_decay=-1)
""")
def test_what_is_refused(expression):
    assert problem(ours, expression) == problem(theirs, expression)


def test_hooks_closures_and_order():
    def program(torch):
        x, seen = torch.ones(1, requires_grad=True), []
        o = torch.optim.SGD([x], 0.5)
        o.register_step_pre_hook(lambda *_: seen.append("before"))
        handle = o.register_step_post_hook(lambda *_: seen.append("after"))

        def closure():
            o.zero_grad()
            loss = (x * x).sum()
            loss.backward()
            return loss

        seen.append(o.step(closure).item())
        handle.remove()
        o.step()
        return seen, x.tolist()

    assert program(ours) == program(theirs)
