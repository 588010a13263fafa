//! What values and blocks are called: numbers, as MLIR gives them. All values of a region are numbered before those of the regions in it, and of
//! these the last region is first.

use std::collections::HashMap;

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use crate::ir::{Block, Operation, Region, Value};

/// The names of one tree, by the addresses of nodes that it keeps.
#[derive(Default)]
pub(super) struct Names {
    values: HashMap<usize, String>,
    blocks: HashMap<usize, usize>,
    /// From where a block is reached, by the numbers of blocks of its region.
    predecessors: HashMap<usize, Vec<usize>>,
}

pub(super) fn address<T: Object>(of: &Ref<T>) -> usize {
    std::ptr::from_ref(of.header()).addr()
}

impl Names {
    /// Of the tree that a node belongs to.
    pub(super) fn around<T: Object + Send + Sync>(node: &Ref<T>) -> Names
    where
        Ref<T>: TreeNode,
    {
        let mut names = Names::default();
        let root = node.root();
        let mut waiting: Vec<Ref<Region>> = Vec::new();
        let (mut next, mut next_argument) = (0, 0);
        match root.downcast::<Operation>() {
            Ok(op) => {
                names.results(&op, &mut next);
                waiting.extend(op.list(|it| &it.regions).iter());
            }
            Err(other) => match other.downcast::<Region>() {
                Ok(region) => waiting.push(region),
                Err(other) => {
                    if let Ok(block) = other.downcast::<Block>() {
                        names.block(&block, 0, &mut next, &mut next_argument);
                        waiting.extend(inner(&block));
                    }
                }
            },
        }
        while let Some(region) = waiting.pop() {
            let blocks: Vec<Ref<Block>> = region.list(|it| &it.blocks).iter().collect();
            for (number, block) in blocks.iter().enumerate() {
                names.block(block, number, &mut next, &mut next_argument);
            }
            waiting.extend(blocks.iter().flat_map(inner));
        }
        names
    }

    fn block(&mut self, block: &Ref<Block>, number: usize, next: &mut usize, next_argument: &mut usize) {
        self.blocks.insert(address(block), number);
        for argument in block.list(|it| &it.arguments).iter() {
            let name = match number {
                0 => format!("%arg{next_argument}"),
                _ => format!("%{next}"),
            };
            *(if number == 0 {
                &mut *next_argument
            } else {
                &mut *next
            }) += 1;
            self.values.insert(address(&argument), name);
        }
        for op in block.list(|it| &it.operations).iter() {
            self.results(&op, next);
            for successor in op.successors.get() {
                if let Some(target) = successor.upgrade() {
                    self.predecessors
                        .entry(address(&target))
                        .or_default()
                        .push(number);
                }
            }
        }
    }

    fn results(&mut self, op: &Ref<Operation>, next: &mut usize) {
        let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().collect();
        for (place, result) in results.iter().enumerate() {
            let name = match results.len() {
                1 => format!("%{next}"),
                _ => format!("%{next}#{place}"),
            };
            self.values.insert(address(result), name);
        }
        *next += usize::from(!results.is_empty());
    }

    pub(super) fn value(&self, value: &Ref<Value>) -> &str {
        self.values
            .get(&address(value))
            .map_or("<<UNKNOWN SSA VALUE>>", String::as_str)
    }

    pub(super) fn block_name(&self, block: &Ref<Block>) -> String {
        match self.blocks.get(&address(block)) {
            Some(number) => format!("^bb{number}"),
            None => "^<<INVALID BLOCK>>".to_owned(),
        }
    }

    pub(super) fn predecessors(&self, block: &Ref<Block>) -> &[usize] {
        self.predecessors.get(&address(block)).map_or(&[], Vec::as_slice)
    }
}

fn inner(block: &Ref<Block>) -> Vec<Ref<Region>> {
    let operations = block.list(|it| &it.operations).iter();
    operations
        .flat_map(|op| op.list(|it| &it.regions).iter().collect::<Vec<_>>())
        .collect()
}
