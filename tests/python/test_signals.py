"""Signals in native code that looks for them (`pairbond::check_signals`), and in collections."""

import copy
import ctypes
import functools
import gc
import operator
import os
import signal
import subprocess
import sys
import threading
import time
import types
import weakref

import pairbond
import pairbond_testext as ext
import pytest


class Interrupted(Exception):
    pass


@pytest.fixture
def no_other_callbacks():
    """Without the callbacks of `gc` that are written in Python: handlers run in them, too, and CPython discards what
    they raise there."""
    before = gc.callbacks[:]
    gc.callbacks[:] = [callback for callback in before if isinstance(callback, types.BuiltinFunctionType)]
    yield
    gc.callbacks[:] = before


@pytest.fixture
def raising(no_other_callbacks):
    """A handler that raises, and what was before."""

    def handler(number, frame):
        raise Interrupted(number)

    before = signal.signal(signal.SIGINT, handler)
    yield
    signal.signal(signal.SIGINT, before)


def late_or_never(function, *arguments):
    function(*arguments)
    time.sleep(20)


def interrupted(function, *arguments, after=0.15):
    """Calls a function while a signal comes: how long after it the function raised."""
    sent = []
    started = threading.Event()

    def send():
        started.wait()
        time.sleep(after)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def begin():
        started.set()
        function(*arguments)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        with pytest.raises(Interrupted):
            late_or_never(begin)
        return time.monotonic() - sent[0]
    finally:
        thread.join()


@pytest.mark.parametrize("released", [False, True])
def test_work_is_interrupted(raising, released):
    # Without the GIL of the working thread the other one could not send anything.
    if released:
        assert interrupted(ext.work, 30.0, True) < 0.2
        return
    sender = subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.5); os.kill({os.getpid()}, 2)"])
    began = time.monotonic()
    with pytest.raises(Interrupted):
        ext.work(30.0, False)
    assert time.monotonic() - began < 10
    sender.wait()


def test_ctrl_c_is_a_keyboard_interrupt():
    program = "import pairbond_testext as ext; print('go', flush=True); ext.work(30.0, True)"
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "go\n"
    time.sleep(0.2)
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=20)
    assert time.monotonic() - began < 5
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert "panicked" not in errors


def test_handlers_that_return_interrupt_nothing():
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(time.monotonic()))
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        assert ext.work(0.5, True) > 1000
        assert came
        assert came[0] - began < 0.4
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_are_not_interrupted(raising):
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(ext.work(0.6, True))),
        threading.Thread(target=lambda: results.append(ext.work_elsewhere(0.6))),
    ]
    for thread in threads:
        thread.start()
    assert interrupted(time.sleep, 30.0) < 0.5
    for thread in threads:
        thread.join()
    assert len(results) == 2
    assert all(result > 1000 for result in results)


def test_a_look_costs_little():
    began = time.perf_counter()
    looked = ext.work(0.3, False)
    assert looked > 0.3 / 10e-6, (looked, time.perf_counter() - began)


@pytest.mark.slow
def test_copies_are_interrupted(raising):
    many = pairbond.List([pairbond.List([number]) for number in range(400_000)])

    def copies():
        while True:
            copy.deepcopy(many)

    assert interrupted(copies, after=0.3) < 1.0
    assert len(many) == 400_000


def lists():
    """A list of lists that refers to itself."""
    several = pairbond.List([pairbond.List([number]) for number in range(20_000)])
    several.append(several)
    return several


def collect_while_a_signal_waits():
    # No bytecode runs between the two, and thus no handler.
    send = functools.partial(ctypes.CDLL(None)["raise"], signal.SIGINT)
    return list(map(operator.call, [send, pairbond.collect]))[1]


@pytest.mark.parametrize("threads", [False, True])
def test_collections_are_interrupted(raising, threads):
    ended = threading.Event()
    if threads:
        threading.Thread(target=ended.wait).start()
    try:
        pairbond.collect()
        before = pairbond.stats()["objects"]
        lists()
        with pytest.raises(Interrupted):
            collect_while_a_signal_waits()
        assert pairbond.stats()["objects"] == before + 20_001
        # The next one finds what that one left.
        assert pairbond.collect() >= 20_001
        assert pairbond.stats()["objects"] == before
    finally:
        ended.set()


def test_an_interrupted_collection_keeps_wrappers_and_what_they_have(raising):
    several = lists()
    walked = list(several)
    for number, one in enumerate(walked):
        one.number = number
    weak = [weakref.ref(one) for one in walked]
    del one, walked
    with pytest.raises(Interrupted):
        collect_while_a_signal_waits()
    assert [one.number for one in several] == list(range(20_001))
    assert all(one() is not None for one in weak)
    del several
    pairbond.collect()
    assert all(one() is None for one in weak)


