//! Units: what objects without wrapper are spoken for by together.
//!
//! The contents of an object without wrapper are spoken for by its owners, once all of them were
//! seen. In a cycle of such objects each would wait for the other, so a strongly connected
//! component of them is one *unit*: it waits for the references from outside only. A unit is named
//! by one of its nodes.
//!
//! # Road not taken
//! Condensing everything, wrapped objects too: those have a voice of their own (their wrapper's
//! traversal), and a frontend's collector must see them one by one.

use super::fault;
use super::graph::Graph;

const NONE: u32 = u32::MAX;

/// The units of more than one node.
pub(super) struct Units {
    /// Node → the node that names its unit.
    name: Vec<u32>,
    /// Node → the next node of the same unit, or `NONE`; begins at the name.
    next: Vec<u32>,
}

impl Graph {
    /// The unit that a node belongs to.
    #[inline]
    pub(super) fn unit_of(&self, node: u32) -> u32 {
        self.units
            .as_ref()
            .map_or(node, |units| units.name[node as usize])
    }

    /// The member of a unit after `node`; the first is the unit itself.
    #[inline]
    pub(super) fn next_member(&self, node: u32) -> Option<u32> {
        let next = self.units.as_ref()?.next[node as usize];
        (next != NONE).then_some(next)
    }

    /// Whether there is a node that only nodes without wrapper like itself lead to: garbage that a
    /// frontend's collector never comes to. `true` also when that is not known.
    pub(super) fn keeps_itself(&self) -> bool {
        if self.unsure || self.inner == 0 {
            return self.unsure;
        }
        let mut left = self.inner;
        let mut reached = vec![false; self.len()];
        let mut work: Vec<u32> = Vec::new();
        for root in 0..self.len() as u32 {
            if self.is_inner(root) {
                continue;
            }
            work.push(root);
            while let Some(node) = work.pop() {
                for target in self.edges(node) {
                    if self.is_inner(target) && !reached[target as usize] {
                        reached[target as usize] = true;
                        left -= 1;
                        work.push(target);
                    }
                }
            }
        }
        left > 0
    }

    /// Finds the units, and reduces `need` to the references from outside. Tarjan's algorithm,
    /// iterative, over the nodes without wrapper; most have no such neighbours and are done at
    /// once.
    pub(super) fn find_components(&mut self) {
        const NEW: u32 = 0;
        const DONE: u32 = u32::MAX;
        struct Frame {
            node: u32,
            /// Into `links`.
            edge: usize,
            low: u32,
        }
        if self.inner == 0 || fault::is_fault_enabled(fault::NO_UNITS) {
            return;
        }
        let mut order: Vec<u32> = Vec::new();
        let mut count = 0;
        let mut frames: Vec<Frame> = Vec::new();
        let mut path: Vec<u32> = Vec::new();
        for root in 0..self.len() as u32 {
            if order.get(root as usize).is_some_and(|o| *o != NEW)
                || !self.is_inner(root)
                || !self.edges(root).any(|t| self.is_inner(t))
            {
                continue;
            }
            if order.is_empty() {
                order = vec![NEW; self.len()];
            }
            let mut enter = Some(root);
            loop {
                if let Some(node) = enter.take() {
                    count += 1;
                    order[node as usize] = count;
                    path.push(node);
                    frames.push(Frame {
                        node,
                        edge: self.edge_range(node).start,
                        low: count,
                    });
                }
                let Some(top) = frames.last_mut() else { break };
                let end = self.edge_range(top.node).end;
                while top.edge < end && enter.is_none() {
                    let link = self.links[top.edge];
                    top.edge += 1;
                    if let Some(target) = link.node()
                        && self.is_inner(target)
                    {
                        match order[target as usize] {
                            NEW => enter = Some(target),
                            DONE => {}
                            earlier => top.low = top.low.min(earlier),
                        }
                    }
                }
                if enter.is_some() {
                    continue;
                }
                let Frame { node, low, .. } = frames.pop().expect("it was the last just now");
                if let Some(parent) = frames.last_mut() {
                    parent.low = parent.low.min(low);
                }
                if low == order[node as usize] {
                    let start = path.iter().rposition(|n| *n == node).expect("entered before");
                    for member in &path[start..] {
                        order[*member as usize] = DONE;
                    }
                    self.unite_members(&path[start..]);
                    path.truncate(start);
                }
            }
        }
    }

    /// Makes one unit of the members of a component.
    fn unite_members(&mut self, members: &[u32]) {
        let name = members[0];
        if let [_, _, ..] = members {
            let nodes = self.len();
            let units = self.units.get_or_insert_with(|| Units {
                name: (0..nodes as u32).collect(),
                next: vec![NONE; nodes],
            });
            for pair in members.windows(2) {
                units.name[pair[1] as usize] = name;
                units.next[pair[0] as usize] = pair[1];
            }
        }
        let mut outside = 0;
        let mut inside = 0;
        for member in members {
            outside += self.counts[*member].need;
            inside += self.edges(*member).filter(|t| self.unit_of(*t) == name).count() as u32;
        }
        self.counts[name].need = outside - inside;
    }
}
