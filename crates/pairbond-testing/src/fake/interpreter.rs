//! The interpreter: lock, queue, and the table through which the core calls.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pairbond_core::any::{Foreign, RawAny};
use pairbond_core::error::Error;
use pairbond_core::event::{Event, Kind as What, happened};
use pairbond_core::frontend::{Arguments, Deferred, FrontendTable, disarm, open};
use pairbond_core::object::{ErasedBorrow, settle};
use pairbond_value::value::{Any, Function};

use super::wrapper::{Kind, PyRef, Wrapper};

/// One interpreter. Lives for the process, as tables must.
pub struct Interpreter {
    tag: AtomicU16,
    held: Mutex<bool>,
    free: Condvar,
    open: AtomicBool,
    deferred: Deferred,
    /// All that are alive, by address: what an ended interpreter leaves behind is meant to stay,
    /// and tools that look for leaks see it here.
    wrappers: Mutex<HashMap<usize, AtomicPtr<Wrapper>>>,
    leaked: AtomicUsize,
    calls: AtomicUsize,
    table: AtomicPtr<FrontendTable>,
    events: Mutex<Vec<Event>>,
}

/// All of them: they live for the process.
static ALL: Mutex<Vec<&'static Interpreter>> = Mutex::new(Vec::new());

thread_local! {
    /// The interpreter that this thread is attached to.
    static CURRENT: Cell<*const Interpreter> = const { Cell::new(std::ptr::null()) };
}

/// Proof that the thread is attached; detaches it again when it was not before.
pub struct Attached<'a> {
    interpreter: &'a Interpreter,
    newly: bool,
    _here: std::marker::PhantomData<*const ()>,
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        self.interpreter.detach(self.newly);
    }
}

