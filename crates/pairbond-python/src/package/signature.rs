//! `__signature__` and `__doc__` of native functions, which `inspect` and `help` ask for: each
//! function has its own.

use std::ffi::{CStr, c_void};

use pairbond_core::error::Error;
use pairbond_core::object::{Borrow, Object};
use pairbond_value::class::ParameterKind;
use pairbond_value::convert::{Sink, Source};
use pairbond_value::value::{FunctionBody, Parameter};
use pyo3_ffi as py;

use crate::convert::{PySink, PySource, from_text};
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::ffi::{clear_flag, set_flag};
use crate::heap_types::classes::{self, Constant};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

type Definition = Constant<py::PyGetSetDef>;

const fn attribute_of(name: &'static CStr, get: py::getter, doc: &'static CStr) -> Definition {
    Constant(py::PyGetSetDef {
        doc: doc.as_ptr(),
        ..classes::attribute(name, get)
    })
}

static SIGNATURE: Definition = attribute_of(
    c"__signature__",
    get_signature,
    c"What it takes, for inspect.signature().",
);
static DOC: Definition = attribute_of(c"__doc__", get_doc, c"Its documentation.");

/// Gives `pairbond.Function` both. The thread is attached to `interp`.
pub(super) fn publish_signature(interp: &Interp) -> Result<(), Error> {
    let class = interp.class_of(FunctionBody::info());
    // The class has not been shared; afterwards it is not to be changed.
    // SAFETY: attached to `interp`, which has the class. The definition lives for the process.
    unsafe {
        clear_flag(class, py::Py_TPFLAGS_IMMUTABLETYPE);
        for definition in [&SIGNATURE, &DOC] {
            let descriptor =
                owned_or_error(py::PyDescr_NewGetSet(class, (&raw const definition.0).cast_mut()))?;
            if running::PyObject_SetAttrString(class.cast(), definition.0.name, descriptor.as_ptr()) != 0 {
                return Err(take());
            }
        }
        set_flag(class, py::Py_TPFLAGS_IMMUTABLETYPE);
    }
    Ok(())
}

unsafe extern "C" fn get_signature(function: *mut py::PyObject, _: *mut c_void) -> *mut py::PyObject {
    // SAFETY: alive during the call.
    finish_call(|| signature_of(unsafe { body_of(function) }?.get()))
}

unsafe extern "C" fn get_doc(function: *mut py::PyObject, _: *mut c_void) -> *mut py::PyObject {
    // SAFETY: alive during the call.
    finish_call(|| match unsafe { body_of(function) }?.get().description().doc() {
        "" => PySink.write_none(),
        doc => from_text(doc),
    })
}

/// # Safety
/// Attached; alive for the lifetime that the caller chooses.
unsafe fn body_of<'a>(function: *mut py::PyObject) -> Result<Borrow<'a, FunctionBody>, Error> {
    // SAFETY: attached; alive for the lifetime that the caller chooses: the caller ensures it.
    let source = unsafe { PySource::<'a>::new(function) };
    let body = source
        .read_object()
        .ok()
        .and_then(|object| object.downcast::<FunctionBody>());
    body.ok_or_else(|| Error::type_error("not a native function"))
}

fn signature_of(body: &FunctionBody) -> Result<Owned, Error> {
    let inspect = Owned::import(c"inspect")?;
    let class = inspect.get_attr(c"Parameter")?;
    let list = Owned::empty_list()?;
    match body.description().parameters() {
        Some(parameters) => {
            for parameter in parameters {
                list.append(&describe_parameter(&class, parameter)?)?;
            }
        }
        None => list.append(&call_with_default(
            &class,
            &[&from_text("args")?, &class.get_attr(c"VAR_POSITIONAL")?],
            None,
        )?)?,
    }
    call_with_default(&inspect.get_attr(c"Signature")?, &[&list], None)
}

fn describe_parameter(class: &Owned, parameter: &Parameter) -> Result<Owned, Error> {
    let kind = match parameter.kind() {
        ParameterKind::Standard => c"POSITIONAL_OR_KEYWORD",
        ParameterKind::KeywordOnly => c"KEYWORD_ONLY",
        ParameterKind::Rest => c"VAR_POSITIONAL",
        ParameterKind::RestKeywords => c"VAR_KEYWORD",
    };
    let default = match (parameter.default(), parameter.default_text()) {
        (Some(value), _) => Some(PySink.write_any(value)?),
        (None, Some(text)) => Some(literal_value(text)?),
        (None, None) => None,
    };
    call_with_default(
        class,
        &[&from_text(parameter.name())?, &class.get_attr(kind)?],
        default.as_ref(),
    )
}

/// The value of a default as source text; `...` when it is no literal.
fn literal_value(text: &str) -> Result<Owned, Error> {
    let ast = Owned::import(c"ast")?;
    let evaluate = ast.get_attr(c"literal_eval")?;
    call_with_default(&evaluate, &[&from_text(text)?], None)
}

/// `callable(*arguments, default=default)`
fn call_with_default(
    callable: &Owned,
    arguments: &[&Owned],
    default: Option<&Owned>,
) -> Result<Owned, Error> {
    let mut pointers: Vec<_> = arguments.iter().map(|a| a.as_ptr()).collect();
    let names = match default {
        None => None,
        Some(value) => {
            pointers.push(value.as_ptr());
            // SAFETY: attached; a tuple of one string.
            unsafe {
                let names = owned_or_error(py::PyTuple_New(1))?;
                py::PyTuple_SET_ITEM(
                    names.as_ptr(),
                    0,
                    crate::convert::intern_text(c"default")?.into_ptr(),
                );
                Some(names)
            }
        }
    };
    // SAFETY: attached; the arguments are alive; a new reference or null.
    unsafe {
        owned_or_error(running::PyObject_Vectorcall(
            callable.as_ptr(),
            pointers.as_ptr(),
            arguments.len(),
            names.as_ref().map_or(std::ptr::null_mut(), Owned::as_ptr),
        ))
    }
}
