//! Use lists: operands and the uses of their values, which change together under the lock of all
//! trees.
//!
//! Both hold weak references. A dead one is an operand whose value is gone with its tree, or a user
//! that is: reading the first is an `InvalidatedError`, the second is passed over, and taken out
//! when it is met.

use pairbond::convert::Few;
use pairbond::prelude::*;
use pairbond::tree::{DetachedNode, Found, TreeGuard, TreeNode, with_lock};

use super::copies::Copies;
use super::use_list::{Ends, NOWHERE, Operand, Operands, Place, Uses};
use super::{Operation, Value};
use crate::error;
use crate::fast::address_of;

/// An operand; an error if there is none at that place, or its value is gone or erased.
pub(crate) fn operand_at(op: &Ref<Operation>, place: usize) -> Result<Ref<Value>> {
    let beside = with_lock(|guard| {
        op.ends.with_in(guard, |all| {
            let known = all.operands.as_slice().get(place)?.value.as_ref()?;
            guard.handle(guard.upgrade_ref(known)?, op)
        })
    });
    if let Some(value) = beside {
        return Ok(value);
    }
    let weak = stored_operand(op, place)?.value;
    let Some(value) = weak.and_then(|it| it.upgrade()) else {
        let what = format!("operand {place} of {} is gone: its value was erased", op.name());
        return Err(Error::new(ErrorKind::Invalidated, what));
    };
    value.check()?;
    Ok(value)
}

/// All operands, those that are gone or erased left out as `None`.
pub(crate) fn all_operands(op: &Ref<Operation>) -> Few<Option<Ref<Value>>> {
    let living = upgrade_operands(op).into_iter();
    living.map(|it| it.filter(|it| !it.is_erased())).collect()
}

/// Returns the stored operand of an operation.
fn stored_operand(op: &Ref<Operation>, place: usize) -> Result<Operand> {
    let known = op.ends.with(|all| all.operands.as_slice().get(place).cloned());
    known.ok_or_else(|| Error::index_error("operand index out of range"))
}

/// How many operands there are.
pub(crate) fn operand_count(op: &Ref<Operation>) -> usize {
    op.ends.with(|all| all.operands.as_slice().len())
}

/// Numbers that say which values the operands are, without handles to them: those of
/// [`Weak::addr`].
pub(crate) fn operand_addresses(op: &Ref<Operation>, found: &mut Vec<usize>) {
    found.clear();
    with_lock(|guard| op.operand_addresses(guard, found));
}

fn upgrade_operands(op: &Ref<Operation>) -> Few<Option<Ref<Value>>> {
    let known = op
        .ends
        .with(|all| all.operands.as_slice().iter().cloned().collect::<Few<_>>());
    known
        .into_iter()
        .map(|it| it.value.and_then(|it| it.upgrade()))
        .collect()
}

/// Gives an operation its operands, which it did not have before.
pub(super) fn begin_operands(op: &Ref<Operation>, values: &[Ref<Value>]) {
    if !values.is_empty() {
        with_lock(|guard| connect_operands(guard, op, values.iter().map(Some), || op.downgrade()));
        values.iter().for_each(prune_dead_uses);
    }
}

/// The same, where some are not there yet and are [`set_operand`] later.
pub(crate) fn begin_partly(op: &Ref<Operation>, values: &[Option<Ref<Value>>]) {
    if !values.is_empty() {
        with_lock(|guard| connect_operands(guard, op, values.iter().map(Option::as_ref), || op.downgrade()));
        values.iter().flatten().for_each(prune_dead_uses);
    }
}

/// The same, where trees are held still; of values that are not used by many afterwards, or are
/// [tidied](tidy). `user` makes weak references to the operation.
pub(super) fn connect_operands<'a>(
    guard: &TreeGuard,
    op: &Operation,
    values: impl ExactSizeIterator<Item = Option<&'a Ref<Value>>>,
    mut user: impl FnMut() -> Weak<Operation>,
) {
    let all = Operands::from_iterator(values.enumerate().map(|(place, value)| {
        let add = |it: &Ref<Value>| it.change_uses(guard, |uses| uses.add_use(user(), place as u32));
        let at = value.map_or(NOWHERE, add);
        let value = value.map(Ref::downgrade);
        Operand { value, at }
    }));
    op.ends.update_in(guard, |ends| ends.operands = all);
}

/// The same for a copy that is to be planted: of some values those at these places. Lists that need
/// [tidying](tidy) are added to a list.
pub(super) fn connect_copy(
    guard: &TreeGuard,
    op: &mut DetachedNode<Operation>,
    values: &mut Copies,
    places: &[u32],
    crowded: &mut Vec<Weak<Value>>,
) {
    if places.is_empty() {
        return;
    }
    let mut users = op.downgrade(places.len() as u32);
    let all = Operands::from_iterator(places.iter().enumerate().map(|(place, which)| {
        let mut many = false;
        let mut add = |uses: &mut Uses| {
            let at = uses.add_use(users.take()?, place as u32);
            many = is_crowded(uses.use_count());
            Some(at)
        };
        // An erased one has no users.
        let found = values.find_copy(*which).and_then(|it| guard.upgrade_ref(it));
        let at = found.and_then(|it| it.get().change_uses(guard, &mut add));
        if many {
            crowded.extend(values.find_copy(*which).cloned());
        }
        Operand {
            value: values.take_copy(*which),
            at: at.unwrap_or(NOWHERE),
        }
    }));
    op.ends.update_in(guard, |ends| ends.operands = all);
}

