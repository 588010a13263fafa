//! Erasing.

use pairbond_core::error::ErrorKind;
use pairbond_tree::{self, TreeNode};

use crate::nodes::{Alive, blocks_of, op_numbers, ops_of, small_tree};

#[test]
fn handles_say_who_erased_what() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    {
        let _scope = pairbond_tree::reason("dead-code elimination");
        let _inner = pairbond_tree::reason("canonicalise");
        block.erase().unwrap();
    }
    assert_eq!(pairbond_tree::current(), None);
    assert!(!root.is_erased() && blocks_of(&root).is_empty());
    for op in &all {
        let error = op.check().unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Invalidated);
        let text = error.to_string();
        assert!(
            text.contains(&format!(
                "this tree.Op number {} was erased, by canonicalise",
                op.number
            )),
            "{text}"
        );
        assert!(op.parent().is_none() && op.next_sibling().is_none());
        assert!(op.root().downcast::<crate::nodes::Op>().unwrap().is(op));
    }
    assert!(block.erase().unwrap_err().to_string().contains("canonicalise"));
    root.erase().unwrap();
    assert!(root.check().unwrap_err().to_string().contains("by erase()"));
}

#[test]
fn names_are_told_by_every_refusal() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 2);
    let other = alive.new_block();
    for (result, part) in [
        (
            ops_of(&block).push(&all[1]),
            "this tree.Op number 1 has a parent already",
        ),
        (
            blocks_of(&all[0]).push(&root.list(|op| &op.blocks).first().unwrap()),
            "this tree.Block has a parent",
        ),
        (
            ops_of(&other).insert_before(&all[0], &alive.new_op(7)),
            "this tree.Op number 0 does not stand in that list of the tree.Block",
        ),
        (
            blocks_of(&all[0]).splice(None, &block, &block),
            "this tree.Block cannot stand below a tree.Op number 0",
        ),
    ] {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    }
    all[0].erase().unwrap();
    let error = pairbond_tree::check_object(all[0].header()).unwrap_err();
    assert!(error.to_string().contains("number 0 was erased"));
    assert!(pairbond_tree::is_erased(all[0].header()) && !pairbond_tree::is_erased(block.header()));
    pairbond_tree::check_object(block.header()).unwrap();
}

#[test]
fn memory_goes_with_the_last_handle_to_each() {
    let alive = Alive::default();
    let (root, block, mut all) = small_tree(&alive, 10);
    drop(all.split_off(2));
    root.erase().unwrap();
    assert_eq!(alive.live_count(), 4);
    assert_eq!((all[1].number, all[1].strong_count()), (1, 1));
    drop(block);
    assert_eq!(alive.live_count(), 3);
    drop(all);
    assert_eq!(alive.live_count(), 1);
    drop(root);
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn erased_nodes_are_refused() {
    let alive = Alive::default();
    let (_root, block, all) = small_tree(&alive, 3);
    all[1].erase().unwrap();
    assert_eq!(op_numbers(ops_of(&block)), [0, 2]);
    let refused = |result: Result<(), pairbond_core::error::Error>| {
        assert_eq!(*result.unwrap_err().kind(), ErrorKind::Invalidated);
    };
    refused(ops_of(&block).push(&all[1]));
    refused(ops_of(&block).insert_after(&all[1], &alive.new_op(5)));
    refused(ops_of(&block).splice(None, &all[1], &all[1]));
    refused(blocks_of(&all[1]).push(&alive.new_block()));
    refused(all[1].detach());
    block.erase().unwrap();
    refused(ops_of(&block).push(&alive.new_op(5)));
    drop((_root, block, all));
    assert_eq!(alive.live_count(), 0);
}

#[test]
fn what_is_used_elsewhere_outlives_its_place() {
    let alive = Alive::default();
    let (root, block, all) = small_tree(&alive, 3);
    all[2].uses.set(Some(all[0].clone()));
    let user = all[2].clone();
    drop((block, all));
    root.erase().unwrap();
    assert_eq!(alive.live_count(), 3);
    assert!(user.uses.get().unwrap().is_erased());
    drop(user);
    assert_eq!(alive.live_count(), 1);
}
