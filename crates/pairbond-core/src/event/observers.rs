//! Who observes. The list is the runtime's; observers may come from any binary of the process.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

use super::Event;
use crate::fork::{Guards, StaticLocks, guard_if_free, hold_over_forks};
use crate::sync::ProcessWide;
use crate::sync::statics::{AtomicUsize, Ordering, RwLock};

/// A function that is told of events, as binaries pass it to each other.
#[derive(Debug)]
#[repr(C)]
pub struct Observer {
    /// `(context, event)`, on any thread.
    pub tell: unsafe extern "C" fn(*mut c_void, *const Event),
    /// Called when the observer gets no further events.
    pub forget: unsafe extern "C" fn(*mut c_void),
    /// Given to both.
    pub context: *mut c_void,
}

// SAFETY: registering an observer requires that it may be used from any thread.
unsafe impl Send for Observer {}
// SAFETY: registering an observer requires that it may be used from any thread.
unsafe impl Sync for Observer {}

impl Drop for Observer {
    fn drop(&mut self) {
        // SAFETY: `drop_observer` takes this context, and a value is dropped once.
        unsafe { (self.forget)(self.context) }
    }
}

#[derive(Clone)]
enum Who {
    Observer(usize, Arc<Observer>),
    Frontend(u16),
}

/// The observers of the process.
pub(crate) struct Observers {
    list: RwLock<Vec<Who>>,
    next: AtomicUsize,
    count: AtomicUsize,
}

/// Set before this binary gives out the first tag: there is no frontend before.
static TELL_FRONTEND: OnceLock<fn(u16, &Event)> = OnceLock::new();

/// Tells frontends that observe by calling a function with their tags; the first call counts.
pub(crate) fn tell_frontends_by(tell: fn(u16, &Event)) {
    let _ = TELL_FRONTEND.set(tell);
}

thread_local! {
    static MUTED: Cell<bool> = const { Cell::new(false) };
}

impl Observers {
    pub(crate) const fn new() -> Self {
        Observers {
            list: RwLock::new(Vec::new()),
            next: AtomicUsize::new(1),
            count: AtomicUsize::new(0),
        }
    }

    /// The list's lock, if it is free: for who forks.
    fn try_hold(&'static self) -> Option<Guards> {
        Some(Box::new(guard_if_free(self.list.try_write())?))
    }

    /// How many there are.
    pub(crate) const fn count_ptr(&self) -> *const AtomicUsize {
        &raw const self.count
    }

    fn change_list(&self, change: impl FnOnce(&mut Vec<Who>) -> Option<Who>) {
        hold_over_forks(StaticLocks::Observers, || OBSERVERS.try_hold());
        let mut list = self
            .list
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let gone = change(&mut list);
        let count = list.len();
        self.count.store(count, Ordering::Relaxed);
        crate::types::observe_types(count != 0);
        drop(list);
        // Runs its owner's code.
        drop(gone);
    }

    fn notify_all(&self, event: &Event) {
        if MUTED.replace(true) {
            return;
        }
        // Without the lock: observers may come and go meanwhile.
        let all = self
            .list
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone();
        for who in all {
            match who {
                // SAFETY: registering an observer requires that its functions may be called with
                // it.
                Who::Observer(_, observer) => unsafe { (observer.tell)(observer.context, event) },
                Who::Frontend(tag) => {
                    if let Some(tell) = TELL_FRONTEND.get() {
                        tell(tag, event);
                    }
                }
            }
        }
        MUTED.set(false);
    }
}

/// The runtime's functions for observers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EventsTable {
    /// How many observe events.
    pub observed: *const AtomicUsize,
    /// Tells all observers.
    pub tell: unsafe extern "C" fn(*const Event),
    /// Adds an observer, which is moved from: its number.
    pub observe: unsafe extern "C" fn(*mut Observer) -> usize,
    /// Removes one.
    pub forget_observer: unsafe extern "C" fn(usize),
    /// Adds or removes the frontend of a tag.
    pub observe_frontend: unsafe extern "C" fn(u16, bool),
    /// Sets whether this thread is hidden from observers; returns the previous setting.
    pub mute: unsafe extern "C" fn(bool) -> bool,
}

// SAFETY: functions and a pointer to a static.
unsafe impl Send for EventsTable {}
// SAFETY: functions and a pointer to a static.
unsafe impl Sync for EventsTable {}

impl EventsTable {
    /// This binary's own.
    pub(crate) const HERE: EventsTable = EventsTable {
        observed: OBSERVERS.count_ptr(),
        tell: local::tell_observers,
        observe: local::add_observer,
        forget_observer: local::remove_observer,
        observe_frontend: local::observe_frontend,
        mute: local::set_muted,
    };
}

