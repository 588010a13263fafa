//! Wrappers and the references to them.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{ErasedBorrow, ErasedRef, Given, Header, Object, Pair, Ref, wrapper_died};
use pairbond_value::value::Any;

use super::interpreter::{Attached, Interpreter};

type Callee = Box<dyn Fn(&[Any]) -> Result<Any, Error> + Send + Sync>;

pub(super) enum Kind {
    /// The self of a native object.
    Wrapper(NonNull<Header>),
    /// Any other object.
    Plain,
    /// One that can be called.
    Function(Callee),
}

pub(super) struct Wrapper {
    refs: AtomicUsize,
    interpreter: &'static Interpreter,
    /// An attribute that Python code would set.
    attribute: AtomicU64,
    pub(super) kind: Kind,
}

impl Wrapper {
    fn new_pair(this: NonNull<Wrapper>, tag: u16) -> Pair {
        Pair::new(tag, this.as_ptr().cast())
    }

    /// # Safety
    /// A living wrapper.
    pub(super) unsafe fn retain_wrapper(this: *mut Wrapper) {
        // SAFETY: A living wrapper: the caller ensures it.
        let before = unsafe { &*this }.refs.fetch_add(1, Ordering::Relaxed);
        assert!(before > 0, "a dying wrapper was retained");
    }

    /// # Safety
    /// The wrapper's memory is valid.
    pub(super) unsafe fn try_retain(this: *mut Wrapper) -> bool {
        let more = |refs| (refs > 0).then(|| refs + 1);
        // SAFETY: the wrapper's memory is valid: the caller ensures it.
        unsafe { &*this }
            .refs
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .is_ok()
    }

    /// # Safety
    /// The wrapper's memory is valid.
    pub(super) unsafe fn is_orphan(this: *mut Wrapper) -> bool {
        // SAFETY: the wrapper's memory is valid: the caller ensures it.
        unsafe { &*this }.refs.load(Ordering::Relaxed) == 1
    }

    /// # Safety
    /// A counted reference is given away.
    pub(super) unsafe fn release_wrapper(this: *mut Wrapper, _: &Attached<'_>) {
        // SAFETY: a counted reference is given away: the caller ensures it. The last reference
        // frees what `PyRef::new` made.
        unsafe {
            if (*this).refs.fetch_sub(1, Ordering::AcqRel) > 1 {
                return;
            }
            if let Kind::Wrapper(object) = (*this).kind {
                wrapper_died(object);
            }
            (*this).interpreter.record_death(this);
            drop(Box::from_raw(this));
        }
    }
}

/// A counted reference of the interpreter's: what a Python variable holds. Cloning and dropping it
/// attaches.
pub struct PyRef(NonNull<Wrapper>);

// SAFETY: the interpreter's lock guards every field that is not atomic.
unsafe impl Send for PyRef {}
// SAFETY: the interpreter's lock guards every field that is not atomic.
unsafe impl Sync for PyRef {}

impl PyRef {
    pub(super) fn new(interpreter: &'static Interpreter, kind: Kind) -> Self {
        let (refs, attribute) = (AtomicUsize::new(1), AtomicU64::new(0));
        let wrapper = NonNull::from(Box::leak(Box::new(Wrapper {
            refs,
            interpreter,
            attribute,
            kind,
        })));
        interpreter.record_birth(wrapper.as_ptr());
        PyRef(wrapper)
    }

    pub(super) fn into_raw(self) -> *mut Wrapper {
        ManuallyDrop::new(self).0.as_ptr()
    }

    fn wrapper(&self) -> &Wrapper {
        // SAFETY: alive as long as the reference.
        unsafe { self.0.as_ref() }
    }

    /// An object that is made from Python: it is born in its wrapper's custody.
    ///
    /// # Errors
    /// The allocator refused.
    pub fn construct_object<T: Object + Send + Sync>(
        interpreter: &'static Interpreter,
        value: T,
    ) -> Result<Self, Error> {
        let this = PyRef::new(interpreter, Kind::Plain);
        let made = Ref::with_pair(value, Some(Wrapper::new_pair(this.0, interpreter.tag())))?;
        // SAFETY: the wrapper has not been shared yet.
        unsafe { (*this.0.as_ptr()).kind = Kind::Wrapper(made.into_raw()) };
        Ok(this)
    }

