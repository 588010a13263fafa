//! Plain structs that are read from a mapping of their fields, or from an object that has such
//! attributes, and given as one of both: what `#[derive(pairbond::Record)]` expands into.
//!
//! The derive implements [`Fields`] on a place for the fields, which [`read_record`] fills for
//! every frontend: a mapping is walked once, of another object each attribute is asked for by name.

use std::borrow::Cow;

use super::from_value::convert_inside;
use super::{AnySource, FromValue, IntoValue, Mismatch, Part, Sink, Source};
use crate::error::Error;
use crate::memory::Gather;
use crate::value::{Any, FrontendValues, with_recursion_guard};

/// A struct that crosses by its fields. Implemented by `#[derive(pairbond::Record)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no record",
    label = "lacks `#[derive(pairbond::Record)]`"
)]
pub trait Record: for<'b> FromValue<'b> {
    /// Its name and fields.
    const INFO: &'static RecordInfo;
}

/// Describes a [`Record`].
#[derive(Debug)]
pub struct RecordInfo {
    /// The name of the struct.
    pub name: &'static str,
    /// Documentation comment; empty when there is none.
    pub doc: &'static str,
    /// The class that is called to give one, `"shop.Config"`; a mapping is given without one.
    pub class: Option<&'static str>,
    /// Whether keys that no field has are left unread.
    pub allows_unknown: bool,
    /// The fields, in the order of the source.
    pub fields: &'static [RecordField],
}

/// A field of a [`Record`].
#[derive(Debug)]
pub struct RecordField {
    /// The key, or the name of the attribute.
    pub name: &'static str,
    /// Documentation comment; empty when there is none.
    pub doc: &'static str,
    /// The Rust type as written.
    pub rust_type: &'static str,
    /// Whether it has no default.
    pub required: bool,
}

/// A place for values that are read by name.
pub trait Fields {
    /// Converts the value of the field with this index, and keeps it.
    ///
    /// # Errors
    /// The value does not convert.
    fn set_field<'b, S: Source<'b>>(&mut self, index: usize, value: S) -> Result<(), Mismatch>;
}

/// Describes the sources of a record, for messages.
#[must_use]
pub fn record_expected(info: &'static RecordInfo) -> Cow<'static, str> {
    Cow::Owned(format!(
        "{} (a dict, or an object with such attributes)",
        info.name
    ))
}

/// Reads the fields of a record.
///
/// # Errors
/// Neither a mapping nor an object with one of the attributes, an unknown key, a field that does
/// not convert, what an attribute raises, or records too deep inside of each other (a `dict` that
/// contains itself).
pub fn read_record<'a, S: Source<'a>, F: Fields>(
    source: S,
    info: &'static RecordInfo,
    fields: &mut F,
) -> Result<(), Mismatch> {
    with_recursion_guard(|| Ok(read_fields(source, info, fields)))?
}

fn read_fields<'a, S: Source<'a>, F: Fields>(
    source: S,
    info: &'static RecordInfo,
    fields: &mut F,
) -> Result<(), Mismatch> {
    let walked = source.read_mapping(|key, value| {
        let Ok(name) = key.read_str() else {
            return Err(Mismatch::Shape(format!(
                "{} has no key {}",
                info.name,
                key.describe()
            )));
        };
        match info.fields.iter().position(|field| field.name == name) {
            Some(index) => fields.set_field(index, value),
            None if info.allows_unknown => Ok(()),
            None => Err(unknown_field(info, name)),
        }
    });
    match walked {
        Err(Mismatch::Type) => {}
        done => return done,
    }
    let names: Vec<&str> = info.fields.iter().map(|field| field.name).collect();
    match source.read_attributes(&names, fields)? {
        0 => Err(Mismatch::Type),
        _ => Ok(()),
    }
}

/// A field's value; errors name it.
///
/// # Errors
/// The value does not convert.
pub fn read_field<'b, T: FromValue<'b>, S: Source<'b>>(
    value: S,
    info: &'static RecordInfo,
    index: usize,
) -> Result<Option<T>, Mismatch> {
    convert_inside(value, || format!(".{}", info.fields[index].name)).map(Some)
}

/// A required field was not there.
#[cold]
#[must_use]
pub fn missing_field(info: &'static RecordInfo, name: &str) -> Mismatch {
    Mismatch::Shape(format!("{} needs '{name}'", info.name))
}

#[cold]
fn unknown_field(info: &RecordInfo, name: &str) -> Mismatch {
    let mut message = format!("{} has no key '{name}'", info.name);
    let near = info
        .fields
        .iter()
        .map(|field| (crate::value::edit_distance(name, field.name), field.name))
        .min()
        .filter(|(distance, _)| *distance <= (name.len() / 3).max(1));
    if let Some((_, near)) = near {
        message.push_str(&format!("; did you mean '{near}'?"));
    }
    Mismatch::Shape(message)
}

/// Gives a record: a mapping, or an instance of its class.
///
/// # Errors
/// A field cannot be given, or what the class raises.
pub fn write_record<S, I, V>(out: S, info: &'static RecordInfo, values: I) -> Result<S::Out, Error>
where
    S: Sink,
    I: Iterator<Item = V>,
    V: IntoValue,
{
    let items = info.fields.iter().map(|field| field.name).zip(values);
    match info.class {
        None => out.write_mapping(items),
        Some(class) => out.write_instance(class, items),
    }
}

/// [`Sink::write_instance`] of sinks that have no better way.
pub(super) fn default_instance<S, I, V>(out: S, class: &str, items: I) -> Result<S::Out, Error>
where
    S: Sink,
    I: Iterator<Item = (&'static str, V)>,
    V: IntoValue,
{
    let items =
        items.map(|(name, value)| Ok::<_, Error>((name, Part::Value(value.into_value(super::AnySink)?))));
    let items = items.gather_ok()?;
    let keywords: Vec<_> = items
        .iter()
        .map(|(name, value)| Part::Keyword(name, value))
        .collect();
    out.write_constructed(class, &keywords)
}

/// [`Source::read_attributes`] of sources that have no better way.
pub(super) fn default_attributes<'a, S: Source<'a>, F: Fields>(
    source: S,
    names: &[&str],
    fields: &mut F,
) -> Result<usize, Mismatch> {
    let Some(frontend) = crate::frontend::attached_frontend() else {
        return Err(Mismatch::Type);
    };
    let (object, mut found) = (source.read_any()?, 0);
    let of_object = |function, name: &str| {
        frontend.construct_value(&Part::Made(
            function,
            &[Part::Value(object.clone()), Part::Value(name.into())],
        ))
    };
    for (index, name) in names.iter().enumerate() {
        if matches!(of_object("builtins.hasattr", name)?, Any::Bool(true)) {
            found += 1;
            fields.set_field(index, AnySource::One(&of_object("builtins.getattr", name)?))?;
        }
    }
    Ok(found)
}
