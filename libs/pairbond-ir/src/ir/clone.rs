//! Copies of operations with all that is in them.
//!
//! Originals are read some at a time, without handles ([`super::read`]), and then copied. The copies of values are numbered as they will come
//! already when the originals are read, so that what is read says of most operands which copies they become.

use pairbond::prelude::*;
use pairbond::tree::{Found, List, Planting, Seed, Still, TreeNode, look, plant};

use super::about::About;
use super::read::{has_regions, some_at_once};
use super::{Bare, Block, Operation, Region, Value, argument, create, uses, value};
use crate::context::Context;
use crate::error;
use crate::fast::{FastMap, address};
use crate::types::Type;

/// What became of what, by address; the originals are kept by the tree that is copied.
pub(super) struct Cloning {
    /// The places of copies among the new values.
    places: FastMap<usize, u32>,
    new: Vec<Weak<Value>>,
    blocks: FastMap<usize, Ref<Block>>,
    /// In which those who asked want to see it.
    mapping: Option<Map<Any, Any>>,
    again: Vec<Again>,
    read: Read,
}

/// What is looked at once more.
#[derive(Clone)]
struct Again {
    original: Ref<Operation>,
    copy: Ref<Operation>,
    /// Whether it has regions.
    regions: bool,
    /// Whether it uses what may come behind it.
    late: bool,
}

/// What was read and not copied yet.
#[derive(Default)]
struct Read {
    operations: Vec<Original>,
    /// The places of what their operands become, one operation's behind the other's, and where each one's end.
    operands: Vec<u32>,
    ends: Vec<usize>,
    /// Their copies with the number of results and what else is to be done, and those results.
    copies: Vec<(Seed<Operation>, usize, More)>,
    values: Vec<Seed<Value>>,
    /// The types of their results, likewise.
    types: Vec<Ref<Type>>,
    /// The results, if somebody wants to see them.
    results: Vec<Ref<Value>>,
}

struct Original {
    context: Ref<Context>,
    name: Str,
    about: About,
    results: usize,
    more: More,
}

/// The original, with whether it has regions and whether its edges come later; if one of them is so.
type More = Option<(Ref<Operation>, bool, bool)>;

type Operations = Vec<Ref<Operation>>;
type Values = Vec<Ref<Value>>;

/// Copies of operations that stand nowhere, where some values become others, and what became of other values: `(copies, new)`.
pub(crate) fn several(
    operations: &[Ref<Operation>],
    become_: &[(Ref<Value>, Ref<Value>)],
    asked: &[Ref<Value>],
) -> Result<(Operations, Values)> {
    let mut cloning = Cloning::new(None)?;
    for (from, to) in become_ {
        cloning.value(from, to)?;
    }
    let copies = operations.iter().map(|it| cloning.one(it));
    let copies = copies.collect::<Result<Vec<_>>>()?;
    cloning.finish()?;
    let asked = asked
        .iter()
        .map(|it| cloning.known(address(it)).unwrap_or_else(|| it.clone()));
    let asked = asked.collect();
    Ok((copies, asked))
}

impl Cloning {
    pub(super) fn new(mapping: Option<Map<Any, Any>>) -> Result<Self> {
        let mut cloning = Cloning {
            places: FastMap::default(),
            new: Vec::new(),
            blocks: FastMap::default(),
            mapping: None,
            again: Vec::new(),
            read: Read::default(),
        };
        for (from, to) in mapping.iter().flat_map(Map::to_vec) {
            match (from.downcast::<Value>(), to.downcast::<Value>()) {
                (Some(from), Some(to)) => cloning.value(&from, &to)?,
                _ => return Err(Error::type_error("a mapping is from values to values")),
            }
        }
        cloning.mapping = mapping;
        Ok(cloning)
    }

    /// The copy, which stands nowhere.
    pub(super) fn all(mut self, op: &Ref<Operation>) -> Result<Ref<Operation>> {
        let root = self.one(op)?;
        self.finish()?;
        Ok(root)
    }

