"""Control flow made simpler: each way to do it, who hears of it, and that programs do what they did."""

import random

import pairbond
import pairbond_ir as ir
import pytest
from generated_flow import function_text

KIND = "(i32, i32, i1) -> i32"


def function(body, arguments="%x: i32, %y: i32, %c: i1"):
    return f'"func.func"() <{{sym_name = "f", function_type = {KIND}}}> ({{\n^bb0({arguments}):\n{body}\n}}) : () -> ()'


def parsed(context, body):
    module = ir.Module.parse(function(body), context)
    assert module.verify()
    return module


def lines(module):
    assert module.verify()
    inner = module.body.operations[0].clone(ip=False)
    return [line.split("//")[0].strip() for line in str(inner).splitlines()[2:-1]]


def canonical(context, body):
    module = parsed(context, body)
    ir.PassManager.parse("builtin.module(canonicalize)").run(module)
    return lines(module)


RETURN = '"func.return"(%x) : (i32) -> ()'


def condition(flag, targets, first=(), second=()):
    values = [f"%{flag}", *first, *second]
    kinds = ", ".join(["i1"] + ["i32"] * (len(values) - 1))
    sizes = f"<{{operandSegmentSizes = array<i32: 1, {len(first)}, {len(second)}>}}>"
    return f'"cf.cond_br"({", ".join(values)})[{targets}] {sizes} : ({kinds}) -> ()'


def constant(value, name="%k"):
    return f'{name} = "arith.constant"() <{{value = {value}}}> : () -> {"i1" if value in ("true", "false") else "i32"}'


SIMPLER = {
    "a block that one branch leads to": (
        f'"cf.br"(%y)[^a] : (i32) -> ()\n^a(%z: i32):\n"my.use"(%z) : (i32) -> ()\n{RETURN}',
        ['"my.use"(%arg1) : (i32) -> ()', '"func.return"(%arg0) : (i32) -> ()'],
    ),
    "what nothing reaches": (
        f'{RETURN}\n^a:\n"cf.br"()[^b] : () -> ()\n^b:\n%r = "my.read"() : () -> i32\n"cf.br"()[^a] : () -> ()',
        ['"func.return"(%arg0) : (i32) -> ()'],
    ),
    "a condition that is true": (
        f'{constant("true")}\n{condition("k", "^a, ^b")}\n^a:\n{RETURN}\n^b:\n"func.return"(%y) : (i32) -> ()',
        ['"func.return"(%arg0) : (i32) -> ()'],
    ),
    "a condition that is false": (
        f'{constant("false")}\n{condition("k", "^a, ^b")}\n^a:\n{RETURN}\n^b:\n"func.return"(%y) : (i32) -> ()',
        ['"func.return"(%arg1) : (i32) -> ()'],
    ),
    "both ways to one block": (
        f'{condition("c", "^a, ^a", ["%x"], ["%y"])}\n^a(%z: i32):\n"func.return"(%z) : (i32) -> ()',
        [
            '%0 = "arith.select"(%arg2, %arg0, %arg1) : (i1, i32, i32) -> i32',
            '"func.return"(%0) : (i32) -> ()',
        ],
    ),
    "an argument that only goes round": (
        f'"cf.br"(%x)[^a] : (i32) -> ()\n^a(%z: i32):\n%s = "arith.addi"(%z, %y) : (i32, i32) -> i32\n'
        f"{condition('c', '^a, ^b', ['%s'])}\n^b:\n{RETURN}",
        [
            '"cf.br"()[^bb1] : () -> ()',
            "^bb1:",
            '"cf.cond_br"(%arg2)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()',
            "^bb2:",
            '"func.return"(%arg0) : (i32) -> ()',
        ],
    ),
    "what is known behind a condition": (
        f'{condition("c", "^a, ^b")}\n^a:\n"my.use"(%c) : (i1) -> ()\n{RETURN}\n^b:\n{RETURN}',
        [
            '%0 = "arith.constant"() <{value = true}> : () -> i1',
            '"cf.cond_br"(%arg2)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()',
            "^bb1:",
            '"my.use"(%0) : (i1) -> ()',
            '"func.return"(%arg0) : (i32) -> ()',
            "^bb2:",
            '"func.return"(%arg0) : (i32) -> ()',
        ],
    ),
    "a switch that is decided": (
        f'{constant("7 : i32")}\n"cf.switch"(%k, %x, %y)[^a, ^b, ^a] <{{case_operand_segments = array<i32: 0, 1>, '
        "case_values = dense<[1, 7]> : tensor<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> "
        ": (i32, i32, i32) -> ()\n"
        f'^a(%z: i32):\n"func.return"(%z) : (i32) -> ()\n^b:\n{RETURN}',
        ['"func.return"(%arg1) : (i32) -> ()'],
    ),
    "an assertion that holds": (
        f'{constant("true")}\n"cf.assert"(%k) <{{msg = "no"}}> : (i1) -> ()\n{RETURN}',
        ['"func.return"(%arg0) : (i32) -> ()'],
    ),
    "branches that nobody knows": (
        f'"my.br"()[^a, ^b] : () -> ()\n^a:\n"my.br"()[^b] : () -> ()\n^b:\n{RETURN}\n^c:\n"my.br"()[^b] : () -> ()',
        [
            '"my.br"()[^bb1, ^bb2] : () -> ()',
            "^bb1:",
            '"my.br"()[^bb2] : () -> ()',
            "^bb2:",
            '"func.return"(%arg0) : (i32) -> ()',
        ],
    ),
    "loops that never end": (
        f'{condition("c", "^a, ^b")}\n^a:\n"cf.br"()[^b] : () -> ()\n^b:\n"cf.br"()[^a] : () -> ()',
        [
            '"cf.cond_br"(%arg2)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()',
            "^bb1:",
            '"cf.br"()[^bb2] : () -> ()',
            "^bb2:",
            '"cf.br"()[^bb1] : () -> ()',
        ],
    ),
}


