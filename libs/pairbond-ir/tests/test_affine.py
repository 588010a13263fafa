"""Affine expressions, maps and sets from Python; test_peers.py compares their texts with those of MLIR."""

import gc

import pairbond_ir as ir
import pytest

KINDS = {
    "get_add": ir.AffineAddExpr,
    "get_mul": ir.AffineMulExpr,
    "get_mod": ir.AffineModExpr,
    "get_floor_div": ir.AffineFloorDivExpr,
    "get_ceil_div": ir.AffineCeilDivExpr,
}


@pytest.fixture
def parts(context):
    """Two dimensions and a symbol."""
    with context:
        yield ir.AffineExpr.get_dim(0), ir.AffineExpr.get_dim(1), ir.AffineExpr.get_symbol(0)


def test_operators(parts):
    d0, d1, s0 = parts
    assert str(d0 + 1) == str(1 + d0) == "d0 + 1"
    assert str(d0 + d1 * 2) == "d0 + d1 * 2"
    assert str(d0 - d1) == "d0 - d1"
    assert str(d0 - 3) == "d0 - 3"
    assert str(3 - d0) == "-d0 + 3"
    assert str(2 * d0 % 3) == "(d0 * 2) mod 3"
    assert str(7 % s0) == "7 mod s0"
    assert d0 + d0 == d0 * 2
    assert d0 - d0 == 0 * d0 == ir.AffineExpr.get_constant(0)
    assert repr(d0 + s0) == "AffineExpr(d0 + s0)"
    with pytest.raises(TypeError):
        d0 + "1"
    with pytest.raises(TypeError, match="one of the two"):
        ir.AffineExpr.get_add(1, 2)


def test_each_kind_has_its_class(parts):
    d0, d1, s0 = parts
    assert (type(d0), d0.position) == (ir.AffineDimExpr, 0)
    assert (type(d1), ir.AffineDimExpr.get(1) == d1) == (ir.AffineDimExpr, True)
    assert (type(s0), ir.AffineSymbolExpr.get(0).position) == (ir.AffineSymbolExpr, 0)
    four = ir.AffineConstantExpr.get(4)
    assert (type(four), four.value) == (ir.AffineConstantExpr, 4)
    for name, kind in KINDS.items():
        made = getattr(ir.AffineExpr, name)(d0 + d1, 5)
        assert (type(made), made.lhs, made.rhs.value) == (kind, d0 + d1, 5)
        assert kind.get(d0 + d1, 5) == made
        assert isinstance(made, ir.AffineBinaryExpr)
        again = kind(made)
        assert (again, type(again)) == (made, kind)
        assert type(ir.AffineBinaryExpr(made)) is ir.AffineBinaryExpr
        with pytest.raises(ValueError, match=rf"Cannot cast affine expression to {kind.__name__} \(from"):
            kind(d0)
    # What is simplified is what it became.
    assert type(ir.AffineAddExpr.get(d0, 0)) is ir.AffineDimExpr
    with pytest.raises(ValueError, match=r"to AffineDimExpr \(from AffineExpr\(4\)\)"):
        ir.AffineDimExpr(four)


def test_equality_and_hash(parts, context):
    d0, d1, _ = parts
    assert {d0 + d1: 1}[d1 * 1 + d0] == 1
    assert d0 != d1
    assert d0 != "d0"
    assert d0 != ir.AffineExpr.get_dim(0, ir.Context())
    assert d0.context is context
    assert ir.AffineMap.get_identity(2) == ir.AffineMap.get(2, 0, [d0, d1])
    assert len({ir.AffineMap.get_identity(2), ir.AffineMap.get(2, 0, [d0, d1])}) == 1


def test_compose_and_shift(parts):
    d0, d1, s0 = parts
    inner = ir.AffineMap.get(1, 1, [d0 * 4, d0 + s0])
    assert str((d0 + d1 + s0).compose(inner)) == "d0 * 4 + d0 + s0 + s0"
    assert str((d0 + d1).shift_dims(2, 3)) == "d3 + d4"
    assert str((d0 + d1).shift_dims(num_dims=2, shift=3, offset=1)) == "d0 + d4"
    assert str((d0 + s0).shift_symbols(1, 2)) == "d0 + s2"


