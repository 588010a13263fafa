"""More short scripts that run with either library and print the same: names, texts, kinds, builders, tracebacks."""

from __future__ import annotations

import io
from typing import Any

import binding_scripts
from binding_scripts import Script, raised

SCRIPTS: list[Script] = []

TEXT = """
"builtin.module"() ({
  "my.f"() ({
  ^bb0(%a: i32 loc("arg a!"), %b: i32 loc("x.mlir":1:2), %c: i32 loc("arg"), %d: i32 loc("0foo")):
    %0 = "my.one"(%a) : (i32) -> i32 loc("res"("f.py":3:4))
    %1 = "my.one"(%a) : (i32) -> i32 loc("res")
    %2:2 = "my.two"(%0, %1) : (i32, i32) -> (i32, i32) loc("pair")
    %3 = "my.one"(%2#1) : (i32) -> i32 loc(callsite("x" at "y.py":3:4))
    %4 = "my.one"(%3) : (i32) -> i32 loc(fused["q", "r"("z":1:1)])
    %5 = "my.one"(%4) : (i32) -> i32 loc(unknown)
    %6 = "my.one"(%5) : (i32) -> i32 loc("z":1:2 to 3:4)
    %7 = "my.one"(%5) : (i32) -> i32 loc(fused<"meta">["q", "r"])
    %8 = "my.one"(%5) : (i32) -> i32 loc("")
    %9 = "my.one"(%5) : (i32) -> i32 loc("a b.c$d-e_f/g")
    %10 = "my.one"(%5) : (i32) -> i32 loc("res_0")
    "my.g"() ({
    ^bb0(%z: i32 loc("arg")):
      %12 = "my.one"(%z) : (i32) -> i32 loc("res")
    ^bb1(%y: i32 loc("arg")):
      %13 = "my.one"(%y) : (i32) -> i32 loc("inner")
    }) : () -> ()
    "my.g"() ({
    ^bb0(%z: i32 loc("arg")):
      %12 = "my.one"(%z) : (i32) -> i32 loc("inner")
    }) {r = dense_resource<blob> : tensor<2xi32>} : () -> ()
  }) : () -> ()
}) : () -> ()
{-#
  dialect_resources: { builtin: { blob: "0x040000000100000002000000" } }
#-}
"""


def script(function: Script) -> Script:
    SCRIPTS.append(function)
    return function


def run(ir: Any, seed: int) -> list[str]:
    """What script number `seed` prints."""
    return binding_scripts.printed(ir, SCRIPTS[seed])


@script
def values_called_as_their_locations(ir):
    module = ir.Module.parse(TEXT)
    yield module.operation.get_asm(print_generic_op_form=True, use_name_loc_as_prefix=True)
    block = module.body.operations[0].regions[0].blocks[0]
    yield [block.operations[0].result.get_name(use_name_loc_as_prefix=True), block.operations[0].result.get_name()]
    yield [it.get_name(use_name_loc_as_prefix=True) for it in block.operations[2].results]


@script
def limits_of_what_is_written(ir):
    module = ir.Module.parse(TEXT)
    for limit in (0, 27, 28, 29):
        yield module.operation.get_asm(print_generic_op_form=True, large_resource_limit=limit)
    yield module.operation.get_asm(True, 1, None, False, False, True)


@script
def locations_for_people(ir):
    module = ir.Module.parse("""
        "a.b"() : () -> () loc(callsite(callsite("x" at "y.py":3:4) at callsite("z" at "q")))
        "a.b"() : () -> () loc(callsite("f":1:2 at "f":3:4))
        "a.c"() : () -> () loc("a"(fused["b", unknown, "u":1:1]))
        "a.c"() : () -> () loc(fused<unit>["b":1:2 to :5, "b":1:2 to 3:4])
        "a.d"() : () -> () loc(unknown)
    """)
    for op in module.body.operations:
        yield op.get_asm(enable_debug_info=True, pretty_debug_info=True, use_local_scope=True)


@script
def states_of_names(ir):
    module = ir.Module.parse(TEXT)
    function = module.body.operations[0]
    block = function.regions[0].blocks[0]
    state = ir.AsmState(module.operation)
    yield [it.result.get_name(state) for it in list(block.operations)[3:11]]
    out = io.StringIO()
    block.operations[3].print(state, out)
    block.operations[4].print(state=state, file=out)
    yield out.getvalue()
    yield block.operations[4].result.get_name(ir.AsmState(block.operations[3]))
    yield block.operations[4].result.get_name(ir.AsmState(block.operations[3].result))
    yield block.arguments[0].get_name(state=ir.AsmState(function, use_local_scope=True))


