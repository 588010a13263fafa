//! Arrays that cross a border.

use std::borrow::Cow;

use super::{Emit, FromValue, IntoValue, Mismatch, Sink, Source};
use crate::error::Error;
use crate::value::{Array, ArrayBody};

impl<'a> FromValue<'a> for Array {
    fn expected_type() -> Cow<'static, str> {
        Cow::Borrowed("an array")
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match source.read_object() {
            Ok(object) if object.is::<ArrayBody>() => match source.to_owned_ref(object).downcast() {
                Ok(body) => Ok(Array::from_ref(body)),
                Err(_) => Err(Mismatch::Type),
            },
            Err(Mismatch::Raised(error)) => Err(Mismatch::Raised(error)),
            _ => source.read_array(),
        }
    }
}

impl IntoValue for Array {
    fn into_value<Z: Sink>(self, out: Z) -> Result<Z::Out, Error> {
        out.write_owned(self.into_erased())
    }
}

impl Emit for Array {
    fn emit_value<Z: Sink>(&self, out: Z) -> Result<Z::Out, Error> {
        out.write_object(self.as_borrow())
    }
}
