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
//! * `field_kinds` – the kind of values that a field takes, from its Python description.
//! * `plan` – what a class knows: its type, fields, parameters; Python objects (defaults,
//!   factories), which CPython's collector sees through the class.
//! * `convert` – a Python object in the form of a field.
//! * `fields` – attributes.
//! * `bind_fields` – the arguments of a call; `record_construct` – calling the class; `initialise`
//!   – its `__init__`.
//! * `complete` – defaults for objects from data that is older than a field of the class.
//! * `description` – the Python description of a class; `setup` – from that to a finished class.
//!
//! Invariants: a plan is never freed, only its Python objects are released (when CPython frees or
//! clears the class), so that attributes and constructors may be called at any time. A class that
//! has a plan has wrappers of exactly [`Wrapper`](crate::wrapper::Wrapper)'s size.

mod bind_fields;
#[cfg(feature = "serial")]
mod complete;
mod convert;
mod description;
mod field_kinds;
mod fields;
mod initialise;
mod plan;
mod record;
mod record_construct;
mod setup;

#[cfg(feature = "serial")]
pub(crate) use complete::complete_field;
#[cfg(feature = "serial")]
pub(crate) use plan::type_of_class;
pub(crate) use setup::publish_define;
