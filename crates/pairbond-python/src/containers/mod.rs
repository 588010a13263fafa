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
//! * `values` – elements, keys and values; `walk` – what Python iterates over; `search_bound` – the
//!   bounds of `index()`; `text_hash` – hashes of strings. The classes are made by `heap_types/`.
//!
//! Rules: no lock of a container is held while Python code runs or anything is dropped, so each
//! function copies out the values it needs, and looks anew after every call that may have run some.
//! Iterators and views are plain Python objects that keep the wrapper of their container.

use pairbond_core::error::Error;

use crate::interp::kept::{ELEMENT_ITERATOR, ENTRY_ITERATOR, ITERATOR, VIEWS};
use crate::interp::{Interp, local};
use crate::owned::Owned;

mod element_iterator;
mod elements;
mod entries;
mod entry_iterator;
mod frozen_map;
mod iter_cache;
mod keep;
mod keyed;
mod list;
mod list_assign;
mod list_methods;
mod map;
mod map_cache;
mod map_methods;
mod mapping;
mod pairs;
mod search;
mod search_bound;
mod sequence;
mod sequence_iterator;
mod set;
mod set_algebra;
mod set_methods;
mod text_hash;
mod tuple;
mod values;
mod views;
mod walk;

pub(crate) use element_iterator::new_element_iterator;
pub(crate) use values::{Found, found_value};
pub(crate) use walk::iterate_all;

/// Makes an interpreter's classes, and adds the containers to the module.
/// The thread is attached to `interp`.
pub(crate) fn publish_containers(interp: &Interp, module: &Owned) -> Result<(), Error> {
    text_hash::install_text_hash();
    for (place, class) in [
        (ITERATOR, sequence_iterator::make_iterator(module)?),
        (ENTRY_ITERATOR, entry_iterator::make_iterator(module)?),
        (ELEMENT_ITERATOR, element_iterator::make_iterator(module)?),
    ] {
        local::set_helper_class(interp, place, class.into_ptr());
    }
    for (at, class) in views::view_classes(module)?.into_iter().enumerate() {
        local::set_helper_class(interp, VIEWS + at, class.into_ptr());
    }
    list::list_class(interp, module)?;
    tuple::tuple_class(interp, module)?;
    map::map_class(interp, module)?;
    frozen_map::frozen_map_class(interp, module)?;
    set::set_class(interp, module)
}
