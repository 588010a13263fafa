//! Numbers as attributes hold them: integers of any width, floats of every kind, both as bytes, and
//! how MLIR writes them.

mod digits;
mod float;
mod integer;
mod small;
#[cfg(test)]
mod tests;

pub use digits::Digits;
pub use float::FloatKind;
pub use float::float_text;
pub use integer::Sign;
pub use integer::{byte_width, fit_bigint, fit_small, integer_text, parse_integer, sign_extend};
