//! [`Frontend`]: a language runtime's table, ready to be called. What its functions promise is said
//! in `table`.

use std::ffi::c_void;

use super::frontend_table::{Arguments, DISARMED, FrontendTable, Overrides};
use super::override_cache::Overridable;
use crate::custody::Header;
use crate::error::Error;
use crate::event::Event;
use crate::raw::{Holds, RawAny};

/// A frontend's table, ready to be called.
#[derive(Clone, Copy)]
pub struct Frontend(pub(super) &'static FrontendTable);

/// Proof of [`Frontend::enter`].
#[must_use]
#[derive(Debug)]
pub struct Entered(isize);

impl Frontend {
    /// The language and interpreter, for messages.
    #[must_use]
    pub fn name(self) -> String {
        unsafe extern "C" fn append_text(to: *mut c_void, text: *const u8, len: usize) {
            // SAFETY: `to` is the string below; `text` is `len` bytes.
            unsafe {
                let text = std::slice::from_raw_parts(text, len);
                (*to.cast::<String>()).push_str(&String::from_utf8_lossy(text));
            }
        }
        let mut name = String::new();
        // SAFETY: as the table's contract says.
        unsafe { (self.0.name)(self.0.context, std::ptr::from_mut(&mut name).cast(), append_text) };
        name
    }

    /// Counts a reference to a wrapper.
    ///
    /// # Safety
    /// The wrapper is alive and of this frontend.
    pub unsafe fn retain_wrapper(self, wrapper: *mut c_void) {
        // SAFETY: the caller's wrapper is alive and this frontend's, whose context it is.
        unsafe { (self.0.retain)(self.0.context, wrapper) }
    }

    /// Drops a reference to a wrapper; late when the thread is not attached.
    ///
    /// # Safety
    /// The caller gives away a counted reference.
    pub unsafe fn release_wrapper(self, wrapper: *mut c_void) {
        // SAFETY: the caller gives a counted reference of this frontend away.
        unsafe { (self.0.release)(self.0.context, wrapper) }
    }

    /// Counts a reference unless the wrapper is dying.
    ///
    /// # Safety
    /// Attached; the wrapper's memory is valid (pinned).
    #[must_use]
    pub unsafe fn try_retain(self, wrapper: *mut c_void) -> bool {
        // SAFETY: the caller is attached, and the wrapper's memory pinned.
        unsafe { (self.0.try_retain)(self.0.context, wrapper) }
    }

    /// Attaches this thread for a moment; `None` when the interpreter is closed.
    pub fn enter(self) -> Option<Entered> {
        // SAFETY: as the table's contract says.
        let token = unsafe { (self.0.enter)(self.0.context) };
        (token >= 0).then_some(Entered(token))
    }

    /// Undoes [`enter`](Self::enter).
    pub fn leave(self, entered: Entered) {
        // SAFETY: as the table's contract says.
        unsafe { (self.0.leave)(self.0.context, entered.0) }
    }

    /// Does something while attached, also on a thread that is attached to another interpreter; it
    /// calls nothing foreign. `None` when the interpreter is closed.
    pub fn visit_attached<R>(self, act: impl FnOnce() -> R) -> Option<R> {
        struct Visit<F, R>(Option<F>, Option<R>);
        unsafe extern "C" fn run_visit<F: FnOnce() -> R, R>(visit: *mut c_void) {
            // SAFETY: the argument below, which is not used otherwise now.
            let visit = unsafe { &mut *visit.cast::<Visit<F, R>>() };
            visit.1 = visit.0.take().map(|act| act());
        }
        fn visit_runner<F: FnOnce() -> R, R>(_: &Visit<F, R>) -> unsafe extern "C" fn(*mut c_void) {
            run_visit::<F, R>
        }
        let mut visit = Visit(Some(act), None);
        let run = visit_runner(&visit);
        // SAFETY: the function gets the argument that it expects.
        unsafe { (self.0.visit)(self.0.context, run, (&raw mut visit).cast()) };
        visit.1
    }

    /// Calls a callable object of the frontend; the last arguments have `names`.
    ///
    /// # Errors
    /// What the callee raised, or that the interpreter is closed.
    ///
    /// # Safety
    /// `callable` is alive and of this frontend.
    pub unsafe fn call_object<V>(
        self,
        callable: *mut c_void,
        arguments: &[V],
        names: &[&str],
    ) -> Result<V, Error>
    where
        RawAny: Holds<V>,
    {
        // SAFETY: the caller's `callable` is alive, and of this frontend, which writes the result
        // unless it returns an error.
        unsafe {
            Arguments::call_with(arguments, names, |arguments, out| {
                (self.0.call)(self.0.context, callable, arguments, out)
            })
        }
    }

    /// Its functions, for what the crate `pairbond-value` calls itself.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn table(self) -> &'static FrontendTable {
        self.0
    }

    /// The result of a function of the table, or its error.
    #[doc(hidden)]
    #[inline]
    pub fn take_outcome(self, fine: bool, out: RawAny) -> Result<RawAny, Error> {
        if fine { Ok(out) } else { Err(self.take_error(out)) }
    }

    /// The error of a function of the table that failed.
    #[doc(hidden)]
    #[cold]
    #[must_use]
    pub fn take_error(self, out: RawAny) -> Error {
        out.into_error(format_args!("{}: a call", self.name()))
    }

    /// Whether the class of an object's wrapper overrides a method.
    ///
    /// # Errors
    /// The interpreter has ended, or the class cannot be asked.
    pub fn is_overridden(self, object: &Header, method: &Overridable) -> Result<bool, Error> {
        let mut out = RawAny::None;
        // SAFETY: a living object.
        match unsafe { (self.0.overrides)(self.0.context, object, method, &mut out) } {
            Overrides::No => Ok(false),
            Overrides::Yes => Ok(true),
            Overrides::Failed => Err(self.take_error(out)),
        }
    }

    /// Calls a method of an object's wrapper.
    ///
    /// # Errors
    /// As [`call_object`](Self::call_object).
    pub fn call_method<V>(self, object: &Header, name: &str, arguments: &[V]) -> Result<V, Error>
    where
        RawAny: Holds<V>,
    {
        let mut out = RawAny::None;
        // SAFETY: a living object, and a name.
        let fine = Arguments::with_values(arguments, &[], |arguments| unsafe {
            (self.0.call_method)(
                self.0.context,
                object,
                name.as_ptr(),
                name.len(),
                arguments,
                &mut out,
            )
        });
        self.take_outcome(fine, out).map(RawAny::into_value)
    }

    /// Whether two values are equal, one of which is an object of the frontend.
    ///
    /// # Errors
    /// What comparing them raised, or the interpreter is closed.
    pub fn values_equal<V>(self, a: &V, b: &V) -> Result<bool, Error>
    where
        RawAny: Holds<V>,
    {
        let [a, b] = [a, b].map(|value| std::ptr::from_ref(value).cast());
        let mut out = RawAny::None;
        // SAFETY: as the table's contract says.
        let fine = unsafe { (self.0.key)(self.0.context, a, b, &mut out) };
        Ok(matches!(self.take_outcome(fine, out)?, RawAny::Bool(true)))
    }

    /// Runs the handlers of signals that came, if this thread handles them.
    ///
    /// # Errors
    /// What a handler raised.
    pub(super) fn check_signals(self) -> Result<(), Error> {
        let mut out = RawAny::None;
        // SAFETY: as the table's contract says.
        let fine = unsafe { (self.0.check_signals)(self.0.context, &mut out) };
        self.take_outcome(fine, out).map(drop)
    }

    /// Whether the frontend's collection has found an object unreachable.
    ///
    /// # Safety
    /// Attached.
    #[must_use]
    pub unsafe fn is_condemned(self, object: &Header) -> bool {
        // SAFETY: the caller is attached, and has a reference to the object.
        unsafe { (self.0.condemned)(self.0.context, object) }
    }

    /// Reports an error that cannot be raised; the thread is attached.
    pub(super) fn report_text(self, text: &str) {
        // SAFETY: as the table's contract says.
        unsafe { (self.0.report)(self.0.context, text.as_ptr(), text.len()) }
    }

    /// Tells of an event.
    pub(crate) fn send_event(self, event: &Event) {
        // SAFETY: as the table's contract says.
        unsafe { (self.0.event)(self.0.context, event) }
    }

    /// Whether the interpreter is gone.
    #[must_use]
    pub fn is_disarmed(self) -> bool {
        std::ptr::eq(self.0, &raw const DISARMED)
    }

    /// The frontend's own context.
    #[must_use]
    pub fn context(self) -> *mut c_void {
        self.0.context
    }
}
