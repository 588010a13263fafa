//! The interpreters of the process, as the binary in charge keeps them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pairbond_core::error::{Error, ErrorKind, ResultExt};
use pairbond_core::frontend::{Deferred, FrontendTable, Taken, open_interpreter};
use pairbond_core::types::{TypeInfo, forget_classes};
use pyo3_ffi as py;

use super::kept::{CONSTANTS, HELPERS};
use super::{Classes, Collector, EXCEPTIONS, Guests, Held, Interp, Moved, Named, Spare};
use crate::ffi::current_interpreter;

/// Open interpreters by the address of CPython's state. An entry is removed before CPython reuses
/// the address.
static INTERPRETERS: Mutex<Option<HashMap<usize, &'static Interp>>> = Mutex::new(None);
/// The interpreter that was looked up last: one compare in a process with one interpreter.
static LAST: AtomicPtr<Interp> = AtomicPtr::new(std::ptr::null_mut());
/// See [`Api::sole`](crate::interp::api::Api).
pub(crate) static SOLE: AtomicU16 = AtomicU16::new(0);
/// See [`Api::sole_interp`](crate::interp::api::Api).
pub(crate) static SOLE_INTERP: AtomicPtr<Interp> = AtomicPtr::new(std::ptr::null_mut());
/// See [`Api::spare`](crate::interp::api::Api).
pub(crate) static SPARE: AtomicPtr<Spare> = AtomicPtr::new(std::ptr::null_mut());
static OPENED: AtomicUsize = AtomicUsize::new(0);

/// See [`Api::current`](crate::interp::api::Api).
#[inline]
pub(crate) unsafe extern "C" fn current_interp() -> *const Interp {
    let state = current_interpreter();
    let last = LAST.load(Ordering::Acquire);
    // SAFETY: interpreters are never freed.
    if let Some(interp) = unsafe { last.as_ref() }
        && std::ptr::eq(interp.state, state)
    {
        return interp;
    }
    find_interp(state)
}

#[cold]
fn find_interp(state: *mut py::PyInterpreterState) -> *const Interp {
    let all = INTERPRETERS.lock().unwrap_or_else(PoisonError::into_inner);
    match all.as_ref().and_then(|all| all.get(&(state as usize))) {
        Some(interp) => {
            LAST.store(std::ptr::from_ref(*interp).cast_mut(), Ordering::Release);
            *interp
        }
        None => std::ptr::null(),
    }
}

/// Opens the attached thread's interpreter, if it is not open yet, with a table of functions for
/// the core.
///
/// # Errors
/// No tag is left.
///
/// # Safety
/// Attached.
pub unsafe fn open_current(table: fn() -> FrontendTable) -> Result<&'static Interp, Error> {
    // SAFETY: this thread is attached to the interpreter.
    if let Some(interp) = unsafe { current_interp().as_ref() } {
        return Ok(interp);
    }
    let state = current_interpreter();
    // SAFETY: this thread is attached to the interpreter.
    let (id, is_main) = unsafe {
        (
            py::PyInterpreterState_GetID(state),
            std::ptr::eq(py::PyInterpreterState_Main(), state),
        )
    };
    let interp: &'static mut Interp = Box::leak(Box::new(Interp {
        tag: 0,
        open: true.into(),
        closer: AtomicPtr::new(std::ptr::null_mut()),
        ended: AtomicBool::new(false),
        pending: AtomicBool::new(false),
        attaching: AtomicUsize::new(0),
        state,
        id,
        is_main,
        deferred: Deferred::new(),
        late: Mutex::default(),
        table: table(),
        classes: Classes::new(),
        base: AtomicPtr::new(std::ptr::null_mut()),
        get_objects: AtomicPtr::new(std::ptr::null_mut()),
        watched: AtomicBool::new(false),
        exceptions: [const { AtomicPtr::new(std::ptr::null_mut()) }; EXCEPTIONS.len()],
        helpers: [const { AtomicPtr::new(std::ptr::null_mut()) }; HELPERS],
        constants: [const { AtomicPtr::new(std::ptr::null_mut()) }; CONSTANTS],
        gc: Collector::new(),
        spare: Spare::new(),
        held: Held::new(),
        moved: Moved::default(),
        trace: super::trace::Trace::new(),
        guests: Guests::new(),
        named: Named::new(),
    }));
    interp.table.context = std::ptr::from_mut(interp).cast();
    let raw = std::ptr::from_mut(interp);
    // SAFETY: leaked; it has not been shared yet, and the tag is written before it is.
    let interp: &'static Interp = unsafe {
        (*raw).tag = open_interpreter(&(*raw).table).or_raise(ErrorKind::Import)?;
        &*raw
    };
    // Before the second tag is in use, the flag for a sole one is off.
    if OPENED.fetch_add(1, Ordering::SeqCst) == 0 {
        SOLE.store(interp.tag, Ordering::SeqCst);
        SPARE.store((&raw const interp.spare).cast_mut(), Ordering::SeqCst);
        SOLE_INTERP.store(raw, Ordering::SeqCst);
    }
    if OPENED.load(Ordering::SeqCst) > 1 {
        SOLE.store(0, Ordering::SeqCst);
        SPARE.store(std::ptr::null_mut(), Ordering::SeqCst);
        SOLE_INTERP.store(std::ptr::null_mut(), Ordering::SeqCst);
    }
    let mut all = INTERPRETERS.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_with(HashMap::new)
        .insert(state as usize, interp);
    Ok(interp)
}

