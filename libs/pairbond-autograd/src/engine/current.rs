//! The runs under way on this thread, for hooks that ask.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicI64, Ordering};

use pairbond::prelude::*;

use super::Node;
use super::plan::{ByNode, Plan, key};

thread_local! {
    static RUNS: RefCell<Vec<(i64, Rc<ByNode<()>>)>> = const { RefCell::new(Vec::new()) };
}

/// Hooks of several threads tell runs apart by it.
static NEXT: AtomicI64 = AtomicI64::new(0);

/// Until it is dropped, a run is the current one.
pub(super) struct Current;

impl Drop for Current {
    fn drop(&mut self) {
        let last = RUNS.with_borrow_mut(Vec::pop);
        drop(last);
    }
}

pub(super) fn enter(plan: &Plan) -> Current {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    RUNS.with_borrow_mut(|runs| runs.push((id, plan.will_run())));
    Current
}

/// The number of the run that this thread is in; -1 if it is in none.
#[pairbond::function]
#[name("_current_graph_task_id")]
pub(crate) fn current_graph_task_id() -> i64 {
    RUNS.with_borrow(|runs| runs.last().map_or(-1, |(id, _)| *id))
}

/// Whether the run that this thread is in runs a node.
#[pairbond::function]
#[name("_will_engine_execute_node")]
pub(crate) fn will_engine_execute_node(node: Ref<Node>) -> Result<bool> {
    let found = RUNS.with_borrow(|runs| runs.last().map(|(_, nodes)| nodes.contains_key(&key(&node))));
    found.ok_or_else(|| {
        Error::runtime_error("_get_will_engine_execute_node should only be called from within a run")
    })
}
