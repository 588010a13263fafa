//! Which arguments of blocks, and which operations, are needed: by what has effects, and by whom
//! else that is needed. A value that only goes round in a loop is not.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::branch::{Branch, block_arguments};
use crate::fast::{FastMap, FastSet, object_address};
use crate::fold::is_pure;
use crate::ir::{Block, Operation, Value, all_operands, edits};

/// The operations and arguments that a region needs.
#[derive(Default)]
pub(super) struct Live {
    /// Addresses of values and operations.
    known: FastSet<usize>,
    /// By the address of an argument the values that it may have.
    given: FastMap<usize, Vec<Ref<Value>>>,
    waiting: Vec<Ref<Value>>,
}

impl Live {
    /// Returns the needs of a region's blocks, the first of which is its entry.
    pub(super) fn in_blocks(blocks: &[Ref<Block>]) -> Live {
        let mut live = Live::default();
        if let Some(entry) = blocks.first() {
            live.waiting.extend(block_arguments(entry));
        }
        for block in blocks {
            for op in block.list(|it| &it.operations).to_vec() {
                live.look_at(&op);
            }
        }
        while let Some(value) = live.waiting.pop() {
            if live.known.insert(object_address(&value)) {
                let given = live.given.remove(&object_address(&value));
                live.waiting.extend(given.into_iter().flatten());
                if let Some(op) = Value::defining_op(&value) {
                    live.mark_needed(&op);
                }
            }
        }
        live
    }

    fn look_at(&mut self, op: &Ref<Operation>) {
        if let Some(branch) = Branch::from_operation(op) {
            self.known.insert(object_address(op));
            self.waiting.extend(branch.flag);
            for edge in branch.edges {
                for (argument, value) in block_arguments(&edge.to).iter().zip(edge.values) {
                    self.given
                        .entry(object_address(argument))
                        .or_default()
                        .push(value);
                }
            }
            return;
        }
        // A terminator that is not known may need every value.
        let targets = op.weak_successors();
        for to in targets.iter().filter_map(Weak::upgrade) {
            self.waiting.extend(block_arguments(&to));
        }
        let ends = !targets.is_empty() || op.next_sibling().is_none();
        if ends || !is_pure(op) {
            self.mark_needed(op);
        }
    }

    fn mark_needed(&mut self, op: &Ref<Operation>) {
        if self.known.insert(object_address(op)) {
            for inner in edits::inside(op) {
                self.waiting.extend(all_operands(&inner).into_iter().flatten());
            }
        }
    }

    pub(super) fn is_live(&self, it: &Ref<Value>) -> bool {
        self.known.contains(&object_address(it))
    }

    pub(super) fn has_operation(&self, it: &Ref<Operation>) -> bool {
        self.known.contains(&object_address(it))
    }
}
