"""Patterns, listeners, and the greedy driver."""

import gc

import pairbond
import pairbond_ir as ir
import pytest

TEXT = """
"func.func"() <{sym_name = "f", function_type = (i32) -> i32}> ({
^bb0(%x: i32):
  %a = "my.twice"(%x) : (i32) -> i32
  %b = "my.twice"(%a) : (i32) -> i32
  "func.return"(%b) : (i32) -> ()
}) : () -> ()
"""


@pytest.fixture
def module(context):
    return ir.Module.parse(TEXT, context)


def body(module):
    return module.body.operations[0].regions[0].blocks[0]


def names(module):
    return [op.name for op in body(module)]


@ir.pattern("my.twice")
def twice_is_sum(op, rewriter):
    x = op.operands[0]
    rewriter.replace_op(op, rewriter.create("my.sum", [x.type], [x, x]))


def test_a_pattern_rewrites_what_it_is_for(module):
    old = list(body(module))[:2]
    value = old[0].result
    assert ir.apply_patterns(module, [twice_is_sum]) is True
    assert names(module) == ["my.sum", "my.sum", "func.return"]
    one, two, end = body(module)
    assert list(two.operands) == [one.result, one.result]
    assert end.operands[0] is two.result
    for handle in [*old, value]:
        with pytest.raises(pairbond.InvalidatedError, match="twice_is_sum"):
            handle.context
    assert ir.apply_patterns(module, [twice_is_sum]) is False


def test_what_happens_is_heard_in_order(module):
    heard = []

    def listener(event, op, values=None):
        heard.append((event, op.name, values and [value.owner.name for value in values]))

    ir.apply_patterns(module, [twice_is_sum], listener=listener)
    one = [
        ("created", "my.sum", None),
        ("inserted", "my.sum", None),
        ("replaced", "my.twice", ["my.sum"]),
        ("modified", "my.twice", None),
        ("erased", "my.twice", None),
    ]
    two = [*one[:3], ("modified", "func.return", None), one[4]]
    assert heard == one + two


class Recorder(ir.RewriteListener):
    def __init__(self):
        super().__init__()
        self.heard = []

    def inserted(self, operation):
        self.heard.append(("inserted", operation.name))

    def replaced(self, operation, values):
        self.heard.append(("replaced", operation.name, len(values)))

    def erased(self, operation):
        self.heard.append(("erased", str(operation)))


def test_a_listener_overrides_what_it_wants_to_hear(module):
    recorder = Recorder()
    ir.apply_patterns(module, [twice_is_sum], listener=recorder)
    assert recorder.heard[:2] == [("inserted", "my.sum"), ("replaced", "my.twice", 1)]
    assert [it[0] for it in recorder.heard] == ["inserted", "replaced", "erased"] * 2
    assert '"my.twice"' in recorder.heard[2][1]


def test_greater_benefits_come_first_and_then_the_order(module):
    tried = []

    def tries(name, benefit):
        return ir.Pattern("my.twice", lambda op, rewriter: tried.append(name), benefit=benefit)

    patterns = [tries("a", 1), tries("b", 3), tries("c", 1), tries("d", 2)]
    assert ir.apply_patterns(module, patterns) is False
    assert tried == ["b", "d", "a", "c"] * 2


def test_patterns_may_be_classes_and_look_at_all(module):
    class Names(ir.Pattern):
        def __init__(self):
            super().__init__()
            self.seen = []

        def rewrite(self, operation, rewriter):
            self.seen.append(operation.name)
            assert rewriter.ip.ref_operation is operation

    pattern = Names()
    assert pattern.name == "Names"
    assert pattern.root is None
    ir.apply_patterns(module, [pattern])
    assert pattern.seen == ["func.func", "my.twice", "my.twice", "func.return"]
    with pytest.raises(TypeError, match="neither a function nor a method"):
        ir.apply_patterns(module, [ir.Pattern("my.twice")])


def test_moving_modifying_and_erasing(module):
    heard = []
    block = body(module)
    a, b, end = block
    rewriter = ir.PatternRewriter(ir.InsertionPoint(end), listener=lambda event, op, *_: heard.append((event, op)))
    new = rewriter.create("my.new")
    assert end.previous is new
    rewriter.move_op_before(new, a)
    rewriter.move_op_after(new, a)
    assert a.next is new

    def change():
        new.attributes["k"] = ir.UnitAttr.get(new.context)

    rewriter.modify_op_in_place(new, change)
    assert "k" in new.attributes
    rewriter.replace_all_uses_with(a.result, block.arguments[0])
    assert b.operands[0] is block.arguments[0]
    with pytest.raises(ir.IRError, match="still used"):
        rewriter.erase_op(b)
    rewriter.erase_op(a)
    rewriter.insert(ir.Operation.create("my.other", loc=ir.Location.unknown(new.context), ip=False))
    other = end.previous
    assert heard == [
        ("created", new),
        ("inserted", new),
        ("inserted", new),
        ("inserted", new),
        ("modified", new),
        ("modified", b),
        ("erased", a),
        ("inserted", other),
    ]
    with pytest.raises(ir.IRError, match=r"'my\.twice' has 1 results, and is replaced by 2 values"):
        rewriter.replace_op(b, [block.arguments[0]] * 2)
    assert not pairbond.is_erased(b)


