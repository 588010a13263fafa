//! A Python object in the form of a field.

use pairbond_core::error::Error;
use pairbond_core::memory::try_push;
use pairbond_core::object::Ref;
use pairbond_dynamic::{FieldKind, Later, Storage, Value};
use pairbond_value::convert::{Mismatch, Source};
use pairbond_value::value::{Any, AnyRef, ListBody, MapBody, SetBody, Table, TupleBody};
use pyo3_ffi as py;

use super::plan::{Access, CHECKS, Plan};
use crate::convert::{PySource, short_description};
use crate::errors::take;
use crate::running;
use crate::wrapper;

type Object = *mut py::PyObject;

/// A value for a field, or the error that names class, field, the expected kind and the value.
///
/// # Safety
/// Attached; a living object.
#[inline]
pub(super) unsafe fn convert_field(access: &Access, object: Object) -> Result<Value, Error> {
    // SAFETY: the thread is attached, and the caller keeps the object; singletons are immortal.
    let value = unsafe {
        match access.field.storage() {
            Storage::Float if py::PyFloat_CheckExact(object) != 0 => {
                return Ok(Value::Float(py::PyFloat_AS_DOUBLE(object)));
            }
            Storage::Float => PySource::new(object).read_f64().map(Value::Float),
            Storage::Bool => PySource::new(object).read_bool().map(Value::Bool),
            Storage::Value => convert_any(plan_of(access), access.field.kind(), object).map(Value::Any),
        }
    };
    value.map_err(|mismatch| explain_mismatch(access, object, mismatch))
}

fn plan_of(access: &Access) -> &'static Plan {
    // SAFETY: set before the field is shared, and never freed.
    unsafe { &*access.plan.load(std::sync::atomic::Ordering::Acquire) }
}

#[cold]
fn explain_mismatch(access: &Access, object: Object, mismatch: Mismatch) -> Error {
    mismatch.into_error(
        || format!("{}.{}", access.info.key(), access.field.name()),
        &access.field.kind().name(),
        || short_description(object),
    )
}

/// # Safety
/// Attached; a living object.
unsafe fn convert_any(
    plan: &'static Plan,
    kind: &'static FieldKind,
    object: Object,
) -> Result<Any, Mismatch> {
    // SAFETY: attached; a living object: the caller ensures it. The types are static.
    unsafe {
        let source = PySource::new(object);
        match kind {
            FieldKind::Any => source.read_any(),
            FieldKind::None if source.is_none() => Ok(Any::None),
            FieldKind::None => Err(Mismatch::Type),
            FieldKind::Bool => source.read_bool().map(Any::Bool),
            FieldKind::Int => {
                if let Some(int) = crate::ints::small(object) {
                    return Ok(Any::Int(int as i64));
                }
                if let Ok(bool) = source.read_bool() {
                    return Ok(Any::Bool(bool));
                }
                source.big_int().map(Any::from)
            }
            FieldKind::Int64 => source.read_i64().map(Any::Int),
            FieldKind::Float => source.read_f64().map(Any::Float),
            FieldKind::Str => source.read_str().map(Any::from),
            FieldKind::Bytes => source.read_bytes().map(|bytes| Any::Bytes(bytes.into())),
            FieldKind::Callable => source.read_function().map(Any::Function),
            FieldKind::Object(info) => match wrapper::borrow(object) {
                Some(native) if native.header().info().is_a(info) => {
                    Ok(Any::Object(source.to_owned_ref(native)))
                }
                Some(_) => Err(Mismatch::Type),
                None => source.read_object().and(Err(Mismatch::Type)),
            },
            FieldKind::Opaque(_, number) => {
                check_instance(plan, *number, object)?;
                source.read_any()
            }
            FieldKind::Union(kinds) => convert_union(plan, kinds, object),
            FieldKind::Later(later) => convert_any(plan, find_later(plan, later)?, object),
            container => self::convert_container(plan, container, object),
        }
    }
}

/// As [`convert_any`], of a key: a float that is no number stays the object that it is.
///
/// # Safety
/// Attached; a living object.
unsafe fn any_key(plan: &'static Plan, kind: &'static FieldKind, object: Object) -> Result<Any, Mismatch> {
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        if matches!(kind, FieldKind::Any) && crate::convert::is_nan(object) {
            return PySource::new(object).read_foreign().map(Any::Foreign);
        }
        convert_any(plan, kind, object)
    }
}

