//! Which types and attributes are written once, at the top, under a name: affine maps and sets, and long tuples, as with MLIR.

use std::collections::{HashMap, HashSet};

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::names::Names;
use super::{Elide, Writer};
use crate::attributes::{Attribute, AttributeHead};
use crate::fast::FastMap;
use crate::ir::{Operation, operand_addresses};
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
    pub(super) fn of(op: &Ref<Operation>, names: &Names) -> Aliases {
        let mut found = Aliases::default();
        let mut waiting = vec![(op.clone(), false)];
        let mut operands = Vec::new();
        while let Some((op, seen)) = waiting.pop() {
            if seen {
                found.own(&op, names, &mut operands);
                continue;
            }
            let regions = op.list(|it| &it.regions).to_vec();
            if regions.is_empty() {
                found.own(&op, names, &mut operands);
                continue;
            }
            waiting.push((op, true));
            let at = waiting.len();
            for region in regions {
                for block in region.list(|it| &it.blocks).to_vec() {
                    for argument in block.list(|it| &it.arguments).to_vec() {
                        found.r#type(&argument.r#type());
                    }
                    let all = block.list(|it| &it.operations).to_vec();
                    waiting.extend(all.into_iter().map(|it| (it, false)));
                }
            }
            waiting[at..].reverse();
        }
        found.all.sort_by_key(|it| (it.depth, it.is_attribute, it.word));
        found
    }

    fn own(&mut self, op: &Ref<Operation>, names: &Names, operands: &mut Vec<usize>) {
        operand_addresses(op, operands);
        if operands.iter().all(|it| names.at(*it).is_some()) {
            for value in operands.iter().filter_map(|it| names.at(*it)) {
                self.r#type(&value.r#type());
            }
        } else {
            for operand in crate::ir::operands(op).into_iter().flatten() {
                self.r#type(&operand.r#type());
            }
        }
        for result in op.list(|it| &it.results).to_vec() {
            self.r#type(&result.r#type());
        }
        for part in op.properties.get().into_iter().chain([op.attributes.get()]) {
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
