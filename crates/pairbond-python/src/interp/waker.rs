//! A pending call that comes also while the main thread stays in pure Python, before CPython 3.13.
//!
//! There `Py_AddPendingCall` from another thread does not break into a loop of the main thread: that looks for pending calls when it looks for anything else,
//! and alone in the process it never does. Only a thread that wants to attach makes it look. One that drops a reference must not wait for that, so
//! a thread of our own does, where the call has not come after a while. It is started when it is needed first, and sleeps for ever otherwise.
//!
//! After `fork` the child has none: references wait there for the next entry, as if there were no pending calls at all.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use super::{Interp, local, table};

/// How long references may wait for the main thread.
const PATIENCE: Duration = Duration::from_millis(20);

static WAKER: OnceLock<Option<Thread>> = OnceLock::new();
/// Who asked last.
static WHO: AtomicPtr<Interp> = AtomicPtr::new(ptr::null_mut());

/// Sees to it that what was asked for is done.
pub(super) fn wake(interp: &Interp) {
    WHO.store(ptr::from_ref(interp).cast_mut(), Ordering::Release);
    let waker = WAKER.get_or_init(|| {
        let builder = thread::Builder::new().name("pairbond".into());
        builder.spawn(run).ok().map(|handle| handle.thread().clone())
    });
    if let Some(waker) = waker {
        waker.unpark();
    }
}

fn run() {
    loop {
        thread::park();
        thread::sleep(PATIENCE);
        // SAFETY: interpreters are never freed.
        if let Some(interp) = unsafe { WHO.load(Ordering::Acquire).as_ref() }
            && interp.pending.load(Ordering::Acquire)
        {
            // SAFETY: a token is given back on the same thread; attached in between.
            unsafe {
                let context = ptr::from_ref(interp).cast_mut().cast::<c_void>();
                let token = table::enter(context);
                if token >= 0 {
                    local::drain(interp);
                    table::leave(context, token);
                }
            }
        }
    }
}
