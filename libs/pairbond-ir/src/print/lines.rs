//! The printed parts of operations, read some at a time without handles to them.

use std::ops::Range;

use pairbond::prelude::*;
use pairbond::tree::{Found, TreeGuard};

use super::state::AsmState;
use crate::context::types::Type;
use crate::ir::{About, Operation, Spot};
use crate::room::Room;

/// Operations one behind the other.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) all: Vec<Line>,
    /// The addresses of values.
    operands: Vec<usize>,
    results: Vec<(usize, Ref<Type>)>,
}

/// One of them.
pub(super) struct Line {
    pub(super) name: Str,
    pub(super) about: About,
    pub(super) spot: Spot,
    operands: Range<usize>,
    results: Range<usize>,
    /// Itself, if it has regions or successors, or uses what has no name here.
    pub(super) op: Option<Ref<Operation>>,
}

impl Lines {
    /// Adds an operation of the tree of another.
    pub(super) fn add_operation(
        &mut self,
        guard: &TreeGuard,
        found: Found<'_, Operation>,
        by: &Ref<Operation>,
        state: &AsmState,
    ) {
        let op = found.get();
        let (operands, results) = (self.operands.len(), self.results.len());
        op.operand_addresses(guard, &mut self.operands);
        for it in guard.children(&op.results) {
            self.results
                .room()
                .push((it.addr(), it.get().with_type(guard, Ref::clone)));
        }
        let alone = self.operands[operands..]
            .iter()
            .all(|it| state.type_at(*it).is_some())
            && guard.children(&op.regions).next().is_none()
            && !op.has_successors(guard);
        self.all.room().push(Line {
            name: op.name().clone(),
            about: op.about.with_in(guard, About::clone),
            spot: op.about.small_in(guard),
            operands: operands..self.operands.len(),
            results: results..self.results.len(),
            op: (!alone).then(|| guard.handle(found, by)).flatten(),
        });
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.operands.clear();
        self.results.clear();
    }

    /// The addresses of what an operation uses.
    pub(super) fn operands_of(&self, of: &Line) -> &[usize] {
        &self.operands[of.operands.clone()]
    }

    /// The addresses and types of its results.
    pub(super) fn results_of(&self, of: &Line) -> &[(usize, Ref<Type>)] {
        &self.results[of.results.clone()]
    }
}
