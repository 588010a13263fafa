//! The module `pairbond._pairbond`, the native part of the Python package.
//!
//! * this file – initialisation, once per interpreter.
//! * `base` – `pairbond.Object` and the exceptions; `blocks` – what begins and ends with a `with`
//!   block.
//! * `assign_class` – `__class__` of every wrapper, which can be assigned among classes of one
//!   native type.
//! * `global` – the functions of the process, by name.
//! * `signature` – what `inspect.signature` says about native functions.
//! * `functions` – `collect` and others, and the callbacks that CPython calls.
//! * `observe` – `stats`, `trim` and `trace`.
//! * `leaks` – living objects, on request and at the end; `graph` – the objects that one leads to.
//! * `moving` – handing objects to parameters that take them by value.
//! * `share` – handing objects to other interpreters.
//!
//! An embedding program that wants its own runtime to be the process's puts [`init`] into the table
//! of built-in modules before it starts Python ([`embed`]).

use std::ffi::{c_int, c_void};

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::interp::{Interp, local};
use crate::owned::Owned;
use crate::shutdown;

mod assign_class;
mod base;
mod blocks;
mod functions;
mod global;
mod graph;
pub(crate) mod leaks;
mod moving;
mod observe;
mod serve;
mod share;
mod signature;

use crate::call::method_table::add_attribute;

/// `PyInit__pairbond`.
///
/// # Safety
/// Called by CPython.
pub unsafe extern "C" fn init() -> *mut py::PyObject {
    // SAFETY: the definition lives for the process and is initialised once.
    unsafe {
        py::PyModuleDef_Init(crate::module::module_definition(
            c"pairbond._pairbond",
            c"",
            exec_package,
        ))
    }
}

/// Makes this binary's copy of `pairbond._pairbond` the one that `import pairbond` finds, so that
/// objects made before Python was started belong to the same runtime. Call it before
/// `Py_Initialize`.
///
/// # Errors
/// Python is initialised already, or out of memory.
pub fn embed() -> Result<(), Error> {
    // SAFETY: the name lives for the process.
    if unsafe { py::Py_IsInitialized() } != 0 {
        return Err(Error::runtime_error(
            "pairbond must be embedded before Python is initialised",
        ));
    }
    // SAFETY: the name lives for the process.
    if unsafe { py::PyImport_AppendInittab(c"_pairbond".as_ptr(), Some(init)) } != 0 {
        return Err(Error::runtime_error("out of memory"));
    }
    Ok(())
}

unsafe extern "C" fn exec_package(module: *mut py::PyObject) -> c_int {
    // SAFETY: called by CPython with the new module, attached.
    let module = unsafe { Owned::lend(&module) };
    match crate::errors::catch_panic(|| fill_package(module)) {
        Ok(()) => 0,
        Err(error) => {
            crate::errors::raise(error);
            -1
        }
    }
}

/// The thread is attached.
fn fill_package(module: &Owned) -> Result<(), Error> {
    serve::take_charge();
    crate::call::install_hooks();
    // SAFETY: this thread is attached to the interpreter.
    let interp = unsafe { local::open_current(crate::frontend::new_table) }?;
    // Each step is done once, also when the module is made anew after one has failed.
    if interp.base_class().is_null() {
        // SAFETY: this thread is attached to the interpreter.
        unsafe { crate::wrapper::probe_dict_layout() };
        base::make_base(interp, module)?;
    }
    if !interp.is_watched() {
        // SAFETY: this thread is attached to the interpreter.
        if !unsafe { shutdown::ensure_end(interp) } {
            return Err(crate::errors::take());
        }
        register_callbacks(interp)?;
        interp.set_watched();
    }
    base::publish_base(interp, module)?;
    add_attribute(
        module,
        c"_api",
        &crate::interp::api::capsule().ok_or_else(crate::errors::take)?,
    )?;
    // New projects pin it: modules that are built by another compiler are refused.
    let compiler = crate::convert::from_text(pairbond_core::abi::COMPILER)?;
    add_attribute(module, c"_compiler", &compiler)?;
    functions::publish_functions(module)?;
    crate::class::publish_descriptor(interp, module)?;
    #[cfg(feature = "library")]
    crate::class::native_callable::publish_callables(interp, module)?;
    leaks::is_wanted();
    shutdown::report_at_end(leaks::at_end);
    crate::containers::publish_containers(interp, module)?;
    #[cfg(feature = "arrays")]
    crate::arrays::publish_array(interp, module)?;
    #[cfg(feature = "dynamic")]
    crate::define::publish_define(interp, module)?;
    share::publish_share(module)?;
    moving::publish_move(module)?;
    #[cfg(feature = "serial")]
    crate::serial::publish(interp, module)?;
    #[cfg(feature = "library")]
    crate::library::publish_library(module)?;
    crate::module::add_class::<pairbond_value::convert::MovedBody>(interp, module)?;
    crate::module::add_class::<pairbond_value::value::FunctionBody>(interp, module)?;
    signature::publish_signature(interp)?;
    crate::module::add_class::<pairbond_value::value::DTypeBody>(interp, module)?;
    crate::module::add_class::<pairbond_value::value::DeviceBody>(interp, module)?;
    #[cfg(feature = "tree")]
    crate::tree::publish_trees(interp, module)?;
    crate::module::add_function::<global::register_function>(module)?;
    crate::module::add_function::<global::get_function>(module)?;
    crate::module::add_function::<global::remove_function>(module)?;
    crate::module::add_function::<global::function_names>(module)?;
    pairbond_value::value::register_functions()?;
    Ok(())
}

/// Registers with `gc.callbacks` and `atexit`. The thread is attached.
fn register_callbacks(interp: &'static Interp) -> Result<(), Error> {
    let take = crate::errors::take;
    // SAFETY: attached; interpreters are never freed, and the name lives for the process.
    let context = unsafe {
        crate::errors::owned_or_error(py::PyCapsule_New(
            std::ptr::from_ref(interp).cast_mut().cast::<c_void>(),
            functions::INTERP.as_ptr(),
            None,
        ))
    }?;
    let gc = Owned::import(c"gc")?;
    let list = gc.get_attr(c"callbacks")?;
    let get_objects = gc.get_attr(c"get_objects")?;
    local::set_get_objects(interp, get_objects.into_ptr());
    // SAFETY: attached; living objects.
    unsafe { crate::gc::probe_get_referents(&gc, interp.base_class()) }?;
    let callback = functions::gc_callback(&context).ok_or_else(take)?;
    let atexit = Owned::import(c"atexit")?;
    let register = atexit.get_attr(c"register")?;
    let end = functions::atexit_callback(&context).ok_or_else(take)?;
    list.append(&callback)?;
    register.call1(&end).map(drop).inspect_err(|_| {
        // SAFETY: attached; the list that was appended to.
        unsafe {
            let last = py::PyList_GET_SIZE(list.as_ptr()) - 1;
            py::PyList_SetSlice(list.as_ptr(), last, last + 1, std::ptr::null_mut());
        }
    })
}
