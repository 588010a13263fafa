//! Attaching, detaching, moving, and refusals.

use pairbond_core::error::ErrorKind;
use pairbond_core::object::Ref;
use pairbond_tree::{Cursor, TreeNode};

use crate::nodes::{Alive, Block, Op, blocks_of, op_numbers, ops_of, small_tree};

#[test]
fn the_order_is_kept() {
    let alive = Alive::default();
    let (_, block, all) = small_tree(&alive, 3);
    let list = ops_of(&block);
    list.push_front(&alive.new_op(10)).unwrap();
    list.insert_before(&all[1], &alive.new_op(11)).unwrap();
    list.insert_after(&all[1], &alive.new_op(12)).unwrap();
    list.insert(2, &alive.new_op(13)).unwrap();
    list.insert(99, &alive.new_op(14)).unwrap();
    assert_eq!(op_numbers(list), [10, 0, 13, 11, 1, 12, 2, 14]);
    for (place, number) in op_numbers(list).into_iter().enumerate() {
        let op = list.get(place).unwrap();
        assert_eq!((op.number, list.index_of(&op)), (number, Some(place)));
    }
    assert!(list.get(8).is_none());
    all[0].detach().unwrap();
    assert_eq!((list.get(1).unwrap().number, list.index_of(&all[0])), (13, None));
    assert_eq!(all[1].next_sibling().unwrap().number, 12);
    assert_eq!(all[1].previous_sibling().unwrap().number, 11);
    assert!(all[0].next_sibling().is_none() && list.last().unwrap().next_sibling().is_none());
    assert_eq!(list.last().unwrap().number, 14);
    assert!(list.contains(&all[1]) && !list.contains(&all[0]));
}

#[test]
fn lists_of_one_node_are_apart() {
    let alive = Alive::default();
    let block = alive.new_block();
    block.list(|b| &b.arguments).push(&alive.new_op(1)).unwrap();
    ops_of(&block).push(&alive.new_op(2)).unwrap();
    assert_eq!(op_numbers(block.list(|b| &b.arguments)), [1]);
    assert_eq!(op_numbers(ops_of(&block)), [2]);
    let argument = block.list(|b| &b.arguments).first().unwrap();
    assert!(ops_of(&block).insert_before(&argument, &alive.new_op(3)).is_err());
    assert!(!ops_of(&block).contains(&argument));
    drop((argument, block));
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn two_owners_and_cycles_are_refused() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 2);
    let refused = |result: Result<(), pairbond_core::error::Error>, word: &str| {
        let error = result.unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Value);
        assert!(error.to_string().contains(word), "{error}");
    };
    refused(ops_of(&block).push(&all[0]), "has a parent already");
    refused(ops_of(&block).push(&root), "cycles");
    let inner = alive.new_block();
    blocks_of(&all[1]).push(&inner).unwrap();
    refused(ops_of(&inner).push(&root), "cycles");
    refused(ops_of(&inner).splice(None, &all[1], &all[1]), "cycles");
    refused(ops_of(&inner).splice(None, &all[0], &all[1]), "cycles");
    refused(ops_of(&inner).splice(None, &root, &root), "does not stand");
    refused(ops_of(&block).splice(None, &all[1], &all[0]), "before the first");
    refused(
        ops_of(&block).splice(Some(&all[1]), &all[0], &all[1]),
        "within it",
    );
    assert_eq!(op_numbers(ops_of(&block)), [0, 1]);
}

#[test]
fn ranges_move() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 6);
    let other = alive.new_block();
    blocks_of(&root).push(&other).unwrap();
    ops_of(&other).push(&alive.new_op(7)).unwrap();
    assert_eq!(ops_of(&block).get(4).unwrap().number, 4);
    ops_of(&other)
        .splice(ops_of(&other).first().as_ref(), &all[1], &all[3])
        .unwrap();
    assert_eq!(
        (op_numbers(ops_of(&block)), op_numbers(ops_of(&other))),
        (vec![0, 4, 5], vec![1, 2, 3, 7])
    );
    assert_eq!(
        (
            ops_of(&block).get(1).unwrap().number,
            ops_of(&other).get(2).unwrap().number
        ),
        (4, 3)
    );
    ops_of(&other).splice(None, &all[1], &all[1]).unwrap();
    assert_eq!(op_numbers(ops_of(&other)), [2, 3, 7, 1]);
    assert_eq!((ops_of(&other).len(), ops_of(&block).len()), (4, 3));
    block.erase().unwrap();
    let parent: Ref<Block> = all[2].parent().unwrap().downcast().unwrap();
    assert!(parent.is(&other));
    drop((parent, root, block, other));
    assert_eq!(
        alive.live_count(),
        1 + 1 + 4 + 3,
        "the operations that were moved keep the root and their block"
    );
    drop(all);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn an_iterator_goes_on_while_the_list_is_edited() {
    let alive = Alive::default();
    let (_root, block, _) = small_tree(&alive, 4);
    let mut seen = Vec::new();
    for op in ops_of(&block) {
        seen.push(op.number);
        match op.number {
            0 => ops_of(&block).insert_after(&op, &alive.new_op(10)).unwrap(),
            1 => op.erase().unwrap(),
            2 => op.detach().unwrap(),
            _ => {}
        }
    }
    assert_eq!(seen, [0, 10, 1, 2, 3]);
    assert_eq!(op_numbers(ops_of(&block)), [0, 10, 3]);
}

