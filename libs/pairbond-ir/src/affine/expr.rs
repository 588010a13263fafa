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

/// An affine expression. Made with [`AffineExpr::binary`], which simplifies.
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
    fn divisor(&self) -> i64 {
        match self {
            AffineExpr::Dim(_) | AffineExpr::Symbol(_) => 1,
            Constant(value) => value.checked_abs().unwrap_or(1),
            Binary(Mul, sides) => sides.0.divisor().checked_mul(sides.1.divisor()).unwrap_or(1),
            Binary(Add | Mod, sides) => gcd(sides.0.divisor(), sides.1.divisor()),
            Binary(FloorDiv | CeilDiv, sides) => match sides.1 {
                Constant(by) if by != 0 && sides.0.divisor() % by == 0 => (sides.0.divisor() / by).abs(),
                _ => 1,
            },
        }
    }

    fn constant(&self) -> Option<i64> {
        match self {
            Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The two sides, if it is of that kind.
    pub(super) fn of(&self, kind: BinaryKind) -> Option<(&AffineExpr, &AffineExpr)> {
        match self {
            Binary(found, sides) if *found == kind => Some((&sides.0, &sides.1)),
            _ => None,
        }
    }

    /// Two in one, simplified.
    #[must_use]
    pub fn binary(kind: BinaryKind, left: AffineExpr, right: AffineExpr) -> AffineExpr {
        let simpler = match kind {
            Add => add(&left, &right),
            Mul => mul(&left, &right),
            Mod => modulo(&left, &right),
            FloorDiv => floor(&left, &right),
            CeilDiv => ceil(&left, &right),
        };
        simpler.unwrap_or_else(|| Binary(kind, Arc::new((left, right))))
    }
}

pub(super) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn sum(left: AffineExpr, right: AffineExpr) -> AffineExpr {
    AffineExpr::binary(Add, left, right)
}

fn times(left: AffineExpr, by: i64) -> AffineExpr {
    AffineExpr::binary(Mul, left, Constant(by))
}

/// An expression and the constant that it is multiplied by.
fn scaled(it: &AffineExpr) -> (&AffineExpr, i64) {
    match it.of(Mul) {
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

fn add(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if let (Some(a), Some(b)) = (left.constant(), right.constant()) {
        return a.checked_add(b).map(Constant);
    }
    // Symbols and constants go to the right, constants last.
    if is_later(left, right) || matches!(left, Constant(_)) || left.is_symbolic() && !right.is_symbolic() {
        return Some(sum(right.clone(), left.clone()));
    }
    if right.constant() == Some(0) {
        return Some(left.clone());
    }
    if let (Some((inner, Constant(a))), Some(b)) = (left.of(Add), right.constant()) {
        return Some(sum(inner.clone(), Constant(a.checked_add(b)?)));
    }
    // 2 * x + 3 * x, also when only one has a factor.
    let ((first, a), (second, b)) = (scaled(left), scaled(right));
    if first == second && first.constant().is_none() {
        return Some(times(first.clone(), a.checked_add(b)?));
    }
    // (x + c) + y: the constant moves outwards.
    if let Some((inner, constant @ Constant(_))) = left.of(Add) {
        return Some(sum(sum(inner.clone(), right.clone()), constant.clone()));
    }
    remainder(left, right)
}

/// `x + (x floordiv c) * -c` is `x mod c`, also where the `x` is the last term of a sum, and where
/// `c` is no constant.
fn remainder(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    let (inner, by) = right.of(Mul)?;
    if let Some((quotient, divisor)) = inner.of(Mul)
        && by.constant() == Some(-1)
    {
        let is = quotient.of(FloorDiv)? == (left, divisor);
        return is.then(|| AffineExpr::binary(Mod, left.clone(), divisor.clone()));
    }
    let (divided, divisor) = inner.of(FloorDiv)?;
    let negated = |it: i64| by.constant().and_then(i64::checked_neg) == Some(it);
    if divided == left && divisor.constant().is_some_and(|it| it > 0 && negated(it)) {
        return Some(AffineExpr::binary(Mod, left.clone(), divisor.clone()));
    }
    let (first, last) = left.of(Add)?;
    add(last, right).map(|last| sum(first.clone(), last))
}

fn mul(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if let (Some(a), Some(b)) = (left.constant(), right.constant()) {
        return a.checked_mul(b).map(Constant);
    }
    let swap = matches!(left, Constant(_)) || left.is_symbolic() && !right.is_symbolic();
    if swap || is_later(left, right) {
        return Some(AffineExpr::binary(Mul, right.clone(), left.clone()));
    }
    match right.constant() {
        Some(1) => return Some(left.clone()),
        Some(0) => return Some(Constant(0)),
        _ => {}
    }
    if let (Some((inner, Constant(a))), Some(b)) = (left.of(Mul), right.constant()) {
        return Some(times(inner.clone(), a.checked_mul(b)?));
    }
    if let Some((inner, constant @ Constant(_))) = left.of(Mul) {
        let inner = AffineExpr::binary(Mul, inner.clone(), right.clone());
        return Some(AffineExpr::binary(Mul, inner, constant.clone()));
    }
    None
}

fn floor(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if left == right && right.constant().is_none() {
        return Some(Constant(1));
    }
    let by = right.constant().filter(|by| *by != 0)?;
    if let Some(value) = left.constant() {
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
    exact(left, by, FloorDiv)
}

fn ceil(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if left == right && right.constant().is_none() {
        return Some(Constant(1));
    }
    let by = right.constant().filter(|by| *by != 0)?;
    if let Some(value) = left.constant() {
        let down = floor(left, right)?.constant()?;
        return Some(Constant(if down.checked_mul(by)? == value {
            down
        } else {
            down + 1
        }));
    }
    if by == 1 {
        return Some(left.clone());
    }
    match left.of(Mul) {
        Some((inner, Constant(factor))) if factor.checked_rem(by) == Some(0) => {
            Some(times(inner.clone(), factor / by))
        }
        _ => None,
    }
}

/// A division without remainder simplifies to its quotient.
fn exact(left: &AffineExpr, by: i64, kind: BinaryKind) -> Option<AffineExpr> {
    if let Some((inner, Constant(factor))) = left.of(Mul)
        && factor.checked_rem(by) == Some(0)
    {
        return Some(times(inner.clone(), factor / by));
    }
    let (a, b) = left.of(Add)?;
    (a.divisor() % by == 0 || b.divisor() % by == 0).then(|| {
        let divided = |it: &AffineExpr| AffineExpr::binary(kind, it.clone(), Constant(by));
        sum(divided(a), divided(b))
    })
}

fn modulo(left: &AffineExpr, right: &AffineExpr) -> Option<AffineExpr> {
    if left == right && right.constant().is_none() {
        return Some(Constant(0));
    }
    let by = right.constant().filter(|by| *by > 0)?;
    if let Some(value) = left.constant() {
        return Some(Constant(value.rem_euclid(by)));
    }
    if left.divisor() % by == 0 {
        return Some(Constant(0));
    }
    let again = |it: &AffineExpr| AffineExpr::binary(Mod, it.clone(), Constant(by));
    if let Some((a, b)) = left.of(Add) {
        if a.divisor() % by == 0 {
            return Some(again(b));
        }
        if b.divisor() % by == 0 {
            return Some(again(a));
        }
    }
    if let Some((inner, Constant(outer))) = left.of(Mod)
        && *outer >= 1
        && outer % by == 0
    {
        return Some(again(inner));
    }
    None
}
