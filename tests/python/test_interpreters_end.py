"""The end of an interpreter: what native code holds goes on without it, and nothing of it stays."""

from __future__ import annotations

import os

import pytest
from interpreters import KINDS, check

pytestmark = pytest.mark.parametrize("kind", KINDS)

#: Each takes a few milliseconds; `make test-long` takes a thousand.
COUNT = 1000 if os.environ.get("PAIRBOND_LONG") else 50


def test_objects_go_on_and_find_another_self(kind: str) -> None:
    check(
        """
        import gc, os, sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native

        out, into = os.pipe()
        addresses = set()
        for round in range(3):
            with Interpreter(sys.argv[1]) as other:
                other.run(f'''if True:
                    import os
                    import pairbond, pairbond_holders as native

                    class Sub(native.Node):
                        __slots__ = ("slot",)
                        def __init__(self, number):
                            super().__init__(number)
                            self.me = self
                            self.slot = [self]

                    node = Sub(1)
                    node.next = Sub(2)
                    node.next.next = node
                    node.value = [node]                 # a Python object, which goes with the interpreter
                    node.children.append(native.Node(3))
                    native.put_global(node)
                    leaf = native.Leaf(4)
                    holder = native.Holder(leaf)
                    node.children.append(native.Node(5))
                    node.children[1].value = holder
                    assert native.get_global() is node
                    # An instance of a Python class keeps its class, and that the globals.
                    del leaf, holder
                    try:
                        native.global_node().mark = {round}
                    except pairbond.InterpreterError:
                        os.write({into}, b"taken")
                    else:
                        os.write({into}, b"ours!")
                ''')
                assert os.read(out, 5) == b"ours!"
                # It is the other's.
                for get in native.get_global, native.global_node:
                    try:
                        get()
                    except pairbond.InterpreterError as error:
                        assert "belongs to Python interpreter" in str(error), error
                    else:
                        raise AssertionError(get)
            # It has ended. The native objects are as they were; whatever was Python's is gone.
            node = native.get_global()
            assert type(node) is native.Node and not hasattr(node, "me")
            assert (node.number, node.next.number, node.next.next is node) == (1, 2, True)
            assert [child.number for child in node.children] == [3, 5]
            assert node.children[1].value.get().number == 4
            try:
                node.value
            except pairbond.InterpreterError as error:
                assert "an interpreter that has ended" in str(error), error
            else:
                raise AssertionError("a list of an interpreter that has ended")
            node.next = None
            node.mark = round
            native.put_global(None)
            del node
            gc.collect()
            assert not {"pairbond_holders.Leaf", "pairbond_holders.Holder"} & pairbond.live_objects().keys()
        print("fine")
        """,
        kind,
    )


def test_classes_and_globals_go_although_native_code_keeps_instances(kind: str) -> None:
    """Calls of overridable methods look at the class of a wrapper on any thread, so that stays: but nothing of it."""
    check(
        """
        import os, sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native, pairbond_testext as ext

        out, into = os.pipe()
        with Interpreter(sys.argv[1]) as other:
            other.run(f'''if True:
                import os
                import pairbond_holders as native, pairbond_testext as ext

                class Loud:
                    def __init__(self, name):
                        self.name = name
                    def __del__(self, write=os.write):
                        write({into}, self.name)

                in_module = Loud(b"module ")

                class Mixin:
                    held = Loud(b"mixin ")

                class Sub(ext.Shape, Mixin):
                    __slots__ = ("slot",)
                    held = Loud(b"class ")
                    def area(self, factor, loud=in_module):
                        return 7 * factor if loud is in_module else 0

                shape = Sub(2.0)
                shape.me = [shape, Loud(b"attribute ")]
                shape.slot = [shape, Loud(b"slot ")]
                assert ext.area_elsewhere(shape) == 7
                native.put_global(shape)
                ext.keep_shape(shape)
                del shape
            ''')
        os.write(into, b".")
        said = b""
        while not said.endswith(b"."):
            said += os.read(out, 100)
        assert sorted(said[:-1].split()) == [b"attribute", b"class", b"mixin", b"module", b"slot"], said
        # The object goes on, as one of its native class.
        shape = native.get_global()
        assert type(shape) is ext.Shape and shape.size == 2.0 and ext.area_of(shape, 3.0) == 6.0
        ext.keep_shape(None)
        native.put_global(None)
        print("fine")
        """,
        kind,
    )


@pytest.mark.slow
def test_memory_is_flat(kind: str) -> None:
    """Interpreters come and go, and each leaves objects to native code that the next finds."""
    check(
        """
        import gc, os, sys
        from interpreters import create, destroy, memory, run
        import pairbond, pairbond_holders as native

        kind, count = sys.argv[1], int(sys.argv[2])
        CODE = '''if True:
            import pairbond, pairbond_holders as native
            before = native.get_global()
            # What the last one left is ours now, or the first one's still; nobody's attributes are on it.
            assert before is None or (type(before) is native.Point and not hasattr(before, "mark"))
            for static in native.global_point(), native.global_function():
                assert not hasattr(static, "mark")
                static.mark = [static]
            points = [native.Point(i) for i in range(100)]
            points[0].next = points[0]
            points[0].mark = points
            callback = native.Holder(lambda: callback)
            native.put_global(points[0])
            native.put_fresh(True)
            kept = native.get_global()
            kept.mark = kept
            del kept
        '''
        def cycle():
            interpreter = create(kind)
            run(interpreter, CODE)
            destroy(interpreter)

        def growth(cycle):
            for _ in range(15):
                cycle()
            gc.collect()
            objects, before = pairbond.live_objects(), memory()
            for _ in range(count):
                cycle()
            gc.collect()
            assert pairbond.live_objects() == objects, (objects, pairbond.live_objects())
            return (memory() - before) // count

        def plain():
            # With what pairbond imports of Python's own.
            interpreter = create(kind)
            run(interpreter, "import ast, atexit, collections.abc, copyreg, dataclasses, gc")
            run(interpreter, "import inspect, pickle, threading, typing")
            destroy(interpreter)

        # CPython leaves memory behind itself: from 3.12 on some of each interpreter, all of one with its own allocator.
        theirs, ours = growth(plain), growth(cycle)
        assert theirs > 256 << 10 or ours < theirs + (32 << 10), (theirs, ours)
        print("fine")
        """,
        kind,
        str(COUNT),
        timeout=1200,
    )
