"""Memory that is exhausted while the package is imported or an object is moved is a MemoryError, each time."""

import subprocess
import sys

import pytest

_testcapi = pytest.importorskip("_testcapi", reason="CPython was built without its test modules")

IMPORT = """
import gc, importlib.machinery, importlib.util, sys
import _testcapi

first, count = int(sys.argv[1]), int(sys.argv[2])
folder = importlib.util.find_spec("pairbond").submodule_search_locations
spec = importlib.machinery.PathFinder.find_spec("pairbond._pairbond", folder)
raised = []
for start in range(first, first + count):
    module = importlib.util.module_from_spec(spec)
    execute = spec.loader.exec_module
    _testcapi.set_nomemory(start, start + 1)
    try:
        execute(module)
    except BaseException as error:
        _testcapi.remove_mem_hooks()
        # What CPython's own import says when it has no memory is its own.
        if "can't allocate lock" not in str(error) and "zipimporter" not in str(error):
            raised.append(type(error).__name__)
    _testcapi.remove_mem_hooks()
import pairbond
for name in ("Error", "InterpreterError", "ClosedError", "InvalidatedError", "PanicError"):
    assert issubclass(getattr(pairbond, name), RuntimeError)
import pairbond_holders as holders
node = holders.Node(1)
node.next = node
assert node.next is node
assert repr(pairbond.List([1])) == "pairbond.List([1])"
assert sum("pairbond" in repr(it) for it in gc.callbacks) == 1, gc.callbacks
del node
gc.collect()
try:
    pairbond.get_function("no such")
except LookupError:
    pass
print("fine", *sorted(set(raised)))
"""


@pytest.mark.skipif(
    sys.version_info[:3] == (3, 13, 0),
    reason="CPython 3.13.0 itself crashes without memory: in dictresize, while a type is made, and in its import",
)
def test_an_import_that_failed_is_made_again():
    """Whatever allocation fails. What the next attempt finds is what the one before has left."""
    seen = set()
    for first in range(0, 450, 10):
        run = subprocess.run(
            [sys.executable, "-c", IMPORT, str(first), "10"], capture_output=True, text=True, timeout=120
        )
        assert run.returncode == 0, (first, run.stderr)
        fine, *raised = run.stdout.split()
        assert fine == "fine"
        seen.update(raised)
    assert seen == {"MemoryError"}


MOVE = """
import _testcapi
import pairbond
import pairbond_testext as ext

def take(start):
    buffer = ext.Buffer(1)
    raised = None
    _testcapi.set_nomemory(start, start + 1)
    try:
        pairbond.move(buffer)
    except BaseException as error:
        raised = type(error)
    finally:
        _testcapi.remove_mem_hooks()
    return raised

seen = set()
for start in range(200):
    seen.add(take(start))
print(*sorted(it.__name__ for it in seen if it is not None))
"""


def test_moving():
    run = subprocess.run([sys.executable, "-c", MOVE], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "MemoryError\n"
