//! Functions and methods of libraries of C where there are more than [`native_function`] has places
//! for, and their `__init__`.
//!
//! [`native_function`]: super::native_function
//!
//! A `PyMethodDef` finds its callable by the address of its C function, which a library of C does
//! not have: all of its callables are called by one function of the runtime. So they are objects
//! that keep their entry, called by the vectorcall protocol. Each interpreter has two types of
//! them: one for methods, whose calls CPython gives the object without making a bound method
//! (`Py_TPFLAGS_METHOD_DESCRIPTOR`), and one for functions, which do not bind.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::ErasedBorrow;
use pairbond_plugin::Entry;
use pairbond_value::class::{Binding, Signature};
use pairbond_value::convert::erased::words::WordArgs;
use pyo3_ffi as py;

use super::loaded::{loaded_call, loaded_construct};
use super::number;
use crate::call::{checked_receiver, text_signature};
use crate::convert::{PyWords, from_text};
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::ffi::_PyObject_GC_New;
use crate::heap_types::classes;
use crate::heap_types::classes::{Constant, attribute};
use crate::interp::kept::{NATIVE_FUNCTION, NATIVE_METHOD};
use crate::interp::{Interp, local};
use crate::owned::Owned;

type Object = *mut py::PyObject;

#[repr(C)]
struct NativeCallable {
    base: py::PyObject,
    vectorcall: Option<py::vectorcallfunc>,
    entry: &'static Entry,
    /// The module that has it, or its class.
    module: &'static str,
    /// The class whose objects a method takes, which it keeps; null for a function.
    owner: *mut py::PyTypeObject,
    kind: Kind,
}

/// Further data for calls with positional arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    Plain,
    /// A special method that may return `NotImplemented`.
    Operator,
    /// A constructor, or a special method whose result Python expects something of: see [`call`].
    Special,
}

impl Kind {
    pub(super) fn of(signature: &Signature) -> Self {
        match (signature.binding, signature.name) {
            (Binding::Constructor, _) => Kind::Special,
            (Binding::Instance, "__iter__" | "__buffer__" | "__hash__" | "__repr__") => Kind::Special,
            (Binding::Instance, name) if name.starts_with("__") => Kind::Operator,
            _ => Kind::Plain,
        }
    }

    /// Calls an entry of this kind, which is none of the special ones.
    ///
    /// # Errors
    /// That of the callee.
    ///
    /// # Safety
    /// The arguments of one call, of which the entry takes exactly so many; receiver and arguments
    /// are alive.
    #[inline(always)]
    pub(super) unsafe fn call(
        self,
        entry: &Entry,
        native: Option<ErasedBorrow<'_>>,
        arguments: *const Object,
        count: usize,
    ) -> Result<Owned, Error> {
        // SAFETY: the arguments of one call, of which the entry takes exactly so many; receiver and
        // arguments are alive: the caller ensures it.
        unsafe {
            let args = WordArgs::new(PyWords::TABLE, native, arguments.cast(), count, &[]);
            match entry.call_words(&args) {
                Ok(word) => Ok(PyWords::owned(word)),
                Err(error) => self.failed(error),
            }
        }
    }

    /// An operator that does not know the other operand: that one is asked.
    #[cold]
    pub(super) fn failed(self, error: Error) -> Result<Owned, Error> {
        if self == Kind::Operator && *error.kind() == ErrorKind::NoSuchOperation {
            return Ok(number::not_implemented());
        }
        Err(error)
    }
}

/// A function of the module with that name, or an attribute of a class of it: a method, or a
/// function that needs no object.
///
/// # Errors
/// No memory.
///
/// # Safety
/// Attached to `interp`; a living class or null.
pub(crate) unsafe fn new(
    interp: &Interp,
    entry: &'static Entry,
    module: &'static str,
    owner: *mut py::PyTypeObject,
) -> Result<Owned, Error> {
    let method = matches!(
        entry.signature().binding,
        Binding::Instance | Binding::Constructor
    );
    let owner = if method { owner } else { std::ptr::null_mut() };
    let class = interp.helper_class(if method { NATIVE_METHOD } else { NATIVE_FUNCTION });
    // SAFETY: attached; every field is written before the collector may look.
    unsafe {
        let made = owned_or_error(_PyObject_GC_New(class))?;
        let fields = made.as_ptr().cast::<NativeCallable>();
        (&raw mut (*fields).vectorcall).write(Some(if method { call_method } else { call_function }));
        (&raw mut (*fields).entry).write(entry);
        (&raw mut (*fields).module).write(module);
        py::Py_XINCREF(owner.cast());
        (&raw mut (*fields).owner).write(owner);
        (&raw mut (*fields).kind).write(Kind::of(entry.signature()));
        py::PyObject_GC_Track(made.as_ptr().cast());
        Ok(made)
    }
}

/// # Safety
/// A living object of one of the two types.
unsafe fn entry_of(callable: Object) -> &'static Entry {
    // SAFETY: a living object of one of the two types: the caller ensures it. Entries live for the
    // process.
    unsafe { (*callable.cast::<NativeCallable>()).entry }
}

