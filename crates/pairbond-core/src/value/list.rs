//! [`List`]: a mutable sequence that is a native object itself.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use crate::convert::{FromValue, Mismatch, Source};
use crate::error::Error;
use crate::object::{ErasedBorrow, ErasedRef, Object, Ref, Root};
use crate::trace::{Trace, Tracer};
use crate::types::TypeCell;
use crate::value::{Any, Bytes, Cell, Foreign, Function, Str};

/// What a [`List`] can hold. `List<Package>` holds references to `Package` objects: object types stand for their references.
pub trait Element: 'static {
    /// What reading an element gives.
    type Value: Clone + Send + Sync;
    /// For messages and type stubs.
    fn name() -> Cow<'static, str>;
    /// Stored form.
    fn to_any(value: Self::Value) -> Any;
    /// From the stored form; `None` when it is of another kind.
    fn from_any(value: &Any) -> Option<Self::Value>;
}

impl<T: Object + Send + Sync> Element for T {
    type Value = Ref<T>;
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(T::KEY)
    }
    fn to_any(value: Ref<T>) -> Any {
        Any::Object(value.into_erased())
    }
    fn from_any(value: &Any) -> Option<Ref<T>> {
        value.downcast()
    }
}

macro_rules! element {
    ($($t:ty, $name:literal, $pattern:pat => $value:expr, $any:ident => $make:expr;)*) => {$(
        impl Element for $t {
            type Value = $t;
            fn name() -> Cow<'static, str> {
                Cow::Borrowed($name)
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
        }
    )*};
}

element! {
    i64, "int", Any::Int(v) => *v, v => Any::Int(v);
    f64, "float", Any::Float(v) => *v, v => Any::Float(v);
    bool, "bool", Any::Bool(v) => *v, v => Any::Bool(v);
    Str, "str", Any::Str(v) => v.clone(), v => Any::Str(v);
    Bytes, "bytes", Any::Bytes(v) => v.clone(), v => Any::Bytes(v);
    Function, "a callable", Any::Function(v) => v.clone(), v => Any::Function(v);
    Foreign, "any object", Any::Foreign(v) => v.clone(), v => Any::Foreign(v);
    Any, "any object", v => v.clone(), v => v;
}

/// The native object behind a [`List`], whatever its elements.
pub struct ListBody {
    items: Cell<Vec<Any>>,
    accepts: fn(&Any) -> bool,
    name: fn() -> Cow<'static, str>,
}

// SAFETY: the cell is its own; no base.
unsafe impl Object for ListBody {
    const KEY: &'static str = "pairbond.List";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: the cell shows the items.
unsafe impl Trace for ListBody {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.items.trace(tracer);
    }
    fn clear(&self) {
        self.items.clear();
    }
}

impl ListBody {
    /// The items. The lock of [`Cell`] is held for the time of a closure only.
    #[must_use]
    pub fn items(&self) -> &Cell<Vec<Any>> {
        &self.items
    }

    /// Whether the list takes this value.
    #[must_use]
    pub fn accepts(&self, value: &Any) -> bool {
        (self.accepts)(value)
    }

    /// A list that takes anything.
    #[must_use]
    pub(super) fn of_anything(items: Vec<Any>) -> Self {
        ListBody {
            items: Cell::new(items),
            accepts: |_| true,
            name: <Any as Element>::name,
        }
    }

    /// What the list holds, for messages.
    #[must_use]
    pub fn element_name(&self) -> Cow<'static, str> {
        (self.name)()
    }
}

/// A mutable, shared sequence. Cloning it counts a reference: it is the same list. Thread-safe; each operation is atomic.
pub struct List<T: Element> {
    body: Ref<ListBody>,
    _type: PhantomData<fn() -> T>,
}

