//! A language runtime in a few pages of Rust, so that everything around wrappers is tested without
//! Python, also under Miri.
//!
//! An [`Interpreter`] has one lock, which a thread holds while it is *attached*; wrappers live on
//! the heap and have reference counts; references that are dropped unattached wait in a queue. It
//! does what a frontend must, and no more.

mod interpreter;
mod wrapper;

pub use interpreter::{Attached, Interpreter};
pub use wrapper::PyRef;
