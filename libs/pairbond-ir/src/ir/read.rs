//! Operations and values that are looked at without handles to them
//! ([`pairbond::tree::with_lock`]): for what goes through many and edits nothing meanwhile.

use std::iter::Take;

use pairbond::convert::Few;
use pairbond::prelude::*;
use pairbond::tree::{Found, Siblings, TreeGuard, TreeNode, with_lock};

use super::{Block, Operation, Value};

/// How many are read before others get the lock of all trees.
const AT_ONCE: usize = 64;

/// Shows an operation and some of those behind it to a function that does as [`with_lock`] says;
/// from where to go on.
pub(crate) fn read_some(
    first: &Ref<Operation>,
    mut read: impl FnMut(&TreeGuard, Found<'_, Operation>),
) -> Option<Ref<Operation>> {
    some_at_once(first, |guard, all| all.for_each(|found| read(guard, found)))
}

/// The same, shown all at once.
pub(super) fn some_at_once(
    first: &Ref<Operation>,
    read: impl FnOnce(&TreeGuard, Take<Siblings<'_, Operation>>),
) -> Option<Ref<Operation>> {
    with_lock(|guard| {
        let all = || guard.siblings_from(first);
        read(guard, all().take(AT_ONCE));
        all().nth(AT_ONCE).and_then(|it| guard.handle(it, first))
    })
}

/// As [`read_some`], for callers that cannot return an error and edit nothing: signals end it, by
/// unwinding.
pub(crate) fn some_or_unwind(
    first: &Ref<Operation>,
    read: impl FnMut(&TreeGuard, Found<'_, Operation>),
) -> Option<Ref<Operation>> {
    unwind_on_signal();
    read_some(first, read)
}

/// Reads all operations of a block, some at a time: `read` gets the first of these too, which makes
/// handles. Signals end it, by unwinding.
pub(crate) fn all_or_unwind(
    block: &Ref<Block>,
    mut read: impl FnMut(&TreeGuard, Found<'_, Operation>, &Ref<Operation>),
) {
    let mut next = block.list(|it| &it.operations).first();
    while let Some(first) = next {
        next = some_or_unwind(&first, |guard, found| read(guard, found, &first));
    }
}

/// Runs what waits for Python's main thread, and unwinds with the error that it raises. For callers
/// that cannot return one, and edit nothing.
pub(crate) fn unwind_on_signal() {
    pairbond::check_signals().unwrap_or_else(|interrupt| interrupt.unwind());
}

/// Whether an operation has regions: it is made with as many as it ever has.
pub(super) fn has_regions(guard: &TreeGuard, op: &Operation) -> bool {
    guard.children(&op.regions).next().is_some()
}

/// Whether all operands of an operation are there, and it has neither regions nor successors.
pub(crate) fn is_plain(op: &Ref<Operation>) -> bool {
    with_lock(|guard| {
        let mut all = true;
        peek_operands(guard, op, |_, value| {
            all &= value.is_some_and(|it| !it.is_erased())
        });
        all && !has_regions(guard, op) && op.ends.with_in(guard, |it| it.successors().is_empty())
    })
}

/// The results of an operation.
pub(crate) fn operation_results(op: &Ref<Operation>) -> Few<Ref<Value>> {
    with_lock(|guard| {
        let all = guard.children(&op.results);
        all.filter_map(|it| guard.handle(it, op)).collect()
    })
}

/// The operations that compute what an operation uses.
pub(crate) fn operand_definers(op: &Ref<Operation>) -> Few<Ref<Operation>> {
    let (mut all, mut others) = (Few::default(), Few::default());
    with_lock(|guard| {
        peek_operands(guard, op, |_, value| {
            let Some(definer) = value.and_then(|it| guard.parent::<_, Operation>(it)) else {
                return;
            };
            match guard.handle(definer, op) {
                Some(definer) => all.extend([definer]),
                None => others.extend([definer.weak()]),
            }
        })
    });
    all.extend(others.iter().filter_map(Weak::upgrade));
    all
}

/// Shows the operands of an operation, by their places; `None` for one that is gone. How many there
/// are.
pub(crate) fn peek_operands(
    guard: &TreeGuard,
    op: &Operation,
    mut each: impl FnMut(usize, Option<Found<'_, Value>>),
) -> usize {
    op.ends.with_in(guard, |ends| {
        let all = ends.operands.as_slice();
        for (place, operand) in all.iter().enumerate() {
            each(place, operand.value.as_ref().and_then(|it| guard.upgrade_ref(it)));
        }
        all.len()
    })
}
