//! [`Snapshot`]: a tensor with the numbers that it has at one moment.
//!
//! `tensor.data = other` gives a tensor other numbers while other threads compute with it. So an
//! operation reads storage and geometry once, together, when it is handed the tensor, and every
//! part of it works on that. Results of operations are snapshots, too.

use std::ops::Deref;
use std::sync::Arc;

use pairbond::convert::{FromValue, Mismatch, Source};
use pairbond::prelude::*;
use pairbond::trace::Untraced;

use super::storage::Counter;
use super::{Storage, Tensor};
use crate::data::{DType, Geometry};

/// How the library hands tensors around.
pub(crate) type T = Snapshot;

/// The part of a storage that a tensor has, where it is not the one that the storage was created
/// for.
#[derive(Debug)]
pub(crate) struct Place {
    geometry: Geometry,
    /// Counts writes in the storage's place: of a tensor that was given other memory, which keeps
    /// its version, and of its views.
    counter: Option<Arc<Counter>>,
}

/// A storage, and which of its elements a tensor has.
#[derive(Clone)]
pub(crate) struct Numbers {
    storage: Ref<Storage>,
    /// `None`: the elements that the storage was made for.
    place: Option<Arc<Place>>,
}

/// [`Numbers`] as a field that collectors look into.
pub(super) type Field = Cell<(Ref<Storage>, Untraced<Option<Arc<Place>>>)>;

impl Numbers {
    /// All elements of a storage, as it was made for them.
    #[inline]
    pub(crate) fn whole_storage(storage: Ref<Storage>) -> Numbers {
        Numbers { storage, place: None }
    }

    /// Elements of a storage.
    pub(crate) fn with_geometry(storage: Ref<Storage>, geometry: Geometry) -> Numbers {
        Numbers::with_counter(storage, geometry, None)
    }

    fn with_counter(storage: Ref<Storage>, geometry: Geometry, counter: Option<Arc<Counter>>) -> Numbers {
        let is_whole = counter.is_none() && geometry == *storage.geometry();
        let place = (!is_whole).then(|| Arc::new(Place { geometry, counter }));
        Numbers { storage, place }
    }

    /// Other elements of the same storage, whose writes are counted together with these.
    pub(crate) fn view_with(&self, geometry: Geometry) -> Numbers {
        let counter = self.place.as_ref().and_then(|place| place.counter.clone());
        Numbers::with_counter(self.storage.clone(), geometry, counter)
    }

    /// The same elements, whose writes are counted apart.
    pub(crate) fn without_counter(&self) -> Numbers {
        self.counted_by(Arc::default())
    }

    fn counted_by(&self, counter: Arc<Counter>) -> Numbers {
        Numbers::with_counter(self.storage.clone(), self.geometry().clone(), Some(counter))
    }

    #[inline]
    pub(super) fn into_field(self) -> Field {
        Cell::new((self.storage, Untraced(self.place)))
    }

    #[inline]
    pub(super) fn of_field(field: &Field) -> Numbers {
        let (storage, Untraced(place)) = field.get();
        Numbers { storage, place }
    }

    /// Puts these numbers in the place of a tensor's, which keeps its version.
    pub(super) fn store_into(&self, field: &Field) {
        let before = field.update(|(storage, place)| {
            let before = Numbers {
                storage: storage.clone(),
                place: place.0.take(),
            };
            let counter = before.place.as_ref().and_then(|place| place.counter.clone());
            let counter = counter.unwrap_or_else(|| Arc::new(Counter::starting_at(before.write_version())));
            let now = self.counted_by(counter);
            (*storage, place.0) = (now.storage, now.place);
            before
        });
        // Outside of the lock: memory is given back, perhaps an array of Python's.
        drop(before);
    }

    #[inline]
    pub(crate) fn storage(&self) -> &Ref<Storage> {
        &self.storage
    }

    #[inline]
    pub(crate) fn geometry(&self) -> &Geometry {
        match &self.place {
            None => self.storage.geometry(),
            Some(place) => &place.geometry,
        }
    }

