//! Values of any kind, as far as objects, errors and frontends must know them. The cell that such a
//! value is, and the words in it, are declared in [`raw`](crate::raw); their behaviour is here.
//!
//! * `inline_str` – bytes in a word.
//! * `tagged_word` – a counted reference to a native object or to an object of a frontend.
//! * `moved` – how often such a reference left its word.
//! * `foreign` – an object of a frontend's language, held by native code.
//! * `trace` – the reference in a value, for collectors.

mod foreign;
#[doc(hidden)]
pub mod inline_str;
mod moved;
#[doc(hidden)]
pub mod tagged_word;
mod trace_reference;

pub use crate::raw::Foreign;
#[doc(hidden)]
pub use crate::raw::{Holds, RawAny};
pub use foreign::ForeignBody;
#[doc(hidden)]
pub use moved::moved_count;
pub(crate) use moved::{MOVED, adopt_moved};
