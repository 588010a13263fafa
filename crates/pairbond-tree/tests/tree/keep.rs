//! Who keeps a tree.

use pairbond_core::error::ErrorKind;
use pairbond_core::object::Ref;
use pairbond_core::trace::collect;
use pairbond_testing::random::step_count;
use pairbond_tree::{TreeNode, drop_all, with_lock};

use crate::nodes::{Alive, Block, Op, blocks_of, ops_of, small_tree};

#[test]
fn a_handle_to_any_node_keeps_all() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    assert_eq!(alive.live_count(), 5);
    let one = all[1].clone();
    drop((root, block, all));
    assert_eq!(alive.live_count(), 5);
    let block: Ref<Block> = one.parent().unwrap().downcast().unwrap();
    assert_eq!(ops_of(&block).len(), 3);
    drop(one);
    assert_eq!(alive.live_count(), 5);
    let root: Ref<Op> = block.root().downcast().unwrap();
    drop(block);
    assert_eq!(root.strong_count(), 1, "all below sleep");
    assert_eq!(blocks_of(&root).first().unwrap().strong_count(), 1);
    drop(root);
    assert_eq!(alive.live_count(), 0, "at once");
}

#[test]
fn the_last_handle_frees_wherever_it_points() {
    for which in 0..3 {
        let alive = Alive::default();
        let (root, block, all) = small_tree(&alive, 3);
        let mut handles = [
            Some(root.into_erased()),
            Some(block.into_erased()),
            Some(all[2].clone().into_erased()),
        ];
        drop(all);
        let last = handles[which].take();
        drop(handles);
        assert_eq!(alive.live_count(), 5);
        drop(last);
        assert_eq!(alive.live_count(), 0);
    }
}

#[test]
fn handles_that_go_together_leave_what_they_would_one_by_one() {
    let alive = Alive::default();
    // More than go under one lock.
    let count = if cfg!(miri) { 70_u8 } else { 200 };
    let (root, block, all) = small_tree(&alive, count.into());
    let count = isize::from(count);
    let (kept, detached) = (all[3].clone(), all[5].clone());
    detached.detach().unwrap();
    drop_all(all);
    assert_eq!(alive.live_count(), count + 2);
    let first = ops_of(&block).first().unwrap();
    assert_eq!(first.strong_count(), 1, "it was asleep");
    drop((first, detached));
    assert_eq!(alive.live_count(), count + 1);
    drop_all(vec![root]);
    drop_all(vec![block]);
    assert_eq!(alive.live_count(), count + 1, "one of them keeps them");
    drop_all(vec![kept]);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn a_look_finds_what_stands_somewhere() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let (weak, weak_root) = (all[1].downgrade(), root.downgrade());
    let other = alive.new_op(9);
    let found = || {
        with_lock(|guard| {
            let found = guard.upgrade_ref(&weak)?;
            assert_eq!(found.addr(), weak.addr());
            assert!(guard.parent::<_, Op>(found).is_none(), "it is a block");
            let around = guard.parent::<_, Block>(found)?;
            assert!(guard.handle(around, &other).is_none(), "of another tree");
            Some((found.get().number, guard.handle(around, &block)?))
        })
    };
    let last = with_lock(|guard| guard.last(&block.ops).map(|it| it.get().number));
    assert_eq!(
        (last, ops_of(&block).last().map(|it| it.number)),
        (Some(2), Some(2))
    );
    drop_all(all);
    let (number, around) = found().unwrap();
    assert!(number == 1 && around.is(&block));
    assert!(
        with_lock(|guard| guard.upgrade_ref(&weak_root).is_none()),
        "a root stands nowhere"
    );
    weak.upgrade().unwrap().erase().unwrap();
    assert!(found().is_none());
    assert_eq!(with_lock(|guard| guard.children(&block.ops).count()), 2);
    let weak_block = with_lock(|guard| guard.found(&block).weak());
    assert!(weak_block.is(&block.downgrade()));
    drop((around, block, root, other));
    assert!(with_lock(|guard| guard.upgrade_ref(&weak).is_none()));
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn what_is_given_away_does_not_keep_its_parent() {
    let alive = Alive::default();
    let block = alive.new_block();
    let shared = alive.new_op(1);
    ops_of(&block).push_owned(alive.new_op(0)).unwrap();
    ops_of(&block).push_owned(shared.clone()).unwrap();
    assert_eq!(block.strong_count(), 2, "that of the one with a handle");
    assert!(
        ops_of(&block).push_owned(shared.clone()).is_err(),
        "it has a parent"
    );
    let erased = alive.new_op(2);
    erased.erase().unwrap();
    let error = ops_of(&block).push_owned(erased).unwrap_err(); // the last handle: told of what goes
    assert_eq!(*error.kind(), ErrorKind::Invalidated);
    drop(block);
    assert_eq!(alive.live_count(), 3);
    drop(shared);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn what_is_detached_is_a_tree_of_its_own() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 2);
    block.detach().unwrap();
    assert!(block.parent().is_none());
    drop(root);
    assert_eq!(alive.live_count(), 3);
    block.detach().unwrap();
    drop(block);
    assert_eq!(alive.live_count(), 3, "its operations keep it");
    drop(all);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn weak_references_find_what_the_tree_keeps() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let (weak_block, weak_op, lost) = (block.downgrade(), all[1].downgrade(), all[2].downgrade());
    all[2].erase().unwrap();
    drop((block, all));
    assert!(lost.upgrade().is_none(), "erased, and nobody had it");
    let op = weak_op.upgrade().unwrap();
    assert_eq!((op.number, op.strong_count()), (1, 1));
    // A handle as any other: it keeps the tree.
    drop(root);
    assert_eq!(alive.live_count(), 4);
    assert!(weak_block.upgrade().unwrap().parent().is_some());
    op.detach().unwrap();
    assert_eq!(alive.live_count(), 1);
    assert!(weak_block.upgrade().is_none(), "the tree is gone");
    assert!(
        weak_op.upgrade().unwrap().is(&op),
        "a root has a count of its own"
    );
    drop(op);
    assert!(weak_op.upgrade().is_none());
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn a_weak_reference_finds_a_node_by_any_that_is_held_above_it() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let weak = all[1].downgrade();
    assert_eq!(weak.addr(), std::ptr::from_ref(all[1].header()).addr());
    drop(all);
    drop(root);
    // Only the block is held, in the middle.
    let op = weak.upgrade().unwrap();
    assert_eq!((op.number, op.strong_count(), block.strong_count()), (1, 1, 2));
    drop(block);
    assert!(op.parent().is_some());
    drop(op);
    assert_eq!(alive.live_count(), 0);
    assert!(weak.upgrade().is_none());
}

