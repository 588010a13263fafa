//! DLPack in both directions: the structs of `dlpack.h` 1.0, `__dlpack__` and its counterpart.
//!
//! A capsule is used once: a consumer renames it, and calls the deleter when done. Ours owns the
//! native block, so that it may be called on any thread, without the interpreter.

use std::ffi::{CStr, c_int, c_void};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_value::value::{ArrayBody, ManagedTensor, Tensor};
use pyo3_ffi as py;

use super::lend;
use crate::buffers::buffer_error;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::interp::{Interp, kept, local};
use crate::owned::Owned;
use crate::running;

#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    _context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

const READ_ONLY: u64 = 1;
const COPIED: u64 = 2;
const NAMES: (&CStr, &CStr) = (c"dltensor", c"used_dltensor");
const VERSIONED: (&CStr, &CStr) = (c"dltensor_versioned", c"used_dltensor_versioned");

unsafe extern "C" fn delete_versioned(managed: *mut Versioned) {
    // SAFETY: made by `export_capsule`, and given back once.
    unsafe { Tensor::free_exported(managed) }
}

/// The end of a capsule: a tensor that was not consumed is given back.
unsafe extern "C" fn capsule_end(capsule: *mut py::PyObject) {
    // SAFETY: called by CPython with one of ours.
    unsafe {
        if py::PyCapsule_IsValid(capsule, VERSIONED.0.as_ptr()) != 0 {
            let managed = py::PyCapsule_GetPointer(capsule, VERSIONED.0.as_ptr()).cast::<Versioned>();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        } else if py::PyCapsule_IsValid(capsule, NAMES.0.as_ptr()) != 0 {
            ManagedTensor::give_back(py::PyCapsule_GetPointer(capsule, NAMES.0.as_ptr()).cast());
        }
    }
}

/// A capsule of an array's memory. The thread is attached.
pub(super) fn export_capsule(array: &ArrayBody, versioned: bool, copied: bool) -> Result<Owned, Error> {
    if !versioned && array.is_readonly() {
        return Err(buffer_error(
            "the array is read-only, which DLPack cannot say before version 1.0 (max_version)",
        ));
    }
    let unfit = || buffer_error(Tensor::PARTS);
    if versioned {
        let flags = if array.is_readonly() { READ_ONLY } else { 0 } | if copied { COPIED } else { 0 };
        let managed = Tensor::export_array(array, |tensor| Versioned {
            major: 1,
            minor: 0,
            _context: std::ptr::null_mut(),
            deleter: Some(delete_versioned),
            flags,
            tensor,
        })
        .ok_or_else(unfit)?;
        // SAFETY: attached; the capsule owns its contents until they are taken.
        unsafe {
            Owned::from_new(py::PyCapsule_New(
                managed.cast(),
                VERSIONED.0.as_ptr(),
                Some(capsule_end),
            ))
        }
        .ok_or_else(|| {
            // SAFETY: attached; the capsule owns its contents until they are taken.
            unsafe { delete_versioned(managed) };
            take()
        })
    } else {
        let managed = ManagedTensor::from_array(array).ok_or_else(unfit)?;
        // SAFETY: attached; the capsule owns its contents until they are taken.
        unsafe {
            Owned::from_new(py::PyCapsule_New(
                managed.cast(),
                NAMES.0.as_ptr(),
                Some(capsule_end),
            ))
        }
        .ok_or_else(|| {
            // SAFETY: attached; the capsule owns its contents until they are taken.
            unsafe { ManagedTensor::give_back(managed) };
            take()
        })
    }
}

/// An array of what an object's `__dlpack__` gives.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn import_capsule(
    object: *mut py::PyObject,
    keywords: &[(&CStr, *mut py::PyObject)],
) -> Result<ArrayBody, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        let capsule = if keywords.is_empty() {
            ask_plainly(object)?
        } else {
            ask_with(&method_of(object)?, keywords)?
        };
        take_over(capsule.as_ptr())
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn method_of(object: *mut py::PyObject) -> Result<Owned, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        let method = running::PyObject_GetAttrString(object, c"__dlpack__".as_ptr());
        Owned::from_new(method).ok_or_else(|| {
            if !crate::errors::is_of_kind(&ErrorKind::Attribute) {
                return take();
            }
            crate::errors::clear();
            let class = crate::ffi::type_name(py::Py_TYPE(object));
            Error::type_error(format!("a {class} has no __dlpack__"))
        })
    }
}

/// Makes the constants of an interpreter. The thread is attached to `interp`.
pub(super) fn make_constants(interp: &Interp) -> Result<(), Error> {
    // SAFETY: attached; new references or null.
    let method = unsafe { owned_or_error(py::PyUnicode_InternFromString(c"__dlpack__".as_ptr())) }?;
    // SAFETY: attached; new references or null.
    let version = unsafe { owned_or_error(py::PyUnicode_InternFromString(c"max_version".as_ptr())) }?;
    let names = Owned::tuple([&version])?;
    // SAFETY: attached; new references or null.
    let one_zero = unsafe { owned_or_error(py::Py_BuildValue(c"(ii)".as_ptr(), 1 as c_int, 0 as c_int)) }?;
    for (number, object) in [
        (kept::DLPACK_METHOD, method),
        (kept::DLPACK_ARGUMENTS, names),
        (kept::DLPACK_ONE_ZERO, one_zero),
    ] {
        local::set_constant(interp, number, object.into_ptr());
    }
    Ok(())
}

