//! What a [`Snapshot`] answers in the phases of a frontend's collector: the visits of one wrapper's traversal.

use std::ffi::c_void;

use super::fault;
use super::graph::{Graph, fact};
use super::near::{AHEAD, prefetch};
use super::snapshot::{Node, Snapshot, mark};

impl Snapshot {
    /// The node's wrapper is traversed in the subtracting phase: visits every counted reference that can now be accounted for.
    /// Stops at the first visit that does not return 0, and returns that.
    #[inline]
    pub fn subtract(&mut self, node: Node, visit: &mut impl FnMut(*mut c_void) -> i32) -> i32 {
        self.bring_near(node.0);
        let marks = &mut self.graph.nodes[node.0 as usize].marks;
        if *marks & mark::SUBTRACTED != 0 {
            debug_assert!(false, "a wrapper was traversed twice in one subtracting phase");
            return 0;
        }
        *marks |= mark::SUBTRACTED;
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
                if unit.facts & (fact::HELD | fact::PYTHON) != 0 {
                    continue;
                }
                unit.strong += 1;
                if !is_last(unit.strong, unit.need) {
                    continue;
                }
                if unit.facts & fact::WRAPPED != 0 {
                    let stop = visit(unit.wrapper);
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
        self.graph.nodes[node.0 as usize].marks |= mark::REACHED;
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
                if unit.facts & fact::WRAPPED != 0 {
                    let stop = visit(unit.wrapper);
                    if stop != 0 {
                        return stop;
                    }
                } else if unit.marks & mark::ENTERED == 0 && !fault::on(fault::NO_REACH) {
                    unit.marks |= mark::ENTERED | mark::REACHED;
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
            self.graph
                .nodes
                .iter_mut()
                .for_each(|n| n.marks &= !mark::ENTERED);
        }
    }

    /// Asks for the memory that the nodes after this one lead to: wrappers are mostly traversed in the order in which they were made.
    #[inline]
    fn bring_near(&self, node: u32) {
        let first = |ahead: usize| {
            let link = *self.graph.offsets.get(node as usize + ahead)? as usize;
            self.graph.links.get(link).copied()
        };
        if let Some(link) = first(2 * AHEAD)
            && let Some(target) = link.node()
            && let Some(known) = self.graph.nodes.get(target as usize)
        {
            prefetch(known);
        }
        if let Some(link) = first(AHEAD) {
            let object = match link.node() {
                None => link.foreign(),
                Some(target) => self
                    .graph
                    .nodes
                    .get(target as usize)
                    .map_or(std::ptr::null_mut(), |known| known.wrapper),
            };
            prefetch(object);
            // What the collector keeps of an object stands before it, mostly.
            prefetch(object.wrapping_byte_sub(16));
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