    #[inline]
    pub(crate) fn shape(&self) -> &[usize] {
        &self.geometry().shape
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.storage.dtype()
    }

    pub(crate) fn numel(&self) -> usize {
        self.geometry().numel()
    }

    #[inline]
    fn write_counter(&self) -> &Counter {
        let own = self.place.as_ref().and_then(|place| place.counter.as_deref());
        own.unwrap_or_else(|| self.storage.write_counter())
    }

    /// How often the tensor was written to.
    #[inline]
    pub(crate) fn write_version(&self) -> u64 {
        self.write_counter().write_version()
    }

    /// Counts a write by an operation of that name.
    pub(crate) fn count_write(&self, operation: &'static str) {
        self.write_counter().count_write(operation);
    }

    /// The operation that wrote last.
    pub(crate) fn last_writer(&self) -> &'static str {
        self.write_counter().last_writer()
    }
}

/// A tensor with the numbers that it had when an operation was handed it.
#[derive(Clone)]
pub(crate) struct Snapshot {
    tensor: Ref<Tensor>,
    numbers: Numbers,
}

impl Snapshot {
    /// A tensor as it is now.
    #[inline]
    pub(crate) fn from_tensor(tensor: Ref<Tensor>) -> Snapshot {
        let numbers = tensor.current_numbers();
        Snapshot { tensor, numbers }
    }

    /// The other operand of an operation: as it is here, where both are one tensor.
    #[inline]
    pub(crate) fn unify_with(self, one: &Snapshot) -> Snapshot {
        if self.tensor.is(&one.tensor) {
            one.clone()
        } else {
            self
        }
    }

    /// A new tensor of these numbers.
    #[inline]
    pub(super) fn new(tensor: Tensor, numbers: Numbers) -> Snapshot {
        let tensor = Ref::new(tensor);
        Snapshot { tensor, numbers }
    }

    /// The same numbers of a tensor that got a history.
    #[inline]
    pub(crate) fn map_tensor(
        self,
        record: impl FnOnce(Ref<Tensor>) -> Result<Ref<Tensor>>,
    ) -> Result<Snapshot> {
        let (tensor, numbers) = (record(self.tensor)?, self.numbers);
        Ok(Snapshot { tensor, numbers })
    }

    /// The tensor, as an input of a node beside numbers.
    #[inline]
    pub(crate) fn as_tensor(&self) -> &Ref<Tensor> {
        &self.tensor
    }

    #[inline]
    pub(crate) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    #[inline]
    pub(crate) fn storage(&self) -> &Ref<Storage> {
        self.numbers.storage()
    }

    #[inline]
    pub(crate) fn geometry(&self) -> &Geometry {
        self.numbers.geometry()
    }

    #[inline]
    pub(crate) fn shape(&self) -> &[usize] {
        self.numbers.shape()
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.numbers.dtype()
    }

    pub(crate) fn numel(&self) -> usize {
        self.numbers.numel()
    }
}

/// The tensor, with its history.
impl Deref for Snapshot {
    type Target = Ref<Tensor>;

    #[inline]
    fn deref(&self) -> &Ref<Tensor> {
        &self.tensor
    }
}

impl From<Snapshot> for Ref<Tensor> {
    #[inline]
    fn from(snapshot: Snapshot) -> Ref<Tensor> {
        snapshot.tensor
    }
}

/// As an input of a node.
impl<'a> From<&'a Snapshot> for Option<&'a Ref<Tensor>> {
    #[inline]
    fn from(snapshot: &'a Snapshot) -> Option<&'a Ref<Tensor>> {
        Some(&snapshot.tensor)
    }
}

impl<'a> FromValue<'a> for Snapshot {
    fn expected_type() -> std::borrow::Cow<'static, str> {
        Ref::<Tensor>::expected_type()
    }

    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        Ref::from_value(source).map(Snapshot::from_tensor)
    }
}

/// A result on its way to Python.
#[inline]
pub(crate) fn into_tensor_result(result: Result<T>) -> Result<Ref<Tensor>> {
    result.map(T::into)
}
