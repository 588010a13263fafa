//! Extension modules.
//!
//! Initialisation has two phases (PEP 489): the first, once in the process, says what there is; the
//! second runs for each interpreter that imports the module, joins the pairbond of the process, and
//! builds the interpreter's own classes and functions.

mod add_members;
mod join;

pub(crate) use add_members::{add_class, add_function, attach_variant, inner_module};

use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use pairbond_core::error::Error;
use pairbond_value::class::{Module, register_types};
use pyo3_ffi as py;
pub use pyo3_ffi::PyObject;

use crate::call::leak_text;
use crate::errors;
use crate::interp::Interp;
use crate::owned::Owned;

pub(crate) type Exec = unsafe extern "C" fn(*mut PyObject) -> c_int;

/// Initialises a module; the result of `PyInit_…`.
pub fn init<M: Module>() -> *mut PyObject {
    // SAFETY: attached, since CPython calls `PyInit_…`; the definition lives for the process.
    unsafe {
        py::PyModuleDef_Init(module_definition(
            leak_text(M::NAME),
            leak_text(M::DOC),
            exec_module::<M>,
        ))
    }
}

/// The definition of a module, made once in the process: CPython keeps it, and writes to its head.
pub(crate) fn module_definition(name: &'static CStr, doc: &'static CStr, exec: Exec) -> *mut py::PyModuleDef {
    static ALL: Mutex<Option<HashMap<&CStr, usize>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || std::ptr::from_mut(make_definition(name, doc, exec)).expose_provenance();
    let address = *all
        .get_or_insert_with(HashMap::new)
        .entry(name)
        .or_insert_with(make);
    std::ptr::with_exposed_provenance_mut(address)
}

/// A definition, for the process.
pub(crate) fn make_definition(
    name: &'static CStr,
    doc: &'static CStr,
    exec: Exec,
) -> &'static mut py::PyModuleDef {
    let slot = |id: c_int, value: *mut c_void| py::PyModuleDef_Slot { slot: id, value };
    let slots = vec![
        slot(py::Py_mod_exec, exec as *mut c_void),
        #[cfg(Py_3_12)]
        slot(
            py::Py_mod_multiple_interpreters,
            py::Py_MOD_PER_INTERPRETER_GIL_SUPPORTED,
        ),
        #[cfg(Py_3_13)]
        slot(py::Py_mod_gil, py::Py_MOD_GIL_NOT_USED),
        slot(0, std::ptr::null_mut()),
    ];
    Box::leak(Box::new(py::PyModuleDef {
        m_base: py::PyModuleDef_HEAD_INIT,
        m_name: name.as_ptr(),
        m_doc: if doc.is_empty() {
            std::ptr::null()
        } else {
            doc.as_ptr()
        },
        m_size: 0,
        m_methods: std::ptr::null_mut(),
        m_slots: slots.leak().as_mut_ptr(),
        m_traverse: None,
        m_clear: None,
        m_free: None,
    }))
}

/// The second phase.
unsafe extern "C" fn exec_module<M: Module>(module: *mut py::PyObject) -> c_int {
    crate::call::install_hooks();
    match errors::catch_panic(|| run_exec::<M>(module)) {
        Ok(true) => 0,
        // An exception is set.
        Ok(false) => -1,
        Err(error) => {
            errors::raise(error);
            -1
        }
    }
}

fn run_exec<M: Module>(module: *mut py::PyObject) -> Result<bool, Error> {
    // SAFETY: attached, since CPython calls us; the module is alive.
    unsafe { join_and_add::<M>(&Owned::from_borrowed(module), M::NAME) }
}

/// Joins pairbond and adds the members of `M` to a module that is known as `name`. Returns `false`
/// with an exception set when `pairbond` cannot be imported. The thread is attached.
///
/// # Errors
/// The binaries or types do not fit; what CPython raised.
pub(crate) fn join_and_add<M: Module>(module: &Owned, name: &str) -> Result<bool, Error> {
    if !join::join(name)? {
        return Ok(false);
    }
    #[cfg(feature = "pyo3")]
    crate::convert::connect_bridge();
    // Before anything of the module is there to be seen: types that cannot be shared are refused
    // now, and not at the first call.
    register_types::<M>()?;
    pairbond_value::value::register_functions()?;
    add_members::add_members::<M>(Interp::current()?, module)?;
    Ok(true)
}

/// Returns the name of a module object.
///
/// # Errors
/// It has none.
#[cfg(feature = "pyo3")]
pub(crate) fn name_of(module: &Owned) -> Result<String, Error> {
    // SAFETY: attached; a new reference or null.
    let name = unsafe { crate::errors::owned_or_error(py::PyModule_GetNameObject(module.as_ptr()))? };
    Ok(errors::text_of(&name).unwrap_or_default())
}
