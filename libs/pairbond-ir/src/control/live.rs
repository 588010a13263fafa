//! Which arguments of blocks, and which operations, are needed: by what has effects, and by whom
//! else that is needed. A value that only goes round in a loop is not.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::branch::{Branch, arguments};
use crate::fast::{FastMap, FastSet, address};
use crate::fold::is_pure;
use crate::ir::{Block, Operation, Value, edits, operands};

/// What a region needs.
#[derive(Default)]
pub(super) struct Live {
    /// Addresses of values and operations.
    known: FastSet<usize>,
    /// By the address of an argument the values that it may have.
    given: FastMap<usize, Vec<Ref<Value>>>,
    waiting: Vec<Ref<Value>>,
}

impl Live {
    /// What the blocks of a region need, the first of which is its entry.
    pub(super) fn of(blocks: &[Ref<Block>]) -> Live {
        let mut live = Live::default();
        if let Some(entry) = blocks.first() {
            live.waiting.extend(arguments(entry));
        }
        for block in blocks {
            for op in block.list(|it| &it.operations).to_vec() {
                live.look_at(&op);
            }
        }
        while let Some(value) = live.waiting.pop() {
            if live.known.insert(address(&value)) {
                let given = live.given.remove(&address(&value));
                live.waiting.extend(given.into_iter().flatten());
                if let Some(op) = Value::defining(&value) {
                    live.need(&op);
                }
            }
        }
        live
    }

    fn look_at(&mut self, op: &Ref<Operation>) {
        if let Some(branch) = Branch::of(op) {
            self.known.insert(address(op));
            self.waiting.extend(branch.flag);
            for edge in branch.edges {
                for (argument, value) in arguments(&edge.to).iter().zip(edge.values) {
                    self.given.entry(address(argument)).or_default().push(value);
                }
            }
            return;
        }
        // A terminator that is not known may need every value.
        let targets = op.successors();
        for to in targets.iter().filter_map(Weak::upgrade) {
            self.waiting.extend(arguments(&to));
        }
        let ends = !targets.is_empty() || op.next_sibling().is_none();
        if ends || !is_pure(op) {
            self.need(op);
        }
    }

    fn need(&mut self, op: &Ref<Operation>) {
        if self.known.insert(address(op)) {
            for inner in edits::inside(op) {
                self.waiting.extend(operands(&inner).into_iter().flatten());
            }
        }
    }

    pub(super) fn has(&self, it: &Ref<Value>) -> bool {
        self.known.contains(&address(it))
    }

    pub(super) fn has_operation(&self, it: &Ref<Operation>) -> bool {
        self.known.contains(&address(it))
    }
}
