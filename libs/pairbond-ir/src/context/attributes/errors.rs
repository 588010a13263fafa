//! Errors at locations.

use pairbond::prelude::*;

use super::{Attribute, Location, place_of};
use crate::error;

/// An `IRError` about something that comes from a place.
#[cold]
pub(crate) fn wrong_at(location: Ref<Attribute>, what: &str) -> Error {
    let error = match place_of(&location) {
        Some(place) => error::error_at(&place, what, ""),
        None => error::ir_error(what),
    };
    error.with_field("location", location)
}

/// Returns the result of making a "type" or "attribute". An `IRError` is at a location if one is
/// given, and has the text of MLIR's bindings if none is.
///
/// # Errors
/// Those of `make`.
pub(crate) fn with_reported_errors<V>(
    location: Option<Ref<Location>>,
    kind: &str,
    make: impl FnOnce() -> Result<V>,
) -> Result<V> {
    make().map_err(|error| match location {
        _ if !error::is_ir(&error) => error,
        Some(location) => wrong_at(location.upcast(), error.message()),
        None => {
            let what = error.message();
            error::ir_error(format!("Invalid {kind}:\nerror: unknown: {what}")).with_field("message", what)
        }
    })
}
