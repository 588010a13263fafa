//! [`Element`]: what containers can hold, and [`Key`]: what maps and sets find again.

use std::borrow::Cow;

use super::field_kind::FieldKind;
use super::kinds::Kinds;
use crate::error::Error;
use crate::object::{IsObject, IsPlain, Nature, Object, Ref};
use crate::trace::Reach;
use crate::value::{Any, AnyRef, Bytes, Foreign, Function, Str, View};

/// A type that a container can hold. `List<Package>` holds references to `Package` objects: object
/// types stand for their references.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a container",
    label = "does not implement `Element`",
    note = "elements are object types (for references to them), `i64`, `f64`, `bool`, `Str`, `Bytes`, `Function`, `Foreign`, `Any`, \
            containers, and `Option` of any of them"
)]
pub trait Element: 'static {
    /// The type of an element that is read.
    type Value: Clone + Send + Sync;
    /// For messages and type stubs.
    fn type_name() -> Cow<'static, str>;
    /// Tells element types apart; two types may have the same [`type_name`](Self::type_name).
    fn unique_name() -> Cow<'static, str> {
        Self::type_name()
    }
    /// Stored form.
    fn to_any(value: Self::Value) -> Any;
    /// From the stored form; `None` when it is of another kind.
    fn from_any(value: &Any) -> Option<Self::Value>;
    /// Whether a value in its stored form is of this kind.
    #[inline]
    fn is_stored_form(value: &Any) -> bool {
        Self::from_any(value).is_some()
    }
    /// Shows where elements can lead; to anything unless it is said.
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_anything();
    }
    /// Shows this and its nested types, so that names in data are found again.
    #[doc(hidden)]
    fn visit_kinds(kinds: &mut Kinds<'_>)
    where
        Self: Sized,
    {
        kinds.visit_kind(Kind::of::<Self>());
    }
    /// The stored form of a value that came from elsewhere, converted where nothing is lost (an int
    /// becomes a float).
    ///
    /// # Errors
    /// The value itself, when it is of another kind.
    #[inline]
    fn coerce(value: Any) -> Result<Any, Any> {
        if Self::is_stored_form(&value) {
            Ok(value)
        } else {
            Err(value)
        }
    }
}

/// The type of a container's elements, at run time.
#[derive(Clone, Copy)]
pub struct Kind(Of);

#[derive(Clone, Copy)]
enum Of {
    /// A Rust type.
    Static {
        coerce: fn(Any) -> Result<Any, Any>,
        name: fn() -> Cow<'static, str>,
        reach: fn(&mut Reach),
        /// Whether it takes every value as it is.
        anything: bool,
        id: fn() -> Cow<'static, str>,
    },
    /// The kind of a field of a type that was made at run time.
    Dynamic(&'static FieldKind),
}

impl Kind {
    pub(crate) fn of<T: Element>() -> Self {
        Kind(Of::Static {
            coerce: T::coerce,
            name: T::type_name,
            reach: T::visit_reachable,
            anything: std::any::TypeId::of::<T>() == std::any::TypeId::of::<Any>(),
            id: T::unique_name,
        })
    }

    pub(crate) fn of_field(kind: &'static FieldKind) -> Self {
        match kind {
            FieldKind::Any => Kind::of::<Any>(),
            FieldKind::Int | FieldKind::Int64 => Kind::of::<i64>(),
            FieldKind::Float => Kind::of::<f64>(),
            FieldKind::Bool => Kind::of::<bool>(),
            FieldKind::Str => Kind::of::<Str>(),
            FieldKind::Bytes => Kind::of::<Bytes>(),
            other => Kind(Of::Dynamic(other)),
        }
    }

    /// The same for the same element type of one binary.
    pub fn address(self) -> usize {
        match self.0 {
            Of::Static { id, .. } => id as usize,
            Of::Dynamic(kind) => std::ptr::from_ref(kind).addr(),
        }
    }

    /// Whether both take the same values. (Function pointers of separately built binaries differ.)
    pub(super) fn is_same(self, other: Kind) -> bool {
        if let (Of::Static { id: a, .. }, Of::Static { id: b, .. }) = (self.0, other.0)
            && std::ptr::fn_addr_eq(a, b)
        {
            return true;
        }
        self.unique_name() == other.unique_name()
    }

