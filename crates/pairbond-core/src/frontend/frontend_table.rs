//! The table of functions through which the core reaches a language runtime, and the one that is
//! left when it has ended. `handle` calls them.

use std::ffi::c_void;

use super::override_cache::Overridable;
use crate::custody::Header;
use crate::error::Error;
use crate::event::Event;
use crate::raw::{Holds, RawAny};

/// What a language runtime offers. All functions may be called from any thread and at any time,
/// also after [`disarm_interpreter`](super::disarm_interpreter); wrappers are opaque pointers of
/// the runtime's own.
#[repr(C)]
pub struct FrontendTable {
    /// The language and interpreter, for messages: `"CPython interpreter 0"`.
    pub name:
        unsafe extern "C" fn(*mut c_void, *mut c_void, unsafe extern "C" fn(*mut c_void, *const u8, usize)),
    /// Counts a reference to a living wrapper; attaches when the thread is not.
    pub retain: unsafe extern "C" fn(*mut c_void, *mut c_void),
    /// Drops a counted reference: at once when the thread is attached, otherwise as soon as one is.
    /// Never blocks for the interpreter.
    pub release: unsafe extern "C" fn(*mut c_void, *mut c_void),
    /// Counts a reference unless the wrapper is dying. Attached and pinned: must not call into the
    /// interpreter.
    pub try_retain: unsafe extern "C" fn(*mut c_void, *mut c_void) -> bool,
    /// Attaches the thread (or notes that it is). A token for `leave`, or −1 when the interpreter
    /// is closed.
    pub enter: unsafe extern "C" fn(*mut c_void) -> isize,
    /// Undoes `enter`.
    pub leave: unsafe extern "C" fn(*mut c_void, isize),
    /// Calls the function with its argument while attached, also on a thread that is attached to
    /// another interpreter, which it leaves meanwhile. The function calls nothing foreign. `false`
    /// when the interpreter is closed: not called.
    pub visit: unsafe extern "C" fn(*mut c_void, unsafe extern "C" fn(*mut c_void), *mut c_void) -> bool,
    /// Calls a callable object: `(context, callable, arguments, result)`. The result is written
    /// unless an error is returned. Attaches when the thread is not.
    pub call: unsafe extern "C" fn(*mut c_void, *mut c_void, *const Arguments, *mut RawAny) -> Option<Error>,
    /// Whether the class of an object's wrapper overrides a method: `(context, object, method,
    /// error)`. Attaches when the thread is not.
    pub overrides:
        unsafe extern "C" fn(*mut c_void, *const Header, *const Overridable, *mut RawAny) -> Overrides,
    /// Calls the method of an object's wrapper, otherwise as `call`: `(context, object, name,
    /// length, arguments, result)`.
    pub call_method: unsafe extern "C" fn(
        *mut c_void,
        *const Header,
        *const u8,
        usize,
        *const Arguments,
        *mut RawAny,
    ) -> bool,
    /// The elements of a sequence, or the keys and values of a mapping in turn, as a list; `false`
    /// as in `call`, with nothing when it is neither: `(context, object, mapping, result)`.
    pub unfold: unsafe extern "C" fn(*mut c_void, *mut c_void, bool, *mut RawAny) -> bool,
    /// Whether the collection that is under way has found the object unreachable: a weak reference
    /// to it must not be upgraded any more. Attached; the frontend collects
    /// (`collecting_interpreters`).
    pub condemned: unsafe extern "C" fn(*mut c_void, *const Header) -> bool,
    /// Whether this thread is attached to the interpreter.
    pub is_attached: unsafe extern "C" fn(*mut c_void) -> bool,
    /// Reports an error that cannot be raised: `(context, text, length)`. Attached; runs foreign
    /// code.
    pub report: unsafe extern "C" fn(*mut c_void, *const u8, usize),
    /// Something happened: `(context, event)`. For frontends that observe
    /// ([`observe_events`](super::observe_events)); on any thread, in the middle of anything: to be
    /// noted, and
    /// told later.
    pub event: unsafe extern "C" fn(*mut c_void, *const Event),
    /// The hash of `a` as an int when `b` is null, otherwise whether both are equal; one of them is
    /// an object of this frontend. On `false` the result is an error, as for `call`. Attaches when
    /// the thread is not.
    pub key: unsafe extern "C" fn(*mut c_void, *const RawAny, *const RawAny, *mut RawAny) -> bool,
    /// Whether only its native object refers to a wrapper of an interpreter that has ended. Any
    /// thread.
    pub orphaned: unsafe extern "C" fn(*mut c_void, *mut c_void) -> bool,
    /// Calls a callable object with each argument that there is: `(context, callable, calls,
    /// result)`, otherwise as `call`. Attached from the first to the last.
    pub call_each: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut Calls, *mut RawAny) -> bool,
    /// Given to every function.
    pub context: *mut c_void,
    /// Runs the handlers of signals that came, if this thread handles them; on `false` the result
    /// is an error, as for `call`: `(context, result)`. Attaches a thread that the interpreter
    /// knows, and may be called on any.
    pub check_signals: unsafe extern "C" fn(*mut c_void, *mut RawAny) -> bool,
    /// Whether an object is the language's float that is no number, which containers keep as a key:
    /// `(context, object)`. Any thread; runs no code.
    pub is_nan: unsafe extern "C" fn(*mut c_void, *mut c_void) -> bool,
    /// Attributes of an object, as a list; `false` as in `call`, with nothing when the object is of
    /// another class than the request names: `(context, object, request, result)`. The request is
    /// a `Request` of the crate `pairbond-value`. Attaches when the thread is not.
    pub parts: unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, *mut RawAny) -> bool,
    /// Makes a value as `Sink::write_constructed` does; otherwise as `call`: `(context, value,
    /// result)`. The value is a `Part` of the crate `pairbond-value`.
    pub construct: unsafe extern "C" fn(*mut c_void, *const c_void, *mut RawAny) -> bool,
}

