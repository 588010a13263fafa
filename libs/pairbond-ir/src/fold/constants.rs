//! Constants of a function, each once, before all of their uses.

use std::ops::Deref;

use pairbond::prelude::*;
use pairbond::tree::{Found, TreeGuard, TreeNode, with_lock};

use super::bits::Bits;
use super::is_transparent;
use crate::context::attributes::{Attribute, dictionary_attr, find_entry, width_of};
use crate::fast::{FastMap, object_address};
use crate::ir::{Block, InsertionPoint, Operation, Parts, Value, edits, peek_operands};
use crate::rewrite::PatternRewriter;
use crate::room::{Gather, Room};

const CONSTANT: &str = "arith.constant";

/// Operations with more operands are not folded.
const MOST: usize = 3;

/// The attribute of a constant; of any other operation none.
fn attribute_of(op: &Ref<Operation>) -> Option<Ref<Attribute>> {
    if **op.name() != *CONSTANT || op.list(|it| &it.results).len() != 1 {
        return None;
    }
    op.find_attribute("value")
}

/// Returns the attribute of a value, if it is a constant.
pub(crate) fn constant_value(value: &Ref<Value>) -> Option<Ref<Attribute>> {
    let found = attribute_of(&Value::defining_op(value)?)?;
    found
        .type_of()
        .is_some_and(|it| it.is(&value.r#type()))
        .then_some(found)
}

/// An operand and its constant value.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known {
    /// The constant, if it is an integer of at most 128 bits.
    number: u128,
    address: usize,
    /// The address of its type, which lives as long as the value is of it.
    pub(super) r#type: usize,
    /// That of its type, if it has one.
    pub(super) width: Option<u32>,
    pub(super) place: u8,
    pub(super) is_constant: bool,
    is_number: bool,
}

/// The operands of an operation that has few.
#[derive(Default)]
pub(super) struct KnownOperands {
    all: [Known; MOST],
    count: usize,
    /// The address of the type of the only result, and its width if it has one.
    pub(super) result: Option<(usize, Option<u32>)>,
}

impl Deref for KnownOperands {
    type Target = [Known];
    fn deref(&self) -> &[Known] {
        &self.all[..self.count]
    }
}

impl Known {
    /// Whether both are the same value.
    pub(super) fn is_same(&self, other: &Known) -> bool {
        self.address == other.address
    }

    /// The constant, if it is an integer of at most 128 bits.
    pub(super) fn constant_bits(&self) -> Option<Bits> {
        let (width, value) = (self.width?, self.number);
        self.is_number.then_some(Bits { width, value })
    }

    fn from_operand(guard: &TreeGuard, value: Found<'_, Value>, place: u8) -> Known {
        let definer = guard.parent::<_, Operation>(value).map(Found::get);
        let definer = definer.filter(|it| **it.name() == *CONSTANT);
        let definer = definer.filter(|it| guard.children(&it.results).nth(1).is_none());
        let (r#type, width) = width_at(guard, value.get());
        let constant = definer.and_then(|it| {
            it.about.with_in(guard, |(_, attributes, properties)| {
                let mut parts = properties.iter().chain(attributes);
                let found = parts.find_map(|it| find_entry(it, "value"))?;
                let fits = found.type_of().is_some_and(|it| object_address(it) == r#type);
                fits.then(|| Bits::from_attribute(found))
            })
        });
        let (is_constant, bits) = (constant.is_some(), constant.flatten());
        Known {
            number: bits.map_or(0, |it| it.value),
            address: value.addr(),
            r#type,
            width,
            place,
            is_constant,
            is_number: bits.is_some(),
        }
    }
}

/// The address of the type of a value, and its width if it has one.
fn width_at(guard: &TreeGuard, value: &Value) -> (usize, Option<u32>) {
    value.with_type(guard, |it| (object_address(it), width_of(it).map(|it| it.0)))
}

/// The constants of the operands of an operation, if there are few and all are there.
pub(super) fn operands_of(op: &Ref<Operation>) -> Option<KnownOperands> {
    let mut known = KnownOperands::default();
    let all = with_lock(|guard| {
        let operands = peek_operands(guard, op, |place, value| {
            if let (Some(next), Some(value)) = (known.all.get_mut(place), value) {
                *next = Known::from_operand(guard, value, place as u8);
                known.count += 1;
            }
        });
        let mut results = guard.children(&op.results);
        let only = results.next().filter(|_| results.next().is_none());
        known.result = only.map(|it| width_at(guard, it.get()));
        operands
    });
    (known.count == all).then_some(known)
}

/// The block around one into which values come from it.
fn outer_block(block: &Ref<Block>) -> Option<Ref<Block>> {
    let around = Block::owner_of(block).filter(is_transparent)?;
    Operation::block_of(&around)
}

/// The first block of the region of a block.
fn entry_block(block: &Ref<Block>) -> Option<Ref<Block>> {
    Block::region_of(block)?.list(|it| &it.blocks).first()
}

/// The first block of the region around an operation into which no value comes from outside.
fn home_of(op: &Ref<Operation>) -> Option<Ref<Block>> {
    let block = Operation::block_of(op)?;
    entry_block(&std::iter::successors(Some(block), outer_block).last()?)
}

/// A new constant where the rewriter stands.
pub(crate) fn make_constant(
    value: &Ref<Attribute>,
    user: &Ref<Operation>,
    rewriter: &PatternRewriter,
) -> Result<Option<Ref<Value>>> {
    let properties = dictionary_attr(value.context(), vec![("value".into(), value.clone())])?;
    let parts = Parts {
        name: CONSTANT,
        results: Some(&mut value.type_of().cloned().into_iter().collect()),
        location: Some(user.location()),
        ..Parts::default()
    };
    let made = rewriter.make_with(parts, Some(properties))?;
    Ok(made.list(|it| &it.results).first())
}

/// Addresses of a block, a value and its type.
type Place = (usize, usize, usize);

/// The constants of blocks, by block, value and type. Holds what its addresses are of.
#[derive(Default)]
pub(crate) struct Constants {
    known: FastMap<Place, (Ref<Operation>, Ref<Block>)>,
    /// By the address of a block, which is held, where constants in it belong.
    homes: FastMap<usize, (Ref<Block>, Ref<Block>)>,
    /// Whether operations may come from one function to another while this is used.
    may_move: bool,
}

impl Constants {
    /// None yet. `may_move`: operations may come from one function to another while this is used.
    pub(crate) fn new(may_move: bool) -> Constants {
        Constants {
            may_move,
            ..Constants::default()
        }
    }

    /// The value of a constant for use by an operation: one that is there already, or a new one.
    pub(crate) fn get_or_create(
        &mut self,
        value: &Ref<Attribute>,
        user: &Ref<Operation>,
        rewriter: &PatternRewriter,
    ) -> Result<Option<Ref<Value>>> {
        let (Some(home), Some(r#type)) = (self.home_of(user), value.type_of().cloned()) else {
            return Ok(None);
        };
        let key = (
            object_address(&home),
            object_address(value),
            object_address(&r#type),
        );
        let living = self.known.get(&key).map(|(op, _)| op.clone());
        if let Some(op) = living.filter(|it| is_at(it, value, &home)) {
            // A pattern may have put others before it.
            let mut before = std::iter::successors(op.previous_sibling(), TreeNode::previous_sibling);
            if let Some(first) = home.list(|it| &it.operations).first()
                && !before.all(|it| attribute_of(&it).is_some())
            {
                edits::move_before(&op, &first)?;
                rewriter.notify_moved(&op)?;
            }
            return Ok(op.list(|it| &it.results).first());
        }
        let first = home.list(|it| &it.operations).first();
        rewriter.stand_at(match first {
            Some(first) => InsertionPoint::before_operation(first)?,
            None => InsertionPoint::at_end_of(home.clone()),
        });
        let Some(made) = make_constant(value, user, rewriter)? else {
            return Ok(None);
        };
        if let Some(op) = Value::defining_op(&made) {
            self.known.room().insert(key, (op, home));
        }
        Ok(Some(made))
    }

    /// As the function [`home_of`]; each block is asked once, as long as none comes to another
    /// function.
    fn home_of(&mut self, op: &Ref<Operation>) -> Option<Ref<Block>> {
        if self.may_move {
            return home_of(op);
        }
        let (mut asked, mut block) = (Vec::new(), Operation::block_of(op)?);
        let home = loop {
            if let Some((_, home)) = self.homes.get(&object_address(&block)) {
                break home.clone();
            }
            asked.room().push(block.clone());
            match outer_block(&block) {
                Some(outer) => block = outer,
                None => break entry_block(&block)?,
            }
        };
        for block in asked {
            let homes = self.homes.room();
            homes.insert(object_address(&block), (block, home.clone()));
        }
        Some(home)
    }

    /// Lets a constant that stands there be known, before all others of its block; or replaces it
    /// by the one that is known. Whether it is gone.
    pub(crate) fn unify_constant(&mut self, op: &Ref<Operation>, rewriter: &PatternRewriter) -> Result<bool> {
        let Some(value) = attribute_of(op) else {
            return Ok(false);
        };
        let Some(home) = self.home_of(op) else {
            return Ok(false);
        };
        let Some(result) = op.list(|it| &it.results).first() else {
            return Ok(false);
        };
        let key = (
            object_address(&home),
            object_address(&value),
            object_address(&result.r#type()),
        );
        let living = self.known.get(&key).map(|(op, _)| op.clone());
        match living.filter(|it| is_at(it, &value, &home)) {
            Some(known) if known.is(op) => Ok(false),
            Some(known) => {
                let values: Vec<Ref<Value>> = known.list(|it| &it.results).iter().gather();
                rewriter.replace(op, &values)?;
                Ok(true)
            }
            None => {
                let first = home.list(|it| &it.operations).first();
                let leads = |it: &Ref<Operation>| {
                    let before = it.previous_sibling();
                    before.is_none_or(|it| attribute_of(&it).is_some())
                };
                let is_home = Operation::block_of(op).is_some_and(|it| it.is(&home));
                if let Some(first) = first.filter(|_| !is_home || !leads(op)) {
                    edits::move_before(op, &first)?;
                    rewriter.notify_moved(op)?;
                }
                self.known.room().insert(key, (op.clone(), home));
                Ok(false)
            }
        }
    }
}

/// Whether a constant is alive, still that one, and where it was.
fn is_at(op: &Ref<Operation>, value: &Ref<Attribute>, home: &Ref<Block>) -> bool {
    !op.is_erased()
        && attribute_of(op).is_some_and(|it| it.is(value))
        && Operation::block_of(op).is_some_and(|it| it.is(home))
}
