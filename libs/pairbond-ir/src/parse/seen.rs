//! [`Seen`]: what pieces of the text were read as.

use std::cell::Cell;

use crate::fast::FastMap;
use crate::room::Room;

/// How many pieces are known at most.
const MOST: usize = 1 << 16;

/// After how many pieces it is decided whether to look on.
const AT_ONCE: u32 = 256;

/// Of how many times as many pieces these are where hardly any comes again.
const SAMPLE: u32 = 16;

/// Values that were read before, by their text. It is emptied when it is full.
pub(super) struct Seen<T> {
    known: FastMap<Box<str>, T>,
    /// How often a piece was asked for, and was known.
    asked: Cell<u32>,
    found: Cell<u32>,
    /// How many more pieces are not to be looked up.
    passed: u32,
}

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Seen {
            known: FastMap::default(),
            asked: Cell::new(0),
            found: Cell::new(0),
            passed: 0,
        }
    }
}

impl<T: Clone> Seen<T> {
    pub(super) fn get(&self, text: &str) -> Option<T> {
        let found = self.known.get(text).cloned();
        self.asked.set(self.asked.get().wrapping_add(1));
        self.found
            .set(self.found.get().wrapping_add(u32::from(found.is_some())));
        found
    }

    /// Whether to look the next piece up: hardly ever where few of those before came again, each of
    /// which cost more than it would to read them.
    pub(super) fn is_worth_it(&mut self) -> bool {
        if self.asked.get() >= AT_ONCE && self.found.take() < self.asked.take() / 4 {
            self.passed = AT_ONCE * (SAMPLE - 1);
            self.known.clear();
        }
        self.passed = self.passed.saturating_sub(1);
        self.passed == 0
    }

    pub(super) fn insert(&mut self, text: Box<str>, found: T) {
        if self.known.len() == MOST {
            self.known.clear();
        }
        self.known.room().insert(text, found);
    }
}
