//! The definition of a class, complete before any interpreter has it: code and texts, no Python
//! objects.

use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_ulong, c_void};
use std::sync::{Mutex, PoisonError};

use pairbond_core::types::{TypeFlags, TypeInfo};
#[cfg(feature = "library")]
use pairbond_plugin::Entry;
use pairbond_value::class::{Class, Signature};
use pyo3_ffi as py;

use super::collect::{Collector, Members};
use super::{callable, construct};
use crate::call::{leak_doc, leak_text, text_signature};
use crate::wrapper;
use crate::wrapper::class_flags;

/// Lives for the process; all interpreters build their classes from it.
pub(super) struct Definition {
    pub(super) name: &'static CStr,
    pub(super) flags: c_ulong,
    pub(super) immutable_type: bool,
    pub(super) fast_getters: bool,
    /// Without the terminator, which follows what an interpreter adds.
    pub(super) slots: Vec<py::PyType_Slot>,
    pub(super) vectorcall: Option<py::vectorcallfunc>,
    /// The constructor's parameters that are attributes too, for `match`.
    pub(super) match_args: Vec<&'static str>,
    /// Methods that CPython looks for in a slot that it fills only when an attribute of the class
    /// is set.
    pub(super) late: Vec<&'static CStr>,
    /// Methods of a library of C, the constructor among them.
    #[cfg(feature = "library")]
    pub(super) natives: Vec<&'static Entry>,
    /// Attributes of the class itself.
    pub(super) class_getters: &'static [py::PyGetSetDef],
    /// `__lt__` and the like without `__eq__`: equality, and so the hash, stay those of the base.
    pub(super) keeps_hash: bool,
    /// Wrappers are [`CallableWrapper`](callable::CallableWrapper)s.
    pub(super) called: bool,
}

impl Definition {
    /// Whether `__repr__` is a method that fills its slot, and not a slot: in classes of libraries.
    pub(super) fn has_repr_method(&self) -> bool {
        #[cfg(feature = "library")]
        if self
            .natives
            .iter()
            .any(|entry| entry.signature().name == "__repr__")
        {
            return true;
        }
        self.late.contains(&c"__repr__")
    }
}

// SAFETY: constant; its pointers are to code and leaked memory.
unsafe impl Send for Definition {}
// SAFETY: constant; its pointers are to code and leaked memory.
unsafe impl Sync for Definition {}

/// The definition of a type's class, made the first time.
pub(super) fn of<T: Class>() -> &'static Definition {
    find_or_make(T::info(), definition_of::<T>)
}

