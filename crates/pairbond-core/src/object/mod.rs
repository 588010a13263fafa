//! Native objects: header, custody, references.
//!
//! ```text
//!  allocation   [ tracking prefix, traced types only ][ Header: state | pair | type ][ value (or its base first) ][ items ]
//!                                                     ^ Ref, Weak, Borrow point here
//! ```
//! * [`custody`](Custody) – the protocol; no pointers are followed there. Its word is in `state`,
//!   what transitions leave to do in `duty`, the transitions in `custody` (native references),
//!   `attached` (wrappers), `upgrade` (weak references), `watch` (collectors) and `retag` (ended
//!   interpreters).
//! * `header` – layout, pinned by assertions, and the way from a header to its type and value.
//! * `partially_built`, `uninit_object`, `raw_object` – how every object is made.
//! * `reference`, `erased`, `borrow`, `weak` (`weaks`: many) – the handles users hold.
//! * `show_layout` – what another binary is shown of a type's layout.
//! * `shares` – references that are counted many at a time.
//! * `by_address` – tables of objects.
//! * `table` – what of this the process's runtime does, whichever binary has it.
//! * `destroy` – the work list on which objects die, so that a chain of millions needs no stack.

mod borrow;
mod by_address;
mod cells;
mod describe;
mod destroy;
mod equality;
mod erased;
mod header;
mod items;
mod nature;
mod node;
mod other_crates;
mod partially_built;
mod raw_object;
mod reach;
mod reference;
mod root;
mod shares;
mod show_layout;
mod table;
mod trace;
mod uninit_object;
mod unique;
mod weak;
mod weaks;

pub use crate::custody::{
    Custody, Died, Extracted, Given, Header, Holder, Pair, Prefix, Released, Retagged, State, TagStatus,
    Taken, Upgraded, detach_epoch, value_offset,
};
#[doc(hidden)]
pub use crate::tracked::structure_lock;
pub use crate::types::{Items, Neighbour, NodeFlags, NodeHooks, NodeType, ShowNeighbour};
pub use borrow::{Borrow, ErasedBorrow};
pub use by_address::ByAddress;
pub use describe::trace_of;
pub use destroy::{destroy_object, postpone_task, wrapper_died};
pub use erased::ErasedRef;
pub use header::Shape;
pub(crate) use header::free_object;
pub use header::{Object, run_release_action};
pub use items::WithItems;
#[doc(hidden)]
pub use nature::{IsObject, IsPlain, Nature};
pub(crate) use node::is_owned;
pub use node::{check_node, check_object, is_erased, read_unless_erased};
pub use partially_built::{Birth, Unfinished};
pub use raw_object::RawObject;
pub use reach::Reach;
pub use reference::Ref;
pub use root::Root;
pub use shares::{Counted, Shares};
#[doc(hidden)]
pub use show_layout::write_object;
pub use table::ObjectsTable;
pub(crate) use table::{adopt_objects, objects_table, owns_runtime};
pub use trace::{Trace, Untraced};
pub use uninit_object::UninitObject;
pub use unique::Unique;
pub use weak::Weak;
pub use weaks::Weaks;
