//! [`Tuple`]: a sequence that never changes.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::container_handle::{body, handle};
use super::element::{Element, Kind};
use super::element_cache::ElementCache;
use super::field_kind::FieldKind;
use super::hash::hash_sequence;
use super::key::keys_equal;
use super::object_cache::ObjectCache;
use crate::error::Error;
use crate::memory::Gather;
use crate::object::{ErasedBorrow, ErasedRef, Ref};
use crate::value::Any;

/// The native object behind a [`Tuple`], whatever its elements.
pub struct TupleBody {
    items: Box<[Any]>,
    kind: Kind,
    element_cache: ElementCache,
    made: ObjectCache,
}

body!(TupleBody, "pairbond.Tuple");

// Nothing can be emptied: a cycle through it is broken elsewhere.
trace_fields! { TupleBody: items;
    fn is_shareable(&self) -> Option<bool> {
        Some(crate::trace::Reach::is_native(|reach| {
            self.kind.visit_reachable(reach)
        }))
    }
}

impl Drop for TupleBody {
    fn drop(&mut self) {
        Any::discard_all(&mut std::mem::take(&mut self.items).into_vec());
    }
}

impl TupleBody {
    /// A tuple of anything.
    #[must_use]
    pub fn of_anything(items: Vec<Any>) -> Self {
        TupleBody {
            items: items.into(),
            kind: Kind::of::<Any>(),
            element_cache: ElementCache::new(),
            made: ObjectCache::new(),
        }
    }

    /// Returns the kind of the elements.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A tuple of elements that were checked.
    pub fn of_kind(kind: Kind, items: Vec<Any>) -> Self {
        TupleBody {
            items: items.into(),
            kind,
            element_cache: ElementCache::new(),
            made: ObjectCache::new(),
        }
    }

    /// A tuple of the same kind of elements. They are the caller's to have checked.
    #[must_use]
    pub fn with_same_kind(&self, items: Vec<Any>) -> Self {
        TupleBody {
            items: items.into(),
            kind: self.kind,
            element_cache: ElementCache::new(),
            made: ObjectCache::new(),
        }
    }

    /// A tuple of what a field of a type made at run time holds. They are the caller's to have
    /// checked.
    #[must_use]
    pub fn with_field_kind(kind: &'static FieldKind, items: Vec<Any>) -> Self {
        TupleBody {
            items: items.into(),
            kind: Kind::of_field(kind),
            element_cache: ElementCache::new(),
            made: ObjectCache::new(),
        }
    }

    /// Whether it takes the same elements.
    #[must_use]
    pub fn is_of(&self, kind: &'static FieldKind) -> bool {
        self.kind.is_same(Kind::of_field(kind))
    }

    /// The items.
    #[inline]
    #[must_use]
    pub fn items(&self) -> &[Any] {
        &self.items
    }

    /// Returns the cache for the frontend of the tuple's wrapper.
    #[inline]
    #[must_use]
    pub fn element_cache(&self) -> &ElementCache {
        &self.element_cache
    }

    /// The cached objects for the tuple's elements.
    #[inline]
    #[must_use]
    pub fn object_cache(&self) -> &ObjectCache {
        &self.made
    }

    /// Whether a value could be an element.
    ///
    /// # Errors
    /// `TypeError`
    pub fn check_value(&self, value: Any) -> Result<Any, Error> {
        self.kind.check_value(value, "this tuple holds")
    }

    /// The hash, which is that of a Python tuple with the same elements.
    ///
    /// # Errors
    /// An element is not hashable, or what hashing it raised.
    pub fn hash(&self) -> Result<i64, Error> {
        hash_sequence(self.items.iter().map(|item| item.view().hash()))
    }

    pub(super) fn is_equal(&self, other: &Self) -> Result<bool, Error> {
        if self.items.len() != other.items.len() {
            return Ok(false);
        }
        for (a, b) in self.items.iter().zip(&other.items) {
            if !keys_equal(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A sequence that never changes. Cloning it counts a reference. It can be a key when its elements
/// can.
///
/// ```
/// use pairbond_value::value::Tuple;
///
/// let shape: Tuple<i64> = [2, 3].into_iter().collect();
/// assert_eq!(shape.iter().product::<i64>(), 6);
/// assert_eq!((shape.len(), shape.get(2)), (2, None));
/// ```
pub struct Tuple<T: Element> {
    body: Ref<TupleBody>,
    _type: PhantomData<fn() -> T>,
}

handle!(Tuple<T: Element>, TupleBody);

impl<T: Element> Tuple<T> {
    pub(crate) fn from_items(items: Box<[Any]>) -> Self {
        Self::from_body(Ref::new(TupleBody {
            items,
            kind: Kind::of::<T>(),
            element_cache: ElementCache::new(),
            made: ObjectCache::new(),
        }))
    }

    pub(crate) fn type_name() -> Cow<'static, str> {
        Cow::Owned(format!("a pairbond.Tuple of {}", T::type_name()))
    }

    pub(crate) fn kinds_match(body: &TupleBody) -> bool {
        body.kind.is_same(Kind::of::<T>())
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.body.items.is_empty()
    }

    /// The element at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T::Value> {
        self.body.items.get(index).and_then(T::from_any)
    }

    /// The elements.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T::Value> + '_ {
        self.body
            .items
            .iter()
            .map(|item| T::from_any(item).expect("elements were checked when they came in"))
    }
}

impl<T: Element> Default for Tuple<T> {
    fn default() -> Self {
        Self::from_items(Box::default())
    }
}

impl<T: Element> FromIterator<T::Value> for Tuple<T> {
    fn from_iter<I: IntoIterator<Item = T::Value>>(iter: I) -> Self {
        Self::from_items(iter.into_iter().map(T::to_any).gather().into())
    }
}

impl<T: Element> fmt::Debug for Tuple<T>
where
    T::Value: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
