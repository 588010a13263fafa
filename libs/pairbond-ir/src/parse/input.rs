//! [`Text`]: the input, as a caller has it.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

/// Of Python: the text of MLIR's bytecode, by MLIR's bindings (`python/pairbond_ir/_capsules.py`).
const BYTECODE: &str = "pairbond_ir.read_bytecode";

/// A text, or its bytes in UTF-8, or bytecode.
pub(crate) struct Text<'a>(pub(super) Cow<'a, [u8]>);

impl<'a> FromValue<'a> for Text<'a> {
    fn expected_type() -> Cow<'static, str> {
        "str or bytes".into()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match source.read_str() {
            Ok(text) => Ok(Text(text.as_bytes().into())),
            Err(Mismatch::Type) => {
                let bytes = source.copied_bytes()?;
                if !bytes.starts_with(b"ML\xefR") {
                    return Ok(Text(bytes));
                }
                let read = pairbond::registry::get_function(BYTECODE)?;
                let text = read.call(&[Bytes::from(&*bytes).into()])?.to::<Str>()?;
                Ok(Text(Cow::Owned(text.as_bytes().to_vec())))
            }
            Err(other) => Err(other),
        }
    }
}
