//! Functions and methods of C as CPython's own, `builtin_function_or_method` and
//! `method_descriptor`, which its specialised bytecode calls.
//!
//! CPython calls the function in a `PyMethodDef` with a module or object and the arguments, and a
//! library of C has no function of its own for each of its callables. So there are many functions
//! here, each with a place for an entry, as for constructors in `native_construct`. Callables
//! beyond their number are objects of [`native_callable`](super::native_callable).

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use pairbond_core::error::Error;
use pairbond_plugin::{Entry, QuickFunction};
use pairbond_value::class::Binding;
use pyo3_ffi as py;

use super::loaded::loaded_call;
use super::native_callable::Kind;
use crate::call::checked_receiver;
use crate::convert::PyWords;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::interp;

/// How many functions there are.
const COUNT: usize = 2048;

/// An entry, with what a call needs besides.
struct Numbered {
    entry: &'static Entry,
    kind: Kind,
    is_method: bool,
    quick: Option<QuickFunction>,
}

/// The entries by the number of their functions. Never changed once set.
static ENTRIES: [AtomicPtr<Numbered>; COUNT] = [const { AtomicPtr::new(std::ptr::null_mut()) }; COUNT];
/// Held while one is set.
static SETTING: Mutex<()> = Mutex::new(());

/// The definition of a function or method of C; `None` when all are used, or it is no such thing.
pub(crate) fn method_def(entry: &'static Entry) -> Option<py::PyMethodDef> {
    let signature = entry.signature();
    if matches!(signature.binding, Binding::Constructor | Binding::ClassGetter) {
        return None;
    }
    let number = number_among(&ENTRIES, entry)?;
    let function = py::PyMethodDefPointer {
        PyCFunctionFastWithKeywords: ALL[number / ROW][number % ROW],
    };
    let convention = py::METH_FASTCALL | py::METH_KEYWORDS;
    Some(crate::call::method_definition(signature, function, convention))
}

fn number_among(all: &[AtomicPtr<Numbered>], entry: &'static Entry) -> Option<usize> {
    let _setting = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
    let number = all.iter().position(|place| {
        // SAFETY: null, or a leaked `Numbered`: nothing else is stored.
        let known = unsafe { place.load(Ordering::Acquire).as_ref() };
        known.is_none_or(|known| std::ptr::eq(known.entry, entry))
    })?;
    if all[number].load(Ordering::Acquire).is_null() {
        let numbered = Box::leak(Box::new(Numbered {
            entry,
            kind: Kind::of(entry.signature()),
            is_method: entry.signature().binding == Binding::Instance,
            quick: entry.quick_function(),
        }));
        all[number].store(numbered, Ordering::Release);
    }
    Some(number)
}

unsafe extern "C" fn call_numbered<const NUMBER: usize>(
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: py::Py_ssize_t,
    names: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: set before CPython got the function of that number, to one that lives for the
    // process; receiver and arguments are alive during the call.
    unsafe {
        let numbered = &*ENTRIES[NUMBER].load(Ordering::Acquire);
        if numbered.quick.is_none() {
            return run_in_full(numbered, receiver, arguments, count as usize, names);
        }
        run_numbered(numbered, receiver, arguments, count as usize, names)
    }
}

