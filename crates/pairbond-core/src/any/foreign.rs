//! [`Foreign`]: an opaque object of a frontend's language, held by native code.

use std::ffi::c_void;
use std::fmt;

use crate::error::Error;
use crate::frontend::frontend_of;
use crate::object::{IsPlain, Nature, Object, Ref, Trace, Weak};
use crate::raw::{Foreign, Holds, RawAny, Word};
use crate::sync::statics::{AtomicPtr, AtomicU8, Ordering};
use crate::types::Tracer;

/// The native object that owns one counted reference to a foreign object: made when a [`Foreign`]
/// is cloned.
pub struct ForeignBody {
    tag: u16,
    /// Null: the reference is somebody else's.
    object: AtomicPtr<c_void>,
    /// Not 0: the object is a placeholder for one that is not there yet ([`PROMISED`], [`KEPT`]).
    promised: AtomicU8,
}

/// The object may be given.
const PROMISED: u8 = 1;
/// A thread is giving it.
const KEPT: u8 = 2;

impl ForeignBody {
    /// A body without an object, which releases nothing when it dies.
    pub(crate) fn empty(tag: u16) -> Self {
        ForeignBody {
            tag,
            object: AtomicPtr::new(std::ptr::null_mut()),
            promised: AtomicU8::new(0),
        }
    }

    /// For a body that has not been shared.
    ///
    /// # Safety
    /// `object` is a counted reference of the frontend with the body's tag, given away; or null.
    pub(super) unsafe fn set_object(&self, object: *mut c_void) {
        self.object.store(object, Ordering::Relaxed);
    }

    pub(crate) fn tag(&self) -> u16 {
        self.tag
    }

    #[inline]
    pub(super) fn is_promised(&self) -> bool {
        self.promised.load(Ordering::Acquire) != 0
    }

    #[inline]
    pub(crate) fn object(&self) -> *mut c_void {
        self.object.load(Ordering::Relaxed)
    }
}

built_in! { ForeignBody: "pairbond.Foreign", attributes: false }

// SAFETY: one counted reference, shown once.
unsafe impl Trace for ForeignBody {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        let object = self.object();
        if !object.is_null() {
            tracer.visit_foreign(self.tag, object);
        }
    }
}

impl Drop for ForeignBody {
    fn drop(&mut self) {
        let object = self.object();
        if !object.is_null() {
            // SAFETY: the counted reference is given away.
            unsafe { frontend_of(self.tag).release_wrapper(object) }
        }
    }
}

impl Foreign {
    /// Takes over a counted reference.
    ///
    /// # Panics
    /// If the pointer needs more than 48 bits, or the tag is 0.
    ///
    /// # Safety
    /// `object` is a counted reference of the frontend with that tag, given away.
    #[inline]
    #[must_use]
    pub unsafe fn from_raw(tag: u16, object: *mut c_void) -> Self {
        // SAFETY: the caller gives away a counted reference of that frontend.
        Foreign(unsafe { Word::from_foreign(tag, object) })
    }

    /// The tag and the object.
    #[inline]
    #[doc(hidden)]
    pub fn tag_and_object(&self) -> (u16, *mut c_void) {
        self.0.as_foreign().expect("made from a foreign object")
    }

    /// The interpreter's tag.
    #[inline]
    #[must_use]
    pub fn tag(&self) -> u16 {
        self.tag_and_object().0
    }

