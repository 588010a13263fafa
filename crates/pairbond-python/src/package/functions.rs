//! The package's functions, and those that CPython calls back.

use std::ffi::{CStr, c_void};

use pairbond_core::error::Error;
use pairbond_core::runtime;
use pyo3_ffi as py;

use crate::call::method_table::{Methods, add_functions, method_definition, method_fast};
use crate::errors::{finish_call, owned_or_error, raise, take};
use crate::gc;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::shutdown;
use crate::wrapper;

/// The name of capsules that hold an [`Interp`].
pub(super) const INTERP: &CStr = c"pairbond.interpreter";

static FUNCTIONS: Methods<7> = Methods([
    method_definition(c"collect", collect_garbage, py::METH_NOARGS, c"collect()\n--\n\nRuns a full collection, native cycles included. Returns the number of unreachable objects found, as gc.collect() does, plus the native ones."),
    method_definition(c"live_objects", live_objects, py::METH_NOARGS, c"live_objects()\n--\n\nNative objects alive now, by type key, over all interpreters."),
    method_definition(c"native_id", native_id, py::METH_O, c"native_id(obj, /)\n--\n\nThe address of the native object that obj stands for."),
    method_definition(c"is_dormant", is_dormant, py::METH_O, c"is_dormant(obj, /)\n--\n\nWhether native code keeps the pair (otherwise the wrapper does)."),
    method_definition(c"_sweep_after", sweep_after, py::METH_O, c"_sweep_after(births, /)\n--\n\nFor tests: looks for garbage that Python's collector does not know when so many more objects of traced types got a wrapper."),
    method_definition(c"collector_stats", collector_stats, py::METH_NOARGS, c"collector_stats()\n--\n\nWhat the collections of this interpreter did."),
    py::PyMethodDef::zeroed(),
]);

/// Methods of `pairbond.Object`, which are written in Python.
pub(super) static OBJECT_METHODS: Methods<5> = Methods([
    method_definition(c"__reduce_ex__", object_reduce, py::METH_O, c"__reduce_ex__(protocol, /)\n--\n\nFor pickle: with all native objects that this one leads to."),
    method_definition(c"__copy__", object_copy, py::METH_NOARGS, c"__copy__()\n--\n\nFor copy.copy: a new object with the same fields and attributes."),
    method_definition(c"__deepcopy__", object_deepcopy, py::METH_O, c"__deepcopy__(memo, /)\n--\n\nFor copy.deepcopy: with everything that this object leads to."),
    py::PyMethodDef {
        ml_name: c"__replace__".as_ptr(),
        ml_meth: py::PyMethodDefPointer {
            PyCFunctionWithKeywords: object_replace,
        },
        ml_flags: py::METH_VARARGS | py::METH_KEYWORDS,
        ml_doc: c"__replace__(**changes)\n--\n\nFor copy.replace: a new object by the constructor, with other arguments for what changes.".as_ptr(),
    },
    py::PyMethodDef::zeroed(),
]);

static GC_CALLBACK: Methods<1> = Methods([method_fast(
    c"_pairbond_gc_callback",
    on_gc,
    c"Follows Python's collections. Without it, cycles through native objects are not collected.",
)]);
static ATEXIT: Methods<1> = Methods([method_definition(
    c"_pairbond_close",
    on_exit,
    py::METH_NOARGS,
    c"Closes the interpreter for native threads.",
)]);

/// The thread is attached.
pub(super) fn publish_functions(module: &Owned) -> Result<(), Error> {
    add_functions(module, &FUNCTIONS)?;
    add_functions(module, &super::observe::FUNCTIONS)?;
    add_functions(module, &super::leaks::FUNCTIONS)?;
    add_functions(module, &super::graph::FUNCTIONS)?;
    add_functions(module, &super::blocks::FUNCTIONS)
}

/// The thread is attached.
pub(super) fn gc_callback(context: &Owned) -> Option<Owned> {
    // SAFETY: attached; the definition lives for the process.
    unsafe {
        Owned::from_new(py::PyCFunction_New(
            GC_CALLBACK.as_ptr().cast_mut(),
            context.as_ptr(),
        ))
    }
}

/// The thread is attached.
pub(super) fn atexit_callback(context: &Owned) -> Option<Owned> {
    // SAFETY: attached; the definition lives for the process.
    unsafe { Owned::from_new(py::PyCFunction_New(ATEXIT.as_ptr().cast_mut(), context.as_ptr())) }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `capsule` alive.
unsafe fn interp_of(capsule: *mut py::PyObject) -> Option<&'static Interp> {
    // SAFETY: our capsule; interpreters are never freed.
    unsafe {
        py::PyCapsule_GetPointer(capsule, INTERP.as_ptr())
            .cast::<Interp>()
            .as_ref()
    }
}

