//! [`Graph`]: the objects of one survey and their references, in flat arrays.
//!
//! # Layout
//! A node is a number. Its facts are one word at that place of an array, and its counts, if
//! anything had to be counted, another; its references are a range of one array of [links](Link).
//! Nothing is allocated per object and nothing hashed: a million objects must not cost more than
//! reading them does. So each array has only fields that are needed together, and the arrays are
//! used again ([`Graph::take_recycled`]).
//!
//! Nodes below `offsets.len() - 1` are objects of traced types. Those above are *side nodes*:
//! objects that own no references, listed because their wrapper takes part in a frontend's
//! collection. They have no out-edges.
//!
//! # Who may touch what
//! Written by the survey, in one thread; afterwards `need` and the units are changed once by
//! [`Graph::find_components`], `strong` and `marks` by the phases of a frontend's collector, and
//! the rest is read only.

use std::ffi::c_void;
use std::ptr::{with_exposed_provenance_mut, without_provenance_mut};

use super::fault;
use super::node_counts::Counts;
use super::scc::Units;
use crate::alloc::{release_pages, use_large_pages};
use crate::object::Holder;
use crate::sync::statics::Mutex;

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
    /// Was not watched: in the custody of a wrapper whose interpreter stands still, or there is no
    /// other thread.
    pub(in crate::trace) const UNWATCHED: u8 = 64;
    /// Owns a reference to an object of the frontend.
    pub(in crate::trace) const FOREIGN: u8 = 128;
}

/// Marks of a node.
pub(super) mod mark {
    pub(in crate::trace) const SUBTRACTED: u8 = 1;
    pub(in crate::trace) const REACHED: u8 = 2;
    /// Without wrapper: its contents were reported in the reaching phase.
    pub(in crate::trace) const ENTERED: u8 = 4;
    /// Has links to nodes, for which somebody must count. From the survey.
    pub(in crate::trace) const COUNTS: u8 = 8;
    /// Has no links. From the survey, which need not say so.
    pub(in crate::trace) const NO_EDGES: u8 = 16;
    /// May lead to an object of the frontend by itself, or that is not known. From a
    /// [sweep](super::super::sweep).
    pub(in crate::trace) const EDGE: u8 = 32;
}

/// The facts of a node, in one word: the wrapper of a wrapped node, for a frontend; flags; and
/// marks for the phases of a frontend's collector.
#[derive(Clone, Copy, Default)]
pub(super) struct Known(u64);

const POINTER: u64 = (1 << 48) - 1;
const FACTS: u32 = 48;
const MARKS: u32 = 56;

impl Known {
    /// Without a wrapper.
    #[inline]
    pub(super) fn new(facts: u8) -> Known {
        Known(u64::from(facts) << FACTS)
    }

    /// With marks and nothing else.
    pub(super) fn with_marks(marks: u8) -> Known {
        Known(u64::from(marks) << MARKS)
    }

    /// Both together.
    #[inline]
    pub(super) fn combined_with(self, other: Known) -> Known {
        Known(self.0 | other.0)
    }

    /// Addresses of wrappers have 48 bits (see [`Pair`](crate::object::Pair)).
    #[inline]
    pub(super) fn with_wrapper(self, wrapper: *mut c_void) -> Known {
        Known(self.0 | wrapper.expose_provenance() as u64)
    }

    #[inline]
    pub(super) fn wrapper(self) -> *mut c_void {
        with_exposed_provenance_mut((self.0 & POINTER) as usize)
    }

    /// For [`is_just`](Self::is_just): the wrapper, and these marks.
    pub(super) fn wrapper_and(marks: u8) -> u64 {
        POINTER | u64::from(marks) << MARKS
    }

    /// Whether the masked word is this wrapper and nothing else.
    #[inline]
    pub(super) fn is_just(self, wrapper: *mut c_void, looked_at: u64) -> bool {
        self.0 & looked_at == wrapper.addr() as u64
    }

    #[inline]
    pub(super) fn is_of(self, wrapper: *mut c_void) -> bool {
        self.0 & POINTER == wrapper.addr() as u64
    }

