//! Refuses interpreters that pairbond does not support, and sets `Py_3_12`, `Py_GIL_DISABLED`,
//! `py_sys_config="Py_DEBUG"` and the like for the interpreter that the crate is built for.

/// The oldest supported CPython, as a minor version of Python 3.
const OLDEST: u8 = 11;

fn main() {
    let config = interpreter_config();
    let setting = |key| {
        config
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
            .unwrap_or_default()
    };
    let (implementation, version) = (setting("implementation"), setting("version"));
    if implementation != "CPython" {
        println!(
            "cargo::error=pairbond's feature `python` needs CPython, and not {implementation}, whose objects have another layout; without the \
             feature the crate is a plain Rust library"
        );
        return;
    }
    if version
        .strip_prefix("3.")
        .and_then(|minor| minor.parse().ok())
        .is_none_or(|minor: u8| minor < OLDEST)
    {
        println!(
            "cargo::error=pairbond's feature `python` needs CPython 3.{OLDEST} or newer, and not {version}; PYO3_PYTHON names another interpreter"
        );
        return;
    }
    pyo3_build_config::use_pyo3_cfgs();
}

/// Returns the `key=value` lines that pyo3-ffi's build script hands to crates above it, as
/// hexadecimal digits of their bytes. The same in every release of pyo3-ffi; the functions of
/// pyo3-build-config that return them changed in 0.30.
fn interpreter_config() -> String {
    println!("cargo::rerun-if-env-changed=DEP_PYTHON_PYO3_CONFIG");
    let digits =
        std::env::var("DEP_PYTHON_PYO3_CONFIG").expect("pyo3-ffi says which interpreter it was built for");
    let bytes = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(pair, 16).expect("pyo3-ffi writes hexadecimal digits")
    });
    String::from_utf8(bytes.collect()).expect("pyo3-ffi writes UTF-8")
}
