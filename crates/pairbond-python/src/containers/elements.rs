//! The elements of lists and tuples on their way to Python: those that the sequence's cache
//! remembers, and how it comes to.
//!
//! The rules are pairbond-value's (`value/element_cache.rs`). This module decides which objects are
//! borrowed: wrappers of this interpreter that their objects keep (and those a list keeps), Python
//! objects, and CPython's own constants, small ints among them. A `str`, a `float` or another `int`
//! is made once and then owned. Where there is no lock to guard borrowed objects each look reads
//! the element, and only made objects are remembered (`value/object_cache.rs`).

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use pairbond_core::error::Error;
use pairbond_core::object::{Header, Object};
use pairbond_value::value::{Any, ElementCache, ListBody, ObjectCache, TupleBody, detach_epoch};
use pyo3_ffi as py;

use super::values::found_value;
use super::values::ready_object;
use crate::heap_types::support::Object_;
use crate::interp;
use crate::owned::Owned;
use crate::wrapper::{self, Wrapper};

/// A list or tuple of ours.
pub(super) trait Elements: Object {
    fn element_cache(&self) -> &ElementCache;
    /// Touched in [`with_items`](Self::with_items) only.
    fn object_cache(&self) -> &ObjectCache;
    /// Changes with the elements.
    fn version(&self) -> &AtomicUsize;
    /// Looks at the elements, maybe under a lock.
    fn with_items<R>(&self, look: impl FnOnce(&[Any]) -> R) -> R;
}

impl Elements for ListBody {
    #[inline]
    fn element_cache(&self) -> &ElementCache {
        ListBody::element_cache(self)
    }
    #[inline]
    fn object_cache(&self) -> &ObjectCache {
        ListBody::object_cache(self)
    }
    #[inline]
    fn version(&self) -> &AtomicUsize {
        self.version_word()
    }
    #[inline]
    fn with_items<R>(&self, look: impl FnOnce(&[Any]) -> R) -> R {
        self.read(|items| look(items))
    }
}

impl Elements for TupleBody {
    #[inline]
    fn element_cache(&self) -> &ElementCache {
        TupleBody::element_cache(self)
    }
    #[inline]
    fn object_cache(&self) -> &ObjectCache {
        TupleBody::object_cache(self)
    }
    #[inline]
    fn version(&self) -> &AtomicUsize {
        static NEVER: AtomicUsize = AtomicUsize::new(0);
        &NEVER
    }
    #[inline]
    fn with_items<R>(&self, look: impl FnOnce(&[Any]) -> R) -> R {
        look(self.items())
    }
}

/// Whether this wrapper is its object's own, and caches are used: where one lock guards an
/// interpreter.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `this` alive.
#[inline(always)]
pub(super) unsafe fn may_use_cache(this: Object_, native: &Header) -> bool {
    !cfg!(Py_GIL_DISABLED) && std::ptr::eq(native.custody().pair().wrapper(), this.cast())
}

/// The native object of a wrapper whose cache may be looked at, if it is of exactly that type. The
/// cache tells whether the wrapper is the object's own.
///
/// # Safety
/// Attached; a wrapper, which the caller keeps for `'a`.
#[inline(always)]
pub(super) unsafe fn body_with_cache<'a, T: Object>(this: Object_) -> Option<&'a T> {
    if cfg!(Py_GIL_DISABLED) {
        return None;
    }
    // SAFETY: the thread is attached, and the caller keeps the wrapper for `'a`.
    unsafe { exact_body(this) }
}

/// The native object of a wrapper, if it is of exactly that type.
///
/// # Safety
/// As [`body_with_cache`].
#[inline(always)]
unsafe fn exact_body<'a, T: Object>(this: Object_) -> Option<&'a T> {
    // SAFETY: attached, and a living wrapper, which keeps its object: the caller ensures it.
    unsafe { body_if_exact((*this.cast::<Wrapper>()).native.as_ref()?) }
}

