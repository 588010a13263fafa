//! The package's functions for diagnostics: `stats`, `trim`, `trace`.

use pairbond_core::error::Error;
use pairbond_core::memory::filled_vec;
use pairbond_core::object::Header;
use pairbond_core::stats;
use pyo3_ffi as py;

use super::functions::set_item;
use crate::call::method_table::{Methods, method_definition, method_fast};
use crate::errors::{finish_call, take};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper::{held, trim};

pub(super) static FUNCTIONS: Methods<5> = Methods::new([
    method_definition(c"stats", stats_function, py::METH_NOARGS, c"stats()\n--\n\nWhat is alive: native objects, how many of them have a wrapper, how many wrappers are dormant; and what this interpreter's collections did.\n\nObjects and wrappers are those of the process, dormant wrappers this interpreter's."),
    method_definition(c"trim", trim_wrappers, py::METH_NOARGS, c"trim()\n--\n\nGives back the wrappers that nobody can miss: held by their native object only, without attributes, weak references or subclass. Returns how many. What a collection keeps for the next one goes, too.\n\nIt is the one call after which id() of an object may change."),
    method_fast(c"_trace_start", trace_start, c"_trace_start(callback, event, /)\n--\n\nCalls callback(event(...)) with every event; returns the number for _trace_stop."),
    method_definition(c"_trace_stop", trace_stop, py::METH_O, c"_trace_stop(number, /)\n--\n\nTells what has happened so far, and ends it."),
    py::PyMethodDef::zeroed(),
]);

/// Dormant wrappers of an interpreter, by the index of the type. The thread is attached.
fn dormant_wrappers(interp: &Interp) -> Vec<i64> {
    let mut types = 0;
    pairbond_core::runtime::each_type(|_| types += 1);
    let mut counts = filled_vec(0, types);
    let mut each = |native: &Header, wrapper: *mut py::PyObject| {
        // SAFETY: alive, and no thread counts meanwhile.
        if unsafe { py::Py_REFCNT(wrapper) } == 1
            && let Some(count) = counts.get_mut(native.info().index())
        {
            *count += 1;
        }
    };
    // SAFETY: attached; only counts are touched.
    unsafe { held::each_held(interp, &mut each) };
    counts
}

unsafe extern "C" fn stats_function(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        let interp = Interp::current()?;
        let dormant = dormant_wrappers(interp);
        let now = stats::stats();
        let types = Owned::empty_dict()?;
        for of in &now.types {
            let one = Owned::empty_dict()?;
            set_item(&one, "objects", of.objects as i64)?;
            set_item(&one, "wrappers", of.wrappers as i64)?;
            set_item(
                &one,
                "dormant",
                dormant.get(of.info.index()).copied().unwrap_or(0),
            )?;
            types.set_item(&crate::convert::from_text(of.info.key())?, &one)?;
        }
        let collector = interp.gc.stats();
        let all = Owned::empty_dict()?;
        set_item(&all, "objects", now.objects as i64)?;
        set_item(&all, "wrappers", now.wrappers as i64)?;
        set_item(&all, "dormant", dormant.iter().sum())?;
        set_item(&all, "collections", collector.collections as i64)?;
        set_item(&all, "collected", (collector.cleared + collector.native) as i64)?;
        all.set_item(&crate::convert::from_text("types")?, &types)?;
        Ok(all)
    })
}

unsafe extern "C" fn trim_wrappers(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: this thread is attached to the interpreter.
        let count = unsafe { trim::trim_dormant(Interp::current()?) };
        pairbond_core::trace::forget_kept();
        Owned::from_size(count)
    })
}

unsafe extern "C" fn trace_start(
    _: *mut py::PyObject,
    args: *mut *mut py::PyObject,
    count: py::Py_ssize_t,
) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: attached; `count` arguments.
        if count != 2 || unsafe { py::PyCallable_Check(*args) } == 0 {
            return Err(Error::type_error("a trace callback must be callable"));
        }
        let interp = Interp::current()?;
        // SAFETY: attached; `count` arguments.
        unsafe {
            let (callback, class) = (Owned::from_borrowed(*args), Owned::from_borrowed(*args.add(1)));
            let id = interp.trace.start(interp.tag(), callback, class);
            Owned::from_size(id)
        }
    })
}

unsafe extern "C" fn trace_stop(_: *mut py::PyObject, number: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        let interp = Interp::current()?;
        // SAFETY: this thread is attached to the interpreter.
        let id = unsafe { py::PyLong_AsSize_t(number) };
        if crate::errors::is_set() {
            return Err(take());
        }
        // SAFETY: this thread is attached to the interpreter.
        unsafe { interp.trace.stop(interp.tag(), id) };
        Ok(Owned::none())
    })
}
