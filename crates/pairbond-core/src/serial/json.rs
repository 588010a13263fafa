//! Graphs as JSON.

use super::graph::Graph;
use super::load::Loader;
use super::save::Save;
use crate::error::{Error, ErrorKind};
use crate::value::Any;

/// A value and everything that it leads to as JSON (see `serial::format` for how it looks).
///
/// # Errors
/// A type that cannot be taken apart, by name; an object of another language.
pub fn to_json(value: &Any) -> Result<String, Error> {
    let mut save = Save::new();
    save.root(value)?;
    save.run()?;
    let (graph, beside) = save.finish();
    if let Some(first) = beside.first() {
        return Err(Error::type_error(format!(
            "cannot write {} as JSON: it belongs to another language (pickle writes it)",
            first.value.describe()
        )));
    }
    serde_json::to_string(&graph).map_err(|error| Error::value_error(error.to_string()))
}

/// The value of such a text.
///
/// # Errors
/// `ValueError` that says where the text is wrong, or names the type and field that do not fit.
pub fn from_json(text: &str) -> Result<Any, Error> {
    let mut load = loader_of_json(text)?;
    load.run()?;
    load.take_root()
}

/// What makes the value of such a text.
///
/// # Errors
/// As [`from_json`].
pub fn loader_of_json(text: &str) -> Result<Loader, Error> {
    let graph: Graph = serde_json::from_str(text)
        .map_err(|error| Error::caused_by(ErrorKind::Value, error.to_string(), error))?;
    Loader::new(graph)
}
