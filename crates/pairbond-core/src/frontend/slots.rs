//! The slots that hold the tables of the process's interpreters, by tag. Tags are never used again,
//! and tables never freed: a thread that fetched one a moment before may still call it.

#[cfg(all(target_os = "linux", not(miri)))]
use std::ffi::c_void;
use std::fmt;

use super::Collecting;
use super::frontend_table::{DISARMED, FrontendTable};
use super::handle::Frontend;
use crate::custody::Pair;
use crate::event::{self, Event, Kind, events_table};
use crate::sync::ProcessWide;
use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};

/// The interpreters of the process, by tag.
pub(crate) struct Slots {
    pub(crate) tables: [AtomicPtr<FrontendTable>; 1 << 16],
    /// Zero to begin with, as all the rest: then half a megabyte of zeros is in no file.
    opened: AtomicUsize,
}

impl Slots {
    pub(crate) const fn new() -> Self {
        Slots {
            tables: [const { AtomicPtr::new(std::ptr::null_mut()) }; 1 << 16],
            opened: AtomicUsize::new(0),
        }
    }

    pub(crate) fn open_slot(&self, table: *const FrontendTable) -> u16 {
        let tag = self.opened.fetch_add(1, Ordering::Relaxed) + 1;
        let Ok(tag) = u16::try_from(tag) else {
            self.opened.store((1 << 16) - 1, Ordering::Relaxed);
            return 0;
        };
        self.tables[usize::from(tag)].store(table.cast_mut(), Ordering::Release);
        tag
    }

    pub(crate) fn disarm_slot(&self, tag: u16) -> bool {
        let slot = &self.tables[usize::from(tag)];
        let table = slot.load(Ordering::Acquire);
        is_armed(table)
            && slot
                .compare_exchange(
                    table,
                    table.map_addr(|address| address | RETIRED),
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                )
                .is_ok()
    }
}

/// Set in a slot whose interpreter has ended. The table is asked one thing still: [`is_orphan`].
const RETIRED: usize = 1;

fn is_armed(table: *mut FrontendTable) -> bool {
    !table.is_null() && table.addr() & RETIRED == 0
}

/// The process has opened 65,535 interpreters; tags are never used again, so that a stale one can
/// never match.
#[derive(Clone, Copy, Debug)]
pub struct NoMoreTags;

impl fmt::Display for NoMoreTags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("65,535 interpreters were opened in this process; no tag is left for another")
    }
}

impl std::error::Error for NoMoreTags {}

/// Opens an interpreter: its tag, never 0.
///
/// # Errors
/// No tag is left.
pub fn open_interpreter(table: &'static FrontendTable) -> Result<u16, NoMoreTags> {
    // SAFETY: the table lives for the process.
    match unsafe { (interpreters_table().open_frontend)(table) } {
        0 => Err(NoMoreTags),
        tag => {
            if event::observed() {
                Event::of_interpreter(Kind::Opened, tag).notify_observers();
            }
            Ok(tag)
        }
    }
}

/// Begins or ends telling the frontend of a tag of all events.
pub fn observe_events(tag: u16, on: bool) {
    // SAFETY: any tag may be told.
    unsafe { (events_table().observe_frontend)(tag, on) }
}

/// The interpreters that are in the middle of a collection which takes native references into
/// account. Between its passes finalizers run, and other threads: an object found unreachable must
/// not come back through a weak reference.
#[inline]
#[must_use]
pub fn collecting_interpreters() -> &'static Collecting {
    // SAFETY: lives for the process.
    unsafe { &*interpreters_table().collecting }
}

/// Makes an interpreter's table inert. `false`: it was already.
pub fn disarm_interpreter(tag: u16) -> bool {
    observe_events(tag, false);
    // SAFETY: any tag may be disarmed.
    let disarmed = unsafe { (interpreters_table().disarm_frontend)(tag) };
    if disarmed && event::observed() {
        Event::of_interpreter(Kind::Disarmed, tag).notify_observers();
    }
    disarmed
}

/// The frontend of a tag; the disarmed one when the interpreter is gone (or the tag is 0).
#[inline]
#[must_use]
pub fn frontend_of(tag: u16) -> Frontend {
    // SAFETY: the array has an element for every tag; tables live for the process.
    unsafe {
        let table = (*interpreters_table().frontends.add(usize::from(tag))).load(Ordering::Acquire);
        Frontend(if is_armed(table) { &*table } else { &DISARMED })
    }
}

