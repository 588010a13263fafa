//! The runtime's own locks over a fork: which they are, and how they are taken together
//! (`crate::fork` has the promises).

use std::sync::{PoisonError, TryLockError, TryLockResult};

use super::{ALLOCATORS, FUNCTIONS, OBSERVERS, STRUCTURE_LOCK, TRACKED, TYPES};
use crate::fork::Statics;

/// The guard of a lock that is free. A lock is not worse for a panic under it: the guarded data is
/// changed in one go.
pub(crate) fn guard_if_free<G>(tried: TryLockResult<G>) -> Option<G> {
    match tried {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(PoisonError::into_inner(poisoned)),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// All guards, dropped in this order.
type Held = Box<dyn std::any::Any>;

/// Empty but over a fork.
struct Slot(std::cell::UnsafeCell<Option<Held>>);
// SAFETY: written by the forking thread only, and forks come one after the other (`crate::fork`).
unsafe impl Sync for Slot {}
static HELD: Slot = Slot(std::cell::UnsafeCell::new(None));

/// The lock of all structures, given back when this is dropped.
struct Structures;

impl Drop for Structures {
    fn drop(&mut self) {
        STRUCTURE_LOCK.unlock();
    }
}

fn try_all() -> Option<Held> {
    let types = TYPES.try_hold()?;
    let functions = FUNCTIONS.try_hold()?;
    let observers = OBSERVERS.try_hold()?;
    let allocators = ALLOCATORS.try_hold()?;
    let counts = crate::memory::counts::try_hold()?;
    let duties = crate::trace::duty::try_hold()?;
    // Not `then_some`, which would make one to be dropped, and so give back what another thread
    // has.
    let structures = STRUCTURE_LOCK.try_lock().then(|| Structures)?;
    let tracked = TRACKED.try_freeze()?;
    Some(Box::new((
        tracked, structures, duties, counts, allocators, observers, functions, types,
    )))
}

fn try_hold() -> bool {
    let held = try_all();
    let all = held.is_some();
    // SAFETY: only the forking thread comes here (see `Slot`).
    unsafe { *HELD.0.get() = held };
    all
}

fn release_all() {
    // SAFETY: only the forking thread comes here (see `Slot`).
    drop(unsafe { (*HELD.0.get()).take() });
}

/// The runtime's locks survive forks from now on: those of memory first, so that they are taken
/// last.
pub(crate) fn survive_forks() {
    crate::memory::survive_forks();
    crate::fork::survive_forks(Some(Statics {
        try_hold,
        release: release_all,
    }));
}
