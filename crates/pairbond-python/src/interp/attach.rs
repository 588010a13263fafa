//! Attaching threads to an interpreter, and counting references from any of them. The core calls
//! these functions at any time, also when the interpreter is gone: each finds out.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;
use std::time::Duration;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::event::Event;
use pairbond_core::memory::try_push;
use pairbond_core::object::Header;
use pyo3_ffi as py;

use super::api::api;
use super::{Interp, local};
use crate::ffi::{PyThreadState_GetInterpreter, attached_interpreter, try_incref};
use crate::running;

pub(crate) fn interp_of_context(context: *mut c_void) -> &'static Interp {
    // SAFETY: the context of our tables; interpreters are never freed.
    unsafe { &*context.cast::<Interp>() }
}

fn is_attached(interp: &Interp) -> bool {
    std::ptr::eq(attached_interpreter(), interp.state)
}

pub(crate) unsafe extern "C" fn attached_here(context: *mut c_void) -> bool {
    is_attached(interp_of_context(context))
}

pub(crate) unsafe extern "C" fn frontend_name(
    context: *mut c_void,
    to: *mut c_void,
    write: unsafe extern "C" fn(*mut c_void, *const u8, usize),
) {
    let interp = interp_of_context(context);
    let text = format!(
        "{}Python interpreter {}",
        if interp.is_open() { "" } else { "the ended " },
        interp.id
    );
    // SAFETY: the caller's function and argument.
    unsafe { write(to, text.as_ptr(), text.len()) }
}

pub(crate) unsafe extern "C" fn frontend_retain(context: *mut c_void, wrapper: *mut c_void) {
    // SAFETY: the wrapper is alive.
    let token = unsafe { frontend_enter(context) };
    if token >= 0 {
        // SAFETY: the wrapper is alive.
        unsafe {
            py::Py_INCREF(wrapper.cast());
            note_held(wrapper);
            frontend_leave(context, token);
        }
    } else if !interp_of_context(context).ended.load(Ordering::SeqCst) {
        // Closed, so this thread may not attach: the thread that shuts the interpreter down
        // counts the reference, before any release.
        note_late(interp_of_context(context), wrapper.expose_provenance());
    }
    // Ended: the holder of the wrapper never runs again, so its reference serves for ours.
}

