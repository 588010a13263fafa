//! [`sweep_dormant`]: collects native objects whose wrappers hold no object of the frontend, and
//! finds the wrappers that the frontend's own collector must traverse.
//!
//! # Invariants, in order of weight
//! 1. As for [`collect`](super::collect()): no reachable object is cleared, and no half-destroyed
//!    object is visible. An object whose wrapper has any other reference counts as reachable.
//! 2. A cycle through objects of the frontend passes only through native components that have an
//!    *edge*: a wrapper that the frontend's collector tracks, or a reference to an object of it. If
//!    all wrappers of such components are tracked, a full collection finds the same garbage as if
//!    all wrappers were tracked.
//! 3. Garbage in other components is condemned here.
//!
//! # Threads
//! The caller must be attached to the only interpreter that can change the reference counts of its
//! wrappers, and must run no foreign code before it has handled what [`Swept`] lists. Native
//! threads go on running, as during every survey.
//!
//! # Rejected
//! * Choosing the wrappers to track by type: a single attribute would track all wrappers.
//! * Starting at wrappers that became dormant since the last sweep: no hook runs when only the
//!   object's own reference is left.

use std::ffi::c_void;

use super::collect::condemn_in;
use super::decision::Condemned;
use super::fault;
use super::graph::{Graph, fact, mark};
use super::survey::{HeapScan, View};
use crate::object::Holder;

/// How a frontend classifies a wrapper of its interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Only its object refers to it. It holds no object of the frontend, and its deallocation runs
    /// no code of users.
    Dormant,
    /// It holds no object of the frontend.
    Plain,
    /// It may hold objects of the frontend, or the frontend's collector tracks it.
    Edge,
}

/// The result of a [`sweep_dormant`].
#[derive(Debug, Default)]
#[must_use]
pub struct Swept {
    /// Garbage. The caller must first clear the frontend's weak references to its wrappers.
    pub condemned: Condemned,
    /// The wrappers of the garbage. They live until it is [cleared](Condemned::clear).
    pub ending: Vec<*mut c_void>,
    /// The wrappers in components with an edge, if requested. They live until foreign code runs.
    pub shown: Vec<*mut c_void>,
    /// Whether a component with an edge contains tree nodes.
    pub trees: bool,
}

/// Finds and condemns garbage whose wrappers are dormant and, if `show` is set, finds the wrappers
/// that a full collection of the frontend must traverse.
///
/// `look` classifies a wrapper of interpreter `tag`, given the holder of its object. It may be
/// called more than once for a wrapper, and must call no foreign code.
pub fn sweep_dormant(tag: u16, look: &dyn Fn(*mut c_void, Holder) -> Look, show: bool) -> Swept {
    let mut swept = Swept::default();
    let condemned = condemn_in(View::Sweep { tag, look }, &mut |survey| {
        swept.ending = objects_ending(survey);
        swept.look_for_edges(survey, tag, show);
    });
    Swept { condemned, ..swept }
}

fn objects_ending(survey: &HeapScan<'_>) -> Vec<*mut c_void> {
    let condemned = |node: &u32| {
        let facts = survey.graph.known_at(*node).facts();
        facts & (fact::HELD | fact::WRAPPED) == fact::WRAPPED
    };
    (0..survey.graph.len() as u32)
        .filter(condemned)
        .map(|node| survey.object(node).custody().pair().wrapper())
        .collect()
}

impl Swept {
    fn look_for_edges(&mut self, survey: &HeapScan<'_>, tag: u16, show: bool) {
        let graph = &survey.graph;
        let is_edge = |node: u32| {
            let known = graph.known_at(node);
            let foreign =
                known.facts() & fact::FOREIGN != 0 && !fault::is_fault_enabled(fault::NO_FOREIGN_EDGE);
            known.marks() & mark::EDGE != 0 || foreign
        };
        let nodes = graph.len() as u32;
        if !(0..nodes).any(is_edge) {
            return;
        }
        let mut components = if are_isolated(graph, is_edge) {
            Components::without_edges(graph)
        } else {
            Components::from_graph(graph)
        };
        let mut with_edge = vec![false; graph.len()];
        for node in (0..nodes).filter(|node| is_edge(*node)) {
            with_edge[components.find_root(node) as usize] = true;
        }
        for node in 0..nodes {
            if !with_edge[components.find_root(node) as usize] {
                continue;
            }
            let object = survey.object(node);
            let pair = object.custody().pair();
            self.trees |= object.info().is_node();
            if show && pair.tag() == tag && !pair.wrapper().is_null() {
                self.shown.push(pair.wrapper());
            }
        }
    }
}

/// Returns whether these nodes neither refer to nodes nor are referred to, so that each is a
/// component of its own: mostly members of enumerations, which are tracked while the program runs.
/// Then no other component has to be found: no cycle leads from an edge to another one, and none of
/// these holds a tree ([`Swept::trees`]).
fn are_isolated(graph: &Graph, is_one: impl Fn(u32) -> bool) -> bool {
    let leads_nowhere = |node: u32| graph.edges(node).next().is_none();
    let mut targets = graph.links.iter().filter_map(|link| link.node());
    let mut ones = (0..graph.len() as u32).filter(|node| is_one(*node));
    ones.all(leads_nowhere) && (fault::is_fault_enabled(fault::NO_LINK_TO_EDGE) || !targets.any(is_one))
}

/// Weakly connected components, as a union-find structure.
struct Components(Vec<u32>);

impl Components {
    /// Those of a graph if nodes had no references.
    fn without_edges(graph: &Graph) -> Self {
        Components((0..graph.len() as u32).collect())
    }

    fn from_graph(graph: &Graph) -> Self {
        let mut components = Components::without_edges(graph);
        for node in 0..graph.len() as u32 {
            if fault::is_fault_enabled(fault::NO_COMPONENT) {
                break;
            }
            for target in graph.edges(node) {
                let (one, other) = (components.find_root(node), components.find_root(target));
                // The lower number becomes the root: objects mostly refer to objects of about the
                // same age.
                components.0[one.max(other) as usize] = one.min(other);
            }
        }
        components
    }

    /// Returns the root of a node's component.
    fn find_root(&mut self, mut node: u32) -> u32 {
        loop {
            let above = self.0[node as usize];
            if above == node {
                return node;
            }
            let next = self.0[above as usize];
            self.0[node as usize] = next;
            node = next;
        }
    }
}
