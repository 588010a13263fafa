//! Names of values and blocks in texts: numbers, as in MLIR, or the names of their locations. All
//! values of a region are numbered before those of the regions in it, and of these the last region
//! is first.

use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use pairbond::tree::{Found, TreeGuard, TreeNode, with_lock};

use super::used::Used;
use super::{Flags, Writer};
use crate::context::attributes::{Attribute, AttributeHead};
use crate::context::types::Type;
use crate::fast::{FastMap, object_address};
use crate::ir::read::some_or_unwind;
use crate::ir::{Block, Operation, Region, Value, location_of};
use crate::room::{Grow, Room};

/// The name of a value.
#[derive(Clone, Copy)]
enum Name {
    /// `%arg0`
    Argument(u32),
    /// `%0`
    Only(u32),
    /// `%0#1`
    Of(u32, u32),
    /// `%text`, by the place of the text.
    Text(u32),
    /// `%text#1`
    TextOf(u32, u32),
}

/// The names of the values of one tree and the places of their types, by their addresses. It holds
/// no value: values edited meanwhile may get wrong names.
#[derive(Default)]
pub(super) struct Names {
    values: FastMap<usize, (Name, u32)>,
    types: FastMap<usize, u32>,
    blocks: FastMap<usize, usize>,
    /// From where a block is reached, by the numbers of blocks of its region.
    predecessors: FastMap<usize, Vec<usize>>,
    texts: Vec<Box<str>>,
}

/// A region whose turn comes, and where the names are that it sees.
type Waiting = (Ref<Region>, usize);

/// The values and blocks with names.
pub(super) type Held = (Vec<Ref<Value>>, Vec<Ref<Block>>);

/// Names, while they are found.
#[derive(Default)]
pub(super) struct Numbering {
    pub(super) names: Names,
    /// The types of values, each once.
    pub(super) types: Vec<Ref<Type>>,
    /// The same, if a caller keeps them.
    pub(super) held: Option<Held>,
    next_value: u32,
    next_argument: u32,
    /// Names taken from locations, if there are any.
    used: Option<Used>,
}

impl Numbering {
    pub(super) fn new(how: Flags, holding: bool) -> Self {
        Numbering {
            used: how.named_by_location.then(Used::default),
            held: holding.then(Held::default),
            ..Numbering::default()
        }
    }

    /// Names all in an operation, region or block.
    pub(super) fn all_in(&mut self, root: ErasedRef) {
        let mut waiting: Vec<Waiting> = Vec::new();
        match root.downcast::<Operation>() {
            Ok(op) => {
                with_lock(|guard| self.number_results(guard, guard.found(&op), &op));
                waiting.grow(op.list(|it| &it.regions).iter().map(|it| (it, 0)));
            }
            Err(other) => match other.downcast::<Region>() {
                Ok(region) => waiting.push((region, 0)),
                Err(other) => {
                    if let Ok(block) = other.downcast::<Block>() {
                        waiting.grow(self.number_block(&block, 0).into_iter().map(|it| (it, 0)));
                    }
                }
            },
        }
        while let Some((region, outer)) = waiting.pop() {
            let here = self.used.as_mut().map_or(0, |it| it.open_scope(outer));
            for (number, block) in region.list(|it| &it.blocks).to_vec().iter().enumerate() {
                waiting.grow(self.number_block(block, number).into_iter().map(|it| (it, here)));
            }
        }
    }

    /// Names the contents of a block; returns the regions of its operations.
    fn number_block(&mut self, block: &Ref<Block>, number: usize) -> Vec<Ref<Region>> {
        let mut inner = Vec::new();
        self.names.blocks.room().insert(object_address(block), number);
        self.held
            .iter_mut()
            .for_each(|(_, all)| all.room().push(block.clone()));
        for argument in block.list(|it| &it.arguments).to_vec() {
            self.number_argument(argument, number == 0);
        }
        let (mut from, mut targets) = (block.list(|it| &it.operations).first(), Vec::new());
        while let Some(first) = from {
            from = some_or_unwind(&first, |guard, found| {
                self.number_results(guard, found, &first);
                let op = found.get();
                let regions = guard.children(&op.regions);
                for it in regions {
                    // Under the lock no handle may be dropped: room comes first.
                    inner.room().extend(guard.handle(it, &first));
                }
                targets.grow(op.successors_in(guard));
            });
            for target in targets.drain(..) {
                if let Some(target) = target.upgrade() {
                    let known = self.names.predecessors.room().entry(object_address(&target));
                    known.or_default().room().push(number);
                }
            }
        }
        inner
    }

