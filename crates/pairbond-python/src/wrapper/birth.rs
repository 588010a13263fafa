//! How wrappers come to be: memory, the collector's notice, the tie to an object.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use pairbond_core::error::Error;
use pairbond_core::event::{Kind, notify_object_event};
use pairbond_core::object::{Header, Object, Pair, Ref, wrapper_died};
use pairbond_core::runtime::node_section;
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use crate::errors::owned_or_error;
use crate::ffi::{_PyObject_GC_New, _PyObject_New, enable_try_incref};
use crate::interp::pace::TRACK_ALL;
use crate::interp::spare::has_plain_memory;
use crate::interp::{self, Interp};
use crate::layout::is_self;
use crate::owned::Owned;
use crate::wrapper::{Wrapper, moved};

/// A wrapper without a native object. Null with an exception set when there is no memory.
///
/// Exact wrapper classes are allocated without being tracked by Python's collector: whether one
/// must be is known when its object is. A subclass made in Python is tracked from birth, as its
/// `tp_alloc` does.
///
/// # Safety
/// Attached; `class` is a wrapper class or a subclass of one.
#[inline(never)]
pub unsafe fn allocate(class: *mut py::PyTypeObject) -> *mut py::PyObject {
    // SAFETY: attached; `class` is a wrapper class or a subclass of one: the caller ensures it. The
    // memory is as large as the class says and its fields are written here.
    unsafe {
        if (*class).tp_basicsize as usize != size_of::<Wrapper>() || !is_exact(class) {
            return match (*class).tp_alloc {
                Some(alloc) => alloc(class, 0),
                None => py::PyType_GenericAlloc(class, 0),
            };
        }
        if has_plain_memory(class)
            && let Some(wrapper) = crate::interp::api::spare_wrappers().and_then(|spare| spare.take(class))
        {
            return wrapper;
        }
        allocate_fresh(class)
    }
}

/// The same of new memory, for a class whose instances begin as wrappers do.
///
/// # Safety
/// As [`allocate`]; a class made by a library.
#[inline]
pub(crate) unsafe fn allocate_fresh(class: *mut py::PyTypeObject) -> *mut py::PyObject {
    // SAFETY: attached; `class` is a wrapper class or a subclass of one. a class made by a library:
    // the caller ensures it.
    unsafe {
        let wrapper = if crate::ffi::has_flag(class, py::Py_TPFLAGS_HAVE_GC) {
            _PyObject_GC_New(class)
        } else {
            _PyObject_New(class)
        };
        if !wrapper.is_null() {
            let layout = wrapper.cast::<Wrapper>();
            (&raw mut (*layout).native).write(std::ptr::null_mut());
            #[cfg(not(Py_3_12))]
            {
                (&raw mut (*layout).dict).write(std::ptr::null_mut());
                (&raw mut (*layout).weakrefs).write(std::ptr::null_mut());
            }
        }
        wrapper
    }
}

/// Whether a class was made by a library; a class statement gives its class CPython's own
/// `subtype_dealloc`.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
pub(crate) unsafe fn is_exact(class: *mut py::PyTypeObject) -> bool {
    // SAFETY: a living type.
    unsafe { (*class).tp_dealloc.map(|f| f as usize) == Some(crate::interp::api::wrapper_dealloc()) }
}

/// The class that decides what wrappers of a class stand for: the first one upwards, itself
/// included, that a library made or that was defined. Null if there is none.
///
/// # Safety
/// A living type or null.
#[inline]
pub(crate) unsafe fn deciding_class(mut class: *mut py::PyTypeObject) -> *mut py::PyTypeObject {
    // SAFETY: a living type or null: the caller ensures it. Bases live as long as the class.
    unsafe {
        while !class.is_null() && !is_exact(class) {
            class = (*class).tp_base;
        }
    }
    class
}

/// Returns whether a new wrapper of a class that a library made must be tracked, given the type of
/// its object.
#[inline]
pub(crate) fn is_tracked_from_birth(info: &TypeInfo) -> bool {
    TRACK_ALL || info.is_traced() && !may_be_untracked(info)
}

