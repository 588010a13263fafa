//! The lists that Python sees. Each holds the node that it is a list of, and looks anew each time.

use pairbond::convert::{Few, Subscript};
use pairbond::prelude::*;
use pairbond::tree::{Children, TreeNode, with_lock};
use pairbond::{New, Object};

use super::slices::{Key, Part, Picked};
use super::{
    Block, BlockIterator, Operation, OperationIterator, Region, Value, block, contexts, place as places, uses,
};
use crate::attributes::{Location, place};
use crate::types::Type;

fn at<P: Object + Send + Sync, T: Object + Send + Sync>(
    parent: &Ref<P>,
    part: Part,
    index: i64,
    beyond: &str,
    list: impl Fn(&P) -> &Children<T>,
) -> Result<Ref<T>> {
    parent.read(|| {
        let all = parent.list(&list);
        let place = place(index, part.len(all.len()), "").ok();
        let found = place.and_then(|place| all.get(part.at(place)));
        found.ok_or_else(|| Error::index_error(beyond))
    })?
}

fn all<P: Object + Send + Sync, T: Object + Send + Sync>(
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
            pub(super) fn of(of: Ref<$parent>) -> New<Self> {
                New($list { of, part: Part::Whole })
            }

            fn len(&self) -> Result<usize> {
                self.of.read(|| self.part.len(self.of.list(|it| &it.$field).len()))
            }

            fn at(&self, index: i64) -> Result<Ref<$child>> {
                at(&self.of, self.part, index, $what, |it| &it.$field)
            }

            fn all(&self) -> Result<Few<Ref<$child>>> {
                let all = all(&self.of, |it| &it.$field)?;
                Ok(match self.part {
                    Part::Whole => all,
                    part => part.of(&all).into(),
                })
            }

            fn reversed(&self) -> Result<Vec<Ref<$child>>> {
                Ok(self.all()?.iter().rev().cloned().collect())
            }

            fn slice(&self, slice: Subscript) -> Result<New<Self>> {
                let all = self.of.read(|| self.of.list(|it| &it.$field).len())?;
                let (of, part) = (self.of.clone(), self.part.slice(all, slice));
                Ok(New($list { of, part }))
            }

            #[inline]
            fn get(&self, key: Key) -> Result<Picked<Ref<$child>, New<Self>>> {
                match key {
                    Key::Place(index) => self.at(index).map(Picked::One),
                    Key::Slice(slice) => self.slice(slice).map(Picked::Several),
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

    /// The one at a place; of a slice those that there are when somebody looks.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Operation>, New<Self>>> {
        self.get(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Operation>>> {
        self.reversed()
    }

    fn __iter__(&self) -> Result<Picked<New<OperationIterator>, Few<Ref<Operation>>>> {
        Ok(match self.part {
            Part::Whole => Picked::One(OperationIterator::of(self.of.clone())),
            _ => Picked::Several(self.all()?),
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
            Some(other) => places::before(&operation, &other),
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

    /// The one at a place; of a slice those that there are when somebody looks.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Value>, New<Self>>> {
        self.get(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Value>>> {
        self.reversed()
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        self.all()
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        Ok(self.all()?.iter().map(|it| it.r#type()).collect())
    }
}

#[pairbond::methods]
impl BlockList {
    fn __len__(&self) -> Result<usize> {
        self.len()
    }

    /// The one at a place; of a slice those that there are when somebody looks.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Block>, New<Self>>> {
        self.get(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Block>>> {
        self.reversed()
    }

    fn __iter__(&self) -> Result<Picked<New<BlockIterator>, Few<Ref<Block>>>> {
        Ok(match self.part {
            Part::Whole => Picked::One(BlockIterator::of(self.of.clone())),
            _ => Picked::Several(self.all()?),
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

    /// The one at a place; of a slice those that there are when somebody looks.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Region>, New<Self>>> {
        self.get(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Region>>> {
        self.reversed()
    }

    fn __iter__(&self) -> Result<Few<Ref<Region>>> {
        self.all()
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

    /// The one at a place; of a slice those that there are when somebody looks.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Value>, New<Self>>> {
        self.get(key)
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Value>>> {
        self.reversed()
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        self.all()
    }

    #[getter]
    fn types(&self) -> Result<Vec<Ref<Type>>> {
        Ok(self.all()?.iter().map(|it| it.r#type()).collect())
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
    pub(super) fn of(of: Ref<Operation>) -> New<Self> {
        let part = Part::Whole;
        New(OpOperandList { of, part })
    }

    /// How many operands the operation has.
    fn count(&self) -> Result<usize> {
        self.of.check()?;
        Ok(uses::count(&self.of))
    }

    fn len(&self) -> Result<usize> {
        Ok(self.part.len(self.count()?))
    }

    fn place(&self, index: i64) -> Result<usize> {
        Ok(self.part.at(place(index, self.len()?, "operand")?))
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

    /// The one at a place; of a slice those that there are when somebody looks.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Value>, New<Self>>> {
        match key {
            Key::Place(index) => uses::operand(&self.of, self.place(index)?).map(Picked::One),
            Key::Slice(slice) => {
                let (of, part) = (self.of.clone(), self.part.slice(self.count()?, slice));
                Ok(Picked::Several(New(OpOperandList { of, part })))
            }
        }
    }

    fn __reversed__(&self) -> Result<Vec<Ref<Value>>> {
        Ok(self.__iter__()?.iter().rev().cloned().collect())
    }

    fn __setitem__(&self, index: i64, value: Ref<Value>) -> Result<()> {
        uses::set(&self.of, self.place(index)?, &value)
    }

    fn __iter__(&self) -> Result<Few<Ref<Value>>> {
        (0..self.len()?)
            .map(|place| uses::operand(&self.of, self.part.at(place)))
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
    pub(crate) fn of(of: Ref<Operation>) -> Ref<Self> {
        let part = Part::Whole;
        Ref::new(OpSuccessors { of, part })
    }

    /// Lets another block be a successor.
    pub(crate) fn set(&self, at: usize, block: &Ref<Block>) {
        let new = block.downgrade();
        let old = self.of.ends.update(|all| {
            all.successors_mut()
                .get_mut(at)
                .map(|it| std::mem::replace(it, new))
        });
        drop(old);
    }

    pub(crate) fn at(&self, at: usize) -> Result<Ref<Block>> {
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
        Ok(self.part.len(self.of.successor_count()))
    }

    fn __add__(&self, other: &OpSuccessors) -> Result<Vec<Ref<Block>>> {
        Ok([self.__iter__()?, other.__iter__()?].concat())
    }

    /// The one at a place; of a slice those that there are when somebody looks.
    fn __getitem__(&self, key: Key) -> Result<Picked<Ref<Block>, New<Self>>> {
        match key {
            Key::Place(index) => self.at(self.place_of(index)?).map(Picked::One),
            Key::Slice(slice) => {
                self.of.check()?;
                let part = self.part.slice(self.of.successor_count(), slice);
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
        Ok(self.part.at(place(index, self.__len__()?, "successor")?))
    }

    fn __setitem__(&self, index: i64, block: Ref<Block>) -> Result<()> {
        let at = self.place_of(index)?;
        contexts::is_successor(self.of.context(), &block)?;
        self.set(at, &block);
        Ok(())
    }

    fn __iter__(&self) -> Result<Vec<Ref<Block>>> {
        (0..self.__len__()?)
            .map(|place| self.at(self.part.at(place)))
            .collect()
    }
}
