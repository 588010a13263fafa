//! Copies of operations with all that is in them.
//!
//! Originals are read some at a time, without handles ([`super::read`]), and then copied. The copies of values are numbered as they will come
//! already when the originals are read, so that what is read says of most operands which copies they become.

use pairbond::prelude::*;
use pairbond::tree::{Found, Still, TreeNode, look};

use super::about::About;
use super::read::{has_regions, some};
use super::{Bare, Block, Operation, Region, Value, argument, bare, result, uses, value};
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
    /// Those with regions.
    copies: Vec<(Ref<Operation>, Ref<Operation>)>,
    /// Those that use what may come behind them.
    late: Vec<(Ref<Operation>, Ref<Operation>)>,
    read: Read,
}

/// What was read and not copied yet.
#[derive(Default)]
struct Read {
    operations: Vec<Original>,
    /// The places of what their operands become, one operation's behind the other's, and where each one's end.
    operands: Vec<u32>,
    ends: Vec<usize>,
    /// Their copies.
    copies: Vec<Ref<Operation>>,
    /// The types of their results, likewise.
    types: Vec<Ref<Type>>,
    /// The results, if somebody wants to see them.
    results: Vec<Ref<Value>>,
}

struct Original {
    name: Str,
    about: About,
    results: usize,
    /// Itself, with whether it has regions and whether its edges come later.
    more: Option<(Ref<Operation>, bool, bool)>,
}

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
            copies: Vec::new(),
            late: Vec::new(),
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
        while at < self.copies.len() {
            let (original, copy) = self.copies[at].clone();
            self.regions(&original, &copy)?;
            at += 1;
        }
        for (original, copy) in std::mem::take(&mut self.late) {
            self.connect(&original, &copy)?;
        }
        Ok(())
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
        look(|still| self.read(still, still.found(op), op));
        let mut copy = None;
        self.copy(op.context(), |it| {
            copy = Some(it);
            Ok(())
        })?;
        copy.ok_or_else(|| error::ir("nothing was read"))
    }

    /// Reads an operation of the tree of another: what its copy is made of.
    fn read(&mut self, still: &Still, found: Found<'_, Operation>, by: &Ref<Operation>) {
        let (op, read) = (found.get(), &mut self.read);
        let begin = read.operands.len();
        let late = op.ends.with(|ends| {
            let places = ends.operands.as_slice().iter();
            let places = places.map_while(|it| self.places.get(&it.address()).copied());
            read.operands.extend(places);
            let all = read.operands.len() - begin == ends.operands.as_slice().len();
            !all || !ends.successors().is_empty()
        });
        if late {
            read.operands.truncate(begin);
        }
        let first = read.types.len();
        for value in still.children(&op.results) {
            let place = self.new.len() + read.types.len();
            self.places.insert(value.addr(), place as u32);
            read.types.push(value.get().r#type());
            if self.mapping.is_some() {
                read.results.extend(still.handle(value, by));
            }
        }
        let regions = has_regions(still, op);
        read.ends.push(read.operands.len());
        read.operations.push(Original {
            name: op.name().clone(),
            about: op.about.get(),
            results: read.types.len() - first,
            more: (regions || late)
                .then(|| still.handle(found, by))
                .flatten()
                .map(|op| (op, regions, late)),
        });
    }

    /// Makes the copies of what was read, and gives them to a function. Nobody keeps handles to them: what is asleep from the beginning costs less.
    fn copy(
        &mut self,
        context: &Ref<Context>,
        mut put: impl FnMut(Ref<Operation>) -> Result<()>,
    ) -> Result<()> {
        let mut read = std::mem::take(&mut self.read);
        let mut types = read.types.drain(..);
        for original in read.operations.drain(..) {
            let (location, attributes, properties) = original.about;
            let parts = Bare {
                name: original.name,
                properties,
                attributes,
                successors: Vec::new(),
                location,
            };
            let copy = bare(context.clone(), parts);
            let list = copy.list(|it| &it.results);
            for r#type in types.by_ref().take(original.results) {
                let value = result(r#type);
                self.new.push(value.downgrade());
                list.push_owned(value)?;
            }
            if let Some((op, regions, late)) = original.more {
                if late {
                    self.late.push((op.clone(), copy.clone()));
                }
                if regions {
                    self.copies.push((op, copy.clone()));
                }
            }
            read.copies.push(copy);
        }
        drop(types);
        let mut begin = 0;
        let its = |end: &usize| &read.operands[std::mem::replace(&mut begin, *end)..*end];
        let all = read.copies.iter().zip(read.ends.iter().map(its));
        uses::begin_all(all, &self.new);
        read.copies.drain(..).try_for_each(&mut put)?;
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
        Ok(())
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
                self.operations(copy.context(), &block, &to)?;
                self.blocks.insert(address(&block), to);
            }
        }
        Ok(())
    }

    fn operations(&mut self, context: &Ref<Context>, block: &Ref<Block>, to: &Ref<Block>) -> Result<()> {
        let list = to.list(|it| &it.operations);
        let count = block.list(|it| &it.operations).len();
        self.places.reserve(count);
        self.new.reserve(count);
        let mut next = block.list(|it| &it.operations).first();
        while let Some(first) = next {
            next = some(&first, |still, found| self.read(still, found, &first));
            self.copy(context, |it| list.push_owned(it))?;
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
