//! Finds libpython at run time where it was at build time.
fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    if let Some(folder) = pyo3_build_config::get().lib_dir() {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
