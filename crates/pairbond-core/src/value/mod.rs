//! Values that objects hold and that cross borders.

mod any;
mod cell;
mod foreign;
mod function;
mod list;
mod text;

pub use any::Any;
pub use cell::Cell;
pub use foreign::{Foreign, ForeignBody};
pub use function::{Function, FunctionBody};
pub use list::{Element, List, ListBody};
pub use text::{Bytes, BytesBody, Str, StrBody};
