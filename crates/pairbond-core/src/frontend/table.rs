//! The table of functions through which the core reaches a language runtime, and the slots that hold them.

use std::ffi::c_void;
use std::fmt;

use super::Collecting;
use crate::class::Overridable;
use crate::error::Error;
use crate::event::{self, Event, Kind};
use crate::object::{Header, Pair};
use crate::runtime::runtime;
use crate::sync::statics::{AtomicPtr, AtomicUsize, Ordering};
use crate::value::{Any, Foreign};

/// What a language runtime offers. All functions may be called from any thread and at any time, also after
/// [`disarm`]; wrappers are opaque pointers of the runtime's own.
#[repr(C)]
pub struct FrontendTable {
    /// The language and interpreter, for messages: `"CPython interpreter 0"`.
    pub name:
        unsafe extern "C" fn(*mut c_void, *mut c_void, unsafe extern "C" fn(*mut c_void, *const u8, usize)),
    /// Counts a reference to a living wrapper; attaches when the thread is not.
    pub retain: unsafe extern "C" fn(*mut c_void, *mut c_void),
    /// Drops a counted reference: at once when the thread is attached, otherwise as soon as one is. Never blocks for the interpreter.
    pub release: unsafe extern "C" fn(*mut c_void, *mut c_void),
    /// Counts a reference unless the wrapper is dying. Attached and pinned: must not call into the interpreter.
    pub try_retain: unsafe extern "C" fn(*mut c_void, *mut c_void) -> bool,
    /// Attaches the thread (or notes that it is). A token for `leave`, or −1 when the interpreter is closed.
    pub enter: unsafe extern "C" fn(*mut c_void) -> isize,
    /// Undoes `enter`.
    pub leave: unsafe extern "C" fn(*mut c_void, isize),
    /// Calls the function with its argument while attached, also on a thread that is attached to another interpreter, which it leaves
    /// meanwhile. The function calls nothing foreign. `false` when the interpreter is closed: not called.
    pub visit: unsafe extern "C" fn(*mut c_void, unsafe extern "C" fn(*mut c_void), *mut c_void) -> bool,
    /// Calls a callable object: `(context, callable, arguments, result)`. On `false` the result is an error that
    /// [`Any::Error`] holds. Attaches when the thread is not.
    pub call: unsafe extern "C" fn(*mut c_void, *mut c_void, *const Arguments, *mut Any) -> bool,
    /// Whether the class of an object's wrapper overrides a method: `(context, object, method, error)`. Attaches when the thread is not.
    pub overrides:
        unsafe extern "C" fn(*mut c_void, *const Header, *const Overridable, *mut Any) -> Overrides,
    /// Calls the method of an object's wrapper, otherwise as `call`: `(context, object, name, length, arguments, result)`.
    pub call_method: unsafe extern "C" fn(
        *mut c_void,
        *const Header,
        *const u8,
        usize,
        *const Arguments,
        *mut Any,
    ) -> bool,
    /// The elements of a sequence, or the keys and values of a mapping in turn, as a list; `false` as in `call`, with
    /// [`Any::None`] when it is neither: `(context, object, mapping, result)`.
    pub unfold: unsafe extern "C" fn(*mut c_void, *mut c_void, bool, *mut Any) -> bool,
    /// Whether the collection that is under way has found the object unreachable: a weak reference to it must not be upgraded any more.
    /// Attached; the frontend collects ([`collecting`]).
    pub condemned: unsafe extern "C" fn(*mut c_void, *const Header) -> bool,
    /// Whether this thread is attached to the interpreter.
    pub is_attached: unsafe extern "C" fn(*mut c_void) -> bool,
    /// Reports an error that nobody can catch: `(context, text, length)`. Attached; runs foreign code.
    pub report: unsafe extern "C" fn(*mut c_void, *const u8, usize),
    /// Something happened: `(context, event)`. For frontends that observe ([`observe`]); on any thread, in the middle of anything: to be noted, and
    /// told later.
    pub event: unsafe extern "C" fn(*mut c_void, *const Event),
    /// The hash of `a` as an int when `b` is null, otherwise whether both are equal; one of them is an object of this frontend. On `false` the
    /// result is an error, as for `call`. Attaches when the thread is not.
    pub key: unsafe extern "C" fn(*mut c_void, *const Any, *const Any, *mut Any) -> bool,
    /// Whether nobody but its native object refers to a wrapper of an interpreter that has ended. Any thread.
    pub orphaned: unsafe extern "C" fn(*mut c_void, *mut c_void) -> bool,
    /// Given to every function.
    pub context: *mut c_void,
}