/// The arguments of a call from native code. Alive while the call lasts.
#[derive(Debug)]
#[repr(C)]
pub struct Arguments {
    values: *const RawAny,
    count: usize,
    names: *const &'static str,
    named: usize,
}

impl Arguments {
    /// Runs `call` with arguments by position, the last of which have `names`.
    ///
    /// # Panics
    /// When there are more names than values.
    #[inline]
    pub fn with_values<V, R>(values: &[V], names: &[&str], call: impl FnOnce(&Arguments) -> R) -> R
    where
        RawAny: Holds<V>,
    {
        assert!(names.len() <= values.len(), "each name belongs to a value");
        call(&Arguments {
            values: values.as_ptr().cast(),
            count: values.len(),
            names: names.as_ptr().cast(),
            named: names.len(),
        })
    }

    /// As [`with_values`](Self::with_values), for a `call` as [`FrontendTable::call`].
    ///
    /// # Errors
    /// What `call` returned.
    ///
    /// # Panics
    /// As [`with_values`](Self::with_values).
    ///
    /// # Safety
    /// `call` writes the result unless it returns an error.
    #[inline]
    pub unsafe fn call_with<V>(
        values: &[V],
        names: &[&str],
        call: impl FnOnce(*const Arguments, *mut RawAny) -> Option<Error>,
    ) -> Result<V, Error>
    where
        RawAny: Holds<V>,
    {
        let mut out = std::mem::MaybeUninit::<V>::uninit();
        match Arguments::with_values(values, names, |arguments| {
            call(arguments, out.as_mut_ptr().cast())
        }) {
            // SAFETY: written, as there is no error: the caller ensures it.
            None => Ok(unsafe { out.assume_init() }),
            Some(error) => Err(error),
        }
    }

    /// What [`call_with`](Self::call_with) gets: writes the result, or returns the error.
    ///
    /// # Safety
    /// `out` is a place for a result.
    #[inline]
    pub unsafe fn write_outcome<V>(result: Result<V, Error>, out: *mut RawAny) -> Option<Error>
    where
        RawAny: Holds<V>,
    {
        match result {
            Ok(value) => {
                let value = RawAny::new(value);
                // SAFETY: the caller's contract; zeros are a `RawAny::None`.
                unsafe {
                    if matches!(value, RawAny::None) {
                        // All 16 bytes: a move of the result loads them, and would wait until a
                        // store of one byte, the kind, is in the cache.
                        out.cast::<[u64; 2]>().write([0; 2]);
                    } else {
                        out.write(value);
                    }
                }
                None
            }
            Err(error) => Some(error),
        }
    }

