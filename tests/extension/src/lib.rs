//! What `tests/python` imports: functions and classes that exercise every feature, written as a
//! library author would write them.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "what a function is for is in the test that calls it")]

/// Functions that return their argument, and how each is found by its name.
macro_rules! identity {
    ($find:ident: $($name:ident: $t:ty;)*) => {
        $(
            #[pairbond::function]
            pub(crate) fn $name(value: $t) -> $t {
                value
            }
        )*

        pub(crate) fn $find(name: &str) -> Option<pairbond::Function> {
            let build = pairbond::Function::build;
            match name {
                $(stringify!($name) => Some(build(name.to_owned()).parameter("value").from(|value: $t| value)),)*
                _ => None,
            }
        }
    };
}

mod arrays;
mod asynchronous;
mod calls;
mod classes;
mod containers;
mod conversions;
mod enums;
mod errors;
mod functions;
mod modules;
mod moves;
mod operators;
mod overrides;
mod panics;
mod protocols;
mod records;
mod trees;
mod values;

use arrays::*;
use asynchronous::*;
use calls::*;
use classes::*;
use containers::*;
use conversions::*;
use enums::*;
use errors::*;
use functions::*;
use modules::*;
use moves::*;
use operators::*;
use overrides::*;
use panics::*;
use protocols::*;
use records::*;
use trees::*;
use values::*;

pairbond::module!(
    /// Everything that the tests need.
    pairbond_testext {
        nothing, add3, greet, defaults, options, keyword_only, rest, one, mixed, many, sleep, work, work_elsewhere, parallel,
        i8_, i16_, i32_, i64_, u8_, u16_, u32_, u64_, i128_, u128_, f32_, f64_, bool_, char_, str_, string, text,
        bytes_, blob, path, option, vec, array, set, map, pair, nested, unit, any, foreign, function, apply, apply_later, call_each, call_each_later,
        native_function, collect_anys, walk, end_of_bytes, end_of_text, len_of_any, sized, describe_any,
        raise_kind, raise_io, raise_chain, raise_note, raise_fields, raise_custom, panic, panic_in_detached, unwind, raise_at_path, raise_kind_at_path, raise_with_cause, call_and_catch, catch_later, reraise, not_implemented, Fragile, break_one, break_elsewhere,
        built, of_marker, plain_closure, table_of, call_named, call_back, keep_callback, same_function, keep_function, drop_functions, clone_elsewhere, any_kind,
        call_global, register_native, Caller, big, dtype, device, bytes_like, converts, called_by_rust, unordered, unordered_any, ordered_map,
        StructOfAnotherName, Shape, Square, area_of, methods_of, area_elsewhere, keep_shape, kept_area, time_area,
        Package, Special, Lock, Sealed, Settled, Plain, Quick, QuickChild, Broken, package, special, lock, same, owned, names, both, keep, kept, drop_kept,
        larger, double_size, change_size, size_of_any, double_size_elsewhere, time_double_size,
        Buffer, LongBuffer, Tree, watched, doubled, grown, taken_out, references, references_of_any, lend_and_take, numbers_of, lend_and_look, hand_on, taker, taken_with,
        Light, next_light, lights, Crossing, Expr, simplified, doubled_expr,
        Vector, Ordered, Equal, Countdown, Sequence, Table, Bag, Adder, Guard, Awaitable, Truth, Shelf, Label,
        Section, Paragraph, Quotation, Annotated, Branch, Leaf,
        duration, system_time, ipv4, ipv6, ip, os_string, range_u8, range_i64, range_inclusive_u8, range_inclusive_u128, non_zero_u8, non_zero_i64, boxed_str, arc_str, boxed, octets, octets4, chrono_date, chrono_time, chrono_naive, chrono_utc, chrono_fixed, chrono_offset, chrono_delta, jiff_date, jiff_time, jiff_datetime, jiff_timestamp, jiff_zoned, jiff_zone, jiff_duration, uuid_, rust_decimal_, num_bigint_, num_biguint, index_map, index_set, either_, ndarray2, ndarray_any, optional_duration, durations, pack, named_pack, cow_str, Timed, nanos, beyond_micros, too_large, through_any,
        futures_dropped, sleep_for, at_once, panic_later, yield_times, call_later, Bell,
        panic_in, Brittle, Written, Named, brittle_functions, brittle_function,
        ParseError, EndError, PlainError, raise_defined, keywords, everything, keywords_later, Blocks, Derived, Shown,
        Limit, Config, Flags, Recased, Spaced, configure, configured, configs, configs_by_name, with_flags, renamed, typed, spaced, outline, Outline, typed_from_python, pages, Holder, hash_set, hash_set_of_lists, read_later,
        Pictured, PicturedChild, PicturedNode, GridF64, GridText, Pair3, grid_of, half_of, Noted, Open, noted_as_any, Row, sliced,
        const LIMIT = 42, const NAMES = vec!["a", "b"],
        /// A module inside.
        mod inner {
            Inner, deep, const NAME = "inner",
            mod deeper { const VALUE = 1.5 },
        },
        array_sum, array_scale, array_constant, array_of_bytes, array_is_slice, array_drop_elsewhere, array_strided, subscripts, Lender
    }
);
