//! The wrapper's half of Python's cycle collector: cycles through native references are found
//! exactly, and collected by `gc.collect()`.
//!
//! Python's collector subtracts: it traverses every tracked object, and those whose references all
//! come from inside are garbage. A wrapper's native object owns references too; so do native
//! objects without a wrapper. `tp_traverse` reports them from a `Snapshot` of the native graph.
//!
//! | CPython's collection (`gcmodule.c`, `gc.c`, `gc_free_threading.c`) | here |
//! |---|---|
//! | `gc.callbacks` with "start" | [`start`]: decides whether native references take part (full collections only), tracks wrappers with edges (`sweep::prepare`) |
//! | `update_refs` | nothing: reference counts of wrappers are Python's |
//! | `subtract_refs` | `traverse::traverse_native` → `subtract`; the first wrapper takes the snapshot (`traverse::begin`), the others read it (`tp_traverse::report_from_snapshot`) |
//! | `move_unreachable`, `move_legacy_finalizer_reachable` | `traverse::visit_reachable`, `tp_traverse::report_from_snapshot`: every visitor but the subtracting one |
//! | `handle_weakrefs` | Python's own. A native weak reference upgrades only if `Collector::condemned` is false |
//! | `finalize_garbage` (`__del__`, `tp_finalize`) | nothing: finalizers may resurrect native objects, too |
//! | `handle_resurrected_objects` | a second subtracting pass, which takes a fresh snapshot |
//! | `delete_garbage` (`tp_clear`) | `traverse::clear_native`: scans once more, condemns all native garbage together, then empties it, part by part |
//! | `gc.callbacks` with "stop" | [`stop`]: collects native garbage without wrappers, untracks and frees wrappers (`sweep::finish`) |
//!
//! # Invariants
//!
//! * A snapshot is validated: native threads that are not attached go on running, and every object
//!   that they touched counts as held.
//! * Young collections report the Python objects that wrappers own, and nothing native:
//!   conservative.
//! * A pass is subtracting when `arg` is the object itself (GIL) or null (free-threaded). That is
//!   undocumented, and true from 3.11 to 3.15; every other visitor gets at least the references
//!   that the subtracting pass got.
//! * A new pass begins when a wrapper is traversed again.
//! * All native garbage is condemned before the first field is emptied: weak references no longer
//!   upgrade.
//! * A signal ends a collection before native garbage is condemned, or between two parts of it that
//!   are cleared: the others are kept (`Collector::clear_or_keep`), and the next collection clears
//!   them first.
//! * If the callbacks are removed from `gc.callbacks`, no snapshot is taken and cycles through
//!   native objects stay: nothing dangles.
//!
//! Threads: [`Collector`] belongs to the thread that collects, from "start" to "stop". CPython runs
//! one collection at a time per interpreter.
//!
//! # Native garbage without wrappers
//!
//! Native objects that keep only each other alive are reported by no wrapper: the native collector
//! looks for them at "stop". That is a scan of its own, so it is left out where it would find
//! nothing but garbage of this very collection, which is the next one's: when the collection found
//! all wrappers alive and the snapshot shows no such objects; and when the first `tp_clear` has
//! scanned, which condemns all native garbage. A snapshot that could not decide (another
//! interpreter's objects, references that were moved meanwhile) does not count, nor does one that
//! was never taken, because no wrapper was traversed: a free-threaded collection traverses only
//! those that its roots do not lead to. Then nothing is searched if a process of one thread has as
//! many wrappers as objects.
//!
//! # Files
//!
//! * `slots` – the slots that `pairbond.Object` gives to every wrapper class.
//! * `traverse` – where passes begin and end, and the general case; `tp_traverse` – the fast path.
//! * `interp/collector.rs` – the state of a collection, and its lock.
//! * `sweep` – wrappers without Python edges, which Python's collector does not track (with a GIL);
//!   `interp/pace.rs` – when to look for garbage among them.
//! * `sweep_before_make` – the functions of the shared table that make a wrapper, after a sweep if
//!   one is due.
//! * `interrupt` – signals meanwhile; `clear` – clearing garbage between them.
//!
//! Tests: `tests/python/test_promises_cycles.py`, `test_untracked.py`; the same
//! phases over a fake runtime in `pairbond-core/tests/collect/`.

