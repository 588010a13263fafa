//! Taking an object away from its wrapper, which stays behind empty: what `pairbond.move` does.
//!
//! # Why it takes a proof
//! A method that is called with a wrapper borrows its object for the time of the call, and nothing
//! is counted: that makes calls cheap. An object that is taken away may be changed through `&mut`
//! or moved out, so it must not be borrowed. The proof is by accounting: **a caller of a function
//! holds each argument by a counted reference that lasts as long as the call.** If every counted
//! reference to the wrapper is known, and none of them can be such a one, there is no borrower.
//!
//! Known references (`names`):
//! 1. The variable `obj` of the Python function `pairbond.move`, which has no other: it is in the
//!    middle of calling us, so it lends to no other callee. That is why `move` is written in
//!    Python. A C function's argument may lie in a tuple, which lends to several calls at once:
//!    with `t = (x,)`, `X.run(*t)` may call back a function that calls `move(*t)`, and there is but
//!    one counted reference. A Python function counts the elements of a tuple.
//! 2. One more: a variable of the function that called `move`, or a global one there. Python code
//!    can overwrite these during any call, so no callee can rely on them: the interpreter counts a
//!    reference of its own when it pushes them for a call.
//!
//! From 3.14 on that does not hold for local variables: the interpreter *lends* them to the
//! functions that it calls. A parameter of a Python function may be lent in turn, so that `obj`
//! counts nothing and its caller's variable, or that one's caller's, stands for it. So local
//! variables are not looked at: one reference alone is `obj`'s, or its lender's. The frames between
//! the lender and `move` are all in the middle of calling the next; a native method that was called
//! with the same lent reference would be among them, and what crosses native code is counted.
//!
//! Anything else that refers to the wrapper may be a borrower: then nothing is taken, and the
//! receiver shares the object. It is also shared when the wrapper could be missed (attributes, weak
//! references, subclass, finalizer), when other native code refers to the object, and in the middle
//! of a collection, whose results must stay valid.
//!
//! Without a GIL the world stands still while references are counted and the object is taken.
//! Variables can be counted only then, so that cells are not looked at either; what remains is read
//! without calling Python.
//!
//! # Roads not taken
//! * Counting borrows: two instructions for each call, so that a few calls can be told apart.
//! * `PyUnstable_Object_IsUniqueReferencedTemporary`: says this for temporary values, from 3.14 on;
//!   what users move has a name.
//!
//! Tests: `tests/python/test_moves.py`, its hostile half.

use std::ptr::NonNull;

use pairbond_core::error::Error;
use pairbond_core::event::{Kind, notify_object_event};
use pairbond_core::object::{ErasedRef, Header};
use pyo3_ffi as py;

use super::names::{self, Names};
use super::trim::is_replaceable;
use super::{Wrapper, held, is_self};
use crate::interp::Interp;
use crate::owned::Owned;

/// The object behind a wrapper, taken away from it if it is not reachable otherwise. `argument` is
/// the variable of the calling frame, of a Python function.
///
/// # Errors
/// Memory was exhausted.
///
/// # Safety
/// Attached to `interp`; a living native object of that wrapper.
pub(crate) unsafe fn part_object(
    interp: &Interp,
    argument: &names::Argument,
    native: NonNull<Header>,
) -> Result<Option<ErasedRef>, Error> {
    let wrapper = argument.object().as_ptr();
    // SAFETY: attached to `interp`; a living native object of that wrapper: the caller ensures it.
    // The checks here are repeated when the result counts.
    unsafe {
        if !is_alone(interp, wrapper, native) {
            return Ok(None);
        }
        interp.moved.reserve()?;
        let names = if surplus_references(wrapper, argument.references()) == 0 {
            Names::default()
        } else {
            argument.names_of_caller()?
        };
        let mut parted = false;
        held::with_stopped_world(&mut || {
            let known = match surplus_references(wrapper, argument.references() + names.copies(wrapper)) {
                0 => true,
                1 => names.name(wrapper),
                _ => false,
            };
            if known && is_alone(interp, wrapper, native) && native.as_ref().custody().part_from_wrapper() {
                (*wrapper.cast::<Wrapper>()).native = std::ptr::null_mut();
                parted = true;
            }
        });
        Ok(parted.then(|| empty_wrapper(interp, argument.object(), native)))
    }
}

/// Whether the object is its wrapper's alone, and the wrapper would not be missed.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive;
/// `native` is alive.
unsafe fn is_alone(interp: &Interp, wrapper: *mut py::PyObject, native: NonNull<Header>) -> bool {
    // SAFETY: the thread is attached, and the caller keeps wrapper and object.
    unsafe {
        is_self(wrapper, native)
            && native.as_ref().custody().is_wrappers_alone()
            && is_replaceable(wrapper)
            && !interp.gc.is_collecting()
    }
}

/// How many references there are beside the known ones.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `wrapper` alive.
unsafe fn surplus_references(wrapper: *mut py::PyObject, known: isize) -> isize {
    // SAFETY: a living object.
    unsafe { py::Py_REFCNT(wrapper) - known }
}

/// The last steps for a wrapper that has lost its object.
///
/// # Safety
/// The calling thread is attached to the interpreter; `native` is alive.
unsafe fn empty_wrapper(interp: &Interp, wrapper: &Owned, native: NonNull<Header>) -> ErasedRef {
    // SAFETY: a living wrapper; its reference became ours.
    unsafe { held::unlist_wrapper(wrapper.as_ptr()) };
    interp.moved.add(wrapper.as_ptr());
    // SAFETY: a living wrapper; its reference became ours.
    let object = unsafe { ErasedRef::from_raw(native) };
    object.header().count_wrapper(-1);
    notify_object_event(Kind::Severed, object.header(), interp.tag());
    object
}
