"""What modules hold, beside torch's: representations, names, states, containers and errors."""

# ruff: noqa: E501  (each expression is one line)

import copy
import pickle

import pytest

pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

from nn_comparison import expressions, near, ours, theirs


def make(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU())
            self.again = self.body[0]
            self.scale = nn.Parameter(torch.ones(1))
            self.register_buffer("seen", torch.zeros(2))
            self.register_buffer("cache", torch.zeros(2), persistent=False)
            self.empty = None

        def forward(self, x):
            return self.body(x) * self.scale

    net = Net()
    with torch.no_grad():
        for number, parameter in enumerate(net.parameters()):
            parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape) / 10 + number)
    return net


def plain(torch, value):
    if isinstance(value, torch.Tensor):
        return [value.tolist(), str(value.dtype).split(".")[-1]]
    if isinstance(value, (list, tuple)):
        return [plain(torch, it) for it in value]
    if isinstance(value, dict):
        return [[key, plain(torch, it)] for key, it in value.items()]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def result(torch, expression):
    names = {"torch": torch, "nn": torch.nn, "net": make(torch), "copy": copy, "pickle": pickle, "U": torch.nn.utils}
    try:
        return plain(torch, eval(expression, names))
    except Exception as error:
        if isinstance(error, (NameError, SyntaxError)):
            raise
        return type(error).__name__, str(error).replace("pairbond_autograd.nn.linear", "torch.nn.modules.linear")


def same(expression):
    here, there = result(ours, expression), result(theirs, expression)
    assert here == there
    return there


@expressions("""
    nn.Conv2d(2, 4, 3)
    nn.Conv2d(2, 4, 3, 2, 1, 2, 2, False)
    nn.Conv1d(1, 2, 3, padding="same")
    nn.Linear(2, 3)
    nn.Identity()
    nn.Flatten()
    nn.LayerNorm(3)
    nn.LayerNorm((2, 3), 1e-3, False)
    nn.BatchNorm1d(3)
    nn.BatchNorm2d(3, momentum=None)
    nn.Dropout()
    nn.ReLU()
    nn.ReLU(True)
    nn.GELU()
    nn.GELU("tanh")
    nn.Softmax(1)
    nn.Softmax()
    nn.Sigmoid()
    nn.Tanh()
    nn.MaxPool2d(2)
    nn.MaxPool2d((2, 3), ceil_mode=True)
    nn.AvgPool2d(2)
    nn.MSELoss()
    nn.CrossEntropyLoss()
    nn.BCEWithLogitsLoss()
    net
    nn.Sequential()
    nn.ModuleList()
    nn.Sequential(nn.Sequential(nn.ReLU()))
    nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Sequential(nn.Linear(1, 2)), nn.Sequential(nn.Linear(1, 2)), nn.Tanh()])
""")
def test_representations(expression):
    same(expression)


@expressions("""
    [name for name, _ in net.named_parameters()]
    [name for name, _ in net.named_parameters("at", remove_duplicate=False)]
    [name for name, _ in net.named_parameters(recurse=False)]
    [name for name, _ in net.named_buffers("at")]
    [name for name, _ in net.named_modules(prefix="at")]
    [name for name, _ in net.named_modules(remove_duplicate=False)]
    [name for name, _ in net.named_children()]
    list(net.state_dict()), list(net.state_dict(prefix="p."))
    [it.requires_grad for it in net.state_dict(keep_vars=True).values()], [it.requires_grad for it in net.state_dict().values()]
    net.get_submodule("body.0"), net.get_parameter("body.0.weight"), net.get_buffer("body.1.running_var"), net.get_submodule("") is net
    net.double()(torch.ones(2, 2).double()), net.double().float().scale.clone(), net.seen, [it.dtype == torch.float64 for it in net.double().buffers()]
    net.double().again.weight is net.body[0].weight, net.to("cpu") is net, net.to(torch.float64).seen, net.to("cpu", torch.float64).scale
    net.to(torch.ones(1, dtype=torch.float64)).scale, net.cpu().scale is net.scale, net.requires_grad_(False).scale.requires_grad
    net.train(False).training, net.body[1].training, net.eval().body[1].training, net.train().body[1].training
    (net.load_state_dict(net.state_dict()), net.load_state_dict({"x": torch.ones(1)}, strict=False), net.load_state_dict(net.state_dict(), assign=True))
    [net.load_state_dict({**net.state_dict(), "scale": torch.ones(1) * 7}, assign=a) and net.scale for a in (False, True)]
    copy.deepcopy(net).state_dict(), pickle.loads(pickle.dumps(net.body)).state_dict(), copy.copy(net).scale is net.scale
    (lambda s: [s[1:], s[-1], len(s[:2]), s.append(nn.Tanh()), s.insert(1, nn.Sigmoid()), s.pop(0), s.extend([nn.ReLU()]), s * 2, s + s])(net.body)
    (lambda s: [s.__iadd__(nn.Sequential(nn.Tanh())), s.__imul__(2), s.__delitem__(slice(1, 3)), s])(net.body)
    (lambda s: [s.append(nn.Tanh()), s[0:2], s.insert(0, nn.ReLU()), s + [nn.Tanh()], s.pop(1), s.__delitem__(0), s.__iadd__([nn.GELU()])])(nn.ModuleList([nn.ReLU()]))
    [nn.init.calculate_gain(name) for name in ("linear", "relu", "tanh", "selu", "conv2d", "leaky_relu")], nn.init.calculate_gain("leaky_relu", 0.2)
""")
def test_what_modules_do(expression):
    assert not isinstance(same(expression), tuple)


