//! What debug builds check in every survey: that no object is shown more references than it has.
//!
//! A [`Trace`](crate::trace::Trace) that was derived shows each once. One that was written by hand
//! may show one twice, and then a collector takes for garbage what somebody still holds. So a debug
//! build panics once all locks were given back, and names the object's type and those that refer to
//! it. CPython's own debug builds do the same for `tp_traverse`. Nothing of this is in optimised
//! builds.

use std::collections::BTreeSet;
use std::ffi::c_void;

use super::super::TracerTable;
use super::super::fault;
use super::super::graph::fact;
use super::HeapScan;
use crate::object::{ByAddress, Header, is_owned};
use crate::sync::CellLock;

/// The references that were shown, as far as they are not in the graph's counts.
#[derive(Default)]
pub(super) struct Shown {
    /// Objects that have one reference, which was shown.
    once: ByAddress<()>,
    /// An object, the references to it that were shown, and those that it has.
    wrong: Option<(*const Header, u64, u64)>,
    complaint: Option<String>,
}

impl Shown {
    /// A reference, to an object that has no other.
    #[inline(always)]
    pub(super) fn check_single(&mut self, target: *const Header) {
        if cfg!(debug_assertions) && self.once.insert(target.addr(), ()).is_some() {
            self.check_count(target, 2, 1);
        }
    }

    /// References to an object, and how many it has: neither changed meanwhile.
    #[inline(always)]
    pub(super) fn check_count(&mut self, target: *const Header, shown: u64, has: u64) {
        if cfg!(debug_assertions)
            && shown > has
            && has < u64::from(u32::MAX)
            && !fault::is_fault_enabled(u32::MAX)
        {
            self.wrong.get_or_insert((target, shown, has));
        }
    }

    /// Whether the survey must not be used.
    pub(super) fn is_wrong(&self) -> bool {
        self.wrong.is_some()
    }

    /// Panics if something was wrong. No lock is held. A frontend asks within functions of C, which
    /// no panic leaves: there the process ends, whatever panic hook keeps silent about it.
    pub(super) fn panic_if_wrong(&mut self) {
        if let Some(complaint) = self.complaint.take() {
            eprintln!("pairbond: {complaint}");
            panic!("{complaint}");
        }
    }
}

impl HeapScan<'_> {
    /// Objects that were seen to have no owner but their wrapper: to them no reference is shown.
    /// Before the second pass.
    ///
    /// # Safety
    /// Within a walk, of which these are the shards.
    pub(super) unsafe fn check_at_sight(&mut self, listed: &[*const [*mut Header]]) {
        if !cfg!(debug_assertions) || !self.is_at_sight() {
            return;
        }
        // SAFETY: held until the walk is over.
        let objects = listed.iter().flat_map(|shard| unsafe { &**shard });
        for (node, object) in objects.enumerate() {
            let (facts, count) = (self.graph.nodes[node].facts(), self.graph.counts[node as u32]);
            if count.need > 0 && count.strong == 0 && facts & (fact::PYTHON | fact::SKIPPED) == fact::PYTHON {
                // SAFETY: held until the walk is over. The parent of a node shows a reference that
                // is not counted.
                let owner = u64::from(is_owned(unsafe { &**object }));
                self.shown
                    .check_count(*object, u64::from(count.need) + 1, 1 + owner);
            }
        }
    }

    /// Finds the object that showed a wrong reference. After the second pass.
    ///
    /// # Safety
    /// As above.
    pub(super) unsafe fn find_who(&mut self, listed: &[*const [*mut Header]]) {
        let Some((target, shown, has)) = self.shown.wrong else {
            return;
        };
        let mut asked = Asked {
            target,
            found: false,
            locks: &self.locks,
            alone: self.alone,
        };
        let table = TracerTable {
            edge: on_edge,
            foreign: on_foreign,
            lock: on_lock,
            context: (&raw mut asked).cast(),
        };
        let mut owners = BTreeSet::new();
        // SAFETY: held until the walk is over, and all in the list are alive; the callbacks get the
        // arguments that they expect.
        unsafe {
            for object in listed.iter().flat_map(|shard| &**shard) {
                (&raw mut asked.found).write(false);
                (**object).info().trace_object(&**object, &table);
                if (&raw const asked.found).read() {
                    owners.insert((**object).info().key());
                }
            }
        }
        let owners: Vec<_> = owners.into_iter().collect();
        // SAFETY: alive, as above.
        let key = unsafe { (*target).info().key() };
        self.shown.complaint = Some(format!(
            "a {key} has {has} reference(s), and {shown} are shown to collectors: of the types that refer to it ({}) one shows a reference \
             twice, or one that it does not own. Look at what was written by hand, `unsafe impl Trace`",
            owners.join(", ")
        ));
    }
}

/// The reference that is searched for.
struct Asked<'a> {
    target: *const Header,
    found: bool,
    /// The locks that the survey holds.
    locks: &'a [*const CellLock],
    alone: bool,
}

// The tracer's callbacks. SAFETY (of each): the context is what `find_who` asks, which does not
// borrow it while it traces.

unsafe extern "C" fn on_edge(asked: *mut c_void, target: *const Header) {
    // SAFETY: the context is the question whose table this is.
    let asked = unsafe { &mut *asked.cast::<Asked<'_>>() };
    asked.found |= std::ptr::eq(asked.target, target);
}

unsafe extern "C" fn on_foreign(_: *mut c_void, _: u16, _: *mut c_void) {}

unsafe extern "C" fn on_lock(asked: *mut c_void, lock: *const CellLock) -> bool {
    // SAFETY: see above; the lock lives in an object that is alive.
    let (asked, free) = unsafe { (&*asked.cast::<Asked<'_>>(), (*lock).is_free()) };
    asked.locks.contains(&lock) || asked.alone && free
}
