//! `verify()`: whether an operation and all in it keep the rules of the IR, as MLIR's verifier sees
//! them.
//!
//! # Checks, in this order; the first error ends verification
//! 1. Each operation, from the outside in: operands and successors are there, successors belong to
//!    the last operation of a block and lead to blocks of its region, blocks have the terminators
//!    they need, and no entry block is branched to ([`structure`]).
//! 2. The operations that are known by name: `builtin.module`, `func`, branches of `cf`
//!    ([`branches`]), arithmetic ([`dialects`]), `scf` ([`control`]).
//! 3. Those that programs declared ([`declared`]), their verifiers included.
//! 4. Who calls a function calls one ([`calls`]).
//! 5. One operation after the other: isolated ones use nothing from outside, and definitions
//!    dominate their uses ([`dominance`]).
//!
//! # Operations of unknown dialects
//! They may be anything, as in MLIR: a terminator, a graph. So a block may end with any of them,
//! and a region of a single block below one needs neither a terminator nor an order of definitions
//! and uses. A region of several blocks always has both.
//!
//! Nothing here recurses. Nothing is locked either: who verifies what another thread edits gets a
//! verdict of some moment for each step.

mod branches;
mod calls;
mod complaint;
mod control;
mod declared;
mod dialects;
mod dominance;
mod structure;
mod type_queries;

use std::sync::Arc;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use crate::by_name::ByName;
use crate::diagnostics::with_captured_diagnostics;
use crate::ir::{Block, Operation, Region, operations_in};
use crate::op_definition::{self, Declared};
use crate::room::Gather;

/// Whether an operation and all in it are right.
///
/// # Errors
/// `IRError`: the first thing that is wrong.
pub(crate) fn verify_operation(op: &Ref<Operation>) -> Result<()> {
    op.check()?;
    let all = operations_in(op);
    let mut rules = ByName::new(|name| Named {
        rules: dialects::Rules::from_name(name),
        declared: op_definition::find_definition(name),
    });
    check_each(&all, structure::check_structure)?;
    check_each(&all, |op| {
        let rules = &rules.get_or_find(op.name()).rules;
        rules.as_ref().map_or(Ok(()), |it| it.check_operation(op))
    })?;
    check_each(&all, |op| {
        let declared = rules.get_or_find(op.name()).declared.clone();
        declared.map_or(Ok(()), |it| it.check_operation(op))
    })?;
    calls::check_calls(&all)?;
    dominance::check_dominance(op)
}

#[pairbond::methods(block = 3)]
impl Operation {
    /// Whether it and everything in it is valid: True, or an `IRError` about the first
    /// violation.
    #[name("verify")]
    #[detach]
    fn verify_all(this: Borrow<'_, Self>) -> Result<bool> {
        let this = this.to_ref();
        let found = this.read(|| verify_operation(&this))?;
        with_captured_diagnostics(this.context(), "Verification failed", found)?;
        Ok(true)
    }
}

/// The checks that hold for operations of one name.
struct Named {
    rules: Option<dialects::Rules>,
    declared: Option<Arc<Declared>>,
}

/// Checks one after the other; signals may end it.
fn check_each<'a>(
    all: &'a [Ref<Operation>],
    mut check: impl FnMut(&'a Ref<Operation>) -> Result<()>,
) -> Result<()> {
    all.chunks(128).try_for_each(|some| {
        pairbond::check_signals()?;
        some.iter().try_for_each(&mut check)
    })
}

fn operation_regions(op: &Ref<Operation>) -> Vec<Ref<Region>> {
    op.list(|it| &it.regions).iter().gather()
}

fn region_blocks(region: &Ref<Region>) -> Vec<Ref<Block>> {
    region.list(|it| &it.blocks).iter().gather()
}
