"""Building and editing: what stands where, who uses what, and what erased handles say."""

import gc
import threading
import weakref

import pairbond
import pairbond_ir as ir
import pytest

TEXT = """
%a = "t.a"() : () -> i32
%b:2 = "t.b"(%a, %a) {k = 1 : i32} : (i32, i32) -> (i32, f32)
"t.c"(%b#1) ({
  ^bb0(%x: i32):
    %d = "t.d"(%x, %a) : (i32, i32) -> i32
    "t.br"(%d)[^bb1] : (i32) -> ()
  ^bb1(%y: i32):
    "t.end"(%y) : (i32) -> ()
}) : (f32) -> ()
"""


@pytest.fixture
def module(context):
    return ir.Module.parse(TEXT, context)


def test_there_is_one_handle_for_each_node(module):
    ops = module.body.operations
    assert ops[0] is ops[0]
    assert ops[1] is list(ops)[1]
    assert ops[1].results[1] is ops[1].results[1]
    assert ops[2].regions[0].blocks[1] is ops[2].regions[0].blocks[1]
    assert ops[2].regions[0].blocks[0].arguments[0].owner is ops[2].regions[0].blocks[0]
    assert ops[1].operands[0].owner is ops[0]
    assert ops[0].operation is ops[0]
    assert module.operation is module
    assert ops[0].parent is module
    assert ops[2].regions[0].blocks[0].operations[0].parent is ops[2]
    assert ops[0].block is module.body
    assert module.parent is None
    assert ops[2].regions[0].owner is ops[2]
    assert isinstance(ops[0].results[0], ir.OpResult)
    assert ops[1].results[1].result_number == 1
    ops[0].note = "mine"
    del ops
    gc.collect()
    assert module.body.operations[0].note == "mine"


def test_any_handle_keeps_the_module(context):
    value = ir.Module.parse(TEXT, context).body.operations[2].regions[0].blocks[0].arguments[0]
    gc.collect()
    module = value.owner.region.owner.parent
    assert [op.name for op in module.body] == ["t.a", "t.b", "t.c"]
    assert str(value) == "BlockArgument(<block argument> of type 'i32' at index: 0)"


def test_values_names_and_lists(module):
    a, b, c = module.body.operations
    assert [it.name for it in (a, b, c)] == ["t.a", "t.b", "t.c"]
    assert (len(b.operands), len(b.results), len(c.regions)) == (2, 2, 1)
    assert b.operands[-1] is a.result
    assert [str(it) for it in b.results.types] == ["i32", "f32"]
    with pytest.raises(IndexError):
        b.operands[2]
    with pytest.raises(ValueError, match="which has 2 results"):
        b.result
    assert b.attributes["k"].value == 1
    assert "z" not in b.attributes
    with pytest.raises(KeyError):
        b.attributes["z"]
    assert b.results[1].get_name() == "%1#1"
    assert c.regions[0].blocks[0].operations[-1].successors[0] is c.regions[0].blocks[1]
    assert (a.next, b.previous, a.previous) == (b, a, None)
    assert a.is_before_in_block(c)
    assert str(b) == '%1:2 = "t.b"(%0, %0) {k = 1 : i32} : (i32, i32) -> (i32, f32)'