def test_what_is_erased_around_operations_is_heard_from_inside(module):
    heard = []
    function = module.body.operations[0]
    handles = list(body(module))
    rewriter = ir.PatternRewriter(ir.InsertionPoint(module.body), listener=lambda event, op: heard.append(op))
    rewriter.erase_op(function)
    assert heard == [*reversed(handles), function]


def test_an_exception_comes_out_and_the_rest_stays(module):
    boom = ValueError("boom")

    def raising(op, rewriter):
        rewriter.create("my.done")
        raise boom

    with pytest.raises(ValueError, match="boom") as caught:
        ir.apply_patterns(module, [ir.Pattern("func.return", raising)])
    assert caught.value is boom
    assert names(module) == ["my.twice", "my.twice", "my.done", "func.return"]

    def listener(event, op, *values):
        if event == "erased":
            raise boom

    with pytest.raises(ValueError, match="boom"):
        ir.apply_patterns(module, [twice_is_sum], listener=listener)
    assert names(module) == ["my.sum", "my.twice", "my.twice", "my.done", "func.return"]
    assert str(ir.Module.parse(str(module), module.context)) == str(module)
    # pytest's own references to frames
    del caught
    boom.__traceback__ = None


def test_what_never_ends_is_stopped(module):
    @ir.pattern("func.return")
    def again(op, rewriter):
        rewriter.modify_op_in_place(op, lambda: None)

    with pytest.raises(ir.IRError, match="did not come to an end"):
        ir.apply_patterns(module, [again])
    done = []

    @ir.pattern("func.func")
    def once(op, rewriter):
        if not done:
            done.append(op)
            rewriter.modify_op_in_place(op, lambda: None)

    with pytest.raises(ir.IRError, match="in 1 iterations"):
        ir.apply_patterns(module, [once], max_iterations=1)


def test_patterns_that_edit_without_the_rewriter_are_safe(module):
    @ir.pattern("my.twice")
    def erases(op, rewriter):
        if op.operands[0].owner is body(module):
            op.result.replace_all_uses_with(op.operands[0])
            op.erase()

    handles = list(body(module))
    assert ir.apply_patterns(module, [erases]) is False
    with pytest.raises(pairbond.InvalidatedError, match="erases"):
        handles[0].name
    gc.collect()
    assert names(module)[-1] == "func.return"


@pytest.mark.parametrize("taker", ["pattern", "listener"])
def test_what_is_taken_out_meanwhile_is_left_alone(context, taker):
    module = ir.Module.parse('"test.first"() : () -> () "test.second"() : () -> ()', context)
    other = ir.Module.create(ir.Location.unknown(context))

    def take_second(*_):
        for op in list(module.body.operations)[1:]:
            op.detach_from_parent()
            other.body.append(op)

    @ir.pattern("test.first")
    def first(op, rewriter):
        if "seen" not in op.attributes:
            rewriter.modify_op_in_place(op, lambda: op.attributes.__setitem__("seen", ir.UnitAttr.get(context)))
            if taker == "pattern":
                take_second()

    @ir.pattern("test.second")
    def second(op, rewriter):
        rewriter.erase_op(op)

    listener = take_second if taker == "listener" else None
    assert ir.apply_patterns(module, [first, second], listener=listener) is True
    assert [op.name for op in other.body.operations] == ["test.second"]
    assert ir.apply_patterns(other, [second]) is True


def test_a_set_as_mlir_has_it(module):
    patterns = ir.RewritePatternSet()
    patterns.add("my.twice", lambda op, rewriter: rewriter.replace_op(op, [op.operands[0]]))
    assert ir.apply_patterns_and_fold_greedily(module, patterns.freeze()) is True
    assert names(module) == ["func.return"]


def test_folding_and_dead_code_go_along_unless_they_are_not_wanted(context):
    text = """
    %c = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %d = "arith.addi"(%c, %c) : (i32, i32) -> i32
    "my.use"(%d) : (i32) -> ()
    """
    module = ir.Module.parse(text, context)
    assert ir.apply_patterns(module, [], fold=False) is False
    assert len(module.body.operations) == 3
    assert ir.apply_patterns(module, []) is True
    constant, use = module.body.operations
    assert str(constant.attributes["value"]) == "2 : i32"
    assert use.operands[0] is constant.result


def test_a_known_constant_stands_before_what_a_pattern_puts_to_the_top(context):
    text = """
    %c = "arith.constant"() <{value = 2 : i32}> : () -> i32
    "my.use"(%c) : (i32) -> ()
    "my.mark"() : () -> ()
    """
    module = ir.Module.parse(text, context)

    @ir.pattern("my.mark")
    def marks(op, rewriter):
        i32 = ir.IntegerType.get_signless(32, op.context)
        rewriter.ip = ir.InsertionPoint.at_block_begin(op.block)
        one = rewriter.create("arith.constant", [i32], attributes={"value": ir.IntegerAttr.get(i32, 1)}).result
        two = rewriter.create("arith.addi", [i32], [one, one]).result
        rewriter.create("my.use", operands=[two])
        rewriter.erase_op(op)

    def listener(event, op, *values):
        if event == "modified":
            ordered.append(op.operands[0].owner.is_before_in_block(op))

    ordered = []
    ir.apply_patterns(module, [marks], listener=listener)
    assert ordered == [True]
    constant, *uses = module.body
    assert [op.name for op in uses] == ["my.use", "my.use"]
    assert all(use.operands[0] is constant.result for use in uses)
