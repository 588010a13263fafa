//! [`collect`]: cycles of native objects are found and cleared without any frontend.
//!
//! # Promises, in order of weight
//! 1. Nothing that a thread can reach, or could get hold of by a weak reference in time, is
//!    cleared.
//! 2. No code sees an object half destroyed: all garbage is condemned (weak references no longer
//!    upgrade) before the first field is emptied, fields are emptied one at a time, and immutable
//!    fields stay valid until their object dies.
//! 3. Garbage of the time of the call is gone when it returns, except for objects bound to a
//!    thread, and objects that another thread had in its hands for a moment: those go the next
//!    time.
//!
//! # How
//! The [survey](super::survey) holds what has references from elsewhere; what held nodes reach is
//! alive; the rest is garbage at that instant. Only a weak reference leads there, so the rest is
//! done while the survey's locks are still held:
//! 1. A token (a strong reference) on each object that will be cleared. An object in a wrapper's
//!    custody is first taken out of it.
//! 2. All are watched again: a clone or an upgrade leaves a mark from here on. But somebody may
//!    have upgraded before, and wandered: hold one object, take another from its immutable field,
//!    drop the first, each time one step ahead of the watch. When all are watched such a wanderer
//!    holds one that has a reference too many, or that it has marked.
//! 3. All are looked at once more, and those with weak references become *suspects* if nothing has
//!    happened to them: upgrades wait. An upgrade that came earlier has marked its object, so
//!    whatever anybody can have got hold of is known now. It is alive, with everything that it
//!    reaches.
//! 4. The verdict: those are acquitted, and upgrades that waited succeed; the others are convicted,
//!    and upgrades answer that they are gone.
//!
//! Then the locks are given back, the fields emptied and the tokens dropped; objects die on the
//! ordinary work list.
//!
//! # Not promised
//! A destructor that runs meanwhile and stores a reference to garbage elsewhere keeps an object
//! whose fields are empty. An upgrade waits as long as the steps 3 and 4 take: some ten nanoseconds
//! for each object of the garbage.
//!
//! # Roads not taken
//! * Condemning at once, and looking afterwards: what turns out to be alive has lost its weak
//!   references then.
//! * Beginning at objects whose count fell since the last time: they would have to be remembered at
//!   each drop, which would no longer cost what a drop of `Arc` costs.

use super::alone::is_alone;
use super::decision::Condemned;
use super::graph::{Graph, fact, release_kept};
use super::survey::{HeapScan, View};
use crate::object::Header;
use crate::object::objects_table;
use crate::sync::statics::{Mutex, Ordering};
use crate::types::each_type;

/// What a survey saw, and what came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Objects looked at.
    pub walked: usize,
    /// References between them.
    pub edges: usize,
    /// Objects with references from elsewhere (for the native collector, with everything reachable
    /// from them).
    pub held: usize,
    /// Objects condemned as garbage.
    pub condemned: usize,
}

impl Statistics {
    pub(super) fn from_graph(graph: &Graph, condemned: usize) -> Self {
        Statistics {
            walked: graph.len(),
            edges: graph.links.len() - graph.foreigns,
            held: graph.nodes.iter().filter(|n| n.facts() & fact::HELD != 0).count() + graph.singles
                - graph.direct,
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
pub fn last_statistics() -> Statistics {
    *LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Finds and clears native objects that only keep each other alive. Returns how many. Objects that
/// have a wrapper count as alive; their language's collector finds cycles through them.
///
/// Runs destructors. Two collections at the same time: the second waits until the first has made
/// its decision (which needs no interpreter and calls nothing foreign), and then makes its own.
pub fn collect() -> usize {
    let garbage = find_garbage();
    release_kept();
    garbage.clear()
}

/// The first half of [`collect`]: finds the garbage and condemns it.
pub fn find_garbage() -> Condemned {
    condemn_garbage(&|_| false)
}

/// Whether [`collect`] would find nothing, because every object that can own references has a
/// wrapper. `false` also if that is not known: while other threads make and drop objects they
/// cannot be counted. With wrappers of one interpreter only.
#[must_use]
pub fn are_all_wrapped() -> bool {
    if !is_alone() {
        return false;
    }
    let mut all = true;
    each_type(|info| {
        if info.is_traced() {
            let count = info.object_count();
            all &= count.objects == count.wrappers;
        }
    });
    all
}

/// The number of objects of traced types that are alive now, over all threads.
#[must_use]
pub fn live_traced() -> usize {
    unsafe extern "C" fn count_shard(count: *mut std::ffi::c_void, _: *const *mut Header, objects: usize) {
        // SAFETY: the number below.
        unsafe { *count.cast::<usize>() += objects }
    }
    unsafe extern "C" fn finish_count(_: *mut std::ffi::c_void) {}
    let mut count = 0_usize;
    let mut attempt = 0;
    // SAFETY: the callbacks get the number that they expect.
    while !unsafe { (objects_table().walk)((&raw mut count).cast(), count_shard, finish_count) } {
        crate::sync::relax_or_yield(attempt);
        attempt = attempt.saturating_add(1);
    }
    count
}

/// Collects, where wrapped objects of which `garbage` is true are not alive on account of their
/// wrappers.
pub(super) fn condemn_garbage(garbage: &dyn Fn(&Header) -> bool) -> Condemned {
    condemn_in(View::Native { garbage }, &mut |_| ())
}

/// Collects in a view. `look` is shown the survey after the verdict, while its locks are held.
pub(super) fn condemn_in(view: View<'_>, look: &mut dyn FnMut(&HeapScan<'_>)) -> Condemned {
    let mut verdict = Condemned::default();
    let survey = HeapScan::scan_heap(view, &mut |survey| {
        verdict.make_decision(survey);
        if !survey.abandoned {
            look(survey);
        }
    });
    let Some(mut survey) = survey else { return verdict };
    verdict.add_duties(std::mem::take(&mut survey.duties));
    *LAST.lock().unwrap_or_else(std::sync::PoisonError::into_inner) =
        Statistics::from_graph(&survey.graph, verdict.count());
    let total = super::collections::collection_counts();
    total.runs.fetch_add(1, Ordering::Relaxed);
    total.condemned.fetch_add(verdict.count(), Ordering::Relaxed);
    survey.graph.recycle_arrays();
    verdict
}
