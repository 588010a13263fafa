//! `pairbond._graph`: an object and everything that it leads to, through native references and
//! Python ones, as rows for pictures.
//!
//! * this file – the function, and its answer as Python objects.
//! * `survey` – the walk. It holds each object that it has met, so that nothing dies under it;
//!   counts are read before that.
//! * `groups` – a picture of bounded size: objects one by one, or by type and path, or by type.
//!
//! It is a report: other threads go on, and objects that they move meanwhile may be shown at both
//! places or at none. No object gets a wrapper by it.
//!
//! Tests: `tests/python/test_graph.py`.

mod groups;
mod survey;

use pairbond_core::error::Error;
use pyo3_ffi as py;

use crate::call::method_table::{Methods, method_definition};
use crate::convert::from_text;
use crate::errors::{finish_call, owned_or_error, take};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use groups::{Picture, Shown};
use survey::Survey;

pub(super) static FUNCTIONS: Methods<2> = Methods::new([
    method_definition(
        c"_graph",
        graph_function,
        py::METH_VARARGS,
        c"_graph(obj, max_nodes, max_objects, /)\n--\n\nWhat obj leads to: the nodes, the edges, the number of objects, how they are grouped, and whether the walk came to its end.",
    ),
    py::PyMethodDef::zeroed(),
]);

unsafe extern "C" fn graph_function(_: *mut py::PyObject, arguments: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached; a tuple, which outlives the call.
    finish_call(|| unsafe { answer_graph(arguments) })
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `arguments` alive.
unsafe fn answer_graph(arguments: *mut py::PyObject) -> Result<Owned, Error> {
    // SAFETY: attached; the caller keeps the tuple, which keeps its elements.
    if unsafe { py::PyTuple_GET_SIZE(arguments) } != 3 {
        return Err(Error::type_error("_graph() takes three arguments"));
    }
    // SAFETY: attached; the caller keeps the tuple, which keeps its elements.
    let limit = |at| match unsafe { running::PyLong_AsLongLong(py::PyTuple_GET_ITEM(arguments, at)) } {
        -1 if crate::errors::is_set() => Err(take()),
        limit => Ok(usize::try_from(limit).unwrap_or(0)),
    };
    let (max_nodes, max_objects) = (limit(1)?.max(2), limit(2)?.max(1));
    let mut survey = Survey::new(Interp::current()?, max_objects)?;
    // SAFETY: attached; the caller keeps the tuple, which keeps its elements.
    unsafe { survey.run(py::PyTuple_GET_ITEM(arguments, 0)) }?;
    picture_rows(&Picture::of(&survey, max_nodes))
}

/// The picture as Python has it.
fn picture_rows(picture: &Picture<'_>) -> Result<Owned, Error> {
    let nodes = new_list(picture.nodes.len())?;
    for (at, node) in picture.nodes.iter().enumerate() {
        set_item(&nodes, at, node_row(node)?);
    }
    let edges = new_list(picture.edges.len())?;
    for (at, edge) in picture.edges.iter().enumerate() {
        let row = Owned::tuple([
            Owned::from_size(edge.from)?,
            Owned::from_size(edge.to)?,
            Owned::from_bool(edge.native),
            from_text(edge.label)?,
            Owned::from_size(edge.count)?,
        ])?;
        set_item(&edges, at, row);
    }
    Owned::tuple([
        nodes,
        edges,
        Owned::from_size(picture.objects)?,
        from_text(picture.grouped)?,
        Owned::from_bool(picture.complete),
    ])
}

fn node_row(node: &Shown<'_>) -> Result<Owned, Error> {
    Owned::tuple([
        Owned::from_bool(node.native),
        from_text(node.name)?,
        Owned::from_size(node.count)?,
        Owned::from_size(node.address)?,
        Owned::from_size(node.wrapped)?,
        Owned::from_size(node.dormant)?,
        Owned::from_size(node.erased)?,
        Owned::from_size(node.native_references)?,
        Owned::from_size(node.python_references)?,
    ])
}

fn new_list(len: usize) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference or null.
    unsafe { owned_or_error(py::PyList_New(len as py::Py_ssize_t)) }
}

fn set_item(list: &Owned, at: usize, item: Owned) {
    // SAFETY: attached; a new list to which there is no other reference, and a place in it.
    unsafe { py::PyList_SET_ITEM(list.as_ptr(), at as py::Py_ssize_t, item.into_ptr()) }
}
