//! Object types for tests of the collector, and a fake language runtime with reference counts.
//!
//! `Thing` has every kind of field that matters; its `trace` lets the test act in the middle of a
//! survey, as another thread would. The runtime lives in the thread: wrappers are numbers dressed
//! as pointers, never followed.

use super::core_crate as pb;
use pb::any::RawAny as Any;
use pb::cell::Cell;
use pb::frontend::FrontendTable;
use pb::object::{Died, Header, Object, Ref, Root, destroy_object};
use pb::trace::{Trace, Tracer};
use pb::types::TypeCell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A native object with immutable and mutable references.
pub struct Thing {
    pub id: u64,
    pub cleared: AtomicBool,
    pub fixed: Vec<Ref<Thing>>,
    pub slots: [Cell<Option<Ref<Thing>>>; 2],
    pub any: Cell<Vec<Any>>,
}

/// A native object that owns no references.
pub struct Leaf(pub u64);

macro_rules! object {
    ($t:ty, $key:literal) => {
        // SAFETY: the cell is its own; no base.
        unsafe impl Object for $t {
            const KEY: &'static str = $key;
            const THREAD_SAFE: bool = true;
            type Base = Root;
            fn type_cell() -> &'static TypeCell {
                static CELL: TypeCell = TypeCell::new();
                &CELL
            }
        }
    };
}
object!(Thing, "test.Thing");
object!(Leaf, "test.Leaf");

// SAFETY: every reference is shown once. (The test's own acts are what other threads might do at
// that moment.)
unsafe impl Trace for Thing {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        act(self);
        self.fixed.trace(tracer);
        self.slots.trace(tracer);
        self.any.trace(tracer);
    }
    fn clear(&self) {
        self.cleared.store(true, Ordering::Relaxed);
        self.slots.clear();
        self.any.clear();
    }
}

