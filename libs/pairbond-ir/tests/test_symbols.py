"""What symbol references refer to, with nested symbol tables: inlining, renaming, removing."""

import random

import pairbond_ir as ir
import pytest


def function(name, value, visibility="public", calls=()):
    inner = "".join(f'%c{n} = "func.call"() {{callee = @{it}}} : () -> i32 ' for n, it in enumerate(calls))
    return (
        f'"func.func"() ({{ {inner}%r = "arith.constant"() {{value = {value} : i32}} : () -> i32 '
        f'"func.return"(%r) : (i32) -> () }}) '
        f'{{function_type = () -> i32, sym_name = "{name}", sym_visibility = "{visibility}"}} : () -> () '
    )


def table(inner, name=None, visibility=None):
    said = [f'{key} = "{value}"' for key, value in (("sym_name", name), ("sym_visibility", visibility)) if value]
    return f'"builtin.module"() ({{ {inner} }}) {{{", ".join(said)}}} : () -> () '


def run(pipeline, text, context):
    module = ir.Module.parse(text, context)
    assert module.verify()
    ir.PassManager.parse(f"builtin.module({pipeline})", context).run(module)
    assert module.verify()
    return module


def symbols(op):
    """The names of all symbols in an operation, as nested lists."""
    found = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                if "sym_name" in inner.attributes:
                    name, below = inner.attributes["sym_name"].value, symbols(inner)
                    found.append([name, below] if below else name)
                elif inner.name == "builtin.module":
                    found.append(symbols(inner))
    return found


def constants(op):
    found = []
    op.walk(
        lambda it: (
            found.append(it.attributes["value"].value) or ir.WalkResult.ADVANCE
            if it.name == "arith.constant"
            else ir.WalkResult.ADVANCE
        )
    )
    return found


def named(op, *path):
    for name in path:
        op = ir.SymbolTable(op)[name]
    return op


def test_a_call_in_a_nested_module_is_of_its_own_function(context):
    text = (
        function("f", 1)
        + table(function("f", 2) + function("g", 0, calls=["f"]), "inner")
        + function("h", 0, calls=["f"])
    )
    module = run("inline", text, context)
    assert constants(named(module.operation, "inner", "g")) == [2, 0]
    assert constants(named(module.operation, "h")) == [1, 0]


def test_functions_of_one_name_that_call_each_other_are_not_taken_for_recursive(context):
    text = (
        function("f", 1)
        + table(function("f", 2, calls=["k"]) + function("k", 3), "inner")
        + function("k", 4, calls=["f"])
    )
    module = run("inline", text, context)
    assert constants(named(module.operation, "inner", "f")) == [3, 2]
    assert constants(named(module.operation, "k")) == [1, 4]


def test_a_call_that_may_be_of_a_function_in_an_unknown_operation_stays(context):
    holder = f'"my.table"() ({{ {function("f", 2)} {function("g", 0, calls=["f"])} }}) : () -> () '
    module = ir.Module.parse(function("f", 1) + holder, context)
    ir.PassManager.parse("builtin.module(inline)", context).run(module)
    assert str(module).count("func.call") == 1
    # Where the unknown operation has no such symbol, there is only one that the name can mean.
    outer = '"my.holder"() ({ %0 = "func.call"() {callee = @f} : () -> i32 }) : () -> () '
    module = ir.Module.parse(function("f", 1) + outer, context)
    ir.PassManager.parse("builtin.module(inline)", context).run(module)
    assert str(module).count("func.call") == 0


