"""`save` and `load`: what training keeps in files comes back, and nothing else is run."""

import io
import os
import pickle

import pairbond_autograd as torch
import pytest


def trained():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 3)).square().mean().backward()
        optimizer.step()
    return model, optimizer


def through(obj, **options):
    file = io.BytesIO()
    torch.save(obj, file)
    file.seek(0)
    return torch.load(file, **options)


def test_a_checkpoint_goes_on_where_it_was(tmp_path):
    model, optimizer = trained()
    path = tmp_path / "checkpoint.pt"
    state = {"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, path)
    kept = torch.load(str(path), map_location="cpu")
    again, its_optimizer = trained()
    again.load_state_dict(kept["model"])
    its_optimizer.load_state_dict(kept["optimizer"])
    x = torch.randn(4, 3)
    for one, opt in ((model, optimizer), (again, its_optimizer)):
        opt.zero_grad()
        one(x).square().mean().backward()
        opt.step()
    for name, value in model.state_dict().items():
        assert torch.equal(value, again.state_dict()[name]), name
    assert kept["epoch"] == 3


def test_what_shares_memory_shares_it_afterwards():
    x = torch.arange(6.0)
    a, view, other = through([x, x.view(2, 3).t(), torch.tensor([True, False])])
    view[0, 1] = 9.0
    assert (a.tolist(), view.stride(), other.tolist()) == ([0, 1, 2, 9, 4, 5], (1, 3), [True, False])
    file = io.BytesIO()
    torch.save([torch.zeros(1000)[:1]] * 20 + [torch.zeros(1000).view(10, 100)[1]], file)
    assert len(file.getvalue()) < 12_000


@pytest.mark.parametrize(
    "value",
    [
        torch.float32,
        torch.device("cpu"),
        torch.Size([2, 3]),
        (1, 2.5, "x", b"y", None, {1, 2}, 1 + 2j, [bytearray(b"z")]),
    ],
    ids=str,
)
def test_what_is_harmless_is_loaded(value):
    assert through(value) == value


def test_parameters_stay_parameters():
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.note = "kept"
    loaded = through(parameter)
    assert type(loaded) is torch.nn.Parameter
    assert (loaded.requires_grad, loaded.note, loaded.tolist()) == (True, "kept", [1, 1])


class Runs:
    def __reduce__(self):
        return os.getcwd, ()


def test_nothing_else_is_run():
    with pytest.raises(pickle.UnpicklingError, match=r"Weights only load failed: the file wants .*getcwd"):
        through({"model": Runs()})
    assert through(Runs(), weights_only=False) == os.getcwd()
    with pytest.raises(pickle.UnpicklingError, match=r"the file wants pairbond_autograd\.nn\.linear\.Linear"):
        through(torch.nn.Linear(1, 1))
    assert isinstance(through(torch.nn.Linear(1, 1), weights_only=False), torch.nn.Linear)


def test_what_cannot_be_written_leaves_the_file_alone(tmp_path):
    path = tmp_path / "kept"
    torch.save([1], path)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        torch.save([lambda: 0], path)
    assert torch.load(path) == [1]
    for wrong in (5, None, 1.5):
        with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
            torch.save(1, wrong)
        with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like object"):
            torch.load(wrong)
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "missing")


@pytest.mark.parametrize("dtype", ["float16", "", None, 3])
def test_a_file_that_lies_is_refused(dtype):
    class Lies(pickle.Pickler):
        def persistent_id(self, obj):
            return ("storage", 0, dtype, b"1234") if obj == "here" else None

    file = io.BytesIO()
    Lies(file).dump(["here"])
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="this is no storage"):
        torch.load(file)


class Beyond:
    """A tensor that claims more than its storage has."""

    def __init__(self, *geometry):
        self.geometry = geometry

    def __reduce__(self):
        rebuild, (cls, storage, *_), _ = torch.zeros(2).__reduce_ex__(4)
        return rebuild, (cls, storage, *self.geometry, False)


@pytest.mark.parametrize(
    "geometry",
    [((1000,), (1,), 0), ((2,), (1,), 1), ((2,), (10**18,), 0), ((2**62, 2**62), (0, 0), 0), ((2,), (-1,), 0)],
)
def test_a_tensor_beyond_its_storage_is_refused(geometry):
    file = io.BytesIO()
    torch.save(Beyond(*geometry), file)
    file.seek(0)
    with pytest.raises((ValueError, RuntimeError, OverflowError, TypeError, IndexError)):
        torch.load(file).sum().item()