/// The object behind a header, if it is of exactly that type.
///
/// # Safety
/// The header is that of a whole object.
#[inline(always)]
unsafe fn body_if_exact<T: Object>(native: &Header) -> Option<&T> {
    // A type that is not registered matches none.
    let class = T::type_cell().get().map_or(std::ptr::null(), std::ptr::from_ref);
    let offset = pairbond_core::object::value_offset(align_of::<T>());
    // SAFETY: a header is the beginning of its object, whose value is there.
    native
        .is_exactly(class)
        .then(|| unsafe { &*std::ptr::from_ref(native).byte_add(offset).cast::<T>() })
}

/// The element that a subscript which is not negative means, if it is at hand: for what `lst[7]` is
/// most of the time.
///
/// # Safety
/// Attached; a wrapper, and an object.
#[inline(always)]
pub(super) unsafe fn cached_at<T: Elements>(this: Object_, key: Object_) -> Option<Owned> {
    // SAFETY: attached; a wrapper, and an object: the caller ensures it. The cache is this
    // interpreter's, whose lock we have.
    unsafe {
        let index = crate::ints::natural(key)?;
        if cfg!(Py_GIL_DISABLED) {
            return ready_at::<T>(this, index as isize);
        }
        let body = body_with_cache::<T>(this)?;
        let version = body.version().load(Ordering::Acquire);
        body.element_cache()
            .get(this.cast(), version, index)
            .map(|object| Owned::from_borrowed(object.as_ptr().cast()))
    }
}

/// The same of a negative one.
///
/// # Safety
/// As [`cached_at`].
pub(super) unsafe fn cached_from_end<T: Elements>(this: Object_, key: Object_) -> Option<Owned> {
    // SAFETY: the thread is attached, and the caller keeps both objects.
    unsafe {
        let index = crate::ints::small(key).filter(|index| *index < 0)?;
        if cfg!(Py_GIL_DISABLED) {
            return ready_at::<T>(this, index);
        }
        let body = body_with_cache::<T>(this)?;
        let version = body.version().load(Ordering::Acquire);
        body.element_cache()
            .get_from_end(this.cast(), version, index.unsigned_abs())
            .map(|object| Owned::from_borrowed(object.as_ptr().cast()))
    }
}

/// The element at an index, which may be negative, if nothing is to be made for it any more: where
/// there are no caches.
///
/// # Safety
/// Attached; a wrapper.
#[inline(always)]
pub(super) unsafe fn ready_at<T: Elements>(this: Object_, index: isize) -> Option<Owned> {
    // SAFETY: attached; a wrapper: the caller ensures it.
    let body = unsafe { exact_body::<T>(this) }?;
    body.with_items(|items| {
        let at = crate::convert::index_place(index, items.len())?;
        ready_object(&items[at]).or_else(|| {
            let version = body.version().load(Ordering::Relaxed);
            // SAFETY: in a look; an object that is kept is alive.
            unsafe {
                let object = body.object_cache().get(interp::tag(), version, at)?;
                Some(Owned::from_borrowed(object.as_ptr().cast()))
            }
        })
    })
}

/// Remembers the object that was made for the element of a place in that version.
/// The thread is attached.
fn remember_element<T: Elements>(body: &T, at: usize, version: usize, object: &Owned) {
    let given = object.clone();
    let offered = body.with_items(|items| {
        (body.version().load(Ordering::Relaxed) == version).then(|| {
            // SAFETY: in a look; a reference of its own.
            unsafe {
                let object = NonNull::new_unchecked(given.as_ptr().cast());
                body.object_cache()
                    .offer_object(interp::tag(), version, items.len(), at, object)
            }
        })
    });
    if offered.is_some_and(|offered| offered.is_kept) {
        std::mem::forget(given);
    }
}

