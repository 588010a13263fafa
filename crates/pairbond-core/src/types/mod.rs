//! What the process knows about object types.

mod cell;
mod dynamic;
mod equality;
mod info;
mod members;
mod registry;

pub use cell::TypeCell;
pub use dynamic::{Builder, Field, FieldDescription, FieldKind, Later, Making, Storage, Table, Value};
pub(crate) use equality::AskFn;
pub use equality::Equality;
pub use info::{
    ClassRecord, FieldDefault, FieldFlags, FieldInfo, TraceFn, TypeFlags, TypeInfo, forget_classes,
    note_unchanged_class, record_class, trace_of,
};
pub use info::{ExternalType, ValueFn};
pub use members::{Attribute, Members, register};
pub use registry::{RegisterError, TypeTable};
