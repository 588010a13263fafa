//! Which types and attributes are written once, at the top, under a name: affine maps and sets, and long tuples, as with MLIR.

use std::collections::{HashMap, HashSet};

use pairbond::prelude::*;
use pairbond::tree::{Still, TreeNode, look};

use super::state::AsmState;
use super::{Elide, Writer};
use crate::attributes::{Attribute, AttributeHead};
use crate::fast::FastMap;
use crate::ir::Operation;
use crate::ir::read::some_or_unwind;
use crate::types::{Type, TypeHead};

/// What has a name: how deep names are in it, whether it is an attribute, which name, and what it is.
struct Named {
    depth: usize,
    is_attribute: bool,
    word: &'static str,
    what: What,
}

enum What {
    Type(Ref<Type>),
    Attribute(Ref<Attribute>),
}

/// What is to be looked at, the last one first.
enum Waiting {
    What(What),
    /// An operation, and what is in it before.
    Inside(Ref<Operation>),
    /// An operation by itself.
    Own(Ref<Operation>),
    /// An operation and those behind it.
    From(Ref<Operation>),
}

/// All that was seen so far, with the depth of names in it.
#[derive(Default)]
pub(super) struct Aliases {
    depths: FastMap<usize, Option<usize>>,
    all: Vec<Named>,
    /// What data attributes refer to.
    pub(super) resources: Vec<Box<str>>,
}

fn address<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