impl<T: Element> List<T> {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::from_items(Vec::new())
    }

    fn from_items(items: Vec<Any>) -> Self {
        List {
            body: Ref::new(ListBody {
                items: Cell::new(items),
                accepts: |value| T::from_any(value).is_some(),
                name: T::name,
            }),
            _type: PhantomData,
        }
    }

    pub(crate) fn type_name() -> Cow<'static, str> {
        Cow::Owned(format!("a pairbond.List of {}", T::name()))
    }

    /// Reads a list argument: a `pairbond.List` of the same elements, which stays the same list, or any sequence, which is copied.
    pub(crate) fn read<'a, S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        if let Ok(object) = source.object() {
            let Some(body) = object.downcast::<ListBody>() else {
                return Err(Mismatch::Type);
            };
            let same = body
                .items
                .with(|items| items.iter().all(|v| T::from_any(v).is_some()));
            if !same || body.element_name() != T::name() {
                return Err(Mismatch::Type);
            }
            return match source.own(object).downcast() {
                Ok(body) => Ok(List {
                    body,
                    _type: PhantomData,
                }),
                Err(_) => Err(Mismatch::Type),
            };
        }
        let mut items = Vec::new();
        source.sequence(|i, item| {
            let value = Any::from_value(item)?;
            if T::from_any(&value).is_none() {
                return Err(Mismatch::Inside(Box::new((
                    format!("[{i}]"),
                    T::name().into_owned(),
                    item.describe(),
                    Mismatch::Type,
                ))));
            }
            items.push(value);
            Ok(())
        })?;
        Ok(Self::from_items(items))
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.items.with(Vec::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T::Value> {
        self.body
            .items
            .with(|items| items.get(index).and_then(T::from_any))
    }

    /// Appends an element.
    pub fn push(&self, value: T::Value) {
        let value = T::to_any(value);
        self.body.items.update(|items| items.push(value));
    }

    /// Takes the last element.
    #[must_use]
    pub fn pop(&self) -> Option<T::Value> {
        let last = self.body.items.update(Vec::pop)?;
        T::from_any(&last)
    }

    /// Replaces the element at `index` and returns the old one.
    ///
    /// # Errors
    /// `IndexError`.
    pub fn set(&self, index: usize, value: T::Value) -> Result<T::Value, Error> {
        let value = T::to_any(value);
        let old = self
            .body
            .items
            .update(|items| items.get_mut(index).map(|place| std::mem::replace(place, value)));
        old.as_ref()
            .and_then(T::from_any)
            .ok_or_else(|| Error::index_error("list index out of range"))
    }

    /// Removes all elements.
    pub fn clear(&self) {
        drop(self.body.items.take());
    }

    /// A snapshot of the elements.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T::Value> {
        self.body
            .items
            .with(|items| items.iter().filter_map(T::from_any).collect())
    }

    /// Iterates over a snapshot of the elements.
    pub fn iter(&self) -> std::vec::IntoIter<T::Value> {
        self.to_vec().into_iter()
    }

    /// The native object.
    #[must_use]
    pub fn as_borrow(&self) -> ErasedBorrow<'_> {
        self.body.as_borrow().erase()
    }

    /// The native object.
    #[must_use]
    pub fn into_erased(self) -> ErasedRef {
        self.body.into_erased()
    }

    /// Whether both are the same list.
    #[must_use]
    pub fn is(&self, other: &List<T>) -> bool {
        self.body.is(&other.body)
    }
}

impl<T: Element> Clone for List<T> {
    fn clone(&self) -> Self {
        List {
            body: self.body.clone(),
            _type: PhantomData,
        }
    }
}

impl<T: Element> Default for List<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Element> FromIterator<T::Value> for List<T> {
    fn from_iter<I: IntoIterator<Item = T::Value>>(iter: I) -> Self {
        Self::from_items(iter.into_iter().map(T::to_any).collect())
    }
}

impl<T: Element> Extend<T::Value> for List<T> {
    fn extend<I: IntoIterator<Item = T::Value>>(&mut self, iter: I) {
        let more: Vec<Any> = iter.into_iter().map(T::to_any).collect();
        self.body.items.update(|items| items.extend(more));
    }
}

impl<T: Element> IntoIterator for &List<T> {
    type Item = T::Value;
    type IntoIter = std::vec::IntoIter<T::Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Element> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<List of {} {}>", self.len(), T::name())
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl<T: Element> Trace for List<T> {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.body.trace(tracer);
    }
}