/// Lets one operand be another value.
pub(crate) fn set_operand(op: &Ref<Operation>, place: usize, value: &Ref<Value>) -> Result<()> {
    value.of_context(op.context(), "a value")?;
    value.check()?;
    loop {
        let known = stored_operand(op, place)?;
        let old = known.value.as_ref().and_then(Weak::upgrade);
        let changed = exchange_operand(op, place as u32, &known.value, old.as_ref(), value);
        // Or another thread was faster.
        if changed.is_some() {
            return Ok(());
        }
    }
}

/// Replaces an operand that is one value by another; `None` if it is not. `old` is the value, if it
/// is there. The result is to be dropped.
fn exchange_operand(
    op: &Ref<Operation>,
    place: u32,
    known: &Option<Weak<Value>>,
    old: Option<&Ref<Value>>,
    new: &Ref<Value>,
) -> Option<impl Sized + use<>> {
    let (user, weak) = (op.downgrade(), new.downgrade());
    let exchange = |guard: &TreeGuard, all: &mut Ends| {
        let operand = all.operands.as_mut_slice().get_mut(place as usize)?;
        let same = match (&operand.value, known) {
            (Some(now), Some(before)) => now.is(before),
            (None, None) => true,
            _ => false,
        };
        if !same {
            return None;
        }
        let gone = old.map(|old| old.change_uses(guard, |uses| uses.remove_use(operand.at, &user, place)));
        let at = new.change_uses(guard, |uses| uses.add_use(user, place));
        let value = Some(weak);
        Some((gone, std::mem::replace(operand, Operand { value, at })))
    };
    with_lock(|guard| op.ends.update_in(guard, |all| exchange(guard, all)))
}

/// Takes an operation out of the lists of all values that it uses; what its operands are it still
/// knows.
pub(super) fn end_uses(op: &Ref<Operation>) {
    let user = op.downgrade();
    // Dropped behind the lock.
    let mut dropped = Few::default();
    with_lock(|guard| {
        op.ends.update_in(guard, |all| {
            for (place, operand) in (0..).zip(all.operands.as_mut_slice()) {
                let value = operand.value.as_ref().and_then(|it| guard.upgrade_ref(it));
                if let Some(value) = value {
                    let at = std::mem::replace(&mut operand.at, NOWHERE);
                    dropped.extend(
                        value
                            .get()
                            .change_uses(guard, |uses| uses.remove_use(at, &user, place)),
                    );
                }
            }
        });
    });
}

/// Returns the living users of a value.
pub(crate) fn uses_of(value: &Ref<Value>) -> Few<(Ref<Operation>, u32)> {
    let mut dead = Vec::new();
    let living = value.with_uses(Uses::all_uses).into_iter();
    let living = living.filter_map(|(at, (weak, place))| {
        let found = weak.upgrade();
        if found.is_none() {
            dead.push((at, weak, place));
        }
        found.filter(|op| !op.is_erased()).map(|op| (op, place))
    });
    let living = living.collect();
    remove_dead_uses(value, &dead);
    living
}

/// Takes users out of a list.
fn remove_dead_uses(value: &Ref<Value>, dead: &[(Place, Weak<Operation>, u32)]) {
    if !dead.is_empty() {
        let gone: Vec<_> = with_lock(|guard| {
            value.change_uses(guard, |uses| {
                let remove = |(at, weak, place): &_| uses.remove_use(*at, weak, *place);
                dead.iter().map(remove).collect()
            })
        });
        drop(gone);
    }
}

/// Returns whether a value has uses.
pub(crate) fn is_used(value: &Ref<Value>) -> bool {
    let seen = with_lock(|guard| used_at_sight(guard, value));
    seen.unwrap_or_else(|| !uses_of(value).is_empty())
}

/// Returns whether a result has uses.
pub(crate) fn are_results_used(op: &Ref<Operation>) -> bool {
    let seen = with_lock(|guard| {
        let mut seen = guard
            .children(&op.results)
            .map(|it| used_at_sight(guard, it.get()));
        seen.find(|it| *it != Some(false)).unwrap_or(Some(false))
    });
    seen.unwrap_or_else(|| op.list(|it| &it.results).iter().any(|it| is_used(&it)))
}

/// Returns whether a value has uses; `None` if a closer look is needed, which is rare: a
/// user may be gone, or stand nowhere.
pub(super) fn used_at_sight(guard: &TreeGuard, value: &Value) -> Option<bool> {
    value.change_uses(guard, |uses| match uses.any_user() {
        None => Some(false),
        Some(user) => guard.upgrade_ref(user).is_some().then_some(true),
    })
}

