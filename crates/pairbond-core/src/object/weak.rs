//! [`Weak`]: a handle that does not keep its object alive.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::object_layout::{Object, free_object};
use super::reach::Reach;
use super::reference::Ref;
use super::root::Root;
use super::trace::Trace;
use crate::custody::{Header, Upgraded};
use crate::frontend::{Answer, collecting_interpreters, frontend_of};
use crate::memory::Counted;
use crate::sync::relax_or_yield;
use crate::types::Tracer;

/// A weak reference: it does not keep the object alive, and [`upgrade`](Weak::upgrade)s while
/// something else does, also a wrapper.
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
// SAFETY: as for `Ref`: an upgrade gives one.
unsafe impl<T: Object + Send + Sync> Sync for Weak<T> {}

impl<T: Object> Weak<T> {
    pub(super) fn header(&self) -> &Header {
        // SAFETY: a weak reference keeps the header's memory.
        unsafe { self.header.as_ref() }
    }

    /// The object's header, whose memory it keeps.
    #[doc(hidden)]
    pub fn as_non_null(&self) -> NonNull<Header> {
        self.header
    }

    /// A weak reference, made by a holder of the object.
    ///
    /// # Safety
    /// An object to which the caller has a handle, and whose type is `T` or extends it.
    #[doc(hidden)]
    pub unsafe fn from_header(header: NonNull<Header>) -> Self {
        // SAFETY: the caller's handle keeps the object.
        unsafe { header.as_ref() }.custody().downgrade();
        Weak {
            header,
            _type: PhantomData,
        }
    }

    /// A weak reference that was counted already.
    ///
    /// # Safety
    /// The count is the caller's, and given away; the type of the object is `T` or extends it.
    #[doc(hidden)]
    pub unsafe fn from_counted(header: NonNull<Header>) -> Self {
        Weak {
            header,
            _type: PhantomData,
        }
    }

    /// A strong reference, if the object is still alive. When only Python holds it, this needs
    /// Python: from a thread that is not attached it attaches for a moment, and returns `None` when
    /// the interpreter is closed.
    ///
    /// What a collection that is under way has found unreachable stays so, as for Python's own weak
    /// references: while one is, this attaches too.
    #[must_use]
    pub fn upgrade(&self) -> Option<Ref<T>> {
        let custody = self.header().custody();
        let mut attempt = 0;
        loop {
            let upgraded = collecting_interpreters().without_asking(
                self.header.as_ptr().addr(),
                || custody.pair().tag(),
                || custody.upgrade(),
            );
            let answer = match upgraded {
                // SAFETY: a strong reference was counted for us.
                Some(Upgraded::Strong) => return Some(unsafe { Ref::from_raw(self.header) }),
                Some(Upgraded::Gone) => Answer::Gone,
                Some(Upgraded::Undecided) => Answer::Again,
                Some(Upgraded::InPython(pair)) => self.upgrade_attached(pair.tag()),
                None => self.upgrade_while_collecting(),
            };
            let answer = match answer {
                Answer::Gone => self.ask_structure(),
                answer => answer,
            };
            match answer {
                Answer::Found(found) => return Some(found),
                Answer::Gone | Answer::Closed => return None,
                #[cfg(test)]
                Answer::Again if crate::sync::STEPPING.get() => return None,
                Answer::Again => {
                    relax_or_yield(attempt);
                    attempt = attempt.saturating_add(1);
                }
            }
        }
    }

    /// Returns a node that its structure keeps.
    #[cold]
    fn ask_structure(&self) -> Answer<Ref<T>> {
        let Some(node) = self.header().info().node() else {
            return Answer::Gone;
        };
        // SAFETY: the type of the object, whose memory this reference keeps.
        match unsafe { (node.hooks().upgrade)(self.header()) } {
            // SAFETY: a handle to this very object.
            Answer::Found(found) => Answer::Found(unsafe { Ref::from_raw(found.into_raw()) }),
            Answer::Again => Answer::Again,
            Answer::Gone | Answer::Closed => Answer::Gone,
        }
    }

