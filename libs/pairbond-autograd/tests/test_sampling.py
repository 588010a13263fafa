"""Drawing and counting numbers."""

import pairbond_autograd as torch
import pytest

INF = float("inf")


def test_numbers_are_drawn_as_often_as_they_are_likely():
    torch.manual_seed(0)
    weights = torch.tensor([1.0, 0.0, 3.0, 4.0])
    counts = torch.bincount(torch.multinomial(weights, 8000, replacement=True), minlength=4).tolist()
    assert counts[1] == 0
    assert all(abs(found - wanted) < 250 for found, wanted in zip(counts, [1000, 0, 3000, 4000], strict=True))
    firsts = [torch.multinomial(weights, 1).item() for _ in range(4000)]
    counts = [firsts.count(place) for place in range(4)]
    assert counts[1] == 0
    assert all(abs(found - wanted) < 180 for found, wanted in zip(counts, [500, 0, 1500, 2000], strict=True))


def test_without_replacement_none_comes_twice():
    for _ in range(50):
        drawn = torch.multinomial(torch.tensor([[1.0, 2.0, 0.0], [0.0, 5.0, 1.0]]), 2)
        assert (drawn.shape, drawn.dtype) == ((2, 2), torch.int64)
        assert [sorted(row) for row in drawn.tolist()] == [[0, 1], [1, 2]]
    assert sorted(torch.multinomial(torch.ones(4), 4).tolist()) == [0, 1, 2, 3]
    assert torch.tensor([0.0, 1.0]).multinomial(1).tolist() == [1]


@pytest.mark.parametrize(
    ("weights", "count", "text"),
    [
        ([0.0, 0.0], 1, "sum of probabilities <= 0"),
        ([-1.0, 2.0], 1, "contains either `inf`, `nan` or element < 0"),
        ([INF, 2.0], 1, "contains either `inf`, `nan` or element < 0"),
        ([INF - INF, 2.0], 1, "contains either `inf`, `nan` or element < 0"),
        ([1.0, 2.0], 3, "cannot sample n_sample > prob_dist.size"),
        ([], 1, "cannot sample n_sample > prob_dist.size"),
        ([1.0], 0, "cannot sample n_sample <= 0 samples"),
        ([1, 2], 1, "only supports floating-point dtypes"),
        ([[[1.0]]], 1, "prob_dist must be 1 or 2 dim"),
    ],
)
def test_what_cannot_be_drawn_from(weights, count, text):
    with pytest.raises(RuntimeError, match=text):
        torch.multinomial(torch.tensor(weights), count)


def test_counts():
    numbers = torch.tensor([0, 2, 2])
    assert torch.bincount(numbers).tolist() == [1, 0, 2]
    assert torch.bincount(numbers, minlength=5).tolist() == [1, 0, 2, 0, 0]
    assert torch.bincount(numbers, torch.tensor([0.5, 1.0, 2.0])).tolist() == [0.5, 0.0, 3.0]
    assert numbers.bincount(torch.tensor([1, 1, 1])).dtype is torch.float64
    assert torch.bincount(torch.tensor([], dtype=torch.int64)).tolist() == []
    assert torch.bincount(torch.tensor([], dtype=torch.int64), minlength=2).tolist() == [0, 0]
    for wrong, text in (
        (lambda: torch.bincount(torch.tensor([-1])), "1-d non-negative integral"),
        (lambda: torch.bincount(torch.tensor([[1]])), "1-d non-negative integral"),
        (lambda: torch.bincount(numbers, minlength=-1), "minlength should be >= 0"),
        (lambda: torch.bincount(numbers, torch.ones(2)), "weights should be 1-d and have the same length"),
        (lambda: torch.bincount(torch.tensor([1.0])), "not implemented for"),
    ):
        with pytest.raises(RuntimeError, match=text):
            wrong()
