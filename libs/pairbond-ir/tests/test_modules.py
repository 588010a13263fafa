"""Whole texts: read and written as MLIR does it, and errors in them."""

import threading
from pathlib import Path

import pairbond_ir as ir
import pytest

MODULES = sorted((Path(__file__).parent / "data" / "modules").glob("*.mlir"))


@pytest.mark.parametrize("file", MODULES, ids=lambda it: it.stem)
def test_texts_are_mlirs(context, file):
    """MLIR wrote them: the same is written again, with aliases of locations where these are."""
    text = file.read_text()
    module = ir.Module.parse(text, context)
    if file.stem.endswith(".locations"):
        assert module.get_asm(enable_debug_info=True) == text
        local = module.get_asm(enable_debug_info=True, use_local_scope=True)
        assert "#loc" not in local
        assert ir.Module.parse(local, context).get_asm(enable_debug_info=True) == text
        assert str(module) == file.with_name(file.name.replace(".locations", "")).read_text()
    else:
        assert str(module) == text
        assert module.get_asm(print_generic_op_form=True) == text


def test_what_stands_in_no_module_is_put_into_one(context):
    module = ir.Module.parse('"a.b"() : () -> ()\n"a.c"() : () -> ()', context)
    assert type(module) is ir.Module
    assert [op.name for op in module.body.operations] == ["a.b", "a.c"]
    assert [op.name for op in ir.Module.parse("", context).body] == []
    inner = ir.Module.parse('"builtin.module"() ({^bb0:}) {sym_name = "m"} : () -> ()', context)
    assert inner.attributes["sym_name"].value == "m"
    assert ir.Operation.parse('"a.b"() : () -> ()', context=context).name == "a.b"


def test_aliases_are_used_and_written_out(context):
    module = ir.Module.parse(
        "!t = tensor<2xf32>\n#e = #a.enc<1>\n#f = {x = #e}\n"
        '%0 = "a.b"() {k = #a.c<!t, [#e], "!t">, l = #f, m = !t} : () -> !a.box<!t>\n',
        context,
    )
    op = module.body.operations[0]
    assert str(op.attributes["k"]) == '#a.c<tensor<2xf32>, [#a.enc<1>], "!t">'
    assert str(op.attributes["l"]) == "{x = #a.enc<1>}"
    assert str(op.results[0].type) == "!a.box<tensor<2xf32>>"


def test_names_of_results_and_forward_references(context):
    module = ir.Module.parse(
        '"a.use"(%2#1, %later) : (i2, i9) -> ()\n'
        '%x, %2:2 = "a.def"() : () -> (i1, i1, i2)\n'
        '"a.region"() ({ "a.use"(%later, %x) : (i9, i1) -> () }) : () -> ()\n'
        '%later = "a.def"() : () -> i9\n',
        context,
    )
    use, define, region, later = module.body.operations
    assert list(use.operands) == [define.results[2], later.result]
    inner = region.regions[0].blocks[0].operations[0]
    assert list(inner.operands) == [later.results[0], define.results[0]]
    assert sorted(it.operand_number for it in later.result.uses) == [0, 1]


ERRORS = {
    '"a.b"() : () -> i32 i32': (1, 21, "expected operation name in quotes"),
    '"a.b"(': (1, 7, "expected SSA operand"),
    '"a.b"() : ()\n': (2, 1, "expected '->' in function type"),
    '%0 = "a.b"() : () -> ()': (1, 1, "operation defines 0 results but was provided 1 to bind"),
    '%0:0 = "a.b"() : () -> ()': (1, 1, "at least 1 result"),
    '"a.b"(%0) : (i32) -> ()': (1, 7, "use of undeclared SSA value name"),
    '%0 = "a.b"() : () -> i32\n%0 = "a.b"() : () -> i32': (2, 1, "redefinition of SSA value '%0'"),
    '%0 = "a.b"() : () -> i32\n"a.b"(%0) : (f32) -> ()': (
        2,
        7,
        "expects different type than prior uses: 'f32' vs 'i32'",
    ),
    '"a.b"(%0) : (f32) -> ()\n%0 = "a.b"() : () -> i32': (1, 7, "expects different type"),
    '%0 = "a.b"() : () -> i32\n"a.b"(%0#1) : (i32) -> ()': (2, 7, "reference to invalid result number"),
    '"a.b"() ({ "a.c"()[^x] : () -> () }) : () -> ()': (1, 20, "reference to an undefined block"),
    '"a.b"() ({^x: ^x: }) : () -> ()': (1, 15, "redefinition of block '^x'"),
    '"a.b"() ({ "a.c"() : () -> () ': (1, 31, "expected operation name in quotes"),
    '"a.b"() : () -> () loc(#x)': (1, 24, "operation location alias was never defined"),
    '"a.b"() {a = } : () -> ()': (1, 14, "expected attribute value"),
    '"a.b"() {a = 1, a = 2} : () -> ()': (1, 17, "duplicate key 'a'"),
    "#x = 1\n#x = 2": (2, 1, "redefinition of alias id 'x'"),
    "func.func @f() { }": (1, 1, "expected operation name in quotes"),
    '"a': (1, 1, "expected '\"' in string literal"),
    '"a.b"() : () -> () ; x': (1, 20, "unexpected character"),
    '"builtin.nothing"() : () -> ()': (1, 1, "none of the dialect 'builtin'"),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_know_their_place(context, text):
    line, column, message = ERRORS[text]
    with pytest.raises(ir.IRError) as caught:
        ir.Module.parse(text, context)
    error = caught.value
    assert (error.line, error.column) == (line, column), str(error)
    assert message in error.message
    failed, what, shown, caret = str(error).split("\n")
    assert (failed, what) == ("Unable to parse module assembly:", f'error: "-":{line}:{column}: {error.message}')
    assert shown.strip() == (text + "\n").split("\n")[line - 1].strip()
    assert caret.index("^") == column + 1


def test_every_text_cut_anywhere_is_refused_or_read(context):
    text = (Path(__file__).parent / "data" / "modules" / "generic.locations.mlir").read_text()
    read, places = 0, []
    for end in range(0, len(text), 3):
        try:
            ir.Module.parse(text[:end], context)
            read += 1
        except ir.IRError as error:
            places.append((error.line, error.column))
    assert 0 < read < 200
    assert None not in [number for place in places for number in place]


def test_nesting_has_no_limit(context):
    """On a stack that is too small for a tenth of it."""
    depth, found = 1_500, []

    def work():
        text = '"a.b"() ({ ' * depth + '"a.c"() : () -> ()' + " }) : () -> ()" * depth
        module = ir.Module.parse(text, context)
        names = []
        module.walk(lambda op: names.append(op.name))
        copy = module.clone()
        found.extend([str(module).count("a.b"), len(names), str(copy) == str(module)])
        module.body.operations[0].erase()
        found.append(len(module.body.operations))

    threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(0)
    thread.join()
    assert found == [depth, depth + 2, True, 0]