/// Notes a reference of a thread that may not attach. A count that is missing would free the
/// wrapper too early: without memory this waits for some, or for the interpreter's end.
fn note_late(interp: &Interp, wrapper: usize) {
    while !interp.ended.load(Ordering::SeqCst) {
        if try_push(&mut interp.late(), wrapper).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) unsafe extern "C" fn frontend_release(context: *mut c_void, wrapper: *mut c_void) {
    unsafe extern "C" fn decref_wrapper(wrapper: *mut c_void) {
        // SAFETY: a counted reference given away; attached, because `postpone` runs on this thread
        // within this call or the one around it.
        unsafe { running::decref(wrapper.cast()) }
    }
    let interp = interp_of_context(context);
    if is_attached(interp) {
        // SAFETY: attached; a counted reference given away. It is not the last, and with a GIL no
        // other thread makes it so meanwhile: nothing dies.
        #[cfg(not(Py_GIL_DISABLED))]
        if unsafe { py::Py_REFCNT(wrapper.cast()) } > 1 {
            // SAFETY: attached; a counted reference given away. It is not the last, and with a GIL
            // no other thread makes it so meanwhile: nothing dies.
            unsafe { py::Py_DECREF(wrapper.cast()) };
            return;
        }
        // SAFETY: see `decref_wrapper`. Postponed, because the death of the wrapper destroys an
        // object in turn.
        unsafe { pairbond_core::object::postpone_task(decref_wrapper, wrapper) }
    } else if !interp.ended.load(Ordering::SeqCst) {
        pairbond_core::runtime::waiting_releases().fetch_add(1, Ordering::AcqRel);
        if interp.deferred.push(wrapper).is_none() {
            // Without memory for 16 bytes it is leaked.
            pairbond_core::runtime::waiting_releases().fetch_sub(1, Ordering::AcqRel);
            return;
        }
        ask_for_pending(interp, context);
        if interp.ended.load(Ordering::SeqCst) {
            // It ended meanwhile, and no thread drains the queue any more.
            let _leaked = local::take_releases(interp);
        }
    }
    // Ended: leaked, there is no interpreter to give it to.
}

/// Sees to it that the main interpreter drains its queue also while its threads enter no library:
/// one pending call at a time, asked for again as long as CPython's own queue is full. (There are
/// none for other interpreters. Those drain at entries and collections.)
fn ask_for_pending(interp: &Interp, context: *mut c_void) {
    if !interp.is_main
        || interp.pending.load(Ordering::Relaxed)
        || interp.pending.swap(true, Ordering::AcqRel)
    {
        return;
    }
    interp.attaching.fetch_add(1, Ordering::SeqCst);
    // SAFETY: open, and `close` waits for this thread, so the interpreter is still there.
    let asked = interp.open.load(Ordering::SeqCst) && unsafe { add_pending_call(context) };
    if !asked {
        interp.pending.store(false, Ordering::Release);
    }
    interp.attaching.fetch_sub(1, Ordering::SeqCst);
    #[cfg(not(Py_3_13))]
    if asked {
        super::waker::wake_interp(interp);
    }
}

/// Returns whether a pending call or the waker will drain the queue.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn add_pending_call(context: *mut c_void) -> bool {
    // It finds the interpreter by the current thread state, which before 3.12 is that of whichever
    // thread has the GIL, and may be freed meanwhile: a thread that is not attached must not call
    // it. Our own thread comes instead.
    if cfg!(not(Py_3_12)) && attached_interpreter().is_null() {
        return true;
    }
    // SAFETY: the interpreter is there; otherwise callable from any thread.
    unsafe { py::Py_AddPendingCall(Some(frontend_pending), context) == 0 }
}

extern "C" fn frontend_pending(context: *mut c_void) -> c_int {
    let interp = interp_of_context(context);
    interp.pending.store(false, Ordering::Release);
    // Before 3.12 it may come to any interpreter, and it may come to the one after.
    if is_attached(interp) && !interp.ended.load(Ordering::SeqCst) {
        // SAFETY: this thread is attached to the interpreter, and this binary is in charge.
        unsafe { (api().drain)() }
    }
    0
}

pub(crate) unsafe extern "C" fn try_retain(_: *mut c_void, wrapper: *mut c_void) -> bool {
    // SAFETY: attached and pinned.
    unsafe {
        let retained = try_incref(wrapper.cast());
        if retained {
            note_held(wrapper);
        }
        retained
    }
}

/// Lists a wrapper whose object is about to go into native custody: the core retains wrappers for
/// nothing else.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn note_held(object: *mut c_void) {
    // SAFETY: attached; a living object.
    unsafe {
        if let Some(native) = crate::layout::native(object.cast()) {
            super::held_list::note_held(object.cast(), native.as_ref());
        }
    }
}

/// Tokens: 0 was attached already, 1 + a `PyGILState_STATE`, or the address of a thread state of
/// our own (never so small).
pub(crate) unsafe extern "C" fn frontend_enter(context: *mut c_void) -> isize {
    let interp = interp_of_context(context);
    let here = attached_interpreter();
    if std::ptr::eq(here, interp.state) {
        return 0;
    }
    if !here.is_null() {
        // Attached to another interpreter: switching under its feet would run foreign code in the
        // wrong one.
        return -1;
    }
    interp.attaching.fetch_add(1, Ordering::SeqCst);
    let token = if !interp.open.load(Ordering::SeqCst) {
        -1
    // SAFETY: open, so the interpreter is alive; `close` waits for us.
    } else if interp.is_main && unsafe { is_unknown_or_of(interp) } {
        // SAFETY: open, so the interpreter is alive; `close` waits for us.
        unsafe { 1 + py::PyGILState_Ensure() as isize }
    } else {
        // SAFETY: open, so the interpreter is alive; `close` waits for us.
        unsafe {
            let state = py::PyThreadState_New(interp.state);
            py::PyEval_RestoreThread(state);
            state.expose_provenance() as isize
        }
    };
    interp.attaching.fetch_sub(1, Ordering::SeqCst);
    token
}

