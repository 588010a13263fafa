//! How many objects of each type are alive, and how many of them have a wrapper.
//!
//! Every thread counts for itself, in an array that only it writes, with plain loads and stores; a
//! reader adds the threads up. An object may be made on one thread and die on another, so that a
//! thread's numbers mean nothing by themselves and may be negative.
//!
//! The list of threads is locked when a thread begins to count, meets a type that its array has no
//! place for, or ends, and by readers; never on the path of an object. The counts of a thread that
//! ends go to the types themselves, and so do those that it still makes while its thread-locals are
//! being destroyed, and those that there is no memory for.

use std::cell::Cell;
use std::collections::TryReserveError;
use std::ptr;

use super::memory_table;
use super::thread::register_closer;
use crate::fork::{Guards, StaticLocks, guard_if_free, hold_over_forks};
use crate::sync::statics::{AtomicIsize, Mutex, Ordering};
use crate::types::TypeInfo;

/// What one type has: objects that are alive, and wrappers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Count {
    /// Objects whose value is not destroyed.
    pub objects: isize,
    /// Those that have a wrapper.
    pub wrappers: isize,
}

/// The unit that is counted: a type, and in the low bit of its address (which its alignment leaves
/// free) whether a wrapper comes or goes with the object. Null counts nothing.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Counted(*const TypeInfo);

impl Counted {
    const WRAPPED: usize = 1;

    /// Nothing.
    pub(crate) const NOTHING: Counted = Counted(ptr::null());

    /// An object, and its wrapper if it has one.
    #[inline]
    pub(crate) fn of_object(info: &'static TypeInfo, wrapped: bool) -> Self {
        Counted(ptr::from_ref(info).map_addr(|a| a | usize::from(wrapped)))
    }

    #[inline]
    fn type_info(self) -> Option<&'static TypeInfo> {
        // SAFETY: null or a registered type, which lives for the process.
        unsafe { self.0.map_addr(|a| a & !Self::WRAPPED).as_ref() }
    }

    #[inline]
    fn wrapper_count(self) -> isize {
        (self.0.addr() & Self::WRAPPED) as isize
    }
}

impl TypeInfo {
    /// Objects alive now, over all threads, and how many of them have a wrapper. Exact when no
    /// thread makes or destroys any meanwhile.
    #[must_use]
    pub fn object_count(&self) -> Count {
        let mut count = Count::default();
        // SAFETY: a registered type, and a place for the count.
        unsafe { (memory_table().counted)(self, &mut count) };
        count
    }

    /// Objects alive now.
    #[must_use]
    pub fn live_count(&self) -> isize {
        self.object_count().objects
    }
}

/// A count that one thread at a time writes: its own thread, or the holder of the list.
#[derive(Default)]
struct Place {
    objects: AtomicIsize,
    wrappers: AtomicIsize,
}

impl Place {
    #[inline]
    fn add(&self, objects: isize, wrappers: isize) {
        let count = |place: &AtomicIsize, by: isize| {
            place.store(place.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
        };
        count(&self.objects, objects);
        if wrappers != 0 {
            count(&self.wrappers, wrappers);
        }
    }

    fn current_count(&self) -> Count {
        Count {
            objects: self.objects.load(Ordering::Relaxed),
            wrappers: self.wrappers.load(Ordering::Relaxed),
        }
    }
}

/// What a thread has counted, by the index of the type.
pub(crate) struct Mine {
    places: Cell<*const Place>,
    /// How many; 0 also before the thread's first object and after its end.
    len: Cell<usize>,
    ended: Cell<bool>,
}

impl Mine {
    pub(crate) const fn new() -> Self {
        Mine {
            places: Cell::new(ptr::null()),
            len: Cell::new(0),
            ended: Cell::new(false),
        }
    }

    /// Counts `by` (1 or −1) of what there is one of.
    #[inline]
    pub(crate) fn add_count(&self, what: Counted, by: isize) {
        let Some(info) = what.type_info() else { return };
        self.add(info, by, by * what.wrapper_count());
    }

    #[inline]
    pub(crate) fn add(&self, info: &'static TypeInfo, objects: isize, wrappers: isize) {
        let index = info.index();
        if index < self.len.get() {
            // SAFETY: within the array, which only this thread replaces.
            unsafe { &*self.places.get().add(index) }.add(objects, wrappers);
        } else {
            self.add_first(info, objects, wrappers);
        }
    }

    /// The first object of a type on this thread, or one after the thread's end. Without memory for
    /// a larger array the type itself counts it.
    #[cold]
    #[inline(never)]
    fn add_first(&self, info: &'static TypeInfo, objects: isize, wrappers: isize) {
        if self.ended.get()
            || (self.len.get() == 0 && !register_closer())
            || self.grow_array(info.index() + 1).is_err()
        {
            info.settle_count(objects, wrappers);
            return;
        }
        self.add(info, objects, wrappers);
    }

    fn grow_array(&self, len: usize) -> Result<(), TryReserveError> {
        let mut threads = lock_threads();
        let len = len.next_power_of_two().max(64);
        let mut new = Vec::new();
        new.try_reserve_exact(len)?;
        threads.0.try_reserve(1)?;
        new.resize_with(len, Place::default);
        let old = self.replace_array(&mut threads, new.into_boxed_slice());
        for (new, old) in threads.0.last().expect("just added").iter().zip(&old) {
            let Count { objects, wrappers } = old.current_count();
            new.add(objects, wrappers);
        }
        Ok(())
    }

    /// Lists `new` as this thread's array in the place of the one before, which is returned.
    fn replace_array(&self, threads: &mut Threads, new: Box<[Place]>) -> Box<[Place]> {
        let old = threads
            .0
            .iter()
            .position(|places| ptr::eq(places.as_ptr(), self.places.get()));
        let old = old.map_or_else(Box::default, |at| threads.0.swap_remove(at));
        self.len.set(new.len());
        if new.is_empty() {
            self.places.set(ptr::null());
        } else {
            threads.0.push(new);
            self.places.set(threads.0.last().expect("just added").as_ptr());
        }
        old
    }

    /// The thread ends: the types keep its counts.
    pub(super) fn end_thread(&self) {
        self.ended.set(true);
        let mut threads = lock_threads();
        let places = self.replace_array(&mut threads, Box::default());
        let mut places = places.iter();
        crate::types::each_type(|info| {
            if let Some(place) = places.next() {
                let Count { objects, wrappers } = place.current_count();
                info.settle_count(objects, wrappers);
            }
        });
    }
}

/// The arrays of the threads that count.
struct Threads(Vec<Box<[Place]>>);

static THREADS: Mutex<Threads> = Mutex::new(Threads(Vec::new()));

/// The lock of the arrays, if it is free: for who forks.
fn try_hold() -> Option<Guards> {
    Some(Box::new(guard_if_free(THREADS.try_lock())?))
}

fn lock_threads() -> std::sync::MutexGuard<'static, Threads> {
    hold_over_forks(StaticLocks::Counts, try_hold);
    THREADS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The current count of a type, over all threads. Exact when no other thread makes or destroys
/// objects meanwhile.
pub(crate) fn current_count(info: &TypeInfo) -> Count {
    let threads = lock_threads();
    let (objects, wrappers) = info.settled_count();
    let mut sum = Count { objects, wrappers };
    for place in threads.0.iter().filter_map(|places| places.get(info.index())) {
        let Count { objects, wrappers } = place.current_count();
        sum.objects += objects;
        sum.wrappers += wrappers;
    }
    sum
}