/// Takes users out that are gone, now and then while a list grows: an operation that is dropped
/// with its tree does not do it.
pub(super) fn prune_dead_uses(value: &Ref<Value>) {
    if !is_crowded(value.with_uses(Uses::use_count)) {
        return;
    }
    // No handles to those that stand in a tree.
    let mut dead = with_lock(|guard| {
        value.change_uses(guard, |uses| {
            uses.all_but(|user| guard.upgrade_ref(user).is_some())
        })
    });
    dead.retain(|(_, user, _)| user.upgrade().is_none());
    remove_dead_uses(value, &dead);
}

fn is_crowded(count: usize) -> bool {
    count >= 64 && count.is_power_of_two()
}

fn may_replace(value: &Ref<Value>, with: &Ref<Value>) -> Result<()> {
    with.of_context(&value.context(), "a value")?;
    if value.is(with) {
        return Err(error::ir_error("a value cannot be replaced by itself"));
    }
    with.check()
}

/// So many uses are replaced before others get the lock.
const AT_ONCE: u32 = 64;

/// Lets all users of a value use another one; those users, in which one that uses it several times
/// may come several times.
pub(crate) fn replace_all(value: &Ref<Value>, with: &Ref<Value>) -> Result<Few<Ref<Operation>>> {
    let mut users = Few::default();
    let left = replace_standing(value.as_borrow(), with, |guard, user| {
        let user = guard.handle(user, value);
        let noted = user.is_some();
        users.extend(user);
        noted
    })?;
    if left {
        replace_uses_where(value, with, |op, _| {
            users.extend([op.clone()]);
            Ok(true)
        })?;
    }
    Ok(users)
}

/// The same, for callers that do not need the users.
pub(super) fn replace_unseen(value: Borrow<'_, Value>, with: &Ref<Value>) -> Result<()> {
    if replace_standing(value, with, |_, _| true)? {
        replace_uses_where(&value.to_ref(), with, |_, _| Ok(true))?;
    }
    Ok(())
}

/// Replaces the uses whose users stand in a tree and are accepted. Whether some are left: those of
/// users that stand nowhere, or were not.
fn replace_standing(
    value: Borrow<'_, Value>,
    with: &Ref<Value>,
    mut accept: impl FnMut(&TreeGuard, Found<'_, Operation>) -> bool,
) -> Result<bool> {
    let mut from = 0;
    while !value.is(with.as_borrow()) {
        // Dropped behind the lock.
        let mut gone: Few<Operand> = Few::default();
        let found = with_lock(|guard| {
            Value::may_replace(with, guard, &value).then(|| {
                value.change_uses(guard, |uses| {
                    let end = uses.place_count().min(from + AT_ONCE);
                    for at in (from..end).map(Place::new) {
                        gone.extend(replace_at(guard, value, uses, at, with, &mut accept));
                    }
                    (uses.place_count(), uses.use_count())
                })
            })
        });
        let Some((places, count)) = found else { break };
        from += AT_ONCE;
        if from >= places {
            return Ok(count > 0);
        }
    }
    // It was refused, unless another thread has changed it since.
    may_replace(&value.to_ref(), with).map(|()| true)
}

/// Replaces the use at a place of a list, if there is one whose user stands and is accepted.
/// Returns what the operand was.
fn replace_at(
    guard: &TreeGuard,
    value: Borrow<'_, Value>,
    uses: &mut Uses,
    at: Place,
    with: &Ref<Value>,
    accept: &mut impl FnMut(&TreeGuard, Found<'_, Operation>) -> bool,
) -> Option<Operand> {
    let (user, place) = uses.get_use(at)?;
    let user = guard.upgrade_ref(user)?;
    let is_it = |it: &Operand| it.at == at && it.value_number() == address_of(value);
    let operand_is_it = |ends: &Ends| ends.operands.as_slice().get(*place as usize).is_some_and(is_it);
    if !user.ends.with_in(guard, operand_is_it) || !accept(guard, user) {
        return None;
    }
    let (user, place) = uses.take_use(at)?;
    with.change_uses(guard, |others| {
        let at = others.add_use(user, place);
        let (user, _) = others.get_use(at)?;
        let new = Operand {
            value: Some(with.downgrade()),
            at,
        };
        guard.upgrade_ref(user)?.ends.update_in(guard, |ends| {
            let operand = ends.operands.as_mut_slice().get_mut(place as usize)?;
            Some(std::mem::replace(operand, new))
        })
    })
}

/// Lets users of a value use another one, where the condition says so.
pub(super) fn replace_uses_where(
    value: &Ref<Value>,
    with: &Ref<Value>,
    mut condition: impl FnMut(&Ref<Operation>, u32) -> Result<bool>,
) -> Result<()> {
    may_replace(value, with)?;
    let known = Some(value.downgrade());
    for (op, place) in uses_of(value) {
        // The condition may have edited.
        if condition(&op, place)? && !op.is_erased() {
            with.check()?;
            drop(exchange_operand(&op, place, &known, Some(value), with));
        }
    }
    Ok(())
}
