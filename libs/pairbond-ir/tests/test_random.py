"""Random edits of the real thing and of a model in plain Python, which must agree.

PAIRBOND_SEED replays a run; PAIRBOND_LONG=1 does a hundred thousand steps, or goes on for PAIRBOND_LONG_SECONDS.
"""

import gc
import os
import threading
import time

import pairbond
import pairbond_ir as ir
import pytest
from model import World

LONG = bool(os.environ.get("PAIRBOND_LONG"))
SECONDS = float((LONG and os.environ.get("PAIRBOND_LONG_SECONDS")) or "inf")


@pytest.mark.parametrize("seed", [*range(4), 220])
def test_random_edits(seed):
    seed = int(os.environ.get("PAIRBOND_SEED", seed))
    steps = 100_000 if LONG else 1_500
    world = World(seed)
    end = time.monotonic() + SECONDS / 4
    for step in range(steps):
        try:
            world.step()
            if step % 50 == 0:
                world.check()
                if time.monotonic() > end:
                    break
        except BaseException:
            print(f"PAIRBOND_SEED={seed}, step {step}")
            raise
    world.check()
    for name in (
        "create",
        "erase",
        "move",
        "detach",
        "set_operand",
        "replace",
        "attribute",
        "clone",
        "merge",
        "take_body",
        "read again",
    ):
        assert world.counts[name] > 2, name


@pytest.mark.slow
def test_threads_edit_one_module(context):
    """Operands and uses agree afterwards, and what threads see of each other's edits is right or erased."""
    module = ir.Module.create(context=context)
    i32 = ir.IntegerType.get_signless(32, context)
    first = ir.Operation.create("t.first", results=[i32], loc=module.location, ip=ir.InsertionPoint(module.body))
    end = time.monotonic() + (min(20, SECONDS) if LONG else 1.5)
    wrong, done = [], [0, 0, 0, 0]

    def edit(number):
        try:
            while time.monotonic() < end and done[number] < 3000:
                ops = list(module.body.operations)
                op = ops[(done[number] * 7 + number) % len(ops)]
                done[number] += 1
                try:
                    match (done[number] + number) % 5:
                        case 0 | 1:
                            at = ir.InsertionPoint(module.body)
                            made = ir.Operation.create("t.op", operands=[op.result, first.result], results=[i32], ip=at)
                            assert made.name == "t.op"
                        case 2 if op is not first:
                            op.erase(drop_uses=True)
                        case 3 if op is not first:
                            op.operands[0] = first.result
                        case _:
                            assert {use.owner.name for use in op.result.uses} <= {"t.op"}
                            op.move_before(first)
                except (pairbond.InvalidatedError, ValueError, IndexError):
                    pass
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong
    assert min(done) > 10
    used = {}
    for op in module.body:
        for place in range(len(op.operands)):
            try:
                used.setdefault(op.operands[place], set()).add((op, place))
            except pairbond.InvalidatedError:
                continue
    for op in module.body:
        uses = {(it.owner, it.operand_number) for it in op.result.uses}
        assert uses == used.get(op.result, set())


def test_a_context_that_is_used_again_and_again(context):
    """The second case of the report: old handles stay what they were made for."""
    held = []
    end = time.monotonic() + SECONDS
    for number in range(100_000 if LONG else 2_000):
        if number % 1_000 == 999 and time.monotonic() > end:
            break
        module = ir.Module.parse(f'"t.f{number}"() {{n = {number} : i32}} : () -> ()', context)
        op = module.body.operations[0]
        if number % 4 == 0:
            held.append((number, op, id(op)))
        elif number % 4 == 1:
            op.erase()
    assert len({identity for *_, identity in held}) == len(held)
    for number, op, identity in held:
        assert (op.name, op.attributes["n"].value, id(op)) == (f"t.f{number}", number, identity)
    del op, module, held
    gc.collect()
    assert context.live == (0, 0)


def test_a_function_whose_module_is_gone(context):
    """The first case of the report."""
    module = ir.Module.parse('"t.f"() ({ "t.g"() : () -> () }) : () -> ()', context)
    function = module.body.operations[0]
    del module, context
    assert str(function) == '"t.f"() ({\n  "t.g"() : () -> ()\n}) : () -> ()'