/// Returns whether the type's fields own no Python object, and the interpreter is the only one and
/// not shutting down.
#[inline]
fn may_be_untracked(info: &TypeInfo) -> bool {
    info.has_native_fields()
        && crate::interp::api::spare_wrappers().is_some_and(|spare| spare.pace.allows_untracked())
}

/// Returns whether wrappers of a class made in Python refer to nothing of Python's but attributes
/// and the class, through which no cycle is garbage, since the interpreter keeps it; and whether
/// they have no finalizer.
///
/// # Safety
/// A live class of wrappers, and the calling thread is attached to the interpreter.
pub(crate) unsafe fn is_plain_class(interp: &Interp, class: *mut py::PyTypeObject) -> bool {
    // SAFETY: a live class, which keeps its bases.
    unsafe {
        let base = deciding_class(class);
        interp.named.keeps(class)
            && (*class).tp_finalize.is_none()
            && !base.is_null()
            // No slots.
            && (*class).tp_basicsize == (*base).tp_basicsize
    }
}

/// Shows a wrapper to Python's collector, if it is not shown already.
///
/// # Safety
/// Attached; a living wrapper. Without a GIL: no other thread may do the same.
pub(crate) unsafe fn track_wrapper(wrapper: *mut py::PyObject) {
    // SAFETY: attached; a living wrapper. Without a GIL: no other thread may do the same: the
    // caller ensures it.
    unsafe {
        if crate::ffi::has_flag(py::Py_TYPE(wrapper), py::Py_TPFLAGS_HAVE_GC)
            && py::PyObject_GC_IsTracked(wrapper) == 0
        {
            // A pydebug build validates tracked objects by `tp_traverse(op, …, op)`: to our eyes a
            // subtracting pass, which would disturb the one of a collection that is running
            // finalizers now. So there is nothing native to see for that time; the GIL keeps others
            // away.
            #[cfg(not(Py_GIL_DISABLED))]
            let native = std::mem::replace(&mut (*wrapper.cast::<Wrapper>()).native, std::ptr::null_mut());
            py::PyObject_GC_Track(wrapper.cast());
            #[cfg(not(Py_GIL_DISABLED))]
            {
                (*wrapper.cast::<Wrapper>()).native = native;
            }
        }
    }
}

/// Shows a wrapper to Python's collector that was just [allocated](allocate) for a class made by a
/// library, and stands for nothing yet.
///
/// # Safety
/// Attached; a living wrapper that the collector does not know.
#[inline]
pub(crate) unsafe fn track_new(wrapper: *mut py::PyObject) {
    // SAFETY: attached; a living wrapper that the collector does not know: the caller ensures it.
    unsafe {
        debug_assert!(
            (*wrapper.cast::<Wrapper>()).native.is_null() && py::PyObject_GC_IsTracked(wrapper) == 0
        );
        if crate::ffi::has_flag(py::Py_TYPE(wrapper), py::Py_TPFLAGS_HAVE_GC) {
            py::PyObject_GC_Track(wrapper.cast());
        }
    }
}

/// Before an object of a traced type gets a wrapper: Python's collector knows nothing of most of
/// these, nor of the nodes of trees behind them, so when it is time pairbond [looks for
/// garbage](crate::interp::api::Api::sweep) itself.
///
/// # Safety
/// Attached, where an allocation could collect as well.
#[inline]
pub(crate) unsafe fn collect_if_due(is_tree: bool) {
    if let Some(crowded) = is_sweep_due(is_tree) {
        // SAFETY: attached, where an allocation could collect as well: the caller ensures it.
        unsafe { (crate::interp::api::api().sweep)(crowded) };
    }
}

