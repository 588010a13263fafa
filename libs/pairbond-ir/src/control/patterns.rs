//! Patterns for branches, all of them, and those for the ways: ways that lead to a branch alone,
//! blocks with one way in, arguments that are always the same. The others are in `decide.rs`.

use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::branch::{BR, Branch, COND_BR, Edge, SWITCH, block_arguments};
use super::decide::{erase_true_assert, fold_constant_branch, known_behind, one_way, without_default};
use super::regions;
use crate::ir::{Block, Operation, Value, edits, move_contents, predecessor_blocks, uses_of};
use crate::rewrite::{PatternRewriter, RewritePattern};

type Rewrite = fn(&Ref<Operation>, &Ref<PatternRewriter>) -> Result<()>;

struct Pattern {
    root: &'static str,
    rewrite: Rewrite,
}

impl RewritePattern for Pattern {
    fn name(&self) -> &'static str {
        "canonicalize"
    }

    fn root(&self) -> Option<&str> {
        Some(self.root)
    }

    fn stays_inside(&self) -> bool {
        true
    }

    fn rewrite(&self, op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
        (self.rewrite)(op, rewriter)
    }
}

/// All of them.
pub(crate) fn control_patterns() -> Vec<Arc<dyn RewritePattern>> {
    let all: [(&'static str, Rewrite); 11] = [
        (BR, merge_block),
        (BR, skip_empty_blocks),
        (BR, forward_uniform_arguments),
        (COND_BR, fold_constant_branch),
        (COND_BR, skip_empty_blocks),
        (COND_BR, one_way),
        (COND_BR, known_behind),
        (SWITCH, fold_constant_branch),
        (SWITCH, skip_empty_blocks),
        (SWITCH, one_way),
        (SWITCH, without_default),
    ];
    let all = all
        .into_iter()
        .chain([("cf.assert", erase_true_assert as Rewrite)]);
    let made = all.map(|(root, rewrite)| Arc::new(Pattern { root, rewrite }) as Arc<dyn RewritePattern>);
    made.collect()
}

/// The last operations of the blocks that lead to one, once for each way.
pub(super) fn ways_in(block: &Ref<Block>) -> Vec<Ref<Operation>> {
    let all = predecessor_blocks(block);
    all.iter()
        .filter_map(|it| it.list(|it| &it.operations).last())
        .collect()
}

pub(super) fn is_entry(block: &Ref<Block>) -> bool {
    let region = Block::region_of(block);
    region.is_none_or(|it| it.list(|it| &it.blocks).first().is_some_and(|it| it.is(block)))
}

/// A block that only one branch leads to goes on where that was.
fn merge_block(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    let own = edits::block_of(op)?;
    let Some(Branch { edges, .. }) = Branch::from_operation(op) else {
        return Ok(());
    };
    let [edge] = &edges[..] else { return Ok(()) };
    if edge.to.is(&own) || is_entry(&edge.to) || ways_in(&edge.to).len() != 1 {
        return Ok(());
    }
    // Its own argument for another one, in what nothing reaches.
    if block_arguments(&edge.to)
        .iter()
        .any(|it| edge.values.iter().any(|value| value.is(it)))
    {
        return Ok(());
    }
    rewriter.erase_operation(op)?;
    move_contents::inline_block(&edge.to, &own, None, &edge.values, &mut &**rewriter)
}

/// The arguments of a block that are always the same value are that.
fn forward_uniform_arguments(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    match Branch::from_operation(op) {
        Some(Branch { edges, .. }) if !is_entry(&edges[0].to) => {
            regions::replace_uniform_arguments(&edges[0].to, rewriter)
        }
        _ => Ok(()),
    }
}

/// Whether nothing but branches follows, for ever.
fn goes_round(block: &Ref<Block>) -> bool {
    let next = |it: &Ref<Block>| match &it.list(|it| &it.operations).to_vec()[..] {
        [only] if **only.name() == *BR => only.weak_successors().first().and_then(Weak::upgrade),
        _ => None,
    };
    // The slower one is met again.
    let mut slow = block.clone();
    let mut way = std::iter::successors(next(block), next);
    while let Some(fast) = way.next() {
        if fast.is(&slow) {
            return true;
        }
        let Some(fast) = way.next() else { return false };
        let Some(behind) = next(&slow) else { return false };
        slow = behind;
        if fast.is(&slow) {
            return true;
        }
    }
    false
}

/// Where a way goes on at once: its block has nothing but a branch, and its arguments are for that
/// alone.
fn follow_edge(edge: &Edge) -> Option<Edge> {
    let [only] = &edge.to.list(|it| &it.operations).to_vec()[..] else {
        return None;
    };
    let arguments = block_arguments(&edge.to);
    let foreign = |it: &Ref<Value>| uses_of(it).iter().any(|(user, _)| !user.is(only));
    if **only.name() != *BR || is_entry(&edge.to) || arguments.iter().any(foreign) {
        return None;
    }
    let next = Branch::from_operation(only)?
        .edges
        .pop()
        .filter(|it| !goes_round(&it.to))?;
    let value = |it: Ref<Value>| match arguments.iter().position(|argument| argument.is(&it)) {
        Some(place) => edge.values[place].clone(),
        None => it,
    };
    let values = next.values.into_iter().map(value).collect();
    Some(Edge { to: next.to, values })
}

/// Ways that lead to a branch alone lead on at once.
fn skip_empty_blocks(op: &Ref<Operation>, rewriter: &Ref<PatternRewriter>) -> Result<()> {
    let Some(mut branch) = Branch::from_operation(op) else {
        return Ok(());
    };
    let mut shorter = false;
    for edge in &mut branch.edges {
        if let Some(next) = follow_edge(edge) {
            *edge = next;
            shorter = true;
        }
    }
    match shorter {
        true => branch.replace_terminator(op, rewriter),
        false => Ok(()),
    }
}
