"""Classes of operations that are declared in Python."""

import gc
import re
import threading
from collections.abc import Sequence

import pairbond
import pairbond_ir as ir
import pytest

toy = ir.Dialect("toy")


@toy.op(traits=ir.Trait.PURE | ir.Trait.COMMUTATIVE | ir.Trait.SAME_OPERANDS_AND_RESULT_TYPE)
class Add(ir.OpView):
    """Adds."""

    lhs: ir.Operand
    rhs: ir.Operand
    result: ir.Result

    def is_double(self):
        return self.lhs is self.rhs


@toy.op("slice")
class SliceOp(ir.OpView):
    source: ir.Operand[ir.RankedTensorType]
    at: Sequence[ir.Operand[ir.IndexType]]
    mask: ir.Operand | None
    kind: str = "plain"
    step: ir.IntegerAttr | None
    name_: ir.StringAttr
    strict: bool = False
    part: ir.Result
    rest: Sequence[ir.Result]

    def verify_invariants(self):
        if self.kind not in ("plain", "wrapped"):
            raise ValueError(f"no kind of slice: {self.kind}")
        return len(self.at) != 3


@toy.op(traits=[ir.Trait.ISOLATED_FROM_ABOVE, ir.Trait.SYMBOL, ir.Trait.SINGLE_BLOCK])
class Func(ir.OpView):
    sym_name: str
    body: ir.Region


@toy.op(traits=ir.Trait.TERMINATOR, parents=[Func])
class Return(ir.OpView):
    values: Sequence[ir.Operand]


@toy.op(traits=ir.Trait.TERMINATOR)
class Jump(ir.OpView):
    condition: ir.Operand | None
    to: ir.Block
    others: Sequence[ir.Block]


@toy.op(traits=ir.Trait.SYMBOL_TABLE | ir.Trait.NO_TERMINATOR | ir.Trait.GRAPH_REGION | ir.Trait.NO_REGION_ARGUMENTS)
class Library(ir.OpView):
    body: ir.Region


@toy.op
class Index(ir.OpView):
    value: int
    result: ir.Result[ir.IndexType]


@toy.op
class Cases(ir.OpView):
    start: ir.Region
    cases: Sequence[ir.Region]


@pytest.fixture
def i32(context):
    return ir.Type.parse("i32", context)


@pytest.fixture
def module(context):
    return ir.Module.parse('%0 = "toy.one"() : () -> i32\n%1 = "toy.add"(%0, %0) : (i32, i32) -> i32', context)


def test_operations_that_were_parsed_are_of_the_class(module):
    one, add = module.body.operations
    assert type(add) is Add
    assert isinstance(add, ir.Operation)
    assert type(one) is ir.OpView
    assert module.body.operations[1] is add
    assert add.lhs is add.rhs is one.result
    assert add.result is add.results[0]
    assert add.is_double()
    assert add.operation is add is add.opview
    match add:
        case Add(lhs, rhs):
            assert lhs is rhs is one.result
    add.note = "kept"
    kept = id(add)
    del add, lhs, rhs
    gc.collect()
    assert module.body.operations[1].note == "kept"
    assert id(module.body.operations[1]) == kept


def test_whoever_makes_an_operation_makes_one_of_the_class(module, i32):
    one, add = module.body.operations
    made = ir.Operation.create("toy.add", results=[i32], operands=[one.result, one.result], ip=False)
    assert type(made) is Add
    assert type(add.clone(ip=False)) is Add
    assert type(ir.Operation.parse('"toy.index"() {value = 1 : i64} : () -> index', context=module.context)) is Index
    rewriter = ir.PatternRewriter(ir.InsertionPoint.after(add))
    assert type(rewriter.create("toy.add", results=[i32], operands=[one.result, one.result])) is Add


def test_a_rewriter_is_told_of_what_is_made_at_it(module, i32):
    one, add = module.body.operations
    heard = []
    rewriter = ir.PatternRewriter(ir.InsertionPoint(add), listener=lambda *event: heard.append(event))
    new = Add(one, one, ip=rewriter)
    assert list(module.body.operations) == [one, new, add]
    assert heard == [("created", new), ("inserted", new)]
    with pytest.raises(TypeError, match="a PatternRewriter"):
        Add(one, one, ip=5)


