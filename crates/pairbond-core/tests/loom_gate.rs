//! The gate of the list of traced objects under a model checker: a thread goes in and out while
//! others walk.
//!
//!     RUSTFLAGS="--cfg loom" cargo test -p pairbond-core --release --test loom_gate
#![cfg(loom)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use loom::cell::UnsafeCell;
use pairbond_core::trace::{Door, Gate};

struct Shard {
    door: Door,
    /// Loom says when two threads are here at the same time.
    listed: UnsafeCell<u32>,
}

struct List {
    gate: Gate,
    shards: [Shard; 2],
}

impl List {
    fn add(&self, shard: usize) {
        let shard = &self.shards[shard];
        let _inside = self.gate.enter(&shard.door);
        shard.listed.with_mut(|listed| unsafe { *listed += 1 });
    }

    fn walk(&self) -> Option<u32> {
        if !self.gate.shut() {
            return None;
        }
        let count = |shard: &Shard| {
            self.gate.wait_until_empty(&shard.door);
            shard.listed.with_mut(|listed| unsafe {
                *listed += 10;
                *listed
            })
        };
        let sum = self.shards.iter().map(count).sum();
        self.gate.open();
        Some(sum)
    }
}

fn list() -> Arc<List> {
    let shard = || Shard {
        door: Door::new(),
        listed: UnsafeCell::new(0),
    };
    Arc::new(List {
        gate: Gate::new(),
        shards: [shard(), shard()],
    })
}

fn check(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(model);
}

#[test]
fn a_walker_has_everything_to_itself() {
    static SEEN: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
    check(|| {
        let list = list();
        let maker = {
            let list = Arc::clone(&list);
            loom::thread::spawn(move || [0, 1].iter().for_each(|shard| list.add(*shard)))
        };
        let seen = list.walk().expect("nobody else walks") - 20;
        SEEN[seen as usize].fetch_add(1, Relaxed);
        maker.join().unwrap();
        assert_eq!(list.walk(), Some(42), "nothing is lost");
    });
    for (n, times) in SEEN.iter().enumerate() {
        assert!(times.load(Relaxed) > 0, "{n} objects were never seen");
    }
}

#[test]
fn one_walks_at_a_time() {
    static REFUSED: AtomicUsize = AtomicUsize::new(0);
    static BOTH: AtomicUsize = AtomicUsize::new(0);
    check(|| {
        let list = list();
        let walker = {
            let list = Arc::clone(&list);
            loom::thread::spawn(move || list.walk())
        };
        list.add(0);
        let mine = list.walk();
        let theirs = walker.join().unwrap();
        match (mine, theirs) {
            (Some(_), Some(_)) => &BOTH,
            (None, None) => panic!("nobody walked"),
            _ => &REFUSED,
        }
        .fetch_add(1, Relaxed);
    });
    assert!(REFUSED.load(Relaxed) > 0 && BOTH.load(Relaxed) > 0);
}
