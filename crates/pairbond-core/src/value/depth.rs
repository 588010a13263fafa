//! A bound for what goes through containers that lie in one another: hashing, comparing, putting them into words. That takes stack, of which threads
//! have little, and a language's own bound (CPython 3.12 and 3.13 count to 10,000) is for smaller frames than ours.

use crate::error::{Error, ErrorKind};

/// How deep containers may lie in one another.
const DEEPEST: u32 = 500;

/// Runs `run` one level deeper, counted through foreign code too.
///
/// # Errors
/// That of `run`; `RecursionError` when it is too deep.
pub fn deeper<R>(run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    thread_local! {
        static DEPTH: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }
    struct Leave(u32);
    impl Drop for Leave {
        fn drop(&mut self) {
            DEPTH.set(self.0);
        }
    }
    let leave = Leave(DEPTH.get());
    if leave.0 == DEEPEST {
        return Err(too_deep());
    }
    DEPTH.set(leave.0 + 1);
    run()
}

#[cold]
fn too_deep() -> Error {
    Error::new(
        ErrorKind::Custom("builtins.RecursionError".into()),
        format!("maximum recursion depth exceeded: more than {DEEPEST} containers in one another"),
    )
}
