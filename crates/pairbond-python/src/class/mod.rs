//! Python classes of native types.
//!
//! * `collect` – a [`ClassVisitor`](pairbond_value::class::ClassVisitor) that turns every member
//!   into a slot, a method or an attribute.
//! * `definition` – its result, once per type and process: code and texts, no Python objects, so
//!   that all interpreters share it.
//! * `build` – one interpreter's heap type from a definition.
//! * `loaded` – the same for a class of a library that brings no frontend; `native_callable` – its
//!   methods, if it is of C.
//! * `construct` – `__new__`, `__init__`, and both in one for calls of the class itself.
//! * `enumeration` – enums.
//! * `class_getter` – attributes of the class itself.
//! * `type_repr` – `__repr__` in Rust; `wrapper/repr.rs` has that of types without one.
//! * `attribute` – reading attributes where getters are to be fast.
//! * `getset`, `protocol_slots`, `number`, `richcompare`, `buffer` – the C functions behind
//!   attributes and protocols.
//!
//! Classes are *mutable*, as classes written in Python are: a program may add a method or a
//! constant to `Package`, and tests may patch it. Each interpreter has its own, so others do not
//! see that. The one shortcut that would miss it, calling a class without `tp_new` and `tp_init`,
//! looks first.

mod attribute;
mod buffer;
mod build;
mod callable;
mod class_getter;
mod collect;
mod construct;
mod definition;
mod enumeration;
mod getset;
#[cfg(feature = "library")]
mod loaded;
#[cfg(feature = "library")]
pub(crate) mod native_callable;
#[cfg(feature = "library")]
mod native_construct;
#[cfg(feature = "library")]
mod native_function;
#[cfg(feature = "library")]
mod native_next;
mod number;
mod protocol_slots;
mod richcompare;
mod type_repr;

pub(crate) use attribute::{forget_class as forget_attributes, getattro_get as get_attribute};
pub use build::build;
pub(crate) use class_getter::{new_class_getter, publish_descriptor};
pub(crate) use construct::BaseConstructor;
pub(crate) use enumeration::enum_class;
#[cfg(feature = "library")]
pub(crate) use enumeration::loaded_enum_class as loaded_enumeration;
#[cfg(feature = "library")]
pub(crate) use loaded::{build_loaded, loaded_call as call_loaded, loaded_init, method_def};
#[cfg(feature = "library")]
pub(crate) use native_callable::is_method as is_native_method;

/// Whether an attribute is a method of a library of C: no class of this binary has one.
#[cfg(not(feature = "library"))]
pub(crate) fn is_native_method(_: &crate::interp::Interp, _: &crate::owned::Owned, _: &str) -> bool {
    false
}