// SAFETY: it owns nothing.
unsafe impl Trace for Leaf {
    const TRACED: bool = false;
    fn trace(&self, _: &mut Tracer<'_>) {}
}

thread_local! {
    /// Things and leaves that are alive, by id.
    pub static ALIVE: RefCell<BTreeMap<u64, NonNull<Header>>> = const { RefCell::new(BTreeMap::new()) };
    pub static PY: RefCell<Runtime> = RefCell::new(Runtime::default());
    static ACT: std::cell::Cell<Option<fn(&Thing)>> = const { std::cell::Cell::new(None) };
}

/// An action for when a survey comes to a thing.
pub fn set_act(act: Option<fn(&Thing)>) {
    ACT.set(act);
}

fn act(thing: &Thing) {
    if let Some(act) = ACT.get() {
        act(thing);
    }
}

impl Drop for Thing {
    fn drop(&mut self) {
        let _ = ALIVE.try_with(|alive| alive.borrow_mut().remove(&self.id));
    }
}

impl Drop for Leaf {
    fn drop(&mut self) {
        let _ = ALIVE.try_with(|alive| alive.borrow_mut().remove(&self.0));
    }
}

/// An object of the fake runtime.
#[derive(Default)]
pub struct PyObject {
    pub count: i64,
    pub native: Option<NonNull<Header>>,
    pub refs: Vec<usize>,
    pub generation: u8,
    pub freed: bool,
    pub cleared: bool,
    pub finalizer: bool,
    /// A wrapper that the collector does not know.
    pub untracked: bool,
}

#[derive(Default)]
pub struct Runtime {
    pub tag: u16,
    /// Which interpreter of this thread; a broken one is left as it is, and gets a successor.
    pub number: usize,
    pub objects: Vec<PyObject>,
    pub deferred: Vec<usize>,
    /// The acting thread is not attached.
    pub detached: bool,
    pub error: Option<String>,
    /// Wrappers are born untracked.
    pub untracks: bool,
}

pub fn pointer(object: usize) -> *mut c_void {
    std::ptr::without_provenance_mut((object + 1) << 4)
}

pub fn number(pointer: *mut c_void) -> usize {
    (pointer.addr() >> 4) - 1
}

pub fn with<R>(f: impl FnOnce(&mut Runtime) -> R) -> R {
    PY.with(|py| f(&mut py.borrow_mut()))
}

pub fn new_py(native: Option<NonNull<Header>>, count: i64) -> usize {
    with(|py| {
        py.objects.push(PyObject {
            count,
            native,
            // SAFETY: alive, and the wrapper's.
            untracked: py.untracks && native.is_some_and(|it| unsafe { it.as_ref() }.info().is_traced()),
            ..PyObject::default()
        });
        py.objects.len() - 1
    })
}

pub fn incref(object: usize) {
    with(|py| {
        let o = &mut py.objects[object];
        if o.freed {
            py.error
                .get_or_insert(format!("py{object} is used after it was freed"));
        }
        py.objects[object].count += 1;
    });
}

pub fn decref(object: usize) {
    let dead = with(|py| {
        let o = &mut py.objects[object];
        o.count -= 1;
        if o.freed || o.count < 0 {
            py.error
                .get_or_insert(format!("py{object} is released too often"));
            return None;
        }
        if o.count > 0 {
            return None;
        }
        o.freed = true;
        Some((std::mem::take(&mut o.refs), o.native.take()))
    });
    let Some((refs, native)) = dead else { return };
    refs.into_iter().for_each(decref);
    if let Some(native) = native {
        // SAFETY: a wrapper's object is alive as long as it is.
        match unsafe { native.as_ref() }.custody().wrapper_died() {
            // SAFETY: we have the duty.
            Died::Destroy => unsafe { destroy_object(native) },
            _ => with(|py| py.error = Some(format!("wrapper {object} died before its object"))),
        }
    }
}

/// An attached thread releases what others could not.
pub fn drain() {
    let me = with(|py| py.number);
    loop {
        let mut mine = Vec::new();
        ELSEWHERE
            .lock()
            .expect("not poisoned")
            .retain(|(interpreter, object)| {
                if *interpreter == me {
                    mine.push(*object);
                }
                *interpreter != me
            });
        if mine.is_empty() {
            break;
        }
        mine.into_iter().for_each(decref);
    }
    while let Some(object) = with(|py| py.deferred.pop()) {
        decref(object);
    }
}

/// Released by threads that cannot attach: interpreter and object.
static ELSEWHERE: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
static INTERPRETERS: AtomicUsize = AtomicUsize::new(0);

fn is_current(context: *mut c_void) -> bool {
    with(|py| py.number == context.addr())
}

/// This thread's interpreter.
pub fn tag() -> u16 {
    unsafe extern "C" fn name(
        _: *mut c_void,
        _: *mut c_void,
        _: unsafe extern "C" fn(*mut c_void, *const u8, usize),
    ) {
    }
    unsafe extern "C" fn retain(me: *mut c_void, object: *mut c_void) {
        if is_current(me) {
            incref(number(object));
        }
    }
    unsafe extern "C" fn release(me: *mut c_void, object: *mut c_void) {
        if !is_current(me) {
            ELSEWHERE
                .lock()
                .expect("not poisoned")
                .push((me.addr(), number(object)));
        } else if with(|py| py.detached) {
            with(|py| py.deferred.push(number(object)));
        } else {
            decref(number(object));
        }
    }
    unsafe extern "C" fn try_retain(me: *mut c_void, object: *mut c_void) -> bool {
        let alive = is_current(me) && with(|py| !py.objects[number(object)].freed);
        if alive {
            incref(number(object));
        }
        alive
    }
    unsafe extern "C" fn enter(me: *mut c_void) -> isize {
        if !is_current(me) || with(|py| py.detached) {
            -1
        } else {
            0
        }
    }
    unsafe extern "C" fn leave(_: *mut c_void, _: isize) {}
    unsafe extern "C" fn visit(
        context: *mut c_void,
        act: unsafe extern "C" fn(*mut c_void),
        argument: *mut c_void,
    ) -> bool {
        // SAFETY: as the table's contract says.
        unsafe {
            let token = enter(context);
            if token >= 0 {
                act(argument);
                leave(context, token);
            }
            token >= 0
        }
    }
    with(|py| {
        if py.tag == 0 {
            // One that was left broken gets a successor.
            py.number = INTERPRETERS.fetch_add(1, Ordering::Relaxed) + 1;
            let table = Box::leak(Box::new(FrontendTable {
                name,
                retain,
                release,
                try_retain,
                enter,
                leave,
                visit,
                condemned: never_condemned,
                event: unheard,
                key: never_a_key,
                orphaned: never_orphaned,
                context: std::ptr::without_provenance_mut(py.number),
                ..FrontendTable::INERT
            }));
            py.tag = pb::frontend::open_interpreter(table).expect("a tag");
        }
        py.tag
    })
}

/// This frontend's collections run no foreign code between their passes.
unsafe extern "C" fn unheard(_: *mut c_void, _: *const pb::event::Event) {}

unsafe extern "C" fn never_condemned(_: *mut std::ffi::c_void, _: *const Header) -> bool {
    false
}

/// Nothing of this frontend's is a key.
unsafe extern "C" fn never_a_key(
    _: *mut std::ffi::c_void,
    _: *const Any,
    _: *const Any,
    _: *mut Any,
) -> bool {
    unreachable!()
}

/// Nor does it ever end.
unsafe extern "C" fn never_orphaned(_: *mut c_void, _: *mut c_void) -> bool {
    false
}
