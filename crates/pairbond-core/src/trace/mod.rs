//! Enumerating the references that objects own, and collecting the cycles that they form.
//!
//! * `visit` – [`Trace`]: what a type tells a collector about itself.
//! * `tracked` – the list of all objects of traced types.

mod tracked;
mod visit;

pub(crate) use tracked::Tracked;
pub use visit::{Trace, Tracer, TracerTable};
