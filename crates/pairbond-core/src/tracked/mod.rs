//! The list of all objects of traced types: where a collector begins.
//!
//! * `gate` – how threads list and unlist objects without locked instructions, and a walker keeps
//!   them out.
//! * `shard` – the objects that one thread made.
//!
//! Each thread has a `Shard` to itself, which passes to another when it ends; an object has its
//! shard and its place in it (the prefix before its header), so that listing and unlisting take
//! constant time, from any thread. While a collector walks, nothing traced is made or destroyed.
//! Inside or while walking, no frontend is called, and nothing traced is made or destroyed.
//!
//! # Roads not taken
//! * One lock per shard, also for its owner: two locked instructions in each object's life, a third
//!   of what making and destroying a wrapped object took.
//! * A list per interpreter under its GIL: as fast, but of use to objects made from Python only,
//!   and there is not always a GIL.

pub(crate) mod gate;
// Model-checked builds list no objects.
mod local_list;
#[cfg_attr(loom, allow(dead_code))]
mod shard;
mod structures;

use std::cell::Cell;
use std::ptr;

use crate::custody::Header;
use crate::memory::{Thread, with_thread};
use crate::sync::statics::{AtomicPtr, AtomicUsize, Mutex, MutexGuard, Ordering};
use gate::Gate;
#[cfg(loom)]
pub use local_list::UNTRACK;
pub(crate) use local_list::{track_here, untrack_object, walk_here};
use shard::{Shard, UNLISTED};
#[cfg(not(loom))]
pub(crate) use structures::STRUCTURE_LOCK;
#[cfg(not(loom))]
pub(crate) use structures::adopt_structures;
pub(crate) use structures::is_structure_lock;
pub use structures::structure_lock;

/// Threads that have a shard of their own at the same time; what others make is listed in one
/// together.
const MOST: usize = 1024;

/// The list. There is one in a binary.
pub(crate) struct Tracked {
    gate: Gate,
    /// The first `count` are set, and live for the process.
    shards: [AtomicPtr<Shard>; MOST],
    count: AtomicUsize,
    /// Shards whose threads have ended. Also held while a shard is made.
    idle: Mutex<Vec<&'static Shard>>,
    /// Its holder is the owner of the first shard.
    common: Mutex<()>,
}

thread_local! {
    static LEAVER: Leaver = const { Leaver(Cell::new(None)) };
}

/// Gives the thread's shard to the next one when it ends.
struct Leaver(Cell<Option<&'static Tracked>>);

impl Drop for Leaver {
    fn drop(&mut self) {
        // From now on the thread uses the common shard: it cannot have a leaver again.
        let mine = with_thread(|thread| thread.shard.replace(ptr::null()));
        // SAFETY: shards live for the process.
        if let (Some(tracked), Some(shard)) = (self.0.get(), unsafe { mine.cast::<Shard>().as_ref() }) {
            lock_unpoisoned(&tracked.idle).push(shard);
        }
    }
}

/// Nothing is listed or unlisted while this lives.
pub(crate) struct Frozen {
    tracked: &'static Tracked,
    _returned: Vec<MutexGuard<'static, Vec<u32>>>,
    _common: MutexGuard<'static, ()>,
    _idle: MutexGuard<'static, Vec<&'static Shard>>,
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.tracked.gate.open();
    }
}

