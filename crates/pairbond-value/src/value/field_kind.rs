//! [`FieldKind`]: what a field takes.

use std::sync::OnceLock;

use crate::object::ErasedBorrow;
use crate::types::TypeInfo;
use crate::value::{Any, Kind, Kinds, ListBody, MapBody, SetBody, TupleBody};

/// The kind of values that a field of a type made at run time takes. Frontends make them from their
/// language's annotations.
#[derive(Debug)]
#[non_exhaustive]
pub enum FieldKind {
    /// Anything.
    Any,
    /// Nothing.
    None,
    /// A truth value.
    Bool,
    /// An integer of any size.
    Int,
    /// An integer of 64 bits: what containers of integers hold.
    Int64,
    /// A float; an integer becomes one.
    Float,
    /// A string.
    Str,
    /// Bytes.
    Bytes,
    /// A function.
    Callable,
    /// An object of a type, or of one that extends it.
    Object(&'static TypeInfo),
    /// A [`List`](crate::value::List).
    List(Box<FieldKind>),
    /// A [`Set`](crate::value::Set).
    Set(Box<FieldKind>),
    /// A [`Map`](crate::value::Map).
    Map(Box<FieldKind>, Box<FieldKind>),
    /// A [`Tuple`](crate::value::Tuple) of any length.
    Tuple(Box<FieldKind>),
    /// A [`Tuple`](crate::value::Tuple) of these elements.
    Fixed(Vec<FieldKind>),
    /// One of several.
    Union(Vec<FieldKind>),
    /// Checked by the frontend only; the number is its own. To Rust: anything.
    Opaque(String, usize),
    /// A name that may not be defined yet.
    Later(Later),
}

/// A name that is looked up when it is needed first.
#[derive(Debug)]
pub struct Later {
    name: String,
    number: usize,
    /// The type that is being defined: resolved as soon as it is registered.
    own: bool,
    found: OnceLock<&'static FieldKind>,
}

impl Later {
    /// A name; the number is the frontend's own.
    #[must_use]
    pub fn new(name: String, number: usize) -> Self {
        Later {
            name,
            number,
            own: false,
            found: OnceLock::new(),
        }
    }

    /// The type that is being defined.
    #[must_use]
    pub fn own_type(name: String) -> Self {
        Later {
            own: true,
            ..Later::new(name, usize::MAX)
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The frontend's number.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// The kind that it was resolved to.
    #[must_use]
    pub fn resolved_kind(&self) -> Option<&'static FieldKind> {
        self.found.get().copied()
    }

    /// Resolves it; the first call counts.
    pub fn resolve_to(&self, kind: &'static FieldKind) {
        let _ = self.found.set(kind);
    }

    /// Checks a value before the type is found: an object of that name.
    fn may_take(&self, value: &Any) -> bool {
        let last = last_segment(&self.name);
        matches!(value, Any::Object(object) if object.header().info().name() == last)
    }
}

fn last_segment(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

fn join_kinds(kinds: &[FieldKind], separator: &str, each: impl Fn(&FieldKind) -> String) -> String {
    kinds.iter().map(each).collect::<Vec<_>>().join(separator)
}

fn object_of(value: &Any) -> Option<ErasedBorrow<'_>> {
    match value {
        Any::Object(object) => Some(object.as_borrow()),
        _ => None,
    }
}

impl FieldKind {
    /// Whether a value is stored as it is.
    #[must_use]
    pub fn is_stored_form(&'static self, value: &Any) -> bool {
        match self {
            FieldKind::Any | FieldKind::Opaque(..) => true,
            FieldKind::None => value.is_none(),
            FieldKind::Bool => matches!(value, Any::Bool(_)),
            FieldKind::Int => matches!(value, Any::Int(_) | Any::BigInt(_) | Any::Bool(_)),
            FieldKind::Int64 => matches!(value, Any::Int(_)),
            FieldKind::Float => matches!(value, Any::Float(_)),
            FieldKind::Str => matches!(value, Any::Str(_)),
            FieldKind::Bytes => matches!(value, Any::Bytes(_)),
            FieldKind::Callable => matches!(value, Any::Function(_) | Any::Foreign(_) | Any::Object(_)),
            FieldKind::Object(info) => object_of(value).is_some_and(|it| it.header().info().is_a(info)),
            FieldKind::List(kind) => object_of(value)
                .and_then(ErasedBorrow::downcast::<ListBody>)
                .is_some_and(|list| list.get().is_of(kind)),
            FieldKind::Set(kind) => object_of(value)
                .and_then(ErasedBorrow::downcast::<SetBody>)
                .is_some_and(|set| set.get().is_of(kind)),
            FieldKind::Map(keys, values) => object_of(value)
                .and_then(ErasedBorrow::downcast::<MapBody>)
                .is_some_and(|map| map.get().is_of(keys, values)),
            FieldKind::Tuple(kind) => object_of(value)
                .and_then(ErasedBorrow::downcast::<TupleBody>)
                .is_some_and(|tuple| tuple.get().is_of(kind)),
            FieldKind::Fixed(kinds) => object_of(value)
                .and_then(ErasedBorrow::downcast::<TupleBody>)
                .is_some_and(|tuple| {
                    let items = tuple.get().items();
                    items.len() == kinds.len()
                        && items
                            .iter()
                            .zip(kinds)
                            .all(|(item, kind)| kind.is_stored_form(item))
                }),
            FieldKind::Union(kinds) => kinds.iter().any(|kind| kind.is_stored_form(value)),
            FieldKind::Later(later) => match later.resolved_kind() {
                Some(kind) => kind.is_stored_form(value),
                None => later.may_take(value),
            },
        }
    }

