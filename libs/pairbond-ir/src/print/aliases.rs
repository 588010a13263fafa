//! Which types and attributes are written once, under a name: locations, affine maps and sets, and
//! long tuples, as with MLIR. What only operations come from stands behind them, all else before.
//!
//! A type or attribute whose parts are shared has a text that may be exponentially longer than its
//! parts: one that would be longer than [`LONG`] has a name, too.

use std::collections::HashMap;

use pairbond::prelude::*;
use pairbond::tree::{TreeGuard, TreeNode, with_lock};

use super::lengths::check_length;
use super::state::AsmState;
use super::{Elide, Writer};
use crate::context::attributes::{Attribute, AttributeHead};
use crate::context::types::{Type, TypeHead};
use crate::fast::FastMap;
use crate::ir::read::{some_or_unwind, unwind_on_signal};
use crate::ir::{Operation, Spot};
use crate::room::{Grow, Room};

/// So many parts, written one in the other, are a lot.
const LONG: usize = 1 << 16;

/// A named type or attribute: how deep names are in it, whether it is an attribute, its name, and
/// itself.
struct Named {
    depth: usize,
    is_attribute: bool,
    word: &'static str,
    what: What,
}

/// The state of a type or attribute that was seen.
#[derive(Clone, Copy)]
struct Seen {
    /// How deep names are in it, itself included; 0 for none.
    depth: usize,
    /// How many parts are written where it is used.
    length: usize,
    /// The same if nothing had a name.
    whole: usize,
    /// Only operations come from there.
    last: bool,
}

enum What {
    Type(Ref<Type>),
    Attribute(Ref<Attribute>),
}

/// Items still to be visited, the last one first.
enum Waiting {
    What(What),
    /// Where an operation comes from.
    Place(Ref<Attribute>, Spot),
    /// An operation, after its contents.
    Inside(Ref<Operation>),
    /// An operation by itself.
    Own(Ref<Operation>),
    /// An operation and those behind it.
    From(Ref<Operation>),
}

/// All that was seen so far, with the depth of names in it.
#[derive(Default)]
pub(super) struct Aliases {
    seen: FastMap<usize, Seen>,
    all: Vec<Named>,
    /// Whether locations are written.
    locations: bool,
    /// The names of data that attributes refer to.
    pub(super) resources: Vec<Box<str>>,
}

fn address_of<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

