# ruff: noqa: E501 - texts of the IR and what is said of them in one line
"""Whatever a text is, reading it ends with an `IRError` that knows its place, or with something whose own text is read as the same."""

import itertools
import subprocess
import sys

import pairbond_ir as ir
import pytest


def reread(context, text, read=ir.Attribute.parse):
    """What a text is read as; its own text is read as the same."""
    found = read(text, context)
    assert read(str(found), context) is found, str(found)
    return found


@pytest.mark.parametrize("count", [10, 200, 20_000])
@pytest.mark.parametrize("how", ["text", "file"])
def test_names_before_regions_that_are_long_have_their_place(context, tmp_path, count, how):
    """The text before the regions is no longer in memory when they end."""
    inner = '"t.op"() : () -> ()\n' * count
    text = f'\n  "scf.if"(%a, %undefined) ({{\n{inner}}}) : (i1, i1) -> ()'
    text = '%a = "t.def"() : () -> i1\n' + "// comment é\n" * count + text
    path = tmp_path / "it.mlir"
    path.write_text(text, encoding="utf-8")
    read = {"text": lambda: ir.Module.parse(text, context), "file": lambda: ir.Module.parse_file(path, context=context)}
    with pytest.raises(ir.IRError, match="use of undeclared SSA value name") as error:
        read[how]()
    assert (error.value.line, error.value.column) == (count + 3, 16)
    assert str(error.value).endswith("({\n" + " " * (2 + 15) + "^")
    for before, after, column in (
        ("(%a, %", "(%a#1, %", 12),
        ("%a = ", "%a, %scf = ", 1),
        ("(i1, i1)", "(i1, i2)", 16),
    ):
        wrong = text.replace(before, after).replace("%undefined", "%a")
        with pytest.raises(ir.IRError) as error:
            ir.Module.parse(wrong, context)
        line = 1 if "scf" in after else count + 3
        assert (error.value.line, error.value.column) == (line, column), error.value


SIGNS = ["é", "‹", "€\U0001f600", "\u0301"]


@pytest.mark.parametrize(
    "text", ["tensor{}", "tensor<{}", "tensor<2{}", "tensor<2x{}", "1 {} : i32", "i32 {}", "vector<[{}", "vector<[2{}]xi8>",
             "memref<?{}", "memref<*{}xi8>", "#{}", "#a{}", "!a.b<{}", "@{}", "@a::{}", "%{}", "dense<{}> : tensor<1xi8>",
             "affine_map<({}", "affine_map<(d0) -> (d0 {}", "affine_set<(d0) : (d0 >{}", "loc({}", 'loc("a":{}', "{{{}", "{{a{}",
             "-{}", "0x{}", "1.{}", "1.5e{}", '"{}', '"\\{}', "array<i8{}", "distinct[{}", "strided<[{}", "i8{}", "->{}", "{}"]
)  # fmt: skip
def test_characters_beyond_ascii_are_errors_where_they_stand(context, text):
    for sign, wrap in itertools.product(SIGNS, ("{}", "[{}]", '"t.op"() {{a = {}}} : () -> ()')):
        whole = wrap.format(text.format(sign))
        for read in (ir.Attribute.parse, ir.Type.parse, ir.Module.parse, ir.Operation.parse):
            with pytest.raises(ir.IRError):
                read(whole, context=context)


def test_operations_without_a_dialect(context):
    with context, ir.Location.unknown():
        op = ir.Operation.create("foo", ip=False)
    again = ir.Operation.parse(str(op), context=context)
    assert (again.name, str(again)) == ("foo", str(op))
    context.allow_unregistered_dialects = False
    for text in ('"foo"() : () -> ()', '"foo.bar"() : () -> ()'):
        with pytest.raises(ir.IRError, match="is not declared"):
            ir.Operation.parse(text, context=context)


@pytest.mark.parametrize(
    "text", ["func.func @f() { return }", 'module { "a.b"() : () -> () }', "%0 = arith.constant 1 : i32"]
)
def test_the_pretty_form_is_named(context, text):
    with pytest.raises(ir.IRError, match=r"only the generic form is read.*mlir-print-op-generic"):
        ir.Module.parse(text, context)


