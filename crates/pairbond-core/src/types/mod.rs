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
pub use info::{FieldDefault, FieldFlags, FieldInfo, TraceFn, TypeFlags, TypeInfo, trace_of};
pub use members::{Attribute, Members, register};
pub use registry::{RegisterError, TypeTable};
