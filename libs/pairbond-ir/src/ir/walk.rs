//! Visits all operations, without recursion. A callback may edit: an operation that was erased
//! before its turn is passed over, and erasing an ancestor ends the walk there.

use std::vec;

use pairbond::convert::{CallEach, Few};
use pairbond::prelude::*;
use pairbond::tree::{TreeNode, with_lock};

use super::read::{all_or_unwind, has_regions, read_some, unwind_on_signal};
use super::{Block, Operation};
use crate::error;
use crate::room::Room;

/// Remaining operations, each with whether it has regions.
type Left = vec::IntoIter<(Ref<Operation>, bool)>;

/// The next one. Those behind it are prefetched, first themselves and then their wrappers: what a
/// callback does takes as long as the way to some of them.
fn next_preorder(left: &mut Left) -> Option<(Ref<Operation>, bool)> {
    let ahead = left.as_slice();
    if let Some((op, _)) = ahead.get(6) {
        op.prefetch_header();
    }
    if let Some((op, _)) = ahead.get(3) {
        op.prefetch_self();
    }
    left.next()
}

/// The operations directly in the regions of one.
fn direct_operations(op: &Ref<Operation>) -> Left {
    let mut all = Vec::new();
    for region in op.list(|it| &it.regions).to_vec() {
        for block in region.list(|it| &it.blocks).to_vec() {
            add_operations(&block, &mut all);
        }
    }
    all.into_iter()
}

/// The operations of a block, each with whether it has regions. Signals end it, by unwinding.
pub(super) fn operations_of(block: &Ref<Block>) -> Vec<(Ref<Operation>, bool)> {
    let mut all = Vec::new();
    all_or_unwind(block, |guard, found, first| {
        let regions = has_regions(guard, found.get());
        let room = all.room();
        room.extend(guard.handle(found, first).map(|it| (it, regions)));
    });
    all
}

fn add_operations(block: &Ref<Block>, all: &mut Vec<(Ref<Operation>, bool)>) {
    with_lock(|guard| {
        for found in guard.children(&block.operations).without_prefetch() {
            let regions = has_regions(guard, found.get());
            // Under the lock no handle may be dropped: room comes first.
            let room = all.room();
            room.extend(guard.handle(found, block).map(|it| (it, regions)));
        }
    });
}

/// An operation and all in it, outer ones first, for callers that edit nothing meanwhile: signals
/// end it, by unwinding.
pub(crate) fn operations_in(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    gather_operations(op, true, unwind_on_signal)
}

/// As [`operations_in`], between edits: whatever signals come.
pub(crate) fn inside(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    gather_operations(op, true, || ())
}

/// As [`inside`]; mostly there is only one.
pub(crate) fn few_in(op: &Ref<Operation>) -> Few<Ref<Operation>> {
    if with_lock(|guard| has_regions(guard, op)) {
        return inside(op).into();
    }
    Few::from_iter([op.clone()])
}

/// An operation and all in it that have regions, outer ones first.
pub(crate) fn regions_in(op: &Ref<Operation>) -> Vec<Ref<Operation>> {
    gather_operations(op, false, || ())
}

