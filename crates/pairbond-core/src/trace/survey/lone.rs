//! The first pass of a [`Survey`] of which nobody can disturb: no lock is taken, nothing is watched, and most objects are done with at first sight.
//!
//! This is the loop in which a collection of many wrapped objects spends what it spends more than one of plain Python objects. So the callbacks have a
//! buffer of their own, and what is rare is left to the functions that other surveys use.

use std::ffi::c_void;

use super::super::TracerTable;
use super::super::graph::{Known, Link, fact};
use super::super::near::{AHEAD, prefetch};
use super::look::{note, only_owner};
use super::{BATCH, Notes, Survey, View};
use crate::object::{Header, Holder};
use crate::sync::CellLock;

/// What the callbacks know.
struct Reading {
    tag: u16,
    /// References that were read: to native objects, and to the frontend's.
    seen: Vec<Seen>,
    /// Facts about the object that is being read, which it has from its fields.
    facts: u8,
}

/// A reference to a native object, or with the highest bit to one of the frontend.
#[derive(Clone, Copy)]
struct Seen(*mut c_void);

impl Seen {
    const FOREIGN: usize = 1 << 63;
}

impl Survey<'_> {
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
            seen: Vec::with_capacity(4 * BATCH),
            facts: 0,
        };
        let reading = &raw mut reading;
        let table = TracerTable {
            edge: on_edge,
            foreign: on_foreign,
            lock: on_lock,
            context: reading.cast(),
        };
        let mut ends = [0; BATCH];
        for shard in listed {
            // SAFETY: held until the walk is over.
            let shard = unsafe { &**shard };
            let mut start = 0;
            while start < shard.len() {
                let end = shard.len().min(start + BATCH);
                for index in start..end {
                    if let Some(ahead) = shard.get(index + AHEAD) {
                        // What the list keeps stands before an object.
                        prefetch(ahead.wrapping_byte_sub(16).cast_const());
                        prefetch(ahead.wrapping_byte_add(48).cast_const());
                    }
                    // SAFETY: objects in the list are alive while it is held.
                    let object = unsafe { &*shard[index] };
                    let node = self.graph.nodes.len() as u32;
                    let mut known = match self.know_at_once(object, node, tag, epoch, notes) {
                        Some(known) => known,
                        None => self.know_by_counting(object, node),
                    };
                    if known.facts() & fact::SKIPPED == 0 {
                        // SAFETY: alive; what the callbacks use is not borrowed now.
                        unsafe {
                            (*reading).facts = 0;
                            object.info().trace(object, &table);
                            known.add((*reading).facts);
                        }
                    }
                    self.graph.nodes.push(known);
                    // SAFETY: as above.
                    ends[index - start] = unsafe { (*reading).seen.len() };
                }
                // SAFETY: as above.
                let seen = unsafe { &mut (*reading).seen };
                self.link_all(seen, &ends[..end - start], tag);
                seen.clear();
                start = end;
            }
        }
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
            Holder::Python => fact::WRAPPED | fact::PYTHON | fact::STILL,
            Holder::Native => {
                self.graph.singles += 1;
                fact::WRAPPED | fact::STILL
            }
            Holder::Unwrapped => return None,
        };
        if state.weak() > 0 || notes == Notes::All {
            note(object, node, epoch);
        }
        Some(Known::new(facts).with_wrapper(pair.wrapper()))
    }

    /// Makes links of what was read of a batch of objects; the headers of the targets are near by now.
    #[inline(always)]
    fn link_all(&mut self, seen: &[Seen], ends: &[usize], tag: u16) {
        let mut next = 0;
        for end in ends {
            for seen in &seen[next..*end] {
                if seen.0.addr() & Seen::FOREIGN != 0 {
                    self.graph.foreigns += 1;
                    let object = seen.0.map_addr(|address| address & !Seen::FOREIGN);
                    self.graph.links.push(Link::to_foreign(object));
                    continue;
                }
                let target = seen.0.cast::<Header>().cast_const();
                // SAFETY: somebody who is in the list owns a reference to it.
                let object = unsafe { &*target };
                let (state, pair) = (object.custody().state(), object.custody().pair());
                // The condition of `know_at_once`: the one reference is this.
                if only_owner(state) == Some(Holder::Native)
                    && pair.tag() == tag
                    && !pair.wrapper().is_null()
                    && object.info().is_traced()
                {
                    self.graph.direct += 1;
                    self.graph.links.push(Link::to_foreign(pair.wrapper()));
                } else {
                    self.link(target);
                }
            }
            next = *end;
            self.graph.offsets.push(self.graph.links.len() as u32);
        }
    }
}

// The tracer's callbacks. SAFETY (of each): the context is the reading of `read_alone`, which does not borrow it while it traces.

unsafe extern "C" fn on_edge(reading: *mut c_void, target: *const Header) {
    // SAFETY: see above.
    let reading = unsafe { &mut *reading.cast::<Reading>() };
    prefetch(target);
    reading.seen.push(Seen(target.cast_mut().cast()));
}

unsafe extern "C" fn on_foreign(reading: *mut c_void, tag: u16, object: *mut c_void) {
    // SAFETY: see above.
    let reading = unsafe { &mut *reading.cast::<Reading>() };
    if tag == reading.tag {
        reading.facts |= fact::FOREIGN;
        reading
            .seen
            .push(Seen(object.map_addr(|address| address | Seen::FOREIGN)));
    }
}

/// Nobody can take it; if it is taken, we ourselves are in the middle of a change.
unsafe extern "C" fn on_lock(reading: *mut c_void, lock: *const CellLock) -> bool {
    // SAFETY: see above; the lock lives in an object that is alive.
    unsafe {
        let free = (*lock).is_free();
        if !free {
            (*reading.cast::<Reading>()).facts |= fact::HELD | fact::CELLS;
        }
        free
    }
}
