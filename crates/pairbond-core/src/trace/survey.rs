//! [`HeapScan`]: all traced objects and their references, as they were at one instant, while other
//! threads go on.
//!
//! * `single_threaded` – the first pass when there is no other thread.
//! * `classify` – what the first pass finds out about an object, and the numbers of nodes.
//! * `validate` – the second pass.
//! * `refcount_check` – what debug builds check.
//!
//! # Promises, in order of weight
//! 1. A node that is not *held* had, at one instant that is the same for all nodes, exactly those
//!    references that the graph shows. A thread that can reach it reached it, at that instant,
//!    through a held node, a wrapper or a weak reference.
//! 2. Nothing is freed meanwhile, no foreign code runs, no frontend is called but for the caller's
//!    own look at a wrapper.
//! 3. The duties of references that were dropped under watch are kept, to be
//!    [settled](super::settle) when foreign code may run.
//!
//! # How
//! The runtime shows all traced objects while their list is held: none is made or destroyed.
//! 1. Each object is watched (from now on a clone leaves a mark) and *then* its references are
//!    read. A mutable field is locked first, and stays locked; if that cannot be had at once the
//!    object is held, and its references, which are not read, make their targets look held. An
//!    object in the custody of a wrapper is not watched: it has no native holder, and a thread that
//!    could get one is attached to an interpreter that stands still.
//! 2. When all was read, every state is read again. Same count, no mark: the count did not change
//!    in between, so it is the count at the instant between the two passes. If it is the number of
//!    references that were seen, which are locked or immutable and therefore real, there is no
//!    other. Then the watch ends.
//! 3. The judge looks at the graph, before any lock is given back.
//!
//! Locks are kept to the end of the second pass, because a clone counts first and leaves its mark
//! afterwards: a reference that was taken out of a field and dropped in that moment would hide it.
//! And to the end of the judgement, because it counts references to objects that it believes to
//! have one.
//!
//! # Alone
//! A frontend's survey in a [process of one thread](super::alone) is over before anything can
//! change. It watches and locks nothing, and reads plainly. Then an object that only its wrapper or
//! only one native reference owns is classified at first sight, without counting: its referrer has
//! the one reference, and links to its wrapper directly. The second pass is for the others. The
//! native collector counts all the same, but does not watch or lock either, and condemns the
//! garbage that it finds at once.
//!
//! # Who may touch what
//! The list's locks and `WATCHED` guard everything between start and end of the walk. `note` and
//! `epoch` of a [`Prefix`](crate::object::Prefix) belong to the collector of the interpreter that
//! owns the wrapper; objects without one are never written to, because collectors of two
//! interpreters may run at the same time.
//!
//! # Roads not taken
//! * A version in the count word instead of the mark: taxes each clone, and runs over.
//! * Tokens (one strong reference on each object) to keep objects alive: two more locked
//!   instructions each; the list does it.
//! * Numbering the objects by a hash map, or by a note in each: the place in the list is a number
//!   already.
//!
//! Tests: `tests/collect_threads.rs` (real threads), `faults.rs` (leaves each check out, and sees
//! that the tests notice).

mod classify;
mod refcount_check;
mod single_threaded;
mod validate;

use std::ffi::c_void;

use super::AHEAD;
use super::TracerTable;
use super::alone::is_alone;
use super::graph::{Graph, Known, Link, fact, mark};
use super::interrupt::{OBJECTS, is_interrupted};
use super::pins::Places;
use super::references::show_references;
use super::survey_duty::{Duty, defer_duties};
use super::sweep::Look;
use crate::alloc::{has_room, try_push};
use crate::any::moved_count;
use crate::object::objects_table;
use crate::object::{Header, Holder};
use crate::sync::{CellLock, atomic, prefetch, relax_or_yield};
use crate::tracked::is_structure_lock;

/// Nodes whose references are read before their targets are numbered.
const BATCH: usize = 32;

/// For whom the survey is made.
#[derive(Clone, Copy)]
pub(super) enum View<'a> {
    /// The collector of an interpreter: its wrappers are nodes of its own graph.
    Frontend {
        tag: u16,
        tracked: &'a dyn Fn(*mut c_void) -> bool,
        epoch: u32,
        notes: Notes,
    },
    /// Native references only: an object with a wrapper is held, unless that wrapper is known to be
    /// garbage.
    Native { garbage: &'a dyn Fn(&Header) -> bool },
    /// Native references, and what the frontend says of the wrappers of its interpreter: an object
    /// is held unless its wrapper is dormant.
    Sweep {
        tag: u16,
        look: &'a dyn Fn(*mut c_void, Holder) -> Look,
    },
}

