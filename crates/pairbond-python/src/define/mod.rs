//! Native types that are defined in Python.
//!
//! The Python side (`python/pairbond/_define.py`) reads annotations, with `dataclasses` for
//! everything that is a convention, and makes the class by a class statement's means, so that
//! metaclasses, descriptors and hooks work. This side registers the type in the core, and turns the
//! class into one as a library makes it: CPython's own functions for classes made in Python are
//! replaced by ours, so that its wrappers are as cheap and as free to be remade as those of any
//! other native type.
//!
//! * `record` – the base of these classes.
//! * `kinds` – what a field takes, from what the Python side says.
//! * `plan` – what a class knows: its type, fields, parameters; Python objects (defaults,
//!   factories), which CPython's collector sees through the class.
//! * `convert` – a Python object in the form of a field.
//! * `fields` – attributes.
//! * `bind` – the arguments of a call; `construct` – calling the class; `initialise` – its
//!   `__init__`.
//! * `complete` – what objects get that come from data of a time when the class had fewer fields.
//! * `description` – what the Python side says of a class; `setup` – from that to a finished class.
//!
//! Invariants: a plan is never freed, only its Python objects are released (when CPython frees or
//! clears the class), so that attributes and constructors may be called at any time. A class that
//! has a plan has wrappers of exactly [`Wrapper`](crate::wrapper::Wrapper)'s size.

mod bind;
#[cfg(feature = "serial")]
mod complete;
mod construct;
mod convert;
mod description;
mod fields;
mod initialise;
mod kinds;
mod plan;
mod record;
mod setup;

#[cfg(feature = "serial")]
pub(crate) use complete::complete_field;
#[cfg(feature = "serial")]
pub(crate) use plan::type_of_class;
pub(crate) use setup::publish_define;
