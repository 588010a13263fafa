//! [`Snapshot`]: what a wrapper's traversal answers, so that a frontend's collector sees native references as its own.
//!
//! # Promises, in order of weight
//! 1. In the subtracting phase each counted reference that the native side owns is reported at most once.
//! 2. It is reported only if *every* path by which anybody could reach it begins at a wrapper that was traversed in this
//!    phase. What is reported in the subtracting phase is reported again in the reaching phase by any of those wrappers.
//! 3. Garbage is reported completely, provided its owners are all traversed: a full collection finds it.
//!
//! # How
//! The wrapper of a node speaks for the node's contents. An object without wrapper is spoken for by its owners: the last one
//! to be traversed reports its contents. In the same way an object owns one counted reference to its wrapper as long as native references exist:
//! the last of its owners to be traversed reports it. So each reference *arrives* at its target, and the target is complete
//! when as many arrived as it needs; a target that is held, or has an owner that is not traversed (in an older
//! generation, frozen, known to be alive), never is, and looks to the collector like something that is referenced from outside,
//! which is true.
//!
//! # Use
//! ```text
//! tp_traverse, subtracting:   if there is no snapshot, or it has_subtracted(node): a new phase begins: take one
//!                             subtract(node, …)
//! tp_traverse, reaching:      reach(node, phase, …), phase = address of the visit function
//! tp_clear, first of all:     condemn() – condemns and clears all garbage natively, at once
//! end of the collection:      drop it, then settle()
//! ```
//! Every subtracting phase needs a snapshot of its own: between two of them finalizers run. A snapshot may be used from `take` until foreign code
//! of the interpreter runs, because it holds no reference; `condemn` looks again and needs no more than the marks.
//! A traversal for which there is no snapshot, and one that is not part of a collection, reports nothing native.
//!
//! # Weak references
//! What a phase has found unreachable must not come back through a weak reference before the collector clears it: other foreign objects
//! that are reached through it are cleared too, and foreign weak references to it are dead. So an upgrade asks [`is_condemned`](Snapshot::is_condemned)
//! while a snapshot exists (see [`Collecting`](crate::frontend::Collecting)), and [`condemn`](Snapshot::condemn) makes that final before the snapshot goes.
//! To answer for objects without wrapper the snapshot counts a weak reference of its own to each that has one: its address
//! is not used again meanwhile.
//!
//! # Who may touch what
//! The collector, and between its phases whoever asks about an object that he holds weakly, one thread at a time. No object is read
//! after `take` (objects without wrapper may be gone by then), only arrays.
//!
//! # Roads not taken
//! * Stand-ins for objects with several owners, made for the next collection: the last owner can speak for all.
//! * Counting in the traversal, without a snapshot: exact only while no other thread moves a reference.

use std::ffi::c_void;

use super::collect::{self, Statistics};
use super::graph::{Graph, fact, fault};
use super::pins::{Pins, Places};
use super::snapshot::{Survey, View, defer, prefetch};
use super::verdict::Condemned;
use crate::object::{Header, Prefix};
use crate::sync::statics::{AtomicUsize, Ordering};

/// How many nodes ahead memory is asked for.
const AHEAD: usize = 8;

mod mark {
    pub(super) const SUBTRACTED: u8 = 1;
    pub(super) const REACHED: u8 = 2;
    /// Without wrapper: its contents were reported in the reaching phase.
    pub(super) const ENTERED: u8 = 4;
}

/// An object of a [`Snapshot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(u32);

/// The native references of one instant, and how far a frontend's collector has come with them. See the head of this module.
pub struct Snapshot {
    epoch: u32,
    /// `strong` of a node is a unit's number of references that have arrived, here.
    graph: Graph,
    side: Places,
    foreign: Vec<*mut c_void>,
    foreign_offsets: Vec<u32>,
    phase: usize,
    work: Vec<u32>,
    statistics: Statistics,
    pinned: Places,
    pins: Pins,
}

// SAFETY: the pointers are opaque, and only given back to the frontend that they are from.
unsafe impl Send for Snapshot {}

static EPOCH: AtomicUsize = AtomicUsize::new(0);

fn next_epoch() -> u32 {
    loop {
        let epoch = EPOCH.fetch_add(1, Ordering::Relaxed).wrapping_add(1) as u32;
        if epoch != 0 {
            return epoch;
        }
    }
}

