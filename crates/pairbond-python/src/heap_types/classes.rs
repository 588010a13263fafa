//! One interpreter's container classes.

use std::ffi::{CStr, c_int, c_uint, c_void};

use pairbond_core::error::Error;
use pairbond_core::object::Object;
use pyo3_ffi as py;

use crate::errors::finish_call;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper::{self, Wrapper, class_flags as flags};

/// `slots![Py_tp_iter: getiterfunc = iter; …]`: each function as the type that its slot has.
macro_rules! slots {
    ($($slot:ident: $kind:ident = $function:expr;)*) => {
        [$((pyo3_ffi::$slot, $function as pyo3_ffi::$kind as *mut std::ffi::c_void)),*]
    };
}
pub(crate) use slots;

/// The Python side of a container class.
pub(crate) struct Spec<'a> {
    pub(crate) name: &'static CStr,
    pub(crate) doc: &'static CStr,
    pub(crate) methods: *const py::PyMethodDef,
    /// With [`DICT`] and [`END`]; those alone when not given.
    pub(crate) attributes: Option<*const py::PyGetSetDef>,
    pub(crate) init: py::initproc,
    /// The vectorcall function of the class, while it is unchanged: [`construct_container`] of the
    /// type.
    pub(crate) vectorcall: Option<py::vectorcallfunc>,
    pub(crate) slots: &'a [(c_int, *mut c_void)],
}

/// A definition that CPython keeps a pointer to, and only reads.
#[repr(transparent)]
pub(crate) struct Constant<T>(pub(crate) T);
// SAFETY: a constant, which is never written to.
unsafe impl<T> Sync for Constant<T> {}

/// An attribute that is read only.
pub(crate) const fn attribute(name: &'static CStr, get: py::getter) -> py::PyGetSetDef {
    py::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(get),
        set: None,
        doc: std::ptr::null(),
        closure: std::ptr::null_mut(),
    }
}

pub(crate) const DICT: py::PyGetSetDef = py::PyGetSetDef {
    name: c"__dict__".as_ptr(),
    get: Some(wrapper::get_dict),
    set: Some(wrapper::set_dict),
    doc: std::ptr::null(),
    closure: std::ptr::null_mut(),
};
pub(crate) const END: py::PyGetSetDef = py::PyGetSetDef {
    name: std::ptr::null(),
    get: None,
    set: None,
    doc: std::ptr::null(),
    closure: std::ptr::null_mut(),
};
static GETSETS: Constant<[py::PyGetSetDef; 2]> = Constant([DICT, END]);

/// Makes the class of containers that are `T`s, registers it, and adds it to the module under its
/// name.
///
/// # Safety
/// Attached to `interp`; a living module; slots of the types that CPython expects.
pub(crate) unsafe fn container_class<T: Object>(
    interp: &Interp,
    module: &Owned,
    spec: &Spec<'_>,
) -> Result<Owned, Error> {
    let base = interp.base_class();
    // SAFETY: a living type.
    let (dealloc, traverse, clear) = unsafe { ((*base).tp_dealloc, (*base).tp_traverse, (*base).tp_clear) };
    let inherited = [
        (
            py::Py_tp_dealloc,
            dealloc.map_or(std::ptr::null_mut(), |f| f as *mut c_void),
        ),
        (
            py::Py_tp_traverse,
            traverse.map_or(std::ptr::null_mut(), |f| f as *mut c_void),
        ),
        (
            py::Py_tp_clear,
            clear.map_or(std::ptr::null_mut(), |f| f as *mut c_void),
        ),
        (
            py::Py_tp_getset,
            spec.attributes.unwrap_or(GETSETS.0.as_ptr()).cast_mut().cast(),
        ),
        (py::Py_tp_methods, spec.methods.cast_mut().cast()),
        (py::Py_tp_doc, spec.doc.as_ptr().cast_mut().cast()),
        (py::Py_tp_new, crate::call::new as py::newfunc as *mut c_void),
        (py::Py_tp_init, spec.init as *mut c_void),
    ];
    let mut slots: Vec<_> = inherited
        .iter()
        .chain(spec.slots)
        .map(|(slot, pfunc)| py::PyType_Slot {
            slot: *slot,
            pfunc: *pfunc,
        })
        .collect();
    let mut members = flags::offset_members::<T>();
    if !members.is_empty() {
        members.push(py::PyMemberDef::default());
        slots.push(py::PyType_Slot {
            slot: py::Py_tp_members,
            pfunc: members.leak().as_mut_ptr().cast(),
        });
    }
    // SAFETY: attached to `interp`; a living module; slots of the types that CPython expects: the
    // caller ensures it. What CPython keeps of the specification lives for the process.
    unsafe {
        let class = make_class(
            module,
            spec.name,
            size_of::<Wrapper>(),
            flags::flags::<T>(),
            slots,
            base,
        )?;
        // A class that has not been shared. (There is a slot for it since 3.14 only.)
        (*class.as_ptr().cast::<py::PyTypeObject>()).tp_vectorcall = spec.vectorcall;
        interp.register_class(T::info(), class.as_ptr().cast());
        module.set_attr(&crate::convert::from_text(T::info().name())?, &class)?;
        Ok(class)
    }
}

