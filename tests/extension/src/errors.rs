//! Errors, panics, and exceptions on their way through Rust.

use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;

use pairbond::prelude::*;

fn kind(name: &str) -> ErrorKind {
    match name {
        "type" => ErrorKind::Type,
        "value" => ErrorKind::Value,
        "key" => ErrorKind::Key,
        "index" => ErrorKind::Index,
        "attribute" => ErrorKind::Attribute,
        "overflow" => ErrorKind::Overflow,
        "zero_division" => ErrorKind::ZeroDivision,
        "not_implemented" => ErrorKind::NotImplemented,
        "stop_iteration" => ErrorKind::StopIteration,
        "memory" => ErrorKind::Memory,
        "os" => ErrorKind::Os(None),
        "file_not_found" => ErrorKind::FileNotFound,
        "permission" => ErrorKind::Permission,
        "timeout" => ErrorKind::Timeout,
        "unicode" => ErrorKind::Unicode,
        "import" => ErrorKind::Import,
        "interpreter" => ErrorKind::Interpreter,
        "closed" => ErrorKind::Closed,
        "panic" => ErrorKind::Panic,
        _ => ErrorKind::Runtime,
    }
}

#[pairbond::function]
pub(crate) fn raise_kind(name: &str, message: &str) -> Result<(), Error> {
    Err(Error::new(kind(name), message))
}

#[pairbond::function]
pub(crate) fn raise_io(path: &str) -> Result<String, std::io::Error> {
    std::fs::read_to_string(path)
}

#[derive(Debug)]
pub(crate) struct Layer(&'static str, Option<Box<Layer>>);

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Layer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.1.as_deref().map(|layer| layer as _)
    }
}

#[pairbond::function]
pub(crate) fn raise_chain() -> Result<(), Layer> {
    Err(Layer(
        "outer",
        Some(Box::new(Layer("middle", Some(Box::new(Layer("inner", None)))))),
    ))
}

#[pairbond::function]
pub(crate) fn raise_note() -> Result<(), Error> {
    Err(Error::value_error("with notes")
        .with_note("first note")
        .with_note("second note"))
}

/// With attributes of all kinds.
#[pairbond::function]
pub(crate) fn raise_fields(name: &str, value: Any) -> Result<(), Error> {
    Err(
        Error::new(ErrorKind::Custom(name.to_owned().into()), "with fields")
            .with_field("value", 1)
            .with_field("text", "some")
            .with_field("nothing", Any::None)
            .with_field("value", value),
    )
}

#[pairbond::function]
pub(crate) fn raise_custom(name: &str) -> Result<(), Error> {
    Err(Error::new(
        ErrorKind::Custom(name.to_owned().into()),
        "a class of its own",
    ))
}

#[pairbond::function]
pub(crate) fn panic(message: &str) {
    panic!("{message}")
}

#[pairbond::function]
#[detach]
pub(crate) fn panic_in_detached() {
    panic!("while detached")
}

/// Raises from where no `Result` can be returned.
#[pairbond::function]
pub(crate) fn unwind(message: &str) -> usize {
    let count = |_| -> usize { Error::new(ErrorKind::Memory, message).unwind() };
    message.chars().map(count).sum()
}

static CAUGHT: Mutex<Option<Error>> = Mutex::new(None);

/// Calls; keeps the error and returns its message.
#[pairbond::function]
pub(crate) fn call_and_catch(function: Function) -> Option<String> {
    let error = function.call(&[]).err()?;
    let message = error.message().to_owned();
    *CAUGHT.lock().unwrap() = Some(error);
    Some(message)
}

/// The same on a thread that Python does not know, which is not attached any more when it asks for
/// the message.
#[pairbond::function]
#[detach]
pub(crate) fn catch_later(function: Function) -> Option<String> {
    let thread = std::thread::spawn(move || function.call(&[]).err().map(|error| error.to_string()));
    thread.join().expect("it does not panic")
}

/// The error that was kept.
#[pairbond::function]
pub(crate) fn reraise(#[keyword] note: Option<&str>) -> Result<(), Error> {
    let error = CAUGHT.lock().unwrap().take();
    match (error, note) {
        (Some(error), Some(note)) => Err(error.with_note(note).with_field("seen", note)),
        (Some(error), None) => Err(error),
        (None, _) => Ok(()),
    }
}

/// Says which file it is about.
#[pairbond::function]
pub(crate) fn raise_at_path(path: PathBuf) -> Result<String, Error> {
    std::fs::read_to_string(&path).at_path(&path)
}

#[pairbond::function]
pub(crate) fn raise_kind_at_path(name: &str, path: PathBuf) -> Result<(), Error> {
    Err(Error::new(kind(name), "no such thing").with_path(path))
}

/// Wraps what a function raises.
#[pairbond::function]
pub(crate) fn raise_with_cause(function: Function, message: &str) -> Result<Any, Error> {
    function
        .call(&[])
        .map_err(|cause| Error::value_error(message).with_cause(cause))
}

#[pairbond::function]
pub(crate) fn not_implemented() -> Result<(), Error> {
    Err(Error::not_implemented())
}

/// An object whose end panics.
#[pairbond::object("pairbond_testext.Fragile")]
pub(crate) struct Fragile {
    /// Kept, to be seen to end all the same.
    #[field]
    kept: Any,
}

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("it broke");
    }
}

#[pairbond::methods]
impl Fragile {
    #[new]
    fn new(kept: Any) -> Self {
        Fragile { kept }
    }
}

/// Makes one and drops it, in a call.
#[pairbond::function]
pub(crate) fn break_one(kept: Any) {
    drop(Ref::new(Fragile::new(kept)));
}

/// The same on a thread that Python does not know: whether that thread panicked.
#[pairbond::function]
#[detach]
pub(crate) fn break_elsewhere() -> bool {
    std::thread::spawn(|| drop(Ref::new(Fragile::new(Any::None))))
        .join()
        .is_err()
}
