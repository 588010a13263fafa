"""A million nodes in a row run backward and die in a thread with a 256 KiB stack.

With `PAIRBOND_LONG=1` it is a million; otherwise a hundred thousand, for which such a stack has no room either.
"""

import gc
import os
import sys
import threading

import pairbond_autograd as torch
import pytest
from autograd_sentinels import Keep, alive, leaf

COUNT = 1_000_000 if os.environ.get("PAIRBOND_LONG") else 100_000


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
    for _ in range(count // 10):
        y = Keep.apply(y)
    return y


def mixed(y, count):
    for i in range(count // 10):
        y = Keep.apply(y) if i % 7 == 0 else y * 1.0
    return y


def touched(y, count):
    for _ in range(count // 4):
        y = y * 1.0
        y.grad_fn.metadata
    return y


def with_attributes(y, count):
    before = None
    for i in range(count // 4):
        y = y * 1.0
        y.grad_fn.number, y.grad_fn.before, before = i, before, y.grad_fn
    return y


def with_tensors(y, count):
    for _ in range(count // 4):
        older, y = y, y * 1.0
        y.grad_fn.older = older
    return y


@pytest.mark.parametrize("run", [False, True], ids=["never run", "run"])
@pytest.mark.parametrize("make", [built_in, custom, mixed, touched, with_attributes, with_tensors])
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


@pytest.mark.skipif(
    sys.version_info[:2] == (3, 13), reason="CPython 3.13 overflows such a stack with attributes of plain objects, too"
)
def test_a_long_chain_that_is_garbage():
    gc.collect()
    before = alive()

    def inside():
        x = leaf()
        y = with_attributes(x, COUNT // 4)
        x.y = y
        del x, y
        gc.collect()

    on_a_small_stack(inside)
    assert alive() <= before


def test_a_long_chain_of_a_gradient():
    def inside():
        x = torch.tensor(1.0, requires_grad=True)
        y = built_in(x, COUNT // 10)
        y.backward(create_graph=True)
        assert x.grad.item() == 1
        x.grad = None

    on_a_small_stack(inside)
