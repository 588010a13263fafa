//! How wrappers answer Python's collector, so that cycles through native references are found exactly.
//!
//! Python's collector finds garbage by subtracting: it asks every tracked object for the references that it owns and sees which objects are only
//! referred to from inside. A wrapper's native object owns references too; so do native objects that have no wrapper. They are answered from a
//! [`Snapshot`] of the native graph that is taken when the first wrapper is asked in a subtracting pass of a **full** collection, while Python stands
//! still. The snapshot is validated: native threads that are not attached go on running, and whatever they touched counts as held.
//!
//! * Young collections report what wrappers own as Python objects, and nothing native: conservative.
//! * A pass is subtracting when `arg` is the object itself (GIL) or null (free-threaded): undocumented, true from 3.11 to 3.15; everything else reports
//!   at least what the subtracting pass did.
//! * CPython subtracts twice, the second time after finalizers ran: a new pass begins when a wrapper is asked again, and takes a fresh snapshot.
//! * The first `tp_clear` looks once more, condemns all native garbage together, so that weak references no longer upgrade, and clears it.
//!
//! Native objects without wrappers that keep only each other alive are reported by no wrapper: the
//! native collector looks for them when the collection is over. That is a survey of its own, so it
//! is left out where it would find nothing but garbage of this very collection, which is the next
//! one's: when the collection found all wrappers alive and the snapshot shows no such objects; and
//! when the first `tp_clear` has looked, which condemns all native garbage. A snapshot that could
//! not decide (another interpreter's objects, references that were moved meanwhile) does not count,
//! nor does one that was never taken, because no wrapper was traversed: a free-threaded collection
//! traverses only those that its roots do not lead to. Then nothing is searched if a process of one
//! thread has as many wrappers as objects.
//!
//! Most wrappers hold no Python object. With a GIL those are unknown to Python's collector: `sweep` says who, and what finds them.
//!
//! * `sweep` – wrappers that Python's collector does not know. `pace` – when it is time to look for garbage among them.
//! * `state` – the state of a collection.
//! * `tp_traverse` – the answers that are known beforehand. `traverse` – all others, and where passes begin.
//!
//! If somebody removes our callbacks from `gc.callbacks`, no snapshot is taken and cycles through native objects stay: nothing dangles.
//!
//! Who may touch [`Collector`]: the thread that collects, from "start" to "stop". CPython runs one collection at a time per interpreter.

mod pace;
mod state;
mod sweep;
mod tp_traverse;
mod traverse;

use pairbond_core::frontend::collecting;
use pairbond_core::trace::{are_all_wrapped, collect, settle};
use pairbond_core::tree;

use crate::interp::{Interp, local, several};
pub(crate) use pace::Pace;
use state::Busy;
pub use state::{Collector, Stats};
pub(crate) use sweep::{is_tracked_from_birth, sweep_now};
pub(crate) use tp_traverse::{answer, answer_of_any_class};
pub(crate) use traverse::{clear, is_silent, notice, probe_get_referents, traverse};

/// `gc.callbacks` "start".
///
/// # Safety
/// Attached; called by the collecting thread.
pub unsafe fn start(interp: &Interp, generation: i64) {
    // SAFETY: the collecting thread.
    unsafe {
        // Should the callbacks have been taken away in the middle of a collection, this is its end.
        end(interp);
        if !cfg!(Py_GIL_DISABLED) && generation < 2 {
            return;
        }
        let prepared = interp.spare.pace.sweeps().then(|| sweep::prepare(interp));
        if !collecting().begin(interp.tag()) {
            return;
        }
        let state = interp.gc.state();
        let shown = prepared.unwrap_or_default();
        let _busy = Busy::wait(state);
        (*state).armed.set(true);
        (*state).passes = 0;
        (*state).condemned = false;
        (*state).shown = shown;
    }
}

/// How a collection ended.
#[derive(PartialEq, Eq)]
enum Ended {
    /// It was not armed.
    Not,
    /// There may be native garbage that has not been searched.
    Unsure,
    /// No native objects without wrappers kept only each other alive when it began, or all were condemned.
    Clean,
}

/// Disarms.
///
/// # Safety
/// As for [`start`].
unsafe fn end(interp: &Interp) -> Ended {
    // SAFETY: the collecting thread. Dropping the snapshot calls nothing foreign but an allocator,
    // and it is not borrowed by then.
    unsafe {
        let state = interp.gc.state();
        let (armed, condemned, first, snapshot, retired) = {
            let _busy = Busy::wait(state);
            tp_traverse::retire(state);
            // Until the interpreter is gone: see `arm_for_good`.
            let ending = (*state).ending;
            let armed = (*state).armed.get();
            (*state).armed.set(ending);
            (
                armed,
                (*state).condemned,
                (*state).passes == 1,
                (*state).snapshot.take(),
                std::mem::take(&mut (*state).retired),
            )
        };
        if armed {
            collecting().end(interp.tag());
        }
        let looked = || snapshot.as_ref().is_some_and(|s| !s.may_have_native_garbage());
        let ended = match armed {
            false => Ended::Not,
            true if condemned || first && looked() => Ended::Clean,
            true => Ended::Unsure,
        };
        drop((snapshot, retired));
        ended
    }
}

/// From here on every collection takes native references into account: those that CPython runs
/// while it tears an interpreter down are full, and run no callbacks.
///
/// # Safety
/// Attached; the interpreter is ending.
pub(crate) unsafe fn arm_for_good(interp: &Interp) {
    // SAFETY: attached, and no collection is under way.
    unsafe {
        let state = interp.gc.state();
        let _busy = Busy::wait(state);
        sweep::track_all(interp);
        (*state).ending = true;
        (*state).classes.set(true);
        (*state).armed.set(true);
    }
}

/// What [`stop`] would have done after the last collection of an interpreter that is ending.
///
/// # Safety
/// Attached.
pub(crate) unsafe fn finish(interp: &Interp) {
    // SAFETY: attached; the state is not borrowed while objects die.
    unsafe {
        {
            let state = interp.gc.state();
            let _busy = Busy::wait(state);
            (*state).ending = false;
        }
        end(interp);
        settle();
        collect();
    }
}

/// `gc.callbacks` "stop". `collected`: whether Python's collector found any garbage.
///
/// # Safety
/// Attached; called by the collecting thread.
pub unsafe fn stop(interp: &Interp, collected: bool) {
    // SAFETY: the collecting thread. The state is not borrowed while objects die.
    unsafe {
        let ended = end(interp);
        if ended != Ended::Not {
            settle();
            tree::collected();
        }
        if ended != Ended::Not && interp.spare.pace.sweeps() {
            sweep::finish(interp, collected);
        } else if ended == Ended::Unsure && (several() || !are_all_wrapped()) {
            interp.gc.count_native(collect());
        }
        local::drain(interp);
    }
}
