use pairbond_core::error::Error;
pub fn definition(_: &'static std::ffi::CStr, _: &'static std::ffi::CStr, _: unsafe extern "C" fn(*mut pyo3_ffi::PyObject)->i32) -> *mut pyo3_ffi::PyModuleDef { todo!() }
pub unsafe fn add_class<T>(_: &crate::interp::Interp, _: *mut pyo3_ffi::PyObject) -> Result<(), Error> { todo!() }