/// `pause` is called between some operations and the next, without a lock.
fn gather_operations(op: &Ref<Operation>, every: bool, pause: impl Fn()) -> Vec<Ref<Operation>> {
    let mut all = vec![op.clone()];
    // The places of those with regions.
    let (mut around, mut at) = (vec![0], 0);
    while let Some(place) = around.get(at) {
        for region in all[*place].list(|it| &it.regions).to_vec() {
            for block in region.list(|it| &it.blocks).to_vec() {
                let mut next = block.list(|it| &it.operations).first();
                while let Some(first) = next {
                    pause();
                    next = read_some(&first, |guard, found| {
                        let regions = has_regions(guard, found.get());
                        if regions {
                            around.room().push(all.len());
                        }
                        if every || regions {
                            all.room().extend(guard.handle(found, &first));
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

/// Of Python: a callback that is called with operations of a class only
/// (`python/pairbond_ir/_finding.py`).
const OF_CLASS: &str = "pairbond_ir.of_class";

/// A callback that goes on with other operations than those of a class.
pub(super) fn of_class(callback: Function, class: Any) -> Result<Function> {
    pairbond::registry::get_function(OF_CLASS)?
        .call(&[callback.into(), class])?
        .to::<Function>()
}

/// The decision of a callback.
#[derive(PartialEq, Eq)]
enum Wish {
    Advance,
    Skip,
    Interrupt,
}

fn parse_walk_result(answer: &Any) -> Result<Wish> {
    match answer {
        Any::None => Ok(Wish::Advance),
        Any::Str(word) if **word == *"advance" => Ok(Wish::Advance),
        Any::Str(word) if **word == *"skip" => Ok(Wish::Skip),
        Any::Str(word) if **word == *"interrupt" => Ok(Wish::Interrupt),
        _ => Err(Error::type_error(
            "a walk's callback returns None, WalkResult.ADVANCE, WalkResult.SKIP or WalkResult.INTERRUPT",
        )),
    }
}

/// Outer operations first.
struct PreOrder {
    /// The remaining siblings at each level.
    around: Vec<Left>,
    /// The current one, if it has regions.
    outer: Option<Ref<Operation>>,
    interrupted: bool,
}

impl CallEach for PreOrder {
    fn next_argument(&mut self, place: &mut Any) -> bool {
        while let Some(left) = self.around.last_mut() {
            match next_preorder(left) {
                Some((op, _)) if op.is_erased() => {}
                Some((op, regions)) => {
                    self.outer = regions.then(|| op.clone());
                    *place = op.into();
                    return true;
                }
                None => {
                    self.around.pop();
                }
            }
        }
        false
    }

    fn on_result(&mut self, answer: &Any) -> Result<bool> {
        let wish = parse_walk_result(answer)?;
        if let Some(outer) = self.outer.take()
            && wish == Wish::Advance
            && !outer.is_erased()
        {
            self.around.room().push(direct_operations(&outer));
        }
        self.interrupted = wish == Wish::Interrupt;
        Ok(!self.interrupted)
    }
}

/// Inner operations first.
struct PostOrder {
    /// Operations whose turn comes behind their contents, with the rest of these.
    around: Vec<(Ref<Operation>, Left)>,
    interrupted: bool,
}

impl CallEach for PostOrder {
    fn next_argument(&mut self, place: &mut Any) -> bool {
        while let Some((_, left)) = self.around.last_mut() {
            let op = match next_preorder(left) {
                Some((op, true)) if !op.is_erased() => {
                    let inner = direct_operations(&op);
                    self.around.room().push((op, inner));
                    continue;
                }
                Some((op, _)) => op,
                None => match self.around.pop() {
                    Some((op, _)) => op,
                    None => break,
                },
            };
            if !op.is_erased() {
                *place = op.into();
                return true;
            }
        }
        false
    }

    fn on_result(&mut self, answer: &Any) -> Result<bool> {
        self.interrupted = parse_walk_result(answer)? == Wish::Interrupt;
        Ok(!self.interrupted)
    }
}

/// Outer operations first. Whether it went through.
pub(super) fn pre_order(op: &Ref<Operation>, callback: &Function) -> Result<bool> {
    let mut walk = PreOrder {
        around: vec![vec![(op.clone(), true)].into_iter()],
        outer: None,
        interrupted: false,
    };
    callback.call_each(&mut walk).map_err(error::of_callback)?;
    Ok(!walk.interrupted)
}

/// Inner operations first. Whether it went through.
pub(super) fn post_order(op: &Ref<Operation>, callback: &Function) -> Result<bool> {
    let mut walk = PostOrder {
        around: vec![(op.clone(), direct_operations(op))],
        interrupted: false,
    };
    callback.call_each(&mut walk).map_err(error::of_callback)?;
    Ok(!walk.interrupted)
}