impl Aliases {
    /// Those of an operation: its location first, then its contents, then its types, then its
    /// attributes.
    pub(super) fn of_operation(op: &Ref<Operation>, state: &AsmState, locations: bool) -> Aliases {
        let mut found = Aliases {
            locations,
            ..Aliases::default()
        };
        let (mut waiting, mut operands) = (vec![Waiting::Inside(op.clone())], Vec::new());
        while let Some(next) = waiting.pop() {
            let at = waiting.len();
            match next {
                Waiting::What(What::Type(it)) => {
                    found.visit_type(&it);
                }
                Waiting::What(What::Attribute(it)) => {
                    found.visit_attribute(&it, false);
                }
                Waiting::Place(text, spot) => {
                    found.visit_attribute(&spot.location_in(text), true);
                }
                Waiting::Own(op) => found.add_own(&op, state, &mut operands),
                Waiting::Inside(op) => {
                    waiting.room().push(Waiting::Own(op.clone()));
                    if locations {
                        found.visit_attribute(&op.location(), true);
                    }
                    for region in op.list(|it| &it.regions).to_vec() {
                        for block in region.list(|it| &it.blocks).to_vec() {
                            let arguments = block.list(|it| &it.arguments).to_vec();
                            for it in arguments {
                                waiting.room().push(Waiting::What(What::Type(it.r#type())));
                                if locations {
                                    let location = What::Attribute(crate::ir::location_of(&it));
                                    waiting.room().push(Waiting::What(location));
                                }
                            }
                            let first = block.list(|it| &it.operations).first();
                            waiting.grow(first.map(Waiting::From));
                        }
                    }
                    waiting[at + 1..].reverse();
                }
                Waiting::From(first) => {
                    let next = some_or_unwind(&first, |guard, it| {
                        let op = it.get();
                        let leaf = guard.children(&op.regions).next().is_none();
                        if !(leaf && found.add_unseen(guard, op, state, &mut operands, &mut waiting)) {
                            waiting
                                .room()
                                .extend(guard.handle(it, &first).map(Waiting::Inside));
                        }
                    });
                    waiting.grow(next.map(Waiting::From));
                    waiting[at..].reverse();
                }
            }
        }
        found.all.sort_by_key(|it| (it.depth, it.is_attribute, it.word));
        found
    }

    /// Adds what an operation has that was not seen yet. `false`, and nothing is added: it uses
    /// what has no name here.
    fn add_unseen(
        &self,
        guard: &TreeGuard,
        op: &Operation,
        state: &AsmState,
        operands: &mut Vec<usize>,
        waiting: &mut Vec<Waiting>,
    ) -> bool {
        operands.clear();
        op.operand_addresses(guard, operands);
        if operands.iter().any(|it| state.type_at(*it).is_none()) {
            return false;
        }
        if self.locations {
            let text = op.about.with_in(guard, |(location, ..)| location.clone());
            waiting
                .room()
                .push(Waiting::Place(text, op.about.small_in(guard)));
        }
        let mut see = |it: &Ref<Type>| {
            if !self.seen.contains_key(&address_of(&**it)) {
                waiting.room().push(Waiting::What(What::Type(it.clone())));
            }
        };
        let types = operands.iter().filter_map(|it| state.type_at(*it));
        types.for_each(&mut see);
        guard
            .children(&op.results)
            .for_each(|it| it.get().with_type(guard, &mut see));
        op.about.with_in(guard, |(_, attributes, properties)| {
            for it in properties.iter().chain(attributes) {
                if !self.seen.contains_key(&address_of(&**it)) {
                    waiting.room().push(Waiting::What(What::Attribute(it.clone())));
                }
            }
        });
        true
    }

    fn add_own(&mut self, op: &Ref<Operation>, state: &AsmState, operands: &mut Vec<usize>) {
        operands.clear();
        with_lock(|guard| op.operand_addresses(guard, operands));
        let known: Option<Vec<_>> = operands.iter().map(|it| state.type_at(*it)).collect();
        match known {
            Some(types) => {
                for it in types {
                    self.visit_type(it);
                }
            }
            None => {
                for operand in crate::ir::all_operands(op).into_iter().flatten() {
                    self.visit_type(&operand.r#type());
                }
            }
        }
        for result in op.list(|it| &it.results).to_vec() {
            self.visit_type(&result.r#type());
        }
        for part in op.properties().into_iter().chain(op.attributes()) {
            self.visit_attribute(&part, false);
        }
    }

    /// Combines the parts of an object: the depth of names, and its length.
    fn visit_parts(&mut self, types: &[Ref<Type>], attributes: &[&Ref<Attribute>], last: bool) -> Seen {
        crate::recursion::with_stack(|| {
            let mut all = Seen {
                depth: 0,
                length: 1,
                whole: 1,
                last,
            };
            let mut add = |it: Seen| {
                all.depth = all.depth.max(it.depth);
                all.length = all.length.saturating_add(it.length);
                all.whole = all.whole.saturating_add(it.whole);
            };
            types.iter().for_each(|it| add(self.visit_type(it)));
            attributes
                .iter()
                .for_each(|it| add(self.visit_attribute(it, last)));
            all
        })
    }

    fn visit_type(&mut self, it: &Ref<Type>) -> Seen {
        if let Some(known) = self.seen.get(&address_of(&**it)) {
            return *known;
        }
        let attributes: Vec<_> = it.attributes().iter().collect();
        let inner = self.visit_parts(it.types(), &attributes, false);
        let named = (*it.head() == TypeHead::Tuple && it.types().len() > 16).then_some("tuple");
        let named = named.or_else(|| is_long(inner.length, it.types().len() + attributes.len()));
        self.record_seen(address_of(&**it), inner, named, || What::Type(it.clone()))
    }

    /// `last`: it is where an operation comes from, or a part of that.
    fn visit_attribute(&mut self, it: &Ref<Attribute>, last: bool) -> Seen {
        if let Some(known) = self.seen.get(&address_of(&**it)) {
            let known = *known;
            if known.last && !last {
                self.not_last(it);
            }
            return known;
        }
        let attributes = parts_of(it);
        let inner = self.visit_parts(it.types(), &attributes, last);
        let named = match it.head() {
            AttributeHead::AffineMap(_) => Some("map"),
            AttributeHead::IntegerSet(_) => Some("set"),
            AttributeHead::Distinct(_) => Some("distinct"),
            AttributeHead::DenseResource(name) => {
                if !self.resources.contains(name) {
                    self.resources.room().push(name.clone());
                }
                None
            }
            head if head.is_location() => Some("loc"),
            _ => is_long(inner.length, it.types().len() + attributes.len()),
        };
        self.record_seen(address_of(&**it), inner, named, || What::Attribute(it.clone()))
    }

    /// Something else uses what an operation comes from.
    fn not_last(&mut self, it: &Ref<Attribute>) {
        match self.seen.get_mut(&address_of(&**it)) {
            Some(known) if known.last => known.last = false,
            _ => return,
        }
        crate::recursion::with_stack(|| parts_of(it).into_iter().for_each(|it| self.not_last(it)));
    }

    fn record_seen(
        &mut self,
        address: usize,
        mut seen: Seen,
        named: Option<&'static str>,
        what: impl FnOnce() -> What,
    ) -> Seen {
        seen.depth = match seen.depth {
            0 => usize::from(named.is_some()),
            inner => inner + 1,
        };
        if let Some(word) = named {
            let what = what();
            let is_attribute = matches!(what, What::Attribute(_));
            seen.length = 1;
            self.all.room().push(Named {
                depth: seen.depth,
                is_attribute,
                word,
                what,
            });
        }
        self.seen.room().insert(address, seen);
        seen
    }

    /// Refuses what has parts that are shared so often that its text without names would be
    /// exponentially long.
    ///
    /// Unwinds with the error.
    pub(super) fn check_without_names(&self) {
        let longest = self.seen.values().map(|it| it.whole).max();
        check_length(longest.unwrap_or(0), self.seen.len());
    }

    /// Names all, and writes the definitions that do not stand last; from then on the names stand
    /// for their definitions.
    pub(super) fn write_definitions(&self, out: &mut Writer) {
        let mut counts: HashMap<(bool, &str), usize> = HashMap::new();
        for (place, it) in self.all.iter().enumerate() {
            if place % 4096 == 0 {
                unwind_on_signal();
            }
            let count = counts.room().entry((it.is_attribute, it.word)).or_default();
            let mark = if it.is_attribute { '#' } else { '!' };
            let name = match *count {
                0 => format!("{mark}{}", it.word),
                count => format!("{mark}{}{count}", it.word),
            };
            *count += 1;
            out.aliases.room().insert(it.address(), name);
        }
        self.define_aliases(out, false);
    }

    /// Writes the definitions of what stands last.
    pub(super) fn write_last(&self, out: &mut Writer) {
        self.define_aliases(out, true);
    }

    fn define_aliases(&self, out: &mut Writer, last: bool) {
        for (place, it) in self.all.iter().enumerate() {
            if place % 256 == 0 {
                unwind_on_signal();
            }
            let address = it.address();
            if self.seen.get(&address).is_some_and(|seen| seen.last) != last {
                continue;
            }
            let name = out.aliases.get(&address).cloned().unwrap_or_default();
            out.push_format(format_args!("{name} = "));
            match &it.what {
                What::Type(it) => out.whole_type(it),
                What::Attribute(it) => out.whole_attribute(it, Elide::Never),
            }
            out.push("\n");
        }
    }
}

impl Named {
    fn address(&self) -> usize {
        match &self.what {
            What::Type(it) => address_of(&**it),
            What::Attribute(it) => address_of(&**it),
        }
    }
}

/// The parts written in an attribute, in the order in which names are given: the metadata of fused
/// locations before their parts.
fn parts_of(it: &Attribute) -> Vec<&Ref<Attribute>> {
    let all = it.attributes().iter();
    match it.head() {
        AttributeHead::NameLoc(_) => all.filter(|it| *it.head() != AttributeHead::UnknownLoc).collect(),
        AttributeHead::FusedLoc(true) => {
            let (last, rest) = it
                .attributes()
                .split_last()
                .map_or((None, &[][..]), |(it, rest)| (Some(it), rest));
            last.into_iter().chain(rest).collect()
        }
        _ => all.collect(),
    }
}

/// The name of an attribute that is written once because its text is long for the number of its
/// parts.
fn is_long(length: usize, parts: usize) -> Option<&'static str> {
    (length > LONG && length / 16 > parts).then_some("shared")
}
