//! The C functions behind protocols, except operators and comparisons.

use std::ffi::{c_int, c_void};

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{Object, check_node};
use pairbond_value::class::{Callable, Class, Invoke};
use pairbond_value::convert::{Sink, Source};
use pyo3_ffi as py;

use crate::call::{Exact, Shape, from_objects, with_arguments, with_bound};
use crate::convert::{Elements, PySink, PySource};
use crate::errors::owned_or_error;
use crate::errors::{finish_call, finish_status};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

/// Whether a marker stands for an operation that the class does not have.
pub(super) const fn is_absent<M: Callable>() -> bool {
    M::SIGNATURE.name.is_empty()
}

/// A call with operands by position, from a slot: their number is right by construction, so nothing
/// is bound.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `receiver` alive.
#[inline(always)]
pub(super) unsafe fn call_with<M: Callable, const N: usize>(
    receiver: *mut py::PyObject,
    arguments: [*mut py::PyObject; N],
) -> Result<Owned, Error> {
    // SAFETY: the thread is attached, and the caller keeps the receiver.
    unsafe { call_into::<M, _, N>(receiver, arguments, PySink) }
}

/// As [`call_with`], with a sink for the result.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `receiver` alive.
#[inline(always)]
unsafe fn call_into<M: Callable, S: Sink<Out = Owned>, const N: usize>(
    receiver: *mut py::PyObject,
    arguments: [*mut py::PyObject; N],
    sink: S,
) -> Result<Owned, Error> {
    // SAFETY: all are alive during the call, and the macros have checked that the callee has as
    // many parameters.
    unsafe {
        if const { M::SIGNATURE.parameters.len() != N || !M::SIGNATURE.is_simple() } {
            let shape = const { Shape::of(&M::SIGNATURE) };
            return with_bound(
                shape,
                receiver,
                arguments.as_ptr(),
                N,
                std::ptr::null_mut(),
                |bound| M::call(bound, sink),
            );
        }
        M::call(&Exact::new(receiver, arguments.as_ptr()), sink)
    }
}

pub(super) unsafe extern "C" fn slot_unary<M: Callable>(object: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: alive during the call.
    finish_call(|| unsafe { call_with::<M, 0>(object, []) })
}

pub(super) unsafe extern "C" fn slot_binary<M: Callable>(
    object: *mut py::PyObject,
    argument: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: alive during the call.
    finish_call(|| unsafe { call_with::<M, 1>(object, [argument]) })
}

/// `sq_item`: CPython has added the length to a negative index.
pub(super) unsafe extern "C" fn slot_item<M: Callable>(
    object: *mut py::PyObject,
    index: py::Py_ssize_t,
) -> *mut py::PyObject {
    finish_call(|| {
        let index = PySink.write_i64(index as i64)?;
        // SAFETY: alive during the call.
        unsafe { call_with::<M, 1>(object, [index.as_ptr()]) }
    })
}

/// The result of `__bool__`, `__contains__`: its truth.
fn truth_of(result: Owned) -> Result<c_int, Error> {
    result.is_true().map(c_int::from)
}

pub(super) unsafe extern "C" fn slot_truth<M: Callable>(object: *mut py::PyObject) -> c_int {
    // SAFETY: alive during the call.
    finish_status(|| truth_of(unsafe { call_with::<M, 0>(object, []) }?))
}

pub(super) unsafe extern "C" fn slot_contains<M: Callable>(
    object: *mut py::PyObject,
    item: *mut py::PyObject,
) -> c_int {
    // SAFETY: alive during the call.
    finish_status(|| truth_of(unsafe { call_with::<M, 1>(object, [item]) }?))
}

/// A number that a protocol asks for, as C has it.
#[inline(always)]
fn number_of(
    run: impl FnOnce() -> Result<Owned, Error>,
    read: impl FnOnce(&Owned) -> Result<py::Py_ssize_t, Error>,
) -> py::Py_ssize_t {
    let mut number = -1;
    let failed = finish_status(|| {
        number = read(&run()?)?;
        Ok(0)
    });
    if failed == 0 { number } else { -1 }
}

pub(super) unsafe extern "C" fn len<M: Callable>(object: *mut py::PyObject) -> py::Py_ssize_t {
    number_of(
        // SAFETY: alive during the call.
        || unsafe { call_with::<M, 0>(object, []) },
        |len| {
            // SAFETY: attached; a living object; null is no class: too large a number is an
            // OverflowError.
            let len = unsafe { running::PyNumber_AsSsize_t(len.as_ptr(), py::PyExc_OverflowError) };
            match len {
                -1 if crate::errors::is_set() => Err(crate::errors::take()),
                len if len < 0 => Err(Error::value_error("__len__() should return >= 0")),
                len => Ok(len),
            }
        },
    )
}

/// Any int will do, as for classes written in Python: its own hash is taken, which is itself when
/// it is small.
pub(super) unsafe extern "C" fn hash<M: Callable>(object: *mut py::PyObject) -> py::Py_hash_t {
    number_of(
        // SAFETY: alive during the call.
        || unsafe { call_with::<M, 0>(object, []) },
        |hash| {
            // SAFETY: attached; a living object.
            if unsafe { py::PyLong_Check(hash.as_ptr()) } == 0 {
                return Err(Error::type_error("__hash__ method should return an integer"));
            }
            // SAFETY: attached; a living object.
            match unsafe { running::PyObject_Hash(hash.as_ptr()) } {
                -1 => Err(crate::errors::take()),
                hash => Ok(hash),
            }
        },
    )
}

