"""What values are called, and where they come from; what MLIR's bindings say of both is in binding_printing.py."""

import contextvars
import gc
import io
import sys
import threading
import weakref

import pairbond_ir as ir
import pytest

TEXT = '%0 = "a.a"() : () -> i32\n%1 = "a.b"(%0) : (i32) -> i32\n%2 = "a.c"(%1) : (i32) -> i32'


def test_a_state_keeps_names_while_others_are_found_anew(context):
    module = ir.Module.parse(TEXT, context)
    first, second, third = module.body.operations
    state = ir.AsmState(module)
    with ir.InsertionPoint(first):
        made = ir.Operation.create("a.new", results=[first.result.type])
    assert [it.result.get_name() for it in (made, first, third)] == ["%0", "%1", "%3"]
    assert [it.result.get_name(state) for it in (first, third)] == ["%0", "%2"]
    assert made.result.get_name(state) == "<<UNKNOWN SSA VALUE>>"
    assert second.result.get_name(state=state) == second.result.get_name(use_local_scope=state) == "%1"
    third.erase()
    with pytest.raises(ir.InvalidatedError, match=r"a\.c was erased"):
        third.get_asm()
    for wrong in (1, None, context):
        with pytest.raises(TypeError, match="a state is of an operation, or of a value"):
            ir.AsmState(wrong)
    with pytest.raises(ir.InvalidatedError):
        ir.AsmState(third)


def test_what_comes_to_be_where_a_value_was_has_no_name(context):
    module = ir.Module.parse("\n".join(f'%{i} = "a.a"() : () -> i32' for i in range(200)), context)
    state = ir.AsmState(module)
    for op in list(module.body.operations):
        op.erase()
    del op
    gc.collect()
    with ir.InsertionPoint(module.body):
        made = [ir.Operation.create("a.new", results=[ir.IntegerType.get(32)]) for _ in range(1000)]
    assert {it.result.get_name(state) for it in made} == {"<<UNKNOWN SSA VALUE>>"}


def test_what_comes_to_be_where_a_block_was_has_no_label(context):
    blocks = "\n".join(f"^b{i}:" for i in range(200))
    module = ir.Module.parse(f'"a.f"() ({{ "a.br"()[^b7] : () -> ()\n{blocks} }}) : () -> ()', context)
    function = module.body.operations[0]
    state = ir.AsmState(module)
    region = function.regions[0]
    for block in list(region.blocks)[1:]:
        block.erase()
    del block
    gc.collect()
    for _ in range(300):
        target = region.blocks.append()
        with context, ir.InsertionPoint.at_block_begin(region.blocks[0]):
            made = ir.Operation.create("a.br", successors=[target])
        out = io.StringIO()
        made.print(state, out)
        assert out.getvalue() == '"a.br"()[^<<INVALID BLOCK>>] : () -> ()'
        made.erase()


def test_a_state_keeps_nothing_alive_that_only_it_is_reached_from():
    context = ir.Context()
    context.allow_unregistered_dialects = True
    state = ir.AsmState(ir.Module.parse(TEXT, context))
    context.attach_diagnostic_handler(lambda _, held=state: held is None)
    dead = weakref.ref(context)
    del state, context
    gc.collect()
    assert dead() is None


def test_names_from_locations_are_read_again(context):
    text = '%0 = "a.a"() : () -> i32 loc("x y")\n"a.b"(%0) : (i32) -> () loc("z")\n%1 = "a.a"() : () -> i32 loc("x y")'
    module = ir.Module.parse(text, context)
    named = module.get_asm(use_name_loc_as_prefix=True)
    assert "%x_y = " in named
    assert '%x_y_0 = "a.a"' in named
    assert '"a.b"(%x_y)' in named
    again = ir.Module.parse(named, context)
    assert again.structural_equal(module)


def test_large_data_can_be_left_out(context):
    data = "0x04000000" + "00" * 4000
    text = '"a.a"() {r = dense_resource<blob> : tensor<1000xi32>} : () -> ()'
    module = ir.Module.parse(text + f'\n{{-# dialect_resources: {{ builtin: {{ blob: "{data}" }} }} #-}}', context)
    assert len(module.get_asm()) > 8000
    assert "blob:" not in module.get_asm(large_resource_limit=100)
    assert isinstance(module.get_asm(binary=True), bytes)


@pytest.mark.parametrize("wrong", [lambda it: it.get_asm(print_generic_op_form=False)])
def test_only_the_generic_form(context, wrong):
    with pytest.raises(ir.IRError, match="only the generic form"):
        wrong(ir.Module.parse(TEXT, context))