    fn number_argument(&mut self, argument: Ref<Value>, of_entry: bool) {
        let number = self.next_argument;
        self.next_argument += u32::from(of_entry);
        let text = self.used.as_mut().and_then(|used| {
            let called = location_name(&location_of(&argument));
            let called = called.or_else(|| of_entry.then(|| format!("arg{number}")))?;
            Some(used.unique_name(&called))
        });
        let name = match text {
            Some(text) => Name::Text(self.add_text(text)),
            None if of_entry => Name::Argument(number),
            None => {
                self.next_value += 1;
                Name::Only(self.next_value - 1)
            }
        };
        let r#type = self.type_index(&argument.r#type());
        self.names
            .values
            .room()
            .insert(object_address(&argument), (name, r#type));
        self.held
            .iter_mut()
            .for_each(|(all, _)| all.room().push(argument.clone()));
    }

    /// Names the results of an operation of the tree of another.
    fn number_results(&mut self, guard: &TreeGuard, op: Found<'_, Operation>, by: &Ref<Operation>) {
        let results = || guard.children(&op.get().results);
        let count = results().take(2).count();
        if count == 0 {
            return;
        }
        let used = self.used.as_mut();
        let text = used.and_then(|used| {
            op.get()
                .about
                .with_in(guard, |it| location_name(&it.0))
                .map(|it| used.unique_name(&it))
        });
        let text = text.map(|it| self.add_text(it));
        for (place, result) in (0..).zip(results()) {
            let name = match (text, count) {
                (Some(text), 1) => Name::Text(text),
                (Some(text), _) => Name::TextOf(text, place),
                (None, 1) => Name::Only(self.next_value),
                (None, _) => Name::Of(self.next_value, place),
            };
            let r#type = result.get().with_type(guard, |it| self.type_index(it));
            self.names.values.room().insert(result.addr(), (name, r#type));
            if let Some((held, _)) = &mut self.held {
                held.room().extend(guard.handle(result, by));
            }
        }
        self.next_value += u32::from(text.is_none());
    }

    fn add_text(&mut self, text: Box<str>) -> u32 {
        self.names.texts.room().push(text);
        self.names.texts.len() as u32 - 1
    }

    /// The place of a type.
    fn type_index(&mut self, r#type: &Ref<Type>) -> u32 {
        // Values that come together are often of one type.
        if self.types.last().is_some_and(|it| it.is(r#type)) {
            return self.types.len() as u32 - 1;
        }
        *self
            .names
            .types
            .room()
            .entry(object_address(r#type))
            .or_insert_with(|| {
                self.types.room().push(r#type.clone());
                self.types.len() as u32 - 1
            })
    }
}

impl Names {
    /// The place of the type of the value at an address, if that has a name here.
    pub(super) fn type_at(&self, address: usize) -> Option<usize> {
        self.values.get(&address).map(|(_, r#type)| *r#type as usize)
    }

    /// Writes the name of the value at an address.
    pub(super) fn write_name(&self, address: usize, out: &mut Writer) {
        let Some((name, _)) = self.values.get(&address) else {
            return out.push("<<UNKNOWN SSA VALUE>>");
        };
        self.write_group(*name, out);
        if let Name::Of(_, place) | Name::TextOf(_, place) = name {
            out.push("#");
            out.push_number(*place);
        }
    }

    /// Writes the name of a value with those beside it.
    fn write_group(&self, name: Name, out: &mut Writer) {
        out.push(if matches!(name, Name::Argument(_)) {
            "%arg"
        } else {
            "%"
        });
        match name {
            Name::Argument(number) | Name::Only(number) | Name::Of(number, _) => out.push_number(number),
            Name::Text(text) | Name::TextOf(text, _) => out.push(&self.texts[text as usize]),
        }
    }

    /// Writes what the results of an operation are called together, by its first one.
    pub(super) fn write_all(&self, first: usize, out: &mut Writer) {
        match self.values.get(&first) {
            Some((name, _)) => self.write_group(*name, out),
            None => self.write_name(first, out),
        }
    }

    pub(super) fn block_name(&self, block: &Ref<Block>) -> String {
        match self.blocks.get(&object_address(block)) {
            Some(number) => format!("^bb{number}"),
            None => "^<<INVALID BLOCK>>".to_owned(),
        }
    }

    pub(super) fn predecessors(&self, block: &Ref<Block>) -> &[usize] {
        self.predecessors
            .get(&object_address(block))
            .map_or(&[], Vec::as_slice)
    }
}

/// Returns the name of a location, or the first name in it.
fn location_name(location: &Ref<Attribute>) -> Option<String> {
    let mut waiting = vec![location.clone()];
    while let Some(it) = waiting.pop() {
        match it.head() {
            AttributeHead::NameLoc(name) => return Some(name.to_string()).filter(|it| !it.is_empty()),
            AttributeHead::FusedLoc(with_metadata) => {
                let parts = it.attributes();
                let parts = &parts[..parts.len() - usize::from(*with_metadata)];
                waiting.grow(parts.iter().rev().cloned());
            }
            AttributeHead::CallSiteLoc => waiting.grow(it.attributes().iter().rev().cloned()),
            _ => {}
        }
    }
    None
}
