//! The functions that the core calls for nodes: see [`NodeType`].

use std::ffi::c_void;

use super::clear::leave_lists;
use super::error::Refused;
use super::keep::{last_handle_dropped, on_unwrapped, on_wrapped};
use super::links::flag;
use super::node::{Node, TreeTable};
use super::weak::from_tree;
use super::{neighbours, weight};
use pairbond_core::error::Error;
use pairbond_core::object::{Header, NameFn, NodeFlags, NodeHooks, NodeType, Object, ShowNeighbour};

/// The number of this structure.
const TREE: u32 = 1;

const HOOKS: &NodeHooks = &NodeHooks {
    refuse: erased_node_error,
    released: last_handle_dropped,
    upgrade: from_tree,
    leave: leave_children,
    neighbours: show_neighbours,
    wrapped: on_wrapped,
    unwrapped: on_unwrapped,
    cause: erased_by,
    name_fn: name_fn_of,
    is_mostly_alive,
};

/// # Safety
/// A table of nodes.
unsafe fn name_fn_of(table: *const c_void) -> Option<NameFn> {
    // SAFETY: the caller's table.
    unsafe { (*table.cast::<TreeTable>()).name }
}

/// # Safety
/// A node, which is alive during the call.
unsafe fn erased_node_error(object: &Header) -> Error {
    // SAFETY: the caller's node.
    Refused::Erased(unsafe { Node::from_header(object) }).into()
}

/// # Safety
/// A node, to which the caller has a handle.
unsafe fn show_neighbours(object: &Header, each: &mut ShowNeighbour<'_>) -> bool {
    // SAFETY: the caller's node.
    neighbours::show_neighbours(unsafe { Node::from_header(object) }, each)
}

/// # Safety
/// A node, to which the caller has a handle.
unsafe fn is_mostly_alive(object: &Header, traced: usize) -> bool {
    // SAFETY: the caller's node.
    weight::is_mostly_alive(unsafe { Node::from_header(object) }, traced)
}

/// # Safety
/// A living value of a node that only the collector and its children refer to, and its type's
/// table.
unsafe fn leave_children(value: *mut u8, table: *const c_void) {
    // SAFETY: the caller's value, and where its lists are.
    unsafe { leave_lists(value, (*table.cast::<TreeTable>()).lists) }
}

impl TreeTable {
    /// Returns what the core knows of nodes that have this table.
    #[must_use]
    pub const fn node_type(&'static self) -> NodeType {
        let flags = NodeFlags {
            refused: flag::ERASED,
            owned: flag::AWAKE,
        };
        let word = self.links + super::links::FLAGS;
        // SAFETY: a table is one of nodes, as who implements `Object` promises: their links have
        // the flags there. The table is of this structure.
        unsafe { NodeType::new(TREE, word, flags, HOOKS, std::ptr::from_ref(self).cast()) }
    }

    /// Returns the table of such nodes.
    #[must_use]
    pub const fn of_node(node: Option<NodeType>) -> Option<&'static TreeTable> {
        match node {
            Some(node) => match node.table_of(TREE) {
                // SAFETY: what has this number has a table of this type, for the process.
                Some(table) => Some(unsafe { &*table.cast::<TreeTable>() }),
                None => None,
            },
            None => None,
        }
    }
}

/// The table of a type of nodes.
pub(super) const fn table_of<T: Object>() -> Option<&'static TreeTable> {
    const { TreeTable::of_node(T::NODE) }
}

/// What erased a node: the [reason](super::reason), or `erase()`.
///
/// # Safety
/// A node that was erased, which is alive during the call.
unsafe fn erased_by(object: &Header) -> &'static str {
    // SAFETY: the caller's node.
    let reason = unsafe { Node::from_header(object) }.links().erase_reason();
    reason.map_or("erase()", super::Reason::name)
}

/// Returns whether objects of a type are nodes of trees.
pub(super) fn is_tree(object: &Header) -> bool {
    object
        .info()
        .node()
        .is_some_and(|node| node.table_of(TREE).is_some())
}
