"""Handles of every kind and what may happen to what they denote: each pair in a process of its own, forked from this.

Prints a JSON object: from the name of a case to what came out: `right: …`, an exception, or how the process died.
"""

import contextlib
import gc
import json
import os
import sys
import threading
import traceback

import pairbond
import pairbond_ir as ir

TEXT = """
%a = "t.a"() : () -> i32
"t.c"(%a) ({
  ^bb0(%x: i64):
    %d = "t.d"(%x, %a) {k = 7 : i32} : (i64, i32) -> i8
    "t.e"(%d)[^bb1] : (i8) -> ()
  ^bb1:
    "t.f"() : () -> ()
}) : (i32) -> ()
"""


class Case:
    def __init__(self):
        self.context = ir.Context()
        self.module = ir.Module.parse(TEXT, self.context)
        self.c = self.module.body.operations[1]
        self.block = self.c.regions[0].blocks[0]
        self.d = self.block.operations[0]

    def forget(self):
        """Everything but the handle of the case."""
        self.context = self.module = self.c = self.block = self.d = None
        gc.collect()


#: handles: how to get one, what it is used for, what is right then
HANDLES = {
    "operation": (lambda it: it.d, lambda op: (op.name, str(op.attributes["k"])), ("t.d", "7 : i32")),
    "region": (lambda it: it.c.regions[0], lambda region: region.owner.name, "t.c"),
    "block": (lambda it: it.block, lambda block: [op.name for op in block.operations], ["t.d", "t.e"]),
    "argument": (lambda it: it.block.arguments[0], lambda arg: (arg.arg_number, str(arg.type)), (0, "i64")),
    "result": (lambda it: it.d.result, lambda result: (result.owner.name, str(result.type)), ("t.d", "i8")),
    "operand": (lambda it: it.d.operands, lambda all: [str(value.type) for value in all], ["i64", "i32"]),
    "use": (
        lambda it: it.block.arguments[0].uses[0],
        lambda use: (use.owner.name, str(use.value.type)),
        ("t.d", "i64"),
    ),
    "operations": (lambda it: it.block.operations, lambda ops: (len(ops), ops[-1].name), (2, "t.e")),
    "iterator": (lambda it: iter(it.block.operations), lambda ops: [op.name for op in ops], ["t.d", "t.e"]),
    "successors": (lambda it: it.d.next.successors, lambda all: [block.operations[0].name for block in all], ["t.f"]),
    "attributes": (lambda it: it.d.attributes, lambda all: all["k"].value, 7),
    "insertion point": (
        lambda it: ir.InsertionPoint(it.d),
        lambda point: point.insert(ir.Operation.create("t.n", loc=point.ref_operation.location, ip=False)),
        None,
    ),
}


def in_callback(it):
    def look(op):
        if op.name == "t.c":
            op.erase()
            raise KeyError(op)

    with contextlib.suppress(KeyError):
        it.module.walk(look, ir.WalkOrder.PRE_ORDER)


def in_thread(it):
    thread = threading.Thread(target=it.c.erase)
    thread.start()
    thread.join()


def while_iterating(it):
    for op in it.module.body:
        op.erase(drop_uses=True)


def by_a_pass(it):
    with pairbond.erasing("a pass"):
        it.c.erase()


def move(it):
    other = ir.Module.create(context=it.context)
    it.module.body.operations[0].move_before(it.c)
    for op in list(it.module.body.operations):
        other.body.append(op)
    it.module.erase()
    it.forget()


def clone(it):
    copy = it.module.clone()
    copy.body.operations[1].erase()
    copy.erase()


def again(it):
    it.c.erase()
    it.kept = [ir.Module.parse(TEXT, it.context) for _ in range(99)]


#: what happens: how, and whether the node is erased then
EVENTS = {
    "nothing": (lambda it: None, False),
    "the other handles go": (Case.forget, False),
    "a collection": (lambda it: [gc.collect() for _ in range(3)], False),
    "trimming": (lambda it: pairbond.trim(), False),
    "a move to another module": (move, False),
    "a copy was erased": (clone, False),
    "an unrelated erasure": (lambda it: it.c.regions[0].blocks[1].operations[0].clone(ip=False).erase(), False),
    "a new module at the same place": (lambda it: [ir.Module.parse(TEXT, it.context) for _ in range(50)], False),
    "detached from its parent": (lambda it: (it.c.detach_from_parent(), gc.collect()), False),
    "erased": (lambda it: it.c.erase(), True),
    "erased through another handle": (lambda it: it.module.body.operations[1].erase(), True),
    "the module was erased": (lambda it: it.module.erase(), True),
    "erased, and all else is gone": (lambda it: (it.c.erase(), it.forget()), True),
    "erased in a callback that raises": (in_callback, True),
    "erased in a thread": (in_thread, True),
    "erased while iterating": (while_iterating, True),
    "erased by a pass": (by_a_pass, True),
    "erased, and memory is used again": (again, True),
}  # fmt: skip


def run(handle: str, event: str) -> str:
    get, use, _ = HANDLES[handle]
    case = Case()
    held = get(case)
    EVENTS[event][0](case)
    try:
        found = use(held)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"right: {found}"


def forked(handle: str, event: str) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = run(handle, event)
        except BaseException:
            text = "failed: " + traceback.format_exc()
        os.write(writing, text.encode()[:60_000])
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read().decode()
    status = os.waitpid(child, 0)[1]
    return text if status == 0 else f"died: {os.waitstatus_to_exitcode(status)}"


if __name__ == "__main__":
    found = {f"{handle}; {event}": forked(handle, event) for handle in HANDLES for event in EVENTS}
    json.dump(found, sys.stdout)