fn find_later(plan: &'static Plan, later: &Later) -> Result<&'static FieldKind, Mismatch> {
    if later.number() == usize::MAX {
        return later.resolved_kind().ok_or(Mismatch::Type);
    }
    plan.find(later.number()).map_err(Mismatch::Raised)
}

/// Whether Python takes an object for an instance of what a field demands.
///
/// # Safety
/// Attached; a living object.
unsafe fn check_instance(plan: &'static Plan, number: usize, object: Object) -> Result<(), Mismatch> {
    let checks = plan.owned_object(CHECKS)?;
    // SAFETY: attached; a list that only grows.
    unsafe {
        let class = pyo3_ffi::compat::PyList_GetItemRef(checks.as_ptr(), number as py::Py_ssize_t);
        let class = crate::errors::owned_or_error(class)?;
        if py::Py_TYPE(object).cast() == class.as_ptr() {
            return Ok(());
        }
        match running::PyObject_IsInstance(object, class.as_ptr()) {
            1 => Ok(()),
            0 => Err(Mismatch::Type),
            _ => Err(Mismatch::Raised(take())),
        }
    }
}

/// The first kind that takes the object as it is; otherwise the first that takes it at all.
///
/// # Safety
/// Attached; a living object.
unsafe fn convert_union(
    plan: &'static Plan,
    kinds: &'static [FieldKind],
    object: Object,
) -> Result<Any, Mismatch> {
    let (mut inside, mut unknown) = (None, None);
    for exactly in [true, false] {
        for kind in kinds {
            // SAFETY: attached; a living object: the caller ensures it.
            if exactly != unsafe { is_exactly(kind, object) } {
                continue;
            }
            // SAFETY: attached; a living object: the caller ensures it.
            match unsafe { convert_any(plan, kind, object) } {
                Ok(value) => return Ok(value),
                // A name that is not known yet may be another's business.
                Err(Mismatch::Raised(error)) if matches!(kind, FieldKind::Later(_)) => {
                    unknown = unknown.or(Some(error));
                }
                Err(raised @ Mismatch::Raised(_)) => return Err(raised),
                Err(Mismatch::Type) => {}
                Err(other) => inside = inside.or(Some(other)),
            }
        }
    }
    Err(match (inside, unknown) {
        (Some(inside), _) => inside,
        (None, Some(error)) => Mismatch::Raised(error),
        (None, None) => Mismatch::Type,
    })
}

/// Whether a kind is the one that is made for an object, which nothing has to be converted for.
///
/// # Safety
/// Attached; a living object.
unsafe fn is_exactly(kind: &FieldKind, object: Object) -> bool {
    // SAFETY: attached; a living object: the caller ensures it. The types are static.
    unsafe {
        match kind {
            FieldKind::None => object == py::Py_None(),
            FieldKind::Bool => py::PyBool_Check(object) != 0,
            FieldKind::Int | FieldKind::Int64 => {
                py::PyLong_Check(object) != 0 && py::PyBool_Check(object) == 0
            }
            FieldKind::Float => py::PyFloat_Check(object) != 0,
            FieldKind::Str => py::PyUnicode_CheckExact(object) != 0,
            FieldKind::Bytes => py::PyBytes_CheckExact(object) != 0,
            FieldKind::List(_) => py::PyList_Check(object) != 0 || wrapper::is_wrapper(object),
            FieldKind::Set(_) => py::PyAnySet_Check(object) != 0 || wrapper::is_wrapper(object),
            FieldKind::Map(..) => py::PyDict_Check(object) != 0 || wrapper::is_wrapper(object),
            FieldKind::Tuple(_) | FieldKind::Fixed(_) => {
                py::PyTuple_Check(object) != 0 || wrapper::is_wrapper(object)
            }
            FieldKind::Object(_) => wrapper::is_wrapper(object),
            FieldKind::Opaque(..) | FieldKind::Callable => true,
            FieldKind::Later(_) => object != py::Py_None(),
            _ => false,
        }
    }
}

/// A native container of the same elements is stored as it is; Python's own is copied, if its
/// elements fit.
///
/// # Safety
/// Attached; a living object.
unsafe fn convert_container(
    plan: &'static Plan,
    kind: &'static FieldKind,
    object: Object,
) -> Result<Any, Mismatch> {
    // SAFETY: attached; a living object: the caller ensures it.
    unsafe {
        let source = PySource::new(object);
        if let Some(native) = wrapper::borrow(object) {
            let value = Any::Object(source.to_owned_ref(native));
            return if kind.is_stored_form(&value) {
                Ok(value)
            } else {
                Err(Mismatch::Type)
            };
        }
        let body = match kind {
            FieldKind::List(of) if py::PyList_Check(object) != 0 => {
                let items = convert_elements(plan, source, |_| Some(of))?;
                Ref::try_new(ListBody::with_field_kind(of, items))?.into_erased()
            }
            FieldKind::Tuple(of) if py::PyTuple_Check(object) != 0 => {
                let items = convert_elements(plan, source, |_| Some(of))?;
                Ref::try_new(TupleBody::with_field_kind(of, items))?.into_erased()
            }
            FieldKind::Fixed(kinds) if py::PyTuple_Check(object) != 0 => {
                if py::PyTuple_GET_SIZE(object) as usize != kinds.len() {
                    return Err(Mismatch::Type);
                }
                let items = convert_elements(plan, source, |at| kinds.get(at))?;
                Ref::try_new(TupleBody::of_anything(items))?.into_erased()
            }
            FieldKind::Set(of) if py::PyAnySet_Check(object) != 0 => {
                let set = SetBody::with_field_kind(of, Table::default());
                for item in convert_elements_by(plan, source, |_| Some(of), any_key)? {
                    set.insert(AnyRef::from(&item).hash()?, item)?;
                }
                Ref::try_new(set)?.into_erased()
            }
            FieldKind::Map(keys, values) if py::PyDict_Check(object) != 0 => {
                let map = MapBody::with_field_kinds(keys, values, Table::default());
                source.read_mapping(|key, value| {
                    let at = |what: &str| format!("[{}]{what}", short_description(key.as_ptr()));
                    let value = convert_any(plan, values, value.as_ptr())
                        .map_err(|mismatch| mismatch_inside(at(""), values, value, mismatch))?;
                    let key = any_key(plan, keys, key.as_ptr())
                        .map_err(|mismatch| mismatch_inside(at(" (key)"), keys, key, mismatch))?;
                    map.insert(AnyRef::from(&key).hash()?, key, value)?;
                    Ok(())
                })?;
                Ref::try_new(map)?.into_erased()
            }
            _ => return Err(Mismatch::Type),
        };
        Ok(Any::Object(body))
    }
}

fn mismatch_inside(at: String, kind: &FieldKind, source: PySource<'_>, mismatch: Mismatch) -> Mismatch {
    match mismatch {
        raised @ Mismatch::Raised(_) => raised,
        other => Mismatch::Inside(Box::new((at, kind.name(), source.describe(), other))),
    }
}

/// The thread is attached.
fn convert_elements(
    plan: &'static Plan,
    source: PySource<'_>,
    kind: impl Fn(usize) -> Option<&'static FieldKind>,
) -> Result<Vec<Any>, Mismatch> {
    // SAFETY: the thread is attached, and the source keeps its object.
    unsafe { convert_elements_by(plan, source, kind, convert_any) }
}

/// As [`convert_elements`], by another conversion than [`convert_any`].
///
/// # Safety
/// Attached; the source's object is alive.
unsafe fn convert_elements_by(
    plan: &'static Plan,
    source: PySource<'_>,
    kind: impl Fn(usize) -> Option<&'static FieldKind>,
    convert: unsafe fn(&'static Plan, &'static FieldKind, Object) -> Result<Any, Mismatch>,
) -> Result<Vec<Any>, Mismatch> {
    let mut items = Vec::new();
    source.read_sequence(|at, item| {
        let kind = kind(at).ok_or(Mismatch::Type)?;
        // SAFETY: an element is alive while this runs.
        let value = unsafe { convert(plan, kind, item.as_ptr()) };
        let value = value.map_err(|mismatch| mismatch_inside(format!("[{at}]"), kind, item, mismatch))?;
        try_push(&mut items, value).map_err(Error::from)?;
        Ok(())
    })?;
    Ok(items)
}

/// An empty container.
pub(super) fn empty_container(kind: &'static FieldKind) -> Result<Any, Error> {
    Ok(Any::Object(match kind {
        FieldKind::List(of) => Ref::try_new(ListBody::with_field_kind(of, Vec::new()))?.into_erased(),
        FieldKind::Set(of) => Ref::try_new(SetBody::with_field_kind(of, Table::default()))?.into_erased(),
        FieldKind::Map(keys, values) => {
            Ref::try_new(MapBody::with_field_kinds(keys, values, Table::default()))?.into_erased()
        }
        _ => return Err(Error::runtime_error("not a container")),
    }))
}
