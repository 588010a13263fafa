//! Values that objects hold and that cross borders.

mod any;
mod bigint;
mod cell;
mod dlpack;
mod dlpack_class;
mod foreign;
mod function;
mod function_bind;
mod function_build;
mod function_class;
mod list;
mod list_class;
mod registry;
mod text;
mod view;
mod word;

pub use any::Any;
pub use bigint::BigInt;
pub use cell::Cell;
pub use dlpack::{DType, Device};
pub use dlpack_class::{DTypeBody, DeviceBody};
pub use foreign::{Foreign, ForeignBody};
pub use function::{Function, FunctionBody, Given};
pub use function_build::{Builder, Described, Parameter, Parameters, Typed, to_any};
pub use list::{Element, List, ListBody};
pub use list_class::ListIterator;
pub(crate) use registry::{Found, Registry};
pub use registry::{
    end_functions, function_names, get_function, register_function, register_function_at_start,
    register_functions, remove_function,
};
pub use text::{Bytes, BytesBody, Str, StrBody};
pub use view::AnyRef;
pub(crate) use word::moved;
