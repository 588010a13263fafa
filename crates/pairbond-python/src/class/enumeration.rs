//! Enums of Rust without data, as `enum.Enum` classes. `python/pairbond/_enum.py` makes the class;
//! its members are the wrappers of the variants' objects, which the class keeps, so that there is
//! one of each in an interpreter, guests included.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pairbond_core::error::{Error, ErrorKind, ResultExt};
use pairbond_core::object::{ErasedBorrow, Object};
use pairbond_core::types::{TypeCell, TypeInfo};
#[cfg(feature = "library")]
use pairbond_plugin::EnumEntry;
use pairbond_value::class::{EnumMember, EnumObject, Enumeration};
use pyo3_ffi as py;

use crate::call::method_table::{Methods, method_fast};
use crate::convert::from_text;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper::{self, Wrapper};

/// The class of an enum in an interpreter: the one that is there, or a new one, which is
/// registered.
///
/// # Errors
/// The key is taken by another type (`ImportError`), or what CPython raised.
pub(crate) fn enum_class<E: Enumeration>(interp: &Interp) -> Result<Owned, Error> {
    let info = TypeCell::register::<EnumObject<E>>().or_raise(ErrorKind::Import)?;
    // SAFETY: attached; the definition lives for the process; a new reference or null.
    let fetch =
        || unsafe { owned_or_error(py::PyCFunction_New(fetch_definition::<E>(), std::ptr::null_mut())) };
    make_enum_class(interp, info, E::DOC, E::MEMBERS, fetch)
}

/// As [`enum_class`], of a library that brings no frontend.
///
/// # Errors
/// What CPython raised.
#[cfg(feature = "library")]
pub(crate) fn loaded_enum_class(interp: &Interp, entry: &'static EnumEntry) -> Result<Owned, Error> {
    static FETCH: Methods<1> = Methods([method_fast(c"fetch", fetch_loaded, c"The member of a number.")]);
    make_enum_class(interp, entry.info(), entry.doc, entry.members, || {
        // SAFETY: attached; both live for the process; new references or null.
        unsafe {
            let entry = std::ptr::from_ref(entry).cast_mut().cast();
            let capsule = owned_or_error(py::PyCapsule_New(entry, CAPSULE.as_ptr(), None))?;
            owned_or_error(py::PyCFunction_New(FETCH.0.as_ptr().cast_mut(), capsule.as_ptr()))
        }
    })
}

/// The name of capsules that hold an [`EnumEntry`].
#[cfg(feature = "library")]
const CAPSULE: &std::ffi::CStr = c"pairbond.enumeration";

fn make_enum_class(
    interp: &Interp,
    info: &'static TypeInfo,
    doc: &str,
    all: &[EnumMember],
    fetch: impl FnOnce() -> Result<Owned, Error>,
) -> Result<Owned, Error> {
    let known = interp.class_of(info);
    if known != interp.base_class() {
        // SAFETY: attached; living objects; new references or null.
        return Ok(unsafe { Owned::from_borrowed(known.cast()) });
    }
    let module = Owned::import(c"pairbond._enum")?;
    let make = module.get_attr(c"make")?;
    let fetch = fetch()?;
    let (module, name, doc) = (
        from_text(info.module())?,
        from_text(info.name())?,
        from_text(doc)?,
    );
    let members = Owned::empty_list()?;
    for member in all {
        // SAFETY: attached; living objects; new references or null.
        let value = unsafe { owned_or_error(py::PyLong_FromLongLong(member.value)) }?;
        let (name, doc) = (from_text(member.name)?, from_text(member.doc)?);
        let all = Owned::tuple([&name, &value, &doc])?;
        members.append(&all)?;
    }
    let arguments = [
        fetch.as_ptr(),
        module.as_ptr(),
        name.as_ptr(),
        doc.as_ptr(),
        members.as_ptr(),
    ];
    // SAFETY: attached; living objects; new references or null.
    unsafe {
        owned_or_error(running::PyObject_Vectorcall(
            make.as_ptr(),
            arguments.as_ptr(),
            arguments.len(),
            std::ptr::null_mut(),
        ))
    }
}

/// CPython keeps a pointer to the definition of a function: one for the process.
fn fetch_definition<E: Enumeration>() -> *mut py::PyMethodDef {
    static ALL: Mutex<Option<HashMap<TypeId, usize>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || {
        let definition = Methods([method_fast(
            c"fetch",
            fetch_variant::<E>,
            c"The member of a number.",
        )]);
        std::ptr::from_mut(Box::leak(Box::new(definition)))
            .cast::<py::PyMethodDef>()
            .expose_provenance()
    };
    std::ptr::with_exposed_provenance_mut(
        *all.get_or_insert_with(HashMap::new)
            .entry(TypeId::of::<E>())
            .or_insert_with(make),
    )
}

/// `(class, number)`: the wrapper of a variant's object, which is of this class.
unsafe extern "C" fn fetch_variant<E: Enumeration>(
    _: *mut py::PyObject,
    arguments: *mut *mut py::PyObject,
    count: py::Py_ssize_t,
) -> *mut py::PyObject {
    // SAFETY: attached; the arguments are alive during the call.
    finish_call(|| unsafe {
        enum_member(arguments, count, EnumObject::<E>::info(), |number| {
            E::variant_object(number).map(|object| object.as_borrow().erase())
        })
    })
}

/// As [`fetch_variant`]; the capsule holds the enum.
#[cfg(feature = "library")]
unsafe extern "C" fn fetch_loaded(
    capsule: *mut py::PyObject,
    arguments: *mut *mut py::PyObject,
    count: py::Py_ssize_t,
) -> *mut py::PyObject {
    // SAFETY: as there; the entry lives for the process.
    finish_call(|| unsafe {
        let entry = py::PyCapsule_GetPointer(capsule, CAPSULE.as_ptr()).cast::<EnumEntry>();
        let entry = entry.as_ref().ok_or_else(take)?;
        enum_member(arguments, count, entry.info(), |number| entry.object(number))
    })
}

/// # Safety
/// Attached; `count` arguments that are alive.
unsafe fn enum_member(
    arguments: *mut *mut py::PyObject,
    count: py::Py_ssize_t,
    info: &'static TypeInfo,
    object: impl FnOnce(usize) -> Option<ErasedBorrow<'static>>,
) -> Result<Owned, Error> {
    // SAFETY: attached; `count` arguments that are alive: the caller ensures it.
    unsafe {
        let refuse =
            || Error::type_error("only the class that is being made for an enum asks for its members");
        if count != 2 || py::PyType_Check(*arguments) == 0 {
            return Err(refuse());
        }
        let interp = Interp::current()?;
        let class = (*arguments).cast::<py::PyTypeObject>();
        let is_wrapper_class = (*class).tp_is_gc.map(|f| f as usize) == Some(crate::layout::wrapper_marker());
        if !is_wrapper_class || (*class).tp_basicsize < size_of::<Wrapper>() as py::Py_ssize_t {
            return Err(refuse());
        }
        if interp.class_of(info) == interp.base_class() {
            interp.register_class(info, class);
        }
        let number = py::PyLong_AsSsize_t(*arguments.add(1));
        if number == -1 && crate::errors::is_set() {
            return Err(take());
        }
        let object = usize::try_from(number).ok().and_then(object).ok_or_else(refuse)?;
        let member = wrapper::fetch(object)?;
        match member.class() == class {
            true => Ok(member),
            false => Err(refuse()),
        }
    }
}
