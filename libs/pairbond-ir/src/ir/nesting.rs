//! [`each_inside`]: a walk that knows the regions around each operation, at any depth.

use std::vec;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::walk::operations_of;
use super::{Block, Operation, Region};
use crate::fast::{FastMap, object_address};
use crate::room::{Gather, Room};

/// How many operations are visited between two looks for signals.
const AT_ONCE: usize = 128;

/// Where a walk is in one region.
pub(crate) struct Level<T> {
    pub(crate) region: Ref<Region>,
    /// How many blocks the region has.
    pub(crate) blocks: usize,
    pub(crate) block: Ref<Block>,
    /// The operation that the walk is at, or in.
    pub(crate) op: Ref<Operation>,
    /// The visitor's data for the region.
    pub(crate) own: T,
}

/// The regions around the operation that a walk is at.
pub(crate) struct Path<T> {
    /// The outermost first.
    pub(crate) levels: Vec<Level<T>>,
    /// By the address of a region, its level.
    places: FastMap<usize, usize>,
}

impl<T: Default> Path<T> {
    /// The level of the region with an address, if the walk is in it.
    pub(crate) fn level_of(&self, region: usize) -> Option<usize> {
        self.places.get(&region).copied()
    }

    /// The walk is at another operation of the innermost region, or at the first one of a new one.
    fn stand_at(&mut self, left: &mut Left, op: &Ref<Operation>) {
        let (Some(region), Some(block)) = (&left.region, &left.block) else {
            return;
        };
        if std::mem::replace(&mut left.has_level, true) {
            if let Some(level) = self.levels.last_mut() {
                level.block.clone_from(block);
                level.op.clone_from(op);
            }
            return;
        }
        self.places
            .room()
            .insert(object_address(region), self.levels.len());
        self.levels.room().push(Level {
            region: region.clone(),
            blocks: left.count,
            block: block.clone(),
            op: op.clone(),
            own: T::default(),
        });
    }

    fn leave_levels(&mut self, left: &mut Left) {
        if std::mem::take(&mut left.has_level)
            && let Some(level) = self.levels.pop()
        {
            self.places.remove(&object_address(&level.region));
        }
    }
}

/// The rest of the regions of an operation.
struct Left {
    regions: vec::IntoIter<Ref<Region>>,
    region: Option<Ref<Region>>,
    /// How many blocks that one has, and which are left.
    count: usize,
    blocks: vec::IntoIter<Ref<Block>>,
    block: Option<Ref<Block>>,
    operations: vec::IntoIter<(Ref<Operation>, bool)>,
    /// Whether the path has a level for the region.
    has_level: bool,
}

impl Left {
    fn starting_at(op: &Ref<Operation>) -> Left {
        let regions: Vec<Ref<Region>> = op.list(|it| &it.regions).iter().gather();
        Left {
            regions: regions.into_iter(),
            region: None,
            count: 0,
            blocks: Vec::new().into_iter(),
            block: None,
            operations: Vec::new().into_iter(),
            has_level: false,
        }
    }

    /// The next operation, with whether it has regions.
    fn next_operation<T: Default>(&mut self, path: &mut Path<T>) -> Option<(Ref<Operation>, bool)> {
        loop {
            if let Some(next) = self.operations.next() {
                path.stand_at(self, &next.0);
                return Some(next);
            }
            self.block = self.blocks.next();
            if let Some(block) = &self.block {
                self.operations = operations_of(block).into_iter();
                continue;
            }
            path.leave_levels(self);
            let region = self.regions.next()?;
            let blocks: Vec<Ref<Block>> = region.list(|it| &it.blocks).iter().gather();
            (self.count, self.blocks) = (blocks.len(), blocks.into_iter());
            self.region = Some(region);
        }
    }
}

/// Calls `visit` for each operation in one, outer ones and earlier ones first. Nothing is to be
/// edited meanwhile; signals may end it.
///
/// # Errors
/// What `visit` returns, or what the handler of a signal raised.
pub(crate) fn each_inside<T: Default>(
    root: &Ref<Operation>,
    mut visit: impl FnMut(&Ref<Operation>, &mut Path<T>) -> Result<()>,
) -> Result<()> {
    let mut path = Path {
        levels: Vec::new(),
        places: FastMap::default(),
    };
    let mut waiting = vec![Left::starting_at(root)];
    let mut count = 0_usize;
    while let Some(left) = waiting.last_mut() {
        let Some((op, has_regions)) = left.next_operation(&mut path) else {
            waiting.pop();
            continue;
        };
        if count.is_multiple_of(AT_ONCE) {
            pairbond::check_signals()?;
        }
        count = count.wrapping_add(1);
        visit(&op, &mut path)?;
        if has_regions {
            waiting.room().push(Left::starting_at(&op));
        }
    }
    Ok(())
}
