"""Merging blocks, inlining blocks and regions, taking bodies."""

import pairbond_ir as ir
import pytest

TEXT = """
    "my.func"() ({
    ^a(%x: i32):
      %0 = "my.first"(%x) : (i32) -> i32
      "my.end"() : () -> ()
    ^b(%y: i32, %z: i32):
      %1 = "my.add"(%y, %z) : (i32, i32) -> i32
      "my.loop"() ({
        "my.inner"(%y, %1) : (i32, i32) -> ()
      }) : () -> ()
      "my.end"() : () -> ()
    }) : () -> ()
    "my.other"() ({
    ^c(%p: i32):
      "my.use"(%p) : (i32) -> ()
    ^d:
      "my.end"() : () -> ()
    }) : () -> ()
"""


@pytest.fixture
def module(context):
    return ir.Module.parse(TEXT, context)


def names(block):
    return [op.name.removeprefix("my.") for op in block.operations]


def inner_block(b):
    return b.operations[1].regions[0].blocks[0]


def parts(module):
    func, other = module.body.operations
    return func.regions[0], other.regions[0], *func.regions[0].blocks


def test_merging(module):
    body, _, a, b = parts(module)
    first, end = a.operations
    add, loop, last = b.operations
    inner = inner_block(b).operations[0]
    end.erase()
    b.merge_into(a, [first.result, a.arguments[0]])
    assert list(a.operations) == [first, add, loop, last]
    assert list(body.blocks) == [a]
    assert list(add.operands) == [first.result, a.arguments[0]]
    assert list(inner.operands) == [first.result, add.result]
    with pytest.raises(ir.InvalidatedError):
        b.arguments
    assert module.verify()


def test_inlining_a_block_before_an_operation(module):
    body, _, a, b = parts(module)
    first, end = a.operations
    all_of_b = list(b.operations)
    b.operations[2].erase()
    b.inline_before(end, [first.result, first.result])
    assert list(a.operations) == [first, *all_of_b[:2], end]
    assert len(body.blocks) == 1
    assert module.verify()
    block = a.operations[2].regions[0].blocks[0]
    assert names(block) == ["inner"]
    block.inline_before(a.operations[2])
    assert names(a) == ["first", "add", "inner", "loop", "end"]
    assert len(a.operations[3].regions[0].blocks) == 0


def test_inlining_and_appending_a_region(module):
    body, other, a, b = parts(module)
    c, d = other.blocks
    other.inline_before(b)
    assert list(body.blocks) == [a, c, d, b]
    assert len(other.blocks) == 0
    body.append_to(other)
    assert list(other.blocks) == [a, c, d, b]
    assert len(body.blocks) == 0
    other.append_to(other)
    assert list(other.blocks) == [a, c, d, b]
    assert module.verify()


def test_taking_a_body(module):
    body, other, a, b = parts(module)
    c, d = other.blocks
    x, first, inner = a.arguments[0], a.operations[0], inner_block(b).operations[0]
    body.take_body(other)
    assert list(body.blocks) == [c, d]
    assert len(other.blocks) == 0
    assert c.region is body
    for gone in (a, b, first, inner, x):
        with pytest.raises(ir.InvalidatedError, match="was erased"):
            gone.context if isinstance(gone, ir.Operation) else gone.owner
    assert module.verify()


def test_taking_the_body_of_something_in_it(module):
    body, other, *_ = parts(module)
    deep = ir.Operation.parse(
        '"my.deep"() ({"my.x"() : () -> () }, {"my.kept"() : () -> () }) : () -> ()', context=module.context
    )
    other.blocks[1].append(deep)
    kept = deep.regions[1].blocks[0]
    other.take_body(deep.regions[1])
    assert list(other.blocks) == [kept]
    assert names(kept) == ["kept"]
    with pytest.raises(ir.InvalidatedError):
        deep.name
    assert len(body.blocks) == 2


