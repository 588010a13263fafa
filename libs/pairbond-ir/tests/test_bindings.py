"""Names and behaviour of MLIR's bindings; test_peers.py runs the same scripts with both."""

import binding_printing
import binding_scripts
import pairbond_ir as ir
import pytest


@pytest.mark.parametrize("script", binding_scripts.SCRIPTS + binding_printing.SCRIPTS, ids=lambda it: it.__name__)
def test_scripts_run(script):
    assert binding_scripts.printed(ir, script)


def test_casts_give_what_is_there(context):
    with context:
        text = ir.StringAttr.get("x")
        assert ir.StringAttr(ir.Attribute.parse('"x"')) is text
        assert ir.Attribute(text) is text
        tensor = ir.Type.parse("tensor<2xf32>")
        assert ir.ShapedType(tensor) is tensor
        with pytest.raises(ValueError, match=r'Cannot cast attribute to IntegerAttr \(from Attribute\("x"\)\)'):
            ir.IntegerAttr(text)
        with pytest.raises(ValueError, match="Cannot cast type to VectorType"):
            ir.VectorType(tensor)
        for wrong in (lambda: ir.IntegerType(32), lambda: ir.Type(text)):
            with pytest.raises(ValueError, match="Cannot cast"):
                wrong()


def test_predecessors_and_successors(context):
    text = '"a.br"()[^b, ^b] : () -> ()\n^b:\n "a.br"()[^b] : () -> ()\n^c:\n "a.br"()[^b] : () -> ()'
    module = ir.Module.parse(f'"a.a"() ({{ {text} }}) : () -> ()', context)
    first, second, third = module.body.operations[0].regions[0].blocks
    assert (first.successors, third.successors) == ([second, second], [second])
    assert second.predecessors == [first, first, second, third]
    assert first.predecessors == third.predecessors == []


def test_visibility(context):
    module = ir.Module.parse('"my.f"() {sym_name = "f"} : () -> ()', context)
    symbol = module.body.operations[0]
    with pytest.raises(ValueError, match="to have a symbol visibility"):
        ir.SymbolTable.get_visibility(symbol)
    ir.SymbolTable.set_visibility(symbol, "private")
    assert ir.SymbolTable.get_visibility(symbol).value == "private"
    assert symbol.attributes["sym_visibility"].value == "private"
    with pytest.raises(ValueError, match="'public', 'private' or 'nested'"):
        ir.SymbolTable.set_visibility(symbol, "secret")


def test_values_have_locations(context):
    module = ir.Module.parse('%a = "my.a"() : () -> i32 loc("f":1:2)', context)
    value = module.body.operations[0].result
    assert value.location is ir.Location.file("f", 1, 2, context)
    block = ir.Block.create_at_start(ir.Operation.create("a.a", regions=1, loc=value.location).regions[0], [value.type])
    assert str(block.arguments[0].location) == "loc(unknown)"


def test_small_names_of_mlirs(context, tmp_path, capfd):
    path = tmp_path / "module.mlir"
    path.write_text('"my.a"() : () -> i32')
    module = ir.Module.parseFile(str(path), context)
    assert module.body.operations[0].name == "my.a"
    assert context.is_registered_operation("builtin.module")
    assert not context.is_registered_operation("my.a")
    context.load_all_available_dialects()
    value = module.body.operations[0].result
    assert value.maybe_downcast() is value
    d0 = ir.AffineExpr.get_dim(0, context)
    assert d0.maybe_downcast() is d0
    texts = module, value, value.type, ir.Attribute.parse("unit", context), d0, ir.AffineMap.get_identity(1, context)
    for it in texts:
        it.dump()
        assert capfd.readouterr().err == str(it).rstrip() + "\n"