/// Which wrapped objects get a note of their number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Notes {
    All,
    /// Those that somebody may ask for when the world goes on, because there are weak references to
    /// them; and all if this thread is not alone.
    Asked,
}

/// See the head of this file.
pub(super) struct HeapScan<'a> {
    view: View<'a>,
    pub(super) graph: Graph,
    /// The header of each node; not when they are known at sight.
    pub(super) objects: Vec<*mut Header>,
    /// The list itself, shard by shard; only while it is held.
    listed: Vec<*const [*mut Header]>,
    /// The first node of each shard of the list.
    pub(super) base: Vec<u32>,
    side: Places,
    /// The facts of those, which come after all listed objects.
    side_nodes: Vec<Known>,
    /// No other thread is there.
    pub(super) alone: bool,
    /// Nodes for the second pass, when most are [known at sight](Self::is_at_sight): these are not.
    open: Vec<(u32, *mut Header)>,
    locks: Vec<*const CellLock>,
    /// The lock of all structures is one of them.
    structures: bool,
    /// Of the object that is being read: a lock could not be had; there is a lock; a frontend's
    /// object was seen.
    busy: bool,
    cells: bool,
    foreign: bool,
    /// Nothing can be decided: there is no memory for all references, or the scan was
    /// [interrupted](super::interruptible).
    pub(super) abandoned: bool,
    /// References of the nodes of a batch, and where each node's end: numbered when all were seen,
    /// so that the memory of their targets arrives meanwhile.
    seen: Vec<Seen>,
    ends: Vec<usize>,
    /// Nodes that are not held and have weak references.
    pub(super) weak: Vec<(u32, *mut Header)>,
    pub(super) duties: Vec<Duty>,
    shown: refcount_check::Shown,
}

/// Bytes of all arrays of a survey for each object, and as many again for those that are made of
/// them; there are references besides.
const FOR_EACH: usize = 160;

/// A reference that was read.
enum Seen {
    Native(*const Header),
    Foreign(*mut c_void),
}

/// A survey in progress, and the work for before its locks are given back.
struct Walk<'a, 'j> {
    survey: HeapScan<'a>,
    judge: &'j mut dyn FnMut(&mut HeapScan<'_>),
}

impl<'a> HeapScan<'a> {
    /// The object of a node, for those who look while the survey lasts.
    pub(super) fn object(&self, node: u32) -> &Header {
        // SAFETY: the survey holds the list of objects, or locks what refers to it: it is alive.
        unsafe { &*self.objects[node as usize] }
    }

    /// Walks, and calls the judge while all locks are held. `None`: more than 2³² objects or
    /// references, no memory for the arrays, or [interrupted](super::interruptible).
    ///
    /// Waits while another collector walks; that calls nothing foreign and needs no interpreter, so
    /// this cannot deadlock.
    pub(super) fn scan_heap(
        view: View<'a>,
        judge: &mut dyn FnMut(&mut HeapScan<'_>),
    ) -> Option<HeapScan<'a>> {
        unsafe extern "C" fn visit_shard(walk: *mut c_void, objects: *const *mut Header, count: usize) {
            // SAFETY: the walk below, not borrowed now; the list's slice, which may be empty.
            unsafe {
                if count > 0 {
                    let walk = &mut *walk.cast::<Walk<'_, '_>>();
                    walk.survey.add_shard(std::slice::from_raw_parts(objects, count));
                }
            }
        }
        unsafe extern "C" fn finish_walk(walk: *mut c_void) {
            // SAFETY: the walk below, not borrowed now; the list is held.
            unsafe {
                let walk = walk.cast::<Walk<'_, '_>>();
                HeapScan::read_references(&raw mut (*walk).survey);
                let Walk { survey, judge } = &mut *walk;
                if !survey.abandoned && !survey.shown.is_wrong() {
                    judge(survey);
                }
                survey.unlock_all();
            }
        }
        if is_interrupted() {
            return None;
        }
        let survey = HeapScan {
            view,
            graph: Graph::default(),
            objects: Vec::new(),
            listed: Vec::new(),
            base: Vec::new(),
            side: Places::default(),
            side_nodes: Vec::new(),
            alone: is_alone(),
            open: Vec::new(),
            locks: Vec::new(),
            structures: false,
            busy: false,
            cells: false,
            foreign: false,
            abandoned: false,
            seen: Vec::new(),
            ends: Vec::new(),
            weak: Vec::new(),
            duties: Vec::new(),
            shown: refcount_check::Shown::default(),
        };
        let mut walk = Walk { survey, judge };
        let mut attempt = 0;
        // SAFETY: the callbacks get the walk that they expect, and only while this call lasts.
        while !unsafe { (objects_table().walk)((&raw mut walk).cast(), visit_shard, finish_walk) } {
            relax_or_yield(attempt);
            attempt = attempt.saturating_add(1);
        }
        let mut survey = walk.survey;
        survey.shown.panic_if_wrong();
        if survey.abandoned {
            defer_duties(survey.duties);
            return None;
        }
        Some(survey)
    }

