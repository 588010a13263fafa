//! Affine expressions, maps and sets as Python sees them: a value and the context that it is used
//! in.
//!
//! `object` – expressions, `kinds` – a class for each kind of them, `map_class` and `set_class` –
//! maps and sets, `holders` – the types and attributes that have one.

mod holders;
mod kinds;
mod map_class;
mod object;
mod set_class;

pub use kinds::*;
pub use map_class::AffineMapObject;
pub use object::AffineExprObject;
pub use set_class::{IntegerSetConstraint, IntegerSetObject};
