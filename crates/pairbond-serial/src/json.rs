//! Graphs as JSON.

use std::io;

use super::graph::Graph;
use super::load::Loader;
use super::save::Save;
use pairbond_core::error::{Error, ErrorKind, panics};
use pairbond_core::memory::check_room;
use pairbond_value::value::Any;

/// A value and everything that it leads to as JSON (see `serial::format` for how it looks).
///
/// # Errors
/// A type that cannot be taken apart, by name; an object of another language.
pub fn to_json(value: &Any) -> Result<String, Error> {
    let mut save = Save::new();
    save.plain_nans();
    save.add_root(value)?;
    save.save_all()?;
    let (graph, beside) = save.finish();
    if let Some(first) = beside.first() {
        return Err(Error::type_error(format!(
            "cannot write {} as JSON: it belongs to another language (pickle writes it)",
            first.value.describe()
        )));
    }
    let mut text = Text(Vec::new());
    serde_json::to_writer(&mut text, &graph).map_err(|error| match error.io_error_kind() {
        Some(io::ErrorKind::OutOfMemory) => Error::new(ErrorKind::Memory, error.to_string()),
        _ => Error::value_error(error.to_string()),
    })?;
    Ok(String::from_utf8(text.0)?)
}

/// A text that grows while there is memory.
struct Text(Vec<u8>);

impl io::Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.try_reserve(bytes.len())?;
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The value of such a text.
///
/// # Errors
/// `ValueError` that says where the text is wrong, or names the type and field that do not fit.
pub fn from_json(text: &str) -> Result<Any, Error> {
    let mut load = loader_of_json(text)?;
    load.load_all()?;
    load.take_root()
}

/// Returns a loader of the value that such a text describes.
///
/// # Errors
/// As [`from_json`].
pub fn loader_of_json(text: &str) -> Result<Loader, Error> {
    // A string with escapes is copied into a buffer that grows twofold.
    check_room(text.len(), 2)?;
    // Want of memory unwinds through the format.
    let graph: Graph = panics::catch_panic(|| {
        serde_json::from_str(text)
            .map_err(|error| Error::caused_by(ErrorKind::Value, error.to_string(), error))
    })?;
    Loader::new(graph)
}
