//! [`Survey`]: all traced objects and their references, as they were at one instant, while other threads go on.
//!
//! # Promises, in order of weight
//! 1. A node that is not *held* had, at one instant that is the same for all nodes, exactly those references that the graph
//!    shows. Whoever can reach it reached it, at that instant, through a held node, a wrapper or a weak reference.
//! 2. Nothing is freed meanwhile, no foreign code runs, no frontend is called but for the caller's own look at a wrapper.
//! 3. The duties of references that were dropped under watch are kept, to be [settled](settle) when foreign code may run.
//!
//! # How
//! The runtime shows all traced objects while their list is held: none is made or destroyed.
//! 1. Each object is watched (from now on a clone leaves a mark) and *then* its references are read. A mutable field is locked
//!    first, and stays locked; if that cannot be had at once the object is held, and its references, which nobody sees,
//!    make their targets look held.
//!    An object in the custody of a wrapper is not watched: nobody holds it natively, and whoever could get hold of it is attached to an
//!    interpreter that stands still.
//! 2. When all was read, every state is read again. Same count, no mark: the count did not change in between, so it is
//!    the count at the instant between the two passes. If it is the number of references that were seen, which
//!    are locked or immutable and therefore real, there is no other. Then the watch ends.
//! 3. The judge looks at the graph, before any lock is given back.
//!
//! Locks are kept to the end of the second pass, because a clone counts first and leaves its mark afterwards: a reference that
//! was taken out of a field and dropped in that moment would hide it. And to the end of the judgement, because it counts
//! references to objects that it believes to have one.
//!
//! # Who may touch what
//! The list's locks and `WATCHED` guard everything between start and end of the walk. `note` and `epoch` of a
//! [`Prefix`] belong to the collector of the interpreter that owns the wrapper; objects without one are never
//! written to, because collectors of two interpreters may run at the same time.
//!
//! # Roads not taken
//! * A version in the count word instead of the mark: taxes each clone, and runs over.
//! * Tokens (one strong reference on each object) to keep objects alive: two more locked instructions each; the list does it.
//! * Numbering the objects by a hash map, or by a note in each: the place in the list is a number already.
//!
//! Tests: `tests/collect_threads.rs` (real threads), `faults.rs` (leaves each check out, and sees that the tests notice).

use std::ffi::c_void;
use std::hash::Hasher;
use std::ptr::NonNull;

use super::TracerTable;
use super::graph::{Graph, Known, fact, fault};
use super::pins::Places;
use crate::object::{Header, Holder, Pair, Released, State, destroy};
use crate::runtime::runtime;
use crate::sync::statics::Mutex;
use crate::sync::{CellLock, atomic, relax};
use crate::types::TypeFlags;
use crate::value::moved;

/// Nodes whose references are read before their targets are numbered.
const BATCH: usize = 32;
/// How many nodes ahead memory is asked for.
const AHEAD: usize = 8;

/// For whom the survey is made.
#[derive(Clone, Copy)]
pub(super) enum View<'a> {
    /// The collector of an interpreter: its wrappers are nodes of its own graph.
    Frontend {
        tag: u16,
        tracked: &'a dyn Fn(*mut c_void) -> bool,
        epoch: u32,
    },
    /// Native references only: an object with a wrapper is held, unless that wrapper is known to be garbage.
    Native { garbage: &'a dyn Fn(&Header) -> bool },
}

/// A reference was dropped while its object was watched, and nobody else has noticed.
pub(super) struct Duty(NonNull<Header>, Released);

// SAFETY: the duty is done once, by whoever takes it; objects bound to a thread are leaked instead (see `settle`).
unsafe impl Send for Duty {}

/// See the head of this file.
pub(super) struct Survey<'a> {
    view: View<'a>,
    pub(super) graph: Graph,
    /// The header of each node.
    pub(super) objects: Vec<*mut Header>,
    /// The first node of each shard of the list.
    base: Vec<u32>,
    side: Places,
    /// What is known about those, which come after all listed objects.
    side_nodes: Vec<Known>,
    locks: Vec<*const CellLock>,
    busy: bool,
    overflow: bool,
    /// References of the nodes of a batch, and where each node's end: numbered when all were seen, so that the memory of
    /// their targets arrives meanwhile.
    edges: Vec<*const Header>,
    ends: Vec<usize>,
    /// In-edges seen, by node: close together, because they are counted in any order.
    need: Vec<u32>,
    /// Nodes that are not held and have weak references.
    pub(super) weak: Vec<u32>,
    pub(super) duties: Vec<Duty>,
    /// References to the frontend's own objects, and where each node's begin.
    pub(super) foreign: Vec<*mut c_void>,
    pub(super) foreign_offsets: Vec<u32>,
}

