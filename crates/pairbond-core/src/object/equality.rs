//! Comparing and hashing objects that are keys, by the methods of their type.

use super::borrow::ErasedBorrow;
use crate::error::{Error, ErrorKind};
use crate::raw::{Holds, RawAny};
use crate::types::{AskFn, Equality};

impl Equality {
    /// Whether `a`, which is of the type, is equal to `b`; `None` when it does not know.
    ///
    /// # Errors
    /// The method's own.
    pub fn objects_equal(&self, a: ErasedBorrow<'_>, b: ErasedBorrow<'_>) -> Result<Option<bool>, Error> {
        match self.equal.map(|equal| ask_function(equal, a, b)) {
            None => Ok(None),
            Some(Ok(RawAny::Bool(answer))) => Ok(Some(answer)),
            // A number's truth.
            Some(Ok(answer)) => Ok(Some(!matches!(answer, RawAny::Int(0)))),
            Some(Err(error)) if *error.kind() == ErrorKind::NoSuchOperation => Ok(None),
            Some(Err(error)) => Err(error),
        }
    }

    /// What the method that hashes returns for an object of the type: an integer, of which
    /// containers take the hash; `None` when objects compare without hashing.
    ///
    /// # Errors
    /// The method's own.
    #[doc(hidden)]
    pub fn ask_hash<V>(&self, object: ErasedBorrow<'_>) -> Option<Result<V, Error>>
    where
        RawAny: Holds<V>,
    {
        let hash = self.hash?;
        Some(ask_function(hash, object, object).map(RawAny::into_value))
    }
}

fn ask_function(function: AskFn, a: ErasedBorrow<'_>, b: ErasedBorrow<'_>) -> Result<RawAny, Error> {
    let mut out = RawAny::None;
    // SAFETY: both are alive; a type's own function.
    let fine = unsafe { function(a.header(), b.header(), &mut out) };
    if fine {
        Ok(out)
    } else {
        Err(out.into_error("a comparison"))
    }
}
