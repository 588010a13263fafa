//! The queue of events on their way to Python, and the callbacks that wait for them; `releases.rs`
//! calls them.
//!
//! The queue takes [`ROOM`] events; what comes then is counted, and told as one event of kind
//! *lost*.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond_core::event::{Event, Kind};
use pairbond_core::runtime::waiting_releases;

use crate::owned::Owned;

/// How many events wait at most.
const ROOM: usize = 1 << 16;

/// A callback with the class of its argument.
pub(crate) struct Callback {
    pub(crate) id: usize,
    pub(crate) callback: Owned,
    pub(crate) class: Owned,
}

#[derive(Default)]
pub(crate) struct Queue {
    pub(crate) events: VecDeque<Event>,
    pub(crate) lost: u64,
}

/// The events that one interpreter observes.
pub(crate) struct Trace {
    pub(crate) queue: Mutex<Queue>,
    /// For attached threads; no Python code runs under the lock.
    pub(crate) callbacks: Mutex<Vec<Callback>>,
    pub(crate) next: AtomicUsize,
    pub(crate) delivering: AtomicBool,
}

pub(crate) fn lock_unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trace {
    pub(super) fn new() -> Self {
        Trace {
            queue: Mutex::default(),
            callbacks: Mutex::default(),
            next: AtomicUsize::new(1),
            delivering: AtomicBool::new(false),
        }
    }

    /// Notes an event, on any thread. `true`: it is the first that waits.
    pub(super) fn note(&self, tag: u16, event: &Event) -> bool {
        let elsewhere = event.interpreter != 0 && event.interpreter != tag;
        if elsewhere && !matches!(event.kind, Kind::Opened | Kind::Disarmed) {
            return false;
        }
        let mut queue = lock_unpoisoned(&self.queue);
        if queue.events.len() >= ROOM || queue.events.try_reserve(1).is_err() {
            queue.lost += 1;
            return false;
        }
        queue.events.push_back(*event);
        let first = queue.events.len() == 1;
        if first {
            waiting_releases().fetch_add(1, Ordering::AcqRel);
        }
        first
    }

    /// Takes what waits.
    pub(crate) fn take(&self) -> Queue {
        let taken = std::mem::take(&mut *lock_unpoisoned(&self.queue));
        if !taken.events.is_empty() {
            waiting_releases().fetch_sub(1, Ordering::AcqRel);
        }
        taken
    }
}
