//! Functions as values, and functions that the process knows by name.

use std::sync::Mutex;

use pairbond::prelude::*;
use pairbond::registry::{get_function, register_function};

/// A function with parameters of every kind.
#[pairbond::function]
pub(crate) fn built() -> Function {
    Function::build("scale")
        .doc("Multiplies, and adds.")
        .parameter("x")
        .default("factor", 2.0)
        .rest("more")
        .default("start", 0)
        .from(|x: f64, factor: f64, more: Vec<f64>, start: f64| x * factor + more.iter().sum::<f64>() + start)
}

/// The same for one that is a `#[pairbond::function]`.
#[pairbond::function]
pub(crate) fn of_marker() -> Function {
    Function::of::<crate::calls::mixed>()
}

/// A closure whose parameters have no names.
#[pairbond::function]
pub(crate) fn plain_closure() -> Function {
    Function::build("plain").from(|a: i64, b: Option<String>| (a, b))
}

/// A closure that returns a mapping.
#[pairbond::function]
pub(crate) fn table_of() -> Function {
    Function::build("table").from(|n: i64| std::collections::HashMap::from([("n", n)]))
}

/// Calls with the last argument by name.
#[pairbond::function]
pub(crate) fn call_named(f: Function, #[rest] arguments: Vec<Any>, name: &str) -> Result<Any, Error> {
    f.call_with(&arguments, &[name])
}

/// Calls an argument that it does not keep, with the last argument by name if there is a name.
#[pairbond::function]
pub(crate) fn call_back(
    f: Callback<'_>,
    #[rest] arguments: Vec<Any>,
    #[keyword] name: Option<&str>,
) -> Result<Any, Error> {
    f.call_with(&arguments, name.as_slice())
}

/// Keeps an argument that is called back, and calls it again on a thread that Python does not know.
#[pairbond::function]
pub(crate) fn keep_callback(f: Callback<'_>) -> Result<(Any, Function), Error> {
    let kept = f.to_function();
    let called = kept.clone();
    let result = pairbond::detached(|| {
        std::thread::spawn(move || called.call(&[1.into()]))
            .join()
            .expect("it does not panic")
    })?;
    Ok((result, kept))
}

/// Whether Rust sees one function.
#[pairbond::function]
pub(crate) fn same_function(one: Function, other: Function) -> (bool, bool) {
    let clone = one.clone();
    (one.is(&other), clone.is(&one))
}

static KEPT: Mutex<Vec<Function>> = Mutex::new(Vec::new());

/// Keeps clones; returns how many there are.
#[pairbond::function]
pub(crate) fn keep_function(f: Function, #[default(1)] times: usize) -> usize {
    let mut kept = KEPT.lock().unwrap();
    kept.extend(std::iter::repeat_n(f, times));
    kept.len()
}

/// Lets them go, on a thread that Python does not know if asked to; returns the last.
#[pairbond::function]
pub(crate) fn drop_functions(#[default(false)] elsewhere: bool) -> Option<Function> {
    let mut all = std::mem::take(&mut *KEPT.lock().unwrap());
    let last = all.pop();
    if elsewhere {
        std::thread::spawn(move || drop(all))
            .join()
            .expect("it does not panic");
    }
    last
}

/// Clones and drops on threads that Python does not know, while Python goes on.
#[pairbond::function]
#[detach]
pub(crate) fn clone_elsewhere(f: Function, times: usize) -> bool {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    (0..times).all(|_| {
                        let clone = f.clone();
                        clone.is(&f)
                    })
                })
            })
            .collect();
        threads.into_iter().all(|thread| thread.join().unwrap_or(false))
    })
}

/// Its kind and text in Rust.
#[pairbond::function]
pub(crate) fn any_kind(value: Any) -> (&'static str, String) {
    (value.kind(), value.describe())
}

#[pairbond::function]
pub(crate) fn call_global(name: &str, #[rest] arguments: Vec<Any>) -> Result<Any, Error> {
    get_function(name)?.call(&arguments)
}

#[pairbond::function]
pub(crate) fn register_native(name: &str, value: i64) -> Result<(), Error> {
    register_function(name, Function::build("constant").from(move || value), false)
}

pairbond::global!("pairbond_testext.add3", crate::calls::add3);
pairbond::global!("pairbond_testext.seven", || Function::build("seven").from(|| 7));

/// An object that holds functions, also in a field that never changes.
#[pairbond::object("pairbond_testext.Caller")]
pub(crate) struct Caller {
    #[field]
    fixed: Function,
    #[field(set)]
    hook: Cell<Option<Function>>,
    #[field(set)]
    value: Cell<Any>,
}

#[pairbond::methods]
impl Caller {
    #[new]
    fn new(fixed: Function) -> Self {
        Caller {
            fixed,
            hook: Cell::default(),
            value: Cell::default(),
        }
    }

    fn call(&self, #[rest] arguments: Vec<Any>) -> Result<Any, Error> {
        self.fixed.call(&arguments)
    }

    /// Clones the function that never changes, again and again, on a thread that Python does not
    /// know.
    #[detach]
    fn clone_fixed(this: Borrow<'_, Self>, times: usize) -> bool {
        let this = this.to_ref();
        std::thread::spawn(move || (0..times).all(|_| this.fixed.clone().is(&this.fixed)))
            .join()
            .unwrap_or(false)
    }
}
