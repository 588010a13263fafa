//! [`Partial`]: a call by position that leaves parameters with a default out, or gives more for
//! `*args`: the commonest after an exact one. Nothing is copied either.

use pairbond_core::object::ErasedBorrow;
use pairbond_value::class::{Args, Callable, ParameterKind};
use pyo3_ffi as py;

use super::args::Exact;
use super::bind::can_be_exact;
use crate::convert::PySource;

/// Arguments for the first parameters; the others take their defaults. The rest belongs to `*args`.
pub(crate) struct Partial<'a> {
    first: Exact<'a>,
    count: usize,
    positional: usize,
}

impl Partial<'_> {
    /// # Safety
    /// As for [`Exact`], with `count` arguments, for which [`fits_partial`] is true of `M`.
    #[inline(always)]
    pub(crate) unsafe fn new<M: Callable>(
        receiver: *mut py::PyObject,
        arguments: *const *mut py::PyObject,
        count: usize,
    ) -> Self {
        Partial {
            // SAFETY: passed on; no argument from `count` on is read.
            first: unsafe { Exact::new(receiver, arguments) },
            count,
            positional: const { M::SIGNATURE.positional_count() },
        }
    }
}

impl<'a> Args<'a> for Partial<'a> {
    type Source = PySource<'a>;

    #[inline(always)]
    fn receiver(&self) -> Option<PySource<'a>> {
        self.first.receiver()
    }

    #[inline(always)]
    fn native_receiver(&self) -> Option<ErasedBorrow<'a>> {
        self.first.native_receiver()
    }

    #[inline(always)]
    fn get(&self, index: usize) -> Option<PySource<'a>> {
        if index < self.positional.min(self.count) {
            self.first.get(index)
        } else {
            None
        }
    }

    #[inline(always)]
    fn rest_arg(&self, index: usize) -> Option<PySource<'a>> {
        let index = self.positional + index;
        if index < self.count {
            self.first.get(index)
        } else {
            None
        }
    }

    #[inline(always)]
    fn rest_count(&self) -> usize {
        self.count.saturating_sub(self.positional)
    }
}

/// Whether there are calls of `M` that are a [`Partial`] and not an [`Exact`] one.
pub(crate) const fn can_be_partial<M: Callable>() -> bool {
    let (fewest, most, possible) = argument_bounds::<M>();
    possible && (fewest < most || !can_be_exact::<M>())
}

/// Whether `count` arguments by position are a [`Partial`] call of `M`, if [one can
/// be](can_be_partial): they leave out no parameter that needs one, and none is left over for which
/// there is no parameter.
#[inline(always)]
pub(crate) fn fits_partial<M: Callable>(count: usize, keywords: *mut py::PyObject) -> bool {
    let (fewest, most, _) = const { argument_bounds::<M>() };
    fewest <= count && count <= most && keywords.is_null()
}

/// The fewest and the most positional arguments, and whether keywords can be left out at all.
const fn argument_bounds<M: Callable>() -> (usize, usize, bool) {
    let parameters = M::SIGNATURE.parameters;
    let positional = M::SIGNATURE.positional_count();
    let (mut fewest, mut most, mut possible, mut at) = (0, positional, true, 0);
    while at < parameters.len() {
        if matches!(parameters[at].kind, ParameterKind::Rest) {
            most = usize::MAX;
        } else if parameters[at].default.is_none() {
            if at < positional {
                fewest = at + 1;
            } else {
                possible = false;
            }
        }
        at += 1;
    }
    (fewest, most, possible)
}
