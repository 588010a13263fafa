//! The runs under way on this thread, for hooks that ask.

use std::collections::VecDeque;

use pairbond::prelude::*;

use super::plan::{Plan, node_address};
use crate::graph::Node;
use crate::state::{self, Run};

/// Looks at the runs of this thread.
fn with_runs<R>(look: impl FnOnce(&mut Vec<Run>) -> R) -> R {
    state::with_state(|state| look(&mut state.runs.borrow_mut()))
}

/// Until it is dropped, a run is the current one.
pub(super) struct Current;

impl Drop for Current {
    fn drop(&mut self) {
        let last = with_runs(Vec::pop);
        drop(last);
    }
}

/// Whether this thread is in a run.
pub(super) fn is_within() -> bool {
    with_runs(|runs| !runs.is_empty())
}

pub(super) fn enter_run(plan: &Plan) -> Current {
    let run = Run {
        // Hooks of several threads tell runs apart by it.
        id: state::next_run(),
        nodes: plan.will_run(),
        callbacks: VecDeque::new(),
    };
    with_runs(|runs| runs.push(run));
    Current
}

impl Current {
    /// All nodes have run: calls the [queued](queue_callback) callbacks, and those that they queue.
    pub(super) fn run_callbacks(self) -> Result<()> {
        let next = || with_runs(|runs| runs.last_mut()?.callbacks.pop_front());
        while let Some(callback) = next() {
            callback.call(&[])?.discard();
        }
        Ok(())
    }
}

/// Calls something when the run that this thread is in is done.
#[pairbond::function]
#[name("_queue_callback")]
pub fn queue_callback(callback: Function) -> Result<()> {
    with_runs(|runs| match runs.last_mut() {
        Some(run) => {
            run.callbacks.push_back(callback);
            Ok(())
        }
        None => Err(Error::runtime_error(
            "Final callbacks can only be installed during backward pass.",
        )),
    })
}

/// The number of the run that this thread is in; -1 if it is in none.
#[pairbond::function]
#[name("_current_graph_task_id")]
pub fn current_graph_task_id() -> i64 {
    with_runs(|runs| runs.last().map_or(-1, |run| run.id))
}

/// Whether the run that this thread is in runs a node.
#[pairbond::function]
#[name("_will_engine_execute_node")]
pub fn will_engine_execute_node(node: Ref<Node>) -> Result<bool> {
    let found = with_runs(|runs| {
        runs.last()
            .map(|run| run.nodes.contains_key(&node_address(&node)))
    });
    found.ok_or_else(|| {
        Error::runtime_error("_get_will_engine_execute_node should only be called from within a run")
    })
}