SPARSE = {
    "sparse<> : tensor<2xf32>": "sparse<> : tensor<2xf32>",
    "sparse<[], []> : tensor<2xf32>": "sparse<> : tensor<2xf32>",
    "sparse<[], 1.0> : tensor<2xf32>": "sparse<> : tensor<2xf32>",
    "sparse<[[0], [0]], [1, 2]> : tensor<2xi8>": "sparse<[[0], [0]], [1, 2]> : tensor<2xi8>",
    "sparse<[[0], [0]], 1> : tensor<2xi8>": "sparse<[[0], [0]], 1> : tensor<2xi8>",
    "sparse<[0, 1], [1, 2]> : tensor<2xi8>": "sparse<[0, 1], [1, 2]> : tensor<2xi8>",
    "sparse<1, 7> : tensor<2x3xi8>": "sparse<1, 7> : tensor<2x3xi8>",
    "sparse<[[1, 2]], 7> : tensor<2x3xi8>": "sparse<[[1, 2]], 7> : tensor<2x3xi8>",
    "sparse<0, 5> : tensor<i8>": "sparse<[[]], 5> : tensor<i8>",
    'sparse<[[0], [1]], ["a", "b"]> : tensor<2x!t.s>': 'sparse<[[0], [1]], ["a", "b"]> : tensor<2x!t.s>',
    "sparse<[0], 1> : tensor<1xi8>": "sparse<0, 1> : tensor<1xi8>",
    'sparse<[[0], [1]], "0x0102"> : tensor<2xi8>': "sparse<[[0], [1]], [1, 2]> : tensor<2xi8>",
}


@pytest.mark.parametrize("text", SPARSE)
def test_sparse_elements_are_read_again(context, text):
    assert str(reread(context, text)) == SPARSE[text]


@pytest.mark.parametrize(
    "text",
    [
        "sparse<[[2]], 1> : tensor<2xi8>",
        "sparse<[[-1]], 1> : tensor<2xi8>",
        "sparse<[[0, 3]], 1> : tensor<2x3xi8>",
        "sparse<2, 1> : tensor<2x3xi8>",
        "sparse<[9223372036854775808], 1> : tensor<2xi8>",
        "sparse<[], []> : tensor<2x2xi8>",
        "sparse<[0, 1], 1> : tensor<2x2xi8>",
        "sparse<[[0]], [1, 2]> : tensor<2xi8>",
        "sparse<[[0]], [[1]]> : tensor<2xi8>",
        "strided<[-9223372036854775808]>",
        "strided<[1], offset: -9223372036854775808>",
        "strided<[9223372036854775808]>",
        "tensor<9223372036854775808xi8>",
        "affine_map<() -> (9223372036854775808)>",
        "9223372036854775808 : index",
        "9223372036854775808 : si64",
        "distinct[18446744073709551616]<>",
        "dense<> : tensor<i8>",
        "dense<> : tensor<2xi8>",
        "dense<[]> : tensor<i8>",
        "#.<x>", "#-a<x>", "#$a<x>", "!.<x>", "#foo.a-", "!foo.a-b-",
    ],
)  # fmt: skip
def test_what_could_not_be_written_is_not_read(context, text):
    with pytest.raises(ir.IRError):
        ir.Attribute.parse(text, context)


@pytest.mark.parametrize(
    "text",
    [
        "distinct[18446744073709551615]<>",
        "affine_map<(d0) -> (d0 - 9223372036854775807 - 1)>",
        "affine_map<(d0) -> (d0 * -9223372036854775808 - 1)>",
        "affine_map<() -> (-9223372036854775807 - 1)>",
        "affine_map<(d0)[s0] -> (d0 + (s0 - d0) + 7)>",
        "dense<> : tensor<0xi8>",
        "dense<> : tensor<2x0xi8>",
        'loc("f":12)',
        "#foo.", "#foo<>", "#foo.a$b", "#foo.1", "#foo<a<b>c<d>>", "#foo.a<b>", "#foo<a->b>", '#foo<"a>">', "#foo< a >",
    ],
)  # fmt: skip
def test_what_is_written_is_read(context, text):
    found = ir.Attribute.parse(text, context)
    again = ir.Attribute.parse(str(found), context)
    assert str(again) == str(found)
    assert again is found or "distinct" in text


@pytest.mark.parametrize("properties", ["{foo = 1}", "{sym_name = 1}", "1", '{sym_name = "a", x}'])
def test_properties_that_there_are_not(context, properties):
    with pytest.raises(ir.IRError, match="invalid properties") as error:
        ir.Module.parse(f'"builtin.module"() <{properties}> ({{^bb0:}}) : () -> ()', context)
    assert (error.value.line, error.value.column) == (1, 20)
    assert ir.Module.parse(
        '"builtin.module"() <{sym_name = "a", sym_visibility = "private"}> ({^bb0:}) : () -> ()', context
    )


# Where things come from.