    /// What is in the copies, and what they use.
    fn finish(&mut self) -> Result<()> {
        // First all that there is, then who uses what comes behind it.
        let mut at = 0;
        while let Some(it) = self.again.get(at).cloned() {
            if it.regions {
                self.regions(&it.original, &it.copy)?;
            }
            at += 1;
        }
        let mut again = std::mem::take(&mut self.again).into_iter();
        again.try_for_each(|it| match it.late {
            true => self.connect(&it.original, &it.copy),
            false => Ok(()),
        })
    }

    /// What a value became.
    fn known(&self, address: usize) -> Option<Ref<Value>> {
        self.new[*self.places.get(&address)? as usize].upgrade()
    }

    fn value(&mut self, from: &Ref<Value>, to: &Ref<Value>) -> Result<()> {
        if let Some(mapping) = &self.mapping {
            mapping.insert(from.clone().into(), to.clone().into())?;
        }
        self.places.insert(address(from), self.new.len() as u32);
        self.new.push(to.downgrade());
        Ok(())
    }

    /// The copy of one operation, whose regions come later.
    fn one(&mut self, op: &Ref<Operation>) -> Result<Ref<Operation>> {
        look(|still| self.read(still, std::iter::once(still.found(op)), op));
        let copy = self.copy(None)?;
        copy.ok_or_else(|| error::ir("nothing was read"))
    }

