//! Replacing parts of expressions by others.
//!
//! Simplifying, comparing and dropping expressions recurses, so none may grow without bounds: a
//! replacement counts the operands that it makes.

use super::{AffineExpr, AffineMap};
use AffineExpr::{Binary, Constant, Dim, Symbol};

/// The replacement of an expression; `None` where it stays, and its parts are visited.
type Choice<'a> = &'a dyn Fn(&AffineExpr) -> Option<AffineExpr>;

/// No expression that a program makes has more operands: twice as many, with all their parentheses,
/// are read back.
pub const MOST_OPERANDS: usize = 500;

impl AffineExpr {
    /// How many dimensions, symbols and constants it is made of.
    #[must_use]
    pub fn operands(&self) -> usize {
        match self {
            Dim(_) | Symbol(_) | Constant(_) => 1,
            Binary(_, sides) => sides.0.operands() + sides.1.operands(),
        }
    }

    /// How many dimensions and symbols there must at least be: one more than the last of each.
    #[must_use]
    pub fn bounds(&self) -> (u32, u32) {
        match self {
            Dim(place) => (place.saturating_add(1), 0),
            Symbol(place) => (0, place.saturating_add(1)),
            Constant(_) => (0, 0),
            Binary(_, sides) => {
                let (left, right) = (sides.0.bounds(), sides.1.bounds());
                (left.0.max(right.0), left.1.max(right.1))
            }
        }
    }

    /// Others in place of parts of it; `None`: too large.
    pub(crate) fn replace_parts(&self, choice: Choice<'_>) -> Option<AffineExpr> {
        self.replace_within(choice, &mut 0)
    }

    fn replace_within(&self, choice: Choice<'_>, made: &mut usize) -> Option<AffineExpr> {
        let leaf = match (choice(self), self) {
            (Some(chosen), _) => chosen,
            (None, Binary(kind, sides)) => {
                let (left, right) = (
                    sides.0.replace_within(choice, made)?,
                    sides.1.replace_within(choice, made)?,
                );
                if left == sides.0 && right == sides.1 {
                    return Some(self.clone());
                }
                return Some(AffineExpr::new_binary(*kind, left, right));
            }
            (None, other) => other.clone(),
        };
        *made += leaf.operands();
        (*made <= MOST_OPERANDS).then_some(leaf)
    }

    /// The results of a map in place of its dimensions.
    pub(crate) fn compose_with(&self, map: &AffineMap) -> Option<AffineExpr> {
        self.replace_parts(&|it| match it {
            Dim(place) => map.results.get(*place as usize).cloned(),
            _ => None,
        })
    }

    /// Whether some part of it is one of which `is` says so.
    pub(crate) fn any_part(&self, is: &dyn Fn(&AffineExpr) -> bool) -> bool {
        match self {
            _ if is(self) => true,
            Binary(_, sides) => sides.0.any_part(is) || sides.1.any_part(is),
            _ => false,
        }
    }
}
