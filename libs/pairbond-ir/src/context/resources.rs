//! [`Resources`]: large data that attributes refer to by name. As with MLIR, what was read stays as long as the context, and names are never used twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Data by name: four bytes for the alignment, then the bytes themselves, as in texts.
#[derive(Default)]
pub(crate) struct Resources(Mutex<HashMap<Box<str>, Arc<[u8]>>>);

impl Resources {
    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<[u8]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps data under a name, or the first of `name_1`, `name_2`, … that is free; that name.
    pub(crate) fn add(&self, name: &str, data: Arc<[u8]>) -> Box<str> {
        let mut all = self.lock();
        let mut free: Box<str> = name.into();
        let mut number = 0_u64;
        while all.contains_key(&free) {
            number += 1;
            free = format!("{name}_{number}").into();
        }
        all.insert(free.clone(), data);
        free
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<[u8]>> {
        self.lock().get(name).cloned()
    }
}
