//! [`View`]: what a value is, in a form that is pleasant to match on, and the looks at an [`Any`]
//! that go by it.

use crate::error::Error;
use crate::object::ErasedBorrow;
use crate::value::{Any, BigInt, DType, Device, Foreign, Function};

/// What an [`Any`] is, to match on: texts and bytes are slices, objects are lent. Made by
/// [`Any::view`] and [`AnyRef::view`](super::AnyRef::view), which is the smaller one to hand
/// around.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum View<'a> {
    /// Nothing.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer.
    BigInt(&'a BigInt),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A native object.
    Object(ErasedBorrow<'a>),
    /// A function.
    Function(&'a Function),
    /// An opaque object of a frontend's language.
    Foreign(&'a Foreign),
    /// The type of an array's elements.
    DType(DType),
    /// Where an array lies.
    Device(Device),
    /// An error: the result of a failed call.
    #[doc(hidden)]
    Error(&'a Error),
}

impl View<'_> {
    /// The kind, for messages.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            View::None => "None",
            View::Bool(_) => "bool",
            View::Int(_) | View::BigInt(_) => "int",
            View::Float(_) => "float",
            View::Str(_) => "str",
            View::Bytes(_) => "bytes",
            View::Object(object) => object.header().info().key(),
            View::Function(_) => "function",
            View::Foreign(_) => "object",
            View::DType(_) => "dtype",
            View::Device(_) => "device",
            View::Error(_) => "error",
        }
    }
}

impl Any {
    /// Its value, to match on.
    #[inline]
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match self {
            Any::None => View::None,
            Any::Bool(value) => View::Bool(*value),
            Any::Int(value) => View::Int(*value),
            Any::BigInt(value) => View::BigInt(value),
            Any::Float(value) => View::Float(*value),
            Any::Str(value) => View::Str(value),
            Any::Bytes(value) => View::Bytes(value),
            Any::Object(value) => View::Object(value.as_borrow()),
            Any::Function(value) => View::Function(value),
            Any::Foreign(value) => View::Foreign(value),
            Any::DType(value) => View::DType(*value),
            Any::Device(value) => View::Device(*value),
            Any::Error(value) => View::Error(value),
        }
    }

    /// The kind, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.view().kind()
    }

    /// The number, if it is an integer of 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Any::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is a float.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Any::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Any::Str(value) => Some(value),
            _ => None,
        }
    }

    /// The kind and a short form of the value, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        const LONGEST: usize = 40;
        let cut = |text: &str| match text.char_indices().nth(LONGEST) {
            None => text.to_owned(),
            Some((at, _)) => format!("{}…", &text[..at]),
        };
        match self.view() {
            View::None => "None".into(),
            View::Bool(value) => format!("bool {}", if value { "True" } else { "False" }),
            View::Int(value) => format!("int {value}"),
            View::Float(value) => format!("float {value:?}"),
            View::Str(text) => format!("str '{}'", cut(text)),
            View::Bytes(bytes) => format!("bytes of {}", bytes.len()),
            View::Function(function) => format!("function {}", function.name()),
            View::DType(value) => format!("dtype {value}"),
            View::Device(value) => format!("device {value}"),
            other => other.kind().into(),
        }
    }
}