def test_maps(parts):
    d0, d1, s0 = parts
    swap = ir.AffineMap.get_permutation([1, 0])
    assert str(swap) == "(d0, d1) -> (d1, d0)"
    assert repr(ir.AffineMap.get_constant(3)) == "AffineMap(() -> (3))"
    assert str(ir.AffineMap.get_empty()) == "() -> ()"
    assert str(ir.AffineMap.get_minor_identity(3, 2)) == "(d0, d1, d2) -> (d1, d2)"
    made = ir.AffineMap.get(dim_count=2, symbol_count=1, exprs=[d0, d1 + s0, s0])
    assert (made.n_dims, made.n_symbols, made.n_inputs, len(made.results)) == (2, 1, 3, 3)
    assert list(made.results) == [d0, d1 + s0, s0]
    assert [type(it).__name__ for it in made.results[::2]] == ["AffineDimExpr", "AffineSymbolExpr"]
    assert str(made.get_submap([2, 0])) == "(d0, d1)[s0] -> (s0, d0)"
    assert str(made.get_major_submap(1)) == "(d0, d1)[s0] -> (d0)"
    assert str(made.get_minor_submap(2)) == "(d0, d1)[s0] -> (d1 + s0, s0)"
    assert str(made.replace(s0, d0 * 2, 2, 0)) == "(d0, d1) -> (d0, d1 + d0 * 2, d0 * 2)"
    assert (swap.is_permutation, swap.is_projected_permutation) == (True, True)
    projected = ir.AffineMap.get(3, 0, [d1])
    assert (projected.is_permutation, projected.is_projected_permutation) == (False, True)
    for other in (made, ir.AffineMap.get(2, 0, [d0, d0]), ir.AffineMap.get_constant(0)):
        assert not other.is_projected_permutation
    wide = ir.AffineMap.get(1, 3, [ir.AffineExpr.get_symbol(2) + d0])
    also = ir.AffineMap.get(1, 3, [s0])
    compressed = ir.AffineMap.compress_unused_symbols([wide, also])
    assert [str(it) for it in compressed] == ["(d0)[s0, s1] -> (d0 + s1)", "(d0)[s0, s1] -> (s0)"]


def test_maps_are_what_they_say(parts):
    d0, d1, s0 = parts
    for exprs, dims, symbols in (([d1], 1, 0), ([d0 + s0], 1, 0), ([s0 * 2], 5, 0)):
        with pytest.raises(ValueError, match="is no expression of"):
            ir.AffineMap.get(dims, symbols, exprs)
    with pytest.raises(ValueError, match="is no expression of 1 dimensions"):
        ir.AffineMap.get_identity(2).replace(d0, d1, 1, 0)
    for permutation in ([0, 0], [0, 2]):
        with pytest.raises(RuntimeError, match="Invalid permutation"):
            ir.AffineMap.get_permutation(permutation)
    swap = ir.AffineMap.get_permutation([1, 0])
    for wrong in (lambda: swap.get_submap([2]), lambda: swap.get_submap([-1])):
        with pytest.raises(ValueError, match="result position out of bounds"):
            wrong()
    for wrong in (lambda: swap.get_major_submap(2), lambda: swap.get_minor_submap(-1)):
        with pytest.raises(ValueError, match="number of results out of bounds"):
            wrong()
    with pytest.raises(ValueError, match="same number"):
        ir.AffineMap.compress_unused_symbols([swap, ir.AffineMap.get_identity(1)])
    with pytest.raises(ir.IRError, match="another context"):
        ir.AffineMap.get(1, 0, [ir.AffineExpr.get_dim(0, ir.Context()), d0], d0.context)
    with pytest.raises(ir.IRError, match="another context"):
        d0 + ir.AffineExpr.get_dim(0, ir.Context())


def test_sets(parts):
    d0, d1, s0 = parts
    made = ir.IntegerSet.get(2, 1, [d0 - d1, s0 - 10], [True, False])
    assert str(made) == "(d0, d1)[s0] : (d0 - d1 == 0, s0 - 10 >= 0)"
    assert (made.n_dims, made.n_symbols, made.n_inputs) == (2, 1, 3)
    assert (made.n_equalities, made.n_inequalities, len(made.constraints)) == (1, 1, 2)
    assert [(str(it.expr), it.is_eq) for it in made.constraints] == [("d0 - d1", True), ("s0 - 10", False)]
    assert made.constraints == made.constraints
    assert repr(made.constraints[1]) == "IntegerSetConstraint(s0 - 10 >= 0)"
    empty = ir.IntegerSet.get_empty(1, 1)
    assert repr(empty) == "IntegerSet((d0)[s0] : (1 == 0))"
    assert (empty.is_canonical_empty, made.is_canonical_empty) == (True, False)
    replaced = made.get_replaced([d1, d1 + s0], [s0 * 2], 2, 1)
    assert str(replaced) == "(d0, d1)[s0] : (d1 - (d1 + s0) == 0, s0 * 2 - 10 >= 0)"
    with pytest.raises(ValueError, match="match that of equality flags"):
        ir.IntegerSet.get(1, 0, [d0], [])
    with pytest.raises(ValueError, match="non-empty"):
        ir.IntegerSet.get(1, 0, [], [])
    with pytest.raises(ValueError, match="number of dimension replacement"):
        made.get_replaced([d0], [s0], 2, 1)
    with pytest.raises(ValueError, match="number of symbol replacement"):
        made.get_replaced([d0, d1], [], 2, 1)


