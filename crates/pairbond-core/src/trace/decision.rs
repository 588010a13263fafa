//! [`Condemned`]: the verdict of the native collector over what its survey found unreachable. The
//! steps are those at the head of `collect.rs`.
//!
//! Threads: one, while the survey's locks are held; the work after they were given back belongs to
//! the holder of the [`Condemned`].

use std::ptr::NonNull;

use super::fault;
use super::graph::{fact, forget_kept};
use super::interrupt::{CLEARED, is_interrupted};
use super::survey::HeapScan;
use super::survey_duty::Duty;
use crate::alloc::release_free_memory;
use crate::frontend::frontend_of;
use crate::object::{ErasedRef, Header, Holder, Released, Taken};
use crate::sync::atomic;

/// A collection that clears at least this many objects returns memory to the system: the arrays
/// kept for the next collection, sized for a larger heap, and free memory of the allocator.
const MANY: usize = 1 << 16;

/// Garbage that was found and condemned: weak references no longer upgrade. The rest of the work.
#[derive(Default)]
#[must_use]
pub struct Condemned {
    condemned: usize,
    /// Tokens on the objects that are to be cleared; those before `cleared` have been.
    clear: Vec<ErasedRef>,
    cleared: usize,
    /// The tokens, once all objects are cleared.
    ending: std::vec::IntoIter<ErasedRef>,
    /// Tokens on objects that turned out to be alive.
    spare: Vec<ErasedRef>,
    duties: Vec<Duty>,
}

impl Condemned {
    /// Clears it; runs destructors. Returns how many objects were condemned.
    pub fn clear(mut self) -> usize {
        while !self.clear_some() {}
        self.condemned
    }

    /// As [`clear`](Self::clear), as long as `go_on` returns true, which is called about once in a
    /// millisecond and may run foreign code. Returns whether it is done. If not, the caller must
    /// keep this and call it again: the rest is unreachable, takes memory, and its destructors run
    /// later.
    pub fn clear_while(&mut self, go_on: &mut dyn FnMut() -> bool) -> bool {
        while go_on() {
            if self.clear_some() {
                return true;
            }
        }
        false
    }

    /// Clears some of it, or drops some of the tokens. Returns whether all is done.
    fn clear_some(&mut self) -> bool {
        if self.cleared < self.clear.len() {
            let end = self.clear.len().min(self.cleared + CLEARED);
            while self.cleared < end {
                let object = self.clear[self.cleared].header();
                self.cleared += 1;
                // SAFETY: alive by the token; condemned garbage.
                unsafe { object.info().clear(object) }
            }
            return false;
        }
        if !self.clear.is_empty() {
            self.ending = std::mem::take(&mut self.clear).into_iter();
            self.cleared = 0;
        }
        self.ending.by_ref().take(CLEARED).for_each(drop);
        if self.ending.len() > 0 {
            return false;
        }
        self.spare.clear();
        self.duties.drain(..).for_each(Duty::run_release_action);
        if self.condemned >= MANY {
            // The lists themselves are part of it.
            *self = Condemned {
                condemned: self.condemned,
                ..Condemned::default()
            };
            forget_kept();
            release_free_memory();
        }
        true
    }

    /// The number of objects that were condemned.
    #[must_use]
    pub fn count(&self) -> usize {
        self.condemned
    }

    pub(super) fn add_duties(&mut self, duties: Vec<Duty>) {
        self.duties.extend(duties);
    }

    /// The steps 1 to 4, while the survey's locks are held.
    pub(super) fn make_decision(&mut self, survey: &mut HeapScan<'_>) {
        survey.graph.propagate_reachable();
        if is_interrupted() {
            survey.abandoned = true;
            return;
        }
        let mut garbage: Vec<Suspect> = (0..survey.graph.len() as u32)
            .filter(|node| !survey.graph.has_fact(*node, fact::HELD))
            .map(|node| Suspect::new(survey, node))
            .collect();
        let weak = garbage.iter().any(|g| survey.graph.has_fact(g.node, fact::WEAK));
        let mut escaped = false;
        for suspect in &mut garbage {
            let holds_cells = survey.graph.has_fact(suspect.node, fact::CELLS);
            escaped |= holds_cells && !suspect.take_token(survey, &mut self.duties);
        }
        // Without other threads, none has come in since the survey looked.
        if survey.alone {
            if escaped {
                survey.graph.propagate_reachable();
            }
        } else if (weak || escaped) && !fault::is_fault_enabled(fault::NO_CONDEMN) {
            if !fault::is_fault_enabled(fault::ONE_LOOK) {
                garbage.iter_mut().for_each(|g| g.begin_watch(survey));
                atomic::fence(atomic::Ordering::SeqCst);
            }
            garbage.iter_mut().for_each(|g| g.look_again(survey));
            survey.graph.propagate_reachable();
        }
        for suspect in &mut garbage {
            fault::run_test_step();
            let held = survey.graph.has_fact(suspect.node, fact::HELD);
            suspect.end_check(survey, held, &mut self.duties);
            let token = suspect.token.take();
            if held {
                self.spare.extend(token);
            } else {
                self.condemned += 1;
                self.clear.extend(token);
            }
        }
    }
}

