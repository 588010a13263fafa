//! Who uses what: operands and the lists of uses of their values, which change together under one lock.
//!
//! Both hold weak references. One that leads nowhere is an operand whose value is gone with its tree, or a user that is: the first is an
//! `InvalidatedError` for whoever asks, the second is passed over, and taken out when it is met.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::use_list::{NOWHERE, Operand, Operands, Uses};
use super::{Operation, Value};
use crate::context::same_context;
use crate::error;

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

/// An operand; an error if there is none at that place, or its value is gone or erased.
pub(crate) fn operand(op: &Ref<Operation>, place: usize) -> Result<Ref<Value>> {
    let weak = known(op, place)?.value;
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

/// What an operation has as an operand.
fn known(op: &Ref<Operation>, place: usize) -> Result<Operand> {
    let known = op.operands.with(|all| all.as_slice().get(place).cloned());
    known.ok_or_else(|| Error::index_error("operand index out of range"))
}

/// How many operands there are.
pub(crate) fn count(op: &Ref<Operation>) -> usize {
    op.operands.with(|all| all.as_slice().len())
}

/// Numbers that say which values the operands are, without handles to them: those of [`Weak::addr`].
pub(crate) fn addresses(op: &Ref<Operation>, found: &mut Vec<usize>) {
    found.clear();
    let address = |it: &Operand| it.value.as_ref().map_or(0, Weak::addr);
    op.operands
        .with(|all| found.extend(all.as_slice().iter().map(address)));
}

fn upgraded(op: &Ref<Operation>) -> Vec<Option<Ref<Value>>> {
    let all = op.operands.with(|all| all.as_slice().to_vec()).into_iter();
    all.map(|it| it.value.and_then(|it| it.upgrade())).collect()
}

/// Gives an operation its operands, which it did not have before.
pub(super) fn begin(op: &Ref<Operation>, values: &[Ref<Value>]) {
    connect(op, values.iter().map(Some));
}

/// The same, where some are not there yet and are [`set`] later.
pub(crate) fn begin_partly(op: &Ref<Operation>, values: &[Option<Ref<Value>>]) {
    connect(op, values.iter().map(Option::as_ref));
}

fn connect<'a>(op: &Ref<Operation>, values: impl ExactSizeIterator<Item = Option<&'a Ref<Value>>> + Clone) {
    if values.len() == 0 {
        return;
    }
    values.clone().flatten().for_each(tidy);
    let _locked = lock();
    let places = values.enumerate().map(|(place, value)| {
        let place = place as u32;
        let at = value.map_or(NOWHERE, |it| {
            it.uses.update(|uses| uses.add(op.downgrade(), place))
        });
        let value = value.map(Ref::downgrade);
        Operand { value, at }
    });
    let all = Operands::of(places);
    op.operands.update(|operands| *operands = all);
}

/// Lets one operand be another value.
pub(crate) fn set(op: &Ref<Operation>, place: usize, value: &Ref<Value>) -> Result<()> {
    value.of_context(op.context(), "a value")?;
    value.check()?;
    loop {
        let known = known(op, place)?;
        let old = known.value.as_ref().and_then(Weak::upgrade);
        let (user, weak) = (op.downgrade(), value.downgrade());
        let changed = {
            let _locked = lock();
            op.operands.update(|all| {
                let operand = &mut all.as_mut_slice()[place];
                let same = match (&operand.value, &known.value) {
                    (Some(now), Some(before)) => now.is(before),
                    (None, None) => true,
                    _ => false,
                };
                // Somebody else was faster.
                if !same || operand.at != known.at {
                    return None;
                }
                let gone = old
                    .as_ref()
                    .map(|old| old.uses.update(|uses| uses.remove(known.at, &user, place as u32)));
                let at = value.uses.update(|uses| uses.add(user.clone(), place as u32));
                let value = Some(weak);
                Some((gone, std::mem::replace(operand, Operand { value, at })))
            })
        };
        if let Some(dropped) = changed {
            drop(dropped);
            return Ok(());
        }
    }
}

/// Takes an operation out of the lists of all values that it uses; what its operands are it still knows.
pub(super) fn end(op: &Ref<Operation>) {
    let values = upgraded(op);
    if values.is_empty() {
        return;
    }
    let user = op.downgrade();
    let mut dropped = Vec::with_capacity(values.len());
    {
        let _locked = lock();
        op.operands.update(|all| {
            for (place, (operand, value)) in (0..).zip(all.as_mut_slice().iter_mut().zip(&values)) {
                let (Some(weak), Some(value)) = (&operand.value, value) else {
                    continue;
                };
                // Somebody may have set it meanwhile; then it is no use of this value.
                if weak.addr() == address(value) {
                    let at = std::mem::replace(&mut operand.at, NOWHERE);
                    dropped.push(value.uses.update(|uses| uses.remove(at, &user, place)));
                }
            }
        });
    }
    drop(dropped);
}

/// A number that says which value it is.
fn address(value: &Ref<Value>) -> usize {
    std::ptr::from_ref(value.header()).addr()
}

/// Who uses a value, as far as they are alive.
pub(crate) fn of(value: &Ref<Value>) -> Vec<(Ref<Operation>, u32)> {
    let all = value.uses.with(Uses::all);
    let (mut living, mut dead) = (Vec::with_capacity(all.len()), Vec::new());
    for (at, (weak, place)) in all {
        match weak.upgrade() {
            Some(op) => living.push((op, place)),
            None => dead.push((at, weak, place)),
        }
    }
    if !dead.is_empty() {
        let gone: Vec<_> = {
            let _locked = lock();
            let mut remove = |(at, weak, place): &_| value.uses.update(|uses| uses.remove(*at, weak, *place));
            dead.iter().map(&mut remove).collect()
        };
        drop(gone);
    }
    living.retain(|(op, _)| !op.is_erased());
    living
}

/// Whether somebody uses a value.
pub(crate) fn is_used(value: &Ref<Value>) -> bool {
    let Some(any) = value.uses.update(|uses| uses.any().cloned()) else {
        return false;
    };
    // Hardly ever is it one that is gone.
    any.upgrade().is_some_and(|op| !op.is_erased()) || !of(value).is_empty()
}

/// Takes users out that are gone, now and then while a list grows: an operation that is dropped with its tree does not do it.
fn tidy(value: &Ref<Value>) {
    let count = value.uses.with(Uses::count);
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
