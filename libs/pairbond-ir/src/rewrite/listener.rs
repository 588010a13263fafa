//! Listeners to edits: [`Listener`] in Rust, [`RewriteListener`] or any callable in Python.

use pairbond::prelude::*;

use crate::ir::{Operation, Value};

/// Receives edits that go through a [`PatternRewriter`](super::PatternRewriter). An error ends the
/// rewriting; earlier edits stay.
pub trait Listener: Send + Sync {
    /// An operation was made.
    ///
    /// # Errors
    /// Whatever ends the rewriting; so for all of these.
    fn created(&self, op: &Ref<Operation>) -> Result<()> {
        let _ = op;
        Ok(())
    }

    /// An operation was put into a block, or to another place.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn inserted(&self, op: &Ref<Operation>) -> Result<()> {
        let _ = op;
        Ok(())
    }

    /// An operation has other operands, attributes or whatever else.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn modified(&self, op: &Ref<Operation>) -> Result<()> {
        let _ = op;
        Ok(())
    }

    /// An operation is about to be replaced by values, one for each result.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn replaced(&self, op: &Ref<Operation>, values: &[Ref<Value>]) -> Result<()> {
        let _ = (op, values);
        Ok(())
    }

    /// An operation is about to be erased.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn erased(&self, op: &Ref<Operation>) -> Result<()> {
        let _ = op;
        Ok(())
    }
}

/// Receives edits in Python: subclasses override the methods for the edits that they need.
#[pairbond::object("pairbond_ir.RewriteListener")]
pub struct RewriteListener {}

#[pairbond::methods]
impl RewriteListener {
    #[new]
    fn new() -> Self {
        RewriteListener {}
    }

    /// An operation was made.
    #[overridable]
    fn created(this: Borrow<'_, Self>, operation: Ref<Operation>) -> Result<()> {
        let _ = (this, operation);
        Ok(())
    }

    /// An operation was put into a block, or to another place.
    #[overridable]
    fn inserted(this: Borrow<'_, Self>, operation: Ref<Operation>) -> Result<()> {
        let _ = (this, operation);
        Ok(())
    }

    /// An operation has other operands, attributes or whatever else.
    #[overridable]
    fn modified(this: Borrow<'_, Self>, operation: Ref<Operation>) -> Result<()> {
        let _ = (this, operation);
        Ok(())
    }

    /// An operation is about to be replaced by values, one for each result.
    #[overridable]
    fn replaced(this: Borrow<'_, Self>, operation: Ref<Operation>, values: Vec<Ref<Value>>) -> Result<()> {
        let _ = (this, operation, values);
        Ok(())
    }

    /// An operation is about to be erased.
    #[overridable]
    fn erased(this: Borrow<'_, Self>, operation: Ref<Operation>) -> Result<()> {
        let _ = (this, operation);
        Ok(())
    }
}

impl Listener for Ref<RewriteListener> {
    fn created(&self, op: &Ref<Operation>) -> Result<()> {
        RewriteListener::created(self.as_borrow(), op.clone())
    }

    fn inserted(&self, op: &Ref<Operation>) -> Result<()> {
        RewriteListener::inserted(self.as_borrow(), op.clone())
    }

    fn modified(&self, op: &Ref<Operation>) -> Result<()> {
        RewriteListener::modified(self.as_borrow(), op.clone())
    }

    fn replaced(&self, op: &Ref<Operation>, values: &[Ref<Value>]) -> Result<()> {
        RewriteListener::replaced(self.as_borrow(), op.clone(), values.to_vec())
    }

    fn erased(&self, op: &Ref<Operation>) -> Result<()> {
        RewriteListener::erased(self.as_borrow(), op.clone())
    }
}

/// A callable is called with the name of what happens, the operation, and the values if it is
/// replaced.
impl Listener for Function {
    fn created(&self, op: &Ref<Operation>) -> Result<()> {
        self.call(&["created".into(), op.clone().into()]).map(drop)
    }

    fn inserted(&self, op: &Ref<Operation>) -> Result<()> {
        self.call(&["inserted".into(), op.clone().into()]).map(drop)
    }

    fn modified(&self, op: &Ref<Operation>) -> Result<()> {
        self.call(&["modified".into(), op.clone().into()]).map(drop)
    }

    fn replaced(&self, op: &Ref<Operation>, values: &[Ref<Value>]) -> Result<()> {
        let values: Tuple<Value> = values.iter().cloned().collect();
        self.call(&["replaced".into(), op.clone().into(), values.into()])
            .map(drop)
    }

    fn erased(&self, op: &Ref<Operation>) -> Result<()> {
        self.call(&["erased".into(), op.clone().into()]).map(drop)
    }
}