impl Snapshot {
    /// Takes a snapshot for the collector of interpreter `tag`, which has stopped its world. `tracked` says whether its collector looks at the
    /// wrapper of an object that owns no references; at the others it does. `None`: too many objects (2³²); the traversals of this phase then report nothing.
    ///
    /// Calls no foreign code but `tracked`; may be called in a traversal.
    #[must_use]
    pub fn take(tag: u16, tracked: &dyn Fn(*mut c_void) -> bool) -> Option<Snapshot> {
        let epoch = next_epoch();
        let (mut pins, mut pinned) = (Pins::default(), Places::default());
        let view = View::Frontend { tag, tracked, epoch };
        let mut survey = Survey::take(view, &mut |survey| pins = Pins::of(survey, &mut pinned))?;
        defer(std::mem::take(&mut survey.duties));
        let mut graph = std::mem::take(&mut survey.graph);
        let statistics = Statistics::of(&graph, 0);
        graph.condense();
        Some(Snapshot {
            epoch,
            foreign: std::mem::take(&mut survey.foreign),
            foreign_offsets: std::mem::take(&mut survey.foreign_offsets),
            side: survey.into_side(),
            phase: 0,
            work: Vec::new(),
            statistics,
            pinned,
            pins,
            graph,
        })
    }

    /// The node of a wrapper's object. `None`: it has none in this snapshot (it is new, or was changing hands), and reports nothing.
    #[must_use]
    pub fn find(&self, object: &Header) -> Option<Node> {
        if !object.info().is_traced() {
            return self.side.get(&address_of(object)).map(|node| Node(*node));
        }
        self.noted(object)
    }

    fn noted(&self, object: &Header) -> Option<Node> {
        // SAFETY: a traced object has a prefix; note and epoch belong to the collector of its wrapper's interpreter, that is, to us.
        let (note, epoch) = unsafe {
            let prefix: *mut Prefix = object.prefix();
            ((*prefix).note, (*prefix).epoch)
        };
        (epoch == self.epoch).then_some(Node(note))
    }

    /// Forgets what was reported, as if the snapshot were new. Only while the world has been stopped since it was taken.
    pub fn begin_pass(&mut self) {
        self.graph.begin_phases();
        self.phase = 0;
    }

    /// Whether the node's wrapper was traversed in this subtracting phase already: another phase has begun.
    #[must_use]
    pub fn has_subtracted(&self, node: Node) -> bool {
        self.graph.at(node.0).marks & mark::SUBTRACTED != 0
    }

    /// Whether native objects may have kept only each other alive, without any wrapper, when the snapshot was taken: a collector of native objects
    /// has something to do. If not, it would find nothing but what has become garbage since.
    #[must_use]
    pub fn may_have_native_garbage(&self) -> bool {
        self.graph.keeps_itself()
    }

    /// Whether the last phases have found an object unreachable, so that nobody may get hold of it any more. Asked between two
    /// phases by whoever holds the object weakly; one that had no weak reference then may be denied.
    #[must_use]
    pub fn is_condemned(&self, object: &Header) -> bool {
        let noted = if object.info().is_traced() {
            self.noted(object)
        } else {
            None
        };
        let Some(node) = noted
            .map(|n| n.0)
            .or_else(|| self.pinned.get(&address_of(object)).copied())
        else {
            return false;
        };
        if self.graph.has(node, fact::WRAPPED) {
            return self.is_garbage(node);
        }
        // Its owners speak for it: all were seen, and none of them was reached.
        let unit = self.graph.at(self.graph.unit(node));
        !self.graph.has(node, fact::HELD)
            && unit.need > 0
            && unit.strong == unit.need
            && unit.marks & mark::REACHED == 0
    }

