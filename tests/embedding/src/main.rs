//! Objects made in Rust before Python was ever initialised have one self too, keep it while Python
//! lives, outlive it, and get a new one from the next Python.
//!
//! Prints one line per check and ends with status 1 if one fails. `PAIRBOND_SITE` is the folder of
//! the Python package.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

use pairbond::prelude::*;
use pairbond_core::object::Holder;
use pairbond_python::{owned::Owned, package, wrapper};
use pyo3_ffi as py;

/// A thing that a static holds.
#[pairbond::object("embedding.Thing")]
pub struct Thing {
    #[field]
    name: Str,
    #[field(set)]
    note: Cell<Option<Str>>,
    #[field]
    list: List<Thing>,
}

#[pairbond::methods]
impl Thing {
    fn me(this: Borrow<'_, Self>) -> Ref<Self> {
        this.to_ref()
    }
}

/// A thing that can own no reference, and whose death is seen.
#[pairbond::object("embedding.Leaf")]
pub struct Leaf {
    #[field]
    number: i64,
}

static DEAD_LEAVES: AtomicUsize = AtomicUsize::new(0);

impl Drop for Leaf {
    fn drop(&mut self) {
        DEAD_LEAVES.fetch_add(1, Ordering::Relaxed);
    }
}

#[pairbond::methods]
impl Leaf {
    #[new]
    fn new(number: i64) -> Self {
        Leaf { number }
    }
}

/// Made by a static initialiser, and held for the process.
static GLOBAL: LazyLock<Ref<Thing>> = LazyLock::new(|| thing("global"));
/// A function that exists before Python does.
static FUNCTION: LazyLock<Function> =
    LazyLock::new(|| Function::new("twice", |args| match args {
        [Any::Int(n)] => Ok(Any::Int(2 * n)),
        _ => Err(Error::type_error("twice() takes an int")),
    }));

/// Threads that never saw Python, and do not care whether there is one.
struct Native {
    stop: &'static AtomicBool,
    /// Of each thread.
    rounds: &'static [AtomicU64; 2],
    threads: Vec<thread::JoinHandle<()>>,
}

impl Native {
    fn start() -> Self {
        static STOP: AtomicBool = AtomicBool::new(false);
        static ROUNDS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
        let work = |rounds: &'static AtomicU64| {
            let weak = GLOBAL.downgrade();
            while !STOP.load(Ordering::Relaxed) {
                let things = [GLOBAL.clone(), weak.upgrade().expect("a static keeps it"), thing("native")];
                things[2].list.push(things[0].clone());
                let callback = CALLBACK.lock().unwrap().clone();
                if let Some(callback) = callback {
                    // Attaches and answers while Python is there, and is refused when it is not.
                    let _ = callback.call(&[Any::Object(things[2].clone().into_erased())]);
                }
                drop(things);
                rounds.fetch_add(1, Ordering::Relaxed);
            }
        };
        let threads = ROUNDS.iter().map(|rounds| thread::spawn(move || work(rounds))).collect();
        Native { stop: &STOP, rounds: &ROUNDS, threads }
    }

    /// Until each thread has begun and ended ten rounds.
    fn wait(&self) {
        let ends = self.rounds.each_ref().map(|rounds| rounds.load(Ordering::Relaxed) + 11);
        for (rounds, end) in self.rounds.iter().zip(ends) {
            while rounds.load(Ordering::Relaxed) < end {
                thread::yield_now();
            }
        }
    }

    fn stop(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().for_each(|thread| thread.join().expect("it does not panic"));
        self.rounds.iter().map(|rounds| rounds.load(Ordering::Relaxed)).sum()
    }
}

fn thing(name: &str) -> Ref<Thing> {
    Ref::new(Thing { name: name.into(), note: Cell::new(None), list: List::new() })
}

/// What Python gave Rust to keep: a callback, and leaves.
static CALLBACK: Mutex<Option<Function>> = Mutex::new(None);
static LEAVES: Mutex<Vec<Ref<Leaf>>> = Mutex::new(Vec::new());

#[pairbond::function]
fn keep(callback: Function, leaves: Vec<Ref<Leaf>>) {
    *CALLBACK.lock().unwrap() = Some(callback);
    LEAVES.lock().unwrap().extend(leaves);
}

/// A leaf that Rust made and keeps.
#[pairbond::function]
fn leaf() -> Ref<Leaf> {
    LEAVES.lock().unwrap()[0].clone()
}

#[pairbond::function]
fn shared() -> Ref<Thing> {
    GLOBAL.clone()
}

#[pairbond::function]
fn function() -> Function {
    FUNCTION.clone()
}

pairbond::module!(embedding { Thing, Leaf, shared, function, keep, leaf });

unsafe extern "C" {
    fn PyInit_embedding() -> *mut py::PyObject;
}

