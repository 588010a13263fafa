//! The lists that Python sees. Each holds the node that it is a list of, and looks anew each time.

use pairbond::convert::{Few, Subscript};
use pairbond::prelude::*;
use pairbond::tree::{Children, TreeNode, with_lock};
use pairbond::{New, Object};

use super::{
    Block, BlockIterator, Operation, OperationIterator, Region, Value, block, contexts, place as places, uses,
};
use crate::context::attributes::Location;
use crate::context::types::Type;
use crate::slices::{Key, Part, Picked, resolve_index};

fn child_at<P: Object + Send + Sync, T: Object + Send + Sync>(
    parent: &Ref<P>,
    part: Part,
    index: i64,
    beyond: &str,
    list: impl Fn(&P) -> &Children<T>,
) -> Result<Ref<T>> {
    parent.read(|| {
        let all = parent.list(&list);
        let place = resolve_index(index, part.len_within(all.len()), "").ok();
        let found = place.and_then(|place| all.get(part.index_in_list(place)));
        found.ok_or_else(|| Error::index_error(beyond))
    })?
}

fn all_children<P: Object + Send + Sync, T: Object + Send + Sync>(
    parent: &Ref<P>,
    list: impl Fn(&P) -> &Children<T>,
) -> Result<Few<Ref<T>>> {
    parent.read(|| {
        with_lock(|guard| {
            let all = guard.children(list(parent));
            all.filter_map(|it| guard.handle(it, parent)).collect()
        })
    })
}

