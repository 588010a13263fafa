//! [`Cell`]: a field that changes while other threads look.

use std::cell::UnsafeCell;
use std::cmp::Ordering;
use std::fmt;
use std::mem::MaybeUninit;

use crate::sync::CellLock;

/// A mutable field of a native object, safe from any number of threads without a global lock.
///
/// Reads copy the value out under a one-byte lock of the field's own, writes swap it; the old value
/// is dropped after the lock is given back. The lock is held for the time of `T::clone` or of a
/// closure, so neither may use the same field again, call Python, or block.
///
/// ```
/// use pairbond_value::value::Cell;
///
/// let count = Cell::new(1);
/// count.set(2);
/// count.update(|n| *n += 1);
/// assert_eq!((count.get(), count.replace(7)), (3, 3));
/// assert_eq!(count.with(|n| n.to_string()), "7");
/// ```
// Libraries of C write and read a `Cell<Any>` themselves (`pb_cell_init`): the value comes first.
#[repr(C)]
pub struct Cell<T> {
    /// Initialised unless the lock is retired.
    value: UnsafeCell<MaybeUninit<T>>,
    /// Retired when the collector took the value, and `T` has no empty one; or while it is vacant
    /// (see the crate `pairbond-serial`).
    lock: CellLock,
}

// SAFETY: the lock makes accesses exclusive; values move between threads.
unsafe impl<T: Send> Sync for Cell<T> {}
// SAFETY: owns a `T` and nothing bound to a thread.
unsafe impl<T: Send> Send for Cell<T> {}

#[cold]
#[inline(never)]
fn panic_emptied() -> ! {
    panic!(
        "this field was emptied because its object was garbage in a reference cycle, or its object is still being made from data"
    )
}

struct Guard<'a>(&'a CellLock);

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.unlock();
    }
}

impl<T> Cell<T> {
    /// A field with this value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Cell {
            lock: CellLock::new(),
            value: UnsafeCell::new(MaybeUninit::new(value)),
        }
    }

    /// A field whose value comes later: until then it cannot be read, and collectors pass it by.
    #[doc(hidden)]
    pub fn vacant() -> Self {
        Cell {
            lock: CellLock::vacant(),
            value: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// Whether there is no value.
    #[doc(hidden)]
    pub fn is_vacant(&self) -> bool {
        self.lock.is_retired()
    }

    /// Puts the value into a vacant field; another keeps its value.
    #[doc(hidden)]
    pub fn fill(&self, value: T) {
        if self.lock.revive() {
            let _guard = Guard(&self.lock);
            // SAFETY: the lock is held, and there is no value.
            unsafe { (*self.value.get()).write(value) };
        }
    }

    #[inline(always)]
    fn with_locked<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        if !self.lock.lock() {
            panic_emptied();
        }
        let _guard = Guard(&self.lock);
        // SAFETY: the lock is held.
        unsafe { f((*self.value.get()).assume_init_mut()) }
    }

    /// A copy of the value. Copying it is no change of the field for a process that is forked
    /// meanwhile.
    #[inline]
    pub fn get(&self) -> T
    where
        T: Clone + Sync,
    {
        if !self.lock.lock_to_read() {
            return self.get_left();
        }
        let _guard = Guard(&self.lock);
        // SAFETY: the lock is held.
        unsafe { self.value_under_lock() }.clone()
    }

    /// A copy of the value of a field that a thread copied when the process was forked.
    #[cold]
    #[inline(never)]
    fn get_left(&self) -> T
    where
        T: Clone + Sync,
    {
        if !self.lock.is_left_by_reader() {
            panic_emptied();
        }
        // SAFETY: there is a value, for a thread was reading it, and it is never changed again, for
        // the lock is never free again. Threads may look at the same time.
        unsafe { self.value_under_lock() }.clone()
    }

    /// Stores a value; the old one is dropped.
    #[inline]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Stores a value and returns the old one.
    #[inline]
    pub fn replace(&self, value: T) -> T {
        self.with_locked(|place| std::mem::replace(place, value))
    }

    /// Takes the value and leaves the default.
    pub fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }

    /// Looks at the value in place, under the lock.
    #[inline]
    pub fn with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        self.with_locked(|value| look(value))
    }

    /// Changes the value in place, under the lock.
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        self.with_locked(change)
    }

    /// Where the lock and the value are, for collectors, which read them by a plan.
    pub(crate) const LOCK_AT: usize = std::mem::offset_of!(Cell<T>, lock);
    /// See [`LOCK_AT`](Self::LOCK_AT).
    pub(crate) const VALUE_AT: usize = std::mem::offset_of!(Cell<T>, value);

    /// The lock, for collectors, which may take it on one thread and give it back later.
    #[inline]
    pub(crate) fn own_lock(&self) -> &CellLock {
        &self.lock
    }

    /// The value.
    ///
    /// # Safety
    /// The lock is held for as long as the value is looked at, and it is not retired.
    #[inline]
    pub(crate) unsafe fn value_under_lock(&self) -> &T {
        // SAFETY: the lock is held, and there is a value, which the caller ensures.
        unsafe { (*self.value.get()).assume_init_ref() }
    }

    /// Takes the value, for a collector: what `take` leaves another value for, or else the value
    /// itself, and the field is empty from then on. `None`: it was emptied before. The caller drops
    /// the value, outside of the lock.
    pub(crate) fn take_or_empty(&self, take: impl FnOnce(&mut T) -> Option<T>) -> Option<T> {
        if !self.lock.lock() {
            return None;
        }
        let guard = Guard(&self.lock);
        // SAFETY: the lock is held; a value that is read out is never read again.
        unsafe {
            let value = &mut *self.value.get();
            let taken = take(value.assume_init_mut());
            if taken.is_some() {
                return taken;
            }
            let taken = value.assume_init_read();
            std::mem::forget(guard);
            self.lock.retire();
            Some(taken)
        }
    }

    /// The value of a field that is not shared.
    ///
    /// # Panics
    /// When the collector emptied it (in the destructor of an object that was garbage in a cycle).
    pub fn get_mut(&mut self) -> &mut T {
        if self.lock.is_retired() {
            panic_emptied();
        }
        // SAFETY: the lock is not retired.
        unsafe { self.value.get_mut().assume_init_mut() }
    }
}

