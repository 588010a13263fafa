"""`verify()`: verdicts as MLIR's, and what its errors say."""

import copy
import itertools
import pickle
import re
from pathlib import Path

import pairbond
import pairbond_ir as ir
import pytest

DATA = Path(__file__).parent / "data"
PARTS = [it.split("\n", 2) for it in (DATA / "verdicts.mlir").read_text().split("// ----- ")[1:]]


# Names that are not to be seen there: the parser says so already.
REFUSED_BY_PARSER = {
    "isolated",
    "nested_module_iso",
    "function_in_function_uses",
    "inner_to_outer_use",
    "term_toplevel_succ_other_region",
}


@pytest.mark.parametrize(("name", "verdict", "text"), PARTS, ids=[it[0] for it in PARTS])
def test_verdicts_are_mlirs(context, name, verdict, text):
    """Each text has one thing that is right or wrong; data/refresh.py asked MLIR."""
    if name in REFUSED_BY_PARSER:
        with pytest.raises(ir.IRError, match=r"undeclared SSA value|undefined block"):
            ir.Module.parse(text, context)
        return
    module = ir.Module.parse(text, context)
    if verdict == "// right":
        assert module.verify() is True
    else:
        with pytest.raises(ir.IRError):
            module.verify()


@pytest.mark.parametrize("is_declared", [False, True])
def test_results_are_counted_before_operands(context, is_declared):
    if is_declared:
        from pairbond_ir.dialects import arith as arith
    with context, ir.Location.unknown():
        i32 = ir.IntegerType.get_signless(32)
        value = ir.Operation.create("t.one", results=[i32]).result
        for operands, results in itertools.product(range(4), range(3)):
            op = ir.Operation.create("arith.addi", [i32] * results, [value] * operands)
            if (operands, results) == (2, 1):
                assert op.verify()
                continue
            with pytest.raises(ir.IRError) as caught:
                op.verify()
            right = f"op expected 2 operands, but found {operands}" if results == 1 else "op requires one result"
            assert caught.value.message.startswith(f"'arith.addi' {right}")


def test_isolation_from_above(context, function):
    """No text can say it; editing can."""
    outside = ir.Operation.create("t.def", results=[function.regions[0].blocks[0].arguments[0].type], ip=False)
    ir.InsertionPoint(function).insert(outside)
    define, use, end = function.regions[0].blocks[0].operations
    with context:
        nested = ir.Operation.create("t.region", regions=1, ip=ir.InsertionPoint(end))
    ir.Block.create_at_start(nested.regions[0])
    use.detach_from_parent()
    nested.regions[0].blocks[0].append(use)
    assert function.parent.verify()
    use.operands[0] = outside.result
    for op in (function.parent, function):
        error = error_of(op)
        assert error.message.endswith("'t.use' op uses as operand #0 a value that is defined outside the region")
        assert error.__notes__[1].startswith('required by region isolation constraints of, at -:2:1: "func.func"() ')
    assert nested.verify()
    use.operands[0] = define.result
    assert function.parent.verify()


@pytest.mark.parametrize("file", sorted((DATA / "modules").glob("*.mlir")), ids=lambda it: it.stem)
def test_what_mlir_wrote_is_right(context, file):
    assert ir.Module.parse(file.read_text(), context).verify()


FUNCTION = """
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({ ^bb0(%x: i32):
  %0 = "t.def"(%x) : (i32) -> i32 loc(callsite("a.py":3:4 at "b.py":1:1))
  "t.use"(%0) : (i32) -> () loc(fused["n"("c.py":7:8), "d.py":1:1])
  "func.return"() : () -> ()
}) : () -> ()
"""


@pytest.fixture
def function(context):
    module = ir.Module.parse(FUNCTION, context)
    assert module.verify()
    return module.body.operations[0]


def error_of(op) -> ir.IRError:
    with pytest.raises(ir.IRError) as caught:
        op.verify()
    return caught.value


def test_an_error_says_where_and_what(function):
    define, use, _ = function.regions[0].blocks[0].operations
    use.move_before(define)
    error = error_of(function)
    assert (error.filename, error.line, error.column) == ("c.py", 7, 8)
    assert str(error) == f'Verification failed:\nerror: "c.py":7:8: {error.message}'
    assert error.message == "'t.use' op uses operand #0, which does not dominate this use"
    assert error.__notes__ == [
        'see current operation, at c.py:7:8: "t.use"(%0) : (i32) -> ()',
        'operand defined here, at a.py:3:4: %0 = "t.def"(%arg0) : (i32) -> i32',
    ]
    use.location = ir.Location.unknown(use.context)
    error = error_of(function)
    assert error.message == "'t.use' op uses operand #0, which does not dominate this use"
    assert str(error) == f"Verification failed:\nerror: unknown: {error.message}"
    assert error.line is None
    assert error.location is use.location
    use.move_after(define)
    assert function.verify()