LOCATIONS = """"builtin.module"() ({
  "a.f"() ({
  ^bb0(%x: i32 loc("arg"), %y: i32 loc(callsite("c" at "d"("e.py":1:2)))):
    "a.g"(%x) {l = loc("attr"("zz":1:1)), n = loc("arg")} : (i32) -> () loc(fused<"m">["u", "arg", callsite("q" at "d"("e.py":1:2))])
    "a.g"(%x) : (i32) -> () loc("q")
    "a.m"() {d = distinct[0]<[loc("w")]>, e = loc("p"("q2")), m = affine_map<(d0) -> (d0)>} : () -> () loc(unknown)
    "a.m"() {d = loc(fused<[affine_map<(d0) -> (d0 + 2)>, loc("in")]>["x", "y"])} : () -> () loc(fused<loc("in3")>["x", "y2"])
  }) : () -> () loc("last"("more"("e.py":1:2)))
}) : () -> () loc("-":0:0)
"""
WRITTEN = """#loc1 = loc("e.py":1:2)
#loc2 = loc("arg")
#loc3 = loc("c")
#loc6 = loc("zz":1:1)
#loc8 = loc("w")
#loc9 = loc("q2")
#loc11 = loc("x")
#loc13 = loc("in")
#loc14 = loc("y")
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#loc16 = loc("d"(#loc1))
#loc17 = loc("attr"(#loc6))
#loc18 = loc("p"(#loc9))
#distinct = distinct[0]<[#loc8]>
#loc21 = loc(callsite(#loc3 at #loc16))
#loc23 = loc(fused<[#map1, #loc13]>[#loc11, #loc14])
"builtin.module"() ({
  "a.f"() ({
  ^bb0(%arg0: i32 loc("arg"), %arg1: i32 loc(callsite(#loc3 at #loc16))):
    "a.g"(%arg0) {l = #loc17, n = #loc2} : (i32) -> () loc(#loc24)
    "a.g"(%arg0) : (i32) -> () loc(#loc5)
    "a.m"() {d = #distinct, e = #loc18, m = #map} : () -> () loc(#loc7)
    "a.m"() {d = #loc23} : () -> () loc(#loc19)
  }) : () -> () loc(#loc20)
}) : () -> () loc(#loc)
#loc = loc("-":0:0)
#loc4 = loc("u")
#loc5 = loc("q")
#loc7 = loc(unknown)
#loc10 = loc("in3")
#loc12 = loc("y2")
#loc15 = loc("more"(#loc1))
#loc19 = loc(fused<#loc10>[#loc11, #loc12])
#loc20 = loc("last"(#loc15))
#loc22 = loc(callsite(#loc5 at #loc16))
#loc24 = loc(fused<"m">[#loc4, #loc2, #loc22])
"""


def test_locations_are_written_as_mlir_does(context):
    module = ir.Module.parse(LOCATIONS, context)
    text = module.get_asm(enable_debug_info=True)
    assert text == WRITTEN
    assert ir.Module.parse(text, context).get_asm(enable_debug_info=True) == text
    assert module.get_asm(enable_debug_info=True, use_local_scope=True) + "\n" == LOCATIONS.replace(
        "%x", "%arg0"
    ).replace("%y", "%arg1")
    # What stands in something has no place for definitions.
    assert "\n#loc" not in module.body.operations[0].get_asm(enable_debug_info=True)


SHARED_LOCATIONS = """
import tracemalloc
import pairbond_ir as ir

with ir.Context():
    location = ir.Location.name("begin")
    for number in range(60):
        site = ir.Location.callsite(location, [ir.Location.file("a.py", number, 1)])
        location = ir.Location.fused([location, site], metadata=ir.IntegerAttr.get(ir.IndexType.get(), number))
    module = ir.Module.create(location)
    tracemalloc.start()
    text = module.get_asm(enable_debug_info=True)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    assert len(text) < 10_000
    assert ir.Module.parse(text).location is location
    for call in (
        lambda: str(location),
        lambda: repr(location),
        lambda: module.get_asm(enable_debug_info=True, use_local_scope=True),
    ):
        try:
            call()
        except ir.IRError as error:
            assert "exponentially longer" in str(error)
        else:
            raise AssertionError("it was written")
print("written once")
"""


def test_shared_locations_are_written_once():
    """In a process of its own: `tracemalloc.stop` crashes before 3.12.9 and 3.13.2 if another thread allocates at that
    moment (python/cpython#128679), as one does that releases what earlier tests left."""
    run = subprocess.run([sys.executable, "-c", SHARED_LOCATIONS], capture_output=True, text=True, timeout=120)
    assert run.stdout == "written once\n", run.stderr


