//! `pairbond.Record` and its like with a dictionary: the bases of classes that are defined in
//! Python. They have no objects themselves.

use std::ffi::{CStr, c_int, c_void};

use pairbond_core::error::Error;
use pyo3_ffi as py;

use super::record_construct;
use crate::call::method_table::add_attribute;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::wrapper::class_flags::MANAGED;
use crate::wrapper::{self, Wrapper};

const DOC: &CStr = c"Base class of native types that are defined in Python.";
const DICT_DOC: &CStr = c"Base class of native types that are defined in Python, whose objects have attributes beside their fields.";

/// Before 3.12 dictionary and weak references are in the wrapper itself.
#[cfg(not(Py_3_12))]
fn offset_members(dict: bool) -> Vec<py::PyMemberDef> {
    let member = |name: &'static CStr, offset: usize| py::PyMemberDef {
        name: name.as_ptr(),
        type_code: py::Py_T_PYSSIZET,
        offset: offset as py::Py_ssize_t,
        flags: py::Py_READONLY,
        doc: std::ptr::null(),
    };
    let mut members = vec![member(
        c"__weaklistoffset__",
        std::mem::offset_of!(Wrapper, weakrefs),
    )];
    if dict {
        members.push(member(c"__dictoffset__", std::mem::offset_of!(Wrapper, dict)));
    }
    members.push(py::PyMemberDef::default());
    members
}

#[cfg(Py_3_12)]
fn offset_members(_: bool) -> Vec<py::PyMemberDef> {
    vec![py::PyMemberDef::default()]
}

#[cfg(Py_3_12)]
const WEAK: std::ffi::c_ulong = py::Py_TPFLAGS_MANAGED_WEAKREF;
#[cfg(not(Py_3_12))]
const WEAK: std::ffi::c_ulong = 0;

/// Makes one of the two. The thread is attached to `interp`.
fn make_base(interp: &Interp, module: &Owned, name: &'static CStr, dict: bool) -> Result<Owned, Error> {
    let slot = |slot: c_int, pfunc: *mut c_void| py::PyType_Slot { slot, pfunc };
    let doc = if dict { DICT_DOC } else { DOC };
    let mut getset = vec![];
    if dict {
        getset.push(py::PyGetSetDef {
            name: c"__dict__".as_ptr(),
            get: Some(wrapper::get_dict),
            set: Some(wrapper::set_dict),
            doc: std::ptr::null(),
            closure: std::ptr::null_mut(),
        });
    }
    getset.push(py::PyGetSetDef::default());
    // CPython keeps pointers to these for as long as the class.
    let (getset, members): (&mut [_], &mut [_]) = (getset.leak(), offset_members(dict).leak());
    let mut slots = [
        slot(py::Py_tp_doc, doc.as_ptr().cast_mut().cast()),
        slot(py::Py_tp_new, record_construct::new as *mut c_void),
        slot(
            py::Py_tp_dealloc,
            crate::interp::api::api().dealloc as *mut c_void,
        ),
        slot(py::Py_tp_traverse, crate::gc::traverse as *mut c_void),
        slot(py::Py_tp_clear, crate::gc::clear as *mut c_void),
        slot(py::Py_tp_getset, getset.as_mut_ptr().cast()),
        slot(py::Py_tp_members, members.as_mut_ptr().cast()),
        slot(0, std::ptr::null_mut()),
    ];
    let flags = py::Py_TPFLAGS_DEFAULT
        | py::Py_TPFLAGS_BASETYPE
        | py::Py_TPFLAGS_HAVE_GC
        | if dict { MANAGED } else { WEAK };
    let mut spec = py::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size_of::<Wrapper>() as c_int,
        itemsize: 0,
        flags: flags as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: attached; the interpreter keeps its base class.
    let bases = Owned::tuple([&unsafe { Owned::from_borrowed(interp.base_class().cast()) }])?;
    // SAFETY: attached; slots live until the type is made, which copies them.
    unsafe {
        Owned::from_new(py::PyType_FromModuleAndSpec(
            module.as_ptr(),
            &mut spec,
            bases.as_ptr(),
        ))
    }
    .ok_or_else(crate::errors::take_of_class)
}

/// Adds both to the module. The thread is attached to `interp`.
pub(super) fn publish_bases(interp: &Interp, module: &Owned) -> Result<(), Error> {
    for (name, full, dict) in [
        (c"Record", c"pairbond.Record", false),
        (c"_DictRecord", c"pairbond._DictRecord", true),
    ] {
        add_attribute(module, name, &make_base(interp, module, full, dict)?)?;
    }
    Ok(())
}