    /// Whether a frontend's survey is alone: then the first pass is in `single_threaded`.
    pub(super) fn is_at_sight(&self) -> bool {
        self.alone && matches!(self.view, View::Frontend { .. })
    }

    fn add_shard(&mut self, objects: &[*mut Header]) {
        let Some(first) = objects.first() else { return };
        // SAFETY: a listed object, and the list is held.
        let shard = unsafe { (*(**first).prefix_ptr()).shard } as usize;
        if self.base.len() <= shard {
            self.base.resize(shard + 1, 0);
        }
        let before: usize = self.listed.iter().map(|shard| shard.len()).sum();
        self.base[shard] = before as u32;
        self.listed.push(objects);
        if !self.is_at_sight() {
            match self.objects.try_reserve(objects.len()) {
                Ok(()) => self.objects.extend_from_slice(objects),
                Err(_) => self.abandoned = true,
            }
        }
    }

    /// Both passes.
    ///
    /// # Safety
    /// A survey that is not borrowed, within a walk.
    unsafe fn read_references(this: *mut Self) {
        // SAFETY: the survey is not borrowed.
        let survey = unsafe { &mut *this };
        let moved = moved_count().load(atomic::Ordering::Acquire);
        let listed = std::mem::take(&mut survey.listed);
        let count: usize = listed.iter().map(|shard| shard.len()).sum();
        if count >= u32::MAX as usize / 2 {
            survey.abandoned = true;
        }
        if survey.abandoned {
            return;
        }
        if !has_room(count.saturating_mul(FOR_EACH)) {
            survey.abandoned = true;
            return;
        }
        survey.graph = Graph::take_recycled(count);
        if survey.is_at_sight() {
            // SAFETY: the walk's shards.
            unsafe { survey.read_alone(&listed) };
        } else {
            // SAFETY: as this function.
            unsafe { Self::read_watching(this, &listed) };
        }
        // SAFETY: as this function.
        let survey = unsafe { &mut *this };
        if survey.abandoned && survey.alone {
            // Nothing is watched.
            return;
        }
        // The second pass reads what others did before the last object was watched.
        atomic::fence(atomic::Ordering::SeqCst);
        // Those that were not read, of an interrupted scan.
        let nothing = Known::new(fact::SKIPPED | fact::HELD);
        survey.graph.nodes.resize(count, nothing);
        let (nodes, links) = (survey.graph.nodes.len(), survey.graph.links.len());
        survey.abandoned |= links >= u32::MAX as usize / 2
            || !has_room(nodes.saturating_mul(FOR_EACH) + links * size_of::<(Link, Link)>());
        // SAFETY: the walk's shards.
        unsafe { survey.check_at_sight(&listed) };
        survey.graph.nodes.append(&mut survey.side_nodes);
        survey.validate_counts();
        // SAFETY: the walk's shards.
        unsafe { survey.find_who(&listed) };
        // A clone moved a foreign reference out of an immutable field into an object that is not in
        // the list. It gave up what kept the field's owner alive after it had counted that, so a
        // thread that is not seen to hold anything any more is seen to have counted.
        if self::moved_count().load(atomic::Ordering::Acquire) != moved {
            survey.hold_foreign();
        }
        survey.abandoned |= is_interrupted();
    }

