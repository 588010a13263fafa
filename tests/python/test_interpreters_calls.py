"""A module in several interpreters of one process: each has classes, functions and exceptions of its own."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
import pairbond, pairbond_testext as ext
try:
    import _interpreters as interpreters
    def run(i, code):
        failed = interpreters.exec(i, code)
        assert failed is None, failed
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string

CODE = '''
import pairbond, pairbond_testext as ext
assert id(ext.Package) != OTHER
package = ext.Package("a")
package.x = 1
assert package.me() is package
assert ext.apply(lambda: 3) == 3
for call, error in (
    (lambda: ext.raise_kind("value", "x"), ValueError),
    (lambda: ext.panic("x"), pairbond.PanicError),
    (lambda: ext.apply(lambda: {}[1]), KeyError),
    (lambda: ext.raise_kind("closed", "x"), pairbond.ClosedError),
    (ext.kept, pairbond.InterpreterError),
    (ext.reraise, pairbond.InterpreterError),
):
    try:
        call()
    except error:
        pass
    else:
        raise AssertionError(error)
'''

package = ext.Package("main")
ext.keep(package)
for _ in range(3):
    ext.call_and_catch(lambda: 1 / 0)
    interpreter = interpreters.create()
    run(interpreter, f"OTHER = {id(ext.Package)}\\n" + CODE)
    interpreters.destroy(interpreter)
assert ext.kept() == [package] and ext.kept()[0] is package
print("fine")
"""


def test_classes_functions_and_exceptions_are_the_interpreters_own():
    run = subprocess.run([sys.executable, "-X", "faulthandler", "-c", SCRIPT], capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("fine\n", "", 0)


WEAK = """
import gc, weakref
import pairbond, pairbond_holders
from pairbond_holders import Node
try:
    import _interpreters as interpreters
    def run(i, code):
        failed = interpreters.exec(i, code)
        assert failed is None, failed
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string

ASK = "import pairbond, pairbond_holders; assert pairbond_holders.is_watched_alive() is {}"
other = interpreters.create()
node = Node(1)
pairbond_holders.watch_globally(node)
run(other, ASK.format(True))
assert pairbond_holders.is_watched_alive()
del node
run(other, ASK.format(False))

# Between the passes of a collection the other interpreter asks for what this one has found unreachable.
asked = []

class Asks:
    def __del__(self):
        run(other, ASK.format(False))
        asked.append(pairbond_holders.is_watched_alive())

ring = Node.ring(3)
ring.mark = [ring, Asks()]
pairbond_holders.watch_globally(ring)
run(other, ASK.format(True))
gone = weakref.ref(ring)
del ring
gc.collect()
assert asked == [False] and gone() is None
pairbond_holders.watch_globally(None)
interpreters.destroy(other)
print("fine")
"""


def test_weak_references_from_another_interpreter():
    """A thread that is attached to one interpreter upgrades a weak reference to an object that another one has: it
    finds it, also if only Python has it, but not when the other's collection has found it unreachable."""
    run = subprocess.run([sys.executable, "-X", "faulthandler", "-c", WEAK], capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("fine\n", "", 0)
