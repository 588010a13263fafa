//! [`Value`]: what a tensor library tells the tape about its tensors.

use std::sync::Arc;

use pairbond::Object;
use pairbond::prelude::*;
use pairbond::refs::ErasedRef;
use smallvec::SmallVec;

use super::Variable;
use crate::mode::is_grad_enabled;

/// Lengths of dimensions, without an allocation if they are few.
pub type Dims = SmallVec<[usize; 2]>;

/// Shape and type of elements: what two values have in common that can be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// The length of each dimension.
    pub shape: Dims,
    /// The type of the elements, by a number of the library's own.
    pub kind: u32,
}

impl Meta {
    /// Returns the number of elements.
    #[must_use]
    pub fn numel(&self) -> usize {
        self.shape.iter().product()
    }
}

/// A tensor of a library, as the tape sees it: a pairbond object that extends
/// [`Variable`](crate::Variable).
///
/// Six functions are needed; with these alone a library has everything but the layers that its
/// tensors have no use for. `version`, `count_write`, `last_writer` are for libraries that write to
/// tensors; `alias` and `slice` for those whose tensors are views of each other.
pub trait Value: Object + Send + Sync {
    /// Whether [`add`](Self::add) and the like call Python. The tape then holds no lock meanwhile.
    const CALLS_PYTHON: bool = false;

    /// Returns the part that belongs to the tape.
    fn variable(&self) -> &Variable;

    /// Returns the place of the gradient that accumulates.
    fn grad(&self) -> &Cell<Option<Ref<Self>>>;

    /// Returns shape and type of elements.
    fn meta(&self) -> Meta;

    /// Returns a tensor whose elements all are `number`: zeros and ones.
    ///
    /// # Errors
    /// There is no such tensor, or no memory for it.
    fn full(number: f64, meta: &Meta, backend: Option<&ErasedRef>) -> Result<Ref<Self>>;

    /// Returns the sum of two gradients of one tensor. With a history, if the thread records: then
    /// it is the library's own addition.
    ///
    /// # Errors
    /// They cannot be added.
    fn add(one: &Ref<Self>, other: &Ref<Self>) -> Result<Ref<Self>>;

    /// Returns the same numbers without a history.
    ///
    /// # Errors
    /// Those of Python, if it is called.
    fn detach(this: &Ref<Self>) -> Result<Ref<Self>>;

    /// Returns the object that makes tensors such as this one, if its type alone does not say how:
    /// a device, or functions of Python. [`full`](Self::full) gets it.
    fn backend(&self) -> Option<ErasedRef> {
        None
    }

    /// Whether its elements have derivatives, as floats do.
    fn is_differentiable(&self) -> bool {
        true
    }

    /// Whether shape and type of elements are those of `other`.
    fn is_like(&self, other: &Self) -> bool {
        self.meta() == other.meta()
    }

    /// Returns a gradient as a tensor of that shape and type needs it, summed along dimensions that
    /// were stretched, or `None` if it does not fit.
    ///
    /// # Errors
    /// Summing or converting fails.
    fn fit_gradient(grad: &Ref<Self>, meta: &Meta) -> Result<Option<Ref<Self>>> {
        Ok((grad.meta() == *meta).then(|| grad.clone()))
    }

    /// Returns the tensor that becomes `grad` of a leaf, from the first gradient that arrives: a
    /// copy, if [`add_in_place`](Self::add_in_place) writes to it later. With a history, if the
    /// thread records.
    ///
    /// # Errors
    /// Copying fails.
    fn copy_gradient(this: &Ref<Self>) -> Result<Ref<Self>> {
        if is_grad_enabled() {
            Ok(this.clone())
        } else {
            Self::detach(this)
        }
    }

    /// Adds to the numbers of `this`, without a history; returns whether it did so.
    ///
    /// # Errors
    /// They cannot be added.
    fn add_in_place(_this: &Ref<Self>, _grad: &Ref<Self>) -> Result<bool> {
        Ok(false)
    }

