//! Verifying uses: operations that are isolated from above use no value that is defined outside of
//! them, and definitions dominate their uses.

use pairbond::prelude::*;
use pairbond::tree::{Found, TreeGuard, TreeNode, with_lock};

use super::complaint::{operation_error, operation_note};
use crate::fast::{FastMap, FastSet, object_address};
use crate::ir::edits::is_before;
use crate::ir::{
    Block, Flow, Level, Operation, Path, Region, Value, all_operands, each_inside, operand_count,
    peek_operands,
};
use crate::op_definition::known;
use crate::room::Room;

/// Where a value is defined: addresses, 0 for none.
#[derive(Clone, Copy)]
struct Definition {
    /// The operation that it is a result of.
    definer: usize,
    block: usize,
    region: usize,
}

impl Definition {
    fn from_value(guard: &TreeGuard, value: Found<'_, Value>) -> Definition {
        let definer = guard.parent::<_, Operation>(value);
        let block = match definer {
            Some(definer) => guard.parent::<_, Block>(definer),
            None => guard.parent::<_, Block>(value),
        };
        let region = block.and_then(|it| guard.parent::<_, Region>(it));
        Definition {
            definer: definer.map_or(0, Found::addr),
            block: block.map_or(0, Found::addr),
            region: region.map_or(0, Found::addr),
        }
    }
}

/// Facts about a region that the walk is in.
#[derive(Default)]
struct Scope {
    /// The innermost level that is directly in an isolated operation, if that was asked.
    border: Option<Option<usize>>,
    flow: Option<Flow>,
    /// The block that was asked about last, by its address, and whether it can be reached.
    reached: Option<(usize, bool)>,
    /// Whether definitions must come before uses in a block of it.
    is_ordered: Option<bool>,
}

/// All that the walk has found out so far.
#[derive(Default)]
struct Uses {
    /// The addresses of operations that the walk has come by.
    visited: FastSet<usize>,
    /// Of the operation that is looked at.
    definitions: Vec<Definition>,
    /// Of definitions outside of the root, by the address of the operation or the block: whether
    /// the root may use them.
    outside: FastMap<usize, bool>,
}

/// All operations in one.
///
/// # Errors
/// `IRError` about the first operation that uses a value which it may not use.
pub(super) fn check_dominance(root: &Ref<Operation>) -> Result<()> {
    let mut uses = Uses::default();
    each_inside(root, |op, path| uses.check_operands(root, op, path))
}

impl Uses {
    fn check_operands(
        &mut self,
        root: &Ref<Operation>,
        op: &Ref<Operation>,
        path: &mut Path<Scope>,
    ) -> Result<()> {
        self.read_definitions(op);
        if !self.definitions.is_empty() {
            let border = isolated_level(path, root, path.levels.len() - 1);
            if let Some(place) = self.crossing_operand(root, op, path, border) {
                let what = format!("uses as operand #{place} a value that is defined outside the region");
                let around = region_operation(path, root, border.unwrap_or_default());
                let why = operation_note("required by region isolation constraints of", &around);
                return Err(operation_error(op, &what).with_note(why));
            }
            if is_reached(path) {
                for place in 0..self.definitions.len() {
                    if !self.operand_dominates(root, op, path, place) {
                        return Err(not_dominated(op, place));
                    }
                }
            }
        }
        self.visited.room().insert(object_address(op));
        Ok(())
    }

    /// Reads where the operands of an operation are defined.
    fn read_definitions(&mut self, op: &Ref<Operation>) {
        self.definitions.clear();
        let count = operand_count(op);
        if count == 0 {
            return;
        }
        // Under the lock there must be room.
        pairbond::memory::or_unwind(self.definitions.try_reserve(count));
        with_lock(|guard| {
            peek_operands(guard, op, |_, value| {
                if let Some(value) = value
                    && self.definitions.len() < self.definitions.capacity()
                {
                    self.definitions.push(Definition::from_value(guard, value));
                }
            })
        });
    }

    /// The first operand that is defined outside of the border, a level.
    fn crossing_operand(
        &self,
        root: &Ref<Operation>,
        op: &Ref<Operation>,
        path: &Path<Scope>,
        border: Option<usize>,
    ) -> Option<usize> {
        let border = border?;
        self.definitions.iter().enumerate().find_map(|(place, it)| {
            let is_inside = match path.level_of(it.region) {
                Some(level) => level >= border,
                // Not around the walk: an error of dominance if it is inside.
                None => {
                    operand_at(op, place).is_some_and(|it| it.is_in(&region_operation(path, root, border)))
                }
            };
            (!is_inside).then_some(place)
        })
    }

