//! How objects of a type are compared and hashed where they are keys.

use crate::class::is_no_answer;
use crate::error::Error;
use crate::object::{ErasedBorrow, Header};
use crate::value::{Any, AnyRef};

/// Asks one object, about another (or itself, where there is nothing to be said about another). On
/// `false` the result is an [`Any::Error`].
pub(crate) type AskFn = unsafe extern "C-unwind" fn(*const Header, *const Header, *mut Any) -> bool;

/// `__eq__` and `__hash__` of a type, in Rust.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Equality {
    equal: Option<AskFn>,
    hash: Option<AskFn>,
}

impl Equality {
    pub(crate) fn new(equal: Option<AskFn>, hash: Option<AskFn>) -> Self {
        Equality { equal, hash }
    }

    /// Whether `a`, which is of the type, is equal to `b`; `None` when it does not know.
    ///
    /// # Errors
    /// The method's own.
    pub fn equal(&self, a: ErasedBorrow<'_>, b: ErasedBorrow<'_>) -> Result<Option<bool>, Error> {
        match self.equal.map(|equal| ask_function(equal, a, b)) {
            None => Ok(None),
            Some(Ok(Any::Bool(answer))) => Ok(Some(answer)),
            // A number's truth.
            Some(Ok(answer)) => Ok(Some(!matches!(answer, Any::Int(0)))),
            Some(Err(error)) if is_no_answer(&error) => Ok(None),
            Some(Err(error)) => Err(error),
        }
    }

    /// The hash of an object of the type; `None` when it compares without hashing.
    ///
    /// # Errors
    /// The method's own.
    pub fn hash(&self, object: ErasedBorrow<'_>) -> Result<Option<i64>, Error> {
        match self.hash.map(|hash| ask_function(hash, object, object)) {
            None => Ok(None),
            // Python hashes the int that `__hash__` returns.
            Some(Ok(hash @ (Any::Int(_) | Any::Bool(_) | Any::BigInt(_)))) => {
                AnyRef::from(&hash).hash().map(Some)
            }
            Some(Ok(_)) => Err(Error::type_error("__hash__ method should return an integer")),
            Some(Err(error)) => Err(error),
        }
    }
}

fn ask_function(function: AskFn, a: ErasedBorrow<'_>, b: ErasedBorrow<'_>) -> Result<Any, Error> {
    let mut out = Any::None;
    // SAFETY: both are alive; a type's own function.
    let fine = unsafe { function(a.header(), b.header(), &mut out) };
    match (fine, out) {
        (true, answer) => Ok(answer),
        (false, Any::Error(error)) => Err(Error::from_shared(error)),
        (false, _) => Err(Error::runtime_error("a comparison failed and does not say why")),
    }
}