    /// All values, those with names last.
    #[inline]
    #[must_use]
    pub fn values<V>(&self) -> &[V]
    where
        RawAny: Holds<V>,
    {
        // SAFETY: promised by `with`, the only way to make one: alive while the call lasts; a
        // `RawAny` and a `V` are laid out alike.
        unsafe { std::slice::from_raw_parts(self.values.cast(), self.count) }
    }

    /// The names of the last values.
    #[inline]
    #[must_use]
    pub fn names(&self) -> &[&str] {
        // SAFETY: promised by `with`, the only way to make one: alive while the call lasts.
        unsafe { std::slice::from_raw_parts(self.names, self.named) }
    }
}

/// Calls of one object, from native code. Alive while [`FrontendTable::call_each`] runs, on whose
/// thread its functions are called.
#[repr(C)]
pub struct Calls {
    data: *mut c_void,
    next: unsafe extern "C" fn(*mut c_void, *mut RawAny) -> bool,
    done: unsafe extern "C" fn(*mut c_void, *const RawAny) -> bool,
}

impl Calls {
    /// # Safety
    /// The functions may be called with `data` as long as this is alive: `next` with a value that
    /// it replaces, `done` with a value that it looks at.
    #[doc(hidden)]
    #[must_use]
    pub unsafe fn new(
        data: *mut c_void,
        next: unsafe extern "C" fn(*mut c_void, *mut RawAny) -> bool,
        done: unsafe extern "C" fn(*mut c_void, *const RawAny) -> bool,
    ) -> Self {
        Calls { data, next, done }
    }

    /// Puts the next argument to a place, if there is one.
    #[inline]
    pub fn next_argument<V>(&mut self, place: &mut V) -> bool
    where
        RawAny: Holds<V>,
    {
        // SAFETY: made of functions and their argument, and alive; the place has a value.
        unsafe { (self.next)(self.data, std::ptr::from_mut(place).cast()) }
    }

    /// Shows what the last call returned. Whether to go on.
    #[inline]
    pub fn on_result<V>(&mut self, result: &V) -> bool
    where
        RawAny: Holds<V>,
    {
        // SAFETY: as above; the result is only looked at.
        unsafe { (self.done)(self.data, std::ptr::from_ref(result).cast()) }
    }
}

// SAFETY: a frontend promises that its functions and context may be used from any thread.
unsafe impl Send for FrontendTable {}
// SAFETY: a frontend promises that its functions and context may be used from any thread.
unsafe impl Sync for FrontendTable {}

/// An answer of [`FrontendTable::overrides`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Overrides {
    /// The native method is the right one.
    No,
    /// The wrapper's class has one of its own.
    Yes,
    /// It cannot be said: the interpreter has ended, or looking raised the error that was written.
    Failed,
}

/// The rest of an interpreter that is gone: nothing is retained or released (references to objects
/// that no longer exist), nothing attaches.
pub(super) static DISARMED: FrontendTable = FrontendTable::INERT;