#[test]
fn an_iterator_follows_a_child_within_its_list_and_ends_when_it_lost_its_place() {
    let alive = Alive::default();
    let (_root, block, all) = small_tree(&alive, 4);
    let mut seen = Vec::new();
    for op in ops_of(&block) {
        seen.push(op.number);
        if op.number == 1 {
            // Before the last one, which comes next therefore.
            ops_of(&block).splice(Some(&all[3]), &op, &op).unwrap();
        }
    }
    assert_eq!(seen, [0, 1, 3]);
    seen.clear();
    for op in ops_of(&block) {
        seen.push(op.number);
        if op.number == 0 {
            all[0].erase().unwrap();
            all[2].erase().unwrap();
        }
    }
    assert_eq!((seen, op_numbers(ops_of(&block))), (vec![0], vec![1, 3]));
}

#[test]
fn all_are_taken_at_once() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 4);
    drop(all);
    let taken = ops_of(&block).to_vec();
    taken[1].erase().unwrap();
    ops_of(&block).push(&alive.new_op(9)).unwrap();
    let seen: Vec<u32> = taken.iter().map(|op| op.number).collect();
    assert_eq!(
        (seen, op_numbers(ops_of(&block))),
        (vec![0, 1, 2, 3], vec![0, 2, 3, 9])
    );
    drop((root, block));
    assert!(taken[0].parent().is_some(), "each keeps the tree");
    drop(taken);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn a_cursor_goes_on_from_where_it_stands() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 5);
    let cursor = Cursor::new();
    let step = || {
        let found = ops_of(&block).advance(&cursor).unwrap();
        found.map(|it| it.number)
    };
    assert_eq!(step(), Some(0));
    ops_of(&block).insert_after(&all[0], &alive.new_op(10)).unwrap();
    assert_eq!(step(), Some(10), "what is put behind it is seen");
    assert_eq!(step(), Some(1));
    all[1].detach().unwrap();
    assert_eq!(step(), Some(2), "what was next goes on");
    ops_of(&block).splice(None, &all[2], &all[2]).unwrap();
    assert_eq!(
        step(),
        None,
        "it follows what it stands at, which is the last now"
    );
    ops_of(&block).push(&alive.new_op(11)).unwrap();
    assert_eq!(step(), None, "ever after");
    let strong: Vec<_> = all.iter().map(|it| it.strong_count()).collect();
    drop(cursor);
    assert_eq!(
        all.iter().map(|it| it.strong_count()).collect::<Vec<_>>(),
        strong,
        "it kept nothing any more"
    );

    let cursor = Cursor::new();
    assert_eq!(ops_of(&block).advance(&cursor).unwrap().unwrap().number, 0);
    ops_of(&block).get(1).unwrap().erase().unwrap();
    all[0].erase().unwrap();
    assert!(!ops_of(&block).is_empty());
    assert!(
        ops_of(&block).advance(&cursor).unwrap().is_none(),
        "it lost its place"
    );
    block.erase().unwrap();
    let error = ops_of(&block).advance(&Cursor::new()).err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Invalidated);
    drop((root, block, all, cursor));
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn a_cursor_keeps_the_tree() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let cursor = Cursor::new();
    assert!(ops_of(&block).advance(&cursor).unwrap().is_some());
    drop((root, block, all));
    assert!(alive.live_count() > 0);
    drop(cursor);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn who_stands_in_whom() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 2);
    assert!(all[0].is_in(&block) && all[0].is_in(&root) && all[0].is_in(&all[0]));
    assert!(!all[0].is_in(&all[1]) && !block.is_in(&all[0]));
    all[0].detach().unwrap();
    assert!(!all[0].is_in(&root));
}

#[test]
fn the_root_is_found() {
    let alive = Alive::default();
    let (root, _, all) = small_tree(&alive, 1);
    assert!(all[0].root().downcast::<Op>().unwrap().is(&root));
    assert!(root.root().downcast::<Op>().unwrap().is(&root));
    assert!(root.parent().is_none());
}

/// An operation with a block of three others.
fn with_a_block(alive: &Alive) -> Ref<Op> {
    let (op, block) = (alive.new_op(7), alive.new_block());
    blocks_of(&op).push(&block).unwrap();
    (0..3).for_each(|number| ops_of(&block).push(&alive.new_op(number)).unwrap());
    op
}

