//! Tracing fields that change.

use super::{Reach, Trace};
use crate::cell::Cell;
use crate::types::{Plan, Tracer};

// SAFETY: the value's references are shown under the lock, which the walk's owner gives back.
unsafe impl<T: Trace> Trace for Cell<T> {
    const TRACED: bool = T::TRACED;
    const PLAN: Plan = T::PLAN.behind_lock(Self::LOCK_AT, Self::VALUE_AT);

    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        if T::TRACED && !self.own_lock().is_retired() && tracer.lock(self.own_lock()) {
            // SAFETY: the lock is held, and it is not retired.
            unsafe { self.value_under_lock() }.trace(tracer);
        }
    }

    fn visit_reachable(reach: &mut Reach) {
        T::visit_reachable(reach);
    }

    fn clear(&self) {
        if T::TRACED {
            drop(self.take_or_empty(T::take_edges));
        }
    }
}
