"""Objects and functions of C that meet another interpreter than their own, and one that has ended."""

import pytest
from c_libraries import build
from interpreters import KINDS, check

pytestmark = pytest.mark.parametrize("kind", KINDS)


def test_an_object_of_another_interpreter_is_refused(kind):
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond

        shapes = pairbond.load(sys.argv[2])
        node = shapes.Node("main")
        node.next = shapes.Node(lambda: 1, origin=node)
        assert shapes.keep(node) is None
        with Interpreter(sys.argv[1]) as other:
            other.run(f'''if True:
                import pairbond
                shapes = pairbond.load({sys.argv[2]!r})
                try:
                    shapes.keep(None)
                except pairbond.InterpreterError as error:
                    assert "shapes.Node" in str(error) and "interpreter" in str(error), error
                else:
                    raise SystemExit("it was shown")
                # Its own are fine, and what leads to no object of Python may be shown.
                own = shapes.Node("other")
                assert shapes.heft_of(own, 2) == -2
                assert shapes.make_point().small == -3
            ''')
        shapes.keep(None)
        print("fine")
        """,
        kind,
        str(build("shapes.c")),
    )


def test_an_object_of_another_interpreter_is_refused_as_a_word(kind):
    """As above, where arguments and results are words (`quick.hpp`), and in the long form of the same function."""
    check(
        """
        import gc
        import sys
        from interpreters import Interpreter
        import pairbond

        graphs = pairbond.load(sys.argv[2])
        section = graphs.Section("main")
        section.extra = lambda: 1
        with Interpreter(sys.argv[1]) as other:
            for call in ("keep_section(None)", "keep_section(section=None)"):
                assert graphs.keep_section(section) is None
                other.run(f'''if True:
                    import pairbond
                    graphs = pairbond.load({sys.argv[2]!r})
                    try:
                        graphs.{call}
                    except pairbond.InterpreterError as error:
                        assert "graphs.Section" in str(error) and "interpreter" in str(error), error
                    else:
                        raise SystemExit("it was shown")
                    # Its own are fine.
                    own = graphs.Section("other")
                    assert graphs.title_of(own) == 5
                    assert graphs.keep_section(own) is None
                    assert graphs.keep_section(None) is own
                ''')
                # What leads to no object of Python may be shown.
                assert graphs.keep_offer(graphs.Offer(6)) is None
                other.run("assert graphs.keep_offer(None).price == 6")
        assert section.extra() == 1
        del section
        gc.collect()
        assert graphs.Section.alive() == 0
        print("fine")
        """,
        kind,
        str(build("graphs.cpp")),
    )


def test_a_function_of_an_interpreter_that_ended_is_an_error(kind):
    check(
        """
        import sys
        from interpreters import Interpreter
        import pairbond

        shapes = pairbond.load(sys.argv[2])
        with Interpreter(sys.argv[1]) as other:
            other.run(f'''if True:
                import pairbond
                shapes = pairbond.load({sys.argv[2]!r})
                class Sub(shapes.Node):
                    def heft(self, factor):
                        return 5
                node = Sub(lambda: 1)
                assert shapes.heft_of(node, 1) == 5
                shapes.keep(node)
                shapes.keep_function(lambda: 7)
                assert shapes.call_kept() == 7
            ''')
        # The object lives on, with what C has of it.
        node = shapes.keep(None)
        assert type(node) is shapes.Node and node.weight == 1
        assert shapes.heft_of(node, 2) == -2
        for use, raised in ((lambda: node.name, pairbond.InterpreterError), (shapes.call_kept, pairbond.ClosedError)):
            try:
                use()
            except raised as error:
                assert "ended" in str(error), error
            else:
                raise SystemExit("it was called")
        shapes.keep_function(None)
        print("fine")
        """,
        kind,
        str(build("shapes.c")),
    )
