//! [`Vec`] and [`BTreeMap`]: arguments that are lists or dictionaries of objects of one class.

use std::borrow::Cow;
use std::marker::PhantomData;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;

/// The purpose of a list, in errors about its elements: the words of MLIR's bindings.
pub(crate) trait Purpose {
    /// An element.
    const ELEMENT: &'static str;
    /// The attempt that needs the list.
    const ATTEMPT: &'static str;
}

macro_rules! purposes {
    ($($name:ident: $element:literal to $attempt:literal,)*) => {$(
        pub(crate) struct $name;

        impl Purpose for $name {
            const ELEMENT: &'static str = $element;
            const ATTEMPT: &'static str = $attempt;
        }
    )*};
}

purposes! {
    ForArray: "attribute" to "create an ArrayAttribute",
    ForMap: "expression" to "create an AffineMap",
    ForSet: "expression" to "create an IntegerSet",
    ForDims: "expression" to "create an IntegerSet by replacing dimensions",
    ForSymbols: "expression" to "create an IntegerSet by replacing symbols",
}

/// A list of objects. An element of another class is an `ElementError`: a `TypeError`, and a
/// `RuntimeError` as with MLIR's bindings. Stubs go by the name, so it has that of the vector.
pub(crate) struct Vec<T, P>(pub(crate) std::vec::Vec<T>, pub(crate) PhantomData<P>);

/// `pairbond_ir.ElementError` in Python.
const ELEMENT: &str = "pairbond_ir.ElementError";

#[cold]
fn element_error(message: String) -> Error {
    Error::new(ErrorKind::Custom(ELEMENT.into()), message)
}

impl<'a, T: for<'b> FromValue<'b>, P: Purpose> FromValue<'a> for Vec<T, P> {
    fn expected_type() -> Cow<'static, str> {
        std::vec::Vec::<T>::expected_type()
    }

    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match std::vec::Vec::from_value(source) {
            Ok(all) => Ok(Vec(all, PhantomData)),
            Err(Mismatch::Inside(inner)) if matches!(inner.3, Mismatch::Type) => {
                let (at, expected, came, _) = *inner;
                let (element, attempt) = (P::ELEMENT, P::ATTEMPT);
                let none = if came == "None" { " (None?)" } else { "" };
                Err(element_error(format!(
                    "Invalid {element}{none} when attempting to {attempt}: \
                     the element {at}: expected {expected}, got {came}"
                ))
                .into())
            }
            Err(other) => Err(other),
        }
    }
}

/// The attributes of a new operation by their names. Stubs go by the name of the type.
pub(crate) struct BTreeMap<K, V>(Result<std::collections::BTreeMap<K, V>, Wrong>);

/// A key or value of another class: where it stands, the expected class, and the value.
struct Wrong {
    at: String,
    expected: String,
    came: String,
}

impl<K, V> BTreeMap<K, V> {
    /// Returns the attributes.
    ///
    /// # Errors
    /// `ElementError` for the first key or value of another class, with the words of MLIR's
    /// bindings about the operation called `name`.
    pub(crate) fn for_operation(self, name: &str) -> Result<std::collections::BTreeMap<K, V>> {
        self.0.map_err(|Wrong { at, expected, came }| {
            let key = at.strip_prefix("[str '").and_then(|it| it.strip_suffix("']"));
            let what = match key {
                None => "Invalid attribute key (not a string)".to_owned(),
                Some(key) if came == "None" => {
                    format!("Found an invalid (`None`?) attribute value for the key \"{key}\"")
                }
                Some(key) => format!("Invalid attribute value for the key \"{key}\""),
            };
            element_error(format!(
                "{what} when attempting to create the operation \"{name}\": \
                 expected {expected}, got {came}"
            ))
        })
    }
}

impl<'a, K, V> FromValue<'a> for BTreeMap<K, V>
where
    std::collections::BTreeMap<K, V>: FromValue<'a>,
{
    fn expected_type() -> Cow<'static, str> {
        std::collections::BTreeMap::<K, V>::expected_type()
    }

    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        match std::collections::BTreeMap::from_value(source) {
            Ok(all) => Ok(BTreeMap(Ok(all))),
            Err(Mismatch::Inside(inner)) if matches!(inner.3, Mismatch::Type) => {
                let (at, expected, came, _) = *inner;
                Ok(BTreeMap(Err(Wrong { at, expected, came })))
            }
            Err(other) => Err(other),
        }
    }
}
