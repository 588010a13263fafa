//! Nodes that can have no children, among such that can: what a node may stand above is found out
//! without a walk up the tree, mostly.

use pairbond_core::object::{Object, Ref, Root};
use pairbond_core::trace::{Reach, Trace, Tracer};
use pairbond_core::types::TypeCell;
use pairbond_tree::{Children, Links, List, TreeNode, TreeTable};

use crate::nodes::node;

#[repr(C)]
struct Leaf {
    links: Links,
}

/// A leaf of another type, which has a list of stems only.
#[repr(C)]
struct Bed {
    base: Leaf,
    stems: Children<Stem>,
}

/// A leaf that has leaves.
#[repr(C)]
struct Stem {
    base: Leaf,
    leaves: Children<Leaf>,
}

node!(Leaf: Root, "tree.Leaf", 0, [], [], None);
node!(Stem: Leaf, "tree.Stem", 0, [leaves], [], None);

node!(Bed: Leaf, "tree.Bed", 0, [stems], [], None);

fn new_leaf() -> Leaf {
    Leaf { links: Links::new() }
}

fn stem_with_leaves(leaves: usize) -> Ref<Stem> {
    let (base, list) = (new_leaf(), Children::new());
    let stem = Ref::new(Stem { base, leaves: list });
    (0..leaves).for_each(|_| self::leaves_of(&stem).push_owned(Ref::new(new_leaf())).unwrap());
    stem
}

fn leaves_of(stem: &Ref<Stem>) -> List<'_, Leaf> {
    stem.list(|it| &it.leaves)
}

#[test]
fn a_node_does_not_come_below_itself_however_many_leaves_it_has() {
    for count in 0..10 {
        let (outer, inner) = (stem_with_leaves(count), stem_with_leaves(count));
        leaves_of(&outer).push_owned(inner.clone().upcast()).unwrap();
        let error = leaves_of(&inner).push(&outer.clone().upcast()).unwrap_err();
        assert!(error.to_string().contains("cycles"), "{error}");
        // Two trees that have leaves only do join.
        let other = stem_with_leaves(count);
        leaves_of(&inner).push_owned(other.clone().upcast()).unwrap();
        assert!(other.is_in(&outer) && !outer.is_in(&other));
        assert_eq!(leaves_of(&inner).len(), count + 1);
    }
}

#[test]
fn a_range_with_a_node_of_another_type_does_not_come_into_a_list() {
    let (from, bed) = (
        stem_with_leaves(0),
        Ref::new(Bed {
            base: new_leaf(),
            stems: Children::new(),
        }),
    );
    let (first, last) = (stem_with_leaves(0), stem_with_leaves(0));
    leaves_of(&from).push(&first.clone().upcast()).unwrap();
    leaves_of(&from).push_owned(Ref::new(new_leaf())).unwrap();
    leaves_of(&from).push(&last.clone().upcast()).unwrap();
    let stems = bed.list(|it| &it.stems);
    let error = stems.splice(None, &first, &last).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a tree.Leaf does not go into a list of tree.Stem"),
        "{error}"
    );
    assert_eq!((stems.len(), leaves_of(&from).len()), (0, 3));
    stems.splice(None, &last, &last).unwrap();
    stems.splice(Some(&last), &first, &first).unwrap();
    assert_eq!((stems.len(), leaves_of(&from).len()), (2, 1));
}
