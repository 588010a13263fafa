//! The tokio runtime that futures are polled in (feature `tokio`).
//!
//! It is made when the first is polled, and never shut down: at the end of the process its threads
//! are where they are, and nothing waits for them. A forked process has none of its threads, so it
//! makes another.

use std::sync::LazyLock;

use tokio::runtime::Runtime;

use crate::error::{Error, ErrorKind, ResultExt};
use crate::fork::Mutex;

/// The runtime of the process with that id.
static RUNTIME: LazyLock<Mutex<Option<(u32, &'static Runtime)>>> = LazyLock::new(Mutex::default);

/// Returns the runtime of this binary, with threads of its own.
///
/// # Errors
/// The system gives it no threads.
pub fn runtime() -> Result<&'static Runtime, Error> {
    let process = std::process::id();
    let mut runtime = RUNTIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((of, runtime)) = *runtime
        && of == process
    {
        return Ok(runtime);
    }
    let made = Runtime::new().or_raise(ErrorKind::Runtime)?;
    // Not dropped: that would wait for its threads.
    let made: &'static Runtime = Box::leak(Box::new(made));
    *runtime = Some((process, made));
    Ok(made)
}