def test_renaming_leaves_the_names_of_nested_tables(context):
    uses = '"my.use"() {a = @f, b = [@f::@x, @g::@f], c = {d = @f}, t = tensor<2xi32, @f>} : () -> () '
    module = ir.Module.parse(function("f", 1) + uses + table(function("f", 2) + uses, "inner") + table(uses), context)
    ir.SymbolTable.replace_all_symbol_uses("f", "new", module.operation)
    outer = module.body.operations[1]
    assert str(outer.attributes["a"]) == "@new"
    assert str(outer.attributes["b"]) == "[@new::@x, @g::@f]"
    assert str(outer.attributes["c"]) == "{d = @new}"
    assert str(outer.attributes["t"]) == "tensor<2xi32, @new>"
    for inner in (named(module.operation, "inner"), module.body.operations[3]):
        use = list(inner.regions[0].blocks[0].operations)[-1]
        assert [str(use.attributes[it]) for it in "ac"] == ["@f", "{d = @f}"]
    # From the nested table on, it is the other way round.
    ir.SymbolTable.replace_all_symbol_uses("f", "other", named(module.operation, "inner"))
    assert str(list(named(module.operation, "inner").regions[0].blocks[0].operations)[-1].attributes["a"]) == "@other"
    assert str(outer.attributes["a"]) == "@new"


def test_symbol_dce_looks_up_names_where_they_stand(context):
    text = (
        function("f", 1, "private")
        + function("g", 1, "private")
        + table(function("f", 2, "private") + function("k", 0, calls=["f"]), "inner")
    )
    module = run("symbol-dce", text, context)
    # The call in `inner` is of its own @f; nothing refers to the outer one.
    assert symbols(module.operation) == [["inner", ["f", "k"]]]


def test_symbol_dce_follows_paths_and_types(context):
    text = (
        table(function("f", 1, "private") + function("g", 1, "private"), "a", "private")
        + table(function("f", 1, "private"), "b", "private")
        + function("h", 1, "private")
        + '"my.use"() {callee = @a::@f} : () -> () '
        + '"my.use"() {t = tensor<2xi32, @h>} : () -> () '
    )
    module = run("symbol-dce", text, context)
    assert symbols(module.operation) == [["a", ["f"]], "h"]


def test_symbol_dce_keeps_what_is_seen_from_outside(context):
    text = table(function("n", 1, "nested") + function("p", 1, "private"), "inner") + function("n", 1, "nested")
    module = ir.Module.parse(text, context)
    ir.PassManager.parse("builtin.module(builtin.module(symbol-dce))", context).run(module)
    assert symbols(module.operation) == [["inner", ["n"]], "n"]  # the pass ran on `inner`, which is public
    ir.PassManager.parse("builtin.module(symbol-dce)", context).run(module)
    assert symbols(module.operation) == ["inner"]  # nothing stands around the module


def test_symbol_dce_keeps_what_an_unknown_operation_may_refer_to(context):
    holder = f'"my.table"() ({{ {function("f", 2, "private")} "my.use"() {{a = @f}} : () -> () }}) : () -> () '
    module = ir.Module.parse(function("f", 1, "private") + holder, context)
    ir.PassManager.parse("builtin.module(symbol-dce)", context).run(module)
    assert str(module).count("sym_name") == 2


@pytest.mark.parametrize("seed", range(30))
def test_random_tables_against_a_model(context, seed):
    """Nested tables that use few names, each function with a number of its own: the scopes decide what is inlined."""
    rng = random.Random(seed)
    numbers = iter(range(1, 1000))

    def make(depth):
        names = rng.sample("fghk", rng.randrange(2, 5))
        mine = {name: next(numbers) for name in names}
        text, expected = "", []
        for at, name in enumerate(names):
            # Calls only of those before it, so that nothing is recursive.
            called = rng.sample(names[:at], rng.randrange(at + 1))
            text += function(name, mine[name], calls=called)
            expected.append((mine[name], called))
        flat = {}
        for name, (number, called) in zip(names, expected, strict=False):
            flat[name] = [it for other in called for it in flat[other]] + [number]
        result = [flat[name] for name in names]
        for _ in range(rng.randrange(3) if depth < 3 else 0):
            inner, below = make(depth + 1)
            text += table(inner, rng.choice([None, f"t{next(numbers)}"]))
            result += below
        return text, result

    text, expected = make(0)
    module = run("inline", text, context)
    found = []
    for op in _functions(module.operation):
        found.append(constants(op))
    assert sorted(found) == sorted(expected)


def _functions(op):
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                if inner.name == "func.func":
                    yield inner
                else:
                    yield from _functions(inner)