    /// Reads operations of the tree of another: what their copies are made of.
    ///
    /// Twice: what is counted by locked instructions waits for all that was written before, and the table of places is all over memory.
    fn read<'a>(
        &mut self,
        still: &Still,
        all: impl Iterator<Item = Found<'a, Operation>> + Clone,
        by: &Ref<Operation>,
    ) {
        let read = &mut self.read;
        for op in all.clone().map(Found::get) {
            let first = read.types.len();
            let results = still.children(&op.results);
            read.types
                .extend(results.map(|it| it.get().with_type(still, Ref::clone)));
            read.operations.push(Original {
                context: op.context().clone(),
                name: op.name().clone(),
                about: op.about.get(),
                results: read.types.len() - first,
                more: None,
            });
        }
        let mut next = self.new.len() as u32;
        for (found, original) in all.zip(&mut read.operations) {
            let (op, begin) = (found.get(), read.operands.len());
            let late = op.ends.with_in(still, |ends| {
                let places = ends.operands.as_slice().iter();
                let places = places.map_while(|it| self.places.get(&it.address()).copied());
                read.operands.extend(places);
                let all = read.operands.len() - begin == ends.operands.as_slice().len();
                !all || !ends.successors().is_empty()
            });
            if late {
                read.operands.truncate(begin);
            }
            read.ends.push(read.operands.len());
            for value in still.children(&op.results) {
                self.places.insert(value.addr(), next);
                next += 1;
                if self.mapping.is_some() {
                    read.results.extend(still.handle(value, by));
                }
            }
            let regions = has_regions(still, op);
            if regions || late {
                original.more = still.handle(found, by).map(|it| (it, regions, late));
            }
        }
    }

    /// Makes the copies of what was read, and puts them into a list; or returns the last, without one.
    fn copy(&mut self, list: Option<List<'_, Operation>>) -> Result<Option<Ref<Operation>>> {
        let mut read = std::mem::take(&mut self.read);
        for r#type in read.types.drain(..) {
            let mut value = value::seed(r#type);
            self.new.push(value.downgrade());
            read.values.push(value);
        }
        for original in read.operations.drain(..) {
            let (location, attributes, properties) = original.about;
            let parts = Bare {
                name: original.name,
                properties,
                attributes,
                successors: Vec::new(),
                location,
            };
            let copy = create::seed(original.context, parts);
            read.copies.push((copy, original.results, original.more));
        }
        let mut crowded = Vec::new();
        let last = plant(|planting| self.plant(planting, &mut read, list, &mut crowded))?;
        crowded
            .iter()
            .filter_map(Weak::upgrade)
            .for_each(|it| uses::tidy(&it));
        read.operands.clear();
        read.ends.clear();
        if let Some(mapping) = &self.mapping {
            for from in read.results.drain(..) {
                if let Some(to) = self.known(address(&from)) {
                    mapping.insert(from.into(), to.into())?;
                }
            }
        }
        self.read = read;
        Ok(last)
    }

    /// Puts copies into their places, with their results and operands.
    fn plant(
        &mut self,
        planting: &mut Planting,
        read: &mut Read,
        list: Option<List<'_, Operation>>,
        crowded: &mut Vec<Weak<Value>>,
    ) -> Option<Ref<Operation>> {
        let (mut begin, mut last) = (0, None);
        let mut values = read.values.drain(..);
        for ((mut copy, results, more), end) in read.copies.drain(..).zip(&read.ends) {
            for value in values.by_ref().take(results) {
                planting.push_below(&copy, |it| &it.results, value);
            }
            let places = &read.operands[std::mem::replace(&mut begin, *end)..*end];
            uses::connect_copy(planting, &mut copy, &self.new, places, crowded);
            match (more, list) {
                (None, Some(list)) => planting.push(list, copy),
                (more, list) => {
                    let copy = planting.keep(copy);
                    if let Some(list) = list {
                        planting.push_root(list, &copy);
                    }
                    if let Some((original, regions, late)) = more {
                        let copy = copy.clone();
                        self.again.push(Again {
                            original,
                            copy,
                            regions,
                            late,
                        });
                    }
                    last = Some(copy);
                }
            }
        }
        last
    }

    fn regions(&mut self, original: &Ref<Operation>, copy: &Ref<Operation>) -> Result<()> {
        for region in original.list(|it| &it.regions).to_vec() {
            let new = Region::detached();
            copy.list(|it| &it.regions).push(&new)?;
            for block in region.list(|it| &it.blocks).to_vec() {
                let to = Block::detached();
                new.list(|it| &it.blocks).push(&to)?;
                for it in block.list(|it| &it.arguments).iter() {
                    let made = argument(it.r#type(), value::location_of(&it));
                    self.value(&it, &made)?;
                    to.list(|it| &it.arguments).push_owned(made)?;
                }
                self.operations(&block, &to)?;
                self.blocks.insert(address(&block), to);
            }
        }
        Ok(())
    }

    fn operations(&mut self, block: &Ref<Block>, to: &Ref<Block>) -> Result<()> {
        let list = to.list(|it| &it.operations);
        let count = block.list(|it| &it.operations).len();
        self.places.reserve(count);
        self.new.reserve(count);
        let mut next = block.list(|it| &it.operations).first();
        while let Some(first) = next {
            next = some_at_once(&first, |still, all| self.read(still, all, &first));
            self.copy(Some(list))?;
        }
        Ok(())
    }

    fn connect(&mut self, original: &Ref<Operation>, copy: &Ref<Operation>) -> Result<()> {
        let mut addresses = Vec::new();
        uses::addresses(original, &mut addresses);
        let mut values = Vec::with_capacity(addresses.len());
        for (place, address) in addresses.iter().enumerate() {
            values.push(match self.known(*address) {
                Some(known) => known,
                None => uses::operand(original, place)?,
            });
        }
        uses::begin(copy, &values);
        let successors = original.successors();
        let successors = successors.iter().map(|weak| {
            let block = weak.upgrade().ok_or_else(|| error::ir("a successor is gone"))?;
            Ok(self.blocks.get(&address(&block)).unwrap_or(&block).downgrade())
        });
        let successors = successors.collect::<Result<Vec<_>>>()?;
        copy.ends.update(|ends| ends.go_to(successors));
        Ok(())
    }
}
