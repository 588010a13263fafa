//! Structural equality: the same operations in the same order with the same types, attributes and
//! connections, whatever their names. Locations do not count. Values used from outside must be
//! identical.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::walk::operations_in;
use super::{Block, Operation, Region, Value, uses};
use crate::fast::object_address;
use crate::room::{Gather, Grow, Room};

/// The nested operations and values, numbered in an order that depends on the structure alone.
struct Numbered {
    operations: Vec<Ref<Operation>>,
    numbers: HashMap<usize, usize>,
    /// What cannot be seen from the operations: where regions and blocks begin, and the types of
    /// arguments and results.
    shape: Vec<usize>,
}

fn number_values(op: &Ref<Operation>) -> Numbered {
    let operations = operations_in(op);
    let (mut numbers, mut shape) = (HashMap::new(), Vec::new());
    let mut note = |it: usize| {
        let next = numbers.len();
        numbers.room().insert(it, next);
    };
    for op in &operations {
        let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().gather();
        let regions: Vec<Ref<Region>> = op.list(|it| &it.regions).iter().gather();
        shape.grow([results.len(), regions.len()]);
        for it in &results {
            note(object_address(it));
            shape.room().push(object_address(&it.r#type()));
        }
        for region in &regions {
            let blocks: Vec<Ref<Block>> = region.list(|it| &it.blocks).iter().gather();
            shape.room().push(blocks.len());
            for block in &blocks {
                let arguments: Vec<Ref<Value>> = block.list(|it| &it.arguments).iter().gather();
                note(object_address(block));
                shape.grow([arguments.len(), block.list(|it| &it.operations).len()]);
                for it in &arguments {
                    note(object_address(it));
                    shape.room().push(object_address(&it.r#type()));
                }
            }
        }
    }
    Numbered {
        operations,
        numbers,
        shape,
    }
}

/// An operand or successor: inside, outside, or gone.
#[derive(PartialEq, Eq, Hash)]
enum End {
    Inside(usize),
    Outside(usize),
    Gone,
}

impl Numbered {
    fn numbered_end<T: Object>(&self, of: Option<&Ref<T>>) -> End {
        let Some(of) = of.map(object_address) else {
            return End::Gone;
        };
        self.numbers
            .get(&of)
            .map_or(End::Outside(of), |number| End::Inside(*number))
    }

    /// All that tells an operation from another, its results and regions apart.
    fn compared_parts(&self, op: &Ref<Operation>) -> (Str, Vec<End>, Vec<End>, usize, usize) {
        let operands = uses::all_operands(op);
        let successors: Vec<Option<Ref<Block>>> = op.weak_successors().iter().map(Weak::upgrade).gather();
        (
            op.name().clone(),
            operands.iter().map(|it| self.numbered_end(it.as_ref())).collect(),
            successors
                .iter()
                .map(|it| self.numbered_end(it.as_ref()))
                .collect(),
            op.attributes().map_or(0, |it| object_address(&it)),
            op.properties().map_or(0, |it| object_address(&it)),
        )
    }
}

/// Whether two operations are the same but for their names and places.
pub(super) fn structurally_equal(a: &Ref<Operation>, b: &Ref<Operation>) -> bool {
    let (a, b) = (number_values(a), number_values(b));
    a.shape == b.shape
        && a.operations.len() == b.operations.len()
        && a.operations
            .iter()
            .zip(&b.operations)
            .all(|(x, y)| a.compared_parts(x) == b.compared_parts(y))
}

/// Equal for equal operations, as long as these are not edited.
pub(super) fn structural_hash(op: &Ref<Operation>) -> u64 {
    let all = number_values(op);
    let mut hasher = DefaultHasher::new();
    all.shape.hash(&mut hasher);
    for op in &all.operations {
        let (name, operands, successors, attributes, properties) = all.compared_parts(op);
        (&*name, operands, successors, attributes, properties).hash(&mut hasher);
    }
    hasher.finish()
}
