//! [`RawAny`]: a value of any kind, as the core passes it on.
//!
//! Frontends are called with values and return them, and errors carry them. The core copies them,
//! drops them and hands them on; it reads a truth value, an integer and an error. Strings,
//! functions, containers and conversions are in the crate `pairbond-value`, whose `Any` is such a
//! cell: it has the same layout and the same kinds ([`Holds`]).

use crate::object::Trace;
use crate::raw::{RawAny, Unread};
use crate::types::Tracer;

// SAFETY: at most one owned reference, shown once.
unsafe impl Trace for RawAny {
    const TRACED: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        match self {
            RawAny::Object(object) => object.trace(tracer),
            RawAny::Function(Unread(function)) => function.trace(tracer),
            RawAny::Foreign(object) => object.trace(tracer),
            _ => {}
        }
    }
    fn take_edges(&mut self) -> Option<Self> {
        Some(std::mem::take(self))
    }
}
