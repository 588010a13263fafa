//! What values, references without a type, and errors consist of in memory.
//!
//! An error may carry values, a value may be an error or a reference to an object, and most of the
//! core passes all three on. So they are declared below it, as data that names nothing above. What
//! is done with them stands where it belongs: counting references in [`object`](crate::object),
//! errors in [`error`](crate::error), and values in [`any`](crate::any). Fields are visible in this
//! crate for that, and are touched there only.

mod any;
mod error_fields;
mod untyped_reference;

pub use any::{Foreign, Holds, RawAny, Slice, Unread, Word};
pub use error_fields::{Error, ErrorKind};
pub(crate) use error_fields::{Inner, More, Words};
pub use untyped_reference::{ErasedRef, Root};
