"""Expressions that are evaluated here and in torch: values, gradients, representations and errors are equal."""

import random
import warnings

import pytest
from test_torch import near, numbers, ours, theirs

SHAPES = {
    "x": (4, 6),
    "y": (4, 6),
    "v": (6,),
    "w": (6,),
    "image": (2, 4, 7, 6),
    "line": (2, 4, 9),
    "small": (3, 4, 5),
}


def surroundings(torch):
    """Names for expressions, and the tensors among them that learn."""
    dice = random.Random(5)
    leaves = {
        name: torch.tensor(numbers(shape, dice), dtype=torch.float64, requires_grad=True)
        for name, shape in SHAPES.items()
    }
    classes = torch.tensor([1, 0, 5, 2])

    def twice(module):
        """What it makes of images while it is trained, and afterwards, and what it remembers."""
        image = leaves["image"]
        return [module(image), module(image * 2), module.eval()(image), *module.buffers()]

    settings = {"REDUCTIONS": ("mean", "sum", "none"), "twice": twice}
    return {
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "classes": classes,
        "fixed": fixed,
        **settings,
        **leaves,
    }, leaves


def parts(value):
    if isinstance(value, (tuple, list)):
        return [part for it in value for part in parts(it)]
    return [value]


def outcome(torch, expression):
    """Lists of numbers; of an error its class and text."""
    names, leaves = surroundings(torch)
    try:
        value = eval(expression, names)
    except Exception as error:
        return type(error).__name__, str(error)
    tensors = [it for it in parts(value) if isinstance(it, torch.Tensor)]
    if not tensors:
        return value
    learned = [it for it in tensors if it.requires_grad]
    if learned:
        sum((it.double() * it.double().detach().cos()).sum() for it in learned).backward()
    grads = [None if it.grad is None else it.grad.tolist() for it in leaves.values()]
    return [*(it.tolist() for it in tensors), *grads]


def fixed(module):
    """Makes all parameters of a module the same in both libraries."""
    module = module.double()
    dice = random.Random(3)
    for parameter in module.parameters():
        parameter.detach().copy_(_tensor(parameter, numbers(tuple(parameter.shape), dice)))
    return module


def _tensor(like, values):
    torch = ours if isinstance(like, ours.Tensor) else theirs
    return torch.tensor(values, dtype=like.dtype)


def same(expression, tolerance=1e-9):
    """Numbers and gradients."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here, there = outcome(ours, expression), outcome(theirs, expression)
    assert isinstance(there, list), f"{expression}: {there}"
    assert isinstance(here, list), f"{expression}: {here}"
    near(here, there, tolerance, expression)


def same_error(expression):
    """The class of an error, and its text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here, there = outcome(ours, expression), outcome(theirs, expression)
    assert isinstance(there, tuple), expression
    assert there[0] not in ("NameError", "SyntaxError"), there
    assert here == there, expression


def expressions(text):
    """A test for each line."""
    return pytest.mark.parametrize("expression", [line.strip() for line in text.splitlines() if line.strip()])
