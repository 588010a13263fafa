//! Many threads, readers and editors, on one tree.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pairbond_core::object::Ref;
use pairbond_core::trace::collect;
use pairbond_tree::TreeNode;

use crate::nodes::{Alive, Op, ops_of, small_tree};

const ROUNDS: u32 = if cfg!(miri) { 20 } else { 20_000 };
const NODES: usize = if cfg!(miri) { 6 } else { 20 };

/// A number that is random enough.
fn next_random(state: &mut u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    *state >> 16
}

#[test]
fn readers_never_see_a_torn_list() {
    let alive = Alive::default();
    {
        let (_root, block, all) = small_tree(&alive, NODES as u32);
        let maker = alive.op_maker();
        drop(all);
        let (barrier, backwards) = (Barrier::new(4), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for seed in 0..2 {
                let (block, barrier, alive) = (&block, &barrier, &maker);
                scope.spawn(move || {
                    let mut state = seed;
                    barrier.wait();
                    for _ in 0..ROUNDS {
                        let list = ops_of(block);
                        let place = next_random(&mut state) as usize % NODES;
                        let Some(op) = list.get(place) else { continue };
                        match next_random(&mut state) % 4 {
                            0 => drop(op.erase()),
                            1 => drop(op.detach()),
                            2 => drop(list.splice(list.first().as_ref(), &op, &op)),
                            _ => {}
                        }
                        drop(op);
                        while list.len() < NODES {
                            list.push(&alive.new_op(next_random(&mut state))).unwrap();
                        }
                    }
                });
            }
            for _ in 0..2 {
                let (block, barrier, backwards) = (&block, &barrier, &backwards);
                scope.spawn(move || {
                    barrier.wait();
                    for round in 0..ROUNDS / 20 {
                        let mut steps = 0;
                        for op in ops_of(block) {
                            if let Some(parent) = op.parent() {
                                assert!(std::ptr::eq(parent.header(), block.header()));
                            }
                            steps += usize::from(op.previous_sibling().is_some());
                            if steps > 10_000 {
                                break;
                            }
                        }
                        backwards.fetch_add(steps, Relaxed);
                        if round % 50 == 0 {
                            collect();
                        }
                    }
                });
            }
        });
        assert!(backwards.load(Relaxed) > 0);
        assert!(alive.live_count() >= NODES as isize + 2);
    }
    collect();
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn weak_references_race_with_the_end_of_the_tree() {
    let outcomes = [AtomicUsize::new(0), AtomicUsize::new(0)];
    for _ in 0..ROUNDS / 10 {
        let alive = Alive::default();
        let (root, block, all) = small_tree(&alive, 3);
        let weak = all[1].downgrade();
        drop((block, all));
        let barrier = Barrier::new(3);
        std::thread::scope(|scope| {
            let (weak, barrier, outcomes) = (&weak, &barrier, &outcomes);
            scope.spawn(move || {
                barrier.wait();
                drop(root);
            });
            for _ in 0..2 {
                scope.spawn(move || {
                    barrier.wait();
                    let op = weak.upgrade();
                    outcomes[usize::from(op.is_some())].fetch_add(1, Relaxed);
                    if let Some(op) = op {
                        assert_eq!(op.number, 1);
                        let root = op.root();
                        drop(op);
                        assert!(root.downcast::<Op>().is_ok());
                    }
                });
            }
        });
        assert!(weak.upgrade().is_none());
        assert_eq!(alive.live_count(), 0);
    }
    if !cfg!(miri) {
        assert!(
            outcomes.iter().all(|count| count.load(Relaxed) > 0),
            "{outcomes:?}"
        );
    }
}

#[test]
fn the_last_handles_go_at_the_same_time() {
    let mut emptied = 0;
    for _ in 0..ROUNDS / 20 {
        let alive = Alive::default();
        let (root, block, all) = small_tree(&alive, 3);
        let erased = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            scope.spawn(move || drop((root, block)));
            for op in all {
                let erased = &erased;
                scope.spawn(move || {
                    let parent = op.parent();
                    let next: Option<Ref<Op>> = op.next_sibling();
                    drop(op);
                    if let Some(next) = next {
                        erased.fetch_add(usize::from(next.erase().is_ok()), Relaxed);
                    }
                    drop(parent);
                });
            }
        });
        assert_eq!(alive.live_count(), 0);
        emptied += 1;
    }
    assert_eq!(emptied, ROUNDS / 20);
}

#[test]
fn what_is_read_while_another_thread_erases_is_whole_or_an_error() {
    let alive = Alive::default();
    let (mut whole, mut refused) = (0, 0);
    while whole == 0 || refused == 0 {
        let (_root, block, _all) = small_tree(&alive, NODES as u32);
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                barrier.wait();
                block.erase().unwrap();
            });
            barrier.wait();
            for _ in 0..50 {
                match block.read(|| (ops_of(&block).len(), block.parent().is_some())) {
                    Ok(found) => {
                        assert_eq!(found, (NODES, true));
                        whole += 1;
                    }
                    Err(error) => {
                        assert!(error.to_string().contains("was erased"), "{error}");
                        refused += 1;
                    }
                }
            }
        });
    }
}
