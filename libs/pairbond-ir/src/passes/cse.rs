//! Common-subexpression elimination: of operations that compute the same, one is enough, where it
//! is seen.

use std::collections::hash_map::Entry;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Pass;
use crate::by_name::ByName;
use crate::fast::{FastMap, object_address};
use crate::fold::{Effects, Kind, is_transparent};
use crate::ir::{Block, Flow, Operation, Region, Seen, Sight, edits};
use crate::recursion::with_stack;
use crate::room::{Gather, Room, filled_vec};

pub(super) struct Cse;

impl Pass for Cse {
    fn name(&self) -> &'static str {
        "cse"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let mut pass = Run {
            root: op,
            effects: Effects::default(),
            kinds: ByName::new(Kind::from_name),
        };
        pass.visit_regions(op, &mut Known::default())
    }
}

struct Run<'a> {
    root: &'a Ref<Operation>,
    effects: Effects,
    kinds: ByName<Kind, fn(&str) -> Kind>,
}

/// All that an operation computes from: its name, and addresses of everything else, which those
/// that are known keep.
#[derive(PartialEq, Eq, Hash, Clone)]
struct Key {
    name: Str,
    sight: Sight,
}

/// The values that are available: computed on every way to the current block.
#[derive(Default)]
struct Known {
    all: FastMap<Key, Ref<Operation>>,
    /// In order, so that a block can take back its own.
    order: Vec<Key>,
}

impl Known {
    fn forget_from(&mut self, mark: usize) {
        if mark == 0 {
            self.all.clear();
        }
        for key in self.order.drain(mark..) {
            self.all.remove(&key);
        }
    }
}

impl Run<'_> {
    fn visit_regions(&mut self, op: &Ref<Operation>, known: &mut Known) -> Result<()> {
        let all: Vec<Ref<Region>> = op.list(|it| &it.regions).iter().gather();
        for region in all {
            let mark = known.order.len();
            let flow = Flow::of_region(&region);
            // By the place of a block, how much is known at its end.
            let mut ends = filled_vec(mark, flow.order.len());
            for place in flow.dominator_tree() {
                if place > 0 {
                    known.forget_from(ends[flow.dominators[place]]);
                }
                self.visit_block(&flow.order[place], known)?;
                ends[place] = known.order.len();
            }
            for it in region
                .list(|it| &it.blocks)
                .iter()
                .filter(|it| !flow.is_reachable(object_address(it)))
            {
                known.forget_from(mark);
                self.visit_block(&it, known)?;
            }
            known.forget_from(mark);
        }
        Ok(())
    }

    fn visit_block(&mut self, block: &Ref<Block>, known: &mut Known) -> Result<()> {
        let all: Vec<Ref<Operation>> = block.list(|it| &it.operations).iter().gather();
        for op in all {
            let kind = *self.kinds.get_or_find(op.name());
            let seen = Seen::from_operation(&op);
            if !seen.is_used && kind.is_dead(&op, self.root, &self.effects) {
                edits::erase_all(&op)?;
                continue;
            }
            if seen.has_regions {
                with_stack(|| match is_transparent(&op) {
                    true => self.visit_regions(&op, known),
                    false => self.visit_regions(&op, &mut Known::default()),
                })?;
                continue;
            }
            let Some(sight) = seen.sight.filter(|_| kind.is_pure()) else {
                continue;
            };
            let (name, sight) = (op.name().clone(), sight.ordered_if(kind.is_commutative()));
            match known.all.room().entry(Key { name, sight }) {
                Entry::Occupied(same) => {
                    let new = same.get().list(|it| &it.results).iter();
                    for (old, new) in op.list(|it| &it.results).iter().zip(new) {
                        edits::replace_uses(&old, &new)?;
                    }
                    edits::erase_all(&op)?;
                }
                Entry::Vacant(place) => {
                    known.order.room().push(place.key().clone());
                    place.insert(op);
                }
            }
        }
        Ok(())
    }
}
