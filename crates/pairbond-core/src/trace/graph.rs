//! [`Graph`]: the objects of one survey and their references, in flat arrays.
//!
//! # Layout
//! A node is a number. What is known about it is at that place of one array, side by side, because whoever follows a reference needs all of
//! it and has it from memory; its out-edges are a range of one array of targets. Nothing is allocated per object and nothing hashed: a million
//! objects must not cost more than reading them does.
//!
//! Nodes below `offsets.len() - 1` are objects of traced types. Those above are *side nodes*: objects that own no
//! references, listed because their wrapper takes part in a frontend's collection. They have no out-edges.
//!
//! # Who may touch what
//! Written by the survey, in one thread; afterwards `need` and the units are changed once by [`Graph::condense`], `seen` and `marks` by
//! the phases of a frontend's collector, and the rest is read only.
//!
//! # Units
//! The contents of an object without wrapper are spoken for by its owners, once all of them were seen. In a cycle of such
//! objects each would wait for the other, so a strongly connected component of them is one *unit*: it waits for the
//! references from outside only. A unit is named by one of its nodes.
//!
//! # Road not taken
//! Condensing everything, wrapped objects too: those have a voice of their own (their wrapper's traversal), and a
//! frontend's collector must see them one by one.

use std::ffi::c_void;

use crate::object::Holder;

/// Facts about a node.
pub(super) mod fact {
    /// Some reference to it is none of those that the survey saw: alive, for all that we know.
    pub(in crate::trace) const HELD: u8 = 1;
    /// Nothing is known: it was on its way from one holder to another.
    pub(in crate::trace) const SKIPPED: u8 = 2;
    /// Has a wrapper that the frontend's collector looks at.
    pub(in crate::trace) const WRAPPED: u8 = 4;
    /// That wrapper owns the object.
    pub(in crate::trace) const PYTHON: u8 = 8;
    /// Has mutable fields that can hold references.
    pub(in crate::trace) const CELLS: u8 = 16;
    /// Weak references exist.
    pub(in crate::trace) const WEAK: u8 = 32;
    /// Was not watched: in the custody of a wrapper whose interpreter stands still.
    pub(in crate::trace) const STILL: u8 = 64;
}

/// What is known about a node.
pub(super) struct Known {
    /// For a frontend: the wrapper of a wrapped node.
    pub(super) wrapper: *mut c_void,
    /// Strong references when the watch began; `u32::MAX` stands for more.
    pub(super) strong: u32,
    /// In-edges seen; after [`condense`](Graph::condense) those that a unit waits for.
    pub(super) need: u32,
    pub(super) facts: u8,
    /// For the phases of a frontend's collector.
    pub(super) marks: u8,
}

impl Known {
    /// Who must have had the object for it not to be held.
    pub(super) fn holder(&self) -> Holder {
        if self.facts & fact::PYTHON != 0 {
            Holder::Python
        } else if self.facts & fact::WRAPPED != 0 {
            Holder::Native
        } else {
            Holder::Unwrapped
        }
    }
}

const NONE: u32 = u32::MAX;

/// See the head of this file.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Known>,
    pub(super) offsets: Vec<u32>,
    pub(super) targets: Vec<u32>,
    /// Nodes without wrapper that are not held.
    pub(super) inner: usize,
    /// Something was held because nobody could say whether it should be, or left to another interpreter.
    pub(super) unsure: bool,
    /// Present when there is a unit of more than one node.
    units: Option<Units>,
}

struct Units {
    /// Node → the node that names its unit.
    name: Vec<u32>,
    /// Node → the next node of the same unit, or `NONE`; begins at the name.
    next: Vec<u32>,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(super) fn at(&self, node: u32) -> &Known {
        &self.nodes[node as usize]
    }

    pub(super) fn has(&self, node: u32, fact: u8) -> bool {
        self.nodes[node as usize].facts & fact != 0
    }

    #[inline]
    pub(super) fn range(&self, node: u32) -> std::ops::Range<usize> {
        match self.offsets.get(node as usize + 1) {
            Some(end) => self.offsets[node as usize] as usize..*end as usize,
            None => 0..0,
        }
    }

    #[inline]
    pub(super) fn edges(&self, node: u32) -> &[u32] {
        &self.targets[self.range(node)]
    }

