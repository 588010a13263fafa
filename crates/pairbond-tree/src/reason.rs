//! Reasons for erasing nodes: names that the eraser gives, kept for the process.

use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::ptr;

use super::kept::process_wide;

/// What erases: the name of a pass, or of a function. There is one for each name, and it lives for
/// the process: names of passes, not messages with names of objects in them.
#[repr(C)]
pub struct Reason {
    name: &'static str,
}

static NAMES: std::sync::LazyLock<pairbond_core::fork::Mutex<HashMap<&'static str, &'static Reason>>> =
    std::sync::LazyLock::new(pairbond_core::fork::Mutex::default);

impl Reason {
    /// The reason of that name.
    #[must_use]
    pub fn intern(name: &str) -> &'static Reason {
        let mut names = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(reason) = names.get(name) {
            return reason;
        }
        let name: &'static str = Box::leak(name.into());
        let reason: &'static Reason = Box::leak(Box::new(Reason { name }));
        names.insert(name, reason);
        reason
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reason({:?})", self.name)
    }
}

/// Names what erases nodes on this thread while the result lives.
///
/// ```
/// use pairbond_tree as tree;
///
/// let scope = tree::reason("canonicalise");
/// assert_eq!(tree::current(), Some("canonicalise"));
/// drop(scope);
/// assert_eq!(tree::current(), None);
/// ```
#[must_use = "it ends when this is dropped"]
pub fn reason(name: &str) -> Scope {
    Scope {
        before: swap_reason(Reason::intern(name)),
        _thread: std::marker::PhantomData,
    }
}

/// Returns the reason for which this thread erases nodes now, if one is [set](reason).
#[must_use]
pub fn current() -> Option<&'static str> {
    current_reason().map(Reason::name)
}

/// Names the reason for erasing nodes on this thread until it is named anew, or none; returns the
/// previous one. [`reason`] does it for a scope.
pub fn set_reason(name: Option<&str>) -> Option<&'static str> {
    let before = swap_reason(name.map_or(std::ptr::null(), |name| ptr::from_ref(Reason::intern(name))));
    // SAFETY: reasons live for the process.
    unsafe { before.as_ref() }.map(Reason::name)
}

pub(super) fn current_reason() -> Option<&'static Reason> {
    let now = swap_reason(std::ptr::null());
    swap_reason(now);
    // SAFETY: reasons live for the process.
    unsafe { now.as_ref() }
}

fn swap_reason(reason: *const Reason) -> *const Reason {
    // SAFETY: a reason or null.
    unsafe { (process_wide().erasing)(reason.cast()).cast() }
}

/// Ends a [`reason`] when it is dropped.
#[derive(Debug)]
pub struct Scope {
    before: *const Reason,
    _thread: std::marker::PhantomData<*mut ()>,
}

impl Drop for Scope {
    fn drop(&mut self) {
        swap_reason(self.before);
    }
}

/// The runtime's own: sets what erases on this thread, and returns what did before.
pub(super) unsafe extern "C" fn swap_here(reason: *const c_void) -> *const c_void {
    thread_local! {
        static NOW: std::cell::Cell<*const c_void> = const { std::cell::Cell::new(std::ptr::null()) };
    }
    NOW.with(|now| now.replace(reason))
}
