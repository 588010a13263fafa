//! What the process knows about object types.

mod info;
mod registry;

pub use info::{FieldInfo, TypeCell, TypeFlags, TypeInfo};
pub use registry::{RegisterError, TypeTable};