def test_an_operation_keeps_the_class_that_it_had_when_it_was_first_seen(module):
    _, add = module.body.operations
    with ir.InsertionPoint(add):
        seen, unseen = (ir.Operation.create("toy.later") for _ in range(2))
    unseen_id = pairbond.native_id(unseen)
    del unseen
    pairbond.trim()

    @toy.op
    class Later(ir.OpView):
        pass

    assert type(seen) is ir.OpView
    assert module.body.operations[1] is seen
    unseen = module.body.operations[2]
    assert type(unseen) is Later
    assert pairbond.native_id(unseen) == unseen_id

    @toy.op("later")
    class Again(ir.OpView):
        pass

    assert type(module.body.operations[2]) is Later
    assert type(seen.clone(ip=False)) is Again
    assert toy.operations["toy.later"] is Again


def test_the_constructor(context, i32):
    with context, ir.Location.file("a.toy", 1, 2):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            index = Index(7)
            one = ir.Operation.create("toy.one", results=[i32])
            add = Add(one, rhs=one.result)
    assert list(module.body.operations) == [index, one, add]
    assert type(add) is Add
    assert index.value == 7
    assert index.result.type is ir.IndexType.get(context)
    assert add.result.type is i32
    assert add.location is ir.Location.file("a.toy", 1, 2, context=context)
    loc = ir.Location.name("x", context=context)
    other = Add(lhs=one, rhs=index, result=i32, loc=loc, ip=ir.InsertionPoint(add))
    assert list(module.body.operations) == [index, one, other, add]
    assert other.location is loc
    assert Add(one, one, ip=False).parent is None
    assert Add.__new__.__doc__ == "Makes a toy.add, at `ip` or where the innermost insertion point is."
    for arguments, named, wrong in [
        ((one,), {}, "rhs"),
        ((one, one, one), {}, "takes 3 positional arguments but 4"),
        ((one, one), {"wrong": 1}, "wrong"),
        ((one, 5), {}, "int"),
        ((one, None), {}, "None"),
    ]:
        with pytest.raises(TypeError, match=wrong):
            Add(*arguments, **named)


def test_parts_and_attributes(context):
    with context:
        tensor = ir.Type.parse("tensor<4xf32>")
        source = ir.Operation.create("toy.t", results=[tensor]).result
        index = [Index(n) for n in range(2)]
        op = SliceOp(source, index, "first", part=tensor, rest=[tensor, tensor])
        masked = SliceOp(source, [], ir.StringAttr.get("x"), source, "wrapped", strict=True, part=tensor)
    assert op.source is source
    assert op.at == [it.result for it in index]
    assert op.mask is None
    assert (op.kind, op.step, op.strict, op.name) == ("plain", None, False, "toy.slice")
    assert op.name_ is ir.StringAttr.get("first", context) is op.attributes["name"]
    assert op.part is op.results[0]
    assert op.rest == list(op.results)[1:]
    assert masked.mask is source
    assert masked.rest == []
    assert masked.strict is True
    masked.attributes["other"] = masked.name_
    assert str(masked).split("<{")[1].startswith('kind = "wrapped", name = "x", operandSegmentSizes')
    assert str(masked).split("}> {")[1].startswith('other = "x"}')
    assert str(op.attributes["operandSegmentSizes"]) == "array<i32: 1, 2, 0>"
    assert op.verify()
    assert masked.verify()

    op.kind = "wrapped"
    op.step = ir.IntegerAttr.get(ir.IndexType.get(context), 2)
    assert op.kind == "wrapped"
    assert op.step.value == 2
    assert str(op.attributes["step"]) == "2 : index"
    op.step = None
    assert op.step is None
    assert str(op).count("{") == 1
    assert "step" not in op.attributes
    op.strict = True
    del op.strict
    assert op.strict is False
    assert "strict" not in op.attributes
    op.at = reversed(op.at)
    assert op.at == [index[1].result, index[0].result]
    assert index[0].result.uses
    for part, value, error in [
        ("at", [source], ir.IRError),
        ("mask", source, ir.IRError),
        ("part", source, AttributeError),
        ("kind", 5, TypeError),
        ("step", ir.StringAttr.get("x", context), TypeError),
        ("source", None, TypeError),
    ]:
        before = str(op)
        with pytest.raises(error):
            setattr(op, part, value)
        assert str(op) == before


