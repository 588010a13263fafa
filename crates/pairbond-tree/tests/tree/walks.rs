//! `descendants` and `ancestors`, also while the tree is edited.
//! (`tests/python/test_trees_walks.py` compares them with a model.)

use std::collections::HashSet;

use pairbond_core::object::{ErasedRef, Header, Ref};
use pairbond_tree::{Found, TreeNode, Visit};

use crate::nodes::{Alive, Block, Op, blocks_of, ops_of, small_tree};

fn walked_numbers(walk: impl Iterator<Item = ErasedRef>) -> Vec<u32> {
    walk.filter_map(|node| node.downcast::<Op>().ok())
        .map(|op| op.number)
        .collect()
}

#[test]
fn both_ways() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let inner = alive.new_block();
    blocks_of(&all[1]).push(&inner).unwrap();
    ops_of(&inner).push(&alive.new_op(10)).unwrap();
    assert_eq!(walked_numbers(root.descendants()), [0, 1, 10, 2]);
    assert_eq!(root.descendants().count(), 6);
    let deep = ops_of(&inner).first().unwrap();
    let above: Vec<_> = deep.ancestors().collect();
    assert!(
        std::ptr::eq(above[0].header(), inner.header()) && std::ptr::eq(above[2].header(), block.header())
    );
    assert_eq!(walked_numbers(deep.ancestors()), [1, root.number]);
    drop((deep, above, inner, block, root, all));
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn what_is_erased_meanwhile() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 4);
    let mut walk = root.descendants();
    assert!(walk.next().is_some());
    let first = walk.next().unwrap().downcast::<Op>().unwrap();
    assert_eq!(first.number, 0);
    first.erase().unwrap();
    all[1].detach().unwrap();
    // Both that it knew are gone.
    assert_eq!(walked_numbers(walk), [0; 0]);
    let mut up = all[2].ancestors();
    assert!(up.next().is_some());
    block.erase().unwrap();
    assert_eq!(walked_numbers(up), [root.number]);
    assert_eq!(walked_numbers(all[2].ancestors()), [0; 0]);
    assert_eq!(walked_numbers(block.descendants()), [0; 0]);
}

#[test]
fn of_one_type() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let inner = alive.new_block();
    blocks_of(&all[1]).push(&inner).unwrap();
    ops_of(&inner).push(&alive.new_op(10)).unwrap();
    let below = |of: &Ref<Op>| of.descendants_as::<Op>().map(|op| op.number).collect::<Vec<_>>();
    assert_eq!(below(&root), [0, 1, 10, 2]);
    assert_eq!(root.descendants_as::<Block>().count(), 2);
    assert!(all[1].parent_as::<Block>().is_some_and(|found| found.is(&block)));
    assert!(all[1].parent_as::<Op>().is_none() && root.parent_as::<Block>().is_none());
}

fn traversal_events(of: &Ref<Op>) -> Vec<i64> {
    let number = |visit: Visit<Op>| match visit {
        Visit::Enter(op) => i64::from(op.number),
        Visit::Leave(op) => -i64::from(op.number),
    };
    of.traverse::<Op>().map(number).collect()
}

#[test]
fn with_beginnings_and_ends() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    let inner = alive.new_block();
    blocks_of(&all[1]).push(&inner).unwrap();
    ops_of(&inner).push(&alive.new_op(10)).unwrap();
    let top = i64::from(root.number);
    assert_eq!(traversal_events(&root), [top, 0, 0, 1, 10, -10, -1, 2, -2, -top]);
    // A type in between is passed over, and the walk ends where it began.
    assert_eq!(traversal_events(&all[1]), [1, 10, -10, -1]);
    assert_eq!(root.traverse::<Block>().count(), 4);
    let mut walk = root.traverse::<Op>();
    assert!(matches!(walk.next(), Some(Visit::Enter(op)) if op.number == root.number));
    block.erase().unwrap();
    assert!(matches!(walk.next(), Some(Visit::Leave(op)) if op.number == root.number));
    assert!(walk.next().is_none() && walk.next().is_none());
    let (mut deep, last) = (alive.new_op(1), alive.new_block());
    blocks_of(&deep).push(&last).unwrap();
    for _ in 0..if cfg!(miri) { 100 } else { 100_000 } {
        let (above, between) = (alive.new_op(1), alive.new_block());
        blocks_of(&above).push(&between).unwrap();
        ops_of(&between).push(&deep).unwrap();
        deep = above;
    }
    assert_eq!(traversal_events(&deep).iter().sum::<i64>(), 0);
}

