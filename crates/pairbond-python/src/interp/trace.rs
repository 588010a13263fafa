//! Events on their way to Python.
//!
//! An event can happen in the middle of anything: while an object is made or dies, on a thread that
//! is not attached, inside Python's collector. So nothing of Python's is called then. Events are
//! noted in a queue, and callbacks are called where deferred references are released too: at the
//! next entry into the library, in a pending call, after a collection, and when a `with
//! pairbond.trace(…)` ends, by whichever thread comes there. One thread at a time calls, so that
//! events come in their order; what its callbacks do is not observed.
//!
//! The queue takes [`ROOM`] events; what comes then is counted, and told as one event of kind
//! *lost*.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pairbond_core::error::Error;
use pairbond_core::event::{Event, Kind, muted, observed};
use pairbond_core::frontend::observe_events;
use pairbond_core::memory::{Room, try_collect};
use pairbond_core::runtime::waiting_releases;
use pyo3_ffi as py;

use super::Interp;
use crate::errors::{self, take};
use crate::owned::Owned;
use crate::running;

/// How many events wait at most.
const ROOM: usize = 1 << 16;

thread_local! {
    /// Whether this thread is calling callbacks.
    static HERE: Cell<bool> = const { Cell::new(false) };
}

/// A callback with the class of its argument.
struct Callback {
    id: usize,
    callback: Owned,
    class: Owned,
}

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    lost: u64,
}

/// What one interpreter observes.
pub(crate) struct Trace {
    queue: Mutex<Queue>,
    /// For attached threads; no Python code runs under the lock.
    callbacks: Mutex<Vec<Callback>>,
    next: AtomicUsize,
    delivering: AtomicBool,
}

fn lock_unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Trace {
    pub(super) fn new() -> Self {
        Trace {
            queue: Mutex::default(),
            callbacks: Mutex::default(),
            next: AtomicUsize::new(1),
            delivering: AtomicBool::new(false),
        }
    }

    /// Notes an event, on any thread. `true`: it is the first that waits.
    pub(super) fn note(&self, tag: u16, event: &Event) -> bool {
        let elsewhere = event.interpreter != 0 && event.interpreter != tag;
        if elsewhere && !matches!(event.kind, Kind::Opened | Kind::Disarmed) {
            return false;
        }
        let mut queue = lock_unpoisoned(&self.queue);
        if queue.events.len() >= ROOM || queue.events.try_reserve(1).is_err() {
            queue.lost += 1;
            return false;
        }
        queue.events.push_back(*event);
        let first = queue.events.len() == 1;
        if first {
            waiting_releases().fetch_add(1, Ordering::AcqRel);
        }
        first
    }

    fn take(&self) -> Queue {
        let taken = std::mem::take(&mut *lock_unpoisoned(&self.queue));
        if !taken.events.is_empty() {
            waiting_releases().fetch_sub(1, Ordering::AcqRel);
        }
        taken
    }

    /// Adds a callback; its number.
    ///
    /// # Safety
    /// Attached to the interpreter of this tag.
    pub(crate) unsafe fn start(&self, tag: u16, callback: Owned, class: Owned) -> usize {
        // What happened before is none of its business.
        // SAFETY: this thread is attached to the interpreter.
        unsafe { self.deliver() };
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        lock_unpoisoned(&self.callbacks)
            .room()
            .push(Callback { id, callback, class });
        observe_events(tag, true);
        id
    }

    /// Tells a callback what has happened so far, and removes it.
    ///
    /// # Safety
    /// As for [`start`](Self::start).
    pub(crate) unsafe fn stop(&self, tag: u16, id: usize) {
        let sole = lock_unpoisoned(&self.callbacks).len() == 1;
        if sole {
            observe_events(tag, false);
        }
        // Another thread may be delivering earlier events, and needs the interpreter for it.
        // SAFETY: this thread is attached to the interpreter.
        while unsafe { !self.deliver() } && !HERE.get() {
            // SAFETY: this thread is attached to the interpreter.
            unsafe {
                let state = py::PyEval_SaveThread();
                std::thread::sleep(Duration::from_micros(100));
                py::PyEval_RestoreThread(state);
            }
        }
        let mut callbacks = lock_unpoisoned(&self.callbacks);
        let gone = callbacks.iter().position(|it| it.id == id);
        let gone = gone.map(|at| callbacks.remove(at));
        // Somebody else may have come meanwhile.
        observe_events(tag, !callbacks.is_empty());
        drop(callbacks);
        drop(gone);
    }

    /// The interpreter ends.
    ///
    /// # Safety
    /// As for [`start`](Self::start).
    pub(crate) unsafe fn close(&self, tag: u16) {
        observe_events(tag, false);
        // SAFETY: this thread is attached to the interpreter.
        unsafe { self.deliver() };
        let gone = std::mem::take(&mut *lock_unpoisoned(&self.callbacks));
        drop(self.take());
        drop(gone);
    }

    /// Calls the callbacks with what waits, unless that is being done: `false`.
    ///
    /// # Safety
    /// Attached to the interpreter.
    pub(super) unsafe fn deliver(&self) -> bool {
        if self.delivering.swap(true, Ordering::Acquire) {
            return false;
        }
        HERE.set(true);
        let Queue { events, lost } = self.take();
        if !events.is_empty() {
            let exception = errors::fetch_exception();
            let lost = (lost != 0).then(|| Event {
                a: lost,
                ..Event::of_kind(Kind::Lost)
            });
            muted(|| {
                for event in events.iter().chain(&lost) {
                    // SAFETY: this thread is attached to the interpreter.
                    unsafe { self.tell(event) }
                }
            });
            if let Some(exception) = exception {
                errors::restore_exception(exception);
            }
        }
        HERE.set(false);
        self.delivering.store(false, Ordering::Release);
        true
    }

    /// # Safety
    /// The calling thread is attached to the interpreter.
    unsafe fn tell(&self, event: &Event) {
        let all = try_collect(
            lock_unpoisoned(&self.callbacks)
                .iter()
                .map(|it| (it.callback.clone(), it.class.clone())),
        );
        let Ok(all) = all else {
            lock_unpoisoned(&self.queue).lost += 1;
            return;
        };
        for (callback, class) in all {
            // SAFETY: attached; the callback is alive.
            unsafe {
                if let Err(error) = call_callback(&callback, &class, event) {
                    errors::raise(error);
                    running::PyErr_WriteUnraisable(callback.as_ptr());
                }
            }
        }
    }
}