@pytest.mark.large
def test_shared_parts_are_written_once(context):
    """Each is two of the one before: a text of 2^60 words, if it had no names."""
    for first, step in (("1", "[{0}, {0}]"), ('"a"', "{{a = {0}, b = {0}}}"), ("i8", "tuple<{0}, {0}>")):
        mark = "!" if "tuple" in step else "#"
        lines = [f"{mark}a0 = {first}"]
        lines += [f"{mark}a{number + 1} = {step.format(f'{mark}a{number}')}" for number in range(60)]
        value = f"{mark}a60"
        module = ir.Module.parse("\n".join(lines) + f'\n"t.op"() {{a = {value}}} : () -> ()', context)
        text = str(module)
        assert len(text) < 10_000_000
        again = ir.Module.parse(text, context)
        assert again.body.operations[0].attributes["a"] is module.body.operations[0].attributes["a"]
        value = module.body.operations[0].attributes["a"]
        with pytest.raises(ir.IRError, match="exponentially longer"):
            str(value)
    lines = ["#a0 = #t<x>"] + [f"#a{number + 1} = #t<#a{number} #a{number}>" for number in range(60)]
    with pytest.raises(ir.IRError, match="stand for too much text"):
        ir.Module.parse("\n".join(lines), context)


@pytest.mark.large
def test_what_is_read_comes_from_its_place(context):
    text = '"t.f"() ({\n^bb0(%x: i32):\n    %é = "t.g"(%x) : (i32) -> i32\n}) : () -> ()'.replace("é", "e")
    module = ir.Module.parse(text, context)
    outer = module.body.operations[0]
    block = outer.regions[0].blocks[0]
    assert [str(it.location) for it in (module, outer, block.arguments[0], block.operations[0])] == [
        f'loc("-":{place})' for place in ("0:0", "1:1", "2:6", "3:10")
    ]
    copy = outer.clone(ip=False)
    assert copy.regions[0].blocks[0].operations[0].location is block.operations[0].location
    outer.location = ir.Location.unknown(context)
    assert str(outer.location) == "loc(unknown)"
    # A column that is too large to be kept beside an operation.
    op = ir.Operation.parse(" " * (1 << 24) + '"t.op"() : () -> ()', context=context)
    assert op.location.start_col == (1 << 24) + 1


def test_entry_blocks_that_are_gone_to_have_labels(context):
    text = '"t.f"() ({\n^bb0:  // pred: ^bb0\n  "t.br"()[^bb0] : () -> ()\n}) : () -> ()\n'
    assert str(ir.Operation.parse(text, context=context)) == text


def test_errors_of_verify_have_lines(context):
    text = """
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
  %1 = "arith.addi"(%0, %0) : (i32, i32) -> i64
  "func.return"() : () -> ()
}) : () -> ()"""
    with pytest.raises(ir.IRError) as error:
        ir.Module.parse(text, context).verify()
    assert (error.value.line, error.value.column) == (4, 8)
    assert str(error.value).startswith("Verification failed:\nerror: \"-\":4:8: 'arith.addi' op")


def test_names_end_with_their_region(context):
    inner = '"my.r"() ({ %a = "my.d"() : () -> i32 "my.u"(%a) : (i32) -> () }) : () -> ()'
    # Regions beside each other have the same names, also where one was used before its definition.
    before = '"my.r"() ({ "my.u"(%a) : (i32) -> () %a = "my.d"() : () -> i32 }) : () -> ()'
    module = ir.Module.parse(f"{inner}\n{before}\n{inner}", context)
    first, second, third = (op.regions[0].blocks[0].operations for op in module.body)
    assert all(it[1].operands[0].owner is it[0] for it in (first, third))
    assert second[0].operands[0].owner is second[1]
    # What was defined inside is not there behind it, and can be defined again outside.
    with pytest.raises(ir.IRError, match="use of undeclared SSA value name"):
        ir.Module.parse(f'{inner}\n"my.u"(%a) : (i32) -> ()', context)
    module = ir.Module.parse(f'{inner}\n%a = "my.d"() : () -> i32\n"my.u"(%a) : (i32) -> ()', context)
    _, definition, use = module.body
    assert use.operands[0].owner is definition
    # What is defined around cannot be defined inside, but for regions that are isolated from it.
    with pytest.raises(ir.IRError, match="redefinition of SSA value '%a'"):
        ir.Module.parse(f'%a = "my.d"() : () -> i32\n{inner}', context)
    isolated = f'"builtin.module"() ({{ {inner} }}) : () -> ()'
    module = ir.Module.parse(f'%a = "my.d"() : () -> i32\n{isolated}\n"my.u"(%a) : (i32) -> ()', context)
    definition, _, use = module.body
    assert use.operands[0].owner is definition
    with pytest.raises(ir.IRError, match="use of undeclared SSA value name"):
        ir.Module.parse(
            '%a = "my.d"() : () -> i32\n"builtin.module"() ({ "my.u"(%a) : (i32) -> () }) : () -> ()', context
        )