def test_uses(module):
    a, b, c = module.body.operations
    inner = c.regions[0].blocks[0].operations[0]
    uses = {(it.owner.name, it.operand_number) for it in a.result.uses}
    assert uses == {("t.b", 0), ("t.b", 1), ("t.d", 1)}
    a.result.replace_uses_with_if(b.results[0], lambda use: use.owner is inner)
    assert inner.operands[1] is b.results[0]
    assert len(a.result.uses) == 2
    a.result.replace_all_uses_except(inner.operands[0], b)
    assert len(a.result.uses) == 2
    a.result.replace_all_uses_with(inner.operands[0])
    assert not a.result.has_uses
    assert list(b.operands) == [inner.operands[0]] * 2
    b.operands[0] = a.result
    assert [(it.owner, it.operand_number) for it in a.result.uses] == [(b, 0)]
    with pytest.raises(ir.IRError, match="by itself"):
        a.result.replace_all_uses_with(a.result)
    with pytest.raises(ZeroDivisionError):
        a.result.replace_uses_with_if(b.results[0], lambda use: 1 // 0)


def test_erasing_is_refused_while_results_are_used(module):
    a, b, _ = module.body.operations
    with pytest.raises(ir.IRError, match=r"'t.a' cannot be erased: result 0 is still used, as operand \d of 't.[bd]'"):
        a.erase()
    assert str(a) == '%0 = "t.a"() : () -> i32'
    a.erase(drop_uses=True)
    assert pairbond.is_erased(a)
    for use in (lambda: a.name, lambda: a.results, lambda: str(a), lambda: b.move_before(a), lambda: a.erase()):
        with pytest.raises(pairbond.InvalidatedError, match=r"t\.a.* was erased"):
            use()
    with pytest.raises(pairbond.InvalidatedError):
        b.operands[0]
    assert (
        str(b)
        == '%0:2 = "t.b"(<<NULL VALUE>>, <<NULL VALUE>>) {k = 1 : i32} : (<<NULL TYPE>>, <<NULL TYPE>>) -> (i32, f32)'
    )
    b.operands[0] = b.results[0]
    b.operands[1] = b.results[0]
    assert len(b.results[0].uses) == 2


def test_erasing_ends_uses_and_all_handles_below(module):
    a, b, c = module.body.operations
    block = c.regions[0].blocks[0]
    handles = [c, c.regions[0], block, block.arguments[0], block.operations[0], block.operations[0].result]
    lists = [block.operations, block.arguments, c.operands, c.regions, c.attributes]
    iterator, point = iter(block), ir.InsertionPoint(block.operations[0])
    handles[4].note = "still there"
    with pairbond.erasing("a test"):
        c.erase()
    assert [it.owner for it in a.result.uses] == [b, b]
    assert not b.results[1].has_uses
    for handle in handles:
        with pytest.raises(pairbond.InvalidatedError, match="by a test"):
            handle.context if hasattr(type(handle), "context") else handle.owner
    for it in lists:
        with pytest.raises(pairbond.InvalidatedError):
            len(it)
    with pytest.raises(pairbond.InvalidatedError):
        next(iterator)
    with pytest.raises(pairbond.InvalidatedError), point:
        ir.Operation.create("t.x")
    assert handles[4].note == "still there"
    assert [op.name for op in module.body] == ["t.a", "t.b"]


def test_building(context):
    with context, ir.Location.name("here"):
        module = ir.Module.create()
        i32 = ir.IntegerType.get_signless(32)
        with ir.InsertionPoint(module.body):
            one = ir.Operation.create("t.one", results=[i32], attributes={"v": ir.IntegerAttr.get(i32, 1)})
            two = ir.Operation.create("t.two", operands=[one.result, one.result], regions=1)
            block = two.regions[0].blocks.append(i32, i32)
            with ir.InsertionPoint.at_block_begin(block):
                last = ir.Operation.create("t.last", operands=list(block.arguments), successors=[block])
            with ir.InsertionPoint(last):
                ir.Operation.create("t.first")
            with ir.InsertionPoint.after(one):
                ir.Operation.create("t.between")
            nowhere = ir.Operation.create("t.nowhere", ip=False)
    assert str(module) == (
        '"builtin.module"() ({\n'
        '  %0 = "t.one"() {v = 1 : i32} : () -> i32\n'
        '  "t.between"() : () -> ()\n'
        '  "t.two"(%0, %0) ({\n'
        "  ^bb0(%arg0: i32, %arg1: i32):  // pred: ^bb0\n"
        '    "t.first"() : () -> ()\n'
        '    "t.last"(%arg0, %arg1)[^bb0] : (i32, i32) -> ()\n'
        "  }) : (i32, i32) -> ()\n"
        "}) : () -> ()\n"
    )
    assert str(one.location) == 'loc("here")'
    assert not nowhere.attached
    nowhere.move_before(one)
    assert module.body.operations[0] is nowhere
    nowhere.move_after(two)
    assert module.body.operations[-1] is nowhere
    nowhere.detach_from_parent()
    module.body.append(nowhere)
    nowhere.attributes["k"] = ir.UnitAttr.get(context)
    assert str(nowhere) == '"t.nowhere"() {k} : () -> ()'
    del nowhere.attributes["k"]
    with pytest.raises(KeyError):
        del nowhere.attributes["k"]


def test_properties_are_attributes(context):
    op = ir.Operation.parse('"t.a"() <{p = 1 : i32}> {q = 2 : i32} : () -> ()', context=context)
    assert {name: it.value for name, it in op.attributes.items()} == {"p": 1, "q": 2}
    op.attributes["p"] = op.attributes["q"]
    assert str(op) == '"t.a"() <{p = 2 : i32}> {q = 2 : i32} : () -> ()\n'


def test_clones(module):
    a, b, c = module.body.operations
    copy = c.clone(ip=ir.InsertionPoint(c))
    assert [op.name for op in module.body] == ["t.a", "t.b", "t.c", "t.c"]
    assert module.body.operations[2] is copy
    assert len(a.result.uses) == 4
    mapping = pairbond.Map({b.results[1]: copy.operands[0], a.result: b.results[0]})
    other = c.clone(ip=False, mapping=mapping)
    inner = other.regions[0].blocks[0].operations[0]
    assert inner.operands[1] is b.results[0]
    assert mapping[c.regions[0].blocks[0].operations[0].result] is inner.result
    assert inner.next.successors[0] is other.regions[0].blocks[1]
    whole = module.clone()
    assert str(whole) == str(module)
    assert type(whole) is ir.Module
    assert whole.body.operations[1].operands[0].owner is whole.body.operations[0]


def test_clones_know_what_is_outside(module):
    a, b, c = module.body.operations
    module.clone()
    copy = c.clone(ip=False)
    assert copy.structural_equal(c)
    assert list(copy.operands) == list(c.operands)
    # What is mapped may be made by what is cloned, too: then it becomes what that becomes.
    inner = c.regions[0].blocks[0].operations[0].result
    mapping = pairbond.Map({inner: a.result, a.result: b.results[0]})
    other = c.clone(ip=False, mapping=mapping)
    made, end = other.regions[0].blocks[0].operations
    assert mapping[inner] is made.result
    assert end.operands[0] is made.result
    assert made.operands[1] is b.results[0]


def test_clones_of_one_on_several_threads(context):
    lines = ["%0 = "] + [f"%{n} = " for n in range(1, 300)]
    ends = ['"t.c"() : () -> i32'] + [f'"t.op"(%{n // 2}, %{n}) : (i32, i32) -> i32' for n in range(299)]
    module = ir.Module.parse("\n".join(a + b for a, b in zip(lines, ends, strict=True)), context)
    barrier, copies = threading.Barrier(4), []

    def clone():
        barrier.wait()
        copies.extend(module.clone() for _ in range(10))

    threads = [threading.Thread(target=clone) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(copies) == 40
    assert all(copy.structural_equal(module) for copy in copies)


def test_clones_while_another_thread_edits(context):
    lines = ['%a = "t.c"() : () -> i32', '%b = "t.c"() : () -> i32']
    lines += [f'%{n} = "t.op"(%a) : (i32) -> i32' for n in range(400)]
    module = ir.Module.parse("\n".join(lines), context)
    a, b, *users = module.body.operations
    over, wrong = threading.Event(), []

    def edit():
        while not over.is_set():
            for value in (b.result, a.result):
                for user in users:
                    user.operands[0] = value

    thread = threading.Thread(target=edit)
    thread.start()
    try:
        for _ in range(40):
            copy = module.operation.clone()
            copied = list(copy.regions[0].blocks[0].operations)
            values = {copied[0].result, copied[1].result}
            wrong += [op for op in copied[2:] if op.operands[0] not in values]
            assert copy.verify()
    finally:
        over.set()
        thread.join()
    assert not wrong


def test_walks(module):
    names = []
    assert module.walk(lambda op: names.append(op.name)) is True
    assert names == ["t.a", "t.b", "t.d", "t.br", "t.end", "t.c", "builtin.module"]
    names.clear()
    module.walk(lambda op: names.append(op.name), ir.WalkOrder.PRE_ORDER)
    assert names == ["builtin.module", "t.a", "t.b", "t.c", "t.d", "t.br", "t.end"]
    names.clear()

    def skip(op):
        names.append(op.name)
        return ir.WalkResult.SKIP if op.name == "t.c" else ir.WalkResult.ADVANCE

    module.walk(skip, ir.WalkOrder.PRE_ORDER)
    assert names == ["builtin.module", "t.a", "t.b", "t.c"]
    assert module.walk(lambda op: ir.WalkResult.INTERRUPT) is False

    def interrupt(op):
        raise KeyboardInterrupt

    with pytest.raises(RuntimeError, match=r"Exception raised in callback: (?s:.)*ZeroDivisionError") as raised:
        module.walk(lambda op: 1 // 0)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with pytest.raises(KeyboardInterrupt):
        module.walk(interrupt)
    with pytest.raises(TypeError, match="WalkResult"):
        module.walk(lambda op: 3)
    module.walk(lambda op: op.erase(drop_uses=True) if op.name != "builtin.module" else None)
    assert len(module.body.operations) == 0


def test_an_iterator_that_has_not_begun_stands_before_all(module):
    begun = iter(module.body)
    module.body.operations[0].erase(drop_uses=True)
    ir.Operation.create("t.new", loc=module.location, ip=ir.InsertionPoint(module.body.operations[0]))
    assert [op.name for op in begun] == ["t.new", "t.b", "t.c"]
    assert list(begun) == []


def test_iterating_while_editing(module):
    """It goes on from where the current operation stands; if that is gone, with the one that was next to it."""
    seen = []
    for op in module.body:
        seen.append(op.name)
        if op.name == "t.a":
            ir.Operation.create("t.new", loc=op.location, ip=ir.InsertionPoint.after(op))
        if op.name != "t.b":
            op.erase(drop_uses=True)
        else:
            op.move_before(module.body.operations[0])
    assert seen == ["t.a", "t.b", "t.new", "t.c"]
    assert [op.name for op in module.body] == ["t.b"]
    # Without the current one and the next the iterator ends.
    for name in ("t.1", "t.2", "t.3"):
        ir.Operation.create(name, loc=module.location, ip=ir.InsertionPoint(module.body))
    iterator = iter(module.body)
    first = next(iterator)
    first.next.erase()
    first.erase(drop_uses=True)
    assert list(iterator) == []
    assert [op.name for op in module.body] == ["t.2", "t.3"]


def test_contexts_do_not_mix(module):
    other = ir.Context()
    strange = ir.Operation.parse('%0 = "s.s"() : () -> i32', context=other)
    a, b, _ = module.body.operations
    for mix in (
        lambda: b.operands.__setitem__(0, strange.result),
        lambda: module.body.append(strange),
        lambda: strange.move_before(a),
        lambda: a.attributes.__setitem__("k", ir.UnitAttr.get(other)),
        lambda: ir.Operation.create("t.t", operands=[a.result, strange.result]),
        lambda: ir.Operation.create("t.t", operands=[a.result], results=[strange.result.type]),
        lambda: a.result.replace_all_uses_with(strange.result),
        lambda: a.result.set_type(strange.result.type),
        lambda: setattr(a, "location", ir.Location.unknown(other)),
    ):
        with pytest.raises(ir.IRError, match="another context"):
            mix()
    assert str(strange) == '%0 = "s.s"() : () -> i32\n'


def test_weak_references_and_subclasses_of_keys(module):
    notes = weakref.WeakKeyDictionary()
    for op in module.body:
        notes[op] = op.name
    gc.collect()
    assert sorted(notes.values()) == ["t.a", "t.b", "t.c"]
    assert notes[module.body.operations[1]] == "t.b"
    number = hash(module.body.operations[1])
    module.body.operations[1].attributes["x"] = ir.UnitAttr.get(module.context)
    assert hash(module.body.operations[1]) == number
    del op
    module.body.operations[2].erase()
    gc.collect()
    assert sorted(notes.values()) == ["t.a", "t.b"]


def test_a_detached_user_does_not_keep_what_it_uses(context):
    module = ir.Module.parse(TEXT, context)
    user = ir.Operation.create("t.user", operands=[module.body.operations[0].result], ip=False)
    assert user.operands[0].owner.name == "t.a"
    del module
    gc.collect()
    with pytest.raises(pairbond.InvalidatedError, match=r"operand 0 of t\.user is gone"):
        user.operands[0]


def test_users_that_are_dropped_are_forgotten(module):
    a = module.body.operations[0]
    for _ in range(1000):
        ir.Operation.create("t.user", operands=[a.result], ip=False)
    assert sorted(it.owner.name for it in a.result.uses) == ["t.b", "t.b", "t.d"]
    lone = ir.Operation.create("t.lone", results=[a.result.type], ip=ir.InsertionPoint(a))
    ir.Operation.create("t.user", operands=[lone.result], ip=False)
    assert not lone.result.has_uses
    lone.erase()


def test_splitting_and_erasing_blocks(module):
    c = module.body.operations[2]
    region = c.regions[0]
    first, second = region.blocks
    third = first.split_before(first.operations[1])
    assert list(region) == [first, third, second]
    assert [op.name for op in third] == ["t.br"]
    with pytest.raises(ir.IRError, match="still used"):
        first.erase()
    first.erase(drop_uses=True)
    assert list(region) == [third, second]
    with pytest.raises(ir.IRError, match="argument 0 is still used"):
        second.erase_argument(0)
    third.operations[0].erase()
    second.erase()
    third.erase()
    assert len(region.blocks) == 0
    block = ir.Block.create_at_start(region, [ir.Type.parse("i1", c.context)])
    after = block.create_after(arg_locs=[])
    assert list(region) == [block, after]