    /// Whether an element is not a number, for anomaly mode.
    ///
    /// # Errors
    /// Looking fails.
    fn has_nan(&self) -> Result<bool> {
        Ok(false)
    }

    /// Returns the name of a type of elements, for messages.
    #[must_use]
    fn kind_name(_kind: u32) -> &'static str {
        "other"
    }

    /// Returns how often its memory was written to, by any tensor that shares it.
    fn version(&self) -> u64 {
        0
    }

    /// Counts a change of its memory by an operation of that name.
    fn count_write(&self, _operation: &'static str) {}

    /// Returns the name of the operation that wrote to its memory last.
    fn last_writer(&self) -> &'static str {
        ""
    }

    /// Returns another tensor that shares its memory: a view of all of it, which the tape gives
    /// another history.
    ///
    /// # Errors
    /// Those of [`detach`](Self::detach).
    fn alias(this: &Ref<Self>) -> Result<Ref<Self>> {
        Self::detach(this)
    }

    /// Returns which elements of its base a view has. Only called for tensors made by
    /// [`Variable::view_of`](crate::Variable::view_of).
    fn slice(&self, _base: &Self) -> Arc<dyn Slice> {
        Arc::new(NoSlice)
    }
}

/// Which elements of its base a view has: how gradients of the one become gradients of the other.
pub trait Slice: Send + Sync {
    /// Returns the part of the whole.
    ///
    /// # Errors
    /// Computing it fails.
    fn take_part(&self, whole: &Ref<Variable>) -> Result<Ref<Variable>>;

    /// Returns the whole with another part, or zeros there.
    ///
    /// # Errors
    /// Computing it fails.
    fn replace_part(&self, whole: &Ref<Variable>, part: Option<&Ref<Variable>>) -> Result<Ref<Variable>>;

    /// Returns zeros of the shape of the whole, with this part.
    ///
    /// # Errors
    /// Computing it fails.
    fn put_part(&self, part: &Ref<Variable>, shape: &[usize]) -> Result<Ref<Variable>>;
}

/// For libraries without views.
struct NoSlice;

fn no_views() -> Error {
    Error::runtime_error("a view was written to, and its library does not implement Value::slice")
}

impl Slice for NoSlice {
    fn take_part(&self, _: &Ref<Variable>) -> Result<Ref<Variable>> {
        Err(no_views())
    }

    fn replace_part(&self, _: &Ref<Variable>, _: Option<&Ref<Variable>>) -> Result<Ref<Variable>> {
        Err(no_views())
    }

    fn put_part(&self, _: &Ref<Variable>, _: &[usize]) -> Result<Ref<Variable>> {
        Err(no_views())
    }
}

/// Returns the reference as one of the tape's.
///
/// Unwinds with a `TypeError` if the object does not extend [`Variable`](crate::Variable).
#[inline]
#[must_use]
pub fn as_variable<V: Value>(value: &Ref<V>) -> &Ref<Variable> {
    value.downcast_ref().unwrap_or_else(|| {
        Error::type_error(format!(
            "{} implements Value and does not extend Variable",
            value.header().info().key()
        ))
        .unwind()
    })
}

/// As [`as_variable`], of a reference that is given away.
#[inline]
#[must_use]
pub fn into_variable<V: Value>(value: Ref<V>) -> Ref<Variable> {
    value.downcast().unwrap_or_else(|value| {
        // Unwinds.
        as_variable(&value).clone()
    })
}

/// Returns the reference as one of a library's own.
///
/// # Errors
/// `TypeError`: it is a value of another library.
#[inline]
pub fn downcast_value<V: Value>(value: &Ref<Variable>) -> Result<&Ref<V>> {
    value.downcast_ref().ok_or_else(|| {
        Error::type_error(format!(
            "expected a {} on the tape, not a {}",
            V::KEY,
            value.header().info().key()
        ))
    })
}
