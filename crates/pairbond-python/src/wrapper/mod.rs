//! Wrappers: the Python objects that stand for native ones.
//!
//! * `layout` – the C struct, and finding out whether a Python object is one.
//! * `fetch` – native object → wrapper, making it the first time; giving the last native reference to Python.
//! * `life` – allocation, tying a constructed object, death.

mod fetch;
mod layout;
mod life;

pub use fetch::{fetch, give};
pub use layout::{Wrapper, borrow, is_wrapper, native};
pub use life::{allocate, dealloc, tie};
