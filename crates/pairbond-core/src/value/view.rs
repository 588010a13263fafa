//! [`AnyRef`]: a value of any kind, borrowed, in a form that is pleasant to match on.

use crate::convert::{AnySource, FromValue, Mismatch, Source};
use crate::error::{Error, ErrorKind};
use crate::object::{Borrow, ErasedBorrow, Object};
use crate::value::{Any, BigInt, Bytes, DType, Device, Foreign, Function, Str};

/// A borrowed [`Any`]: texts and bytes are slices, objects are lent. Made by [`Any::view`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum AnyRef<'a> {
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
    /// What the elements of an array are.
    DType(DType),
    /// Where an array lies.
    Device(Device),
    /// An error: the result of a failed call.
    #[doc(hidden)]
    Error(&'a Error),
}

impl<'a> AnyRef<'a> {
    /// The kind, for messages.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            AnyRef::None => "None",
            AnyRef::Bool(_) => "bool",
            AnyRef::Int(_) | AnyRef::BigInt(_) => "int",
            AnyRef::Float(_) => "float",
            AnyRef::Str(_) => "str",
            AnyRef::Bytes(_) => "bytes",
            AnyRef::Object(object) => object.header().info().key(),
            AnyRef::Function(_) => "function",
            AnyRef::Foreign(_) => "object",
            AnyRef::DType(_) => "dtype",
            AnyRef::Device(_) => "device",
            AnyRef::Error(_) => "error",
        }
    }

    /// The value as one of its own.
    #[must_use]
    pub fn to_any(self) -> Any {
        match self {
            AnyRef::None => Any::None,
            AnyRef::Bool(value) => Any::Bool(value),
            AnyRef::Int(value) => Any::Int(value),
            AnyRef::BigInt(value) => Any::BigInt(value.clone()),
            AnyRef::Float(value) => Any::Float(value),
            AnyRef::Str(value) => Any::Str(Str::from(value)),
            AnyRef::Bytes(value) => Any::Bytes(Bytes::from(value)),
            AnyRef::Object(value) => Any::Object(value.to_ref()),
            AnyRef::Function(value) => Any::Function(value.clone()),
            AnyRef::Foreign(value) => Any::Foreign(value.clone()),
            AnyRef::DType(value) => Any::DType(value),
            AnyRef::Device(value) => Any::Device(value),
            AnyRef::Error(value) => Any::Error(std::sync::Arc::new(Error::new(
                value.kind().clone(),
                value.message(),
            ))),
        }
    }

    /// The object as a `T`, if it is one.
    #[must_use]
    pub fn downcast<T: Object>(self) -> Option<Borrow<'a, T>> {
        match self {
            AnyRef::Object(object) => object.downcast(),
            _ => None,
        }
    }
}

impl<'a> From<&'a Any> for AnyRef<'a> {
    #[inline]
    fn from(value: &'a Any) -> Self {
        value.view()
    }
}

impl Any {
    /// The value, borrowed.
    #[inline]
    #[must_use]
    pub fn view(&self) -> AnyRef<'_> {
        match self {
            Any::None => AnyRef::None,
            Any::Bool(value) => AnyRef::Bool(*value),
            Any::Int(value) => AnyRef::Int(*value),
            Any::BigInt(value) => AnyRef::BigInt(value),
            Any::Float(value) => AnyRef::Float(*value),
            Any::Str(value) => AnyRef::Str(value),
            Any::Bytes(value) => AnyRef::Bytes(value),
            Any::Object(value) => AnyRef::Object(value.as_borrow()),
            Any::Function(value) => AnyRef::Function(value),
            Any::Foreign(value) => AnyRef::Foreign(value),
            Any::DType(value) => AnyRef::DType(*value),
            Any::Device(value) => AnyRef::Device(*value),
            Any::Error(value) => AnyRef::Error(value),
        }
    }

    /// The kind, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.view().kind()
    }

    /// The value as a `T`, under the rules for arguments of functions: an int where a float is expected, a list for a `Vec`, and so on.
    ///
    /// # Errors
    /// `TypeError` or `OverflowError` that names what was expected and what came.
    pub fn to<'a, T: FromValue<'a>>(&'a self) -> Result<T, Error> {
        let source = AnySource::One(self);
        T::from_value(source).map_err(|mismatch| {
            let (expected, came) = (T::expected(), source.describe());
            match mismatch {
                Mismatch::Type => Error::type_error(format!("expected {expected}, got {came}")),
                Mismatch::Overflow => Error::new(
                    ErrorKind::Overflow,
                    format!("{came} does not fit into {expected}"),
                ),
                other => other.explain(|| "the value".into(), &expected, || came.clone()),
            }
        })
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
            AnyRef::None => "None".into(),
            AnyRef::Bool(value) => format!("bool {}", if value { "True" } else { "False" }),
            AnyRef::Int(value) => format!("int {value}"),
            AnyRef::Float(value) => format!("float {value:?}"),
            AnyRef::Str(text) => format!("str '{}'", cut(text)),
            AnyRef::Bytes(bytes) => format!("bytes of {}", bytes.len()),
            AnyRef::Function(function) => format!("function {}", function.name()),
            AnyRef::DType(value) => format!("dtype {value}"),
            AnyRef::Device(value) => format!("device {value}"),
            other => other.kind().into(),
        }
    }
}