/// Whether the wrapper of an object, whose interpreter has ended, stays behind with nobody who
/// refers to it but the object. (A thread that was stopped for ever in the middle of a call may
/// still refer to another, and use its object.)
pub(crate) fn is_orphan(pair: Pair) -> bool {
    // SAFETY: as in `frontend`. The wrapper is never freed: the object's counted reference was not
    // released.
    unsafe {
        let table = (*interpreters_table().frontends.add(usize::from(pair.tag()))).load(Ordering::Acquire);
        let table = table.map_addr(|address| address & !RETIRED);
        table
            .as_ref()
            .is_some_and(|table| (table.orphaned)(table.context, pair.wrapper()))
    }
}

/// All interpreters that were ever opened, those that have ended as inert tables: not for what
/// happens often.
pub(super) fn opened_frontends() -> impl Iterator<Item = Frontend> {
    // SAFETY: the array has an element for every tag.
    let opened = |tag: &u16| unsafe {
        let slot = &*interpreters_table().frontends.add(usize::from(*tag));
        !slot.load(Ordering::Acquire).is_null()
    };
    // Tags are given out in order.
    (1..=u16::MAX).take_while(opened).map(frontend_of)
}

/// The interpreter that this thread is attached to.
pub fn attached_frontend() -> Option<Frontend> {
    opened_frontends().find(|frontend| {
        // SAFETY: as the table's contract says.
        unsafe { (frontend.0.is_attached)(frontend.0.context) }
    })
}

/// The interpreters of the process, for all binaries.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InterpretersTable {
    /// Opens an interpreter; 0 when no tag is left.
    pub open_frontend: unsafe extern "C" fn(*const FrontendTable) -> u16,
    /// Disarms one.
    pub disarm_frontend: unsafe extern "C" fn(u16) -> bool,
    /// The tables of the interpreters, by tag.
    pub frontends: *const AtomicPtr<FrontendTable>,
    /// The number of releases that wait in deferred queues, over all interpreters: what every entry
    /// looks at.
    pub waiting: *const AtomicUsize,
    /// The interpreters that are in the middle of a collection.
    pub collecting: *const Collecting,
}

// SAFETY: functions and pointers to statics.
unsafe impl Send for InterpretersTable {}
// SAFETY: functions and pointers to statics.
unsafe impl Sync for InterpretersTable {}

impl InterpretersTable {
    /// This binary's own.
    pub(crate) const HERE: InterpretersTable = InterpretersTable {
        open_frontend: open_here,
        disarm_frontend: disarm_here,
        frontends: SLOTS.tables.as_ptr(),
        waiting: &raw const WAITING,
        #[cfg(not(loom))]
        collecting: &raw const COLLECTING,
        // A model makes its own.
        #[cfg(loom)]
        collecting: std::ptr::null(),
    };
}

static SLOTS: Slots = Slots::new();
static WAITING: AtomicUsize = AtomicUsize::new(0);
#[cfg(not(loom))]
static COLLECTING: Collecting = Collecting::new();
static HERE: InterpretersTable = InterpretersTable::HERE;
static CURRENT: ProcessWide<InterpretersTable> = ProcessWide::new(&HERE);

#[inline]
fn interpreters_table() -> &'static InterpretersTable {
    CURRENT.get()
}

/// Whether the process's runtime is this binary's own.
#[cold]
pub(super) fn owns_runtime() -> bool {
    std::ptr::eq(interpreters_table(), &raw const HERE)
}

/// Some code of the binary whose runtime it is.
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) fn runtime_code() -> *const c_void {
    interpreters_table().disarm_frontend as *const c_void
}

/// Makes this binary use another's.
pub(crate) fn adopt_interpreters(table: &'static InterpretersTable) {
    CURRENT.adopt(table);
}

unsafe extern "C" fn open_here(table: *const FrontendTable) -> u16 {
    // Before the language can fork: locks note themselves later, when they are taken.
    crate::fork::survive_forks();
    event::tell_frontends_by(|tag, event| frontend_of(tag).send_event(event));
    SLOTS.open_slot(table)
}

unsafe extern "C" fn disarm_here(tag: u16) -> bool {
    SLOTS.disarm_slot(tag)
}

/// The number of releases that wait in deferred queues.
#[inline]
#[must_use]
pub fn waiting_releases() -> &'static AtomicUsize {
    // SAFETY: lives for the process.
    unsafe { &*interpreters_table().waiting }
}