fn run(code: &str) -> bool {
    let code = CString::new(code).expect("no zero byte");
    // SAFETY: Python is initialised and this thread attached.
    unsafe { py::PyRun_SimpleString(code.as_ptr()) == 0 }
}

const SESSION: &str = r#"
import gc, sys, os, weakref
sys.path.insert(0, os.environ["PAIRBOND_SITE"])
import pairbond, embedding
first = embedding.shared()
assert first is embedding.shared() and first is first.me()
assert first.name == "global"
number = id(first)
first.mark = SESSION
alive = weakref.ref(first)
del first
for _ in range(100):
    gc.collect()
    junk = [object() for _ in range(1000)]
    again = embedding.shared()
    assert id(again) == number and again.mark == SESSION and alive() is again
    del again
f = embedding.function()
assert f is embedding.function() and f(21) == 42
twin = id(f)
del f
called = []
embedding.keep(lambda value: called.append(value) or len(called), [embedding.Leaf(i) for i in range(3)])
embedding.leaf().mark = SESSION
gc.collect()
assert id(embedding.function()) == twin
"#;

fn main() {
    let before = (GLOBAL.clone(), FUNCTION.clone());
    GLOBAL.list.push(thing("child"));
    package::embed().expect("Python is not initialised yet");
    // SAFETY: before Python is initialised; the name lives for the process.
    unsafe { py::PyImport_AppendInittab(c"embedding".as_ptr(), Some(init)) };
    let native = Native::start();
    for session in 1..=3 {
        let dead = DEAD_LEAVES.load(Ordering::Relaxed);
        LEAVES.lock().unwrap().push(Ref::new(Leaf { number: -1 }));
        // SAFETY: Python is started and ended on this thread.
        let callback = unsafe {
            py::Py_InitializeEx(0);
            check(session, "the global and the function keep their selves", run(&format!("SESSION = {session}\n{SESSION}")));
            let held = wrapper::fetch(before.0.as_borrow().erase()).map(Owned::into_ptr);
            check(session, "Rust fetches the self that Python saw", held.is_ok());
            if let Ok(held) = held {
                py::Py_DECREF(held);
            }
            let callback = CALLBACK.lock().unwrap().clone().expect("kept");
            let called = callback.call(&[Any::Int(1)]);
            check(session, "Rust calls back", called.is_ok_and(|value| matches!(value, Any::Int(_))));
            let state = py::PyEval_SaveThread();
            native.wait();
            // A thread that is in the middle of Python code when that ends never comes back from
            // it, so both must be seen to be out of it.
            drop(CALLBACK.lock().unwrap().take());
            native.wait();
            py::PyEval_RestoreThread(state);
            check(session, "Python ends", py::Py_FinalizeEx() == 0);
            callback
        };
        // From now on it is refused.
        *CALLBACK.lock().unwrap() = Some(callback.clone());
        let refused = |callback: &Function| callback.call(&[]).is_err_and(|error| *error.kind() == ErrorKind::Closed);
        check(session, "a callback is refused", refused(&callback));
        check(session, "on any thread", thread::scope(|scope| scope.spawn(|| refused(&callback)).join()).unwrap());
        native.wait();
        *CALLBACK.lock().unwrap() = None;
        drop(callback);
        let leaves = std::mem::take(&mut *LEAVES.lock().unwrap());
        let weak: Vec<_> = leaves.iter().map(Ref::downgrade).collect();
        check(session, "leaves outlive Python", weak.iter().all(|leaf| leaf.upgrade().is_some()));
        thread::spawn(move || drop(leaves)).join().unwrap();
        check(session, "and die with their last reference", DEAD_LEAVES.load(Ordering::Relaxed) == dead + 4);
        check(session, "which weak references see", weak.iter().all(|leaf| leaf.upgrade().is_none()));
        native.wait();
        let state = GLOBAL.as_borrow().erase().header().custody().state();
        check(session, "the object outlives Python", GLOBAL.name == "global" && state.holder() != Holder::Python);
        let copy = GLOBAL.clone();
        let weak = GLOBAL.downgrade();
        check(session, "it is cloned, upgraded and linked without Python", weak.upgrade().is_some_and(|r| r.is(&copy)));
        GLOBAL.list.push(thing("later"));
        GLOBAL.note.set(Some("no Python here".into()));
    }
    check(4, "nothing of the graph was lost", GLOBAL.list.len() == 4);
    check(4, "native threads worked all the time", native.stop() > 60);
    println!("all checks passed");
}

/// The module's own function is safe to call; the table wants one that is not.
unsafe extern "C" fn init() -> *mut py::PyObject {
    // SAFETY: called by CPython's import.
    unsafe { PyInit_embedding() }
}

fn check(session: i32, what: &str, fine: bool) {
    println!("{} session {session}: {what}", if fine { "ok  " } else { "FAIL" });
    if !fine {
        std::process::exit(1);
    }
}
