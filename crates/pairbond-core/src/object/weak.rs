//! [`Weak`]: a handle that does not keep its object alive.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::duty::Upgraded;
use super::header::{Header, Object, free};
use super::reference::Ref;
use crate::memory::Counted;
use crate::sync::statics::Ordering;
use crate::trace::{Trace, Tracer};

/// A weak reference: it does not keep the object alive, and [`upgrade`](Weak::upgrade)s while something else does, also a wrapper.
///
/// ```compile_fail,E0277
/// # use pairbond_core::object::{Object, Weak};
/// fn elsewhere<T: Send>(_: T) {}
/// fn not_sync<T: Object + Send>(weak: Weak<T>) {
///     elsewhere(weak);
/// }
/// ```
#[repr(transparent)]
pub struct Weak<T: Object> {
    header: NonNull<Header>,
    _type: PhantomData<T>,
}

// SAFETY: as for `Ref`: an upgrade gives one.
unsafe impl<T: Object + Send + Sync> Send for Weak<T> {}
// SAFETY: as above.
unsafe impl<T: Object + Send + Sync> Sync for Weak<T> {}

impl<T: Object> Weak<T> {
    fn header(&self) -> &Header {
        // SAFETY: a weak reference keeps the header's memory.
        unsafe { self.header.as_ref() }
    }

    /// A weak reference through whoever holds the object.
    pub(super) fn of(header: NonNull<Header>) -> Self {
        // SAFETY: the caller's handle keeps the object.
        unsafe { header.as_ref() }.custody().downgrade();
        Weak {
            header,
            _type: PhantomData,
        }
    }

    /// A strong reference, if the object is still alive. When only Python holds it, this needs Python: from a thread that is not attached
    /// it attaches for a moment, and returns `None` when the interpreter is closed.
    ///
    /// What a collection that is under way has found unreachable stays so, as for Python's own weak references.
    #[must_use]
    pub fn upgrade(&self) -> Option<Ref<T>> {
        match crate::frontend::collecting().load(Ordering::Acquire) {
            0 => self.upgrade_now(),
            tag => self.upgrade_meanwhile(tag),
        }
    }

    /// While interpreter `tag` collects: attached to it, so that it stands between two passes and knows its mind.
    #[cold]
    fn upgrade_meanwhile(&self, tag: u16) -> Option<Ref<T>> {
        let frontend = crate::frontend::frontend(tag);
        let Some(entered) = frontend.enter() else {
            return self.upgrade_now();
        };
        // SAFETY: attached.
        let condemned = unsafe { frontend.condemned(self.header()) };
        let upgraded = if condemned { None } else { self.upgrade_now() };
        frontend.leave(entered);
        upgraded
    }

    fn upgrade_now(&self) -> Option<Ref<T>> {
        let custody = self.header().custody();
        loop {
            match custody.upgrade() {
                // SAFETY: a strong reference was counted for us.
                Upgraded::Strong => return Some(unsafe { Ref::from_raw(self.header) }),
                Upgraded::Gone => return None,
                Upgraded::InPython(seen) => {
                    let frontend = crate::frontend::frontend(seen.tag());
                    let entered = frontend.enter()?;
                    let tried = custody.pin().map(|pair| {
                        // While we attached, the object may have lost its wrapper and found one in another interpreter.
                        let ours = pair.tag() == seen.tag();
                        // SAFETY: pinned: the wrapper's memory is valid, and this thread is attached to its interpreter.
                        let retained = ours && unsafe { frontend.try_retain(pair.wrapper()) };
                        custody.unpin(retained);
                        (ours, retained)
                    });
                    frontend.leave(entered);
                    match tried {
                        // SAFETY: `unpin` made the count in Python's custody ours.
                        Some((_, true)) => return Some(unsafe { Ref::from_raw(self.header) }),
                        Some((true, false)) => return None,
                        // Somebody was faster than we: look again.
                        Some((false, false)) | None => {}
                    }
                }
            }
        }
    }

    /// Whether both are of the same object.
    #[must_use]
    pub fn is(&self, other: &Weak<T>) -> bool {
        self.header == other.header
    }
}

impl<T: Object> Clone for Weak<T> {
    fn clone(&self) -> Self {
        Weak::of(self.header)
    }
}

impl<T: Object> Drop for Weak<T> {
    fn drop(&mut self) {
        if self.header().custody().release_weak() {
            // SAFETY: the value is destroyed and the last weak reference gone.
            unsafe { free(self.header, Counted::NOTHING) }
        }
    }
}

impl<T: Object> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(Weak {})", T::KEY)
    }
}

// SAFETY: it owns no strong reference.
unsafe impl<T: Object> Trace for Weak<T> {
    const TRACED: bool = false;
    fn trace(&self, _: &mut Tracer<'_>) {}
}
