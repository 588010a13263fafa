//! Through all operations, without recursion. A callback may edit: an operation that was erased before its turn is passed over, and what was
//! erased around it ends the walk there.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Operation;
use super::read::some;

/// The operations directly in the regions of one.
fn inner(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    let mut all = Vec::new();
    for region in op.list(|it| &it.regions).to_vec() {
        for block in region.list(|it| &it.blocks).to_vec() {
            let more = block.list(|it| &it.operations).to_vec();
            match all.is_empty() {
                true => all = more,
                false => all.extend(more),
            }
        }
    }
    all
}

/// An operation and all in it, outer ones first.
pub(crate) fn operations_in(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    let mut all = vec![op.clone()];
    // The places of those with regions.
    let (mut around, mut at) = (vec![0], 0);
    while let Some(place) = around.get(at) {
        for region in all[*place].list(|it| &it.regions).to_vec() {
            for block in region.list(|it| &it.blocks).to_vec() {
                let mut next = block.list(|it| &it.operations).first();
                while let Some(first) = next {
                    next = some(&first, |still, found| {
                        if still.children(&found.get().regions).next().is_some() {
                            around.push(all.len());
                        }
                        all.extend(still.handle(found, &first));
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

/// What a callback wants.
#[derive(PartialEq, Eq)]
enum Wish {
    Advance,
    Skip,
    Interrupt,
}

fn call(callback: &Function, op: &Ref<Operation>) -> Result<Wish> {
    let answer = callback.call(&[op.clone().into()])?;
    match &answer {
        Any::Str(word) if **word == *"skip" => Ok(Wish::Skip),
        Any::Str(word) if **word == *"interrupt" => Ok(Wish::Interrupt),
        Any::None => Ok(Wish::Advance),
        Any::Str(word) if **word == *"advance" => Ok(Wish::Advance),
        _ => Err(Error::type_error(
            "a walk's callback returns None, WalkResult.ADVANCE, WalkResult.SKIP or WalkResult.INTERRUPT",
        )),
    }
}

/// Outer operations first. Whether it went through.
pub(super) fn pre_order(op: &Ref<Operation>, callback: &Function) -> Result<bool> {
    let mut waiting = vec![op.clone()];
    while let Some(op) = waiting.pop() {
        if op.is_erased() {
            continue;
        }
        match call(callback, &op)? {
            Wish::Interrupt => return Ok(false),
            Wish::Skip => {}
            Wish::Advance if op.is_erased() => {}
            Wish::Advance => waiting.extend(inner(&op).into_iter().rev()),
        }
    }
    Ok(true)
}

/// Inner operations first. Whether it went through.
pub(super) fn post_order(op: &Ref<Operation>, callback: &Function) -> Result<bool> {
    let mut waiting = vec![(op.clone(), false)];
    while let Some((op, seen)) = waiting.pop() {
        if op.is_erased() {
            continue;
        }
        if !seen {
            waiting.push((op.clone(), true));
            waiting.extend(inner(&op).into_iter().rev().map(|it| (it, false)));
        } else if call(callback, &op)? == Wish::Interrupt {
            return Ok(false);
        }
    }
    Ok(true)
}
