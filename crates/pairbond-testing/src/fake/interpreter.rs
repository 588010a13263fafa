//! The interpreter: lock, queue, and the table through which the core calls.

use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pairbond_core::any::{Foreign, RawAny};
use pairbond_core::error::Error;
use pairbond_core::event::{Event, Kind as What, notify_object_event};
use pairbond_core::frontend::{Arguments, Deferred, FrontendTable, disarm_interpreter, open_interpreter};
use pairbond_core::object::{ErasedBorrow, run_release_action};
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
        self.interpreter.detach_thread(self.newly);
    }
}

impl Interpreter {
    /// Opens one.
    ///
    /// # Panics
    /// When no tag is left.
    #[must_use]
    pub fn open_interpreter() -> &'static Self {
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
            name: write_name,
            retain: retain_wrapper,
            release: release_wrapper,
            try_retain,
            enter: attach_thread,
            leave: leave_thread,
            call: call_object,
            visit: visit_attached,
            condemned: never_condemned,
            event: note_event,
            key: compare_keys,
            orphaned: is_orphaned,
            context: std::ptr::from_ref(this).cast_mut().cast(),
            ..FrontendTable::INERT
        }));
        this.table
            .store(std::ptr::from_ref(table).cast_mut(), Ordering::SeqCst);
        ALL.lock().unwrap_or_else(PoisonError::into_inner).push(this);
        this.tag
            .store(open_interpreter(table).expect("a tag"), Ordering::SeqCst);
        this
    }

    /// The events that it was told of since it was asked last;
    /// [`observe_events`](pairbond_core::frontend::observe_events) begins it.
    pub fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tag that its objects carry.
    #[must_use]
    pub fn tag(&self) -> u16 {
        self.tag.load(Ordering::SeqCst)
    }

    /// Wrappers (and plain objects) alive.
    #[must_use]
    pub fn wrapper_count(&self) -> usize {
        self.live_wrappers().len()
    }

    fn live_wrappers(&self) -> MutexGuard<'_, HashMap<usize, AtomicPtr<Wrapper>>> {
        self.wrappers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn record_birth(&self, wrapper: *mut Wrapper) {
        self.live_wrappers()
            .insert(wrapper.addr(), AtomicPtr::new(wrapper));
    }

    pub(super) fn record_death(&self, wrapper: *mut Wrapper) {
        assert!(
            self.live_wrappers().remove(&wrapper.addr()).is_some(),
            "a wrapper died twice"
        );
    }

    /// References that were dropped when it was closed already.
    #[must_use]
    pub fn leaked_count(&self) -> usize {
        self.leaked.load(Ordering::SeqCst)
    }

    /// How often the core has called any function of the table.
    #[must_use]
    pub fn call_count(&self) -> usize {
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
        self.drain_deferred(&attached);
        attached
    }

    /// Releases references that were dropped by threads that were not attached.
    pub fn drain_deferred(&self, attached: &Attached<'_>) {
        while !self.deferred.is_empty() {
            for wrapper in self.deferred.take_all() {
                // SAFETY: the reference was counted.
                unsafe { Wrapper::release_wrapper(wrapper.cast(), attached) };
            }
        }
    }

    /// Closes: from now on nothing attaches, references are leaked, and the core finds an inert
    /// table.
    pub fn close(&self) -> bool {
        {
            let attached = self.attach();
            self.drain_deferred(&attached);
            self.open.store(false, Ordering::SeqCst);
        }
        disarm_interpreter(self.tag())
    }

    /// Whether this thread is attached.
    #[must_use]
    pub fn is_attached(&self) -> bool {
        std::ptr::eq(CURRENT.get(), self)
    }

    /// An object of the interpreter's own.
    #[must_use]
    pub fn new_object(&'static self) -> Foreign {
        self.new_foreign(Kind::Plain)
    }

    /// A callable object of the interpreter's own, as a function.
    pub fn new_function(
        &'static self,
        f: impl Fn(&[Any]) -> Result<Any, Error> + Send + Sync + 'static,
    ) -> Function {
        Function::from_foreign(self.new_foreign(Kind::Function(Box::new(f))))
    }

    /// Cuts the wrapper of an object in native custody off, as an interpreter does with all its
    /// objects when it ends.
    ///
    /// # Panics
    /// When the object is not in native custody.
    pub fn sever_wrapper(&self, object: ErasedBorrow<'_>, attached: &Attached<'_>) {
        let custody = object.header().custody();
        let wrapper: *mut Wrapper = custody.pair().wrapper().cast();
        let duty = custody.sever().expect("in native custody");
        object.header().count_wrapper(-1);
        notify_object_event(What::Severed, object.header(), self.tag());
        // SAFETY: alive: the object's reference is ours now, and so is the duty.
        unsafe {
            (*wrapper).kind = Kind::Plain;
            run_release_action(object.as_ptr(), duty);
            Wrapper::release_wrapper(wrapper, attached);
        }
    }

    fn new_foreign(&'static self, kind: Kind) -> Foreign {
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

    fn detach_thread(&self, newly: bool) {
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
/// The context of a table made by `Interpreter::open_interpreter`.
unsafe fn interpreter_from<'a>(context: *mut c_void) -> &'a Interpreter {
    // SAFETY: interpreters live for the process.
    let this = unsafe { &*context.cast::<Interpreter>() };
    this.calls.fetch_add(1, Ordering::SeqCst);
    this
}

unsafe extern "C" fn write_name(
    context: *mut c_void,
    to: *mut c_void,
    write: unsafe extern "C" fn(*mut c_void, *const u8, usize),
) {
    // SAFETY: our context; the caller's own function.
    unsafe {
        let name = format!("fake interpreter {}", interpreter_from(context).tag());
        write(to, name.as_ptr(), name.len());
    }
}

unsafe extern "C" fn retain_wrapper(context: *mut c_void, wrapper: *mut c_void) {
    // SAFETY: our context; a living wrapper.
    unsafe {
        let this = interpreter_from(context);
        let newly = this.lock();
        Wrapper::retain_wrapper(wrapper.cast());
        this.detach_thread(newly);
    }
}

unsafe extern "C" fn release_wrapper(context: *mut c_void, wrapper: *mut c_void) {
    // SAFETY: our context; a counted reference.
    unsafe {
        let this = interpreter_from(context);
        if this.is_attached() {
            let attached = Attached {
                interpreter: this,
                newly: false,
                _here: std::marker::PhantomData,
            };
            Wrapper::release_wrapper(wrapper.cast(), &attached);
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
        assert!(interpreter_from(context).is_attached());
        Wrapper::try_retain(wrapper.cast())
    }
}

unsafe extern "C" fn attach_thread(context: *mut c_void) -> isize {
    // SAFETY: the context is the interpreter that this table was made for.
    let this = unsafe { interpreter_from(context) };
    if !this.is_open() {
        return -1;
    }
    let newly = this.lock();
    if !this.is_open() {
        // Closed while we waited.
        this.detach_thread(newly);
        return -1;
    }
    newly.into()
}

unsafe extern "C" fn leave_thread(context: *mut c_void, token: isize) {
    // SAFETY: the context is the interpreter that this table was made for.
    unsafe { interpreter_from(context) }.detach_thread(token == 1);
}

unsafe extern "C" fn call_object(
    context: *mut c_void,
    callable: *mut c_void,
    arguments: *const Arguments,
    out: *mut RawAny,
) -> Option<Error> {
    // SAFETY: our context; a living object, the caller's slice and place.
    unsafe {
        let this = interpreter_from(context);
        let result = if this.is_open() {
            let newly = this.lock();
            let arguments = (*arguments).values();
            let result = match &(*callable.cast::<Wrapper>()).kind {
                Kind::Function(f) => f(arguments),
                _ => Err(Error::type_error("not callable")),
            };
            this.detach_thread(newly);
            result
        } else {
            Err(Error::new(pairbond_core::error::ErrorKind::Closed, "closed"))
        };
        Arguments::write_outcome(result, out)
    }
}

/// No thread is attached to two of these interpreters.
unsafe extern "C" fn visit_attached(
    context: *mut std::ffi::c_void,
    act: unsafe extern "C" fn(*mut std::ffi::c_void),
    argument: *mut std::ffi::c_void,
) -> bool {
    // SAFETY: as the table's contract says.
    unsafe {
        let token = attach_thread(context);
        if token < 0 {
            return false;
        }
        act(argument);
        leave_thread(context, token);
    }
    true
}

/// This frontend's collections run no foreign code between their passes.
unsafe extern "C" fn note_event(context: *mut c_void, event: *const Event) {
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
unsafe extern "C" fn compare_keys(
    context: *mut c_void,
    a: *const RawAny,
    b: *const RawAny,
    out: *mut RawAny,
) -> bool {
    // SAFETY: our context; the caller's values and place.
    unsafe {
        let this = interpreter_from(context);
        let newly = this.lock();
        let answer = match (&*a, b.as_ref()) {
            (_, Some(_)) => RawAny::Bool(false),
            (RawAny::Foreign(object), None) => RawAny::Int(object.as_ptr().addr() as i64),
            _ => RawAny::None,
        };
        this.detach_thread(newly);
        out.write(answer);
    }
    true
}

unsafe extern "C" fn is_orphaned(_: *mut std::ffi::c_void, wrapper: *mut std::ffi::c_void) -> bool {
    // SAFETY: wrappers that an ended interpreter leaves behind are never freed.
    unsafe { Wrapper::is_orphan(wrapper.cast()) }
}