/// The tuple `(1, 0)`. The thread is attached.
///
/// # Errors
/// pairbond is not imported.
pub(super) fn one_zero() -> Result<Owned, Error> {
    let tuple = Interp::current()?.constant(kept::DLPACK_ONE_ZERO);
    // SAFETY: attached; the interpreter's own.
    Ok(unsafe { Owned::from_borrowed(tuple) })
}

/// Requests version 1.0; exporters that predate versions do not take that argument.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `object` alive.
unsafe fn ask_plainly(object: *mut py::PyObject) -> Result<Owned, Error> {
    let interp = Interp::current()?;
    let mut places = [
        std::ptr::null_mut(),
        object,
        interp.constant(kept::DLPACK_ONE_ZERO),
    ];
    let count = 1 | py::PY_VECTORCALL_ARGUMENTS_OFFSET;
    // SAFETY: attached; living objects; the place in front is the callee's.
    if let Some(capsule) = unsafe {
        Owned::from_new(running::PyObject_VectorcallMethod(
            interp.constant(kept::DLPACK_METHOD),
            places.as_mut_ptr().add(1),
            count,
            interp.constant(kept::DLPACK_ARGUMENTS),
        ))
    } {
        return Ok(capsule);
    }
    if crate::errors::is_of_kind(&ErrorKind::Attribute) {
        let raised = take();
        // The method itself may have raised it.
        // SAFETY: attached; living objects; the place in front is the callee's.
        unsafe { method_of(object) }?;
        return Err(raised);
    }
    if !crate::errors::is_of_kind(&ErrorKind::Type) {
        return Err(take());
    }
    crate::errors::clear();
    // SAFETY: attached; living objects; the place in front is the callee's.
    unsafe { owned_or_error(running::PyObject_CallNoArgs(method_of(object)?.as_ptr())) }
}

/// Asks for version 1.0, and for what `keywords` say.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn ask_with(method: &Owned, keywords: &[(&CStr, *mut py::PyObject)]) -> Result<Owned, Error> {
    // SAFETY: attached; living objects.
    unsafe {
        let named = Owned::empty_dict()?;
        let none = owned_or_error(py::PyTuple_New(0))?;
        let version = one_zero()?;
        for (name, value) in keywords.iter().chain(&[(c"max_version", version.as_ptr())]) {
            if py::PyDict_SetItemString(named.as_ptr(), name.as_ptr(), *value) != 0 {
                return Err(take());
            }
        }
        owned_or_error(running::PyObject_Call(
            method.as_ptr(),
            none.as_ptr(),
            named.as_ptr(),
        ))
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `capsule` alive.
unsafe fn take_over(capsule: *mut py::PyObject) -> Result<ArrayBody, Error> {
    unsafe extern "C" fn give_back(managed: *mut c_void) {
        // SAFETY: what a capsule held, given back once.
        unsafe { ManagedTensor::give_back(managed.cast()) }
    }
    unsafe extern "C" fn give_back_versioned(managed: *mut c_void) {
        // SAFETY: what a capsule held, given back once.
        unsafe {
            if let Some(deleter) = (*managed.cast::<Versioned>()).deleter {
                deleter(managed.cast());
            }
        }
    }
    // SAFETY: attached; a living object; from the renaming on what the capsule held is the
    // lender's.
    unsafe {
        let lender = lend::new_lender()?;
        if py::PyCapsule_IsValid(capsule, VERSIONED.0.as_ptr()) != 0 {
            let managed = py::PyCapsule_GetPointer(capsule, VERSIONED.0.as_ptr()).cast::<Versioned>();
            if py::PyCapsule_SetName(capsule, VERSIONED.1.as_ptr()) != 0 {
                return Err(take());
            }
            lend::lender_keep(&lender, managed.cast(), Some(give_back_versioned));
            if (*managed).major != 1 {
                let (major, minor) = ((*managed).major, (*managed).minor);
                return Err(buffer_error(format!(
                    "DLPack {major}.{minor} is unknown to this pairbond"
                )));
            }
            (*managed)
                .tensor
                .lend_array((*managed).flags & READ_ONLY != 0, lend::owner_of_block(lender))
        } else if py::PyCapsule_IsValid(capsule, NAMES.0.as_ptr()) != 0 {
            let managed = py::PyCapsule_GetPointer(capsule, NAMES.0.as_ptr()).cast::<ManagedTensor>();
            if py::PyCapsule_SetName(capsule, NAMES.1.as_ptr()) != 0 {
                return Err(take());
            }
            lend::lender_keep(&lender, managed.cast(), Some(give_back));
            // It is not known whether it may be written: as in numpy, it is not.
            (*managed).tensor.lend_array(true, lend::owner_of_block(lender))
        } else {
            Err(Error::type_error(
                "__dlpack__ gave no capsule with a tensor, or one that was used before",
            ))
        }
    }
}
