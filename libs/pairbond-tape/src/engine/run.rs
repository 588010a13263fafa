//! Running a graph backwards.
//!
//! A node is ready when all that lead to it have run: first the references between the nodes that
//! can be reached are counted, then nodes run, the ready one that was made last first, and each
//! gives its gradients to the buffers of the next. A hook or a custom function may run a graph
//! itself: that is a run of its own, on the same thread, which ends before the outer one goes on.

use std::collections::BinaryHeap;

use pairbond::memory::{Room, or_unwind};
use pairbond::prelude::*;

use super::plan::{Goal, Plan, node_address};
use super::{anomaly, call_hooks, current, in_place, saved};
use crate::graph::{AccumulateGrad, Edge, Grads, Named, Node, T, dispatch};
use crate::mode::Mode;
use crate::node_map::ByNode;
use crate::room::none_list;

/// How to run.
pub(super) struct Options {
    /// Saved values are kept for the next run.
    pub(super) keep: bool,
    /// The way back is recorded itself.
    pub(super) create_graph: bool,
}

/// A node without pending dependencies.
struct Ready(Ref<Node>, Grads);

impl Ord for Ready {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.sequence_number().cmp(&other.0.sequence_number())
    }
}
impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Ready {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Ready {}

/// The nodes that wait, and for how many others.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) dependencies: u32,
    grads: Grads,
}

/// A run.
struct Task {
    waiting: ByNode<Waiting>,
    ready: BinaryHeap<Ready>,
    plan: Plan,
    options: Options,
}

impl Task {
    /// Adds a gradient to what waits for it.
    fn add_grad(&mut self, node: &Ref<Node>, input: u32, grad: T) -> Result<()> {
        let grads = &mut self.waiting.room().entry(node_address(node)).or_default().grads;
        let input = input as usize;
        if grads.len() <= input {
            or_unwind(grads.try_reserve(input + 1 - grads.len()));
            grads.resize(input + 1, None);
        }
        grads[input] = Some(match grads[input].take() {
            None => grad,
            Some(before) => dispatch::add_values(&before, &grad)?,
        });
        Ok(())
    }

    /// Puts a node among those that are ready, if it has no pending dependencies.
    fn push_if_ready(&mut self, node: Ref<Node>) {
        let waiting = self.waiting.room().entry(node_address(&node)).or_default();
        if waiting.dependencies == 0 {
            let grads = std::mem::take(&mut waiting.grads);
            self.ready.room().push(Ready(node, grads));
        }
    }

    /// One that leads to it has run.
    fn finish_dependency(&mut self, node: Ref<Node>) {
        if let Some(waiting) = self.waiting.get_mut(&node_address(&node)) {
            waiting.dependencies -= 1;
            self.push_if_ready(node);
        }
    }

    /// Runs one node, and passes its results on.
    fn run_node(&mut self, node: &Ref<Node>, mut grads: Grads) -> Result<()> {
        call_hooks::of_tensors(node, &mut grads)?;
        self.plan.capture_grads(node, &grads);
        let given = if self.plan.is_needed(node) {
            self.apply_node(node, grads)?
        } else {
            Vec::new()
        };
        let edges = node.next.get();
        let mut given = given.into_iter();
        for (place, edge) in edges.into_iter().enumerate() {
            let grad = given.next().flatten();
            let (Some(next), input) = edge else { continue };
            if !self.plan.is_wanted(&next) {
                continue;
            }
            if let Some(mut grad) = grad {
                if next.rule.is_none()
                    && let Some(leaf) = AccumulateGrad::from_node(&next)
                {
                    grad = leaf.fit_grad(node, place, grad)?;
                }
                self.add_grad(&next, input, grad)?;
            }
            self.finish_dependency(next);
        }
        Ok(())
    }

    fn apply_node(&self, node: &Ref<Node>, mut grads: Grads) -> Result<Grads> {
        call_hooks::run_pre_hooks(node, &mut grads)?;
        let mut given = node_grads(node, &grads)?;
        call_hooks::run_post_hooks(node, &mut given, &grads)?;
        if !self.options.keep {
            node.release_saved();
            if let Some(slices) = in_place::CopySlices::from_node(node) {
                slices.release_inner();
            }
        }
        anomaly::check_nan(node, &given)?;
        Ok(given)
    }
}

/// Computes the gradients of a node's inputs.
pub(super) fn node_grads(node: &Ref<Node>, grads: &Grads) -> Result<Grads> {
    if let Some(rule) = &node.rule {
        if grads.iter().all(Option::is_none) && !rule.runs_without_gradients() {
            return Ok(none_list(node.next.with(Vec::len)));
        }
        return rule.compute_grads(node, grads);
    }
    if let Some(leaf) = AccumulateGrad::from_node(node) {
        if let Some(Some(grad)) = grads.first() {
            accumulate_grad(&leaf, grad)?;
        }
        return Ok(Vec::new());
    }
    if let Some(slices) = in_place::CopySlices::from_node(node) {
        return slices.whole_grads(grads);
    }
    Err(Error::runtime_error(format!("{} has no derivative", node.name())))
}

/// Adds a gradient to that of a leaf, and calls the hooks that wait for that. A value that requires
/// none any more gets none.
fn accumulate_grad(leaf: &AccumulateGrad, grad: &T) -> Result<()> {
    let variable = leaf.variable();
    if !variable.requires_grad() {
        return Ok(());
    }
    AccumulateGrad::add_to(variable, grad)?;
    call_hooks::run_accumulate_hooks(variable)
}

/// The bytes of stack that a nested run leaves to hooks and functions.
const SPARE: usize = 128 << 10;

/// Checks that there is room for a nested run: each takes some of the stack, which nothing else
/// counts.
fn check_room() -> Result<()> {
    if !current::is_within() || stacker::remaining_stack().is_none_or(|left| left >= SPARE) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Custom("builtins.RecursionError".into()),
        "backward() is called within backward() too often: the stack of this thread is used up",
    ))
}

/// Runs what leads from `roots` to the goal, and gives the gradients that it is for.
pub(super) fn run_graph(roots: Vec<(Edge, T)>, goal: Goal<'_>, options: Options) -> Result<Vec<Option<T>>> {
    check_room()?;
    let _mode = Mode::set(options.create_graph);
    let _hooks = saved::InForce::current();
    let nodes = || roots.iter().filter_map(|((node, _), _)| node.as_ref());
    let mut waiting = ByNode::default();
    let plan = Plan::from_roots(nodes(), goal, &mut waiting)?;
    let current = current::enter_run(&plan);
    let mut task = Task {
        waiting,
        ready: BinaryHeap::new(),
        plan,
        options,
    };
    let mut first: Vec<Ref<Node>> = Vec::new();
    for ((node, input), grad) in roots {
        let Some(node) = node else { continue };
        task.add_grad(&node, input, grad)?;
        if !first.iter().any(|other| other.is(&node)) {
            first.room().push(node);
        }
    }
    // A root to which another leads waits for that.
    first.into_iter().for_each(|node| task.push_if_ready(node));
    while let Some(Ready(node, grads)) = task.ready.pop() {
        // Between two steps, where each gradient was added as a whole or not at all.
        pairbond::check_signals()?;
        task.run_node(&node, grads)
            .map_err(|error| anomaly::explain_failure(&node, error))?;
    }
    current.run_callbacks()?;
    Ok(task.plan.into_captured())
}
