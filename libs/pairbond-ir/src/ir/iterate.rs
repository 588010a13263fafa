//! Iterators over lists that may be edited meanwhile. They go on from where the current one stands then, so what is put behind it is seen; if it is gone from
//! the list, with the one that was next when it became the current one; if that is gone, too, they end. Before the first step they stand before all.

use pairbond::prelude::*;
use pairbond::tree::{Children, TreeNode};
use pairbond::{New, Object};

use super::{Block, Operation, Region};

/// The current one, and the one that was next when it became that.
type At<T> = (Option<Ref<T>>, Option<Ref<T>>);
/// Nothing before the first step; `Some(None)` while a thread takes one, which runs no foreign code.
type Place<T> = Cell<Option<Option<At<T>>>>;

/// Where the iterator stands. Another thread that is taking a step is waited for.
fn take<T: Object + Send + Sync>(place: &Place<T>) -> Option<At<T>> {
    loop {
        match place.replace(Some(None)) {
            Some(None) => std::thread::yield_now(),
            Some(at) => return at,
            None => return None,
        }
    }
}

fn advance<P: Object + Send + Sync, T: Object + Send + Sync>(
    parent: &Ref<P>,
    place: &Place<T>,
    list: impl Fn(&P) -> &Children<T>,
) -> Result<Option<Ref<T>>> {
    let list = parent.list(list);
    let at = take(place);
    let step = match &at {
        Some((now, next)) => list.step(now.as_ref(), next.as_ref()),
        None => loop {
            let first = list.first();
            let step = list.step(None, first.as_ref());
            // Another thread may take the first one away between the two.
            if step.is_some() || first.is_none() {
                break step;
            }
        },
    };
    let (found, after) = step.map_or((None, None), |(found, after)| (Some(found), after));
    if let Err(erased) = parent.check() {
        place.set(at.map(Some));
        return Err(erased);
    }
    place.set(Some(Some((found.clone(), after))));
    // What was there before is dropped when others may take a step again.
    drop(at);
    Ok(found)
}

/// Over the operations of a block.
#[pairbond::object("pairbond_ir.OperationIterator", opaque)]
pub struct OperationIterator {
    block: Ref<Block>,
    place: Place<Operation>,
}

impl OperationIterator {
    pub(super) fn of(block: Ref<Block>) -> New<Self> {
        let place = Cell::new(None);
        New(OperationIterator { block, place })
    }
}

#[pairbond::methods]
impl OperationIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<Ref<Operation>>> {
        advance(&self.block, &self.place, |it| &it.operations)
    }
}

/// Over the blocks of a region.
#[pairbond::object("pairbond_ir.BlockIterator", opaque)]
pub struct BlockIterator {
    region: Ref<Region>,
    place: Place<Block>,
}

impl BlockIterator {
    pub(super) fn of(region: Ref<Region>) -> New<Self> {
        let place = Cell::new(None);
        New(BlockIterator { region, place })
    }
}

#[pairbond::methods]
impl BlockIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<Ref<Block>>> {
        advance(&self.region, &self.place, |it| &it.blocks)
    }
}
