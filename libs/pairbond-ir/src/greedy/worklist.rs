//! [`Worklist`]: operations that the driver has yet to visit. It listens to the driver's own edits.

use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond::memory::or_unwind;
use pairbond::prelude::*;

use crate::fast::{FastMap, object_address};
use crate::ir::{Operation, operand_definers};
use crate::rewrite::Listener;
use crate::room::Room;

/// Operations, the last one first, each once. It holds them, so that no address is used twice
/// meanwhile.
#[derive(Default)]
pub(super) struct Worklist(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    order: Vec<Option<Ref<Operation>>>,
    places: FastMap<usize, usize>,
}

impl Waiting {
    fn push(&mut self, op: Ref<Operation>) {
        if let Entry::Vacant(place) = self.places.room().entry(object_address(&op)) {
            let order = self.order.room();
            place.insert(order.len());
            order.push(Some(op));
        }
    }
}

impl Worklist {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one, if it is not there yet.
    pub(super) fn push(&self, op: &Ref<Operation>) {
        self.lock().push(op.clone());
    }

    /// Adds those that are not there yet, so that the first comes first.
    pub(super) fn push_all(&self, all: Vec<Ref<Operation>>) {
        let mut waiting = self.lock();
        or_unwind(waiting.order.try_reserve(all.len()));
        or_unwind(waiting.places.try_reserve(all.len()));
        all.into_iter().rev().for_each(|op| waiting.push(op));
    }

    pub(super) fn pop(&self) -> Option<Ref<Operation>> {
        let mut waiting = self.lock();
        loop {
            if let Some(op) = waiting.order.pop()? {
                waiting.places.remove(&object_address(&op));
                return Some(op);
            }
        }
    }

    fn remove(&self, op: &Ref<Operation>) {
        let mut waiting = self.lock();
        let place = waiting.places.remove(&object_address(op));
        let gone = place.and_then(|place| waiting.order[place].take());
        drop(waiting);
        drop(gone);
    }

    /// The operations that compute an operation's operands: they may have become dead.
    fn push_definers(&self, op: &Ref<Operation>) {
        operand_definers(op).iter().for_each(|it| self.push(it));
    }
}

impl Listener for Worklist {
    fn inserted(&self, op: &Ref<Operation>) -> Result<()> {
        self.push(op);
        Ok(())
    }

    fn modified(&self, op: &Ref<Operation>) -> Result<()> {
        self.push(op);
        Ok(())
    }

    fn erased(&self, op: &Ref<Operation>) -> Result<()> {
        self.push_definers(op);
        self.remove(op);
        Ok(())
    }
}
