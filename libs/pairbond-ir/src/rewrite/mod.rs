//! Rewriting: patterns, their rewriter and listeners. The greedy driver is [`crate::greedy`].
//!
//! # Promises, in order of weight
//! 1. Whatever a pattern or listener does or raises, the operations stay a consistent tree: each
//!    edit is one of [`crate::ir`]'s, whole or not done.
//! 2. A listener is called for every edit that goes through a [`PatternRewriter`], in the order in
//!    which they happen: for an erasure or replacement before it happens, for everything else when
//!    it is done.
//! 3. The same patterns on the same operations do the same edits in the same order.
//! 4. Erased operations name the pattern that erased them.

mod listener;
mod pattern;
mod rewriter;

pub use listener::{Listener, RewriteListener};
pub use pattern::{PythonPattern, RewritePattern};
pub use rewriter::PatternRewriter;