def test_regions_and_successors(context):
    with context:
        cases = Cases(cases=2)
        assert len(cases.regions) == 3
        assert cases.start is cases.regions[0]
        assert cases.cases == list(cases.regions)[1:]
        func = Func("main")
        first, second = (func.body.blocks.append() for _ in range(2))
        jump = Jump(second, [second, first], ip=ir.InsertionPoint(first))
        assert jump.condition is None
        assert jump.to is second
        assert jump.others == [second, first]
        jump.to = first
        assert jump.to is first is jump.successors[0]
        with pytest.raises(AttributeError):
            func.body = None
        assert func.sym_name == "main"
        assert str(func.attributes["sym_name"]) == '"main"'


def complaint(text, context):
    module = ir.Module.parse(text, context)
    with pytest.raises(ir.IRError) as caught:
        module.verify()
    return caught.value


ONE = '%0 = "toy.one"() : () -> i32\n'


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (ONE + '"toy.add"(%0) : (i32) -> i32', "expected 2 operands, but found 1"),
        (ONE + '"toy.add"(%0, %0) : (i32, i32) -> (i32, i32)', "expected 1 result, but found 2"),
        (ONE + '"toy.add"(%0, %0) : (i32, i32) -> i64', "requires the same type for all operands and results"),
        ('"toy.index"() : () -> index', "requires attribute 'value'"),
        ('"toy.index"() {value = "x"} : () -> index', "attribute 'value' must be IntegerAttr, but is \"x\""),
        ('"toy.index"() {value = 1 : i64} : () -> i64', r"result #0 \('result'\) must be IndexType, but is i64"),
        ('"toy.index"() ({}) {value = 1 : i64} : () -> index', "expected 0 regions, but found 1"),
        ('"toy.cases"() : () -> ()', "expected 1 region or more, but found 0"),
        ('"toy.func"() ({}) : () -> ()', "requires attribute 'sym_name'"),
        (
            '"toy.func"() ({^a: "toy.return"() : () -> () ^b: "toy.return"() : () -> ()}) {sym_name = "f"} : () -> ()',
            "0 or 1 blocks",
        ),
        (
            '"toy.func"() ({^a: "toy.one"() : () -> i32 "toy.add"() : () -> () }) {sym_name = "f"} : () -> ()',
            "no terminator|expected 2",
        ),
        (
            ONE + '"toy.func"() ({"toy.return"(%0) : (i32) -> ()}) {sym_name = "f"} : () -> ()',
            "defined outside the region",
        ),
        (
            '"toy.func"() ({"toy.return"() : () -> () "toy.one"() : () -> i32 "toy.return"() : () -> ()})'
            ' {sym_name = "f"} : () -> ()',
            "must be the last",
        ),
        ('"toy.one"() ({"toy.return"() : () -> ()}) : () -> ()', "expects parent op to be one of 'toy.func'"),
        ('"toy.library"() ({}, {}) : () -> ()', "expected 1 region, but found 2"),
        ('"toy.library"() ({^a(%x: i32): }) : () -> ()', "should have no arguments"),
        (
            '"toy.library"() ({"toy.func"() ({}) {sym_name = "f"} : () -> ()'
            '"toy.func"() ({}) {sym_name = "f"} : () -> ()}) : () -> ()',
            'redefines the symbol "f"',
        ),
        ('"toy.jump"() : () -> ()', "expected 1 successor or more, but found 0"),
    ],
)
def test_what_verify_refuses(context, text, wrong):
    error = complaint(text, context)
    assert re.search(wrong, error.message), error.message


@pytest.mark.parametrize(
    "text",
    [
        ONE + '"toy.add"(%0, %0) : (i32, i32) -> i32',
        '"toy.library"() ({}) : () -> ()',
        '"toy.library"() ({%1 = "toy.index"() {value = 2 : i8} : () -> index}) : () -> ()',
        '"toy.library"() ({"toy.x"(%1) : (i32) -> ()\n%1 = "toy.one"() : () -> i32}) : () -> ()',
        '"toy.func"() ({%1 = "toy.one"() : () -> i32 "toy.return"(%1) : (i32) -> ()}) {sym_name = "f"} : () -> ()',
        '"toy.cases"() ({}, {}, {}) : () -> ()',
    ],
)
def test_what_verify_accepts(context, text):
    assert ir.Module.parse(text, context).verify()


