//! Symbols that are private and that nobody who stays refers to. A name counts wherever it stands, so that of two symbols of one name in different tables
//! both stay if one is needed.

use std::collections::HashMap;

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Pass;
use crate::attributes::{Attribute, AttributeHead};
use crate::ir::{Operation, edits};

pub(super) struct SymbolDce;

impl Pass for SymbolDce {
    fn name(&self) -> &'static str {
        "symbol-dce"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let mut search = Search::default();
        search.waiting.push(op.clone());
        while let Some(op) = search.waiting.pop() {
            search.visit(&op);
        }
        let mut unused: Vec<Ref<Operation>> = search.unused.into_values().flatten().collect();
        unused.retain(|it| !it.is_erased());
        unused.iter().try_for_each(edits::erase_all)
    }
}

#[derive(Default)]
struct Search {
    waiting: Vec<Ref<Operation>>,
    /// Private symbols that nobody has referred to so far, by name.
    unused: HashMap<Box<str>, Vec<Ref<Operation>>>,
    used: std::collections::HashSet<Box<str>>,
}

impl Search {
    /// An operation that stays.
    fn visit(&mut self, op: &Ref<Operation>) {
        for attributes in [op.attributes(), op.properties()].iter().flatten() {
            self.refer(attributes);
        }
        for region in op.list(|it| &it.regions).iter() {
            for block in region.list(|it| &it.blocks).iter() {
                for inner in block.list(|it| &it.operations).iter() {
                    match private(&inner).filter(|it| !self.used.contains(&**it)) {
                        Some(name) => self.unused.entry((*name).into()).or_default().push(inner),
                        None => self.waiting.push(inner),
                    }
                }
            }
        }
    }

    fn refer(&mut self, attribute: &Attribute) {
        if let AttributeHead::SymbolRef(path) = attribute.head() {
            for name in path {
                self.waiting
                    .extend(self.unused.remove(name).into_iter().flatten());
                self.used.insert(name.clone());
            }
        }
        for inner in attribute.attributes() {
            crate::print::deep(|| self.refer(inner));
        }
    }
}

/// The name of a symbol that is seen in its table alone.
fn private(op: &Ref<Operation>) -> Option<Str> {
    const VISIBILITY: &str = "sym_visibility";
    let visibility = op.attribute(VISIBILITY)?;
    let is_private = edits::text_of(&visibility).is_some_and(|it| *it == *"private");
    edits::symbol_name(op).filter(|_| is_private)
}
