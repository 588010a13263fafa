//! The first pass of a [`HeapScan`] without other threads: no lock is taken, nothing is watched,
//! and most objects are classified at first sight.
//!
//! This loop is the part of a collection of many wrapped objects that it spends beyond one of plain
//! Python objects. So the callbacks have a buffer of their own, and rare cases are left to the
//! functions that other surveys use.

use std::ffi::c_void;

use super::super::AHEAD;
use super::super::TracerTable;
use super::super::graph::{Known, Link, fact, mark};
use super::super::interrupt::{OBJECTS, is_interrupted};
use super::classify::{note_number, only_owner};
use super::{BATCH, HeapScan, Notes, View};
use crate::memory::try_push;
use crate::object::{Header, Holder};
use crate::sync::{CellLock, prefetch};
use crate::types::MOST_PLANNED as MOST;

/// References that plans show of a batch of objects, at most.
const ROOM: usize = BATCH * MOST;

/// What the callbacks know.
struct Reading {
    tag: u16,
    /// References that were read: to native objects, and to the frontend's. There is room for as
    /// many as plans show of a batch.
    seen: Vec<Seen>,
    /// Facts about the object that is being read, which it has from its fields.
    facts: u8,
    /// There was no memory for all references.
    short: bool,
}

/// A reference to a native object, or with the highest bit to one of the frontend.
#[derive(Clone, Copy)]
struct Seen(*mut c_void);

impl Seen {
    const FOREIGN: usize = 1 << 63;

    /// The frontend's object.
    fn foreign(self) -> Option<*mut c_void> {
        (self.0.addr() & Self::FOREIGN != 0).then(|| self.0.map_addr(|address| address & !Self::FOREIGN))
    }

    /// The wrapper of a native object that is a node and to which there is no other reference:
    /// [known at first sight](HeapScan::know_at_once).
    #[inline(always)]
    fn only_way_to(self, tag: u16) -> Option<*mut c_void> {
        if self.0.addr() & Self::FOREIGN != 0 {
            return None;
        }
        // SAFETY: an object in the list owns a reference to it.
        let object = unsafe { &*self.0.cast::<Header>().cast_const() };
        let (state, pair) = (object.custody().state(), object.custody().pair());
        let only = only_owner(state) == Some(Holder::Native)
            && pair.tag() == tag
            && !pair.wrapper().is_null()
            && object.info().is_traced()
            && !object.info().is_node();
        only.then(|| pair.wrapper())
    }
}

impl Reading {
    /// Reads an object's references. Returns facts that it has from them.
    ///
    /// # Safety
    /// A reading that is not borrowed; an object that is alive; the table has the callbacks below,
    /// and the reading for its context.
    #[inline(always)]
    unsafe fn read_references(this: *mut Self, object: &Header, table: &TracerTable) -> u8 {
        // SAFETY: a reading that is not borrowed, an object that is alive, and a table with the
        // callbacks below and the reading for its context: the caller ensures it. Either the
        // closures borrow the reading or the callbacks do.
        unsafe {
            if !object.info().plan().is_known() {
                return Self::trace_references(this, object, table);
            }
            let mut facts = 0;
            let seen = &mut (*this).seen;
            object.info().plan().read(
                object.value_ptr(),
                |lock| lock.is_free() || is_retired(lock, &mut facts),
                |target| {
                    prefetch(target);
                    // There is room.
                    let end = seen.len();
                    seen.as_mut_ptr().add(end).write(Seen(target.cast_mut().cast()));
                    seen.set_len(end + 1);
                },
            );
            facts
        }
    }

    /// The same of a type without a plan.
    ///
    /// # Safety
    /// `this` is a survey that no other thread uses, and `object` is alive.
    #[inline(never)]
    unsafe fn trace_references(this: *mut Self, object: &Header, table: &TracerTable) -> u8 {
        // SAFETY: an object in the list owns a reference to it.
        unsafe {
            (*this).facts = 0;
            object.info().trace_object(object, table);
            if (*this).seen.try_reserve(ROOM).is_err() {
                // The room for plans is what those before have.
                (*this).seen.clear();
                (*this).short = true;
            }
            (*this).facts
        }
    }
}

