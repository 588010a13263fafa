//! [`Partial`]: a call by position that leaves parameters with a default out, the commonest after an exact one. Nothing is copied either.

use pairbond_core::class::{Args, Callable, ParameterKind};
use pairbond_core::object::ErasedBorrow;
use pyo3_ffi as py;

use super::args::Exact;
use crate::convert::PySource;

/// Arguments for the first parameters; the others take their defaults.
pub(crate) struct Partial<'a> {
    first: Exact<'a>,
    count: usize,
}

impl Partial<'_> {
    /// # Safety
    /// As for [`Exact`], with `count` arguments, for which [`fits`] is true.
    #[inline(always)]
    pub(crate) unsafe fn new(
        receiver: *mut py::PyObject,
        arguments: *const *mut py::PyObject,
        count: usize,
    ) -> Self {
        Partial {
            // SAFETY: passed on; no argument from `count` on is read.
            first: unsafe { Exact::new(receiver, arguments) },
            count,
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
        if index < self.count {
            self.first.get(index)
        } else {
            None
        }
    }

    #[inline(always)]
    fn rest(&self, _: usize) -> Option<PySource<'a>> {
        None
    }
}

/// Whether `count` arguments by position are a [`Partial`] call of `M`: they leave out no parameter that needs one, and none is left over.
#[inline(always)]
pub(crate) fn fits<M: Callable>(count: usize, keywords: *mut py::PyObject) -> bool {
    let (fewest, most, possible) = const { bounds::<M>() };
    possible && fewest <= count && count <= most && keywords.is_null()
}

/// The fewest and the most positional arguments, and whether keywords can be left out at all.
const fn bounds<M: Callable>() -> (usize, usize, bool) {
    let parameters = M::SIGNATURE.parameters;
    let most = M::SIGNATURE.positional();
    let (mut fewest, mut possible, mut at) = (0, true, 0);
    while at < parameters.len() {
        if parameters[at].default.is_none() {
            if at < most {
                fewest = at + 1;
            } else if matches!(parameters[at].kind, ParameterKind::KeywordOnly) {
                possible = false;
            }
        }
        at += 1;
    }
    (fewest, most, possible)
}
