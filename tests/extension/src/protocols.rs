//! Containers, iteration, calls, context managers, coroutines.

use std::collections::BTreeMap;

use pairbond::New;
use pairbond::prelude::*;

/// An iterator.
#[pairbond::object("pairbond_testext.Countdown")]
pub(crate) struct Countdown {
    left: Cell<i64>,
}

#[pairbond::methods]
impl Countdown {
    #[new]
    fn new(start: i64) -> Self {
        Countdown { left: start.into() }
    }

    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Result<Option<i64>, Error> {
        let left = self.left.get();
        if left < 0 {
            return Err(Error::value_error("below zero"));
        }
        self.left.set(left.saturating_sub(1).max(0));
        Ok((left > 0).then_some(left))
    }
}

/// Indexed by int.
#[pairbond::object("pairbond_testext.Sequence")]
pub(crate) struct Sequence {
    items: Cell<Vec<Any>>,
}

#[pairbond::methods]
impl Sequence {
    #[new]
    fn new(#[rest] items: Vec<Any>) -> Self {
        Sequence { items: items.into() }
    }

    fn __len__(&self) -> usize {
        self.items.with(Vec::len)
    }

    fn __getitem__(&self, index: usize) -> Result<Any, Error> {
        self.items
            .with(|items| items.get(index).cloned())
            .ok_or_else(|| Error::index_error("out of range"))
    }
}

/// Indexed by name; iterates over a list that Rust returns.
#[pairbond::object("pairbond_testext.Table")]
pub(crate) struct Table {
    rows: Cell<Vec<(String, Any)>>,
}

#[pairbond::methods]
impl Table {
    #[new]
    fn new(rows: Option<BTreeMap<String, Any>>) -> Self {
        Table {
            rows: Cell::new(rows.unwrap_or_default().into_iter().collect()),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.rows.with(|rows| rows.iter().any(|(key, _)| key == name))
    }

    fn __getitem__(&self, name: &str) -> Result<Any, Error> {
        let found = self.rows.with(|rows| {
            rows.iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.clone())
        });
        found.ok_or_else(|| Error::key_error(name))
    }

    fn __setitem__(&self, name: &str, value: Any) {
        let old = self
            .rows
            .update(|rows| match rows.iter_mut().find(|(key, _)| key == name) {
                Some((_, place)) => Some(std::mem::replace(place, value)),
                None => {
                    rows.push((name.to_owned(), value));
                    None
                }
            });
        drop(old);
    }

    fn __iter__(&self) -> Vec<String> {
        self.rows
            .with(|rows| rows.iter().map(|(key, _)| key.clone()).collect())
    }
}

/// Iterates over its elements, with a new iterator for each loop.
#[pairbond::object("pairbond_testext.Bag")]
pub(crate) struct Bag {
    items: Cell<Vec<Any>>,
}

#[pairbond::methods]
impl Bag {
    #[new]
    fn new(#[rest] items: Vec<Any>) -> Self {
        Bag { items: items.into() }
    }

    fn add(&self, item: Any) {
        self.items.update(|items| items.push(item));
    }

    fn __iter__(&self) -> Vec<Any> {
        self.items.get()
    }

    fn countdown(&self) -> New<Countdown> {
        let left = self.items.with(|items| items.len() as i64).into();
        New(Countdown { left })
    }

    fn countdowns(&self) -> Vec<New<Countdown>> {
        vec![self.countdown(), self.countdown()]
    }
}

/// Can be called.
#[pairbond::object("pairbond_testext.Adder")]
pub(crate) struct Adder {
    amount: i64,
}

#[pairbond::methods]
impl Adder {
    #[new]
    fn new(amount: i64) -> Self {
        Adder { amount }
    }

    fn __call__(&self, value: i64, #[default(1)] times: i64) -> i64 {
        value + times * self.amount
    }

    fn __class_getitem__(item: Any) -> (&'static str, Any) {
        ("Adder", item)
    }
}

/// A context manager.
#[pairbond::object("pairbond_testext.Guard")]
pub(crate) struct Guard {
    #[field]
    entered: Cell<i64>,
    #[field]
    seen: Cell<Any>,
    swallow: bool,
}

#[pairbond::methods]
impl Guard {
    #[new]
    fn new(#[default(false)] swallow: bool) -> Self {
        Guard {
            entered: 0.into(),
            seen: Cell::new(Any::None),
            swallow,
        }
    }

    fn __enter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this.entered.set(this.entered.get() + 1);
        this
    }

    fn __exit__(&self, kind: Any, error: Any, traceback: Any) -> bool {
        let _ = (kind, traceback);
        self.seen.set(error);
        self.swallow
    }
}

/// Can be awaited.
#[pairbond::object("pairbond_testext.Awaitable")]
pub(crate) struct Awaitable {
    inner: Any,
}

#[pairbond::methods]
impl Awaitable {
    #[new]
    fn new(inner: Any) -> Self {
        Awaitable { inner }
    }

    fn __await__(&self) -> Any {
        self.inner.clone()
    }
}
