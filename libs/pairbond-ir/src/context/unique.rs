//! [`Table`]: finds the one object for a key.
//!
//! The table holds weak references. A weak reference may have to wait for an interpreter when it is
//! upgraded, so that never happens under the table's lock: candidates are copied out, tried
//! outside, and the table is asked again if another thread has added one meanwhile. An object takes
//! its entry out when it dies ([`Table::remove_entry`]), by a number that is never used twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{MutexGuard, PoisonError};

use pairbond::Object;
use pairbond::fork::Mutex;
use pairbond::prelude::*;

use super::Context;
use crate::fast::FastHasher;
use crate::room::{Gather, Grow, Room};

/// A type of objects of which there is one for each key.
pub(crate) trait Uniqued: Object + Send + Sync + Sized + 'static {
    type Key: Hash;

    /// Whether this is the object for the key.
    fn is_of(&self, key: &Self::Key) -> bool;
    /// Whether this has the same key as another.
    fn is_like(&self, other: &Self) -> bool;
    /// Makes it. `hash` and `id` are for [`Table::remove_entry`].
    fn make_object(context: &Ref<Context>, key: Self::Key, hash: u64, id: u64) -> Ref<Self>;
}

/// Whether these are the same objects: unique objects are equal if they are identical.
pub(crate) fn are_identical<T: Object>(these: &[Ref<T>], those: &[Ref<T>]) -> bool {
    these.len() == those.len() && these.iter().zip(those).all(|(a, b)| a.is(b))
}

/// The objects of one kind. Each bucket lists those whose keys hash alike, with the numbers of
/// their entries.
pub(crate) struct Table<T: Uniqued> {
    buckets: Mutex<Buckets<T>>,
}

type Buckets<T> = HashMap<u64, Bucket<T>, BuildHasherDefault<Already>>;

/// At least one entry. There is hardly ever more than one.
enum Bucket<T: Object> {
    One((u64, Weak<T>)),
    Several(Vec<(u64, Weak<T>)>),
}

impl<T: Object> Bucket<T> {
    fn as_slice(&self) -> &[(u64, Weak<T>)] {
        match self {
            Bucket::One(one) => std::slice::from_ref(one),
            Bucket::Several(all) => all,
        }
    }

    fn push(&mut self, entry: (u64, Weak<T>)) {
        let mut all = match std::mem::replace(self, Bucket::Several(Vec::new())) {
            Bucket::One(one) => vec![one],
            Bucket::Several(all) => all,
        };
        all.room().push(entry);
        *self = Bucket::Several(all);
    }

    /// Takes an entry out of several.
    fn remove(&mut self, id: u64) -> Option<(u64, Weak<T>)> {
        match self {
            Bucket::One(_) => None,
            Bucket::Several(all) => {
                let place = all.iter().position(|(known, _)| *known == id)?;
                Some(all.swap_remove(place))
            }
        }
    }
}

/// Numbers of entries, for all tables of the process.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl<T: Uniqued> Table<T> {
    pub(crate) fn new() -> Self {
        Table {
            buckets: Mutex::new(HashMap::default()),
        }
    }

    /// Nothing that runs under the lock can panic, except for want of memory.
    fn lock(&self) -> MutexGuard<'_, Buckets<T>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().values().map(|it| it.as_slice().len()).sum()
    }

    /// The object for a key; makes it if there is none.
    pub(crate) fn get(&self, context: &Ref<Context>, key: T::Key) -> Ref<T> {
        let mut hasher = FastHasher::default();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        let likely = self
            .lock()
            .get(&hash)
            .and_then(|it| it.as_slice().first())
            .cloned();
        let mut tried = Vec::new();
        if likely.is_some() {
            let is_it = |candidate: &T| candidate.is_of(&key);
            if let Some(found) = first_match(likely.as_slice(), is_it) {
                return found;
            }
            tried = self.candidates(hash);
            if let Some(found) = first_match(&tried, is_it) {
                return found;
            }
        }
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let made = T::make_object(context, key, hash, id);
        loop {
            let mut buckets = self.lock();
            let mut bucket = match buckets.room().entry(hash) {
                Entry::Vacant(place) => {
                    place.insert(Bucket::One((id, made.downgrade())));
                    return made;
                }
                Entry::Occupied(bucket) => bucket,
            };
            let unknown =
                (bucket.get().as_slice().iter()).filter(|(id, _)| tried.iter().all(|(known, _)| known != id));
            let unknown: Vec<_> = unknown.cloned().gather();
            if unknown.is_empty() {
                bucket.get_mut().push((id, made.downgrade()));
                return made;
            }
            drop(buckets);
            // Another thread was faster, perhaps with this very one. Ours has no entry to be
            // forgotten.
            if let Some(found) = first_match(&unknown, |candidate| candidate.is_like(&made)) {
                return found;
            }
            tried.grow(unknown);
        }
    }

    fn candidates(&self, hash: u64) -> Vec<(u64, Weak<T>)> {
        let buckets = self.lock();
        buckets
            .get(&hash)
            .map_or_else(Vec::new, |it| it.as_slice().iter().cloned().gather())
    }

    /// Takes an entry out, if there is one.
    pub(crate) fn remove_entry(&self, hash: u64, id: u64) {
        let mut buckets = self.lock();
        // Not by an entry, which takes room for one more.
        let Some(bucket) = buckets.get_mut(&hash) else {
            return;
        };
        let is_only = matches!(bucket.as_slice(), [(known, _)] if *known == id);
        let gone = match is_only {
            true => (None, buckets.remove(&hash)),
            false => (bucket.remove(id), None),
        };
        drop(buckets);
        drop(gone);
    }
}

fn first_match<T: Uniqued>(candidates: &[(u64, Weak<T>)], is_it: impl Fn(&T) -> bool) -> Option<Ref<T>> {
    let living = candidates.iter().filter_map(|(_, weak)| weak.upgrade());
    living.into_iter().find(|candidate| is_it(candidate))
}

/// For keys that are hashes already.
#[derive(Default)]
pub(crate) struct Already(u64);

impl Hasher for Already {
    fn write(&mut self, _: &[u8]) {
        unreachable!("the keys are u64");
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
    fn finish(&self) -> u64 {
        self.0
    }
}
