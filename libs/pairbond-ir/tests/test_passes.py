"""Passes of Rust and of Python, and what runs them."""

import gc
import sys
import threading
import time
from random import Random

import pairbond
import pairbond_ir as ir
import pytest


def function(body, name="f", types="(i32, i32) -> i32", arguments="%x: i32, %y: i32", visibility=""):
    return f"""
    "func.func"() <{{sym_name = "{name}", function_type = {types}{visibility}}}> ({{
    ^bb0({arguments}):
      {body}
    }}) : () -> ()
    """


def run(context, pipeline, text):
    module = ir.Module.parse(text, context)
    ir.PassManager.parse(pipeline).run(module)
    assert str(ir.Module.parse(str(module), context)) == str(module)
    return module


def lines(module):
    """What is in the first function."""
    function = module.body.operations[0].clone(ip=False)  # names are numbered from 0
    return [line.strip() for line in str(function).splitlines()[2:-1]]


def computed(context, expression, constants="i32"):
    text = function(f'{expression}\n"func.return"(%r) : (i32) -> ()')
    return lines(run(context, "builtin.module(func.func(canonicalize))", text))


FOLDS = [
    ("addi", 3, 4, 7),
    ("addi", 2**31 - 1, 1, -(2**31)),
    ("subi", 3, 5, -2),
    ("muli", -3, 5, -15),
    ("muli", 2**30, 4, 0),
    ("andi", 12, 10, 8),
    ("ori", 12, 10, 14),
    ("xori", 12, 10, 6),
    ("shli", 1, 31, -(2**31)),
    ("shrsi", -8, 1, -4),
    ("shrui", -8, 1, 2147483644),
]


@pytest.mark.parametrize(("name", "a", "b", "result"), FOLDS)
def test_constants_are_folded(context, name, a, b, result):
    found = computed(
        context,
        f"""
        %a = "arith.constant"() <{{value = {a} : i32}}> : () -> i32
        %b = "arith.constant"() <{{value = {b} : i32}}> : () -> i32
        %r = "arith.{name}"(%a, %b) : (i32, i32) -> i32
        """,
    )
    assert len(found) == 2
    assert found[0].endswith(f'"arith.constant"() <{{value = {result} : i32}}> : () -> i32')


def test_what_nobody_verified_is_not_folded(context):
    found = computed(
        context,
        """
        %a = "arith.constant"() <{value = 1 : i64}> : () -> i64
        %b = "arith.addi"(%a, %a) : (i64, i64) -> i8
        %c = "arith.constant"() <{value = 1 : i64}> : () -> i32
        %d = "arith.addi"(%c, %c) : (i32, i32) -> i32
        %e = "arith.cmpi"(%a, %a) <{predicate = 0 : i64}> : (i64, i64) -> i32
        %r = "my.use"(%b, %d, %e) : (i8, i32, i32) -> i32
        """,
    )
    assert len(found) == 7
    assert [line.split('"')[1] for line in found].count("arith.addi") == 2


def test_a_shift_by_the_width_has_no_value(context):
    found = computed(
        context,
        """
        %a = "arith.constant"() <{value = 1 : i32}> : () -> i32
        %b = "arith.constant"() <{value = 32 : i32}> : () -> i32
        %r = "arith.shli"(%a, %b) : (i32, i32) -> i32
        """,
    )
    assert len(found) == 4


@pytest.mark.parametrize("predicate", range(10))
@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 2), (2, 1), (-1, 1), (1, -1)])
def test_comparisons_are_folded(context, predicate, a, b):
    u, v = a % 2**32, b % 2**32
    answers = [a == b, a != b, a < b, a <= b, a > b, a >= b, u < v, u <= v, u > v, u >= v]
    found = computed(
        context,
        f"""
        %a = "arith.constant"() <{{value = {a} : i32}}> : () -> i32
        %b = "arith.constant"() <{{value = {b} : i32}}> : () -> i32
        %c = "arith.cmpi"(%a, %b) <{{predicate = {predicate} : i64}}> : (i32, i32) -> i1
        %r = "arith.select"(%c, %x, %y) : (i1, i32, i32) -> i32
        """,
    )
    chosen = "%arg0" if answers[predicate] else "%arg1"
    assert found == [f'"func.return"({chosen}) : (i32) -> ()']