@script
def kinds_of_types_and_attributes(ir):
    for cls in (ir.F32Type, ir.IndexType, ir.NoneType, ir.BF16Type, ir.Float8E4M3FNType):
        yield cls.type_name, cls.get().typeid == cls.static_typeid, cls.get().typeid == ir.F32Type.static_typeid
    names = ["VectorType", "RankedTensorType", "UnrankedTensorType", "MemRefType", "UnrankedMemRefType"]
    names += ["IntegerType", "FunctionType", "TupleType", "ComplexType", "OpaqueType", "FloatTF32Type"]
    yield [getattr(ir, it).type_name for it in names]
    names = ["AffineMapAttr", "ArrayAttr", "DictAttr", "FlatSymbolRefAttr", "SymbolRefAttr", "FloatAttr", "IntegerAttr"]
    names += ["IntegerSetAttr", "OpaqueAttr", "StridedLayoutAttr", "StringAttr", "TypeAttr", "UnitAttr"]
    yield [getattr(ir, it).attr_name for it in names]
    text, number = ir.StringAttr.get("x"), ir.Attribute.parse("1 : i32")
    yield text.typeid == ir.StringAttr.static_typeid, text.typeid == number.typeid, text.typeid != number.typeid
    yield ir.BoolAttr.get(True).typeid == ir.IntegerAttr.static_typeid, number.typeid == 1
    yield {number.typeid: "an integer"}[ir.IntegerAttr.static_typeid]
    yield ir.Location.unknown().typeid == ir.UnknownLoc.static_typeid, isinstance(number.typeid, ir.TypeID)


@script
def attributes_by_builders(ir):
    i32 = ir.IntegerType.get_signless(32)
    values = {
        "I1Attr": 1,
        "I8Attr": -3,
        "SI16Attr": -3,
        "UI64Attr": 3,
        "IndexAttr": 4,
        "F32Attr": 1.5,
        "F64Attr": 2.5,
        "BoolAttr": True,
        "StrAttr": "s",
        "SymbolNameAttr": "n",
        "FlatSymbolRefAttr": "f",
        "SymbolRefAttr": ["a", "b"],
        "UnitAttr": True,
        "ArrayAttr": [ir.UnitAttr.get()],
        "DictionaryAttr": {"k": ir.UnitAttr.get()},
        "TypeAttr": i32,
        "MemRefTypeAttr": ir.MemRefType.get([1], i32),
        "AffineMapAttr": ir.AffineMap.get_identity(2),
        "AffineMapArrayAttr": [ir.AffineMap.get_identity(1)],
        "BoolArrayAttr": [True, False],
        "DictArrayAttr": [{}],
        "FlatSymbolRefArrayAttr": ["a"],
        "I32ArrayAttr": [1, 2],
        "I64ArrayAttr": [3],
        "I64SmallVectorArrayAttr": [3],
        "IndexListArrayAttr": [[1], [2, 3]],
        "F32ArrayAttr": [1.0],
        "F64ArrayAttr": [1.0],
        "StrArrayAttr": ["a", "b"],
        "SymbolRefArrayAttr": ["a", ["b", "c"]],
        "TypeArrayAttr": [i32],
        "DenseBoolArrayAttr": [True],
        "DenseI8ArrayAttr": [1],
        "DenseI64ArrayAttr": [1, 2],
        "DenseF32ArrayAttr": [0.5],
        "F64ElementsAttr": [[1.0, 2.0]],
        "I32ElementsAttr": [[1], [2]],
        "I64ElementsAttr": 7,
        "IndexElementsAttr": [1, 1],
    }
    for kind, value in values.items():
        made = ir.AttrBuilder.get(kind)(value, context=ir.Context.current)
        yield kind, ir.AttrBuilder.contains(kind), str(made)
    yield ir.AttrBuilder.contains("NoAttr"), raised(lambda: ir.AttrBuilder.get("NoAttr"))
    yield ir.AttrBuilder.get("I32ElementsAttr")([], context=ir.Context.current)
    yield ir.AttrBuilder.get("UnitAttr")(False, context=ir.Context.current)

    @ir.register_attribute_builder("TwiceAttr", replace=True)
    def twice(x, context):
        return ir.DenseI32ArrayAttr.get([x, x], context)

    yield ir.AttrBuilder.get("TwiceAttr")(2, ir.Context.current), twice(1, ir.Context.current)
    yield raised(lambda: ir.register_attribute_builder("TwiceAttr")(twice)).split(" with func")[0]
    ir.AttrBuilder.insert("TwiceAttr", twice, allow_existing=True)


