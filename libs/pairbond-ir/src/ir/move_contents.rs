//! Moving the contents of blocks and regions into others: merging, inlining, taking a body.
//! Everything is checked before anything is changed.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::walk::{is_inside, operations_in};
use super::{Block, Operation, Region, Value, contexts, erase, uses};
use crate::context::same_context;
use crate::error;
use crate::room::Gather;

/// A listener to the parts of such an edit.
pub(crate) trait Told {
    /// An operation stands elsewhere now, its contents apart.
    fn operation_moved(&mut self, op: &Ref<Operation>) -> Result<()>;
    /// An operation uses another value.
    fn operation_modified(&mut self, op: &Ref<Operation>) -> Result<()>;
    /// An operation is about to be erased.
    fn operation_erased(&mut self, op: &Ref<Operation>) -> Result<()>;
}

/// No listener.
impl Told for () {
    fn operation_moved(&mut self, _: &Ref<Operation>) -> Result<()> {
        Ok(())
    }
    fn operation_modified(&mut self, _: &Ref<Operation>) -> Result<()> {
        Ok(())
    }
    fn operation_erased(&mut self, _: &Ref<Operation>) -> Result<()> {
        Ok(())
    }
}

fn block_operations(block: &Ref<Block>) -> Vec<Ref<Operation>> {
    block.list(|it| &it.operations).iter().gather()
}

fn block_arguments(block: &Ref<Block>) -> Vec<Ref<Value>> {
    block.list(|it| &it.arguments).iter().gather()
}

fn region_blocks(region: &Ref<Region>) -> Vec<Ref<Block>> {
    region.list(|it| &it.blocks).iter().gather()
}

fn region_owner(region: &Ref<Region>) -> Option<Ref<Operation>> {
    region.parent().and_then(|it| it.downcast().ok())
}

/// Moves the operations of a block before one of another block, or to that block's end, and erases
/// the emptied block, whose arguments become `values`.
pub(crate) fn inline_block(
    source: &Ref<Block>,
    into: &Ref<Block>,
    before: Option<&Ref<Operation>>,
    values: &[Ref<Value>],
    told: &mut impl Told,
) -> Result<()> {
    source.check()?;
    into.check()?;
    let (moving, arguments) = (block_operations(source), block_arguments(source));
    check_arguments(&arguments, values)?;
    check_flow(source, into, before)?;
    let around = Block::owner_of(into);
    if source.is(into)
        || moving
            .iter()
            .any(|it| around.as_ref().is_some_and(|into| is_inside(into, it)))
    {
        return Err(error::ir_error("a block cannot be put into itself"));
    }
    if let Some(own) = moving.first() {
        contexts::joins_block(into, own.context(), "an operation")?;
    }
    for (argument, value) in arguments.iter().zip(values) {
        let mut users: Vec<Ref<Operation>> = uses::replace_all(argument, value)?.into_iter().gather();
        users.dedup_by(|a, b| a.is(b));
        users.iter().try_for_each(|it| told.operation_modified(it))?;
    }
    if let (Some(first), Some(last)) = (moving.first(), moving.last()) {
        into.list(|it| &it.operations).splice(before, first, last)?;
    }
    moving
        .iter()
        .filter(|it| !it.is_erased())
        .try_for_each(|it| told.operation_moved(it))?;
    erase::erase_block(source, false)
}

fn check_arguments(arguments: &[Ref<Value>], values: &[Ref<Value>]) -> Result<()> {
    if arguments.len() != values.len() {
        let (wanted, given) = (arguments.len(), values.len());
        return Err(error::ir_error(format!(
            "the block has {wanted} arguments, and gets {given} values"
        )));
    }
    for (place, (argument, value)) in arguments.iter().zip(values).enumerate() {
        value.check()?;
        same_context(&argument.context(), &value.context(), "a value")?;
        if !value.r#type().is(&argument.r#type()) {
            let (wanted, given) = (argument.r#type(), value.r#type());
            return Err(error::ir_error(format!(
                "argument {place} of the block is {wanted}, its value {given}"
            )));
        }
        if arguments.iter().any(|it| it.is(value)) {
            return Err(error::ir_error(
                "an argument of the block cannot be the value of one",
            ));
        }
    }
    Ok(())
}

