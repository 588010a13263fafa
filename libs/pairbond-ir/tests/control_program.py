"""A program of `scf` and `cf` as users of MLIR's bindings write it: it runs with either library, and prints the same.

control_program.py pairbond_ir|jaxlib.mlir
"""

import importlib
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))


def run(package, context=None):
    ir = importlib.import_module("pairbond_ir" if package == "pairbond_ir" else f"{package}.ir")
    arith, cf, func, scf = (
        importlib.import_module(f"{package}.dialects.{it}") for it in ("arith", "cf", "func", "scf")
    )
    with context or ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        i1, i32, index = ir.IntegerType.get_signless(1), ir.IntegerType.get_signless(32), ir.IndexType.get()
        tensor = ir.RankedTensorType.get([4], i32)
        with ir.InsertionPoint(module.body):

            @func.FuncOp.from_py_func(i1, i32, index, tensor)
            def loops(c, x, n, t):
                for _i in scf.for_(10):
                    scf.yield_([])
                for _i, a, _carried in scf.for_(0, n, 2, iter_args=[x]):
                    scf.yield_([arith.xori(a, x)])
                for _i, several, _r2 in scf.for_(n, n, n, [x, c]):
                    scf.yield_([*several])
                one = arith.constant(index, 1)
                loop = scf.ForOp(one, n, one, [_carried])
                with ir.InsertionPoint(loop.body):
                    scf.YieldOp(loop.inner_iter_args)
                assert loop.induction_variable.type == index
                assert len(loop.initArgs) == 1
                assert len(loop.results_) == 1
                assert [str(it.type) for it in (loop.lowerBound, loop.upperBound, loop.step)] == ["index"] * 3
                assert loop.region == loop.regions[0]
                branch = scf.IfOp(c, [i32], has_else=True)
                with ir.InsertionPoint(branch.then_block):
                    scf.yield_([x])
                with ir.InsertionPoint(branch.else_block):
                    scf.YieldOp([loop])
                assert branch.condition == c
                empty = scf.IfOp(c)
                with ir.InsertionPoint(empty.then_block):
                    scf.YieldOp([])
                assert empty.else_block is None
                chosen = scf.index_switch(
                    [i32],
                    n,
                    [1, 5],
                    lambda op, i, case: scf.yield_([arith.constant(i32, int(case))]),
                    lambda op: scf.yield_([x]),
                )
                switch = scf.IndexSwitchOp(
                    [], n, range(2), lambda op, i, case: scf.yield_([]), lambda op: scf.yield_([])
                )
                assert len(switch.case_regions) == len(switch.case_blocks) == 2
                assert list(switch.cases) == [0, 1]
                assert switch.case_block(1) == switch.case_region(1).blocks[0]
                assert switch.default_block == switch.default_region.blocks[0]
                every = scf.ForallOp([0, n], [n, 8], [1, 1], [t])
                assert every.rank == 2
                assert len(every.induction_variables) == 2
                assert len(every.inner_iter_args) == 1
                end = every.terminator()
                assert every.terminator() == end
                assert len(end.block.operations) == 0
                assert next(iter(every.staticLowerBound)) == 0
                assert len(every.dynamicUpperBound) == len(every.outputs) == 1
                again = scf.WhileOp([i32], [x])
                with ir.InsertionPoint(again.before.blocks.append(i32)) as ip:
                    scf.condition(c, [ip.block.arguments[0]])
                with ir.InsertionPoint(again.after.blocks.append(i32)) as ip:
                    scf.yield_(ip.block.arguments)
                whole = scf.ExecuteRegionOp([i32], no_inline=True)
                with ir.InsertionPoint(whole.region.blocks.append()):
                    scf.YieldOp([x])
                whole = scf.execute_region([])
                with ir.InsertionPoint(whole.regions[0].blocks.append()):
                    scf.YieldOp([])
                many = scf.ParallelOp([i32], [n], [n], [one], [x])
                with ir.InsertionPoint(many.region.blocks.append(index)):
                    reduce = scf.reduce([x], 1)
                    with ir.InsertionPoint(reduce.regions[0].blocks.append(i32, i32)) as ip:
                        scf.reduce_return(ip.block.arguments[0])
                return chosen, again.result, many.results_[0]

            jumps = func.FuncOp("jumps", ([i1, i32], []))
            entry = jumps.add_entry_block()
            a, b = entry.create_after(i32), entry.create_after()
            c, x = entry.arguments
            with ir.InsertionPoint(entry):
                cf.assert_(c, "never")  # noqa: PT009 (of cf)
                jump = cf.CondBranchOp(c, [x], [], a, b)
                assert jump.condition == c
                assert len(jump.trueDestOperands) == 1
                assert len(jump.falseDestOperands) == 0
                assert jump.branch_weights is None
                assert list(jump.successors) == [a, b]
            with ir.InsertionPoint(a):
                assert cf.BranchOp([], b).destOperands is not None
            with ir.InsertionPoint(b):
                values = ir.Attribute.parse("dense<[3, 4]> : vector<2xi32>")
                s = cf.SwitchOp(x, [x], [x], [1, 0], a, [a, b], case_values=values)
                assert s.flag == x
                assert len(s.defaultOperands) == len(s.caseOperands) == 1
                assert list(s.case_operand_segments) == [1, 0]
                assert s.case_values == values
            third = b.create_after()
            with ir.InsertionPoint(third):
                cf.cond_br(c, [x], [x], a, a, branch_weights=[1, 2])
            with ir.InsertionPoint(third.create_after()):
                cf.br([x], a)
            with ir.InsertionPoint(third.create_after()):
                cf.switch(x, [], [], [], b, [])
        assert module.operation.verify()
        return module.operation.get_asm(print_generic_op_form=True)


if __name__ == "__main__":
    context = None
    if sys.argv[1] != "pairbond_ir":
        import mlir_peer

        context = mlir_peer.context(True)
    print(run(sys.argv[1], context), end="")