CONSTANT = '"arith.constant"() <{{value = {} : i32}}> : () -> i32'


@pytest.mark.parametrize(
    ("name", "c", "result"),
    [
        ("addi", 0, "x"),
        ("subi", 0, "x"),
        ("ori", 0, "x"),
        ("xori", 0, "x"),
        ("shli", 0, "x"),
        ("shrsi", 0, "x"),
        ("shrui", 0, "x"),
        ("muli", 1, "x"),
        ("muli", 0, 0),
        ("andi", 0, 0),
        ("andi", -1, "x"),
        ("ori", -1, -1),
        ("addi", 1, None),
        ("subi", 1, None),
    ],
)
def test_identities(context, name, c, result):
    found = computed(
        context,
        f"""
        %c = {CONSTANT.format(c)}
        %r = "arith.{name}"(%x, %c) : (i32, i32) -> i32
        """,
    )
    match result:
        case "x":
            assert found == ['"func.return"(%arg0) : (i32) -> ()']
        case None:
            assert len(found) == 3
        case _:
            assert found[0].endswith(CONSTANT.format(result))
            assert len(found) == 2


@pytest.mark.parametrize(("name", "result"), [("subi", 0), ("xori", 0), ("andi", "x"), ("ori", "x"), ("addi", None)])
def test_a_value_with_itself(context, name, result):
    found = computed(context, f'%r = "arith.{name}"(%x, %x) : (i32, i32) -> i32')
    if result == "x":
        assert found == ['"func.return"(%arg0) : (i32) -> ()']
    elif result is None:
        assert found[0] == '%0 = "arith.addi"(%arg0, %arg0) : (i32, i32) -> i32'
    else:
        assert found[0].endswith(CONSTANT.format(result))


def test_constants_go_right_are_added_and_stand_once_at_the_top(context):
    found = computed(
        context,
        f"""
        %a = {CONSTANT.format(1)}
        %p = "arith.addi"(%a, %x) : (i32, i32) -> i32
        %b = {CONSTANT.format(2)}
        %q = "arith.addi"(%p, %b) : (i32, i32) -> i32
        %c = {CONSTANT.format(3)}
        %s = "my.use"(%c) : (i32) -> i32
        %r = "my.both"(%q, %s) : (i32, i32) -> i32
        """,
    )
    assert found == [
        f"%0 = {CONSTANT.format(3)}",
        '%1 = "arith.addi"(%arg0, %0) : (i32, i32) -> i32',
        '%2 = "my.use"(%0) : (i32) -> i32',
        '%3 = "my.both"(%1, %2) : (i32, i32) -> i32',
        '"func.return"(%3) : (i32) -> ()',
    ]


def test_sums_that_must_not_overflow_are_not_added(context):
    flags = "<{overflowFlags = #arith.overflow<nsw>}>"
    found = computed(
        context,
        f"""
        %a = {CONSTANT.format(1)}
        %p = "arith.addi"(%x, %a) {flags} : (i32, i32) -> i32
        %r = "arith.addi"(%p, %a) : (i32, i32) -> i32
        """,
    )
    assert len(found) == 4


def test_dead_code_goes_and_nothing_else(context):
    text = function(
        """
        %a = "arith.addi"(%x, %y) : (i32, i32) -> i32
        %b = "arith.muli"(%a, %y) : (i32, i32) -> i32
        %c = "my.effect"(%x) : (i32) -> i32
        %k = "arith.constant"() <{value = true}> : () -> i1
        %d = "scf.if"(%k) ({ "scf.yield"(%a) : (i32) -> () }, { "scf.yield"(%x) : (i32) -> () }) : (i1) -> i32
        "scf.if"(%k) ({ "my.effect"() : () -> () \n "scf.yield"() : () -> () }, {}) : (i1) -> ()
        "func.return"(%x) : (i32) -> ()
        """
    )
    for pipeline in ("builtin.module(dce)", "builtin.module(func.func(dce))", "any(any(dce))"):
        block = run(context, pipeline, text).body.operations[0].regions[0].blocks[0]
        assert [op.name for op in block] == ["my.effect", "arith.constant", "scf.if", "func.return"]


