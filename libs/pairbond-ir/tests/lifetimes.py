"""Handles of every kind and what may happen to what they denote: each pair in a process of its own, forked from this.

Prints a JSON object: from the name of a case to what came out: `right: …`, an exception, or how the process died.
With a number, readers race with an eraser so often, and what came out wrong is printed.
"""

import contextlib
import gc
import json
import os
import sys
import threading
import traceback
from collections.abc import Iterator

import pairbond
import pairbond_ir as ir

TEXT = """
%a = "t.a"() : () -> i32
"t.c"(%a) <{sym_name = "c", sym_visibility = "private"}> ({
  ^bb0(%x: i64):
    %d = "t.d"(%x, %a) {k = 7 : i32} : (i64, i32) -> i8
    "t.e"(%d)[^bb1] : (i8) -> ()
  ^bb1:
    "t.f"() ({
      "t.s"() {sym_name = "s"} : () -> ()
    }) : () -> ()
}) : (i32) -> ()
"""


class Case:
    """A module, and a handle of a part of it. `use` is what the handle is for, and `right` what comes of that."""

    def __init__(self, get, use, right):
        self.context = ir.Context()
        self.module = ir.Module.parse(TEXT, self.context)
        self.c = self.module.body.operations[1]
        self.block = self.c.regions[0].blocks[0]
        self.d = self.block.operations[0]
        self.held, self.use, self.right = get(self), use, right

    def forget(self):
        """Everything but the handle of the case."""
        self.context = self.module = self.c = self.block = self.d = None
        gc.collect()


def begun(operations):
    iterator = iter(operations)
    next(iterator)
    return iterator


def put(point):
    point.insert(ir.Operation.create("t.n", loc=point.block.owner.location, ip=False))


#: handles: how to get one, what it is used for, what is right then
HANDLES = {
    "operation": (lambda it: it.d, lambda op: (op.name, str(op.attributes["k"])), ("t.d", "7 : i32")),
    "text": (
        lambda it: it.c.regions[0].blocks[1].operations[0],
        str,
        '"t.f"() ({\n  "t.s"() {sym_name = "s"} : () -> ()\n}) : () -> ()',
    ),
    "what is copied": (
        lambda it: it.c.regions[0].blocks[1].operations[0],
        lambda op: op.clone(ip=False).regions[0].blocks[0].operations[0].name,
        "t.s",
    ),
    "names": (lambda it: it.d.result, lambda value: value.get_name()[0], "%"),
    "what is around": (
        lambda it: it.d,
        lambda op: (op.parent is None, op.block is None, op.next.name),
        (False, False, "t.e"),
    ),
    "region": (lambda it: it.c.regions[0], lambda region: region.owner.name, "t.c"),
    "block": (lambda it: it.block, lambda block: [op.name for op in block.operations], ["t.d", "t.e"]),
    "argument": (lambda it: it.block.arguments[0], lambda arg: (arg.arg_number, str(arg.type)), (0, "i64")),
    "result": (lambda it: it.d.result, lambda result: (result.owner.name, str(result.type)), ("t.d", "i8")),
    "operands": (lambda it: it.d.operands, lambda all: [str(value.type) for value in all], ["i64", "i32"]),
    "results": (lambda it: it.d.results, lambda all: [str(value.type) for value in all], ["i8"]),
    "regions": (lambda it: it.c.regions, lambda all: [len(region.blocks) for region in all], [2]),
    "blocks": (lambda it: it.c.regions[0].blocks, lambda all: [len(block.arguments) for block in all], [1, 0]),
    "arguments": (lambda it: it.block.arguments, lambda all: [str(value.type) for value in all], ["i64"]),
    "use": (
        lambda it: it.block.arguments[0].uses[0],
        lambda use: (use.owner.name, str(use.value.type)),
        ("t.d", "i64"),
    ),
    "uses": (lambda it: it.d.result.uses, lambda uses: [use.owner.name for use in uses], ["t.e"]),
    "operations": (lambda it: it.block.operations, lambda ops: (len(ops), ops[0].name), (2, "t.d")),
    "iterator": (lambda it: iter(it.block.operations), lambda ops: next(ops).name, "t.d"),
    "iterator on its way": (lambda it: begun(it.block.operations), lambda ops: next(ops).name, "t.e"),
    "iterator of blocks": (lambda it: iter(it.c.regions[0].blocks), lambda all: len(next(all).operations), 2),
    "successors": (lambda it: it.d.next.successors, lambda all: [block.operations[0].name for block in all], ["t.f"]),
    "attributes": (lambda it: it.d.attributes, lambda all: all["k"].value, 7),
    "symbol table": (
        lambda it: ir.SymbolTable(it.c.regions[0].blocks[1].operations[0]),
        lambda table: table["s"].name,
        "t.s",
    ),
    "insertion point": (lambda it: ir.InsertionPoint(it.d), put, None),
    "insertion point at the end": (lambda it: ir.InsertionPoint(it.block), put, None),
    "insertion point at the begin": (lambda it: ir.InsertionPoint.at_block_begin(it.block), put, None),
}

NONE, ALL = frozenset(), frozenset(HANDLES)


def in_callback(it):
    def look(op):
        if op.name == "t.c":
            op.erase()
            raise KeyError(op)

    with contextlib.suppress(RuntimeError):
        it.module.walk(look, ir.WalkOrder.PRE_ORDER)


