//! What the process knows about object types.

mod cell;
mod equality;
mod info;
mod members;
mod registry;

pub use cell::TypeCell;
pub(crate) use equality::AskFn;
pub use equality::Equality;
pub use info::{FieldInfo, TraceFn, TypeFlags, TypeInfo, trace_of};
pub use members::{Attribute, Members, register};
pub use registry::{RegisterError, TypeTable};
