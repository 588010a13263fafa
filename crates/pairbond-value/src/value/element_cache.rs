//! [`ElementCache`]: the objects of a language that a container's elements, or keys and values, are
//! to it, remembered from one look to the next.
//!
//! A frontend that is asked for the same elements again and again would find each out anew: take
//! the container's lock, look at the kind of value, at the object's pair, make an `int` or `str`.
//! It remembers instead, by place, and a look is a load and a few compares. Of maps and sets it
//! remembers too at which place which key is, so that looking one up takes no lock.
//!
//! # Promises
//! 1. Objects that are known are alive. Objects that the container itself keeps (wrappers of native
//!    objects, foreign ones, constants of the language) are *borrowed*: they count for nothing, so
//!    that collectors, dormancy and `trim` see the same counts as without a cache. Made
//!    ones (a `str`) are owned, up to some number.
//! 2. Native threads pay nothing: they change the container's version, as they do anyhow.
//! 3. An entry costs two or five words per element, and the cache begins when as many looks were
//!    spent as an eighth of them.
//!
//! # Why a borrowed object is alive
//! It is valid while three words are unchanged: the container's version (so the container still
//! owns the element), the process's `detach_epoch` (so no object has lost its wrapper
//! since), and the container's own wrapper, through which it is read. The first two only grow, so
//! that one compare of their sum, the [`version_stamp`], covers both. A thread that removes the
//! element *now*, after the version was read, cannot free the object of the language: it is not
//! attached, so it leaves the release to a thread that is, and the frontend's one lock is ours.
//!
//! # Who may touch it
//! Threads: those attached to the interpreter that the container's own pair names, which hold the
//! lock of that interpreter. So there is none where there is no such lock (free-threaded CPython),
//! and in an interpreter that the container is a guest of nothing is found: its wrapper there is
//! another. Its end comes with the container's, on any thread.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::cache_entry::CacheEntry;
use super::element_cache_index::Sought;
use super::hash_table::Step;
use crate::memory::try_box;
use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};

/// A number that is the same again only if neither a container's version nor the count of
/// `detach_epoch` has changed, both of which only grow.
#[inline(always)]
#[must_use]
pub fn version_stamp(version: usize, detach_epoch: &AtomicUsize) -> usize {
    version.wrapping_add(detach_epoch.load(Ordering::Acquire))
}

/// See the head of this file.
#[derive(Debug)]
pub struct ElementCache {
    /// The container's own wrapper when this was last written, or null; as an address only. Guests
    /// read it too, and find that it is not theirs.
    wrapper: AtomicPtr<c_void>,
    /// Not null once `wrapper` is not.
    all: AtomicPtr<CacheEntry>,
}

/// The result of looking for a key.
#[derive(Clone, Copy, Debug)]
pub enum Seek {
    /// It is there, with this value if that is remembered.
    At(Option<NonNull<c_void>>),
    /// It is not there.
    Absent,
    /// The key must be compared by its language.
    Unknown,
}