impl Aliases {
    /// Those of an operation: what is in it first, then its types, then its attributes.
    pub(super) fn of(op: &Ref<Operation>, state: &AsmState) -> Aliases {
        let mut found = Aliases::default();
        let (mut waiting, mut operands) = (vec![Waiting::Inside(op.clone())], Vec::new());
        while let Some(next) = waiting.pop() {
            let at = waiting.len();
            match next {
                Waiting::What(What::Type(it)) => {
                    found.r#type(&it);
                }
                Waiting::What(What::Attribute(it)) => {
                    found.attribute(&it);
                }
                Waiting::Own(op) => found.own(&op, state, &mut operands),
                Waiting::Inside(op) => {
                    waiting.push(Waiting::Own(op.clone()));
                    for region in op.list(|it| &it.regions).to_vec() {
                        for block in region.list(|it| &it.blocks).to_vec() {
                            let arguments = block.list(|it| &it.arguments).to_vec();
                            let types = arguments.iter().map(|it| What::Type(it.r#type()));
                            waiting.extend(types.map(Waiting::What));
                            let first = block.list(|it| &it.operations).first();
                            waiting.extend(first.map(Waiting::From));
                        }
                    }
                    waiting[at + 1..].reverse();
                }
                Waiting::From(first) => {
                    let next = some_or_unwind(&first, |still, it| {
                        let op = it.get();
                        let leaf = still.children(&op.regions).next().is_none();
                        if !(leaf && found.fresh(still, op, state, &mut operands, &mut waiting)) {
                            waiting.extend(still.handle(it, &first).map(Waiting::Inside));
                        }
                    });
                    waiting.extend(next.map(Waiting::From));
                    waiting[at..].reverse();
                }
            }
        }
        found.all.sort_by_key(|it| (it.depth, it.is_attribute, it.word));
        found
    }

    /// Adds what an operation has that was not seen yet. `false`, and nothing is added: it uses what has no name here.
    fn fresh(
        &self,
        still: &Still,
        op: &Operation,
        state: &AsmState,
        operands: &mut Vec<usize>,
        waiting: &mut Vec<Waiting>,
    ) -> bool {
        operands.clear();
        op.operand_addresses(still, operands);
        if operands.iter().any(|it| state.type_at(*it).is_none()) {
            return false;
        }
        let mut see = |it: &Ref<Type>| {
            if !self.depths.contains_key(&address(&**it)) {
                waiting.push(Waiting::What(What::Type(it.clone())));
            }
        };
        let types = operands.iter().filter_map(|it| state.type_at(*it));
        types.for_each(&mut see);
        still
            .children(&op.results)
            .for_each(|it| it.get().with_type(still, &mut see));
        op.about.with_in(still, |(_, attributes, properties)| {
            for it in properties.iter().chain(attributes) {
                if !self.depths.contains_key(&address(&**it)) {
                    waiting.push(Waiting::What(What::Attribute(it.clone())));
                }
            }
        });
        true
    }

    fn own(&mut self, op: &Ref<Operation>, state: &AsmState, operands: &mut Vec<usize>) {
        operands.clear();
        look(|still| op.operand_addresses(still, operands));
        let known: Option<Vec<_>> = operands.iter().map(|it| state.type_at(*it)).collect();
        match known {
            Some(types) => {
                for it in types {
                    self.r#type(it);
                }
            }
            None => {
                for operand in crate::ir::operands(op).into_iter().flatten() {
                    self.r#type(&operand.r#type());
                }
            }
        }
        for result in op.list(|it| &it.results).to_vec() {
            self.r#type(&result.r#type());
        }
        for part in op.properties().into_iter().chain(op.attributes()) {
            self.attribute(&part);
        }
    }

    fn r#type(&mut self, it: &Ref<Type>) -> Option<usize> {
        if let Some(known) = self.depths.get(&address(&**it)) {
            return *known;
        }
        let inner = super::deep(|| {
            let types: Vec<_> = it.types().iter().map(|it| self.r#type(it)).collect();
            let attributes: Vec<_> = it.attributes().iter().map(|it| self.attribute(it)).collect();
            types.into_iter().chain(attributes).flatten().max()
        });
        let named = (*it.head() == TypeHead::Tuple && it.types().len() > 16).then_some("tuple");
        self.note(address(&**it), inner, named, || What::Type(it.clone()))
    }

    fn attribute(&mut self, it: &Ref<Attribute>) -> Option<usize> {
        if let Some(known) = self.depths.get(&address(&**it)) {
            return *known;
        }
        let inner = super::deep(|| {
            let types: Vec<_> = it.types().iter().map(|it| self.r#type(it)).collect();
            let attributes: Vec<_> = it.attributes().iter().map(|it| self.attribute(it)).collect();
            types.into_iter().chain(attributes).flatten().max()
        });
        let named = match it.head() {
            AttributeHead::AffineMap(_) => Some("map"),
            AttributeHead::IntegerSet(_) => Some("set"),
            AttributeHead::Distinct(_) => Some("distinct"),
            AttributeHead::DenseResource(name) => {
                if !self.resources.contains(name) {
                    self.resources.push(name.clone());
                }
                None
            }
            _ => None,
        };
        self.note(address(&**it), inner, named, || What::Attribute(it.clone()))
    }

    fn note(
        &mut self,
        address: usize,
        inner: Option<usize>,
        named: Option<&'static str>,
        what: impl FnOnce() -> What,
    ) -> Option<usize> {
        let depth = match named {
            Some(word) => {
                let what = what();
                let is_attribute = matches!(what, What::Attribute(_));
                let depth = inner.map_or(0, |it| it + 1);
                self.all.push(Named {
                    depth,
                    is_attribute,
                    word,
                    what,
                });
                Some(depth)
            }
            None => inner,
        };
        self.depths.insert(address, depth);
        depth
    }

    /// Writes the definitions; from then on the names stand for what they define.
    pub(super) fn write(&self, out: &mut Writer) {
        let mut counts: HashMap<(bool, &str), usize> = HashMap::new();
        let mut names: HashSet<String> = HashSet::new();
        for it in &self.all {
            let count = counts.entry((it.is_attribute, it.word)).or_default();
            let mark = if it.is_attribute { '#' } else { '!' };
            let name = match *count {
                0 => format!("{mark}{}", it.word),
                count => format!("{mark}{}{count}", it.word),
            };
            *count += 1;
            names.insert(name.clone());
            out.format(format_args!("{name} = "));
            let address = match &it.what {
                What::Type(it) => {
                    out.whole_type(it);
                    address(&**it)
                }
                What::Attribute(it) => {
                    out.whole_attribute(it, Elide::Never);
                    address(&**it)
                }
            };
            out.push("\n");
            out.aliases.insert(address, name);
        }
    }
}
