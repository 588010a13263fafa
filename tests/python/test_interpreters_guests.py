"""Objects that lead to no Python object are shown in several interpreters: one guest in each, and nothing is copied."""

from __future__ import annotations

import pytest
from interpreters import KINDS, check

pytestmark = pytest.mark.parametrize("kind", KINDS)


def test_one_guest_per_interpreter(kind: str) -> None:
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native

        point = native.global_point()
        point.mark = "main"
        with Interpreter(sys.argv[1]) as other:
            other.run(f'''if True:
                import gc, weakref
                import pairbond, pairbond_holders as native
                guest = native.global_point()
                assert type(guest) is native.Point and isinstance(guest, pairbond.Object)
                assert guest is native.global_point() and guest is guest.same()
                assert pairbond.native_id(guest) == {pairbond.native_id(point)}
                assert not hasattr(guest, "mark"), "the owner's attributes are the owner's"
                guest.mark = "guest"
                alive = weakref.ref(guest)
                assert native.global_point().mark == "guest" and alive() is native.global_point()
                for _ in range(100):
                    gc.collect()
                assert native.global_point() is guest
                guest.number += 1
                # With the last reference a guest goes, and its attributes with it.
                del guest
                assert alive() is None
                assert not hasattr(native.global_point(), "mark")
                # A cycle through its attributes is garbage as any other.
                guest = native.global_point()
                guest.me = guest
                alive = weakref.ref(guest)
                del guest
                gc.collect()
                assert alive() is None
            ''')
        assert point.number == 8 and point.mark == "main" and native.global_point() is point
        print("fine")
        """,
        kind,
    )


@pytest.mark.slow
def test_a_graph_is_handed_over_without_copying(kind: str) -> None:
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native

        # One kind is enough for the million.
        count = 1_000_000 if sys.argv[1] == sys.argv[2] else 10_000
        ring = native.Point.ring(count)
        with Interpreter(sys.argv[1]) as other:
            before = pairbond.live_objects()
            token = pairbond.share(ring)
            address = pairbond.native_id(ring)
            del ring
            other.run(f'''if True:
                import gc
                import pairbond, pairbond_holders as native
                ring = pairbond.receive({token})
                assert pairbond.native_id(ring) == {address}
                assert ring.next.number == 1 and ring.next.neighbours[0] is ring and ring.next is ring.next.same()
                assert ring.length() == {count}
                ring.next.number = 17
                new = native.Point(5)
                new.next = ring
                ring.neighbours.append(new)
                back = pairbond.share(ring)
                native.put_global(back)
                del ring, new
                gc.collect()
            ''')
            after = pairbond.live_objects()
            same = "pairbond_holders.Point", "pairbond.List"
            assert [after[key] - before[key] for key in same] == [1, 1], (before, after)
            ring = pairbond.receive(native.get_global())
            assert pairbond.native_id(ring) == address and ring.next.number == 17
            # What the other interpreter made is a guest here.
            assert ring.neighbours[1].number == 5 and ring.neighbours[1].next is ring
            assert ring.neighbours[1] is not ring.neighbours[0]
        # It has ended: what it made goes on, and is anybody's.
        new = ring.neighbours[1]
        new.mark = 1
        assert ring.neighbours[1] is new
        print("fine")
        """,
        kind,
        KINDS[-1],
    )