    /// While somebody collects who may have found the object unreachable.
    #[cold]
    fn upgrade_while_collecting(&self) -> Answer<Ref<T>> {
        let custody = self.header().custody();
        let answer = collecting_interpreters().visit_collecting(
            || custody.pair().tag(),
            |tag, found| match found {
                None => self.upgrade_attached(tag),
                Some(found) => {
                    let frontend = frontend_of(tag);
                    // SAFETY: this thread is attached to the interpreter.
                    match frontend.visit_attached(|| unsafe { frontend.is_condemned(self.header()) }) {
                        Some(true) => Answer::Gone,
                        Some(false) | None => Answer::Found(found),
                    }
                }
            },
        );
        if !matches!(answer, Answer::Closed) {
            return answer;
        }
        // A closed interpreter runs nothing any more that could see what comes back.
        match custody.upgrade() {
            // SAFETY: a strong reference was counted for us.
            Upgraded::Strong => Answer::Found(unsafe { Ref::from_raw(self.header) }),
            Upgraded::Gone => Answer::Gone,
            Upgraded::Undecided => Answer::Again,
            Upgraded::InPython(_) => Answer::Closed,
        }
    }

    /// Upgrades while attached to an interpreter, which then stands between two passes of its
    /// collection, if it collects, and knows its mind.
    #[cold]
    fn upgrade_attached(&self, tag: u16) -> Answer<Ref<T>> {
        let frontend = frontend_of(tag);
        let custody = self.header().custody();
        let answer = frontend.visit_attached(|| {
            let mut collecting = collecting_interpreters().interpreters_concerned(tag);
            // SAFETY: this thread is attached to the interpreter.
            if collecting.next().is_some() && unsafe { frontend.is_condemned(self.header()) } {
                return Answer::Gone;
            }
            match custody.upgrade() {
                // SAFETY: a strong reference was counted for us.
                Upgraded::Strong => Answer::Found(unsafe { Ref::from_raw(self.header) }),
                Upgraded::Gone => Answer::Gone,
                Upgraded::Undecided => Answer::Again,
                Upgraded::InPython(_) => match custody.pin_wrapper() {
                    // While we attached, the object may have lost its wrapper and found one in
                    // another interpreter.
                    Some(pair) if pair.tag() != tag => {
                        custody.unpin_wrapper(false);
                        Answer::Again
                    }
                    Some(pair) => {
                        // SAFETY: pinned: the wrapper's memory is valid, and this thread is
                        // attached to its interpreter.
                        let retained = unsafe { frontend.try_retain(pair.wrapper()) };
                        custody.unpin_wrapper(retained);
                        if retained {
                            // SAFETY: `unpin` made the count in Python's custody ours.
                            Answer::Found(unsafe { Ref::from_raw(self.header) })
                        } else {
                            Answer::Gone
                        }
                    }
                    // Somebody was faster than we: look again.
                    None => Answer::Again,
                },
            }
        });
        answer.unwrap_or(Answer::Closed)
    }

    /// The same without its type. Only to be cloned and upgraded.
    #[doc(hidden)]
    pub fn as_root(&self) -> &Weak<Root>
    where
        T: Send + Sync,
    {
        // SAFETY: one pointer to a header in either case; every object is a `Root`.
        unsafe { &*std::ptr::from_ref(self).cast::<Weak<Root>>() }
    }

    /// The same of another type.
    ///
    /// # Safety
    /// The object is gone, or is of that type.
    pub(crate) unsafe fn cast<U: Object>(self) -> Weak<U> {
        Weak {
            header: std::mem::ManuallyDrop::new(self).header,
            _type: PhantomData,
        }
    }

    /// A number that no other object has as long as this reference is there: that of
    /// `std::ptr::from_ref(object.header()).addr()`.
    #[must_use]
    pub fn addr(&self) -> usize {
        self.header.as_ptr().addr()
    }

    /// Whether both are of the same object.
    #[must_use]
    pub fn is(&self, other: &Weak<T>) -> bool {
        self.header == other.header
    }
}

impl<T: Object> Clone for Weak<T> {
    fn clone(&self) -> Self {
        // SAFETY: this counts one, which keeps the memory; its type is the same.
        unsafe { Weak::from_header(self.header) }
    }
}

impl<T: Object> Drop for Weak<T> {
    fn drop(&mut self) {
        if self.header().custody().release_weak() {
            // SAFETY: the value is destroyed and the last weak reference gone.
            unsafe { free_object(self.header, Counted::NOTHING) }
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
    fn visit_reachable(reach: &mut Reach) {
        reach.visit_object::<T>();
    }
}