def test_cse_sees_what_dominates(context):
    text = function(
        """
        %a = "arith.addi"(%x, %y) : (i32, i32) -> i32
        %b = "arith.addi"(%x, %y) : (i32, i32) -> i32
        %k = "arith.cmpi"(%a, %b) <{predicate = 1 : i64}> : (i32, i32) -> i1
        "scf.if"(%k) ({
          %c = "arith.addi"(%x, %y) : (i32, i32) -> i32
          %d = "arith.muli"(%x, %y) : (i32, i32) -> i32
          "my.use"(%c, %d) : (i32, i32) -> ()
          "scf.yield"() : () -> ()
        }, {
          %e = "arith.muli"(%x, %y) : (i32, i32) -> i32
          "my.use"(%e) : (i32) -> ()
          "scf.yield"() : () -> ()
        }) : (i1) -> ()
        "my.region"() ({
          %o = "arith.addi"(%x, %y) : (i32, i32) -> i32
          "my.use"(%o) : (i32) -> ()
        }) : () -> ()
        %m = "my.effect"(%x) : (i32) -> i32
        %n = "my.effect"(%x) : (i32) -> i32
        "func.return"(%b) : (i32) -> ()
        """
    )
    module = run(context, "builtin.module(cse)", text)
    all_names = []
    module.walk(lambda op: all_names.append(op.name))
    assert all_names.count("arith.addi") == 2
    assert all_names.count("arith.muli") == 2
    assert all_names.count("my.effect") == 2
    block = module.body.operations[0].regions[0].blocks[0]
    add, compare, branch = list(block)[:3]
    assert list(compare.operands) == [add.result, add.result]
    assert branch.regions[0].blocks[0].operations[1].operands[0] is add.result
    assert block.terminator.operands[0] is add.result


def test_cse_knows_in_all_blocks_what_the_first_computes(context):
    text = function(
        """
        %a = "arith.addi"(%x, %y) : (i32, i32) -> i32
        "my.br"(%a)[^one, ^two] : (i32) -> ()
      ^one:
        %b = "arith.addi"(%x, %y) : (i32, i32) -> i32
        %c = "arith.muli"(%x, %y) : (i32, i32) -> i32
        "my.end"(%b, %c) : (i32, i32) -> ()
      ^two:
        %d = "arith.muli"(%x, %y) : (i32, i32) -> i32
        "my.end"(%d) : (i32) -> ()
        """
    )
    blocks = run(context, "any(any(cse))", text).body.operations[0].regions[0].blocks
    assert [[op.name for op in block] for block in blocks] == [
        ["arith.addi", "my.br"],
        ["arith.muli", "my.end"],
        ["arith.muli", "my.end"],
    ]
    assert blocks[1].terminator.operands[0] is blocks[0].operations[0].result


def test_cse_follows_the_tree_of_dominators(context):
    """^left and ^right see ^top, a loop sees what comes before it, and what stands behind both sees neither of them."""
    add, mul = '"arith.addi"(%x, %y) : (i32, i32) -> i32', '"arith.muli"(%x, %y) : (i32, i32) -> i32'
    text = function(
        f"""
        "my.br"()[^behind, ^top] : () -> ()
      ^behind:
        %m = {mul}
        %n = {add}
        "my.br"(%m, %n)[^behind] : (i32, i32) -> ()
      ^left:
        %a = {add}
        %b = {mul}
        "my.br"(%a, %b)[^behind, ^loop] : (i32, i32) -> ()
      ^top:
        %t = {add}
        "my.br"(%t)[^left, ^right] : (i32) -> ()
      ^right:
        %c = {add}
        %d = {mul}
        "my.br"(%c, %d)[^behind] : (i32, i32) -> ()
      ^loop:
        %e = {add}
        %f = {mul}
        "my.br"(%e, %f)[^loop, ^behind] : (i32, i32) -> ()
      ^nowhere:
        %g = {add}
        "my.br"(%g)[^top] : (i32) -> ()
        """
    )
    module = run(context, "any(any(cse))", text)
    module.verify()
    entry, behind, left, top, right, loop, nowhere = module.body.operations[0].regions[0].blocks
    counts = [len(list(block)) for block in (entry, behind, left, top, right, loop, nowhere)]
    assert counts == [1, 3, 2, 2, 2, 1, 2]
    add, mul = top.operations[0].result, left.operations[0].result
    assert list(left.terminator.operands) == list(loop.terminator.operands) == [add, mul]
    assert list(right.terminator.operands) == [add, right.operations[0].result]
    assert nowhere.terminator.operands[0] is nowhere.operations[0].result