def test_errors_are_diagnostics_too(function):
    define, use, _ = function.regions[0].blocks[0].operations
    use.move_before(define)
    error = error_of(function)
    (told,) = error.error_diagnostics
    assert (told.severity, told.location, told.message) == (ir.DiagnosticSeverity.ERROR, use.location, str(told))
    assert [(note.severity.name, note.message) for note in told.notes] == [("NOTE", it) for it in error.__notes__]
    with pytest.raises(ir.IRError) as caught:
        ir.Module.parse("%0 = ", function.context)
    assert caught.value.error_diagnostics[0].location is None
    with function.context:
        (told,) = caught.value.error_diagnostics
        assert str(told.location) == 'loc("-":1:6)'


@pytest.mark.parametrize("again", [copy.copy, lambda it: pickle.loads(pickle.dumps(it))])
def test_errors_are_copied_without_their_location(function, again):
    define, use, _ = function.regions[0].blocks[0].operations
    use.move_before(define)
    error = error_of(function)
    made = again(error)
    assert (type(made), str(made), made.message) == (ir.IRError, str(error), error.message)
    assert (made.filename, made.line, made.column, made.location) == ("c.py", 7, 8, None)
    assert made.__notes__ == error.__notes__


def test_what_editing_breaks(context, function):
    block = function.regions[0].blocks[0]
    define, use, end = block.operations
    define.erase(drop_uses=True)
    assert "operand #0 is gone: its value was erased" in str(error_of(function))
    use.operands[0] = block.arguments[0]
    assert function.verify()
    block.arguments[0].set_type(ir.IntegerType.get_signless(8, context))
    error = error_of(function)
    assert "argument of the entry block #0 is i8, the function's input i32" in str(error)
    assert error.__notes__[0].endswith("({ …")
    block.arguments[0].set_type(ir.IntegerType.get_signless(32, context))
    other = ir.Module.parse('"t.r"() ({ "t.br"()[^bb1] : () -> ()\n ^bb1: "t.end"() : () -> () }) : () -> ()', context)
    branch = other.body.operations[0].regions[0].blocks[0].operations[0]
    assert other.verify()
    branch.move_before(end)
    assert "must terminate its parent block" in str(error_of(function))
    end.erase()
    assert "branching to block of a different region" in str(error_of(function))
    other.body.operations[0].regions[0].blocks[1].erase()
    assert "successor #0 is gone" in str(error_of(function))
    branch.detach_from_parent()
    assert "stands in no block" in str(error_of(branch))
    function.erase()
    with pytest.raises(pairbond.InvalidatedError):
        function.verify()


def test_a_part_is_verified_with_what_is_around_it(context):
    text = """
    %0 = "t.def"() : () -> i1
    "scf.if"(%0) ({ "t.use"(%0) : (i1) -> ()  "scf.yield"() : () -> () }, {}) : (i1) -> ()
    "t.f"() ({ ^bb0: "t.br"()[^bb1] : () -> ()
      ^bb1: "t.r"() ({ "t.use"(%1) : (i1) -> () }) : () -> ()
      %1 = "t.def"() : () -> i1
      "t.end"() : () -> () }) : () -> ()
    """
    module = ir.Module.parse(text, context)
    assert module.body.operations[1].verify()
    for op in (module, module.body.operations[2], module.body.operations[2].regions[0].blocks[1].operations[0]):
        assert "'t.use' op uses operand #0" in str(error_of(op))
    detached = ir.Operation.create("t.use", operands=[module.body.operations[0].result], ip=False)
    assert detached.verify()


def test_deep_nesting_and_many_blocks(context):
    depth, count = 3000, 3000
    module = ir.Module.parse('"t.r"() ({ ' * depth + '"t.x"() : () -> ()' + " }) : () -> ()" * depth, context)
    assert module.verify()
    blocks = [f'^bb{i}: %{i} = "t.x"() : () -> i1 "t.br"()[^bb{i + 1}, ^bb{count}] : () -> ()' for i in range(count)]
    uses = f'^bb{count}: "t.use"(%0) : (i1) -> () "t.end"() : () -> ()'
    text = '"t.f"() ({ ' + "\n".join([*blocks, uses]) + "}) : () -> ()"
    assert ir.Module.parse(text, context).verify()
    wrong = ir.Module.parse(text.replace('"t.use"(%0)', '"t.use"(%1)'), context)
    assert re.search(r"\nerror: \"-\":3001:\d+: 't.use' op uses operand #0", str(error_of(wrong)))