impl FrontendTable {
    /// Does nothing, and refuses what asks for a result. A frontend that lacks something takes it
    /// from here.
    pub const INERT: FrontendTable = {
        unsafe extern "C" fn disarmed_name(
            _: *mut c_void,
            to: *mut c_void,
            write: unsafe extern "C" fn(*mut c_void, *const u8, usize),
        ) {
            let text = "an interpreter that has ended";
            // SAFETY: the caller's own function and argument.
            unsafe { write(to, text.as_ptr(), text.len()) }
        }
        unsafe extern "C" fn disarmed_ignore(_: *mut c_void, _: *mut c_void) {}
        unsafe extern "C" fn disarmed_refuse(_: *mut c_void, _: *mut c_void) -> bool {
            false
        }
        unsafe extern "C" fn disarmed_enter(_: *mut c_void) -> isize {
            -1
        }
        unsafe extern "C" fn disarmed_leave(_: *mut c_void, _: isize) {}
        unsafe extern "C" fn disarmed_event(_: *mut c_void, _: *const Event) {}
        unsafe extern "C" fn disarmed_visit(
            _: *mut c_void,
            _: unsafe extern "C" fn(*mut c_void),
            _: *mut c_void,
        ) -> bool {
            false
        }
        unsafe extern "C" fn disarmed_call(
            _: *mut c_void,
            _: *mut c_void,
            _: *const Arguments,
            _: *mut RawAny,
        ) -> Option<Error> {
            Some(closed_error())
        }
        /// # Safety
        /// The caller's place for a result.
        unsafe fn write_closed(out: *mut RawAny) -> bool {
            // SAFETY: `out` is the caller's place for a result.
            unsafe { out.write(RawAny::from_error(closed_error())) };
            false
        }
        unsafe extern "C" fn call_each(
            _: *mut c_void,
            _: *mut c_void,
            _: *mut Calls,
            out: *mut RawAny,
        ) -> bool {
            // SAFETY: `out` is a place for a result.
            unsafe { write_closed(out) }
        }
        unsafe extern "C" fn disarmed_overrides(
            _: *mut c_void,
            _: *const Header,
            _: *const Overridable,
            out: *mut RawAny,
        ) -> Overrides {
            // SAFETY: `out` is a place for a result.
            unsafe { write_closed(out) };
            Overrides::Failed
        }
        unsafe extern "C" fn call_method(
            _: *mut c_void,
            _: *const Header,
            _: *const u8,
            _: usize,
            _: *const Arguments,
            out: *mut RawAny,
        ) -> bool {
            // SAFETY: `out` is a place for a result.
            unsafe { write_closed(out) }
        }
        unsafe extern "C" fn disarmed_unfold(
            _: *mut c_void,
            _: *mut c_void,
            _: bool,
            out: *mut RawAny,
        ) -> bool {
            // SAFETY: `out` is a place for a result.
            unsafe { write_closed(out) }
        }
        unsafe extern "C" fn disarmed_condemned(_: *mut c_void, _: *const Header) -> bool {
            false
        }
        unsafe extern "C" fn is_attached(_: *mut c_void) -> bool {
            false
        }
        unsafe extern "C" fn disarmed_report(_: *mut c_void, _: *const u8, _: usize) {}
        unsafe extern "C" fn disarmed_key(
            _: *mut c_void,
            _: *const RawAny,
            _: *const RawAny,
            out: *mut RawAny,
        ) -> bool {
            // SAFETY: `out` is a place for a result.
            unsafe { write_closed(out) }
        }
        unsafe extern "C" fn check_signals(_: *mut c_void, _: *mut RawAny) -> bool {
            true
        }
        unsafe extern "C" fn disarmed_parts(
            _: *mut c_void,
            _: *mut c_void,
            _: *const c_void,
            out: *mut RawAny,
        ) -> bool {
            // SAFETY: `out` is a place for a result.
            unsafe { write_closed(out) }
        }
        unsafe extern "C" fn disarmed_construct(_: *mut c_void, _: *const c_void, out: *mut RawAny) -> bool {
            // SAFETY: `out` is a place for a result.
            unsafe { write_closed(out) }
        }
        FrontendTable {
            name: disarmed_name,
            retain: disarmed_ignore,
            release: disarmed_ignore,
            try_retain: disarmed_refuse,
            enter: disarmed_enter,
            leave: disarmed_leave,
            visit: disarmed_visit,
            call: disarmed_call,
            overrides: disarmed_overrides,
            call_method,
            unfold: disarmed_unfold,
            condemned: disarmed_condemned,
            is_attached,
            report: disarmed_report,
            event: disarmed_event,
            key: disarmed_key,
            orphaned: disarmed_refuse,
            call_each,
            check_signals,
            is_nan: disarmed_refuse,
            parts: disarmed_parts,
            construct: disarmed_construct,
            context: std::ptr::null_mut(),
        }
    };
}

fn closed_error() -> Error {
    Error::new(
        crate::error::ErrorKind::Closed,
        "the interpreter that owns this object has ended",
    )
}
