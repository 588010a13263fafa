//! `uuid`: `Uuid` is `uuid.UUID`.

use uuid::Uuid;

use crate::convert::library_values::convert;
use crate::convert::{Mismatch, Part};
use crate::value::Any;

convert! {
    Uuid, "uuid.UUID", |source| match &source.read_parts("uuid.UUID", &["bytes"])?[..] {
        [Any::Bytes(bytes)] => Uuid::from_slice(bytes).map_err(|_| Mismatch::Type),
        _ => Err(Mismatch::Type),
    }, |value, out| {
        let bytes = Part::Value(Any::Bytes(value.as_bytes()[..].into()));
        out.write_constructed("uuid.UUID", &[Part::Keyword("bytes", &bytes)])
    };
}
