//! Objects made in Rust before Python was ever initialised have one self too, keep it while Python lives, outlive it, and get a new one
//! from the next Python.
//!
//! Prints one line per check and ends with status 1 if one fails. `PAIRBOND_SITE` is the folder of the Python package.

use std::ffi::CString;
use std::sync::LazyLock;

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

/// Made by a static initialiser, and held for the process.
static GLOBAL: LazyLock<Ref<Thing>> = LazyLock::new(|| thing("global"));
/// A function that exists before Python does.
static FUNCTION: LazyLock<Function> =
    LazyLock::new(|| Function::new("twice", |args| match args {
        [Any::Int(n)] => Ok(Any::Int(2 * n)),
        _ => Err(Error::type_error("twice() takes an int")),
    }));

fn thing(name: &str) -> Ref<Thing> {
    Ref::new(Thing { name: name.into(), note: Cell::new(None), list: List::new() })
}

#[pairbond::function]
fn shared() -> Ref<Thing> {
    GLOBAL.clone()
}

#[pairbond::function]
fn function() -> Function {
    FUNCTION.clone()
}

pairbond::module!(embedding { Thing, shared, function });

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
gc.collect()
assert id(embedding.function()) == twin
"#;

fn main() {
    let before = (GLOBAL.clone(), FUNCTION.clone());
    GLOBAL.list.push(thing("child"));
    package::embed().expect("Python is not initialised yet");
    // SAFETY: before Python is initialised; the name lives for the process.
    unsafe { py::PyImport_AppendInittab(c"embedding".as_ptr(), Some(init)) };
    for session in 1..=3 {
        // SAFETY: Python is started and ended on this thread.
        unsafe {
            py::Py_InitializeEx(0);
            check(session, "the global and the function keep their selves", run(&format!("SESSION = {session}\n{SESSION}")));
            let held = wrapper::fetch(before.0.as_borrow().erase()).map(Owned::into_ptr);
            check(session, "Rust fetches the self that Python saw", held.is_ok());
            if let Ok(held) = held {
                py::Py_DECREF(held);
            }
            check(session, "Python ends", py::Py_FinalizeEx() == 0);
        }
        let state = GLOBAL.as_borrow().erase().header().custody().state();
        check(session, "the object outlives Python", GLOBAL.name == "global" && state.holder() != Holder::Python);
        let copy = GLOBAL.clone();
        let weak = GLOBAL.downgrade();
        check(session, "it is cloned, upgraded and linked without Python", weak.upgrade().is_some_and(|r| r.is(&copy)));
        GLOBAL.list.push(thing("later"));
        GLOBAL.note.set(Some("no Python here".into()));
    }
    check(4, "nothing of the graph was lost", GLOBAL.list.len() == 4);
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
