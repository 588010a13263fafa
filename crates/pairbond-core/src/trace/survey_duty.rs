//! [`Duty`]: what references that were dropped during a survey left to do, kept until foreign code
//! may run.

use std::ptr::NonNull;
use std::sync::PoisonError;

use crate::fork::{Guards, StaticLocks, guard_if_free, hold_over_forks};
use crate::object::{Header, Released};
use crate::sync::statics::{Mutex, MutexGuard};
use crate::types::TypeFlags;

/// A reference was dropped while its object was watched, and no other thread has the duty.
pub(super) struct Duty(NonNull<Header>, Released);

// SAFETY: the duty is done once, by the thread that takes it; objects bound to a thread are leaked
// instead (see `settle`).
unsafe impl Send for Duty {}

static PENDING: Mutex<Vec<Duty>> = Mutex::new(Vec::new());

/// The lock of pending duties, if it is free: for a fork.
fn try_hold() -> Option<Guards> {
    Some(Box::new(guard_if_free(PENDING.try_lock())?))
}

fn lock_pending() -> MutexGuard<'static, Vec<Duty>> {
    hold_over_forks(StaticLocks::Duties, try_hold);
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps duties until [`drain_deferred`].
pub(super) fn defer_duties(duties: Vec<Duty>) {
    if !duties.is_empty() {
        lock_pending().extend(duties);
    }
}

/// Does what references that were dropped during a survey left to do: destroys objects, releases
/// wrappers. Returns their number.
///
/// A frontend calls it when its collection is over and foreign code may run; never from a
/// traversal. Any thread may, attached or not.
pub fn drain_deferred() -> usize {
    let duties = std::mem::take(&mut *lock_pending());
    let count = duties.len();
    for duty in duties {
        duty.run_release_action();
    }
    count
}

impl Duty {
    pub(super) fn new(object: *mut Header, duty: Released) -> Self {
        Duty(NonNull::new(object).expect("a listed object"), duty)
    }

    pub(super) fn run_release_action(self) {
        let Duty(object, released) = self;
        match released {
            Released::Shared => {}
            // SAFETY: the protocol gave the duty to the survey, which passed it on once.
            destroy @ Released::Destroy => unsafe {
                // Its own thread dropped it in the moment of the survey, and no other may destroy
                // it: leaked.
                if object.as_ref().info().flags().contains(TypeFlags::THREAD_SAFE) {
                    crate::object::run_release_action(object, destroy);
                }
            },
            // SAFETY: the duty is done once.
            handed @ Released::HandedOver(_) => unsafe { crate::object::run_release_action(object, handed) },
        }
    }
}