    #[inline]
    pub(super) fn facts(self) -> u8 {
        (self.0 >> FACTS) as u8
    }

    #[inline]
    pub(super) fn add(&mut self, facts: u8) {
        self.0 |= u64::from(facts) << FACTS;
    }

    #[inline]
    pub(super) fn marks(self) -> u8 {
        (self.0 >> MARKS) as u8
    }

    #[inline]
    pub(super) fn add_marks(&mut self, marks: u8) {
        self.0 |= u64::from(marks) << MARKS;
    }

    #[inline]
    pub(super) fn remove_marks(&mut self, marks: u8) {
        self.0 &= !(u64::from(marks) << MARKS);
    }

    /// Who must have had the object for it not to be held.
    pub(super) fn required_holder(self) -> Holder {
        if self.facts() & fact::PYTHON != 0 {
            Holder::Python
        } else if self.facts() & fact::WRAPPED != 0 {
            Holder::Native
        } else {
            Holder::Unwrapped
        }
    }
}

/// A reference that a node owns: to a node, or to an object of the frontend. The latter also stands
/// for a native object whose only reference this is: then it is that object's wrapper, which need
/// not be counted.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Link(*mut c_void);

impl Link {
    /// Addresses have 48 bits.
    const NODE: usize = 1 << 63;

    #[inline]
    pub(super) fn to_node(node: u32) -> Link {
        Link(without_provenance_mut(node as usize | Self::NODE))
    }

    #[inline]
    pub(super) fn to_foreign(object: *mut c_void) -> Link {
        debug_assert!(object.addr() & Self::NODE == 0);
        Link(object)
    }

    #[inline]
    pub(super) fn node(self) -> Option<u32> {
        (self.0.addr() & Self::NODE != 0).then_some(self.0.addr() as u32)
    }

    /// The object of the frontend, if it is not [to a node](Self::node).
    #[inline]
    pub(super) fn foreign(self) -> *mut c_void {
        self.0
    }
}

/// See the head of this file.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Known>,
    pub(super) counts: Counts,
    pub(super) offsets: Vec<u32>,
    pub(super) links: Vec<Link>,
    /// Nodes without wrapper that are not held.
    pub(super) inner: usize,
    /// Links to objects of the frontend that are not native.
    pub(super) foreigns: usize,
    /// Wrapped nodes with one native reference, known at first sight, and links that were made to
    /// such: the rest are held, though not marked so.
    pub(super) singles: usize,
    pub(super) direct: usize,
    /// Something was held because its state was not known, or left to another interpreter.
    pub(super) unsure: bool,
    /// Present when there is a unit of more than one node.
    pub(super) units: Option<Units>,
}

/// The arrays of the graph before, without their contents: memory that was used once costs nothing,
/// and new memory as much as all the rest of a survey of simple objects. Arrays beyond this are
/// freed, and so are those that are four times too large.
const KEPT: usize = 1 << 26;

static KEPT_GRAPH: Mutex<Option<Graph>> = Mutex::new(None);

/// Bytes of the arrays whose pages stay in memory between collections: those of a heap of 240,000
/// objects. Beyond that new pages cost less than the memory: they are [large](use_large_pages).
const RESIDENT: usize = 1 << 23;

/// Returns the pages of the arrays that are kept for the next collection to the system, unless
/// they are few; the next collection gets new ones where it needs them. For the end of a full
/// collection or sweep, each of which scans the heap more than once.
pub fn release_kept() {
    let kept = KEPT_GRAPH.try_lock().ok().and_then(|mut kept| kept.take());
    let Some(mut graph) = kept else { return };
    if graph.memory_size() > RESIDENT {
        release_pages(graph.nodes.spare_capacity_mut());
        release_pages(graph.offsets.spare_capacity_mut());
        release_pages(graph.links.spare_capacity_mut());
        graph.counts.release_pages();
    }
    keep_graph(graph);
}

/// Keeps a graph for the next collection, unless another thread is at it.
fn keep_graph(graph: Graph) {
    if let Ok(mut kept) = KEPT_GRAPH.try_lock() {
        *kept = Some(graph);
    }
}

