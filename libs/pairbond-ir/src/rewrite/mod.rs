//! Rewriting: patterns, their rewriter, listeners, and the greedy driver.
//!
//! # Promises, in order of weight
//! 1. Whatever a pattern or listener does or raises, the operations stay a consistent tree: each
//!    edit is one of [`crate::ir`]'s, whole or not done.
//! 2. A listener is called for every edit that goes through a [`PatternRewriter`], in the order in
//!    which they happen: for an erasure or replacement before it happens, for everything else when
//!    it is done.
//! 3. The same patterns on the same operations do the same edits in the same order.
//! 4. Erased operations name the pattern that erased them.

mod driver;
mod listener;
mod pattern;
mod rewriter;
mod worklist;

pub use driver::{GreedyConfig, apply_greedily};
pub use listener::{Listener, RewriteListener};
pub use pattern::{PythonPattern, RewritePattern};
pub use rewriter::PatternRewriter;

pub(crate) use driver::apply_patterns;
