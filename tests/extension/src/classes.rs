//! Classes: fields, inheritance, construction.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use pairbond::prelude::*;

static LIMIT: AtomicI64 = AtomicI64::new(-1);

/// A package of a lock file.
#[pairbond::object("pairbond_testext.Package")]
pub(crate) struct Package {
    /// Its name.
    #[field]
    name: Str,
    #[field(set)]
    note: Cell<Option<Str>>,
    #[field(set)]
    count: Cell<i64>,
    #[field(set)]
    next: Cell<Option<Ref<Package>>>,
    #[field(set)]
    extra: Cell<Any>,
    #[field]
    dependencies: List<Package>,
}

#[pairbond::methods]
impl Package {
    #[new]
    fn new(name: &str, #[default(0)] count: i64, #[keyword] note: Option<Str>) -> Result<Self, Error> {
        if name.is_empty() {
            return Err(Error::value_error("a package needs a name"));
        }
        Ok(Package {
            name: name.into(),
            note: Cell::new(note),
            count: Cell::new(count),
            next: Cell::new(None),
            extra: Cell::new(Any::None),
            dependencies: List::new(),
        })
    }

    /// The name, given out again.
    fn hello(&self) -> String {
        format!("hello from {}", self.name)
    }

    fn me(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn me_owned(this: Borrow<'_, Self>) -> Ref<Self> {
        this.to_ref()
    }

    fn add3(&self, a: i64, b: i64, c: i64) -> i64 {
        a + b + c
    }

    fn is_same(&self, other: &Package) -> bool {
        std::ptr::eq(self, other)
    }

    /// What comes after it: the field, by another name.
    #[getter]
    fn following(&self) -> &Cell<Option<Ref<Package>>> {
        &self.next
    }

    /// How long the name is.
    #[getter]
    fn length(&self) -> usize {
        self.name.len()
    }

    #[getter]
    fn label(&self) -> Result<String, Error> {
        let note = self
            .note
            .get()
            .ok_or_else(|| Error::value_error("no note, no label"))?;
        Ok(note.to_string())
    }

    #[setter]
    fn set_label(&self, label: &str) {
        self.note.set(Some(label.into()));
    }

    /// Not about an object.
    fn stat(value: i64) -> i64 {
        value + 1
    }

    #[classmethod]
    fn make(name: &str) -> Result<Ref<Self>, Error> {
        Ref::try_new(Package::new(name, 0, None)?)
    }

    #[staticmethod]
    fn set_limit(limit: i64) {
        LIMIT.store(limit, Ordering::Relaxed);
    }

    /// How many there may be.
    #[classmethod]
    #[getter]
    fn limit() -> Result<i64, Error> {
        match LIMIT.load(Ordering::Relaxed) {
            limit if limit < 0 => Err(Error::value_error("there is no limit")),
            limit => Ok(limit),
        }
    }

    #[detach]
    fn slow(&self) -> usize {
        self.name.len()
    }

    fn fail(&self) -> Result<(), Error> {
        panic!("{} panics", self.name)
    }

    fn __repr__(&self) -> String {
        format!("<Package {}>", &*self.name)
    }
}

/// A package with a level.
#[pairbond::object("pairbond_testext.Special", extends = Package)]
pub(crate) struct Special {
    base: Package,
    #[field(set)]
    level: Cell<i64>,
}

#[pairbond::methods]
impl Special {
    #[new]
    fn new(name: &str, level: i64) -> Result<Self, Error> {
        Ok(Special {
            base: Package::new(name, 0, None)?,
            level: Cell::new(level),
        })
    }
}

/// Comes from Rust only.
#[pairbond::object("pairbond_testext.Lock")]
pub(crate) struct Lock {
    #[field]
    packages: List<Package>,
}

/// A class that is not changed.
#[pairbond::object("pairbond_testext.Settled", immutable_type)]
pub(crate) struct Settled {
    #[field]
    value: i64,
}

#[pairbond::methods]
impl Settled {
    #[new]
    fn new(value: i64) -> Self {
        Settled { value }
    }
}

/// Neither attributes nor subclasses.
#[pairbond::object("pairbond_testext.Sealed", sealed)]
pub(crate) struct Sealed {
    #[field]
    value: i64,
}

#[pairbond::methods]
impl Sealed {
    #[new]
    fn new(value: i64) -> Self {
        Sealed { value }
    }
}

/// Attributes, but no native field that reaches Python.
#[pairbond::object("pairbond_testext.Plain")]
pub(crate) struct Plain {
    #[field(set)]
    x: Cell<f64>,
    #[field(set)]
    y: Cell<f64>,
}

#[pairbond::methods]
impl Plain {
    #[new]
    fn new(x: f64, y: f64) -> Self {
        Plain {
            x: Cell::new(x),
            y: Cell::new(y),
        }
    }
}

/// Attributes are read more than methods are called.
#[pairbond::object("pairbond_testext.Quick", fast_getters)]
pub(crate) struct Quick {
    #[field(set)]
    value: Cell<i64>,
    #[field(set)]
    other: Cell<Option<Ref<Quick>>>,
}

#[pairbond::methods]
impl Quick {
    #[new]
    fn new(value: i64) -> Self {
        Quick {
            value: Cell::new(value),
            other: Cell::new(None),
        }
    }

