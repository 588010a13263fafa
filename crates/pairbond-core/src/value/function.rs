//! [`Function`]: something that can be called, native or of a frontend's language.

use std::fmt;

use crate::error::Error;
use crate::object::{ErasedBorrow, ErasedRef, Object, Ref, Root};
use crate::trace::{Trace, Tracer};
use crate::types::TypeCell;
use crate::value::{Any, Foreign};

type Native = Box<dyn Fn(&[Any]) -> Result<Any, Error> + Send + Sync>;

enum Callee {
    Native(Native),
    Foreign(Foreign),
}

/// The native object behind a [`Function`].
pub struct FunctionBody {
    name: String,
    callee: Callee,
}

// SAFETY: the cell is its own; no base.
unsafe impl Object for FunctionBody {
    const KEY: &'static str = "pairbond.Function";
    const THREAD_SAFE: bool = true;
    type Base = Root;
    fn cell() -> &'static TypeCell {
        static CELL: TypeCell = TypeCell::new();
        &CELL
    }
}

// SAFETY: a closure's captures cannot be seen (references in them are never collected in cycles); a foreign callable is shown once.
unsafe impl Trace for FunctionBody {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        if let Callee::Foreign(object) = &self.callee {
            object.trace(tracer);
        }
    }
}

/// A callable value. One pointer wide; cloning counts a reference.
#[derive(Clone)]
pub struct Function(Ref<FunctionBody>);

impl Function {
    /// A function from a Rust closure. What the closure captures is not traced: a cycle through it is not collected.
    pub fn new<F>(name: impl Into<String>, f: F) -> Self
    where
        F: Fn(&[Any]) -> Result<Any, Error> + Send + Sync + 'static,
    {
        Function(Ref::new(FunctionBody {
            name: name.into(),
            callee: Callee::Native(Box::new(f)),
        }))
    }

    /// A function from a callable object of a frontend. The name may be empty: finding it out would take longer than most calls.
    #[must_use]
    pub fn from_foreign(name: impl Into<String>, callable: Foreign) -> Self {
        Function(Ref::new(FunctionBody {
            name: name.into(),
            callee: Callee::Foreign(callable),
        }))
    }

    /// Calls it, from any thread.
    ///
    /// # Errors
    /// What the callee raised, or that its interpreter is closed.
    pub fn call(&self, arguments: &[Any]) -> Result<Any, Error> {
        match &self.0.callee {
            Callee::Native(f) => f(arguments),
            Callee::Foreign(object) => object.call(arguments),
        }
    }

    /// The name, for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.0.name.is_empty() {
            "a foreign callable"
        } else {
            &self.0.name
        }
    }

    /// The callable object that it came from, when it did not come from Rust.
    #[must_use]
    pub fn foreign(&self) -> Option<&Foreign> {
        match &self.0.callee {
            Callee::Foreign(object) => Some(object),
            Callee::Native(_) => None,
        }
    }

    /// The native object.
    #[must_use]
    pub fn as_borrow(&self) -> ErasedBorrow<'_> {
        self.0.as_borrow().erase()
    }

    /// The native object.
    #[must_use]
    pub fn into_erased(self) -> ErasedRef {
        self.0.into_erased()
    }

    /// The function behind a native object.
    #[must_use]
    pub fn from_ref(body: Ref<FunctionBody>) -> Self {
        Function(body)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<function {}>", self.name())
    }
}

// SAFETY: one owned reference, shown once.
unsafe impl Trace for Function {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
}
