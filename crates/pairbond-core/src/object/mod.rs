//! Native objects: references, their types' description, their death.
//!
//! ```text
//!  allocation   [ tracking prefix, traced types only ][ Header: state | pair | type ][ value (or its base first) ][ items ]
//!                                                     ^ Ref, Weak, Borrow point here
//! ```
//! The header and its protocol are in [`custody`](crate::custody). Here are:
//! * `header` – [`Object`]: what a type says of itself; what dropping the last reference leads to.
//! * `trace` – [`Trace`]: what a type tells a collector; `cells`, `other_crates`: of fields that
//!   change, and of types of other crates.
//! * `reach` – [`Reach`]: where references can lead, by the types that are declared.
//! * `describe` – from a Rust type to what the process knows of it.
//! * `partially_built`, `uninit_object`, `raw_object` – how every object is made.
//! * `reference`, `erased`, `borrow`, `weak` (`weaks`: many) – the handles users hold.
//! * `equality`, `overridable` – calling methods that compare, and that a class may override.
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
mod items;
mod nature;
mod node;
mod object_layout;
mod objects_table;
mod other_crates;
mod overridable;
mod partially_built;
mod raw_object;
mod reach;
mod reference;
mod root;
mod shares;
mod show_layout;
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
pub use crate::types::{Items, NameFn, Neighbour, NodeFlags, NodeHooks, NodeType, ShowFn, ShowNeighbour};
pub use borrow::{Borrow, ErasedBorrow};
pub use by_address::ByAddress;
pub use describe::trace_of;
pub use destroy::{destroy_object, postpone_task, wrapper_died};
pub use erased::ErasedRef;
pub use items::WithItems;
#[doc(hidden)]
pub use nature::{IsObject, IsPlain, Nature};
pub(crate) use node::is_owned;
pub use node::{
    check_node, check_object, erased_by, is_erased, is_mostly_alive, on_unwrapped, on_wrapped,
    read_unless_erased, with_name,
};
pub use object_layout::Shape;
pub(crate) use object_layout::free_object;
pub use object_layout::{Object, run_release_action};
pub use objects_table::ObjectsTable;
pub(crate) use objects_table::{adopt_objects, objects_table};
pub use overridable::{is_overridden, overridden_object, set_class_layout};
pub use partially_built::{Birth, Unfinished};
pub use raw_object::RawObject;
pub use reach::Reach;
pub use reference::Ref;
pub use root::Root;
pub use shares::{Counted, Shares};
#[doc(hidden)]
pub use show_layout::write_object;
pub use trace::{Trace, Untraced};
pub use uninit_object::UninitObject;
pub use unique::Unique;
pub use weak::Weak;
pub use weaks::Weaks;
