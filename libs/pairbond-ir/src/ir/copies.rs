//! [`Copies`]: what values become, under the numbers of the originals.
//!
//! Each copy is found by weak references, which the operands of the copies take: a copy is used as
//! often as its original, so mostly all are taken in the end, and none is to be dropped. Somebody
//! may edit the originals meanwhile: then a count is not true, and all is copied again, carefully:
//! so that counts are not relied on.

use pairbond::memory::or_unwind;
use pairbond::prelude::*;
use pairbond::refs::Weaks;
use pairbond::tree::DetachedNode;

use super::Value;

/// See the head of this file.
#[derive(Default)]
pub(super) struct Copies {
    all: Vec<Weaks<Value>>,
    /// The first so many are no copies, and used as often as there are uses.
    given: usize,
    /// Whether each copy can be found for good.
    careful: bool,
    /// Whether one could not be found.
    missed: bool,
}

impl Copies {
    /// From here on all can be found for good.
    pub(super) fn be_careful(&mut self) {
        self.careful = true;
    }

    pub(super) fn have_missed(&self) -> bool {
        self.missed
    }

    pub(super) fn reserve(&mut self, more: usize) {
        or_unwind(self.all.try_reserve(more));
    }

    /// Sets the replacement of another value. Before all copies.
    pub(super) fn set_replacement(&mut self, value: &Ref<Value>) {
        self.all.push(Weaks::new(value, 1));
        self.given = self.all.len();
    }

    /// The copy of a value that is used so often.
    pub(super) fn add_copy(&mut self, value: &Ref<Value>, uses: u32) {
        self.all.push(Weaks::new(value, self.number_with_uses(uses)));
    }

    /// The same of one that is to be planted.
    #[inline]
    pub(super) fn add_seed(&mut self, value: &mut DetachedNode<Value>, uses: u32) {
        match self.number_with_uses(uses) {
            // It will not be looked up.
            0 => self.all.push(Weaks::default()),
            counted => self.all.push(value.downgrade(counted)),
        }
    }

    fn number_with_uses(&self, uses: u32) -> u32 {
        uses.saturating_add(self.careful.into())
    }

    /// Returns the copy with a number.
    #[inline]
    pub(super) fn find_copy(&mut self, number: u32) -> Option<&Weak<Value>> {
        let found = self.all[number as usize].weak();
        self.missed |= found.is_none();
        found
    }

    /// The same, for an operand that keeps it.
    #[inline]
    pub(super) fn take_copy(&mut self, number: u32) -> Option<Weak<Value>> {
        let weaks = &mut self.all[number as usize];
        if weaks.left() == 1 && (self.careful || (number as usize) < self.given) {
            return weaks.weak().cloned();
        }
        weaks.take()
    }
}
