//! What values and blocks are called: numbers, as MLIR gives them. All values of a region are numbered before those of the regions in it, and of
//! these the last region is first.

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::tree::{Found, Still, TreeNode, look};

use super::Writer;
use crate::fast::{FastMap, address};
use crate::ir::read::some;
use crate::ir::{Block, Operation, Region};
use crate::types::Type;

/// What a value is called.
#[derive(Clone, Copy)]
enum Name {
    /// `%arg0`
    Argument(u32),
    /// `%0`
    Only(u32),
    /// `%0#1`
    Of(u32, u32),
}

/// The names and types of the values of one tree, by their addresses. It holds no value: what is edited meanwhile may get wrong names.
#[derive(Default)]
pub(super) struct Names {
    values: FastMap<usize, (Name, Ref<Type>)>,
    blocks: FastMap<usize, usize>,
    /// From where a block is reached, by the numbers of blocks of its region.
    predecessors: FastMap<usize, Vec<usize>>,
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
        let (mut next, mut next_argument) = (0_u32, 0_u32);
        match root.downcast::<Operation>() {
            Ok(op) => {
                look(|still| names.results(still, still.found(&op), &mut next));
                waiting.extend(op.list(|it| &it.regions).to_vec());
            }
            Err(other) => match other.downcast::<Region>() {
                Ok(region) => waiting.push(region),
                Err(other) => {
                    if let Ok(block) = other.downcast::<Block>() {
                        waiting.extend(names.block(&block, 0, &mut next, &mut next_argument));
                    }
                }
            },
        }
        while let Some(region) = waiting.pop() {
            let blocks = region.list(|it| &it.blocks).to_vec();
            let mut inner = Vec::new();
            for (number, block) in blocks.iter().enumerate() {
                inner.extend(names.block(block, number, &mut next, &mut next_argument));
            }
            waiting.extend(inner);
        }
        names
    }

    /// Names what is in a block; the regions of its operations.
    fn block(
        &mut self,
        block: &Ref<Block>,
        number: usize,
        next: &mut u32,
        next_argument: &mut u32,
    ) -> Vec<Ref<Region>> {
        let mut inner = Vec::new();
        self.blocks.insert(address(block), number);
        for argument in block.list(|it| &it.arguments).to_vec() {
            let (name, count) = match number {
                0 => (Name::Argument(*next_argument), &mut *next_argument),
                _ => (Name::Only(*next), &mut *next),
            };
            *count += 1;
            self.values.insert(address(&argument), (name, argument.r#type()));
        }
        let (mut from, mut targets) = (block.list(|it| &it.operations).first(), Vec::new());
        while let Some(first) = from {
            from = some(&first, |still, found| {
                self.results(still, found, next);
                let op = found.get();
                let regions = still.children(&op.regions);
                inner.extend(regions.filter_map(|it| still.handle(it, &first)));
                targets.extend(op.successors_in(still));
            });
            for target in targets.drain(..) {
                if let Some(target) = target.upgrade() {
                    let known = self.predecessors.entry(address(&target));
                    known.or_default().push(number);
                }
            }
        }
        inner
    }

    fn results(&mut self, still: &Still, op: Found<'_, Operation>, next: &mut u32) {
        let results = || still.children(&op.get().results);
        let count = results().take(2).count();
        for (place, result) in (0..).zip(results()) {
            let name = match count {
                1 => Name::Only(*next),
                _ => Name::Of(*next, place),
            };
            self.values
                .insert(result.addr(), (name, result.get().with_type(still, Ref::clone)));
        }
        *next += u32::from(count > 0);
    }

    /// The type of the value at an address, if it has a name here.
    pub(super) fn type_at(&self, address: usize) -> Option<&Ref<Type>> {
        self.values.get(&address).map(|(_, r#type)| r#type)
    }

    /// Writes the name of the value at an address.
    pub(super) fn write(&self, address: usize, out: &mut Writer) {
        match self.values.get(&address) {
            None => out.push("<<UNKNOWN SSA VALUE>>"),
            Some((Name::Argument(number), _)) => {
                out.push("%arg");
                out.number(*number);
            }
            Some((Name::Only(number), _)) => {
                out.push("%");
                out.number(*number);
            }
            Some((Name::Of(number, place), _)) => {
                out.push("%");
                out.number(*number);
                out.push("#");
                out.number(*place);
            }
        }
    }

    /// Writes what the results of an operation are called together, by its first one.
    pub(super) fn write_all(&self, first: usize, out: &mut Writer) {
        match self.values.get(&first) {
            Some((Name::Of(number, _), _)) => {
                out.push("%");
                out.number(*number);
            }
            _ => self.write(first, out),
        }
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