    /// Returns a name that no other kind has.
    pub fn unique_name(self) -> Cow<'static, str> {
        match self.0 {
            Of::Static { id, .. } => id(),
            Of::Dynamic(kind) => Cow::Owned(kind.unique_name()),
        }
    }

    pub(super) fn type_name(self) -> Cow<'static, str> {
        match self.0 {
            Of::Static { name, .. } => name(),
            Of::Dynamic(kind) => Cow::Owned(kind.name()),
        }
    }

    pub(super) fn visit_reachable(self, reach: &mut Reach) {
        match self.0 {
            Of::Static { reach: show, .. } => show(reach),
            Of::Dynamic(kind) if kind.is_native() => {}
            Of::Dynamic(_) => reach.visit_anything(),
        }
    }

    fn coerce(self, value: Any) -> Result<Any, Any> {
        match self.0 {
            Of::Static { coerce, .. } => coerce(value),
            Of::Dynamic(kind) => kind.to_stored_form(value),
        }
    }

    /// Whether it takes every value as it is.
    #[inline]
    pub(super) fn is_anything(&self) -> bool {
        matches!(self.0, Of::Static { anything: true, .. })
    }

    /// The stored form of a value, or an error about `what` (`"this list holds"`).
    #[inline(always)]
    pub fn check_value(&self, value: Any, what: &str) -> Result<Any, Error> {
        if self.is_anything() {
            return Ok(value);
        }
        self.coerce_or_error(value, what)
    }

    #[inline(never)]
    fn coerce_or_error(self, value: Any, what: &str) -> Result<Any, Error> {
        self.coerce(value)
            .map_err(|value| Error::type_error(format!("{what} {}, got {}", self.type_name(), value.kind())))
    }
}

/// How types that this crate does not define are elements: objects, and some of the language. See
/// [`Nature`].
#[doc(hidden)]
pub trait ElementBy<N>: 'static {
    /// See [`Element`]; the same below.
    type Value: Clone + Send + Sync;
    /// See there.
    fn type_name() -> Cow<'static, str>;
    /// See there.
    fn unique_name() -> Cow<'static, str> {
        Self::type_name()
    }
    /// See there.
    fn to_any(value: Self::Value) -> Any;
    /// See there.
    fn from_any(value: &Any) -> Option<Self::Value>;
    /// See there.
    #[inline]
    fn is_stored_form(value: &Any) -> bool {
        Self::from_any(value).is_some()
    }
    /// See there.
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_anything();
    }
    /// Shows nested types.
    fn nested_kinds(_: &mut Kinds<'_>) {}
    /// See there.
    #[inline]
    fn coerce(value: Any) -> Result<Any, Any> {
        if Self::is_stored_form(&value) {
            Ok(value)
        } else {
            Err(value)
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: Nature + ElementBy<T::Is>> Element for T {
    type Value = <T as ElementBy<T::Is>>::Value;
    #[inline]
    fn type_name() -> Cow<'static, str> {
        <T as ElementBy<T::Is>>::type_name()
    }
    #[inline]
    fn unique_name() -> Cow<'static, str> {
        <T as ElementBy<T::Is>>::unique_name()
    }
    #[inline]
    fn to_any(value: Self::Value) -> Any {
        <T as ElementBy<T::Is>>::to_any(value)
    }
    #[inline]
    fn from_any(value: &Any) -> Option<Self::Value> {
        <T as ElementBy<T::Is>>::from_any(value)
    }
    #[inline]
    fn is_stored_form(value: &Any) -> bool {
        <T as ElementBy<T::Is>>::is_stored_form(value)
    }
    #[inline]
    fn visit_reachable(reach: &mut Reach) {
        <T as ElementBy<T::Is>>::visit_reachable(reach);
    }
    fn visit_kinds(kinds: &mut Kinds<'_>) {
        kinds.visit_kind(Kind::of::<T>());
        <T as ElementBy<T::Is>>::nested_kinds(kinds);
    }
    #[inline]
    fn coerce(value: Any) -> Result<Any, Any> {
        <T as ElementBy<T::Is>>::coerce(value)
    }
}

impl<T: Object + Send + Sync> ElementBy<IsObject> for T {
    type Value = Ref<T>;
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed(T::KEY)
    }
    fn to_any(value: Ref<T>) -> Any {
        Any::Object(value.into_erased())
    }
    fn from_any(value: &Any) -> Option<Ref<T>> {
        value.downcast()
    }
    fn is_stored_form(value: &Any) -> bool {
        matches!(value, Any::Object(object) if object.as_borrow().is::<T>())
    }
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_object::<T>();
    }
}