@script
def types_are_made_in_other_ways(ir):
    f32 = ir.F32Type.get()
    yield ir.VectorType.get([2, 3], f32, scalable_dims=[1]), ir.VectorType.get([2], f32, scalable=[True])
    yield raised(lambda: ir.VectorType.get([2], f32, scalable=[True], scalable_dims=[0]))
    yield raised(lambda: ir.VectorType.get([2], f32, scalable_dims=[5]))
    here, context = ir.Location.file("a", 1, 2), ir.Context.current
    yield ir.RankedTensorType.get([2], f32, loc=here), ir.RankedTensorType.get_unchecked([2], f32, context=context)
    yield ir.UnrankedTensorType.get(f32, loc=here), ir.UnrankedTensorType.get_unchecked(f32, context=context)
    yield ir.MemRefType.get([2], f32, loc=here), ir.MemRefType.get_unchecked([2], f32, context=context)
    yield ir.UnrankedMemRefType.get(f32, None, here), ir.UnrankedMemRefType.get_unchecked(f32, None, context)
    yield ir.FloatAttr.get(f32, 1.0, loc=here), ir.FloatAttr.get_unchecked(f32, 1.0, context=context)
    yield ir.VectorType.get_unchecked([2], f32, scalable=[True], context=context), ir.TypeAttr.get(f32, context)
    for wrong in (
        lambda: ir.RankedTensorType.get([2], ir.FunctionType.get([], []), loc=here),
        lambda: ir.FloatAttr.get(ir.IndexType.get(), 1.0, loc=here),
    ):
        try:
            wrong()
        except ir.MLIRError as error:
            yield [str(it.location) for it in error.error_diagnostics]


@script
def attributes_of_dialects_have_types(ir):
    f32 = ir.F32Type.get()
    made = ir.OpaqueAttr.get("foo", b"bar", f32)
    yield made, made.type, ir.Attribute.parse("#foo.bar : f32") == made, ir.Attribute.parse("#foo.bar : none")
    yield ir.OpaqueAttr.get("foo", b"bar", ir.NoneType.get()), ir.Attribute.parse("#foo<a : f32> : vector<2xi1>")
    module = ir.Module.parse('"a.b"() {x = #foo.bar : f32, y = #foo.bar, z = [#foo.bar : i32]} : () -> ()')
    yield module.operation.get_asm(print_generic_op_form=True)


@script
def places_in_files(ir):
    context = ir.Context.current
    yield ir.Location.file("a", 1, 2), ir.Location.file("a", 1, 2, context), ir.Location.file("a", 1, 2, 3, 4)
    yield ir.Location.file("a", 1, 2, 1, 4, context), ir.Location.file("a", line=1, col=2, context=context)
    yield ir.Location.file("a", start_line=1, start_col=2, end_line=3, end_col=4)
    yield ir.FileLineColLoc.get("a", start_line=1, start_col=2, end_line=3, end_col=4)


@script
def expressions_as_a_whole(ir):
    d0, d1 = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1)
    floor, ceil, mod = ir.AffineExpr.get_floor_div, ir.AffineExpr.get_ceil_div, ir.AffineExpr.get_mod
    for it in (d0 + d1 - d0, floor(d0 * 4 + d1 * 8 + 2, 4), floor(d0, 4) * 4 + mod(d0, 4), ceil(d0 + 1, 4) * 2):
        yield it, ir.AffineExpr.simplify_affine_expr(it, 2, 0)


@script
def walks_over_a_class(ir):
    module = ir.Module.parse(TEXT)
    seen = []
    module.operation.walk(lambda op: seen.append(op.name) or ir.WalkResult.ADVANCE, op_class=ir.OpView)
    yield seen
    region = module.body.operations[0].regions[0]
    block = region.blocks.append(ir.F32Type.get(), arg_locs=[ir.Location.name("x")])
    yield block.arguments[0].location


@script
def locations_from_tracebacks(ir):
    def inner():
        return ir.Operation.create("a.b", results=[])

    def outer():
        return inner()

    def shown(op):
        return str(op.location).replace(__file__, "file")

    with ir.loc_tracebacks(max_depth=2):
        yield shown(inner())
        yield shown(outer())
        yield shown(ir.Operation.create("a.b", loc=ir.Location.name("x")))
    with ir.loc_tracebacks(on_explicit_actn=ir.OnExplicitAction.USE_TRACEBACK, max_depth=1):
        yield shown(ir.Operation.create("a.b", loc=ir.Location.name("x")))
        with ir.loc_tracebacks():
            yield shown(outer())
    with ir.loc_tracebacks(current_loc_actn=ir.CurrentLocAction.NAMELOC_WRAP, max_depth=1):
        for around in (ir.Location.name("c"), ir.Location.name("c", ir.Location.file("z", 1, 2))):
            with around:
                yield shown(inner())
                yield shown(ir.Operation.create("a.b", loc=ir.Location.name("x")))
        with ir.Location.file("z", 1, 2):
            yield shown(inner())
    yield shown(inner())
