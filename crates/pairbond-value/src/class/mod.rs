//! Descriptions of classes, written once and read by every frontend.
//!
//! `#[pairbond::object]`, `#[pairbond::methods]` and `#[pairbond::function]` expand to zero-sized
//! *markers* that implement the traits of this module. A frontend is a [`ClassVisitor`]: it is
//! shown each marker as a type parameter and monomorphises its own entry point for it, so that a
//! Python call converts its arguments straight into Rust values with no intermediate boxes and no
//! dynamic dispatch. Nothing here knows Python.
//!
//! * [`Signature`] – names, kinds, defaults, types and documentation of what can be called.
//! * [`Callable`] – a function, method or constructor; [`Args`] gives it arguments, a
//!   [`Sink`](crate::convert::Sink) takes its result.
//! * [`Getter`], [`Setter`] – fields and properties.
//! * `coroutine` – `async fn`; `tokio` – the runtime that it is polled in.
//! * `overridable`, `redirect` – methods and functions that a program's classes take over.
//! * `function_class`, `dlpack_classes`, `moved_class` – the classes of this crate.
//! * `repr` – that of an object, by its fields.
//! * [`Members`] – a description of a whole module, for generators of stubs.
//! * [`Class`], [`ClassVisitor`] – the enumeration. `types` – the object types that it mentions.

mod callable;
mod coroutine;
#[allow(unsafe_code, reason = "the frontend's functions are called")]
mod detach;
mod dlpack_classes;
#[allow(unsafe_code, reason = "enums are objects")]
mod enumeration;
#[allow(unsafe_code, reason = "objects come as headers")]
mod equality;
#[allow(unsafe_code, reason = "values are made where they stay")]
mod expansion;
mod function_class;
mod members;
mod moved_class;
mod overridable;
mod redirect;
mod registered;
mod repr;
#[cfg(feature = "tokio")]
pub mod tokio;
mod types;
#[allow(unsafe_code, reason = "a marker is promised to fit its type")]
mod visit;

pub use crate::frontend::Overridable;
pub use crate::object::{is_overridden, overridden_object, set_class_layout};
pub use crate::types::{Binding, Parameter, ParameterKind, Signature};
#[doc(hidden)]
pub use crate::types::{qualified_len, qualified_text, qualify_name};
pub use callable::{
    Absent, Args, Callable, Constructor, bind_receiver, optional_arg, or_else, required_arg, rest_args,
    rest_record,
};
pub use coroutine::write_coroutine;
pub use detach::{DetachHooks, detached, detached_call, may_detach, set_detach_hooks};
pub use enumeration::{EnumMember, EnumObject, Enumeration, write_enumeration};
pub use equality::FindEquality;
pub use expansion::{Otherwise, OtherwiseOpaque, Probe, is_shared, read_assigned, read_operand, store_field};
pub use members::Members;
pub use members::{MEMBERS, give_members};
pub use overridable::{call_object, call_override, call_override_unit};
pub use redirect::{Argument, METHOD as FUNCTION_METHOD, NoObject, Redirected};
pub use registered::register_class;
pub use repr::object_repr;
pub use types::{OtherwiseNoTypes, register_types};
pub use visit::{
    Class, ClassVisitor, Getter, Invoke, Member, MemberList, Methods, Module, ModuleObject, ModuleVisitor,
    Setter, SharesMethods,
};
