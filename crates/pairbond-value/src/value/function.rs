//! [`Function`]: something that can be called, native or of a frontend's language.

use std::borrow::Cow;
use std::fmt;

use super::function_build::{Builder, Described, Parameters};
use crate::any::tagged_word::Word;
use crate::error::{Error, panics};
use crate::frontend::frontend_of;
use crate::object::{Borrow, Ref};
use crate::trace::{Trace, Tracer};
use crate::value::{Any, CallEach, Foreign, FrontendValues};

pub(crate) type Native = Box<dyn Fn(&Given<'_>) -> Result<Any, Error> + Send + Sync>;

/// The arguments that a native function was called with, bound to its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    pub(super) parameters: &'a [Option<&'a Any>],
    pub(super) rest: &'a [Any],
}

impl<'a> Given<'a> {
    /// Arguments that are bound already.
    pub(crate) fn from_bound(parameters: &'a [Option<&'a Any>]) -> Self {
        Given {
            parameters,
            rest: &[],
        }
    }

    /// The argument of the parameter with that index, or its default; `None` when there is neither.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&'a Any> {
        self.parameters.get(index).copied().flatten()
    }

    /// All further positional arguments; all arguments, when nothing is known of the parameters.
    #[must_use]
    pub fn rest(&self) -> &'a [Any] {
        self.rest
    }
}

/// The native object behind a [`Function`] that comes from Rust.
pub struct FunctionBody {
    pub(super) described: Described,
    pub(super) native: Native,
}

built_in! { FunctionBody: "pairbond.Function", attributes: true, immutable: true }

// SAFETY: a closure's captures cannot be seen: references in them are never collected in cycles.
// The defaults are shown, each once.
unsafe impl Trace for FunctionBody {
    const TRACED: bool = true;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.described.trace(tracer);
    }
    /// A closure can be called from everywhere; if it captured something of an interpreter, that
    /// says so itself.
    fn is_shareable(&self) -> Option<bool> {
        Some(true)
    }
}

impl FunctionBody {
    /// Its name and parameters.
    #[must_use]
    pub fn description(&self) -> &Described {
        &self.described
    }

    /// Calls it; the last arguments have `names`.
    ///
    /// # Errors
    /// What the function returns, or that arguments do not fit its parameters.
    pub fn call(&self, arguments: &[Any], names: &[&str]) -> Result<Any, Error> {
        self.described
            .bind_arguments(arguments, names, |given| (self.native)(given))
    }
}

/// A callable value. One word wide; cloning counts a reference.
///
/// A callable of a frontend's language (any Python callable) *is* its function: the same callable
/// gives the same function, which comes back as that very object, and crossing makes nothing
/// native.
///
/// ```
/// use pairbond_value::value::Function;
///
/// let add = Function::build("add").from(|a: i64, b: i64| a + b);
/// assert_eq!(add.call(&[1.into(), 2.into()])?.as_i64(), Some(3));
/// assert!(add.call(&["one".into(), 2.into()]).is_err());
/// # Ok::<(), pairbond_core::error::Error>(())
/// ```
#[derive(Clone)]
#[repr(transparent)]
pub struct Function(Word);

impl Function {
    /// A function from a Rust closure that takes any number of arguments by position;
    /// [`build`](Self::build) makes one with named parameters and documentation. What the closure
    /// captures is not traced: a cycle through it is not collected.
    pub fn new<F>(name: impl Into<Cow<'static, str>>, f: F) -> Self
    where
        F: Fn(&[Any]) -> Result<Any, Error> + Send + Sync + 'static,
    {
        Self::from_described(Described::new(name.into()), move |given: &Given<'_>| {
            f(given.rest())
        })
    }

    /// Begins a function with documentation and parameters:
    /// `Function::build("scale").parameter("x").default("factor", 2.0).from(…)`.
    pub fn build(name: impl Into<Cow<'static, str>>) -> Builder {
        Builder::new(name.into())
    }