impl Interpreter {
    /// Opens one.
    ///
    /// # Panics
    /// When no tag is left.
    #[must_use]
    pub fn open() -> &'static Self {
        let this: &'static Interpreter = Box::leak(Box::new(Interpreter {
            tag: AtomicU16::new(0),
            held: Mutex::new(false),
            free: Condvar::new(),
            open: AtomicBool::new(true),
            deferred: Deferred::new(),
            wrappers: Mutex::default(),
            leaked: AtomicUsize::new(0),
            calls: AtomicUsize::new(0),
            table: AtomicPtr::new(std::ptr::null_mut()),
            events: Mutex::default(),
        }));
        let table: &'static FrontendTable = Box::leak(Box::new(FrontendTable {
            name,
            retain,
            release,
            try_retain,
            enter,
            leave,
            call,
            visit,
            condemned: never_condemned,
            event: note,
            key,
            orphaned,
            context: std::ptr::from_ref(this).cast_mut().cast(),
            ..FrontendTable::INERT
        }));
        this.table
            .store(std::ptr::from_ref(table).cast_mut(), Ordering::SeqCst);
        ALL.lock().unwrap_or_else(PoisonError::into_inner).push(this);
        this.tag.store(open(table).expect("a tag"), Ordering::SeqCst);
        this
    }

    /// The events that it was told of since it was asked last;
    /// [`observe`](pairbond_core::frontend::observe) begins it.
    pub fn events(&self) -> Vec<Event> {
        std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tag that its objects carry.
    #[must_use]
    pub fn tag(&self) -> u16 {
        self.tag.load(Ordering::SeqCst)
    }

    /// Wrappers (and plain objects) alive.
    #[must_use]
    pub fn wrappers(&self) -> usize {
        self.living().len()
    }

    fn living(&self) -> MutexGuard<'_, HashMap<usize, AtomicPtr<Wrapper>>> {
        self.wrappers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn born(&self, wrapper: *mut Wrapper) {
        self.living().insert(wrapper.addr(), AtomicPtr::new(wrapper));
    }

    pub(super) fn died(&self, wrapper: *mut Wrapper) {
        assert!(
            self.living().remove(&wrapper.addr()).is_some(),
            "a wrapper died twice"
        );
    }

    /// References that were dropped when it was closed already.
    #[must_use]
    pub fn leaked(&self) -> usize {
        self.leaked.load(Ordering::SeqCst)
    }

    /// How often the core has called any function of the table.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Attaches the thread, which waits for its turn, and releases what has been waiting for
    /// someone attached.
    pub fn attach(&self) -> Attached<'_> {
        let newly = self.lock();
        let attached = Attached {
            interpreter: self,
            newly,
            _here: std::marker::PhantomData,
        };
        self.drain(&attached);
        attached
    }

    /// Releases references that were dropped by threads that were not attached.
    pub fn drain(&self, attached: &Attached<'_>) {
        while !self.deferred.is_empty() {
            for wrapper in self.deferred.take() {
                // SAFETY: the reference was counted.
                unsafe { Wrapper::release(wrapper.cast(), attached) };
            }
        }
    }

    /// Closes: from now on nothing attaches, references are leaked, and the core finds an inert
    /// table.
    pub fn close(&self) -> bool {
        {
            let attached = self.attach();
            self.drain(&attached);
            self.open.store(false, Ordering::SeqCst);
        }
        disarm(self.tag())
    }

    /// Whether this thread is attached.
    #[must_use]
    pub fn is_attached(&self) -> bool {
        std::ptr::eq(CURRENT.get(), self)
    }

    /// An object of the interpreter's own.
    #[must_use]
    pub fn object(&'static self) -> Foreign {
        self.foreign(Kind::Plain)
    }

    /// A callable object of the interpreter's own, as a function.
    pub fn function(
        &'static self,
        f: impl Fn(&[Any]) -> Result<Any, Error> + Send + Sync + 'static,
    ) -> Function {
        Function::from_foreign(self.foreign(Kind::Function(Box::new(f))))
    }

    /// Cuts the wrapper of an object in native custody off, as an interpreter does with all its
    /// objects when it ends.
    ///
    /// # Panics
    /// When the object is not in native custody.
    pub fn sever(&self, object: ErasedBorrow<'_>, attached: &Attached<'_>) {
        let custody = object.header().custody();
        let wrapper: *mut Wrapper = custody.pair().wrapper().cast();
        let duty = custody.sever().expect("in native custody");
        object.header().count_wrapper(-1);
        happened(What::Severed, object.header(), self.tag());
        // SAFETY: alive: the object's reference is ours now, and so is the duty.
        unsafe {
            (*wrapper).kind = Kind::Plain;
            settle(object.as_ptr(), duty);
            Wrapper::release(wrapper, attached);
        }
    }

    fn foreign(&'static self, kind: Kind) -> Foreign {
        let object = PyRef::new(self, kind);
        // SAFETY: a counted reference, given away.
        unsafe { Foreign::from_raw(self.tag(), object.into_raw().cast()) }
    }

    fn lock(&self) -> bool {
        if self.is_attached() {
            return false;
        }
        assert!(CURRENT.get().is_null(), "attached to another interpreter");
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        while *held {
            held = self.free.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        *held = true;
        CURRENT.set(self);
        true
    }

    fn detach(&self, newly: bool) {
        if newly {
            CURRENT.set(std::ptr::null());
            *self.held.lock().unwrap_or_else(PoisonError::into_inner) = false;
            self.free.notify_one();
        }
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }
}

/// # Safety
/// The context of a table made by `Interpreter::open`.
unsafe fn interpreter<'a>(context: *mut c_void) -> &'a Interpreter {
    // SAFETY: interpreters live for the process.
    let this = unsafe { &*context.cast::<Interpreter>() };
    this.calls.fetch_add(1, Ordering::SeqCst);
    this
}

unsafe extern "C" fn name(
    context: *mut c_void,
    to: *mut c_void,
    write: unsafe extern "C" fn(*mut c_void, *const u8, usize),
) {
    // SAFETY: our context; the caller's own function.
    unsafe {
        let name = format!("fake interpreter {}", interpreter(context).tag());
        write(to, name.as_ptr(), name.len());
    }
}

unsafe extern "C" fn retain(context: *mut c_void, wrapper: *mut c_void) {
    // SAFETY: our context; a living wrapper.
    unsafe {
        let this = interpreter(context);
        let newly = this.lock();
        Wrapper::retain(wrapper.cast());
        this.detach(newly);
    }
}

