//! [`collect`]: cycles of native objects are found and cleared without any frontend.
//!
//! # Promises, in order of weight
//! 1. Nothing that a thread can reach, or could get hold of by a weak reference in time, is cleared.
//! 2. Nobody sees an object half destroyed: all garbage is condemned (weak references no longer upgrade) before the
//!    first field is emptied, fields are emptied one at a time, and immutable fields stay valid until their object dies.
//! 3. What is garbage when the call begins is gone when it returns, except for objects bound to a thread, and
//!    objects that another thread had in its hands for a moment: those go the next time.
//!
//! # How
//! The [survey](super::snapshot) holds what has references from elsewhere; what held nodes reach is alive; the rest is garbage at
//! that instant. Only a weak reference leads there, so the rest is done while the survey's locks are still held:
//! 1. A token (a strong reference) on each object that will be cleared. An object in a wrapper's custody is first taken out of it.
//! 2. Objects with weak references are condemned. From here on nobody gets hold of anything new.
//! 3. But somebody may have upgraded before, and wandered: hold one object, take another from its immutable field, drop the first,
//!    each time one step ahead of the condemnation. So all are watched and counted once more, as in the survey. Whoever
//!    wandered holds something at the instant between, and that, with everything it reaches, is left alone.
//!
//! Then the locks are given back, the fields emptied and the tokens dropped; objects die on the ordinary work list.
//!
//! # Not promised
//! A condemnation cannot be taken back: an object that is left alone in step 3, though condemned in step 2, lives on with weak
//! references that no longer upgrade. This takes an upgrade within the microseconds between the two.
//! A destructor that runs meanwhile and stores a reference to garbage elsewhere keeps an object whose fields are empty.
//!
//! # Roads not taken
//! Beginning at objects whose count fell since the last time: they would have to be remembered at each drop, which would no longer cost
//! what a drop of `Arc` costs.

use std::ptr::NonNull;

use super::graph::{Graph, fact, fault};
use super::snapshot::{Duty, Survey, View};
use crate::frontend::frontend;
use crate::object::{ErasedRef, Header, Holder, Released, Taken};
use crate::runtime::runtime;
use crate::sync::atomic;
use crate::sync::statics::{self, Mutex};

/// What a survey saw, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Objects looked at.
    pub walked: usize,
    /// References between them.
    pub edges: usize,
    /// Objects with references from elsewhere (for the native collector, with what they reach).
    pub held: usize,
    /// Objects condemned as garbage.
    pub condemned: usize,
}

impl Statistics {
    pub(super) fn of(graph: &Graph, condemned: usize) -> Self {
        Statistics {
            walked: graph.len(),
            edges: graph.targets.len(),
            held: graph.facts.iter().filter(|f| **f & fact::HELD != 0).count(),
            condemned,
        }
    }
}

static LAST: Mutex<Statistics> = Mutex::new(Statistics {
    walked: 0,
    edges: 0,
    held: 0,
    condemned: 0,
});

