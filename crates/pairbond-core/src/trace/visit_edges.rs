//! What a [`Snapshot`] answers in the phases of a frontend's collector: the visits of one wrapper's
//! traversal.

use std::ffi::c_void;

use super::AHEAD;
use super::fault;
use super::graph::{Graph, Known, Link, fact, mark};
use super::snapshot::{Node, Snapshot};
use crate::sync::prefetch;

/// The references to visit for a wrapper.
pub enum VisitAction {
    /// Nothing.
    Nothing,
    /// This object of the frontend.
    One(*mut c_void),
    /// What the node's [`run_visit_action`](Snapshot::run_visit_action) is.
    More(Node),
}

/// A phase, and what tells [`visit_action`](Snapshot::visit_action) that the wrapper which comes
/// next belongs to it.
#[derive(Default)]
pub(super) struct Phase {
    /// The address of the collector's visit function; 0 before the first wrapper was asked.
    visitor: usize,
    /// What of a node must be its wrapper and nothing else: where phases subtract, it must not have
    /// been marked.
    looked_at: u64,
    /// A node that was asked, as it is marked then.
    asked: Known,
}

impl Phase {
    fn subtracting(visitor: usize) -> Phase {
        Phase {
            visitor,
            looked_at: Known::wrapper_and(mark::SUBTRACTED),
            asked: Known::with_marks(mark::SUBTRACTED),
        }
    }

    fn reaching(visitor: usize) -> Phase {
        Phase {
            visitor,
            looked_at: Known::wrapper_and(0),
            asked: Known::with_marks(mark::REACHED),
        }
    }
}

/// What becomes of a reference to a unit.
enum Found {
    Nothing,
    /// Visit this.
    Wrapper(*mut c_void),
    /// Its contents are spoken for, too.
    Contents,
}

impl Snapshot {
    /// The visitor of the phase that was begun last by [`subtract_edges`](Self::subtract_edges) or
    /// [`visit_edges`](Self::visit_edges); 0: of none.
    #[inline]
    #[must_use]
    pub fn visitor(&self) -> usize {
        self.phase.visitor
    }

    /// The phase of [that visitor](Self::visitor), which must be the one at work, for the wrapper
    /// that comes next, probably, without reading an object. `None`: it is another, or another
    /// phase has begun, and nothing was done. Otherwise the references to visit.
    #[inline(always)]
    pub fn visit_action(&mut self, wrapper: *mut c_void) -> Option<VisitAction> {
        let node = self.next;
        let known = self.graph.nodes.get_mut(node as usize)?;
        if !known.is_just(wrapper, self.phase.looked_at) {
            return None;
        }
        let marks = known.marks();
        *known = known.combined_with(self.phase.asked);
        self.next = node + 1;
        if marks & mark::NO_EDGES != 0 {
            return Some(VisitAction::Nothing);
        }
        if marks & mark::COUNTS != 0 {
            return Some(VisitAction::More(Node(node)));
        }
        let range = self.graph.edge_range(node);
        if let Some(link) = self.graph.links.get(range.start + AHEAD) {
            // What the collector keeps of an object stands before it, mostly.
            prefetch(link.foreign().wrapping_byte_sub(16));
            prefetch(link.foreign());
        }
        match self.graph.links.get(range.start) {
            Some(link) if range.len() == 1 => Some(VisitAction::One(link.foreign())),
            _ => Some(VisitAction::More(Node(node))),
        }
    }

    /// The references to visit for a node whose [turn](Self::visit_action) it was. Stops as
    /// [`subtract_edges`](Self::subtract_edges) does.
    pub fn run_visit_action(&mut self, node: Node, visit: &mut impl FnMut(*mut c_void) -> i32) -> i32 {
        let marks = self.graph.known_at(node.0).marks();
        if marks & mark::COUNTS == 0 {
            let mut stops = self.graph.links[self.graph.edge_range(node.0)]
                .iter()
                .map(|link| visit(link.foreign()));
            return stops.find(|stop| *stop != 0).unwrap_or(0);
        }
        if self.reaching {
            self.visit_edges_again(node.0, visit)
        } else {
            self.subtract_edges_of(node.0, visit)
        }
    }

    /// The node's wrapper is traversed in the subtracting phase: visits every counted reference
    /// that can now be accounted for. `visitor` tells phases apart: the address of the visit
    /// function. Stops at the first visit that does not return 0, and returns that.
    #[inline]
    pub fn subtract_edges(
        &mut self,
        node: Node,
        visitor: usize,
        visit: &mut impl FnMut(*mut c_void) -> i32,
    ) -> i32 {
        if !self.reaching {
            self.phase = Phase::subtracting(visitor);
        }
        let known = &mut self.graph.nodes[node.0 as usize];
        if known.marks() & mark::SUBTRACTED != 0 {
            debug_assert!(false, "a wrapper was traversed twice in one subtracting phase");
            return 0;
        }
        known.add_marks(mark::SUBTRACTED);
        self.subtract_edges_of(node.0, visit)
    }