    /// The object; valid while this value lives and its interpreter is open.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *mut c_void {
        self.tag_and_object().1
    }

    /// The tag and the object, whose counted reference is given away.
    ///
    /// # Errors
    /// The value was cloned: its reference is shared.
    #[doc(hidden)]
    #[inline]
    pub fn into_object(self) -> Result<(u16, *mut c_void), Self> {
        self.0.into_object().map_err(Foreign)
    }

    /// Whether it is a float that is no number. As a key such an object is kept, and not its value:
    /// it is another key than any other.
    #[must_use]
    pub fn is_nan(&self) -> bool {
        let frontend = frontend_of(self.tag()).table();
        // SAFETY: the value keeps the object, which is of this frontend.
        unsafe { (frontend.is_nan)(frontend.context, self.as_ptr()) }
    }

    /// Whether both are the same object.
    #[must_use]
    pub fn is(&self, other: &Foreign) -> bool {
        self.tag_and_object() == other.tag_and_object()
    }

    /// A place for an object that is not there yet; `placeholder` stands for it meanwhile. A clone
    /// of it is the same place.
    ///
    /// # Safety
    /// As [`from_raw`](Self::from_raw), of an object that lives as long as its frontend is open:
    /// others may be looking at it when the promise is kept.
    #[must_use]
    pub unsafe fn new_promise(tag: u16, placeholder: *mut c_void) -> Self {
        let body = ForeignBody::empty(tag);
        body.promised.store(PROMISED, Ordering::Relaxed);
        // SAFETY: the caller gives away a counted reference of that frontend.
        unsafe { body.set_object(placeholder) };
        Foreign(Word::from_native(Ref::new(body).into_erased()))
    }

    /// Puts an object where a promise of it was, for everybody who refers to it.
    ///
    /// # Errors
    /// This is no promise, or was kept already, or the object is of another frontend.
    pub fn fulfill_promise(&self, object: &Foreign) -> Result<(), Error> {
        let wrong = || Error::value_error("an object of another language cannot take that place");
        let body = self.0.as_body().ok_or_else(wrong)?;
        let (tag, new) = object.tag_and_object();
        // The first caller may exchange the object: it is not handed out before it is there.
        let is_first = |promised: &AtomicU8| {
            let kept = promised.compare_exchange(PROMISED, KEPT, Ordering::AcqRel, Ordering::Relaxed);
            kept.is_ok()
        };
        if body.get().tag() != tag || !is_first(&body.get().promised) {
            return Err(wrong());
        }
        // SAFETY: `object` keeps it while it is counted once more, for the body; what the body had
        // is given away, and lives on as `promise` asks for.
        unsafe {
            frontend_of(tag).retain_wrapper(new);
            let old = body.get().object.swap(new, Ordering::AcqRel);
            if !old.is_null() {
                frontend_of(tag).release_wrapper(old);
            }
        }
        body.get().promised.store(0, Ordering::Release);
        // Who remembers what elements are to its language forgets it.
        crate::object::detach_epoch().fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    /// The tag and the object, which the caller hands to code of the object's language; `None` for
    /// a promise.
    #[inline]
    #[must_use]
    pub fn at_hand(&self) -> Option<(u16, *mut c_void)> {
        self.0.at_hand()
    }

    /// Whether the object is there: whether this is no [promise](Self::new_promise).
    ///
    /// # Errors
    /// It is not there yet.
    pub fn check_present(&self) -> Result<(u16, *mut c_void), Error> {
        self.at_hand().ok_or_else(not_loaded_yet)
    }

    /// Calls the object, from any thread.
    ///
    /// # Errors
    /// It is not callable, the exception that it raised, or its interpreter is closed.
    #[inline]
    pub fn call<V>(&self, arguments: &[V]) -> Result<V, Error>
    where
        RawAny: Holds<V>,
    {
        self.call_with(arguments, &[])
    }

    /// Calls the object with arguments by position, followed by those whose `names` are given.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    #[inline]
    pub fn call_with<V>(&self, arguments: &[V], names: &[&str]) -> Result<V, Error>
    where
        RawAny: Holds<V>,
    {
        let (tag, object) = self.check_present()?;
        // SAFETY: the object is alive and of that frontend.
        unsafe { frontend_of(tag).call_object(object, arguments, names) }
    }
}

#[cold]
fn not_loaded_yet() -> Error {
    Error::runtime_error(
        "the object is still being loaded: a Python object that it refers to is not there before loading is done",
    )
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tag, object) = self.tag_and_object();
        write!(f, "<foreign object {object:p} of interpreter {tag}>")
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl Trace for Foreign {
    const TRACED: bool = true;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
}

impl Nature for Foreign {
    type Is = IsPlain;
}

impl<T: Object> Weak<T> {
    /// One whose object is gone already.
    #[doc(hidden)]
    pub fn gone() -> Self {
        let weak = Ref::new(ForeignBody::empty(0)).downgrade();
        // SAFETY: the only reference was dropped, and with it the object.
        unsafe { weak.cast() }
    }
}
