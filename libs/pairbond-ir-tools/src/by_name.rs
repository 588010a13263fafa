//! [`ByName`]: what follows from the names of operations, found out once for each.

use pairbond::prelude::*;

use crate::fast::FastMap;
use crate::room::Room;

/// Names that are looked at before the table: mostly there are few in turn.
pub const RECENT: usize = 16;

/// The results of a function by name, for one pass over operations.
pub struct ByName<T, F> {
    find: F,
    all: Vec<(Str, T)>,
    places: FastMap<Str, usize>,
    /// By the length and the last bytes of a name, a place of `all`.
    recent: [usize; RECENT],
}

impl<T, F: FnMut(&str) -> T> ByName<T, F> {
    /// Returns a table that has asked for nothing yet.
    pub fn new(find: F) -> Self {
        ByName {
            find,
            all: Vec::new(),
            places: FastMap::default(),
            recent: [0; RECENT],
        }
    }

    /// Returns the result for a name.
    pub fn get_or_find(&mut self, name: &Str) -> &T {
        let slot = slot_index(name);
        let known = self.all.get(self.recent[slot]);
        if known.is_none_or(|it| *it.0 != **name) {
            self.recent[slot] = self.look_up(name);
        }
        &self.all[self.recent[slot]].1
    }

    #[cold]
    fn look_up(&mut self, name: &Str) -> usize {
        if let Some(known) = self.places.get(&**name) {
            return *known;
        }
        let place = self.all.len();
        let found = (self.find)(name);
        self.all.room().push((name.clone(), found));
        self.places.room().insert(name.clone(), place);
        place
    }
}

/// The place of a name among the recent ones, by its length and its last bytes.
#[inline]
#[must_use]
pub fn slot_index(name: &str) -> usize {
    let end = match name.as_bytes() {
        [.., before, last] => usize::from(*last) ^ usize::from(*before) << 1,
        _ => 0,
    };
    (end ^ end >> 4 ^ name.len()) % RECENT
}

#[cfg(test)]
mod tests {
    use pairbond::prelude::*;

    use super::ByName;

    #[test]
    fn each_name_is_looked_up_once() {
        let mut asked = Vec::new();
        let mut lengths = ByName::new(|name| {
            asked.push(name.to_owned());
            name.len()
        });
        let names: Vec<Str> = (0..100).map(|it| Str::from(format!("arith.op{it}"))).collect();
        for name in names.iter().chain(&names) {
            assert_eq!(*lengths.get_or_find(name), name.len());
            assert_eq!(*lengths.get_or_find(name), name.len());
        }
        assert_eq!(asked.len(), 100);
    }
}
