//! The list of all objects of traced types: where a collector begins.
//!
//! Sharded by thread, so that threads that make objects do not meet. A shard is a vector; an object knows its place in it
//! (the prefix before its header), so that both listing and unlisting take constant time. While a collector walks it holds all
//! shards: nothing traced is made or destroyed meanwhile. Nobody calls a frontend while holding a shard.

use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};

use crate::object::{Header, Prefix};
use crate::sync::relax;
use crate::sync::statics::{AtomicBool, AtomicUsize, Ordering};

const SHARDS: usize = 16;

/// A flag and not an operating system's lock: making an object takes it twice in its life, and a plain store gives it back.
#[repr(align(64))]
struct Shard {
    held: AtomicBool,
    list: UnsafeCell<Vec<Entry>>,
}

// SAFETY: the list is used by whoever holds the flag.
unsafe impl Sync for Shard {}

/// A shard that is held.
struct Held<'a>(&'a Shard);

impl Deref for Held<'_> {
    type Target = Vec<Entry>;
    fn deref(&self) -> &Vec<Entry> {
        // SAFETY: held.
        unsafe { &*self.0.list.get() }
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Vec<Entry> {
        // SAFETY: held, and this is the only guard.
        unsafe { &mut *self.0.list.get() }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.held.store(false, Ordering::Release);
    }
}

#[repr(transparent)]
struct Entry(*mut Header);

// SAFETY: the list owns nothing; what it points to is guarded by the custody protocol.
unsafe impl Send for Entry {}

/// The list.
pub(crate) struct Tracked {
    shards: [Shard; SHARDS],
    walking: AtomicBool,
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn mine() -> usize {
    let mut shard = MINE.get();
    if shard == usize::MAX {
        shard = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
        MINE.set(shard);
    }
    shard
}

impl Tracked {
    pub(crate) const fn new() -> Self {
        Tracked {
            shards: [const {
                Shard {
                    held: AtomicBool::new(false),
                    list: UnsafeCell::new(Vec::new()),
                }
            }; SHARDS],
            walking: AtomicBool::new(false),
        }
    }

    #[inline]
    fn lock(&self, shard: usize) -> Held<'_> {
        let shard = &self.shards[shard];
        let mut attempt = 0;
        while shard.held.swap(true, Ordering::Acquire) {
            relax(attempt);
            attempt = attempt.saturating_add(1);
        }
        Held(shard)
    }

    /// # Safety
    /// A new object of a traced type, complete.
    pub(crate) unsafe fn add(&self, object: *mut Header) {
        let shard = mine();
        let mut list = self.lock(shard);
        // SAFETY: a traced object has a prefix; the shard's lock guards it.
        unsafe {
            (*object).prefix().write(Prefix {
                index: list.len() as u32,
                shard: shard as u32,
                note: 0,
                epoch: 0,
            });
        }
        list.push(Entry(object));
    }

    /// # Safety
    /// A listed object.
    pub(crate) unsafe fn remove(&self, object: *mut Header) {
        // SAFETY: the shard never changes; index is guarded by the shard's lock.
        unsafe {
            let prefix = (*object).prefix();
            let mut list = self.lock((*prefix).shard as usize);
            let index = (*prefix).index as usize;
            list.swap_remove(index);
            if let Some(moved) = list.get(index) {
                (*(*moved.0).prefix()).index = index as u32;
            }
            // Gives memory back after a flood has passed.
            if list.capacity() > 1024 && list.len() < list.capacity() / 4 {
                let keep = list.len() * 2;
                list.shrink_to(keep);
            }
        }
    }

    /// Shows every shard and then finishes, with all of them held. `false`: somebody else walks.
    pub(crate) fn walk(&self, mut shard: impl FnMut(&[*mut Header]), finish: impl FnOnce()) -> bool {
        if self.walking.swap(true, Ordering::Acquire) {
            return false;
        }
        let guards: [_; SHARDS] = std::array::from_fn(|i| self.lock(i));
        for guard in &guards {
            let objects: &[Entry] = guard;
            // SAFETY: `Entry` is a transparent wrapper of the pointer.
            shard(unsafe {
                std::slice::from_raw_parts(objects.as_ptr().cast::<*mut Header>(), objects.len())
            });
        }
        finish();
        drop(guards);
        self.walking.store(false, Ordering::Release);
        true
    }
}