/// The last native collection of this process that this binary ran.
#[must_use]
pub fn statistics() -> Statistics {
    *LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Finds and clears native objects that only keep each other alive. Returns how many. Objects that have a wrapper count as alive; their language's
/// collector finds cycles through them.
///
/// Runs destructors. Two collections at the same time: the second waits until the first has made its decision (which needs
/// no interpreter and calls nothing foreign), and then makes its own.
pub fn collect() -> usize {
    condemn(&|_| false)
}

/// The number of objects of traced types that are alive now, over all threads.
#[must_use]
pub fn live_traced() -> usize {
    unsafe extern "C" fn shard(count: *mut std::ffi::c_void, _: *const *mut Header, objects: usize) {
        // SAFETY: the number below.
        unsafe { *count.cast::<usize>() += objects }
    }
    unsafe extern "C" fn finish(_: *mut std::ffi::c_void) {}
    let mut count = 0_usize;
    let mut attempt = 0;
    // SAFETY: the callbacks get the number that they expect.
    while !unsafe { (runtime().walk)((&raw mut count).cast(), shard, finish) } {
        crate::sync::relax(attempt);
        attempt = attempt.saturating_add(1);
    }
    count
}

/// Collects, where wrapped objects of which `garbage` is true are not alive on account of their wrappers.
pub(super) fn condemn(garbage: &dyn Fn(&Header) -> bool) -> usize {
    let mut verdict = Verdict::default();
    let survey = Survey::take(View::Native { garbage }, &mut |survey| verdict.reach(survey));
    let Some(mut survey) = survey else { return 0 };
    let mut duties = std::mem::take(&mut survey.duties);
    *LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
        Statistics::of(&survey.graph, verdict.condemned);
    drop(survey);
    duties.append(&mut verdict.duties);
    for token in &verdict.clear {
        let object = token.header();
        // SAFETY: alive by the token; condemned garbage.
        unsafe { object.info().clear(object) }
    }
    let condemned = verdict.condemned;
    let total = crate::runtime::collections();
    total.runs.fetch_add(1, statics::Ordering::Relaxed);
    total.condemned.fetch_add(condemned, statics::Ordering::Relaxed);
    drop(verdict);
    duties.into_iter().for_each(Duty::settle);
    condemned
}

/// What is to be done when the survey's locks are given back.
#[derive(Default)]
struct Verdict {
    condemned: usize,
    clear: Vec<ErasedRef>,
    /// Tokens on objects that turned out to be alive.
    spare: Vec<ErasedRef>,
    duties: Vec<Duty>,
}

impl Verdict {
    fn reach(&mut self, survey: &mut Survey<'_>) {
        survey.graph.flood();
        let mut garbage: Vec<Suspect> = (0..survey.graph.len() as u32)
            .filter(|node| !survey.graph.has(*node, fact::HELD))
            .map(|node| Suspect::new(survey, node))
            .collect();
        let weak = garbage.iter().any(|g| survey.graph.has(g.node, fact::WEAK));
        let mut escaped = false;
        for suspect in &mut garbage {
            let holds_cells = survey.graph.has(suspect.node, fact::CELLS);
            escaped |= holds_cells && !suspect.take_token(survey, &mut self.duties);
        }
        if (weak || escaped) && !fault::on(fault::NO_CONDEMN) {
            for suspect in &garbage {
                fault::step();
                if survey.graph.has(suspect.node, fact::WEAK) && !suspect.condemn(survey) {
                    survey.graph.facts[suspect.node as usize] |= fact::HELD;
                }
            }
            if !fault::on(fault::ONE_LOOK) {
                self.look_again(survey, &garbage);
            }
            survey.graph.flood();
        }
        for mut suspect in garbage {
            fault::step();
            let token = suspect.token.take();
            if survey.graph.has(suspect.node, fact::HELD) {
                self.spare.extend(token);
                continue;
            }
            let condemned = suspect.condemn(survey);
            debug_assert!(condemned || fault::on(u32::MAX), "nobody can reach it");
            self.condemned += 1;
            self.clear.extend(token);
        }
    }

    /// Watches, and looks whether somebody has something in hand.
    fn look_again(&mut self, survey: &mut Survey<'_>, garbage: &[Suspect]) {
        let mut watched = Vec::with_capacity(garbage.len());
        for suspect in garbage {
            fault::step();
            let state = suspect.object(survey).custody().watch();
            if state.is_none_or(|s| s.strong() != suspect.strong || s.holder() != suspect.holder) {
                survey.graph.facts[suspect.node as usize] |= fact::HELD;
            }
            watched.push(state.is_some());
        }
        atomic::fence(atomic::Ordering::SeqCst);
        for (suspect, watched) in garbage.iter().zip(watched) {
            fault::step();
            if !watched {
                continue;
            }
            let custody = suspect.object(survey).custody();
            let now = custody.watched();
            if now.strong() != suspect.strong || now.is_touched() || now.holder() != suspect.holder {
                survey.graph.facts[suspect.node as usize] |= fact::HELD;
            }
            match custody.unwatch() {
                Released::Shared => {}
                duty => self
                    .duties
                    .push(Duty::new(survey.objects[suspect.node as usize], duty)),
            }
        }
    }
}

/// A node that nothing alive reaches.
struct Suspect {
    node: u32,
    /// The count and holder that it has if nobody got hold of it.
    strong: u64,
    holder: Holder,
    token: Option<ErasedRef>,
}

impl Suspect {
    fn new(survey: &Survey<'_>, node: u32) -> Self {
        let strong = u64::from(survey.graph.strong[node as usize]);
        Suspect {
            node,
            strong,
            holder: survey.holder(node),
            token: None,
        }
    }

    fn object<'a>(&self, survey: &Survey<'_>) -> &'a Header {
        // SAFETY: alive while the survey lasts, which is longer than any use here.
        unsafe { &*survey.objects[self.node as usize] }
    }

    fn condemn(&self, survey: &Survey<'_>) -> bool {
        self.object(survey).custody().condemn(self.strong, self.holder)
    }

    /// `false`: it has changed hands; then it is held.
    fn take_token(&mut self, survey: &mut Survey<'_>, duties: &mut Vec<Duty>) -> bool {
        let object = survey.objects[self.node as usize];
        if self.holder == Holder::Python {
            if !take_custody(object, duties) {
                survey.graph.facts[self.node as usize] |= fact::HELD;
                return false;
            }
            self.holder = Holder::Native;
        } else {
            // Its references are in locked or immutable fields: there is one.
            self.object(survey).custody().acquire();
            self.strong += 1;
        }
        // SAFETY: a strong reference was counted just now; listed objects are not null.
        self.token = Some(unsafe { ErasedRef::from_raw(NonNull::new_unchecked(object)) });
        true
    }
}

/// Takes an object out of its wrapper's custody: the caller gets a strong reference. `false`: it was not there any more.
fn take_custody(object: *mut Header, duties: &mut Vec<Duty>) -> bool {
    // SAFETY: alive while the survey lasts.
    let custody = unsafe { &*object }.custody();
    // Whose death waits until the watch ends; a pin would be refused when the object was condemned before.
    let Some(state) = custody.watch() else {
        return false;
    };
    let pair = custody.pair();
    // SAFETY: the wrapper cannot be freed while we watch; whoever knows that it is garbage is attached.
    let retained =
        state.holder() == Holder::Python && unsafe { frontend(pair.tag()).try_retain(pair.wrapper()) };
    let taken = retained && custody.take_custody() == Taken::Took;
    if retained && !taken {
        // Another thread was first: a reference was counted for us all the same, and ours to the wrapper is left over.
        duties.push(Duty::new(object, Released::HandedOver(pair)));
        let released = custody.release();
        debug_assert_eq!(released, Released::Shared, "it is watched");
    }
    match custody.unwatch() {
        Released::Shared => {}
        duty => duties.push(Duty::new(object, duty)),
    }
    taken
}