    /// The first pass, while others may go on.
    ///
    /// # Safety
    /// As for [`read_references`](Self::read_references).
    unsafe fn read_watching(this: *mut Self, listed: &[*const [*mut Header]]) {
        let table = TracerTable {
            edge: on_edge,
            foreign: on_foreign,
            lock: on_lock,
            context: this.cast(),
        };
        for shard in listed {
            // SAFETY: held until the walk is over.
            let shard = unsafe { &**shard };
            for (number, batch) in shard.chunks(BATCH).enumerate() {
                if number.is_multiple_of(OBJECTS / BATCH) && is_interrupted() {
                    // SAFETY: the borrow of the last round has ended.
                    unsafe { (*this).abandoned = true };
                    return;
                }
                for (i, object) in batch.iter().enumerate() {
                    if let Some(ahead) = shard.get(number * BATCH + i + AHEAD) {
                        // What the list keeps stands before an object.
                        prefetch(ahead.wrapping_byte_sub(16).cast_const());
                        prefetch(ahead.wrapping_byte_add(48).cast_const());
                    }
                    // SAFETY: objects in the list are alive while it is held.
                    let object = unsafe { &**object };
                    // SAFETY: the borrow of the last round has ended, and so has that of the
                    // callbacks.
                    let survey = unsafe { &mut *this };
                    let node = survey.graph.nodes.len();
                    let known = survey.know_by_counting(object, node as u32);
                    survey.graph.nodes.push(known);
                    if known.facts() & fact::SKIPPED == 0 {
                        (survey.busy, survey.cells, survey.foreign) = (false, false, false);
                        // SAFETY: alive, and of its type; the callbacks borrow the survey while we
                        // do not.
                        unsafe {
                            show_references(
                                object,
                                &table,
                                |lock| !lock.is_retired() && on_lock(this.cast(), lock),
                                |target| on_edge(this.cast(), target),
                            );
                        }
                        // SAFETY: alive, and of its type; the callbacks borrow the survey while we
                        // do not.
                        unsafe { &mut *this }.after_traced(node);
                    }
                    // SAFETY: alive, and of its type; the callbacks borrow the survey while we do
                    // not.
                    let survey = unsafe { &mut *this };
                    survey.ends.push(survey.seen.len());
                }
                // SAFETY: alive, and of its type; the callbacks borrow the survey while we do not.
                unsafe { &mut *this }.number_targets();
            }
        }
    }

    /// A node's references were read.
    #[inline]
    fn after_traced(&mut self, node: usize) {
        if !(self.busy | self.cells | self.foreign) {
            return;
        }
        let known = &mut self.graph.nodes[node];
        if self.busy {
            known.add(fact::HELD | fact::CELLS);
            known.add_marks(mark::EDGE);
        }
        if self.cells {
            known.add(fact::CELLS);
        }
        if self.foreign {
            known.add(fact::FOREIGN);
        }
    }

    fn unlock_all(&mut self) {
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

// The tracer's callbacks. SAFETY (of each): the context is the survey of `read`, which does not
// borrow it while it traces.

unsafe extern "C" fn on_edge(survey: *mut c_void, target: *const Header) {
    // SAFETY: the context is the scan whose table this is, not borrowed otherwise.
    let survey = unsafe { &mut *survey.cast::<HeapScan<'_>>() };
    prefetch(target);
    survey.abandoned |= try_push(&mut survey.seen, Seen::Native(target)).is_err();
}

unsafe extern "C" fn on_foreign(survey: *mut c_void, tag: u16, object: *mut c_void) {
    // SAFETY: the context is the scan whose table this is, not borrowed otherwise.
    let survey = unsafe { &mut *survey.cast::<HeapScan<'_>>() };
    match survey.view {
        View::Frontend { tag: ours, .. } if ours == tag => {
            survey.foreign = true;
            survey.abandoned |= try_push(&mut survey.seen, Seen::Foreign(object)).is_err();
        }
        View::Sweep { tag: ours, .. } => survey.foreign |= ours == tag,
        _ => {}
    }
}

unsafe extern "C" fn on_lock(survey: *mut c_void, lock: *const CellLock) -> bool {
    // SAFETY: see above; the lock lives in an object that is alive.
    unsafe {
        let survey = &mut *survey.cast::<HeapScan<'_>>();
        if survey.structures && is_structure_lock(lock) {
            survey.cells = true;
            return true;
        }
        // No other thread takes it meanwhile, if there is none: if it is taken, we ourselves are in
        // the middle of a change.
        let free = if survey.alone {
            (*lock).is_free()
        } else {
            (*lock).try_lock()
        };
        if free && !survey.alone {
            survey.structures |= is_structure_lock(lock);
            survey.locks.push(lock);
        }
        survey.cells |= free;
        survey.busy |= !free;
        free
    }
}
