//! Iterating over maps and sets: from the cache while nothing has changed, else a step at a time.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};

use pairbond_core::error::Error;
use pairbond_value::value::MapBody;
use pyo3_ffi as py;

use super::entries::{Entries, Part, Shape, pack_pair};
use super::iter_cache::Remembering;
use super::keep::{Keeper, iterator_class, reduce_iterator};
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::errors::raise;
use crate::ffi::_PyObject_GC_New;
use crate::heap_types::support::{Methods, Object_, body_of, method_noargs};
use crate::interp::Interp;
use crate::owned::Owned;

/// Iterates over keys, values or both.
#[repr(C)]
struct Iterator {
    keeper: Keeper,
    /// The next place (the one before which it goes on, backwards); -1 for good when the end was
    /// reached once. Threads that share an iterator may each be given the same entry, and no more
    /// comes of it.
    next: AtomicIsize,
    /// Entries that are still to come, for `__length_hint__`.
    left: AtomicIsize,
    /// Set for good when the container was found changed.
    changed: AtomicBool,
    backwards: bool,
    part: Part,
    expected: Shape,
    /// The version of the container as it was seen last with that shape: nothing has changed while
    /// it is still that.
    version: AtomicUsize,
    /// Of the wrapper's object, which it is compared with at each step.
    remembering: Remembering,
}

impl Iterator {
    #[inline]
    fn entries(&self) -> Option<Entries<'_>> {
        let container = self.keeper.container();
        if container.is_null() {
            return None;
        }
        // SAFETY: attached; kept by the iterator, which its caller keeps.
        unsafe { Entries::of(container) }
    }

    /// Where it goes on behind an entry.
    fn position_after(&self, place: usize) -> isize {
        place as isize + isize::from(!self.backwards)
    }
}

/// An iterator over a wrapper.
///
/// # Safety
/// Attached; the wrapper of a map or set.
pub(super) unsafe fn new_iterator(container: Object_, part: Part, backwards: bool) -> Result<Owned, Error> {
    // SAFETY: attached; the wrapper of a map or set: the caller ensures it. Every field is written
    // before the collector may look.
    unsafe {
        let Some(entries) = Entries::of(container) else {
            body_of::<MapBody>(container)?;
            return Err(Error::type_error("not a container"));
        };
        // Before the shape: what changes in between is another version.
        let seen = entries.cache_and_version().1.load(Ordering::Acquire);
        let (expected, end) = entries.shape();
        let class = Interp::current()?.helper_class(super::ENTRY_ITERATOR);
        let made = owned_or_error(_PyObject_GC_New(class))?;
        let iterator = made.as_ptr().cast::<Iterator>();
        (&raw mut (*iterator).next).write(AtomicIsize::new(if backwards { end as isize } else { 0 }));
        (&raw mut (*iterator).left).write(AtomicIsize::new(expected.len as isize));
        (&raw mut (*iterator).changed).write(AtomicBool::new(false));
        (&raw mut (*iterator).backwards).write(backwards);
        (&raw mut (*iterator).part).write(part);
        (&raw mut (*iterator).expected).write(expected);
        let (cache, version) = entries.cache_and_version();
        (&raw mut (*iterator).version).write(AtomicUsize::new(seen));
        (&raw mut (*iterator).remembering).write(Remembering::new(container, cache, version));
        Keeper::take_hold(made.as_ptr(), container);
        Ok(made)
    }
}

