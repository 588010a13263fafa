//! [`sweep`]: the collector of [`collect`](super::collect()) for objects whose wrappers hold nothing of the frontend's, which the frontend's own collector
//! therefore need not know; and which wrappers it must be shown for all that.
//!
//! # Promises, in order of weight
//! 1. As for [`collect`](super::collect()): nothing that anybody can reach is cleared, and nobody sees an object half destroyed. A wrapper to which
//!    anything but its object refers counts as reached.
//! 2. A cycle of references that leads through the frontend's objects runs, as far as it is native, through one component of the native graph that has an
//!    *edge*: a wrapper that the frontend's collector knows, or a reference to a frontend's object. When all wrappers of such components are shown to
//!    that collector, it finds what it would find if it knew all wrappers.
//! 3. What is in no such component and is garbage is condemned here.
//!
//! # Who may touch what
//! The frontend's interpreter stands still: the caller is attached to the only interpreter that can change reference counts of its wrappers, and runs no foreign
//! code until it has done what [`Swept`] asks for. Native threads go on, as in every survey.
//!
//! # Roads not taken
//! * Deciding by types which wrappers must be shown: one attribute anywhere would show them all.
//! * Beginning at wrappers that became dormant since the last time: they would have to be noticed, and nobody is told when only the object's own
//!   reference is left.

use std::ffi::c_void;

use super::collect::condemn_in;
use super::fault;
use super::graph::{Graph, fact, mark};
use super::survey::{Survey, View};
use super::verdict::Condemned;
use crate::object::Holder;

/// What a frontend says of a wrapper of its interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Only its object refers to it. It holds no object of the frontend, and its end runs no code of the frontend's users.
    Dormant,
    /// It holds no object of the frontend.
    Plain,
    /// It may hold objects of the frontend, or the frontend's collector knows it already.
    Edge,
}

/// What a [`sweep`] found.
#[derive(Debug, Default)]
#[must_use]
pub struct Swept {
    /// Garbage. Weak references of the frontend to its wrappers are to be cleared first.
    pub condemned: Condemned,
    /// The wrappers of what is condemned. They live until that is [cleared](Condemned::clear).
    pub ending: Vec<*mut c_void>,
    /// The wrappers in components with an edge, if they were asked for. They live until foreign code runs.
    pub shown: Vec<*mut c_void>,
    /// Whether a component with an edge has nodes of trees.
    pub trees: bool,
}

/// Finds garbage whose wrappers are dormant, condemns it, and finds what a full collection of the frontend must know, if `show` asks for that.
///
/// `look` is asked about wrappers of interpreter `tag`, with who holds the object; it may be asked more than once, and must call nothing foreign.
pub fn sweep(tag: u16, look: &dyn Fn(*mut c_void, Holder) -> Look, show: bool) -> Swept {
    let mut swept = Swept::default();
    let condemned = condemn_in(View::Sweep { tag, look }, &mut |survey| {
        swept.ending = ending(survey);
        swept.look_for_edges(survey, tag, show);
    });
    Swept { condemned, ..swept }
}

fn ending(survey: &Survey<'_>) -> Vec<*mut c_void> {
    let condemned = |node: &u32| {
        let facts = survey.graph.at(*node).facts();
        facts & (fact::HELD | fact::WRAPPED) == fact::WRAPPED
    };
    (0..survey.graph.len() as u32)
        .filter(condemned)
        // SAFETY: alive while the survey lasts.
        .map(|node| unsafe { &*survey.objects[node as usize] }.custody().pair().wrapper())
        .collect()
}

impl Swept {
    fn look_for_edges(&mut self, survey: &Survey<'_>, tag: u16, show: bool) {
        let graph = &survey.graph;
        let is_edge = |node: u32| {
            let known = graph.at(node);
            let foreign = known.facts() & fact::FOREIGN != 0 && !fault::on(fault::NO_FOREIGN_EDGE);
            known.marks() & mark::EDGE != 0 || foreign
        };
        let nodes = graph.len() as u32;
        if !(0..nodes).any(is_edge) {
            return;
        }
        let mut components = Components::of(graph);
        let mut with_edge = vec![false; graph.len()];
        for node in (0..nodes).filter(|node| is_edge(*node)) {
            with_edge[components.name(node) as usize] = true;
        }
        for node in 0..nodes {
            if !with_edge[components.name(node) as usize] {
                continue;
            }
            // SAFETY: alive while the survey lasts.
            let object = unsafe { &*survey.objects[node as usize] };
            let pair = object.custody().pair();
            self.trees |= object.info().is_tree();
            if show && pair.tag() == tag && !pair.wrapper().is_null() {
                self.shown.push(pair.wrapper());
            }
        }
    }
}

/// Which nodes are connected, whatever the direction of the references.
struct Components(Vec<u32>);

impl Components {
    fn of(graph: &Graph) -> Self {
        let mut components = Components((0..graph.len() as u32).collect());
        for node in 0..graph.len() as u32 {
            if fault::on(fault::NO_COMPONENT) {
                break;
            }
            for target in graph.edges(node) {
                let (one, other) = (components.name(node), components.name(target));
                // The lower number names both: objects mostly refer to what was made near them.
                components.0[one.max(other) as usize] = one.min(other);
            }
        }
        components
    }

    /// The node that names a node's component.
    fn name(&mut self, mut node: u32) -> u32 {
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