/// A container that Python can create: from nothing, or from one argument.
pub(crate) trait Built: Object {
    /// The class's `tp_init`.
    const INIT: py::initproc;
    /// # Errors
    /// The argument is nothing that it can be made of; what going through it raised.
    ///
    /// # Safety
    /// Attached; a living object.
    unsafe fn build(argument: Option<*mut py::PyObject>) -> Result<Self, Error>;
}

/// `tp_vectorcall`: the class itself is called. The value is made before the wrapper, as in
/// `crate::class`.
pub(crate) unsafe extern "C" fn construct_container<T: Built>(
    class: *mut py::PyObject,
    arguments: *const *mut py::PyObject,
    count: usize,
    keywords: *mut py::PyObject,
) -> *mut py::PyObject {
    let class = class.cast::<py::PyTypeObject>();
    // SAFETY: a living type; the arguments of one call.
    unsafe {
        let count = py::PyVectorcall_NARGS(count) as usize;
        let new = crate::call::new as *const () as usize;
        if !crate::call::is_as_built(class, T::INIT as usize, new) || !keywords.is_null() || count > 1 {
            return crate::call::generic_call(class, arguments, count, keywords);
        }
        finish_call(|| {
            let value = T::build((count == 1).then(|| *arguments))?;
            wrapper::make_pair(class, || Ok(value))
        })
    }
}

/// Makes a class of CPython objects that are no wrappers: iterators and views.
///
/// # Safety
/// Attached; a living module; slots of the types that CPython expects, which live for the process.
pub(crate) unsafe fn helper_class(
    module: &Owned,
    name: &'static CStr,
    size: usize,
    slots: &[(c_int, *mut c_void)],
) -> Result<Owned, Error> {
    // SAFETY: attached; a living module; slots of the types that CPython expects, which live for
    // the process: the caller ensures it.
    unsafe { helper_with(module, name, size, 0, slots) }
}

/// As [`helper_class`], with flags of its own.
///
/// # Safety
/// As for [`helper_class`]; the flags are true of the class.
pub(crate) unsafe fn helper_with(
    module: &Owned,
    name: &'static CStr,
    size: usize,
    flags: std::ffi::c_ulong,
    slots: &[(c_int, *mut c_void)],
) -> Result<Owned, Error> {
    let slots = slots
        .iter()
        .map(|(slot, pfunc)| py::PyType_Slot {
            slot: *slot,
            pfunc: *pfunc,
        })
        .collect();
    let flags =
        flags | py::Py_TPFLAGS_DEFAULT | py::Py_TPFLAGS_HAVE_GC | py::Py_TPFLAGS_DISALLOW_INSTANTIATION;
    // SAFETY: attached; a living module; slots of the types that CPython expects, which live for
    // the process: the caller ensures it.
    unsafe { make_class(module, name, size, flags, slots, std::ptr::null_mut()) }
}

/// # Safety
/// The calling thread is attached; `slots` are of the types that CPython expects, and live for the
/// process.
unsafe fn make_class(
    module: &Owned,
    name: &'static CStr,
    size: usize,
    flags: std::ffi::c_ulong,
    mut slots: Vec<py::PyType_Slot>,
    base: *mut py::PyTypeObject,
) -> Result<Owned, Error> {
    slots.push(py::PyType_Slot {
        slot: 0,
        pfunc: std::ptr::null_mut(),
    });
    let mut spec = py::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size as c_int,
        itemsize: 0,
        flags: flags as c_uint,
        slots: slots.as_mut_ptr(),
    };
    let bases = if base.is_null() {
        None
    } else {
        // SAFETY: the thread is attached, and the caller keeps the base.
        Some(Owned::tuple([&unsafe { Owned::from_borrowed(base.cast()) }])?)
    };
    let bases = bases.as_ref().map_or(std::ptr::null_mut(), Owned::as_ptr);
    // SAFETY: the calling thread is attached; `slots` are of the types that CPython expects, and
    // live for the process: the caller ensures it.
    unsafe { Owned::from_new(py::PyType_FromModuleAndSpec(module.as_ptr(), &mut spec, bases)) }
        .ok_or_else(crate::errors::take_of_class)
}

/// Registers a class with one of `collections.abc`. The thread is attached.
///
/// # Errors
/// What importing or registering raises.
pub(crate) fn register_abstract(class: &Owned, abstract_class: &CStr) -> Result<(), Error> {
    let base = Owned::import(c"collections.abc")?.get_attr(abstract_class)?;
    base.get_attr(c"register")?.call1(class)?;
    Ok(())
}
