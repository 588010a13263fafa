//! Type flags of wrapper classes.

use std::ffi::c_ulong;

use pairbond_core::object::Object;
use pyo3_ffi as py;

/// The flags of the class of `T`.
///
/// * With attributes: dict, weak references and subclasses. The wrapper may then be part of a
///   cycle, so Python's collector must know it.
/// * Sealed: none of that, and no collector either unless native fields can reach Python objects.
pub(crate) fn flags<T: Object>() -> c_ulong {
    flags_of(T::ATTRIBUTES, T::TRACED)
}

/// As [`flags`], of a type that is not known when this is compiled.
pub(crate) fn flags_of(attributes: bool, traced: bool) -> c_ulong {
    let mut flags = py::Py_TPFLAGS_DEFAULT;
    if attributes {
        flags |= py::Py_TPFLAGS_BASETYPE | MANAGED;
    }
    if attributes || traced {
        flags |= py::Py_TPFLAGS_HAVE_GC;
    }
    flags
}

#[cfg(Py_3_12)]
pub(crate) const MANAGED: c_ulong = py::Py_TPFLAGS_MANAGED_DICT | py::Py_TPFLAGS_MANAGED_WEAKREF;
/// Before 3.12 both are in the wrapper itself (see [`offset_members`]).
#[cfg(not(Py_3_12))]
pub(crate) const MANAGED: c_ulong = 0;

/// `__dictoffset__` and `__weaklistoffset__`, which `PyType_FromSpec` takes as members.
pub(crate) fn offset_members<T: Object>() -> Vec<py::PyMemberDef> {
    members_of(T::ATTRIBUTES)
}

/// As [`offset_members`], of a type that is not known when this is compiled.
#[cfg(not(Py_3_12))]
pub(crate) fn members_of(attributes: bool) -> Vec<py::PyMemberDef> {
    use std::mem::offset_of;

    use super::Wrapper;
    if !attributes {
        return Vec::new();
    }
    let member = |name: &'static std::ffi::CStr, offset: usize| py::PyMemberDef {
        name: name.as_ptr(),
        type_code: py::Py_T_PYSSIZET,
        offset: offset as py::Py_ssize_t,
        flags: py::Py_READONLY,
        doc: std::ptr::null(),
    };
    vec![
        member(c"__dictoffset__", offset_of!(Wrapper, dict)),
        member(c"__weaklistoffset__", offset_of!(Wrapper, weakrefs)),
    ]
}

/// CPython manages both itself.
#[cfg(Py_3_12)]
pub(crate) fn members_of(_: bool) -> Vec<py::PyMemberDef> {
    Vec::new()
}
