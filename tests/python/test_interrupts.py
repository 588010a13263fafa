"""Interrupts anywhere in a `with` block leave nothing on; daemon threads in native code at exit say nothing."""

import gc
import subprocess
import sys

import pairbond
import pairbond_testext as ext
import pytest

DAEMONS = """
import sys, threading, time
import pairbond_holders as holders

def spin(call):
    while True:
        call(len, ())

for call in (holders.call, holders.call_detached, holders.call_on_thread):
    for _ in range(3):
        threading.Thread(target=spin, args=(call,), daemon=True).start()
time.sleep(0.05)
sys.exit(7)
"""

JOINED = """
import atexit, sys, threading

stop = threading.Event()
threads = []

def finish():
    # Registered before pairbond's, so called after it.
    stop.set()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    print("joined")

atexit.register(finish)
import pairbond, pairbond_holders as holders

def work():
    while not stop.is_set():
        try:
            holders.call_on_thread(len, ())
        except pairbond.ClosedError:
            break

threads += [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
"""


@pytest.mark.slow
def test_daemon_threads_at_exit_are_silent():
    for _ in range(8):
        run = subprocess.run([sys.executable, "-c", DAEMONS], capture_output=True, text=True, timeout=60)
        assert (run.returncode, run.stdout, run.stderr) == (7, "", "")


@pytest.mark.slow
def test_daemon_threads_that_are_waited_for_end():
    run = subprocess.run([sys.executable, "-c", JOINED], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "joined\n", "")


def erased_by():
    section = ext.Section("title")
    section.erase()
    with pytest.raises(pairbond.InvalidatedError) as error:
        section.sections()
    return str(error.value).split("erased, by ")[1].split(":")[0]


def use(block):
    with block(), block():
        pass


@pytest.mark.parametrize("event", ["opcode", "line", "call", "return"])
@pytest.mark.parametrize("kind", ["erasing", "trace"])
def test_an_interrupt_anywhere(kind, event, request):
    """A trace function raises at the first event, the second, and so on: where a signal could."""
    seen = []

    def block():
        return pairbond.erasing("a pass") if kind == "erasing" else pairbond.trace(seen.append)

    number = 0
    # Callbacks of the collector, of pytest's plugins for example, must not be what is interrupted.
    gc.disable()
    request.addfinalizer(gc.enable)
    while True:
        left = number

        def trace(frame, what, argument):
            nonlocal left
            frame.f_trace_opcodes = event == "opcode"
            # What the blocks themselves do is cleaning up.
            if what == event and frame.f_code.co_name != "__del__":
                left -= 1
                if left < 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return trace

        # CPython 3.12 reports opcodes only if a frame wanted them when tracing began.
        sys._getframe().f_trace_opcodes = event == "opcode"
        sys.settrace(trace)
        interrupted = True
        try:
            use(block)
            interrupted = False
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
        if kind == "erasing":
            assert erased_by() == "erase()", (number, event)
        else:
            seen.clear()
            ext.Section("made")
            with pairbond.trace(lambda _: None):
                pass
            assert seen == [], (number, event)
        if not interrupted:
            break
        number += 1
    assert number >= 1


def test_blocks_nest_and_are_used_again():
    outer, inner = pairbond.erasing("outer"), pairbond.erasing("inner")
    for _ in range(2):
        with outer as entered:
            assert entered is outer
            assert erased_by() == "outer"
            with inner, outer, inner:
                assert erased_by() == "inner"
            assert erased_by() == "outer"
        assert erased_by() == "erase()"
    with pytest.raises(LookupError), outer:
        raise LookupError
    assert erased_by() == "erase()"
    with pytest.raises(IndexError):
        outer.__exit__(None, None, None)
