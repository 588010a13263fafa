//! Nodes of trees that extend others, with lists of children of their own.

use pairbond::prelude::*;
use pairbond::tree::{Children, Found, Links, TreeNode, with_lock};

#[pairbond::object("subtypes.Node", tree)]
#[derive(Default)]
struct Node {
    links: Links,
    parts: Children<Node>,
}

#[pairbond::object("subtypes.Leaf", extends = Node)]
struct Leaf {
    node: Node,
    words: [u64; 2],
}

#[pairbond::object("subtypes.Branch", extends = Node)]
#[derive(Default)]
struct Branch {
    node: Node,
    leaves: Children<Leaf>,
    below: Children<Node>,
}

fn leaf(word: u64) -> Ref<Leaf> {
    let (node, words) = (Node::default(), [word, !word]);
    Ref::new(Leaf { node, words })
}

fn branch() -> Ref<Branch> {
    Ref::new(Branch::default())
}

#[test]
fn a_subtype_has_its_lists_behind_those_of_its_parent() {
    let root = branch();
    let (part, one, two, below) = (leaf(1), leaf(2), leaf(3), branch());
    root.list(|it| &it.below).push(&below.clone().upcast()).unwrap();
    root.list(|it| &it.leaves).push(&two).unwrap();
    root.list(|it| &it.leaves).insert_before(&two, &one).unwrap();
    root.list(|it| &it.parts).push(&part.clone().upcast()).unwrap();
    let order: Vec<_> = root.descendants().collect();
    let expected = [
        part.clone().into(),
        one.clone().into(),
        two.clone().into(),
        below.clone().into(),
    ];
    assert!(
        order
            .iter()
            .zip(&expected)
            .all(|(a, b): (_, &pairbond::refs::ErasedRef)| a.is(b))
    );
    // The same, as its base.
    let plain: Ref<Node> = root.clone().upcast();
    assert_eq!(
        (plain.descendants().count(), plain.list(|it| &it.parts).len()),
        (4, 1)
    );

    two.detach().unwrap();
    assert_eq!(root.list(|it| &it.leaves).to_vec().len(), 1);
    root.erase().unwrap();
    assert!(part.is_erased() && one.is_erased() && below.is_erased() && !two.is_erased());
}

#[test]
fn what_stands_in_a_list_of_a_subtype_is_kept_and_freed_with_it() {
    let (root, one) = (branch(), leaf(1));
    let weak = one.downgrade();
    root.list(|it| &it.leaves).push_owned(one).unwrap();
    assert!(weak.upgrade().is_some_and(|one| one.words == [1, !1]));
    // A handle to it keeps the root.
    let one = root.list(|it| &it.leaves).first().unwrap();
    drop(root);
    assert!(
        one.parent()
            .is_some_and(|parent| parent.downcast::<Branch>().is_ok())
    );
    drop(one);
    assert!(weak.upgrade().is_none());
}

#[pairbond::object("subtypes.Holder", extends = Node)]
struct Holder {
    node: Node,
    others: Children<Holder>,
    any: Cell<Any>,
}

#[test]
fn a_cycle_through_a_list_of_a_subtype_is_collected() {
    let holder = || {
        let (node, others, any) = (Node::default(), Children::new(), Cell::new(Any::None));
        Ref::new(Holder { node, others, any })
    };
    let (root, below, kept) = (holder(), holder(), holder());
    let (weak, alive) = (root.downgrade(), kept.downgrade());
    root.list(|it| &it.others).push(&below).unwrap();
    below.any.set(Any::from(root.clone()));
    kept.list(|it| &it.others).push_owned(holder()).unwrap();
    pairbond::collect();
    assert!(weak.upgrade().is_some(), "handles are left");
    drop((root, below));
    pairbond::collect();
    assert!(weak.upgrade().is_none());
    assert!(
        alive
            .upgrade()
            .is_some_and(|kept| kept.list(|it| &it.others).len() == 1)
    );
}

/// In a list of another type, siblings are those that can be used as that type.
#[test]
fn neighbours_of_other_types_are_passed_over() {
    let root = branch();
    let (one, two) = (leaf(1), leaf(2));
    let list = || root.list(|it| &it.below);
    list().push(&one.clone().upcast()).unwrap();
    list().push(&branch().upcast()).unwrap();
    list().push(&two.clone().upcast()).unwrap();
    list().push(&branch().upcast()).unwrap();
    let words: Vec<u64> = with_lock(|still| still.siblings_from(&one).map(|it| it.get().words[0]).collect());
    assert_eq!(words, [1, 2]);
    with_lock(|still| {
        let first = still.found(&one);
        assert!(still.next::<Leaf, Leaf>(first).is_none());
        let next: Found<'_, Node> = still.next(first).unwrap();
        assert!(next.downcast::<Leaf>().is_none() && next.downcast::<Branch>().is_some());
        let third: Found<'_, Leaf> = still.next(next).unwrap();
        assert_eq!(third.get().words, [2, !2]);
        let back: Found<'_, Branch> = still.previous(third).unwrap();
        assert_eq!(back.addr(), next.addr());
        assert!(still.previous::<Leaf, Node>(first).is_none());
    });
}
