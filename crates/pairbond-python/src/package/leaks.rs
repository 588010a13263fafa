//! The leak report: `pairbond.leaks()`, and what `PAIRBOND_LEAKS=1` prints when the main
//! interpreter ends.

use std::ffi::c_void;
use std::io::Write;
use std::sync::OnceLock;

use pairbond_core::error::Error;
use pairbond_core::leaks::{Globals, Language, Leak, leaks_with};
use pairbond_core::object::Header;
use pyo3_ffi as py;

use crate::call::method_table::{Methods, method_definition};
use crate::convert::from_text;
use crate::errors::{catch_panic, finish_call, owned_or_error};
use crate::gc;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper::held;

pub(super) static FUNCTIONS: Methods<2> = Methods::new([
    method_definition(
        c"_leaks",
        leaks_function,
        py::METH_NOARGS,
        c"_leaks()\n--\n\nWhat is alive: tuples of type, count, what holds it, and the steps from there.",
    ),
    py::PyMethodDef::zeroed(),
]);

/// The wrappers of an interpreter, for a thread that is attached to it.
struct Python<'a>(&'a Interp);

impl Language for Python<'_> {
    fn reference_count(&self, tag: u16, wrapper: *mut c_void) -> Option<usize> {
        // SAFETY: alive by the contract of the caller; no thread counts meanwhile.
        (tag == self.0.tag()).then(|| unsafe { py::Py_REFCNT(wrapper.cast()) }.unsigned_abs())
    }
    fn for_each_object(&self, each: &mut dyn FnMut(&Header)) {
        // SAFETY: the world stands still.
        unsafe { held::each_listed(self.0, &mut |native, _| each(native)) }
    }
}

/// The living objects. The thread is attached to `interp`.
fn leaks_now(interp: &Interp) -> Result<Vec<Leak>, Error> {
    let (mut found, globals) = (Ok(Vec::new()), Globals::registered_now());
    // SAFETY: attached to `interp`: the caller ensures it. The walk calls nothing of Python's.
    unsafe { held::with_stopped_world(&mut || found = leaks_with(&Python(interp), &globals)) };
    found
}

/// Prints living objects, if `PAIRBOND_LEAKS` asks for it and there are some.
///
/// # Safety
/// Attached to `interp`, which ends.
pub(crate) unsafe fn at_end(interp: &Interp) {
    if !is_wanted() {
        return;
    }
    // Garbage of the modules' end is no leak. CPython's own last collections run no callbacks.
    let found = {
        // SAFETY: attached to `interp`, which ends: the caller ensures it.
        unsafe {
            gc::start(interp, 2);
            py::PyGC_Collect();
            gc::stop(interp, true);
        }
        // Without memory nothing is printed.
        catch_panic(|| leaks_now(interp)).unwrap_or_default()
    };
    if found.is_empty() {
        return;
    }
    let count: usize = found.iter().map(|leak| leak.count).sum();
    let (s, are) = if count == 1 { ("", "is") } else { ("s", "are") };
    let mut text = format!("pairbond: {count} native object{s} {are} alive at the end\n");
    for leak in &found {
        text.push_str(&format!("  {leak}\n"));
    }
    // Python's own `sys.stderr` is gone; and an error has no receiver.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Looked up when pairbond is imported, and once.
pub(super) fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| {
        std::env::var_os("PAIRBOND_LEAKS").is_some_and(|value| !value.is_empty() && value != "0")
    })
}

unsafe extern "C" fn leaks_function(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        let list = Owned::empty_list()?;
        for leak in leaks_now(Interp::current()?)? {
            let line = leak_line(&leak)?;
            list.append(&line)?;
        }
        Ok(list)
    })
}

/// `(type, count, held_by, path)`
/// The thread is attached.
fn leak_line(leak: &Leak) -> Result<Owned, Error> {
    // SAFETY: attached; new references or null; `PyTuple_SetItem` takes its argument in any case.
    unsafe {
        let path = owned_or_error(py::PyTuple_New(leak.path.len() as _))?;
        for (at, step) in leak.path.iter().enumerate() {
            py::PyTuple_SetItem(path.as_ptr(), at as _, from_text(&step.to_string())?.into_ptr());
        }
        let count = Owned::from_size(leak.count)?;
        let (key, root) = (from_text(leak.key)?, from_text(&leak.root.to_string())?);
        Owned::tuple([&key, &count, &root, &path])
    }
}
