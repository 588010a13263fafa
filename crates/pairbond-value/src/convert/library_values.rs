//! Values of classes that a frontend's own library has, such as Python's `datetime.timedelta`, by
//! the name of the class.
//!
//! A conversion reads attributes ([`Source::read_parts`](super::Source::read_parts)) and calls the
//! class with arguments ([`Sink::write_constructed`](super::Sink::write_constructed)), so that the
//! core needs no frontend to know a class, and a frontend no table of classes.

/// Implements [`FromValue`](super::FromValue), [`Emit`](super::Emit) and
/// [`IntoValue`](super::IntoValue) of a type.
macro_rules! convert {
    ($($t:ty, $expected:expr, |$source:ident| $read:expr, |$value:ident, $out:ident| $write:expr;)*) => {$(
        impl<'a> $crate::convert::FromValue<'a> for $t {
            fn expected_type() -> std::borrow::Cow<'static, str> {
                std::borrow::Cow::from($expected)
            }
            fn from_value<S: $crate::convert::Source<'a>>($source: S) -> Result<Self, $crate::convert::Mismatch> {
                $read
            }
        }
        $crate::convert::library_values::write!($t, |$value, $out| $write);
    )*};
}

/// The half of [`convert`] that gives values.
macro_rules! write {
    ($t:ty, |$value:ident, $out:ident| $write:expr) => {
        impl $crate::convert::Emit for $t {
            fn emit_value<S: $crate::convert::Sink>(&self, $out: S) -> Result<S::Out, $crate::error::Error> {
                let $value = self;
                $write
            }
        }
        impl $crate::convert::IntoValue for $t {
            fn into_value<S: $crate::convert::Sink>(self, out: S) -> Result<S::Out, $crate::error::Error> {
                $crate::convert::Emit::emit_value(&self, out)
            }
        }
    };
}

pub(in crate::convert) use {convert, write};
