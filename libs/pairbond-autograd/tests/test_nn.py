"""Modules, optimizers, batches and files."""

import math

import pairbond_autograd as torch
import pytest
from pairbond_autograd import nn, optim
from pairbond_autograd.utils import data


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Dropout(0.5), nn.Linear(4, 2, bias=False))
        self.shared = self.first
        self.register_buffer("count", torch.tensor([1.0]))
        self.register_buffer("cache", torch.tensor([0.0]), persistent=False)

    def forward(self, x):
        return self.rest(self.first(x))


def test_what_a_module_holds():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["first.weight", "first.bias", "rest.2.weight"]
    assert [name for name, _ in net.named_buffers()] == ["count", "cache"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "rest", "rest.0", "rest.1", "rest.2"]
    assert list(net.state_dict()) == [
        "count",
        "first.weight",
        "first.bias",
        "rest.2.weight",
        "shared.weight",
        "shared.bias",
    ]
    assert not net.eval().rest[1].training
    assert repr(net.rest) == (
        "Sequential(\n  (0): ReLU()\n  (1): Dropout(p=0.5, inplace=False)\n"
        "  (2): Linear(in_features=4, out_features=2, bias=False)\n)"
    )
    net.first = nn.Linear(3, 4)
    assert net.shared is not net.first
    del net.shared
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'shared'"):
        _ = net.shared
    with pytest.raises(
        TypeError, match=r"cannot assign 'int' as child module 'first' \(torch.nn.Module or None expected\)"
    ):
        net.first = 3


def test_an_attribute_before_init():
    class Early(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter([1.0])

    with pytest.raises(AttributeError, match=r"before Module.__init__"):
        Early()


def test_states_go_from_one_to_another():
    one, other = Net(), Net()
    weights = [*other.parameters()]
    keys = other.load_state_dict(one.state_dict())
    assert keys == ([], [])
    assert all(a is b for a, b in zip(weights, other.parameters(), strict=True))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    state = one.state_dict()
    del state["count"]
    state["first.weight"] = torch.tensor([1.0])
    state["more"] = torch.tensor([1.0])
    with pytest.raises(RuntimeError) as caught:
        other.load_state_dict(state)
    for text in (
        'Missing key(s) in state_dict: "count"',
        'Unexpected key(s) in state_dict: "more"',
        "size mismatch for first",
    ):
        assert text in str(caught.value)
    del state["first.weight"]
    assert other.load_state_dict(state, strict=False).unexpected_keys == ["more"]


def test_hooks_of_modules():
    layer, seen = nn.Linear(2, 1), []
    before = layer.register_forward_pre_hook(lambda module, args: seen.append(len(args)))
    after = layer.register_forward_hook(lambda module, args, result: result * 0)
    assert layer(torch.tensor([[1.0, 2.0]])).tolist() == [[0]]
    before.remove()
    after.remove()
    layer(torch.tensor([[1.0, 2.0]]))
    assert seen == [1]


def test_dropout():
    torch.manual_seed(3)
    layer, x = nn.Dropout(0.25), torch.tensor([[1.0] * 1000], requires_grad=True)
    y = layer(x)
    y.sum().backward()
    kept = sum(value != 0 for value in y.tolist()[0])
    assert 650 < kept < 850
    assert x.grad.tolist() == y.tolist()
    assert layer.eval()(x) is x
    torch.manual_seed(3)
    assert layer.train()(x).tolist() == y.tolist()


def test_layers():
    torch.manual_seed(1)
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3), nn.LayerNorm(3)
    )
    images = torch.tensor([[[[float(i * j) for i in range(4)] for j in range(4)]]] * 2)
    out = net(images)
    assert out.shape == (2, 3)
    nn.CrossEntropyLoss()(out, torch.tensor([0, 2])).backward()
    assert all(parameter.grad is not None for parameter in net.parameters())