mod clear;
mod interrupt;
mod slots;
mod sweep;
mod sweep_before_make;
mod tp_traverse;
mod traverse;

use pairbond_core::frontend::collecting_interpreters;
use pairbond_core::runtime::node_section;
use pairbond_core::trace::{Condemned, are_all_wrapped, collect, drain_deferred, find_garbage, release_kept};

use crate::interp::collector::Busy;
pub use crate::interp::collector::{Collector, Stats};
use crate::interp::{Interp, several};
use crate::releases;
use interrupt::{handle_signals, interruptible};
pub use slots::{clear, traverse};
pub(crate) use sweep::{sweep_now, track_class};
pub(crate) use sweep_before_make::{make_given, make_or_null};
pub(crate) use traverse::probe_get_referents;

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
        handle_signals();
        let prepared = match interp.spare.pace.sweeps() {
            true => Some(sweep::prepare(interp)),
            false => {
                interp.gc.clear(Condemned::default());
                None
            }
        };
        handle_signals();
        if !collecting_interpreters().begin_collection(interp.tag()) {
            return;
        }
        let state = interp.gc.state();
        let shown = prepared.unwrap_or_default();
        let _busy = Busy::wait(state);
        (*state).armed.set(true);
        (*state).passes = 0;
        (*state).blind = false;
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
    /// No native objects without wrappers kept only each other alive when it began, or all were
    /// condemned.
    Clean,
}

/// Disarms.
///
/// # Safety
/// As for [`start`].
unsafe fn end(interp: &Interp) -> Ended {
    let state = interp.gc.state();
    let (armed, condemned, first, snapshot, retired) = {
        let _busy = Busy::wait(state);
        tp_traverse::end_pass(state);
        // Until the interpreter is gone: see `arm_for_good`.
        // SAFETY: the collecting thread. Dropping the snapshot calls nothing foreign but an
        // allocator, and it is not borrowed by then.
        unsafe {
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
        }
    };
    if armed {
        collecting_interpreters().end_collection(interp.tag());
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

/// From here on every collection takes native references into account: those that CPython runs
/// while it tears an interpreter down are full, and run no callbacks.
///
/// # Safety
/// Attached; the interpreter is ending.
pub(crate) unsafe fn arm_for_good(interp: &Interp) {
    let state = interp.gc.state();
    let _busy = Busy::wait(state);
    // SAFETY: attached, and no collection is under way.
    unsafe {
        sweep::track_all(interp);
        (*state).ending = true;
        (*state).classes.set(true);
        (*state).armed.set(true);
    }
}

/// Tells the structure of nodes that a full collection, or what stands for one, is over.
fn end_full_collection() {
    if let Some(nodes) = node_section() {
        (nodes.on_full_collection)();
    }
}

/// Does the work of [`stop`] after the last collection of an interpreter that is ending.
///
/// # Safety
/// Attached.
pub(crate) unsafe fn finish(interp: &Interp) {
    {
        let state = interp.gc.state();
        let _busy = Busy::wait(state);
        // SAFETY: attached; the state is not borrowed while objects die.
        unsafe { (*state).ending = false };
    }
    // SAFETY: attached; the state is not borrowed while objects die.
    unsafe { end(interp) };
    drain_deferred();
    for garbage in interp.gc.take_rest() {
        garbage.clear();
    }
    collect();
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
            drain_deferred();
            end_full_collection();
            handle_signals();
        }
        if ended != Ended::Not && interp.spare.pace.sweeps() {
            sweep::finish(interp, collected);
        } else if ended == Ended::Unsure && (several() || !are_all_wrapped()) {
            interp.gc.clear(interruptible(find_garbage));
        }
        if ended != Ended::Not {
            release_kept();
        }
        releases::drain_releases(interp);
    }
}
