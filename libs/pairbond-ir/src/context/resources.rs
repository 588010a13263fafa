//! [`Resources`]: large data that attributes refer to by name. As with MLIR, what was read stays as long as the context, and names are never used twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Data by name, as soon as it is known: four bytes for the alignment, then the bytes themselves, as in texts.
type Data = HashMap<Box<str>, Option<Arc<[u8]>>>;

/// The data of a context.
#[derive(Default)]
pub(crate) struct Resources(Mutex<Data>);

impl Resources {
    fn lock(&self) -> MutexGuard<'_, Data> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a name, or the first of `name_1`, `name_2`, … that is free; that name. It has no data yet.
    pub(crate) fn declare(&self, name: &str) -> Box<str> {
        let mut all = self.lock();
        let mut free: Box<str> = name.into();
        let mut number = 0_u64;
        while all.contains_key(&free) {
            number += 1;
            free = format!("{name}_{number}").into();
        }
        all.insert(free.clone(), None);
        free
    }

    /// Keeps the data of a name.
    pub(crate) fn define(&self, name: &str, data: Arc<[u8]>) {
        self.lock().insert(name.into(), Some(data));
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<[u8]>> {
        self.lock().get(name).cloned().flatten()
    }
}
