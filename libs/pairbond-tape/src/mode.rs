//! Whether this thread records.

use crate::state;

/// Whether operations on this thread are recorded.
#[pairbond::function]
pub fn is_grad_enabled() -> bool {
    state::with_state(|state| state.records.get())
}

/// Sets whether operations on this thread are recorded; returns the previous setting.
#[pairbond::function]
#[name("_set_grad_enabled")]
pub fn set_grad_enabled(enabled: bool) -> bool {
    state::with_state(|state| state.records.replace(enabled))
}

/// Does something while this thread records, or does not.
pub fn with_recording<R>(enabled: bool, what: impl FnOnce() -> R) -> R {
    let _mode = Mode::set(enabled);
    what()
}

/// Whether this thread records, until it is dropped.
#[derive(Debug)]
pub struct Mode(bool);

impl Mode {
    /// Begins the scope.
    #[must_use]
    pub fn set(enabled: bool) -> Mode {
        Mode(set_grad_enabled(enabled))
    }
}

impl Drop for Mode {
    fn drop(&mut self) {
        set_grad_enabled(self.0);
    }
}
