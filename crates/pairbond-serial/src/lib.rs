//! Graphs of objects taken apart and made again: copying, comparing, and writing in any format.
//!
//! How the value of a field is taken apart is [`carry`](pairbond_value::carry)'s.
//!
//! * `graph` – [`Graph`]: a graph as a flat table: schemas, nodes, tokens. It owns no object, and
//!   says the same in every process.
//! * `save` – objects → graph; `load` – graph → objects, `plan` – what a schema is here and now;
//!   `node` – making one object of one node.
//! * `compare` – structural equality, order; `hash` – structural hash; `sidecar` – what both look
//!   at.
//! * `binary` – a graph as bytes. With the feature `serde`: any format of serde (`format`, `text`),
//!   and JSON (`json`).
//!
//! # Promises, in order of weight
//! 1. No reader ever sees uninitialised memory. An object is allocated, its fields are made where
//!    they stay, and only then is it listed for collectors and referred to; when a field cannot be
//!    made, those before it are dropped and the memory goes back.
//! 2. Input is not trusted: every index, type, name, kind of value and number of fields is checked
//!    against the registered types, and a mismatch is an error that names type and field.
//!    Constructors are not called: a type whose code relies on more than its field types ensure has
//!    a [check](pairbond_value::carry::Carrying::with_check), is disassembled by functions of
//!    its own ([hooks](pairbond_value::carry::Carrying::by_hooks)), or not at all.
//! 3. Nothing recurses along the graph. Depth costs memory, not stack.
//! 4. Identity: one object is one node, and the other way round.
//!
//! # How cycles are made again
//! A field that never changes can only refer to objects that were there before its own: so
//! references by such fields alone make no cycle. Every cycle runs through a *place* that changes:
//! a [`Cell`](pairbond_core::cell::Cell), an element of a `List`, `Map` or `Set`. Objects are made
//! in an order that respects the former, and a place whose object is not there yet stays *vacant*
//! for a while. A vacant `Cell` is one that a collector has emptied: its lock is retired, so that
//! collectors pass it by and a reader panics, and it [fills once](pairbond_value::value::Cell) when
//! everything is there. Lists, maps and sets are just shorter for a while. No default value is
//! needed, and none is seen. Data that claims a cycle without such a place is an error.
//!
//! # Roads not taken
//! * Objects made empty by a constructor without arguments and filled by setters: immutable fields
//!   would need an encoding, in every format.
//! * `serde` for each type: authors would write it, generics of containers would be compiled once
//!   per format, and types made at run time have none.
//! * Types as trees of values (`serde_json::Value`): an allocation for each field, where a token
//!   takes none.

#![deny(unsafe_code)]

mod binary;
mod compare;
#[cfg(feature = "serde")]
mod format;
mod graph;
mod hash;
#[cfg(feature = "serde")]
mod json;
mod load;
#[allow(unsafe_code, reason = "fields are made where they stay")]
mod node;
mod plan;
#[allow(unsafe_code, reason = "fields are read at offsets")]
mod save;
mod sidecar;
#[cfg(feature = "serde")]
mod text;

pub use compare::{structural_cmp, structural_equal};
pub use graph::{Buffer, Graph, Node, OutOfBand, Schema, Token};
pub use hash::structural_hash;
#[cfg(feature = "serde")]
pub use json::{from_json, loader_of_json, to_json};
pub use load::Loader;
pub use save::{Edge, Save};

use pairbond_core::error::Error;
use pairbond_core::frontend::check_signals;
use pairbond_value::value::Any;

/// Lets copying, reading and writing be interrupted, at one object of so many.
#[inline]
fn look_for_signals(number: usize) -> Result<(), Error> {
    if number % 256 == 255 {
        check_signals()
    } else {
        Ok(())
    }
}

/// A copy of a value and of everything that it leads to; sharing and cycles are kept. What other
/// languages own is referred to by the copy too.
///
/// # Errors
/// A type that cannot be taken apart, by name; what its functions say.
pub fn deep_copy(value: &Any) -> Result<Any, Error> {
    let mut save = Save::new();
    save.add_root(value)?;
    save.save_all()?;
    let (graph, externals) = save.finish();
    let mut load = Loader::new(graph)?;
    load.set_externals(externals.into_iter().map(|it| it.value))?;
    load.load_all()?;
    load.take_root()
}

/// A copy of one object, which refers to what the original refers to. A node of a tree is copied
/// with all that stands below it: references among these are references among the copies.
///
/// # Errors
/// As [`deep_copy`].
pub fn shallow_copy(value: &Any) -> Result<Any, Error> {
    let Any::Object(root) = value else {
        return Ok(value.clone());
    };
    let mut save = Save::new();
    save.set_border(Box::new(|_| Ok(Edge::External { late: false })));
    save.with_children();
    save.root_inside(root.clone());
    save.save_all()?;
    let (mut graph, mut externals) = save.finish();
    if !root.header().info().is_node() {
        graph.refer_outside(&mut externals, value);
    }
    let mut load = Loader::new(graph)?;
    load.set_externals(externals.into_iter().map(|it| it.value))?;
    load.load_all()?;
    load.take_root()
}
