//! Inlining: calls of functions of one block that do not call themselves, also not by way of others.

use std::collections::{HashMap, HashSet};

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Pass;
use crate::attributes::AttributeHead;
use crate::ir::{Block, Operation, Value, edits, operands};

const CALL: &str = "func.call";
const FUNCTION: &str = "func.func";
const RETURN: &str = "func.return";

pub(super) struct Inline;

impl Pass for Inline {
    fn name(&self) -> &'static str {
        "inline"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let graph = Graph::of(op);
        let mut inlined = graph.in_order();
        // What stands outside of all functions calls, too.
        inlined.push(op.clone());
        for caller in &inlined {
            for call in edits::inside(caller).iter().filter(|it| **it.name() == *CALL) {
                if call.is_erased() {
                    continue;
                }
                if let Some(callee) = graph.callee(call).filter(|it| !graph.is_recursive(it)) {
                    inline(call, callee)?;
                }
            }
        }
        Ok(())
    }
}

/// The functions of a module by name, and whom they call.
struct Graph {
    functions: HashMap<Str, Ref<Operation>>,
    order: Vec<Str>,
    calls: HashMap<Str, Vec<Str>>,
}

/// Whom a call calls.
fn callee_name(call: &Ref<Operation>) -> Option<Str> {
    let callee = call.attribute("callee")?;
    match callee.head() {
        AttributeHead::SymbolRef(path) if path.len() == 1 => Some((*path[0]).into()),
        _ => None,
    }
}

impl Graph {
    fn of(module: &Ref<Operation>) -> Graph {
        let (mut functions, mut order, mut calls) = (HashMap::new(), Vec::new(), HashMap::new());
        for region in module.list(|it| &it.regions).iter() {
            for block in region.list(|it| &it.blocks).iter() {
                for op in block.list(|it| &it.operations).iter() {
                    let Some(name) = edits::symbol_name(&op).filter(|_| **op.name() == *FUNCTION) else {
                        continue;
                    };
                    let inner = edits::inside(&op);
                    let called = inner.iter().filter(|it| **it.name() == *CALL);
                    calls.insert(name.clone(), called.filter_map(callee_name).collect());
                    functions.insert(name.clone(), op);
                    order.push(name);
                }
            }
        }
        Graph {
            functions,
            order,
            calls,
        }
    }

    fn callee(&self, call: &Ref<Operation>) -> Option<&Ref<Operation>> {
        self.functions.get(&callee_name(call)?)
    }

    fn called_by(&self, name: &Str) -> &[Str] {
        self.calls.get(name).map_or(&[], Vec::as_slice)
    }

    /// All functions, those that are called before those that call them.
    fn in_order(&self) -> Vec<Ref<Operation>> {
        let (mut done, mut sorted) = (HashSet::new(), Vec::new());
        for name in &self.order {
            let mut open = vec![(name, false)];
            while let Some((name, entered)) = open.pop() {
                if entered {
                    sorted.extend(self.functions.get(name).cloned());
                } else if done.insert(name) {
                    open.push((name, true));
                    open.extend(self.called_by(name).iter().map(|it| (it, false)));
                }
            }
        }
        sorted
    }

    /// Whether a function may come to call itself.
    fn is_recursive(&self, function: &Ref<Operation>) -> bool {
        let Some(own) = edits::symbol_name(function) else {
            return true;
        };
        let (mut seen, mut open) = (HashSet::new(), vec![&own]);
        while let Some(name) = open.pop() {
            for next in self.called_by(name) {
                if *next == own {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}

/// The block of a function that has one, and what it returns.
fn body(function: &Ref<Operation>) -> Option<(Ref<Block>, Ref<Operation>)> {
    let region = function.list(|it| &it.regions).first()?;
    let blocks = region.list(|it| &it.blocks);
    let block = blocks.first().filter(|_| blocks.len() == 1)?;
    let end = block.list(|it| &it.operations).last()?;
    (**end.name() == *RETURN).then_some((block, end))
}

/// Puts what a function does in place of a call, if all fits together.
fn inline(call: &Ref<Operation>, function: &Ref<Operation>) -> Result<()> {
    let Some((block, end)) = body(function) else {
        return Ok(());
    };
    let arguments: Vec<Ref<Value>> = block.list(|it| &it.arguments).iter().collect();
    let results: Vec<Ref<Value>> = call.list(|it| &it.results).iter().collect();
    let given: Option<Vec<Ref<Value>>> = operands(call).into_iter().collect();
    let returned: Option<Vec<Ref<Value>>> = operands(&end).into_iter().collect();
    let (Some(given), Some(returned)) = (given, returned) else {
        return Ok(());
    };
    let alike = |a: &[Ref<Value>], b: &[Ref<Value>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.r#type().is(&b.r#type()))
    };
    if !alike(&arguments, &given) || !alike(&results, &returned) || edits::is_inside(call, function) {
        return Ok(());
    }
    let mut operations: Vec<Ref<Operation>> = block.list(|it| &it.operations).iter().collect();
    operations.pop();
    let become_: Vec<_> = arguments.into_iter().zip(given).collect();
    let (copies, new) = edits::clone_several(&operations, &become_, &returned)?;
    for copy in &copies {
        edits::move_before(copy, call)?;
    }
    for (old, new) in results.iter().zip(&new) {
        edits::replace_uses(old, new)?;
    }
    edits::erase_all(call)
}
