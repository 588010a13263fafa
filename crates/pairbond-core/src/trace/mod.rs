//! Enumerating the references that objects own, and collecting the cycles that they form.

mod visit;

pub use visit::{Trace, Tracer, TracerTable};
