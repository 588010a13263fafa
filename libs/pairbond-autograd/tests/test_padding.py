"""Padding of all modes, and windows that go beyond the image."""

import pairbond_autograd as torch
import pytest
from pairbond_autograd import nn
from pairbond_autograd.nn import functional as F


def row(*values):
    return torch.tensor([list(values)], dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize(
    ("mode", "expected", "grad"),
    [
        ("constant", [0, 0, 1, 2, 3, 0], [1, 1, 1]),
        ("reflect", [3, 2, 1, 2, 3, 2], [1, 3, 2]),
        ("replicate", [1, 1, 1, 2, 3, 3], [3, 1, 2]),
        ("circular", [2, 3, 1, 2, 3, 1], [2, 2, 2]),
    ],
)
def test_modes(mode, expected, grad):
    x = row(1.0, 2.0, 3.0)
    y = F.pad(x, (2, 1), mode)
    assert y.tolist() == [expected]
    y.sum().backward()
    assert x.grad.tolist() == [grad]
    assert torch.gradcheck(lambda x: F.pad(x * x, (1, 2), mode), (x,))


def test_two_dimensions_and_less_than_nothing():
    grid = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert F.pad(grid, (1, 0, 0, 1), "replicate").tolist() == [[1, 1, 2], [3, 3, 4], [3, 3, 4]]
    assert F.pad(row(1.0, 2.0, 3.0), (-1, 1), "circular").tolist() == [[2, 3, 1]]


def test_too_much():
    with pytest.raises(RuntimeError, match="Padding size should be less"):
        F.pad(row(1.0, 2.0), (2, 0), "reflect")
    with pytest.raises(RuntimeError, match="Padding size should be less"):
        F.pad(row(1.0, 2.0), (3, 0), "circular")
    with pytest.raises(NotImplementedError, match="Unrecognised padding mode nothing"):
        F.pad(row(1.0), (1, 1), "nothing")
    with pytest.raises(RuntimeError, match="padding of 3 numbers"):
        F.pad(row(1.0), (1, 1, 1), "circular")
    with pytest.raises(ValueError, match="padding_mode must be one of"):
        nn.Conv2d(1, 1, 1, padding_mode="none")


def image():
    return torch.tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]], dtype=torch.float64, requires_grad=True)


def test_pools_that_go_beyond():
    x = image()
    assert F.max_pool2d(x, 2).tolist() == [[[5]]]
    assert F.max_pool2d(x, 2, ceil_mode=True).tolist() == [[[5, 6], [8, 9]]]
    values, places = nn.MaxPool2d(2, ceil_mode=True, return_indices=True)(x)
    assert places.tolist() == [[[4, 5], [7, 8]]]
    values.sum().backward()
    assert x.grad.tolist() == [[[0, 0, 0], [0, 1, 1], [0, 1, 1]]]
    found, places = F.max_pool2d(x, 2, 2, 1, return_indices=True)
    assert (found.tolist(), places.tolist()) == ([[[1, 3], [7, 9]]], [[[0, 2], [6, 8]]])
    assert F.max_pool2d(x, (2, 1), (2, 1), (1, 0)).tolist() == [[[1, 2, 3], [7, 8, 9]]]
    assert F.max_pool2d(x, (1, 2), (1, 2), (0, 1)).tolist() == [[[1, 3], [4, 6], [7, 9]]]
    # A window must begin in the image or the padding before it.
    assert F.max_pool2d(x, 1, 3, ceil_mode=True).shape == (1, 1, 1)
    assert F.avg_pool2d(x, 1, 3, ceil_mode=True).tolist() == [[[1]]]
    # Padding counts, what is beyond it does not.
    assert F.avg_pool2d(torch.ones(1, 4, 4), 3, 2, 1, True)[0, 2, 2].item() == 0.25
    assert F.avg_pool2d(x, 2, ceil_mode=True).tolist() == [[[3, 4.5], [7.5, 9]]]
    assert F.avg_pool2d(x, 2, divisor_override=1).tolist() == [[[12]]]
    assert F.avg_pool2d(x, 2, 2, 1).tolist() == [[[0.25, 1.25], [2.75, 7]]]
    assert F.avg_pool2d(x, 2, 2, 1, count_include_pad=False).tolist() == [[[1, 2.5], [5.5, 7]]]
    assert nn.AvgPool2d(2, ceil_mode=True)(x).shape == (1, 2, 2)
    assert torch.gradcheck(lambda x: F.avg_pool2d(x, 2, ceil_mode=True), (x,))
    with pytest.raises(RuntimeError, match="at most half"):
        F.avg_pool2d(x, 2, padding=2)
    with pytest.raises(RuntimeError, match="divisor must be not zero"):
        F.avg_pool2d(x, 2, divisor_override=0)


def test_a_convolution_whose_image_goes_round():
    conv = nn.Conv2d(1, 1, 3, padding=1, padding_mode="circular", bias=False, dtype=torch.float64)
    conv.weight.data.fill_(1.0)
    assert conv(image()).tolist() == [[[45] * 3] * 3]
    assert nn.Conv2d(1, 1, 3, padding=1)(torch.zeros(1, 3, 3)).shape == (1, 3, 3)
