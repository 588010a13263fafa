//! The containers as Python has them: `pairbond.List`, `Tuple`, `Map`, `FrozenMap` and `Set`.
//!
//! Their contents, and finding keys, is pairbond-value's (`value`); this module makes them behave
//! like CPython's own, written against its C API, because slices, views and `sort(key=…)` are
//! concepts of Python.
//!
//! * `list`, `list_assign`, `list_methods`, `tuple`, `sequence` for their common part, `search` –
//!   looking for values; `elements` – how elements get out fast.
//! * `map`, `map_methods`, `frozen_map`, `mapping` for their common part, `pairs` – their
//!   arguments, `views`; `set`, `set_algebra`, `set_methods`; `keyed` – the common part of maps and
//!   sets, `map_cache` – how keys and values get out fast; `entries`, `entry_iterator` and
//!   `sequence_iterator` iterate, `iter_cache` – their fast path; `element_iterator` goes through
//!   the result of an `__iter__`; `keep` is the beginning of iterators and views.
//! * `support` – bodies, results; `define` – methods; `values` – elements, keys and values; `walk`
//!   – what Python iterates over; `subscript`; `classes` – heap types; `text` – how strings hash.
//!
//! Rules: no lock of a container is held while Python code runs or anything is dropped, so each
//! function copies out the values it needs, and looks anew after every call that may have run some.
//! Iterators and views are plain Python objects that keep the wrapper of their container.

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::interp::{Interp, local};

pub(crate) mod classes;
mod define;
mod element_iterator;
#[cfg(feature = "package")]
mod elements;
#[cfg(feature = "package")]
mod entries;
#[cfg(feature = "package")]
mod entry_iterator;
#[cfg(feature = "package")]
mod frozen_map;
#[cfg(feature = "package")]
mod iter_cache;
mod keep;
#[cfg(feature = "package")]
mod keyed;
#[cfg(feature = "package")]
mod list;
#[cfg(feature = "package")]
mod list_assign;
#[cfg(feature = "package")]
mod list_methods;
#[cfg(feature = "package")]
mod map;
#[cfg(feature = "package")]
mod map_cache;
#[cfg(feature = "package")]
mod map_methods;
#[cfg(feature = "package")]
mod mapping;
#[cfg(feature = "package")]
mod pairs;
#[cfg(feature = "package")]
mod search;
#[cfg(feature = "package")]
mod sequence;
#[cfg(feature = "package")]
mod sequence_iterator;
#[cfg(feature = "package")]
mod set;
#[cfg(feature = "package")]
mod set_algebra;
#[cfg(feature = "package")]
mod set_methods;
mod subscript;
mod support;
#[cfg(feature = "package")]
mod text;
#[cfg(feature = "package")]
mod tuple;
#[cfg(feature = "package")]
mod values;
#[cfg(feature = "package")]
mod views;
#[cfg(feature = "package")]
mod walk;

pub(crate) use element_iterator::{FEW, element_iterator, new_element_iterator};
#[cfg(feature = "package")]
pub(crate) use values::{Found, found_value};

/// The number of an interpreter's classes that are no wrappers'.
pub(crate) const HELPERS: usize = 10;
const ITERATOR: usize = 0;
const ENTRY_ITERATOR: usize = 1;
/// Of keys; then of values, then of items.
const VIEWS: usize = 2;
/// What keeps memory that others lend to arrays.
pub(crate) const LENDER: usize = 5;
const ELEMENT_ITERATOR: usize = 6;
/// Descriptors of what a class has itself.
pub(crate) const CLASS_GETTER: usize = 7;
/// Functions and methods of libraries of C.
pub(crate) const NATIVE_FUNCTION: usize = 8;
pub(crate) const NATIVE_METHOD: usize = 9;

pub(crate) use subscript::{Subscript, index_place, slice_places};
#[cfg(feature = "package")]
pub(crate) use support::iterate_all;
pub(crate) use support::{
    Methods, Object_, as_body, body_of, method_noargs, repr_text, with_keywords, wrap_new,
};

/// Makes an interpreter's classes, and adds the containers to the module.
///
/// # Safety
/// Attached to `interp`; a living module.
#[cfg(feature = "package")]
pub(crate) unsafe fn publish_containers(interp: &Interp, module: *mut py::PyObject) -> Result<(), Error> {
    text::install_text_hash();
    // SAFETY: attached to `interp`; a living module: the caller ensures it.
    unsafe {
        local::set_helper_class(
            interp,
            ITERATOR,
            sequence_iterator::make_iterator(module)?.into_ptr(),
        );
        local::set_helper_class(
            interp,
            ENTRY_ITERATOR,
            entry_iterator::make_iterator(module)?.into_ptr(),
        );
        local::set_helper_class(
            interp,
            ELEMENT_ITERATOR,
            element_iterator::make_iterator(module)?.into_ptr(),
        );
        for (at, class) in views::view_classes(module)?.into_iter().enumerate() {
            local::set_helper_class(interp, VIEWS + at, class.into_ptr());
        }
        list::list_class(interp, module)?;
        tuple::tuple_class(interp, module)?;
        map::map_class(interp, module)?;
        frozen_map::frozen_map_class(interp, module)?;
        set::set_class(interp, module)
    }
}
