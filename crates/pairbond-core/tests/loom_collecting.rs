//! Weak references and the collections of interpreters under a model checker: what a pass has found
//! unreachable does not come back.
//!
//!     RUSTFLAGS="--cfg loom" cargo test -p pairbond-core --release --test loom_collecting
#![cfg(loom)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize as Count, Ordering::Relaxed};

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicUsize, Ordering};
use pairbond_core::frontend::{Answer, Collecting};

const TAG: u16 = 1;
const DYING: usize = usize::MAX;

/// A strong reference.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// An interpreter: the holder of the lock is attached. The result of the last pass.
#[derive(Default)]
struct Interpreter {
    attached: Mutex<bool>,
}

/// An object that nothing but a weak reference leads to, the interpreters that may find it
/// unreachable, and who collects.
struct Model {
    collecting: Collecting,
    interpreters: [Interpreter; 2],
    strong: AtomicUsize,
}

#[derive(Default)]
struct Seen {
    unasked: Count,
    refused: Count,
    allowed: Count,
    collected: Count,
    spared: Count,
}

impl Model {
    fn new() -> Self {
        Model {
            collecting: Collecting::new(),
            interpreters: Default::default(),
            strong: AtomicUsize::new(0),
        }
    }

    /// Counts a reference, unless the object is condemned for good.
    fn count(&self) -> Option<Counted<'_>> {
        let mut now = self.strong.load(Ordering::Acquire);
        while now != DYING {
            match self
                .strong
                .compare_exchange(now, now + 1, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => return Some(Counted(&self.strong)),
                Err(other) => now = other,
            }
        }
        None
    }

    /// As `Weak::upgrade` does, for an object of an interpreter (or an unclaimed one: 0).
    fn upgrade(&self, tag: u16, seen: &Seen) -> Option<Counted<'_>> {
        loop {
            if let Some(counted) = self.collecting.without_asking(0, || tag, || self.count()) {
                seen.unasked.fetch_add(1, Relaxed);
                return counted;
            }
            let answer = self.collecting.visit_collecting(
                || tag,
                |tag, found| {
                    let condemned = self.interpreters[usize::from(tag - TAG)].attached.lock().unwrap();
                    match (*condemned, found) {
                        (true, _) => Answer::Gone,
                        (false, Some(found)) => Answer::Found(found),
                        (false, None) => self.count().map_or(Answer::Gone, Answer::Found),
                    }
                },
            );
            match answer {
                Answer::Found(found) => {
                    seen.allowed.fetch_add(1, Relaxed);
                    return Some(found);
                }
                Answer::Gone => {
                    seen.refused.fetch_add(1, Relaxed);
                    return None;
                }
                Answer::Again | Answer::Closed => loom::thread::yield_now(),
            }
        }
    }

    /// A collection of two passes, each in a world that stands still. Whether the first has found
    /// the object unreachable.
    fn collect(&self, which: usize, seen: &Seen) -> bool {
        let tag = TAG + which as u16;
        assert!(self.collecting.begin_collection(tag));
        let mut garbage = [false; 2];
        for pass in &mut garbage {
            let mut condemned = self.interpreters[which].attached.lock().unwrap();
            *pass = self.strong.load(Ordering::Acquire) == 0;
            *condemned = *pass;
        }
        let mut condemned = self.interpreters[which].attached.lock().unwrap();
        let cleared = garbage[1]
            && self
                .strong
                .compare_exchange(0, DYING, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
        *condemned = false;
        drop(condemned);
        self.collecting.end_collection(tag);
        let which = if cleared { &seen.collected } else { &seen.spared };
        which.fetch_add(1, Relaxed);
        garbage[0]
    }
}

fn explore(seen: &'static Seen, preemptions: usize, check: impl Fn(&'static Seen) + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.check(move || check(seen));
}

fn happened(seen: &[(&str, &Count)]) {
    for (what, times) in seen {
        assert!(times.load(Relaxed) > 0, "{what}: never happened");
    }
}

#[test]
fn garbage_does_not_come_back_between_the_passes() {
    let seen: &'static Seen = Box::leak(Box::default());
    explore(seen, 3, |seen| {
        let model = Arc::new(Model::new());
        let other = Arc::clone(&model);
        let upgrading = loom::thread::spawn(move || other.upgrade(0, seen).map(std::mem::forget).is_some());
        let garbage = model.collect(0, seen);
        let upgraded = upgrading.join().unwrap();
        assert!(!(garbage && upgraded), "garbage came back");
        assert!(garbage || upgraded, "gone though it was alive");
    });
    happened(&[
        ("upgraded without asking", &seen.unasked),
        ("refused", &seen.refused),
        ("asked, and allowed", &seen.allowed),
        ("collected", &seen.collected),
        ("spared", &seen.spared),
    ]);
}

/// Two interpreters collect at the same time, and one of them the object's.
#[test]
fn the_right_interpreter_is_asked() {
    let seen: &'static Seen = Box::leak(Box::default());
    explore(seen, 2, |seen| {
        let model = Arc::new(Model::new());
        let upgrader = Arc::clone(&model);
        let upgrading =
            loom::thread::spawn(move || upgrader.upgrade(TAG, seen).map(std::mem::forget).is_some());
        // On this thread, too: with three that wait for each other there is no end to what loom
        // explores.
        assert!(model.collecting.begin_collection(TAG + 1));
        let garbage = model.collect(0, seen);
        model.collecting.end_collection(TAG + 1);
        let upgraded = upgrading.join().unwrap();
        assert!(!(garbage && upgraded), "garbage came back");
        assert!(garbage || upgraded, "gone though it was alive");
    });
    happened(&[
        ("upgraded without asking", &seen.unasked),
        ("refused", &seen.refused),
        ("asked, and allowed", &seen.allowed),
    ]);
}