fn lock_unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Tracked {
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Self {
        Tracked {
            gate: Gate::new(),
            shards: [const { AtomicPtr::new(ptr::null_mut()) }; MOST],
            count: AtomicUsize::new(0),
            idle: Mutex::new(Vec::new()),
            common: Mutex::new(()),
        }
    }

    /// Lists a new object. `false`: there is no memory to list it.
    ///
    /// # Safety
    /// A new object of a traced type, complete.
    #[inline]
    pub(crate) unsafe fn add(&'static self, thread: &Thread, object: *mut Header) -> bool {
        // SAFETY: shards live for the process; this thread is its owner, and the object the
        // caller's.
        unsafe {
            match thread.shard.get().cast::<Shard>().as_ref() {
                Some(shard) => {
                    let _inside = self.gate.enter(&shard.door);
                    shard.add(object)
                }
                None => self.add_first(thread, object),
            }
        }
    }

    /// The thread's first object, or one after its end.
    ///
    /// # Safety
    /// `object` is alive, and in no list.
    #[cold]
    #[inline(never)]
    unsafe fn add_first(&'static self, thread: &Thread, object: *mut Header) -> bool {
        // SAFETY: the caller's object is alive, and in no list.
        unsafe {
            if let Some(shard) = self.own_shard(thread) {
                let _inside = self.gate.enter(&shard.door);
                return shard.add(object);
            }
            if !self.make_common(&lock_unpoisoned(&self.idle)) {
                return false;
            }
            let _owner = lock_unpoisoned(&self.common);
            let shard = self.shard_at(0);
            let _inside = self.gate.enter(&shard.door);
            shard.add(object)
        }
    }

    /// A shard for this thread, unless it ends or there are too many.
    fn own_shard(&'static self, thread: &Thread) -> Option<&'static Shard> {
        local_list::survive_forks();
        LEAVER.try_with(|leaver| leaver.0.set(Some(self))).ok()?;
        let shard = {
            let mut idle = lock_unpoisoned(&self.idle);
            match idle.pop() {
                Some(shard) => shard,
                None => {
                    if !self.make_common(&idle) {
                        return None;
                    }
                    self.make_shard(&idle)?
                }
            }
        };
        thread.shard.set(ptr::from_ref(shard).cast());
        Some(shard)
    }

    /// Whether there is one.
    fn make_common(&self, idle: &MutexGuard<'_, Vec<&'static Shard>>) -> bool {
        self.count.load(Ordering::Relaxed) > 0 || self.make_shard(idle).is_some()
    }

    /// Another shard. `None`: there are as many as there can be, or there is no memory.
    fn make_shard(&self, _: &MutexGuard<'_, Vec<&'static Shard>>) -> Option<&'static Shard> {
        let number = self.count.load(Ordering::Relaxed);
        let place = self.shards.get(number)?;
        let mut memory = Vec::new();
        memory.try_reserve_exact(1).ok()?;
        memory.push(Shard::new(number as u32));
        let shard: &'static Shard = memory.leak().first()?;
        place.store(ptr::from_ref(shard).cast_mut(), Ordering::Release);
        self.count.store(number + 1, Ordering::Release);
        Some(shard)
    }

    #[inline]
    fn shard_at(&self, number: usize) -> &'static Shard {
        // SAFETY: somebody saw that it is there; shards live for the process.
        unsafe { &*self.shards[number].load(Ordering::Acquire) }
    }

    /// # Safety
    /// A listed object.
    #[inline(always)]
    #[cfg_attr(loom, allow(dead_code))]
    pub(crate) unsafe fn remove(&self, thread: &Thread, object: *mut Header) {
        // SAFETY: the shard never changes.
        unsafe {
            let number = (*(*object).prefix_ptr()).shard;
            match thread.shard.get().cast::<Shard>().as_ref() {
                Some(shard) if shard.number == number => {
                    let _inside = self.gate.enter(&shard.door);
                    shard.remove(object);
                }
                _ => self.remove_elsewhere(number, object),
            }
        }
    }

    /// Unlists an object that is not in this thread's shard.
    ///
    /// # Safety
    /// A listed object of that shard, or one that could not be listed.
    #[cold]
    #[inline(never)]
    #[cfg_attr(loom, allow(dead_code))]
    unsafe fn remove_elsewhere(&self, number: u32, object: *mut Header) {
        if number == UNLISTED {
            return;
        }
        let shard = self.shard_at(number as usize);
        // SAFETY: a listed object of that shard; without memory to note it, the gate is shut first.
        unsafe {
            if shard.give_back(object) {
                return;
            }
            while !self.gate.shut() {
                std::thread::yield_now();
            }
            self.gate.wait_until_empty(&shard.door);
            shard.remove_foreign(object);
            self.gate.open();
        }
    }

    /// Keeps everybody from listing and unlisting until the result is dropped, as a walk does: for
    /// who forks. `None`: others are at it.
    pub(crate) fn try_freeze(&'static self) -> Option<Frozen> {
        use crate::fork::guard_if_free;
        let (idle, common) = (
            guard_if_free(self.idle.try_lock())?,
            guard_if_free(self.common.try_lock())?,
        );
        if !self.gate.shut() {
            return None;
        }
        let mut frozen = Frozen {
            tracked: self,
            _returned: Vec::new(),
            _common: common,
            _idle: idle,
        };
        for number in 0..self.count.load(Ordering::Acquire) {
            let shard = self.shard_at(number);
            self.gate.wait_until_empty(&shard.door);
            frozen._returned.push(shard.lock_returned());
        }
        Some(frozen)
    }

    /// Shows every shard and then finishes, while nothing is listed or unlisted. `false`: somebody
    /// else walks.
    pub(crate) fn walk_shards(&self, mut show: impl FnMut(&[*mut Header]), finish: impl FnOnce()) -> bool {
        if !self.gate.shut() {
            return false;
        }
        // A shard that is made from now on finds the gate shut.
        let held: Vec<_> = (0..self.count.load(Ordering::Acquire))
            .map(|number| {
                let shard = self.shard_at(number);
                self.gate.wait_until_empty(&shard.door);
                // SAFETY: shut until all are given back.
                unsafe { shard.hold_objects() }
            })
            .collect();
        for shard in &held {
            show(shard.objects);
        }
        finish();
        drop(held);
        self.gate.open();
        true
    }
}