macro_rules! element {
    ($($element:path: $t:ty, $id:literal, $name:literal, $pattern:pat => $value:expr, $any:ident => $make:expr $(, $reach:expr)?;)*) => {$(
        impl $element for $t {
            type Value = $t;
            fn type_name() -> Cow<'static, str> {
                Cow::Borrowed($name)
            }
            fn unique_name() -> Cow<'static, str> {
                Cow::Borrowed($id)
            }
            fn to_any($any: $t) -> Any {
                $make
            }
            fn from_any(value: &Any) -> Option<$t> {
                match value {
                    $pattern => Some($value),
                    #[allow(unreachable_patterns)]
                    _ => None,
                }
            }
            fn is_stored_form(value: &Any) -> bool {
                #[allow(unused_variables, unreachable_patterns)]
                match value {
                    $pattern => true,
                    _ => false,
                }
            }
            $(fn visit_reachable(reach: &mut Reach) {
                $reach(reach);
            })?
        }
    )*};
}

element! {
    ElementBy<IsPlain>: i64, "i64", "int", Any::Int(v) => *v, v => Any::Int(v), |_| {};
    ElementBy<IsPlain>: bool, "bool", "bool", Any::Bool(v) => *v, v => Any::Bool(v), |_| {};
    Element: Str, "Str", "str", Any::Str(v) => v.clone(), v => Any::Str(v), |_| {};
    Element: Bytes, "Bytes", "bytes", Any::Bytes(v) => v.clone(), v => Any::Bytes(v), |_| {};
    Element: Function, "Function", "a callable", Any::Function(v) => v.clone(), v => Any::Function(v);
    ElementBy<IsPlain>: Foreign, "Foreign", "an opaque object", Any::Foreign(v) => v.clone(), v => Any::Foreign(v);
    Element: Any, "Any", "any object", v => v.clone(), v => v;
}

impl ElementBy<IsPlain> for f64 {
    type Value = f64;
    fn type_name() -> Cow<'static, str> {
        Cow::Borrowed("float")
    }
    fn visit_reachable(_: &mut Reach) {}
    fn to_any(value: f64) -> Any {
        Any::Float(value)
    }
    fn from_any(value: &Any) -> Option<f64> {
        match value {
            Any::Float(value) => Some(*value),
            _ => None,
        }
    }
    fn coerce(value: Any) -> Result<Any, Any> {
        match value {
            Any::Float(_) => Ok(value),
            Any::Int(int) => Ok(Any::Float(int as f64)),
            Any::Foreign(object) if object.is_nan() => Ok(Any::Float(f64::NAN)),
            other => Err(other),
        }
    }
}

impl<T: Element> ElementBy<IsPlain> for Option<T> {
    type Value = Option<T::Value>;
    fn type_name() -> Cow<'static, str> {
        Cow::Owned(format!("{} or None", T::type_name()))
    }
    fn unique_name() -> Cow<'static, str> {
        Cow::Owned(format!("Option<{}>", T::unique_name()))
    }
    fn visit_reachable(reach: &mut Reach) {
        T::visit_reachable(reach);
    }
    fn nested_kinds(kinds: &mut Kinds<'_>) {
        T::visit_kinds(kinds);
    }
    fn to_any(value: Self::Value) -> Any {
        value.map_or(Any::None, T::to_any)
    }
    fn from_any(value: &Any) -> Option<Self::Value> {
        match value {
            Any::None => Some(None),
            value => T::from_any(value).map(Some),
        }
    }
    fn is_stored_form(value: &Any) -> bool {
        value.is_none() || T::is_stored_form(value)
    }
    fn coerce(value: Any) -> Result<Any, Any> {
        match value {
            Any::None => Ok(value),
            value => T::coerce(value),
        }
    }
}