def test_a_verifier_of_python(context):
    text = """
        %t = "toy.t"() : () -> tensor<4xf32>
        %r = "toy.slice"(%t) {
          name = "n", step = true, kind = "KIND", operandSegmentSizes = array<i32: SIZES>, strict = true
        } : (tensor<4xf32>) -> tensor<4xf32> loc("slice.toy":3:9)
    """
    error = complaint(text.replace("KIND", "odd").replace("SIZES", "1, 0, 0"), context)
    assert error.message == "'toy.slice' op failed to verify: ValueError: no kind of slice: odd"
    assert isinstance(error.__cause__, ValueError)
    assert str(error.__cause__) == "no kind of slice: odd"
    assert (error.filename, error.line, error.column) == ("slice.toy", 3, 9)
    assert "current operation" in error.__notes__[0]
    assert "toy.slice" in error.__notes__[0]
    for sizes, wrong in [
        ("1, 0", "an array of 3 i32s"),
        ("1, 1, 0", "do not fit"),
        ("0, 0, 1", "0 times operand 'source'"),
    ]:
        assert wrong in complaint(text.replace("KIND", "plain").replace("SIZES", sizes), context).message
    assert ir.Module.parse(text.replace("KIND", "plain").replace("SIZES", "1, 0, 0"), context).verify()

    @toy.op
    class Refused(ir.OpView):
        def verify_invariants(self):
            return False

    assert "'toy.refused' op failed to verify" in complaint('"toy.refused"() : () -> ()', context).message


def test_passes_know_the_traits(context):
    text = """
        "func.func"() <{function_type = (i32, i32) -> i32, sym_name = "f"}> ({
        ^entry(%a: i32, %b: i32):
          %five = "arith.constant"() <{value = 5 : i32}> : () -> i32
          %0 = "toy.add"(%a, %b) : (i32, i32) -> i32
          %1 = "toy.add"(%b, %a) : (i32, i32) -> i32
          %unused = "toy.add"(%0, %1) : (i32, i32) -> i32
          %2 = "toy.add"(%five, %1) : (i32, i32) -> i32
          "toy.unknown"(%0, %2) : (i32, i32) -> ()
          "func.return"(%2) : (i32) -> ()
        }) : () -> ()
    """
    module = ir.Module.parse(text, context)
    ir.PassManager.parse("builtin.module(func.func(canonicalize,cse))").run(module)
    (function,) = module.body.operations
    five, add, sum_, unknown, _ = function.regions[0].blocks[0].operations
    a, b = function.regions[0].blocks[0].arguments
    assert (add.lhs, add.rhs) == (a, b)
    assert (sum_.lhs, sum_.rhs) == (add.result, five.result)
    assert list(unknown.operands) == [add.result, sum_.result]
    assert module.verify()


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"x": "int | str"}, "x: expected Operand"),
        ({"x": "object"}, "x: expected Operand"),
        ({"operands": "ir.Operand"}, "operations have that already; call it operands_"),
        ({"loc": "ir.Operand"}, "operations have that already"),
        ({"a b": "ir.Operand"}, "cannot be a parameter"),
        ({"class": "ir.Operand"}, "cannot be a parameter"),
        ({"x": "ir.Operand", "x_": "ir.Operand"}, "two parts are called x"),
    ],
)
def test_declarations_that_mean_nothing(body, wrong):
    with pytest.raises(TypeError, match=wrong):
        toy.op(type("Wrong", (ir.OpView,), {"__annotations__": body, "__module__": __name__}))


def test_other_mistakes(context, i32):
    with pytest.raises(TypeError, match="derives from OpView"):
        toy.op(type("Wrong", (ir.Operation,), {}))
    with pytest.raises(TypeError, match="is not declared"):
        type("Wrong", (ir.OpView,), {})()
    with pytest.raises(TypeError, match="is not declared"):
        type("Wrong", (Index,), {})(1)
    with pytest.raises(ValueError, match="no name of a dialect"):
        ir.Dialect("a.b")
    with pytest.raises(TypeError, match="result part is missing"), context:
        SliceOp(Index(1), [], "x")
    with pytest.raises(TypeError, match="attribute name is not optional"), context:
        SliceOp(Index(1), [], None, part=i32)


