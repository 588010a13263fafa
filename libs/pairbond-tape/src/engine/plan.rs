//! The plan of a run: the dependencies between nodes, and, if gradients of certain tensors are
//! wanted, the nodes that lead to these.

use std::rc::Rc;

use pairbond::memory::{Gather, Room};
use pairbond::prelude::*;

use super::run::Waiting;
use crate::graph::{Edge, Grads, Node, T};
use crate::node_map::ByNode;
use crate::room::none_list;

/// Returns a number that identifies a node while it lives.
pub(super) fn node_address(node: &Ref<Node>) -> usize {
    std::ptr::from_ref(node.header()).addr()
}

/// The part of a node in a run.
#[derive(Default)]
struct Part {
    /// Something wanted is behind it.
    needed: bool,
    /// Which of its inputs are wanted, and where they go.
    captures: Vec<(u32, usize)>,
}

/// The goal of a run.
#[derive(Clone, Copy)]
pub(super) enum Goal<'a> {
    /// The gradients of all leaves.
    Leaves,
    /// That these nodes run, and what leads to them.
    Nodes(&'a [Edge]),
    /// The gradients that arrive at these places.
    Gradients(&'a [Edge]),
}

pub(super) struct Plan {
    /// `None`: all is wanted.
    parts: Option<ByNode<Part>>,
    captured: Vec<Option<T>>,
    /// All that can be reached.
    reached: Rc<ByNode<()>>,
}

impl Plan {
    /// Counts the dependencies of each node, and finds the nodes that are needed.
    pub(super) fn from_roots<'a>(
        roots: impl Iterator<Item = &'a Ref<Node>>,
        goal: Goal<'_>,
        waiting: &mut ByNode<Waiting>,
    ) -> Result<Plan> {
        let (mut parts, captures) = match goal {
            Goal::Leaves => (None, 0),
            Goal::Nodes(nodes) => (Some(edge_targets(nodes, |part, _, _| part.needed = true)), 0),
            Goal::Gradients(edges) => {
                let wanted = |part: &mut Part, input, slot| part.captures.room().push((input, slot));
                (Some(edge_targets(edges, wanted)), edges.len())
            }
        };
        let mut reached: ByNode<()> = ByNode::default();
        let mut open: Vec<Ref<Node>> = Vec::new();
        let mut order: Vec<Ref<Node>> = Vec::new();
        for root in roots {
            if reached.room().insert(node_address(root), ()).is_none() {
                open.room().push(root.clone());
            }
        }
        let mut seen = 0_usize;
        while let Some(node) = open.pop() {
            check_now_and_then(&mut seen)?;
            node.next.with(|next| {
                for next in next.iter().filter_map(|(next, _)| next.as_ref()) {
                    waiting.room().entry(node_address(next)).or_default().dependencies += 1;
                    if reached.room().insert(node_address(next), ()).is_none() {
                        open.room().push(next.clone());
                    }
                }
            });
            if parts.is_some() {
                order.room().push(node);
            }
        }
        if let Some(parts) = &mut parts {
            propagate_needed(parts, &order)?;
        }
        Ok(Plan {
            parts,
            captured: none_list(captures),
            reached: Rc::new(reached),
        })
    }

    /// Keeps the requested gradients among those that have arrived at a node.
    pub(super) fn capture_grads(&mut self, node: &Ref<Node>, grads: &Grads) {
        let Some(part) = self
            .parts
            .as_ref()
            .and_then(|parts| parts.get(&node_address(node)))
        else {
            return;
        };
        for &(input, slot) in &part.captures {
            self.captured[slot] = grads.get(input as usize).cloned().flatten();
        }
    }

    /// Whether a node is to run.
    pub(super) fn is_needed(&self, node: &Ref<Node>) -> bool {
        let needed = |parts: &ByNode<Part>| parts.get(&node_address(node)).is_some_and(|part| part.needed);
        self.parts.as_ref().is_none_or(needed)
    }

    /// Whether gradients of a node are wanted, by it or by those behind it.
    pub(super) fn is_wanted(&self, node: &Ref<Node>) -> bool {
        self.parts
            .as_ref()
            .is_none_or(|parts| parts.contains_key(&node_address(node)))
    }

    pub(super) fn into_captured(self) -> Vec<Option<T>> {
        self.captured
    }

    /// Which nodes will run, for queries during the run.
    pub(super) fn will_run(&self) -> Rc<ByNode<()>> {
        match &self.parts {
            None => self.reached.clone(),
            Some(parts) => {
                let mut all = ByNode::default();
                for &key in parts.keys() {
                    all.room().insert(key, ());
                }
                Rc::new(all)
            }
        }
    }
}

/// The parts of the nodes at the end of these edges; each is told the input and the place.
fn edge_targets(edges: &[Edge], mark: impl Fn(&mut Part, u32, usize)) -> ByNode<Part> {
    let mut parts: ByNode<Part> = ByNode::default();
    for (slot, (node, input)) in edges.iter().enumerate() {
        if let Some(node) = node {
            mark(parts.room().entry(node_address(node)).or_default(), *input, slot);
        }
    }
    parts
}

/// Marks the nodes that lead to a wanted tensor as needed: from the end to the roots.
fn propagate_needed(parts: &mut ByNode<Part>, nodes: &[Ref<Node>]) -> Result<()> {
    let mut before: ByNode<Vec<usize>> = ByNode::default();
    let mut seen = 0_usize;
    for node in nodes {
        check_now_and_then(&mut seen)?;
        node.next.with(|next| {
            for next in next.iter().filter_map(|(next, _)| next.as_ref()) {
                let all = before.room().entry(node_address(next)).or_default();
                all.room().push(node_address(node));
            }
        });
    }
    let mut open: Vec<usize> = parts.keys().copied().gather();
    while let Some(node) = open.pop() {
        for &earlier in before.get(&node).map_or(&[][..], Vec::as_slice) {
            let part = parts.room().entry(earlier).or_default();
            if !part.needed {
                part.needed = true;
                open.room().push(earlier);
            }
        }
    }
    Ok(())
}

/// Runs the handlers of signals that have come, once for many nodes.
fn check_now_and_then(seen: &mut usize) -> Result<()> {
    const MANY: usize = 1 << 12;
    *seen += 1;
    if seen.is_multiple_of(MANY) {
        pairbond::check_signals()?;
    }
    Ok(())
}
