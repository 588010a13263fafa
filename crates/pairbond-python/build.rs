//! Refuses interpreters that pairbond does not support, and sets `Py_3_12`, `Py_GIL_DISABLED`, `py_sys_config="Py_DEBUG"` and the like for the
//! one that the crate is built for.
use pyo3_build_config::PythonImplementation;

/// The oldest CPython, as a minor version of Python 3.
const OLDEST: u8 = 11;

fn main() {
    let config = pyo3_build_config::get();
    let (implementation, version) = (config.implementation(), config.version());
    if implementation != PythonImplementation::CPython {
        println!(
            "cargo::error=pairbond's feature `python` needs CPython, and not {implementation}, whose objects have another layout; without the \
             feature the crate is a plain Rust library"
        );
        return;
    }
    if (version.major, version.minor) < (3, OLDEST) {
        println!(
            "cargo::error=pairbond's feature `python` needs CPython 3.{OLDEST} or newer, and not {version}; PYO3_PYTHON names another interpreter"
        );
        return;
    }
    pyo3_build_config::use_pyo3_cfgs();
}
