//! Calls both ways, and what the process keeps.

use std::sync::{LazyLock, Mutex, PoisonError};

use pairbond::dynamic::{DynamicFields, MakeObject};
use pairbond::prelude::*;

use crate::node::Node;

/// Calls a function with values, and returns its result.
#[pairbond::function]
pub(crate) fn call(function: Function, #[rest] values: Vec<Any>) -> Result<Any, Error> {
    function.call(&values)
}

/// Calls a function with values on a thread that never saw Python.
#[pairbond::function]
#[detach]
pub(crate) fn call_on_thread(function: Function, #[rest] values: Vec<Any>) -> Result<Any, Error> {
    std::thread::spawn(move || function.call(&values))
        .join()
        .map_err(|_| Error::runtime_error("the thread panicked"))?
}

/// Emits a device event.
#[pairbond::function]
pub(crate) fn emit(kind: u32, device: u32, a: u64, b: u64) {
    pairbond::event::emit(kind, device, a, b);
}

/// Emits `count` device events with a running number, while no observer can run where there is a
/// GIL.
#[pairbond::function]
pub(crate) fn emit_many(count: u64) {
    (0..count).for_each(|a| pairbond::event::emit(0, 0, a, 0));
}

/// Emits `count` device events on each of some threads that never saw Python: with their number as
/// the device, and a running number.
#[pairbond::function]
#[detach]
pub(crate) fn emit_on_threads(threads: u32, count: u64) {
    std::thread::scope(|scope| {
        for device in 0..threads {
            scope.spawn(move || (0..count).for_each(|a| pairbond::event::emit(0, device, a, 0)));
        }
    });
}

/// Registers a function whose parameter has a default.
#[pairbond::function]
pub(crate) fn register_with_default(name: &str, value: Any) -> Result<(), Error> {
    let function = Function::build(name.to_owned())
        .default("value", value)
        .from(|value: Any| value);
    pairbond::registry::register_function(name, function, false)
}

/// Calls a function with values while the caller's interpreter is let go.
#[pairbond::function]
#[detach]
pub(crate) fn call_detached(function: Function, #[rest] values: Vec<Any>) -> Result<Any, Error> {
    function.call(&values)
}

/// Returns its argument.
#[pairbond::function]
pub(crate) fn echo(value: Any) -> Any {
    value
}

static GLOBAL: LazyLock<Ref<Node>> = LazyLock::new(|| Ref::new(Node::new(42)));
static FUNCTION: LazyLock<Function> = LazyLock::new(|| {
    Function::new("global_function", |values| {
        Ok(values.first().cloned().unwrap_or_default())
    })
});

/// A node that the process keeps.
#[pairbond::function]
pub(crate) fn global_node() -> Ref<Node> {
    GLOBAL.clone()
}

/// The same node, found in another way.
#[pairbond::function]
pub(crate) fn other_global_node() -> &'static Ref<Node> {
    &GLOBAL
}

static WATCHED: Mutex<Option<Weak<Node>>> = Mutex::new(None);

/// Holds a node weakly, for all interpreters.
#[pairbond::function]
pub(crate) fn watch_globally(node: Option<Weak<Node>>) {
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = node;
}

/// Whether the node that is held weakly is alive.
#[pairbond::function]
pub(crate) fn is_watched_alive() -> bool {
    let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    watched.and_then(|node| node.upgrade()).is_some()
}

/// A function that the process keeps.
#[pairbond::function]
pub(crate) fn global_function() -> Function {
    FUNCTION.clone()
}

/// How often the native collector has looked at all objects.
#[pairbond::function]
pub(crate) fn surveys() -> usize {
    pairbond::diagnostics::stats().collections
}

/// A field of an object whose type was made at run time.
#[pairbond::function]
pub(crate) fn field(object: Any, name: &str) -> Result<Any, Error> {
    match &object {
        Any::Object(object) => object.as_borrow().field(name),
        other => Err(Error::type_error(format!("{} is no object", other.kind()))),
    }
}

/// Assigns such a field.
#[pairbond::function]
pub(crate) fn set_field(object: Any, name: &str, value: Any) -> Result<(), Error> {
    match &object {
        Any::Object(object) => object.as_borrow().set_field(name, value),
        other => Err(Error::type_error(format!("{} is no object", other.kind()))),
    }
}

/// Makes an object of such a type.
#[pairbond::function]
pub(crate) fn make(key: &str, names: Vec<String>, values: Vec<Any>) -> Result<Any, Error> {
    let info = pairbond::types::find_type(key).ok_or_else(|| Error::key_error(key))?;
    let values: Vec<(&str, Any)> = names.iter().map(String::as_str).zip(values).collect();
    Ok(Any::Object(info.make_object(&values)?))
}

/// Names and types of a type's fields.
#[pairbond::function]
pub(crate) fn fields_of(key: &str) -> Result<Vec<(&'static str, &'static str)>, Error> {
    let info = pairbond::types::find_type(key).ok_or_else(|| Error::key_error(key))?;
    Ok(info
        .fields()
        .iter()
        .map(|field| (field.name, field.rust_type))
        .collect())
}