    #[getter]
    fn half(&self) -> Result<i64, Error> {
        let value = self.value.get();
        if value % 2 == 0 {
            Ok(value / 2)
        } else {
            Err(Error::value_error(format!("{value} is odd")))
        }
    }

    fn double(&self) -> i64 {
        2 * self.value.get()
    }
}

/// Inherits the above's getters, and how they are read.
#[pairbond::object("pairbond_testext.QuickChild", extends = Quick)]
pub(crate) struct QuickChild {
    quick: Quick,
    #[field]
    extra: i64,
}

#[pairbond::methods]
impl QuickChild {
    #[new]
    fn new(value: i64, extra: i64) -> Self {
        QuickChild {
            quick: Quick::new(value),
            extra,
        }
    }
}

/// Whose constructor panics.
#[pairbond::object("pairbond_testext.Broken")]
pub(crate) struct Broken {}

#[pairbond::methods]
impl Broken {
    #[new]
    fn new() -> Self {
        panic!("cannot be made")
    }
}

#[pairbond::function]
pub(crate) fn package(name: &str) -> Result<Ref<Package>, Error> {
    Package::make(name)
}

#[pairbond::function]
pub(crate) fn special(name: &str, level: i64) -> Result<Ref<Package>, Error> {
    Ok(Ref::try_new(Special::new(name, level)?)?.upcast())
}

#[pairbond::function]
pub(crate) fn lock() -> Ref<Lock> {
    Ref::new(Lock {
        packages: List::new(),
    })
}

#[pairbond::function]
pub(crate) fn same(a: Borrow<'_, Package>, b: Borrow<'_, Package>) -> bool {
    a.is(b)
}

#[pairbond::function]
pub(crate) fn owned(package: Ref<Package>) -> Ref<Package> {
    package
}

#[pairbond::function]
pub(crate) fn names(packages: Vec<Ref<Package>>) -> Vec<Str> {
    packages.iter().map(|package| package.name.clone()).collect()
}

#[pairbond::function]
pub(crate) fn both(package: Option<&Package>, special: Option<&Special>) -> (Option<Str>, Option<i64>) {
    (package.map(|p| p.name.clone()), special.map(|s| s.level.get()))
}

static KEPT: Mutex<Vec<Ref<Package>>> = Mutex::new(Vec::new());

#[pairbond::function]
pub(crate) fn keep(package: Ref<Package>) {
    KEPT.lock().unwrap().push(package);
}

#[pairbond::function]
pub(crate) fn kept() -> Vec<Ref<Package>> {
    KEPT.lock().unwrap().clone()
}

#[pairbond::function]
pub(crate) fn drop_kept() {
    let all = std::mem::take(&mut *KEPT.lock().unwrap());
    drop(all);
}

/// Has another name in Python than in Rust.
#[pairbond::object("pairbond_testext.Renamed")]
pub(crate) struct StructOfAnotherName {}

#[pairbond::methods]
impl StructOfAnotherName {
    #[new]
    fn new() -> Self {
        StructOfAnotherName {}
    }

    fn method(&self, x: i64) -> i64 {
        x
    }

    #[getter]
    fn level(&self) -> i64 {
        1
    }

    #[setter]
    fn set_level(&self, _level: i64) {}
}