def test_result_types_by_a_function_of_the_class(context, i32):
    @toy.op
    class Widen(ir.OpView):
        source: ir.Operand
        by: int = 2
        result: ir.Result

        @staticmethod
        def infer_result_types(source, by):
            return ir.IntegerType.get_signless(source.type.width * by, source.context)

    with context:
        one = ir.Operation.create("toy.one", results=[i32])
        assert [str(Widen(one).result.type), str(Widen(one, 4).result.type)] == ["i64", "i128"]
        assert str(Widen(one, result=i32).result.type) == "i32"


def test_classes_extend_each_other(context, i32):
    @toy.op("base", traits=ir.Trait.SAME_OPERANDS_AND_RESULT_TYPE)
    class Base(ir.OpView):
        source: ir.Operand
        result: ir.Result

    @toy.op("derived", traits=ir.Trait.SAME_OPERANDS_AND_RESULT_TYPE)
    class Derived(Base):
        flag: bool = True

    with context:
        one = ir.Operation.create("toy.one", results=[i32])
        op = Derived(one)
    assert isinstance(op, Base)
    assert op.name == "toy.derived"
    assert op.source is one.result
    assert op.flag is True
    assert op.OPERATION_NAME == "toy.derived"
    assert Base.OPERATION_NAME == "toy.base"


def test_erased_operations_refuse_parts_too(module):
    _, add = module.body.operations
    add.erase()
    for part in ("lhs", "result", "name"):
        with pytest.raises(ir.InvalidatedError):
            getattr(add, part)


def test_threads_see_one_class_and_one_self(context):
    text = "\n".join(f'%{n} = "toy.index"() {{value = {n} : i64}} : () -> index' for n in range(500))
    module = ir.Module.parse(text, context)
    barrier, seen = threading.Barrier(4), []

    def look():
        barrier.wait()
        seen.append([(type(op), id(op), op.value) for op in module.body.operations])

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 4
    assert all(it == seen[0] for it in seen)
    assert [(kind, value) for kind, _, value in seen[0]] == [(Index, n) for n in range(500)]


def test_a_context_without_the_unknown_reads_what_is_declared(context):
    @toy.op
    class Source(ir.OpView):
        result: ir.Result

    context.allow_unregistered_dialects = False
    module = ir.Module.parse('%0 = "toy.source"() : () -> !toy.kind<a>\n', context)
    assert isinstance(module.body.operations[0], Source)
    with pytest.raises(ir.IRError, match=r"1:1: operation 'toy.nobody_declared' is not declared"):
        ir.Module.parse('"toy.nobody_declared"() : () -> ()', context)
    with pytest.raises(ir.IRError, match=r"operation 'other.op' is not declared"):
        ir.Module.parse('"other.op"() : () -> ()', context)
    with pytest.raises(ir.IRError, match="dialect 'to' is unknown"):
        ir.Type.parse("!to.kind", context)


def test_operations_are_found_by_their_class(context):
    dialect = ir.Dialect("found")

    @dialect.op("one")
    class One(ir.OpView):
        pass

    @dialect.op("two")
    class Two(ir.OpView):
        pass

    text = '"found.one"() ({ "found.two"() ({ "found.one"() : () -> () }) : () -> () "a.b"() : () -> () }) : () -> ()'
    module = ir.Module.parse(text, context)
    outer = module.body.operations[0]
    ones = ir.get_ops_of_type(module, One)
    assert [type(it) for it in ones] == [One, One]
    assert ones[1] is outer
    (two,) = ir.get_ops_of_type(outer, Two)
    assert ir.get_parent_of_type(ones[0], Two) is two
    assert ir.get_parent_of_type(ones[0], One) is outer
    assert ir.get_parent_of_type(outer, One) is None
    assert ir.get_parent_of_type(ones[0], ir.OpView) is two
    assert len(ir.get_ops_of_type(module)) == len(ir.get_ops_of_type(module, ir.OpView)) == 5
    with pytest.raises(TypeError, match="subclass of OpView"):
        ir.get_parent_of_type(outer, int)
