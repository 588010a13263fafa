//! A schema matched with this process: the registered type, and where the data of each of its
//! fields is.

use super::graph::Schema;
use pairbond_core::error::Error;
use pairbond_core::object::Object;
use pairbond_core::runtime;
use pairbond_core::types::{FieldDefault, FieldInfo, TypeInfo};
use pairbond_dynamic::{Field, Table};
use pairbond_tree::TreeTable;
use pairbond_value::carry::{CarryTable, Kinds, show_field_kinds, show_kinds};
use pairbond_value::value::{
    Any, ArrayBody, Bytes, Foreign, FrozenMapBody, Function, Kind, ListBody, MapBody, SetBody, Str, TupleBody,
};

/// How objects of a schema are made.
pub(super) enum Plan {
    List(Kind),
    Tuple(Kind),
    Set(Kind),
    Map(Kind, Kind),
    FrozenMap(Kind, Kind),
    Array,
    /// By functions of the type.
    Hooks(&'static TypeInfo),
    Fields(ByFields),
}

impl Plan {
    pub(super) fn lacking_fields(&self) -> &[usize] {
        match self {
            Plan::Fields(plan) => &plan.lacking,
            _ => &[],
        }
    }
}

pub(super) struct ByFields {
    pub(super) info: &'static TypeInfo,
    pub(super) slots: Vec<Slot>,
    /// Whether the data has exactly the fields, in their order.
    pub(super) straight: bool,
    /// The values of a node.
    pub(super) values: usize,
    /// Fields that the data lacks and whose default only the frontend knows: their numbers in the
    /// type's table.
    pub(super) lacking: Vec<usize>,
}

pub(super) struct Slot {
    pub(super) field: &'static FieldInfo,
    pub(super) from: Origin,
}

#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// The data's value of that number.
    Data(usize, CarryTable),
    Default(FieldDefault),
    /// The place of a node in a tree, which is no part of data: it follows from the owner.
    Links,
}