    /// Ends the use of a snapshot where no memory should be given back; that is done when the pins are dropped.
    #[must_use]
    pub fn into_pins(self) -> Pins {
        self.pins
    }

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
        self.work.push(node.0);
        while let Some(speaker) = self.work.pop() {
            for object in Self::range(&self.foreign_offsets, speaker) {
                let stop = visit(self.foreign[object]);
                if stop != 0 {
                    return stop;
                }
            }
            for edge in self.graph.range(speaker) {
                let target = self.graph.unit(self.graph.targets[edge]);
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
                    Self::push_unit(&self.graph, &mut self.work, target);
                }
            }
        }
        0
    }

    /// The node's wrapper is traversed in a phase in which nothing is counted: visits everything that the node keeps
    /// alive, each thing without wrapper once per phase. `phase` tells phases apart: the address of the visit function.
    /// Stops as [`subtract`](Self::subtract) does.
    #[inline]
    pub fn reach(&mut self, node: Node, phase: usize, visit: &mut impl FnMut(*mut c_void) -> i32) -> i32 {
        if phase != self.phase {
            self.phase = phase;
            if self.graph.inner > 0 {
                self.graph
                    .nodes
                    .iter_mut()
                    .for_each(|n| n.marks &= !mark::ENTERED);
            }
        }
        self.bring_near(node.0);
        self.graph.nodes[node.0 as usize].marks |= mark::REACHED;
        self.work.clear();
        self.work.push(node.0);
        while let Some(speaker) = self.work.pop() {
            for object in Self::range(&self.foreign_offsets, speaker) {
                let stop = visit(self.foreign[object]);
                if stop != 0 {
                    return stop;
                }
            }
            for edge in self.graph.range(speaker) {
                let target = self.graph.unit(self.graph.targets[edge]);
                let unit = &mut self.graph.nodes[target as usize];
                if unit.facts & fact::WRAPPED != 0 {
                    let stop = visit(unit.wrapper);
                    if stop != 0 {
                        return stop;
                    }
                } else if unit.marks & mark::ENTERED == 0 && !fault::on(fault::NO_REACH) {
                    unit.marks |= mark::ENTERED | mark::REACHED;
                    Self::push_unit(&self.graph, &mut self.work, target);
                }
            }
        }
        0
    }

    /// A wrapped node was traversed and not reached.
    fn is_garbage(&self, node: u32) -> bool {
        self.graph.at(node).marks & (mark::SUBTRACTED | mark::REACHED) == mark::SUBTRACTED
    }

    /// Asks for the memory that the nodes after this one lead to: wrappers are mostly traversed in the order in which they were made.
    #[inline]
    fn bring_near(&self, node: u32) {
        let first = |ahead: usize| {
            let edge = *self.graph.offsets.get(node as usize + ahead)? as usize;
            self.graph.nodes.get(*self.graph.targets.get(edge)? as usize)
        };
        prefetch(first(2 * AHEAD).map(std::ptr::from_ref));
        if let Some(target) = first(AHEAD) {
            prefetch(Some(target.wrapper.cast_const()));
            // What the collector keeps of an object stands before it, mostly.
            prefetch(Some(target.wrapper.wrapping_byte_sub(16).cast_const()));
        }
    }

    fn range(offsets: &[u32], node: u32) -> std::ops::Range<usize> {
        match offsets.get(node as usize + 1) {
            Some(end) => offsets[node as usize] as usize..*end as usize,
            None => 0..0,
        }
    }

    fn push_unit(graph: &Graph, work: &mut Vec<u32>, unit: u32) {
        let mut member = Some(unit);
        while let Some(node) = member {
            work.push(node);
            member = graph.next_member(node);
        }
    }

    /// The collector has made its decision and begins to clear; called before anything was cleared, attached. Everything that is
    /// garbage by it – wrapped objects that were subtracted and not reached, and what only they keep – is looked at once more,
    /// condemned all together, so that weak references no longer upgrade, and cleared. What somebody got hold of
    /// meanwhile, and what that reaches, is left alone. Each condemned object `is_dying` from then on.
    ///
    /// Runs nothing foreign: [`Condemned::clear`](super::Condemned::clear) does. A wrapper's own clearing need do nothing natively any more.
    pub fn condemn(&self) -> Condemned {
        let garbage = |object: &Header| {
            let node = self.find(object);
            node.is_some_and(|n| self.is_garbage(n.0))
        };
        collect::condemn(&garbage)
    }

    /// What the survey saw.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }
}

fn address_of(object: &Header) -> usize {
    std::ptr::from_ref(object).addr()
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

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Snapshot({}, {:?})", self.epoch, self.statistics)
    }
}