impl<T> Drop for Cell<T> {
    fn drop(&mut self) {
        if !self.lock.is_retired() {
            // SAFETY: dropped once; the value was not taken.
            unsafe { self.value.get_mut().assume_init_drop() }
        }
    }
}

impl<T: Default> Default for Cell<T> {
    fn default() -> Self {
        Cell::new(T::default())
    }
}

impl<T> From<T> for Cell<T> {
    fn from(value: T) -> Self {
        Cell::new(value)
    }
}

/// Another field with a copy of the value, as of the standard library's cells.
impl<T: Clone + Sync> Clone for Cell<T> {
    fn clone(&self) -> Self {
        Cell::new(self.get())
    }
}

/// By copies of the values: neither lock is held while they are compared.
impl<T: Clone + Sync + PartialEq> PartialEq for Cell<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Clone + Sync + Eq> Eq for Cell<T> {}

/// As [`PartialEq`].
impl<T: Clone + Sync + PartialOrd> PartialOrd for Cell<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

/// As [`PartialEq`].
impl<T: Clone + Sync + Ord> Ord for Cell<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.get().cmp(&other.get())
    }
}

impl<T: fmt::Debug> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with(|value| value.fmt(f))
    }
}

#[cfg(all(test, target_os = "linux", not(any(miri, loom))))]
mod tests {
    use super::Cell;
    use crate::sync::statics::{AtomicBool, AtomicUsize, Ordering};

    /// Threads that are in `clone` or `update`, and whether they may go on.
    static INSIDE: AtomicUsize = AtomicUsize::new(0);
    static GO_ON: AtomicBool = AtomicBool::new(false);

    fn wait() {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        while !GO_ON.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    }

    struct Slow(u32);

    impl Clone for Slow {
        fn clone(&self) -> Self {
            wait();
            Slow(self.0)
        }
    }

    #[test]
    fn a_forked_process_reads_what_a_thread_was_copying() {
        crate::fork::survive_forks();
        let (copied, changed) = (Cell::new(Slow(7)), Cell::new(8));
        let status = std::thread::scope(|scope| {
            scope.spawn(|| copied.get());
            scope.spawn(|| changed.update(|_| wait()));
            while INSIDE.load(Ordering::SeqCst) != 2 {
                std::thread::yield_now();
            }
            // SAFETY: the child calls nothing that other threads may have locked but the two
            // fields, and ends; if it waits for good, by the alarm.
            let status = unsafe {
                match libc::fork() {
                    0 => {
                        libc::alarm(20);
                        GO_ON.store(true, Ordering::SeqCst);
                        let reads = copied.get().0 == 7 && copied.get().0 == 7;
                        let is_kept = !copied.lock.try_lock() && copied.lock.is_left_by_reader();
                        let is_changing = !changed.lock.is_left_by_reader();
                        libc::_exit(i32::from(!(reads && is_kept && is_changing)))
                    }
                    child => {
                        let mut status = -1;
                        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                        status
                    }
                }
            };
            GO_ON.store(true, Ordering::SeqCst);
            status
        });
        assert_eq!(status, 0, "the child reads the one, and not the other");
        assert!(copied.lock.is_free() && changed.lock.is_free());
    }
}
