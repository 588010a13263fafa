"""Sizes that come from Python or from a text, under a limit of memory: MemoryError, and no end of the process."""

import subprocess
import sys

import pytest

PROLOGUE = """
import resource
import pairbond_ir as ir

def limit(more):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, resource.RLIM_INFINITY))

def fails(act, *args, more=1 << 27):
    limit(more)
    try:
        act(*args)
    except MemoryError:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    else:
        raise AssertionError("there was enough memory")
    assert str(ir.AffineMap.get_identity(2)) == "(d0, d1) -> (d0, d1)"

context = ir.Context()
context.__enter__()
place = ir.Location.unknown()
place.__enter__()
MANY = 10**9
"""

SCRIPTS = {
    "affine": """
fails(ir.AffineMap.get_identity, MANY)
fails(ir.AffineMap.get_identity, 2**32 - 1)
fails(ir.AffineMap.get_minor_identity, MANY, MANY - 1)
wide = ir.AffineMap.get(MANY, MANY, [])
assert wide.n_dims == MANY
fails(str, wide)
fails(str, ir.IntegerSet.get_empty(MANY, 0))
narrow = ir.AffineMap.get(5, 0, [ir.AffineExpr.get_dim(1)])
places = [0] * 10**7
fails(narrow.get_submap, places)
""",
    "operations": """
fails(lambda: ir.Operation.create("a.b", regions=10**10))
fails(lambda: ir.Operation.create("a.b", regions=10**7))
assert len(ir.Operation.create("a.b", regions=2000).regions) == 2000
fails(ir.StridedLayoutAttr.get_fully_dynamic, MANY)
fails(ir.StridedLayoutAttr.get_fully_dynamic, 2**63)
""",
    "copies": """
text = '%0:300000 = "a.b"() : () -> (' + "i32," * 299_999 + "i32)"
operands = "".join(f"%0#{i}, " for i in range(100_000)) + "%0#1"
wide = ir.Module.parse(text + f'\\n"a.c"({operands}) : (' + "i32," * 100_000 + "i32) -> ()")
length = len(str(wide))
for more in (1 << 20, 1 << 22, 1 << 23):
    fails(wide.clone, more=more)
    assert len(str(wide)) == length
assert len(str(wide.clone())) == length
""",
    "texts": """
text = "dense<[" + "1," * 20_000_000 + "1]> : tensor<20000001xi32>"
fails(ir.Attribute.parse, text)
text = '"a.b"() {x = "' + "x" * 10**8 + '"} : () -> ()'
fails(ir.Module.parse, text)
del text
module = ir.Module.parse('"a.b"() {x = "' + "x" * 10**7 + '", y = "' + "\\\\22" * 10**7 + '"} : () -> ()')
length = len(str(module))
fails(str, module, more=1 << 24)
assert len(str(module)) == length
""",
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit of memory is Linux's")
@pytest.mark.parametrize("name", SCRIPTS)
def test_memory_is_exhausted(name):
    run = subprocess.run(
        [sys.executable, "-c", PROLOGUE + SCRIPTS[name] + "\nprint('to its end')"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout == "to its end\n"