def test_a_token_is_good_once(kind: str) -> None:
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native

        token = pairbond.share(native.Point(3))
        assert isinstance(token, int) and pairbond.live_objects()["pairbond_holders.Point"] == 1
        with Interpreter(sys.argv[1]) as other:
            other.run(f'''if True:
                import pairbond
                try:
                    pairbond.receive({token})
                except ImportError as error:
                    assert str(error) == (
                        "this interpreter has no class pairbond_holders.Point: import pairbond_holders first"
                    ), error
                else:
                    raise AssertionError("a point without its class")
                import pairbond_holders
                assert pairbond.receive({token}).number == 3
            ''')
        assert "pairbond_holders.Point" not in pairbond.live_objects(), pairbond.live_objects()
        wrong = (token, ValueError), (0, ValueError), (-1, OverflowError), (2**64, OverflowError), ("x", TypeError)
        for bad, error in wrong:
            try:
                pairbond.receive(bad)
            except error:
                pass
            else:
                raise AssertionError(bad)
        # One that shares may take back, and gets the same self.
        point = native.Point(4)
        assert pairbond.receive(pairbond.share(point)) is point
        print("fine")
        """,
        kind,
    )


def test_what_can_hold_python_objects_stays(kind: str) -> None:
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native

        class Sub(native.Point):
            pass

        for refused in native.Node(), native.Holder(), native.Marked(), pairbond.List(), native.Node().children:
            try:
                pairbond.share(refused)
            except TypeError as error:
                assert "it can hold Python objects, and those belong to one interpreter" in str(error), error
            else:
                raise AssertionError(refused)
        try:
            pairbond.share(7)
        except TypeError as error:
            assert str(error) == "expected a pairbond object, got int", error

        node = native.global_node()
        point = Sub(1)
        point.mark = object()
        # A point that holds Python may stand where a point is expected: it is asked for itself.
        point.next = native.Marked(2, object())
        native.put_global(point)
        with Interpreter(sys.argv[1]) as other:
            other.run('''if True:
                import pairbond, pairbond_holders as native
                for call in native.global_node, lambda: native.get_global().next:
                    try:
                        call()
                    except pairbond.InterpreterError as error:
                        assert "Python interpreter" in str(error) and "belongs to" in str(error), error
                    else:
                        raise AssertionError(call)
                # Of an instance of a Python class there is a guest of the native class.
                point = native.get_global()
                assert type(point) is native.Point and point.number == 1 and not hasattr(point, "mark")
                # Functions that are native can be called from everywhere.
                assert native.global_function()("x") == "x"
            ''')
        assert native.get_global() is point and type(point) is Sub
        print("fine")
        """,
        kind,
    )


def test_a_guest_becomes_the_self_when_the_owner_has_ended(kind: str) -> None:
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond, pairbond_holders as native

        with Interpreter(sys.argv[1]) as first:
            first.run('''if True:
                import pairbond_holders as native
                point = native.global_point()
                point.mark = "first"
            ''')
            guest = native.global_point()
            guest.mark = "guest"
        assert native.global_point() is guest and guest.mark == "guest"
        number = id(guest)
        del guest
        # It is a self now: it stays with the object.
        assert id(native.global_point()) == number and native.global_point().mark == "guest"
        assert pairbond.is_dormant(native.global_point())
        print("fine")
        """,
        kind,
    )


def test_threads_of_two_interpreters(kind: str) -> None:
    """Whoever is first has the object; all threads of the other get one guest, or all get the error."""
    check(
        """
        import os, sys, threading
        from interpreters import Interpreter
        import pairbond_holders as native

        CODE = '''if True:
            import os, threading
            import pairbond, pairbond_holders as native

            def fetch(pipe, name, round):
                seen = []
                def one():
                    try:
                        seen.append(native.get_global())
                    except pairbond.InterpreterError:
                        seen.append(None)
                threads = [threading.Thread(target=one) for _ in range(2)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                first = seen[0]
                assert len(seen) == 2 and all(it is first for it in seen), seen
                if first is not None:
                    first.mark = round
                    assert native.get_global() is first and native.get_global().mark == round
                    os.write(pipe, name)
        '''
        out, into = os.pipe()
        with Interpreter(sys.argv[1]) as one, Interpreter(sys.argv[1]) as two:
            for it in one, two:
                it.run(CODE)

            def fetch_in_both(round):
                meet = threading.Barrier(2)
                def go(name, it):
                    meet.wait()
                    it.run(f"fetch({into}, {name}, {round})")
                threads = [threading.Thread(target=go, args=it) for it in ((b"1", one), (b"2", two))]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                os.write(into, b".")
                got = b""
                while not got.endswith(b"."):
                    got += os.read(out, 1)
                return bytes(sorted(got[:-1]))

            for round in range(40):
                native.put_fresh(True)
                assert fetch_in_both(round) == b"12"
            owners = set()
            for round in range(40):
                native.put_fresh(False)
                owner = fetch_in_both(round)
                assert len(owner) == 1, owner
                owners.add(owner)
        native.put_global(None)
        print("fine")
        """,
        kind,
    )
