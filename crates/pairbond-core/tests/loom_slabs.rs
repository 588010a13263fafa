//! Blocks of slabs under a model checker: threads take and give back while others do, and empty
//! slabs go back to the system.
//!
//! A slab has two runs of three blocks here, a chunk two slabs, and nothing is kept. Loom says when
//! two threads have the same block, and the atomics of a slab when they are touched after it was
//! given back.
//!
//!     RUSTFLAGS="--cfg loom" cargo test -p pairbond-core --release --test loom_slabs
#![cfg(loom)]

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use loom::cell::UnsafeCell;
use loom::thread::{JoinHandle, spawn};
use pairbond_core::memory::Slabs;

/// Slabs, and the contents of the blocks that were taken first.
struct World {
    slabs: Slabs,
    blocks: HashMap<usize, UnsafeCell<u32>>,
}

// SAFETY: loom says when a block is written by two threads.
unsafe impl Sync for World {}
unsafe impl Send for World {}

struct Block(NonNull<u8>);
unsafe impl Send for Block {}

impl World {
    /// Slabs of which one run is taken.
    fn new() -> (Arc<Self>, [Block; 3]) {
        let slabs = Slabs::new();
        let taken = slabs.take_some();
        let blocks = taken.iter().map(|it| (it.addr().get(), UnsafeCell::new(0)));
        let blocks = blocks.collect();
        let taken: Vec<_> = taken.into_iter().map(Block).collect();
        let taken = taken
            .try_into()
            .unwrap_or_else(|_| panic!("a run has three blocks"));
        (Arc::new(World { slabs, blocks }), taken)
    }

    fn write(&self, block: &Block) {
        if let Some(it) = self.blocks.get(&block.0.addr().get()) {
            it.with_mut(|it| unsafe { *it += 1 });
        }
    }

    fn give_back(&self, block: Block) {
        self.write(&block);
        unsafe { self.slabs.return_one(block.0) };
    }

    fn take(&self) -> Vec<Block> {
        let taken: Vec<_> = self.slabs.take_some().into_iter().map(Block).collect();
        assert!(!taken.is_empty());
        taken.iter().for_each(|it| self.write(it));
        taken
    }

    fn later(self: &Arc<Self>, act: impl FnOnce(&World) + 'static) -> JoinHandle<()> {
        let world = Arc::clone(self);
        spawn(move || act(&world))
    }
}

fn check(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    builder.check(model);
}

#[test]
fn what_is_given_back_by_several_is_gone_once() {
    check(|| {
        let (world, [first, second, third]) = World::new();
        let other = world.later(move |world| {
            world.give_back(second);
            world.give_back(third);
        });
        world.give_back(first);
        other.join().unwrap();
        assert_eq!(world.slabs.chunk_count(), 0, "an empty slab is given back");
    });
}

#[test]
fn blocks_are_taken_while_others_are_given_back() {
    static TAKEN: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
    check(|| {
        let (world, [first, second, last]) = World::new();
        let other = world.later(move |world| {
            world.give_back(first);
            world.give_back(second);
        });
        let taken = world.take();
        let ours = taken
            .iter()
            .filter(|it| world.blocks.contains_key(&it.0.addr().get()));
        TAKEN[ours.count()].fetch_add(1, Relaxed);
        taken.into_iter().for_each(|it| world.give_back(it));
        other.join().unwrap();
        assert!(world.slabs.chunk_count() > 0, "a block is in use");
        world.give_back(last);
        assert_eq!(world.slabs.chunk_count(), 0);
    });
    for (n, times) in TAKEN.iter().enumerate() {
        assert!(
            times.load(Relaxed) > 0,
            "never were {n} blocks taken that others gave back"
        );
    }
}

#[test]
fn a_run_is_whole_only_in_the_present() {
    check(|| {
        let (world, [first, second, last]) = World::new();
        world.give_back(first);
        world.give_back(second);
        let others = [world.later(move |world| world.give_back(last)), {
            world.later(|world| {
                let mut taken = world.take();
                let kept = taken.pop().unwrap();
                taken.into_iter().for_each(|it| world.give_back(it));
                assert!(world.slabs.chunk_count() > 0, "a block is in use");
                world.give_back(kept);
            })
        }];
        others.into_iter().for_each(|it| it.join().unwrap());
        assert_eq!(world.slabs.chunk_count(), 0);
    });
}
