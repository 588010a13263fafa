//! Trees: objects that have one owner, are in its ordered lists, and can be erased.
//!
//! A node is an object of a type marked `#[object("…", tree)]`: it has a field [`Links`], and a
//! field [`Children`] for each list of children. A type of node may stand below any other. A node
//! without a parent is the root of a tree of its own; attaching joins trees, detaching splits them.
//!
//! # Promises, in order of weight
//! 1. The memory of a node is valid while there is a handle to it, erased or not, and is not
//!    used again until then.
//! 2. A handle to any node ([`Ref`](pairbond_core::object::Ref), or its wrapper in a frontend)
//!    keeps the whole tree: up to the root, and down from there.
//! 3. A tree to which no handle is left is freed at once, without a collector; as soon as a node
//!    *below the root* has a wrapper, by a collector, because that wrapper stays as long as the
//!    tree does, as every wrapper stays as long as its object.
//! 4. Using an erased node is an error ([`check`](TreeNode::check), and every access from a
//!    frontend) that names the cause and the remedy.
//! 5. Nothing recurses: a million nodes one below the other are erased, freed and traced on the
//!    stack that there is.
//! 6. A clone or drop of a `Ref` costs the same as for other objects, and types that are no trees
//!    pay nothing anywhere.
//!
//! # How a handle keeps the tree
//! The strong count of a node counts *handles*, not its parent. A parent owns its children without
//! counting, so a node in a tree may have the count 0: it is **asleep**, and nothing but its place
//! in the tree keeps it. A node with handles is **awake**, and owns one counted reference to its
//! parent, which is therefore awake, too, or the root. So the count of the root falls to zero when
//! the last handle to any of its nodes goes.
//!
//! | event | who | transition | left to do |
//! |---|---|---|---|
//! | a handle from the tree (`count_handle`) | has a handle to another node, holds the lock | 0 → 1: awake; the parent is taken in turn | |
//! | the same, by a weak reference (`from_tree`) | has upgraded the root, or without waiting one above that is held, which asks collectors, and holds the lock | as above | |
//! | the same, and a thread is on its way to `last_handle_dropped` | as above | 0 → 2: one is for that thread | |
//! | clone, drop, not the last | any thread | as for every object | |
//! | drop, the last (`last_handle_dropped`) | that thread, takes the lock | still 0, attached: asleep | drop the reference to the parent |
//! | | | still 0, a root | destroy it |
//! | | | not 0 | drop the reference that was left for it |
//! | created to be inserted ([`DetachedNode`]) | the thread that makes it, the only one that can reach it | 0 from the beginning: asleep, and no place yet | |
//! | inserted (`BatchInsert::push`), kept by a handle (`keep`), or both (`push_and_keep`) | the same, holds the lock | asleep in its place; or 0 → 1 | |
//! | attached and the handle dropped (`attach_owned`), the last | holds the lock | 1 → 0: asleep | |
//! | dropped with others (`put_down`), the last, attached | holds the lock | 1 → 0: asleep | drop the reference to the parent, likewise |
//! | a wrapper is made below the root, or a node with a wrapper attached | holds the lock | the node owns a reference to *itself* | |
//! | detached, erased, cleared by a collector, wrapper given back (`trim`) | holds the lock | | drop that reference |
//!
//! Between the last drop and the lock a node is awake with count 0. The reference that
//! `count_handle` leaves for the thread on its way is the one that `custody` leaves for a thread
//! that hands over, and for the same reason: without it the node could be freed before that thread
//! looks.
//!
//! # Wrappers
//! A node with a wrapper below the root owns a reference to itself, so it is awake and its pair is
//! in `Native` custody as that of any object that native code owns: identity, attributes and weak
//! references stay. It is a cycle, and all of it is shown to collectors: node → itself, node →
//! parent. There is no other way, for a frontend does not say when its last reference but ours
//! goes. `erase` ends it at once. A dead tree of that kind waits for a collector, which counts
//! wrappers and knows nothing of the nodes behind them; so a frontend is told when to collect
//! (`weight.rs`).
//!
//! # Collectors
//! A node that is asleep has no count and no node in a survey: its fields are shown by the next
//! node above it that is awake or the root, as if they were that node's (`trace`). A node that is
//! awake is shown by its parent, too, as a reference that its count does not know; the survey adds
//! one for it. The lock is taken by the first node that is traced, and kept as long as the locks of
//! [`Cell`](pairbond_value::value::Cell)s are.
//!
//! # Locks
//! One lock for all trees of the process, held for some instructions by readers and writers of
//! places. It is never held while a reference is dropped, a destructor runs or a frontend is
//! called. Readers take it for each step, so they never see a list torn; or for several, to look at
//! nodes without handles (`guard.rs`), or to insert many (`detached_node.rs`). It guards fields of
//! nodes, too, that declare so ([`Guarded`]). `Links::flags` is written under it and read by
//! anyone; everything else in [`Links`] and [`Children`] is touched under it only.
//!
//! # Costs
//! 32 bytes per node (24 on top of a pointer to the parent), 16 per list: with the header and the
//! collector's note 88 for a node with one list. A wrapper takes 56 bytes with CPython 3.11, 80
//! with 3.14. Insert, remove: O(1); attaching a node that has children: the depth of the place or
//! the number of nodes that come there, whichever is less, to see that it is no ancestor. Moving
//! *n* nodes to another parent: O(n), within their parent O(1). By index: a look into an array (8
//! bytes for each place up to the last that was asked for), and O(log n) where one asks and edits
//! in turn; edits of such a list, too (`child_index.rs`).
//!
//! # Roads not taken
//! * A record per tree with a count of handles, shared by all nodes: joining and splitting trees
//!   would visit all nodes of one, and a clone of a handle would count twice.
//! * Counting the parent, too, and noticing that a count falls to one: a second comparison in every
//!   drop of every object.
//! * Counted references down *and* up: nothing would be freed without a collector.
//! * A lock per root: the root must be found first, which without a lock is a walk over pointers
//!   that others change; or a record per tree, see above. A lock per node: two locks for each step,
//!   in an order that edits in both directions cannot keep.
//! * Letting a wrapper own its node while only Python has it, and reviving it when it dies with
//!   attributes: a collector that finds such a wrapper in a cycle would clear it though its node is
//!   part of a living tree, for no counted reference leads from there to the self.
//! * Letting a wrapper die while its node stays: `op.note = …` would be lost, and a
//!   `WeakKeyDictionary` of nodes would empty itself.
//!
//! # Not promised
//! Edits of several trees at once do not run in parallel.
//!
//! Tests: `tests/tree` (units, random scripts against a model, threads), `tests/loom_tree.rs` (the
//! table above).

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod carry;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod child_index;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod children;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod clear;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod cursor;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod detached_node;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod edit;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod erase;
mod error;
#[allow(unsafe_code, reason = "nodes of other languages are reached through tables")]
mod external;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod guard;
#[allow(unsafe_code, reason = "a field is shared under the lock of all trees")]
mod guarded;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod head;
#[allow(unsafe_code, reason = "the core calls with headers and values")]
mod hooks;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod keep;
#[allow(unsafe_code, reason = "what the process has once is reached by pointers")]
mod kept;
#[allow(unsafe_code, reason = "types state their layout")]
mod layout;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod links;
mod lock;
#[allow(unsafe_code, reason = "names are written through functions of other binaries")]
mod name;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod neighbours;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod node;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod order;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod order_statistic_tree;
#[allow(unsafe_code, reason = "what the process has once is reached by pointers")]
mod reason;
mod search;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod trace;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod walk;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod weak;
#[allow(unsafe_code, reason = "nodes are linked by pointers, under one lock")]
mod weight;

pub use children::{Children, List};
pub use clear::clear_node;
pub use cursor::{Cursor, Iter};
pub use detached_node::{BatchInsert, DetachedNode, UninitNode, batch_insert};
#[doc(hidden)]
pub use external::{
    Element, ExternalTree, NodeFunctions, NodeList, Place, any_node, no_reference_error, of_align, place_of,
};
pub use guard::{Found, Siblings, TreeGuard, drop_all, with_lock};
pub use guarded::Guarded;
pub use links::Links;
pub use name::{NameWriter, name_fn};
pub use node::{TreeNode, TreeTable};
pub use pairbond_core::object::{check_node, check_object, is_erased, read_unless_erased};
pub use reason::{Reason, current, reason, set_reason};
pub use search::{Traversal, Visit};
pub use trace::trace_node;
pub use walk::{Ancestors, Descendants, Leftover};
pub use weight::Weight;
