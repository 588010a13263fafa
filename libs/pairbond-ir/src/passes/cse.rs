//! Common-subexpression elimination: of operations that compute the same, one is enough, where it
//! is seen.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Pass;
use crate::fast::{FastMap, address};
use crate::fold::{Effects, is_dead, is_pure, is_transparent};
use crate::ir::{Block, Flow, Operation, Region, Value, edits, operands};
use crate::op_definition::{self, Traits};
use crate::print::deep;
use crate::room::{Gather, Room, filled};

pub(super) struct Cse;

impl Pass for Cse {
    fn name(&self) -> &'static str {
        "cse"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let pass = Run {
            root: op,
            effects: Effects::default(),
        };
        pass.regions(op, &mut Known::default())
    }
}

struct Run<'a> {
    root: &'a Ref<Operation>,
    effects: Effects,
}

/// All that an operation computes from: its name, and addresses of everything else, which those
/// that are known keep.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Key {
    name: Str,
    operands: Vec<usize>,
    types: Vec<usize>,
    attributes: (usize, usize),
}

/// What has been computed before on every way to where we are.
#[derive(Default)]
struct Known {
    all: FastMap<Key, Ref<Operation>>,
    /// In order, so that a block can take back its own.
    order: Vec<Key>,
}

impl Known {
    fn forget_from(&mut self, mark: usize) {
        for key in self.order.drain(mark..) {
            self.all.remove(&key);
        }
    }
}

/// What an operation computes from; `None` if it does more than that, or nothing.
fn key(op: &Ref<Operation>) -> Option<Key> {
    let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().gather();
    if results.is_empty() || !op.list(|it| &it.regions).is_empty() || !is_pure(op) {
        return None;
    }
    let operands: Option<Vec<Ref<Value>>> = operands(op).into_iter().collect();
    let mut operands: Vec<usize> = operands?.iter().map(address).gather();
    if op_definition::traits(op.name()).has(Traits::COMMUTATIVE) {
        operands.sort_unstable();
    }
    Some(Key {
        name: op.name().clone(),
        operands,
        types: results.iter().map(|it| address(&it.r#type())).gather(),
        attributes: (
            op.attributes().map_or(0, |it| address(&it)),
            op.properties().map_or(0, |it| address(&it)),
        ),
    })
}

impl Run<'_> {
    fn regions(&self, op: &Ref<Operation>, known: &mut Known) -> Result<()> {
        let all: Vec<Ref<Region>> = op.list(|it| &it.regions).iter().gather();
        for region in all {
            let mark = known.order.len();
            let flow = Flow::of(&region);
            // By the place of a block, how much is known at its end.
            let mut ends = filled(mark, flow.order.len());
            for place in flow.tree() {
                if place > 0 {
                    known.forget_from(ends[flow.dominators[place]]);
                }
                self.block(&flow.order[place], known)?;
                ends[place] = known.order.len();
            }
            for it in region
                .list(|it| &it.blocks)
                .iter()
                .filter(|it| !flow.reaches(address(it)))
            {
                known.forget_from(mark);
                self.block(&it, known)?;
            }
            known.forget_from(mark);
        }
        Ok(())
    }

    fn block(&self, block: &Ref<Block>, known: &mut Known) -> Result<()> {
        let all: Vec<Ref<Operation>> = block.list(|it| &it.operations).iter().gather();
        for op in all {
            if is_dead(&op, self.root, &self.effects) {
                edits::erase_all(&op)?;
                continue;
            }
            if !op.list(|it| &it.regions).is_empty() {
                deep(|| match is_transparent(&op) {
                    true => self.regions(&op, known),
                    false => self.regions(&op, &mut Known::default()),
                })?;
                continue;
            }
            let Some(key) = key(&op) else { continue };
            match known.all.get(&key) {
                Some(same) => {
                    let new = same.list(|it| &it.results).iter();
                    for (old, new) in op.list(|it| &it.results).iter().zip(new) {
                        edits::replace_uses(&old, &new)?;
                    }
                    edits::erase_all(&op)?;
                }
                None => {
                    known.order.room().push(key.clone());
                    known.all.room().insert(key, op);
                }
            }
        }
        Ok(())
    }
}
