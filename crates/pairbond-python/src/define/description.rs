//! Reading the Python description of a class: its fields, and the parts of the [`Plan`].

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::Arc;

use pairbond_core::error::Error;
use pairbond_core::types::TypeInfo;
use pairbond_dynamic::{FieldDescription, FieldKind};
use pyo3_ffi as py;

use super::field_kinds;
use super::plan::{self, Default, Object, Objects, Param, Plan, Target};
use crate::errors::owned_or_error;
use crate::owned::Owned;

/// The Python description, by name.
pub(super) struct Description(pub(super) Owned);

impl Description {
    pub(super) fn get(&self, name: &CStr) -> Result<Owned, Error> {
        // SAFETY: attached; a living object.
        unsafe { owned_or_error(py::PyMapping_GetItemString(self.0.as_ptr(), name.as_ptr())) }
    }
    pub(super) fn text(&self, name: &CStr) -> Result<String, Error> {
        field_kinds::spec_text(&self.get(name)?)
    }
    fn number(&self, name: &CStr) -> Result<usize, Error> {
        field_kinds::number_of(&self.get(name)?)
    }
    pub(super) fn truth(&self, name: &CStr) -> Result<bool, Error> {
        self.get(name)?.is_true()
    }
    pub(super) fn items(&self, name: &CStr) -> Result<Vec<Owned>, Error> {
        field_kinds::tuple_items(&self.get(name)?)
    }
}

/// `(name, doc, kind, settable)`
pub(super) fn read_field(field: &Owned) -> Result<FieldDescription, Error> {
    let [name, doc, kind, settable] = &field_kinds::tuple_items(field)?[..] else {
        return Err(Error::type_error("a field is a name, a text, a kind and a bool"));
    };
    Ok(FieldDescription {
        name: field_kinds::spec_text(name)?,
        doc: field_kinds::spec_text(doc)?,
        kind: field_kinds::parse_kind(kind)?,
        settable: settable.is_true()?,
        default: None,
    })
}

/// `(name, is it for __post_init__ only, how the default is given, default)`
struct ParamDescription {
    name: Owned,
    post_init: bool,
    how: String,
    default: Owned,
}

fn read_parameter(description: &Owned) -> Result<ParamDescription, Error> {
    let [name, post_init, how, default] = &field_kinds::tuple_items(description)?[..] else {
        return Err(Error::type_error(
            "a parameter is a name, a bool, a text and a default",
        ));
    };
    Ok(ParamDescription {
        name: name.clone(),
        post_init: post_init.is_true()?,
        how: field_kinds::spec_text(how)?,
        default: default.clone(),
    })
}

/// The plan of a class whose type is registered.
///
/// # Safety
/// Attached; a living class.
pub(super) unsafe fn make_plan(
    description: &Description,
    class: *mut py::PyTypeObject,
    info: &'static TypeInfo,
) -> Result<Arc<Plan>, Error> {
    let table = info
        .table()
        .ok_or_else(|| Error::type_error("not a type that was made at run time"))?;
    let mut objects = Objects::new(
        description.get(c"checks")?,
        description.get(c"resolver")?,
        description.get(c"missing")?,
        crate::convert::intern_text(c"__post_init__")?,
    );
    // SAFETY: attached; a living class.
    let base = unsafe { plan::deciding_owned((*class).tp_base) };
    let numbers: HashMap<&str, usize> = table
        .fields()
        .iter()
        .enumerate()
        .map(|(i, f)| (f.name(), i))
        .collect();
    let mut default_of = |param: &ParamDescription, field: Option<usize>| -> Result<Default, Error> {
        Ok(match param.how.as_str() {
            "required" | "base" => Default::Required,
            "base with default" => Default::Theirs,
            "value" => Default::Object(objects.add(param.default.clone())),
            "factory" => match field.map(|number| table.fields()[number].kind()) {
                Some(kind) if makes_empty(&param.default, kind) => Default::Empty(kind),
                _ => Default::Factory(objects.add(param.default.clone())),
            },
            other => return Err(Error::type_error(format!("not a kind of default: {other}"))),
        })
    };
    let number_of = |name: &Owned| -> Result<usize, Error> {
        let name = field_kinds::spec_text(name)?;
        let number = numbers.get(name.as_str()).copied();
        number.ok_or_else(|| Error::type_error(format!("{}: no field {name}", info.key())))
    };
    let mut params = Vec::new();
    let mut names = Vec::new();
    for description in description.items(c"params")? {
        let param = read_parameter(&description)?;
        let base = param.how == "base" || param.how == "base with default";
        let number = match param.post_init || base {
            true => None,
            false => Some(number_of(&param.name)?),
        };
        let default = default_of(&param, number)?;
        let to = match number {
            Some(number) => Target::Field(number),
            None if base => Target::Base,
            None => Target::PostInit,
        };
        names.push(param.name.clone());
        params.push((to, default));
    }
    let mut fixed = Vec::new();
    for description in description.items(c"fixed")? {
        let param = read_parameter(&description)?;
        let number = number_of(&param.name)?;
        fixed.push((number, default_of(&param, Some(number))?));
    }
    let params = params
        .into_iter()
        .zip(names)
        .map(|((to, default), name)| {
            Ok(Param {
                text: field_kinds::spec_text(&name)?,
                name: intern_name(name, &mut objects),
                to,
                default,
            })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(Plan::new(
        info,
        table,
        base,
        params,
        description.number(c"positional")?,
        fixed,
        description.truth(c"post_init")?,
        description.number(c"laters")?,
        objects,
    ))
}

fn intern_name(name: Owned, objects: &mut Objects) -> Object {
    let mut name = name.into_ptr();
    // SAFETY: attached; a string, and a counted reference that is given away and comes back.
    let name = unsafe {
        py::PyUnicode_InternInPlace(&mut name);
        Owned::from_new(name).expect("a string")
    };
    objects.add(name)
}

/// Whether a factory is Python's own for what the field holds natively.
fn makes_empty(factory: &Owned, kind: &FieldKind) -> bool {
    let (list, set, dict) = (
        (&raw mut py::PyList_Type).cast::<py::PyObject>(),
        (&raw mut py::PySet_Type).cast::<py::PyObject>(),
        (&raw mut py::PyDict_Type).cast::<py::PyObject>(),
    );
    match kind {
        FieldKind::List(_) => factory.as_ptr() == list,
        FieldKind::Set(_) => factory.as_ptr() == set,
        FieldKind::Map(..) => factory.as_ptr() == dict,
        _ => false,
    }
}
