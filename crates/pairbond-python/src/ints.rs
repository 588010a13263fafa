//! Small ints as they lie in CPython's memory, for what looks at numbers all the time.

use std::mem::offset_of;
use std::sync::atomic::{AtomicPtr, Ordering};

use pairbond_value::convert::erased::words::Layout;
use pyo3_ffi as py;

/// An `int` of one digit, as it lies in memory (Include/cpython/longintrepr.h).
#[repr(C)]
struct SmallInt {
    base: py::PyObject,
    /// The number of digits with the int's sign; from 3.12 on that number times eight, and in the
    /// lowest two bits 0, 1 for zero, or 2 for a negative one.
    tag: isize,
    digit: u32,
}

/// Where numbers lie in objects, for libraries of C.
pub(crate) const LAYOUT: Layout = Layout {
    type_at: offset_of!(py::PyObject, ob_type),
    int_type: (&raw const py::PyLong_Type).cast(),
    float_type: (&raw const py::PyFloat_Type).cast(),
    tag_at: offset_of!(SmallInt, tag),
    digit_at: offset_of!(SmallInt, digit),
    float_at: size_of::<py::PyObject>(),
    tag_least: if cfg!(Py_3_12) { 0 } else { -1 },
    tag_span: if cfg!(Py_3_12) { 15 } else { 2 },
    signs: if cfg!(Py_3_12) {
        // Those with the bit of a negative one.
        [1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1]
    } else {
        [-1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    },
};

/// CPython's ints from -5 to 256: one array, which lives as long as the process. Null until that
/// has been seen to be so.
static CACHED_INTS: AtomicPtr<SmallInt> = AtomicPtr::new(std::ptr::null_mut());
const FIRST_CACHED: i64 = -5;
const CACHED: usize = 262;

/// Looks where CPython keeps its small ints. Once in each binary.
///
/// # Safety
/// Attached.
pub unsafe fn find_cached() {
    let address = |int: i64| {
        // SAFETY: attached: the caller ensures it. The int is CPython's own, so that it stays.
        unsafe {
            let object = py::PyLong_FromLongLong(int);
            py::Py_XDECREF(object);
            object.cast::<SmallInt>()
        }
    };
    let first = address(FIRST_CACHED);
    // Ints that are made anew come one after the other to the same place.
    let is_array = !first.is_null()
        && (0..CACHED).all(|at| std::ptr::eq(address(FIRST_CACHED + at as i64), first.wrapping_add(at)));
    if is_array {
        CACHED_INTS.store(first, Ordering::Release);
    }
}

/// The object that CPython keeps for a small int, which lives as long as the process.
#[inline(always)]
pub fn cached(int: i64) -> Option<*mut py::PyObject> {
    let first = CACHED_INTS.load(Ordering::Acquire);
    let at = int.wrapping_sub(FIRST_CACHED) as u64;
    (at < CACHED as u64 && !first.is_null()).then(|| first.wrapping_add(at as usize).cast())
}

/// The value of an exact `int` of at most one digit that is not negative: as [`small`], with less
/// to ask.
///
/// # Safety
/// Attached; a living object.
#[inline(always)]
pub unsafe fn natural(object: *mut py::PyObject) -> Option<usize> {
    // The bits of the tag that do not matter: from 3.12 on one digit or none, zero, and whether the
    // int is one of CPython's own.
    const OTHER: isize = 8 | 1 | 4;
    // SAFETY: attached; a living object: the caller ensures it. The struct is that of its type.
    unsafe {
        if py::Py_TYPE(object) != &raw mut py::PyLong_Type {
            return None;
        }
        let int = object.cast::<SmallInt>();
        let (tag, digit) = ((*int).tag, (*int).digit as usize);
        if cfg!(Py_3_12) {
            (tag & !OTHER == 0).then_some(digit)
        } else {
            (tag as usize <= 1).then(|| tag as usize * digit)
        }
    }
}

/// The value of an exact `int` of at most one digit (30 bits).
///
/// # Safety
/// Attached; a living object.
#[inline(always)]
pub unsafe fn small(object: *mut py::PyObject) -> Option<isize> {
    // SAFETY: attached; a living object: the caller ensures it. The struct is that of its type.
    unsafe {
        if py::Py_TYPE(object) != &raw mut py::PyLong_Type {
            return None;
        }
        let int = object.cast::<SmallInt>();
        let (tag, digit) = ((*int).tag, (*int).digit as isize);
        if cfg!(Py_3_12) {
            (tag < 16).then(|| if tag & 2 == 0 { digit } else { -digit })
        } else {
            (-1..=1).contains(&tag).then(|| tag * digit)
        }
    }
}
