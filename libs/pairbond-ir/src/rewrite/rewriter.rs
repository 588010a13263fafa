//! [`PatternRewriter`]: what patterns edit with, so that listeners hear of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pairbond::convert::Few;
use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Listener, RewriteListener};
use crate::context::attributes::{Attribute, Location};
use crate::context::types::Type;
use crate::error;
use crate::fast::{FastSet, object_address};
use crate::ir::move_contents::{self, Told};
use crate::ir::{
    Block, InsertionPoint, Operation, Parts, Region, Value, edits, infer_location, operation_results,
    register_rewriters,
};
use crate::room::{Gather, Room};

/// Edits operations and calls listeners. Edits without it are not reported, and do not count as a
/// rewrite.
#[pairbond::object("pairbond_ir.PatternRewriter", opaque)]
pub struct PatternRewriter {
    /// Where new operations go: before the operation that a pattern looks at.
    #[field(set)]
    ip: Cell<Ref<InsertionPoint>>,
    listener: Option<Ref<RewriteListener>>,
    function: Option<Function>,
    /// That of the driver.
    #[untraced]
    native: Option<Arc<dyn Listener>>,
    #[untraced]
    changes: AtomicU64,
    /// The driver is at its end.
    #[untraced]
    ended: AtomicBool,
}

impl PatternRewriter {
    /// A rewriter for a driver, with what listens in Python: a `RewriteListener`, a callable or
    /// nothing.
    pub(crate) fn for_driver(
        at: Ref<InsertionPoint>,
        listener: &Any,
        native: Option<Arc<dyn Listener>>,
    ) -> Result<Self> {
        register_rewriters(|ip, op| ip.downcast::<PatternRewriter>().map(|it| it.put_new(op)));
        let own = listener.downcast::<RewriteListener>();
        let function = match (listener, &own) {
            (Any::None, _) | (_, Some(_)) => None,
            (other, None) => Some(other.to::<Function>()?),
        };
        Ok(PatternRewriter {
            ip: Cell::new(at),
            listener: own,
            function,
            native,
            changes: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        })
    }