    /// The self of an object that native code holds.
    ///
    /// # Errors
    /// The object is another interpreter's.
    pub fn fetch_wrapper(
        interpreter: &'static Interpreter,
        object: ErasedBorrow<'_>,
        attached: &Attached<'_>,
    ) -> Result<Self, Error> {
        let custody = object.header().custody();
        custody.claim_for(interpreter.tag()).map_err(|other| {
            Error::new(
                ErrorKind::Interpreter,
                format!("the object belongs to interpreter {other}"),
            )
        })?;
        if let Some(wrapper) = NonNull::new(custody.pair().wrapper()) {
            // SAFETY: the object owns a reference to it.
            unsafe { Wrapper::retain_wrapper(wrapper.as_ptr().cast()) };
            return Ok(PyRef(wrapper.cast()));
        }
        let mine = PyRef::new(interpreter, Kind::Wrapper(object.as_ptr()));
        // The object's.
        // SAFETY: `mine` keeps the wrapper.
        unsafe { Wrapper::retain_wrapper(mine.0.as_ptr()) };
        let Err(first) = custody.publish_wrapper(Wrapper::new_pair(mine.0, interpreter.tag())) else {
            object.header().count_wrapper(1);
            pairbond_core::event::notify_object_event(
                pairbond_core::event::Kind::Tied,
                object.header(),
                interpreter.tag(),
            );
            return Ok(mine);
        };
        let mine = mine.into_raw();
        // SAFETY: the wrapper has not been shared and is bound to no object; both references are
        // ours. The other one is the object's.
        unsafe {
            (*mine).kind = Kind::Plain;
            Wrapper::release_wrapper(mine, attached);
            Wrapper::release_wrapper(mine, attached);
            Wrapper::retain_wrapper(first.wrapper().cast());
        }
        Ok(PyRef(
            NonNull::new(first.wrapper().cast()).expect("a wrapper was published"),
        ))
    }

    /// The self of an object, for a native reference that is given away.
    ///
    /// # Errors
    /// As [`fetch_wrapper`](Self::fetch_wrapper).
    pub fn give_object(
        interpreter: &'static Interpreter,
        object: ErasedRef,
        attached: &Attached<'_>,
    ) -> Result<Self, Error> {
        let custody = object.header().custody();
        if custody.pair().tag() == interpreter.tag()
            && let Given::Wrapper(pair) = custody.give_to_wrapper()
        {
            let _given = object.into_raw();
            return Ok(PyRef(
                NonNull::new(pair.wrapper().cast()).expect("in native custody there is a wrapper"),
            ));
        }
        Self::fetch_wrapper(interpreter, object.as_borrow(), attached)
    }

    /// The native object, for as long as the wrapper is held.
    ///
    /// # Panics
    /// When this is not a wrapper.
    #[must_use]
    pub fn borrow(&self) -> ErasedBorrow<'_> {
        match self.wrapper().kind {
            // SAFETY: the wrapper owns the object, or the object has native references and owns the
            // wrapper.
            Kind::Wrapper(object) => unsafe { ErasedBorrow::from_header(object) },
            _ => panic!("not a wrapper"),
        }
    }

    /// Returns the identity of the object in its language.
    #[must_use]
    pub fn id(&self) -> usize {
        self.0.as_ptr().addr()
    }

    /// An attribute, as Python code would set it.
    pub fn set_attribute(&self, value: u64) {
        self.wrapper().attribute.store(value, Ordering::SeqCst);
    }

    /// The attribute.
    #[must_use]
    pub fn attribute(&self) -> u64 {
        self.wrapper().attribute.load(Ordering::SeqCst)
    }
}

impl Clone for PyRef {
    fn clone(&self) -> Self {
        let _attached = self.wrapper().interpreter.attach();
        // SAFETY: `self` keeps the wrapper.
        unsafe { Wrapper::retain_wrapper(self.0.as_ptr()) };
        PyRef(self.0)
    }
}

impl Drop for PyRef {
    fn drop(&mut self) {
        let attached = self.wrapper().interpreter.attach();
        // SAFETY: the reference is given away.
        unsafe { Wrapper::release_wrapper(self.0.as_ptr(), &attached) };
    }
}

impl std::fmt::Debug for PyRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<fake object {:#x}>", self.id())
    }
}