#[test]
fn weak_references_see_no_garbage() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let weak = all[0].downgrade();
    all[1].uses.set(Some(root.clone()));
    drop((root, block, all));
    assert_eq!(
        weak.upgrade().map(|op| op.number),
        Some(0),
        "nobody has collected"
    );
    collect();
    assert!(weak.upgrade().is_none());
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn depth_needs_no_stack() {
    // Miri takes quadratic time for chains of pointers.
    let depth = if cfg!(miri) {
        8
    } else {
        u32::try_from(step_count(50_000)).unwrap()
    };
    let alive = Alive::default();
    let build = || {
        let root = alive.new_op(0);
        let mut at = root.clone();
        for number in 1..depth {
            let (block, op) = (alive.new_block(), alive.new_op(number));
            blocks_of(&at).push(&block).unwrap();
            ops_of(&block).push(&op).unwrap();
            at = op;
        }
        (root, at)
    };
    let (root, last) = build();
    drop(root);
    collect();
    assert_eq!(alive.live_count(), 2 * depth as isize - 1);
    drop(last);
    assert_eq!(
        alive.live_count(),
        0,
        "from below: all fall asleep, one after the other"
    );
    let (root, last) = build();
    drop(last);
    let root: Ref<Op> = {
        let mut at = root.clone();
        while let Some(block) = blocks_of(&at).first() {
            at = ops_of(&block).first().unwrap();
        }
        drop(root);
        at.root().downcast().unwrap()
    };
    root.erase().unwrap();
    assert_eq!(alive.live_count(), 1);
}

#[test]
fn garbage_that_a_tree_is_part_of_is_collected() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    // An operation that is asleep owns a reference to the root.
    all[1].uses.set(Some(root.clone()));
    // And one owns another, which is awake therefore.
    all[2].uses.set(Some(all[0].clone()));
    drop((block, all));
    collect();
    assert_eq!(alive.live_count(), 5);
    drop(root);
    assert_eq!(alive.live_count(), 5);
    collect();
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn a_collector_leaves_what_a_tree_owns() {
    let alive = Alive::default();
    let (root, _, all) = small_tree(&alive, 4);
    // The only counted reference to the operation is part of a cycle that is garbage, but the tree
    // owns it.
    let (one, other) = (alive.new_op(10), alive.new_op(11));
    one.uses.set(Some(other.clone()));
    let (block, inner) = (alive.new_block(), alive.new_op(12));
    blocks_of(&other).push(&block).unwrap();
    ops_of(&block).push(&inner).unwrap();
    inner.uses.set(Some(one.clone()));
    other.uses.set(Some(all[3].clone()));
    drop((one, other, block, inner, all));
    assert_eq!(alive.live_count(), 10);
    collect();
    assert_eq!(alive.live_count(), 6);
    let block: Ref<Block> = blocks_of(&root).first().unwrap();
    assert_eq!(ops_of(&block).last().unwrap().number, 3);
}

#[test]
fn nobody_changes_a_node_in_place() {
    let alive = Alive::default();
    let mut op = alive.new_op(0);
    assert!(op.get_mut().is_none());
    assert!(op.try_unwrap().is_err());
}