    /// How many edits there were.
    pub(crate) fn change_count(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Lets new operations go before one.
    pub(crate) fn stand_before(&self, op: &Ref<Operation>) -> Result<()> {
        self.ip.set(InsertionPoint::before_operation(op.clone())?);
        Ok(())
    }

    /// Lets new operations go there.
    pub(crate) fn stand_at(&self, at: Ref<InsertionPoint>) {
        self.ip.set(at);
    }

    /// The driver hears no more.
    pub(crate) fn end_driver(&self) {
        self.ended.store(true, Ordering::Release);
    }

    fn notify_listeners(&self, what: impl Fn(&dyn Listener) -> Result<()>) -> Result<()> {
        if let Some(native) = &self.native
            && !self.ended.load(Ordering::Acquire)
        {
            what(&**native)?;
        }
        if let Some(listener) = &self.listener {
            what(listener)?;
        }
        if let Some(function) = &self.function {
            what(function)?;
        }
        Ok(())
    }

    fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Makes an operation, where the insertion point stands.
    ///
    /// # Errors
    /// What [`Operation`]s cannot be made of, and what listeners raise.
    pub(crate) fn create_operation(&self, parts: Parts<'_>) -> Result<Ref<Operation>> {
        self.make_with(parts, None)
    }

    /// The same, with properties.
    pub(crate) fn make_with(
        &self,
        parts: Parts<'_>,
        properties: Option<Ref<Attribute>>,
    ) -> Result<Ref<Operation>> {
        let made = crate::ir::build_detached(parts, self.ip.get().context())?;
        if properties.is_some() {
            made.put_properties(properties);
        }
        self.put_new(&made)?;
        Ok(made)
    }

    /// Puts an operation that was just made where the insertion point stands.
    ///
    /// # Errors
    /// As for [`PatternRewriter::insert_at_point`].
    pub(crate) fn put_new(&self, op: &Ref<Operation>) -> Result<()> {
        self.count_change();
        self.notify_listeners(|it| it.created(op))?;
        self.insert_at_point(op)
    }

    /// Puts an operation where the insertion point stands.
    ///
    /// # Errors
    /// It cannot stand there, or what listeners raise.
    pub fn insert_at_point(&self, op: &Ref<Operation>) -> Result<()> {
        self.ip.get().insert_or_move(op)?;
        self.count_change();
        self.notify_listeners(|it| it.inserted(op))
    }

    /// Lets one value be used instead of another.
    ///
    /// # Errors
    /// They are of two contexts, or what listeners raise.
    pub fn replace_uses(&self, value: &Ref<Value>, with: &Ref<Value>) -> Result<()> {
        let users = edits::replace_uses(value, with)?;
        if !users.is_empty() {
            self.count_change();
        }
        // Each once.
        let (mut told, mut last) = (FastSet::default(), 0);
        for user in users.iter().filter(|it| !it.is_erased()) {
            let before = std::mem::replace(&mut last, object_address(user));
            if last != before && (users.len() < 3 || told.room().insert(last)) {
                self.notify_listeners(|it| it.modified(user))?;
            }
        }
        Ok(())
    }

    /// Replaces an operation by values, one for each result, and erases it.
    ///
    /// # Errors
    /// There are not as many values as results, or what listeners raise.
    pub fn replace(&self, op: &Ref<Operation>, values: &[Ref<Value>]) -> Result<()> {
        op.check()?;
        let results = operation_results(op);
        if results.len() != values.len() {
            return Err(error::ir_error(format!(
                "'{}' has {} results, and is replaced by {} values",
                op.name(),
                results.len(),
                values.len()
            )));
        }
        for value in values {
            value.check()?;
        }
        self.notify_listeners(|it| it.replaced(op, values))?;
        for (result, value) in results.iter().zip(values) {
            self.replace_uses(result, value)?;
        }
        self.erase_operation(op)
    }

    /// Erases an operation whose results have no uses.
    ///
    /// # Errors
    /// Somebody does, or what listeners raise.
    pub fn erase_operation(&self, op: &Ref<Operation>) -> Result<()> {
        edits::refuse_used(op)?;
        let inside = edits::few_in(op);
        for inner in inside.iter().rev() {
            self.notify_listeners(|it| it.erased(inner))?;
        }
        edits::erase_operations(op, &inside)?;
        self.count_change();
        Ok(())
    }

    /// Says that an operation is about to be erased, as one of many.
    pub(crate) fn notify_erasing(&self, op: &Ref<Operation>) -> Result<()> {
        self.count_change();
        self.notify_listeners(|it| it.erased(op))
    }

    /// Lets the driver look at an operation around which something else is now.
    pub(crate) fn revisit_operation(&self, op: &Ref<Operation>) -> Result<()> {
        let native = self.native.as_ref();
        let native = native.filter(|_| !self.ended.load(Ordering::Acquire));
        native.map_or(Ok(()), |it| it.modified(op))
    }

    /// Says that an operation stands elsewhere now.
    pub(crate) fn notify_moved(&self, op: &Ref<Operation>) -> Result<()> {
        self.count_change();
        self.notify_listeners(|it| it.inserted(op))
    }

    /// Says that an operation was edited in place.
    ///
    /// # Errors
    /// What listeners raise.
    pub fn modified(&self, op: &Ref<Operation>) -> Result<()> {
        self.count_change();
        self.notify_listeners(|it| it.modified(op))
    }
}

/// Listeners are called for edits within blocks and regions that are moved.
impl Told for &PatternRewriter {
    fn operation_moved(&mut self, op: &Ref<Operation>) -> Result<()> {
        PatternRewriter::notify_moved(self, op)
    }

    fn operation_modified(&mut self, op: &Ref<Operation>) -> Result<()> {
        PatternRewriter::modified(self, op)
    }

    fn operation_erased(&mut self, op: &Ref<Operation>) -> Result<()> {
        self.notify_erasing(op)
    }
}

#[pairbond::methods]
impl PatternRewriter {
    /// A rewriter of one's own, outside of patterns. A listener is a `RewriteListener`, or a
    /// callable that gets the name of what happens, the operation, and the values if it is
    /// replaced.
    #[new]
    fn new(ip: Ref<InsertionPoint>, #[keyword] listener: Option<Any>) -> Result<Self> {
        PatternRewriter::for_driver(ip, &listener.unwrap_or(Any::None), None)
    }

