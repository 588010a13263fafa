//! Through all operations, without recursion. A callback may edit: an operation that was erased before its turn is passed over, and what was
//! erased around it ends the walk there.

use std::vec;

use pairbond::Few;
use pairbond::prelude::*;
use pairbond::tree::{TreeNode, look};

use super::Operation;
use super::read::{has_regions, some};

/// The operations directly in the regions of one, each with whether it has regions itself.
fn inner(op: &Ref<Operation>) -> vec::IntoIter<(Ref<Operation>, bool)> {
    let mut all = Vec::new();
    for region in op.list(|it| &it.regions).to_vec() {
        for block in region.list(|it| &it.blocks).to_vec() {
            all.reserve(block.list(|it| &it.operations).len());
            look(|still| {
                for found in still.children(&block.operations) {
                    let regions = has_regions(still, found.get());
                    all.extend(still.handle(found, &block).map(|it| (it, regions)));
                }
            });
        }
    }
    all.into_iter()
}

/// An operation and all in it, outer ones first.
pub(crate) fn operations_in(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    gather(op, true)
}

/// As [`operations_in`]; mostly there is only one.
pub(crate) fn few_in(op: &Ref<Operation>) -> Few<Ref<Operation>> {
    if look(|still| has_regions(still, op)) {
        return operations_in(op).into();
    }
    Few::from_iter([op.clone()])
}

/// An operation and all in it that have regions, outer ones first.
pub(crate) fn regions_in(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    gather(op, false)
}

fn gather(op: &Ref<Operation>, every: bool) -> Vec<Ref<Operation>> {
    let mut all = vec![op.clone()];
    // The places of those with regions.
    let (mut around, mut at) = (vec![0], 0);
    while let Some(place) = around.get(at) {
        for region in all[*place].list(|it| &it.regions).to_vec() {
            for block in region.list(|it| &it.blocks).to_vec() {
                let mut next = block.list(|it| &it.operations).first();
                while let Some(first) = next {
                    next = some(&first, |still, found| {
                        let regions = has_regions(still, found.get());
                        if regions {
                            around.push(all.len());
                        }
                        if every || regions {
                            all.extend(still.handle(found, &first));
                        }
                    });
                }
            }
        }
        at += 1;
    }
    all
}

/// Whether an operation is another one, or in it.
pub(crate) fn is_inside(op: &Ref<Operation>, other: &Ref<Operation>) -> bool {
    op.is_in(other)
}

/// Of Python: a callback that is called with operations of a class only (`python/pairbond_ir/_finding.py`).
const OF_CLASS: &str = "pairbond_ir.of_class";

/// A callback that goes on with other operations than those of a class.
pub(super) fn of_class(callback: Function, class: Any) -> Result<Function> {
    pairbond::get_function(OF_CLASS)?
        .call(&[callback.into(), class])?
        .to::<Function>()
}

/// What a callback wants.
#[derive(PartialEq, Eq)]
enum Wish {
    Advance,
    Skip,
    Interrupt,
}

fn call(callback: &Function, op: Ref<Operation>) -> Result<Wish> {
    match callback.call(&[op.into()])? {
        Any::None => Ok(Wish::Advance),
        Any::Str(word) if *word == *"advance" => Ok(Wish::Advance),
        Any::Str(word) if *word == *"skip" => Ok(Wish::Skip),
        Any::Str(word) if *word == *"interrupt" => Ok(Wish::Interrupt),
        _ => Err(Error::type_error(
            "a walk's callback returns None, WalkResult.ADVANCE, WalkResult.SKIP or WalkResult.INTERRUPT",
        )),
    }
}

/// Outer operations first. Whether it went through.
pub(super) fn pre_order(op: &Ref<Operation>, callback: &Function) -> Result<bool> {
    // What is left of those that stand together.
    let mut around = vec![vec![(op.clone(), true)].into_iter()];
    while let Some(left) = around.last_mut() {
        let Some((op, regions)) = left.next() else {
            around.pop();
            continue;
        };
        if op.is_erased() {
            continue;
        }
        match call(callback, op.clone())? {
            Wish::Interrupt => return Ok(false),
            Wish::Advance if regions && !op.is_erased() => around.push(inner(&op)),
            Wish::Advance | Wish::Skip => {}
        }
    }
    Ok(true)
}

/// Inner operations first. Whether it went through.
pub(super) fn post_order(op: &Ref<Operation>, callback: &Function) -> Result<bool> {
    // Those whose turn comes behind what is in them, with what is left of that.
    let mut around = vec![(op.clone(), inner(op))];
    while let Some((_, left)) = around.last_mut() {
        let op = match left.next() {
            Some((op, true)) if !op.is_erased() => {
                let inner = inner(&op);
                around.push((op, inner));
                continue;
            }
            Some((op, _)) => op,
            None => match around.pop() {
                Some((op, _)) => op,
                None => break,
            },
        };
        if !op.is_erased() && call(callback, op)? == Wish::Interrupt {
            return Ok(false);
        }
    }
    Ok(true)
}
