//! What the process knows about object types.

mod info;
mod members;
mod registry;

pub use info::{FieldInfo, TypeCell, TypeFlags, TypeInfo};
pub use members::{Attribute, Members, register};
pub use registry::{RegisterError, TypeTable};
