"""Programs that give a tensor the memory of another by `tensor.data = other`, for either library. What each returns is
the same in PyTorch; `test_other_data.py` says what it is."""

import copy
import pickle


def saved(torch, other):
    p, x = torch.ones(3, requires_grad=True), torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (p * x).sum()
    p.data = other
    y.backward()
    return x.grad.tolist(), p.grad.tolist(), name(p.grad.dtype)


def name(dtype):
    return str(dtype).rpartition(".")[2]


def saved_by_the_graph(torch):
    """A graph reads the numbers when it runs."""
    return saved(torch, torch.full((3,), 5.0))


def saved_of_another_dtype(torch):
    """Gradients of a graph that was recorded before are of the former dtype."""
    return saved(torch, torch.full((3,), 5.0).double())


def saved_of_another_shape(torch):
    return saved(torch, torch.full((4,), 5.0))


def a_graph_of_the_former_shape(torch):
    p = torch.ones(3, requires_grad=True)
    y = (p * 2).sum()
    p.data = torch.zeros(5)
    (g,) = torch.autograd.grad(y, p, retain_graph=True)
    y.backward()
    return g.tolist(), p.grad.tolist(), list(p.shape)


def a_graph_of_the_former_dtype(torch):
    p = torch.ones(3, requires_grad=True)
    y = (p * 2).sum()
    p.data = torch.zeros(3).double()
    y.backward()
    (p * 3).sum().backward()
    return p.grad.tolist(), name(p.grad.dtype)


def a_graph_while_the_former_is_alive(torch):
    p = torch.ones(3, requires_grad=True)
    former = p * 2
    p.data = torch.zeros(5)
    (p * 3).sum().backward()
    return former


def a_gradient_of_the_former_shape(torch):
    p = torch.ones(3, requires_grad=True)
    (p * 2).sum().backward()
    p.data = torch.zeros(5)
    assert list(p.grad.shape) == [3]
    (p * 2).sum().backward()


def a_gradient_of_the_former_shape_assigned(torch):
    p = torch.ones(3, requires_grad=True)
    p.data = torch.zeros(5)
    p.grad = torch.ones(3)


def without_the_former_gradient(torch):
    p = torch.ones(3, requires_grad=True)
    (p * 2).sum().backward()
    p.data, p.grad = torch.zeros(5), None
    (p * 2).sum().backward()
    return p.grad.tolist()


def versions(torch):
    p, other = torch.ones(3).add_(1).add_(1), torch.zeros(4).add_(1)
    seen = [p._version]
    p.data = other
    seen += [p._version]
    p.add_(1)
    p[:2].add_(1)
    p.detach().add_(1)
    p.data.add_(1)
    return [*seen, p._version, other._version, p.data._version, p[:1]._version]


def the_other_is_saved(torch):
    x = torch.ones(3, requires_grad=True)
    r, p = x * 2, torch.zeros(3)
    y = (r * r).sum()
    p.data = r
    p.add_(1)
    y.backward()
    return x.grad.tolist()


def written_through_data(torch):
    x = torch.ones(3, requires_grad=True)
    y = (x * x).sum()
    x.data.add_(1)
    y.backward()
    return x.grad.tolist()


def written_after(torch):
    p, x = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    y = (p * x).sum()
    p.data = torch.zeros(3)
    with torch.no_grad():
        p.add_(7)
    y.backward()


def the_other_written_after(torch):
    p, x, other = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True), torch.zeros(3)
    y = (p * x).sum()
    p.data = other
    other.add_(7)
    y.backward()
    return x.grad.tolist(), p.tolist()


def views_from_before(torch):
    p = torch.ones(4)
    v = p[:2]
    p.data = torch.zeros(4)
    v.add_(5)
    p.add_(1)
    return p.tolist(), v.tolist(), v._base is p


def a_written_view_from_before(torch):
    x = torch.ones(4, requires_grad=True)
    p = x * 1
    v = p[:2]
    p.data = torch.zeros(4)
    v.mul_(5)
    (g,) = torch.autograd.grad(v.sum(), x, retain_graph=True)
    (h,) = torch.autograd.grad(p.sum(), x)
    return g.tolist(), h.tolist(), v.tolist(), p.tolist()


def a_view_of_other_memory(torch):
    x = torch.ones(4, requires_grad=True)
    p = x * 1
    v = p[:2]
    v.data = torch.zeros(2)
    v.mul_(5)
    (g,) = torch.autograd.grad(p.sum(), x)
    return g.tolist(), v.tolist(), p.tolist(), v._base is p


def views_from_after(torch):
    x = torch.ones(4, requires_grad=True)
    p = x * 1
    p.data = torch.full((4,), 2.0)
    v = p[1:]
    v.mul_(5)
    (g,) = torch.autograd.grad((p * p).sum(), x)
    return g.tolist(), v.tolist(), p.tolist()


def what_was_computed(torch):
    x, seen = torch.ones(3, requires_grad=True), []
    y = x * 2
    y.register_hook(lambda grad: seen.append(list(grad.shape)))
    y.data = torch.full((3,), 4.0)
    (y * y).sum().backward()
    return x.grad.tolist(), seen, y.grad_fn.name(), y.is_leaf


