//! [`Seen`]: what pieces of the text were read as.

use crate::fast::FastMap;
use crate::room::Room;

/// How many pieces are known at most.
const MOST: usize = 1 << 16;

/// Values that were read before, by their text. It is emptied when it is full.
pub(super) struct Seen<T>(FastMap<Box<str>, T>);

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Seen(FastMap::default())
    }
}

impl<T: Clone> Seen<T> {
    pub(super) fn get(&self, text: &str) -> Option<T> {
        self.0.get(text).cloned()
    }

    pub(super) fn insert(&mut self, text: Box<str>, found: T) {
        if self.0.len() == MOST {
            self.0.clear();
        }
        self.0.room().insert(text, found);
    }
}
