//! Functions that classes of a program may take over: what `#[overridable]` on a
//! `#[pairbond::function]` expands to.
//!
//! When an argument is an object whose class was made by a program of the frontend's language, and
//! that class has a method `__pairbond_function__`, it is called in the function's place: with the
//! *original*, a function, and the arguments by position. Calling the original goes on with the
//! next argument whose class has such a method, and in the end with the function as written: what
//! `super()` is to methods.
//!
//! Whether there is one is asked as for overridable methods ([`overridden`](super::overridden)):
//! one load and one branch for each argument that is an object, and three loads for one whose class
//! was made by a program and was seen before.

use super::{Callable, Signature};
use crate::convert::{AnySink, AnySource, FromValue, Source};
use crate::error::Error;
use crate::frontend::{Overridable, frontend_of};
use crate::object::overridden_object;
use crate::object::{Borrow, Object, Ref, Root};
use crate::value::{Any, Described, Function, Given};

/// The method that classes take functions over with.
pub const METHOD: &str = "__pairbond_function__";

/// A function that classes may take over, with a cache of the classes that it met.
#[derive(Debug)]
pub struct Redirected {
    classes: Overridable,
    signature: &'static Signature,
    native: fn(&Given<'_>) -> Result<Any, Error>,
}

impl Redirected {
    /// The function whose native half `F` is.
    #[must_use]
    pub const fn of<F: Callable>() -> Self {
        Redirected {
            classes: Overridable::new(METHOD, Root::info),
            signature: const { &F::SIGNATURE },
            native: |given| F::call(given, AnySink),
        }
    }

    /// Calls the class that takes the function over, and reads the result.
    ///
    /// # Errors
    /// The exception that it raises, or a result that is no `R`.
    #[cold]
    #[inline(never)]
    pub fn call_override<R: for<'b> FromValue<'b>>(&'static self, arguments: &[Any]) -> Result<R, Error> {
        let result = self.go_on(0, arguments)?;
        let source = AnySource::One(&result);
        R::from_value(source).map_err(|mismatch| {
            mismatch.into_error(
                || format!("the result of {METHOD}() for {}()", self.signature.qualified),
                &R::expected_type(),
                || source.describe(),
            )
        })
    }

    /// Calls the class that takes the function over, and drops the result.
    ///
    /// # Errors
    /// The exception that it raises.
    #[cold]
    #[inline(never)]
    pub fn call_unit(&'static self, arguments: &[Any]) -> Result<(), Error> {
        self.go_on(0, arguments).map(drop)
    }

    /// The arguments from `first` on are asked, then the function as written is called.
    fn go_on(&'static self, first: usize, arguments: &[Any]) -> Result<Any, Error> {
        for (at, argument) in arguments.iter().enumerate().skip(first) {
            let Any::Object(object) = argument else { continue };
            let object = object.as_borrow();
            if overridden_object(object, &self.classes)? {
                let mut all = Vec::with_capacity(1 + arguments.len());
                all.push(Any::Function(self.original_function(at + 1)));
                all.extend_from_slice(arguments);
                let tag = object.header().custody().pair().tag();
                return frontend_of(tag).call_method(object.header(), METHOD, &all);
            }
        }
        let mut parameters: Vec<Option<&Any>> = arguments.iter().map(Some).collect();
        parameters.resize(self.signature.parameters.len(), None);
        (self.native)(&Given::from_bound(&parameters))
    }

    /// Returns the function that an override calls to continue with the original.
    fn original_function(&'static self, first: usize) -> Function {
        Function::from_described(
            Described::from_signature(self.signature),
            move |given: &Given<'_>| {
                let count = self.signature.parameters.len();
                let arguments: Vec<Any> = (0..count).map_while(|at| given.get(at).cloned()).collect();
                if (arguments.len()..count).any(|at| given.get(at).is_some()) {
                    // A default that only the function knows stands before a given argument: they
                    // cannot be shown by position.
                    return (self.native)(given);
                }
                self.go_on(first, &arguments)
            },
        )
    }
}

/// Asks whether the class of an argument takes a function over: an inherent method, which exists
/// for objects only, hides the one of [`NoObject`].
#[derive(Debug)]
pub struct Argument<'a, T>(pub &'a T);

/// The default for arguments that are no objects.
pub trait NoObject {
    /// # Errors
    /// None.
    fn is_redirected(&self, _: &Redirected) -> Result<bool, Error> {
        Ok(false)
    }
}

impl<T> NoObject for Argument<'_, T> {}

macro_rules! objects {
    ($($t:ty, $it:ident => $object:expr;)*) => {$(
        impl<T: Object> Argument<'_, $t> {
            /// Whether the object's class takes the function over.
            ///
            /// # Errors
            /// The interpreter of the wrapper has ended, or looking raised an error.
            #[inline]
            pub fn is_redirected(&self, function: &Redirected) -> Result<bool, Error> {
                let $it = self.0;
                match $object {
                    Some(object) => super::is_overridden(object, &function.classes),
                    None => Ok(false),
                }
            }
        }
    )*};
}

objects! {
    Ref<T>, it => Some(it.as_borrow());
    Borrow<'_, T>, it => Some(*it);
    Option<Ref<T>>, it => it.as_ref().map(Ref::as_borrow);
    Option<Borrow<'_, T>>, it => *it;
}

impl Argument<'_, Any> {
    /// Whether the object's class takes the function over, if it is one.
    ///
    /// # Errors
    /// As for objects.
    #[inline]
    pub fn is_redirected(&self, function: &Redirected) -> Result<bool, Error> {
        match self.0 {
            Any::Object(object) => overridden_object(object.as_borrow(), &function.classes),
            _ => Ok(false),
        }
    }
}