/// Whether it is time to sweep, and whether for trees.
#[inline]
pub(crate) fn is_sweep_due(is_tree: bool) -> Option<bool> {
    let crowded = is_tree && node_section().is_some_and(|trees| (trees.is_crowded)());
    let due = crowded || crate::interp::api::spare_wrappers().is_some_and(|spare| spare.pace.is_due());
    due.then_some(crowded)
}

/// A new wrapper of a class made by a library, with its object, born in the wrapper's custody. The
/// value is made last.
///
/// # Errors
/// There is no memory, or `make`'s; nothing is left behind.
///
/// # Safety
/// Attached; `class` is the class for `T`, and not one that extends it.
#[inline(always)]
pub unsafe fn make_pair<T: Object>(
    class: *mut py::PyTypeObject,
    make: impl FnOnce() -> Result<T, Error>,
) -> Result<Owned, Error> {
    // SAFETY: attached; `class` is the class for `T`, and not one that extends it: the caller
    // ensures it. The wrapper has not been shared.
    unsafe {
        if T::TRACED {
            collect_if_due(T::NODE.is_some());
        }
        // Spare memory is taken here: it is what most constructions find.
        let again = if T::ATTRIBUTES {
            crate::interp::api::spare_wrappers()
        } else {
            None
        };
        let wrapper = match again.and_then(|spare| spare.take(class)) {
            Some(wrapper) => Owned::from_new(wrapper).expect("spare memory"),
            None => owned_or_error(allocate(class))?,
        };
        let pair = Pair::new(interp::tag(), wrapper.as_ptr().cast());
        let native = Ref::with_pair_from(Some(pair), make)?.into_raw();
        if TRACK_ALL || T::TRACED && is_tracked_from_birth(native.as_ref().info()) {
            track_new(wrapper.as_ptr());
        }
        enable_try_incref(wrapper.as_ptr());
        (*wrapper.as_ptr().cast::<Wrapper>()).native = native.as_ptr();
        notify_object_event(Kind::Tied, native.as_ref(), pair.tag());
        Ok(wrapper)
    }
}

/// As [`make_pair`], with an object of a type that is known at run time only.
///
/// # Errors
/// There is no memory, or `make`'s; nothing is left behind.
///
/// # Safety
/// Attached; `class` is the class for the type of the object, and not one that extends it.
#[inline(always)]
pub(crate) unsafe fn make_pair_with(
    class: *mut py::PyTypeObject,
    info: &TypeInfo,
    make: impl FnOnce(Pair) -> Result<NonNull<Header>, Error>,
) -> Result<Owned, Error> {
    // SAFETY: attached; `class` is the class for the type of the object, and not one that extends
    // it: the caller ensures it. The wrapper has not been shared.
    unsafe {
        if info.is_traced() {
            collect_if_due(info.is_node());
        }
        let again = if has_plain_memory(class) {
            crate::interp::api::spare_wrappers()
        } else {
            None
        };
        let wrapper = match again.and_then(|spare| spare.take(class)) {
            Some(wrapper) => Owned::from_new(wrapper).expect("spare memory"),
            None => owned_or_error(allocate(class))?,
        };
        let pair = Pair::new(interp::tag(), wrapper.as_ptr().cast());
        let native = make(pair)?;
        track_if(wrapper.as_ptr(), info);
        enable_try_incref(wrapper.as_ptr());
        (*wrapper.as_ptr().cast::<Wrapper>()).native = native.as_ptr();
        notify_object_event(Kind::Tied, native.as_ref(), pair.tag());
        Ok(wrapper)
    }
}

/// Gives a wrapper its native object, born in the wrapper's custody.
///
/// # Errors
/// The wrapper has one already (`__init__` called twice), or there is no memory.
///
/// # Safety
/// Attached; a living wrapper of a class for `T`.
#[inline]
pub unsafe fn tie<T: Object>(wrapper: *mut py::PyObject, value: T) -> Result<(), Error> {
    // SAFETY: attached; a living wrapper of a class for `T`: the caller ensures it.
    unsafe {
        if T::TRACED {
            collect_if_due(T::NODE.is_some());
        }
        tie_with(wrapper, |pair| Ok(Ref::with_pair(value, Some(pair))?.into_raw()))
    }
}

