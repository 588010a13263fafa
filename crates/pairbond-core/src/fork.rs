//! Forks while other threads run native code: [`Mutex`] and [`RwLock`], which a forked process
//! finds free.
//!
//! `fork` copies the calling thread only. A lock that another thread holds at that moment stays
//! held in the child for ever, and the guarded data may be half changed. Python programs fork with
//! the interpreter's lock, so it is native threads without it that matter here: passes, parsers,
//! destructors.
//!
//! # Promises
//! 1. The runtime's own locks, and those made of the types here, are taken by the forking thread
//!    before the fork, and given back on both sides. So in the child they are free, and the guarded
//!    data is whole.
//! 2. The forking thread never waits for one lock while it holds another: it tries all, and begins
//!    again if one is not to be had. So the order in which code nests locks does not matter.
//!    Binaries come one after the other, the last that joined first, the runtime's own last; a lock
//!    of an earlier binary must not be held while one of a later binary is waited for, which the
//!    layers see to.
//! 3. A mutable field ([`Cell`](crate::cell::Cell)) that another thread was changing at the moment
//!    of the fork is not usable in the child: using it panics there (`is_abandoned`) instead of
//!    waiting for ever. One that another thread was copying ([`Cell::get`](crate::cell::Cell::get))
//!    can be copied in the child, but not changed. Tables that all threads share and change
//!    therefore belong into a [`Mutex`].
//!
//! Where the system has no `pthread_atfork` (Windows) there is no fork either.
#![cfg_attr(any(loom, miri, not(unix)), allow(dead_code, reason = "nothing forks here"))]

use std::ops::Deref;
use std::sync::{Arc, MutexGuard, PoisonError, RwLockWriteGuard, TryLockError, TryLockResult, Weak};

use crate::sync::statics;

/// What the forking thread takes before and gives back afterwards.
trait Hold: Send + Sync {
    /// Takes the lock if it is free.
    fn try_hold(&self) -> bool;
    /// Gives it back.
    fn release_after_fork(&self);
}

/// The locks of this binary that were made so far.
static LOCKS: statics::Mutex<Vec<Weak<dyn Hold>>> = statics::Mutex::new(Vec::new());

/// The guard of a lock that is free. A lock is not worse for a panic under it: the guarded data is
/// changed in one go.
pub(crate) fn guard_if_free<G>(tried: TryLockResult<G>) -> Option<G> {
    match tried {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(PoisonError::into_inner(poisoned)),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The guards of the locks of one of [`StaticLocks`]; dropping it gives them back.
pub(crate) type Guards = Box<dyn std::any::Any>;

/// Locks in statics, in the order in which they are taken. Those of the last kind are held for a
/// few instructions at a time, and the forking thread waits for them.
#[derive(Clone, Copy)]
pub(crate) enum StaticLocks {
    Types,
    Functions,
    Observers,
    Allocators,
    Counts,
    Duties,
    Structures,
    Tracked,
    Blocks,
}

const KINDS: usize = StaticLocks::Blocks as usize + 1;

/// Takes all locks of one kind, or none.
type TryHold = fn() -> Option<Guards>;

/// A [`TryHold`] for each kind that is in use, and null for the others. No lock guards it: a forked
/// process finds it whole.
static STATICS: [statics::AtomicPtr<()>; KINDS] =
    [const { statics::AtomicPtr::new(std::ptr::null_mut()) }; KINDS];

/// Makes the locks of one kind survive forks from now on. The code that takes such a lock calls it
/// first, each time.
#[inline]
pub(crate) fn hold_over_forks(which: StaticLocks, try_hold: TryHold) {
    if STATICS[which as usize].load(statics::Ordering::Acquire).is_null() {
        note_kind(which, try_hold);
    }
}

/// Waits for a fork that is under way, which does not take these locks.
#[cold]
#[inline(never)]
fn note_kind(which: StaticLocks, try_hold: TryHold) {
    survive_forks();
    let _no_fork = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    STATICS[which as usize].store(try_hold as *mut (), statics::Ordering::Release);
}

/// Makes this binary's locks survive forks from now on.
pub(crate) fn survive_forks() {
    #[cfg(all(unix, not(any(miri, loom))))]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            // SAFETY: functions that may be called in either process. If there is no memory to note
            // them, forks are as without.
            let refused = unsafe {
                libc::pthread_atfork(
                    Some(handlers::before_fork),
                    Some(handlers::after_fork_in_parent),
                    Some(handlers::after_fork_in_child),
                )
            };
            // The mark has to change in the child.
            if refused == 0 {
                crate::sync::mark_readers();
            }
        });
    }
}

#[cfg(all(unix, not(any(miri, loom))))]
mod handlers {
    use std::time::Duration;

    use super::{Arc, Guards, Hold, KINDS, LOCKS, MutexGuard, STATICS, TryHold, Weak, guard_if_free};
    use crate::sync::statics::Ordering;

    type List = MutexGuard<'static, Vec<Weak<dyn Hold>>>;

    /// Locks that are held over a fork.
    struct Held {
        locks: Vec<Arc<dyn Hold>>,
        _list: List,
        statics: Statics,
    }

    /// Given back in the opposite order.
    struct Statics(Vec<Guards>);

    impl Drop for Statics {
        fn drop(&mut self) {
            while let Some(last) = self.0.pop() {
                drop(last);
            }
        }
    }

    impl Statics {
        fn try_hold() -> Option<Self> {
            let mut held = Statics(Vec::with_capacity(KINDS));
            for place in &STATICS {
                let try_hold = place.load(Ordering::Acquire);
                if !try_hold.is_null() {
                    // SAFETY: only `note_kind` stores here, and nothing but a `TryHold`.
                    let try_hold = unsafe { std::mem::transmute::<*mut (), TryHold>(try_hold) };
                    held.0.push(try_hold()?);
                }
            }
            Some(held)
        }
    }

