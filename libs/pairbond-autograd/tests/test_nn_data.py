"""Datasets, samplers and loaders."""

import pairbond_autograd as torch
import pytest
from pairbond_autograd.utils import data

ROWS = data.TensorDataset(torch.arange(10), torch.arange(10) * 2)


def test_datasets():
    assert [it.item() for it in ROWS[3]] == [3, 6]
    with pytest.raises(NotImplementedError):
        data.Dataset()[0]


def test_samplers():
    torch.manual_seed(2)
    assert [*data.BatchSampler(data.SequentialSampler(range(5)), 2, False)] == [[0, 1], [2, 3], [4]]
    assert [*data.BatchSampler(range(5), 2, True)] == [[0, 1], [2, 3]]
    drawn = [*data.RandomSampler(range(4), num_samples=10)]
    assert len(drawn) == 10
    assert sorted(drawn[:4]) == [0, 1, 2, 3] == sorted(drawn[4:8])
    assert {*data.RandomSampler(range(3), True, 200)} == {0, 1, 2}
    with pytest.raises(ValueError, match="num_samples should be a positive integer value, but got num_samples=0"):
        data.RandomSampler([])


def test_loaders():
    assert [x.tolist() for x, _ in data.DataLoader(ROWS, 4, drop_last=True)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [x.tolist() for x, _ in data.DataLoader(ROWS, sampler=[3, 1, 2], batch_size=2)] == [[3, 1], [2]]
    assert [y.tolist() for _, y in data.DataLoader(ROWS, batch_sampler=[[0, 1], [5]])] == [[0, 2], [10]]
    assert [x.item() for x, _ in data.DataLoader(ROWS, batch_size=None)] == [*range(10)]
    assert [*data.DataLoader(range(4), 2, collate_fn=sum)] == [1, 5]
    (batch,) = data.DataLoader([(1.5, "a", [1, 2]), (2.5, "b", [3, 4])], 2)
    assert [batch[0].tolist(), batch[0].dtype, batch[1]] == [[1.5, 2.5], torch.float64, ["a", "b"]]
    assert [it.tolist() for it in batch[2]] == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_workers": 2}, "there are no worker processes"),
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"sampler": [1], "shuffle": True}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[1]], "drop_last": True}, "batch_sampler option is mutually exclusive with"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching"),
    ],
)
def test_loaders_refuse(options, text):
    with pytest.raises((ValueError, NotImplementedError), match=text):
        data.DataLoader(ROWS, **options)