/// `__iter__` may return any iterable: a `Vec` becomes [what goes through its elements](Elements),
/// or a list, and that has an iterator.
pub(super) unsafe extern "C" fn slot_iter<M: Callable>(object: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: alive during the call; attached.
        unsafe {
            let result = call_into::<M, _, 0>(object, [], Elements)?;
            if py::PyIter_Check(result.as_ptr()) != 0 {
                Ok(result)
            } else {
                owned_or_error(running::PyObject_GetIter(result.as_ptr()))
            }
        }
    })
}

pub(super) unsafe extern "C" fn next<M: Callable>(object: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: alive during the call.
    finish_next(|| unsafe { call_with::<M, 0>(object, []) })
}

/// Returns to CPython the next element: at the end of the iteration, null without an exception. The
/// thread is attached.
pub(super) fn finish_next(call: impl FnOnce() -> Result<Owned, Error>) -> *mut py::PyObject {
    let mut ended = false;
    let result = finish_call(|| match call() {
        Err(error) if *error.kind() == ErrorKind::StopIteration && error.message().is_empty() => {
            ended = true;
            // Dropped below.
            Ok(Owned::none())
        }
        result => result,
    });
    if ended {
        // SAFETY: the reference is ours.
        unsafe { py::Py_DECREF(result) };
        return std::ptr::null_mut();
    }
    result
}

pub(super) unsafe extern "C" fn slot_call<M: Callable>(
    object: *mut py::PyObject,
    arguments: *mut py::PyObject,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: alive during the call; a tuple, and a dict or null.
    finish_call(|| unsafe {
        from_objects(arguments, keywords, |arguments, count, names| {
            with_arguments!(M, object, arguments, count, names, |args| M::call(args, PySink))
        })
    })
}

/// A call that the object binds itself.
pub(super) unsafe extern "C" fn slot_invoke<I: Invoke>(
    object: *mut py::PyObject,
    arguments: *mut py::PyObject,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: alive during the call; a tuple, and a dict or null.
    finish_call(|| unsafe {
        from_objects(arguments, keywords, |arguments, count, names| {
            invoke_vector::<I>(object, arguments, count, names)
        })
    })
}

/// # Safety
/// Attached; the object and the arguments of a vectorcall are alive.
#[inline]
pub(super) unsafe fn invoke_vector<I: Invoke>(
    object: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    names: *mut py::PyObject,
) -> Result<Owned, Error> {
    // SAFETY: attached; the object and the arguments of a vectorcall are alive: the caller ensures
    // it.
    let this = unsafe { PySource::new(object) }
        .read_object()
        .ok()
        .and_then(|it| it.downcast::<I>());
    let this = this.ok_or_else(|| Error::type_error(format!("{} is not initialised", I::KEY)))?;
    check_node(this.get(), this.header())?;
    // SAFETY: attached; the arguments of a vectorcall are alive.
    let result = unsafe {
        crate::call::with_anys(arguments, count, names, |values, names| {
            I::invoke(this, values, names)
        })
    }?;
    let object = PySink.write_any(&result);
    result.discard();
    object
}

/// `a[key] = value`, or `del a[key]` when the value is null.
pub(super) unsafe extern "C" fn slot_assign<T: Class, Set: Callable, Del: Callable>(
    object: *mut py::PyObject,
    key: *mut py::PyObject,
    value: *mut py::PyObject,
) -> c_int {
    finish_status(|| {
        if value.is_null() {
            if const { is_absent::<Del>() } {
                return inherited_assign::<T>(object, key, value);
            }
            // SAFETY: alive during the call.
            unsafe { call_with::<Del, 1>(object, [key]) }?;
        } else {
            if const { is_absent::<Set>() } {
                return inherited_assign::<T>(object, key, value);
            }
            // SAFETY: alive during the call.
            unsafe { call_with::<Set, 2>(object, [key, value]) }?;
        }
        Ok(0)
    })
}

#[cold]
fn inherited_assign<T: Class>(
    object: *mut py::PyObject,
    key: *mut py::PyObject,
    value: *mut py::PyObject,
) -> Result<c_int, Error> {
    let slot = inherited_slot::<T>(py::Py_mp_ass_subscript)?;
    if slot.is_null() {
        let what = if value.is_null() { "deletion" } else { "assignment" };
        return Err(Error::new(
            ErrorKind::Type,
            format!("'{}' object does not support item {what}", T::KEY),
        ));
    }
    // SAFETY: the slot of that number has this type; the arguments are alive during the call.
    let assign = unsafe { std::mem::transmute::<*mut c_void, py::objobjargproc>(slot) };
    // SAFETY: the slot of that number has this type; the arguments are alive during the call.
    if unsafe { assign(object, key, value) } == 0 {
        Ok(0)
    } else {
        Err(crate::errors::take())
    }
}

/// What the class of `T`'s base has in a slot, or null: a slot stands for several methods, of which
/// a class may define only some.
#[cold]
pub(super) fn inherited_slot<T: Class>(slot: c_int) -> Result<*mut c_void, Error> {
    let base = Interp::current()?.class_of(<T as Object>::Base::info());
    // SAFETY: attached; a living type.
    Ok(unsafe { py::PyType_GetSlot(base, slot) })
}