/// All fields of a type, its bases' first; not those that are the bases themselves.
pub(super) fn all_fields(info: &'static TypeInfo) -> Vec<&'static FieldInfo> {
    let mut all = match info.base() {
        Some(base) => all_fields(base),
        None => Vec::new(),
    };
    all.extend(info.fields().iter().filter(|field| !field.is_base()));
    all
}

/// Whether a field is the place of a node in its tree.
pub(super) fn is_links(info: &TypeInfo, field: &FieldInfo) -> bool {
    TreeTable::of_node(info.node().copied()).is_some_and(|tree| tree.links == field.offset)
}

/// Whether the values of a field are in data.
pub(super) fn is_carried(info: &TypeInfo, field: &FieldInfo) -> bool {
    !field.is_transient() && !is_links(info, field)
}

/// Returns the names of fields in data: a type may have a field with the name of one of its base's.
pub(super) fn names_in_data(fields: &[&'static FieldInfo]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(fields.len());
    for field in fields {
        let mut name = field.name.to_owned();
        while names.contains(&name) {
            name.push('\'');
        }
        names.push(name);
    }
    names
}

#[cold]
pub(super) fn cannot_carry(info: &TypeInfo, field: &FieldInfo) -> Error {
    Error::type_error(format!(
        "cannot take {} objects apart, to copy or write them: the type of the field `{}`, {}, does not say how (it does not implement Carry)",
        info.key(),
        field.name,
        field.rust_type
    ))
}

pub(super) fn plan_of(schema: &Schema) -> Result<Plan, Error> {
    let key = &*schema.key;
    let info = runtime::find_type(key).or_else(|| built_in(key)).ok_or_else(|| {
        Error::type_error(format!(
            "the data has objects of type {key:?}, which nobody in this process has registered: import the module that defines it"
        ))
    })?;
    if schema.version > info.version() {
        return Err(Error::value_error(format!(
            "the data has {key} objects of version {}, and this process knows version {}",
            schema.version,
            info.version()
        )));
    }
    let kinds = schema
        .kinds
        .iter()
        .map(|id| {
            find_kind(id).ok_or_else(|| {
                Error::type_error(format!(
                    "the data has a {key} of {id}, and no type in this process holds such"
                ))
            })
        })
        .collect::<Result<Vec<Kind>, Error>>()?;
    let is = |other: &TypeInfo| std::ptr::eq(info, other);
    Ok(match *kinds {
        [kind] if is(ListBody::info()) => Plan::List(kind),
        [kind] if is(TupleBody::info()) => Plan::Tuple(kind),
        [kind] if is(SetBody::info()) => Plan::Set(kind),
        [keys, values] if is(MapBody::info()) => Plan::Map(keys, values),
        [keys, values] if is(FrozenMapBody::info()) => Plan::FrozenMap(keys, values),
        [] if is(ArrayBody::info()) => Plan::Array,
        [] if info.carrying().is_by_fields() => Plan::Fields(by_fields(info, schema)?),
        [] if !info.carrying().is_opaque() => Plan::Hooks(info),
        [] => {
            return Err(Error::type_error(format!(
                "objects of type {key:?} cannot be made from data"
            )));
        }
        _ => {
            return Err(Error::value_error(format!(
                "the data is damaged: {key} holds nothing of that kind"
            )));
        }
    })
}

/// The types of this library are registered when the first object is made.
fn built_in(key: &str) -> Option<&'static TypeInfo> {
    macro_rules! among {
        ($($t:ty),*) => {
            match key {
                $(<$t>::KEY => Some(<$t>::info()),)*
                _ => None,
            }
        };
    }
    among!(ListBody, TupleBody, SetBody, MapBody, FrozenMapBody, ArrayBody)
}

fn by_fields(info: &'static TypeInfo, schema: &Schema) -> Result<ByFields, Error> {
    let all = all_fields(info);
    // Transient fields are not in data, so they do not take part in naming.
    let carried: Vec<_> = all
        .iter()
        .copied()
        .filter(|field| is_carried(info, field))
        .collect();
    let names = names_in_data(&carried);
    let mut named = carried.iter().copied().zip(&names);
    if let Some(unknown) = schema.fields.iter().find(|name| !names.contains(name)) {
        return Err(Error::value_error(format!(
            "the data (version {}) has a field `{unknown}` of {}, which has no such field (version {})",
            schema.version,
            info.key(),
            info.version()
        )));
    }
    let mut slots = Vec::with_capacity(all.len());
    for field in &all {
        if is_links(info, field) {
            let from = Origin::Links;
            slots.push(Slot { field, from });
            continue;
        }
        let name = if field.is_transient() {
            None
        } else {
            named.next().map(|(_, name)| name)
        };
        let at = name.and_then(|name| schema.fields.iter().position(|other| other == name));
        let from = match (at, field.carry, field.default) {
            (Some(at), Some(table), _) => Origin::Data(at, table),
            (Some(_), None, _) => return Err(cannot_carry(info, field)),
            (None, _, Some(default)) => Origin::Default(default),
            (None, _, None) => {
                return Err(Error::value_error(format!(
                    "the data (version {}) lacks the field `{}` of {} (version {}), which has no default",
                    schema.version,
                    field.name,
                    info.key(),
                    info.version()
                )));
            }
        };
        slots.push(Slot { field, from });
    }
    let in_order = slots.iter().filter_map(|slot| match slot.from {
        Origin::Data(at, _) => Some(at),
        Origin::Default(_) | Origin::Links => None,
    });
    let lacking = match info.table() {
        Some(table) => fields_lacking(table, &slots),
        None => Vec::new(),
    };
    Ok(ByFields {
        info,
        straight: in_order.eq(0..schema.fields.len()),
        slots,
        values: schema.fields.len(),
        lacking,
    })
}

fn fields_lacking(table: &Table, slots: &[Slot]) -> Vec<usize> {
    let is_lacking = |field: &Field| {
        let from = slots.iter().find(|slot| slot.field.offset == field.offset());
        field.default().is_none() && from.is_some_and(|slot| matches!(slot.from, Origin::Default(_)))
    };
    let fields = table.fields().iter().enumerate();
    fields
        .filter(|(_, field)| is_lacking(field))
        .map(|(number, _)| number)
        .collect()
}

/// Finds a kind of elements by its id, among the built-in ones and those in fields of registered
/// types.
fn find_kind(id: &str) -> Option<Kind> {
    let mut kinds = Kinds::search_for(id);
    kinds.visit_element::<Any>();
    kinds.visit_element::<Option<i64>>();
    kinds.visit_element::<Option<f64>>();
    kinds.visit_element::<Option<bool>>();
    kinds.visit_element::<Option<Str>>();
    kinds.visit_element::<Option<Bytes>>();
    kinds.visit_element::<Option<Function>>();
    kinds.visit_element::<Option<Foreign>>();
    if kinds.found_kind().is_none() {
        for info in runtime::registered_types() {
            show_kinds(info.carrying(), &mut kinds);
            for field in info.fields() {
                if let Some(table) = field.carry {
                    show_field_kinds(&table, &mut kinds);
                }
                if let Some(dynamic) = field.description::<Field>() {
                    dynamic.kind().visit_kinds(&mut kinds);
                }
            }
            if kinds.found_kind().is_some() {
                break;
            }
        }
    }
    kinds.found_kind()
}