/// Whether an object is a method of a library of C with that name.
pub(crate) fn is_method(interp: &Interp, object: &Owned, name: &str) -> bool {
    // SAFETY: a living object, looked into when it is of the class whose objects begin like that.
    unsafe {
        std::ptr::eq(object.class(), interp.helper_class(NATIVE_METHOD))
            && signature_of(object.as_ptr()).name == name
    }
}

/// # Safety
/// As [`entry_of`].
unsafe fn signature_of(callable: Object) -> &'static Signature {
    // SAFETY: a living object of one of the two types: the caller ensures it.
    unsafe { entry_of(callable) }.signature()
}

unsafe extern "C" fn call_function(
    callable: Object,
    arguments: *const Object,
    count: usize,
    names: Object,
) -> Object {
    // SAFETY: called by CPython with one of ours, and arguments that are alive during the call.
    finish_call(|| unsafe {
        let count = py::PyVectorcall_NARGS(count) as usize;
        let entry = entry_of(callable);
        if names.is_null() && entry.takes_exactly(count) {
            return Kind::Plain.call(entry, None, arguments, count);
        }
        loaded_call(entry, std::ptr::null_mut(), arguments, count, names)
    })
}

unsafe extern "C" fn call_method(
    callable: Object,
    arguments: *const Object,
    count: usize,
    names: Object,
) -> Object {
    // SAFETY: as for `call_function`; the first argument by position is the object.
    finish_call(|| unsafe {
        let entry = entry_of(callable);
        let count = py::PyVectorcall_NARGS(count) as usize;
        if count == 0 {
            return Err(Error::type_error(format!(
                "unbound method {}() needs an argument",
                entry.signature().qualified
            )));
        }
        let (receiver, arguments, count) = (*arguments, arguments.add(1), count - 1);
        let owner = (*callable.cast::<NativeCallable>()).owner;
        if owner.is_null() || py::PyObject_TypeCheck(receiver, owner) == 0 {
            return Err(wrong_receiver(entry, receiver));
        }
        let kind = (*callable.cast::<NativeCallable>()).kind;
        if names.is_null() && kind != Kind::Special && entry.takes_exactly(count) {
            return kind.call(entry, checked_receiver(receiver), arguments, count);
        }
        if entry.signature().binding == Binding::Constructor {
            loaded_construct(entry, receiver, arguments, count, names)?;
            return Ok(Owned::none());
        }
        loaded_call(entry, receiver, arguments, count, names)
    })
}

/// In CPython's words.
#[cold]
fn wrong_receiver(entry: &Entry, receiver: Object) -> Error {
    let signature = entry.signature();
    let class = signature.qualified.split('.').next().unwrap_or_default();
    // SAFETY: a living object.
    let came = unsafe { crate::ffi::type_name(py::Py_TYPE(receiver)) };
    Error::type_error(format!(
        "descriptor '{}' for '{class}' objects doesn't apply to a '{came}' object",
        signature.name
    ))
}

unsafe extern "C" fn callable_bind(method: Object, object: Object, _: Object) -> Object {
    // SAFETY: called by CPython with one of ours, and an object or null.
    unsafe {
        if object.is_null() || object == py::Py_None() {
            py::Py_INCREF(method);
            method
        } else {
            crate::ffi::PyMethod_New(method, object)
        }
    }
}

/// A function is the same wherever it is found. (`inspect` takes objects with this slot for
/// something with a signature.)
unsafe extern "C" fn callable_stay(function: Object, _: Object, _: Object) -> Object {
    // SAFETY: called by CPython with one of ours.
    unsafe { py::Py_INCREF(function) };
    function
}

unsafe extern "C" fn callable_repr(callable: Object) -> Object {
    finish_call(|| {
        // SAFETY: called by CPython with one of ours.
        let signature = unsafe { signature_of(callable) };
        from_text(&format!("<native function {}>", signature.qualified))
    })
}

unsafe extern "C" fn get_name(callable: Object, _: *mut c_void) -> Object {
    // SAFETY: called by CPython with one of ours. (The same below.)
    finish_call(|| from_text(unsafe { signature_of(callable) }.name))
}

unsafe extern "C" fn get_qualified(callable: Object, _: *mut c_void) -> Object {
    finish_call(|| {
        // SAFETY: as for `get_name`.
        let signature = unsafe { signature_of(callable) };
        match signature.binding {
            Binding::Constructor => from_text(&format!("{}.{}", signature.qualified, signature.name)),
            _ => from_text(signature.qualified),
        }
    })
}

unsafe extern "C" fn get_doc(callable: Object, _: *mut c_void) -> Object {
    // SAFETY: as for `get_name`.
    finish_call(|| match unsafe { signature_of(callable) }.doc {
        "" => Ok(Owned::none()),
        doc => from_text(doc),
    })
}

unsafe extern "C" fn get_text_signature(callable: Object, _: *mut c_void) -> Object {
    finish_call(|| {
        // SAFETY: as for `get_name`.
        let signature = unsafe { signature_of(callable) };
        let first = match signature.binding {
            Binding::Instance | Binding::Constructor => Some("$self"),
            _ => None,
        };
        from_text(&text_signature(signature, "", first))
    })
}

