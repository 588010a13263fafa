"""Graphs that several threads use, and graphs that are there when the interpreter ends."""

import gc
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from pathlib import Path

import pairbond_autograd as torch
import pairbond_holders as native
import pytest
from autograd_sentinels import Keep, Sentinel, leaf
from autograd_threads import together


def test_each_thread_adds_to_the_same_gradient():
    x = leaf()

    def run():
        for _ in range(50):
            (x * 2).sum().backward()
            Keep.apply(x).sum().backward()

    together(*[run] * 4)
    assert x.grad.tolist() == [4 * 50 * 4] * 2


def test_one_graph_on_several_threads():
    x = leaf()
    y = Keep.apply(x * x) * x

    def run():
        for _ in range(25):
            y.sum().backward(retain_graph=True)

    together(*[run] * 4)
    assert x.grad.tolist() == [100 * 6, 100 * 24]


def test_recording_is_a_thread_s_own():
    with torch.no_grad():
        seen = []
        together(lambda: seen.append(torch.is_grad_enabled()))
        assert seen == [True]


def test_collecting_while_others_run():
    stop = threading.Event()

    def run():
        try:
            for _ in range(100):
                x = leaf()
                y = Keep.apply(x)
                y.grad_fn.y = y
                (y * x).sum().backward()
                assert x.grad.tolist() == [4, 8]
        finally:
            stop.set()

    def collect():
        while not stop.is_set():
            gc.collect()

    together(run, run, collect)


def test_native_threads_drop_the_last_reference():
    """Contexts are finalized in due time, once each."""
    dead = []

    def graph():
        y = Keep.apply(Keep.apply(leaf()))
        y.grad_fn.last = Sentinel()
        weakref.finalize(y.grad_fn.last, lambda: dead.append(1))
        return y

    native.drop_slowly([graph() for _ in range(100)], 1)
    until = time.monotonic() + 60
    while len(dead) < 100 and time.monotonic() < until:
        time.sleep(0.001)
    assert len(dead) == 100


PROGRAM = """
    import gc, sys, threading, time
    sys.path.insert(0, {tests!r})
    import pairbond
    import pairbond_autograd as torch
    import pairbond_holders as native
    from autograd_sentinels import Keep, leaf

    def graph(count):
        x = leaf()
        y = x
        for i in range(count):
            y = Keep.apply(y) if i % 3 else y * 1.0
            y.grad_fn.note = [i]
        y.grad_fn.last = y
        y.register_hook(lambda grad: None)
        return y

    {body}
    print("done", flush=True)
"""

BODIES = {
    "a daemon thread runs on": """
    def forever():
        try:
            while True:
                graph(20).sum().backward()
        except pairbond.ClosedError:
            pass
    for _ in range(2):
        threading.Thread(target=forever, daemon=True).start()
    time.sleep(0.3)
    """,
    "a daemon thread runs a hook forever": """
    def forever(grad):
        while True:
            time.sleep(0.001)
    x = leaf()
    y = x * 2
    y.register_hook(forever)
    threading.Thread(target=lambda: y.sum().backward(), daemon=True).start()
    time.sleep(0.2)
    """,
    "native threads drop graphs while Python is busy": """
    native.drop_slowly([graph(5) for _ in range(500)], 5)
    until = time.monotonic() + 0.2
    while time.monotonic() < until:
        graph(5).sum().backward()
    """,
    "native threads drop graphs while Python is blocked": """
    native.drop_slowly([graph(5) for _ in range(500)], 5)
    time.sleep(0.2)
    """,
    "native threads drop graphs while Python ends": """
    native.drop_slowly([graph(20) for _ in range(300)], 50)
    native.drop_slowly([graph(20).grad_fn for _ in range(300)], 100)
    """,
    "native threads drop graphs for ever": """
    native.work_for_ever(pairbond.List([1]), graph(20))
    time.sleep(0.1)
    """,
    "native threads run a hook for ever": """
    y = graph(5)
    def again():
        y.sum().backward(retain_graph=True)
    native.call_for_ever(again)
    time.sleep(0.2)
    """,
    "globals hold graphs": """
    y = graph(2000)
    (y * y).sum().backward(create_graph=True)
    """,
    "a finalizer at the end runs a graph": """
    class Last:
        y = graph(10)
        def __del__(self, y=y, Closed=pairbond.ClosedError):
            try:
                y.sum().backward()
            except Closed:
                pass
    last = Last()
    """,
    "an exception holds a graph": """
    try:
        graph(3).sum().backward(torch.tensor([1.0, 2.0]))
    except RuntimeError as error:
        kept = error
    """,
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.slow
def test_the_end(body):
    """No deadlock and no crash when the interpreter ends, whatever is under way; what needs Python then says so."""
    program = textwrap.dedent(PROGRAM).format(tests=str(Path(__file__).parent), body=textwrap.dedent(body).strip("\n"))
    for _ in range(3):
        done = subprocess.run([sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


GONE = """
    import sys, time
    sys.path[:0] = [{tests!r}, {shared!r}]
    from interpreters import KINDS, Interpreter
    import pairbond, pairbond_autograd
    import pairbond_holders as native

    def alive():
        return pairbond.stats()["types"].get("pairbond_autograd.Tensor", {{"objects": 0}})["objects"]

    for kind in KINDS:
        for contexts in (False, True):
            before = alive()
            with Interpreter(kind) as other:
                other.run(f'''if True:
                    import sys
                    sys.path.insert(0, {tests!r})
                    import pairbond_holders as native
                    from autograd_sentinels import Keep, leaf
                    y = leaf()
                    for i in range(50):
                        y = Keep.apply(y) if {{contexts}} and i % 3 else y * 1.0
                        y.grad_fn.note = [i]
                    y.register_hook(lambda grad: None)
                    native.put_global(y)
                ''')
            assert alive() > before
            native.drop_slowly([native.get_global()], 1)
            native.put_global(None)
            until = time.monotonic() + 60
            # Selfs of classes that were made in Python stay as they were when their interpreter ended.
            while alive() > before and time.monotonic() < until - 59.5 * contexts:
                time.sleep(0.001)
            assert contexts or alive() == before
    print("done", flush=True)
"""


def test_the_last_reference_goes_when_the_interpreter_is_gone():
    tests = Path(__file__).parent
    shared = tests.parents[2] / "tests" / "python"
    program = textwrap.dedent(GONE).format(tests=str(tests), shared=str(shared))
    done = subprocess.run([sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