/// The arguments of a call from native code. Alive while the call lasts.
#[derive(Debug)]
#[repr(C)]
pub struct Arguments {
    values: *const Any,
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
    pub fn with<R>(values: &[Any], names: &[&str], call: impl FnOnce(&Arguments) -> R) -> R {
        assert!(names.len() <= values.len(), "each name belongs to a value");
        call(&Arguments {
            values: values.as_ptr(),
            count: values.len(),
            names: names.as_ptr().cast(),
            named: names.len(),
        })
    }

    /// All values, those with names last.
    #[inline]
    #[must_use]
    pub fn values(&self) -> &[Any] {
        // SAFETY: promised by `with`, the only way to make one: alive while the call lasts.
        unsafe { std::slice::from_raw_parts(self.values, self.count) }
    }

    /// The names of the last values.
    #[inline]
    #[must_use]
    pub fn names(&self) -> &[&str] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.names, self.named) }
    }
}

// SAFETY: a frontend promises that its functions and context may be used from any thread.
unsafe impl Send for FrontendTable {}
// SAFETY: as above.
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

/// What is left of an interpreter that is gone: nothing is retained or released (references to objects that no longer exist), nothing
/// attaches.
static DISARMED: FrontendTable = FrontendTable::INERT;

impl FrontendTable {
    /// Does nothing, and refuses what asks for a result. A frontend that lacks something takes it from here.
    pub const INERT: FrontendTable = {
        unsafe extern "C" fn name(
            _: *mut c_void,
            to: *mut c_void,
            write: unsafe extern "C" fn(*mut c_void, *const u8, usize),
        ) {
            let text = "an interpreter that has ended";
            // SAFETY: the caller's own function and argument.
            unsafe { write(to, text.as_ptr(), text.len()) }
        }
        unsafe extern "C" fn ignore(_: *mut c_void, _: *mut c_void) {}
        unsafe extern "C" fn refuse(_: *mut c_void, _: *mut c_void) -> bool {
            false
        }
        unsafe extern "C" fn enter(_: *mut c_void) -> isize {
            -1
        }
        unsafe extern "C" fn leave(_: *mut c_void, _: isize) {}
        unsafe extern "C" fn event(_: *mut c_void, _: *const Event) {}
        unsafe extern "C" fn visit(
            _: *mut c_void,
            _: unsafe extern "C" fn(*mut c_void),
            _: *mut c_void,
        ) -> bool {
            false
        }
        unsafe extern "C" fn call(
            _: *mut c_void,
            _: *mut c_void,
            _: *const Arguments,
            out: *mut Any,
        ) -> bool {
            // SAFETY: `out` is the caller's place for a result.
            unsafe { out.write(Any::Error(std::sync::Arc::new(closed()))) };
            false
        }
        unsafe extern "C" fn overrides(
            _: *mut c_void,
            _: *const Header,
            _: *const Overridable,
            out: *mut Any,
        ) -> Overrides {
            // SAFETY: as in `call`.
            unsafe { out.write(Any::Error(std::sync::Arc::new(closed()))) };
            Overrides::Failed
        }
        unsafe extern "C" fn call_method(
            context: *mut c_void,
            _: *const Header,
            _: *const u8,
            _: usize,
            arguments: *const Arguments,
            out: *mut Any,
        ) -> bool {
            // SAFETY: passed on.
            unsafe { call(context, std::ptr::null_mut(), arguments, out) }
        }
        unsafe extern "C" fn unfold(
            context: *mut c_void,
            object: *mut c_void,
            _: bool,
            out: *mut Any,
        ) -> bool {
            // SAFETY: passed on.
            unsafe { call(context, object, std::ptr::null(), out) }
        }
        unsafe extern "C" fn condemned(_: *mut c_void, _: *const Header) -> bool {
            false
        }
        unsafe extern "C" fn is_attached(_: *mut c_void) -> bool {
            false
        }
        unsafe extern "C" fn report(_: *mut c_void, _: *const u8, _: usize) {}
        unsafe extern "C" fn key(_: *mut c_void, _: *const Any, _: *const Any, out: *mut Any) -> bool {
            // SAFETY: as in `call`.
            unsafe { out.write(Any::Error(std::sync::Arc::new(closed()))) };
            false
        }
        FrontendTable {
            name,
            retain: ignore,
            release: ignore,
            try_retain: refuse,
            enter,
            leave,
            visit,
            call,
            overrides,
            call_method,
            unfold,
            condemned,
            is_attached,
            report,
            event,
            key,
            orphaned: refuse,
            context: std::ptr::null_mut(),
        }
    };
}