    /// Whether both take the same. A name is only known to be the same name if it is this very one.
    #[must_use]
    pub fn is_same(&self, other: &FieldKind) -> bool {
        use FieldKind::{Fixed, List, Map, Object, Opaque, Set, Tuple, Union};
        let all = |a: &[FieldKind], b: &[FieldKind]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
        };
        match (self, other) {
            (Object(a), Object(b)) => std::ptr::eq(*a, *b),
            (List(a), List(b)) | (Set(a), Set(b)) | (Tuple(a), Tuple(b)) => a.is_same(b),
            (Map(keys, values), Map(other_keys, other_values)) => {
                keys.is_same(other_keys) && values.is_same(other_values)
            }
            (Fixed(a), Fixed(b)) | (Union(a), Union(b)) => all(a, b),
            (Opaque(name, number), Opaque(other_name, other_number)) => {
                name == other_name && number == other_number
            }
            (FieldKind::Later(a), FieldKind::Later(b)) => std::ptr::eq(a, b),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }

    /// The stored form of a value: an integer becomes a float where only floats are taken.
    ///
    /// # Errors
    /// The value itself.
    pub fn to_stored_form(&'static self, value: Any) -> Result<Any, Any> {
        if self.is_stored_form(&value) {
            return Ok(value);
        }
        match (self, value) {
            (FieldKind::Float, Any::Int(int)) => Ok(Any::Float(int as f64)),
            (FieldKind::Float, Any::Bool(bool)) => Ok(Any::Float(f64::from(u8::from(bool)))),
            (FieldKind::Float, Any::Foreign(object)) if object.is_nan() => Ok(Any::Float(f64::NAN)),
            (FieldKind::Int64, Any::Bool(bool)) => Ok(Any::Int(bool.into())),
            (FieldKind::Union(kinds), value) => kinds
                .iter()
                .try_fold(value, |value, kind| match kind.to_stored_form(value) {
                    Ok(stored) => Err(stored),
                    Err(value) => Ok(value),
                })
                .map_or_else(Ok, Err),
            (FieldKind::Later(later), value) => match later.resolved_kind() {
                Some(kind) => kind.to_stored_form(value),
                None => Err(value),
            },
            (_, value) => Err(value),
        }
    }

    /// Whether values can own references to objects.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        match self {
            FieldKind::None
            | FieldKind::Bool
            | FieldKind::Int
            | FieldKind::Int64
            | FieldKind::Float
            | FieldKind::Str
            | FieldKind::Bytes => false,
            FieldKind::Union(kinds) => kinds.iter().any(FieldKind::is_traced),
            _ => true,
        }
    }

    /// Whether values lead to no object of a frontend, by the declaration.
    #[must_use]
    pub fn is_native(&self) -> bool {
        match self {
            FieldKind::Any | FieldKind::Callable | FieldKind::Opaque(..) => false,
            FieldKind::Object(info) => info.flags().contains(crate::types::TypeFlags::SHAREABLE),
            FieldKind::List(kind) | FieldKind::Set(kind) | FieldKind::Tuple(kind) => kind.is_native(),
            FieldKind::Map(keys, values) => keys.is_native() && values.is_native(),
            FieldKind::Fixed(kinds) | FieldKind::Union(kinds) => kinds.iter().all(FieldKind::is_native),
            FieldKind::Later(later) => later.own,
            _ => !self.is_traced(),
        }
    }

    /// Calls `each` with every name that is to be looked up.
    pub fn for_each_later(&self, each: &mut dyn FnMut(&Later)) {
        match self {
            FieldKind::Later(later) => each(later),
            FieldKind::List(kind) | FieldKind::Set(kind) | FieldKind::Tuple(kind) => {
                kind.for_each_later(each)
            }
            FieldKind::Map(keys, values) => {
                keys.for_each_later(each);
                values.for_each_later(each);
            }
            FieldKind::Fixed(kinds) | FieldKind::Union(kinds) => {
                kinds.iter().for_each(|kind| kind.for_each_later(each))
            }
            _ => {}
        }
    }

