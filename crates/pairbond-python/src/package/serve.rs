//! Puts this binary in charge: the table that the other extension modules call.

use pairbond_core::abi::Head;
use pairbond_core::runtime::runtime_table;

use crate::interp::api::{Api, api, install_api, installed};
use crate::interp::{SHAPE, local};

/// Puts this binary in charge; for `pairbond._pairbond` only. Does nothing when it is already, or
/// has joined.
pub(super) fn take_charge() -> &'static Api {
    if let Some(api) = installed() {
        return api;
    }
    let mine = Box::leak(Box::new(Api {
        head: Head::of::<Api>(),
        shape: SHAPE,
        runtime: runtime_table(),
        marker: crate::wrapper::is_gc,
        dealloc: crate::wrapper::dealloc,
        sole: &raw const local::SOLE,
        spare: &raw const local::SPARE,
        current: local::current_interp,
        make_wrapper: crate::gc::make_or_null,
        drain: crate::releases::drain_current,
        hold: crate::wrapper::held::hold_wrapper,
        class_of: local::class_of,
        register_class: crate::frontend::register_class,
        exception: local::exception_by_name,
        element_iterator: crate::containers::new_element_iterator,
        give_wrapper: crate::gc::make_given,
        new_class_getter: crate::class::new_class_getter,
        get_attribute: crate::class::get_attribute,
        sole_interp: &raw const local::SOLE_INTERP,
        sweep: crate::gc::sweep_now,
        #[cfg(pairbond_next_abi)]
        next: crate::releases::drain_current,
    }));
    install_api(mine);
    api()
}
