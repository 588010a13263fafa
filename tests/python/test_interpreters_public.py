"""The examples and libraries in interpreters of every kind, and CPython's own `concurrent.interpreters` with them."""

import sys

import pytest
from interpreters import KINDS, check

USE = """
import lockgraph, pairbond
import pairbond_ir as ir
import pairbond_autograd as torch

package = lockgraph.Package("a")
package.remark = package
assert package.remark is package
with ir.Context(), ir.Location.unknown():
    module = ir.Module.parse('"a.b"() : () -> ()')
    assert module.body.operations[0] is module.body.operations[0]
t = torch.tensor([1.0], requires_grad=True)
(t * 2).sum().backward()
assert t.grad is t.grad and float(t.grad[0]) == 2
"""


@pytest.mark.parametrize("kind", KINDS)
def test_examples_and_libraries_in_several_interpreters(kind: str) -> None:
    check(
        """
        import sys
        from interpreters import Interpreter
        import lockgraph
        exec(sys.argv[2])
        with Interpreter(sys.argv[1]) as one, Interpreter(sys.argv[1]) as other:
            for _ in range(2):
                one.run(sys.argv[2])
                other.run(sys.argv[2])
                exec(sys.argv[2])
            other.run(f"import lockgraph; assert id(lockgraph.Package) != {id(lockgraph.Package)}")
        exec(sys.argv[2])
        print("fine")
        """,
        kind,
        USE,
    )


@pytest.mark.skipif(sys.version_info < (3, 14), reason="concurrent.interpreters came with CPython 3.14")
def test_concurrent_interpreters() -> None:
    check(
        """
        import sys
        from concurrent import interpreters
        import lockgraph

        def repeated(name, count):
            import lockgraph
            return lockgraph.Package(name).name * count

        exec(sys.argv[1])
        package = lockgraph.Package("main")
        queue = interpreters.create_queue()
        others = [interpreters.create() for _ in range(3)]
        for other in others:
            other.exec(sys.argv[1])
            assert other.call(repeated, "x", 3) == "xxx"
            try:
                other.prepare_main(it=package)
            except interpreters.NotShareableError:
                pass
            else:
                raise AssertionError("it can hold Python objects, and stays")
            # What is pickled goes as a copy.
            queue.put(package)
            other.prepare_main(queue=queue)
            other.exec("import lockgraph; it = queue.get(); assert type(it) is lockgraph.Package and it.name == 'main'")
        for other in others:
            other.close()
        assert package.name == "main"
        print("fine")
        """,
        USE,
    )
