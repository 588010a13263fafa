//! What the package offers for trees: `is_erased`, the native halves of `erasing` and `class_for`;
//! `walks` – `descendants` and `ancestors`.
//!
//! Wrappers of nodes are made and given back as the core's `object/node.rs` says, whether this is
//! here or not.

mod walks;

use pairbond_core::error::Error;
use pairbond_core::object::is_erased as is_erased_object;
use pairbond_tree::set_reason;
use pyo3_ffi as py;

use crate::call::method_table::{Methods, add_functions, method_definition};
use crate::convert::from_text;
use crate::errors::{finish_call, take};
use crate::interp::Interp;
use crate::module::{add_class, add_function};
use crate::owned::Owned;
use crate::wrapper;

static FUNCTIONS: Methods<4> = Methods::new([
    method_definition(c"is_erased", is_erased, py::METH_O, c"is_erased(obj, /)\n--\n\nWhether the object was part of a tree and was erased from it: using it raises InvalidatedError."),
    method_definition(c"_erasing", erasing_function, py::METH_O, c"_erasing(name, /)\n--\n\nNames what erases on this thread, or nothing for None; returns what it was."),
    method_definition(c"_class_for", class_for, py::METH_VARARGS, c"_class_for(of, name, cls, /)\n--\n\nLets cls be the class of selfs that nodes of that name get from now on."),
    py::PyMethodDef::zeroed(),
]);

/// Adds the functions of trees to the package's module. The thread is attached to `interp`.
///
/// # Errors
/// There is no memory.
pub(crate) fn publish_trees(interp: &'static Interp, module: &Owned) -> Result<(), Error> {
    add_functions(module, &FUNCTIONS)?;
    add_class::<walks::Walk>(interp, module)?;
    add_function::<walks::descendants>(module)?;
    add_function::<walks::ancestors>(module)
}

unsafe extern "C" fn is_erased(_: *mut py::PyObject, object: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: attached; the caller's argument outlives the call.
        let native = unsafe { wrapper::native_of(object) }?;
        Ok(Owned::from_bool(is_erased_object(native.header())))
    })
}

unsafe extern "C" fn erasing_function(_: *mut py::PyObject, name: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached; the caller's argument outlives the call.
    finish_call(|| unsafe { name_reason(name) })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `name` alive.
unsafe fn name_reason(name: *mut py::PyObject) -> Result<Owned, Error> {
    // SAFETY: this thread is attached, and the caller keeps `name`.
    let before = if name == unsafe { py::Py_None() } {
        set_reason(None)
    } else {
        let mut len = 0;
        // SAFETY: this thread is attached, and the caller keeps `name`.
        let text = unsafe { py::PyUnicode_AsUTF8AndSize(name, &mut len) };
        if text.is_null() {
            return Err(take());
        }
        // SAFETY: CPython's UTF-8 of a string that the caller keeps.
        unsafe {
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len as usize);
            set_reason(Some(std::str::from_utf8_unchecked(bytes)))
        }
    };
    match before {
        Some(before) => from_text(before),
        None => Ok(Owned::none()),
    }
}

unsafe extern "C" fn class_for(_: *mut py::PyObject, arguments: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached; a tuple, which outlives the call.
    finish_call(|| unsafe { set_class(arguments) })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `arguments` alive.
unsafe fn set_class(arguments: *mut py::PyObject) -> Result<Owned, Error> {
    let (mut of, mut name, mut class) = (std::ptr::null_mut(), std::ptr::null(), std::ptr::null_mut());
    // SAFETY: the caller keeps the tuple, which keeps its elements; their types are those of the
    // format.
    unsafe {
        if py::PyArg_ParseTuple(
            arguments,
            c"O!sO!".as_ptr(),
            &raw mut py::PyType_Type,
            &raw mut of,
            &raw mut name,
            &raw mut py::PyType_Type,
            &raw mut class,
        ) == 0
        {
            return Err(take());
        }
        let (of, class): (*mut py::PyTypeObject, *mut py::PyTypeObject) = (of, class);
        if !wrapper::is_exact(of) || of == class || wrapper::deciding_class(class) != of {
            return Err(Error::type_error(format!(
                "{} is no class made in Python that derives from a library's class {}",
                crate::ffi::type_name(class),
                crate::ffi::type_name(of)
            )));
        }
        let name = std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned();
        let class = Owned::from_borrowed(class.cast());
        let interp = Interp::current()?;
        if let Some(replaced) = interp.named.set(of, name, class) {
            crate::gc::track_class(interp, replaced.as_ptr().cast());
        }
        Ok(Owned::none())
    }
}
