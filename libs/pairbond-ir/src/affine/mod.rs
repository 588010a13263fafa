//! Affine expressions, maps and sets: plain values, simplified when they are made as MLIR does it,
//! so that what prints alike is alike.
//!
//! `expr` – expressions and how they are simplified, `flatten` – simplified as a whole, `replace` –
//! one in place of another, `map` – maps made of maps. Python's classes of them are
//! [`crate::affine_classes`].

mod expr;
mod flatten;
mod map;
mod print;
mod replace;

pub use expr::{AffineExpr, BinaryKind};
pub(crate) use map::without_unused_symbols;
pub use replace::MOST_OPERANDS;

/// The size of a dimension that is not known, and an offset or stride that is not.
pub const DYNAMIC: i64 = i64::MIN;

/// `(d0, d1)[s0] -> (d0 + s0, d1)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// How many dimensions.
    pub dims: u32,
    /// How many symbols.
    pub symbols: u32,
    /// The expressions that they are mapped to.
    pub results: Box<[AffineExpr]>,
}

/// `(d0)[s0] : (d0 >= 0, s0 == 0)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IntegerSet {
    /// How many dimensions.
    pub dims: u32,
    /// How many symbols.
    pub symbols: u32,
    /// Each is zero (true) or not negative (false).
    pub constraints: Box<[(AffineExpr, bool)]>,
}