def test_learning():
    torch.manual_seed(0)
    xor = data.TensorDataset(torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]]), torch.tensor([0, 1, 1, 0]))
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = optim.Adam(net.parameters(), lr=0.05)
    for _ in range(100):
        for x, y in data.DataLoader(xor, 2, shuffle=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
    assert net(xor.tensors[0]).argmax(1).tolist() == [0, 1, 1, 0]


def test_optimizers_have_a_state():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    one, other = (optim.SGD([x], lr=0.1, momentum=0.9) for _ in range(2))
    (x * x).sum().backward()
    one.step()
    other.load_state_dict(one.state_dict())
    assert other.state[x]["momentum_buffer"].tolist() == [2, 4]
    with pytest.raises(ValueError, match="empty parameter list"):
        optim.SGD([])
    with pytest.raises(ValueError, match="non-leaf"):
        optim.SGD([x * 2])
    with pytest.raises(ValueError, match="more than one"):
        optim.SGD([{"params": x}, {"params": [x]}])


def test_a_step_counts_as_writing():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = optim.SGD([x], lr=0.1)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation(.|\n)*sgd"):
        y.backward()


def test_files(tmp_path):
    tensors = {
        "floats": torch.tensor([[1.5, -2.0]]),
        "double": torch.tensor(0.1, dtype=torch.float64),
        "long": torch.tensor([1 << 60, -1]),
        "bool": torch.tensor([True, False]),
        "turned": torch.tensor([[1.0, 2.0], [3.0, 4.0]]).T,
        "none": torch.tensor([]),
    }
    path = tmp_path / "tensors.safetensors"
    torch.save_file(tensors, path, {"made by": "a test"})
    found = torch.load_file(path)
    assert {name: (it.dtype, it.tolist()) for name, it in found.items()} == {
        name: (it.dtype, it.tolist()) for name, it in tensors.items()
    }
    from pairbond_autograd.files import load_metadata

    assert load_metadata(path) == {"made by": "a test"}
    with pytest.raises(FileNotFoundError):
        torch.load_file(tmp_path / "missing")
    (tmp_path / "broken").write_bytes(b"nothing of that kind")
    with pytest.raises(ValueError, match=r"HeaderTooLarge|header|Header"):
        torch.load_file(tmp_path / "broken")


def test_batches():
    numbers = data.TensorDataset(torch.tensor([*range(10)]))
    assert [x.tolist() for (x,) in data.DataLoader(numbers, 4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(data.DataLoader(numbers, 4, drop_last=True)) == 2
    torch.manual_seed(5)
    shuffled = [i for (x,) in data.DataLoader(numbers, 3, shuffle=True, progress="numbers") for i in x.tolist()]
    assert sorted(shuffled) == [*range(10)] != shuffled

    class Pairs(data.Dataset):
        def __getitem__(self, index):
            return {"x": torch.tensor([index, index]), "y": index}

        def __len__(self):
            return 3

    (batch,) = data.DataLoader(Pairs(), 3)
    assert (batch["x"].tolist(), batch["y"].tolist()) == ([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    with pytest.raises(AssertionError, match="Size mismatch"):
        data.TensorDataset(torch.tensor([1]), torch.tensor([1, 2]))


def test_label_smoothing_with_weights_of_classes():
    logits, weight = torch.zeros(1, 2, dtype=torch.float64), torch.tensor([1.0, 3.0], dtype=torch.float64)
    loss = nn.functional.cross_entropy(logits, torch.tensor([0]), weight, label_smoothing=0.5)
    assert loss.item() == pytest.approx(1.5 * math.log(2))


def test_gradients_are_forgotten_or_made_zeros():
    layer = nn.Linear(2, 1)
    for target in (layer, optim.Adam(layer.parameters())):
        layer(torch.ones(2)).sum().backward()
        grad = layer.weight.grad
        target.zero_grad(set_to_none=False)
        assert layer.weight.grad is grad
        assert grad.tolist() == [[0, 0]]
        layer(torch.ones(2)).sum().backward(create_graph=True)
        target.zero_grad(set_to_none=False)
        assert layer.weight.grad.grad_fn is None
        assert not layer.weight.grad.requires_grad
        target.zero_grad()
        assert layer.weight.grad is None


def test_targets_fit_their_inputs():
    F, x = torch.nn.functional, torch.ones(4, 3, requires_grad=True)
    for loss in (F.cross_entropy, F.nll_loss):
        with pytest.raises(ValueError, match=r"Expected input batch_size \(4\) to match target batch_size \(2\)"):
            loss(x, torch.tensor([1, 2]))
        for wrong in (-1, 3):
            with pytest.raises(IndexError, match=f"Target {wrong} is out of bounds"):
                loss(x, torch.tensor([0, 1, wrong, 2]))
        with pytest.raises(RuntimeError, match=r"Expected target size \[4, 5\], got \[4, 6\]"):
            loss(torch.ones(4, 3, 5), torch.ones(4, 6, dtype=torch.int64))
        assert loss(torch.ones(3), torch.tensor(1)).shape == ()
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        F.binary_cross_entropy(torch.tensor([1.5]), torch.ones(1))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_batch_that_is_ignored_teaches_nothing(smoothing):
    x = torch.ones(2, 3, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(x, torch.tensor([-100, -100]), label_smoothing=smoothing)
    assert math.isnan(loss.item())
    loss.backward()
    assert x.grad.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_an_optimizer_of_parameters_that_a_module_converts():
    module = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(module.parameters(), lr=1.0)
    module.double()
    module(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
    before = module.weight.tolist()
    optimizer.step()
    assert module.weight.tolist() == [[number - 1 for number in before[0]]]
    assert [it.dtype for it in module.parameters()] == [torch.float64] * 2