@pytest.mark.parametrize("what", SIMPLER)
def test_simpler(context, what):
    body, wanted = SIMPLER[what]
    assert canonical(context, body) == wanted


def test_conditions_in_conditions_are_decided_at_once(context):
    """As many as there are, without an iteration of the driver for each."""
    parts = [constant("true")]
    for number in range(40):
        parts.append(f"{condition('k', f'^a{number}, ^b{number}')}\n^b{number}:\n{RETURN}\n^a{number}:")
    assert canonical(context, "\n".join([*parts, RETURN])) == ['"func.return"(%arg0) : (i32) -> ()']


def test_the_driver_simplifies_regions(context):
    body = f'"cf.br"(%x)[^a] : (i32) -> ()\n^a(%z: i32):\n{RETURN}\n^b:\n%r = "my.read"() : () -> i32\n{RETURN}'
    module = parsed(context, body)
    blocks = list(module.body.operations[0].regions[0].blocks)
    gone = blocks[2].operations[0]
    assert ir.apply_patterns(module, [], simplify_regions=False) is False
    heard = []
    assert ir.apply_patterns(module, [], listener=lambda event, op, values=None: heard.append((event, op.name))) is True
    assert lines(module) == ['"cf.br"()[^bb1] : () -> ()', "^bb1:", '"func.return"(%arg0) : (i32) -> ()']
    assert heard == [
        ("erased", "func.return"),
        ("erased", "my.read"),
        ("created", "cf.br"),
        ("inserted", "cf.br"),
        ("replaced", "cf.br"),
        ("erased", "cf.br"),
    ]
    with pytest.raises(pairbond.InvalidatedError):
        gone.context
    assert ir.apply_patterns(module, []) is False


def does(module, values, steps=300):
    """What a function does: it reads and uses values, and returns one, or has done nothing of it for long."""
    block = module.body.operations[0].regions[0].blocks[0]
    known = dict(zip(block.arguments, values, strict=True))
    done: list[object] = []
    for _ in range(steps):
        for op in block.operations:
            given = [known[it] for it in op.operands]
            if op.name == "arith.constant":
                found = op.attributes["value"].value
                known[op.result] = int(found)
            elif op.name == "arith.muli":
                known[op.result] = given[0] * given[1] % 2**32
            elif op.name == "arith.select":
                known[op.result] = given[1] if given[0] else given[2]
            elif op.name == "my.read":
                known[op.result] = len(done) % 3
                done.append("read")
            elif op.name == "my.use":
                done.append(given[0])
            elif op.name == "func.return":
                return [*done, "returns", given[0]]
        way, first = 0, 0
        if op.name == "cf.cond_br":
            sizes = list(op.attributes["operandSegmentSizes"])
            way, first = (0, 1) if given[0] else (1, 1 + sizes[1])
        elif op.name == "cf.switch":
            cases = list(op.attributes["case_values"])
            way = cases.index(given[0]) + 1 if given[0] in cases else 0
            sizes = [list(op.attributes["operandSegmentSizes"])[1], *op.attributes["case_operand_segments"]]
            first = 1 + sum(sizes[:way])
        block = op.successors[way]
        passed = given[first : first + len(block.arguments)]
        known |= dict(zip(block.arguments, passed, strict=True))
    return done


@pytest.mark.parametrize("seed", range(60))
def test_programs_do_what_they_did(context, seed):
    rng = random.Random(seed)
    text = function_text(rng)
    module = ir.Module.parse(text, context)
    ir.PassManager.parse("builtin.module(canonicalize)").run(module)
    assert module.verify(), text
    again = ir.Module.parse(text, context)
    for _ in range(4):
        values = [rng.randrange(3), rng.randrange(3), rng.randrange(2), rng.randrange(2)]
        before, after = does(again, values), does(module, values)
        if "returns" in before or "returns" in after:
            assert before == after, text
        else:
            shorter = min(len(before), len(after))
            assert before[:shorter] == after[:shorter], text
