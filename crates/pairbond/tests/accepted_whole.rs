//! Everything at once, under the strictest lints a user could set.
#![forbid(unsafe_code)]
#![deny(missing_docs, unused, unreachable_pub, warnings)]
#![warn(clippy::all)]
#![allow(clippy::too_many_arguments, reason = "the most that a function can have")]

use std::collections::HashMap;
use std::path::PathBuf;

use pairbond::prelude::*;

/// A package of a lock file.
#[pairbond::object("lockgraph.Package", version = 3)]
#[derive(Debug)]
pub struct Package {
    /// Its name.
    #[field]
    name: Str,
    #[field(set)]
    note: Cell<Option<Str>>,
    #[field(get, name = "requires")]
    dependencies: List<Package>,
    #[field]
    parent: Cell<Option<Weak<Package>>>,
    #[untraced]
    seen: std::sync::atomic::AtomicBool,
    #[cfg(any())]
    #[field]
    absent: Missing,
}

#[pairbond::methods]
impl Package {
    /// How many.
    pub const LIMIT: usize = 3;

    /// Makes one.
    #[new]
    #[must_use]
    pub fn new(name: &str, #[default(Self::LIMIT)] _limit: usize) -> Self {
        Package {
            name: name.into(),
            note: Cell::new(None),
            dependencies: List::new(),
            parent: Cell::new(None),
            seen: false.into(),
        }
    }

    /// Packages that this one needs.
    fn closure<'a>(
        &'a self,
        first: &'a Package,
        second: Borrow<'a, Self>,
        third: Option<Ref<Self>>,
        #[default(-1)] fourth: i64,
        #[default("x")] fifth: &str,
        #[keyword]
        #[default(b"y")]
        sixth: &[u8],
        seventh: Option<&str>,
    ) -> Result<Vec<Ref<Package>>, Error> {
        let _ = (self, first, second, third, fourth, fifth, sixth, seventh);
        Ok(Vec::new())
    }

    fn borrowed(&self) -> &str {
        self.hidden::<u8>();
        &self.name
    }

    #[hidden]
    fn hidden<T>(&self) -> Option<T> {
        self.seen.load(std::sync::atomic::Ordering::Relaxed);
        None
    }

    fn all(#[rest] names: Vec<String>, strict: bool) -> usize {
        names.len() + usize::from(strict)
    }

    #[classmethod]
    #[detach]
    fn load(path: PathBuf) -> Result<Ref<Self>, std::io::Error> {
        Err(std::io::Error::other(path.display().to_string()))
    }

    #[getter]
    fn title(&self) -> Result<Str, Error> {
        Ok(self.name.clone())
    }

    #[setter]
    fn set_title(&self, title: &str) -> Result<(), Error> {
        self.note.set(Some(title.into()));
        Ok(())
    }

    #[getter(short)]
    fn get_short(this: Borrow<'_, Self>) -> Str {
        this.get().name.clone()
    }

    #[setter(short)]
    fn put_short(this: Borrow<'_, Self>, value: Option<Str>) {
        this.get().note.set(value);
    }

    fn __repr__(&self) -> String {
        format!("Package({})", self.name)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.name == other.name
    }

    fn __enter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __exit__(&self, kind: Any, error: Any, trace: Any) {
        let _ = (kind, error, trace);
    }

    fn __getitem__(&self, index: isize) -> Result<Ref<Package>, Error> {
        Err(Error::index_error(index.to_string()))
    }

    fn __setitem__(&self, index: isize, value: Ref<Package>) {
        let _ = (index, value);
    }

    fn __radd__(&self, other: i64) -> i64 {
        other
    }

    fn __iadd__(&self, other: &str) {
        let _ = other;
    }

    fn __isub__(&self, other: &str) -> Result<(), Error> {
        Err(Error::value_error(other))
    }

    #[cfg(any())]
    fn __ne__(&self, other: &Self) -> Missing {}

    #[cfg(any())]
    fn missing(&self, other: Missing) {}

    fn __class_getitem__(item: Any) -> Any {
        item
    }

    #[name("__torch_function__")]
    fn torch_function(&self) -> HashMap<String, (u8, f64)> {
        HashMap::new()
    }
}

/// One more.
#[pairbond::object("lockgraph.Special", extends = Package, sealed)]
pub struct Special {
    base: Package,
    /// A number.
    #[field]
    pub weight: f64,
}

#[pairbond::object("lockgraph.Unit")]
struct Unit;

#[pairbond::object("lockgraph.Local", native)]
struct Local {
    #[untraced]
    pointer: *const u8,
}

/// Reads a lock file.
#[pairbond::function]
pub fn read(path: &str, #[keyword] args: Option<i64>, out: u8) -> Result<Ref<Package>, Error> {
    let _ = (args, out);
    Ref::try_new(Package::new(path, 0))
}

#[pairbond::function]
#[detach]
#[name("wait_")]
fn wait() {}

mod inner {
    #[pairbond::function]
    pub(crate) fn nothing() {}
}

pairbond::module!(
    /// Lock files.
    lockgraph { Package, Special, Unit, read, wait, inner::nothing, }
);

#[test]
fn it_does_what_it_says() {
    let special = Special {
        base: Package::new("a", 0),
        weight: 1.0,
    };
    assert_eq!(special.borrowed(), "a");
    let _ = Local {
        pointer: std::ptr::null(),
    }
    .pointer;
    let _ = (Unit, special.base, special.weight);
}