#[test]
fn a_place_far_down_is_as_near_as_another() {
    let alive = Alive::default();
    let depth = if cfg!(miri) { 50 } else { 50_000 };
    let top = alive.new_block();
    let mut at = top.clone();
    for number in 0..depth {
        let (op, below) = (alive.new_op(number), alive.new_block());
        blocks_of(&op).push(&below).unwrap();
        // What comes there has children already.
        ops_of(&at).push(&op).unwrap();
        at = below;
    }
    let op = with_a_block(&alive);
    let time = |block: &Ref<Block>| {
        let rounds = || {
            let began = std::time::Instant::now();
            for _ in 0..if cfg!(miri) { 5 } else { 100 } {
                ops_of(block).push(&op).unwrap();
                op.detach().unwrap();
            }
            began.elapsed()
        };
        (0..5).map(|_| rounds()).min().unwrap()
    };
    let (near, far) = (time(&top), time(&at));
    assert!(
        cfg!(miri) || far < near * 50,
        "{near:?} at the top, {far:?} far down"
    );
    // And it is seen all the same that a node comes below itself.
    let root = ops_of(&top).first().unwrap();
    root.detach().unwrap();
    assert!(
        ops_of(&at)
            .push(&root)
            .unwrap_err()
            .to_string()
            .contains("cycles")
    );
    ops_of(&at).push(&op).unwrap();
    let inner = blocks_of(&op).first().unwrap();
    assert!(
        ops_of(&inner)
            .splice(None, &op, &op)
            .unwrap_err()
            .to_string()
            .contains("cycles")
    );
    // Not for what stands beside it.
    let other = alive.new_op(9);
    ops_of(&at).push(&other).unwrap();
    ops_of(&inner).splice(None, &other, &other).unwrap();
    assert_eq!(op_numbers(ops_of(&inner)), [0, 1, 2, 9]);
}

#[test]
fn ranges_are_looked_through_as_a_whole() {
    let alive = Alive::default();
    let block = alive.new_block();
    let all: Vec<_> = (0..5).map(|_| with_a_block(&alive)).collect();
    all.iter().for_each(|op| ops_of(&block).push(op).unwrap());
    for (number, op) in all.iter().enumerate() {
        let inner = blocks_of(op).first().unwrap();
        let refused = ops_of(&inner).splice(None, &all[1], &all[3]).is_err();
        assert_eq!(refused, (1..4).contains(&number));
        if !refused {
            ops_of(&block).splice(all.get(4), &all[1], &all[3]).unwrap();
        }
    }
}

#[test]
fn adopting_moves_nodes_between_lists() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let other = alive.new_block();
    let (list, others) = (ops_of(&block), ops_of(&other));
    // A root, with a place and without.
    list.adopt(Some(&all[1]), alive.new_op(10)).unwrap();
    list.adopt(None, alive.new_op(11)).unwrap();
    assert_eq!(op_numbers(list), [0, 10, 1, 2, 11]);
    // What stands somewhere: in another list, and in the same.
    others.adopt(None, all[0].clone()).unwrap();
    others.adopt(Some(&all[0]), all[2].clone()).unwrap();
    assert_eq!(
        (op_numbers(list), op_numbers(others)),
        (vec![10, 1, 11], vec![2, 0])
    );
    list.adopt(None, list.first().unwrap()).unwrap();
    list.adopt(Some(&all[1]), all[1].clone()).unwrap();
    assert_eq!(op_numbers(list), [1, 11, 10]);
    // Nothing changes where it is refused.
    blocks_of(&all[1]).push(&other).unwrap();
    assert!(
        others
            .adopt(None, all[1].clone())
            .unwrap_err()
            .to_string()
            .contains("no cycles")
    );
    assert!(others.adopt(Some(&all[1]), alive.new_op(12)).is_err());
    let gone = alive.new_op(13);
    gone.erase().unwrap();
    assert!(list.adopt(None, gone.clone()).is_err() && list.adopt(Some(&gone), alive.new_op(14)).is_err());
    assert_eq!(
        (op_numbers(list), op_numbers(others)),
        (vec![1, 11, 10], vec![2, 0])
    );
    // All at once.
    assert!(others.append(list).unwrap_err().to_string().contains("no cycles"));
    list.append(others).unwrap();
    list.append(others).unwrap();
    list.append(list).unwrap();
    assert_eq!(
        (op_numbers(list), op_numbers(others)),
        (vec![1, 11, 10, 2, 0], vec![])
    );
    list.detach_all().unwrap();
    assert!(list.is_empty() && all[1].parent().is_none() && all[0].root().downcast::<Op>().is_ok());
    block.erase().unwrap();
    assert!(ops_of(&block).detach_all().is_err());
    drop((root, block, other, all, gone));
    assert_eq!(alive.live_count(), 0);
}
