//! Sets `Py_3_12`, `Py_GIL_DISABLED`, `py_sys_config="Py_DEBUG"` and the like for the interpreter that we are built for.
fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
