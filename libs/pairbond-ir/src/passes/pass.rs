//! [`Pass`], in Rust; [`PythonPass`].

use std::sync::Arc;

use pairbond::prelude::*;

use super::{canonicalize, cse, dce, inline, symbol_dce};
use crate::error;
use crate::ir::Operation;

/// A transformation of an operation and everything in it.
pub trait Pass: Send + Sync {
    /// Its name in pipelines, and in the reason of operations that it erased.
    fn name(&self) -> &str;

    /// Returns the options after the name, in braces, if there are any.
    fn options(&self) -> String {
        String::new()
    }

    /// Does it. It touches nothing outside of the operation, and may be called with others on other
    /// threads at the same time.
    ///
    /// # Errors
    /// It failed.
    fn run(&self, op: &Ref<Operation>) -> Result<()>;
}

/// The pass of that name, with options.
///
/// # Errors
/// They are not the pass's.
pub(super) fn find_pass(name: &str, options: &str) -> Result<Option<Arc<dyn Pass>>> {
    let pass: Arc<dyn Pass> = match name {
        "canonicalize" => return Ok(Some(Arc::new(canonicalize::Canonicalize::from_options(options)?))),
        "cse" => Arc::new(cse::Cse),
        "dce" => Arc::new(dce::Dce),
        "inline" => Arc::new(inline::Inline),
        "symbol-dce" => Arc::new(symbol_dce::SymbolDce),
        _ => return Ok(None),
    };
    match options.trim() {
        "" => Ok(Some(pass)),
        _ => Err(error::ir_error(format!("the pass '{name}' has no options"))),
    }
}

/// A pass of Python's: a function, or what a subclass overrides.
#[pairbond::object("pairbond_ir._Pass")]
pub struct PythonPass {
    /// Its name: erased operations report it.
    #[field]
    name: Str,
    function: Option<Function>,
}

#[pairbond::methods]
impl PythonPass {
    #[new]
    fn new(name: Str, function: Option<Function>) -> Self {
        PythonPass { name, function }
    }

    /// Does it with an operation.
    #[overridable]
    fn run(this: Borrow<'_, Self>, operation: Ref<Operation>) -> Result<()> {
        let Some(function) = &this.function else {
            return Err(Error::type_error(format!(
                "the pass {} has neither a function nor a method run",
                this.name
            )));
        };
        function.call(&[operation.into()]).map(drop)
    }
}

impl PythonPass {
    pub(super) fn run_on(this: &Ref<PythonPass>, op: &Ref<Operation>) -> Result<()> {
        PythonPass::run(this.as_borrow(), op.clone())
    }

    pub(super) fn name(&self) -> &Str {
        &self.name
    }
}