    /// As people write it, for messages: `list[str] or None`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            FieldKind::Any => "any object".into(),
            FieldKind::None => "None".into(),
            FieldKind::Bool => "bool".into(),
            FieldKind::Int => "int".into(),
            FieldKind::Int64 => "an int of 64 bits".into(),
            FieldKind::Float => "float".into(),
            FieldKind::Str => "str".into(),
            FieldKind::Bytes => "bytes".into(),
            FieldKind::Callable => "a callable".into(),
            FieldKind::Object(info) => info.key().into(),
            FieldKind::List(kind) => format!("list[{}]", kind.name()),
            FieldKind::Set(kind) => format!("set[{}]", kind.name()),
            FieldKind::Map(keys, values) => format!("dict[{}, {}]", keys.name(), values.name()),
            FieldKind::Tuple(kind) => format!("tuple[{}, ...]", kind.name()),
            FieldKind::Fixed(kinds) => format!("tuple[{}]", join_kinds(kinds, ", ", FieldKind::name)),
            FieldKind::Union(kinds) => join_kinds(kinds, " or ", FieldKind::name),
            FieldKind::Opaque(name, _) => name.clone(),
            FieldKind::Later(later) => later
                .resolved_kind()
                .map_or_else(|| later.name.clone(), |kind| kind.name()),
        }
    }

    /// Tells kinds apart; those that a Rust type has, too, have its
    /// [`unique_name`](crate::value::Element::unique_name).
    #[must_use]
    pub fn unique_name(&self) -> String {
        match self {
            FieldKind::Any => "Any".into(),
            FieldKind::None => "()".into(),
            FieldKind::Bool => "bool".into(),
            FieldKind::Int => "BigInt".into(),
            FieldKind::Int64 => "i64".into(),
            FieldKind::Float => "f64".into(),
            FieldKind::Str => "Str".into(),
            FieldKind::Bytes => "Bytes".into(),
            FieldKind::Callable => "Function".into(),
            FieldKind::Object(info) => info.key().into(),
            FieldKind::List(kind) => format!("List<{}>", kind.unique_name()),
            FieldKind::Set(kind) => format!("Set<{}>", kind.unique_name()),
            FieldKind::Map(keys, values) => format!("Map<{}, {}>", keys.unique_name(), values.unique_name()),
            FieldKind::Tuple(kind) => format!("Tuple<{}>", kind.unique_name()),
            FieldKind::Fixed(kinds) => format!("({})", join_kinds(kinds, ", ", FieldKind::unique_name)),
            FieldKind::Union(kinds) => match &kinds[..] {
                [kind, FieldKind::None] | [FieldKind::None, kind] => {
                    format!("Option<{}>", kind.unique_name())
                }
                kinds => join_kinds(kinds, " | ", FieldKind::unique_name),
            },
            FieldKind::Opaque(name, _) => format!("opaque {name}"),
            FieldKind::Later(later) => later
                .resolved_kind()
                .map_or_else(|| format!("later {}", later.name), |kind| kind.unique_name()),
        }
    }

    /// As [`unique_name`](Self::unique_name), but the same before and after names are found: what
    /// two definitions must agree on.
    #[must_use]
    pub fn stable_name(&self) -> String {
        match self {
            FieldKind::Object(info) => format!("ref {}", info.name()),
            FieldKind::Later(later) => format!("ref {}", last_segment(&later.name)),
            FieldKind::Opaque(name, _) => format!("ref {}", last_segment(name)),
            FieldKind::List(kind) => format!("List<{}>", kind.stable_name()),
            FieldKind::Set(kind) => format!("Set<{}>", kind.stable_name()),
            FieldKind::Map(keys, values) => format!("Map<{}, {}>", keys.stable_name(), values.stable_name()),
            FieldKind::Tuple(kind) => format!("Tuple<{}>", kind.stable_name()),
            FieldKind::Fixed(kinds) => format!("({})", join_kinds(kinds, ", ", FieldKind::stable_name)),
            FieldKind::Union(kinds) => join_kinds(kinds, " | ", FieldKind::stable_name),
            other => other.unique_name(),
        }
    }
}

impl FieldKind {
    /// Returns whether some name in it is not found yet.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        let mut unknown = false;
        self.for_each_later(&mut |later: &Later| unknown |= later.resolved_kind().is_none());
        unknown
    }

    /// Returns whether a value may be an object of a frontend.
    #[must_use]
    pub fn may_be_foreign(&self) -> bool {
        match self {
            FieldKind::Any | FieldKind::Opaque(..) | FieldKind::Callable => true,
            FieldKind::Union(kinds) => kinds.iter().any(FieldKind::may_be_foreign),
            FieldKind::Later(later) => later.resolved_kind().is_none_or(FieldKind::may_be_foreign),
            _ => false,
        }
    }

    /// Shows what containers of this kind hold.
    pub fn visit_kinds(&'static self, kinds: &mut Kinds<'_>) {
        kinds.visit_kind(Kind::of_field(self));
        match self {
            FieldKind::List(kind) | FieldKind::Set(kind) | FieldKind::Tuple(kind) => kind.visit_kinds(kinds),
            FieldKind::Map(key, value) => {
                key.visit_kinds(kinds);
                value.visit_kinds(kinds);
            }
            FieldKind::Fixed(all) | FieldKind::Union(all) => {
                all.iter().for_each(|kind| kind.visit_kinds(kinds))
            }
            FieldKind::Later(later) => {
                if let Some(kind @ FieldKind::Object(_)) = later.resolved_kind() {
                    kinds.visit_kind(Kind::of_field(kind));
                }
            }
            _ => {}
        }
    }
}