def test_options_stand_in_braces(context):
    text = "any( canonicalize{max-iterations=1  max-rewrites=9} , cse{},f(canonicalize{ max-iterations=2 }) )"
    manager = ir.PassManager.parse(text)
    assert str(manager) == "any(canonicalize{max-iterations=1 max-rewrites=9},cse,f(canonicalize{max-iterations=2}))"
    assert str(ir.PassManager.parse(str(manager))) == str(manager)
    for wrong, what in [
        ("canonicalize{max-iterations}", "max-iterations and max-rewrites.*not 'max-iterations'"),
        ("canonicalize{max-iterations=0}", "positive numbers, not 'max-iterations=0'"),
        ("canonicalize{top-down=true}", "not 'top-down=true'"),
        ("cse{x=1}", "'cse' has no options"),
        ("canonicalize{max-iterations=1", "do not fit together"),
        ("canonicalize{max-iterations=1}cse", "do not fit together"),
        ("f{max-iterations=1}(cse)", "do not fit together"),
    ]:
        with pytest.raises(ir.IRError, match=what):
            ir.PassManager.parse(f"any({wrong})")
    # One look at everything is not enough to see that nothing is left to do, where patterns look around operations.
    sums = f"""
        %one = {CONSTANT.format(1)}
        %a = "arith.addi"(%x, %one) : (i32, i32) -> i32
        %b = "arith.addi"(%a, %one) : (i32, i32) -> i32
        "func.return"(%b) : (i32) -> ()"""
    module = ir.Module.parse(function(sums), context)
    with pytest.raises(ir.IRError):
        ir.PassManager.parse("any(any(canonicalize{max-iterations=1}))").run(module)
    ir.PassManager.parse("any(any(canonicalize{max-iterations=3}))").run(module)


PRIVATE = ', sym_visibility = "private"'


def call(name):
    return f'%r = "func.call"(%x, %y) <{{callee = @{name}}}> : (i32, i32) -> i32\n"func.return"(%r) : (i32) -> ()'


def test_symbols_that_nobody_refers_to_go(context):
    end = '"func.return"(%x) : (i32) -> ()'
    text = (
        function(call("b"), "a")
        + function(call("c"), "b", visibility=PRIVATE)
        + function(end, "c", visibility=PRIVATE)
        + function(call("e"), "d", visibility=PRIVATE)
        + function(call("d"), "e", visibility=PRIVATE)
        + function(end, "g", visibility=PRIVATE)
        + '"my.refers"() {to = [{it = @g::@x}, @x::@a]} : () -> ()'
    )
    module = ir.Module.parse(text, context)
    handles = list(module.body)
    ir.PassManager.parse("builtin.module(symbol-dce)").run(module)
    assert [str(op.attributes.get("sym_name")) for op in module.body] == ['"a"', '"b"', '"c"', '"g"', "None"]
    with pytest.raises(pairbond.InvalidatedError, match="symbol-dce"):
        handles[3].regions


