//! Affine expressions, maps and sets: plain values, simplified when they are made as MLIR does it, so that what prints alike is alike.

mod expr;
mod print;

pub use expr::{AffineExpr, BinaryKind};

/// `(d0, d1)[s0] -> (d0 + s0, d1)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// How many dimensions.
    pub dims: u32,
    /// How many symbols.
    pub symbols: u32,
    /// What they are mapped to.
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

impl AffineMap {
    /// Whether it maps its dimensions to themselves.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.symbols == 0
            && self.results.len() == self.dims as usize
            && (0..)
                .zip(&self.results)
                .all(|(place, result)| *result == AffineExpr::Dim(place))
    }
}