/// Forgets an interpreter whose state is about to be freed.
pub(crate) fn remove_interp(interp: &'static Interp) {
    let mut all = INTERPRETERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(all) = all.as_mut() {
        all.remove(&(interp.state as usize));
    }
    LAST.store(std::ptr::null_mut(), Ordering::Release);
    SOLE_INTERP.store(std::ptr::null_mut(), Ordering::Release);
}

/// Gives back what the interpreter holds of Python's, and the memory of its tables. `forget` is
/// called with each class.
///
/// # Safety
/// Attached to the interpreter, which was removed, and which no other thread uses any more.
pub(crate) unsafe fn give_back(interp: &'static Interp, forget: unsafe fn(*mut py::PyTypeObject)) {
    let mut all: Vec<*mut py::PyObject> = vec![
        interp.base.swap(std::ptr::null_mut(), Ordering::AcqRel).cast(),
        interp.get_objects.swap(std::ptr::null_mut(), Ordering::AcqRel),
    ];
    all.extend(
        interp
            .exceptions
            .iter()
            .map(|class| class.swap(std::ptr::null_mut(), Ordering::AcqRel)),
    );
    all.extend(
        interp
            .constants
            .iter()
            .map(|object| object.swap(std::ptr::null_mut(), Ordering::AcqRel)),
    );
    all.extend(
        interp
            .helpers
            .iter()
            .map(|class| class.swap(std::ptr::null_mut(), Ordering::AcqRel).cast()),
    );
    // SAFETY: attached to the interpreter, which was removed, and which no other thread uses any
    // more: the caller ensures it. Each is a counted reference of the interpreter's.
    unsafe {
        drop(interp.named.take_all());
        let are_read = forget_classes(interp.tag);
        for class in interp.classes.take_all() {
            forget(class);
            // A native thread may be reading whether it was changed: such a class stays.
            if !are_read {
                all.push(class.cast());
            }
        }
        for object in all {
            py::Py_XDECREF(object);
        }
    }
}

/// Sets `gc.get_objects`; the reference is given away.
pub(crate) fn set_get_objects(interp: &Interp, function: *mut py::PyObject) {
    interp.get_objects.store(function, Ordering::Release);
}

/// Sets the base class; the reference is given away.
pub(crate) fn set_base(interp: &Interp, class: *mut py::PyTypeObject) {
    interp.base.store(class, Ordering::Release);
}

/// Sets a class of iterators or views; the reference is given away.
pub(crate) fn set_helper_class(interp: &Interp, number: usize, class: *mut py::PyObject) {
    interp.helpers[number].store(class.cast(), Ordering::Release);
}

/// Sets an object that calls are given; the reference is given away.
pub(crate) fn set_constant(interp: &Interp, number: usize, object: *mut py::PyObject) {
    interp.constants[number].store(object, Ordering::Release);
}

/// Sets an exception; the reference is given away.
pub(crate) fn set_exception(interp: &Interp, index: usize, class: *mut py::PyObject) {
    interp.exceptions[index].store(class, Ordering::Release);
}

pub(crate) unsafe extern "C" fn exception_by_name(
    interp: *const Interp,
    name: *const u8,
    len: usize,
) -> *mut py::PyObject {
    // SAFETY: a living interpreter and a string.
    let (interp, name) = unsafe { (&*interp, std::slice::from_raw_parts(name, len)) };
    match EXCEPTIONS.iter().position(|(known, ..)| known.as_bytes() == name) {
        Some(index) => interp.exceptions[index].load(Ordering::Acquire),
        None => std::ptr::null_mut(),
    }
}

pub(crate) unsafe extern "C" fn class_of(
    interp: *const Interp,
    info: *const TypeInfo,
) -> *mut py::PyTypeObject {
    // SAFETY: a living interpreter and a registered type.
    let (interp, mut info) = unsafe { (&*interp, Some(&*info)) };
    while let Some(at) = info {
        let class = interp.classes.get(at.index());
        if !class.is_null() {
            return class;
        }
        info = at.base();
    }
    interp.base_class()
}

/// Keeps a class as that of a type's objects.
///
/// # Safety
/// Attached to the interpreter; a living class.
pub(crate) unsafe fn keep_class(interp: &Interp, info: &TypeInfo, class: *mut py::PyTypeObject) {
    // SAFETY: attached; a living class: the caller ensures it.
    unsafe {
        py::Py_INCREF(class.cast());
        let old = interp.classes.set(info.index(), class);
        if !old.is_null() {
            interp.gc.class_was_replaced();
            interp.spare.forget(old);
            py::Py_DECREF(old.cast());
        }
    }
}

/// The references that wait for an interpreter; the caller releases them, or leaks them because the
/// interpreter is gone.
pub(crate) fn take_releases(interp: &Interp) -> Taken {
    let all = interp.deferred.take_all();
    pairbond_core::runtime::waiting_releases().fetch_sub(all.len(), Ordering::AcqRel);
    all
}

/// Counts the references that threads took which could not attach.
///
/// # Safety
/// Attached to the interpreter.
pub(crate) unsafe fn count_late(interp: &Interp) {
    let late = std::mem::take(&mut *interp.late());
    for wrapper in late {
        // SAFETY: a wrapper that the thread holds; attached.
        unsafe { py::Py_INCREF(std::ptr::with_exposed_provenance_mut(wrapper)) }
    }
}
