//! The kind of values that a field takes, read from its Python description: nested tuples that
//! begin with a word.

use pairbond_core::error::Error;
use pairbond_core::types::TypeInfo;
use pairbond_dynamic::{FieldKind, Later};
use pyo3_ffi as py;

use super::plan;
use crate::errors::text_of;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper;

fn wrong_kind(what: &str) -> Error {
    Error::type_error(format!("not a description of a field: {what}"))
}

/// The items of a tuple.
pub(super) fn tuple_items(tuple: &Owned) -> Result<Vec<Owned>, Error> {
    tuple
        .tuple_items()
        .ok_or_else(|| wrong_kind("a tuple is missing"))
}

pub(super) fn spec_text(object: &Owned) -> Result<String, Error> {
    if !object.is_text() {
        return Err(wrong_kind("a string is missing"));
    }
    text_of(object).ok_or_else(|| wrong_kind("a string that is no UTF-8"))
}

pub(super) fn number_of(object: &Owned) -> Result<usize, Error> {
    // SAFETY: attached; a living object.
    let number = unsafe { py::PyLong_AsSsize_t(object.as_ptr()) };
    if number == -1 && crate::errors::is_set() {
        return Err(crate::errors::take());
    }
    usize::try_from(number).map_err(|_| wrong_kind("a negative number"))
}

/// # Errors
/// It is not such a tuple.
pub(super) fn parse_kind(spec: &Owned) -> Result<FieldKind, Error> {
    let items = tuple_items(spec)?;
    let at = |index: usize| items.get(index).ok_or_else(|| wrong_kind("too short"));
    let kind = |index: usize| parse_kind(at(index)?).map(Box::new);
    let kinds = |index: usize| -> Result<Vec<FieldKind>, Error> {
        self::tuple_items(at(index)?)?.iter().map(parse_kind).collect()
    };
    Ok(match spec_text(at(0)?)?.as_str() {
        "any" => FieldKind::Any,
        "none" => FieldKind::None,
        "bool" => FieldKind::Bool,
        "int" => FieldKind::Int,
        "int64" => FieldKind::Int64,
        "float" => FieldKind::Float,
        "str" => FieldKind::Str,
        "bytes" => FieldKind::Bytes,
        "callable" => FieldKind::Callable,
        "object" => FieldKind::Object(of_class(at(1)?)?),
        "list" => FieldKind::List(kind(1)?),
        "set" => FieldKind::Set(kind(1)?),
        "map" => FieldKind::Map(kind(1)?, kind(2)?),
        "tuple" => FieldKind::Tuple(kind(1)?),
        "fixed" => FieldKind::Fixed(kinds(1)?),
        "union" => FieldKind::Union(kinds(1)?),
        "opaque" => FieldKind::Opaque(spec_text(at(1)?)?, number_of(at(2)?)?),
        "later" => FieldKind::Later(Later::new(spec_text(at(1)?)?, number_of(at(2)?)?)),
        "own" => FieldKind::Later(Later::own_type(spec_text(at(1)?)?)),
        other => return Err(wrong_kind(other)),
    })
}

/// The native type of a class that a library made, or that was defined in Python.
pub(super) fn of_class(class: &Owned) -> Result<&'static TypeInfo, Error> {
    // SAFETY: attached; a living object.
    unsafe {
        let class = class.as_ptr().cast::<py::PyTypeObject>();
        if py::PyType_Check(class.cast()) != 0
            && let Some(info) = native_type(class)?
        {
            return Ok(info);
        }
    }
    Err(wrong_kind("not a native class"))
}

/// The native type of exactly this class; `None` for classes of Python's, or that merely extend a
/// native one.
///
/// # Safety
/// Attached; a living class.
pub(super) unsafe fn native_type(class: *mut py::PyTypeObject) -> Result<Option<&'static TypeInfo>, Error> {
    let interp = Interp::current()?;
    // SAFETY: attached; a living class: the caller ensures it.
    if !unsafe { wrapper::is_exact(class) } {
        return Ok(None);
    }
    // SAFETY: attached; a living class: the caller ensures it.
    if let Some(plan) = unsafe { plan::of_class(class) } {
        return Ok(Some(plan.info));
    }
    // A type without a class of its own has that of its nearest ancestor.
    let own = |info: &&'static TypeInfo| {
        interp.class_of(info) == class && info.base().is_none_or(|base| interp.class_of(base) != class)
    };
    Ok(pairbond_core::runtime::registered_types().into_iter().find(own))
}
