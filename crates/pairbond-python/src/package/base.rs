//! `pairbond.Object`, the base of all wrapper classes, and the package's exceptions. One set per
//! interpreter.

use std::ffi::{CString, c_int, c_void};

use pairbond_core::error::Error;
use pairbond_core::object::{Object, Root};
use pyo3_ffi as py;

use crate::errors::owned_or_error;
use crate::interp::{EXCEPTIONS, Interp, local};
use crate::owned::Owned;
use crate::wrapper::Wrapper;

const DOC: &std::ffi::CStr =
    c"Base class of everything that pairbond binds: a Python object that stands for one native object.\n\n\
Its identity, attributes, weak references and subclass last as long as the native object.";

/// Makes the base class and the exceptions. The thread is attached to `interp`.
pub(super) fn make_base(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let slot = |slot: c_int, pfunc: *mut c_void| py::PyType_Slot { slot, pfunc };
    // The same addresses that other code compares with: a function may have several in one binary.
    let api = crate::interp::api::api();
    let mut slots = [
        slot(py::Py_tp_doc, DOC.as_ptr().cast_mut().cast()),
        slot(py::Py_tp_new, refuse_new as *mut c_void),
        slot(py::Py_tp_dealloc, api.dealloc as *mut c_void),
        slot(py::Py_tp_traverse, crate::gc::traverse as *mut c_void),
        slot(py::Py_tp_clear, crate::gc::clear as *mut c_void),
        slot(py::Py_tp_is_gc, api.marker as *mut c_void),
        slot(py::Py_tp_getset, super::assign_class::getset_definitions().cast()),
        slot(py::Py_tp_repr, crate::wrapper::repr::default_repr as *mut c_void),
        slot(
            py::Py_tp_methods,
            super::functions::OBJECT_METHODS.as_ptr().cast_mut().cast(),
        ),
        slot(0, std::ptr::null_mut()),
    ];
    let mut spec = py::PyType_Spec {
        name: c"pairbond.Object".as_ptr(),
        basicsize: size_of::<Wrapper>() as c_int,
        itemsize: 0,
        flags: (py::Py_TPFLAGS_DEFAULT | py::Py_TPFLAGS_BASETYPE | py::Py_TPFLAGS_HAVE_GC) as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: attached, with a living module; slots live until the type is made, which copies them.
    let base_class = unsafe {
        let (module, none) = (module.as_ptr(), std::ptr::null_mut());
        Owned::from_new(py::PyType_FromModuleAndSpec(module, &mut spec, none))
    }
    .ok_or_else(crate::errors::take_of_class)?;
    let mut exceptions: Vec<Owned> = Vec::with_capacity(EXCEPTIONS.len());
    for (name, base, doc) in &EXCEPTIONS {
        let base = match *base {
            // SAFETY: a built-in class.
            "RuntimeError" => unsafe { py::PyExc_RuntimeError },
            other => {
                let before = EXCEPTIONS.iter().position(|(name, ..)| *name == other);
                exceptions[before.expect("a base is made before")].as_ptr()
            }
        };
        let name = CString::new(format!("pairbond.{name}")).expect("no zero byte");
        let doc = CString::new(*doc).expect("no zero byte");
        // SAFETY: attached, with a living class; a new reference or null.
        let class = unsafe {
            owned_or_error(py::PyErr_NewExceptionWithDoc(
                name.as_ptr(),
                doc.as_ptr(),
                base,
                std::ptr::null_mut(),
            ))
        };
        exceptions.push(class?);
    }
    // All of them or none: existing ones are never made again.
    for (index, class) in exceptions.into_iter().enumerate() {
        local::set_exception(interp, index, class.into_ptr());
    }
    // SAFETY: attached to `interp`; a living class.
    unsafe { interp.register_class(Root::info(), base_class.as_ptr().cast()) };
    local::set_base(interp, base_class.into_ptr().cast());
    Ok(())
}

/// Adds them to the module. The thread is attached to `interp`.
pub(super) fn publish_base(interp: &Interp, module: &Owned) -> Result<(), Error> {
    // SAFETY: attached; the classes live with the interpreter.
    let kept = |class| unsafe { Owned::from_borrowed(class) };
    super::add_attribute(module, c"Object", &kept(interp.base_class().cast()))?;
    for (name, ..) in EXCEPTIONS {
        let name_c = CString::new(name).expect("no zero byte");
        super::add_attribute(module, &name_c, &kept(interp.exception(name)))?;
    }
    Ok(())
}

unsafe extern "C" fn refuse_new(
    class: *mut py::PyTypeObject,
    _: *mut py::PyObject,
    _: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: called by CPython with a living class.
    let name = unsafe { crate::ffi::type_name(class) };
    crate::errors::raise(Error::type_error(format!(
        "cannot create '{name}' instances: only classes of a native type can be instantiated"
    )));
    std::ptr::null_mut()
}
