//! Types whose code panics where a test says so, called by other binaries.

use std::sync::Mutex;

use pairbond::prelude::*;
use pairbond::serial::{Carry, Fault, Loading, Saver};
use pairbond::tree::{Children, Links, TreeNode};

static PLACE: Mutex<String> = Mutex::new(String::new());

/// Where the code of these types panics from now on; nowhere by default.
#[pairbond::function]
pub(crate) fn panic_in(#[default(String::new())] place: String) {
    *PLACE.lock().expect("nothing panics meanwhile") = place;
}

fn here(place: &str) {
    let panics = *PLACE.lock().expect("nothing panics meanwhile") == place;
    assert!(!panics, "in {place}");
}

/// A field of a type of its own. The extension and the library are made of this file, and share the
/// object.
#[derive(pairbond::layout::Layout)]
pub(crate) struct Shard(i64);

impl Default for Shard {
    fn default() -> Self {
        here("default");
        Shard(0)
    }
}

impl Drop for Shard {
    fn drop(&mut self) {
        // Two at the same time would abort the process, as anywhere.
        if self.0 != 0 {
            here("drop of a field");
        }
    }
}

impl Carry for Shard {
    fn save_value(&self, to: &mut Saver) -> Result<(), Error> {
        here("save");
        self.0.save_value(to)
    }
    fn load_value(from: &mut Loading) -> Result<Self, Fault> {
        here("load");
        i64::load_value(from).map(Shard)
    }
    fn fill_vacant(&self, from: &mut Loading) -> Result<(), Fault> {
        here("finish");
        from.skip_value()
    }
}

/// An object whose every function may panic.
#[pairbond::object("pairbond_testext.Brittle", ordered, check = Self::look)]
pub(crate) struct Brittle {
    #[untraced]
    shard: Shard,
    #[field(set)]
    other: Cell<Any>,
    #[untraced]
    #[transient]
    cache: Shard,
}

impl Brittle {
    fn look(&self) -> Result<(), Error> {
        here("check");
        Ok(())
    }
}

impl Drop for Brittle {
    fn drop(&mut self) {
        here("drop");
    }
}

#[pairbond::methods]
impl Brittle {
    #[new]
    fn new(#[default(0)] number: i64) -> Self {
        here("new");
        Brittle {
            shard: Shard(number),
            other: Cell::new(Any::None),
            cache: Shard(0),
        }
    }

    #[getter]
    fn number(&self) -> i64 {
        here("getter");
        self.shard.0
    }

    fn __eq__(&self, other: &Brittle) -> bool {
        here("eq");
        self.shard.0 == other.shard.0
    }

    fn __hash__(&self) -> i64 {
        here("hash");
        7
    }

    fn __lt__(&self, other: &Brittle) -> bool {
        here("lt");
        self.shard.0 < other.shard.0
    }

    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        here("iter");
        this
    }

    fn __next__(&self) -> Option<i64> {
        here("next");
        None
    }

    fn __len__(&self) -> usize {
        here("len");
        1
    }

    fn __call__(&self, #[default(0)] more: i64) -> i64 {
        here("call");
        self.shard.0 + more
    }

    fn __repr__(&self) -> String {
        here("repr");
        format!("Brittle({})", self.shard.0)
    }
}

/// Written by functions of its own.
#[pairbond::object("pairbond_testext.Written", save = Self::save, load = Self::load)]
pub(crate) struct Written {
    number: i64,
}

impl Written {
    fn save(&self) -> Result<Any, Error> {
        here("save by a function");
        Ok(self.number.into())
    }
    fn load(data: Any) -> Result<Self, Error> {
        here("load by a function");
        Ok(Written { number: data.to()? })
    }
}

#[pairbond::methods]
impl Written {
    #[new]
    fn new(#[default(0)] number: i64) -> Self {
        Written { number }
    }
}

/// A node that is called by a function.
#[pairbond::object("pairbond_testext.Named", tree, name = Self::called)]
pub(crate) struct Named {
    links: Links,
    children: Children<Named>,
}

impl Named {
    fn called(&self) -> String {
        here("name");
        "named".to_owned()
    }
}

#[pairbond::methods]
impl Named {
    #[new]
    fn new() -> Self {
        Named {
            links: Links::new(),
            children: Children::new(),
        }
    }

    fn add(this: Borrow<'_, Self>, child: Ref<Named>) -> Result<()> {
        this.to_ref().list(|node| &node.children).push(&child)
    }

    fn erase(this: Borrow<'_, Self>) -> Result<()> {
        this.to_ref().erase()
    }
}

/// Functions for others to call.
#[pairbond::function]
pub(crate) fn brittle_functions() -> Vec<Function> {
    let built = Function::build("built").parameter("x").from(|x: i64| {
        here("built function");
        x
    });
    let closure = Function::new("closure", |arguments| {
        here("closure");
        Ok(arguments.first().cloned().unwrap_or_default())
    });
    vec![built, closure, Function::of::<brittle_function>()]
}

/// A function that panics.
#[pairbond::function]
pub(crate) fn brittle_function(x: i64) -> i64 {
    here("function");
    x
}