def test_attributes(parts, context):
    d0, _, s0 = parts
    attribute = ir.AffineMapAttr.get(ir.AffineMap.get(1, 1, [d0 + s0]))
    assert attribute is ir.Attribute.parse("affine_map<(i)[n] -> (i + n)>")
    assert attribute.value == ir.AffineMap.get(1, 1, [d0 + s0])
    attribute = ir.IntegerSetAttr.get(ir.IntegerSet.get(1, 0, [d0 - 1], [False]))
    assert attribute is ir.Attribute.parse("affine_set<(i) : (i >= 1)>")
    assert attribute.value.context is context


def test_layouts(parts):
    d0, d1, s0 = parts
    f32 = ir.F32Type.get()
    plain = ir.MemRefType.get([2, 3], f32)
    assert plain.layout is ir.AffineMapAttr.get(ir.AffineMap.get_identity(2))
    assert (plain.affine_map, plain.get_strides_and_offset()) == (ir.AffineMap.get_identity(2), ([3, 1], 0))
    swapped = ir.MemRefType.get([2, 3], f32, ir.AffineMapAttr.get(ir.AffineMap.get(2, 1, [d1 * 2 + d0 + s0 + 5])))
    dynamic = ir.ShapedType.get_dynamic_size()
    assert swapped.get_strides_and_offset() == ([1, 2], dynamic)
    assert str(swapped.affine_map) == "(d0, d1)[s0] -> (d1 * 2 + d0 + s0 + 5)"
    strided = ir.Type.parse("memref<2x3xf32, strided<[?, 1], offset: 7>>")
    assert strided.get_strides_and_offset() == ([dynamic, 1], 7)
    assert str(strided.affine_map) == "(d0, d1)[s0] -> (d0 * s0 + d1 + 7)"
    assert ir.Type.parse("memref<?x?x3xf32>").get_strides_and_offset() == ([dynamic, 3, 1], 0)
    with pytest.raises(ValueError, match="Failed to extract"):
        ir.MemRefType.get([2], f32, ir.AffineMapAttr.get(ir.AffineMap.get(1, 0, [d0 % 2]))).get_strides_and_offset()
    with pytest.raises(ir.IRError, match=r"rank and affine map: 1 != 2"):
        ir.MemRefType.get([2], f32, plain.layout)
    with pytest.raises(ir.IRError, match="is an affine map"):
        ir.MemRefType.get([2], f32, ir.UnitAttr.get())


def test_expressions_do_not_grow_without_bounds(parts):
    d0, _, s0 = parts
    large = d0
    for number in range(1, 250):
        large = (large + number) % s0
    assert str(large).count("mod") == 249
    with pytest.raises(ir.IRError, match="more than 500"):
        (large + s0) % s0
    attribute = ir.AffineMapAttr.get(ir.AffineMap.get(1, 1, [large]))
    assert ir.Attribute.parse(str(attribute)) is attribute
    double = ir.AffineMap.get(1, 1, [ir.AffineExpr.get_floor_div(d0, s0) + d0 * 3 + d0 % 7])
    for _ in range(3):
        d0 = d0.compose(double)
    with pytest.raises(ir.IRError, match="more than 500"):
        d0.compose(double).compose(double).compose(double)


def test_extreme_numbers(parts):
    d0, _, _ = parts
    least = -(2**63)
    assert str(d0 * least) == f"d0 * {least}"
    for name in KINDS:
        for by in (least, -1, 0, 1, 2**63 - 1):
            text = str(getattr(ir.AffineExpr, name)(d0 * least, by))
            assert text
    with pytest.raises(OverflowError):
        d0 + 2**63


def test_expressions_keep_their_context():
    made = ir.AffineExpr.get_dim(0, ir.Context()) + 1
    gc.collect()
    assert made.context.live == (0, 0)
    assert str(ir.AffineMapAttr.get(ir.AffineMap.get(1, 0, [made]))) == "affine_map<(d0) -> (d0 + 1)>"