    /// A panic becomes an error here: the caller may be another binary, which cannot catch it.
    pub fn from_described(
        described: Described,
        native: impl Fn(&Given<'_>) -> Result<Any, Error> + Send + Sync + 'static,
    ) -> Self {
        let native: Native = Box::new(move |given| panics::catch_panic(|| native(given)));
        Self::from_ref(Ref::new(FunctionBody { described, native }))
    }

    /// A function from a callable object of a frontend.
    #[inline]
    #[must_use]
    pub fn from_foreign(callable: Foreign) -> Self {
        Function(callable.0)
    }

    /// Calls it, from any thread.
    ///
    /// # Errors
    /// What the callee raised, or that its interpreter is closed.
    #[inline]
    pub fn call(&self, arguments: &[Any]) -> Result<Any, Error> {
        self.call_with(arguments, &[])
    }

    /// Calls it with arguments by position, the last of which have `names`: `f.call_with(&[x,
    /// true.into()], &["strict"])`.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    ///
    /// # Panics
    /// When there are more names than arguments.
    pub fn call_with(&self, arguments: &[Any], names: &[&str]) -> Result<Any, Error> {
        match self.native() {
            Some(body) => body.get().call(arguments, names),
            None => self.as_foreign().call_with(arguments, names),
        }
    }

    /// Calls it with one argument after the other, as long as there are any: quicker than one by
    /// one, and attached to the callee's interpreter from the first to the last, if it has one.
    /// What `calls` does in between takes no long time then, and waits for no thread that has to
    /// attach.
    ///
    /// # Errors
    /// As [`call`](Self::call), which ends it; what `calls` says.
    pub fn call_each(&self, calls: &mut impl CallEach) -> Result<(), Error> {
        let Some(body) = self.native() else {
            let (tag, object) = self.as_foreign().check_present()?;
            // SAFETY: the object is alive and of that frontend.
            return unsafe { frontend_of(tag).call_each(object, calls) };
        };
        let mut argument = Any::None;
        while calls.next_argument(&mut argument) {
            let argument = std::mem::replace(&mut argument, Any::None);
            if !calls.on_result(&body.get().call(&[argument], &[])?)? {
                break;
            }
        }
        Ok(())
    }

    /// The name, for messages.
    #[must_use]
    pub fn name(&self) -> &str {
        self.native()
            .map_or("a foreign callable", |body| body.get().described.name())
    }

    /// Returns the parameters of a native function, if they are known.
    #[must_use]
    pub fn parameters(&self) -> Option<&Parameters> {
        self.native()?.get().described.parameters()
    }

    /// The callable object that it came from, when it did not come from Rust.
    #[inline]
    #[must_use]
    pub fn foreign(&self) -> Option<&Foreign> {
        if self.0.as_native().is_some() {
            None
        } else {
            Some(self.as_foreign())
        }
    }

    /// A function that is not native is its callable.
    #[inline]
    fn as_foreign(&self) -> &Foreign {
        // SAFETY: both are a word and nothing else.
        unsafe { &*std::ptr::from_ref(self).cast::<Foreign>() }
    }

    /// The native object, when it came from Rust.
    #[inline]
    #[must_use]
    pub fn native(&self) -> Option<Borrow<'_, FunctionBody>> {
        self.0.as_native()?.downcast()
    }

    /// Whether both are the same function.
    #[must_use]
    pub fn is(&self, other: &Function) -> bool {
        match (self.native(), other.native()) {
            (Some(one), Some(two)) => one.is(two),
            (None, None) => self.as_foreign().is(other.as_foreign()),
            _ => false,
        }
    }

    /// The function that a word stands for, which is one.
    pub(crate) fn from_word(word: Word) -> Self {
        Function(word)
    }

    /// The function behind a native object.
    #[must_use]
    pub fn from_ref(body: Ref<FunctionBody>) -> Self {
        Function(Word::from_native(body.into_erased()))
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
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.0.trace(tracer);
    }
}
