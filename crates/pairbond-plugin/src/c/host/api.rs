//! [`Api`]: the functions that a library of C is given. `pb_api` in `pairbond.h` has the same
//! fields in the same order; `tests/c` compares the two.

use std::ffi::{c_char, c_void};

use super::arrays::{self, ArraySpec};
use super::dlpack;
use super::trees::{self, Walk};
use super::{containers, data, events, functions, objects, overridable, values};
use crate::c::attributes::RefCell;
use crate::c::call::{self, Call};
use crate::c::module::{self, Module};
use crate::c::{Text, errors};
use pairbond_core::error::Error;
use pairbond_core::event::Event;
use pairbond_core::memory::Allocator;
use pairbond_core::object::Header;
use pairbond_core::trace::TracerTable;
use pairbond_core::types::TypeInfo;
use pairbond_tree::Place;
use pairbond_value::class::Overridable;
use pairbond_value::value::{Any, Cell, ManagedTensor};

/// The version of this interface.
pub(super) const ABI: u32 = 1;

macro_rules! api {
    ($($(#[$doc:meta])* $name:ident: fn($($t:ty),* $(,)?) $(-> $out:ty)? = $function:path;)*) => {
        /// The functions by which a library describes itself and works with objects and values.
        /// Grows at its end.
        #[derive(Debug)]
        #[repr(C)]
        pub struct Api {
            pub(super) size: u32,
            pub(super) abi: u32,
            pub(super) version: *const c_char,
            $($(#[$doc])* pub(super) $name: unsafe extern "C" fn($($t),*) $(-> $out)?,)*
        }

        /// This binary's.
        pub(super) static API: Api = Api {
            size: size_of::<Api>() as u32,
            abi: ABI,
            version: VERSION.as_ptr().cast(),
            $($name: $function,)*
        };

        /// The names of the functions, in order.
        #[cfg(test)]
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

// SAFETY: constant; its pointers are to functions and to a text.
unsafe impl Sync for Api {}

type Destroy = unsafe extern "C" fn(*mut c_void);
type Each = unsafe extern "C" fn(*mut c_void, *const Any, *const Any, errors::Problem) -> bool;
type Callback = unsafe extern "C" fn(*mut c_void, *const Any, usize, *mut Any, errors::Problem) -> bool;
type Run = unsafe extern "C" fn(*mut c_void);
type Tell = unsafe extern "C" fn(*mut c_void, *const Event);
type List = *const c_void;
type P = errors::Problem;

api! {
    error_new: fn(i32, Text) -> *mut Error = errors::new;
    error_new_custom: fn(Text, Text) -> *mut Error = errors::new_custom;
    error_copy: fn(*const Error) -> *mut Error = errors::copy_error;
    error_kind: fn(*const Error) -> i32 = errors::error_kind;
    error_message: fn(*const Error) -> Text = errors::error_message;
    error_add_note: fn(*mut Error, Text) = errors::add_note;
    error_set_cause: fn(*mut Error, *mut Error) = errors::set_cause;
    error_cause: fn(*const Error) -> *const Error = errors::error_cause;
    error_free: fn(*mut Error) = errors::drop_error;

    module_add_type: fn(*mut Module, *const crate::c::types::TypeSpec, P) -> *const TypeInfo = module::add_type;
    module_add_function: fn(*mut Module, *const crate::c::callables::FunctionSpec, P) -> bool = module::add_function;
    module_add_constant: fn(*mut Module, Text, *mut Any, P) -> bool = module::add_constant;

    type_find: fn(Text) -> *const TypeInfo = module::find_type_by_key;
    type_key: fn(*const TypeInfo) -> Text = objects::type_key;
    type_is_a: fn(*const TypeInfo, *const TypeInfo) -> bool = objects::is_a;
    type_live: fn(*const TypeInfo) -> isize = objects::live_count;

    object_new: fn(*const TypeInfo, objects::WriteFn, *mut c_void, P) -> *mut Header = objects::new;
    object_retain: fn(*mut Header) -> *mut Header = objects::retain_object;
    object_release: fn(*mut Header) = objects::release_object;
    object_type: fn(*const Header) -> *const TypeInfo = objects::type_of;
    object_value: fn(*const Header) -> *mut c_void = objects::object_value;
    weak_new: fn(*mut Header) -> *mut Header = objects::downgrade_object;
    weak_upgrade: fn(*mut Header) -> *mut Header = objects::upgrade_weak;
    weak_free: fn(*mut Header) = objects::drop_weak;

    cell_init: fn(*mut Cell<Any>, *mut Any) = objects::cell_new;
    cell_get: fn(*const Cell<Any>, *mut Any) = objects::cell_get;
    cell_set: fn(*const Cell<Any>, *mut Any) = objects::cell_set;
    cell_replace: fn(*const Cell<Any>, *mut Any) = objects::cell_replace;
    cell_destroy: fn(*mut Cell<Any>) = objects::cell_drop;
    cell_clear: fn(*const Cell<Any>) = objects::cell_clear;

    trace_object: fn(*const TracerTable, *const Header) = objects::trace_object;
    trace_any: fn(*const TracerTable, *const Any) = objects::trace_any;
    trace_cell: fn(*const TracerTable, *const Cell<Any>) = objects::trace_cell;

    any_copy: fn(*const Any, *mut Any) = values::copy_value;
    any_destroy: fn(*mut Any) = values::drop_value;
    any_from_str: fn(Text, *mut Any, P) -> bool = values::from_text;
    any_from_bytes: fn(Text, *mut Any, P) -> bool = values::from_bytes;
    any_from_u64: fn(u64, *mut Any) = values::from_u64;
    any_as_str: fn(*const Any, *mut Text) -> bool = values::as_text;
    any_as_bytes: fn(*const Any, *mut Text) -> bool = values::as_bytes;
    any_equal: fn(*const Any, *const Any, *mut bool, P) -> bool = values::are_equal;
    any_kind_name: fn(*const Any) -> Text = values::kind_name;

    list_new: fn(*mut Any, P) -> bool = containers::list_new;
    map_new: fn(*mut Any, P) -> bool = containers::map_new;
    set_new: fn(*mut Any, P) -> bool = containers::set_new;
    tuple_new: fn(*const Any, usize, *mut Any, P) -> bool = containers::tuple_new;
    container_size: fn(*const Any, *mut usize, P) -> bool = containers::container_size;
    container_each: fn(*const Any, Each, *mut c_void, P) -> bool = containers::for_each_element;
    sequence_get: fn(*const Any, usize, *mut Any, P) -> bool = containers::get_element;
    list_set: fn(*const Any, usize, *mut Any, P) -> bool = containers::list_set;
    list_insert: fn(*const Any, usize, *mut Any, P) -> bool = containers::list_insert;
    list_remove: fn(*const Any, usize, *mut Any, P) -> bool = containers::list_remove;
    map_get: fn(*const Any, *const Any, *mut Any, *mut bool, P) -> bool = containers::map_get;
    map_set: fn(*const Any, *mut Any, *mut Any, P) -> bool = containers::map_set;
    set_add: fn(*const Any, *mut Any, *mut bool, P) -> bool = containers::set_add;
    set_contains: fn(*const Any, *const Any, *mut bool, P) -> bool = containers::set_contains;
    key_remove: fn(*const Any, *const Any, *mut bool, P) -> bool = containers::remove_key;

    function_new: fn(Text, Callback, *mut c_void, Option<Destroy>, *mut Any, P) -> bool = functions::new;
    function_call: fn(*const Any, *const Any, usize, *const Text, usize, *mut Any, P) -> bool = functions::call_function;
    function_find: fn(Text, *mut Any, P) -> bool = functions::find_function;
    function_publish: fn(Text, *const Any, bool, P) -> bool = functions::publish_function;
    function_withdraw: fn(Text) -> bool = functions::withdraw_function;

    call_receiver: fn(*mut Call, *const TypeInfo) -> *mut Header = call::call_receiver;
    call_is_given: fn(*const Call, usize) -> bool = call::is_given;
    call_is_none: fn(*const Call, usize) -> bool = call::is_none;
    call_get_bool: fn(*mut Call, usize, *mut bool) -> bool = call::get_bool;
    call_get_i64: fn(*mut Call, usize, *mut i64) -> bool = call::get_i64;
    call_get_u64: fn(*mut Call, usize, *mut u64) -> bool = call::get_u64;
    call_get_f64: fn(*mut Call, usize, *mut f64) -> bool = call::get_f64;
    call_get_str: fn(*mut Call, usize, *mut Text) -> bool = call::get_text;
    call_get_bytes: fn(*mut Call, usize, *mut Text) -> bool = call::get_bytes;
    call_get_object: fn(*mut Call, usize, *const TypeInfo, *mut *mut Header) -> bool = call::get_object;
    call_get_function: fn(*mut Call, usize, *mut Any) -> bool = call::get_function;
    call_get_any: fn(*mut Call, usize, *mut Any) -> bool = call::get_any;
    call_get_data: fn(*mut Call, usize, *mut Any) -> bool = data::get_data_arg;
    call_get_rest: fn(*mut Call, usize, *mut Any, *mut bool) -> bool = call::get_rest;
    call_return_none: fn(*mut Call) -> bool = call::give_none;
    call_return_bool: fn(*mut Call, bool) -> bool = call::give_bool;
    call_return_i64: fn(*mut Call, i64) -> bool = call::give_i64;
    call_return_u64: fn(*mut Call, u64) -> bool = call::give_u64;
    call_return_f64: fn(*mut Call, f64) -> bool = call::give_f64;
    call_return_str: fn(*mut Call, Text) -> bool = call::give_text;
    call_return_bytes: fn(*mut Call, Text) -> bool = call::give_bytes;
    call_return_object: fn(*mut Call, *mut Header) -> bool = call::give_object;
    call_return_owned: fn(*mut Call, *mut Header) -> bool = call::give_owned;
    call_return_any: fn(*mut Call, *const Any) -> bool = call::give_any;
    call_return_data: fn(*mut Call, *const Any) -> bool = data::give_data;
    call_fail: fn(*mut Call, *mut Error) -> bool = call::fail_call;

    detach: fn(Run, *mut c_void) = functions::detach_and_run;
    check_signals: fn(P) -> bool = functions::poll_signals;

    node_parent: fn(*const Header) -> *mut Header = trees::node_parent;
    node_root: fn(*const Header) -> *mut Header = trees::node_root;
    node_next: fn(*const Header) -> *mut Header = trees::next_node;
    node_previous: fn(*const Header) -> *mut Header = trees::previous_node;
    node_index: fn(*const Header, *mut usize) -> bool = trees::node_place;
    node_is_in: fn(*const Header, *const Header) -> bool = trees::is_in;
    node_is_erased: fn(*const Header) -> bool = trees::node_is_erased;
    node_check: fn(*const Header, P) -> bool = trees::check_node;
    node_detach: fn(*const Header, P) -> bool = trees::detach_node;
    node_erase: fn(*const Header, Text, P) -> bool = trees::erase_node;
    children_size: fn(*const Header, List, *mut usize, P) -> bool = trees::list_size;
    children_get: fn(*const Header, List, usize, *mut *mut Header, P) -> bool = trees::list_get;
    children_insert: fn(*const Header, List, usize, *const Header, P) -> bool = trees::list_insert;
    children_insert_before: fn(*const Header, List, *const Header, *const Header, P) -> bool = trees::insert_before;
    children_move: fn(*const Header, List, *const Header, *const Header, *const Header, P) -> bool = trees::list_splice;
    children_next: fn(*const Header, List, *mut Place, *mut *mut Header, P) -> bool = trees::advance_cursor;
    cursor_end: fn(*mut Place) = trees::end_cursor;
    walk_new: fn(*const Header, bool, P) -> *mut Walk = trees::begin_walk;
    walk_next: fn(*mut Walk) -> *mut Header = trees::walk_next;
    walk_free: fn(*mut Walk) = trees::walk_free;

    overridable_new: fn(*const TypeInfo, Text, P) -> *const Overridable = overridable::new;
    overridden: fn(*mut Header, *const Overridable, *mut bool, P) -> bool = overridable::is_overridden;
    override_call: fn(*const Header, *const Overridable, *const Any, usize, *mut Any, P) -> bool = overridable::call_override;

    owner_new: fn(*mut c_void, Option<Destroy>, *mut Any) = arrays::new_owner;
    array_new: fn(*const ArraySpec, *mut Any, *mut Any, P) -> bool = arrays::lend_array;
    array_describe: fn(*const Any, *mut ArraySpec, P) -> bool = arrays::describe_array;
    call_get_array: fn(*mut Call, usize, *mut Any) -> bool = arrays::get_array_arg;

    observe: fn(Tell, *mut c_void, Option<Destroy>) -> usize = events::observe_events;
    observe_end: fn(usize) = events::end_observer;
    emit: fn(u32, u32, u64, u64) = events::report_event;
    allocator_get: fn(*mut Allocator) = events::get_allocator;
    allocator_set: fn(*const Allocator, P) -> bool = events::replace_allocator;

    array_from_dlpack: fn(*mut ManagedTensor, bool, *mut Any, P) -> bool = dlpack::from_dlpack;
    array_to_dlpack: fn(*const Any, P) -> *mut ManagedTensor = dlpack::to_dlpack;
    function_names: fn(*mut Any, P) -> bool = functions::list_function_names;

    ref_cell_get: fn(*const RefCell) -> *mut Header = objects::ref_cell_get;
    ref_cell_replace: fn(*const RefCell, *mut Header) -> *mut Header = objects::ref_cell_replace;
    ref_cell_clear: fn(*const RefCell) = objects::ref_cell_clear;
    trace_ref_cell: fn(*const TracerTable, *const RefCell) = objects::trace_ref_cell;
    object_of_value: fn(*const c_void, *const TypeInfo, P) -> *mut Header = objects::object_of_value;
    any_as_i64: fn(*const Any, *mut i64, P) -> bool = values::as_i64;
    any_as_u64: fn(*const Any, *mut u64, P) -> bool = values::as_u64;
    any_as_f64: fn(*const Any, *mut f64, P) -> bool = values::as_f64;
}
