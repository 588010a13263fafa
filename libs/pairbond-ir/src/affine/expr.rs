//! [`AffineExpr`].

use std::sync::Arc;

/// A sum, product or quotient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BinaryKind {
    Add,
    Mul,
    Mod,
    FloorDiv,
    CeilDiv,
}

/// An affine expression. Made with [`AffineExpr::new_binary`], which simplifies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AffineExpr {
    /// `d0`
    Dim(u32),
    /// `s0`
    Symbol(u32),
    /// `42`
    Constant(i64),
    /// Of two.
    Binary(BinaryKind, Arc<(AffineExpr, AffineExpr)>),
}

use AffineExpr::{Binary, Constant};
use BinaryKind::{Add, CeilDiv, FloorDiv, Mod, Mul};

impl AffineExpr {
    /// Whether it has no dimensions.
    #[must_use]
    pub fn is_symbolic(&self) -> bool {
        match self {
            AffineExpr::Dim(_) => false,
            AffineExpr::Symbol(_) | Constant(_) => true,
            Binary(_, sides) => sides.0.is_symbolic() && sides.1.is_symbolic(),
        }
    }

    /// A number that divides it.
    fn known_divisor(&self) -> i64 {
        match self {
            AffineExpr::Dim(_) | AffineExpr::Symbol(_) => 1,
            Constant(value) => value.checked_abs().unwrap_or(1),
            Binary(Mul, sides) => sides
                .0
                .known_divisor()
                .checked_mul(sides.1.known_divisor())
                .unwrap_or(1),
            Binary(Add | Mod, sides) => gcd(sides.0.known_divisor(), sides.1.known_divisor()),
            Binary(FloorDiv | CeilDiv, sides) => match sides.1 {
                Constant(by) if by != 0 && sides.0.known_divisor() % by == 0 => {
                    (sides.0.known_divisor() / by).abs()
                }
                _ => 1,
            },
        }
    }

