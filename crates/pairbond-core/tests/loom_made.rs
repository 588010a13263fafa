//! Objects that were made for a sequence's elements, under a model checker: two threads offer and
//! look at once.
//!
//!     RUSTFLAGS="--cfg loom" cargo test -p pairbond-core --release --test loom_made
#![cfg(loom)]

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use loom::sync::atomic::AtomicUsize as Version;
use pairbond_core::CellLock;
use pairbond_value::value::ObjectCache;

/// Of no interpreter: nothing is released.
const TAG: u16 = 7;
const LOOKS_BEFORE: usize = 3;

fn object(number: usize) -> NonNull<c_void> {
    NonNull::new(std::ptr::without_provenance_mut(number)).unwrap()
}

/// Not yet worth it: the next offer is the first that counts.
fn nearly_worth_it() -> ObjectCache {
    let made = ObjectCache::new();
    for _ in 0..LOOKS_BEFORE {
        // SAFETY: no other thread looks; a number is not an object.
        assert!(!unsafe { made.offer_object(TAG, 0, 2, 0, object(9)) }.is_kept);
    }
    made
}

/// A tuple's: no lock, one version.
#[test]
fn each_place_is_filled_once_and_what_is_seen_stays() {
    static KEPT: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
    static SEEN: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(|| {
        let made = Arc::new(nearly_worth_it());
        let threads = [1, 2].map(|number| {
            let made = Arc::clone(&made);
            loom::thread::spawn(move || {
                // SAFETY: one version.
                let is_kept = unsafe { made.offer_object(TAG, 0, 2, 0, object(number)) }.is_kept;
                // SAFETY: one version.
                let seen = unsafe { made.get(TAG, 0, 0) }.map_or(0, |object| object.addr().get());
                assert!(!is_kept || seen == number, "who was kept is what everybody sees");
                SEEN[seen].fetch_add(1, Relaxed);
                (number, is_kept, seen)
            })
        });
        let outcomes = threads.map(|thread| thread.join().unwrap());
        // SAFETY: one version.
        let last = unsafe { made.get(TAG, 0, 0) }.map_or(0, |object| object.addr().get());
        for (number, is_kept, seen) in outcomes {
            assert_eq!(is_kept, last == number);
            assert!(seen == last, "seen {seen}, kept {last}");
        }
        KEPT[last].fetch_add(1, Relaxed);
    });
    for number in [1, 2] {
        assert!(KEPT[number].load(Relaxed) > 0 && SEEN[number].load(Relaxed) > 0);
    }
}

/// A list's: under its lock; another thread changes the list under it.
#[test]
fn nothing_of_an_older_version_is_seen_and_all_of_it_comes_out() {
    static OUTDATED: AtomicUsize = AtomicUsize::new(0);
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    struct List {
        lock: CellLock,
        version: Version,
        made: ObjectCache,
    }
    impl List {
        fn locked<R>(&self, act: impl FnOnce(usize) -> R) -> R {
            assert!(self.lock.lock());
            let result = act(self.version.load(Relaxed));
            self.lock.unlock();
            result
        }
    }
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(|| {
        let list = Arc::new(List {
            lock: CellLock::new(),
            version: Version::new(0),
            made: nearly_worth_it(),
        });
        // The object for an element says of which version it is.
        let look = |who: usize, list: &List, kept: &mut Vec<usize>, out: &mut Vec<usize>| {
            // SAFETY: the lock is held.
            let (seen, version) = list.locked(|version| (unsafe { list.made.get(TAG, version, 0) }, version));
            if let Some(object) = seen {
                assert_eq!(
                    object.addr().get() / 100,
                    version + 1,
                    "what is seen is of this version"
                );
                SEEN.fetch_add(1, Relaxed);
                return;
            }
            let number = 100 * (version + 1) + 10 * who + kept.len();
            // SAFETY: the lock is held.
            let offered = list.locked(|now| {
                (now == version)
                    .then(|| unsafe { list.made.offer_object(TAG, version, 2, 0, object(number)) })
            });
            if let Some(offered) = offered {
                if offered.is_kept {
                    kept.push(number);
                }
                out.extend(
                    offered
                        .outdated
                        .iter()
                        .flat_map(|all| all.iter().map(|it| it.addr().get())),
                );
            }
        };
        let other = Arc::clone(&list);
        let thread = loom::thread::spawn(move || {
            let (mut kept, mut out) = (Vec::new(), Vec::new());
            for _ in 0..2 {
                look(1, &other, &mut kept, &mut out);
            }
            (kept, out)
        });
        let (mut kept, mut out) = (Vec::new(), Vec::new());
        list.locked(|version| list.version.store(version + 1, Relaxed));
        look(2, &list, &mut kept, &mut out);
        let (more, others) = thread.join().unwrap();
        kept.extend(more);
        out.extend(others);
        OUTDATED.fetch_add(out.len(), Relaxed);
        // SAFETY: no other thread is left.
        let left = unsafe { list.made.get(TAG, list.version.load(Relaxed), 0) };
        out.extend(left.map(|object| object.addr().get()));
        // Objects of an older version that are not yet out come out with the list's end, which
        // releases them.
        kept.retain(|number| number / 100 == 2 || out.contains(number));
        kept.sort_unstable();
        out.sort_unstable();
        assert_eq!(kept, out, "nothing is lost, and nothing comes out twice");
    });
    assert!(OUTDATED.load(Relaxed) > 0, "something was outdated");
    assert!(SEEN.load(Relaxed) > 0, "something was seen");
}