def test_calls_are_inlined(context):
    text = (
        function(call("b"), "a")
        + function('%s = "arith.subi"(%y, %x) : (i32, i32) -> i32\n' + call("c").replace("%x, %y", "%s, %x"), "b")
        + function('%m = "arith.muli"(%x, %y) : (i32, i32) -> i32\n"func.return"(%m) : (i32) -> ()', "c")
        + function(call("loop"), "loop")
        + function(call("loop"), "calls_loop")
        + function(call("missing"), "calls_missing")
        + function(call("pong"), "ping")
        + function(call("ping"), "pong")
    )
    module = run(context, "builtin.module(inline)", text)
    assert lines(module) == [
        '%0 = "arith.subi"(%arg1, %arg0) : (i32, i32) -> i32',
        '%1 = "arith.muli"(%0, %arg0) : (i32, i32) -> i32',
        '"func.return"(%1) : (i32) -> ()',
    ]
    bodies = [[op.name for op in it.regions[0].blocks[0]] for it in module.body]
    assert bodies[3:] == [["func.call", "func.return"]] * 5
    callees = [op.regions[0].blocks[0].operations[0].attributes["callee"].value for op in list(module.body)[3:]]
    assert callees == ["loop", "loop", "missing", "pong", "ping"]


def test_what_does_not_fit_is_not_inlined(context):
    text = function(call("b"), "a") + function('"func.return"() : () -> ()', "b")
    assert lines(run(context, "any(inline)", text))[0].startswith('%0 = "func.call"')


def test_what_a_pass_erased_names_it(context):
    text = function('%a = "arith.addi"(%x, %y) : (i32, i32) -> i32\n"func.return"(%x) : (i32) -> ()')
    for name in ("canonicalize", "cse", "dce"):
        module = ir.Module.parse(text, context)
        add = module.body.operations[0].regions[0].blocks[0].operations[0]
        result = add.result
        ir.PassManager.parse(f"any(func.func({name}))").run(module)
        for handle in (add, result):
            with pytest.raises(pairbond.InvalidatedError, match=f"by {name}"):
                handle.context


def test_pipelines_as_text():
    text = "builtin.module(func.func(canonicalize,any(cse)),symbol-dce,inline,dce)"
    assert str(ir.PassManager.parse(text)) == text
    assert str(ir.PassManager.parse(" any( cse , f( ) ) ")) == "any(cse,f())"
    manager = ir.PassManager("builtin.module")
    manager.nest("func.func").add("cse,canonicalize")
    manager.add(lambda op: None)
    manager.add(test_pipelines_as_text)
    assert str(manager) == "builtin.module(func.func(cse,canonicalize),<lambda>,test_pipelines_as_text)"
    for wrong in ("cse", "any(cse", "any(cse))", "any((cse))", "any(nothing)", "", "any(a(cse)", "any(cse))("):
        with pytest.raises(ir.IRError):
            ir.PassManager.parse(wrong)
    with pytest.raises(TypeError, match="a pipeline is a str, not type"):
        ir.PassManager.parse(str)
    with pytest.raises(ir.IRError, match="'nothing' does not refer to a registered pass"):
        manager.add("cse,nothing")
    assert str(manager).count("cse") == 1


def test_a_manager_is_for_operations_of_its_name(context):
    module = ir.Module.parse(function('"func.return"(%x) : (i32) -> ()'), context)
    with pytest.raises(ir.IRError, match=r"can't run 'func\.func' pass manager on 'builtin\.module' op"):
        ir.PassManager("func.func").run(module)


class Renames:
    def __init__(self, seen):
        self.seen = seen

    def run(self, op):
        self.seen.append(op.attributes["sym_name"].value)


class Erases(ir.Pass):
    def run(self, operation):
        operation.regions[0].blocks[0].operations[0].erase()


def test_passes_of_python(context):
    text = "".join(function('"my.op"() : () -> ()\n"func.return"(%x) : (i32) -> ()', name) for name in "abc")
    module = ir.Module.parse(text, context)
    seen = []
    manager = ir.PassManager("builtin.module")
    nested = manager.nest("func.func")
    nested.add(Renames(seen))
    nested.add("cse")
    nested.add(Erases)
    manager.add(lambda op: seen.append(op))
    handle = module.body.operations[1].regions[0].blocks[0].operations[0]
    manager.run(module)
    assert seen == ["a", "b", "c", module]
    with pytest.raises(pairbond.InvalidatedError, match="by Erases"):
        handle.name
    lone = ir.PassManager()
    lone.add(ir.Pass(name="nothing"))
    with pytest.raises(TypeError, match="neither a function nor a method run"):
        lone.run(module)


