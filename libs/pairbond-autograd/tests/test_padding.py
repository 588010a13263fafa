"""Padding, and windows that go beyond the image."""

import pairbond_autograd as torch
import pytest
from pairbond_autograd import nn
from pairbond_autograd.nn import functional as F


def test_a_number_around():
    x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
    y = F.pad(x, (2, 1), value=7.0)
    assert y.tolist() == [[7, 7, 1, 2, 3, 7]]
    y.sum().backward()
    assert x.grad.tolist() == [[1, 1, 1]]
    assert torch.gradcheck(lambda x: F.pad(x * x, (1, 2)), (x,))
    assert F.pad(x, (-1, 1, 1, 0)).tolist() == [[0, 0, 0], [2, 3, 0]]


def test_other_modes_are_refused():
    with pytest.raises(NotImplementedError, match="Unrecognised padding mode reflect"):
        F.pad(torch.ones(1, 2), (1, 1), "reflect")
    with pytest.raises(ValueError, match="padding_mode must be 'zeros'"):
        nn.Conv2d(1, 1, 1, padding_mode="circular")


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