/// `callback(class(kind, type, object, interpreter, device_kind, device, a, b))`
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn call_callback(callback: &Owned, class: &Owned, event: &Event) -> Result<(), Error> {
    // SAFETY: attached; new references or null.
    unsafe {
        let number = |n: u64| Owned::from_new(py::PyLong_FromUnsignedLongLong(n)).ok_or_else(take);
        let kind = Owned::from_text(event.kind.name()).ok_or_else(take)?;
        let info = match event.info {
            Some(info) => Owned::from_text(info.key()).ok_or_else(take)?,
            None => Owned::from_borrowed(py::Py_None()),
        };
        let numbers = [
            number(event.object as u64)?,
            number(event.interpreter.into())?,
            number(event.device_kind.into())?,
            number(event.device.into())?,
            number(event.a)?,
            number(event.b)?,
        ];
        let [object, interpreter, device_kind, device, a, b] = numbers.each_ref().map(Owned::as_ptr);
        let arguments = [
            kind.as_ptr(),
            info.as_ptr(),
            object,
            interpreter,
            device_kind,
            device,
            a,
            b,
        ];
        let count = arguments.len();
        let event =
            running::PyObject_Vectorcall(class.as_ptr(), arguments.as_ptr(), count, std::ptr::null_mut());
        let event = Owned::from_new(event).ok_or_else(take)?;
        Owned::from_new(running::PyObject_CallOneArg(callback.as_ptr(), event.as_ptr()))
            .map(drop)
            .ok_or_else(take)
    }
}

/// Tells that a reference that waited is about to be released.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn released_late(interp: &Interp, object: *mut py::PyObject) {
    if observed() {
        // SAFETY: attached; a living object: the caller ensures it.
        let native = unsafe { crate::layout::native(object) };
        // SAFETY: a wrapper keeps its native object.
        let mut event = native.map_or(Event::of_kind(Kind::ReleasedLate), |native| unsafe {
            Event::of_object(Kind::ReleasedLate, native.as_ref(), interp.tag())
        });
        event.interpreter = interp.tag();
        event.a = object.addr() as u64;
        event.notify_observers();
    }
}
