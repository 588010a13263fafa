//! Numbers as attributes hold them: integers of any width, floats of every kind, both as bytes, and how MLIR writes them.

mod decimal;
mod float;
mod integer;

pub use float::FloatKind;
pub(crate) use float::float_text;
pub(crate) use integer::{fit, integer_text, integer_value, parse_integer, sized};
