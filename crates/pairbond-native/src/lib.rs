//! `pairbond._pairbond`: the copy of the CPython frontend that is in charge of a process.

/// Called by CPython when the module is imported.
///
/// # Safety
/// As for any module's initialisation function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PyInit__pairbond() -> *mut pyo3_ffi::PyObject {
    // SAFETY: the interpreter calls a module's initialisation function attached.
    unsafe { pairbond_python::package::init() }
}
