//! A pending call that comes also while the main thread stays in pure Python, before CPython 3.13.
//!
//! There `Py_AddPendingCall` from another thread does not break into a loop of the main thread:
//! that looks for pending calls when it looks for anything else, and alone in the process it never
//! does. Only a thread that wants to attach makes it look. One that drops a reference must not wait
//! for that, so a thread of our own does, where the call has not come after a while. It is started
//! when it is needed first, and sleeps for ever otherwise. Before 3.12 there is no such call of
//! threads that are not attached.
//!
//! After `fork` the child has none, and starts one of its own.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use pairbond_core::memory::{allocate_thread_locals, has_room_for_a_thread};

use super::api::api;
use super::{Interp, attach};

/// How long references may wait for the main thread.
const PATIENCE: Duration = Duration::from_millis(20);

/// The process that has a waker, or is about to.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// The waker, once it runs; of the parent, for a moment, in a process that was forked. Never freed.
static WAKER: AtomicPtr<Thread> = AtomicPtr::new(ptr::null_mut());
/// The interpreter of the last request.
static WHO: AtomicPtr<Interp> = AtomicPtr::new(ptr::null_mut());

/// Ensures that requested work is done.
pub(super) fn wake_interp(interp: &Interp) {
    // Either the waker sees who asks when it starts, or we see the waker.
    WHO.store(ptr::from_ref(interp).cast_mut(), Ordering::SeqCst);
    let (here, process) = (std::process::id(), PROCESS.load(Ordering::Relaxed));
    if process != here
        && PROCESS
            .compare_exchange(process, here, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    {
        // Without a thread references wait for the next entry.
        if has_room_for_a_thread() {
            drop(thread::Builder::new().name("pairbond".into()).spawn(run_waker));
        }
    }
    // SAFETY: wakers' handles are never freed.
    if let Some(waker) = unsafe { WAKER.load(Ordering::SeqCst).as_ref() } {
        waker.unpark();
    }
}

fn run_waker() {
    allocate_thread_locals();
    WAKER.store(Box::into_raw(Box::new(thread::current())), Ordering::SeqCst);
    loop {
        thread::sleep(PATIENCE);
        // SAFETY: interpreters are never freed.
        if let Some(interp) = unsafe { WHO.load(Ordering::SeqCst).as_ref() }
            && interp.pending.load(Ordering::Acquire)
        {
            let context = ptr::from_ref(interp).cast_mut().cast::<c_void>();
            // SAFETY: a token is given back on the same thread; attached in between.
            let token = unsafe { attach::frontend_enter(context) };
            if token >= 0 {
                interp.pending.store(false, Ordering::Release);
                // SAFETY: a token is given back on the same thread; attached in between.
                unsafe {
                    (api().drain)();
                    attach::frontend_leave(context, token);
                }
            }
        }
        thread::park();
    }
}
