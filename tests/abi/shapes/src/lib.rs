//! Types that several extension modules have in common.
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use pairbond::prelude::*;

/// Of what pairbond knows.
#[pairbond::object("shapes.Known")]
pub struct Known {
    name: String,
    sizes: Cell<Vec<u64>>,
    by_name: HashMap<String, (u32, Option<f64>)>,
    next: Cell<Option<Ref<Known>>>,
    label: Str,
    #[untraced]
    log: Arc<Mutex<BTreeMap<u64, Box<str>>>>,
}

impl Known {
    pub fn make(name: &str) -> Ref<Known> {
        Ref::new(Known {
            name: name.to_owned(),
            sizes: Cell::new(vec![1, 2, 3]),
            by_name: HashMap::from([(name.to_owned(), (7, Some(0.5)))]),
            next: Cell::new(None),
            label: format!("label of {name}").into(),
            log: Arc::default(),
        })
    }

    /// Reads everything, and changes what can be changed.
    pub fn look(&self) -> String {
        self.sizes.update(|sizes| sizes.push(sizes.len() as u64 + 1));
        let mut log = self.log.lock().unwrap();
        let len = log.len() as u64;
        log.insert(len, format!("look {len}").into());
        let next = self
            .next
            .get()
            .map_or("none".to_owned(), |next| next.name.clone());
        let known = self.by_name.get(&self.name);
        format!(
            "{} {:?} {known:?} {next} {} {}",
            self.name,
            self.sizes.get(),
            self.label,
            log.len()
        )
    }

    pub fn set_next(&self, next: Ref<Known>) {
        self.next.set(Some(next));
    }
}

/// What only the compiler knows.
#[cfg(not(feature = "swapped"))]
pub struct Inner {
    pub number: u64,
    pub text: String,
}

#[cfg(feature = "swapped")]
pub struct Inner {
    pub text: String,
    pub number: u64,
    pub more: [u8; 0],
}

impl Inner {
    pub fn new(number: u64, text: &str) -> Self {
        Inner {
            text: text.to_owned(),
            number,
            #[cfg(feature = "swapped")]
            more: [],
        }
    }
}

#[pairbond::object("shapes.Opaque")]
pub struct Opaque {
    #[untraced]
    inner: Box<Inner>,
}

impl Opaque {
    pub fn make(text: &str) -> Ref<Opaque> {
        Ref::new(Opaque {
            inner: Box::new(Inner::new(42, text)),
        })
    }

    pub fn look(&self) -> String {
        format!("{} {}", self.inner.number, self.inner.text)
    }
}

/// An enum with data.
#[pairbond::object("shapes.Shape")]
#[derive(Clone)]
pub enum Shape {
    Circle { radius: f64 },
    Named(String),
    Empty,
}

/// An enum without data.
#[pairbond::object("shapes.Color")]
#[derive(Clone, Copy, PartialEq)]
pub enum Color {
    Red,
    Green,
}

/// A base, and what extends it.
#[pairbond::object("shapes.Base")]
pub struct Base {
    id: Cell<u64>,
}

#[pairbond::object("shapes.Derived", extends = Base)]
pub struct Derived {
    base: Base,
    text: Cell<Str>,
}

impl Derived {
    pub fn make(id: u64) -> Ref<Derived> {
        Ref::new(Derived {
            base: Base { id: Cell::new(id) },
            text: Cell::new("derived".into()),
        })
    }
}

pub fn look_at_base(base: &Base) -> u64 {
    base.id.set(base.id.get() + 1);
    base.id.get()
}

pub fn look_at_derived(derived: &Derived) -> String {
    format!("{} {}", derived.base.id.get(), derived.text.get())
}
