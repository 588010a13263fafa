//! Locations from where the program is, while somebody wants to know
//! (`python/pairbond_ir/_tracebacks.py`).

use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond::prelude::*;

use super::create::Parts;
use crate::context::Context;
use crate::context::attributes::Location;

/// In Python: the location of a new operation, from the given one and the context.
const LOCATED: &str = "pairbond_ir.located";

/// How many `with` there are, on all threads.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// Begins or ends a `with`.
#[pairbond::function]
#[name("_trace_locations")]
pub(crate) fn trace_locations(begin: bool) {
    match begin {
        true => WANTED.fetch_add(1, Ordering::Relaxed),
        false => WANTED.fetch_sub(1, Ordering::Relaxed),
    };
}

/// Gives what Python makes the location where Python is. `around` is the context of where it is
/// going to stand.
///
/// # Errors
/// Those of Python.
#[inline]
pub(crate) fn infer_location(
    parts: &mut Parts<'_>,
    around: impl FnOnce() -> Option<Ref<Context>>,
) -> Result<()> {
    match WANTED.load(Ordering::Relaxed) {
        0 => Ok(()),
        _ => call_location_hook(parts, around()),
    }
}

#[cold]
fn call_location_hook(parts: &mut Parts<'_>, around: Option<Ref<Context>>) -> Result<()> {
    // Who has no context is told so where it is needed.
    let Ok(context) = parts.common_context(around) else {
        return Ok(());
    };
    let given = parts.location.clone().map_or(Any::None, Into::into);
    let located = pairbond::registry::get_function(LOCATED)?.call(&[given, context.into()])?;
    parts.location = located.to::<Option<Ref<Location>>>()?.map(Ref::upcast);
    Ok(())
}