def test_a_handler_that_returns_does_not_end_a_collection(no_other_callbacks):
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(1))
    try:
        lists()
        assert collect_while_a_signal_waits() >= 20_001
        assert came == [1]
    finally:
        signal.signal(signal.SIGINT, before)


class Garbage:
    """Unreachable lists, what happens to them, and a signal that comes meanwhile. All of this is without bytecode: in
    that a handler would run."""

    COUNT = 40_000

    def __init__(self, number, moment):
        self.before = pairbond.stats()["objects"]
        self.finalized, self.called = [], []
        send = functools.partial(ctypes.CDLL(None)["raise"], number)

        class Held:
            __del__ = staticmethod(functools.partial(self.finalized.append, None))

        class Sender:
            __del__ = staticmethod(send)

        ring = [pairbond.List() for _ in range(self.COUNT)]
        for one, other in zip(ring, ring[1:] + ring[:1], strict=True):
            one.append(other)
        held = []
        for one in ring[::100]:
            held.append(Held())
            held[-1].of = one
            one.append(held[-1])
        self.weak = [weakref.ref(one, self.called.append) for one in ring[::50] + held]
        self.held = len(held)
        if moment == "finalizers":
            held[5].sender = Sender()
        else:
            # Unknown to the collector, it dies when the list is emptied.
            sender = Sender()
            ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(sender))
            ring[int(self.COUNT * moment)].append(sender)

    def left(self):
        return pairbond.stats()["objects"] - self.before

    def check_all_is_over(self):
        assert self.left() == 0
        assert all(one() is None for one in self.weak)
        assert len(self.finalized) == self.held
        assert sorted(map(id, self.called)) == sorted(map(id, self.weak))


@pytest.fixture
def handlers(no_other_callbacks):
    """Sets handlers of signals for a test."""
    before = []

    def handle(number, handler):
        before.append((number, signal.signal(number, handler)))

    gc.collect()
    gc.disable()
    yield handle
    gc.enable()
    for number, handler in reversed(before):
        signal.signal(number, handler)


MOMENTS = ["finalizers", 0, 0.3, 0.6, 0.9]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGUSR1])
def test_a_signal_ends_a_collection_that_has_decided(handlers, number, moment):
    garbage = Garbage(number, moment)
    left = []

    def handler(*_):
        left.append(garbage.left())
        raise Interrupted

    handlers(number, handler)
    with pytest.raises(Interrupted):
        late_or_never(pairbond.collect)
    # It was called before anything was gone, and the rest is kept.
    assert left == [garbage.COUNT]
    assert garbage.left() == garbage.COUNT
    pairbond.collect()
    garbage.check_all_is_over()


@pytest.mark.parametrize("moment", MOMENTS[1:])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGUSR1])
def test_a_handler_that_looks_at_everything_changes_nothing(handlers, number, moment):
    garbage = Garbage(number, moment)
    left, seen = [], []

    def handler(*_):
        left.append(garbage.left())
        seen.extend(one for one in gc.get_objects() if type(one) is pairbond.List)
        seen.extend(one for one in gc.get_referrers(*seen[-9:]) if type(one) is pairbond.List)
        assert gc.collect() == 0

    handlers(number, handler)
    pairbond.collect()
    assert left == [garbage.COUNT]
    seen.clear()
    pairbond.collect()
    garbage.check_all_is_over()


def test_what_a_handler_leaves_is_cleared_though_it_is_in_use(handlers):
    garbage = Garbage(signal.SIGUSR1, 0.3)

    def handler(*_):
        raise Interrupted

    handlers(signal.SIGUSR1, handler)
    with pytest.raises(Interrupted):
        late_or_never(pairbond.collect)
    seen = [one for one in gc.get_objects() if type(one) is pairbond.List]
    assert sum(map(len, seen)) > 0
    pairbond.collect()
    assert sum(map(len, seen)) == 0
    for one in seen:
        one.append(1)
    del one, seen
    pairbond.collect()
    garbage.check_all_is_over()


SENDER = """
import os, sys, time
for line in sys.stdin:
    delay, number = line.split()
    print(flush=True)
    time.sleep(float(delay))
    os.kill(os.getppid(), int(number))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGUSR1])
@pytest.mark.slow
def test_a_signal_at_any_moment(handlers, number):
    came = []

    def handler(*_):
        came.append(None)
        raise Interrupted

    handlers(number, handler)
    command = [sys.executable, "-c", SENDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sender:
        garbage = Garbage(0, 0)
        began = time.monotonic()
        pairbond.collect()
        once = time.monotonic() - began
        garbage.check_all_is_over()
        for step in range(10):
            garbage = Garbage(0, 0)
            try:
                sender.stdin.write(f"{once * step / 10} {int(number)}\n")
                sender.stdin.flush()
                sender.stdout.readline()
                pairbond.collect()
                time.sleep(20)
            except Interrupted:
                pass
            pairbond.collect()
            garbage.check_all_is_over()
            assert len(came) == step + 1
        sender.stdin.close()
