//! Who uses what: operands and the lists of uses of their values, which change together under one lock.
//!
//! Both hold weak references. One that leads nowhere is an operand whose value is gone with its tree, or a user that is: the first is an
//! `InvalidatedError` for whoever asks, the second is passed over, and taken out when it is met.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::{Operation, Value};
use crate::context::same_context;
use crate::error;

/// An operation, and as which of its operands.
pub(super) type Use = (Weak<Operation>, u32);

/// For all operands of the process: held for some instructions, and never while anything is dropped, upgraded or called.
static LOCK: Mutex<()> = Mutex::new(());

fn lock() -> MutexGuard<'static, ()> {
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One operand of an operation: a use of a value.
#[pairbond::object("pairbond_ir.OpOperand", opaque)]
pub struct OpOperand {
    /// The operation that uses the value.
    #[field]
    owner: Ref<Operation>,
    /// As which of its operands.
    #[field]
    operand_number: u32,
}

impl OpOperand {
    pub(super) fn of(owner: Ref<Operation>, operand_number: u32) -> Ref<Self> {
        Ref::new(OpOperand {
            owner,
            operand_number,
        })
    }
}

#[pairbond::methods]
impl OpOperand {
    /// The value that is used.
    #[getter]
    fn value(&self) -> Result<Ref<Value>> {
        operand(&self.owner, self.operand_number as usize)
    }

    fn __eq__(&self, other: &OpOperand) -> bool {
        self.owner.is(&other.owner) && self.operand_number == other.operand_number
    }

    fn __hash__(&self) -> u64 {
        (std::ptr::from_ref::<Operation>(&self.owner).addr() as u64) ^ u64::from(self.operand_number)
    }
}

/// How many operands an operation has.
pub(crate) fn count(op: &Ref<Operation>) -> usize {
    op.operands.with(Vec::len)
}

/// An operand; an error if there is none at that place, or its value is gone or erased.
pub(crate) fn operand(op: &Ref<Operation>, place: usize) -> Result<Ref<Value>> {
    let weak = op.operands.with(|all| all.get(place).cloned());
    let weak = weak.ok_or_else(|| Error::index_error("operand index out of range"))?;
    let Some(value) = weak.and_then(|it| it.upgrade()) else {
        let what = format!("operand {place} of {} is gone: its value was erased", op.name());
        return Err(Error::new(ErrorKind::Invalidated, what));
    };
    value.check()?;
    Ok(value)
}

/// All operands, those that are gone or erased left out as `None`.
pub(crate) fn operands(op: &Ref<Operation>) -> Vec<Option<Ref<Value>>> {
    let living = upgraded(op).into_iter();
    living.map(|it| it.filter(|it| !it.is_erased())).collect()
}

fn upgraded(op: &Ref<Operation>) -> Vec<Option<Ref<Value>>> {
    let all = op.operands.get().into_iter();
    all.map(|weak| weak.and_then(|it| it.upgrade())).collect()
}

/// Gives an operation its operands, which it did not have before.
pub(super) fn begin(op: &Ref<Operation>, values: &[Ref<Value>]) {
    let values: Vec<Option<Ref<Value>>> = values.iter().cloned().map(Some).collect();
    begin_partly(op, &values);
}

/// The same, where some are not there yet and are [`set`] later.
pub(crate) fn begin_partly(op: &Ref<Operation>, values: &[Option<Ref<Value>>]) {
    let weak: Vec<Option<Weak<Value>>> = values.iter().map(|it| it.as_ref().map(Ref::downgrade)).collect();
    let user = op.downgrade();
    values.iter().flatten().for_each(tidy);
    let _locked = lock();
    for (place, value) in (0..).zip(values) {
        if let Some(value) = value {
            value.uses.update(|uses| uses.push((user.clone(), place)));
        }
    }
    op.operands.update(|all| *all = weak);
}

/// Lets one operand be another value.
pub(crate) fn set(op: &Ref<Operation>, place: usize, value: &Ref<Value>) -> Result<()> {
    same_context(op.context(), &value.context(), "a value")?;
    value.check()?;
    let old = op.operands.with(|all| all.get(place).cloned());
    let old = old.ok_or_else(|| Error::index_error("operand index out of range"))?;
    let old = old.and_then(|it| it.upgrade());
    let (user, weak) = (op.downgrade(), Some(value.downgrade()));
    let dropped = {
        let _locked = lock();
        let dropped = old.as_ref().map(|old| take(old, &user, place as u32));
        value.uses.update(|uses| uses.push((user.clone(), place as u32)));
        let weak = op
            .operands
            .update(|all| all.get_mut(place).map(|it| std::mem::replace(it, weak)));
        (dropped, weak)
    };
    drop(dropped);
    Ok(())
}

/// Takes a use out of a value's list. Under the lock.
fn take(value: &Ref<Value>, user: &Weak<Operation>, place: u32) -> Option<Use> {
    value.uses.update(|uses| {
        // The latest are the likeliest to go first.
        let found = uses.iter().rposition(|(op, at)| *at == place && op.is(user));
        found.map(|found| uses.swap_remove(found))
    })
}

/// Takes an operation out of the lists of all values that it uses; what its operands are it still knows.
pub(super) fn end(op: &Ref<Operation>) {
    let values = upgraded(op);
    let user = op.downgrade();
    let mut dropped = Vec::with_capacity(values.len());
    {
        let _locked = lock();
        for (place, value) in (0..).zip(&values) {
            dropped.extend(value.as_ref().map(|value| take(value, &user, place)));
        }
    }
    drop(dropped);
}

/// Who uses a value, as far as they are alive.
pub(crate) fn of(value: &Ref<Value>) -> Vec<(Ref<Operation>, u32)> {
    let all = value.uses.get();
    let (mut living, mut dead) = (Vec::with_capacity(all.len()), Vec::new());
    for (weak, place) in all {
        match weak.upgrade() {
            Some(op) => living.push((op, place)),
            None => dead.push((weak, place)),
        }
    }
    if !dead.is_empty() {
        let _locked = lock();
        let gone = |(op, place): &Use| dead.iter().any(|(weak, at)| at == place && weak.is(op));
        value.uses.update(|uses| uses.retain(|it| !gone(it)));
    }
    living.retain(|(op, _)| !op.is_erased());
    living
}

/// Takes users out that are gone, now and then while a list grows: an operation that is dropped with its tree does not do it.
fn tidy(value: &Ref<Value>) {
    let count = value.uses.with(Vec::len);
    if count >= 64 && count.is_power_of_two() {
        of(value);
    }
}

/// Lets users of a value use another one, where the condition says so.
pub(super) fn replace(
    value: &Ref<Value>,
    with: &Ref<Value>,
    mut condition: impl FnMut(&Ref<Operation>, u32) -> Result<bool>,
) -> Result<()> {
    same_context(&value.context(), &with.context(), "a value")?;
    if value.is(with) {
        return Err(error::ir("a value cannot be replaced by itself"));
    }
    for (op, place) in of(value) {
        // The condition may have edited.
        if condition(&op, place)?
            && !op.is_erased()
            && operand(&op, place as usize).is_ok_and(|it| it.is(value))
        {
            set(&op, place as usize, with)?;
        }
    }
    Ok(())
}