/// Whether CPython would attach this thread to the interpreter if asked to attach it: it attaches a
/// thread of a sub-interpreter to that.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn is_unknown_or_of(interp: &Interp) -> bool {
    // SAFETY: a thread's own state, which is not freed while the thread may attach.
    unsafe {
        let state = py::PyGILState_GetThisThreadState();
        state.is_null() || std::ptr::eq(PyThreadState_GetInterpreter(state), interp.state)
    }
}

pub(crate) unsafe extern "C" fn frontend_leave(_: *mut c_void, token: isize) {
    // SAFETY: a token of `frontend_enter` on this thread.
    unsafe {
        match token {
            i if i <= 0 => {}
            1 => py::PyGILState_Release(py::PyGILState_STATE::PyGILState_LOCKED),
            2 => py::PyGILState_Release(py::PyGILState_STATE::PyGILState_UNLOCKED),
            state => {
                let state: *mut py::PyThreadState = std::ptr::with_exposed_provenance_mut(state as usize);
                py::PyThreadState_Clear(state);
                py::PyThreadState_DeleteCurrent();
            }
        }
    }
}

pub(crate) unsafe extern "C" fn frontend_event(context: *mut c_void, event: *const Event) {
    let interp = interp_of_context(context);
    // SAFETY: a valid event.
    if interp.trace.note(interp.tag(), unsafe { &*event }) {
        ask_for_pending(interp, context);
    }
}

pub(crate) unsafe extern "C" fn frontend_visit(
    context: *mut c_void,
    act: unsafe extern "C" fn(*mut c_void),
    argument: *mut c_void,
) -> bool {
    let here = attached_interpreter();
    let elsewhere = !here.is_null() && !std::ptr::eq(here, interp_of_context(context).state);
    // SAFETY: attached to another interpreter, which is left meanwhile as around a blocking call;
    // the function and its argument are the caller's.
    unsafe {
        let saved = if elsewhere {
            py::PyEval_SaveThread()
        } else {
            std::ptr::null_mut()
        };
        let token = frontend_enter(context);
        if token >= 0 {
            act(argument);
            frontend_leave(context, token);
        }
        if elsewhere {
            py::PyEval_RestoreThread(saved);
        }
        token >= 0
    }
}

pub(crate) unsafe extern "C" fn frontend_condemned(context: *mut c_void, object: *const Header) -> bool {
    // SAFETY: attached; the object's header is readable.
    unsafe { interp_of_context(context).gc.condemned(&*object) }
}

pub(crate) unsafe extern "C" fn frontend_orphaned(_: *mut c_void, wrapper: *mut c_void) -> bool {
    // SAFETY: the wrapper was never freed, and the interpreter in which it was counted has ended.
    unsafe { py::Py_REFCNT(wrapper.cast()) == 1 }
}

/// Runs `run` attached.
///
/// # Errors
/// The interpreter has ended (or another runs on this thread), or what `run` returns.
#[inline]
pub(crate) fn run_attached<R>(
    context: *mut c_void,
    run: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    // SAFETY: a token is given back on the same thread.
    let token = unsafe { frontend_enter(context) };
    if token < 0 {
        return Err(interpreter_closed_error());
    }
    let result = run();
    if let (true, Err(error)) = (token > 0, &result) {
        // Attached for this call only: the message of the exception cannot be read later.
        let _ = error.message();
    }
    // SAFETY: a token is given back on the same thread.
    unsafe { frontend_leave(context, token) };
    result
}

#[cold]
fn interpreter_closed_error() -> Error {
    Error::new(
        ErrorKind::Closed,
        "the Python interpreter of this object has ended, or another one is running on this thread",
    )
}