    /// Visits the references that a speaker accounts for, and those of nodes that it completes.
    fn subtract_edges_of(&mut self, speaker: u32, visit: &mut impl FnMut(*mut c_void) -> i32) -> i32 {
        self.for_each_edge(speaker, visit, |graph, target| {
            let unit = graph.nodes[target as usize];
            if unit.facts() & (fact::HELD | fact::PYTHON) != 0 {
                return Found::Nothing;
            }
            let count = &mut graph.counts[target];
            count.strong += 1;
            if !is_last(count.strong, count.need) {
                Found::Nothing
            } else if unit.facts() & fact::WRAPPED != 0 {
                Found::Wrapper(unit.wrapper())
            } else {
                Found::Contents
            }
        })
    }

    /// The node's wrapper is traversed in a phase in which nothing is counted: visits everything
    /// that the node keeps alive, each thing without wrapper once per phase. `visitor` and stops as
    /// for [`subtract_edges`](Self::subtract_edges).
    #[inline]
    pub fn visit_edges(
        &mut self,
        node: Node,
        visitor: usize,
        visit: &mut impl FnMut(*mut c_void) -> i32,
    ) -> i32 {
        if visitor != self.phase.visitor {
            self.begin_reaching(visitor);
        }
        self.graph.nodes[node.0 as usize].add_marks(mark::REACHED);
        self.visit_edges_again(node.0, visit)
    }

    /// Visits what a speaker keeps alive.
    fn visit_edges_again(&mut self, speaker: u32, visit: &mut impl FnMut(*mut c_void) -> i32) -> i32 {
        self.for_each_edge(speaker, visit, |graph, target| {
            let unit = &mut graph.nodes[target as usize];
            if unit.facts() & fact::WRAPPED != 0 {
                Found::Wrapper(unit.wrapper())
            } else if unit.marks() & mark::ENTERED == 0 && !fault::is_fault_enabled(fault::NO_REACH) {
                unit.add_marks(mark::ENTERED | mark::REACHED);
                Found::Contents
            } else {
                Found::Nothing
            }
        })
    }

    /// Visits the references of a speaker: objects of the frontend, and the result of `found` for
    /// nodes.
    #[inline(always)]
    fn for_each_edge(
        &mut self,
        mut speaker: u32,
        visit: &mut impl FnMut(*mut c_void) -> i32,
        found: impl Fn(&mut Graph, u32) -> Found,
    ) -> i32 {
        self.bring_near(speaker);
        self.work.clear();
        loop {
            for link in self.graph.edge_range(speaker) {
                let link = self.graph.links[link];
                let object = match link.node() {
                    None => link.foreign(),
                    Some(target) => {
                        let unit = self.graph.unit_of(target);
                        match found(&mut self.graph, unit) {
                            Found::Nothing => continue,
                            Found::Contents => {
                                push_unit(&self.graph, &mut self.work, unit);
                                continue;
                            }
                            Found::Wrapper(wrapper) => wrapper,
                        }
                    }
                };
                let stop = visit(object);
                if stop != 0 {
                    return stop;
                }
            }
            match self.work.pop() {
                Some(next) => speaker = next,
                None => return 0,
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_reaching(&mut self, visitor: usize) {
        self.phase = Phase::reaching(visitor);
        self.reaching = true;
        if self.graph.inner > 0 {
            self.graph
                .nodes
                .iter_mut()
                .for_each(|n| n.remove_marks(mark::ENTERED));
        }
    }

    /// Asks for the memory that the nodes after this one lead to: wrappers are mostly traversed in
    /// the order in which they were made.
    #[inline]
    fn bring_near(&self, node: u32) {
        let first = |ahead: usize| {
            let link = *self.graph.offsets.get(node as usize + ahead)? as usize;
            self.graph.links.get(link).copied()
        };
        let Some(link) = first(AHEAD) else { return };
        let Some(target) = link.node() else {
            // What the collector keeps of an object stands before it, mostly.
            prefetch(link.foreign().wrapping_byte_sub(16));
            prefetch(link.foreign());
            return;
        };
        if let Some(known) = self.graph.nodes.get(target as usize) {
            prefetch(known.wrapper().wrapping_byte_sub(16));
            prefetch(known.wrapper());
        }
        if let Some(target) = first(2 * AHEAD).and_then(Link::node) {
            prefetch(self.graph.nodes.as_ptr().wrapping_add(target as usize));
            prefetch(self.graph.counts.count_ptr(target));
        }
    }
}

fn push_unit(graph: &Graph, work: &mut Vec<u32>, unit: u32) {
    let mut member = Some(unit);
    while let Some(node) = member {
        work.push(node);
        member = graph.next_member(node);
    }
}

/// Whether the reference that arrived is the last one.
#[inline]
fn is_last(seen: u32, need: u32) -> bool {
    if fault::is_fault_enabled(fault::FIRST_OWNER) {
        return seen == 1;
    }
    if fault::is_fault_enabled(fault::LATE_OWNER) {
        return seen == need + 1;
    }
    seen == need
}
