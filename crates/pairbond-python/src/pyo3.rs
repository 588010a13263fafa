//! PyO3 in the same extension module: members of pairbond in a module that PyO3 initialises.

use std::ffi::c_void;

use pairbond_core::error::Error;
use pairbond_value::class::{MemberList, Module, ModuleVisitor};

use crate::module;
use crate::owned::Owned;

/// The members of a list as a module without a name of its own.
enum Listed<L> {
    #[expect(dead_code, reason = "never made: it stands for a list of types")]
    Never(std::convert::Infallible, std::marker::PhantomData<L>),
}

impl<L: MemberList> Module for Listed<L> {
    const NAME: &'static str = "";
    const DOC: &'static str = "";

    fn visit_members<V: ModuleVisitor>(visitor: &mut V) {
        L::show_all(visitor);
    }
}

/// Joins pairbond and adds classes and functions to a module that is being initialised. Returns
/// `false` with an exception set when `pairbond` cannot be imported.
///
/// # Errors
/// The binaries or types do not fit; what CPython raised.
///
/// # Safety
/// The thread is attached, and `module` a living module object.
pub unsafe fn add<L: MemberList>(module: *mut c_void) -> Result<bool, Error> {
    crate::call::install_hooks();
    // SAFETY: the caller promises a living module, on an attached thread.
    unsafe {
        let module = Owned::from_borrowed(module.cast());
        module::join_and_add::<Listed<L>>(&module, &module::name_of(&module)?)
    }
}