#[test]
fn what_fits_is_found() {
    let alive = Alive::default();
    // Under Miri as many as are visited under one lock.
    let (many, locks) = if cfg!(miri) { (20_u32, 1) } else { (1000, 4) };
    let (root, block, all) = small_tree(&alive, many);
    let even = |limit| root.search::<Op, ()>(limit, || (), |(), op| op.number % 2 == 0);
    let numbers = |found: Vec<Ref<Op>>| found.iter().map(|op| op.number).collect::<Vec<_>>();
    assert_eq!(numbers(even(None)), (0..many).step_by(2).collect::<Vec<_>>());
    assert_eq!(numbers(even(Some(2))), [0, 2]);
    assert_eq!(numbers(even(Some(0))), [0; 0]);
    assert_eq!(root.search::<Block, ()>(Some(9), || (), |(), _| true).len(), 1);
    // A state for each time that the lock is taken, and neighbours without handles.
    let states = std::cell::Cell::new(0);
    let begin = || states.set(states.get() + 1);
    let beside = root.search::<Op, ()>(None, begin, |(), op| {
        let numbers = [op.previous::<Op>(), op.next::<Op>()].map(|it| it.map_or(5000, |it| it.number));
        op.parent::<Block>()
            .is_some_and(|at| at.children(&at.get().ops).count() == many as usize)
            && numbers.contains(&5000)
    });
    assert_eq!((numbers(beside), states.get()), (vec![0, many - 1], locks));
    let middle = root.search::<Op, ()>(
        None,
        || (),
        |(), op| {
            let numbers = |all: &mut dyn Iterator<Item = Found<'_, Op>>| {
                all.take(2).map(|op| op.number).collect::<Vec<_>>()
            };
            let (before, after) = (numbers(&mut op.preceding()), numbers(&mut op.following()));
            before == [4, 3]
                && after == [6, 7]
                && op.preceding::<Op>().count() + op.following::<Op>().count() == many as usize - 1
        },
    );
    assert_eq!(numbers(middle), [5]);
    drop((root, block, all));
    assert_eq!(alive.live_count(), 0);
}

/// A tree of more nodes than are visited under one lock, wide and deep.
fn large_tree(alive: &Alive) -> Ref<Op> {
    let root = alive.new_op(0);
    let (wide, deep) = if cfg!(miri) { (40, 40) } else { (3_000, 3_000) };
    let block = alive.new_block();
    blocks_of(&root).push(&block).unwrap();
    for number in 0..wide {
        ops_of(&block).push(&alive.new_op(number)).unwrap();
    }
    let mut at = ops_of(&block).first().unwrap();
    for number in 0..deep {
        let (block, op) = (alive.new_block(), alive.new_op(number));
        blocks_of(&at).push(&block).unwrap();
        ops_of(&block).push(&op).unwrap();
        at = op;
    }
    root
}

#[test]
fn all_at_once() {
    let alive = Alive::default();
    let root = large_tree(&alive);
    let (walk, all): (Vec<_>, _) = (root.descendants().collect(), root.all_descendants());
    assert!(walk.len() == all.len() && walk.iter().zip(&all).all(|(one, other)| one.is(other)));
    let ops = root.all_descendants_as::<Op>();
    assert!(ops.iter().map(|op| op.number).eq(walked_numbers(all.into_iter())));
    assert!(ops[1].all_descendants().len() < walk.len() && ops[ops.len() - 1].all_descendants().is_empty());
    drop((walk, ops));
    root.erase().unwrap();
    assert!(root.all_descendants().is_empty());
    drop(root);
    assert_eq!(alive.live_count(), 0);
}

fn header_address(of: &Header) -> usize {
    std::ptr::from_ref(of).addr()
}

/// Whatever another thread takes out meanwhile, nothing is visited twice, and all that stays is.
#[test]
fn all_at_once_while_parts_go() {
    let alive = Alive::default();
    let rounds = if cfg!(miri) { 2 } else { 40 };
    for round in 0..rounds {
        let root = large_tree(&alive);
        let block = root.all_descendants_as::<Block>().remove(0);
        let stay: Vec<_> = ops_of(&block).into_iter().skip(1).step_by(2).collect();
        std::thread::scope(|scope| {
            let (block, stay) = (&block, &stay);
            scope.spawn(move || {
                for op in ops_of(block).into_iter().step_by(2 + round % 3 * 2) {
                    if !stay.iter().any(|it| it.is(&op)) {
                        op.detach().unwrap();
                    }
                }
            });
            for _ in 0..4 {
                let found = root.all_descendants();
                let places: HashSet<_> = found.iter().map(|node| header_address(node.header())).collect();
                assert_eq!(places.len(), found.len(), "none twice");
                assert!(
                    stay.iter()
                        .all(|op| places.contains(&header_address(op.header()))),
                    "all that stays"
                );
            }
        });
        drop((stay, block, root));
    }
    assert_eq!(alive.live_count(), 0);
}
