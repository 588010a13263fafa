//! [`Storage`]: the numbers that a tensor and its views share.

use std::sync::atomic::{AtomicU64, Ordering};

use pairbond::prelude::*;

use super::{DType, Memory};

/// The numbers that a tensor and its views share.
#[pairbond::object("pairbond_autograd.Storage", opaque)]
pub struct Storage {
    #[untraced]
    memory: Cell<Memory>,
    /// How often it was written to.
    #[untraced]
    version: AtomicU64,
    /// What wrote last.
    #[untraced]
    writer: Cell<&'static str>,
    dtype: DType,
}

impl Storage {
    #[inline]
    pub(crate) fn of(memory: Memory) -> Ref<Storage> {
        Ref::new(Storage {
            dtype: memory.dtype(),
            memory: Cell::new(memory),
            version: AtomicU64::new(0),
            writer: Cell::new(""),
        })
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// The numbers as they are now.
    #[inline]
    pub(crate) fn read(&self) -> Memory {
        self.memory.get()
    }

    /// Changes the numbers; nobody else does meanwhile. `write` takes no other storage's lock.
    pub(crate) fn write<R>(&self, write: impl FnOnce(&mut Memory) -> R) -> R {
        self.memory.update(write)
    }

    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Says that `operation` wrote.
    pub(crate) fn written(&self, operation: &'static str) {
        self.writer.set(operation);
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    /// What wrote last.
    pub(crate) fn writer(&self) -> &'static str {
        self.writer.get()
    }
}

#[pairbond::methods]
impl Storage {
    fn __len__(&self) -> usize {
        self.memory.with(Memory::len)
    }

    #[getter(dtype)]
    fn get_dtype(&self) -> DType {
        self.dtype
    }
}
