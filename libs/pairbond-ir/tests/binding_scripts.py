"""Short scripts as users of MLIR's bindings write them: they run with either library, and print the same."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

Script = Callable[[Any], Iterator[Any]]
SCRIPTS: list[Script] = []

TEXT = """
"func.func"() <{function_type = (i32) -> i32, sym_name = "f"}> ({
^bb0(%x: i32):
  %a = "my.twice"(%x) {note = "n", count = 3 : i64} : (i32) -> i32
  "my.br"()[^bb1, ^bb1] : () -> ()
^bb1:
  "func.return"(%a) : (i32) -> ()
}) : () -> ()
"""


def script(function: Script) -> Script:
    SCRIPTS.append(function)
    return function


def run(ir: Any, seed: int) -> list[str]:
    """What script number `seed` prints."""
    return printed(ir, SCRIPTS[seed])


def printed(ir: Any, script: Script) -> list[str]:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        return [str(it) for it in script(ir)]


def raised(action: Callable[[], Any]) -> str:
    try:
        return f"no error: {action()}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def parsed(ir: Any) -> Any:
    module = ir.Module.parse(TEXT)
    function = module.body.operations[0]
    return module, function, function.regions[0]


@script
def operations_are_views(ir):
    module, _, region = parsed(ir)
    twice = region.blocks[0].operations[0]
    yield type(twice) is ir.OpView
    yield isinstance(ir.Operation.create("my.op"), ir.Operation)
    yield type(ir.Operation.parse('"my.op"() : () -> ()')) is ir.OpView
    yield isinstance(module.operation, ir.Operation)
    yield isinstance(twice.operation, ir.Operation)
    yield sorted(it for it in ("create", "parse") if hasattr(ir.Operation, it))


@script
def attributes_are_cast(ir):
    text, number = ir.Attribute.parse('"text"'), ir.Attribute.parse("7 : i32")
    yield ir.StringAttr(text).value
    yield ir.IntegerAttr(number).value
    yield ir.StringAttr(text) == text
    yield raised(lambda: ir.FloatAttr(ir.Attribute.parse("unit"))).split(" (")[0]
    yield ir.Attribute(text)


@script
def types_are_cast(ir):
    tensor = ir.Type.parse("tensor<2x3xf32>")
    yield ir.RankedTensorType(tensor).shape
    yield ir.ShapedType(tensor).rank
    yield ir.F32Type(ir.ShapedType(tensor).element_type)
    yield raised(lambda: ir.IntegerType(tensor)).split(" (")[0]


@script
def objects_show_their_class(ir):
    for text in ("7 : i32", "1.0 : f64", '"a"', "[1]", "{a = 1}", "@f", "unit", "true", "affine_map<(d0) -> (d0)>"):
        yield repr(ir.Attribute.parse(text))
    for text in ("i32", "index", "bf16", "tensor<2xf32>", "memref<2xf32>", "vector<2xf32>", "(i32) -> ()", "tuple<>"):
        yield repr(ir.Type.parse(text))


@script
def integer_types(ir):
    for kind in (ir.IntegerType.get_signless(8), ir.IntegerType.get_signed(8), ir.IntegerType.get_unsigned(8)):
        yield kind, kind.width, kind.is_signless, kind.is_signed, kind.is_unsigned
    yield ir.IntegerType.get_signless(8) == ir.IntegerType.get_signless(8)
    yield ir.IntegerType.get_signless(8) == ir.IntegerType.get_signless(16)


@script
def shaped_types(ir):
    tensor = ir.RankedTensorType.get([2, ir.ShapedType.get_dynamic_size()], ir.F32Type.get())
    yield tensor.rank, tensor.has_rank, tensor.has_static_shape, tensor.is_dynamic_dim(1), tensor.get_dim_size(0)
    yield tensor.element_type, tensor.shape[0], tensor.encoding
    yield ir.VectorType.get([4], ir.F32Type.get()), ir.UnrankedTensorType.get(ir.F32Type.get())
    yield ir.ComplexType.get(ir.F32Type.get()), ir.TupleType.get_tuple([ir.IndexType.get()])
    function = ir.FunctionType.get([tensor], [ir.IndexType.get()])
    yield function, [str(it) for it in function.inputs], [str(it) for it in function.results]


@script
def memrefs(ir):
    plain = ir.MemRefType.get([2, 3], ir.F32Type.get())
    yield plain, plain.layout, plain.affine_map, plain.memory_space, plain.get_strides_and_offset()
    strided = ir.Type.parse("memref<2x3xf32, strided<[6, 2], offset: 1>>")
    yield strided.layout, strided.affine_map, strided.get_strides_and_offset()
    swapped = ir.AffineMapAttr.get(ir.AffineMap.get_permutation([1, 0]))
    yield ir.MemRefType.get([2, 3], ir.F32Type.get(), swapped)


@script
def dictionaries(ir):
    made = ir.DictAttr.get({"b": ir.UnitAttr.get(), "a": ir.StringAttr.get("x")})
    yield made, len(made), "a" in made, "c" in made, made["a"], made[0].name, made[0].attr
    yield raised(lambda: made["c"]).split(":")[0], raised(lambda: made[2]).split(":")[0]


@script
def arrays(ir):
    made = ir.ArrayAttr.get([ir.UnitAttr.get(), ir.StringAttr.get("x")])
    yield made, len(made), made[1], [str(it) for it in made], raised(lambda: made[2]).split(":")[0]
    yield made + [ir.UnitAttr.get()]  # noqa: RUF005


@script
def dense_arrays(ir):
    for kind, values in (
        (ir.DenseBoolArrayAttr, [True, False]),
        (ir.DenseI8ArrayAttr, [1, -2]),
        (ir.DenseI64ArrayAttr, [2**40]),
        (ir.DenseF32ArrayAttr, [0.5]),
        (ir.DenseF64ArrayAttr, [1.5, 2.5]),
    ):
        made = kind.get(values)
        yield made, len(made), made[0], list(made), type(ir.Attribute.parse(str(made))).__name__


@script
def numbers(ir):
    yield ir.FloatAttr.get(ir.F32Type.get(), 42.0), ir.FloatAttr.get_f64(0.5).value, ir.BoolAttr.get(True).value
    yield ir.IntegerAttr.get(ir.IntegerType.get_signless(64), -5).value, ir.IntegerAttr.get(ir.IndexType.get(), 3)
    yield float(ir.FloatAttr.get_f32(1.5)), int(ir.IntegerAttr.get(ir.IndexType.get(), 3)), bool(ir.BoolAttr.get(False))


@script
def symbols_and_types_as_attributes(ir):
    yield ir.FlatSymbolRefAttr.get("f"), ir.FlatSymbolRefAttr.get("f").value, ir.SymbolRefAttr.get(["a", "b"])
    yield ir.SymbolRefAttr.get(["a", "b"]).value, ir.TypeAttr.get(ir.IndexType.get()).value
    yield ir.StridedLayoutAttr.get(1, [2, 3]), ir.StringAttr.get_typed(ir.IndexType.get(), "t").type


@script
def splats(ir):
    kind = ir.RankedTensorType.get([2, 2], ir.IntegerType.get_signless(32))
    splat = ir.DenseElementsAttr.get_splat(kind, ir.IntegerAttr.get(kind.element_type, 5))
    yield str(splat), splat.is_splat, splat.get_splat_value(), len(splat)
    yield raised(lambda: ir.DenseElementsAttr.get_splat(kind.element_type, splat.get_splat_value()))
    yield raised(lambda: ir.DenseElementsAttr.get([]))


@script
def operations(ir):
    module, function, region = parsed(ir)
    twice = region.blocks[0].operations[0]
    yield twice.name, len(twice.operands), len(twice.results), twice.attributes["count"], "note" in twice.attributes
    yield twice.results[0].type, twice.result.type, twice.operands[0].type, len(twice.attributes)
    twice.attributes["more"] = ir.UnitAttr.get()
    del twice.attributes["note"]
    yield twice
    yield function.operation.name, twice.parent.name, len(function.regions), len(region.blocks)
    yield raised(lambda: twice.attributes["none"]).split(":")[0], module.operation.name


@script
def blocks(ir):
    module, _, region = parsed(ir)  # which keeps them alive where handles do not
    first, second = region.blocks
    yield len(first.successors), len(first.predecessors), len(second.predecessors), len(second.successors)
    yield first.successors[0] == second, second.predecessors[1] == first
    yield len(first.arguments), first.arguments[0].type, first.arguments[0].arg_number
    yield [it.name for it in first], first.owner.operation.name, first.region == region
    made = second.create_after(ir.IndexType.get())
    yield len(region.blocks), [str(it.type) for it in made.arguments], module.operation.name
    made.append_to(region)


@script
def values(ir):
    module, _, region = parsed(ir)
    twice = region.blocks[0].operations[0]
    yield len(list(twice.result.uses)), next(iter(twice.result.uses)).owner.name
    yield next(iter(twice.result.uses)).operand_number, twice.result.owner.name, twice.result.result_number
    twice.result.replace_all_uses_with(region.blocks[0].arguments[0])
    yield len(list(twice.result.uses)), twice.result.location == twice.location
    twice.result.set_type(ir.IndexType.get())
    yield twice.result.type, module.operation.name


@script
def insertion_points(ir):
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        one = ir.Operation.create("my.one", results=[ir.IndexType.get()])
        ir.Operation.create("my.three", operands=[one.result], attributes={"a": ir.UnitAttr.get()})
    with ir.InsertionPoint(module.body.operations[1]):
        ir.Operation.create("my.two", loc=ir.Location.file("f", 1, 2))
    ir.InsertionPoint.at_block_begin(module.body).insert(ir.Operation.create("my.zero"))
    yield module.operation.get_asm(print_generic_op_form=True)
    yield module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True).count("loc(") > 0


@script
def printing(ir):
    text = """
    "a.a"() ({
      %0 = "a.b"() {few = dense<[1, 2]> : tensor<2xi32>, many = dense<[1, 2, 3]> : tensor<3xi32>} : () -> i1
      "a.c"(%0) {same = dense<7> : tensor<9xi32>, some = sparse<[[0], [4]], [1.0, 2.0]> : vector<5xf32>} : (i1) -> ()
    }, {
    }) : () -> ()"""
    module = ir.Module.parse(text)  # kept, as above
    op = module.body.operations[0].operation
    yield op.get_asm(print_generic_op_form=True, large_elements_limit=2)
    yield op.get_asm(print_generic_op_form=True, skip_regions=True, use_local_scope=True, assume_verified=True)
    file = io.StringIO()
    op.print(file=file, print_generic_op_form=True)
    yield file.getvalue()
    file = io.BytesIO()
    op.regions[0].blocks[0].operations[1].operation.print(file=file, binary=True, print_generic_op_form=True)
    yield file.getvalue(), module.operation.name


@script
def sizes_are_asked_for(ir):
    tensor = ir.RankedTensorType.get([2, ir.ShapedType.get_dynamic_size()], ir.F32Type.get())
    yield ir.ShapedType.is_dynamic_size(2), ir.ShapedType.is_static_size(2)
    yield [(tensor.is_dynamic_dim(it), tensor.is_static_dim(it)) for it in range(2)]
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    yield unknown, tensor.is_dynamic_stride_or_offset(unknown), tensor.is_static_stride_or_offset(unknown)
    yield raised(lambda: ir.Type.parse("tensor<*xf32>").is_dynamic_stride_or_offset(1)).split(":")[0]
    yield [ir.Type.parse(it).scalable for it in ("vector<2x[4]xf32>", "vector<4xf32>")]
    yield ir.StridedLayoutAttr.get_fully_dynamic(2)
    yield [list(ir.Attribute.parse(it)) for it in ("array<i8: 1, -2>", "array<i1: true>", "array<f64: 0.5>")]
    yield tensor.maybe_downcast() == tensor, ir.Attribute.parse("unit").maybe_downcast()


@script
def symbol_tables_are_walked(ir):
    text = """
    "builtin.module"() ({
      "builtin.module"() ({
        "builtin.module"() <{sym_name = "inner"}> ({
          "a.a"() : () -> ()
        }) : () -> ()
      }) {sym_name = "private", sym_visibility = "private"} : () -> ()
      "a.a"() ({
        "builtin.module"() ({
          "a.a"() : () -> ()
        }) {sym_name = "hidden"} : () -> ()
      }) : () -> ()
    }) {sym_name = "outer"} : () -> ()"""
    module = ir.Module.parse(text)
    for visible in (False, True):
        seen = []

        def see(op, all_visible, seen=seen):
            seen.append((str(op.attributes["sym_name"]), all_visible))

        ir.SymbolTable.walk_symbol_tables(module.operation, visible, see)
        yield seen


@script
def operands_are_uses(ir):
    text = """
    %a, %b = "a.a"() : () -> (i1, i1)
    "a.b"(%a, %b, %a) : (i1, i1, i1) -> ()"""
    module = ir.Module.parse(text)
    made, user = (it.operation for it in module.body.operations)
    yield [(it.operand_number, it.owner.name) for it in user.op_operands]
    user.replace_uses_of_with(made.results[0], made.results[1])
    yield [value.result_number for value in user.operands]
    yield [it.get_name() for it in user.operands + user.operands], len(made.results + made.results)
    yield user.operation.successors + made.successors, len(user.regions + made.regions)


@script
def moves(ir):
    module = ir.Module.parse('"a.a"() : () -> () "a.b"() : () -> () "a.c"() : () -> ()')
    first, second, third = module.body.operations
    third.move_before(first)
    yield [it.name for it in module.body.operations]
    first.move_after(second)
    yield [it.name for it in module.body.operations]
    second.detach_from_parent()
    yield [it.name for it in module.body.operations], second.name
    first.operation.erase()
    yield [it.name for it in module.body.operations]


@script
def clones(ir):
    module, function, _ = parsed(ir)
    clone = function.operation.clone()
    yield str(clone) == str(function), clone.operation == function.operation, module.operation.name


@script
def symbol_tables(ir):
    module, function, _ = parsed(ir)
    table = ir.SymbolTable(module.operation)
    yield "f" in table, "g" in table, table["f"].operation.name, raised(lambda: table["g"]).split(":")[0]
    yield ir.SymbolTable.get_symbol_name(function), raised(lambda: ir.SymbolTable.get_visibility(function))
    ir.SymbolTable.set_symbol_name(function, "h")
    yield ir.SymbolTable.get_symbol_name(function), "h" in ir.SymbolTable(module.operation)
    table = ir.SymbolTable(module.operation)
    yield table.insert(function.operation.clone())
    yield raised(lambda: ir.SymbolTable.set_visibility(function, "secret"))


@script
def locations(ir):
    here = ir.Location.file("f.py", 3, 4)
    yield here, ir.Location.unknown(), ir.Location.name("n", here), ir.Location.callsite(here, [ir.Location.unknown()])
    yield ir.Location.fused([here, ir.Location.name("n")]), here == ir.Location.file("f.py", 3, 4)
    yield here.filename, here.start_line, here.start_col, str(here.attr)


@script
def named_attributes(ir):
    named = ir.StringAttr.get("x").get_named("key")
    yield named.name, named.attr, named


@script
def walks(ir):
    module, _, _ = parsed(ir)
    seen = []

    def visit(op):
        seen.append(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    yield seen
    seen.clear()
    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    yield seen


@script
def integer_sets(ir):
    d0, s0 = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_symbol(0)
    made = ir.IntegerSet.get(1, 1, [d0 - s0, d0 * 2], [True, False])
    yield made, repr(made), made.n_dims, made.n_symbols, made.n_inputs, made.n_equalities, made.n_inequalities
    yield [(str(it.expr), it.is_eq) for it in made.constraints], len(made.constraints)
    yield ir.IntegerSet.get_empty(1, 0).is_canonical_empty, made.get_replaced([d0 + 1], [s0 * 2], 1, 1)
    yield ir.IntegerSetAttr.get(made), raised(lambda: ir.IntegerSet.get(1, 0, [], []))


@script
def affine_maps(ir):
    d0, d1 = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1)
    made = ir.AffineMap.get(2, 0, [d0 + d1, d1, d0 % 3])
    yield made, repr(made), list(map(str, made.results)), str(made.results[-1]), len(made.results[1:])
    yield made.get_submap([2, 0]), made.get_major_submap(2), made.get_minor_submap(1)
    yield raised(lambda: made.get_submap([3])), raised(lambda: made.get_major_submap(3))
    yield raised(lambda: ir.AffineMap.get_permutation([0, 2])), ir.AffineMap.get_minor_identity(3, 1)
    yield made == ir.AffineMap.get(2, 0, [d0 + d1, d1, d0 % 3]), made == d0, hash(d0) == hash(ir.AffineExpr.get_dim(0))


@script
def affine_expressions(ir):
    d0, s0 = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_symbol(0)
    for made in (d0 + 1, 3 - d0, d0 * 2 % 5, ir.AffineExpr.get_ceil_div(d0, 4), ir.AffineExpr.get_floor_div(d0, s0)):
        again = ir.AffineBinaryExpr(made)
        yield made, again.lhs, again.rhs, repr(made)
    yield ir.AffineDimExpr(d0).position, ir.AffineSymbolExpr(s0).position, ir.AffineConstantExpr.get(7).value
    yield raised(lambda: ir.AffineAddExpr(d0)), d0 == s0, d0 + s0 == s0 + d0


@script
def what_is_current(ir):
    context, location = ir.Context.current, ir.Location.current
    yield context is ir.Location.current.context, location, context.current is context
    yield raised(lambda: ir.InsertionPoint.current)
    module = ir.Module.create()
    with ir.InsertionPoint(module.body), ir.Location.name("inner"):
        yield ir.InsertionPoint.current.block == module.body, ir.Location.current
    context.enable_multithreading(False)
    yield context.get_num_threads()


@script
def signs_of_integers(ir):
    signed = ir.IntegerType.get(8, ir.IntegerType.SIGNED)
    yield (
        signed,
        str(signed.signedness),
        signed.signedness == ir.IntegerType.SIGNED,
        signed == ir.IntegerType.get_signed(8),
    )
    yield ir.IntegerType.get(3), ir.IntegerType.get(4, signedness=ir.IntegerType.UNSIGNED), ir.IntegerType.SIGNLESS.name


@script
def locations_by_class(ir):
    here = ir.FileLineColLoc.get("a", 1, 2)
    yield here, ir.FileLineColLoc.get("a", 1, 2, ir.Context.current), ir.FileLineColLoc.get("a", 1, 2, 3, 4)
    yield (
        ir.NameLoc.get("n"),
        ir.NameLoc.get("n", child_loc=here),
        ir.UnknownLoc.get(),
        ir.CallSiteLoc.get(here, [here]),
    )
    yield ir.FusedLoc.get([here, ir.NameLoc.get("n")]), ir.FusedLoc.get([here], ir.UnitAttr.get())
    yield raised(lambda: ir.FusedLoc.get([here]))[:10], raised(lambda: ir.CallSiteLoc.get(here, []))[:10]


@script
def operations_of_a_class(ir):
    module, _, _ = parsed(ir)
    yield [op.operation.name for op in ir.get_ops_of_type(module)]
    inner = ir.get_ops_of_type(module.operation)[0]
    yield ir.get_parent_of_type(inner, ir.OpView).operation.name, ir.get_parent_of_type(module.operation, ir.OpView)
    yield raised(lambda: ir.get_parent_of_type(inner, int))[:10]


@script
def what_errors_tell(ir):
    def told(error):
        return [(str(it.severity), str(it.location), it.message) for it in error.error_diagnostics], str(error) != ""

    try:
        ir.Module.parse('"a.b"(%x) : (i32) -> ()')
    except ir.MLIRError as error:
        (diagnostic,) = error.error_diagnostics
        # They call the text "-".
        yield diagnostic.severity is ir.DiagnosticSeverity.ERROR, str(diagnostic.location).split(":", 1)[1]
    block = ir.Operation.parse('"builtin.module"() ({ ^bb0: }) : () -> ()').regions[0].blocks[0]
    block.add_argument(ir.IntegerType.get_signless(32), ir.Location.unknown())
    with ir.Location.file("made.py", 3, 4):
        outer = ir.Operation.create("builtin.module", regions=1)
    block.append_to(outer.regions[0])
    try:
        outer.verify()
    except ir.MLIRError as error:
        yield told(error)
        (diagnostic,) = error.error_diagnostics
        yield [(str(it.severity), it.message.split(",")[0].split(":")[0], it.notes) for it in diagnostic.notes]


@script
def handlers_of_diagnostics(ir):
    context, seen = ir.Context.current, []

    def handler(answer, name):
        def handle(it):
            told = (name, str(it.severity), it.severity is ir.DiagnosticSeverity.ERROR, str(it.location), it.message)
            seen.append((*told, str(it), list(it.notes)))
            return answer

        return handle

    first = context.attach_diagnostic_handler(handler(True, "first"))
    ir.Location.file("a.py", 1, 2).emit_error("wrong")
    with context.attach_diagnostic_handler(handler(False, "second")) as second:
        yield first.attached, second.attached, second.had_error
        ir.Location.unknown().emit_error("asked of both")
    with context.attach_diagnostic_handler(handler(True, "third")):
        ir.Location.unknown().emit_error("asked of one")
    yield second.attached, seen
    second.detach()
    seen.clear()
    yield raised(lambda: ir.Module.parse('"a.b"(%x) : (i32) -> ()')) != "", seen, context.emit_error_diagnostics
    context.emit_error_diagnostics = True
    try:
        ir.Module.parse('"a.b"(%x) : (i32) -> ()')
    except ir.MLIRError as error:
        yield str(error) != ""
    yield [(it[0], it[2], it[3].split(":", 1)[1]) for it in seen]
    context.emit_error_diagnostics = False
    first.detach()
    yield first.attached, first.had_error
