//! [`Guarded`]: a field of a node that the lock of all trees guards.

use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::mem::MaybeUninit;

use super::guard::{Found, TreeGuard, with_lock};
use super::lock::{lock_trees, tracer_lock};
use pairbond_core::trace::{Reach, Trace, Tracer};

/// A mutable field like [`Cell`](pairbond_value::value::Cell), which costs nothing to look at where
/// trees are [held still](with_lock) already, and changes together with the places of nodes and
/// with other such fields. By itself each access takes the lock of all trees.
///
/// A field must not be looked at again meanwhile, the lock must not be taken again, and no
/// reference may be dropped: the rules of [`with_lock`] hold for each function that is given to
/// one.
///
/// ```
/// # use pairbond_tree::{Guarded, with_lock};
/// let (a, b) = (Guarded::new(1), Guarded::new(2));
/// let sum = with_lock(|guard| a.with_in(guard, |a| b.with_in(guard, |b| a + b)));
/// assert_eq!((sum, a.replace(5), a.get()), (3, 1, 5));
/// ```
///
/// A small value of type `S` may lie beside it, which takes no room where the alignment of `T`
/// leaves some.
pub struct Guarded<T, S = ()> {
    state: Cell<State>,
    /// Under the lock.
    small: Cell<S>,
    /// Initialised unless the state is [`State::Emptied`].
    value: UnsafeCell<MaybeUninit<T>>,
}

/// Under the lock, as all of the field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    /// Somebody looks at it: the holder of the lock.
    Used,
    /// A collector took the value.
    Emptied,
}

// SAFETY: the lock makes accesses exclusive; values move between threads.
unsafe impl<T: Send, S: Send> Sync for Guarded<T, S> {}
// SAFETY: owns a `T` and nothing bound to a thread.
unsafe impl<T: Send, S: Send> Send for Guarded<T, S> {}

/// Frees the field, also when the function panics.
struct Using<'a>(&'a Cell<State>);

impl Drop for Using<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.set(State::Free);
    }
}

#[cold]
#[inline(never)]
fn panic_in_use(state: State) -> ! {
    match state {
        State::Emptied => {
            panic!("this field was emptied because its object was garbage in a reference cycle")
        }
        _ => panic!("this field is being looked at already"),
    }
}

impl<T> Guarded<T> {
    /// A field with this value.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Guarded::beside(value, ())
    }
}

impl<T, S> Guarded<T, S> {
    /// A field with this value, and a small one beside it.
    #[must_use]
    pub const fn beside(value: T, small: S) -> Self {
        Guarded {
            state: Cell::new(State::Free),
            small: Cell::new(small),
            value: UnsafeCell::new(MaybeUninit::new(value)),
        }
    }

    /// The small value, where trees are held still; also while the other is being looked at.
    #[inline]
    pub fn small_in(&self, guard: &TreeGuard) -> S
    where
        S: Copy,
    {
        debug_assert!(guard.is_held());
        self.small.get()
    }

    /// Stores a small value, where trees are held still.
    #[inline]
    pub fn set_small_in(&self, guard: &TreeGuard, small: S)
    where
        S: Copy,
    {
        debug_assert!(guard.is_held());
        self.small.set(small);
    }

    /// Changes the value in place, where trees are held still.
    ///
    /// # Panics
    /// When the field is being looked at, or was emptied by a collector.
    #[inline]
    pub fn update_in<R>(&self, guard: &TreeGuard, change: impl FnOnce(&mut T) -> R) -> R {
        debug_assert!(guard.is_held());
        self.use_locked(change)
    }

    /// Under the lock.
    #[inline]
    fn use_locked<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        if self.state.get() != State::Free {
            panic_in_use(self.state.get());
        }
        self.state.set(State::Used);
        let _using = Using(&self.state);
        // SAFETY: the lock is held, and its holder does not use the field already.
        unsafe { change((*self.value.get()).assume_init_mut()) }
    }

    /// Looks at the value, where trees are held still.
    ///
    /// # Panics
    /// As [`update_in`](Self::update_in).
    #[inline]
    pub fn with_in<R>(&self, guard: &TreeGuard, see: impl FnOnce(&T) -> R) -> R {
        self.update_in(guard, |value| see(value))
    }

    /// Looks at the value beside a node that was found, which shows that trees are held still.
    ///
    /// # Panics
    /// As [`update_in`](Self::update_in).
    #[inline]
    pub fn with_at<U, R>(&self, _: Found<'_, U>, see: impl FnOnce(&T) -> R) -> R {
        self.use_locked(|value| see(value))
    }

    /// Changes the value in place.
    ///
    /// # Panics
    /// As [`update_in`](Self::update_in).
    #[inline]
    pub fn update<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        with_lock(|guard| self.update_in(guard, change))
    }

    /// Looks at the value.
    ///
    /// # Panics
    /// As [`update_in`](Self::update_in).
    #[inline]
    pub fn with<R>(&self, see: impl FnOnce(&T) -> R) -> R {
        with_lock(|guard| self.with_in(guard, see))
    }

    /// A copy of the value.
    #[inline]
    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// Stores a value and returns the old one.
    #[inline]
    pub fn replace(&self, value: T) -> T {
        self.update(|place| std::mem::replace(place, value))
    }

    /// Stores a value; the old one is dropped when the lock is given back.
    #[inline]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }
}

impl<T, S> Drop for Guarded<T, S> {
    fn drop(&mut self) {
        if self.state.get() != State::Emptied {
            // SAFETY: dropped once; the value was not taken.
            unsafe { self.value.get_mut().assume_init_drop() }
        }
    }
}

impl<T: Default> Default for Guarded<T> {
    fn default() -> Self {
        Guarded::new(T::default())
    }
}

impl<T: fmt::Debug, S> fmt::Debug for Guarded<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with(|value| value.fmt(f))
    }
}

// SAFETY: the value's references are shown under the lock, which the walk's owner gives back.
unsafe impl<T: Trace, S> Trace for Guarded<T, S> {
    const TRACED: bool = T::TRACED;

    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        if T::TRACED && tracer.lock(tracer_lock()) && self.state.get() == State::Free {
            // SAFETY: the lock is held.
            unsafe { (*self.value.get()).assume_init_ref().trace(tracer) }
        }
    }

    fn visit_reachable(reach: &mut Reach) {
        T::visit_reachable(reach);
    }

    fn clear(&self) {
        if !T::TRACED {
            return;
        }
        let taken = {
            let _locked = lock_trees();
            if self.state.get() != State::Free {
                return;
            }
            // SAFETY: the lock is held; a value that is read out is never read again.
            unsafe {
                let value = &mut *self.value.get();
                value.assume_init_mut().take_edges().unwrap_or_else(|| {
                    self.state.set(State::Emptied);
                    value.assume_init_read()
                })
            }
        };
        drop(taken);
    }
}