/// # Safety
/// Attached; receiver and arguments of one call. CPython has checked the class of a method's
/// receiver.
#[inline(never)]
unsafe fn run_numbered(
    numbered: &'static Numbered,
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> *mut py::PyObject {
    if names.is_null()
        && !interp::is_waiting()
        && let Some(quick) = &numbered.quick
        && numbered.kind != Kind::Special
        && quick.takes_exactly(count)
    {
        let made = {
            let native = if numbered.is_method {
                // SAFETY: the caller's receiver and arguments.
                unsafe { checked_receiver(receiver) }
            } else {
                None
            };
            // SAFETY: the caller's receiver and arguments.
            unsafe { quick.call(PyWords::TABLE, native, arguments.cast(), count) }
        };
        match made {
            Some(Ok(word)) => return word.as_ptr().cast(),
            Some(Err(error)) => return report_failure(numbered.kind, error),
            None => {}
        }
    }
    // SAFETY: the caller's receiver and arguments.
    unsafe { run_in_full(numbered, receiver, arguments, count, names) }
}

#[cold]
#[inline(never)]
fn report_failure(kind: Kind, error: Error) -> *mut py::PyObject {
    finish_call(|| kind.failed(error))
}

/// As [`run_numbered`], of what its function of C does not do with words alone.
///
/// # Safety
/// As for [`run_numbered`].
#[inline(never)]
unsafe fn run_in_full(
    numbered: &'static Numbered,
    receiver: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> *mut py::PyObject {
    finish_call(|| {
        let entry = numbered.entry;
        if names.is_null() && numbered.kind != Kind::Special && entry.takes_exactly(count) {
            let native = if numbered.is_method {
                // SAFETY: the caller's receiver and arguments.
                unsafe { checked_receiver(receiver) }
            } else {
                None
            };
            // SAFETY: the caller's receiver and arguments.
            return unsafe { numbered.kind.call(entry, native, arguments, count) };
        }
        // SAFETY: the caller's receiver and arguments.
        unsafe { loaded_call(entry, receiver, arguments, count, names) }
    })
}

/// How many classes have a function for the slot of `__getitem__`, which CPython calls for `s[i]`
/// without looking the method up.
const SLOTS: usize = 64;
static SUBSCRIPTS: [AtomicPtr<Numbered>; SLOTS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; SLOTS];

/// The slots of a method `__getitem__` of C; `None` for another method, or when all functions are
/// used.
pub(super) fn subscript_slots_of(entry: &'static Entry) -> Option<[py::PyType_Slot; 2]> {
    let signature = entry.signature();
    if entry.fast_call().is_some()
        || signature.binding != Binding::Instance
        || signature.name != "__getitem__"
    {
        return None;
    }
    let (subscript, item) = ALL_SUBSCRIPTS[number_among(&SUBSCRIPTS, entry)?];
    Some([
        py::PyType_Slot {
            slot: py::Py_mp_subscript,
            pfunc: subscript as *mut c_void,
        },
        py::PyType_Slot {
            slot: py::Py_sq_item,
            pfunc: item as *mut c_void,
        },
    ])
}

unsafe extern "C" fn subscript_numbered<const NUMBER: usize>(
    object: *mut py::PyObject,
    key: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: set before a class got the function of that number; both are alive during the call,
    // and CPython calls it with the class's objects.
    unsafe {
        let numbered = &*SUBSCRIPTS[NUMBER].load(Ordering::Acquire);
        run_numbered(numbered, object, &raw const key, 1, std::ptr::null_mut())
    }
}

unsafe extern "C" fn item_numbered<const NUMBER: usize>(
    object: *mut py::PyObject,
    index: py::Py_ssize_t,
) -> *mut py::PyObject {
    // SAFETY: as for `subscript_numbered`; a new reference or null.
    finish_call(|| unsafe {
        let index = owned_or_error(py::PyLong_FromSsize_t(index))?;
        owned_or_error(subscript_numbered::<NUMBER>(object, index.as_ptr()))
    })
}

macro_rules! subscripts {
    ($($at:literal)*) => {
        [$((subscript_numbered::<$at>, item_numbered::<$at>)),*]
    };
}

static ALL_SUBSCRIPTS: [(py::binaryfunc, py::ssizeargfunc); SLOTS] = subscripts!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);

/// How many functions are written in one line below.
const ROW: usize = 32;
type Row = [py::PyCFunctionFastWithKeywords; ROW];

macro_rules! row {
    ($row:literal; $($at:literal)*) => {
        [$(call_numbered::<{ ROW * $row + $at }>),*]
    };
}
macro_rules! rows {
    ($($row:literal)*) => {
        [$(row!($row; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)),*]
    };
}

static ALL: [Row; COUNT / ROW] = rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