    /// `None` but between `before_fork` and what comes after. Only the forking thread uses it.
    struct Slot(std::cell::UnsafeCell<Option<Held>>);
    // SAFETY: forks of a process come one after the other: the thread that has `LOCKS`, which
    // `Held` keeps, is the only one here.
    unsafe impl Sync for Slot {}
    static HELD: Slot = Slot(std::cell::UnsafeCell::new(None));

    fn try_all() -> Option<Held> {
        let list = guard_if_free(LOCKS.try_lock())?;
        let mut locks: Vec<Arc<dyn Hold>> = Vec::with_capacity(list.len());
        let all = list.iter().filter_map(Weak::upgrade).all(|lock| {
            let held = lock.try_hold();
            if held {
                locks.push(lock);
            }
            held
        });
        if let Some(statics) = all.then(Statics::try_hold).flatten() {
            return Some(Held {
                locks,
                _list: list,
                statics,
            });
        }
        locks.iter().for_each(|lock| lock.release_after_fork());
        None
    }

    pub(super) unsafe extern "C" fn before_fork() {
        let mut attempt = 0_u32;
        let held = loop {
            if let Some(held) = try_all() {
                break held;
            }
            attempt += 1;
            std::thread::sleep(Duration::from_micros(u64::from(attempt.min(20)) * 10));
        };
        // SAFETY: `LOCKS` is held: see `Slot`.
        unsafe { *HELD.0.get() = Some(held) };
    }

    pub(super) unsafe extern "C" fn after_fork_in_parent() {
        // SAFETY: on the thread that `before_fork` ran on, which holds `LOCKS`.
        let held = unsafe { (*HELD.0.get()).take() };
        if let Some(held) = held {
            drop(held.statics);
            held.locks.iter().for_each(|lock| lock.release_after_fork());
        }
    }

    pub(super) unsafe extern "C" fn after_fork_in_child() {
        crate::sync::mark_forked();
        // SAFETY: the only thread of its process, a copy of the one that `before_fork` ran on.
        unsafe { after_fork_in_parent() };
    }
}

/// Notes a lock, and forgets those that are gone.
fn note_lock<L: Hold + 'static>(lock: &Arc<L>) {
    survive_forks();
    let lock: Arc<dyn Hold> = lock.clone();
    let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    if locks.len() == locks.capacity() {
        locks.retain(|lock| lock.strong_count() != 0);
    }
    locks.push(Arc::downgrade(&lock));
}

/// A guard that the forking thread keeps in the lock itself.
struct Kept<G>(std::cell::UnsafeCell<Option<G>>);

// SAFETY: touched by the thread that holds the lock over a fork, and by no other.
unsafe impl<G> Sync for Kept<G> {}
// SAFETY: empty but during a fork, when nothing is moved.
unsafe impl<G> Send for Kept<G> {}

macro_rules! lock {
    ($(#[$doc:meta])* $name:ident, $inner:ident, $std:ident, $guard:ident, $try:ident) => {
        $(#[$doc])*
        pub struct $name<T: Send + Sync + 'static>(Arc<$inner<T>>);

        struct $inner<T: 'static> {
            lock: statics::$std<T>,
            kept: Kept<$guard<'static, T>>,
        }

        impl<T: Send + Sync + 'static> Hold for $inner<T> {
            fn try_hold(&self) -> bool {
                let guard = match self.lock.$try() {
                    Ok(guard) => guard,
                    Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                    Err(TryLockError::WouldBlock) => return false,
                };
                // SAFETY: `release` drops it while the forking thread keeps this lock by an `Arc`,
                // so it does not outlive the lock.
                let guard = unsafe { std::mem::transmute::<$guard<'_, T>, $guard<'static, T>>(guard) };
                // SAFETY: the lock is held.
                unsafe { *self.kept.0.get() = Some(guard) };
                true
            }
            fn release_after_fork(&self) {
                // SAFETY: on the thread that holds the lock since `try_hold`.
                drop(unsafe { (*self.kept.0.get()).take() });
            }
        }

        impl<T: Send + Sync + 'static> $name<T> {
            /// A lock with this value.
            #[must_use]
            pub fn new(value: T) -> Self {
                let inner = Arc::new($inner {
                    lock: statics::$std::new(value),
                    kept: Kept(std::cell::UnsafeCell::new(None)),
                });
                note_lock(&inner);
                $name(inner)
            }
        }

        /// The standard library's lock.
        impl<T: Send + Sync + 'static> Deref for $name<T> {
            type Target = statics::$std<T>;
            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.0.lock
            }
        }

        impl<T: Send + Sync + Default + 'static> Default for $name<T> {
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        impl<T: Send + Sync + std::fmt::Debug + 'static> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

lock! {
    /// A standard mutex that a forked process finds free, with its value whole. For tables that
    /// threads share.
    ///
    /// ```
    /// let names = pairbond_core::fork::Mutex::new(vec!["a"]);
    /// names.lock().unwrap().push("b");
    /// assert_eq!(names.lock().unwrap().len(), 2);
    /// ```
    Mutex, MutexInner, Mutex, MutexGuard, try_lock
}
lock! {
    /// A standard lock for readers and writers that a forked process finds free, with its value
    /// whole.
    ///
    /// ```
    /// let names = pairbond_core::fork::RwLock::new(vec!["a"]);
    /// names.write().unwrap().push("b");
    /// assert_eq!(names.read().unwrap().len(), 2);
    /// ```
    RwLock, RwLockInner, RwLock, RwLockWriteGuard, try_write
}