/// A survey that is being made, and what is to be done before its locks are given back.
struct Walk<'a, 'j> {
    survey: Survey<'a>,
    judge: &'j mut dyn FnMut(&mut Survey<'_>),
}

impl<'a> Survey<'a> {
    /// Walks, and calls the judge while all locks are held. `None`: more than 2³² objects or references.
    ///
    /// Waits while another collector walks; that calls nothing foreign and needs no interpreter, so this cannot deadlock.
    pub(super) fn take(view: View<'a>, judge: &mut dyn FnMut(&mut Survey<'_>)) -> Option<Survey<'a>> {
        unsafe extern "C" fn shard(walk: *mut c_void, objects: *const *mut Header, count: usize) {
            // SAFETY: the walk below, not borrowed now; the list's slice, which may be empty.
            unsafe {
                if count > 0 {
                    let walk = &mut *walk.cast::<Walk<'_, '_>>();
                    walk.survey.add_shard(std::slice::from_raw_parts(objects, count));
                }
            }
        }
        unsafe extern "C" fn finish(walk: *mut c_void) {
            // SAFETY: the walk below, not borrowed now; the list is held.
            unsafe {
                let walk = walk.cast::<Walk<'_, '_>>();
                Survey::read(&raw mut (*walk).survey);
                let Walk { survey, judge } = &mut *walk;
                if !survey.overflow {
                    judge(survey);
                }
                survey.unlock();
            }
        }
        let survey = Survey {
            view,
            graph: Graph::default(),
            objects: Vec::new(),
            base: Vec::new(),
            side: Places::default(),
            side_nodes: Vec::new(),
            locks: Vec::new(),
            busy: false,
            overflow: false,
            edges: Vec::new(),
            ends: Vec::new(),
            need: Vec::new(),
            weak: Vec::new(),
            duties: Vec::new(),
            foreign: Vec::new(),
            foreign_offsets: Vec::new(),
        };
        let mut walk = Walk { survey, judge };
        let mut attempt = 0;
        // SAFETY: the callbacks get the walk that they expect, and only while this call lasts.
        while !unsafe { (runtime().walk)((&raw mut walk).cast(), shard, finish) } {
            relax(attempt);
            attempt = attempt.saturating_add(1);
        }
        let survey = walk.survey;
        if survey.overflow {
            defer(survey.duties);
            return None;
        }
        Some(survey)
    }

    fn add_shard(&mut self, objects: &[*mut Header]) {
        let Some(first) = objects.first() else { return };
        // SAFETY: a listed object, and the list is held.
        let shard = unsafe { (*(**first).prefix()).shard } as usize;
        if self.base.len() <= shard {
            self.base.resize(shard + 1, 0);
        }
        self.base[shard] = self.objects.len() as u32;
        self.objects.extend_from_slice(objects);
    }

    /// Both passes.
    ///
    /// # Safety
    /// A survey that nobody borrows, within a walk.
    unsafe fn read(this: *mut Self) {
        // SAFETY: nobody borrows the survey.
        let survey = unsafe { &mut *this };
        let moved = moved().load(atomic::Ordering::Acquire);
        let count = survey.objects.len();
        if count >= u32::MAX as usize / 2 {
            survey.overflow = true;
            return;
        }
        survey.reserve(count);
        survey.graph.offsets.push(0);
        survey.foreign_offsets.push(0);
        let table = TracerTable {
            edge: on_edge,
            foreign: on_foreign,
            lock: on_lock,
            context: this.cast(),
        };
        for start in (0..count).step_by(BATCH) {
            for node in start..count.min(start + BATCH) {
                // SAFETY: the borrow of the last round has ended, and so has that of the callbacks.
                let survey = unsafe { &mut *this };
                prefetch(survey.objects.get(node + AHEAD).map(|o| o.cast_const()));
                // SAFETY: objects in the list are alive while it is held.
                let object = unsafe { &*survey.objects[node] };
                survey.watch(object);
                if !survey.graph.has(node as u32, fact::SKIPPED) {
                    let locks = survey.locks.len();
                    survey.busy = false;
                    // SAFETY: alive; the callbacks borrow the survey while we do not.
                    unsafe { object.info().trace(object, &table) };
                    // SAFETY: as above.
                    unsafe { &mut *this }.traced(node, locks);
                }
                // SAFETY: as above.
                let survey = unsafe { &mut *this };
                survey.ends.push(survey.edges.len());
                survey.foreign_offsets.push(survey.foreign.len() as u32);
            }
            // SAFETY: as above.
            unsafe { &mut *this }.number();
        }
        // The second pass reads what others did before the last object was watched.
        atomic::fence(atomic::Ordering::SeqCst);
        // SAFETY: as above.
        let survey = unsafe { &mut *this };
        survey.overflow = survey.graph.targets.len() >= u32::MAX as usize / 2;
        survey.graph.nodes.append(&mut survey.side_nodes);
        survey.validate();
        // A clone moved a foreign reference out of an immutable field into an object that is not in the list. It gave up what kept the
        // field's owner alive after it had counted that, so a thread that is not seen to hold anything any more is seen to have counted.
        if self::moved().load(atomic::Ordering::Acquire) != moved {
            survey.hold_foreign();
        }
    }

    /// Holds every node that refers to an object of the frontend.
    #[cold]
    fn hold_foreign(&mut self) {
        self.graph.unsure = true;
        for (node, range) in self.foreign_offsets.windows(2).enumerate() {
            if range[0] != range[1] {
                self.graph.nodes[node].facts |= fact::HELD;
            }
        }
    }

    /// Numbers the targets of a batch of nodes, whose headers are near by now.
    fn number(&mut self) {
        let mut edge = 0;
        for i in 0..self.ends.len() {
            while edge < self.ends[i] {
                if let Some(node) = self.node_of(self.edges[edge]) {
                    self.graph.targets.push(node);
                    self.need[node as usize] += 1;
                }
                edge += 1;
            }
            self.graph.offsets.push(self.graph.targets.len() as u32);
        }
        self.ends.clear();
        self.edges.clear();
    }

    /// A node's references were read, for which locks after the first `locks` were taken.
    fn traced(&mut self, node: usize, locks: usize) {
        let facts = &mut self.graph.nodes[node].facts;
        if self.busy {
            *facts |= fact::HELD | fact::CELLS;
        }
        if self.locks.len() > locks {
            *facts |= fact::CELLS;
        }
    }

    fn reserve(&mut self, count: usize) {
        self.graph.nodes.reserve(count);
        self.graph.offsets.reserve(count + 1);
        self.graph.targets.reserve(count);
        self.need = vec![0; count];
        if matches!(self.view, View::Frontend { .. }) {
            self.foreign_offsets.reserve(count + 1);
        }
    }

    /// First pass: begins to watch a node, and says what it is.
    fn watch(&mut self, object: &Header) {
        let known = self.know(object, self.graph.nodes.len() as u32);
        self.graph.nodes.push(known);
    }

    fn know(&mut self, object: &Header, node: u32) -> Known {
        let custody = object.custody();
        let mut known = Known {
            wrapper: std::ptr::null_mut(),
            strong: 0,
            need: 0,
            facts: fact::SKIPPED | fact::HELD,
            marks: 0,
        };
        let View::Frontend { tag, epoch, .. } = self.view else {
            if let Some(state) = custody.watch() {
                known.facts = self.look(object, state, custody.pair());
                known.strong = limited(state);
            }
            return known;
        };
        let (still, state) = match custody.in_python() {
            // Only attached threads take it from there, and none of this interpreter runs.
            Some(state) if custody.pair().tag() == tag => (fact::STILL, state),
            _ => match custody.watch() {
                Some(state) => (0, state),
                None => return known,
            },
        };
        let pair = custody.pair();
        known.facts = self.look(object, state, pair) | still;
        known.strong = limited(state);
        if known.facts & fact::WRAPPED != 0 {
            known.wrapper = pair.wrapper();
            if object.info().is_traced() {
                // SAFETY: a traced object's; note and epoch belong to the collector of its wrapper's interpreter.
                unsafe {
                    let prefix = object.prefix();
                    (*prefix).note = node;
                    (*prefix).epoch = epoch;
                }
            }
        } else if pair.wrapper().is_null() && pair.tag() != 0 && pair.tag() != tag {
            self.graph.unsure = true;
        }
        known
    }

    fn look(&self, object: &Header, state: State, pair: Pair) -> u8 {
        let wrapper = pair.wrapper();
        let custody = match state.holder() {
            Holder::Python => fact::PYTHON | fact::WRAPPED,
            _ => fact::WRAPPED,
        };
        match self.view {
            View::Frontend { tag, .. } if wrapper.is_null() => {
                if state.holder() == Holder::Unwrapped && (pair.tag() == 0 || pair.tag() == tag) {
                    0
                } else {
                    fact::HELD
                }
            }
            // The collector looks at all wrappers of traced types, and others were asked for. If it does not for all that (it was told to leave
            // one alone), that wrapper does not speak, and what it owns is not accounted for.
            View::Frontend { tag, .. } => {
                if pair.tag() == tag && state.holder() != Holder::Unwrapped {
                    custody
                } else {
                    fact::HELD
                }
            }
            // An object that is bound to its thread can be destroyed there only.
            View::Native { .. } if !object.info().flags().has(TypeFlags::THREAD_SAFE) => fact::HELD,
            View::Native { .. } if wrapper.is_null() && state.holder() == Holder::Unwrapped => 0,
            View::Native { garbage } => {
                if !wrapper.is_null() && state.holder() != Holder::Unwrapped && garbage(object) {
                    custody
                } else {
                    fact::HELD
                }
            }
        }
    }

    /// The node of a reference's target. `None`: it plays no part.
    #[inline]
    fn node_of(&mut self, target: *const Header) -> Option<u32> {
        // SAFETY: somebody who is in the list owns a reference to it.
        let object = unsafe { &*target };
        if object.info().is_traced() {
            // SAFETY: a traced object has a prefix; it is alive, hence listed, and the list is held.
            let place = unsafe { &*object.prefix() };
            Some(self.base[place.shard as usize] + place.index)
        } else {
            self.side_node(object)
        }
    }

    /// The node of an object that owns no references: one only if its wrapper takes part.
    fn side_node(&mut self, object: &Header) -> Option<u32> {
        let View::Frontend { tag, tracked, .. } = self.view else {
            return None;
        };
        let pair = object.custody().pair();
        if pair.wrapper().is_null() || pair.tag() != tag {
            return None;
        }
        let address = std::ptr::from_ref(object).addr();
        if let Some(node) = self.side.get(&address) {
            return Some(*node);
        }
        if !tracked(pair.wrapper()) {
            return None;
        }
        let node = self.objects.len() as u32;
        let known = self.know(object, node);
        if known.facts & fact::SKIPPED != 0 {
            return None;
        }
        self.objects.push(std::ptr::from_ref(object).cast_mut());
        self.side_nodes.push(known);
        self.need.push(0);
        self.side.insert(address, node);
        Some(node)
    }

    /// Second pass: holds every node that has other references than those seen, and ends the watch.
    fn validate(&mut self) {
        let frontend = matches!(self.view, View::Frontend { .. });
        for node in 0..self.objects.len() {
            prefetch(self.objects.get(node + AHEAD).map(|o| o.cast_const()));
            fault::step();
            let known = &mut self.graph.nodes[node];
            known.need = self.need[node];
            if known.facts & fact::SKIPPED != 0 {
                continue;
            }
            // SAFETY: listed, or referred to by a locked or immutable field of an object that is.
            let custody = unsafe { &*self.objects[node] }.custody();
            let now = custody.watched();
            if known.facts & fact::HELD == 0 {
                let before = u64::from(known.strong);
                let seen = u64::from(known.need) + u64::from(known.facts & fact::PYTHON != 0);
                let changed = now.strong() != before || now.is_touched() && !fault::on(fault::NO_TOUCH);
                let others = seen != before && !fault::on(fault::NO_COUNT);
                if changed || others || now.holder() != known.holder() {
                    known.facts |= fact::HELD;
                }
            }
            if now.weak() > 0 {
                known.facts |= fact::WEAK;
            }
            if frontend {
                // From here on it counts what arrives.
                known.strong = 0;
            }
            match known.facts & (fact::HELD | fact::WRAPPED | fact::WEAK) {
                0 => self.graph.inner += 1,
                fact::WEAK => {
                    self.graph.inner += 1;
                    self.weak.push(node as u32);
                }
                facts if facts & (fact::HELD | fact::WEAK) == fact::WEAK => self.weak.push(node as u32),
                _ => {}
            }
            if known.facts & fact::STILL != 0 {
                continue;
            }
            match custody.unwatch() {
                Released::Shared => {}
                duty => self.duties.push(Duty::new(self.objects[node], duty)),
            }
        }
        self.need = Vec::new();
    }

    fn unlock(&mut self) {
        for lock in self.locks.drain(..) {
            // SAFETY: locked by `on_lock`, in an object that is alive while the list is held.
            unsafe { (*lock).unlock() }
        }
    }

    /// The nodes of objects without references of their own, by address.
    pub(super) fn into_side(self) -> Places {
        self.side
    }
}

