//! Memory of others: buffers. The object that keeps it ([`Lender`]) is Python's, so that its end
//! takes place attached, and so that the collector sees through it; programs cannot reach it, or
//! they could give the memory back under our feet.

use std::ffi::{CStr, c_int, c_void};

use pairbond_core::error::Error;
use pairbond_value::value::{Any, ArrayBody, Device, Foreign, Lent};
use pyo3_ffi as py;

use crate::buffers::{buffer_error, parse_format};
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::ffi::_PyObject_GC_New;
use crate::heap_types::classes;
use crate::interp::{self, Interp, kept};
use crate::owned::Owned;
use crate::running;

pub(super) const CPU: Device = Device { kind: 1, index: 0 };

/// Keeps a buffer, or what a DLPack capsule held.
#[repr(C)]
pub(super) struct Lender {
    base: py::PyObject,
    /// Of no object when there is none.
    view: py::Py_buffer,
    managed: *mut c_void,
    delete: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// A lender that keeps nothing yet. The thread is attached.
pub(super) fn new_lender() -> Result<Owned, Error> {
    let class = Interp::current()?.helper_class(kept::LENDER);
    // SAFETY: attached: the caller ensures it. Every field is written before the collector may
    // look.
    unsafe {
        let made = owned_or_error(_PyObject_GC_New(class))?;
        let lender = made.as_ptr().cast::<Lender>();
        (&raw mut (*lender).view).write(std::mem::zeroed());
        (&raw mut (*lender).managed).write(std::ptr::null_mut());
        (&raw mut (*lender).delete).write(None);
        py::PyObject_GC_Track(made.as_ptr().cast());
        Ok(made)
    }
}

/// Gives a lender something to keep that is given back by a call.
///
/// # Safety
/// Attached; a new lender.
pub(super) unsafe fn lender_keep(
    lender: &Owned,
    managed: *mut c_void,
    delete: Option<unsafe extern "C" fn(*mut c_void)>,
) {
    let lender = lender.as_ptr().cast::<Lender>();
    // SAFETY: attached; a new lender: the caller ensures it.
    unsafe {
        (*lender).managed = managed;
        (*lender).delete = delete;
    }
}

/// A lender as the owner of a block.
pub(super) fn owner_of_block(lender: Owned) -> Any {
    // SAFETY: attached, and pairbond is open: the class was there. A counted reference, given away.
    Any::Foreign(unsafe { Foreign::from_raw(interp::tag(), lender.into_ptr().cast()) })
}

/// An array of an object's buffer.
///
/// # Safety
/// Attached; a living object.
pub(super) unsafe fn from_buffer(
    object: *mut py::PyObject,
    readonly: Option<bool>,
) -> Result<ArrayBody, Error> {
    // SAFETY: attached; a living object: the caller ensures it.
    if unsafe { py::PyObject_CheckBuffer(object) } == 0 {
        // SAFETY: attached; a living object: the caller ensures it.
        let class = unsafe { Owned::lend(&object) }.class_name();
        return Err(Error::type_error(format!("a {class} has no buffer")));
    }
    let lender = new_lender()?;
    let full = py::PyBUF_FULL_RO;
    let flags = match readonly {
        Some(true) | None => full,
        Some(false) => full | py::PyBUF_WRITABLE,
    };
    // SAFETY: attached; a living object: the caller ensures it. The view stays where it is, in the
    // lender, until that dies; before it is filled it is of no object.
    let view = unsafe {
        let view = &raw mut (*lender.as_ptr().cast::<Lender>()).view;
        if running::PyObject_GetBuffer(object, view, flags) != 0 {
            (*view).obj = std::ptr::null_mut();
            return Err(take());
        }
        &*view
    };
    let axes = usize::try_from(view.ndim).unwrap_or(0);
    // SAFETY: a buffer has as many of them as axes, or none.
    let is_indirect = |axis| unsafe { *view.suboffsets.add(axis) >= 0 };
    if !view.suboffsets.is_null() && (0..axes).any(is_indirect) {
        return Err(buffer_error(
            "the buffer's elements are behind pointers of their own",
        ));
    }
    // SAFETY: a buffer's format is a C string, or null.
    let name = (!view.format.is_null()).then(|| unsafe { CStr::from_ptr(view.format) });
    let dtype = parse_format(name, usize::try_from(view.itemsize).unwrap_or(0))?;
    let flat = [(view.len / view.itemsize.max(1)) as usize];
    let (shape, strides) = match axes {
        0 => (&[][..], None),
        _ if view.shape.is_null() => (&flat[..], None),
        _ => {
            let strides = (!view.strides.is_null()).then_some(view.strides);
            // SAFETY: a buffer has as many of both as axes; strides may be null.
            unsafe {
                (
                    std::slice::from_raw_parts(view.shape.cast::<usize>(), axes),
                    strides.map(|strides| std::slice::from_raw_parts(strides.cast_const(), axes)),
                )
            }
        }
    };
    // An exporter without memory may have no address.
    let start = if view.buf.is_null() {
        std::ptr::NonNull::<u64>::dangling().as_ptr().cast()
    } else {
        view.buf.cast()
    };
    let memory = Lent {
        start,
        dtype,
        device: CPU,
        readonly: readonly.unwrap_or(view.readonly != 0) || view.readonly != 0,
        shape,
        strides,
    };
    // SAFETY: the memory of the buffer, which the lender keeps.
    unsafe { ArrayBody::from_lent(&memory, owner_of_block(lender.clone())) }
}

unsafe extern "C" fn lender_traverse(
    object: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: called by CPython's collector.
    unsafe {
        let status = visit(py::Py_TYPE(object).cast(), arg);
        let exporter = (*object.cast::<Lender>()).view.obj;
        if status != 0 || exporter.is_null() {
            return status;
        }
        visit(exporter, arg)
    }
}

unsafe extern "C" fn lender_dealloc(object: *mut py::PyObject) {
    // SAFETY: called by CPython, once. Giving back may run anything; the lender is unknown to
    // everybody by then.
    unsafe {
        py::PyObject_GC_UnTrack(object.cast());
        let class = py::Py_TYPE(object);
        let exception = crate::errors::is_set()
            .then(crate::errors::fetch_exception)
            .flatten();
        let lender = object.cast::<Lender>();
        if !(*lender).view.obj.is_null() {
            py::PyBuffer_Release(&raw mut (*lender).view);
        }
        if let Some(delete) = (*lender).delete
            && !(*lender).managed.is_null()
        {
            delete((*lender).managed);
        }
        if let Some(exception) = exception {
            crate::errors::restore_exception(exception);
        }
        py::PyObject_GC_Del(object.cast());
        py::Py_DECREF(class.cast());
    }
}

/// The thread is attached.
pub(super) fn lender_class(module: &Owned) -> Result<Owned, Error> {
    let slots = classes::slots![
        Py_tp_dealloc: destructor = lender_dealloc;
        Py_tp_traverse: traverseproc = lender_traverse;
    ];
    // SAFETY: attached; a living module: the caller ensures it.
    unsafe { classes::helper_class(module, c"pairbond.Lender", size_of::<Lender>(), &slots) }
}
