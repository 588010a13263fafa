//! [`AttributeHead`]: what distinguishes attributes, without the types and attributes in them.

use pairbond::prelude::*;

use crate::affine::{AffineMap, IntegerSet};
use crate::numbers::Digits;

/// The part of an attribute that distinguishes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttributeHead {
    /// `unit`
    Unit,
    /// `1 : i32`, `true`: the value of the type's width, the lowest byte first.
    Integer(Digits),
    /// `1.0 : f32`: the bits.
    Float(u128),
    /// `"text"`: bytes, of the type `none` unless it says another.
    String(Box<[u8]>),
    /// `[1, 2]`
    Array,
    /// `{a = 1}`: the names in order, each with an attribute.
    Dictionary(Box<[Str]>),
    /// A type.
    Type,
    /// `@a::@b`
    SymbolRef(Box<[Box<str>]>),
    /// `affine_map<…>`
    AffineMap(AffineMap),
    /// `affine_set<…>`
    IntegerSet(IntegerSet),
    /// `strided<[1, ?], offset: 2>`
    Strided {
        /// One for each dimension.
        strides: Box<[i64]>,
        /// Of the first element.
        offset: i64,
    },
    /// `dense<…> : tensor<…>`: the elements one after the other, each in whole bytes; or one for
    /// all.
    Dense {
        /// The elements.
        data: Bytes,
        /// Whether there is one for all.
        splat: bool,
    },
    /// `dense<["a", "b"]> : tensor<…>`
    DenseStrings {
        /// The elements.
        data: Box<[Box<[u8]>]>,
        /// Whether there is one for all.
        splat: bool,
    },
    /// `array<i32: 1, 2>`: the elements as in `Dense`; the type is that of an element.
    DenseArray(Bytes),
    /// `dense_resource<name> : tensor<…>`
    DenseResource(Box<str>),
    /// `sparse<indices, values> : tensor<…>`: two attributes, or none.
    Sparse,
    /// `#dialect.text`, or `#dialect<"text">`: of an unregistered dialect.
    Opaque {
        /// The dialect's name.
        dialect: Box<str>,
        /// The text after the dot, or in the quotes.
        text: Box<str>,
    },
    /// `distinct[0]<…>`: each is another, whatever it holds.
    Distinct(u64),
    /// `loc(unknown)`
    UnknownLoc,
    /// `loc("file":1:2)`, `loc("file":1:2 to 3:4)`
    FileLoc {
        /// The file.
        file: Box<str>,
        /// Where it begins: line and column.
        start: (u32, u32),
        /// Where it ends.
        end: (u32, u32),
    },
    /// `loc("name"(child))`
    NameLoc(Box<str>),
    /// `loc(callsite(callee at caller))`
    CallSiteLoc,
    /// `loc(fused<metadata>[…])`: whether the last attribute is the metadata.
    FusedLoc(bool),
}

impl AttributeHead {
    /// Whether it is a location.
    #[must_use]
    pub fn is_location(&self) -> bool {
        use AttributeHead::{CallSiteLoc, FileLoc, FusedLoc, NameLoc, UnknownLoc};
        matches!(
            self,
            UnknownLoc | FileLoc { .. } | NameLoc(_) | CallSiteLoc | FusedLoc(_)
        )
    }
}
