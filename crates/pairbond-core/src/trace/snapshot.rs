//! [`Snapshot`]: what a wrapper's traversal answers, so that a frontend's collector sees native
//! references as its own.
//!
//! # Promises, in order of weight
//! 1. In the subtracting phase each counted reference that the native side owns is reported at most
//!    once.
//! 2. It is reported only if *every* path to it begins at a wrapper that was traversed in this
//!    phase. An object reported in the subtracting phase is reported again in the reaching phase by
//!    any of those wrappers.
//! 3. Garbage is reported completely, provided its owners are all traversed: a full collection
//!    finds it.
//!
//! # How
//! The wrapper of a node speaks for the node's contents. An object without wrapper is spoken for by
//! its owners: the last one to be traversed reports its contents. In the same way an object owns
//! one counted reference to its wrapper as long as native references exist: the last of its owners
//! to be traversed reports it. So each reference *arrives* at its target, and the target is
//! complete when as many arrived as it needs; a target that is held, or has an owner that is not
//! traversed (in an older generation, frozen, known to be alive), never is, and looks to the
//! collector like something that is referenced from outside, which is true.
//!
//! # Use
//! ```text
//! tp_traverse, subtracting:   if there is no snapshot, or it has_subtracted(node): a new phase begins: take one
//!                             subtract(node, visitor, …), visitor = address of the visit function
//! tp_traverse, reaching:      reach(node, visitor, …)
//! tp_clear, first of all:     condemn() – condemns and clears all garbage natively, at once
//! end of the collection:      drop it, then settle()
//! ```
//! Every subtracting phase needs a snapshot of its own: between two of them finalizers run. A
//! snapshot may be used from `take` until foreign code of the interpreter runs, because it holds no
//! reference; `condemn` looks again and needs no more than the marks. A traversal for which there
//! is no snapshot, and one that is not part of a collection, reports nothing native.
//!
//! Most objects have one owner. A survey that is [alone](super::alone) tells that at first sight,
//! and such an object is complete with that one reference: the link of its owner is its wrapper,
//! and is visited without a look at anything else.
//!
//! # Finding nodes
//! Traversals ask for a wrapper's node. They mostly come in the order in which the wrappers were
//! made, which is that of the nodes: the next wrapper is compared with the next node's
//! ([`turn`](Snapshot::visit_action)), and no object need be read. Otherwise the object has a note
//! of its number; or, if the survey was alone, its place in the list is good as long as the world
//! stands still.
//!
//! # Weak references
//! What a phase has found unreachable must not come back through a weak reference before the
//! collector clears it: other foreign objects that are reached through it are cleared too, and
//! foreign weak references to it are dead. So an upgrade asks
//! [`is_condemned`](Snapshot::is_condemned) while a snapshot exists (see
//! [`Collecting`](crate::frontend::Collecting)), and [`condemn_garbage`](Snapshot::condemn_garbage)
//! makes that final before the snapshot goes. To answer for objects without wrapper the snapshot
//! counts a weak reference of its own to each that has one: its address is not used again
//! meanwhile.
//!
//! # Who may touch what
//! The collector, and between its phases a holder of a weak reference, one thread at a time. No
//! object is read after `take` (objects without wrapper may be gone by then), only arrays.
//!
//! # Roads not taken
//! * Stand-ins for objects with several owners, made for the next collection: the last owner can
//!   speak for all.
//! * Counting in the traversal, without a snapshot: exact only while no other thread moves a
//!   reference.

use std::ffi::c_void;

use super::collect::{self, Statistics};
use super::decision::Condemned;
use super::graph::{Graph, fact, mark};
use super::pins::{Pins, Places};
use super::survey::{HeapScan, Notes, View};
use super::survey_duty::defer_duties;
use super::visit_edges::Phase;
use crate::object::{Header, Holder, Prefix, State};
use crate::sync::statics::{AtomicUsize, Ordering};

/// An object of a [`Snapshot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(pub(super) u32);

