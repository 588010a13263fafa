//! [`CacheEntry`]: what a [`ElementCache`](super::ElementCache) knows of one version of a
//! container, under the cache's rules.

use std::ffi::c_void;

use super::element_cache::version_stamp;
use super::element_cache_index::Index;
use crate::frontend::frontend_of;
use crate::runtime::detach_epoch;
use crate::sync::statics::AtomicUsize;

/// The entries of one version of a container.
#[derive(Debug)]
pub struct CacheEntry {
    pub(super) tag: u16,
    /// The [`stamp`] of that version.
    stamp: usize,
    detach_epoch: &'static AtomicUsize,
    looks: usize,
    /// The table's when its places were read; 0 for sequences.
    pub(super) epoch: u64,
    /// Elements or keys, by place; null where it is not known. Empty until enough was looked at.
    pub(super) places: Vec<*mut c_void>,
    /// Values, likewise. Empty for what has none.
    pub(super) values: Vec<*mut c_void>,
    pub(super) index: Index,
    owned: Vec<*mut c_void>,
}

impl CacheEntry {
    pub(super) fn new(tag: u16, version: usize) -> Self {
        let detach_epoch = detach_epoch();
        CacheEntry {
            tag,
            stamp: version_stamp(version, detach_epoch),
            detach_epoch,
            looks: 0,
            epoch: 0,
            places: Vec::new(),
            values: Vec::new(),
            index: Index::default(),
            owned: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn is_current(&self, version: usize) -> bool {
        self.stamp == version_stamp(version, self.detach_epoch)
    }

    /// Goes on to the next version.
    pub(super) fn advance_version(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
    }

    pub(super) fn start_again(&mut self, tag: u16, version: usize) {
        self.release_objects();
        self.places.clear();
        self.values.clear();
        self.index.forget_all();
        (self.tag, self.stamp, self.looks) = (tag, version_stamp(version, self.detach_epoch), 0);
    }

    fn release_objects(&mut self) {
        for object in self.owned.drain(..) {
            // SAFETY: a counted reference of that frontend's, given away.
            unsafe { frontend_of(self.tag).release_wrapper(object) }
        }
    }

    /// Counts a look at a sequence of that length. Returns whether it is time to remember all of
    /// it: when that costs no more than the looks so far.
    pub fn is_worth_it(&mut self, len: usize) -> bool {
        if !self.places.is_empty() {
            return false;
        }
        self.looks += 1;
        self.looks >= 4 && self.looks >= len / 8
    }

    /// Room for keys and values at places before `end`, to be filled in likewise, and how to find
    /// them. `epoch` is the table's. `None`: there is no memory.
    pub fn reserve_table(
        &mut self,
        epoch: u64,
        end: usize,
        has_values: bool,
        hashes: impl ExactSizeIterator<Item = (usize, i64)>,
    ) -> Option<(&mut [*mut c_void], &mut [*mut c_void])> {
        let values = if has_values { end } else { 0 };
        self.epoch = epoch;
        self.places.clear();
        self.values.clear();
        self.places.try_reserve(end).ok()?;
        self.values.try_reserve(values).ok()?;
        self.index.rebuild_index(hashes.len(), hashes).ok()?;
        self.places.resize(end, std::ptr::null_mut());
        self.values.resize(values, std::ptr::null_mut());
        Some((&mut self.places, &mut self.values))
    }

    /// Room for `len` elements, to be filled in with objects that live as long as the sequence
    /// keeps the elements of this version. `None`: there is no memory.
    pub fn reserve_places(&mut self, len: usize) -> Option<&mut [*mut c_void]> {
        self.places.clear();
        self.places.try_reserve(len).ok()?;
        self.places.resize(len, std::ptr::null_mut());
        Some(&mut self.places)
    }

    /// Whether an object could be remembered as the element or key at a place.
    #[must_use]
    pub fn has_room(&self, place: usize) -> bool {
        self.places.get(place).is_some_and(|object| object.is_null())
    }

    /// Whether an object could be remembered as the value at a place.
    #[must_use]
    pub fn has_room_for_value(&self, place: usize) -> bool {
        self.values.get(place).is_some_and(|object| object.is_null())
    }

    /// Remembers an object that the container keeps.
    pub fn borrow(&mut self, place: usize, object: *mut c_void) {
        if let Some(known) = self.places.get_mut(place) {
            *known = object;
        }
    }

    /// The same, as the value at a place.
    pub fn borrow_value(&mut self, place: usize, object: *mut c_void) {
        if let Some(known) = self.values.get_mut(place) {
            *known = object;
        }
    }

    /// Whether there is room for another object of the cache's own: what native code holds
    /// compactly must not grow without bound by being looked at.
    #[must_use]
    pub fn may_own(&mut self) -> bool {
        self.owned.len() < 4096 && self.owned.try_reserve(1).is_ok()
    }

    /// Keeps an object that was made for an element, key or value. There is room for it
    /// ([`may_own`](Self::may_own)).
    ///
    /// # Safety
    /// A counted reference of the interpreter's, which is given away.
    pub unsafe fn keep_object(&mut self, object: *mut c_void) {
        self.owned.push(object);
    }
}

impl Drop for CacheEntry {
    fn drop(&mut self) {
        self.release_objects();
    }
}