def test_an_exception_of_a_pass_comes_out_as_it_is(context):
    text = "".join(function('"my.op"() : () -> ()\n"func.return"(%x) : (i32) -> ()', name) for name in "abc")
    module = ir.Module.parse(text, context)
    boom = KeyError("boom")

    def fails(op):
        op.regions[0].blocks[0].operations[0].erase()
        if op.attributes["sym_name"].value == "b":
            raise boom

    manager = ir.PassManager("builtin.module")
    manager.nest("func.func").add(fails)
    with pytest.raises(KeyError) as caught:
        manager.run(module)
    assert caught.value is boom
    assert [len(op.regions[0].blocks[0].operations) for op in module.body] == [1, 1, 2]
    assert str(ir.Module.parse(str(module), context)) == str(module)
    del caught
    boom.__traceback__ = None


def test_a_pass_may_erase_what_it_runs_on(context):
    text = "".join(function('"func.return"(%x) : (i32) -> ()', name) for name in "abc")
    module = ir.Module.parse(text, context)
    first = module.body.operations[0]
    manager = ir.PassManager("builtin.module")
    nested = manager.nest("func.func")
    nested.add(lambda op: op.next.erase() if op is first else None)
    manager.run(module)
    assert len(module.body.operations) == 2
    nested.add(lambda op: op.erase())
    nested.add("cse")
    with pytest.raises(pairbond.InvalidatedError, match="<lambda>"):
        manager.run(module)


def big(functions, size):
    body = "".join(
        f"""
        %c{i} = {CONSTANT.format(i)}
        %a{i} = "arith.addi"(%v{i}, %c{i}) : (i32, i32) -> i32
        %b{i} = "arith.addi"(%v{i}, %c{i}) : (i32, i32) -> i32
        %v{i + 1} = "arith.muli"(%a{i}, %b{i}) : (i32, i32) -> i32
        """
        for i in range(size)
    )
    body = f'%v0 = "arith.ori"(%x, %x) : (i32, i32) -> i32\n{body}\n"func.return"(%v{size}) : (i32) -> ()'
    return "".join(function(body, f"f{i}") for i in range(functions))


def test_folding_and_dead_code_settle_in_one_iteration(context):
    """A second one would look at all again; it is needed where a pattern looks at what surrounds an operation."""
    text = function(f"""
        %zero = {CONSTANT.format(0)}
        %a = "arith.addi"(%x, %zero) : (i32, i32) -> i32
        %dead = "arith.muli"(%a, %a) : (i32, i32) -> i32
        %b = "arith.muli"(%a, %x) : (i32, i32) -> i32
        "func.return"(%b) : (i32) -> ()""")
    found = lines(run(context, "builtin.module(func.func(canonicalize{max-iterations=1}))", text))
    assert [line.split('"')[1] for line in found] == ["arith.muli", "func.return"]
    sums = function(f"""
        %one = {CONSTANT.format(1)}
        %a = "arith.addi"(%x, %one) : (i32, i32) -> i32
        %b = "arith.addi"(%a, %one) : (i32, i32) -> i32
        "func.return"(%b) : (i32) -> ()""")
    with pytest.raises(ir.IRError, match="in 1 iterations"):
        run(context, "builtin.module(func.func(canonicalize{max-iterations=1}))", sums)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_canonical_stays_so(context, seed):
    random = Random(seed)
    values, body = ["%x", "%y"], []
    for number in range(random.choice([5, 30, 100])):
        name = random.choice(["addi", "muli", "subi", "andi", "xori", "maxsi", "select", "constant", "if"])
        first, second = random.choices(values[-12:], k=2)
        if name == "constant":
            body.append(f"%{number} = {CONSTANT.format(random.choice([0, 0, 1, 2]))}")
        elif name == "select":
            body.append(f'%p{number} = "arith.cmpi"({first}, {second}) <{{predicate = 0 : i64}}> : (i32, i32) -> i1')
            body.append(f'%{number} = "arith.select"(%p{number}, {first}, %y) : (i1, i32, i32) -> i32')
        elif name == "if":
            body.append(f'%p{number} = "arith.cmpi"({first}, %x) <{{predicate = 0 : i64}}> : (i32, i32) -> i1')
            body.append(f'%{number} = "scf.if"(%p{number}) ({{ "scf.yield"({first}) : (i32) -> () }}, {{')
            body.append(f'  %z{number} = "arith.addi"({second}, %y) : (i32, i32) -> i32')
            body.append(f'  "scf.yield"(%z{number}) : (i32) -> () }}) : (i1) -> i32')
        else:
            body.append(f'%{number} = "arith.{name}"({first}, {second}) : (i32, i32) -> i32')
        values.append(f"%{number}")
    body.append(f'"func.return"({values[-1]}) : (i32) -> ()')
    once = run(context, "builtin.module(func.func(canonicalize))", function("\n".join(body)))
    assert once.verify()
    assert str(run(context, "builtin.module(func.func(canonicalize))", str(once))) == str(once)