/// The native references of one instant, and how far a frontend's collector has come with them. See
/// the head of this module.
pub struct Snapshot {
    epoch: u32,
    pub(super) graph: Graph,
    side: Places,
    /// The first node of each shard of the list, if objects without note may be found by their
    /// places.
    base: Option<Vec<u32>>,
    /// The node that is asked for next, probably.
    pub(super) next: u32,
    /// The subtracting phase is over.
    pub(super) reaching: bool,
    pub(super) phase: Phase,
    pub(super) work: Vec<u32>,
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
    /// Takes a snapshot for the collector of interpreter `tag`, which has stopped its world.
    /// `tracked` says whether its collector looks at the wrapper of an object that owns no
    /// references; at the others it does. `None`: too many objects (2³²); the traversals of this
    /// phase then report nothing.
    ///
    /// Calls no foreign code but `tracked`; may be called in a traversal.
    #[must_use]
    pub fn take_snapshot(tag: u16, tracked: &dyn Fn(*mut c_void) -> bool) -> Option<Snapshot> {
        Self::take_with(tag, tracked, Notes::All)
    }

    /// As [`take_snapshot`](Self::take_snapshot), for the first pass of a collection: one after
    /// which nothing is [condemned](Self::condemn_garbage). Once the world goes on such a snapshot
    /// need know those objects only to which there are weak references.
    #[must_use]
    pub fn take_first(tag: u16, tracked: &dyn Fn(*mut c_void) -> bool) -> Option<Snapshot> {
        Self::take_with(tag, tracked, Notes::Asked)
    }

    fn take_with(tag: u16, tracked: &dyn Fn(*mut c_void) -> bool, notes: Notes) -> Option<Snapshot> {
        let epoch = next_epoch();
        let (mut pins, mut pinned) = (Pins::default(), Places::default());
        let view = View::Frontend {
            tag,
            tracked,
            epoch,
            notes,
        };
        let mut survey =
            HeapScan::scan_heap(view, &mut |survey| pins = Pins::pin_objects(survey, &mut pinned))?;
        defer_duties(std::mem::take(&mut survey.duties));
        let mut graph = std::mem::take(&mut survey.graph);
        graph.find_components();
        let by_place = survey.is_at_sight() && notes == Notes::Asked;
        Some(Snapshot {
            epoch,
            base: by_place.then(|| std::mem::take(&mut survey.base)),
            next: 0,
            reaching: false,
            side: survey.into_side(),
            phase: Phase::default(),
            work: Vec::new(),
            pinned,
            pins,
            graph,
        })
    }

    /// The node of a wrapper's object, while the world stands still. `None`: it has none in this
    /// snapshot (it is new, or was changing hands), and reports nothing.
    #[must_use]
    pub fn find_node(&mut self, object: &Header) -> Option<Node> {
        let node = if object.info().is_traced() {
            self.noted_node(object).or_else(|| self.placed_node(object))?
        } else {
            *self.side.get(&address_of(object))?
        };
        self.next = node + 1;
        Some(Node(node))
    }

    fn noted_node(&self, object: &Header) -> Option<u32> {
        // SAFETY: a traced object has a prefix; note and epoch belong to the collector of its
        // wrapper's interpreter, that is, to us.
        let (note, epoch) = unsafe {
            let prefix: *mut Prefix = object.prefix_ptr();
            ((*prefix).note, (*prefix).epoch)
        };
        (epoch == self.epoch).then_some(note)
    }

    #[cold]
    fn placed_node(&self, object: &Header) -> Option<u32> {
        let base = self.base.as_ref()?;
        // SAFETY: a traced object has a prefix. No other thread was there when the snapshot was
        // taken, and none is as long as the world stands still.
        let (index, shard) = unsafe {
            let prefix: *mut Prefix = object.prefix_ptr();
            ((*prefix).index, (*prefix).shard)
        };
        let node = base.get(shard as usize)? + index;
        let known = self.graph.nodes.get(node as usize)?;
        let wrapper = object.custody().pair().wrapper();
        (!wrapper.is_null() && known.is_of(wrapper)).then_some(node)
    }

    /// Whether this must be the snapshot of an earlier pass, because it does [not
    /// find](Self::find_node) an object that it would know: it was found by its place then, and has
    /// moved.
    #[must_use]
    pub fn has_lost(&self, object: &Header) -> bool {
        let known = |state: State| state.holder() != Holder::Unwrapped;
        self.base.is_some()
            && object.info().is_traced()
            && object.custody().unwatched_state().is_some_and(known)
    }