unsafe extern "C" fn get_module(callable: Object, _: *mut c_void) -> Object {
    // SAFETY: as for `get_name`.
    finish_call(|| from_text(unsafe { (*callable.cast::<NativeCallable>()).module }))
}

/// By its name: `pickle` and `copy` find it in its module.
unsafe extern "C" fn callable_reduce(callable: Object, _: Object) -> Object {
    // SAFETY: as for `get_name`.
    unsafe { get_qualified(callable, std::ptr::null_mut()) }
}

unsafe extern "C" fn callable_dealloc(callable: Object) {
    // SAFETY: called by CPython, once.
    unsafe {
        py::PyObject_GC_UnTrack(callable.cast());
        callable_clear(callable);
        let class = py::Py_TYPE(callable);
        py::PyObject_GC_Del(callable.cast());
        py::Py_DECREF(class.cast());
    }
}

unsafe extern "C" fn callable_traverse(callable: Object, visit: py::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: called by CPython's collector.
    unsafe {
        let owner = (*callable.cast::<NativeCallable>()).owner;
        if !owner.is_null() {
            let stop = visit(owner.cast(), arg);
            if stop != 0 {
                return stop;
            }
        }
        visit(py::Py_TYPE(callable).cast(), arg)
    }
}

/// A method without its class takes no object any more.
unsafe extern "C" fn callable_clear(callable: Object) -> c_int {
    // SAFETY: called by CPython's collector, or when the object dies.
    unsafe {
        let place = &raw mut (*callable.cast::<NativeCallable>()).owner;
        let owner = place.replace(std::ptr::null_mut());
        py::Py_XDECREF(owner.cast());
    }
    0
}

static ATTRIBUTES: Constant<[py::PyGetSetDef; 6]> = Constant([
    attribute(c"__name__", get_name),
    attribute(c"__qualname__", get_qualified),
    attribute(c"__doc__", get_doc),
    attribute(c"__text_signature__", get_text_signature),
    attribute(c"__module__", get_module),
    classes::END,
]);

static METHODS: crate::call::method_table::Methods<2> = crate::call::method_table::Methods([
    crate::call::method_table::method_definition(c"__reduce__", callable_reduce, py::METH_NOARGS, c""),
    py::PyMethodDef::zeroed(),
]);

static MEMBERS: Constant<[py::PyMemberDef; 2]> = Constant([
    py::PyMemberDef {
        name: c"__vectorcalloffset__".as_ptr(),
        type_code: py::Py_T_PYSSIZET,
        offset: offset_of!(NativeCallable, vectorcall) as py::Py_ssize_t,
        flags: py::Py_READONLY,
        doc: std::ptr::null(),
    },
    py::PyMemberDef {
        name: std::ptr::null(),
        type_code: 0,
        offset: 0,
        flags: 0,
        doc: std::ptr::null(),
    },
]);

/// Makes an interpreter's types of them. The thread is attached to `interp`.
pub(crate) fn publish_callables(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let [dealloc, traverse, clear, repr, call] = classes::slots![
        Py_tp_dealloc: destructor = callable_dealloc;
        Py_tp_traverse: traverseproc = callable_traverse;
        Py_tp_clear: inquiry = callable_clear;
        Py_tp_repr: reprfunc = callable_repr;
        Py_tp_call: ternaryfunc = py::PyVectorcall_Call;
    ];
    let [bind] = classes::slots![Py_tp_descr_get: descrgetfunc = callable_bind;];
    let [stay] = classes::slots![Py_tp_descr_get: descrgetfunc = callable_stay;];
    let pointer = |start: *const c_void| start.cast_mut();
    let common = [
        dealloc,
        traverse,
        clear,
        repr,
        call,
        (py::Py_tp_getset, pointer(ATTRIBUTES.0.as_ptr().cast())),
        (py::Py_tp_methods, pointer(METHODS.0.as_ptr().cast())),
        (py::Py_tp_members, pointer(MEMBERS.0.as_ptr().cast())),
    ];
    let method: Vec<_> = common.iter().copied().chain([bind]).collect();
    let function: Vec<_> = common.iter().copied().chain([stay]).collect();
    let size = size_of::<NativeCallable>();
    let called = py::Py_TPFLAGS_HAVE_VECTORCALL;
    for (place, name, flags, slots) in [
        (NATIVE_FUNCTION, c"pairbond.NativeFunction", called, &function[..]),
        (
            NATIVE_METHOD,
            c"pairbond.NativeMethod",
            called | py::Py_TPFLAGS_METHOD_DESCRIPTOR,
            &method[..],
        ),
    ] {
        // SAFETY: attached to `interp`; a living module: the caller ensures it. Each slot has the
        // type that its number says.
        let class = unsafe { classes::helper_with(module, name, size, flags, slots) }?;
        local::set_helper_class(interp, place, class.into_ptr());
    }
    Ok(())
}
