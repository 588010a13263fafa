"""Optimizers and schedulers beside torch's: parameters, rates, states, representations and errors."""

import random
import warnings

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
    optim.Adamax([first, second], 0.05, weight_decay=0.1)
    optim.RMSprop([first, second], 0.01)
    optim.RMSprop([first, second], 0.01, 0.9, weight_decay=0.1, momentum=0.5, centered=True, maximize=True)
    optim.Adagrad([first, second], 0.1, 0.01, 0.1, 0.3)
    optim.Adadelta([first, second], 0.9, weight_decay=0.1)
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
        result = eval(expression, {"optim": torch.optim, "x": x, "torch": torch, "S": torch.optim.lr_scheduler})
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
    optim.RMSprop([x], alpha=-1)
    optim.RMSprop([x], momentum=-1)
    optim.Adagrad([x], lr_decay=-1)
    optim.Adagrad([x], initial_accumulator_value=-1)
    optim.Adadelta([x], rho=2)
    optim.Adamax([x], eps=-1)
    S.StepLR(x, 2)
    S.LinearLR(optim.SGD([x]), 0)
    S.LinearLR(optim.SGD([x]), 1.0, 2)
    S.ConstantLR(optim.SGD([x]), 2)
    S.LambdaLR(optim.SGD([x]), [abs, abs])
    S.OneCycleLR(optim.SGD([x]), 1.0)
    S.OneCycleLR(optim.SGD([x]), 1.0, 0)
    S.OneCycleLR(optim.SGD([x]), 1.0, 5, pct_start=2.0)
    S.OneCycleLR(optim.Adagrad([x]), 1.0, 5)
    S.ReduceLROnPlateau(optim.SGD([x]), "least")
    S.ReduceLROnPlateau(optim.SGD([x]), factor=1.0)
    S.CosineAnnealingWarmRestarts(optim.SGD([x]), 0)
    S.SequentialLR(optim.SGD([x]), [], [])
    (lambda o: S.SequentialLR(o, [S.StepLR(o, 2)], [1]))(optim.SGD([x]))
    S.ChainedScheduler([])
""")
def test_what_is_refused(expression):
    assert problem(ours, expression) == problem(theirs, expression)


SCHEDULERS = """
    S.StepLR(o, 7)
    S.StepLR(o, 3, 0.5)
    S.MultiStepLR(o, [4, 9, 9, 20], 0.3)
    S.ExponentialLR(o, 0.9)
    S.CosineAnnealingLR(o, 10, 0.001)
    S.LambdaLR(o, lambda n: 0.95 ** n)
    S.LambdaLR(o, [lambda n: 0.95 ** n, lambda n: 1 / (n + 1)])
    S.MultiplicativeLR(o, lambda n: 0.95)
    S.LinearLR(o)
    S.LinearLR(o, 0.1, 0.8, 12)
    S.ConstantLR(o, 0.4, 8)
    S.PolynomialLR(o, 15, 2.0)
    S.OneCycleLR(o, 0.5, 40)
    S.OneCycleLR(o, [0.5, 0.7], epochs=5, steps_per_epoch=8, anneal_strategy="linear", three_phase=True, pct_start=0.25)
    S.CosineAnnealingWarmRestarts(o, 5, 2, 0.002)
    S.SequentialLR(o, [S.LinearLR(o, 0.1, total_iters=5), S.CosineAnnealingLR(o, 20)], [5])
    S.SequentialLR(o, [S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.9), S.StepLR(o, 4)], [4, 11])
    S.SequentialLR(o, [S.LinearLR(o, 0.5), S.CosineAnnealingWarmRestarts(o, 6)], [6])
    S.ChainedScheduler([S.ConstantLR(o, 0.1, 3), S.ExponentialLR(o, 0.9)])
"""


def rates(torch, make, again=False):
    """All settings in 30 steps; with `again`, another scheduler goes on in the middle."""
    parameters = [torch.ones(2, requires_grad=True) for _ in range(2)]
    groups = [{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.03}]
    o = torch.optim.SGD(groups, 0.1, momentum=0.5)
    names = {"S": torch.optim.lr_scheduler, "o": o}
    scheduler, found = eval(make, names), []
    for step in range(30):
        found.append([[group["lr"], group["momentum"]] for group in o.param_groups] + [scheduler.get_last_lr()])
        o.step()
        scheduler.step()
        if again and step == 12:
            state, groups = scheduler.state_dict(), o.state_dict()
            scheduler = eval(make, names)
            o.load_state_dict(groups)
            scheduler.load_state_dict(state)
    return found


@expressions(SCHEDULERS)
def test_schedulers(expression):
    there = rates(theirs, expression)
    near(rates(ours, expression), there, 1e-12, expression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # another scheduler begins after steps
        near(rates(ours, expression, again=True), there, 1e-12, expression)


@pytest.mark.parametrize("options", [{}, {"mode": "max", "cooldown": 2}, {"threshold_mode": "abs", "min_lr": 0.04}])
def test_plateaus(options):
    def program(torch):
        o = torch.optim.SGD([torch.ones(2, requires_grad=True)], 0.1)
        scheduler, dice, found = (
            torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=2, factor=0.5, **options),
            random.Random(1),
            [],
        )
        for _ in range(30):
            scheduler.step(torch.tensor(dice.random()))
            found.append([scheduler.get_last_lr()[0], float(scheduler.num_bad_epochs), float(scheduler.best)])
        return found

    near(program(ours), program(theirs), 1e-6, "")


def test_a_step_of_a_number():
    def program(torch, make):
        o = torch.optim.SGD([torch.ones(2, requires_grad=True)], 0.1)
        o.step()
        scheduler = eval(make, {"S": torch.optim.lr_scheduler, "o": o})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scheduler.step(9)
        return [scheduler.get_last_lr()[0], scheduler.last_epoch]

    for make in ("S.StepLR(o, 4)", "S.LinearLR(o)", "S.CosineAnnealingLR(o, 6)", "S.CosineAnnealingWarmRestarts(o, 2)"):
        near(program(ours, make), program(theirs, make), 1e-12, make)


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
        scheduler = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([x]), 2)
        with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step"):
            scheduler.step()
        return seen, x.tolist()

    assert program(ours) == program(theirs)