def test_threads_compute_what_one_does(context):
    text = big(12, 10)
    together = run(context, "builtin.module(func.func(canonicalize,cse))", text)
    alone = ir.Module.parse(text, context)
    manager = ir.PassManager.parse("func.func(canonicalize,cse)")
    for op in alone.body:
        manager.run(op)
    assert str(together) == str(alone)
    assert together.structural_equal(alone)
    adds = []
    together.walk(lambda op: adds.append(op) if op.name == "arith.addi" else None)
    assert len(adds) == 12 * 9


def test_a_context_may_have_passes_run_on_one_thread(context):
    text = big(12, 60)
    expected = str(run(context, "builtin.module(func.func(canonicalize,cse))", text))
    assert context.get_num_threads() >= 1
    context.enable_multithreading(False)
    assert context.get_num_threads() == 1
    module = ir.Module.parse(text, context)
    manager = ir.PassManager.parse("builtin.module(func.func(canonicalize,cse))")
    gc.collect()
    everywhere, here = time.process_time(), time.thread_time()
    manager.run(module.operation)
    everywhere, here = time.process_time() - everywhere, time.thread_time() - here
    assert everywhere - here < everywhere / 5 + 0.001, "another thread worked"
    assert str(module) == expected
    context.enable_multithreading(True)
    assert context.get_num_threads() >= 1


def test_a_manager_is_never_within_itself():
    outer = ir.PassManager("builtin.module")
    with pytest.raises(ir.IRError, match="never in itself"):
        outer._add_manager(outer)
    inner = outer.nest("func.func")
    with pytest.raises(ir.IRError, match="before it has passes"):
        inner._add_manager(outer)
    assert str(outer) == "builtin.module(func.func())"


def test_other_python_threads_run_meanwhile(context):
    module = ir.Module.parse(big(4, 60), context)
    manager = ir.PassManager.parse("builtin.module(func.func(canonicalize,cse))")
    state, ticks = [], []

    def work():
        end = time.monotonic() + 30
        state.append("begun")
        # As often as it takes for the other thread to wake up meanwhile.
        while not ticks and time.monotonic() < end:
            manager.run(module)
        state.append("done")

    interval = sys.getswitchinterval()
    # From now on a thread goes on until it lets go by itself.
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while "done" not in state:
            if state == ["begun"]:
                ticks.append(True)
            time.sleep(0.0005)
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    assert ticks


def test_readers_and_passes_at_the_same_time(context):
    module = ir.Module.parse(big(6, 20), context)
    manager = ir.PassManager.parse("builtin.module(func.func(canonicalize,cse,dce))")
    done, wrong = threading.Event(), []

    def read():
        while not done.is_set():
            for function in module.body:
                for op in function.regions[0].blocks[0]:
                    try:
                        assert op.name.startswith(("arith.", "func."))
                        list(op.operands)
                    except pairbond.InvalidatedError:
                        pass
                    except Exception as error:
                        wrong.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        manager.run(module)
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert not wrong
    assert str(ir.Module.parse(str(module), context)) == str(module)