/// `gc.callbacks`: `(phase, info)`. A collection can come at any moment; an exception that is set
/// stays set.
unsafe extern "C" fn on_gc(
    context: *mut py::PyObject,
    args: *mut *mut py::PyObject,
    count: py::Py_ssize_t,
) -> *mut py::PyObject {
    // SAFETY: called by CPython's collector, attached, with two arguments; other callers are
    // refused.
    unsafe {
        let Some(interp) = interp_of(context) else {
            return std::ptr::null_mut();
        };
        if count == 2 && py::PyUnicode_Check(*args) != 0 && py::PyDict_Check(*args.add(1)) != 0 {
            if py::PyUnicode_CompareWithASCIIString(*args, c"start".as_ptr()) == 0 {
                let generation = py::PyDict_GetItemString(*args.add(1), c"generation".as_ptr());
                let generation = if generation.is_null() {
                    0
                } else {
                    running::PyLong_AsLongLong(generation)
                };
                if crate::errors::is_set() {
                    return std::ptr::null_mut();
                }
                gc::start(interp, generation);
            } else {
                let collected = py::PyDict_GetItemString(*args.add(1), c"collected".as_ptr());
                let some = if collected.is_null() {
                    1
                } else {
                    running::PyObject_IsTrue(collected)
                };
                gc::stop(interp, some != 0);
                if some < 0 {
                    return std::ptr::null_mut();
                }
            }
        }
    }
    Owned::none().into_ptr()
}

unsafe extern "C" fn on_exit(context: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: this thread is attached to the interpreter.
    unsafe {
        if let Some(interp) = interp_of(context) {
            shutdown::begin(interp);
        }
    }
    Owned::none().into_ptr()
}

unsafe extern "C" fn collect_garbage(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        let interp = Interp::current()?;
        let before = interp.gc.stats().native;
        let gc = Owned::import(c"gc")?;
        let found = gc.get_attr(c"collect")?.call0()?;
        // SAFETY: this thread is attached to the interpreter; a living object.
        let found = unsafe { running::PyLong_AsLongLong(found.as_ptr()) };
        let native = interp.gc.stats().native - before;
        // SAFETY: this thread is attached to the interpreter; a new reference or null.
        unsafe { owned_or_error(py::PyLong_FromLongLong(found + native as i64)) }
    })
}

/// Stores a number under a name in a dict. The thread is attached.
pub(super) fn set_item(dict: &Owned, key: &str, value: i64) -> Result<(), Error> {
    let key = crate::convert::from_text(key)?;
    // SAFETY: this thread is attached to the interpreter; a new reference or null.
    let value = unsafe { owned_or_error(py::PyLong_FromLongLong(value)) }?;
    dict.set_item(&key, &value)
}

unsafe extern "C" fn live_objects(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        let dict = Owned::empty_dict()?;
        for info in runtime::registered_types() {
            if info.live_count() != 0 {
                set_item(&dict, info.key(), info.live_count() as i64)?;
            }
        }
        Ok(dict)
    })
}

unsafe extern "C" fn sweep_after(_: *mut py::PyObject, births: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: attached; a living argument.
        let births = unsafe { py::PyLong_AsSize_t(births) };
        if crate::errors::is_set() {
            return Err(take());
        }
        Interp::current()?.spare.pace.sweep_after(births);
        Ok(Owned::none())
    })
}

unsafe extern "C" fn collector_stats(_: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        let stats = Interp::current()?.gc.stats();
        let dict = Owned::empty_dict()?;
        set_item(&dict, "collections", stats.collections as i64)?;
        set_item(&dict, "cleared", stats.cleared as i64)?;
        set_item(&dict, "native", stats.native as i64)?;
        Ok(dict)
    })
}

unsafe extern "C" fn native_id(_: *mut py::PyObject, object: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: this thread is attached to the interpreter; a new reference or null.
        unsafe {
            let native = wrapper::native_of(object)?;
            owned_or_error(py::PyLong_FromVoidPtr(native.as_ptr().as_ptr().cast::<c_void>()))
        }
    })
}

unsafe extern "C" fn is_dormant(_: *mut py::PyObject, object: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: this thread is attached to the interpreter.
        let native = unsafe { wrapper::native_of(object) }?;
        let native_custody =
            native.header().custody().state().holder() == pairbond_core::object::Holder::Native;
        // SAFETY: this thread is attached to the interpreter; a new reference.
        unsafe { owned_or_error(py::PyBool_FromLong(native_custody.into())) }
    })
}

/// Calls a function of `pairbond._serial`.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn call_serial(name: &CStr, arguments: [*mut py::PyObject; 2]) -> *mut py::PyObject {
    finish_call(|| {
        let module = Owned::import(c"pairbond._serial")?;
        let function = module.get_attr(name)?;
        let count = 1 + usize::from(!arguments[1].is_null());
        // SAFETY: attached; living objects, the second may be null.
        unsafe {
            owned_or_error(running::PyObject_Vectorcall(
                function.as_ptr(),
                arguments.as_ptr(),
                count,
                std::ptr::null_mut(),
            ))
        }
    })
}

unsafe extern "C" fn object_reduce(
    object: *mut py::PyObject,
    protocol: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: attached; the arguments of one call.
    unsafe { call_serial(c"reduce_ex", [object, protocol]) }
}

unsafe extern "C" fn object_copy(object: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached; the arguments of one call.
    unsafe { call_serial(c"copy", [object, std::ptr::null_mut()]) }
}

unsafe extern "C" fn object_deepcopy(
    object: *mut py::PyObject,
    memo: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: attached; the arguments of one call.
    unsafe { call_serial(c"deepcopy", [object, memo]) }
}

unsafe extern "C" fn object_replace(
    object: *mut py::PyObject,
    arguments: *mut py::PyObject,
    changes: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: attached; the arguments of one call.
    unsafe {
        if py::PyTuple_GET_SIZE(arguments) != 0 {
            raise(Error::type_error("__replace__() takes keyword arguments only"));
            return std::ptr::null_mut();
        }
        call_serial(c"replace", [object, changes])
    }
}
