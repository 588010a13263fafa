"""Parts of two contexts never meet: every edge that would join them is refused, and nothing has changed then."""

import gc
import subprocess
import sys
import weakref

import pairbond_ir as ir
import pytest

FUNCTION = """
"func.func"() ({
^a(%x: i32):
  "cf.br"()[^b] : () -> ()
^b:
  "func.return"() : () -> ()
}) {function_type = (i32) -> (), sym_name = "f"} : () -> ()
"""


class Side:
    def __init__(self):
        self.context = ir.Context()
        self.context.allow_unregistered_dialects = True
        self.module = ir.Module.parse(FUNCTION, self.context)
        self.function = self.module.body.operations[0]
        self.region = self.function.regions[0]
        self.a, self.b = self.region.blocks
        self.i32 = ir.Type.parse("i32", self.context)
        with ir.Location.unknown(self.context):
            self.loose = ir.Operation.create("t.op", results=[self.i32], operands=[self.a.arguments[0]])


EDGES = {
    "a successor when creating": lambda o, t: ir.Operation.create(
        "t.br", successors=[t.b], loc=ir.Location.unknown(o.context)
    ),
    "a successor": lambda o, t: o.a.operations[0].successors.__setitem__(0, t.b),
    "a mapping": lambda o, t: o.loose.clone(mapping={o.a.arguments[0]: t.a.arguments[0]}),
    "a new last block": lambda o, t: o.region.blocks.append(t.i32),
    "a new first block": lambda o, t: ir.Block.create_at_start(o.region, [t.i32]),
    "a new block before": lambda o, t: o.a.create_before(t.i32),
    "a new block behind": lambda o, t: o.a.create_after(t.i32),
    "a block": lambda o, t: t.b.append_to(o.region),
    "an argument": lambda o, t: o.a.add_argument(t.i32, ir.Location.unknown(t.context)),
    "an argument of an empty block": lambda o, t: o.b.add_argument(t.i32, ir.Location.unknown(t.context)),
    "an operation": lambda o, t: o.a.append(t.loose),
    "an operation before": lambda o, t: t.loose.move_before(o.a.operations[0]),
    "an operation behind": lambda o, t: t.loose.move_after(o.a.operations[0]),
    "an operand": lambda o, t: o.loose.operands.__setitem__(0, t.a.arguments[0]),
    "an attribute": lambda o, t: o.loose.attributes.__setitem__("x", ir.Attribute.parse("1 : i32", t.context)),
    "a type": lambda o, t: o.a.arguments[0].set_type(t.i32),
    "a location": lambda o, t: setattr(o.loose, "location", ir.Location.unknown(t.context)),
}


@pytest.mark.parametrize("edge", EDGES)
def test_parts_of_another_context_are_refused(edge):
    ours, theirs = Side(), Side()
    before = str(ours.module), str(theirs.module), str(ours.loose), str(theirs.loose)
    with pytest.raises(ir.IRError, match="another context"):
        EDGES[edge](ours, theirs)
    assert (str(ours.module), str(theirs.module), str(ours.loose), str(theirs.loose)) == before
    # With the same context all of them are fine.
    EDGES[edge](ours, ours)


def test_an_empty_block_is_of_any_context():
    ours, theirs = Side(), Side()
    loose = ours.region.blocks.append()
    loose.append_to(theirs.region)
    assert list(theirs.region.blocks)[-1] is loose


CONTEXTS = """
import gc
import pairbond_ir as ir

assert ir.Context._get_live_count() == 0
one = ir.Context()
again = one._get_context_again()
assert again is one
two = ir.Context()
assert ir.Context._get_live_count() == 2
i8 = ir.IntegerType.get_signless(8, two)
del two
gc.collect()
assert ir.Context._get_live_count() == 2  # a type keeps its context
del i8
gc.collect()
assert ir.Context._get_live_count() == 1
del one, again
gc.collect()
assert ir.Context._get_live_count() == 0
"""


def test_contexts_that_are_alive_are_counted():
    subprocess.run([sys.executable, "-c", CONTEXTS], check=True)


def test_contexts_share_a_pool_of_threads():
    pool = ir.ThreadPool()
    assert pool.get_max_concurrency() > 0
    given, set_later, own = ir.Context(thread_pool=pool), ir.Context(), ir.Context()
    set_later.enable_multithreading(False)
    assert set_later.get_num_threads() == 1
    set_later.set_thread_pool(pool)
    for it in (given, set_later):
        assert it.get_num_threads() == pool.get_max_concurrency()
        assert it._mlir_thread_pool_ptr() == pool._mlir_thread_pool_ptr() != ir.ThreadPool()._mlir_thread_pool_ptr()
    assert own._mlir_thread_pool_ptr() == 0
    # The pool lives as long as its contexts, and passes run as without one.
    del pool
    module = ir.Module.parse(FUNCTION, given)
    with given:
        ir.PassManager.parse("builtin.module(func.func(canonicalize,cse))").run(module)
    given.enable_multithreading(False)
    assert given.get_num_threads() == 1


def test_the_flag_for_debugging_is_private_and_kept():
    from pairbond_ir import _GlobalDebug

    assert "_GlobalDebug" not in getattr(ir, "__all__", [])
    assert _GlobalDebug.flag is False
    _GlobalDebug.flag = True
    assert _GlobalDebug.flag is True
    _GlobalDebug.flag = False
    _GlobalDebug.set_types("greedy")
    assert _GlobalDebug.types == ["greedy"]


class Watched:
    """What weak references may refer to."""


@pytest.mark.slow
def test_trees_that_garbage_of_python_holds_go_as_trees_grow(context):
    """An insertion point with attributes is known to Python's collector, and holds a block; nothing refers to it."""
    threshold, gone = gc.get_threshold(), []
    gc.collect()
    gc.set_threshold(1 << 30)
    try:
        for _ in range(200):
            point = ir.InsertionPoint(ir.Module.parse('"t.a"() : () -> ()\n' * 2000, context).body)
            point.itself, point.watched = point, Watched()
            gone.append(weakref.ref(point.watched))
            del point
    finally:
        gc.set_threshold(*threshold)
    assert sum(it() is None for it in gone) > 50
