//! The class of a library that brings no frontend: its members come as entries that are called
//! through tables.
//!
//! Protocols are methods here, as in a class that is written in Python, and CPython fills its slots
//! from them: an entry has one C function, and not one for each slot. What Python asks of such
//! methods, and Rust need not return, is added when they are called ([`loaded_call`]).

use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::ErasedBorrow;
use pairbond_plugin::{AttributeEntry, ClassEntry, Entry};
use pairbond_value::class::{Binding, Signature};
use pairbond_value::convert::{Mismatch, Sink, Source};
use pyo3_ffi as py;

use super::definition::{Definition, Found};
use super::{construct, getset, native_construct, native_function, native_next, number};
use crate::call::{Shape, from_objects, leak_doc, leak_text};
use crate::convert::{PySink, PySource, PyWords};
use crate::errors::owned_or_error;
use crate::errors::raise;
use crate::errors::{finish_call, finish_status};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper::{self, Wrapper};

/// The class in an interpreter, made if it is not there.
///
/// # Errors
/// As [`build`](super::build).
pub(crate) fn build_loaded(
    interp: &Interp,
    entry: &'static ClassEntry,
    module: &Owned,
) -> Result<Owned, Error> {
    super::build::build_defined(interp, entry.info(), module, &|| definition_of(entry))
}

