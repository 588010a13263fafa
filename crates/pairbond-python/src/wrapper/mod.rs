//! Wrappers: the Python objects that stand for native ones.
//!
//! * `fetch` – native object → wrapper, making it the first time; giving the last native reference
//!   to Python.
//! * `make` – the first wrapper of an object, and guests: wrappers of objects that belong to
//!   another interpreter.
//! * `adopt` – a wrapper that was made before its object (feature `serial`).
//! * `birth` – allocation, tying a constructed object; `death` – what a dying one gives up.
//! * `nesting` – how deep deaths lie in each other (up to CPython 3.13).
//! * `managed` – whether CPython keeps any attribute for one.
//! * `held` – finding the wrappers that native code keeps.
//! * `trim` – freeing dispensable wrappers.
//! * `part` – taking an object away from its wrapper; `names` – which variables refer to a wrapper;
//!   `moved` – wrappers without their object.
//! * `class_flags` – type flags of their classes.
//! * `repr` – that of types without one, and of nodes that were erased.
//! * `weak_references` – Python's weak references to one.
//! * `object_slots` – the inherited slots of `pairbond.Object`: the mark of a wrapper, attributes.

#[cfg(feature = "serial")]
mod adopt;
mod birth;
pub(crate) mod class_flags;
mod death;
mod fetch;
pub(crate) mod held;
mod make;
mod managed;
pub(crate) mod moved;
mod names;
#[cfg(not(Py_3_14))]
mod nesting;
mod object_slots;
mod part;
pub(crate) mod repr;
pub(crate) mod trim;
pub(crate) mod weak_references;

pub use crate::interp::Spare;
pub(crate) use crate::layout::is_self;
pub use crate::layout::{Wrapper, borrow, is_wrapper, native};
#[cfg(feature = "serial")]
pub(crate) use adopt::adopt_object;
pub(crate) use birth::is_sweep_due;
pub use birth::{allocate, make_pair, tie};
pub(crate) use birth::{
    allocate_fresh, deciding_class, is_exact, is_plain_class, is_tracked_from_birth, make_pair_with,
    tie_with, track_if, track_wrapper,
};
pub use death::dealloc;
pub use fetch::{existing_wrapper, fetch, give, give_new};
pub(crate) use make::{find_or_make_given, find_or_make_or_null};
pub(crate) use managed::probe_dict_layout;
#[cfg(Py_3_14)]
pub(crate) use managed::values_of;
#[cfg(feature = "package")]
pub(crate) use moved::native_of;
pub(crate) use moved::uninitialized_error;
pub(crate) use names::Argument;
pub(crate) use object_slots::may_have_attributes;
pub(crate) use object_slots::{clear_dict, has_no_attributes, has_no_dict, visit_dict, visit_own_dict};
pub use object_slots::{get_dict, is_gc, set_attribute, set_dict};
pub(crate) use part::part_object;
