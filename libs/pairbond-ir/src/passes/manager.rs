//! [`PassManager`]: passes in order, for operations of one name.

use std::sync::Arc;

use pairbond::prelude::*;

use super::{Pass, PythonPass, pipeline_text, run};
use crate::diagnostics::with_captured_diagnostics;
use crate::error;
use crate::ir::Operation;

/// The anchor of managers that run on operations of any name.
const ANY: &str = "any";

/// An item of a manager: a pass, or a manager for nested operations.
#[pairbond::object("pairbond_ir._PassItem", opaque)]
pub struct PassItem {
    pub(super) python: Option<Ref<PythonPass>>,
    pub(super) nested: Option<Ref<PassManager>>,
    #[untraced]
    pub(super) native: Option<Arc<dyn Pass>>,
}

impl PassItem {
    /// Whether it runs without Python.
    fn is_native(&self) -> bool {
        self.native.is_some() || self.nested.as_ref().is_some_and(|it| it.is_native())
    }

    fn name(&self) -> String {
        let python = self.python.as_ref().map(|it| it.name().to_string());
        let nested = || self.nested.as_ref().map(|it| pipeline_text::format_pipeline(it));
        let native = || {
            let pass = self.native.as_ref()?;
            Some(match &*pass.options() {
                "" => pass.name().to_owned(),
                options => format!("{}{{{options}}}", pass.name()),
            })
        };
        python.or_else(nested).or_else(native).unwrap_or_default()
    }
}

/// Passes in order, for operations of one name.
#[pairbond::object("pairbond_ir._PassManager", opaque)]
pub struct PassManager {
    /// The name of the operations that it runs on; "any" for all.
    #[field]
    anchor: Str,
    items: Cell<Vec<Ref<PassItem>>>,
    /// Is told of each pass.
    watcher: Cell<Option<Function>>,
}

impl PassManager {
    /// One without passes.
    #[must_use]
    pub fn on(anchor: &str) -> Ref<PassManager> {
        Ref::new(PassManager {
            anchor: anchor.into(),
            items: Cell::new(Vec::new()),
            watcher: Cell::new(None),
        })
    }

    fn push_item(&self, item: PassItem) {
        let item = Ref::new(item);
        self.items.update(|all| all.push(item));
    }

    /// Adds a pass.
    pub fn add(&self, pass: Arc<dyn Pass>) {
        self.push_item(PassItem {
            python: None,
            nested: None,
            native: Some(pass),
        });
    }

    /// Adds a manager for the operations in that on which this one runs.
    pub(super) fn add_nested(&self, nested: Ref<PassManager>) {
        self.push_item(PassItem {
            python: None,
            nested: Some(nested),
            native: None,
        });
    }

    /// Adds what another one has.
    pub(super) fn take_from(&self, other: &PassManager) {
        let items = other.pass_items();
        self.items.update(|all| all.extend(items));
    }

    pub(super) fn pass_items(&self) -> Vec<Ref<PassItem>> {
        self.items.get()
    }

    /// Returns the names of its passes.
    pub(super) fn pass_names(&self) -> Vec<String> {
        self.pass_items().iter().map(|it| it.name()).collect()
    }

    /// The name of the operations that it runs on.
    pub(super) fn anchor(&self) -> &str {
        &self.anchor
    }

    /// Whether it runs on operations of that name.
    pub(super) fn is_for(&self, name: &str) -> bool {
        *self.anchor == *ANY || *self.anchor == *name
    }

    /// Whether it runs without Python.
    pub(super) fn is_native(&self) -> bool {
        crate::recursion::with_stack(|| self.pass_items().iter().all(|it| it.is_native()))
    }

    /// Runs all passes on an operation.
    ///
    /// # Errors
    /// It is of another name. Whatever the first pass that fails says.
    pub fn run_on(&self, op: &Ref<Operation>) -> Result<()> {
        if !self.is_for(op.name()) {
            return Err(error::ir_error(format!(
                "can't run '{}' pass manager on '{}' op",
                self.anchor,
                op.name()
            )));
        }
        run::run_all(&self.pass_items(), op, self.watcher.get().as_ref())
    }
}

#[pairbond::methods]
impl PassManager {
    #[new]
    fn new(anchor: Str) -> Self {
        let (items, watcher) = (Cell::new(Vec::new()), Cell::new(None));
        PassManager {
            anchor,
            items,
            watcher,
        }
    }

    /// From now on a function is called with "before", "after" or "failed", the name of a pass, and
    /// the operation, which is None if it was erased.
    #[name("_watch")]
    fn watch(&self, watcher: Function) {
        self.watcher.set(Some(watcher));
    }

    #[name("_add_text")]
    fn add_text(this: Borrow<'_, Self>, pipeline: &str) -> Result<()> {
        pipeline_text::parse_pipeline(&this.to_ref(), pipeline)
    }

    #[name("_add_pass")]
    fn add_pass(&self, added: Ref<PythonPass>) {
        self.push_item(PassItem {
            python: Some(added),
            nested: None,
            native: None,
        });
    }

    #[name("_add_manager")]
    fn add_manager(this: Borrow<'_, Self>, manager: Ref<PassManager>) -> Result<()> {
        // So that no manager is ever within itself: who closes a circle would add one that has
        // passes.
        if this.to_ref().is(&manager) || !manager.pass_items().is_empty() {
            return Err(error::ir_error(
                "a manager is nested in another before it has passes, and never in itself: add them to what nest() returns",
            ));
        }
        this.add_nested(manager);
        Ok(())
    }

    /// Runs all passes on an operation. Managers for nested operations run on one after the other,
    /// those without Python passes on several threads at a time.
    #[detach]
    fn run(&self, operation: Ref<Operation>) -> Result<()> {
        let done = self.run_on(&operation);
        with_captured_diagnostics(operation.context(), "Failure while executing pass pipeline", done)
    }

    fn __str__(this: Borrow<'_, Self>) -> String {
        pipeline_text::format_pipeline(&this.to_ref())
    }
}