macro_rules! children {
    ($(#[$doc:meta])* $list:ident $key:literal $parent:ident $child:ident $field:ident $what:literal) => {
        $(#[$doc])*
        #[pairbond::object($key, opaque)]
        pub struct $list {
            of: Ref<$parent>,
            #[untraced]
            part: Part,
        }

        impl $list {
            pub(super) fn new_list(of: Ref<$parent>) -> New<Self> {
                New($list { of, part: Part::Whole })
            }

            fn len(&self) -> Result<usize> {
                self.of.read(|| self.part.len_within(self.of.list(|it| &it.$field).len()))
            }

            fn child_at(&self, index: i64) -> Result<Ref<$child>> {
                child_at(&self.of, self.part, index, $what, |it| &it.$field)
            }

            fn all_children(&self) -> Result<Few<Ref<$child>>> {
                let all = all_children(&self.of, |it| &it.$field)?;
                Ok(match self.part {
                    Part::Whole => all,
                    part => part.select_from(&all).into(),
                })
            }

            fn children_reversed(&self) -> Result<Vec<Ref<$child>>> {
                Ok(self.all_children()?.iter().rev().cloned().collect())
            }

            fn slice_list(&self, slice: Subscript) -> Result<New<Self>> {
                let all = self.of.read(|| self.of.list(|it| &it.$field).len())?;
                let (of, part) = (self.of.clone(), self.part.slice_part(all, slice));
                Ok(New($list { of, part }))
            }

            #[inline]
            fn get_item(&self, key: Key) -> Result<Picked<Ref<$child>, New<Self>>> {
                match key {
                    Key::Place(index) => self.child_at(index).map(Picked::One),
                    Key::Slice(slice) => self.slice_list(slice).map(Picked::Several),
                }
            }
        }
    };
}

children! {
    /// The operations of a block.
    OperationList "pairbond_ir.OperationList" Block Operation operations "attempt to access out of bounds operation"
}
children! {
    /// The arguments of a block.
    BlockArgumentList "pairbond_ir.BlockArgumentList" Block Value arguments "block argument index out of range"
}
children! {
    /// The blocks of a region.
    BlockList "pairbond_ir.BlockList" Region Block blocks "attempt to access out of bounds block"
}
children! {
    /// The regions of an operation.
    RegionSequence "pairbond_ir.RegionSequence" Operation Region regions "index out of range"
}
children! {
    /// The results of an operation.
    OpResultList "pairbond_ir.OpResultList" Operation Value results "result index out of range"
}

#[pairbond::methods]
impl OperationList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    /// The element at an index; of a slice, those that exist at the time of an access.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Operation>, New<Self>>> {
        self.get_item(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Operation>>> {
        self.children_reversed()
    }

    fn __iter__(&self) -> Result<Picked<New<OperationIterator>, Few<Ref<Operation>>>> {
        Ok(match self.part {
            Part::Whole => Picked::One(OperationIterator::over_block(self.of.clone())),
            _ => Picked::Several(self.all_children()?),
        })
    }

    fn __contains__(&self, operation: Ref<Operation>) -> bool {
        self.of.list(|it| &it.operations).contains(&operation)
    }

    /// Puts an operation before the one at a place, or to the end.
    fn insert(&self, index: i64, operation: Ref<Operation>) -> Result<()> {
        let count = self.len()? as i64;
        let index = if index < 0 { (index + count).max(0) } else { index };
        match self.of.list(|it| &it.operations).get(index as usize) {
            Some(other) => places::move_before(&operation, &other),
            None => places::at_end(&operation, &self.of),
        }
    }

    fn append(&self, operation: Ref<Operation>) -> Result<()> {
        places::at_end(&operation, &self.of)
    }
}

#[pairbond::methods]
impl BlockArgumentList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &BlockArgumentList) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    /// The element at an index; of a slice, those that exist at the time of an access.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Value>, New<Self>>> {
        self.get_item(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Value>>> {
        self.children_reversed()
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        self.all_children()
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        Ok(self.all_children()?.iter().map(|it| it.r#type()).collect())
    }
}

#[pairbond::methods]
impl BlockList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    /// The element at an index; of a slice, those that exist at the time of an access.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Block>, New<Self>>> {
        self.get_item(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Block>>> {
        self.children_reversed()
    }

    fn __iter__(&self) -> Result<Picked<New<BlockIterator>, Few<Ref<Block>>>> {
        Ok(match self.part {
            Part::Whole => Picked::One(BlockIterator::over_region(self.of.clone())),
            _ => Picked::Several(self.all_children()?),
        })
    }

    /// A new last block with arguments of these types, at a location for each, or that of the
    /// innermost `with`, or none.
    fn append(
        &self,
        #[rest] args: Vec<Ref<Type>>,
        arg_locs: Option<Vec<Ref<Location>>>,
    ) -> Result<Ref<Block>> {
        self.of.check()?;
        let block = block::with_arguments(args, arg_locs)?;
        contexts::put_block(&self.of, &block, contexts::At::End)?;
        Ok(block)
    }
}

#[pairbond::methods]
impl RegionSequence {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &RegionSequence) -> Result<Vec<Ref<Region>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    /// The element at an index; of a slice, those that exist at the time of an access.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Region>, New<Self>>> {
        self.get_item(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Region>>> {
        self.children_reversed()
    }

    fn __iter__(&self) -> Result<Few<Ref<Region>>> {
        self.all_children()
    }
}

#[pairbond::methods]
impl OpResultList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &OpResultList) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    /// The element at an index; of a slice, those that exist at the time of an access.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Value>, New<Self>>> {
        self.get_item(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Value>>> {
        self.children_reversed()
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        self.all_children()
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        Ok(self.all_children()?.iter().map(|it| it.r#type()).collect())
    }

    #[getter]
    fn owner(&self) -> Ref<Operation> {
        self.of.clone()
    }
}

/// The operands of an operation.
#[pairbond::object("pairbond_ir.OpOperandList", opaque)]
pub struct OpOperandList {
    of: Ref<Operation>,
    #[untraced]
    part: Part,
}

impl OpOperandList {
    pub(super) fn new_list(of: Ref<Operation>) -> New<Self> {
        let part = Part::Whole;
        New(OpOperandList { of, part })
    }

    /// How many operands the operation has.
    fn operand_count(&self) -> Result<usize> {
        self.of.check()?;
        Ok(uses::operand_count(&self.of))
    }

    fn len(&self) -> Result<usize> {
        Ok(self.part.len_within(self.operand_count()?))
    }

    fn resolve_index(&self, index: i64) -> Result<usize> {
        Ok(self
            .part
            .index_in_list(resolve_index(index, self.len()?, "operand")?))
    }
}

#[pairbond::methods]
impl OpOperandList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    fn __add__(&self, other: &OpOperandList) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.into_iter().chain(other.__iter__()?).collect())
    }

    /// The element at an index; of a slice, those that exist at the time of an access.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Value>, New<Self>>> {
        match key {
            Key::Place(index) => uses::operand_at(&self.of, self.resolve_index(index)?).map(Picked::One),
            Key::Slice(slice) => {
                let (of, part) = (
                    self.of.clone(),
                    self.part.slice_part(self.operand_count()?, slice),
                );
                Ok(Picked::Several(New(OpOperandList { of, part })))
            }
        }
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.iter().rev().cloned().collect())
    }

    fn __setitem__(&self, index: i64, value: Ref<Value>) -> Result<()> {
        uses::set_operand(&self.of, self.resolve_index(index)?, &value)
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        (0..self.len()?)
            .map(|place| uses::operand_at(&self.of, self.part.index_in_list(place)))
            .collect()
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        Ok(self.__iter__()?.iter().map(|it| it.r#type()).collect())
    }
}

/// The blocks that a terminator may go to.
#[pairbond::object("pairbond_ir.OpSuccessors", opaque)]
pub struct OpSuccessors {
    of: Ref<Operation>,
    #[untraced]
    part: Part,
}

impl OpSuccessors {
    pub(crate) fn for_operation(of: Ref<Operation>) -> Ref<Self> {
        let part = Part::Whole;
        Ref::new(OpSuccessors { of, part })
    }

    /// Lets another block be a successor.
    pub(crate) fn set_successor(&self, at: usize, block: &Ref<Block>) {
        let new = block.downgrade();
        let old = self.of.ends.update(|all| {
            all.successors_mut()
                .get_mut(at)
                .map(|it| std::mem::replace(it, new))
        });
        drop(old);
    }

    pub(crate) fn successor_at(&self, at: usize) -> Result<Ref<Block>> {
        let weak = self.of.ends.with(|all| all.successors().get(at).cloned());
        let gone = || {
            Error::new(
                ErrorKind::Invalidated,
                format!("successor {at} of {} was erased", self.of.name()),
            )
        };
        let block = weak.and_then(|it| it.upgrade()).ok_or_else(gone)?;
        block.check()?;
        Ok(block)
    }
}

#[pairbond::methods]
impl OpSuccessors {
    fn __len__(&self) -> Result<usize> {
        self.of.check()?;
        Ok(self.part.len_within(self.of.successor_count()))
    }

    fn __add__(&self, other: &OpSuccessors) -> Result<Vec<Ref<Block>>> {
        Ok([self.__iter__()?, other.__iter__()?].concat())
    }

    /// The element at an index; of a slice, those that exist at the time of an access.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Block>, New<Self>>> {
        match key {
            Key::Place(index) => self.successor_at(self.place_of(index)?).map(Picked::One),
            Key::Slice(slice) => {
                self.of.check()?;
                let part = self.part.slice_part(self.of.successor_count(), slice);
                let of = self.of.clone();
                Ok(Picked::Several(New(OpSuccessors { of, part })))
            }
        }
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Block>>> {
        Ok(self.__iter__()?.into_iter().rev().collect())
    }

    #[hidden]
    fn place_of(&self, index: i64) -> Result<usize> {
        Ok(self
            .part
            .index_in_list(resolve_index(index, self.__len__()?, "successor")?))
    }

    fn __setitem__(&self, index: i64, block: Ref<Block>) -> Result<()> {
        let at = self.place_of(index)?;
        contexts::is_successor(self.of.context(), &block)?;
        self.set_successor(at, &block);
        Ok(())
    }

    fn __iter__(&self) -> Result<Vec<Ref<Block>>> {
        (0..self.__len__()?)
            .map(|place| self.successor_at(self.part.index_in_list(place)))
            .collect()
    }
}
