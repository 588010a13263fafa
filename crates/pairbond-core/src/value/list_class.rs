//! What `pairbond.List` offers to frontends.
//!
//! Each operation is atomic. Values are compared, found and removed by value when they are numbers, strings or bytes, and by identity otherwise:
//! asking objects whether they are equal would run foreign code in the middle of an operation.

use pairbond_macros::{methods, object};

use super::list::ListBody;
use crate::class::{Class, ClassVisitor, Member, Methods, ModuleVisitor};
use crate::error::Error;
use crate::object::{Borrow, Ref};
use crate::value::{Any, Cell};

impl Class for ListBody {
    const DOC: &'static str = "A mutable sequence that is a native object: shared by everybody who holds it, typed by the library that made it.";

    fn describe<V: ClassVisitor>(visitor: &mut V) {
        Self::describe_methods(visitor);
    }
}

impl Member for ListBody {
    fn show<V: ModuleVisitor>(visitor: &mut V) {
        visitor.class::<Self>();
    }
}

/// Whether two values are the same: equal, when both are numbers, strings or bytes; one object otherwise.
fn same(a: &Any, b: &Any) -> bool {
    match (a, b) {
        (Any::None, Any::None) => true,
        (Any::Bool(a), Any::Bool(b)) => a == b,
        (Any::Int(a), Any::Int(b)) => a == b,
        (Any::Float(a), Any::Float(b)) => a == b,
        (Any::Int(a), Any::Float(b)) | (Any::Float(b), Any::Int(a)) => *a as f64 == *b,
        (Any::Bool(a), Any::Int(b)) | (Any::Int(b), Any::Bool(a)) => i64::from(*a) == *b,
        (Any::Str(a), Any::Str(b)) => a == b,
        (Any::Bytes(a), Any::Bytes(b)) => a == b,
        (Any::Object(a), Any::Object(b)) => a.is(b),
        (Any::Foreign(a), Any::Foreign(b)) => a.is(b),
        (Any::Function(a), Any::Function(b)) => a.is(b),
        _ => false,
    }
}

/// The place that an index means, negative ones counted from the end.
fn place(index: isize, len: usize) -> Result<usize, Error> {
    let from_start = if index < 0 {
        len.checked_add_signed(index)
    } else {
        usize::try_from(index).ok()
    };
    from_start
        .filter(|i| *i < len)
        .ok_or_else(|| Error::index_error(format!("list index {index} out of range: it has {len} elements")))
}

#[methods(crate = crate::expansion)]
impl ListBody {
    /// A list of any values; the lists of a library's fields take what their type says.
    #[new]
    fn new(items: Option<Vec<Any>>) -> Self {
        ListBody::of_anything(items.unwrap_or_default())
    }

    fn __len__(&self) -> usize {
        self.items().with(Vec::len)
    }

    fn __getitem__(&self, index: isize) -> Result<Any, Error> {
        self.items()
            .with(|items| Ok(items[place(index, items.len())?].clone()))
    }

    fn __setitem__(&self, index: isize, value: Any) -> Result<(), Error> {
        let value = self.checked(value)?;
        let old = self.items().update(|items| {
            let at = place(index, items.len())?;
            Ok::<_, Error>(std::mem::replace(&mut items[at], value))
        })?;
        drop(old);
        Ok(())
    }

    fn __delitem__(&self, index: isize) -> Result<(), Error> {
        let old = self
            .items()
            .update(|items| Ok::<_, Error>(items.remove(place(index, items.len())?)))?;
        drop(old);
        Ok(())
    }

    fn __contains__(&self, value: Any) -> bool {
        self.items().with(|items| items.iter().any(|v| same(v, &value)))
    }

    fn __iter__(this: Borrow<'_, Self>) -> Ref<ListIterator> {
        Ref::new(ListIterator {
            list: Cell::new(Some(this.to_ref())),
            next: Cell::new(0),
        })
    }

    fn __repr__(&self) -> String {
        format!("<pairbond.List of {} × {}>", self.__len__(), self.element_name())
    }

    /// Adds a value at the end.
    fn append(&self, value: Any) -> Result<(), Error> {
        let value = self.checked(value)?;
        self.items().update(|items| items.push(value));
        Ok(())
    }

    /// Inserts a value before index, which may be negative or beyond the end.
    fn insert(&self, index: isize, value: Any) -> Result<(), Error> {
        let value = self.checked(value)?;
        self.items().update(|items| {
            let len = items.len();
            let at = if index < 0 {
                len.checked_add_signed(index).unwrap_or(0)
            } else {
                len.min(index as usize)
            };
            items.insert(at, value);
        });
        Ok(())
    }

    /// Adds all values at the end, or none when one of them is of a wrong kind.
    fn extend(&self, values: Vec<Any>) -> Result<(), Error> {
        let values = values
            .into_iter()
            .map(|v| self.checked(v))
            .collect::<Result<Vec<_>, _>>()?;
        self.items().update(|items| items.extend(values));
        Ok(())
    }

    /// Removes and returns the value at index, the last by default.
    fn pop(&self, #[default(-1)] index: isize) -> Result<Any, Error> {
        self.items().update(|items| {
            if items.is_empty() {
                return Err(Error::index_error("pop from an empty list"));
            }
            Ok(items.remove(place(index, items.len())?))
        })
    }

    /// Removes the first value that is the same as the given one.
    fn remove(&self, value: Any) -> Result<(), Error> {
        let old = self.items().update(|items| {
            items
                .iter()
                .position(|v| same(v, &value))
                .map(|i| items.remove(i))
        });
        old.map(drop)
            .ok_or_else(|| Error::value_error("the value is not in the list"))
    }

    /// The index of the first value that is the same as the given one.
    fn index(&self, value: Any) -> Result<usize, Error> {
        self.items()
            .with(|items| items.iter().position(|v| same(v, &value)))
            .ok_or_else(|| Error::value_error("the value is not in the list"))
    }

    /// How many values are the same as the given one.
    fn count(&self, value: Any) -> usize {
        self.items()
            .with(|items| items.iter().filter(|v| same(v, &value)).count())
    }

    /// Reverses the order in place.
    fn reverse(&self) {
        self.items().update(|items| items.reverse());
    }

    /// Removes everything.
    fn clear(&self) {
        drop(self.items().take());
    }

    #[hidden]
    fn checked(&self, value: Any) -> Result<Any, Error> {
        if self.accepts(&value) {
            return Ok(value);
        }
        Err(Error::type_error(format!(
            "this list holds {}, got {}",
            self.element_name(),
            value.kind()
        )))
    }
}

/// Iterates over a list as it is at each step, like Python's own; ends for good when it has reached the end once.
#[object("pairbond.ListIterator", crate = crate::expansion)]
pub struct ListIterator {
    list: Cell<Option<Ref<ListBody>>>,
    next: Cell<usize>,
}

#[methods(crate = crate::expansion)]
impl ListIterator {
    fn __iter__(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    fn __next__(&self) -> Option<Any> {
        let list = self.list.get()?;
        let at = self.next.update(|n| std::mem::replace(n, *n + 1));
        let value = list.items().with(|items| items.get(at).cloned());
        if value.is_none() {
            self.list.set(None);
        }
        value
    }
}
