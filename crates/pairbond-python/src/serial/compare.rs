//! Structural equality, hash and order, and JSON, as Python's functions.

use pairbond_core::error::Error;
use pairbond_macros::function;
use pairbond_serial as serial;
use pairbond_value::value::{Any, Function, function_names, get_function};

/// Whether two values are equal in all that they consist of: the same types, and equal fields,
/// however deep one looks. Cycles are compared, too. What only Python has attached to objects is
/// not.
#[function(crate = crate::expansion)]
pub(super) fn structural_equal(a: Any, b: Any) -> Result<bool, Error> {
    serial::structural_equal(&a, &b)
}

/// A hash of all that a value consists of: values that are structurally equal hash alike.
#[function(crate = crate::expansion)]
pub(super) fn structural_hash(value: Any) -> Result<i64, Error> {
    serial::structural_hash(&value).map(|hash| hash as i64)
}

/// The order of two objects whose type has one (`ordered`), or of lists and tuples of such: -1, 0
/// or 1.
#[function(crate = crate::expansion)]
pub(super) fn structural_compare(a: Any, b: Any) -> Result<i64, Error> {
    serial::structural_cmp(&a, &b).map(|order| order as i64)
}

/// An object and everything that it leads to, as JSON. One object stays one, and cycles stay
/// cycles.
#[function(crate = crate::expansion)]
pub(super) fn to_json(value: Any) -> Result<String, Error> {
    serial::to_json(&value)
}

/// The objects of such a text.
#[function(crate = crate::expansion)]
pub(super) fn from_json(text: &str) -> Result<Any, Error> {
    let mut loader = serial::loader_of_json(text)?;
    loader.load_all()?;
    super::load_graph::complete(&loader)?;
    loader.take_root()
}

/// The name under which a native function is registered.
#[function(crate = crate::expansion)]
#[name("_function_name")]
pub(super) fn function_name(function: Function) -> Option<String> {
    function_names()
        .into_iter()
        .find(|name| get_function(name).is_ok_and(|other| other.is(&function)))
}
