"""Kernels on several threads: the same numbers, after a fork, beside other threads, and when the interpreter ends."""

import contextlib
import os
import random
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pairbond_autograd as torch
import pytest
from autograd_threads import together
from pairbond_autograd.nn import functional

pytestmark = [pytest.mark.large, pytest.mark.threads]

TASKS = Path("/proc/self/task")
HERE = Path(__file__).parent
needs_tasks = pytest.mark.skipif(not TASKS.exists(), reason="the system does not say which threads there are")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def workers():
    """How many threads of kernels there are."""
    count = 0
    for task in TASKS.iterdir():
        with contextlib.suppress(OSError):  # one that has ended meanwhile
            count += (task / "comm").read_text().startswith("pairbond-kern")
    return count


@pytest.fixture(autouse=True)
def _as_before():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_the_number_of_threads():
    for count in (1, 5, 2):
        assert torch.set_num_threads(count) is None
        assert torch.get_num_threads() == count
    for count in (0, -1):
        with pytest.raises(RuntimeError, match="set_num_threads expects a positive integer"):
            torch.set_num_threads(count)
    for count in ("2", 2.0, None):
        with pytest.raises(TypeError):
            torch.set_num_threads(count)
    assert torch.get_num_threads() == 2


def run(program, **environ):
    """What a program prints, in an interpreter of its own."""
    env = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    head = f"import sys; sys.path.insert(0, {str(HERE)!r})\nimport pairbond_autograd as torch\n"
    command = [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", "-c", head + textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env | environ)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def test_the_environment_says_how_many():
    ask = "print(torch.get_num_threads())"
    may = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    # A quota of a container may allow fewer than there are.
    ours = run(ask)
    assert 1 <= int(ours) <= may
    for said, count in {"1": "1", "5": "5", " 3 ,2": "3"}.items():
        assert run(ask, OMP_NUM_THREADS=said) == count
    for nothing in ("", "0", "many"):
        assert run(ask, OMP_NUM_THREADS=nothing) == ours
    assert run("torch.set_num_threads(2); print(torch.get_num_threads())", OMP_NUM_THREADS="5") == "2"


@needs_tasks
def test_threads_are_made_when_they_are_needed():
    program = """
        from test_kernel_threads import workers
        torch.set_num_threads(3)
        found = [workers()]
        small, large = torch.randn(20, 20), torch.randn(200, 200)
        (small @ small).exp().sum()
        found.append(workers())
        large @ large
        found.append(workers())
        large @ large
        found.append(workers())
        print(found)
    """
    assert run(program) == "[0, 0, 2, 2]"


def leaf(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype).requires_grad_()


def products(*shapes, dtype=torch.float32):
    def compute():
        a, b = (leaf(*shape, dtype=dtype) for shape in shapes)
        return a @ b, a, b

    return compute


def transposed():
    a, b = leaf(157, 130), leaf(143, 157)
    return a.t() @ b.t(), a, b


def convolution(images, weights, **how):
    def compute():
        x, weight, bias = leaf(*images), leaf(*weights), leaf(weights[0])
        return functional.conv2d(x, weight, bias, **how), x, weight, bias

    return compute


def second_order():
    x, weight = leaf(7, 5, 31, 29), leaf(8, 5, 3, 3)
    y = functional.conv2d(x, weight, padding=1)
    gx, gw = torch.autograd.grad(y, [x, weight], torch.randn(*y.shape), create_graph=True)
    return (gx * gx).sum() + (gw * gw).sum(), x, weight


def of(function, *shape, dtype=torch.float32, spread=1.0):
    def compute():
        x = leaf(*shape, dtype=dtype)
        return function(x * spread), x

    return compute


def stretched():
    """Rows, columns and parts of larger tensors."""
    x = leaf(190, 180)
    part = x[1:, ::2]
    return (part.t() * x[1:, 3]).sin() + part[:, :1].t().pow(2.5), x


def optimizer(kind, **how):
    def compute():
        x = leaf(601, 503)
        steps = getattr(torch.optim, kind)([x], **how)
        for _ in range(2):
            steps.zero_grad()
            (x * x).sum().backward()
            steps.step()
        return x.detach(), x

    return compute


def in_place():
    x = torch.randn(601, 503)
    y = torch.randn(601, 503)
    x += y
    x[1:].mul_(y[1:])
    return (x,)


KINDS = {
    "square": products((129, 131), (131, 137)),
    "float64": products((129, 131), (131, 137), dtype=torch.float64),
    "many rows": products((1201, 33), (33, 61)),
    "many columns": products((7, 129), (129, 2501)),
    "one row": products((1, 2048), (2048, 1031)),
    "one column": products((1031, 2048), (2048, 1)),
    "large": products((257, 263), (263, 311)),
    "transposed": transposed,
    "batch": products((37, 41, 43), (37, 43, 47)),
    "small batch": products((2, 129, 131), (2, 131, 137)),
    "stretched batch": products((5, 1, 61, 63), (3, 63, 65)),
    "rows of a batch": products((5, 61, 63), (63, 165)),
    "conv": convolution((9, 3, 31, 29), (11, 3, 3, 3), padding=1),
    "conv of one image": convolution((1, 8, 61, 59), (16, 8, 3, 3)),
    "conv with groups": convolution((11, 6, 43, 41), (18, 3, 5, 3), groups=2, stride=2, padding=(2, 1)),
    "conv with dilation": convolution((7, 4, 30, 31), (9, 4, 3, 3), dilation=2, padding=2),
    "conv, many images": convolution((67, 1, 13, 11), (16, 1, 3, 3), padding=1),
    "conv, second order": second_order,
    "exp": of(torch.exp, 501, 503),
    "log": of(lambda x: (x * x).log(), 300_007),
    "gelu": of(functional.gelu, 300_007, dtype=torch.float64),
    "tanh, not in order": of(lambda x: x.t().tanh(), 501, 503),
    "sin": of(torch.sin, 30_011, spread=1e3),
    "pow": of(lambda x: x.abs().pow(2.5), 30_011),
    "stretched": stretched,
    "softmax": of(lambda x: x.softmax(1), 601, 301),
    "log_softmax": of(lambda x: x.log_softmax(-1), 3, 201, 301),
    "softmax across": of(lambda x: x.softmax(1), 11, 151, 101),
    "sum of rows": of(lambda x: x.sum(1), 1201, 503),
    "sum of columns": of(lambda x: x.sum(0), 1201, 503),
    "sums inside": of(lambda x: x.sum((0, 2)), 61, 101, 103),
    "sums outside": of(lambda x: x.t().sum(1), 1201, 503),
    "mean": of(lambda x: x.mean(1), 1201, 503),
    "sum of all": of(lambda x: x.sum(), 601, 503),
    "amax": of(lambda x: x.amax(0), 601, 503),
    "max": of(lambda x: x.max(1).values, 601, 503),
    "cumsum": of(lambda x: x.cumsum(1), 601, 503),
    "max_pool": of(lambda x: functional.max_pool2d(x, 3, 2, 1), 7, 9, 61, 59),
    "avg_pool": of(lambda x: functional.avg_pool2d(x, 3, 2, 1), 3, 5, 61, 59),
    "sgd": optimizer("SGD", lr=0.1, momentum=0.9),
    "adam": optimizer("Adam", lr=0.1, amsgrad=True),
    "in place": in_place,
}


def numbers(kind, seed):
    """The bytes of a result and of all gradients."""
    torch.manual_seed(seed)
    out, *leaves = kind()
    if out.requires_grad:
        out.backward(torch.randn(*out.shape))
    return [bytes(memoryview(t.detach().clone())) for t in [out, *(x.grad for x in leaves)]]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_same_numbers_whatever_the_threads(kind):
    seed = random.randrange(2**32)
    print("seed", seed)
    torch.set_num_threads(1)
    expected = numbers(kind, seed)
    for count in (2, 3, 7):
        torch.set_num_threads(count)
        # Not assert ==, which would show all of it.
        same = [a == b for a, b in zip(numbers(kind, seed), expected, strict=True)]
        assert all(same), (count, same)


def test_large_arithmetic():
    """Whose results are made of pages that are new."""
    x = torch.arange(2 * (1 << 22) + 6).to(torch.float32)
    y = x.reshape(2, -1)
    for compute in (lambda: x + x, lambda: y * y[:, :1], lambda: -y.t(), lambda: torch.where(y > 5, y, 1.0)):
        found = []
        for count in (1, 3):
            torch.set_num_threads(count)
            found.append(bytes(memoryview(compute())))
        assert found[0] == found[1]


@needs_tasks
def test_there_are_never_more_threads_than_were_asked_for():
    torch.set_num_threads(4)
    a, most = torch.randn(220, 220), []
    expected = (a @ a).tolist()
    assert workers() == 3

    def run():
        for _ in range(30):
            found = a @ a
            most.append(workers())
        assert found.tolist() == expected

    together(*[run] * 6)
    assert max(most) == 3
    torch.set_num_threads(2)
    a @ a
    # Those that are too many end by themselves.
    for _ in range(10_000):
        if workers() == 1:
            break
        threading.Event().wait(0.001)
    assert workers() == 1


def test_one_graph_on_several_threads():
    torch.set_num_threads(3)
    torch.manual_seed(0)
    images, weight = leaf(6, 4, 30, 30), leaf(8, 4, 3, 3)
    y = functional.conv2d(images, weight, padding=1).flatten(1)
    loss = (y @ y.t() * 1e-4).tanh().sum()

    def run():
        for _ in range(4):
            found = torch.autograd.grad(loss, [images, weight], retain_graph=True)
            assert [grad.tolist() for grad in found] == expected

    torch.set_num_threads(1)
    expected = [grad.tolist() for grad in torch.autograd.grad(loss, [images, weight], retain_graph=True)]
    torch.set_num_threads(3)
    together(*[run] * 4)


def test_an_error_of_a_large_kernel_is_raised_as_itself():
    torch.set_num_threads(3)
    a = torch.randn(200, 200)
    for _ in range(3):
        with pytest.raises(MemoryError):
            torch.zeros(1).expand(1 << 44).exp()
        with pytest.raises(MemoryError):
            torch.zeros(1, 1).expand(1 << 21, 1) @ torch.zeros(1, 1).expand(1, 1 << 21)
        a @ a


FORK = """
    import os, threading, time
    from test_kernel_threads import workers
    torch.set_num_threads(3)
    a = torch.randn(200, 200)
    expected = (a @ a).tolist()

    def child(depth):
        '''Computes in a new process; there, too, and so on.'''
        pid = os.fork()
        if pid:
            return os.waitpid(pid, 0)[1]
        status = 1
        try:
            alone = workers()
            same = (a @ a).tolist() == expected
            if {started}:
                status = 0 if same and (alone, workers()) == (0, 2) else 2
            else:
                status = 0 if same else 3
            if depth:
                status = child(depth - 1) or status
        finally:
            os._exit(status)

    {body}
    assert (a @ a).tolist() == expected and workers() == 2
    print("done")
"""

FORKS = {
    "nobody computes": (True, "assert child(2) == 0"),
    # The lock may be held just then: what is promised is that the child computes.
    "others compute": (
        False,
        """
    stop = threading.Event()
    def compute():
        while not stop.is_set():
            a @ a
    others = [threading.Thread(target=compute) for _ in range(3)]
    for other in others:
        other.start()
    statuses = [child(0) for _ in range(40)]
    stop.set()
    for other in others:
        other.join()
    assert set(statuses) == {0}, statuses
    """,
    ),
    "multiprocessing": (
        True,
        """
    import multiprocessing
    def compute(_):
        return (a @ a).tolist() == expected, workers()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(compute, range(6)) == [(True, 2)] * 6
    """,
    ),
}


@needs_fork
@needs_tasks
@pytest.mark.parametrize("fork", FORKS.values(), ids=FORKS)
def test_after_a_fork(fork):
    started, body = fork
    assert run(FORK.replace("{started}", str(started)).replace("{body}", body.strip())) == "done"


ENDS = {
    "a daemon thread computes": "",
    "a daemon thread computes with other numbers of threads": "torch.set_num_threads(1 + number % 4)",
    "a daemon thread runs a graph": "((a.detach().requires_grad_() @ a).exp()).sum().backward()",
}


@pytest.mark.parametrize("body", ENDS.values(), ids=ENDS)
def test_the_end(body):
    program = f"""
        import pairbond, threading
        torch.set_num_threads(3)
        a, started = torch.randn(300, 300), threading.Event()
        def compute(number=0):
            try:
                while True:
                    a @ a
                    number += 1
                    {body}
                    started.set()
            except pairbond.ClosedError:
                pass
        for _ in range(2):
            threading.Thread(target=compute, daemon=True).start()
        started.wait()
        print("done", flush=True)
    """
    for _ in range(5):
        assert run(program) == "done"