static OBSERVERS: Observers = Observers::new();
static HERE: EventsTable = EventsTable::HERE;
static CURRENT: ProcessWide<EventsTable> = ProcessWide::new(&HERE);

/// The process's.
#[inline]
pub(crate) fn events_table() -> &'static EventsTable {
    CURRENT.get()
}

/// Makes this binary use another's.
pub(crate) fn adopt_events(table: &'static EventsTable) {
    CURRENT.adopt(table);
}

/// The functions of this binary's own runtime.
mod local {
    use super::{Arc, Event, MUTED, OBSERVERS, Observer, Ordering, Who};

    pub(crate) unsafe extern "C" fn tell_observers(event: *const Event) {
        // SAFETY: a valid event.
        OBSERVERS.notify_all(unsafe { &*event });
    }

    pub(crate) unsafe extern "C" fn add_observer(observer: *mut Observer) -> usize {
        let id = OBSERVERS.next.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller gives it away.
        let observer = Arc::new(unsafe { observer.read() });
        OBSERVERS.change_list(|list| {
            list.push(Who::Observer(id, observer));
            None
        });
        id
    }

    pub(crate) unsafe extern "C" fn remove_observer(id: usize) {
        OBSERVERS.change_list(|list| {
            let at = list
                .iter()
                .position(|who| matches!(who, Who::Observer(i, _) if *i == id))?;
            Some(list.remove(at))
        });
    }

    pub(crate) unsafe extern "C" fn observe_frontend(tag: u16, on: bool) {
        OBSERVERS.change_list(|list| {
            let at = list
                .iter()
                .position(|who| matches!(who, Who::Frontend(t) if *t == tag));
            match (at, on) {
                (None, true) => list.push(Who::Frontend(tag)),
                (Some(at), false) => drop(list.remove(at)),
                _ => {}
            }
            None
        });
    }

    pub(crate) unsafe extern "C" fn set_muted(on: bool) -> bool {
        MUTED.replace(on)
    }
}

/// Observes until it is dropped. A call that has begun on another thread may still be going on
/// then.
#[must_use = "it observes until it is dropped"]
#[derive(Debug)]
pub struct Observing(usize);

impl Drop for Observing {
    fn drop(&mut self) {
        stop_observing(self.0);
    }
}

/// Adds an observer; the number is for [`stop_observing`].
///
/// # Safety
/// Its functions may be called from any thread, with its context.
pub unsafe fn runtime_observe(observer: Observer) -> usize {
    let mut observer = std::mem::ManuallyDrop::new(observer);
    // SAFETY: given away.
    unsafe { (events_table().observe)(&mut *observer) }
}

/// Ends what [`runtime_observe`] began; one that has ended is ignored.
pub fn stop_observing(observer: usize) {
    // SAFETY: callable with any number.
    unsafe { (events_table().forget_observer)(observer) }
}

/// Calls a function with every event from now on, on the thread where it happens. The function must
/// not block, and its own use of objects is not observed. A panic in it is reported by the panic
/// hook, and otherwise ignored.
pub fn observe<F: Fn(&Event) + Send + Sync + 'static>(observer: F) -> Observing {
    unsafe extern "C" fn call_observer<F: Fn(&Event)>(observer: *mut c_void, event: *const Event) {
        // SAFETY: the box below, which lives until `drop_observer`; a valid event.
        let (observer, event) = unsafe { (&*observer.cast::<F>(), &*event) };
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| observer(event)));
    }
    unsafe extern "C" fn drop_observer<F>(observer: *mut c_void) {
        // SAFETY: the box below, once.
        drop(unsafe { Box::from_raw(observer.cast::<F>()) });
    }
    let observer = Observer {
        tell: call_observer::<F>,
        forget: drop_observer::<F>,
        context: Box::into_raw(Box::new(observer)).cast(),
    };
    // SAFETY: the function may be called from any thread, as its type says.
    Observing(unsafe { runtime_observe(observer) })
}

/// Runs `work` unobserved on this thread.
pub fn muted<R>(work: impl FnOnce() -> R) -> R {
    struct Undo(bool);
    impl Drop for Undo {
        fn drop(&mut self) {
            // SAFETY: callable at any time.
            let _ = unsafe { (events_table().mute)(self.0) };
        }
    }
    // SAFETY: callable at any time.
    let _undo = Undo(unsafe { (events_table().mute)(true) });
    work()
}
