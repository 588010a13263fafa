//! [`List`]: a mutable sequence that is a native object itself.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::container_handle::{body, handle};
use super::element::{Element, Kind};
use super::element_cache::ElementCache;
use super::field_kind::FieldKind;
use super::object_cache::ObjectCache;
use crate::error::Error;
use crate::memory::{Gather, or_unwind};
use crate::object::{ErasedBorrow, ErasedRef, Ref};
use crate::sync::statics::{AtomicUsize, Ordering};
use crate::value::{Any, Cell};

/// The native object behind a [`List`], whatever its elements.
pub struct ListBody {
    items: Cell<Vec<Any>>,
    /// Changed with the items, under their lock; read without it.
    version: AtomicUsize,
    kind: Kind,
    element_cache: ElementCache,
    made: ObjectCache,
}

body!(ListBody, "pairbond.List");

trace_fields! { ListBody: items;
    fn clear(&self) {
        drop(self.change_items(std::mem::take));
    }
    fn is_shareable(&self) -> Option<bool> {
        Some(crate::trace::Reach::is_native(|reach| {
            self.kind.visit_reachable(reach)
        }))
    }
}

impl ListBody {
    /// A list that takes anything.
    #[must_use]
    pub fn of_anything(items: Vec<Any>) -> Self {
        Self::from_parts(items, Kind::of::<Any>())
    }

    /// Returns the kind of the elements.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A list of elements that were checked.
    pub fn of_kind(kind: Kind, items: Vec<Any>) -> Self {
        Self::from_parts(items, kind)
    }

    /// A list of the same kind of elements. They are the caller's to have checked.
    #[must_use]
    pub fn with_same_kind(&self, items: Vec<Any>) -> Self {
        Self::from_parts(items, self.kind)
    }

    /// A list of what a field of a type made at run time holds. They are the caller's to have
    /// checked.
    #[must_use]
    pub fn with_field_kind(kind: &'static FieldKind, items: Vec<Any>) -> Self {
        Self::from_parts(items, Kind::of_field(kind))
    }

    /// Whether it takes the same elements.
    #[must_use]
    pub fn is_of(&self, kind: &'static FieldKind) -> bool {
        self.kind.is_same(Kind::of_field(kind))
    }

    fn from_parts(items: Vec<Any>, kind: Kind) -> Self {
        ListBody {
            items: Cell::new(items),
            version: AtomicUsize::new(0),
            kind,
            element_cache: ElementCache::new(),
            made: ObjectCache::new(),
        }
    }

    /// Looks at the items, under their lock.
    #[inline]
    pub fn read<R>(&self, look: impl FnOnce(&Vec<Any>) -> R) -> R {
        self.items.with(look)
    }

    /// Changes the items, under their lock. Removed items are returned, to be dropped outside.
    #[inline]
    pub fn change_items<R>(&self, change: impl FnOnce(&mut Vec<Any>) -> R) -> R {
        self.items.update(|items| {
            let result = change(items);
            self.bump_version();
            result
        })
    }

    /// As [`change_items`](Self::change_items), for what may find that there is nothing to change:
    /// only after an `Ok` there is another version.
    #[inline]
    pub fn change_if<R, E>(&self, change: impl FnOnce(&mut Vec<Any>) -> Result<R, E>) -> Result<R, E> {
        self.items.update(|items| {
            let result = change(items);
            if result.is_ok() {
                self.bump_version();
            }
            result
        })
    }

    fn bump_version(&self) {
        // Others change it under the same lock only.
        let next = self.version.load(Ordering::Relaxed).wrapping_add(1);
        self.version.store(next, Ordering::Release);
    }

    /// Another number after each change: code that has copied items detects without the lock
    /// whether they are still the same.
    #[inline]
    #[must_use]
    pub fn version(&self) -> usize {
        self.version.load(Ordering::Acquire)
    }

    /// Where [`version`](Self::version) is.
    #[inline]
    #[must_use]
    pub fn version_word(&self) -> &AtomicUsize {
        &self.version
    }

    /// Returns the cache for the frontend of the list's wrapper.
    #[inline]
    #[must_use]
    pub fn element_cache(&self) -> &ElementCache {
        &self.element_cache
    }

    /// The cached objects for the list's elements; touched under its lock, in [`read`](Self::read).
    #[inline]
    #[must_use]
    pub fn object_cache(&self) -> &ObjectCache {
        &self.made
    }

    /// The stored form of a value, if the list takes it.
    ///
    /// # Errors
    /// `TypeError`
    #[inline]
    pub fn check_value(&self, value: Any) -> Result<Any, Error> {
        self.kind.check_value(value, "this list holds")
    }

    /// Returns the name of the elements' kind, for messages.
    #[must_use]
    pub fn element_name(&self) -> Cow<'static, str> {
        self.kind.type_name()
    }
}

impl Drop for ListBody {
    fn drop(&mut self) {
        if !self.items.is_vacant() {
            Any::discard_all(self.items.get_mut());
        }
    }
}