/// As [`tie`], with an object that `make` makes for the pair.
///
/// # Errors
/// As for [`tie`], and those of `make`.
///
/// # Safety
/// Attached; a living wrapper of a class for the object's type; the object is the wrapper's.
#[inline]
pub(crate) unsafe fn tie_with(
    wrapper: *mut py::PyObject,
    make: impl FnOnce(Pair) -> Result<NonNull<Header>, Error>,
) -> Result<(), Error> {
    // SAFETY: attached; a living wrapper of a class for the object's type; the object is the
    // wrapper's: the caller ensures it. The field is used atomically because another thread may
    // call `__init__` too.
    unsafe {
        let field = AtomicPtr::from_ptr(&raw mut (*wrapper.cast::<Wrapper>()).native);
        if !field.load(Ordering::Acquire).is_null() {
            return Err(wrapped_twice(wrapper));
        }
        if moved::is_moved(wrapper) {
            return Err(crate::wrapper::uninitialized_error(wrapper));
        }
        let mut pair = Pair::new(interp::tag(), wrapper.cast());
        if !is_exact(py::Py_TYPE(wrapper)) {
            pair = pair.with_overriding();
        }
        let native = make(pair)?;
        enable_try_incref(wrapper);
        if !set_once(field, native) {
            release_native(native, wrapper);
            return Err(wrapped_twice(wrapper));
        }
        if is_tracked_from_birth(native.as_ref().info()) {
            track_wrapper(wrapper);
        }
        if pair.may_override() && native.as_ref().info().is_node() {
            super::repr::guard_repr(py::Py_TYPE(wrapper));
        }
        notify_object_event(Kind::Tied, native.as_ref(), pair.tag());
        Ok(())
    }
}

/// Shows a new wrapper of a class made by a library to Python's collector, if that must know it.
///
/// # Safety
/// Attached; a living wrapper that the collector does not know and that stands for nothing yet.
#[inline]
pub(crate) unsafe fn track_if(wrapper: *mut py::PyObject, info: &TypeInfo) {
    if is_tracked_from_birth(info) {
        // SAFETY: attached; a living wrapper that the collector does not know and that stands for
        // nothing yet: the caller ensures it.
        unsafe { track_new(wrapper) }
    }
}

/// Sets a wrapper's object unless it has one: only a thread that runs at the same time could have
/// been first.
#[cfg(Py_GIL_DISABLED)]
fn set_once(field: &AtomicPtr<Header>, native: NonNull<Header>) -> bool {
    field
        .compare_exchange(
            std::ptr::null_mut(),
            native.as_ptr(),
            Ordering::AcqRel,
            Ordering::Acquire,
        )
        .is_ok()
}

/// Sets a wrapper's object. With a GIL no thread ran since the caller looked: making an object runs
/// no Python code.
#[cfg(not(Py_GIL_DISABLED))]
fn set_once(field: &AtomicPtr<Header>, native: NonNull<Header>) -> bool {
    field.store(native.as_ptr(), Ordering::Release);
    true
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
#[cold]
unsafe fn wrapped_twice(wrapper: *mut py::PyObject) -> Error {
    // SAFETY: a living object.
    let name = unsafe { crate::ffi::type_name(py::Py_TYPE(wrapper)) };
    Error::type_error(format!(
        "{name}.__init__() was called twice: the object is made already"
    ))
}

/// Ends the custody of a wrapper over its object, if it still has any: an object that outlives an
/// interpreter may have been taken over by another one when the last wrappers of the first die.
///
/// # Safety
/// `native` is the object of `wrapper`, whose reference to it is given up.
unsafe fn release_native(native: NonNull<Header>, wrapper: *mut py::PyObject) {
    // SAFETY: the wrapper's claim on the object is given up; it is not fetched any more.
    unsafe {
        if is_self(wrapper, native) {
            wrapper_died(native);
        }
    }
}
