//! [`Numbered`]: which of many values one is.
//!
//! A value has room for a number, which any numbering of values writes. It is a hint: another may
//! write over it at any time. So it counts only if the value is the one of that number here; if it
//! is not, a table of all addresses is consulted, which is made when it is needed first.

use pairbond::memory::or_unwind;
use pairbond::prelude::*;
use pairbond::tree::{Found, TreeGuard};

use super::Value;
use crate::fast::FastMap;
use crate::room::Room;

/// Values by their numbers, and their numbers by them. By address: the caller keeps the values.
#[derive(Default)]
pub(super) struct Numbered {
    addresses: Vec<usize>,
    /// The numbers of the first so many, by address.
    table: FastMap<usize, u32>,
    in_table: usize,
    /// Whether values are added that may be there already. They have the last number that they were
    /// given.
    again: bool,
}

impl Numbered {
    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.addresses.len()
    }

    pub(super) fn reserve(&mut self, more: usize) {
        or_unwind(self.addresses.try_reserve(more));
    }

    /// From now on values may be added that are there.
    pub(super) fn expect_again(&mut self) {
        self.again = true;
    }

    /// Gives a value the next number.
    pub(super) fn assign_next(&mut self, guard: &TreeGuard, value: Found<'_, Value>) {
        if self.again
            && let Some(before) = self.number_of(guard, value)
        {
            self.addresses[before as usize] = 0;
        }
        value.get().set_number(guard, self.addresses.len() as u32);
        self.addresses.room().push(value.addr());
    }

    /// The number of a value.
    #[inline]
    pub(super) fn number_of(&mut self, guard: &TreeGuard, value: Found<'_, Value>) -> Option<u32> {
        let hint = value.get().value_number(guard);
        match self.addresses.get(hint as usize) {
            Some(address) if *address == value.addr() => Some(hint),
            _ => self.number_at(value.addr()),
        }
    }

    /// The number of what a weak reference was made of.
    #[inline]
    pub(super) fn of_weak(&mut self, guard: &TreeGuard, weak: &Weak<Value>) -> Option<u32> {
        match guard.upgrade_ref(weak) {
            Some(found) => self.number_of(guard, found),
            None => self.number_at(weak.addr()),
        }
    }

    /// The number of the value at an address.
    #[cold]
    pub(super) fn number_at(&mut self, address: usize) -> Option<u32> {
        let new = (self.in_table as u32..).zip(&self.addresses[self.in_table..]);
        for (number, address) in new {
            self.table.room().insert(*address, number);
        }
        self.in_table = self.addresses.len();
        let number = *self.table.get(&address)?;
        (self.addresses[number as usize] == address).then_some(number)
    }
}
