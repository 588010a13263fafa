//! The `PyMethodDef` of a marker: CPython keeps a pointer to it, so it lives for the process. It
//! holds no Python object, so interpreters share it.

use std::any::TypeId;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use pairbond_value::class::{Binding, Callable, ParameterKind, Signature};
use pyo3_ffi as py;

use super::entry;

/// A text for the life of the process. What follows a NUL byte, which C cannot express, is cut off.
pub(crate) fn leak_text(text: &str) -> &'static CStr {
    let end = text.find('\0').unwrap_or(text.len());
    Box::leak(
        CString::new(&text[..end])
            .expect("cut off at the first NUL")
            .into_boxed_c_str(),
    )
}

/// As [`leak_text`]; null for the empty text.
pub(crate) fn leak_doc(text: &str) -> *const c_char {
    if text.is_empty() {
        std::ptr::null()
    } else {
        leak_text(text).as_ptr()
    }
}

/// The definition of a method or function, made once in the process.
pub(crate) fn method_def<M: Callable>() -> py::PyMethodDef {
    let signature = const { &M::SIGNATURE };
    let (entry, convention) = if const { M::SIGNATURE.parameters.is_empty() } {
        let entry = py::PyMethodDefPointer {
            PyCFunction: entry::noargs::<M>,
        };
        (entry, py::METH_NOARGS)
    } else {
        let entry = py::PyMethodDefPointer {
            PyCFunctionFastWithKeywords: entry::fastcall::<M>,
        };
        (entry, py::METH_FASTCALL | py::METH_KEYWORDS)
    };
    find_or_make(TypeId::of::<M>(), signature, entry, convention)
}

fn find_or_make(
    marker: TypeId,
    signature: &Signature,
    entry: py::PyMethodDefPointer,
    convention: c_int,
) -> py::PyMethodDef {
    static ALL: Mutex<Option<HashMap<TypeId, Shared>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_with(HashMap::new)
        .entry(marker)
        .or_insert_with(|| Shared(method_definition(signature, entry, convention)))
        .0
}

struct Shared(py::PyMethodDef);

// SAFETY: constant; its pointers are to code and leaked text.
unsafe impl Send for Shared {}

/// The definition of what has that signature, with its C function.
pub(crate) fn method_definition(
    signature: &Signature,
    entry: py::PyMethodDefPointer,
    convention: c_int,
) -> py::PyMethodDef {
    let (first, binding) = match signature.binding {
        Binding::Function => (Some("$module"), 0),
        Binding::Instance => (Some("$self"), 0),
        Binding::Class | Binding::ClassGetter => (Some("$type"), py::METH_CLASS),
        Binding::Static => (None, py::METH_STATIC),
        Binding::Constructor => (None, 0),
    };
    py::PyMethodDef {
        ml_name: leak_text(signature.name).as_ptr(),
        ml_meth: entry,
        ml_flags: convention | binding,
        ml_doc: leak_text(&format!(
            "{}\n--\n\n{}",
            text_signature(signature, signature.name, first),
            signature.doc
        ))
        .as_ptr(),
    }
}

/// `name($self, a, b=1, *, c=None)`: what `inspect.signature` reads from the first line of the
/// documentation.
pub(crate) fn text_signature(signature: &Signature, name: &str, first: Option<&str>) -> String {
    let mut text = format!("{name}(");
    let mut separator = "";
    let mut part = |text: &mut String, part: &str| {
        text.push_str(separator);
        text.push_str(part);
        separator = ", ";
    };
    if let Some(first) = first {
        part(&mut text, first);
    }
    let mut keyword_only = false;
    for parameter in signature.parameters {
        let mut name = String::new();
        match parameter.kind {
            ParameterKind::Standard => {}
            ParameterKind::Rest => {
                name.push('*');
                keyword_only = true;
            }
            ParameterKind::RestKeywords => name.push_str("**"),
            ParameterKind::KeywordOnly if !keyword_only => {
                part(&mut text, "*");
                keyword_only = true;
            }
            ParameterKind::KeywordOnly => {}
        }
        name.push_str(parameter.name);
        if let Some(default) = parameter.default {
            let _ = write!(name, "={default}");
        }
        part(&mut text, &name);
    }
    text.push(')');
    text
}