/// No other thread can take the lock; if it is taken, we ourselves are in the middle of a change.
/// `false`: the value behind it cannot be read.
#[cold]
fn is_retired(lock: &CellLock, facts: &mut u8) -> bool {
    if !lock.is_retired() {
        *facts |= fact::HELD | fact::CELLS;
    }
    false
}

impl HeapScan<'_> {
    /// # Safety
    /// Within a walk, of which these are the shards; no other thread is there.
    pub(super) unsafe fn read_alone(&mut self, listed: &[*const [*mut Header]]) {
        let View::Frontend {
            tag, epoch, notes, ..
        } = self.view
        else {
            unreachable!("only a frontend's survey is told that it is alone");
        };
        let mut reading = Reading {
            tag,
            seen: Vec::with_capacity(ROOM),
            facts: 0,
            short: false,
        };
        let reading = &raw mut reading;
        let table = TracerTable {
            edge: on_edge,
            foreign: on_foreign,
            lock: on_lock,
            context: reading.cast(),
        };
        let mut ends = [0; BATCH];
        let mut batch_known = [Known::new(0); BATCH];
        for shard in listed {
            // SAFETY: held until the walk is over.
            let shard = unsafe { &**shard };
            let mut ahead = shard.get(AHEAD..).unwrap_or_default().iter();
            for (number, batch) in shard.chunks(BATCH).enumerate() {
                if number.is_multiple_of(OBJECTS / BATCH) && is_interrupted() {
                    self.abandoned = true;
                    return;
                }
                let (mut node, mut before) = (self.graph.nodes.len() as u32, 0);
                for ((object, end), place) in batch.iter().zip(&mut ends).zip(&mut batch_known) {
                    if let Some(ahead) = ahead.next() {
                        // What the list keeps stands before an object.
                        prefetch(ahead.wrapping_byte_sub(16).cast_const());
                        prefetch(ahead.wrapping_byte_add(48).cast_const());
                    }
                    // SAFETY: objects in the list are alive while it is held.
                    let object = unsafe { &**object };
                    // SAFETY: alive; the reading is not borrowed now.
                    let mut known = unsafe {
                        match self.know_at_once(object, node, tag, epoch, notes) {
                            Some(known) => known
                                .combined_with(Known::new(Reading::read_references(reading, object, &table))),
                            None => self.know_slowly(object, node, reading, &table),
                        }
                    };
                    // SAFETY: alive; the reading is not borrowed now.
                    *end = unsafe { (*reading).seen.len() };
                    if *end == before {
                        known.add_marks(mark::NO_EDGES);
                    }
                    before = *end;
                    node += 1;
                    *place = known;
                }
                self.graph.nodes.extend_from_slice(&batch_known[..batch.len()]);
                // SAFETY: alive; the reading is not borrowed now.
                let Reading { seen, short, .. } = unsafe { &mut *reading };
                if *short {
                    self.abandoned = true;
                    let end = self.graph.links.len() as u32;
                    self.graph.offsets.extend(batch.iter().map(|_| end));
                } else {
                    self.link_all(seen, &ends[..batch.len()], tag);
                }
                seen.clear();
            }
        }
    }

    /// Any other object, of which little may be known.
    ///
    /// # Safety
    /// As for [`Reading::read_references`].
    #[inline(never)]
    unsafe fn know_slowly(
        &mut self,
        object: &Header,
        node: u32,
        reading: *mut Reading,
        table: &TracerTable,
    ) -> Known {
        let known = self.know_by_counting(object, node);
        if known.facts() & fact::SKIPPED != 0 {
            return known;
        }
        // SAFETY: as for `Reading::read_references`: the caller ensures it.
        known.combined_with(Known::new(unsafe {
            Reading::read_references(reading, object, table)
        }))
    }

    /// A wrapped object with a single owner: its wrapper, or one native reference.
    #[inline(always)]
    fn know_at_once(
        &mut self,
        object: &Header,
        node: u32,
        tag: u16,
        epoch: u32,
        notes: Notes,
    ) -> Option<Known> {
        let (state, pair) = (object.custody().state(), object.custody().pair());
        if pair.tag() != tag || pair.wrapper().is_null() {
            return None;
        }
        let facts = match only_owner(state)? {
            Holder::Python => fact::WRAPPED | fact::PYTHON | fact::UNWATCHED,
            // Its parent shows a node, too.
            Holder::Native if object.info().is_node() => return None,
            Holder::Native => {
                self.graph.singles += 1;
                fact::WRAPPED | fact::UNWATCHED
            }
            Holder::Unwrapped => return None,
        };
        if state.weak() > 0 || notes == Notes::All {
            note_number(object, node, epoch);
        }
        Some(Known::new(facts).with_wrapper(pair.wrapper()))
    }

    /// Makes links of the references of a batch of objects; the headers of the targets are in the
    /// cache by now.
    #[inline(always)]
    fn link_all(&mut self, seen: &[Seen], ends: &[usize], tag: u16) {
        let before = self.graph.links.len();
        if self.link_directly(seen, tag) {
            let ends = ends.iter().map(|end| (before + end) as u32);
            self.graph.offsets.extend(ends);
        } else {
            self.link_each(seen, ends, tag);
        }
    }

    /// The same if each of these references is the only one to its target; otherwise does nothing.
    #[inline(always)]
    fn link_directly(&mut self, seen: &[Seen], tag: u16) -> bool {
        let links = &mut self.graph.links;
        if links.try_reserve(seen.len()).is_err() {
            return false;
        }
        for (place, seen) in links.spare_capacity_mut().iter_mut().zip(seen) {
            let Some(wrapper) = seen.only_way_to(tag) else {
                return false;
            };
            place.write(Link::to_foreign(wrapper));
        }
        // SAFETY: there was room for as many, and they were written.
        unsafe { links.set_len(links.len() + seen.len()) };
        self.graph.direct += seen.len();
        for seen in seen {
            self.shown.check_single(seen.0.cast());
        }
        true
    }

    #[inline(never)]
    fn link_each(&mut self, seen: &[Seen], ends: &[usize], tag: u16) {
        let first = self.graph.nodes.len() - ends.len();
        let mut next = 0;
        for (number, end) in ends.iter().enumerate() {
            for seen in &seen[next..*end] {
                if let Some(object) = seen.foreign() {
                    self.graph.foreigns += 1;
                    self.add_link(Link::to_foreign(object));
                } else if let Some(wrapper) = seen.only_way_to(tag) {
                    self.graph.direct += 1;
                    self.add_link(Link::to_foreign(wrapper));
                    self.shown.check_single(seen.0.cast());
                } else {
                    self.link_target(seen.0.cast::<Header>().cast_const(), first + number);
                }
            }
            next = *end;
            self.graph.offsets.push(self.graph.links.len() as u32);
        }
    }
}

// The tracer's callbacks. SAFETY (of each): the context is the reading of `read_alone`, which does
// not borrow it while it traces.

unsafe extern "C" fn on_edge(reading: *mut c_void, target: *const Header) {
    // SAFETY: the context is the reading whose table this is.
    let reading = unsafe { &mut *reading.cast::<Reading>() };
    prefetch(target);
    reading.short |= try_push(&mut reading.seen, Seen(target.cast_mut().cast())).is_err();
}

unsafe extern "C" fn on_foreign(reading: *mut c_void, tag: u16, object: *mut c_void) {
    // SAFETY: the context is the reading whose table this is.
    let reading = unsafe { &mut *reading.cast::<Reading>() };
    if tag == reading.tag {
        reading.facts |= fact::FOREIGN;
        let seen = Seen(object.map_addr(|address| address | Seen::FOREIGN));
        reading.short |= try_push(&mut reading.seen, seen).is_err();
    }
}

unsafe extern "C" fn on_lock(reading: *mut c_void, lock: *const CellLock) -> bool {
    // SAFETY: see above; the lock lives in an object that is alive.
    unsafe { (*lock).is_free() || is_retired(&*lock, &mut (*reading.cast::<Reading>()).facts) }
}
