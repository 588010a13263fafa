//! [`Members`]: objects by address, and what stands for each: a number, or another object.

use std::collections::{HashMap, TryReserveError};

use pairbond_core::object::{Borrow, ErasedRef};
use pairbond_macros::{methods, object};
use pairbond_value::value::{Any, Cell};

/// Objects that belong to graphs that were taken. They stay alive as long as this does, so that no
/// address is used again.
#[object("pairbond._Members", sealed, opaque, crate = crate::expansion)]
#[derive(Default)]
pub(crate) struct Members {
    #[untraced]
    places: Cell<HashMap<usize, Place>>,
    objects: Cell<Vec<ErasedRef>>,
}

/// Where an object belongs: the graph's number and its own in that.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) graph: i64,
    pub(super) number: i64,
}

pub(super) fn address(object: &ErasedRef) -> usize {
    std::ptr::from_ref(object.header()).addr()
}

impl Members {
    pub(super) fn place(&self, object: &ErasedRef) -> Option<Place> {
        let address = address(object);
        self.places.with(|places| places.get(&address).copied())
    }

    pub(super) fn add(&self, objects: Vec<ErasedRef>, graph: i64, first: i64) -> Result<(), TryReserveError> {
        self.objects.update(|all| all.try_reserve(objects.len()))?;
        self.places.update(|places| {
            places.try_reserve(objects.len())?;
            for (number, object) in (first..).zip(&objects) {
                places.entry(address(object)).or_insert(Place { graph, number });
            }
            Ok::<(), TryReserveError>(())
        })?;
        self.objects.update(|all| all.extend(objects));
        Ok(())
    }
}

#[methods(crate = crate::expansion)]
impl Members {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The graph's number and the object's own.
    fn find(&self, object: Any) -> Option<(i64, i64)> {
        match &object {
            Any::Object(object) => self.place(object).map(|place| (place.graph, place.number)),
            _ => None,
        }
    }

    /// Removes the objects of a graph that was not written.
    fn forget(&self, graph: i64) {
        self.places
            .update(|places| places.retain(|_, place| place.graph != graph));
        let all = self.objects.replace(Vec::new());
        // Dropping an object may run any code, so it happens under no lock.
        let (kept, gone): (Vec<_>, Vec<_>) = all.into_iter().partition(|object| self.place(object).is_some());
        self.objects.update(|objects| objects.extend(kept));
        drop(gone);
    }

    /// The number of objects.
    fn __len__(&self) -> usize {
        self.objects.with(Vec::len)
    }
}

pub(super) type Lent<'a> = Borrow<'a, Members>;