    /// The unit that a node belongs to.
    #[inline]
    pub(super) fn unit(&self, node: u32) -> u32 {
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

    /// Marks everything that held nodes reach as held.
    pub(super) fn flood(&mut self) {
        if fault::on(fault::NO_FLOOD) {
            return;
        }
        let mut work: Vec<u32> = (0..self.len() as u32)
            .filter(|n| self.has(*n, fact::HELD))
            .collect();
        while let Some(node) = work.pop() {
            for edge in self.range(node) {
                let target = self.targets[edge] as usize;
                if self.nodes[target].facts & fact::HELD == 0 {
                    self.nodes[target].facts |= fact::HELD;
                    work.push(target as u32);
                }
            }
        }
    }

    /// Whether there is a node that nothing leads to but nodes without wrapper like itself: garbage that a frontend's collector never comes to. `true`
    /// also when nobody can say.
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
                    if self.is_inner(*target) && !reached[*target as usize] {
                        reached[*target as usize] = true;
                        left -= 1;
                        work.push(*target);
                    }
                }
            }
        }
        left > 0
    }

    /// Forgets what the phases of a frontend's collector counted.
    pub(super) fn begin_phases(&mut self) {
        for node in &mut self.nodes {
            node.strong = 0;
            node.marks = 0;
        }
    }

    /// Whether the owners of a node speak for its contents, and may ever have been seen all.
    #[inline]
    fn is_inner(&self, node: u32) -> bool {
        !self.has(node, fact::WRAPPED | fact::HELD | fact::SKIPPED)
    }

    /// Finds the units, and reduces `need` to the references from outside. Tarjan's algorithm, iterative, over the
    /// nodes without wrapper; most have no such neighbours and are done at once.
    pub(super) fn condense(&mut self) {
        const NEW: u32 = 0;
        const DONE: u32 = u32::MAX;
        struct Frame {
            node: u32,
            /// Into `targets`.
            edge: usize,
            low: u32,
        }
        if self.inner == 0 || fault::on(fault::NO_UNITS) {
            return;
        }
        let mut order: Vec<u32> = Vec::new();
        let mut count = 0;
        let mut frames: Vec<Frame> = Vec::new();
        let mut path: Vec<u32> = Vec::new();
        for root in 0..self.len() as u32 {
            if order.get(root as usize).is_some_and(|o| *o != NEW)
                || !self.is_inner(root)
                || !self.edges(root).iter().any(|t| self.is_inner(*t))
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
                        edge: self.range(node).start,
                        low: count,
                    });
                }
                let Some(top) = frames.last_mut() else { break };
                let end = self.range(top.node).end;
                while top.edge < end && enter.is_none() {
                    let target = self.targets[top.edge];
                    top.edge += 1;
                    if self.is_inner(target) {
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
                    self.unite(&path[start..]);
                    path.truncate(start);
                }
            }
        }
    }

    /// Makes one unit of the members of a component.
    fn unite(&mut self, members: &[u32]) {
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
            outside += self.at(*member).need;
            inside += self
                .edges(*member)
                .iter()
                .filter(|t| self.unit(**t) == name)
                .count() as u32;
        }
        self.nodes[name as usize].need = outside - inside;
    }
}

pub(super) mod fault {
    //! Ways to break the algorithm on purpose, so that tests can show that they would notice. None exists outside of
    //! this crate's own tests.

    pub(in crate::trace) const NO_UNITS: u32 = 1;
    pub(in crate::trace) const NO_COUNT: u32 = 2;
    pub(in crate::trace) const NO_TOUCH: u32 = 4;
    pub(in crate::trace) const FIRST_OWNER: u32 = 8;
    pub(in crate::trace) const LATE_OWNER: u32 = 16;
    pub(in crate::trace) const NO_CONDEMN: u32 = 64;
    pub(in crate::trace) const NO_FLOOD: u32 = 128;
    pub(in crate::trace) const NO_REACH: u32 = 256;
    pub(in crate::trace) const ONE_LOOK: u32 = 512;

    #[cfg(test)]
    thread_local! {
        pub(in crate::trace) static FAULTS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
        /// Called wherever another thread might come in between.
        pub(in crate::trace) static STEP: std::cell::Cell<Option<fn()>> = const { std::cell::Cell::new(None) };
        /// Another thread is played by this one, which must not wait for itself.
        pub(in crate::trace) static STEPPING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }

    #[inline]
    pub(in crate::trace) fn on(which: u32) -> bool {
        #[cfg(test)]
        return FAULTS.get() & which != 0;
        #[cfg(not(test))]
        {
            let _ = which;
            false
        }
    }

    #[cfg(test)]
    pub(crate) fn is_stepping() -> bool {
        STEPPING.get()
    }

    #[inline]
    pub(in crate::trace) fn step() {
        #[cfg(test)]
        if let Some(step) = STEP.get() {
            STEPPING.set(true);
            step();
            STEPPING.set(false);
        }
    }
}
