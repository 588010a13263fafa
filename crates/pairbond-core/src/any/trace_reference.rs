//! Showing a collector the reference in a [`RawAny`].

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
