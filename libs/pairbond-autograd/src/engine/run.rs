//! Running a graph backwards.
//!
//! A node is ready when all that wait for it have run: first the references between the nodes that can be reached are counted, then nodes run, the ready
//! one that was made last first, and each gives its gradients to the buffers of the next.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use pairbond::prelude::*;

use super::mode::Mode;
use super::node::Edge;
use super::rule::{Given, Grads};
use super::{AccumulateGrad, Node};
use crate::ops;
use crate::tensor::T;

/// How to run.
pub(super) struct Options {
    /// What the derivatives need is kept for the next time.
    pub(super) keep: bool,
    /// The way back is recorded itself.
    pub(super) create_graph: bool,
}

/// Addresses are as good as hashes, but for their low bits.
#[derive(Default)]
struct Address(u64);

impl Hasher for Address {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses only")
    }
    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64 >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

type ByNode<V> = HashMap<usize, V, BuildHasherDefault<Address>>;

fn key(node: &Ref<Node>) -> usize {
    std::ptr::from_ref(node.header()).addr()
}

/// A node that nobody waits for.
struct Ready(Ref<Node>, Grads);

impl Ord for Ready {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.sequence().cmp(&other.0.sequence())
    }
}
impl PartialOrd for Ready {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Ready {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Ready {}

/// What waits, and for how many.
#[derive(Default)]
struct Waiting {
    dependencies: u32,
    grads: Grads,
}

/// A run.
struct Task {
    waiting: ByNode<Waiting>,
    ready: BinaryHeap<Ready>,
}

impl Task {
    /// Counts who waits for whom.
    fn count(&mut self, roots: impl Iterator<Item = Ref<Node>>) {
        let mut open: Vec<Ref<Node>> = Vec::new();
        let mut seen: ByNode<()> = ByNode::default();
        for root in roots {
            if seen.insert(key(&root), ()).is_none() {
                open.push(root);
            }
        }
        while let Some(node) = open.pop() {
            node.next.with(|next| {
                for (next, _) in next {
                    let Some(next) = next else { continue };
                    self.waiting.entry(key(next)).or_default().dependencies += 1;
                    if seen.insert(key(next), ()).is_none() {
                        open.push(next.clone());
                    }
                }
            });
        }
    }

    /// Adds a gradient to what waits for it.
    fn give(&mut self, node: &Ref<Node>, input: u32, grad: T) -> Result<()> {
        let grads = &mut self.waiting.entry(key(node)).or_default().grads;
        let input = input as usize;
        if grads.len() <= input {
            grads.resize(input + 1, None);
        }
        grads[input] = Some(match grads[input].take() {
            None => grad,
            Some(before) => ops::add(&before, &grad)?,
        });
        Ok(())
    }

    /// One who waited for it has run.
    fn came(&mut self, node: Ref<Node>) {
        let Some(waiting) = self.waiting.get_mut(&key(&node)) else {
            return;
        };
        waiting.dependencies -= 1;
        if waiting.dependencies == 0 {
            let grads = std::mem::take(&mut waiting.grads);
            self.ready.push(Ready(node, grads));
        }
    }
}

/// Runs all that leads to `roots`.
pub(super) fn run(roots: Vec<(Edge, T)>, options: Options) -> Result<()> {
    let _mode = Mode::set(options.create_graph);
    let mut task = Task {
        waiting: ByNode::default(),
        ready: BinaryHeap::new(),
    };
    task.count(roots.iter().filter_map(|((node, _), _)| node.clone()));
    let mut first: Vec<Ref<Node>> = Vec::new();
    for ((node, input), grad) in roots {
        let Some(node) = node else { continue };
        task.give(&node, input, grad)?;
        if !first.iter().any(|other| other.is(&node)) {
            first.push(node);
        }
    }
    for node in first {
        // Those that others lead to wait for these.
        let Some(waiting) = task.waiting.get_mut(&key(&node)) else {
            continue;
        };
        if waiting.dependencies == 0 {
            let grads = std::mem::take(&mut waiting.grads);
            task.ready.push(Ready(node, grads));
        }
    }
    while let Some(Ready(node, grads)) = task.ready.pop() {
        let given = step(&node, grads, &options)?;
        // The node's references stay as they are: it may be run again.
        let edges = node.next.get();
        for (edge, grad) in edges
            .into_iter()
            .zip(given.into_iter().chain(std::iter::repeat(None)))
        {
            let (Some(next), input) = edge else { continue };
            if let Some(grad) = grad {
                task.give(&next, input, grad)?;
            }
            task.came(next);
        }
    }
    Ok(())
}

/// Runs one node.
fn step(node: &Ref<Node>, grads: Grads, options: &Options) -> Result<Grads> {
    if let Some(rule) = &node.rule {
        let given = rule.apply(&Given { node, grads: &grads })?;
        if !options.keep {
            node.release();
        }
        return Ok(given);
    }
    if let Ok(accumulate) = node.clone().downcast::<AccumulateGrad>()
        && let Some(grad) = grads.into_iter().flatten().next()
    {
        accumulate.add(&grad)?;
    }
    Ok(Vec::new())
}
