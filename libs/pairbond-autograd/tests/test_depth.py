"""A million nodes in a row run backward and die in a thread with a 256 KiB stack.

With `PAIRBOND_LONG=1` it is a million of each kind; otherwise as many as take a moment, for which such a stack has no
room either.
"""

import gc
import os
import subprocess
import sys
import threading

import pairbond_autograd as torch
import pytest
from autograd_sentinels import Keep, alive, leaf

COUNT = 1_000_000 if os.environ.get("PAIRBOND_LONG") else 20_000


def on_a_small_stack(run):
    """Runs a function in such a thread."""
    caught = []

    def inside():
        try:
            run()
        except BaseException as error:
            caught.append(error)

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=inside)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    if caught:
        raise caught.pop()


def built_in(y, count):
    one = torch.tensor(1.0)
    for _ in range(count):
        y = y * one
    return y


def custom(y, count):
    for _ in range(count):
        y = Keep.apply(y)
    return y


def mixed(y, count):
    for i in range(count):
        y = Keep.apply(y) if i % 7 == 0 else y * 1.0
    return y


def touched(y, count):
    for _ in range(count):
        y = y * 1.0
        y.grad_fn.metadata
    return y


def with_attributes(y, count):
    before = None
    for i in range(count):
        y = y * 1.0
        y.grad_fn.number, y.grad_fn.before, before = i, before, y.grad_fn
    return y


def with_tensors(y, count):
    for _ in range(count):
        older, y = y, y * 1.0
        y.grad_fn.older = older
    return y


def custom_with_attributes(y, count):
    for i in range(count):
        y = Keep.apply(y)
        y.grad_fn.number, y.grad_fn.note = i, [i]
    return y


def linked_both_ways(y, count):
    before = y.grad_fn
    for _ in range(count):
        y = y * 1.0
        node = y.grad_fn
        if before is not None:
            node.before, before.after = before, node
        before = node
    return y


MAKE = [built_in, custom, mixed, touched, with_attributes, with_tensors, custom_with_attributes]


@pytest.mark.parametrize("run", [False, True], ids=["never run", "run"])
@pytest.mark.parametrize("make", MAKE)
@pytest.mark.slow
def test_a_long_chain(make, run):
    gc.collect()
    before = alive()

    def inside():
        gc.disable()
        x = leaf()
        y = make(x, COUNT).sum()
        if run:
            y.backward()
            assert x.grad is not None
        del y

    try:
        on_a_small_stack(inside)
        assert alive() <= before
    finally:
        gc.enable()


@pytest.mark.parametrize("make", [*MAKE, linked_both_ways])
@pytest.mark.slow
def test_a_long_chain_that_is_garbage(make):
    gc.collect()
    before = alive()

    def inside():
        x = leaf()
        y = make(x, COUNT)
        x.y = y
        del x, y
        gc.collect()

    on_a_small_stack(inside)
    assert alive() <= before


def test_a_long_chain_of_a_gradient():
    def inside():
        x = torch.tensor(1.0, requires_grad=True)
        y = built_in(x, COUNT)
        y.backward(create_graph=True)
        assert x.grad.item() == 1
        x.grad = None

    on_a_small_stack(inside)


BYTES = """
import os, pathlib
import pairbond_autograd as torch

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def chain(x, count):
    for _ in range(count):
        x = x * 2
    return x

x, count = torch.tensor([1.0], requires_grad=True), 300_000
chain(x, 1_000)
before = resident()
y = chain(x, count)
print((resident() - before) / count)
"""


@pytest.mark.large
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc: nothing says how much memory there is")
def test_bytes_of_a_node():
    """With its edges and what its derivative needs."""
    run = subprocess.run([sys.executable, "-c", BYTES], capture_output=True, text=True, check=True)
    assert float(run.stdout) <= 283
