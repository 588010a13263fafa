//! What modules hold beside classes and functions; further keyword arguments; several blocks of
//! methods.

use std::collections::{BTreeMap, HashMap};

use pairbond::prelude::*;

/// The text cannot be read.
#[pairbond::exception("pairbond_testext.ParseError", extends = ValueError)]
pub(crate) struct ParseError;

/// It ends too early.
#[pairbond::exception("pairbond_testext.EndError", extends = ParseError)]
pub(crate) struct EndError;

/// Never listed by a module.
#[pairbond::exception("pairbond_nowhere.HiddenError", extends = "configparser.Error")]
pub(crate) struct HiddenError;

#[pairbond::exception("pairbond_testext.PlainError")]
pub(crate) struct PlainError;

/// Raises one of the exceptions.
#[pairbond::function]
pub(crate) fn raise_defined(name: &str) -> Result<(), Error> {
    Err(match name {
        "parse" => Error::of::<ParseError>("line 3")
            .with_field("line", 3)
            .with_note("a note"),
        "end" => Error::of::<EndError>("the end"),
        "plain" => Error::of::<PlainError>("plain"),
        _ => Error::of::<HiddenError>("hidden"),
    })
}

/// Returns the further keyword arguments.
#[pairbond::function]
pub(crate) fn keywords(first: i64, #[rest] others: HashMap<String, i64>) -> (i64, BTreeMap<String, i64>) {
    (first, others.into_iter().collect())
}

/// Returns arguments of all kinds.
#[pairbond::function]
pub(crate) fn everything(
    a: i64,
    #[default(2)] b: i64,
    #[rest] c: Vec<i64>,
    d: i64,
    #[rest] e: Map<Str, Any>,
) -> (i64, i64, Vec<i64>, i64, Map<Str, Any>) {
    (a, b, c, d, e)
}

/// A native function with further keyword arguments.
#[pairbond::function]
pub(crate) fn keywords_later() -> Function {
    Function::build("later")
        .parameter("a")
        .rest_keywords("rest")
        .from(|a: i64, rest: BTreeMap<String, i64>| (a, rest))
}

/// Three blocks of methods.
#[pairbond::object("pairbond_testext.Blocks")]
pub(crate) struct Blocks {
    values: BTreeMap<String, i64>,
}

#[pairbond::methods]
impl Blocks {
    #[new]
    fn new(#[rest] values: BTreeMap<String, i64>) -> Self {
        Blocks { values }
    }

    fn first(&self) -> i64 {
        1
    }

    #[getter]
    fn values(&self) -> BTreeMap<String, i64> {
        self.values.clone()
    }
}

#[pairbond::methods(block = 1)]
impl Blocks {
    fn second(&self, #[rest] options: HashMap<String, Any>) -> usize {
        options.len()
    }

    #[getter]
    fn total(&self) -> i64 {
        self.values.values().sum()
    }
}

#[pairbond::methods(block = 3)]
impl Blocks {
    fn __len__(&self) -> usize {
        self.values.len()
    }

    fn __eq__(&self, other: &Blocks) -> bool {
        self.values == other.values
    }
}

/// A class of the inner module.
#[pairbond::object("pairbond_testext.inner.Inner")]
#[derive(Default)]
pub(crate) struct Inner {
    #[field(set)]
    value: Cell<i64>,
}

#[pairbond::methods]
impl Inner {
    #[new]
    fn new() -> Self {
        Inner::default()
    }
}

/// A function of the inner module.
#[pairbond::function]
pub(crate) fn deep(inner: Ref<Inner>) -> Ref<Inner> {
    inner
}

/// Compares as Rust does; all fields are shown.
#[pairbond::object("pairbond_testext.Derived", eq, hash, ord, get_all)]
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Derived {
    major: u32,
    name: String,
}

#[pairbond::methods]
impl Derived {
    #[new]
    fn new(major: u32, name: String) -> Self {
        Derived { major, name }
    }
}

/// All fields are shown, and those that change can be set.
#[pairbond::object("pairbond_testext.Shown", set_all)]
#[derive(Default)]
pub(crate) struct Shown {
    fixed: i64,
    changing: Cell<i64>,
    #[field(name = "other")]
    named: Cell<i64>,
}

#[pairbond::methods]
impl Shown {
    #[new]
    fn new(fixed: i64) -> Self {
        Shown {
            fixed,
            ..Shown::default()
        }
    }
}
