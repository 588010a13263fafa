//! Calls of a frontend with values: [`FrontendValues`]; those of one object in a row, [`CallEach`].

use std::any::Any as Payload;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{Any, ListBody, Part, Request};
use crate::any::{Foreign, RawAny};
use crate::error::Error;
use crate::frontend::{Calls, Frontend};

/// The arguments of repeated calls of a function, and the consumer of their results
/// ([`Function::call_each`](super::Function::call_each)).
pub trait CallEach {
    /// Puts the argument of the next call to a place, where the one before was or nothing is.
    /// `false`: there is none left.
    ///
    /// It is built in place, as one that is handed on is copied, and each copy waits for writes
    /// made before.
    fn next_argument(&mut self, place: &mut Any) -> bool;

    /// Receives the result of a call. Returns whether to go on.
    ///
    /// # Errors
    /// Ends the calls with this error.
    fn on_result(&mut self, result: &Any) -> Result<bool, Error>;
}

/// The calls, and what ended them.
struct Crossing<'a, C> {
    calls: &'a mut C,
    error: Option<Error>,
    panic: Option<Box<dyn Payload + Send>>,
}

impl<C: CallEach> Crossing<'_, C> {
    /// A panic must not go through a frontend: it goes on behind it.
    #[inline]
    fn catch_panic<R>(&mut self, run: impl FnOnce(&mut C) -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(|| run(self.calls))) {
            Ok(result) => Some(result),
            Err(panic) => {
                self.panic = Some(panic);
                None
            }
        }
    }

    unsafe extern "C" fn next_call(data: *mut c_void, place: *mut RawAny) -> bool {
        // SAFETY: as `call_each` made it; the frontend has no other reference to it, and lends a
        // value.
        let (this, place) = unsafe { (&mut *data.cast::<Self>(), &mut *place.cast::<Any>()) };
        this.catch_panic(|calls| calls.next_argument(place))
            .unwrap_or(false)
    }

    unsafe extern "C" fn report_result(data: *mut c_void, result: *const RawAny) -> bool {
        // SAFETY: as above; the result is the caller's.
        let (this, result) = unsafe { (&mut *data.cast::<Self>(), &*result.cast::<Any>()) };
        match this.catch_panic(|calls| calls.on_result(result)) {
            Some(Ok(go_on)) => go_on,
            Some(Err(error)) => {
                this.error = Some(error);
                false
            }
            None => false,
        }
    }
}

/// Requests to a frontend that take values, and return them.
#[doc(hidden)]
pub trait FrontendValues: Sized {
    /// The elements of a sequence of the frontend, or the keys and values of a mapping in turn;
    /// `None` when it is neither.
    ///
    /// # Errors
    /// As [`Frontend::call_object`].
    ///
    /// # Safety
    /// `object` is alive and of this frontend.
    unsafe fn collect_items(self, object: *mut c_void, mapping: bool) -> Result<Option<Vec<Any>>, Error>;

    /// Attributes of an object of the frontend, if it is of the class that the request names.
    ///
    /// # Errors
    /// What an attribute raises; the interpreter is closed.
    fn read_attributes(self, object: &Foreign, request: &Request<'_>) -> Result<Option<Vec<Any>>, Error>;

    /// Makes a value of a class of the frontend's language.
    ///
    /// # Errors
    /// There is no such class; the exception that it raises; the interpreter is closed.
    fn construct_value(self, value: &Part<'_>) -> Result<Any, Error>;

    /// The hash of an object of the frontend.
    ///
    /// # Errors
    /// It is not hashable, what hashing it raised, or the interpreter is closed.
    fn hash(self, object: &Foreign) -> Result<i64, Error>;

    /// Calls an object with each argument that there is.
    ///
    /// # Errors
    /// What a call raised, or that the interpreter is closed; what `calls` says.
    ///
    /// # Safety
    /// `callable` is alive and of this frontend.
    unsafe fn call_each<C: CallEach>(self, callable: *mut c_void, calls: &mut C) -> Result<(), Error>;
}

impl FrontendValues for Frontend {
    unsafe fn collect_items(self, object: *mut c_void, mapping: bool) -> Result<Option<Vec<Any>>, Error> {
        let mut out = RawAny::None;
        // SAFETY: the caller's `object` is alive; `out` is a place for a result.
        let fine = unsafe { (self.table().unfold)(self.context(), object, mapping, &mut out) };
        take_elements(self, fine, out)
    }

    fn read_attributes(self, object: &Foreign, request: &Request<'_>) -> Result<Option<Vec<Any>>, Error> {
        let (mut out, request) = (RawAny::None, std::ptr::from_ref(request).cast());
        // SAFETY: as the table's contract says; the value keeps the object, which is of this
        // frontend.
        let fine = unsafe { (self.table().parts)(self.context(), object.as_ptr(), request, &mut out) };
        take_elements(self, fine, out)
    }

    fn construct_value(self, value: &Part<'_>) -> Result<Any, Error> {
        let mut out = RawAny::None;
        // SAFETY: as the table's contract says.
        let fine =
            unsafe { (self.table().construct)(self.context(), std::ptr::from_ref(value).cast(), &mut out) };
        self.take_outcome(fine, out).map(RawAny::into_value)
    }

    fn hash(self, object: &Foreign) -> Result<i64, Error> {
        let (object, mut out) = (RawAny::Foreign(object.clone()), RawAny::None);
        // SAFETY: as the table's contract says.
        let fine = unsafe { (self.table().key)(self.context(), &object, std::ptr::null(), &mut out) };
        match self.take_outcome(fine, out)?.into_value() {
            Any::Int(hash) => Ok(hash),
            other => Err(Error::type_error(format!(
                "a hash is an int, not {}",
                other.kind()
            ))),
        }
    }

    unsafe fn call_each<C: CallEach>(self, callable: *mut c_void, calls: &mut C) -> Result<(), Error> {
        let mut crossing = Crossing {
            calls,
            error: None,
            panic: None,
        };
        let context = std::ptr::from_mut(&mut crossing).cast();
        // SAFETY: both functions take a `Crossing<C>`, which lives until this function returns.
        let mut table =
            unsafe { Calls::new(context, Crossing::<C>::next_call, Crossing::<C>::report_result) };
        let mut out = RawAny::None;
        // SAFETY: the caller's `callable` is alive and of this frontend, and the calls are alive.
        let fine = unsafe { (self.table().call_each)(self.context(), callable, &mut table, &mut out) };
        if let Some(panic) = crossing.panic {
            resume_unwind(panic);
        }
        self.take_outcome(fine, out)?;
        crossing.error.map_or(Ok(()), Err)
    }
}

/// The elements of a list that a function of the table wrote, or its failure.
fn take_elements(frontend: Frontend, fine: bool, out: RawAny) -> Result<Option<Vec<Any>>, Error> {
    match (fine, out) {
        (true, out) => Ok(out
            .into_value::<Any>()
            .downcast::<ListBody>()
            .map(|list| list.change_items(std::mem::take))),
        (false, RawAny::None) => Ok(None),
        (false, out) => Err(frontend.take_error(out)),
    }
}
