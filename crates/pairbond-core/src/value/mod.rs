//! Values that objects hold and that cross borders.

mod any;
mod cell;
mod foreign;
mod function;
mod function_class;
mod list;
mod list_class;
mod text;

pub use any::Any;
pub use cell::Cell;
pub use foreign::{Foreign, ForeignBody};
pub use function::{Function, FunctionBody};
pub use list::{Element, List, ListBody};
pub use list_class::ListIterator;
pub use text::{Bytes, BytesBody, Str, StrBody};
