//! State of iterators over containers, so that a step is a few compares: the place of the cache,
//! and the last entry.
//!
//! The rules are pairbond-value's (`value/element_cache.rs`); where there are no caches nothing is
//! at hand here.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond_core::object::Header;
use pairbond_value::value::{ElementCache, detach_epoch, version_stamp};

use super::elements::Elements;
use super::sequence::Sequence;
use crate::heap_types::support::Object_;
use crate::owned::Owned;
use crate::wrapper::Wrapper;

/// The state of an iterator that lets it read its container's cache without further lookups.
/// Guarded by the iterator's hold of the wrapper.
#[derive(Clone, Copy)]
pub(super) struct Remembering {
    /// Whose the rest is: only compared with what the wrapper has.
    native: *const Header,
    cache: NonNull<ElementCache>,
    version: *const AtomicUsize,
}

impl Remembering {
    /// # Safety
    /// Attached; a wrapper that has its object, whose cache and version these are.
    pub(super) unsafe fn new(this: Object_, cache: &ElementCache, version: &AtomicUsize) -> Self {
        // SAFETY: attached; a wrapper that has its object, whose cache and version these are: the
        // caller ensures it.
        let native = unsafe { (*this.cast::<Wrapper>()).native };
        Remembering {
            native,
            cache: NonNull::from(cache),
            version,
        }
    }

    /// The cache, and the version that it must be of.
    ///
    /// # Safety
    /// Attached; the wrapper that this was made of. It may have lost its object since.
    #[inline(always)]
    pub(super) unsafe fn current(&self, this: Object_) -> Option<(&ElementCache, usize)> {
        // SAFETY: the wrapper keeps its object; the cache is this interpreter's, whose lock we
        // have.
        unsafe {
            if cfg!(Py_GIL_DISABLED) || !std::ptr::eq((*this.cast::<Wrapper>()).native, self.native) {
                return None;
            }
            Some((self.cache.as_ref(), (*self.version).load(Ordering::Acquire)))
        }
    }
}

/// Where an iterator over a sequence found the last element, so that the next is a few compares
/// away.
pub(super) struct Glance {
    of: Remembering,
    detach_epoch: &'static AtomicUsize,
    seen: Cell<Seen>,
}

/// What a cache remembers of one version. Good as long as a cache would say so
/// (`value/element_cache.rs`).
#[derive(Clone, Copy)]
struct Seen {
    places: *const *mut c_void,
    len: usize,
    stamp: usize,
}

impl Seen {
    const NOTHING: Seen = Seen {
        places: std::ptr::null(),
        len: 0,
        stamp: 0,
    };
}

impl Glance {
    /// # Safety
    /// Attached; a wrapper that has that sequence.
    pub(super) unsafe fn new(this: Object_, sequence: Sequence<'_>) -> Self {
        let (cache, version) = match sequence {
            Sequence::List(list) => (Elements::element_cache(list), Elements::version(list)),
            Sequence::Tuple(tuple) => (Elements::element_cache(tuple), Elements::version(tuple)),
            _ => unreachable!("Python's own have their own iterators"),
        };
        // SAFETY: attached; a wrapper that has that sequence: the caller ensures it.
        let of = unsafe { Remembering::new(this, cache, version) };
        Glance {
            of,
            detach_epoch: detach_epoch(),
            seen: Cell::new(Seen::NOTHING),
        }
    }

    /// Forgets everything, so that the wrapper is not read any more.
    pub(super) fn forget(&self) {
        // Otherwise threads share it, and nothing was seen.
        if !cfg!(Py_GIL_DISABLED) {
            self.seen.set(Seen::NOTHING);
        }
    }

    /// The element at an index, if the last look saw it.
    ///
    /// # Safety
    /// Attached; the wrapper that this was made of, which may have lost its object since; or
    /// anything after [`forget`](Self::forget).
    #[inline(always)]
    pub(super) unsafe fn get(&self, this: Object_, index: isize) -> Option<Owned> {
        if cfg!(Py_GIL_DISABLED) {
            return None;
        }
        // SAFETY: attached; the wrapper that this was made of, which may have lost its object
        // since; or anything after `forget`: the caller ensures it. An object that has its version
        // and whose wrapper has it is there; the places of that version are where they were.
        unsafe {
            let seen = &*self.seen.as_ptr();
            if index as usize >= seen.len
                || !std::ptr::eq((*this.cast::<Wrapper>()).native, self.of.native)
                || version_stamp((*self.of.version).load(Ordering::Acquire), self.detach_epoch) != seen.stamp
            {
                return None;
            }
            let object = NonNull::new(*seen.places.add(index as usize))?;
            Some(Owned::from_borrowed(object.as_ptr().cast()))
        }
    }

    /// The element at an index, if it is at hand: looks at what there is to be seen now.
    ///
    /// # Safety
    /// As [`get`](Self::get).
    pub(super) unsafe fn get_current(&self, this: Object_, index: isize) -> Option<Owned> {
        // SAFETY: the thread is attached, and the caller keeps the wrapper.
        let (cache, version) = unsafe { self.of.current(this) }?;
        let stamp = version_stamp(version, self.detach_epoch);
        // SAFETY: the thread is attached, and the caller keeps the wrapper.
        let places = unsafe { cache.cached_places(this.cast(), version) }?;
        self.seen.set(Seen {
            places: places.as_ptr(),
            len: places.len(),
            stamp,
        });
        let object = NonNull::new(*places.get(index as usize)?)?;
        // SAFETY: the thread is attached, and the caller keeps the wrapper.
        Some(unsafe { Owned::from_borrowed(object.as_ptr().cast()) })
    }
}
