"""Lists of uses: what is in them whatever comes and goes."""

import random

import pairbond_ir as ir
import pytest


def users(value):
    return sorted((id(use.owner), use.operand_number) for use in value.uses)


def test_uses_come_and_go_in_any_order(context):
    with context, ir.Location.unknown():
        i32 = ir.IntegerType.get_signless(32)
        module = ir.Module.create()
        chance = random.Random(7)
        with ir.InsertionPoint(module.body):
            values = [ir.Operation.create("a.v", results=[i32]).result for _ in range(4)]
            ops = []
            for step in range(600):
                match chance.randrange(4) if len(ops) > 5 else 0:
                    case 0 | 1:
                        operands = [chance.choice(values) for _ in range(chance.randrange(4))]
                        ops.append(ir.Operation.create("a.u", operands=operands))
                    case 2:
                        ops.pop(chance.randrange(len(ops))).erase()
                    case 3:
                        op = chance.choice(ops)
                        if len(op.operands):
                            op.operands[chance.randrange(len(op.operands))] = chance.choice(values)
                if step % 20 == 0:
                    for value in values:
                        known = [
                            (id(op), place)
                            for op in ops
                            for place, operand in enumerate(op.operands)
                            if operand is value
                        ]
                        assert users(value) == sorted(known)
                        assert value.has_uses is bool(known)
    for op in ops:
        op.erase()
    assert not any(value.has_uses or value.uses for value in values)


def test_users_that_went_with_their_tree_are_forgotten(context):
    module = ir.Module.parse('%0 = "a.v"() : () -> i32', context)
    value = module.body.operations[0].result
    kept = ir.Operation.create("a.u", operands=[value, value], ip=False, loc=ir.Location.unknown(context))
    for _ in range(300):
        ir.Operation.create("a.u", operands=[value], ip=False, loc=ir.Location.unknown(context))
    assert users(value) == [(id(kept), 0), (id(kept), 1)]
    kept.erase()
    assert not value.has_uses
    module.body.operations[0].erase()
    assert len(module.body.operations) == 0


def test_a_value_of_many_users_is_replaced(context):
    text = '%0 = "a.v"() : () -> i32\n%1 = "a.v"() : () -> i32\n' + '"a.u"(%0, %1, %0) : (i32, i32, i32) -> ()\n' * 50
    module = ir.Module.parse(text, context)
    first, second = (module.body.operations[place].result for place in (0, 1))
    first.replace_all_uses_with(second)
    assert (len(first.uses), len(second.uses)) == (0, 150)
    with pytest.raises(ir.IRError, match="still used"):
        second.owner.erase()