fn closed() -> Error {
    Error::new(
        crate::error::ErrorKind::Closed,
        "the interpreter that owns this object has ended",
    )
}

/// A frontend's table, ready to be called.
#[derive(Clone, Copy)]
pub struct Frontend(&'static FrontendTable);

/// Proof of [`Frontend::enter`].
#[must_use]
#[derive(Debug)]
pub struct Entered(isize);

impl Frontend {
    /// The language and interpreter, for messages.
    #[must_use]
    pub fn name(self) -> String {
        unsafe extern "C" fn write(to: *mut c_void, text: *const u8, len: usize) {
            // SAFETY: `to` is the string below; `text` is `len` bytes.
            unsafe {
                let text = std::slice::from_raw_parts(text, len);
                (*to.cast::<String>()).push_str(&String::from_utf8_lossy(text));
            }
        }
        let mut name = String::new();
        // SAFETY: as the table's contract says.
        unsafe { (self.0.name)(self.0.context, std::ptr::from_mut(&mut name).cast(), write) };
        name
    }

    /// Counts a reference to a wrapper.
    ///
    /// # Safety
    /// The wrapper is alive and of this frontend.
    pub unsafe fn retain(self, wrapper: *mut c_void) {
        // SAFETY: passed on.
        unsafe { (self.0.retain)(self.0.context, wrapper) }
    }

    /// Drops a reference to a wrapper; late when the thread is not attached.
    ///
    /// # Safety
    /// The caller gives away a counted reference.
    pub unsafe fn release(self, wrapper: *mut c_void) {
        // SAFETY: passed on.
        unsafe { (self.0.release)(self.0.context, wrapper) }
    }

    /// Counts a reference unless the wrapper is dying.
    ///
    /// # Safety
    /// Attached; the wrapper's memory is valid (pinned).
    #[must_use]
    pub unsafe fn try_retain(self, wrapper: *mut c_void) -> bool {
        // SAFETY: passed on.
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

    /// Does something while attached, also on a thread that is attached to another interpreter; it calls nothing foreign. `None` when the
    /// interpreter is closed.
    pub fn visit<R>(self, act: impl FnOnce() -> R) -> Option<R> {
        struct Visit<F, R>(Option<F>, Option<R>);
        unsafe extern "C" fn run<F: FnOnce() -> R, R>(visit: *mut c_void) {
            // SAFETY: the argument below, which nobody else uses now.
            let visit = unsafe { &mut *visit.cast::<Visit<F, R>>() };
            visit.1 = visit.0.take().map(|act| act());
        }
        fn runner<F: FnOnce() -> R, R>(_: &Visit<F, R>) -> unsafe extern "C" fn(*mut c_void) {
            run::<F, R>
        }
        let mut visit = Visit(Some(act), None);
        let run = runner(&visit);
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
    pub unsafe fn call(self, callable: *mut c_void, arguments: &[Any], names: &[&str]) -> Result<Any, Error> {
        let mut out = Any::None;
        // SAFETY: passed on.
        let fine = Arguments::with(arguments, names, |arguments| unsafe {
            (self.0.call)(self.0.context, callable, arguments, &mut out)
        });
        self.outcome(fine, out)
    }

    #[inline]
    fn outcome(self, fine: bool, out: Any) -> Result<Any, Error> {
        if fine { Ok(out) } else { Err(self.failure(out)) }
    }

    #[cold]
    fn failure(self, out: Any) -> Error {
        match out {
            Any::Error(error) => std::sync::Arc::try_unwrap(error).unwrap_or_else(|e| e.copy()),
            _ => Error::runtime_error(format!("{}: a call failed and does not say why", self.name())),
        }
    }

    /// Whether the class of an object's wrapper overrides a method.
    ///
    /// # Errors
    /// The interpreter has ended, or the class cannot be asked.
    pub fn overrides(self, object: &Header, method: &Overridable) -> Result<bool, Error> {
        let mut out = Any::None;
        // SAFETY: a living object.
        match unsafe { (self.0.overrides)(self.0.context, object, method, &mut out) } {
            Overrides::No => Ok(false),
            Overrides::Yes => Ok(true),
            Overrides::Failed => Err(self.failure(out)),
        }
    }

    /// Calls a method of an object's wrapper.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn call_method(self, object: &Header, name: &str, arguments: &[Any]) -> Result<Any, Error> {
        let mut out = Any::None;
        // SAFETY: a living object, and a name.
        let fine = Arguments::with(arguments, &[], |arguments| unsafe {
            (self.0.call_method)(
                self.0.context,
                object,
                name.as_ptr(),
                name.len(),
                arguments,
                &mut out,
            )
        });
        self.outcome(fine, out)
    }

    /// The elements of a sequence of the frontend, or the keys and values of a mapping in turn; `None` when it is neither.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    ///
    /// # Safety
    /// `object` is alive and of this frontend.
    pub unsafe fn unfold(self, object: *mut c_void, mapping: bool) -> Result<Option<Vec<Any>>, Error> {
        let mut out = Any::None;
        // SAFETY: passed on.
        let fine = unsafe { (self.0.unfold)(self.0.context, object, mapping, &mut out) };
        match (fine, out) {
            (true, out) => Ok(out
                .downcast::<crate::value::ListBody>()
                .map(|list| list.change(std::mem::take))),
            (false, Any::None) => Ok(None),
            (false, out) => Err(self.failure(out)),
        }
    }

    /// The hash of an object of the frontend.
    ///
    /// # Errors
    /// It is not hashable, what hashing it raised, or the interpreter is closed.
    pub fn hash(self, object: &Foreign) -> Result<i64, Error> {
        let (object, mut out) = (Any::Foreign(object.clone()), Any::None);
        // SAFETY: as the table's contract says.
        let fine = unsafe { (self.0.key)(self.0.context, &object, std::ptr::null(), &mut out) };
        match self.outcome(fine, out)? {
            Any::Int(hash) => Ok(hash),
            other => Err(Error::type_error(format!(
                "a hash is an int, not {}",
                other.kind()
            ))),
        }
    }

    /// Whether two values are equal, one of which is an object of the frontend.
    ///
    /// # Errors
    /// What comparing them raised, or the interpreter is closed.
    pub fn equal(self, a: &Any, b: &Any) -> Result<bool, Error> {
        let mut out = Any::None;
        // SAFETY: as the table's contract says.
        let fine = unsafe { (self.0.key)(self.0.context, a, b, &mut out) };
        Ok(matches!(self.outcome(fine, out)?, Any::Bool(true)))
    }

    /// Whether the frontend's collection has found an object unreachable.
    ///
    /// # Safety
    /// Attached.
    #[must_use]
    pub unsafe fn condemned(self, object: &Header) -> bool {
        // SAFETY: passed on.
        unsafe { (self.0.condemned)(self.0.context, object) }
    }

    /// Reports an error that nobody can catch; the thread is attached.
    pub(super) fn report(self, text: &str) {
        // SAFETY: as the table's contract says.
        unsafe { (self.0.report)(self.0.context, text.as_ptr(), text.len()) }
    }

    /// Tells of an event.
    pub(crate) fn event(self, event: &Event) {
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

/// The interpreters of the process, by tag.
pub(crate) struct Slots {
    pub(crate) tables: [AtomicPtr<FrontendTable>; 1 << 16],
    next: AtomicUsize,
}

impl Slots {
    pub(crate) const fn new() -> Self {
        Slots {
            tables: [const { AtomicPtr::new(std::ptr::null_mut()) }; 1 << 16],
            next: AtomicUsize::new(1),
        }
    }

    pub(crate) fn open(&self, table: *const FrontendTable) -> u16 {
        let tag = self.next.fetch_add(1, Ordering::Relaxed);
        let Ok(tag) = u16::try_from(tag) else {
            self.next.store(1 << 16, Ordering::Relaxed);
            return 0;
        };
        self.tables[usize::from(tag)].store(table.cast_mut(), Ordering::Release);
        tag
    }

    pub(crate) fn disarm(&self, tag: u16) -> bool {
        let slot = &self.tables[usize::from(tag)];
        let table = slot.load(Ordering::Acquire);
        is_armed(table)
            && slot
                .compare_exchange(
                    table,
                    table.map_addr(|address| address | RETIRED),
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                )
                .is_ok()
    }
}

/// Set in a slot whose interpreter has ended. The table is asked one thing still: [`is_orphan`].
const RETIRED: usize = 1;

fn is_armed(table: *mut FrontendTable) -> bool {
    !table.is_null() && table.addr() & RETIRED == 0
}

/// The process has opened 65,535 interpreters; tags are never used again, so that a stale one can never match.
#[derive(Clone, Copy, Debug)]
pub struct NoMoreTags;

impl fmt::Display for NoMoreTags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("65,535 interpreters were opened in this process; no tag is left for another")
    }
}

impl std::error::Error for NoMoreTags {}

/// Opens an interpreter: its tag, never 0.
///
/// # Errors
/// No tag is left.
pub fn open(table: &'static FrontendTable) -> Result<u16, NoMoreTags> {
    // SAFETY: the table lives for the process.
    match unsafe { (runtime().open_frontend)(table) } {
        0 => Err(NoMoreTags),
        tag => {
            if event::observed() {
                Event::interpreter(Kind::Opened, tag).tell();
            }
            Ok(tag)
        }
    }
}

/// Begins or ends telling the frontend of a tag of all events.
pub fn observe(tag: u16, on: bool) {
    // SAFETY: any tag may be told.
    unsafe { (runtime().observe_frontend)(tag, on) }
}

/// The interpreters that are in the middle of a collection which takes native references into account. Between its passes finalizers
/// run, and other threads: what it has found unreachable must not come back through a weak reference.
#[inline]
#[must_use]
pub fn collecting() -> &'static Collecting {
    // SAFETY: lives for the process.
    unsafe { &*runtime().collecting }
}

/// Makes an interpreter's table inert. `false`: it was already.
pub fn disarm(tag: u16) -> bool {
    observe(tag, false);
    // SAFETY: any tag may be disarmed.
    let disarmed = unsafe { (runtime().disarm_frontend)(tag) };
    if disarmed && event::observed() {
        Event::interpreter(Kind::Disarmed, tag).tell();
    }
    disarmed
}

/// The frontend of a tag; the disarmed one when the interpreter is gone (or the tag is nobody's).
#[inline]
#[must_use]
pub fn frontend(tag: u16) -> Frontend {
    // SAFETY: the array has an element for every tag; tables live for the process.
    unsafe {
        let table = (*runtime().frontends.add(usize::from(tag))).load(Ordering::Acquire);
        Frontend(if is_armed(table) { &*table } else { &DISARMED })
    }
}

/// Whether the wrapper of an object, whose interpreter has ended, stays behind with nobody who refers to it but the object. (A thread that was stopped
/// for ever in the middle of a call may still refer to another, and use its object.)
pub(crate) fn is_orphan(pair: Pair) -> bool {
    // SAFETY: as in `frontend`. The wrapper is never freed: the object's counted reference was not released.
    unsafe {
        let table = (*runtime().frontends.add(usize::from(pair.tag()))).load(Ordering::Acquire);
        let table = table.map_addr(|address| address & !RETIRED);
        table
            .as_ref()
            .is_some_and(|table| (table.orphaned)(table.context, pair.wrapper()))
    }
}

/// The interpreter that this thread is attached to. Looks at all that were ever opened: not for what happens often.
pub(super) fn attached() -> Option<Frontend> {
    // SAFETY: the array has an element for every tag.
    let opened = |tag: &u16| unsafe {
        let slot = &*runtime().frontends.add(usize::from(*tag));
        !slot.load(Ordering::Acquire).is_null()
    };
    // Tags are given out in order.
    (1..=u16::MAX).take_while(opened).map(frontend).find(|frontend| {
        // SAFETY: as the table's contract says.
        unsafe { (frontend.0.is_attached)(frontend.0.context) }
    })
}
