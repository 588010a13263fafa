//! Driving Python from Rust (feature `python`): imports, and what Python does with objects of any
//! kind.
//!
//! ```ignore
//! use pairbond::prelude::*;
//! use pairbond::python::{ObjectExt, import};
//!
//! /// Returns the greatest number of a JSON array.
//! #[pairbond::function]
//! fn greatest(text: &str) -> Result<Any, Error> {
//!     let data = import("json")?.call_method("loads", &[text.into()])?;
//!     let mut greatest = Any::None;
//!     for number in data.iterate()? {
//!         let number = number?;
//!         if greatest.is_none() || number.to::<f64>()? > greatest.to::<f64>()? {
//!             greatest = number;
//!         }
//!     }
//!     Ok(greatest)
//! }
//! ```
//!
//! An object that came from Python belongs to an interpreter: each call on it attaches the calling
//! thread while it runs. Other values (numbers, texts, native objects) and [`import`] need a thread
//! that is attached, such as one that Python called.

use std::fmt;

use pairbond_core::error::Result;
use pairbond_python::objects;
use pairbond_value::value::{Any, Foreign};

/// Imports a module: `import("os.path")` is `os.path`.
///
/// # Errors
/// What importing raises; `RuntimeError` on a thread that is not attached to Python.
pub fn import(name: &str) -> Result<Any> {
    objects::import(name)
}

/// Python's operations on an object: attributes, items, methods, iteration.
///
/// Each returns the exception that Python raises as an [`Error`](crate::Error).
pub trait ObjectExt {
    /// The object as a value.
    #[doc(hidden)]
    fn as_any(&self) -> Any;

    /// Returns the attribute `name`.
    ///
    /// # Errors
    /// `AttributeError`, or what computing the attribute raises.
    fn get_attr(&self, name: &str) -> Result<Any> {
        objects::get_attr(&self.as_any(), name)
    }

    /// Sets the attribute `name`.
    ///
    /// # Errors
    /// What setting raises.
    fn set_attr(&self, name: &str, value: impl Into<Any>) -> Result<()> {
        objects::set_attr(&self.as_any(), name, Some(&value.into()))
    }

    /// Deletes the attribute `name`.
    ///
    /// # Errors
    /// `AttributeError`, or what deleting raises.
    fn del_attr(&self, name: &str) -> Result<()> {
        objects::set_attr(&self.as_any(), name, None)
    }

    /// Returns the attribute `name` as objects have it that define no `__getattr__`: for the use of
    /// one.
    ///
    /// # Errors
    /// `AttributeError`, or what computing the attribute raises.
    fn get_attr_generic(&self, name: &str) -> Result<Any> {
        objects::get_attr_generic(&self.as_any(), name)
    }

    /// Sets the attribute `name`, or deletes it, as objects do that define no `__setattr__`: for
    /// the use of one.
    ///
    /// # Errors
    /// `AttributeError`, or what setting raises.
    fn set_attr_generic(&self, name: &str, value: Option<Any>) -> Result<()> {
        objects::set_attr_generic(&self.as_any(), name, value.as_ref())
    }

    /// Calls the method `name` with arguments by position.
    ///
    /// # Errors
    /// There is no such method; the exception that it raises.
    fn call_method(&self, name: &str, arguments: &[Any]) -> Result<Any> {
        self.call_method_with(name, arguments, &[])
    }

    /// Calls the method `name`; the last arguments have `names`.
    ///
    /// # Errors
    /// There is no such method; the exception that it raises.
    ///
    /// # Panics
    /// Panics if there are more names than arguments.
    fn call_method_with(&self, name: &str, arguments: &[Any], names: &[&str]) -> Result<Any> {
        objects::call(&self.get_attr(name)?, arguments, names)
    }

    /// Calls the object; the last arguments have `names`.
    ///
    /// # Errors
    /// It is not callable; the exception that it raises.
    ///
    /// # Panics
    /// Panics if there are more names than arguments.
    fn call_object(&self, arguments: &[Any], names: &[&str]) -> Result<Any> {
        objects::call(&self.as_any(), arguments, names)
    }

    /// Returns the item of a key or index.
    ///
    /// # Errors
    /// `KeyError`, `IndexError`, or what else the object raises.
    fn get_item(&self, key: impl Into<Any>) -> Result<Any> {
        objects::get_item(&self.as_any(), &key.into())
    }

    /// Sets the item of a key or index.
    ///
    /// # Errors
    /// What the object raises.
    fn set_item(&self, key: impl Into<Any>, value: impl Into<Any>) -> Result<()> {
        objects::set_item(&self.as_any(), &key.into(), Some(&value.into()))
    }

    /// Deletes the item of a key or index.
    ///
    /// # Errors
    /// What the object raises.
    fn del_item(&self, key: impl Into<Any>) -> Result<()> {
        objects::set_item(&self.as_any(), &key.into(), None)
    }

    /// Returns `len(object)`.
    ///
    /// # Errors
    /// `TypeError` if it has none.
    fn count(&self) -> Result<usize> {
        objects::len(&self.as_any())
    }

    /// Returns `str(object)`.
    ///
    /// # Errors
    /// What its `__str__` raises.
    fn text(&self) -> Result<String> {
        objects::text(&self.as_any())
    }

    /// Whether the object is an instance of a class, or of one of a tuple of classes.
    ///
    /// # Errors
    /// `class` is neither; what `__instancecheck__` raises.
    fn is_instance(&self, class: &Any) -> Result<bool> {
        objects::is_instance(&self.as_any(), class)
    }

    /// Iterates over the object. The iterator ends after its first error.
    ///
    /// # Errors
    /// `TypeError` if it cannot be iterated.
    fn iterate(&self) -> Result<Iter> {
        objects::iterate(&self.as_any()).map(|iterator| Iter(Some(iterator)))
    }
}

impl ObjectExt for Any {
    fn as_any(&self) -> Any {
        self.clone()
    }
}

impl ObjectExt for Foreign {
    fn as_any(&self) -> Any {
        Any::Foreign(self.clone())
    }
}

/// The iterator that [`ObjectExt::iterate`] returns.
pub struct Iter(Option<Any>);

impl fmt::Debug for Iter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iter").finish_non_exhaustive()
    }
}

impl Iterator for Iter {
    type Item = Result<Any>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = objects::next(self.0.as_ref()?).transpose();
        if !matches!(next, Some(Ok(_))) {
            self.0 = None;
        }
        next
    }
}
