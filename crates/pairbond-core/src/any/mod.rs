//! What a value of any kind consists of, as far as objects, errors and frontends must know it.
//!
//! * `raw` – the cell that such a value is.
//! * `inline_str` – bytes in a word.
//! * `tagged_word` – a counted reference to a native object or to an object of a frontend.
//! * `foreign` – an object of a frontend's language, held by native code.

mod foreign;
#[doc(hidden)]
pub mod inline_str;
mod moved;
mod raw;
#[doc(hidden)]
pub mod tagged_word;

pub use crate::raw::Foreign;
#[doc(hidden)]
pub use crate::raw::{Holds, RawAny};
pub use foreign::ForeignBody;
#[doc(hidden)]
pub use moved::moved_count;
pub(crate) use moved::{MOVED, adopt_moved};
