//! [`Storage`]: the numbers that a tensor and its views share.

use std::sync::atomic::{AtomicU64, Ordering};

use pairbond::memory::Gather;
use pairbond::prelude::*;

use crate::data::{Block, DType, Element, Geometry, Memory, dispatch};

/// How often a tensor was written to.
#[derive(Debug, Default)]
pub(super) struct Counter {
    version: AtomicU64,
    /// The last operation that wrote.
    writer: Cell<&'static str>,
}

impl Counter {
    /// One that goes on from there.
    pub(super) fn starting_at(version: u64) -> Counter {
        Counter {
            version: AtomicU64::new(version),
            writer: Cell::new(""),
        }
    }

    #[inline]
    pub(super) fn write_version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Counts a write by an operation of that name.
    pub(super) fn count_write(&self, operation: &'static str) {
        self.writer.set(operation);
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn last_writer(&self) -> &'static str {
        self.writer.get()
    }
}

/// The numbers that a tensor and its views share.
///
/// They are this storage's own until they are shared (with numpy, by DLPack), or belong to another
/// library from the beginning. Then they lie in an array, which Python may write to at any time,
/// and a computation takes a copy of that moment.
#[pairbond::object("pairbond_autograd.Storage", opaque)]
pub struct Storage {
    #[untraced]
    memory: Cell<Memory>,
    /// The numbers, when `memory` says that they are elsewhere. Once there is an array, it stays.
    array: Cell<Option<Array>>,
    /// The writes by tensors that were not given this memory later.
    #[untraced]
    counter: Counter,
    dtype: DType,
    /// Which of the numbers the tensor has that it was made for.
    #[untraced]
    geometry: Geometry,
}

impl Storage {
    #[inline]
    pub(crate) fn from_memory(memory: Memory, geometry: Geometry) -> Ref<Storage> {
        Storage::with_array(memory, None, geometry)
    }

    /// The numbers of an array, which others have as well, in its order.
    pub(crate) fn from_array(array: Array, dtype: DType, geometry: Geometry) -> Ref<Storage> {
        Storage::with_array(Memory::Elsewhere(dtype), Some(array), geometry)
    }

    #[inline]
    fn with_array(memory: Memory, array: Option<Array>, geometry: Geometry) -> Ref<Storage> {
        Ref::new(Storage {
            dtype: memory.dtype(),
            memory: Cell::new(memory),
            array: Cell::new(array),
            counter: Counter::default(),
            geometry,
        })
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    #[inline]
    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// How many numbers there are.
    pub(crate) fn len(&self) -> usize {
        match self
            .array
            .with(|array| array.as_ref().map(|array| array.shape().iter().product()))
        {
            Some(len) => len,
            None => self.memory.with(Memory::len),
        }
    }

    /// The numbers as they are now.
    #[inline]
    pub(crate) fn read_memory(&self) -> Memory {
        match self.memory.get() {
            Memory::Elsewhere(_) => self.copy_memory(),
            memory => memory,
        }
    }

    /// A copy of what others may write to.
    #[cold]
    fn copy_memory(&self) -> Memory {
        dispatch!(self.dtype, E => self.array.with(|array| {
            let view = array.as_ref().and_then(|array| array.view::<<E as Element>::Number>().ok());
            Memory::from_vec(view.map_or_else(Vec::new, |view| view.iter().map(E::of_number).gather()))
        }))
    }

    /// Changes the numbers; no other thread changes them meanwhile. `write` takes no other
    /// storage's lock.
    pub(crate) fn write_memory<R>(&self, write: impl FnOnce(&mut Memory) -> R) -> R {
        let mut write = Some(write);
        let done = self.memory.update(|memory| match memory {
            Memory::Elsewhere(_) => None,
            memory => write.take().map(|write| write(memory)),
        });
        match (done, write) {
            (Some(done), _) => done,
            (None, Some(write)) => self.write_elsewhere(write),
            (None, None) => unreachable!("it was called, or it is still there"),
        }
    }

    /// Changes a copy, and writes back the numbers that differ: others write to the rest meanwhile.
    #[cold]
    fn write_elsewhere<R>(&self, write: impl FnOnce(&mut Memory) -> R) -> R {
        let before = self.copy_memory();
        let mut after = before.clone();
        let result = write(&mut after);
        let array = self.array.get();
        dispatch!(self.dtype, E => {
            let changes = before.typed_slice::<E>().iter().zip(after.typed_slice::<E>());
            if let Some(view) = array.as_ref().and_then(|array| array.view::<<E as Element>::Number>().ok()) {
                for (place, (_, &new)) in changes.enumerate().filter(|(_, (old, new))| !old.same_repr(**new)) {
                    // Only arrays that can be written become storages.
                    let _ = view.set(&unravel_index(place, view.shape()), new.to_number());
                }
            }
        });
        result
    }

    /// The numbers where others can look at them, too, from now on.
    pub(crate) fn share_array(&self) -> Result<Array> {
        let made = self.memory.update(|memory| {
            if let Memory::Elsewhere(_) = memory {
                return Ok(());
            }
            let own = std::mem::replace(memory, Memory::Elsewhere(self.dtype));
            let array = dispatch!(self.dtype, E => {
                let numbers = E::into_block(own).map_or_else(Vec::new, Block::into_vec);
                // The same memory: they are the same type.
                let numbers: Vec<_> = numbers.into_iter().map(E::to_number).gather();
                Array::from_vec(&[numbers.len()], numbers)
            });
            array.map(|array| self.array.set(Some(array)))
        });
        made?;
        self.array
            .get()
            .ok_or_else(|| Error::runtime_error("a collector has emptied the storage"))
    }

    /// The address of the numbers. They are not shared with other storages from then on.
    pub(crate) fn data_address(&self) -> usize {
        let own = self.memory.update(|memory| match memory {
            Memory::Elsewhere(_) => None,
            memory => Some(dispatch!(self.dtype, E => memory.slice_mut::<E>().as_ptr().addr())),
        });
        own.or_else(|| self.array.with(|array| array.as_ref().map(Array::address)))
            .unwrap_or(0)
    }

    #[inline]
    pub(super) fn write_counter(&self) -> &Counter {
        &self.counter
    }
}

/// The indices of the element that comes at that place.
fn unravel_index(mut place: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (at, &len) in index.iter_mut().zip(shape).rev() {
        *at = place % len.max(1);
        place /= len.max(1);
    }
    index
}

#[pairbond::methods]
impl Storage {
    fn __len__(&self) -> usize {
        self.len()
    }

    #[getter(dtype)]
    fn get_dtype(&self) -> DType {
        self.dtype
    }

    /// How many bytes the numbers take.
    fn nbytes(&self) -> usize {
        self.len() * self.dtype.element_size()
    }

    /// Where the numbers lie.
    fn data_ptr(&self) -> usize {
        self.data_address()
    }

    /// A copy of the numbers.
    #[name("_copy")]
    fn copy_array(&self) -> Result<Array> {
        let memory = self.read_memory();
        dispatch!(self.dtype, E => {
            let numbers: Vec<_> = memory.typed_slice::<E>().iter().map(|number| number.to_number()).gather();
            Array::from_vec(&[numbers.len()], numbers)
        })
    }

    /// The numbers, in a list.
    fn tolist(&self) -> super::lists::Lists {
        let memory = self.read_memory();
        dispatch!(self.dtype, E => super::lists::flat_list(memory.typed_slice::<E>()))
    }
}
