"""Symbol tables, and operations that are equal by their structure."""

import pairbond
import pairbond_ir as ir
import pytest

TEXT = """
"t.func"() <{sym_name = "f"}> ({ ^bb0(%x: i32): %0 = "t.add"(%x, %x) : (i32, i32) -> i32  "t.br"(%0)[^bb1] : (i32) -> ()
  ^bb1: "t.call"() {callee = @f, all = [@f::@g, {x = @h}]} : () -> () }) : () -> ()
"t.func"() {sym_name = "h"} : () -> ()
"t.other"() : () -> ()
"""


@pytest.fixture
def module(context):
    return ir.Module.parse(TEXT, context)


def test_symbols(module):
    table = ir.SymbolTable(module)
    f, h, other = module.body.operations
    assert (table["f"], table["h"]) == (f, h)
    assert "x" not in table
    with pytest.raises(KeyError, match="'x' not in the symbol table"):
        table["x"]
    assert ir.SymbolTable.get_symbol_name(f).value == "f"
    with pytest.raises(ValueError, match="symbol name"):
        ir.SymbolTable.get_symbol_name(other)
    second = h.clone(ip=False)
    assert table.insert(second).value == "h_0"
    assert table["h_0"] is second
    assert module.body.operations[-1] is second
    assert table.insert(second).value == "h_0"
    ir.SymbolTable.set_symbol_name(f, "k")
    ir.SymbolTable.replace_all_symbol_uses("f", "k", module)
    call = f.regions[0].blocks[1].operations[0]
    assert str(call) == '"t.call"() {all = [@k::@g, {x = @h}], callee = @k} : () -> ()'
    assert str(f).startswith('"t.func"() <{sym_name = "k"}>')
    del table["h_0"]
    assert pairbond.is_erased(second)
    table.erase(h)
    assert "h" not in table
    with pytest.raises(TypeError, match="not a Symbol Table"):
        ir.SymbolTable(other)
    module.erase()
    with pytest.raises(pairbond.InvalidatedError):
        table["f"]


def test_structural_equality(context, module):
    same = ir.Module.parse(TEXT.replace("%0", "%name").replace("^bb1", "^label").replace("%x", "%argument"), context)
    assert module.structural_equal(same)
    assert module.structural_hash() == same.structural_hash()
    assert module != same
    changes = [
        ('"t.add"(%x, %x)', '"t.sub"(%x, %x)'),
        ("[^bb1]", "[^bb0]"),
        ("callee = @f", "callee = @h"),
        ('"t.other"() : () -> ()', '"t.other"() : () -> i32'),
        ('"t.other"() : () -> ()', '"t.other"() ({}) : () -> ()'),
        ('"t.other"() : () -> ()', '"t.other"() : () -> () "t.other"() : () -> ()'),
        ('sym_name = "f"', 'sym_name = "g"'),
    ]
    for old, new in changes:
        assert old in TEXT
        other = ir.Module.parse(TEXT.replace(old, new), context)
        assert not module.structural_equal(other), new
        assert module.structural_hash() != other.structural_hash(), new
    # What is used from outside is the same value, or another.
    add = module.body.operations[0].regions[0].blocks[0].operations[0]
    copy = add.clone(ip=False)
    assert add.structural_equal(copy)
    copy.operands[0] = add.result
    assert not add.structural_equal(copy)
    assert not module.structural_equal(ir.Module.parse(TEXT, ir.Context()))