// The tracer's callbacks. SAFETY (of each): the context is the survey of `read`, which does not borrow it while it traces.

unsafe extern "C" fn on_edge(survey: *mut c_void, target: *const Header) {
    // SAFETY: see above.
    let survey = unsafe { &mut *survey.cast::<Survey<'_>>() };
    prefetch(Some(target));
    survey.edges.push(target);
}

unsafe extern "C" fn on_foreign(survey: *mut c_void, tag: u16, object: *mut c_void) {
    // SAFETY: see above.
    let survey = unsafe { &mut *survey.cast::<Survey<'_>>() };
    if matches!(survey.view, View::Frontend { tag: ours, .. } if ours == tag) {
        survey.foreign.push(object);
    }
}

unsafe extern "C" fn on_lock(survey: *mut c_void, lock: *const CellLock) -> bool {
    // SAFETY: see above; the lock lives in an object that is alive.
    unsafe {
        let survey = &mut *survey.cast::<Survey<'_>>();
        let locked = (*lock).try_lock();
        if locked {
            survey.locks.push(lock);
        } else {
            survey.busy = true;
        }
        locked
    }
}

/// The count of strong references, in less space.
fn limited(state: State) -> u32 {
    u32::try_from(state.strong()).unwrap_or(u32::MAX)
}

/// Brings something near that is read soon.
#[inline]
pub(super) fn prefetch<T>(object: Option<*const T>) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if let Some(object) = object {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint; any address will do.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(object.cast()) }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = object;
}

/// Hashes an aligned address.
#[derive(Default)]
pub(super) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }
    fn write_usize(&mut self, address: usize) {
        let mixed = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

static PENDING: Mutex<Vec<Duty>> = Mutex::new(Vec::new());

/// Keeps duties until [`settle`].
pub(super) fn defer(duties: Vec<Duty>) {
    if !duties.is_empty() {
        PENDING
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .extend(duties);
    }
}

/// Does what references that were dropped during a survey left to do: destroys objects, releases wrappers. Returns their number.
///
/// A frontend calls it when its collection is over and foreign code may run; never from a traversal. Any thread may, attached or not.
pub fn settle() -> usize {
    let duties = std::mem::take(&mut *PENDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    let count = duties.len();
    for duty in duties {
        duty.settle();
    }
    count
}

impl Duty {
    pub(super) fn new(object: *mut Header, duty: Released) -> Self {
        Duty(NonNull::new(object).expect("a listed object"), duty)
    }

    pub(super) fn settle(self) {
        let Duty(object, released) = self;
        match released {
            Released::Shared => {}
            // SAFETY: the protocol gave the duty to the survey, which passed it on once.
            Released::Destroy => unsafe {
                // Its own thread dropped it in the moment of the survey, and no other may destroy it: leaked.
                if object.as_ref().info().flags().has(TypeFlags::THREAD_SAFE) {
                    destroy(object);
                }
            },
            // SAFETY: the duty is done once.
            handed @ Released::HandedOver(_) => unsafe { crate::object::settle(object, handed) },
        }
    }
}