def test_tracebacks_are_of_the_thread_that_wants_them(context):
    def made():
        with context:
            return str(ir.Operation.create("a.a").location)

    found = []
    with ir.loc_tracebacks():
        assert 'loc(callsite("test_tracebacks_are' in made()
        thread = threading.Thread(target=lambda: found.append(made()))
        thread.start()
        thread.join()
        # A thread begins with the context variables of the one that starts it, or without.
        inherits = getattr(sys.flags, "thread_inherit_context", False)
        assert (found.pop() != "loc(unknown)") is bool(inherits)
        assert contextvars.Context().run(made) == "loc(unknown)"
    assert made() == "loc(unknown)"


def test_tracebacks_end_with_an_exception_and_see_declared_operations(context):
    toy = ir.Dialect("toy_traced")

    @toy.op()
    class Made(ir.OpView):
        result: ir.Result[ir.IndexType]

    def fails():
        with context, ir.loc_tracebacks(max_depth=1):
            found.append(str(Made().location))
            raise ZeroDivisionError

    found = []
    with pytest.raises(ZeroDivisionError):
        fails()
    assert found[0].startswith(f'loc("{fails.__qualname__}"("{__file__}":')
    with context:
        assert str(Made().location) == "loc(unknown)"


def test_tracebacks_in_patterns(context):
    @ir.pattern("a.old")
    def replaced(op, rewriter):
        rewriter.create("a.new")
        rewriter.erase_op(op)

    module = ir.Module.parse('"a.old"() : () -> ()', context)
    with ir.loc_tracebacks(max_depth=1):
        ir.apply_patterns(module, [replaced])
    (made,) = module.body.operations
    assert '"test_tracebacks_in_patterns.<locals>.replaced"' in str(made.location)


def test_what_is_wrong_is_at_its_location(context):
    here = ir.Location.file("a.py", 3, 4, context)
    with pytest.raises(ir.IRError, match=r"^a\.py:3:4: error: invalid tensor dimension size -5$") as caught:
        ir.RankedTensorType.get([-5], ir.F32Type.get(context), loc=here)
    assert (caught.value.location, caught.value.line, caught.value.column) == (here, 3, 4)
    with pytest.raises(ir.IRError, match=r"^Invalid type:\nerror: unknown: invalid tensor dimension size -5$"):
        ir.RankedTensorType.get([-5], ir.F32Type.get(context))


def test_places_are_whole(context):
    for wrong in (
        {},
        {"line": 1},
        {"line": 1, "col": 2, "end_line": 3},
        {"start_line": 1, "start_col": 2, "end_col": 2},
    ):
        with pytest.raises(TypeError, match="a place is a file name, line and column"):
            ir.Location.file("a", **wrong, context=context)


def test_contexts_do_not_mix_here_either(context):
    f32 = ir.F32Type.get(ir.Context())
    for mixed in (
        lambda: ir.TypeAttr.get(f32, context),
        lambda: ir.OpaqueAttr.get("a", "b", f32, context),
        lambda: ir.RankedTensorType.get_unchecked([2], f32, context=context),
        lambda: ir.MemRefType.get_unchecked([2], f32, context=context),
        lambda: ir.FloatAttr.get_unchecked(f32, 1.0, context=context),
    ):
        with pytest.raises(ir.IRError, match="of another context"):
            mixed()


def test_expressions_that_cannot_be_simplified_stay(context):
    with context:
        d0, s0 = ir.AffineExpr.get_dim(0), ir.AffineExpr.get_symbol(0)
        simplify = ir.AffineExpr.simplify_affine_expr
        for it in (d0 * s0 + d0, ir.AffineExpr.get_mod(d0, s0), (d0 * (2**62) + d0) * 4 + 1):
            assert simplify(it, 1, 1) == it
        with pytest.raises(ValueError, match="the expression has 1 dimensions and 0 symbols"):
            simplify(d0, 0, 0)
        far = ir.AffineExpr.get_dim(2**32 - 2)
        assert simplify(far + far - far, 2**32, 0) == far


def test_types_by_short_names(context):
    from pairbond_ir.extras import types as T
    from pairbond_ir.passmanager import PassManager

    assert PassManager is ir.PassManager
    with context:
        assert str(T.tensor(2, 3, T.f32())) == "tensor<2x3xf32>"
        assert str(T.tensor(T.i(7))) == str(T.tensor(element_type=T.i(7))) == "tensor<*xi7>"
        assert str(T.tensor(2, T.si8(), encoding="e")) == 'tensor<2xsi8, "e">'
        assert str(T.vector(4, T.bool(), scalable=[True])) == "vector<[4]xi1>"
        assert str(T.memref(2, T.ui16(), memory_space=3)) == "memref<2xui16, 3>"
        assert str(T.memref(T.index())) == "memref<*xindex>"
        assert str(T.tuple(T.complex(T.f64()), T.none())) == "tuple<complex<f64>, none>"
        assert str(T.function(inputs=[T.bf16()], results=[T.opaque("a", "b")])) == "(bf16) -> !a.b"
        for wrong in (lambda: T.tensor(2), lambda: T.tensor(2, T.f32(), element_type=T.f32())):
            with pytest.raises(ValueError, match="the element type is"):
                wrong()
