//! Cutting the wrappers of an ending interpreter off from objects that native code goes on holding.
//!
//! Python's collector finds the wrappers, or those that refer to them: those with attributes, of
//! objects that own references, of subclasses. The others are listed when native code gets hold of
//! their objects ([`held`]). A wrapper that is missed for all that hardly exists: its object then
//! keeps the tag of an ended interpreter, the next one that fetches it takes it over, and the last
//! native reference destroys it as if it had no wrapper.
//!
//! Those of classes made in Python keep their memory, and their class its own: calls of overridable
//! methods look at both on any thread. But both are emptied, so that neither attributes nor methods
//! keep anything alive, the globals of a module least of all. They stand for nothing any more, and
//! their objects keep the tag as well, so that such a call is refused until another interpreter
//! takes the object over.
//!
//! A severed wrapper that is not dormant keeps its object, as a guest does: the rest of the
//! interpreter may use it, and so may a thread that was stopped for ever in the middle of a call. A
//! dormant one dies here, with its attributes, and its `__del__` runs: when the interpreter can
//! hardly run Python code any more, as for any object that C code lets go this late.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use pairbond_core::event::{Kind, notify_object_event};
use pairbond_core::object::{ErasedRef, Upgraded, on_unwrapped, run_release_action};
use pyo3_ffi as py;

use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper::{Wrapper, held, is_exact, is_self, is_wrapper, native};

/// Severs every wrapper of the interpreter that a native object keeps.
///
/// # Safety
/// Attached to the interpreter, which no other thread uses any more.
pub(super) unsafe fn sever_all(interp: &Interp) {
    // SAFETY: attached to the interpreter, which no other thread uses any more: the caller ensures
    // it. An exception that is set now (there should be none) stays.
    unsafe {
        let exception = crate::errors::fetch_exception();
        let wrappers = find_wrappers(interp);
        let mut stay = Vec::new();
        for wrapper in wrappers {
            if sever_wrapper(interp, &wrapper) {
                // Without memory it keeps its attributes, too.
                match stay.try_reserve(1) {
                    Ok(()) => stay.push(wrapper),
                    Err(_) => std::mem::forget(wrapper),
                }
            }
        }
        stay.iter().for_each(|wrapper| empty_wrapper(wrapper));
        crate::errors::clear();
        if let Some(exception) = exception {
            crate::errors::restore_exception(exception);
        }
    }
}

/// The wrappers that the collector knows, and those that objects which it knows refer to.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn find_wrappers(interp: &Interp) -> Vec<Owned> {
    unsafe extern "C" fn note_wrapper(object: *mut py::PyObject, found: *mut c_void) -> c_int {
        // SAFETY: a living object, and the list below.
        unsafe {
            if is_wrapper(object) {
                add_wrapper(&mut *found.cast::<Vec<Owned>>(), object);
            }
        }
        0
    }
    let mut found: Vec<Owned> = Vec::new();
    // SAFETY: attached; no other thread is left, and counting a reference runs nothing.
    unsafe { held::each_listed(interp, &mut |_, wrapper| add_wrapper(&mut found, wrapper)) };
    // SAFETY: attached; a function of the `gc` module, kept since the interpreter was opened; the
    // list is ours.
    unsafe {
        let Some(objects) = interp
            .get_objects()
            .and_then(|function| Owned::from_new(running::PyObject_CallNoArgs(function)))
        else {
            return found;
        };
        if py::PyList_Check(objects.as_ptr()) == 0 {
            return found;
        }
        let list = (&raw mut found).cast::<c_void>();
        for index in 0..py::PyList_GET_SIZE(objects.as_ptr()) {
            let object = py::PyList_GET_ITEM(objects.as_ptr(), index);
            note_wrapper(object, list);
            if let Some(traverse) = (*py::Py_TYPE(object)).tp_traverse {
                traverse(object, note_wrapper, list);
            }
        }
    }
    found
}

/// Adds a wrapper. Without memory for the list it is missed (see the head of this file).
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn add_wrapper(found: &mut Vec<Owned>, wrapper: *mut py::PyObject) {
    if found.try_reserve(1).is_ok() {
        // SAFETY: attached; a living object: the caller ensures it.
        found.push(unsafe { Owned::from_borrowed(wrapper) });
    }
}

/// Lets a wrapper that its object keeps go on as one that keeps its object, as a guest does. A
/// dormant one dies of it.
///
/// `true`: it stays as it is, and stands for nothing.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn sever_wrapper(interp: &Interp, wrapper: &Owned) -> bool {
    // SAFETY: attached; a living wrapper.
    unsafe {
        let Some(object) = native(wrapper.as_ptr()) else {
            return false;
        };
        if !is_self(wrapper.as_ptr(), object) {
            return false;
        }
        let custody = object.as_ref().custody();
        if custody.pair().may_override() {
            // A native thread may be looking at its class, for a method that it overrides.
            (*wrapper.as_ptr().cast::<Wrapper>()).native = std::ptr::null_mut();
            return true;
        }
        if let Upgraded::Strong = custody.upgrade() {
            match custody.sever() {
                Some(duty) => {
                    // Nothing is left to do: there is the reference that was counted just now,
                    // which is the wrapper's.
                    object.as_ref().count_wrapper(-1);
                    notify_object_event(Kind::Severed, object.as_ref(), interp.tag());
                    run_release_action(object, duty);
                    drop(on_unwrapped(object.as_ref()));
                    // The object's own reference.
                    py::Py_DECREF(wrapper.as_ptr());
                }
                None => drop(ErasedRef::from_raw(object)),
            }
        }
        false
    }
}

/// Empties a wrapper that keeps its memory, and the parts of its class and bases that were made in
/// Python: attributes, slots, methods.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn empty_wrapper(wrapper: &Owned) {
    // SAFETY: attached; living objects. No code is left that could look anything up in these
    // classes; native threads read their versions.
    unsafe {
        let class = wrapper.class();
        if let Some(clear) = (*class).tp_clear {
            clear(wrapper.as_ptr());
        }
        let Some(bases) = NonNull::new((*class).tp_mro) else {
            return;
        };
        let bases = Owned::from_borrowed(bases.as_ptr());
        for index in 0..py::PyTuple_GET_SIZE(bases.as_ptr()) {
            let base = py::PyTuple_GET_ITEM(bases.as_ptr(), index);
            if crate::ffi::has_flag(base.cast(), py::Py_TPFLAGS_HEAPTYPE) && !is_exact(base.cast()) {
                empty_class(base);
            }
        }
        crate::errors::clear();
    }
}

/// Deletes all attributes of a class that can be deleted. One that is a wrapper class, or that
/// CPython made, is left alone by the caller.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn empty_class(class: *mut py::PyObject) {
    // SAFETY: attached; living objects. No code is left that could look anything up in these
    // classes; native threads read their versions.
    unsafe {
        let Some(attributes) = Owned::from_new(running::PyObject_GetAttrString(class, c"__dict__".as_ptr()))
        else {
            return crate::errors::clear();
        };
        let Some(names) = Owned::from_new(running::PyMapping_Keys(attributes.as_ptr())) else {
            return crate::errors::clear();
        };
        for index in 0..py::PyList_GET_SIZE(names.as_ptr()) {
            if py::PyObject_DelAttr(class, py::PyList_GET_ITEM(names.as_ptr(), index)) < 0 {
                crate::errors::clear();
            }
        }
    }
}
