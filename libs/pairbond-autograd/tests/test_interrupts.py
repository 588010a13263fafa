"""Ctrl-C during `backward`: it ends between two steps, and each gradient was added as a whole or not at all."""

import signal
import time

import pairbond_autograd as torch
import pytest

pytestmark = [pytest.mark.large, pytest.mark.threads]


class Interrupted(Exception):
    pass


def late_or_never(tensor):
    tensor.backward()
    time.sleep(10)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers that send signals")
def test_backward_ends():
    def handler(number, frame):
        raise Interrupted

    def graph(steps):
        x = torch.ones(4, requires_grad=True)
        y = x
        for _ in range(steps):
            y = y * 1.0
        return x, y.sum()

    steps = 2_000
    while True:
        x, y = graph(steps)
        began = time.perf_counter()
        y.backward()
        whole = time.perf_counter() - began
        if whole > 0.5 or steps > 5_000_000:
            break
        steps = int(steps * min(max(0.7 / max(whole, 1e-9), 1.2), 20))
    assert x.grad.tolist() == [1.0] * 4
    x, y = graph(steps)
    before = signal.signal(signal.SIGALRM, handler)
    began = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, whole / 4)
        with pytest.raises(Interrupted):
            late_or_never(y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    late = time.perf_counter() - began - whole / 4
    assert late < 0.2 or late < whole / 4, (late, whole)
    assert x.grad is None
    # The engine can be used again.
    x, y = graph(10)
    y.backward()
    assert x.grad.tolist() == [1.0] * 4
