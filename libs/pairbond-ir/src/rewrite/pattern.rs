//! Patterns: [`RewritePattern`] in Rust, [`PythonPattern`] in Python.

use pairbond::prelude::*;

use super::PatternRewriter;
use crate::ir::Operation;

/// A pattern: looks at operations one by one and may rewrite them.
pub trait RewritePattern: Send + Sync {
    /// The name of the pattern, for errors about erased operations.
    fn name(&self) -> &str;

    /// The name of the operations that it looks at; `None` for all.
    fn root(&self) -> Option<&str>;

    /// Those of greater benefit are tried first.
    fn benefit(&self) -> i64 {
        1
    }

    /// Whether it takes no operation out of the rewritten root, and calls no code that could.
    /// Otherwise the driver checks where each operation stands.
    fn stays_inside(&self) -> bool {
        false
    }

    /// Looks at an operation. Whether it rewrote something is seen from what went through the
    /// rewriter, so a pattern that does nothing does not apply.
    ///
    /// # Errors
    /// Whatever ends the rewriting.
    fn rewrite(&self, op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()>;
}

/// A pattern of Python's: a function, or what a subclass overrides.
#[pairbond::object("pairbond_ir._Pattern")]
pub struct PythonPattern {
    /// The name of the operations that it looks at; None for all.
    #[field]
    root: Option<Str>,
    /// Those of greater benefit are tried first.
    #[field]
    benefit: i64,
    /// Its name: erased operations report it.
    #[field]
    name: Str,
    function: Option<Function>,
}

#[pairbond::methods]
impl PythonPattern {
    #[new]
    fn new(#[required] root: Option<Str>, benefit: i64, name: Str, function: Option<Function>) -> Self {
        PythonPattern {
            root,
            benefit,
            name,
            function,
        }
    }

    /// Looks at an operation, and rewrites it with the rewriter or does nothing.
    #[overridable]
    fn rewrite(
        this: Borrow<'_, Self>,
        operation: Ref<Operation>,
        rewriter: Ref<PatternRewriter>,
    ) -> Result<()> {
        let Some(function) = &this.function else {
            return Err(Error::new(
                ErrorKind::Type,
                format!(
                    "the pattern {} has neither a function nor a method rewrite",
                    this.name
                ),
            ));
        };
        function.call(&[operation.into(), rewriter.into()]).map(drop)
    }
}

impl RewritePattern for Ref<PythonPattern> {
    fn name(&self) -> &str {
        &self.name
    }

    fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    fn benefit(&self) -> i64 {
        self.benefit
    }

    fn rewrite(&self, op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
        PythonPattern::rewrite(self.as_borrow(), op.clone(), rewriter.clone())
    }
}