/// The element at an index that may be negative; `None` beyond the end.
///
/// # Safety
/// Attached; `this` is a wrapper of `body`, or null when that is not known.
pub(super) unsafe fn element_at<T: Elements>(
    this: Object_,
    body: &T,
    index: isize,
) -> Result<Option<Owned>, Error> {
    let cut = detach_epoch().load(Ordering::Acquire);
    let look = body.with_items(|items| {
        let at = crate::convert::index_place(index, items.len())?;
        let version = body.version().load(Ordering::Acquire);
        Some((found_value(&items[at]), at, items.len(), version))
    });
    let Some((found, at, len, version)) = look else {
        return Ok(None);
    };
    let kept = found.kept();
    let object = found.object()?;
    if cfg!(Py_GIL_DISABLED) {
        if matches!(kept, Kept::Made) {
            remember_element(body, at, version, &object);
        }
        return Ok(Some(object));
    }
    // SAFETY: attached; `this` is a wrapper of `body`, or null when that is not known: the caller
    // ensures it. A wrapper's object is alive; the cache is this interpreter's.
    unsafe {
        if this.is_null() || !may_use_cache(this, &*(*this.cast::<Wrapper>()).native) {
            return Ok(Some(object));
        }
        let Some(all) = body
            .element_cache()
            .entry_for_update(interp::tag(), this.cast(), version)
        else {
            return Ok(Some(object));
        };
        if all.is_worth_it(len) {
            let Some(places) = all.reserve_places(len) else {
                return Ok(Some(object));
            };
            body.with_items(|items| {
                if body.version().load(Ordering::Acquire) == version && items.len() == places.len() {
                    for (place, item) in places.iter_mut().zip(items) {
                        *place = kept_by(item).cast();
                    }
                }
            });
        } else if all.has_room(at) && detach_epoch().load(Ordering::Acquire) == cut {
            match kept {
                Kept::Made if all.may_own() => {
                    all.keep_object(object.clone().into_ptr().cast());
                    all.borrow(at, object.as_ptr().cast());
                }
                Kept::Elsewhere => all.borrow(at, object.as_ptr().cast()),
                Kept::Made | Kept::No => {}
            }
        }
    }
    Ok(Some(object))
}

/// Tells the cache that one element of a list was stored or added, which was the change of that
/// version to the next. `object` is what [`kept_by`] said of the value.
///
/// # Safety
/// Attached; a wrapper of `list`.
#[inline]
pub(super) unsafe fn note_changed(
    this: Object_,
    list: &ListBody,
    version: usize,
    index: usize,
    object: Object_,
) {
    // SAFETY: attached; a wrapper of `list`: the caller ensures it. The cache is this
    // interpreter's, whose lock we have.
    unsafe {
        if may_use_cache(this, &*(*this.cast::<Wrapper>()).native) {
            list.element_cache().replace_cached(version, index, object.cast());
        }
    }
}

/// Whose the object is that an element came out as.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    /// The sequence's, in the end, or CPython's.
    Elsewhere,
    /// Made for this, and immutable.
    Made,
    /// Owned by code that may release it.
    No,
}

/// The object of an element that a cache may borrow; null if there is no such object yet.
#[inline(always)]
pub(super) fn kept_by(item: &Any) -> Object_ {
    match item {
        Any::Int(int) => crate::ints::cached(*int).unwrap_or(std::ptr::null_mut()),
        item => kept_otherwise(item),
    }
}

fn kept_otherwise(item: &Any) -> Object_ {
    let tag = interp::tag();
    match item {
        Any::Object(object) => {
            wrapper::existing_wrapper(object.as_borrow()).map_or(std::ptr::null_mut(), |it| it.as_ptr())
        }
        Any::Foreign(object) => match object.at_hand() {
            Some((of, object)) if of == tag => object.cast(),
            _ => std::ptr::null_mut(),
        },
        // SAFETY: attached; constants live as long as CPython.
        Any::None => unsafe { py::Py_None() },
        // SAFETY: attached; constants live as long as CPython.
        Any::Bool(true) => unsafe { py::Py_True() },
        // SAFETY: attached; constants live as long as CPython.
        Any::Bool(false) => unsafe { py::Py_False() },
        _ => std::ptr::null_mut(),
    }
}
