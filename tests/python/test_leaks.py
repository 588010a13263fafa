"""pairbond.leaks(), and PAIRBOND_LEAKS=1: what is alive, on whose account."""

import enum
import gc
import os
import subprocess
import sys
import textwrap

import pairbond
import pytest
from pairbond_holders import Holder, Leaf, Node
from promises import KEPT

pytestmark = pytest.mark.usefixtures("no_leak")
NODE, LEAF, HOLDER = "pairbond_holders.Node", "pairbond_holders.Leaf", "pairbond_holders.Holder"


def at_exit(source: str, wanted: str = "1") -> list[str]:
    """What a program prints about leaks when it ends."""
    program = "import gc, sys, pairbond\nfrom pairbond_holders import *\n" + textwrap.dedent(source)
    env = os.environ | {"PAIRBOND_LEAKS": wanted}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env=env)
    assert run.returncode == 0, run.stderr
    assert run.stdout == ""
    return run.stderr.splitlines()


def lines(*leaks: str) -> list[str]:
    """The report of these leaks of one object each."""
    count = sum(int(leak.split()[0]) for leak in leaks)
    objects = "object is" if count == 1 else "objects are"
    return [f"pairbond: {count} native {objects} alive at the end", *(f"  {leak}" for leak in leaks)]


class TestAtExit:
    """Each kind of root, and none."""

    def test_silent_when_nothing_leaked(self):
        program = """
            class Child(Node):
                pass
            kept = [Node(1), Leaf(2), Holder(Leaf(3)), Child(4)]
            kept[0].value = kept[3]
            kept[3].mark = Leaf(5)
            ring = Node.ring(5)
            ring.value = "a text"
            ring.next.next
        """
        assert at_exit(program) == []

    @pytest.mark.parametrize("wanted", ["0", ""])
    def test_silent_when_nobody_asked(self, wanted):
        assert at_exit("global_node()", wanted) == []

    def test_a_native_reference(self):
        """A static of the library's."""
        # A node has a list of children.
        assert at_exit("global_node()") == lines(
            f"1 × {NODE}: held by 1 native reference from outside",
            f"1 × pairbond.List: held by 1 native reference from outside through {NODE}.children → pairbond.List",
        )

    def test_through_fields(self):
        program = """
            node = global_node()
            node.value = Leaf(1)
            node.next = Node.chain(4)
        """
        outside, report = "held by 1 native reference from outside", at_exit(program)
        assert report[0] == "pairbond: 11 native objects are alive at the end"
        assert f"  1 × {LEAF}: {outside} through {NODE}.value → {LEAF}" in report
        assert f"  1 × {NODE}: {outside} through {NODE}.next → {NODE}" in report
        assert f"  3 × {NODE}: {outside} through {NODE}.next… → {NODE}" in report
        assert f"  3 × pairbond.List: {outside} through {NODE}.next… → {NODE}.children → pairbond.List" in report

    @pytest.mark.parametrize("cls", ["Holder", "Leaf"])
    def test_a_python_reference(self, cls):
        program = f"""
            import ctypes
            it = {cls}(1)
            if {cls} is Leaf:
                holder = Holder(it)  # Native code has held it: so it is known one by one.
                del holder
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(it))
        """
        report = at_exit(program)
        key = f"pairbond_holders.{cls}"
        if cls == "Holder":
            assert report == lines(f"1 × {key}: held by a Python wrapper with 1 reference")
        else:
            assert report == lines(f"1 × {key}: held by references that no object shows")

    def test_a_python_reference_to_a_dormant_wrapper(self):
        program = """
            import ctypes
            node = Node(7)
            holder = Holder(node)
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder))
        """
        assert f"  1 × {NODE}: held by a Python wrapper with 1 reference through {HOLDER}.value → {NODE}" in at_exit(
            program
        )

    def test_a_global_function(self):
        """The function itself is where it belongs."""
        program = """
            register_with_default("keeps", Leaf(1))
            register_with_default("keeps nothing", 1)
        """
        assert at_exit(program) == lines(f'1 × {LEAF}: held by the global function "keeps"')

    def test_a_thread_that_goes_on(self):
        program = """
            holder = Holder(Node(1))
            holder.churn(1)
            del holder
        """
        report = at_exit(program)
        assert any(f"× {NODE}: held by" in line and "from outside" in line for line in report)


def is_enum(key):
    module, _, name = key.rpartition(".")
    cls = getattr(sys.modules.get(module), name, None)
    return isinstance(cls, type) and issubclass(cls, enum.Enum)


class TestWhileRunning:
    def held(self, key):
        return {str(leak) for leak in pairbond.leaks() if leak.type == key}

    def test_by_whom(self):
        before = self.held(LEAF)
        holder = Holder(Leaf(1))
        new = self.held(LEAF) - before
        assert new == {f"1 × {LEAF}: held by a Python wrapper with 1 reference through {HOLDER}.value → {LEAF}"}
        again = holder.get()
        assert self.held(LEAF) - before == {f"1 × {LEAF}: held by a Python wrapper with 1 reference"}
        del again, holder
        assert self.held(LEAF) == before

    def test_as_tuples(self):
        it = Node(1)
        it.next = Node(2)
        leak = next(leak for leak in pairbond.leaks() if leak.path == (f"{NODE}.next",))
        assert leak == pairbond.Leak(NODE, 1, leak.held_by, (f"{NODE}.next",))
        assert leak.held_by in ("a Python wrapper with 1 reference", "1 native reference from outside")
        del leak, it

    def test_collects_first(self):
        it = Node.ring(3)
        it.me = it
        del it
        before = sum(leak.count for leak in pairbond.leaks() if leak.type == NODE)
        assert before == pairbond.live_objects().get(NODE, 0)
        assert KEPT

    def test_while_native_threads_relink(self):
        holders = []
        for i in range(3):
            it = Node(i)
            holder = Holder(it)
            holder.watch(it)
            del it
            holder.juggle(1)
            holders.append(holder)
        for _ in range(50):
            assert all(leak.count > 0 for leak in pairbond.leaks())
        for holder in holders:
            holder.stop()
        del holders, holder
        gc.collect()

    def test_is_the_sum_of_what_is_alive(self):
        kept = [Node.chain(10), Leaf(1), Holder(Leaf(2)), Holder("text")]
        found = {}
        for leak in pairbond.leaks():
            found[leak.type] = found.get(leak.type, 0) + leak.count
        alive = pairbond.live_objects()
        # Functions that are where they belong are not reported.
        assert found.pop("pairbond.Function", 0) <= alive.pop("pairbond.Function", 0)
        # Variants of enums live for the process.
        assert found == {key: count for key, count in alive.items() if not is_enum(key)}
        del kept, leak
