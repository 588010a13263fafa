"""Results of two parts, by name and by place."""

import pairbond_autograd as torch
import pytest


def grid():
    return torch.tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]], requires_grad=True)


@pytest.mark.parametrize(
    ("call", "values", "indices"),
    [
        (lambda t: t.max(1), [3, 6], [0, 1]),
        (lambda t: t.min(1, True), [[1], [4]], [[1], [0]]),
        (lambda t: t.sort(), [[1, 2, 3], [4, 5, 6]], [[1, 2, 0], [0, 2, 1]]),
        (lambda t: t.sort(0, descending=True, stable=True), [[4, 6, 5], [3, 1, 2]], [[1, 1, 1], [0, 0, 0]]),
        (lambda t: t.topk(2), [[3, 2], [6, 5]], [[0, 2], [1, 2]]),
        (lambda t: t.topk(1, 0, largest=False), [[3, 1, 2]], [[0, 0, 0]]),
        (lambda t: t.kthvalue(2), [2, 5], [2, 2]),
        (lambda t: t.kthvalue(1, keepdim=True), [[1], [4]], [[1], [0]]),
        (lambda t: torch.max(t, 0), [4, 6, 5], [1, 1, 1]),
        (lambda t: torch.topk(t, 1), [[3], [6]], [[0], [1]]),
    ],
)
def test_by_name(call, values, indices):
    t = grid()
    found = call(t)
    assert isinstance(found, tuple)
    assert (found.values.tolist(), found.indices.tolist()) == (values, indices)
    first, second = found
    assert first is found.values
    assert second is found[1]
    first.sum().backward()
    assert t.grad.sum().item() == first.numel()


def test_the_types_have_the_names_of_what_gives_them():
    t = grid()
    for name in ("max", "min", "sort", "topk", "kthvalue"):
        found = getattr(t, name)(*{"topk": [1], "kthvalue": [1]}.get(name, [0]))
        assert type(found) is getattr(torch.return_types, name)
        assert type(found).__name__ == name


def test_without_a_dimension_it_is_one_tensor():
    t = grid()
    assert (t.max().item(), t.min().item()) == (6, 1)
    assert t.max(torch.zeros(2, 3)).tolist() == t.tolist()
    assert torch.tensor(3.0).topk(1).values.item() == 3
    assert torch.tensor(3.0).kthvalue(1).indices.item() == 0


def test_out_of_range():
    with pytest.raises(RuntimeError, match="selected index k out of range"):
        grid().topk(4)
    with pytest.raises(RuntimeError, match="k out of range for dimension"):
        grid().kthvalue(0)
