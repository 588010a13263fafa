//! [`Builder`]: from a description to a registered type.

use super::compare::field_equality;
use super::field::{Field, Storage};
use super::table::{Table, functions_of_align, trace_of};
use super::{FieldKind, Later};
use pairbond_core::error::Error;
use pairbond_core::object::Object;
use pairbond_core::runtime::find_type;
use pairbond_core::types::{
    Attribute, DynamicType, FieldFlags, FieldInfo, Members, Opaque, RegisterError, TypeInfo, enter_type,
};
use pairbond_value::value::Any;

/// The description of one field.
#[derive(Debug)]
pub struct FieldDescription {
    /// The name.
    pub name: String,
    /// Documentation; may be empty.
    pub doc: String,
    /// Its kind of value.
    pub kind: FieldKind,
    /// Whether it can be assigned after the object was made.
    pub settable: bool,
    /// Its value when none is given. Must lead to no object of a frontend: the type outlives them.
    pub default: Option<Any>,
}

/// A type in the making.
///
/// ```
/// use pairbond_dynamic::{Builder, DynamicFields, FieldKind, MakeObject};
/// # fn main() -> Result<(), pairbond_core::error::Error> {
/// let info = Builder::new("doc.Circle")
///     .field("radius", FieldKind::Float)
///     .field("label", FieldKind::Str)
///     .register()?;
/// let circle = info.make_object(&[("radius", 2.0.into()), ("label", "unit".into())])?;
/// circle.as_borrow().set_field("radius", 3.into())?;
/// assert_eq!(circle.as_borrow().field("radius")?.as_f64(), Some(3.0));
/// assert!(circle.as_borrow().set_field("radius", "three".into()).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Builder {
    key: String,
    doc: String,
    base: &'static TypeInfo,
    attributes: bool,
    fields: Vec<FieldDescription>,
    equality: Option<(Vec<String>, bool)>,
}

impl Builder {
    /// A type without fields that extends nothing.
    pub fn new(key: impl Into<String>) -> Self {
        Builder {
            key: key.into(),
            doc: String::new(),
            base: pairbond_core::object::Root::info(),
            attributes: false,
            fields: Vec::new(),
            equality: None,
        }
    }

    /// The type that it extends: a Rust type, or another one made at run time.
    #[must_use]
    pub fn extends(mut self, base: &'static TypeInfo) -> Self {
        self.base = base;
        self
    }