@expressions("""
    net.load_state_dict({"scale": torch.ones(3), "more": torch.ones(1), "body.0.weight.x": torch.ones(1), "body.7": torch.ones(1)})
    net.load_state_dict([1])
    net.load_state_dict({**net.state_dict(), "scale": 3})
    setattr(net, "scale", 3)
    setattr(net, "body", 3)
    setattr(net, "seen", 3)
    net.nothing
    net.register_parameter("a.b", None)
    net.register_parameter("", None)
    net.register_parameter(3, None)
    net.register_parameter("seen", nn.Parameter(torch.ones(1)))
    net.register_parameter("new", torch.ones(1))
    net.register_parameter("forward", None)
    net.register_buffer("scale", torch.ones(1))
    net.register_buffer("a.b", None)
    net.register_buffer("new", 3)
    net.register_module("a.b", None)
    net.register_module("", None)
    net.add_module("new", 3)
    net.add_module("scale", nn.ReLU())
    nn.Module()(3)
    net.to(torch.int64)
    net.get_submodule("body.nothing")
    net.get_submodule("scale")
    net.get_parameter("seen")
    net.get_buffer("scale")
    net.train(1)
    nn.init.kaiming_uniform_(torch.ones(2, 2), mode="in")
    nn.init.xavier_uniform_(torch.ones(2))
    nn.Sequential(3)
    net.body[7]
    net.body + [1]
    nn.init.kaiming_uniform_(torch.ones(2))
    nn.init.calculate_gain("some")
""")
def test_what_modules_refuse(expression):
    assert isinstance(same(expression), tuple)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, float("inf")])
def test_clipping(p):
    def program(torch):
        x, y = (torch.arange(4).reshape(2, 2).double().requires_grad_() for _ in range(2))
        (x * x + y * 3).sum().backward()
        norm = torch.nn.utils.clip_grad_norm_([x, y], 2.0, p)
        return [norm.item(), x.grad.tolist(), y.grad.tolist()]

    near(program(ours), program(theirs), 1e-9, "")


def test_distributions_of_what_begins():
    init, torch = ours.nn.init, ours
    torch.manual_seed(4)
    bound = init.kaiming_uniform_(torch.zeros(100, 50), nonlinearity="relu").abs().max().item()
    assert 0.34 < bound <= (6 / 50) ** 0.5
    assert init.xavier_uniform_(torch.zeros(100, 100)).std().item() == pytest.approx(0.1, rel=0.05)
    assert init.normal_(torch.zeros(4000), 1.0, 0.5).mean().item() == pytest.approx(1.0, abs=0.05)


def test_hooks_with_keywords_and_order():
    def program(torch):
        class Adds(torch.nn.Module):
            def forward(self, x, more=0):
                return x + more

        module, seen = Adds(), []
        module.register_forward_hook(lambda *_: seen.append("second"))
        module.register_forward_hook(lambda *_: seen.append("first"), prepend=True)
        module.register_forward_pre_hook(lambda _, args, kwargs: (args, {"more": kwargs["more"] * 2}), with_kwargs=True)
        module.register_forward_hook(lambda _, args, kwargs, out: out + kwargs["more"], with_kwargs=True)
        return module(torch.ones(1), more=3).item(), seen

    assert program(ours) == program(theirs)


def test_what_modules_share_they_share_in_another_dtype():
    def program(torch):
        one, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        other.weight = one.weight
        one.weight.grad = torch.ones(2, 2)
        both = torch.nn.Sequential(one, other).double()
        assert both[1].weight.dtype == both[0].weight.grad.dtype == torch.float64
        return both[0].weight is both[1].weight, len(list(both.parameters())), both[0].bias is both[1].bias

    assert program(ours) == program(theirs) == (True, 3, False)