def what_was_computed_of_another_shape(torch):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.data = torch.zeros(5)
    (y + 1).sum().backward()


def a_saved_result(torch):
    """It was saved as it was."""
    x = torch.zeros(3, requires_grad=True)
    y = x.exp()
    y.data = torch.full((3,), 5.0)
    y.sum().backward()
    return x.grad.tolist()


def a_result_that_a_function_saved(torch):
    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    x = torch.zeros(3, requires_grad=True)
    y = Exponential.apply(x)
    y.data = torch.full((3,), 5.0)
    y.sum().backward()
    return x.grad.tolist()


def expanded_before(torch):
    p = torch.ones(3, requires_grad=True)
    y = p.expand(2, 3)
    p.data = torch.zeros(3)
    y.sum().backward()
    return p.grad.tolist(), y.tolist()


def second_order(torch):
    p = torch.ones(3, requires_grad=True)
    (g,) = torch.autograd.grad((p * p * p).sum(), p, create_graph=True)
    p.data = torch.full((3,), 2.0)
    (h,) = torch.autograd.grad(g.sum(), p)
    return h.tolist()


def integers_where_gradients_are_required(torch):
    torch.ones(3, requires_grad=True).data = torch.arange(3)


def integers(torch):
    p = torch.ones(3)
    p.data = torch.arange(3)
    return p.tolist(), name(p.dtype)


def itself(torch):
    p = torch.ones(3, requires_grad=True)
    p.data = p
    (p * p).sum().backward()
    return p.requires_grad, p.tolist(), p.is_leaf, p.grad.tolist()


def one_that_requires_a_gradient(torch):
    p, other = torch.ones(3), torch.ones(3, requires_grad=True) * 2
    p.data = other
    return p.requires_grad, p.is_leaf, p.tolist()


def strides(torch):
    p, other = torch.ones(3, requires_grad=True), torch.arange(7.0)[1:].reshape(2, 3).t()
    p.data = other
    (p * p).sum().backward()
    return p.stride(), p.storage_offset(), p.grad.tolist(), p.data_ptr() == other.data_ptr()


def hooks(torch):
    p, seen = torch.ones(3, requires_grad=True), []
    p.register_hook(lambda grad: seen.append(list(grad.shape)))
    p.register_post_accumulate_grad_hook(lambda it: seen.append((it is p, list(it.grad.shape))))
    p.data = torch.zeros(5).double()
    (p * 2).sum().backward()
    return seen


def copies(torch):
    p = torch.ones(3, requires_grad=True)
    p.data = torch.arange(6.0).reshape(2, 3).t()
    both = copy.deepcopy(p), pickle.loads(pickle.dumps(p)), copy.copy(p)
    return [(it.tolist(), it.stride(), it.requires_grad) for it in both], both[2].data_ptr() == p.data_ptr()


def momentum_of_another_shape(torch):
    stepped_twice(torch, torch.optim.SGD, momentum=0.9)


def averages_of_another_shape(torch):
    stepped_twice(torch, torch.optim.Adam)


def averages_of_another_dtype(torch):
    stepped_twice(torch, torch.optim.Adam, other=torch.ones(3).double())


def stepped_twice(torch, optimizer, other=None, **options):
    p = torch.ones(3, requires_grad=True)
    steps = optimizer([p], lr=0.1, **options)
    (p * 2).sum().backward()
    steps.step()
    p.data = torch.ones(5) if other is None else other
    steps.zero_grad()
    (p * 2).sum().backward()
    steps.step()


def a_step_of_another_shape(torch):
    p = torch.ones(3, requires_grad=True)
    steps = torch.optim.SGD([p], lr=0.1)
    (p * 2).sum().backward()
    p.data = torch.ones(5)
    steps.step()


def a_module_of_another_dtype(torch):
    m, x, seen = torch.nn.Linear(2, 1), torch.ones(1, 2), []
    before = list(m.parameters())
    steps = torch.optim.SGD(m.parameters(), lr=1.0)
    m.weight.register_hook(lambda grad: seen.append(name(grad.dtype)))
    m(x).sum().backward()
    m.double()
    seen += [name(m.weight.grad.dtype)]
    start = m.weight.tolist()
    m(x.double()).sum().backward()
    steps.step()
    moved = [round(one - other, 6) for one, other in zip(start[0], m.weight.tolist()[0], strict=True)]
    same = [one is other for one, other in zip(before, m.parameters(), strict=True)]
    return same, seen, moved, name(m.float().weight.dtype)


def set_(torch):
    p, other = torch.ones(3), torch.zeros(4)
    seen = p.set_(other) is p, p.tolist(), p._version
    other.add_(1)
    return *seen, p.tolist(), p._version


def set_of_a_leaf(torch):
    torch.ones(3, requires_grad=True).set_(torch.zeros(3))


def set_of_another_dtype(torch):
    torch.ones(3).set_(torch.zeros(3).double())


def deleted(torch):
    del torch.ones(3).data


def no_tensor(torch):
    torch.ones(3).data = 5


PROGRAMS = [it for it in list(vars().values()) if callable(it) and it not in (name, saved, stepped_twice)]
