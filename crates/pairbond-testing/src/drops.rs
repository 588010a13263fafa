//! How often something was dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the drops of the [`Drops`] that it gives out.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicUsize>);

impl Counter {
    /// Counts from 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many were dropped.
    #[must_use]
    pub fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// Something whose drop is counted.
    #[must_use]
    pub fn drop_probe(&self) -> Drops {
        Drops(self.clone())
    }
}

/// Counts its own drop.
#[derive(Debug)]
pub struct Drops(Counter);

impl Drop for Drops {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
    }
}
