//! Values of classes of Python's library, by name: their attributes, and calls of their classes.

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::Gather;
use pairbond_value::convert::record::Fields;
use pairbond_value::convert::{IntoValue, Mismatch, Part, Sink, Source};
use pairbond_value::value::Any;
use pyo3_ffi as py;

use super::text::from_shared_text;
use super::{PySink, PySource};
use crate::errors::owned_or_error;
use crate::ffi::PyImport_GetModule;
use crate::owned::Owned;
use crate::running;

/// Attributes of an instance of a class; for methods their results.
pub(crate) fn read_parts(
    object: *mut py::PyObject,
    class: &str,
    names: &[&str],
) -> Result<Vec<Any>, Mismatch> {
    let class = named_object(class)?;
    // SAFETY: attached; living objects, the second of which was found to be a class.
    let is = unsafe {
        py::PyType_Check(class.as_ptr()) != 0
            && py::PyType_IsSubtype(py::Py_TYPE(object), class.as_ptr().cast()) != 0
    };
    if !is {
        return Err(Mismatch::Type);
    }
    names.iter().map(|name| read_part(object, name)).collect()
}

fn read_part(object: *mut py::PyObject, name: &str) -> Result<Any, Mismatch> {
    let (name, is_method) = name.strip_suffix("()").map_or((name, false), |name| (name, true));
    let mut value = get_attribute(object, name)?;
    if is_method {
        value = value.call0()?;
    }
    // SAFETY: attached; alive while it is read.
    unsafe { PySource::new(value.as_ptr()) }.read_any()
}

fn get_attribute(object: *mut py::PyObject, name: &str) -> Result<Owned, Error> {
    let name = from_shared_text(name)?;
    // SAFETY: attached; living objects; a new reference or null.
    unsafe { owned_or_error(running::PyObject_GetAttr(object, name.as_ptr())) }
}

/// Returns an attribute of a module: `datetime.timezone.utc`. A colon stands behind a module whose
/// name has a point: `os.path:sep`.
///
/// `sys.modules` of the calling interpreter is looked into at each call, and nothing is kept: a
/// program may put another class into the place of one. A module that is not there yet, or whose
/// import is under way in another thread, is imported.
fn named_object(path: &str) -> Result<Owned, Error> {
    let (module, names) = path
        .split_once(':')
        .or_else(|| path.split_once('.'))
        .unwrap_or((path, ""));
    let module = from_shared_text(module)?;
    // SAFETY: attached; a living object; a new reference, or null with or without an exception.
    let imported = unsafe { Owned::from_new(PyImport_GetModule(module.as_ptr())) };
    if let Some(found) = imported.and_then(|it| get_member(it, names).ok()) {
        return Ok(found);
    }
    // The lookup is repeated below.
    crate::errors::clear();
    // SAFETY: attached; a living object; a new reference or null.
    let module = unsafe { owned_or_error(running::PyImport_Import(module.as_ptr())) }?;
    get_member(module, names)
}

/// Returns an attribute of an attribute …, by names between points.
fn get_member(object: Owned, names: &str) -> Result<Owned, Error> {
    names
        .split('.')
        .filter(|name| !name.is_empty())
        .try_fold(object, |object, name| get_attribute(object.as_ptr(), name))
}

/// Reads the attributes with these names, as far as there are such, and returns how many.
pub(super) fn read_attributes<F: Fields>(
    object: *mut py::PyObject,
    names: &[&str],
    fields: &mut F,
) -> Result<usize, Mismatch> {
    let mut found = 0;
    for (index, name) in names.iter().enumerate() {
        let name = from_shared_text(name)?;
        // SAFETY: attached; living objects; a new reference or null.
        let value = unsafe { Owned::from_new(running::PyObject_GetAttr(object, name.as_ptr())) };
        let Some(value) = value else {
            if !crate::errors::is_of_kind(&ErrorKind::Attribute) {
                return Err(Mismatch::Raised(crate::errors::take()));
            }
            crate::errors::clear();
            continue;
        };
        found += 1;
        // SAFETY: attached; alive while it is read.
        fields.set_field(index, unsafe { PySource::new(value.as_ptr()) })?;
    }
    Ok(found)
}

/// Makes a value.
pub(crate) fn make_part(part: &Part<'_>) -> Result<Owned, Error> {
    match part {
        Part::Value(value) => PySink.write_any(value),
        Part::Named(path) => named_object(path),
        Part::Made(class, arguments) => call_class(class, arguments),
        Part::Keyword(_, part) => make_part(part),
    }
}

/// Calls a class.
pub(crate) fn call_class(class: &str, arguments: &[Part<'_>]) -> Result<Owned, Error> {
    let class = named_object(class)?;
    let values = arguments.iter().map(make_part).gather_ok()?;
    let all = values.iter().map(Owned::as_ptr).gather();
    let keywords = arguments.iter().filter_map(|it| match it {
        Part::Keyword(name, _) => Some(Any::from(*name)),
        _ => None,
    });
    let keywords: Vec<Any> = keywords.collect();
    let names = match keywords.len() {
        0 => None,
        len => Some(PySink.write_tuple(len, &mut |i, slot| slot.write_any(&keywords[i]))?),
    };
    let names = names.as_ref().map_or(std::ptr::null_mut(), Owned::as_ptr);
    // SAFETY: attached; living objects, as many as the count and the names say; a new reference or
    // null.
    unsafe {
        owned_or_error(running::PyObject_Vectorcall(
            class.as_ptr(),
            all.as_ptr(),
            all.len() - keywords.len(),
            names,
        ))
    }
}

/// Calls a class with arguments that all have names.
pub(super) fn new_instance<V: IntoValue>(
    class: &str,
    items: impl Iterator<Item = (&'static str, V)>,
) -> Result<Owned, Error> {
    let (class, keywords) = (named_object(class)?, super::sink::make_dict(items)?);
    // SAFETY: attached; an empty tuple, and living objects; a new reference or null.
    unsafe {
        let nothing = owned_or_error(py::PyTuple_New(0))?;
        owned_or_error(running::PyObject_Call(
            class.as_ptr(),
            nothing.as_ptr(),
            keywords.as_ptr(),
        ))
    }
}
