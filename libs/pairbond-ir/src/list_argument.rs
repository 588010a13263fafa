//! [`Vec`]: an argument that is a list of objects of one class.

use std::borrow::Cow;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

/// A list of objects. An element of another class is an `ElementError`: a `TypeError`, and a
/// `RuntimeError` as with MLIR's bindings. Stubs go by the name, so it has that of the vector.
pub(crate) struct Vec<T>(pub(crate) std::vec::Vec<T>);

/// `pairbond_ir.ElementError` in Python.
const ELEMENT: &str = "pairbond_ir.ElementError";

impl<'a, T: for<'b> FromValue<'b>> FromValue<'a> for Vec<T> {
    fn expected() -> Cow<'static, str> {
        std::vec::Vec::<T>::expected()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match std::vec::Vec::from_value(source) {
            Ok(all) => Ok(Vec(all)),
            Err(Mismatch::Inside(inner)) if matches!(inner.3, Mismatch::Type) => {
                let (at, expected, came, mismatch) = *inner;
                let error = mismatch.explain(|| format!("the element {at}"), &expected, || came.clone());
                Err(error.with_kind(ErrorKind::Custom(ELEMENT.into())).into())
            }
            Err(other) => Err(other),
        }
    }
}
