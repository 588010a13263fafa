//! [`Shard`]: the listed objects that one thread made.
//!
//! An array of places. Its owner lists and unlists with plain loads and stores, inside its door of
//! the [`Gate`](super::gate). An object destroyed by another thread goes through `returned`, under
//! a lock: the number of a place that the owner may use again. Between the two neither needs the
//! other's writes: an object stays in its place until it is unlisted, unless everything is moved
//! together.
//!
//! | what | who may touch it |
//! |---|---|
//! | `places` | who is inside by the shard's door, or the walker |
//! | `returned` | who holds its lock |
//! | `index` of an object's prefix | written by who may touch `places` *and* holds the lock; read by who has either |

use std::cell::UnsafeCell;
use std::ptr::without_provenance_mut;

use super::gate::Door;
use crate::custody::{Header, Prefix};
use crate::sync::prefetch;
use crate::sync::statics::{AtomicUsize, Mutex, MutexGuard, Ordering};

/// No free place.
const NONE: usize = usize::MAX >> 1;
/// The shard of an object that no memory was found to list: it is in none.
pub(super) const UNLISTED: u32 = u32::MAX;
/// Free places that are not worth the trouble of moving everything.
const SPARSE: usize = 1024;
/// Places of a shard.
const MOST: usize = u32::MAX as usize - 1;

/// See the head of this file.
pub(crate) struct Shard {
    pub(super) number: u32,
    pub(super) door: Door,
    places: UnsafeCell<Places>,
    returned: Mutex<Vec<u32>>,
    /// How many `returned` has, to look at without the lock.
    returns: AtomicUsize,
}

// SAFETY: see the table above.
unsafe impl Sync for Shard {}
// SAFETY: the list owns nothing; its objects are guarded by the custody protocol.
unsafe impl Send for Shard {}

struct Places {
    /// An object, or the number of the next free place, doubled and one.
    all: Vec<*mut Header>,
    first_free: usize,
    free: usize,
}

impl Places {
    fn next_free(place: *mut Header) -> Option<usize> {
        (place.addr() & 1 != 0).then(|| place.addr() >> 1)
    }

    #[inline]
    fn release_place(&mut self, index: usize) {
        self.all[index] = without_provenance_mut(self.first_free << 1 | 1);
        self.first_free = index;
        self.free += 1;
    }
}

impl Shard {
    pub(super) fn new(number: u32) -> Self {
        Shard {
            number,
            door: Door::new(),
            places: UnsafeCell::new(Places {
                all: Vec::new(),
                first_free: NONE,
                free: 0,
            }),
            returned: Mutex::new(Vec::new()),
            returns: AtomicUsize::new(0),
        }
    }

    pub(super) fn lock_returned(&self) -> MutexGuard<'_, Vec<u32>> {
        self.returned
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Lists a new object. `false`: there is no memory for its place, and it is in no list.
    ///
    /// # Safety
    /// Inside by the shard's door; an object with a prefix, not listed.
    #[inline]
    #[must_use]
    pub(super) unsafe fn add(&self, object: *mut Header) -> bool {
        // SAFETY: inside by the shard's door; an object with a prefix, not listed: the caller
        // ensures it.
        unsafe {
            let places = &mut *self.places.get();
            let index = match places.all.get(places.first_free) {
                Some(place) => {
                    let index = places.first_free;
                    places.first_free = place.addr() >> 1;
                    places.free -= 1;
                    *places.all.get_unchecked_mut(index) = object;
                    // Where the next object is listed may be far away.
                    prefetch(places.all.as_ptr().wrapping_add(places.first_free));
                    index
                }
                None if self.is_extended(places) => {
                    let index = places.all.len();
                    places.all.as_mut_ptr().add(index).write(object);
                    places.all.set_len(index + 1);
                    index
                }
                None => match self.add_slowly(object) {
                    Some(index) => index,
                    None => {
                        write_prefix(object, u32::MAX, UNLISTED);
                        return false;
                    }
                },
            };
            write_prefix(object, index as u32, self.number);
            true
        }
    }

    /// Whether the next object is to be listed behind the others, and there is room.
    #[inline]
    fn is_extended(&self, places: &Places) -> bool {
        // The capacity is never beyond the indices.
        places.all.len() < places.all.capacity() && self.returns.load(Ordering::Relaxed) == 0
    }

    /// There is no free place: makes some, or uses what other threads returned. `None`: there is
    /// no memory.
    ///
    /// # Safety
    /// `object` is alive, and in no list.
    #[cold]
    #[inline(never)]
    unsafe fn add_slowly(&self, object: *mut Header) -> Option<usize> {
        // SAFETY: the caller's object is alive, and in no list.
        unsafe {
            if self.returns.load(Ordering::Relaxed) > 0 {
                self.take_returned(&mut self.lock_returned());
            }
            let places = &mut *self.places.get();
            let index = places.first_free;
            if let Some(place) = places.all.get_mut(index) {
                places.first_free = place.addr() >> 1;
                places.free -= 1;
                *place = object;
                return Some(index);
            }
            let index = places.all.len();
            if index == places.all.capacity() {
                let more = index.max(4).min(MOST - index);
                if more == 0 || places.all.try_reserve_exact(more).is_err() {
                    return None;
                }
            }
            places.all.push(object);
            Some(index)
        }
    }