/// Frees the arrays that are kept for the next collection.
pub fn forget_kept() {
    let kept = KEPT_GRAPH.try_lock().ok().and_then(|mut kept| kept.take());
    drop(kept);
}

// SAFETY: the pointers are opaque, and only given back to the frontend that they are from.
unsafe impl Send for Graph {}

impl Graph {
    /// An empty graph with room for so many objects.
    pub(super) fn take_recycled(count: usize) -> Graph {
        // Not waited for: a forked process may have a lock that is never released.
        let kept = KEPT_GRAPH.try_lock().ok().and_then(|mut kept| kept.take());
        let mut graph = kept
            .filter(|kept| kept.nodes.capacity() / 4 <= count)
            .unwrap_or_default();
        graph.nodes.reserve(count);
        graph.counts.reset_to(count);
        graph.offsets.reserve(count + 1);
        graph.offsets.push(0);
        graph.links.reserve(count);
        use_large_pages(graph.nodes.spare_capacity_mut());
        use_large_pages(graph.offsets.spare_capacity_mut());
        use_large_pages(graph.links.spare_capacity_mut());
        graph
    }

    /// Keeps the arrays for the next.
    pub(super) fn recycle_arrays(mut self) {
        if self.memory_size() > KEPT {
            return;
        }
        self.nodes.clear();
        self.offsets.clear();
        self.links.clear();
        let (nodes, counts) = (self.nodes, self.counts);
        let (offsets, links) = (self.offsets, self.links);
        let empty = Graph {
            nodes,
            counts,
            offsets,
            links,
            ..Graph::default()
        };
        keep_graph(empty);
    }

    /// Bytes of the arrays.
    fn memory_size(&self) -> usize {
        self.nodes.capacity() * (size_of::<Known>() + size_of::<u32>())
            + self.counts.memory_size()
            + self.links.capacity() * size_of::<Link>()
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(super) fn known_at(&self, node: u32) -> Known {
        self.nodes[node as usize]
    }

    pub(super) fn has_fact(&self, node: u32, fact: u8) -> bool {
        self.nodes[node as usize].facts() & fact != 0
    }

    pub(super) fn mark_held(&mut self, node: u32) {
        self.nodes[node as usize].add(fact::HELD);
    }

    #[inline]
    pub(super) fn edge_range(&self, node: u32) -> std::ops::Range<usize> {
        match self.offsets.get(node as usize + 1) {
            Some(end) => self.offsets[node as usize] as usize..*end as usize,
            None => 0..0,
        }
    }

    /// The nodes that a node refers to.
    #[inline]
    pub(super) fn edges(&self, node: u32) -> impl Iterator<Item = u32> {
        self.links[self.edge_range(node)]
            .iter()
            .filter_map(|link| link.node())
    }

    /// Marks everything that held nodes reach as held.
    pub(super) fn propagate_reachable(&mut self) {
        if fault::is_fault_enabled(fault::NO_FLOOD) {
            return;
        }
        let mut work: Vec<u32> = (0..self.len() as u32)
            .filter(|n| self.has_fact(*n, fact::HELD))
            .collect();
        while let Some(node) = work.pop() {
            for edge in self.edge_range(node) {
                let Some(target) = self.links[edge].node() else {
                    continue;
                };
                if !self.has_fact(target, fact::HELD) {
                    self.mark_held(target);
                    work.push(target);
                }
            }
        }
    }

    /// Forgets what the phases of a frontend's collector counted.
    pub(super) fn begin_phases(&mut self) {
        self.nodes
            .iter_mut()
            .for_each(|node| node.remove_marks(mark::SUBTRACTED | mark::REACHED | mark::ENTERED));
        self.counts.forget_arrivals();
    }

    /// Whether the owners of a node speak for its contents, and may ever have been seen all.
    #[inline]
    pub(super) fn is_inner(&self, node: u32) -> bool {
        !self.has_fact(node, fact::WRAPPED | fact::HELD | fact::SKIPPED)
    }
}
