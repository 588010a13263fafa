//! Calls of a class of C, `Node(…)`, in one step, as those of a class of Rust.
//!
//! CPython calls a class's `tp_vectorcall` and `tp_init` with the class and nothing else, and a
//! library of C has no functions of its own to put there. So there are some functions here, each
//! with a place for the entry of a constructor. Classes beyond their number take CPython's way,
//! `__new__` and then `__init__`.

use std::ffi::c_int;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use pairbond_plugin::Entry;
use pairbond_value::convert::erased::words::WordArgs;
use pyo3_ffi as py;

use super::loaded::{loaded_construct, loaded_init as init_of};
use crate::call::{generic_call, is_as_built, new};
use crate::convert::PyWords;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::wrapper;

/// How many constructors have functions.
const COUNT: usize = 64;

/// The entries of constructors, by the number of their functions. Never changed once set.
static ENTRIES: [AtomicPtr<Entry>; COUNT] = [const { AtomicPtr::new(std::ptr::null_mut()) }; COUNT];
/// Held while one is set.
static SETTING: Mutex<()> = Mutex::new(());

/// The functions of a class.
#[derive(Clone, Copy)]
pub(super) struct Functions {
    pub(super) init: py::initproc,
    pub(super) vectorcall: py::vectorcallfunc,
}

/// The functions that make objects by a constructor; `None` when all are used.
pub(super) fn functions_for(entry: &'static Entry) -> Option<Functions> {
    let _setting = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = std::ptr::from_ref(entry).cast_mut();
    let number = ENTRIES.iter().position(|place| {
        let known = place.load(Ordering::Acquire);
        known == wanted || known.is_null()
    })?;
    ENTRIES[number].store(wanted, Ordering::Release);
    Some(ALL[number])
}

macro_rules! all {
    ($($a:literal)*) => {
        [$(
            Functions { init: construct_init::<{ 8 * $a }>, vectorcall: construct_vectorcall::<{ 8 * $a }> },
            Functions { init: construct_init::<{ 8 * $a + 1 }>, vectorcall: construct_vectorcall::<{ 8 * $a + 1 }> },
            Functions { init: construct_init::<{ 8 * $a + 2 }>, vectorcall: construct_vectorcall::<{ 8 * $a + 2 }> },
            Functions { init: construct_init::<{ 8 * $a + 3 }>, vectorcall: construct_vectorcall::<{ 8 * $a + 3 }> },
            Functions { init: construct_init::<{ 8 * $a + 4 }>, vectorcall: construct_vectorcall::<{ 8 * $a + 4 }> },
            Functions { init: construct_init::<{ 8 * $a + 5 }>, vectorcall: construct_vectorcall::<{ 8 * $a + 5 }> },
            Functions { init: construct_init::<{ 8 * $a + 6 }>, vectorcall: construct_vectorcall::<{ 8 * $a + 6 }> },
            Functions { init: construct_init::<{ 8 * $a + 7 }>, vectorcall: construct_vectorcall::<{ 8 * $a + 7 }> },
        )*]
    };
}

static ALL: [Functions; COUNT] = all!(0 1 2 3 4 5 6 7);

/// The constructor of functions that a class has.
fn entry_of(number: usize) -> &'static Entry {
    // SAFETY: set before a class got the functions of that number, to one that lives for the
    // process.
    unsafe { &*ENTRIES[number].load(Ordering::Acquire) }
}

unsafe extern "C" fn construct_init<const NUMBER: usize>(
    object: *mut py::PyObject,
    arguments: *mut py::PyObject,
    keywords: *mut py::PyObject,
) -> c_int {
    // SAFETY: called by CPython with an object of the class, a tuple, and a dict or null.
    unsafe { init_of(entry_of(NUMBER), object.cast(), arguments.cast(), keywords.cast()) }
}

unsafe extern "C" fn construct_vectorcall<const NUMBER: usize>(
    class: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    let class = class.cast::<py::PyTypeObject>();
    // SAFETY: a living type; the arguments of one call.
    unsafe {
        let count = py::PyVectorcall_NARGS(count) as usize;
        let init = construct_init::<NUMBER> as *const () as usize;
        if is_as_built(class, init, new as *const () as usize) {
            make_object(class, entry_of(NUMBER), arguments, count, keywords)
        } else {
            generic_call(class, arguments, count, keywords)
        }
    }
}

/// Makes an object with its wrapper, which is not shared before.
///
/// # Safety
/// Attached; the class that the constructor is of; the arguments of one call.
unsafe fn make_object(
    class: *mut py::PyTypeObject,
    entry: &'static Entry,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    finish_call(|| {
        if keywords.is_null()
            && let Some(makes) = entry.constructs_with(count)
        {
            // SAFETY: attached; a wrapper of the class that stands for nothing yet.
            unsafe {
                let args = WordArgs::new(PyWords::TABLE, None, arguments.cast(), count, &[]);
                return wrapper::make_pair_with(class, makes, |pair| entry.construct_pair(&args, pair));
            }
        }
        // SAFETY: attached; a wrapper of the class that stands for nothing yet.
        unsafe {
            let made = owned_or_error(wrapper::allocate(class))?;
            loaded_construct(entry, made.as_ptr(), arguments, count, keywords)?;
            Ok(made)
        }
    })
}
