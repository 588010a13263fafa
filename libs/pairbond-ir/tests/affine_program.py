"""A program of affine expressions, maps and sets that runs with either library: what it prints is compared."""

from __future__ import annotations

import random
import re
from typing import Any


def expression(ir: Any, rng: random.Random, depth: int) -> Any:
    """One of up to three dimensions and two symbols."""
    kind = rng.randrange(9) if depth else rng.randrange(3)
    if kind == 0:
        return ir.AffineExpr.get_dim(rng.randrange(3))
    if kind == 1:
        return ir.AffineExpr.get_symbol(rng.randrange(2))
    if kind == 2:
        return ir.AffineExpr.get_constant(rng.choice([-7, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12]))
    left = expression(ir, rng, depth - 1)
    if kind in (3, 4):
        return left + expression(ir, rng, depth - 1)
    if kind == 5:
        return left - expression(ir, rng, depth - 1)
    if rng.random() < 0.2:
        factor = ir.AffineExpr.get_symbol(rng.randrange(2))
    else:
        factor = rng.choice([1, 2, 3, 4, 6, 8]) if kind > 6 or rng.random() < 0.5 else rng.choice([-3, -2, -1, 0])
    if kind == 6:
        return left * factor
    make = rng.choice([ir.AffineExpr.get_mod, ir.AffineExpr.get_floor_div, ir.AffineExpr.get_ceil_div])
    return make(left, factor)


def is_pure(text: str) -> bool:
    """Whether nothing is multiplied or divided by a symbol."""
    return re.search(r"(\*|mod|div) \(?s", text) is None


def run(ir: Any, seed: int) -> list[str]:
    rng = random.Random(seed)
    context = ir.Context()
    with context:
        exprs = [expression(ir, rng, 4) for _ in range(3)]
        made = ir.AffineMap.get(3, 2, exprs)
        inner = ir.AffineMap.get(3, 2, [expression(ir, rng, 2) for _ in range(3)])
        replaced = made.replace(ir.AffineExpr.get_dim(0), expression(ir, rng, 2), 5, 2)
        shifted = [exprs[0].shift_dims(3, 2), exprs[1].shift_dims(3, 2, 1), exprs[2].shift_symbols(2, 3)]
        compressed = ir.AffineMap.compress_unused_symbols([made, inner], context)
        simpler = [ir.AffineExpr.simplify_affine_expr(it, 3, 2) for it in exprs if is_pure(str(it))]
        shown = [*exprs, *simpler, *made.results, *(it.compose(inner) for it in exprs), *shifted, replaced, *compressed]
        shown += [ir.IntegerSet.get(3, 2, exprs, [True, False, True]), ir.AffineMapAttr.get(made)]
        about = [made.is_permutation, inner.is_projected_permutation, made.n_dims, made.n_symbols, repr(made)]
        return [str(it) for it in shown + about]
