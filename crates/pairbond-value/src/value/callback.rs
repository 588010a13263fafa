//! [`Callback`]: an argument that is called while the call lasts that it is an argument of.
//!
//! Nothing is counted for it, and a frontend's callable is called without attaching: it is lent by
//! the frontend's call, whose thread is attached as long as the callback is there. It is not `Send`
//! and does not [detach](crate::convert::FromValue::DETACHES), so neither
//! [`detached`](crate::class::detached) nor another thread gets it.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::any::RawAny;
use crate::error::Error;
use crate::frontend::{Arguments, frontend_of};
use crate::value::{Any, Foreign, Function};

/// Calls an object of a frontend on a thread that is attached to it: `(object, arguments, result)`.
/// The result is written unless an error is returned.
pub type CallAttached = unsafe extern "C" fn(*mut c_void, *const Arguments, *mut RawAny) -> Option<Error>;

/// A callable that a function is given to call it, and that it does not keep: a parameter of type
/// `Callback<'_>` takes the same callables as one of type [`Function`], and calling it takes fewer
/// instructions.
///
/// ```
/// use pairbond_core::error::Error;
/// use pairbond_value::value::{Any, Callback};
///
/// /// Calls any callable with a number.
/// fn ask(callable: Callback<'_>) -> Result<Any, Error> {
///     callable.call(&[7.into()])
/// }
/// ```
///
/// It does not come along where the thread is detached:
///
/// ```compile_fail
/// # use pairbond_value::class::detached;
/// # use pairbond_core::error::Error;
/// # use pairbond_value::value::{Any, Callback};
/// fn ask(callable: Callback<'_>) -> Result<Any, Error> {
///     detached(|| callable.call(&[7.into()]))
/// }
/// ```
pub struct Callback<'a>(Callee, PhantomData<&'a ()>);

enum Callee {
    Lent {
        /// As wide as what stands before it, or it is moved in pieces that are read in others,
        /// which a processor waits for.
        tag: u32,
        object: NonNull<c_void>,
        call: CallAttached,
    },
    Function(Function),
}

impl Callback<'_> {
    /// A callable object that a frontend lends.
    ///
    /// # Safety
    /// For the lifetime that the caller chooses, `object` is alive and of the frontend with that
    /// tag, the calling thread is attached to it unless it is detached by
    /// [`detached`](crate::class::detached) or the like, and `call` calls such objects.
    #[inline]
    #[must_use]
    pub unsafe fn from_lent(tag: u16, object: NonNull<c_void>, call: CallAttached) -> Self {
        let tag = tag.into();
        Callback(Callee::Lent { tag, object, call }, PhantomData)
    }

    /// Calls it.
    ///
    /// # Errors
    /// What the callee raised.
    #[inline]
    pub fn call(&self, arguments: &[Any]) -> Result<Any, Error> {
        self.call_with(arguments, &[])
    }

    /// Calls it with arguments by position, the last of which have `names`.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    ///
    /// # Panics
    /// When there are more names than arguments.
    #[inline]
    pub fn call_with(&self, arguments: &[Any], names: &[&str]) -> Result<Any, Error> {
        let (object, call) = match &self.0 {
            Callee::Lent { object, call, .. } => (object.as_ptr(), *call),
            Callee::Function(function) => return function.call_with(arguments, names),
        };
        // SAFETY: promised to `lent`; this value stays on the thread that is attached, and nothing
        // that detaches the thread takes it along. The result is written unless an error is
        // returned.
        unsafe { Arguments::call_with(arguments, names, |arguments, out| call(object, arguments, out)) }
    }

    /// The function, which can be kept, and called on any thread.
    #[must_use]
    pub fn to_function(&self) -> Function {
        match &self.0 {
            Callee::Function(function) => function.clone(),
            // SAFETY: promised to `lent`; the reference that is counted here is given away.
            Callee::Lent { tag, object, .. } => unsafe {
                let tag = *tag as u16;
                frontend_of(tag).retain_wrapper(object.as_ptr());
                Function::from_foreign(Foreign::from_raw(tag, object.as_ptr()))
            },
        }
    }
}

impl From<Function> for Callback<'_> {
    fn from(function: Function) -> Self {
        Callback(Callee::Function(function), PhantomData)
    }
}

impl fmt::Debug for Callback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_function().fmt(f)
    }
}