fn find_or_make(info: &'static TypeInfo, make: fn() -> Definition) -> &'static Definition {
    static ALL: Mutex<Option<HashMap<usize, &'static Definition>>> = Mutex::new(None);
    let key = std::ptr::from_ref(info).addr();
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_with(HashMap::new)
        .entry(key)
        .or_insert_with(|| Box::leak(Box::new(make())))
}

/// Compiled for each class, and so no more than what depends on it.
fn definition_of<T: Class>() -> Definition {
    let mut collector = Collector::<T>::new();
    T::visit_members(&mut collector);
    let kept = (T::info(), T::DOC, T::IMMUTABLE_TYPE);
    definition_from(kept, construct::refuse_new::<T>, collector.into_members())
}

fn definition_from(
    (info, doc, immutable_type): (&'static TypeInfo, &'static str, bool),
    refuse_new: py::newfunc,
    members: Members,
) -> Definition {
    let Members {
        slots,
        methods,
        getsets,
        fields,
        class_getters,
        constructor,
        late,
        compares,
        hashes,
        called,
    } = members;
    let (new, init) = match &constructor {
        Some(constructor) => (crate::call::new as py::newfunc, constructor.init),
        None => (refuse_new, construct::refuse_init as py::initproc),
    };
    let found = Found {
        info,
        doc,
        immutable_type,
        slots,
        methods,
        getsets,
        fields,
        class_getters,
        signature: constructor.as_ref().map(|c| c.signature),
        new,
        init,
        vectorcall: constructor.map(|constructor| constructor.vectorcall),
        late,
        #[cfg(feature = "library")]
        natives: Vec::new(),
        keeps_hash: compares && !hashes,
        called,
    };
    found.define()
}

/// Everything that was found of a class, before what all classes have is added.
pub(super) struct Found {
    pub(super) info: &'static TypeInfo,
    pub(super) doc: &'static str,
    pub(super) immutable_type: bool,
    pub(super) slots: Vec<py::PyType_Slot>,
    pub(super) methods: Vec<py::PyMethodDef>,
    pub(super) getsets: Vec<py::PyGetSetDef>,
    pub(super) fields: Vec<&'static str>,
    pub(super) class_getters: Vec<py::PyGetSetDef>,
    /// The constructor's.
    pub(super) signature: Option<&'static Signature>,
    pub(super) new: py::newfunc,
    pub(super) init: py::initproc,
    pub(super) vectorcall: Option<py::vectorcallfunc>,
    pub(super) late: Vec<&'static CStr>,
    #[cfg(feature = "library")]
    pub(super) natives: Vec<&'static Entry>,
    pub(super) keeps_hash: bool,
    pub(super) called: bool,
}

impl Found {
    pub(super) fn define(self) -> Definition {
        let Found {
            info,
            mut slots,
            mut methods,
            mut getsets,
            signature,
            ..
        } = self;
        let (attributes, traced) = (info.flags().contains(TypeFlags::ATTRIBUTES), info.is_traced());
        let slot = |id: c_int, pointer: *mut c_void| py::PyType_Slot {
            slot: id,
            pfunc: pointer,
        };

        methods.push(py::PyMethodDef::zeroed());
        slots.push(slot(py::Py_tp_methods, leak_all(methods)));
        if attributes {
            getsets.push(py::PyGetSetDef {
                name: c"__dict__".as_ptr(),
                get: Some(wrapper::get_dict),
                set: Some(wrapper::set_dict),
                doc: std::ptr::null(),
                closure: std::ptr::null_mut(),
            });
            if !traced {
                let function: py::setattrofunc = wrapper::set_attribute;
                slots.push(slot(py::Py_tp_setattro, function as *mut c_void));
            }
        }
        getsets.push(py::PyGetSetDef::default());
        slots.push(slot(py::Py_tp_getset, leak_all(getsets)));
        let mut members = class_flags::members_of(attributes);
        if self.called {
            members.push(callable::vectorcall_member());
        }
        if !members.is_empty() {
            members.push(py::PyMemberDef::default());
            slots.push(slot(py::Py_tp_members, leak_all(members)));
        }

        let doc = doc_with_signature(signature, info.name(), self.doc);
        slots.push(slot(py::Py_tp_doc, leak_doc(&doc).cast_mut().cast()));
        slots.push(slot(py::Py_tp_new, self.new as *mut c_void));
        slots.push(slot(py::Py_tp_init, self.init as *mut c_void));

        let parameters = signature.map_or(&[][..], |signature| signature.parameters);
        Definition {
            name: leak_text(info.key()),
            flags: class_flags::flags_of(attributes, traced),
            immutable_type: self.immutable_type,
            fast_getters: info.flags().contains(TypeFlags::FAST_GETTERS),
            slots,
            vectorcall: self.vectorcall,
            match_args: parameters
                .iter()
                .map(|p| p.name)
                .filter(|name| self.fields.contains(name))
                .collect(),
            late: self.late,
            #[cfg(feature = "library")]
            natives: self.natives,
            class_getters: self.class_getters.leak(),
            keeps_hash: self.keeps_hash,
            called: self.called,
        }
    }
}

/// CPython keeps the pointer for as long as the class, which may be as long as the process.
fn leak_all<D>(definitions: Vec<D>) -> *mut c_void {
    Box::leak(definitions.into_boxed_slice()).as_mut_ptr().cast()
}

/// The documentation, with the constructor's signature in front for `inspect.signature`.
fn doc_with_signature(constructor: Option<&Signature>, name: &str, doc: &str) -> String {
    match constructor {
        Some(signature) => format!("{}\n--\n\n{doc}", text_signature(signature, name, None)),
        None => doc.to_owned(),
    }
}
