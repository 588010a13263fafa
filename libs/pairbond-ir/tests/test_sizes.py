"""Sizes that come from Python or from a text, under a limit of memory: MemoryError, and no end of the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.large

SHARED = Path(__file__).parents[3] / "tests" / "python"
PROLOGUE = f"""
import sys
sys.path.insert(0, {str(SHARED)!r})
import memory_limits
import pairbond_ir as ir

def works():
    return str(ir.AffineMap.get_identity(2)) == "(d0, d1) -> (d0, d1)" and str(ir.Module.parse(SMALL)) == small

def fails(act, *args, more=1 << 27):
    memory_limits.fails(act, *args, more=more, works=works)

def sweep(act, steps=10, little=False):
    memory_limits.sweep(act, works, steps, little)

context = ir.Context()
context.__enter__()
place = ir.Location.unknown()
place.__enter__()
SMALL = '"a.b"() : () -> ()'
small = str(ir.Module.parse(SMALL))
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


TEXTS = r"""
def line(i):
    attributes = f'name = "n{i}", k = {i % 1000} : i32'
    return f'%v{i} = "d.op{i % 50}"(%v{i - 1}) {{{attributes}}} : (i32) -> i32 loc("f{i % 300}":{i % 999}:3)'

def flat(count):
    return "\n".join(['%v0 = "d.c"() : () -> i32', *map(line, range(1, count))])
"""

SWEPT = {
    "operations": "sweep(lambda text=flat(6000): ir.Module.parse(text), 20)",
    "late": r"""
names = [f"a_name_that_is_longer_than_short_ones_{i}" for i in range(10_000)]
text = "\n".join(f'"d.use"(%{it}) : (i32) -> ()' for it in names)
text += "".join(f'\n%{it} = "d.def"() : () -> i32' for it in names)
sweep(lambda: ir.Module.parse(text))
""",
    "blocks": r"""
text = '"d.f"() ({\n'
for i in range(3000):
    text += f'^a_block_with_a_long_name_{i}(%a{i}: i32, %b{i}: vector<{i + 1}xf32>):\n'
    text += f'"d.br"()[^a_block_with_a_long_name_{i % 2999 + 1}] : () -> ()\n'
text += "}) : () -> ()"
sweep(lambda: ir.Module.parse(text))
module = ir.Module.parse(text)
for act in (module.clone, module.__str__):
    sweep(act, 8)
""",
    "what is there": """
module = ir.Module.parse(flat(4000))
for act in (module.clone, module.__str__):
    sweep(act, 8)
sweep(module.operation.verify, 8, little=True)
for name in ("cse", "canonicalize"):
    sweep(lambda: ir.PassManager.parse(f"builtin.module({name})").run(module), 8, little=True)
""",
    "symbols": r"""
def function(name, type, body, more=""):
    return f'"func.func"() ({{ {body} }}) {{sym_name = "{name}", function_type = {type}{more}}} : () -> ()'

calls = ['%0 = "d.c"() : () -> i32']
calls += [f'%{i + 1} = "func.call"(%{i}) {{callee = @called}} : (i32) -> i32' for i in range(400)]
calls += ['"func.return"() : () -> ()']
text = [
    function("called", "(i32) -> i32", '^a(%a: i32): "func.return"(%a) : (i32) -> ()'),
    function("calls", "() -> ()", "\n".join(calls)),
]
private = ', sym_visibility = "private"'
text += [function(f"unused{i}", "() -> ()", '"func.return"() : () -> ()', private) for i in range(400)]
text = "\n".join(text)

def run(passes):
    ir.PassManager.parse(f"builtin.module({passes})").run(ir.Module.parse(text))

for passes in ("inline", "symbol-dce"):
    sweep(lambda: run(passes), 6)
module = ir.Module.parse(text)
for passes in ("inline", "symbol-dce"):
    manager = ir.PassManager.parse(f"builtin.module({passes})")
    sweep(lambda: manager.run(module), 6, little=True)
""",
    "many": """
text = flat(150_000)
sweep(lambda: ir.Module.parse(text), 6)
module = ir.Module.parse(text)
del text
for act in (module.clone, module.__str__):
    sweep(act, 6)
sweep(module.operation.verify, 6, little=True)
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


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit of memory is Linux's")
@pytest.mark.parametrize("name", SWEPT)
def test_limits_one_after_the_other(name):
    """Wherever memory ends, the process does not."""
    if name == "many" and os.environ.get("PAIRBOND_LONG") != "1":
        pytest.skip("takes a minute: make test-long ARGS=python")
    run = subprocess.run(
        [sys.executable, "-c", PROLOGUE + TEXTS + SWEPT[name]],
        capture_output=True,
        text=True,
        timeout=1800 if name == "many" else 300,
    )
    assert run.returncode == 0, (run.stdout + run.stderr)[-3000:]
