//! Queues that an interpreter drains: references released by other threads, and events for Python.
//!
//! An event can happen in the middle of anything: while an object is made or dies, on a thread that
//! is not attached, inside Python's collector. So nothing of Python's is called then. Events are
//! noted in a queue (`interp/trace.rs`), and callbacks are called where deferred references are
//! released too: at the next entry into the library, in a pending call, after a collection, and
//! when a `with pairbond.trace(…)` ends, by whichever thread comes there. One thread at a time
//! calls, so that events come in their order; what its callbacks do is not observed.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pairbond_core::error::Error;
use pairbond_core::event::{Event, Kind, muted, observed};
use pairbond_core::frontend::observe_events;
use pairbond_core::memory::{Room, try_collect};
use pyo3_ffi as py;

use crate::errors::{self, owned_or_error, take};
use crate::interp::trace::{Callback, Queue, Trace, lock_unpoisoned};
use crate::interp::{Interp, local};
use crate::layout::native;
use crate::owned::Owned;
use crate::running;

thread_local! {
    /// Whether this thread is calling callbacks.
    static HERE: Cell<bool> = const { Cell::new(false) };
}

/// See [`Api::drain`](crate::interp::api::Api).
pub(crate) unsafe extern "C" fn drain_current() {
    // SAFETY: this thread is attached to the interpreter.
    if let Some(interp) = unsafe { local::current_interp().as_ref() } {
        // SAFETY: attached to it.
        unsafe { drain_releases(interp) }
    }
}

/// Releases what waits for this interpreter.
///
/// # Safety
/// Attached to it.
pub(crate) unsafe fn drain_releases(interp: &Interp) {
    if !interp.deferred.is_empty() {
        if !interp.is_open() {
            // SAFETY: this thread is attached to the interpreter.
            unsafe { local::count_late(interp) }
        }
        for object in local::take_releases(interp) {
            // SAFETY: each was a counted reference given away; attached. An exception that is being
            // handled stays.
            unsafe {
                released_late(interp, object.cast());
                running::decref(object.cast());
            }
        }
    }
    // SAFETY: this thread is attached to the interpreter.
    unsafe { interp.trace.deliver_events() };
}

/// Tells that a reference that waited is about to be released.
///
/// # Safety
/// Attached; a living object.
unsafe fn released_late(interp: &Interp, object: *mut py::PyObject) {
    if observed() {
        // SAFETY: attached; a living object: the caller ensures it.
        let native = unsafe { native(object) };
        // SAFETY: a wrapper keeps its native object.
        let mut event = native.map_or(Event::of_kind(Kind::ReleasedLate), |native| unsafe {
            Event::of_object(Kind::ReleasedLate, native.as_ref(), interp.tag())
        });
        event.interpreter = interp.tag();
        event.a = object.addr() as u64;
        event.notify_observers();
    }
}

impl Trace {
    /// Adds a callback; its number.
    ///
    /// # Safety
    /// Attached to the interpreter of this tag.
    pub(crate) unsafe fn start(&self, tag: u16, callback: Owned, class: Owned) -> usize {
        // What happened before is none of its business.
        // SAFETY: this thread is attached to the interpreter.
        unsafe { self.deliver_events() };
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
        while unsafe { !self.deliver_events() } && !HERE.get() {
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
        unsafe { self.deliver_events() };
        let gone = std::mem::take(&mut *lock_unpoisoned(&self.callbacks));
        drop(self.take());
        drop(gone);
    }

    /// Calls the callbacks with what waits, unless that is being done: `false`.
    ///
    /// # Safety
    /// Attached to the interpreter.
    unsafe fn deliver_events(&self) -> bool {
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
                    self.call_callbacks(event)
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

    /// The thread is attached.
    fn call_callbacks(&self, event: &Event) {
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
            if let Err(error) = call_callback(&callback, &class, event) {
                errors::raise(error);
                // SAFETY: attached; the callback is alive.
                unsafe { running::PyErr_WriteUnraisable(callback.as_ptr()) };
            }
        }
    }
}

/// `callback(class(kind, type, object, interpreter, device_kind, device, a, b))`
/// The thread is attached.
fn call_callback(callback: &Owned, class: &Owned, event: &Event) -> Result<(), Error> {
    // SAFETY: attached; new references or null.
    let number = |n: u64| unsafe { owned_or_error(py::PyLong_FromUnsignedLongLong(n)) };
    let kind = Owned::from_text(event.kind.name()).ok_or_else(take)?;
    let info = match event.info {
        Some(info) => Owned::from_text(info.key()).ok_or_else(take)?,
        None => Owned::none(),
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
    // SAFETY: attached, with living objects; a new reference or null.
    let event = unsafe {
        let none = std::ptr::null_mut();
        owned_or_error(running::PyObject_Vectorcall(
            class.as_ptr(),
            arguments.as_ptr(),
            count,
            none,
        ))
    }?;
    callback.call1(&event).map(drop)
}
