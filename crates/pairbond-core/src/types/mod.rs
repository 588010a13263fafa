//! What the process knows about object types.

mod carrying;
mod cell;
mod equality;
mod header;
mod info;
mod members;
mod registry;
mod signature;

pub use carrying::Carrying;
#[doc(hidden)]
pub use carrying::{CarryTable, CheckFn, LoadFn, SaveFn, assert_zero_sized, write_outcome, zero_sized};
pub use cell::TypeCell;
#[doc(hidden)]
pub use equality::AskFn;
pub use equality::Equality;
pub use info::{
    ClassRecord, FieldDefault, FieldFlags, FieldInfo, TraceFn, TypeFlags, TypeInfo, forget_classes,
    note_unchanged_class, record_class, trace_of,
};
#[doc(hidden)]
pub use info::{DescribedBy, DynamicFunctions, DynamicType, Opaque};
pub use info::{ExternalType, ValueFn};
pub use members::{Attribute, Members};
#[doc(hidden)]
pub use registry::enter_type;
pub use registry::{RegisterError, TypeTable, TypesTable, each_type, find_type, registered_types};
pub(crate) use registry::{adopt_types, first_type_here, observe_types};
pub use signature::{Binding, Parameter, ParameterKind, Signature};
#[doc(hidden)]
pub use signature::{qualified_len, qualified_text, qualify_name};