impl ElementCache {
    pub(super) const fn new() -> Self {
        ElementCache {
            wrapper: AtomicPtr::new(std::ptr::null_mut()),
            all: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Returns the cached object of the element at `index` of this version.
    ///
    /// # Safety
    /// See the head of this file; the object is used or counted before anything else is done.
    #[inline(always)]
    #[must_use]
    pub unsafe fn get(
        &self,
        wrapper: *const c_void,
        version: usize,
        index: usize,
    ) -> Option<NonNull<c_void>> {
        // SAFETY: the caller keeps the wrapper, and read the version under the lock.
        NonNull::new(
            *unsafe { self.current_entry(wrapper, version) }?
                .places
                .get(index)?,
        )
    }

    /// All places of that version, null where it is not known: as long as the version is that one,
    /// no wrapper is severed ([`detach_epoch`](super::detach_epoch)) and the wrapper keeps its
    /// object, they stay where they are, and what stands there is alive.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[must_use]
    pub unsafe fn cached_places(&self, wrapper: *const c_void, version: usize) -> Option<&[*mut c_void]> {
        // SAFETY: the caller keeps the wrapper, and read the version under the lock.
        Some(&unsafe { self.current_entry(wrapper, version) }?.places)
    }

    /// Returns the cached object of the last element but `back - 1`.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[must_use]
    pub unsafe fn get_from_end(
        &self,
        wrapper: *const c_void,
        version: usize,
        back: usize,
    ) -> Option<NonNull<c_void>> {
        // SAFETY: the caller keeps the wrapper, and read the version under the lock.
        let places = &unsafe { self.current_entry(wrapper, version) }?.places;
        NonNull::new(*places.get(places.len().wrapping_sub(back))?)
    }

    /// The key and value at a place.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[inline(always)]
    #[must_use]
    pub unsafe fn cached_pair(
        &self,
        wrapper: *const c_void,
        version: usize,
        place: usize,
    ) -> Option<(NonNull<c_void>, NonNull<c_void>)> {
        // SAFETY: the caller keeps the wrapper, and read the version under the lock.
        let all = unsafe { self.current_entry(wrapper, version) }?;
        Some((
            NonNull::new(*all.places.get(place)?)?,
            NonNull::new(*all.values.get(place)?)?,
        ))
    }

    /// The value at a place.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[inline(always)]
    #[must_use]
    pub unsafe fn cached_value(
        &self,
        wrapper: *const c_void,
        version: usize,
        place: usize,
    ) -> Option<NonNull<c_void>> {
        // SAFETY: the caller keeps the wrapper, and read the version under the lock.
        NonNull::new(
            *unsafe { self.current_entry(wrapper, version) }?
                .values
                .get(place)?,
        )
    }

    /// Looks for a key by its hash; `is` says whether a remembered key is the one, if that can be
    /// said without running foreign code.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[inline(always)]
    pub unsafe fn find_key(
        &self,
        wrapper: *const c_void,
        version: usize,
        hash: i64,
        mut is: impl FnMut(*mut c_void) -> Option<bool>,
    ) -> Seek {
        // SAFETY: the caller keeps the wrapper, and read the version under the lock.
        let Some(all) = (unsafe { self.current_entry(wrapper, version) }) else {
            return Seek::Unknown;
        };
        let known = |place: usize| {
            let key = all.places.get(place).copied()?;
            if key.is_null() { None } else { is(key) }
        };
        match all.index.find_hash(hash, known) {
            Sought::Unknown => Seek::Unknown,
            Sought::Absent => Seek::Absent,
            Sought::At(place) => Seek::At(all.values.get(place).and_then(|value| NonNull::new(*value))),
        }
    }

    /// # Safety
    /// No other thread changes the cache meanwhile, as `wrapper` is the object's own.
    #[inline(always)]
    unsafe fn current_entry(&self, wrapper: *const c_void, version: usize) -> Option<&CacheEntry> {
        if !std::ptr::eq(self.wrapper.load(Ordering::Relaxed), wrapper) {
            return None;
        }
        // SAFETY: it is not null; the caller ensures that nothing changes it meanwhile, as the
        // wrapper is ours.
        let all = unsafe { &*self.all.load(Ordering::Relaxed) };
        all.is_current(version).then_some(all)
    }

    /// The entries of this version, of which there may be none yet. `None`: there is no memory.
    ///
    /// # Safety
    /// See the head of this file; the wrapper is the container's own, and the tag its
    /// interpreter's. The result is used before foreign code runs.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn entry_for_update(
        &self,
        tag: u16,
        wrapper: *mut c_void,
        version: usize,
    ) -> Option<&mut CacheEntry> {
        let mut all = self.all.load(Ordering::Relaxed);
        if all.is_null() {
            all = Box::into_raw(try_box(CacheEntry::new(tag, version))?);
            self.all.store(all, Ordering::Relaxed);
        }
        // SAFETY: the caller ensures that no other thread looks; made above or earlier by the same
        // rules, and freed with the sequence.
        let all = unsafe { &mut *all };
        let is_other = self.wrapper.load(Ordering::Relaxed) != wrapper;
        self.wrapper.store(wrapper, Ordering::Relaxed);
        if is_other || all.tag != tag || !all.is_current(version) {
            all.start_again(tag, version);
        }
        Some(all)
    }
}

impl ElementCache {
    /// Goes on to the next version of a sequence, which differs at one index only: there is
    /// `object` now (null: not known).
    ///
    /// # Safety
    /// See the head of this file. The object is one that stays.
    #[inline]
    pub unsafe fn replace_cached(&self, version: usize, index: usize, object: *mut c_void) {
        // SAFETY: the caller ensures that no other thread looks or changes it meanwhile.
        let Some(all) = (unsafe { self.all.load(Ordering::Relaxed).as_mut() }) else {
            return;
        };
        if all.is_current(version) && !all.places.is_empty() {
            if let Some(place) = all.places.get_mut(index) {
                *place = object;
            } else if index == all.places.len() && all.places.try_reserve(1).is_ok() {
                all.places.push(object);
            } else {
                return;
            }
            all.advance_version();
        }
    }

    /// The same of a map or set, by the step that its table returned: a value is `object` now
    /// (null: not known), or a key was added.
    ///
    /// # Safety
    /// As [`replace_cached`](Self::replace_cached).
    #[inline]
    pub unsafe fn follow_step(&self, step: Step, object: *mut c_void) {
        // SAFETY: the caller holds the interpreter's lock, so no other thread reads or writes the
        // entries.
        let Some(all) = (unsafe { self.all.load(Ordering::Relaxed).as_mut() }) else {
            return;
        };
        if !all.is_current(step.from) || all.places.is_empty() {
            return;
        }
        debug_assert_eq!(
            all.epoch, step.epoch,
            "a cache outlived a move of its table's places"
        );
        match step.added {
            None => match all.values.get_mut(step.place) {
                Some(value) => *value = object,
                None => return,
            },
            Some(hash) => {
                let has_room = all.places.try_reserve(1).is_ok() && all.values.try_reserve(1).is_ok();
                if step.place != all.places.len() || !has_room || !all.index.add(step.place, hash) {
                    return;
                }
                if !all.values.is_empty() {
                    all.values.push(std::ptr::null_mut());
                }
                all.places.push(std::ptr::null_mut());
            }
        }
        all.advance_version();
    }

    /// The epoch of the table at which places are remembered for that version; `None` when none
    /// are. For checks in debug builds.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    #[must_use]
    pub unsafe fn cached_epoch(&self, wrapper: *const c_void, version: usize) -> Option<u64> {
        // SAFETY: no other thread changes the entries meanwhile: the caller ensures it, as for
        // `get`.
        let all = unsafe { self.current_entry(wrapper, version) }?;
        (!all.places.is_empty()).then_some(all.epoch)
    }
}

impl Drop for ElementCache {
    fn drop(&mut self) {
        let all = *self.all.get_mut();
        if !all.is_null() {
            // SAFETY: made by `Box::into_raw`, and no other thread is left.
            drop(unsafe { Box::from_raw(all) });
        }
    }
}