/// The block must have no predecessors, and a terminator must stay the last of its block.
fn check_flow(source: &Ref<Block>, into: &Ref<Block>, before: Option<&Ref<Operation>>) -> Result<()> {
    let siblings = Block::region_of(source)
        .map(|it| region_blocks(&it))
        .unwrap_or_default();
    for last in siblings
        .iter()
        .filter_map(|it| it.list(|it| &it.operations).last())
    {
        if last
            .weak_successors()
            .iter()
            .filter_map(Weak::upgrade)
            .any(|it| it.is(source))
        {
            return Err(error::ir_error(format!(
                "'{}' still goes to the block",
                last.name()
            )));
        }
    }
    let goes_on = |it: Ref<Operation>| (it.successor_count() > 0).then_some(it);
    let last = |block: &Ref<Block>| block.list(|it| &it.operations).last();
    let in_the_way = match before {
        None => last(into).and_then(goes_on),
        Some(_) => last(source).and_then(goes_on),
    };
    match in_the_way {
        Some(it) => Err(error::ir_error(format!(
            "behind '{}', which goes to other blocks, nothing may stand",
            it.name()
        ))),
        None => Ok(()),
    }
}

/// A region cannot go to where it is itself, or something in it.
fn check_regions(source: &Ref<Region>, into: &Ref<Region>) -> Result<()> {
    source.check()?;
    into.check()?;
    let (from, to) = (region_owner(source), region_owner(into));
    if let (Some(from), Some(to)) = (&from, &to) {
        same_context(to.context(), from.context(), "a region")?;
    }
    let mut around = to
        .into_iter()
        .flat_map(|it| std::iter::successors(Some(it), Operation::parent_operation));
    if around.any(|it| {
        Operation::block_of(&it)
            .and_then(|it| Block::region_of(&it))
            .is_some_and(|it| it.is(source))
    }) {
        return Err(error::ir_error("a region cannot be put into itself"));
    }
    Ok(())
}

/// Moves the blocks of a region before a block of another one, or to its end. The region stays,
/// without blocks.
pub(crate) fn inline_region(
    source: &Ref<Region>,
    into: &Ref<Region>,
    before: Option<&Ref<Block>>,
    told: &mut impl Told,
) -> Result<()> {
    check_regions(source, into)?;
    let moving = region_blocks(source);
    if before.is_some_and(|it| moving.iter().any(|block| block.is(it))) {
        return Err(error::ir_error("a region cannot be put into itself"));
    }
    if let (Some(first), Some(last)) = (moving.first(), moving.last()) {
        into.list(|it| &it.blocks).splice(before, first, last)?;
    }
    for block in &moving {
        block_operations(block)
            .iter()
            .filter(|it| !it.is_erased())
            .try_for_each(|it| told.operation_moved(it))?;
    }
    Ok(())
}

/// Erases the blocks of a region, and gives it those of another one, which may be inside of the
/// erased ones.
pub(crate) fn take_body(taker: &Ref<Region>, source: &Ref<Region>, told: &mut impl Told) -> Result<()> {
    check_regions(source, taker)?;
    if taker.is(source) {
        return Err(error::ir_error("a region cannot take its own body"));
    }
    let old = region_blocks(taker);
    let kept: Vec<Ref<Operation>> = region_blocks(source).iter().flat_map(block_operations).gather();
    let goes: Vec<Ref<Operation>> = old.iter().flat_map(block_operations).gather();
    let is_kept = |op: &Ref<Operation>| kept.iter().any(|it| is_inside(op, it));
    let lost: Vec<Ref<Operation>> = goes
        .iter()
        .flat_map(operations_in)
        .filter(|it| !is_kept(it))
        .collect();
    refuse_used(&old, &lost, |user| {
        !is_kept(user) && goes.iter().any(|it| is_inside(user, it))
    })?;
    lost.iter().rev().try_for_each(|it| told.operation_erased(it))?;
    inline_region(source, taker, None, told)?;
    old.iter().try_for_each(|it| erase::erase_block(it, true))
}

/// Refuses if the erased operations have other uses.
fn refuse_used(
    old: &[Ref<Block>],
    lost: &[Ref<Operation>],
    is_lost: impl Fn(&Ref<Operation>) -> bool,
) -> Result<()> {
    let inner = lost
        .iter()
        .flat_map(|it| it.list(|it| &it.regions).iter().gather());
    let inner = inner.flat_map(|it| region_blocks(&it));
    let arguments = old
        .iter()
        .cloned()
        .chain(inner)
        .flat_map(|it| block_arguments(&it));
    let results = lost
        .iter()
        .flat_map(|it| it.list(|it| &it.results).iter().gather());
    for value in arguments.chain(results) {
        if let Some((user, place)) = uses::uses_of(&value).into_iter().find(|(user, _)| !is_lost(user)) {
            return Err(error::ir_error(format!(
                "a value of the old body is still used, as operand {place} of '{}'",
                user.name()
            )));
        }
    }
    Ok(())
}
