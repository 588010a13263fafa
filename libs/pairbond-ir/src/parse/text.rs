//! [`Text`]: the input, as a caller has it.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

/// A text, or its bytes in UTF-8.
pub(crate) struct Text<'a>(pub(super) Cow<'a, [u8]>);

impl<'a> FromValue<'a> for Text<'a> {
    fn expected() -> Cow<'static, str> {
        "str or bytes".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match source.str() {
            Ok(text) => Ok(Text(text.as_bytes().into())),
            Err(Mismatch::Type) => source.copied_bytes().map(Text),
            Err(other) => Err(other),
        }
    }
}