    /// Makes an operation at `ip`.
    #[allow(clippy::too_many_arguments, reason = "they are MLIR's")]
    fn create(
        &self,
        name: &str,
        mut results: Option<Few<Ref<Type>>>,
        operands: Option<Few<Ref<Value>>>,
        mut attributes: Option<std::collections::BTreeMap<Str, Ref<Attribute>>>,
        successors: Option<Vec<Ref<Block>>>,
        #[default(0)] regions: usize,
        loc: Option<Ref<Location>>,
    ) -> Result<Ref<Operation>> {
        let mut parts = Parts {
            name,
            results: results.as_mut(),
            operands: operands.as_deref().unwrap_or_default(),
            attributes: attributes.as_mut(),
            successors: successors.as_deref().unwrap_or_default(),
            regions,
            location: loc.map(Ref::upcast),
        };
        infer_location(&mut parts, || self.ip.get().context())?;
        self.create_operation(parts)
    }

    /// Puts an operation to `ip`, from wherever it stands.
    fn insert(&self, op: Ref<Operation>) -> Result<()> {
        self.insert_at_point(&op)
    }

    /// Lets others use values, or the results of another operation, in place of the results of an
    /// operation, and erases it.
    fn replace_op(&self, op: Ref<Operation>, with_: Any) -> Result<()> {
        let values: Vec<Ref<Value>> = match with_.downcast::<Operation>() {
            Some(other) => other.list(|it| &it.results).iter().gather(),
            None => with_.to()?,
        };
        self.replace(&op, &values)
    }

    /// Erases an operation, and its contents. It is refused while its results have other uses.
    fn erase_op(&self, op: Ref<Operation>) -> Result<()> {
        self.erase_operation(&op)
    }

    /// Lets others use another value.
    fn replace_all_uses_with(&self, value: Ref<Value>, with_: Ref<Value>) -> Result<()> {
        self.replace_uses(&value, &with_)
    }

    /// Calls a function that edits an operation, and tells so.
    fn modify_op_in_place(&self, op: Ref<Operation>, change: Function) -> Result<()> {
        op.check()?;
        let done = change.call(&[]).map(drop);
        if !op.is_erased() {
            self.modified(&op)?;
        }
        done
    }

    /// Moves an operation before another.
    fn move_op_before(&self, op: Ref<Operation>, other: Ref<Operation>) -> Result<()> {
        edits::move_before(&op, &other)?;
        self.notify_moved(&op)
    }

    /// Moves an operation behind another.
    fn move_op_after(&self, op: Ref<Operation>, other: Ref<Operation>) -> Result<()> {
        edits::move_after(&op, &other)?;
        self.notify_moved(&op)
    }

    /// Moves the operations of a block to the end of another one, lets values be used in place of
    /// its arguments, and erases it.
    fn merge_blocks(
        this: Borrow<'_, Self>,
        block: Ref<Block>,
        into: Ref<Block>,
        arg_values: Option<Vec<Ref<Value>>>,
    ) -> Result<()> {
        move_contents::inline_block(&block, &into, None, &arg_values.unwrap_or_default(), &mut &*this)
    }

    /// The same, before an operation.
    fn inline_block_before(
        this: Borrow<'_, Self>,
        block: Ref<Block>,
        operation: Ref<Operation>,
        arg_values: Option<Vec<Ref<Value>>>,
    ) -> Result<()> {
        let (into, values) = (edits::block_of(&operation)?, arg_values.unwrap_or_default());
        move_contents::inline_block(&block, &into, Some(&operation), &values, &mut &*this)
    }

    /// Moves the blocks of a region before a block of another one.
    fn inline_region_before(this: Borrow<'_, Self>, region: Ref<Region>, block: Ref<Block>) -> Result<()> {
        move_contents::inline_region(&region, &edits::in_region(&block)?, Some(&block), &mut &*this)
    }

    /// Erases the blocks of a region, and gives it those of another one.
    fn take_body(this: Borrow<'_, Self>, region: Ref<Region>, other: Ref<Region>) -> Result<()> {
        move_contents::take_body(&region, &other, &mut &*this)
    }
}