    /// Discards the reports, as if the snapshot were new. Only while the world has been stopped
    /// since it was taken.
    pub fn begin_pass(&mut self) {
        self.graph.begin_phases();
        self.phase = Phase::default();
        self.next = 0;
        self.reaching = false;
    }

    /// A reaching phase has begun, with an object that this snapshot may not know.
    pub fn begin_reaching_phase(&mut self) {
        if !self.reaching {
            self.reaching = true;
            self.phase = Phase::default();
        }
    }

    /// Whether a reaching phase has begun; the next that subtracts needs a snapshot of its own.
    #[must_use]
    pub fn is_reaching(&self) -> bool {
        self.reaching
    }

    /// Whether the node's wrapper was traversed in this subtracting phase already: another phase
    /// has begun.
    #[must_use]
    #[inline]
    pub fn has_subtracted(&self, node: Node) -> bool {
        self.graph.known_at(node.0).marks() & mark::SUBTRACTED != 0
    }

    /// Whether native objects may have kept only each other alive, without any wrapper, when the
    /// snapshot was taken: a collector of native objects has something to do. If not, it would find
    /// nothing but what has become garbage since.
    #[must_use]
    pub fn may_have_native_garbage(&self) -> bool {
        self.graph.keeps_itself()
    }

    /// Whether the last phases have found an object unreachable, so that it must not be upgraded
    /// any more. Called between two phases by a holder of a weak reference; an object that had no
    /// weak reference then may be denied.
    #[must_use]
    pub fn is_condemned(&self, object: &Header) -> bool {
        let noted = if object.info().is_traced() {
            self.noted_node(object)
        } else {
            None
        };
        let Some(node) = noted.or_else(|| self.pinned.get(&address_of(object)).copied()) else {
            return false;
        };
        if self.graph.has_fact(node, fact::WRAPPED) {
            return self.is_garbage(node);
        }
        // Its owners speak for it: all were seen, and none of them was reached.
        let unit = self.graph.unit_of(node);
        let count = self.graph.counts[unit];
        !self.graph.has_fact(node, fact::HELD)
            && count.need > 0
            && count.strong == count.need
            && self.graph.known_at(unit).marks() & mark::REACHED == 0
    }

    /// A wrapped node was traversed and not reached.
    fn is_garbage(&self, node: u32) -> bool {
        self.graph.known_at(node).marks() & (mark::SUBTRACTED | mark::REACHED) == mark::SUBTRACTED
    }

    /// Ends the use of a snapshot where no memory should be given back; that is done when the pins
    /// are dropped.
    #[must_use]
    pub fn into_pins(mut self) -> Pins {
        std::mem::take(&mut self.pins)
    }

    /// The collector has made its decision and begins to clear; called before anything was cleared,
    /// attached. Everything that is garbage by it – wrapped objects that were subtracted and not
    /// reached, and what only they keep – is looked at once more, condemned all together, so that
    /// weak references no longer upgrade, and cleared. What somebody got hold of meanwhile, and
    /// what that reaches, is left alone. Each condemned object `is_dying` from then on.
    ///
    /// Runs nothing foreign: [`Condemned::clear`](super::Condemned::clear) does. A wrapper's own
    /// clearing need do nothing natively any more.
    pub fn condemn_garbage(&self) -> Condemned {
        // By notes only: an object that is new may have the place of one that was found to be
        // garbage.
        let garbage = |object: &Header| {
            let node = if object.info().is_traced() {
                self.noted_node(object)
            } else {
                self.side.get(&address_of(object)).copied()
            };
            node.is_some_and(|node| self.is_garbage(node))
        };
        collect::condemn_garbage(&garbage)
    }

    /// What the survey saw.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics::from_graph(&self.graph, 0)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        std::mem::take(&mut self.graph).recycle_arrays();
    }
}

fn address_of(object: &Header) -> usize {
    std::ptr::from_ref(object).addr()
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Snapshot({}, {:?})", self.epoch, self.statistics())
    }
}