/// A mutable, shared sequence. Cloning it counts a reference: it is the same list. Thread-safe;
/// each operation is atomic.
///
/// ```
/// use pairbond_value::value::List;
///
/// let list: List<i64> = [1, 2].into_iter().collect();
/// let same = list.clone();
/// same.push(3);
/// assert_eq!(list.to_vec(), [1, 2, 3]);
/// assert_eq!((list.get(2), list.get(3)), (Some(3), None));
/// assert!(list.insert(9, 4).is_err());
/// ```
pub struct List<T: Element> {
    body: Ref<ListBody>,
    _type: PhantomData<fn() -> T>,
}

handle!(List<T: Element>, ListBody);

impl<T: Element> List<T> {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::from_items(Vec::new())
    }

    pub(crate) fn from_items(items: Vec<Any>) -> Self {
        Self::from_body(Ref::new(ListBody::from_parts(items, Kind::of::<T>())))
    }

    pub(crate) fn type_name() -> Cow<'static, str> {
        Cow::Owned(format!("a pairbond.List of {}", T::type_name()))
    }

    pub(crate) fn kinds_match(body: &ListBody) -> bool {
        body.kind.is_same(Kind::of::<T>())
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.read(Vec::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T::Value> {
        self.body.read(|items| items.get(index).and_then(T::from_any))
    }

    /// The last element.
    #[must_use]
    pub fn last(&self) -> Option<T::Value> {
        self.body.read(|items| items.last().and_then(T::from_any))
    }

    /// Appends an element.
    pub fn push(&self, value: T::Value) {
        let value = T::to_any(value);
        let outcome = self.body.change_if(|items| match items.try_reserve(1) {
            Ok(()) => {
                items.push(value);
                Ok(())
            }
            // It is dropped outside of the lock.
            Err(error) => Err((error, value)),
        });
        or_unwind(outcome.map_err(|(error, _)| error));
    }

    /// Takes the last element.
    #[must_use]
    pub fn pop(&self) -> Option<T::Value> {
        let last = self.body.change_items(Vec::pop)?;
        T::from_any(&last)
    }

    /// Replaces the element at `index` and returns the old one.
    ///
    /// # Errors
    /// `IndexError`; the list is unchanged then.
    pub fn set(&self, index: usize, value: T::Value) -> Result<T::Value, Error> {
        let value = T::to_any(value);
        let old = self.body.change_items(|items| match items.get_mut(index) {
            Some(place) => Ok(std::mem::replace(place, value)),
            None => Err(value),
        });
        old.ok()
            .as_ref()
            .and_then(T::from_any)
            .ok_or_else(|| Error::index_error("list index out of range"))
    }

    /// Inserts an element before `index`.
    ///
    /// # Errors
    /// `IndexError` beyond the end; the list is unchanged then.
    pub fn insert(&self, index: usize, value: T::Value) -> Result<(), Error> {
        let value = T::to_any(value);
        let outcome = self.body.change_if(|items| {
            if index > items.len() {
                return Err((None, value));
            }
            if let Err(error) = items.try_reserve(1) {
                return Err((Some(error), value));
            }
            items.insert(index, value);
            Ok(())
        });
        match outcome {
            Ok(()) => Ok(()),
            Err((Some(error), _)) => Err(error.into()),
            Err((None, _)) => Err(Error::index_error("list index out of range")),
        }
    }

    /// Removes the element at `index` and returns it; the ones behind it move up.
    ///
    /// # Errors
    /// `IndexError`
    pub fn remove(&self, index: usize) -> Result<T::Value, Error> {
        let old = self
            .body
            .change_items(|items| (index < items.len()).then(|| items.remove(index)));
        old.as_ref()
            .and_then(T::from_any)
            .ok_or_else(|| Error::index_error("list index out of range"))
    }

    /// Removes all elements.
    pub fn clear(&self) {
        drop(self.body.change_items(std::mem::take));
    }

    /// A snapshot of the elements.
    #[must_use]
    pub fn to_vec(&self) -> Vec<T::Value> {
        or_unwind(self.body.read(|items| {
            let mut all = Vec::new();
            all.try_reserve_exact(items.len())?;
            all.extend(items.iter().filter_map(T::from_any));
            Ok(all)
        }))
    }

    /// Iterates over a snapshot of the elements.
    pub fn iter(&self) -> std::vec::IntoIter<T::Value> {
        self.to_vec().into_iter()
    }
}

impl<T: Element> Default for List<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Element> FromIterator<T::Value> for List<T> {
    fn from_iter<I: IntoIterator<Item = T::Value>>(iter: I) -> Self {
        Self::from_items(iter.into_iter().map(T::to_any).gather())
    }
}

impl<T: Element> Extend<T::Value> for List<T> {
    fn extend<I: IntoIterator<Item = T::Value>>(&mut self, iter: I) {
        let more = iter.into_iter().map(T::to_any).gather();
        let outcome = self.body.change_if(|items| match items.try_reserve(more.len()) {
            Ok(()) => {
                items.extend(more);
                Ok(())
            }
            // They are dropped outside of the lock.
            Err(error) => Err((error, more)),
        });
        or_unwind(outcome.map_err(|(error, _)| error));
    }
}

impl<T: Element> IntoIterator for &List<T> {
    type Item = T::Value;
    type IntoIter = std::vec::IntoIter<T::Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Says how many there are: elements may refer back to the list.
impl<T: Element> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<List of {} {}>", self.len(), T::type_name())
    }
}