    /// Whether the operation that the walk is at may use that operand.
    fn operand_dominates(
        &mut self,
        root: &Ref<Operation>,
        op: &Ref<Operation>,
        path: &mut Path<Scope>,
        place: usize,
    ) -> bool {
        let it = self.definitions[place];
        let Some(level) = path.level_of(it.region) else {
            let key = if it.definer == 0 { it.block } else { it.definer };
            let look = || operand_at(op, place).is_some_and(|it| reaches_into(root, &it));
            return *self.outside.room().entry(key).or_insert_with(look);
        };
        let at = &mut path.levels[level];
        let block = object_address(&at.block);
        if it.block != block {
            return level_flow(at).dominates(it.block, block);
        }
        // An argument of the block is there before all operations; of those, the walk has come by
        // the ones before this one, and by this one if it is in it.
        let is_before = it.definer != object_address(&at.op) && self.visited.contains(&it.definer);
        let (region, blocks) = (&at.region, at.blocks);
        let mut is_ordered = || {
            *at.own
                .is_ordered
                .get_or_insert_with(|| is_ordered(region, blocks))
        };
        it.definer == 0 || is_before || !is_ordered()
    }
}

/// The operand at a place among those that are there.
fn operand_at(op: &Ref<Operation>, place: usize) -> Option<Ref<Value>> {
    all_operands(op).into_iter().flatten().nth(place)
}

/// Whether operations in one may use a value from outside of it.
fn reaches_into(root: &Ref<Operation>, value: &Ref<Value>) -> bool {
    let definer = Value::defining_op(value);
    let block = match &definer {
        Some(definer) => Operation::block_of(definer),
        None => Value::block_of(value),
    };
    let region = block.as_ref().and_then(Block::region_of);
    let (Some(block), Some(region)) = (block, region) else {
        return false;
    };
    let is_there = |it: &Ref<Operation>| {
        let around = Operation::block_of(it).and_then(|it| Block::region_of(&it));
        around.is_some_and(|it| it.is(&region))
    };
    let user = std::iter::successors(Some(root.clone()), Operation::parent_operation).find(is_there);
    let Some((user, there)) = user.and_then(|it| Operation::block_of(&it).map(|block| (it, block))) else {
        return false;
    };
    match definer.filter(|_| there.is(&block)) {
        Some(definer) => {
            let blocks = region.list(|it| &it.blocks).len();
            !is_ordered(&region, blocks) || is_before(&definer, &user).unwrap_or(false)
        }
        None => Flow::of_region(&region).dominates(object_address(&block), object_address(&there)),
    }
}

/// The operation that has the region of a level.
fn region_operation(path: &Path<Scope>, root: &Ref<Operation>, level: usize) -> Ref<Operation> {
    let outer = level.checked_sub(1).map(|it| &path.levels[it].op);
    outer.unwrap_or(root).clone()
}

/// The innermost level, from one outwards, whose operation is isolated.
fn isolated_level(path: &mut Path<Scope>, root: &Ref<Operation>, from: usize) -> Option<usize> {
    let mut level = from;
    let found = loop {
        if let Some(border) = path.levels[level].own.border {
            break border;
        }
        if known::from_name(region_operation(path, root, level).name()).is_some_and(|it| it.is_isolated) {
            break Some(level);
        }
        match level.checked_sub(1) {
            Some(outer) => level = outer,
            None => break None,
        }
    };
    for at in &mut path.levels[level..=from] {
        at.own.border = Some(found);
    }
    found
}

/// The blocks of a level's region.
fn level_flow(at: &mut Level<Scope>) -> &Flow {
    at.own.flow.get_or_insert_with(|| Flow::of_region(&at.region))
}

/// Whether the operation that the walk is at can be reached from the entry of its region.
fn is_reached(path: &mut Path<Scope>) -> bool {
    let Some(at) = path.levels.last_mut().filter(|it| it.blocks > 1) else {
        return true;
    };
    let block = object_address(&at.block);
    if let Some((_, is_reached)) = at.own.reached.filter(|it| it.0 == block) {
        return is_reached;
    }
    let is_reached = level_flow(at).is_reachable(block);
    at.own.reached = Some((block, is_reached));
    is_reached
}

/// Whether definitions must come before uses in a block of a region with so many blocks.
fn is_ordered(region: &Ref<Region>, blocks: usize) -> bool {
    let owner = || -> Option<Ref<Operation>> { region.parent()?.downcast().ok() };
    blocks > 1
        || owner()
            .and_then(|it| known::from_name(it.name()))
            .is_some_and(|it| !it.is_graph)
}

#[cold]
fn not_dominated(op: &Ref<Operation>, place: usize) -> Error {
    let what = format!("uses operand #{place}, which does not dominate this use");
    let error = operation_error(op, &what);
    match operand_at(op, place).and_then(|it| Value::defining_op(&it)) {
        Some(definer) => error.with_note(operation_note("operand defined here", &definer)),
        None => error.with_note("operand defined as a block argument"),
    }
}