/// The definition of a class, made the first time.
fn definition_of(entry: &'static ClassEntry) -> &'static Definition {
    static ALL: Mutex<Option<HashMap<usize, &'static Definition>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_with(HashMap::new)
        .entry(std::ptr::from_ref(entry).addr())
        .or_insert_with(|| Box::leak(Box::new(define_loaded(entry))))
}

fn define_loaded(entry: &'static ClassEntry) -> Definition {
    let has = |name: &str| entry.methods.iter().any(|method| method.signature().name == name);
    let lacking = lacking_item_method(entry);
    let (class_getters, methods): (Vec<&'static Entry>, Vec<&'static Entry>) = entry
        .methods
        .iter()
        .copied()
        .partition(|method| method.signature().binding == Binding::ClassGetter);
    // SAFETY: a definition's name is a C string that is never freed.
    let late = lacking.map(|it| unsafe { CStr::from_ptr(it.ml_name) });
    let orders = ["__lt__", "__le__", "__gt__", "__ge__", "__ne__"]
        .into_iter()
        .any(has);
    let (mut defined, mut of_c, mut protocols, mut slots) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for method in methods {
        match method_def(method) {
            Some(mut definition) => {
                let before = slots.len();
                slots.extend(native_function::subscript_slots_of(method).into_iter().flatten());
                slots.extend(native_next::next_slot_of(method));
                if slots.len() > before {
                    // The method keeps its place beside the slots.
                    definition.ml_flags |= py::METH_COEXIST;
                } else {
                    protocols.extend(protocol_method(method.signature()));
                }
                defined.push(definition);
            }
            None => of_c.push(method),
        }
    }
    let constructor = entry.constructor;
    let new = match constructor {
        Some(_) => crate::call::new as py::newfunc,
        None => refuse_new as py::newfunc,
    };
    let init = match constructor.and_then(Entry::init) {
        // SAFETY: three words and a number: what CPython calls `tp_init` with.
        Some(init) => unsafe { std::mem::transmute::<pairbond_plugin::Init, py::initproc>(init) },
        // Of a library of C, `__init__` is set as an attribute.
        None => construct::refuse_init as py::initproc,
    };
    let natives = constructor.filter(|it| it.init().is_none());
    let found = Found {
        info: entry.info(),
        doc: entry.doc,
        immutable_type: entry.immutable_type,
        slots,
        methods: defined.into_iter().chain(lacking).collect(),
        getsets: entry.attributes.iter().map(getset_of).collect(),
        class_getters: class_getters.into_iter().map(class_getter).collect(),
        fields: entry.attributes.iter().map(|attribute| attribute.name).collect(),
        signature: constructor.map(Entry::signature),
        new,
        init,
        vectorcall: natives
            .and_then(native_construct::functions_for)
            .map(|it| it.vectorcall),
        late: protocols.into_iter().chain(late).collect(),
        natives: natives.into_iter().chain(of_c).collect(),
        called: false,
        keeps_hash: orders && !has("__eq__") && !has("__hash__"),
    };
    found.define()
}

/// Methods that CPython looks for in slots: it fills them when the method is set as an attribute of
/// the class.
fn protocol_method(signature: &'static Signature) -> Option<&'static CStr> {
    let name = signature.name;
    (signature.binding == Binding::Instance && name.starts_with("__") && name.ends_with("__"))
        .then(|| leak_text(name))
}

/// The definition of a function or method of a library; `None` for one of C, if there are too many.
pub(crate) fn method_def(entry: &'static Entry) -> Option<py::PyMethodDef> {
    let Some(fast_call) = entry.fast_call() else {
        return native_function::method_def(entry);
    };
    let function = py::PyMethodDefPointer {
        // SAFETY: four words, one of which is a number, and one comes back: what CPython calls such
        // a function with.
        PyCFunctionFastWithKeywords: unsafe {
            std::mem::transmute::<pairbond_plugin::FastCall, py::PyCFunctionFastWithKeywords>(fast_call)
        },
    };
    let convention = py::METH_FASTCALL | py::METH_KEYWORDS;
    Some(crate::call::method_definition(
        entry.signature(),
        function,
        convention,
    ))
}

/// Calls a function or method of a library with what CPython calls it with.
///
/// # Errors
/// Arguments that do not fit, or what the callee returns.
///
/// # Safety
/// Attached; receiver and arguments are alive; `arguments` are `count` positional ones, then one
/// for each of the tuple `names` (or null).
pub(crate) unsafe fn loaded_call(
    entry: &Entry,
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> Result<Owned, Error> {
    let signature = entry.signature();
    let protocol = signature.binding == Binding::Instance && signature.name.starts_with("__");
    // Since 3.12 CPython gets a buffer by it, with flags; a view of the array is requested again.
    let asked = signature.name == "__buffer__" && protocol && count == 1;
    let count = if asked { 0 } else { count };
    if signature.parameters.is_empty() && (count > 0 || !names.is_null()) {
        return Err(takes_none(signature, count, names));
    }
    if protocol && signature.name == "__pow__" && count > signature.parameters.len() {
        // With a modulus, which it does not take.
        return Ok(number::not_implemented());
    }
    // A module and a class are no receivers.
    let receiver = match signature.binding {
        Binding::Instance => receiver,
        _ => std::ptr::null_mut(),
    };
    let shape = Shape::of(signature);
    // SAFETY: attached; receiver and arguments are alive; `arguments` are `count` positional ones,
    // then one for each of the tuple `names` (or null): the caller ensures it.
    let result = unsafe {
        crate::call::with_bound(shape, receiver, arguments, count, names, |bound| {
            if entry.takes_words() {
                return entry.call_words(&bound.words()).map(|word| PyWords::owned(word));
            }
            entry.call(bound, PySink)
        })
    };
    if !protocol {
        return result;
    }
    // SAFETY: attached; a method's receiver is alive, and a wrapper if `is_wrapper` returns true.
    unsafe {
        if result.is_err()
            && signature.name == "__repr__"
            && wrapper::is_wrapper(receiver)
            && wrapper::repr::is_gone(receiver)
        {
            return wrapper::repr::plain_repr(receiver);
        }
    }
    check_protocol_result(signature.name, result)
}

/// In CPython's words for functions that are known to take nothing.
#[cold]
fn takes_none(signature: &Signature, count: usize, names: *mut py::PyObject) -> Error {
    Error::type_error(if names.is_null() {
        format!("{}() takes no arguments ({count} given)", signature.qualified)
    } else {
        format!("{}() takes no keyword arguments", signature.qualified)
    })
}

/// Checks that a protocol's method has returned a result of the type that Python expects.
fn check_protocol_result(name: &str, result: Result<Owned, Error>) -> Result<Owned, Error> {
    match (name, result) {
        // An operator that does not know the other operand: that one is asked.
        (_, Err(error)) if *error.kind() == ErrorKind::NoSuchOperation => Ok(number::not_implemented()),
        // Any iterable will do: a `Vec` becomes a list.
        // SAFETY: attached; a living object.
        ("__iter__", Ok(result)) if unsafe { py::PyIter_Check(result.as_ptr()) } == 0 => {
            // SAFETY: attached; a living object.
            unsafe { owned_or_error(running::PyObject_GetIter(result.as_ptr())) }
        }
        // SAFETY: attached; a living object.
        ("__buffer__", Ok(array)) => unsafe {
            owned_or_error(running::PyMemoryView_FromObject(array.as_ptr()))
        },
        // Any int will do: its own hash is taken, as in classes of extension modules.
        // SAFETY: attached; a living object.
        ("__hash__", Ok(result)) if unsafe { py::PyLong_Check(result.as_ptr()) } != 0 => {
            // SAFETY: attached; a living object.
            match unsafe { running::PyObject_Hash(result.as_ptr()) } {
                -1 => Err(crate::errors::take()),
                hash => PySink.write_i64(hash as i64),
            }
        }
        (_, result) => result,
    }
}

/// Of assigning and deleting items, the one that a class lacks: CPython has one slot for both.
fn lacking_item_method(entry: &ClassEntry) -> Option<py::PyMethodDef> {
    let has = |name: &str| {
        let mut info = Some(entry.info());
        while let Some(at) = info {
            let members = at.members().map(|members| members.methods());
            if members.is_some_and(|all| all.iter().any(|method| method.name == name)) {
                return true;
            }
            info = at.base();
        }
        false
    };
    match (has("__setitem__"), has("__delitem__")) {
        (true, false) => Some(crate::call::method_table::method_definition(
            c"__delitem__",
            no_deletion,
            py::METH_O,
            c"__delitem__($self, key, /)\n--\n\n",
        )),
        (false, true) => {
            let doc = c"__setitem__($self, key, value, /)\n--\n\n";
            Some(crate::call::method_table::method_definition(
                c"__setitem__",
                no_assignment,
                py::METH_VARARGS,
                doc,
            ))
        }
        _ => None,
    }
}

unsafe extern "C" fn no_deletion(object: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: a living object.
    unsafe { not_supported(object, "deletion") }
}

unsafe extern "C" fn no_assignment(object: *mut py::PyObject, _: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: a living object.
    unsafe { not_supported(object, "assignment") }
}

/// # Safety
/// Attached; a living object.
unsafe fn not_supported(object: *mut py::PyObject, what: &str) -> *mut py::PyObject {
    // SAFETY: attached; a living object: the caller ensures it.
    let name = unsafe { crate::ffi::type_name(py::Py_TYPE(object)) };
    raise(Error::type_error(format!(
        "'{name}' object does not support item {what}"
    )));
    std::ptr::null_mut()
}

fn getset_of(attribute: &'static AttributeEntry) -> py::PyGetSetDef {
    py::PyGetSetDef {
        name: leak_text(attribute.name).as_ptr(),
        get: Some(loaded_get),
        set: attribute.is_settable().then_some(loaded_set as py::setter),
        doc: leak_doc(attribute.doc),
        closure: std::ptr::from_ref(attribute).cast_mut().cast(),
    }
}

fn class_getter(entry: &'static Entry) -> py::PyGetSetDef {
    py::PyGetSetDef {
        name: leak_text(entry.signature().name).as_ptr(),
        get: Some(get_of_class),
        set: None,
        doc: leak_doc(entry.signature().doc),
        closure: std::ptr::from_ref(entry).cast_mut().cast(),
    }
}

unsafe extern "C" fn get_of_class(_: *mut py::PyObject, entry: *mut c_void) -> *mut py::PyObject {
    // SAFETY: the closure of the definition above; it takes no arguments.
    finish_call(|| unsafe {
        let entry = &*entry.cast::<Entry>();
        loaded_call(
            entry,
            std::ptr::null_mut(),
            std::ptr::null(),
            0,
            std::ptr::null_mut(),
        )
    })
}

unsafe extern "C" fn loaded_get(object: *mut py::PyObject, attribute: *mut c_void) -> *mut py::PyObject {
    // SAFETY: the closure of the definition above; alive during the call.
    finish_call(|| unsafe {
        let attribute = &*attribute.cast::<AttributeEntry>();
        let owner = owner_of(object, attribute)?;
        match attribute.get_word(owner, PyWords::TABLE) {
            Some(word) => Ok(PyWords::owned(word?)),
            None => attribute.get(owner, PySink),
        }
    })
}

unsafe extern "C" fn loaded_set(
    object: *mut py::PyObject,
    value: *mut py::PyObject,
    attribute: *mut c_void,
) -> c_int {
    // SAFETY: the closure of the definition above; alive during the call.
    finish_status(|| unsafe {
        let attribute = &*attribute.cast::<AttributeEntry>();
        let owner = owner_of(object, attribute)?;
        if value.is_null() {
            return Err(getset::no_deletion(attribute.owner().key(), attribute.name));
        }
        attribute.set(owner, PySource::new(value))?;
        Ok(0)
    })
}

/// The native object. CPython has checked the class of the wrapper, but `__class__` can be
/// assigned.
///
/// # Safety
/// A wrapper that is alive for the lifetime that the caller chooses.
unsafe fn owner_of<'a>(
    object: *mut py::PyObject,
    attribute: &AttributeEntry,
) -> Result<ErasedBorrow<'a>, Error> {
    // SAFETY: A wrapper that is alive for the lifetime that the caller chooses: the caller ensures
    // it.
    let source = unsafe {
        if let Some(native) = NonNull::new((*object.cast::<Wrapper>()).native) {
            let native = ErasedBorrow::from_header(native);
            if native.header().info().is_a(attribute.owner()) {
                return Ok(native);
            }
        }
        PySource::<'a>::new(object)
    };
    match source.read_object() {
        Err(Mismatch::Raised(error)) => Err(error),
        _ => Err(getset::wrong_owner_error(
            source,
            attribute.owner().key(),
            attribute.name,
        )),
    }
}

/// `tp_new` of a class without a constructor: its objects come from Rust only.
unsafe extern "C" fn refuse_new(
    class: *mut py::PyTypeObject,
    _: *mut py::PyObject,
    _: *mut py::PyObject,
) -> *mut py::PyObject {
    let mut class = class;
    // SAFETY: living types; that of an extension module or library is among the bases.
    let name = unsafe {
        while (*class).tp_dealloc.map(|f| f as usize) != Some(crate::interp::api::wrapper_dealloc())
            && !(*class).tp_base.is_null()
        {
            class = (*class).tp_base;
        }
        crate::ffi::type_name(class)
    };
    raise(Error::type_error(format!(
        "cannot create '{name}' instances from Python"
    )));
    std::ptr::null_mut()
}

/// `tp_init`, by way of the library's constructor that CPython calls.
pub(crate) unsafe extern "C" fn loaded_init(
    entry: &'static Entry,
    object: *mut c_void,
    arguments: *mut c_void,
    keywords: *mut c_void,
) -> c_int {
    let object = object.cast::<py::PyObject>();
    finish_status(|| {
        // SAFETY: alive during the call; a tuple, and a dict or null; `fits_type` has looked at the
        // class.
        unsafe {
            from_objects(arguments.cast(), keywords.cast(), |arguments, count, names| {
                loaded_construct(entry, object, arguments, count, names)
            })
        }?;
        Ok(0)
    })
}

/// Gives a wrapper an object that a library's constructor makes.
///
/// # Errors
/// The wrapper is of another class or has an object, arguments do not fit, or that of the
/// constructor.
///
/// # Safety
/// As [`loaded_call`]; the object is a wrapper, or of another class.
pub(super) unsafe fn loaded_construct(
    entry: &'static Entry,
    object: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> Result<(), Error> {
    let Some(makes) = entry.made_type() else {
        return Err(Error::runtime_error("not a constructor"));
    };
    // SAFETY: attached; the arguments of one call, which are alive: the caller ensures it.
    // `fits_type` has looked at the class.
    unsafe {
        crate::call::fits_type(object, makes)?;
        crate::call::with_bound(
            Shape::of(entry.signature()),
            std::ptr::null_mut(),
            arguments,
            count,
            names,
            |bound| {
                if entry.takes_words() {
                    return entry.construct_words(&bound.words(), |make| wrapper::tie_with(object, make));
                }
                entry.construct(bound, |make| wrapper::tie_with(object, make))
            },
        )
    }
}
