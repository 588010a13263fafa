//! The list of this binary's own runtime.

use std::ffi::c_void;

use super::Tracked;
use crate::custody::Header;
use crate::fork::{StaticLocks, hold_over_forks};
use crate::memory::{Home, Thread, with_thread};

#[cfg(not(loom))]
static TRACKED: Tracked = Tracked::new();
/// Model-checked builds list no objects.
#[cfg(loom)]
static TRACKED: std::sync::LazyLock<Tracked> = std::sync::LazyLock::new(|| unreachable!());
/// How a model takes an object off a list of its own, as the functions of its table list it and
/// show the list.
#[cfg(loom)]
pub static UNTRACK: crate::sync::statics::Mutex<Option<fn(*mut Header)>> =
    crate::sync::statics::Mutex::new(None);

/// Takes an object off the list.
///
/// # Safety
/// An object that `track` listed.
#[inline]
pub(crate) unsafe fn untrack_object(thread: &Thread, object: *mut Header) {
    // SAFETY: the caller's object was listed by `track`.
    #[cfg(not(loom))]
    unsafe {
        TRACKED.remove(thread, object);
    }
    #[cfg(loom)]
    {
        let _ = thread;
        let untrack = *UNTRACK.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        untrack.expect("the model has a list")(object);
    }
}

pub(crate) unsafe extern "C" fn track_here(object: *mut Header, home: Home) -> bool {
    // SAFETY: a new object of a traced type; the thread that it was allocated on is this one.
    unsafe {
        match home.thread() {
            Some(thread) => TRACKED.add(thread, object),
            None => with_thread(|thread| TRACKED.add(thread, object)),
        }
    }
}

pub(crate) unsafe extern "C" fn walk_here(
    context: *mut c_void,
    shard: unsafe extern "C" fn(*mut c_void, *const *mut Header, usize),
    finish: unsafe extern "C" fn(*mut c_void),
) -> bool {
    survive_forks();
    TRACKED.walk_shards(
        // SAFETY: the caller's own functions and argument.
        |objects| unsafe { shard(context, objects.as_ptr(), objects.len()) },
        // SAFETY: the caller's own functions and argument.
        || unsafe { finish(context) },
    )
}

/// Makes the list's locks survive forks, and that of structures: who takes that has a node, which
/// was listed before.
pub(super) fn survive_forks() {
    hold_over_forks(StaticLocks::Tracked, || Some(Box::new(TRACKED.try_freeze()?)));
    super::structures::hold_structures_over_forks();
}
