//! What a [`Snapshot`] answers in the phases of a frontend's collector: the visits of one wrapper's traversal.

use std::ffi::c_void;

use super::fault;
use super::graph::{Graph, Link, fact};
use super::near::{AHEAD, prefetch};
use super::snapshot::{Node, Snapshot, mark};

impl Snapshot {
    /// The node's wrapper is traversed in the subtracting phase: visits every counted reference that can now be accounted for.
    /// Stops at the first visit that does not return 0, and returns that.
    #[inline]
    pub fn subtract(&mut self, node: Node, visit: &mut impl FnMut(*mut c_void) -> i32) -> i32 {
        self.bring_near(node.0);
        let known = &mut self.graph.nodes[node.0 as usize];
        if known.marks() & mark::SUBTRACTED != 0 {
            debug_assert!(false, "a wrapper was traversed twice in one subtracting phase");
            return 0;
        }
        known.mark(mark::SUBTRACTED);
        self.work.clear();
        let mut speaker = node.0;
        loop {
            for link in self.graph.range(speaker) {
                let link = self.graph.links[link];
                let Some(target) = link.node() else {
                    let stop = visit(link.foreign());
                    if stop != 0 {
                        return stop;
                    }
                    continue;
                };
                let target = self.graph.unit(target);
                let unit = self.graph.nodes[target as usize];
                if unit.facts() & (fact::HELD | fact::PYTHON) != 0 {
                    continue;
                }
                let count = &mut self.graph.counts[target as usize];
                count.strong += 1;
                if !is_last(count.strong, count.need) {
                    continue;
                }
                if unit.facts() & fact::WRAPPED != 0 {
                    let stop = visit(unit.wrapper());
                    if stop != 0 {
                        return stop;
                    }
                } else {
                    push_unit(&self.graph, &mut self.work, target);
                }
            }
            match self.work.pop() {
                Some(next) => speaker = next,
                None => return 0,
            }
        }
    }

    /// The node's wrapper is traversed in a phase in which nothing is counted: visits everything that the node keeps
    /// alive, each thing without wrapper once per phase. `phase` tells phases apart: the address of the visit function.
    /// Stops as [`subtract`](Self::subtract) does.
    #[inline]
    pub fn reach(&mut self, node: Node, phase: usize, visit: &mut impl FnMut(*mut c_void) -> i32) -> i32 {
        if phase != self.phase {
            self.begin_reaching(phase);
        }
        self.bring_near(node.0);
        self.graph.nodes[node.0 as usize].mark(mark::REACHED);
        self.work.clear();
        let mut speaker = node.0;
        loop {
            for link in self.graph.range(speaker) {
                let link = self.graph.links[link];
                let Some(target) = link.node() else {
                    let stop = visit(link.foreign());
                    if stop != 0 {
                        return stop;
                    }
                    continue;
                };
                let target = self.graph.unit(target);
                let unit = &mut self.graph.nodes[target as usize];
                if unit.facts() & fact::WRAPPED != 0 {
                    let stop = visit(unit.wrapper());
                    if stop != 0 {
                        return stop;
                    }
                } else if unit.marks() & mark::ENTERED == 0 && !fault::on(fault::NO_REACH) {
                    unit.mark(mark::ENTERED | mark::REACHED);
                    push_unit(&self.graph, &mut self.work, target);
                }
            }
            match self.work.pop() {
                Some(next) => speaker = next,
                None => return 0,
            }
        }
    }

    #[cold]
    fn begin_reaching(&mut self, phase: usize) {
        self.phase = phase;
        if self.graph.inner > 0 {
            self.graph.nodes.iter_mut().for_each(|n| n.unmark(mark::ENTERED));
        }
    }

    /// Asks for the memory that the nodes after this one lead to: wrappers are mostly traversed in the order in which they were made.
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
            prefetch(self.graph.counts.as_ptr().wrapping_add(target as usize));
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
    if fault::on(fault::FIRST_OWNER) {
        return seen == 1;
    }
    if fault::on(fault::LATE_OWNER) {
        return seen == need + 1;
    }
    seen == need
}
