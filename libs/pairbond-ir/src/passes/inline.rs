//! Inlining: calls of functions of one block that do not call themselves, also not by way of
//! others.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Pass;
use crate::context::attributes::AttributeHead;
use crate::fast::{FastMap, FastSet, object_address};
use crate::ir::{Block, Operation, Value, all_operands, edits, symbol_scope};
use crate::room::{Gather, Grow, Room, filled_vec};

const CALL: &str = "func.call";
const FUNCTION: &str = "func.func";
const RETURN: &str = "func.return";

pub(super) struct Inline;

impl Pass for Inline {
    fn name(&self) -> &'static str {
        "inline"
    }

    fn run(&self, op: &Ref<Operation>) -> Result<()> {
        let graph = Graph::call_graph(op);
        let mut callers = graph.in_order();
        // What stands outside of all functions calls, too.
        callers.room().push(op.clone());
        for caller in &callers {
            for call in edits::inside(caller).iter().filter(|it| **it.name() == *CALL) {
                if call.is_erased() {
                    continue;
                }
                if let Some(callee) = resolve_callee(call).filter(|it| graph.is_there_and_not_recursive(it)) {
                    inline_call(call, &callee)?;
                }
            }
        }
        Ok(())
    }
}

/// The functions in an operation, in nested modules too, by address, and which of them each calls.
struct Graph {
    functions: Vec<Ref<Operation>>,
    numbers: FastMap<usize, usize>,
    calls: Vec<Vec<usize>>,
}

/// The function that a call calls.
fn resolve_callee(call: &Ref<Operation>) -> Option<Ref<Operation>> {
    let attribute = call.find_attribute("callee")?;
    match attribute.head() {
        AttributeHead::SymbolRef(path) if path.len() == 1 => symbol_scope::resolve_symbol_path(call, path)
            .pop()
            .filter(|it| **it.name() == *FUNCTION),
        _ => None,
    }
}

impl Graph {
    fn call_graph(op: &Ref<Operation>) -> Graph {
        let all = edits::inside(op);
        let functions: Vec<Ref<Operation>> = all.into_iter().filter(|it| **it.name() == *FUNCTION).gather();
        let mut numbers = FastMap::<usize, usize>::default();
        for (number, it) in functions.iter().enumerate() {
            numbers.room().insert(object_address(it), number);
        }
        let called = |function: &Ref<Operation>| {
            let inner = edits::inside(function);
            let calls = inner.iter().filter(|it| **it.name() == *CALL);
            calls
                .filter_map(resolve_callee)
                .filter_map(|it| numbers.get(&object_address(&it)).copied())
                .gather()
        };
        let calls = functions.iter().map(called).gather();
        Graph {
            functions,
            numbers,
            calls,
        }
    }

    /// All functions, those that are called before those that call them.
    fn in_order(&self) -> Vec<Ref<Operation>> {
        let (mut done, mut sorted) = (filled_vec(false, self.functions.len()), Vec::new());
        for first in 0..self.functions.len() {
            let mut open = vec![(first, false)];
            while let Some((number, entered)) = open.pop() {
                if entered {
                    sorted.room().push(self.functions[number].clone());
                } else if !std::mem::replace(&mut done[number], true) {
                    open.room().push((number, true));
                    open.grow(self.calls[number].iter().map(|it| (*it, false)));
                }
            }
        }
        sorted
    }

    /// Whether a function is one of these, and cannot come to call itself.
    fn is_there_and_not_recursive(&self, function: &Ref<Operation>) -> bool {
        let Some(own) = self.numbers.get(&object_address(function)).copied() else {
            return false;
        };
        let (mut seen, mut open) = (FastSet::default(), vec![own]);
        while let Some(number) = open.pop() {
            for next in &self.calls[number] {
                if *next == own {
                    return false;
                }
                if seen.room().insert(*next) {
                    open.room().push(*next);
                }
            }
        }
        true
    }
}

/// The block of a function that has one, and its return operation.
fn single_block_body(function: &Ref<Operation>) -> Option<(Ref<Block>, Ref<Operation>)> {
    let region = function.list(|it| &it.regions).first()?;
    let blocks = region.list(|it| &it.blocks);
    let block = blocks.first().filter(|_| blocks.len() == 1)?;
    let end = block.list(|it| &it.operations).last()?;
    (**end.name() == *RETURN).then_some((block, end))
}

/// Puts what a function does in place of a call, if all fits together.
fn inline_call(call: &Ref<Operation>, function: &Ref<Operation>) -> Result<()> {
    let Some((block, end)) = single_block_body(function) else {
        return Ok(());
    };
    let arguments: Vec<Ref<Value>> = block.list(|it| &it.arguments).iter().gather();
    let results: Vec<Ref<Value>> = call.list(|it| &it.results).iter().gather();
    let given: Option<Vec<Ref<Value>>> = all_operands(call).into_iter().collect();
    let returned: Option<Vec<Ref<Value>>> = all_operands(&end).into_iter().collect();
    let (Some(given), Some(returned)) = (given, returned) else {
        return Ok(());
    };
    let alike = |a: &[Ref<Value>], b: &[Ref<Value>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.r#type().is(&b.r#type()))
    };
    if !alike(&arguments, &given) || !alike(&results, &returned) || edits::is_inside(call, function) {
        return Ok(());
    }
    let mut operations: Vec<Ref<Operation>> = block.list(|it| &it.operations).iter().gather();
    operations.pop();
    let become_: Vec<_> = arguments.into_iter().zip(given).gather();
    let (copies, new) = edits::clone_several(&operations, &become_, &returned)?;
    for copy in &copies {
        edits::move_before(copy, call)?;
    }
    for (old, new) in results.iter().zip(&new) {
        edits::replace_uses(old, new)?;
    }
    edits::erase_all(call)
}
