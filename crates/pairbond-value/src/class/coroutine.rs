//! `async fn`: a future as a coroutine of the frontend's language.
//!
//! The frontend's library has the class of coroutines (Python: `pairbond/_coroutines.py`), which
//! knows event loops. It drives the future by a function that is made here: called with a function,
//! it polls, and the future's waker calls that, once, on whatever thread; called with `None`, it
//! drops the future. So a future is polled, woken and dropped by the binary that it was compiled
//! in.
//!
//! 1. A future is dropped when it is done, closed or cancelled, or its coroutine dies: never while
//!    it is being polled.
//! 2. It is polled by one thread at a time. A second one that tries raises.
//! 3. A panic ends it, and is an error of that call.
//!
//! What the future owns is a root: no collector sees the references in it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::convert::{AnySink, Outcome, Part, Sink};
use crate::error::Error;
use crate::sync::statics::{AtomicBool, Mutex, MutexGuard, Ordering};
use crate::value::{Any, Function};

/// Gives a future as a coroutine.
///
/// # Errors
/// The frontend has no coroutines, or could not make one.
pub fn write_coroutine<F, S>(name: &'static str, future: F, out: S) -> Result<S::Out, Error>
where
    F: Future + Send + 'static,
    F::Output: Outcome,
    S: Sink,
{
    let slot = Slot(Mutex::new(State::Waiting(Box::pin(future))));
    let step = Function::build(name)
        .parameter("wake")
        .from(move |wake: Option<Function>| slot.poll_once(wake));
    out.write_constructed(
        "pairbond._coroutines:Coroutine",
        &[name.into(), Part::Value(Any::Function(step))],
    )
}

enum State<F> {
    Waiting(Pin<Box<F>>),
    Running,
    Done,
}

struct Slot<F>(Mutex<State<F>>);

/// Ends a future that is being polled, unless it is put back.
struct Running<'s, F>(&'s Slot<F>);

impl<F> Drop for Running<'_, F> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if matches!(*state, State::Running) {
            *state = State::Done;
        }
    }
}

impl<F> Slot<F> {
    fn lock(&self) -> MutexGuard<'_, State<F>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The future, if it has not ended.
    ///
    /// # Errors
    /// It is being polled.
    fn take_future(&self) -> Result<Option<Pin<Box<F>>>, Error> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::Running) {
            State::Waiting(future) => Ok(Some(future)),
            State::Running => Err(Error::value_error("coroutine already executing")),
            State::Done => {
                *state = State::Done;
                Ok(None)
            }
        }
    }
}

impl<F: Future<Output: Outcome>> Slot<F> {
    /// Polls, or drops the future without a function that wakes. A result of its own, or none.
    fn poll_once(&self, wake: Option<Function>) -> Result<Option<(Any,)>, Error> {
        let future = self.take_future()?;
        let running = Running(self);
        let Some(function) = wake else {
            in_runtime(|| drop(future))?;
            return Ok(None);
        };
        let Some(mut future) = future else {
            return Err(Error::runtime_error("cannot reuse already awaited coroutine"));
        };
        let waker = Waker::from(Arc::new(Waking {
            function,
            is_woken: AtomicBool::new(false),
        }));
        let mut context = Context::from_waker(&waker);
        match in_runtime(|| future.as_mut().poll(&mut context))? {
            Poll::Pending => {
                *running.0.lock() = State::Waiting(future);
                Ok(None)
            }
            Poll::Ready(result) => {
                in_runtime(|| drop(future))?;
                result.write_outcome(AnySink).map(|value| Some((value,)))
            }
        }
    }
}

struct Waking {
    function: Function,
    is_woken: AtomicBool,
}

impl Wake for Waking {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            // An interpreter that has ended waits for nothing.
            let _ = self.function.call(&[]);
        }
    }
}

#[cfg(not(feature = "tokio"))]
fn in_runtime<R>(run: impl FnOnce() -> R) -> Result<R, Error> {
    Ok(run())
}

#[cfg(feature = "tokio")]
fn in_runtime<R>(run: impl FnOnce() -> R) -> Result<R, Error> {
    let _entered = super::tokio::runtime()?.enter();
    Ok(run())
}