unsafe extern "C" fn release(context: *mut c_void, wrapper: *mut c_void) {
    // SAFETY: our context; a counted reference.
    unsafe {
        let this = interpreter(context);
        if this.is_attached() {
            let attached = Attached {
                interpreter: this,
                newly: false,
                _here: std::marker::PhantomData,
            };
            Wrapper::release(wrapper.cast(), &attached);
        } else if this.is_open() {
            let _first = this.deferred.push(wrapper);
        } else {
            this.leaked.fetch_add(1, Ordering::SeqCst);
        }
    }
}

unsafe extern "C" fn try_retain(context: *mut c_void, wrapper: *mut c_void) -> bool {
    // SAFETY: our context; a pinned wrapper.
    unsafe {
        assert!(interpreter(context).is_attached());
        Wrapper::try_retain(wrapper.cast())
    }
}

unsafe extern "C" fn enter(context: *mut c_void) -> isize {
    // SAFETY: the context is the interpreter that this table was made for.
    let this = unsafe { interpreter(context) };
    if !this.is_open() {
        return -1;
    }
    let newly = this.lock();
    if !this.is_open() {
        // Closed while we waited.
        this.detach(newly);
        return -1;
    }
    newly.into()
}

unsafe extern "C" fn leave(context: *mut c_void, token: isize) {
    // SAFETY: the context is the interpreter that this table was made for.
    unsafe { interpreter(context) }.detach(token == 1);
}

unsafe extern "C" fn call(
    context: *mut c_void,
    callable: *mut c_void,
    arguments: *const Arguments,
    out: *mut RawAny,
) -> Option<Error> {
    // SAFETY: our context; a living object, the caller's slice and place.
    unsafe {
        let this = interpreter(context);
        let result = if this.is_open() {
            let newly = this.lock();
            let arguments = (*arguments).values();
            let result = match &(*callable.cast::<Wrapper>()).kind {
                Kind::Function(f) => f(arguments),
                _ => Err(Error::type_error("not callable")),
            };
            this.detach(newly);
            result
        } else {
            Err(Error::new(pairbond_core::error::ErrorKind::Closed, "closed"))
        };
        Arguments::answer(result, out)
    }
}

/// No thread is attached to two of these interpreters.
unsafe extern "C" fn visit(
    context: *mut std::ffi::c_void,
    act: unsafe extern "C" fn(*mut std::ffi::c_void),
    argument: *mut std::ffi::c_void,
) -> bool {
    // SAFETY: as the table's contract says.
    unsafe {
        let token = enter(context);
        if token < 0 {
            return false;
        }
        act(argument);
        leave(context, token);
    }
    true
}

/// This frontend's collections run no foreign code between their passes.
unsafe extern "C" fn note(context: *mut c_void, event: *const Event) {
    // SAFETY: the context of the table, which lives for the process, and a valid event.
    let (interpreter, event) = unsafe { (&*context.cast::<Interpreter>(), *event) };
    interpreter
        .events
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(event);
}

unsafe extern "C" fn never_condemned(
    _: *mut std::ffi::c_void,
    _: *const pairbond_core::object::Header,
) -> bool {
    false
}

/// Objects of the interpreter's own are equal to nothing else, and hash by their address.
unsafe extern "C" fn key(context: *mut c_void, a: *const RawAny, b: *const RawAny, out: *mut RawAny) -> bool {
    // SAFETY: our context; the caller's values and place.
    unsafe {
        let this = interpreter(context);
        let newly = this.lock();
        let answer = match (&*a, b.as_ref()) {
            (_, Some(_)) => RawAny::Bool(false),
            (RawAny::Foreign(object), None) => RawAny::Int(object.as_ptr().addr() as i64),
            _ => RawAny::None,
        };
        this.detach(newly);
        out.write(answer);
    }
    true
}

unsafe extern "C" fn orphaned(_: *mut std::ffi::c_void, wrapper: *mut std::ffi::c_void) -> bool {
    // SAFETY: wrappers that an ended interpreter leaves behind are never freed.
    unsafe { Wrapper::is_orphan(wrapper.cast()) }
}
