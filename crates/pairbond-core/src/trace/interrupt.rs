//! [`run_interruptible`]: collections that end early when the thread is asked for.
//!
//! A frontend learns of signals only while it runs its own code, and a collection of ten million
//! objects runs for a second. It is ended where nothing has been decided yet, so that nothing is
//! half done: a [scan](super::survey) gives back its locks and finds no garbage. Garbage that is
//! [condemned](super::Condemned) is cleared in parts, and foreign code may run between them:
//! [`clear_while`](super::Condemned::clear_while).

use std::cell::Cell;

/// Objects that a scan reads between two questions.
pub(super) const OBJECTS: usize = if cfg!(miri) { 32 } else { 1 << 15 };
/// Objects that are cleared between two questions. Each may be the last owner of others.
pub(super) const CLEARED: usize = OBJECTS / 4;

thread_local! {
    static QUESTION: Cell<Option<fn() -> bool>> = const { Cell::new(None) };
}

/// Runs `work`. Collections of this thread that are a part of it end early once `is_interrupted`
/// returns true: they find no garbage. It is called about once in a millisecond, in a scan that
/// holds the locks of objects: it must run no foreign code and wait for no other thread.
pub fn run_interruptible<R>(is_interrupted: fn() -> bool, work: impl FnOnce() -> R) -> R {
    struct Restore(Option<fn() -> bool>);
    impl Drop for Restore {
        fn drop(&mut self) {
            let _ = QUESTION.try_with(|question| question.set(self.0));
        }
    }
    let _restore = Restore(
        QUESTION
            .try_with(|q| q.replace(Some(is_interrupted)))
            .unwrap_or(None),
    );
    work()
}

/// Asks. Returns `false` outside of [`run_interruptible`].
#[cold]
pub(super) fn is_interrupted() -> bool {
    QUESTION
        .try_with(Cell::get)
        .ok()
        .flatten()
        .is_some_and(|ask| ask())
}