    /// Unlists an object of this shard.
    ///
    /// # Safety
    /// Inside by the shard's door; a listed object of this shard.
    #[inline]
    pub(super) unsafe fn remove(&self, object: *mut Header) {
        // SAFETY: promised; the index is right while we are inside.
        unsafe {
            let places = &mut *self.places.get();
            places.release_place((*(*object).prefix_ptr()).index as usize);
            if places.free > SPARSE && places.free > places.all.len() / 4 * 3 {
                self.move_together();
            }
        }
    }

    /// Unlists an object of another thread's shard. `false`: there is no memory to note it.
    ///
    /// # Safety
    /// A listed object of this shard.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn give_back(&self, object: *mut Header) -> bool {
        let mut returned = self.lock_returned();
        if returned.try_reserve(1).is_err() {
            return false;
        }
        // SAFETY: a listed object of this shard; its index does not change while the lock is held.
        returned.push(unsafe { (*(*object).prefix_ptr()).index });
        self.returns.store(returned.len(), Ordering::Relaxed);
        true
    }

    /// Unlists an object of another thread's shard at once, which takes no memory.
    ///
    /// # Safety
    /// A listed object of this shard. The gate is shut, and no thread is inside by the shard's
    /// door.
    #[cold]
    pub(super) unsafe fn remove_foreign(&self, object: *mut Header) {
        let _returned = self.lock_returned();
        // SAFETY: no other thread reaches the places; the lock is held.
        unsafe {
            let places = &mut *self.places.get();
            places.release_place((*(*object).prefix_ptr()).index as usize);
        }
    }

    /// # Safety
    /// The caller holds the shard's lock.
    unsafe fn take_returned(&self, returned: &mut Vec<u32>) {
        // SAFETY: the caller holds the shard's lock.
        let places = unsafe { &mut *self.places.get() };
        for index in returned.drain(..) {
            places.release_place(index as usize);
        }
        self.returns.store(0, Ordering::Relaxed);
    }

    /// Closes the gaps, and gives memory back after a flood has passed.
    ///
    /// # Safety
    /// Inside by the shard's door.
    #[cold]
    #[inline(never)]
    unsafe fn move_together(&self) {
        // SAFETY: the caller is inside by the shard's door, and holds its lock.
        unsafe { self.close_gaps(&mut self.lock_returned()) }
    }

    /// As [`move_together`](Self::move_together), with the lock.
    ///
    /// # Safety
    /// The caller holds the shard's lock.
    unsafe fn close_gaps(&self, returned: &mut Vec<u32>) {
        // SAFETY: the caller holds the shard's lock.
        unsafe {
            self.take_returned(returned);
            let places = &mut *self.places.get();
            if places.free == 0 {
                return;
            }
            let mut next = 0;
            let mut end = places.all.len();
            while next < end {
                if Places::next_free(places.all[next]).is_none() {
                    next += 1;
                    continue;
                }
                end -= 1;
                let last = places.all[end];
                if Places::next_free(last).is_none() {
                    places.all[next] = last;
                    (*(*last).prefix_ptr()).index = next as u32;
                    next += 1;
                }
            }
            places.all.truncate(end);
            places.first_free = NONE;
            places.free = 0;
            if places.all.capacity() > SPARSE && places.all.len() < places.all.capacity() / 4 {
                places.all.shrink_to(places.all.len() * 2);
            }
            if returned.capacity() > SPARSE {
                returned.shrink_to(0);
            }
        }
    }

    /// All objects of the shard, side by side, while none can be listed or unlisted.
    ///
    /// # Safety
    /// The gate is shut and no thread is inside by the shard's door, until the result is dropped.
    pub(super) unsafe fn hold_objects(&self) -> Held<'_> {
        let mut returned = self.lock_returned();
        // SAFETY: the gate is shut and no thread is inside by the shard's door, until the result is
        // dropped: the caller ensures it.
        let objects = unsafe {
            self.close_gaps(&mut returned);
            (*self.places.get()).all.as_slice()
        };
        Held {
            objects,
            _returned: returned,
        }
    }
}

/// Writes what the runtime keeps before an object that was just listed, or could not be.
///
/// # Safety
/// An object with a prefix, which no other thread reaches.
#[inline(always)]
unsafe fn write_prefix(object: *mut Header, index: u32, shard: u32) {
    // SAFETY: the object has a prefix.
    unsafe {
        (*object).prefix_ptr().write(Prefix {
            index,
            shard,
            note: 0,
            epoch: 0,
        });
    }
}

/// A shard that its walker holds.
pub(super) struct Held<'a> {
    pub(super) objects: &'a [*mut Header],
    _returned: MutexGuard<'a, Vec<u32>>,
}