    /// Documentation.
    #[must_use]
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.doc = doc.into();
        self
    }

    /// Wrappers have attributes of their own, which may refer to anything.
    #[must_use]
    pub fn with_attributes(mut self, yes: bool) -> Self {
        self.attributes = yes;
        self
    }

    /// Objects that are keys are compared by these fields (and, if `hashed`, found by them) and not
    /// by identity.
    #[must_use]
    pub fn compared_by(mut self, names: Vec<String>, hashed: bool) -> Self {
        self.equality = Some((names, hashed));
        self
    }

    /// Another field, which can be assigned.
    #[must_use]
    pub fn field(self, name: impl Into<String>, kind: FieldKind) -> Self {
        self.described(FieldDescription {
            name: name.into(),
            doc: String::new(),
            kind,
            settable: true,
            default: None,
        })
    }

    /// Another field.
    #[must_use]
    pub fn described(mut self, field: FieldDescription) -> Self {
        self.fields.push(field);
        self
    }

    /// Registers the type; or finds the one that was registered under the same key before, if it is
    /// the same.
    ///
    /// # Errors
    /// `TypeError`: the key is another type's, or the base cannot be extended.
    pub fn register(self) -> Result<&'static TypeInfo, Error> {
        let (base, key) = (self.base, self.key);
        if base.has_items() {
            return Err(Error::type_error(format!(
                "{key}: {} cannot be extended",
                base.key()
            )));
        }
        let mut lasting = format!("{} attributes {}", base.key(), self.attributes);
        for described in &self.fields {
            let storage = Storage::for_kind(&described.kind);
            let frozen = if described.settable { "" } else { " frozen" };
            let kind = described.kind.stable_name();
            lasting.push_str(&format!("; {}: {kind} {storage:?}{frozen}", described.name));
        }
        // Nothing is left behind of a definition that is not needed. (Of one that another thread is
        // faster with, its description.)
        if let Some(known) = find_type(&key) {
            if known.has_fingerprint(TypeInfo::dynamic_fingerprint(&lasting, base)) {
                return Ok(known);
            }
            let fields = names_of_fields(&self.fields);
            return Err(Error::type_error(
                RegisterError::redefined_dynamic(known, describe_fields(known), base, &fields).to_string(),
            ));
        }
        let key: &'static str = key.leak();
        let inherited = base.table().map_or(&[][..], Table::fields);
        let mut end = base.value_size();
        let mut fields: Vec<Field> = inherited.iter().map(copy_field).collect();
        let mut own = Vec::new();
        for described in self.fields {
            let storage = Storage::for_kind(&described.kind);
            let (size, align) = storage.layout();
            let offset = end.next_multiple_of(align);
            end = offset + size;
            let field = Field {
                name: described.name.leak(),
                doc: described.doc.leak(),
                kind: Box::leak(Box::new(described.kind)),
                storage,
                offset,
                settable: described.settable,
                default: described.default,
            };
            own.push(FieldInfo {
                name: field.name,
                doc: field.doc,
                rust_type: field.kind.unique_name().leak(),
                offset,
                size,
                settable: field.settable,
                trace: trace_of(&field),
                carry: Some(field.carry_table()),
                default: Some(field.carry_default()),
                flags: FieldFlags::NONE,
                layout: None,
                dynamic: Some(as_opaque(Box::leak(Box::new(copy_field(&field))))),
            });
            fields.push(field);
        }
        let members = Members::of_fields(
            self.doc.leak(),
            own.iter()
                .map(|field| Attribute {
                    name: field.name,
                    doc: field.doc,
                    rust_type: field.rust_type,
                    settable: field.settable,
                    immutable: !field.settable,
                })
                .collect(),
        );
        let compared = self.equality.map(|(names, hashed)| {
            let number = |name: &String| fields.iter().rposition(|field| field.name == name);
            (names.iter().filter_map(number).collect::<Vec<_>>(), hashed)
        });
        let equality = compared.as_ref().map(|(_, hashed)| field_equality(*hashed));
        let compared = compared.or_else(|| base.table().and_then(|table: &Table| table.compared.clone()));
        let native = match base.table::<Table>() {
            Some(table) => table.native,
            None => (base.value_size() > 0 || base.drop_function().is_some()).then_some(base),
        };
        let table = Box::leak(Box::new(Table {
            key,
            inherited: inherited.len(),
            fields,
            native,
            end,
            compared,
        }));
        let mine = TypeInfo::new_dynamic(DynamicType {
            key,
            base,
            table: as_opaque(table),
            fields: own.leak(),
            size: table.value_size(),
            has_drop: table.has_drop(),
            traced: table.fields().iter().any(|field| field.kind().is_traced()),
            native: table.fields().iter().all(|field| field.kind().is_native()),
            functions: functions_of_align,
            attributes: self.attributes,
            lasting: &lasting,
            equality,
        })
        .ok_or_else(|| Error::type_error(format!("{key}: {} cannot be extended", base.key())))?;
        let info = enter_type(mine).map_err(|(known, refused)| {
            let base = refused.base().unwrap_or(known);
            Error::type_error(
                RegisterError::redefined_dynamic(known, describe_fields(known), base, "others").to_string(),
            )
        })?;
        if let Some(table) = info.table::<Table>() {
            let mut itself: Option<&'static FieldKind> = None;
            let mut find = |later: &Later| {
                if later.number() == usize::MAX {
                    later.resolve_to(
                        itself.get_or_insert_with(|| Box::leak(Box::new(FieldKind::Object(info)))),
                    );
                }
            };
            for field in &table.fields[table.inherited..] {
                field.kind.for_each_later(&mut find);
            }
        }
        info.set_members(members);
        Ok(info)
    }
}

/// The own fields of a type that was made at run time.
fn describe_fields(info: &TypeInfo) -> Option<String> {
    let table = info.table::<Table>()?;
    let all = table.fields()[table.inherited_count()..].iter().map(|field| {
        let frozen = if field.is_settable() { "" } else { " (frozen)" };
        format!("{}: {}{frozen}", field.name(), field.kind().name())
    });
    Some(format!("[{}]", all.collect::<Vec<_>>().join(", ")))
}

fn names_of_fields(fields: &[FieldDescription]) -> String {
    let all = fields.iter().map(|field| {
        let frozen = if field.settable { "" } else { " (frozen)" };
        format!("{}: {}{frozen}", field.name, field.kind.name())
    });
    format!("[{}]", all.collect::<Vec<_>>().join(", "))
}

/// The description, as the core keeps it.
fn as_opaque<T>(description: &'static T) -> &'static Opaque {
    // SAFETY: an `Opaque` has no bytes.
    unsafe { &*std::ptr::from_ref(description).cast() }
}

fn copy_field(field: &Field) -> Field {
    Field {
        default: field.default.clone(),
        ..*field
    }
}
