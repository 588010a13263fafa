//! [`check_signals`]: lets native code of seconds be interrupted.
//!
//! The core knows no signals. A frontend whose language handles them (CPython: on the main thread,
//! between two instructions of Python) offers
//! [`FrontendTable::check_signals`](super::FrontendTable::check_signals). Each thread calls it
//! [once in a while](PAUSE) at most, so that loops may check as often as they like.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::slots;
use crate::error::Error;

/// A thread asks the frontends at most this often: a thread that is not attached waits for the
/// interpreter each time.
const PAUSE: Duration = Duration::from_millis(20);

thread_local! {
    /// Before this moment the frontends are not asked again.
    static NEXT: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Runs the handlers of signals that came meanwhile, if this thread is the one that handles them,
/// so that Ctrl-C ends what takes seconds. To be called again and again, hundreds of times a second
/// or more often: a call takes some 30 ns while there is nothing to do, and the interpreter is
/// asked once in 20 ms at most.
///
/// May be called anywhere where code of the other language may run: while attached and
/// detached, on any thread (where signals are not handled it returns
/// `Ok`), and in programs without another language (`Ok`). The caller must hold no lock that such
/// code could wait for.
///
/// # Errors
/// What a handler raised: `KeyboardInterrupt`, as a rule. The caller should leave everything as it
/// was, and return the error.
///
/// ```
/// use pairbond_core::error::Result;
/// use pairbond_core::frontend::check_signals;
///
/// fn sum(numbers: &[f64]) -> Result<f64> {
///     let mut sum = 0.0;
///     for some in numbers.chunks(1024) {
///         check_signals()?;
///         sum += some.iter().sum::<f64>();
///     }
///     Ok(sum)
/// }
/// assert_eq!(sum(&[1.0; 5000])?, 5000.0);
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
pub fn check_signals() -> Result<(), Error> {
    let now = Instant::now();
    // A thread that is ending has no such place any more, and nothing to be interrupted in.
    let due = NEXT.try_with(|next| {
        let due = next.get().is_none_or(|next| next <= now);
        if due {
            next.set(now.checked_add(PAUSE));
        }
        due
    });
    if due.unwrap_or(false) {
        ask_frontend()
    } else {
        Ok(())
    }
}

#[cold]
fn ask_frontend() -> Result<(), Error> {
    slots::opened_frontends().try_for_each(super::Frontend::check_signals)
}