def in_thread(it):
    thread = threading.Thread(target=it.c.erase)
    thread.start()
    thread.join()


def while_iterating(it):
    for op in it.module.body:
        op.erase(drop_uses=True)


def replaced_by_a_pattern(it):
    pattern = ir.Pattern("t.c", lambda op, rewriter: rewriter.replace_op(op, []))
    ir.apply_patterns(it.module, [pattern])


def by_a_pattern_that_raises(it):
    def rewrite(op, rewriter):
        rewriter.erase_op(op)
        raise KeyError(op)

    with contextlib.suppress(KeyError):
        ir.apply_patterns(it.module, [ir.Pattern("t.c", rewrite)])


def by_a_pass(it):
    ir.PassManager.parse("builtin.module(symbol-dce)", it.context).run(it.module)


def by_a_pass_of_python(it):
    manager = ir.PassManager("builtin.module", it.context)
    manager.add(lambda module: module.regions[0].blocks[0].operations[1].erase())
    manager.run(it.module)


def by_the_symbol_table(it):
    del ir.SymbolTable(it.module)["c"]


def while_threads_read(it):
    """What they see is right until it is erased. An iterator goes on for all of them together."""
    wrong, ready, over = [], threading.Barrier(5), threading.Event()

    def read():
        ready.wait()
        while not over.is_set():
            try:
                found = it.use(it.held)
                assert found == it.right or isinstance(it.held, Iterator), found
            except (pairbond.InvalidatedError, StopIteration):
                continue
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    ready.wait()
    it.c.erase()
    over.set()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def refused(it):
    """Edits that raise, and change nothing."""
    nested = it.c.regions[0].blocks[1].operations[0].regions[0].blocks[0]
    stranger = ir.Module.create(context=ir.Context())
    for kind, edit in [
        (ir.IRError, it.d.erase),
        (ir.IRError, lambda: stranger.body.append(it.c)),
        (ValueError, lambda: nested.append(it.c)),
        (ValueError, lambda: it.d.move_after(it.d.clone(ip=False))),
    ]:
        try:
            edit()
        except kind:
            continue
        raise AssertionError("it is not refused")


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


def body_taken(it):
    """Its blocks go to another operation, and it is erased."""
    taker = ir.Operation.create("t.taker", regions=1, loc=it.c.location, ip=ir.InsertionPoint(it.c))
    taker.regions[0].take_body(it.c.regions[0])
    it.c.erase()


def attributes_kept(it):
    it.d.note, it.block.note = object(), object()
    it.forget()


#: what happens: how, and which handles are of something that is erased then
EVENTS = {
    "nothing": (lambda it: None, NONE),
    "the other handles go": (Case.forget, NONE),
    "the other handles go, with attributes": (attributes_kept, NONE),
    "a collection": (lambda it: [gc.collect() for _ in range(3)], NONE),
    "trimming": (lambda it: pairbond.trim(), NONE),
    "a move to another module": (move, NONE),
    "a copy was erased": (clone, NONE),
    "an unrelated erasure": (lambda it: it.c.regions[0].blocks[1].operations[0].clone(ip=False).erase(), NONE),
    "edits that are refused": (refused, NONE),
    "a new module at the same place": (lambda it: [ir.Module.parse(TEXT, it.context) for _ in range(50)], NONE),
    "detached from its parent": (lambda it: (it.c.detach_from_parent(), gc.collect()), NONE),
    "another took its body": (body_taken, {"region", "regions", "blocks", "iterator of blocks"}),
    "erased": (lambda it: it.c.erase(), ALL),
    "erased through another handle": (lambda it: it.module.body.operations[1].erase(), ALL),
    "the module was erased": (lambda it: it.module.erase(), ALL),
    "erased, and all else is gone": (lambda it: (it.c.erase(), it.forget()), ALL),
    "erased in a callback that raises": (in_callback, ALL),
    "erased in a thread": (in_thread, ALL),
    "erased while threads read": (while_threads_read, ALL),
    "erased while iterating": (while_iterating, ALL),
    "erased by the symbol table": (by_the_symbol_table, ALL),
    "erased by a pass": (by_a_pass, ALL),
    "erased by a pass of Python": (by_a_pass_of_python, ALL),
    "replaced by a pattern": (replaced_by_a_pattern, ALL),
    "erased by a pattern that raises": (by_a_pattern_that_raises, ALL),
    "erased, and memory is used again": (again, ALL),
}


def run(handle: str, event: str) -> str:
    case = Case(*HANDLES[handle])
    EVENTS[event][0](case)
    try:
        found = case.use(case.held)
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


def raced(times: int) -> list[str]:
    """What is neither right nor the documented exception when threads read while another erases, in this process."""
    found = (f"{handle}; {run(handle, 'erased while threads read')}" for handle in HANDLES for _ in range(times))
    return [it for it in found if "; InvalidatedError: " not in it]


if __name__ == "__main__" and len(sys.argv) > 1:
    json.dump(raced(int(sys.argv[1])), sys.stdout)
elif __name__ == "__main__":
    found = {f"{handle}; {event}": forked(handle, event) for handle in HANDLES for event in EVENTS}
    json.dump(found, sys.stdout)