impl std::fmt::Debug for Condemned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Condemned({})", self.condemned)
    }
}

/// A node that nothing alive reaches.
struct Suspect {
    node: u32,
    /// The count and holder that it has if it was not resurrected.
    strong: u64,
    holder: Holder,
    watched: bool,
    token: Option<ErasedRef>,
}

impl Suspect {
    fn new(survey: &HeapScan<'_>, node: u32) -> Self {
        let known = survey.graph.known_at(node);
        Suspect {
            node,
            strong: u64::from(survey.graph.counts[node].strong),
            holder: known.required_holder(),
            watched: false,
            token: None,
        }
    }

    fn object_header<'a>(&self, survey: &HeapScan<'_>) -> &'a Header {
        // SAFETY: alive while the survey lasts, which is longer than any use here.
        unsafe { &*survey.objects[self.node as usize] }
    }

    /// Step 2.
    fn begin_watch(&mut self, survey: &mut HeapScan<'_>) {
        fault::run_test_step();
        let state = self.object_header(survey).custody().begin_watch();
        if state.is_none_or(|s| s.strong() != self.strong || s.holder() != self.holder) {
            survey.graph.mark_held(self.node);
        }
        self.watched = state.is_some();
    }

    /// Step 3.
    fn look_again(&mut self, survey: &mut HeapScan<'_>) {
        if fault::is_fault_enabled(fault::ONE_LOOK) {
            self.begin_watch(survey);
        }
        fault::run_test_step();
        if !self.watched {
            return;
        }
        let custody = self.object_header(survey).custody();
        let untouched = if survey.graph.has_fact(self.node, fact::WEAK) {
            custody.suspect(self.strong, self.holder)
        } else {
            let now = custody.watched_state();
            now.strong() == self.strong && !now.is_touched() && now.holder() == self.holder
        };
        if !untouched {
            survey.graph.mark_held(self.node);
        }
    }

    /// Step 4.
    fn end_check(&mut self, survey: &HeapScan<'_>, held: bool, duties: &mut Vec<Duty>) {
        let custody = self.object_header(survey).custody();
        let duty = match (self.watched, held) {
            (true, true) => custody.end_watch(),
            (true, false) => custody.convict(),
            (false, true) => return,
            (false, false) => {
                let condemned = custody.condemn(self.strong, self.holder);
                debug_assert!(
                    condemned || fault::is_fault_enabled(u32::MAX),
                    "nobody can reach it"
                );
                return;
            }
        };
        if duty != Released::Shared {
            duties.push(Duty::new(survey.objects[self.node as usize], duty));
        }
    }

    /// `false`: it has changed hands; then it is held.
    fn take_token(&mut self, survey: &mut HeapScan<'_>, duties: &mut Vec<Duty>) -> bool {
        let object = survey.objects[self.node as usize];
        if self.holder == Holder::Python {
            if !take_custody(object, duties) {
                survey.graph.mark_held(self.node);
                return false;
            }
            self.holder = Holder::Native;
        } else {
            // Its references are in locked or immutable fields: there is one.
            self.object_header(survey).custody().acquire();
            self.strong += 1;
        }
        // SAFETY: a strong reference was counted just now; listed objects are not null.
        self.token = Some(unsafe { ErasedRef::from_raw(NonNull::new_unchecked(object)) });
        true
    }
}

/// Takes an object out of its wrapper's custody: the caller gets a strong reference. `false`: it
/// was not there any more.
fn take_custody(object: *mut Header, duties: &mut Vec<Duty>) -> bool {
    // SAFETY: alive while the survey lasts.
    let custody = unsafe { &*object }.custody();
    // Whose death waits until the watch ends; a pin would be refused when the object was condemned
    // before.
    let Some(state) = custody.begin_watch() else {
        return false;
    };
    let pair = custody.pair();
    // SAFETY: the wrapper cannot be freed while we watch; the thread that knows it to be garbage is
    // attached.
    let retained =
        state.holder() == Holder::Python && unsafe { frontend_of(pair.tag()).try_retain(pair.wrapper()) };
    let taken = retained && custody.take_custody() == Taken::Took;
    if retained && !taken {
        // Another thread was first: a reference was counted for us all the same, and ours to the
        // wrapper is left over.
        duties.push(Duty::new(object, Released::HandedOver(pair)));
        let released = custody.release();
        debug_assert_eq!(released, Released::Shared, "it is watched");
    }
    match custody.end_watch() {
        Released::Shared => {}
        duty => duties.push(Duty::new(object, duty)),
    }
    taken
}
