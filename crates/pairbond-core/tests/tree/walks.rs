//! `descendants` and `ancestors`, also while the tree is edited.
//! (`tests/python/test_trees_walks.py` compares them with a model.)

use pairbond_core::object::ErasedRef;
use pairbond_core::tree::TreeNode;

use crate::nodes::{Alive, Op, blocks, ops, small};

fn numbers(walk: impl Iterator<Item = ErasedRef>) -> Vec<u32> {
    walk.filter_map(|node| node.downcast::<Op>().ok())
        .map(|op| op.number)
        .collect()
}

#[test]
fn both_ways() {
    let alive = Alive::default();
    let (root, block, all) = small(&alive, 3);
    let inner = alive.block();
    blocks(&all[1]).push(&inner).unwrap();
    ops(&inner).push(&alive.op(10)).unwrap();
    assert_eq!(numbers(root.descendants()), [0, 1, 10, 2]);
    assert_eq!(root.descendants().count(), 6);
    let deep = ops(&inner).first().unwrap();
    let above: Vec<_> = deep.ancestors().collect();
    assert!(
        std::ptr::eq(above[0].header(), inner.header()) && std::ptr::eq(above[2].header(), block.header())
    );
    assert_eq!(numbers(deep.ancestors()), [1, root.number]);
    drop((deep, above, inner, block, root, all));
    assert_eq!(alive.now(), 0);
}

#[test]
fn what_is_erased_meanwhile() {
    let alive = Alive::default();
    let (root, block, all) = small(&alive, 4);
    let mut walk = root.descendants();
    assert!(walk.next().is_some());
    let first = walk.next().unwrap().downcast::<Op>().unwrap();
    assert_eq!(first.number, 0);
    first.erase().unwrap();
    all[1].detach().unwrap();
    // Both that it knew are gone.
    assert_eq!(numbers(walk), [0; 0]);
    let mut up = all[2].ancestors();
    assert!(up.next().is_some());
    block.erase().unwrap();
    assert_eq!(numbers(up), [root.number]);
    assert_eq!(numbers(all[2].ancestors()), [0; 0]);
    assert_eq!(numbers(block.descendants()), [0; 0]);
}
