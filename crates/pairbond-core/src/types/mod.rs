//! What the process knows about object types.

mod carrying;
mod header_type;
mod info;
mod key_functions;
mod members;
mod node_type;
mod plan;
mod registry;
mod signature;
mod tracer;
mod trailing_items;
mod type_cell;

pub use carrying::Carrying;
#[doc(hidden)]
pub use carrying::{CarryTable, CheckFn, LoadFn, SaveFn, assert_zero_sized, write_outcome, zero_sized};
pub(crate) use info::RustType;
pub use info::{
    ClassRecord, FieldDefault, FieldFlags, FieldInfo, TraceFn, TypeFlags, TypeInfo, forget_classes,
    note_unchanged_class, record_class,
};
#[doc(hidden)]
pub use info::{DescribedBy, DynamicFunctions, DynamicType, Opaque};
pub use info::{ExternalType, ValueFn};
#[doc(hidden)]
pub use key_functions::AskFn;
pub use key_functions::Equality;
pub use members::{Attribute, Members};
pub use node_type::{NameFn, Neighbour, NodeFlags, NodeHooks, NodeType, ShowFn, ShowNeighbour};
pub(crate) use plan::MOST as MOST_PLANNED;
pub use plan::Plan;
#[doc(hidden)]
pub use registry::enter_type;
pub use registry::{RegisterError, TypeTable, TypesTable, each_type, find_type, registered_types};
pub(crate) use registry::{adopt_types, first_type_here, observe_types};
pub use signature::{Binding, Parameter, ParameterKind, Signature};
#[doc(hidden)]
pub use signature::{qualified_len, qualified_text, qualify_name};
pub use tracer::{Tracer, TracerTable};
pub use trailing_items::Items;
pub use type_cell::TypeCell;
