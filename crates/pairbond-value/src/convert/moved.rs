//! [`MovedBody`]: an object on its way to a callee that takes it by value. `pairbond.move(x)`
//! returns one, [`Any::moved`] makes one.
//!
//! A parameter of type `Ref<T>`, `Any` or `T` takes the object out, once. Its reference is handed
//! over as it is, so that the callee has the only one if there was only one. Other parameters
//! refuse it: an object borrowed from here could be taken out while it is borrowed.

use super::Mismatch;
use crate::cell::Cell;
use crate::error::{Error, ErrorKind};
use crate::object::{ErasedBorrow, ErasedRef, Object, Ref};
use crate::value::Any;

/// The object that stands for one that is being moved.
pub struct MovedBody {
    object: Cell<Option<ErasedRef>>,
    taken: bool,
}

impl MovedBody {
    /// On its way: an object. `taken`: it was taken away from where it came from.
    #[must_use]
    pub fn from_object(object: ErasedRef, taken: bool) -> Self {
        MovedBody {
            object: Cell::new(Some(object)),
            taken,
        }
    }

    /// Whether the object was taken away from where it came from.
    pub(crate) fn is_taken(&self) -> bool {
        self.taken
    }

    /// The key of the object's type; `None` if it was taken out.
    pub(crate) fn type_key(&self) -> Option<&'static str> {
        self.object
            .with(|object| object.as_ref().map(|it| it.header().info().key()))
    }

    /// Takes the object out, if it is one that `fits`.
    ///
    /// # Errors
    /// It does not fit, or was taken out before.
    pub fn take_if(&self, fits: impl Fn(ErasedBorrow<'_>) -> bool) -> Result<ErasedRef, Mismatch> {
        let taken = self.object.update(|place| match place.take() {
            Some(object) if !fits(object.as_borrow()) => {
                *place = Some(object);
                Err(Mismatch::Type)
            }
            taken => Ok(taken),
        })?;
        taken.ok_or_else(|| {
            let message = "what was moved here has gone to its receiver: a Moved is good once";
            Mismatch::Raised(Error::new(ErrorKind::Invalidated, message))
        })
    }
}

/// The object that is moved here, where an argument turned out to be no `T` itself.
#[cold]
#[inline(never)]
pub(crate) fn moved_here<T: Object>(
    argument: ErasedBorrow<'_>,
    fits: impl Fn(ErasedBorrow<'_>) -> bool,
) -> Result<Ref<T>, Mismatch> {
    let object = moved_object(argument, fits)?;
    object.downcast().map_err(|_| Mismatch::Type)
}

/// The same, of a type that is known at run time.
pub(crate) fn moved_object(
    argument: ErasedBorrow<'_>,
    fits: impl Fn(ErasedBorrow<'_>) -> bool,
) -> Result<ErasedRef, Mismatch> {
    let moved = argument.downcast::<MovedBody>().ok_or(Mismatch::Type)?;
    moved.get().take_if(fits)
}

impl Any {
    /// An argument that hands its object over: a parameter that takes it by value gets this very
    /// reference.
    ///
    /// ```
    /// # use pairbond_core::object::{Object, Ref};
    /// # use pairbond_value::value::{Any, Function};
    /// # use pairbond_core::error::Error;
    /// # fn example<T: Object + Send + Sync>(f: &Function, object: Ref<T>) -> Result<(), Error> {
    /// f.call(&[Any::moved(object)])?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn moved<T: Object + Send + Sync>(object: Ref<T>) -> Any {
        Any::Object(Ref::new(MovedBody::from_object(object.into_erased(), true)).into_erased())
    }

    /// The object that is moved here in the place of the value, if it is that.
    pub(crate) fn unwrap_moved(self) -> Result<Any, Mismatch> {
        match &self {
            Any::Object(object) => match object.as_borrow().downcast::<MovedBody>() {
                Some(moved) => moved.get().take_if(|_| true).map(Any::from_object),
                None => Ok(self),
            },
            _ => Ok(self),
        }
    }
}

built_in! { MovedBody: "pairbond.Moved", attributes: false }

trace_fields! { MovedBody: object;
    fn clear(&self) {
        self.object.clear();
    }
}