/// An element that can be a key. Hashing and comparing most keys cannot fail; an [`Any`] or
/// [`Foreign`] may hold an object that is not hashable, or whose `__hash__` or `__eq__` raises.
pub trait Key: Element {
    /// What an operation that looks for a key returns: `R`, or `Result<R, Error>` for keys that can
    /// fail.
    type Outcome<R>;
    /// From what the operation came to.
    fn from_result<R>(result: Result<R, Error>) -> Self::Outcome<R>;
}

/// As [`ElementBy`], for keys.
#[doc(hidden)]
pub trait KeyBy<N>: Element {
    /// See [`Key`].
    type Outcome<R>;
    /// See there.
    fn from_result<R>(result: Result<R, Error>) -> Self::Outcome<R>;
}

#[diagnostic::do_not_recommend]
impl<T: Nature + ElementBy<T::Is> + KeyBy<T::Is>> Key for T {
    type Outcome<R> = <T as KeyBy<T::Is>>::Outcome<R>;
    #[inline]
    fn from_result<R>(result: Result<R, Error>) -> Self::Outcome<R> {
        <T as KeyBy<T::Is>>::from_result(result)
    }
}

macro_rules! sure {
    ($($key:path: $t:ty),*) => {$(
        impl $key for $t {
            type Outcome<R> = R;
            fn from_result<R>(result: Result<R, Error>) -> R {
                expect_infallible(result)
            }
        }
    )*};
}
sure!(KeyBy<IsPlain>: i64, KeyBy<IsPlain>: f64, KeyBy<IsPlain>: bool, Key: Str, Key: Bytes);

impl<T: Object + Send + Sync> KeyBy<IsObject> for T {
    type Outcome<R> = R;
    fn from_result<R>(result: Result<R, Error>) -> R {
        expect_infallible(result)
    }
}

/// Only an object's own `__hash__` or `__eq__` in Rust can have failed.
fn expect_infallible<R>(result: Result<R, Error>) -> R {
    match result {
        Ok(value) => value,
        Err(error) => panic!("a key could not be hashed or compared: {error}"),
    }
}

macro_rules! unsure {
    ($($key:path: $t:ty),*) => {$(
        impl $key for $t {
            type Outcome<R> = Result<R, Error>;
            fn from_result<R>(result: Result<R, Error>) -> Result<R, Error> {
                result
            }
        }
    )*};
}
unsure!(Key: Any, KeyBy<IsPlain>: Foreign, Key: Function);

/// A type by which a key of type `K` can be looked up: `map.get("name")`, `map.get(&7)`,
/// `map.get(&package)`.
pub trait Lookup<K: Key> {
    /// The key, borrowed.
    #[doc(hidden)]
    fn key(&self) -> AnyRef<'_>;
}

macro_rules! lookup {
    ($($by:ty => $key:ty, $self:ident: $make:expr;)*) => {$(
        impl Lookup<$key> for $by {
            fn key(&$self) -> AnyRef<'_> {
                $make
            }
        }
    )*};
}

lookup! {
    str => Str, self: View::Str(self).into();
    Str => Str, self: View::Str(self).into();
    String => Str, self: View::Str(self).into();
    [u8] => Bytes, self: View::Bytes(self).into();
    Bytes => Bytes, self: View::Bytes(self).into();
    i64 => i64, self: (*self).into();
    f64 => f64, self: (*self).into();
    bool => bool, self: (*self).into();
    Any => Any, self: self.into();
    str => Any, self: View::Str(self).into();
    i64 => Any, self: (*self).into();
    Foreign => Foreign, self: self.into();
    Function => Function, self: self.into();
}

impl<T: Object + Send + Sync> Lookup<T> for Ref<T> {
    fn key(&self) -> AnyRef<'_> {
        self.as_borrow().erase().into()
    }
}
