//! [`stats`]: counts of living and of collected objects.

use crate::memory::{Count, Room};
use crate::sync::statics::Ordering;
use crate::trace::collection_counts;
use crate::types::TypeInfo;
use crate::types::registered_types;

/// What there is in this process.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// Objects alive, of all types.
    pub objects: usize,
    /// How many of them have a wrapper.
    pub wrappers: usize,
    /// Native collections since the process began. (Collections of a language's own are its own to
    /// count.)
    pub collections: usize,
    /// Objects that they found unreachable.
    pub collected: usize,
    /// The types of which there are objects, in the order of their registration.
    pub types: Vec<TypeStats>,
}

/// What there is of one type. Objects of types that extend it are counted there, not here.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TypeStats {
    /// The type.
    pub info: &'static TypeInfo,
    /// Objects alive.
    pub objects: usize,
    /// How many of them have a wrapper.
    pub wrappers: usize,
}

/// Counts living objects. Making and dropping objects is counted by each thread for itself, so that
/// it costs a few instructions; the sum is exact when no other thread makes or drops objects
/// meanwhile.
///
/// ```
/// # use pairbond_core::stats::stats;
/// # use pairbond_value::value::{Any, List};
/// let before = stats().objects;
/// let list = List::<Any>::new();
/// list.push(Any::from("a text of some length"));
/// assert_eq!(stats().objects, before + 2);
/// drop(list);
/// assert_eq!(stats().objects, before);
/// ```
#[must_use]
pub fn stats() -> Stats {
    let total = collection_counts();
    let mut all = Stats {
        objects: 0,
        wrappers: 0,
        collections: total.runs.load(Ordering::Relaxed),
        collected: total.condemned.load(Ordering::Relaxed),
        types: Vec::new(),
    };
    for info in registered_types() {
        let Count { objects, wrappers } = info.object_count();
        // Negative only while other threads are at work.
        let (objects, wrappers) = (objects.max(0).unsigned_abs(), wrappers.max(0).unsigned_abs());
        all.objects += objects;
        all.wrappers += wrappers;
        if objects != 0 {
            all.types.room().push(TypeStats {
                info,
                objects,
                wrappers,
            });
        }
    }
    all
}