def test_what_is_refused_changes_nothing(module, context):
    body, other, a, b = parts(module)
    first, end = a.operations
    c, d = other.blocks
    inner = inner_block(b)
    x = a.arguments[0]
    branch = ir.Operation.parse('"my.go"() ({^a: "cf.br"()[^a] : () -> () }) : () -> ()', context=context)
    loop_block = branch.regions[0].blocks[0]
    away = ir.Module.parse('%0 = "my.one"() : () -> i32', ir.Context()).body
    wide = ir.Operation.create("my.wide", results=[ir.Type.parse("i64", context)], ip=False)
    before = [str(module), str(branch), str(away.owner)]
    for wrong, call in [
        ("gets 1 values", lambda: b.merge_into(a, [x])),
        ("gets 0 values", lambda: b.inline_before(end)),
        ("is i32, its value i64", lambda: b.merge_into(a, [x, wide.result])),
        ("cannot be the value of one", lambda: b.merge_into(a, [b.arguments[1], x])),
        ("into itself", lambda: b.merge_into(inner, [x, x])),
        ("into itself", lambda: b.inline_before(b.operations[0], [x, x])),
        ("another context", lambda: b.merge_into(a, [x, away.operations[0].result])),
        ("another context", lambda: away.merge_into(d)),
        ("still goes to the block", lambda: loop_block.merge_into(d)),
        ("nothing may stand", lambda: d.merge_into(loop_block)),
        ("into itself", lambda: body.inline_before(b)),
        ("into itself", lambda: body.append_to(inner.region)),
        ("into itself", lambda: inner.region.take_body(body)),
        ("its own body", lambda: body.take_body(body)),
        ("still used, as operand 0 of 'my.inner'", lambda: body.take_body(inner.region)),
    ]:
        with pytest.raises(ir.IRError, match=wrong):
            call()
        assert [str(module), str(branch), str(away.owner)] == before
    assert first.parent.name == "my.func"
    assert names(c) == ["use"]


def test_a_block_whose_end_branches_is_not_put_in_the_middle(context):
    op = ir.Operation.parse(
        '"my.go"() ({^a: "my.end"() : () -> () ^b: "cf.br"()[^c] : () -> () ^c: }) : () -> ()', context=context
    )
    a, b, c = op.regions[0].blocks
    with pytest.raises(ir.IRError, match="nothing may stand"):
        b.inline_before(a.operations[0])
    a.operations[0].erase()
    b.merge_into(a)
    assert [it.name for it in a.operations] == ["cf.br"]
    assert a.operations[0].successors[0] is c


def test_listeners_hear_of_it(module):
    body, other, a, b = parts(module)
    heard = []
    rewriter = ir.PatternRewriter(ir.InsertionPoint(a), listener=lambda what, op, *_: heard.append((what, op.name[3:])))
    first, end = a.operations
    rewriter.erase_op(end)
    rewriter.merge_blocks(b, a, [first.result, a.arguments[0]])
    assert heard == [
        ("erased", "end"),
        ("modified", "add"),
        ("modified", "inner"),
        ("modified", "add"),
        ("inserted", "add"),
        ("inserted", "loop"),
        ("inserted", "end"),
    ]
    heard.clear()
    rewriter.inline_region_before(other, a)
    assert heard == [("inserted", "use"), ("inserted", "end")]
    assert len(body.blocks) == 3
    heard.clear()
    rewriter.inline_block_before(body.blocks[0], first, [a.arguments[0]])
    assert heard == [("modified", "use"), ("inserted", "use")]
    heard.clear()
    rewriter.take_body(other, body)
    assert [what for what, _ in heard] == ["inserted"] * 6
    heard.clear()
    loop = next(op for op in a.operations if op.name == "my.loop")
    extra = ir.Operation.parse('"my.deep"() ({"my.x"() : () -> () }) : () -> ()', context=module.context)
    rewriter.take_body(loop.regions[0], extra.regions[0])
    assert heard == [("erased", "inner"), ("inserted", "x")]
    assert module.verify()