unsafe extern "C" fn next(iterator: Object_) -> Object_ {
    // SAFETY: called by CPython with one of ours; it keeps the wrapper.
    let this = unsafe { &*iterator.cast::<Iterator>() };
    let at = this.next.load(Ordering::Relaxed);
    match this.cached_entry(at) {
        Some(object) => {
            this.next
                .store(if this.backwards { at - 1 } else { at + 1 }, Ordering::Relaxed);
            // Threads that share an iterator may lose count: it is a hint.
            this.left
                .store(this.left.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
            object.into_ptr()
        }
        // SAFETY: called by CPython with one of ours; it keeps the wrapper.
        None => unsafe { next_slowly(this, at) },
    }
}

impl Iterator {
    /// Returns the cached object of the entry at a place (before it, backwards).
    /// The thread is attached.
    #[inline(always)]
    fn cached_entry(&self, at: isize) -> Option<Owned> {
        let container = self.keeper.container();
        if container.is_null() || at < 0 {
            return None;
        }
        let place = if self.backwards { at - 1 } else { at } as usize;
        // SAFETY: attached; the wrapper that this was made of; remembered objects are alive until
        // they are counted.
        unsafe {
            let (cache, version) = self.remembering.current(container)?;
            if version != self.version.load(Ordering::Relaxed) {
                return None;
            }
            if cfg!(debug_assertions)
                && let Some(entries) = self.entries()
            {
                entries.check_epoch(container, version);
            }
            let wrapper = container.cast();
            let one = |object: NonNull<c_void>| Owned::from_borrowed(object.as_ptr().cast());
            match self.part {
                Part::Keys => cache.get(wrapper, version, place).map(one),
                Part::Values => cache.cached_value(wrapper, version, place).map(one),
                Part::Items => {
                    let (key, value) = cache.cached_pair(wrapper, version, place)?;
                    pack_pair(one(key), one(value)).ok()
                }
            }
        }
    }
}

#[inline(never)]
unsafe extern "C" fn next_slowly(this: &Iterator, at: isize) -> Object_ {
    let Some(entries) = this.entries().filter(|_| at >= 0) else {
        return std::ptr::null_mut();
    };
    let row = if this.changed.load(Ordering::Relaxed) {
        Err(entries.changed_error(false))
    } else {
        entries.step(at as usize, this.backwards, Some(this.expected), this.part)
    };
    match row {
        Ok(Some(row)) => {
            this.next
                .store(this.position_after(row.place()), Ordering::Relaxed);
            this.left.fetch_sub(1, Ordering::Relaxed);
            this.version.store(row.version(), Ordering::Relaxed);
            // SAFETY: attached; the iterator keeps the wrapper.
            unsafe { row.object(this.keeper.container()) }.map_or_else(iterator_failed, Owned::into_ptr)
        }
        Ok(None) => {
            this.next.store(-1, Ordering::Relaxed);
            this.keeper.let_go();
            std::ptr::null_mut()
        }
        Err(error) => {
            this.changed.store(true, Ordering::Relaxed);
            iterator_failed(error)
        }
    }
}

#[cold]
fn iterator_failed(error: Error) -> Object_ {
    raise(error);
    std::ptr::null_mut()
}

unsafe extern "C" fn length_hint(iterator: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with one of ours.
        let this = unsafe { &*iterator.cast::<Iterator>() };
        let ended = this.next.load(Ordering::Relaxed) < 0 || this.changed.load(Ordering::Relaxed);
        let changed = this
            .entries()
            .is_none_or(|entries| entries.shape().0 != this.expected);
        let left = this.left.load(Ordering::Relaxed).max(0) as usize;
        crate::heap_types::support::new_int(if ended || changed { 0 } else { left })
    })
}

unsafe extern "C" fn iterator_reduce(iterator: Object_, _: Object_) -> Object_ {
    finish_call(|| {
        // SAFETY: called by CPython with one of ours, which keeps the wrapper.
        let this = unsafe { &*iterator.cast::<Iterator>() };
        let mut at = this.next.load(Ordering::Relaxed);
        reduce_iterator(|| {
            let Some(entries) = this.entries().filter(|_| at >= 0) else {
                return Ok(None);
            };
            if this.changed.load(Ordering::Relaxed) {
                return Err(entries.changed_error(false));
            }
            let Some(row) = entries.step(at as usize, this.backwards, Some(this.expected), this.part)? else {
                return Ok(None);
            };
            at = this.position_after(row.place());
            // SAFETY: called by CPython with one of ours, which keeps the wrapper.
            unsafe { row.object(this.keeper.container()) }.map(Some)
        })
    })
}

static METHODS: Methods<3> = Methods([
    method_noargs(c"__length_hint__", length_hint, c"How many entries are left."),
    method_noargs(c"__reduce__", iterator_reduce, c"An iterator over what is left."),
    py::PyMethodDef::zeroed(),
]);

/// The thread is attached.
pub(super) fn make_iterator(module: &Owned) -> Result<Owned, Error> {
    // SAFETY: attached; both are for such objects.
    unsafe {
        iterator_class(
            module,
            c"pairbond.EntryIterator",
            size_of::<Iterator>(),
            next,
            &METHODS.0,
        )
    }
}