    fn as_constant(&self) -> Option<i64> {
        match self {
            Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The two sides, if it is of that kind.
    pub(crate) fn operands_of_kind(&self, kind: BinaryKind) -> Option<(&AffineExpr, &AffineExpr)> {
        match self {
            Binary(found, sides) if *found == kind => Some((&sides.0, &sides.1)),
            _ => None,
        }
    }

    /// Two in one, simplified.
    #[must_use]
    pub fn new_binary(kind: BinaryKind, left: AffineExpr, right: AffineExpr) -> AffineExpr {
        let simpler = match kind {
            Add => simplify_add(&left, &right),
            Mul => simplify_mul(&left, &right),
            Mod => simplify_mod(&left, &right),
            FloorDiv => simplify_floordiv(&left, &right),
            CeilDiv => simplify_ceildiv(&left, &right),
        };
        simpler.unwrap_or_else(|| Binary(kind, Arc::new((left, right))))
    }
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn sum_or_simplify(left: AffineExpr, right: AffineExpr) -> AffineExpr {
    AffineExpr::new_binary(Add, left, right)
}

fn multiply_constant(left: AffineExpr, by: i64) -> AffineExpr {
    AffineExpr::new_binary(Mul, left, Constant(by))
}

/// An expression and the constant that it is multiplied by.
fn split_scale(it: &AffineExpr) -> (&AffineExpr, i64) {
    match it.operands_of_kind(Mul) {
        Some((inner, Constant(by))) => (inner, *by),
        _ => (it, 1),
    }
}

/// Whether both are dimensions, or symbols, the other way round than they are written.
fn is_later(left: &AffineExpr, right: &AffineExpr) -> bool {
    match (left, right) {
        (AffineExpr::Dim(a), AffineExpr::Dim(b)) | (AffineExpr::Symbol(a), AffineExpr::Symbol(b)) => a > b,
        _ => false,
    }
}

fn simplify_add(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
        return a.checked_add(b).map(Constant);
    }
    // Symbols and constants go to the right, constants last.
    if is_later(left, right) || matches!(left, Constant(_)) || left.is_symbolic() && !right.is_symbolic() {
        return Some(sum_or_simplify(right.clone(), left.clone()));
    }
    if right.as_constant() == Some(0) {
        return Some(left.clone());
    }
    if let (Some((inner, Constant(a))), Some(b)) = (left.operands_of_kind(Add), right.as_constant()) {
        return Some(sum_or_simplify(inner.clone(), Constant(a.checked_add(b)?)));
    }
    // 2 * x + 3 * x, also when only one has a factor.
    let ((first, a), (second, b)) = (split_scale(left), split_scale(right));
    if first == second && first.as_constant().is_none() {
        return Some(multiply_constant(first.clone(), a.checked_add(b)?));
    }
    // (x + c) + y: the constant moves outwards.
    if let Some((inner, constant @ Constant(_))) = left.operands_of_kind(Add) {
        return Some(sum_or_simplify(
            sum_or_simplify(inner.clone(), right.clone()),
            constant.clone(),
        ));
    }
    simplify_remainder(left, right)
}

/// `x + (x floordiv c) * -c` is `x mod c`, also where the `x` is the last term of a sum, and where
/// `c` is no constant.
fn simplify_remainder(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    let (inner, by) = right.operands_of_kind(Mul)?;
    if let Some((quotient, divisor)) = inner.operands_of_kind(Mul)
        && by.as_constant() == Some(-1)
    {
        let is = quotient.operands_of_kind(FloorDiv)? == (left, divisor);
        return is.then(|| AffineExpr::new_binary(Mod, left.clone(), divisor.clone()));
    }
    let (divided, divisor) = inner.operands_of_kind(FloorDiv)?;
    let negated = |it: i64| by.as_constant().and_then(i64::checked_neg) == Some(it);
    if divided == left && divisor.as_constant().is_some_and(|it| it > 0 && negated(it)) {
        return Some(AffineExpr::new_binary(Mod, left.clone(), divisor.clone()));
    }
    let (first, last) = left.operands_of_kind(Add)?;
    simplify_add(last, right).map(|last| sum_or_simplify(first.clone(), last))
}

fn simplify_mul(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
        return a.checked_mul(b).map(Constant);
    }
    let swap = matches!(left, Constant(_)) || left.is_symbolic() && !right.is_symbolic();
    if swap || is_later(left, right) {
        return Some(AffineExpr::new_binary(Mul, right.clone(), left.clone()));
    }
    match right.as_constant() {
        Some(1) => return Some(left.clone()),
        Some(0) => return Some(Constant(0)),
        _ => {}
    }
    if let (Some((inner, Constant(a))), Some(b)) = (left.operands_of_kind(Mul), right.as_constant()) {
        return Some(multiply_constant(inner.clone(), a.checked_mul(b)?));
    }
    if let Some((inner, constant @ Constant(_))) = left.operands_of_kind(Mul) {
        let inner = AffineExpr::new_binary(Mul, inner.clone(), right.clone());
        return Some(AffineExpr::new_binary(Mul, inner, constant.clone()));
    }
    None
}

fn simplify_floordiv(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if left == right && right.as_constant().is_none() {
        return Some(Constant(1));
    }
    let by = right.as_constant().filter(|by| *by != 0)?;
    if let Some(value) = left.as_constant() {
        return value.checked_div_euclid(by).map(|it| {
            // Euclid rounds towards the divisor's side; floor goes down.
            Constant(if by < 0 && value.rem_euclid(by) != 0 {
                it - 1
            } else {
                it
            })
        });
    }
    if by == 1 {
        return Some(left.clone());
    }
    divide_exactly(left, by, FloorDiv)
}

fn simplify_ceildiv(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if left == right && right.as_constant().is_none() {
        return Some(Constant(1));
    }
    let by = right.as_constant().filter(|by| *by != 0)?;
    if let Some(value) = left.as_constant() {
        let down = simplify_floordiv(left, right)?.as_constant()?;
        return Some(Constant(if down.checked_mul(by)? == value {
            down
        } else {
            down + 1
        }));
    }
    if by == 1 {
        return Some(left.clone());
    }
    match left.operands_of_kind(Mul) {
        Some((inner, Constant(factor))) if factor.checked_rem(by) == Some(0) => {
            Some(multiply_constant(inner.clone(), factor / by))
        }
        _ => None,
    }
}

/// A division without remainder simplifies to its quotient.
fn divide_exactly(left: &AffineExpr, by: i64, kind: BinaryKind) -> Option<AffineExpr> {
    if let Some((inner, Constant(factor))) = left.operands_of_kind(Mul)
        && factor.checked_rem(by) == Some(0)
    {
        return Some(multiply_constant(inner.clone(), factor / by));
    }
    let (a, b) = left.operands_of_kind(Add)?;
    (a.known_divisor() % by == 0 || b.known_divisor() % by == 0).then(|| {
        let divided = |it: &AffineExpr| AffineExpr::new_binary(kind, it.clone(), Constant(by));
        sum_or_simplify(divided(a), divided(b))
    })
}

fn simplify_mod(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if left == right && right.as_constant().is_none() {
        return Some(Constant(0));
    }
    let by = right.as_constant().filter(|by| *by > 0)?;
    if let Some(value) = left.as_constant() {
        return Some(Constant(value.rem_euclid(by)));
    }
    if left.known_divisor() % by == 0 {
        return Some(Constant(0));
    }
    let again = |it: &AffineExpr| AffineExpr::new_binary(Mod, it.clone(), Constant(by));
    if let Some((a, b)) = left.operands_of_kind(Add) {
        if a.known_divisor() % by == 0 {
            return Some(again(b));
        }
        if b.known_divisor() % by == 0 {
            return Some(again(a));
        }
    }
    if let Some((inner, Constant(outer))) = left.operands_of_kind(Mod)
        && *outer >= 1
        && outer % by == 0
    {
        return Some(again(inner));
    }
    None
}
