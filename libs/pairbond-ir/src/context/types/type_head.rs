//! [`TypeHead`]: what distinguishes types, without the types and attributes in them.

use crate::numbers::{FloatKind, Sign};

/// The part of a type that distinguishes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeHead {
    /// `i32`, `si8`, `ui1`
    Integer {
        /// In bits.
        width: u32,
        /// The meaning of its bits.
        sign: Sign,
    },
    /// `f32`, `bf16`, …
    Float(FloatKind),
    /// `index`
    Index,
    /// `none`
    None,
    /// `complex<f32>`
    Complex,
    /// `(i32, f32) -> i1`: that many of the types are inputs.
    Function {
        /// How many.
        inputs: usize,
    },
    /// `tuple<i32, f32>`
    Tuple,
    /// `vector<4x[8]xf32>`
    Vector {
        /// The sizes, and whether each is scalable.
        shape: Box<[(i64, bool)]>,
    },
    /// `tensor<4x?xf32, encoding>`; without a shape unranked.
    Tensor {
        /// The sizes.
        shape: Option<Box<[i64]>>,
    },
    /// `memref<4x?xf32, layout, space>`; without a shape unranked.
    MemRef {
        /// The sizes.
        shape: Option<Box<[i64]>>,
        /// Whether the first attribute is a layout. The memory space, if there is one, is the last.
        layout: bool,
    },
    /// `!dialect.text`, or `!dialect<"text">`: of an unregistered dialect.
    Opaque {
        /// The dialect's name.
        dialect: Box<str>,
        /// The text after the dot, or in the quotes.
        text: Box<str>,
    },
}
