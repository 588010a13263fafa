//! Types of all kinds.

use std::collections::{BTreeMap, HashMap};

use pairbond::prelude::*;

/// All that a field can be.
#[pairbond::object("serial.All")]
#[derive(Default)]
pub(crate) struct All {
    pub small: i8,
    pub large: u64,
    pub huge: u128,
    pub float: f64,
    pub letter: Option<char>,
    pub text: String,
    pub shared: Str,
    pub bytes: Option<Bytes>,
    pub twice: Option<Option<i64>>,
    pub many: Vec<(bool, f32)>,
    pub table: HashMap<String, Vec<i64>>,
    pub sorted: BTreeMap<i64, Option<Ref<Link>>>,
    pub any: Any,
    pub list: List<Link>,
    pub tuple: Tuple<Any>,
    pub map: Map<Str, i64>,
    pub frozen: FrozenMap<i64, Str>,
    pub set: Set<Any>,
    pub cells: Vec<Cell<Option<Ref<Link>>>>,
    pub nested: Option<List<List<f64>>>,
}

/// A link of a chain, or of a ring.
#[pairbond::object("serial.Link")]
#[derive(Default)]
pub(crate) struct Link {
    pub name: Cell<i64>,
    pub next: Cell<Option<Ref<Link>>>,
}

/// Refers back by a field that never changes, and by one that does and is never empty.
#[pairbond::object("serial.Child")]
pub(crate) struct Child {
    pub parent: Ref<Parent>,
    pub other: Cell<Ref<Parent>>,
}

#[pairbond::object("serial.Parent")]
#[derive(Default)]
pub(crate) struct Parent {
    pub children: List<Child>,
    pub first: Cell<Option<Ref<Child>>>,
    pub map: Map<Any, Any>,
    pub tuple: Cell<Option<Tuple<Any>>>,
    pub up: Cell<Option<Weak<Parent>>>,
    pub weak: Option<Weak<Parent>>,
}

/// Extends another.
#[pairbond::object("serial.Special", extends = Link)]
pub(crate) struct Special {
    pub base: Link,
    pub name: Str,
}

/// Cannot be serialised.
pub(crate) struct Secret;

#[pairbond::object("serial.Closed")]
pub(crate) struct Closed {
    #[untraced]
    pub secret: Secret,
}

#[pairbond::object("serial.Opaque", opaque)]
pub(crate) struct Opaque;

/// By its own functions: only even numbers.
#[pairbond::object("serial.Even", save = Self::save, load = Self::load)]
pub(crate) struct Even {
    #[untraced]
    pub half: Secret,
    pub number: i64,
}

impl Even {
    pub(crate) fn of(number: i64) -> Self {
        Even { half: Secret, number }
    }
    fn save(&self) -> Result<Any> {
        Ok(Any::from(vec_list(&[self.number / 2])))
    }
    fn load(data: Any) -> Result<Self> {
        let all: Vec<i64> = data.to()?;
        match all[..] {
            [half] => Ok(Even::of(half * 2)),
            _ => Err(Error::value_error("one number is expected")),
        }
    }
}

fn vec_list(values: &[i64]) -> List<i64> {
    values.iter().copied().collect()
}

/// Has an order, and refuses invalid values.
#[pairbond::object("serial.Version", ordered, check = Self::look)]
pub(crate) struct Version {
    pub major: u32,
    pub minor: u32,
    #[transient]
    pub cached: Option<u64>,
}

impl Version {
    pub(crate) fn of(major: u32, minor: u32) -> Self {
        Version {
            major,
            minor,
            cached: Some(7),
        }
    }
    fn look(&self) -> Result<()> {
        if self.minor > 99 {
            return Err(Error::value_error("a minor version has two digits"));
        }
        Ok(())
    }
}
