//! The functions by which another binary reads a source of this one.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::super::guard::{run_guarded, run_guarded_read};
use super::super::wire;
use super::{Each, EachAttribute, ErasedSource, Slice, SourceTable, Words};
use crate::convert::record::Fields;
use crate::convert::{Mismatch, Request, Source, Subscript};
use crate::object::{ErasedBorrow, ErasedRef, Header};
use crate::value::{Any, Array, BigInt, Bytes, Foreign, Function, List, Str};

fn split_halves(number: u128) -> [u64; 2] {
    [number as u64, (number >> 64) as u64]
}

/// The functions of a source of type `S`.
pub(super) struct Of<'a, S>(PhantomData<(&'a (), *const S)>);

impl<'a, S: Source<'a>> Of<'a, S> {
    pub(super) const TABLE: &'static SourceTable = &SourceTable {
        is_none: Self::is_none,
        bool: Self::bool,
        i64: Self::i64,
        u64: Self::u64,
        i128: Self::i128,
        u128: Self::u128,
        big_int: Self::big_int,
        f64: Self::f64,
        str: Self::str,
        bytes: Self::bytes,
        copied_bytes: Self::copied_bytes,
        path: Self::path,
        object: Self::object,
        function: Self::function,
        foreign: Self::foreign,
        any: Self::any,
        sequence: Self::read_sequence,
        mapping: Self::read_mapping,
        array: Self::array,
        describe: Self::describe,
        own: Self::to_owned_ref,
        subscript: Self::subscript,
        parts: Self::read_parts,
        attributes: Self::read_attributes,
    };

    /// # Safety
    /// Words that `ErasedSource::from_source::<S>` wrote.
    unsafe fn source_from_words(words: *const Words) -> S {
        // SAFETY: words that `ErasedSource::from_source::<S>` wrote: the caller ensures it.
        unsafe { words.cast::<S>().read() }
    }

    unsafe extern "C" fn is_none(words: *const Words) -> bool {
        // SAFETY: this table's words.
        unsafe { Self::source_from_words(words) }.is_none()
    }

    unsafe extern "C" fn read_sequence(
        words: *const Words,
        context: *mut c_void,
        each: Each,
        out: *mut usize,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; the caller's places and function.
        unsafe {
            run_guarded_read(out, problem, || {
                Self::source_from_words(words)
                    .read_sequence(|_, item| show_item(context, each, ErasedSource::from_source(item)))
            })
        }
    }

    unsafe extern "C" fn read_mapping(
        words: *const Words,
        context: *mut c_void,
        each: Each,
        out: *mut usize,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; the caller's places and function.
        unsafe {
            run_guarded_read(out, problem, || {
                Self::source_from_words(words).read_mapping(|key, value| {
                    show_item(context, each, ErasedSource::from_source(key))?;
                    show_item(context, each, ErasedSource::from_source(value))
                })?;
                Ok(0)
            })
        }
    }

    unsafe extern "C" fn read_parts(
        words: *const Words,
        request: *const Request<'_>,
        out: *mut Any,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; a request that lives during the call; the caller's places.
        unsafe {
            run_guarded_read(out, problem, || {
                let parts = Self::source_from_words(words).read_parts((*request).class, (*request).names)?;
                Ok(Any::from(parts.into_iter().collect::<List<Any>>()))
            })
        }
    }

    unsafe extern "C" fn read_attributes(
        words: *const Words,
        names: *const &[&str],
        context: *mut c_void,
        each: EachAttribute,
        out: *mut usize,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; names that live during the call; the caller's places and
        // function.
        unsafe {
            run_guarded_read(out, problem, || {
                Self::source_from_words(words).read_attributes(*names, &mut Shown(context, each))
            })
        }
    }

    unsafe extern "C" fn to_owned_ref(
        words: *const Words,
        object: NonNull<Header>,
        out: *mut ErasedRef,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; the object came from the source; the caller's places.
        unsafe {
            run_guarded(out, problem, || {
                Ok(Self::source_from_words(words).to_owned_ref(ErasedBorrow::from_header(object)))
            })
        }
    }
}

/// The fields of the binary that reads.
struct Shown(*mut c_void, EachAttribute);

impl Fields for Shown {
    fn set_field<'b, S: Source<'b>>(&mut self, index: usize, value: S) -> Result<(), Mismatch> {
        let (item, mut problem) = (ErasedSource::from_source(value), Any::None);
        // SAFETY: the reader's function and its argument; the item is alive during the call.
        if unsafe { (self.1)(self.0, index, (&raw const item).cast(), &raw mut problem) } {
            Ok(())
        } else {
            Err(wire::unpack_mismatch(&problem))
        }
    }
}

/// Shows one thing inside to the binary that reads.
///
/// # Safety
/// The reader's function and its argument.
unsafe fn show_item(context: *mut c_void, each: Each, item: ErasedSource<'_>) -> Result<(), Mismatch> {
    let mut problem = Any::None;
    // SAFETY: the reader's function and its argument: the caller ensures it. The item is alive
    // during the call.
    if unsafe { each(context, (&raw const item).cast(), &raw mut problem) } {
        Ok(())
    } else {
        Err(wire::unpack_mismatch(&problem))
    }
}

macro_rules! readers {
    ($($name:ident: $t:ty, |$source:ident| $read:expr;)*) => {
        impl<'a, S: Source<'a>> Of<'a, S> {$(
            unsafe extern "C" fn $name(words: *const Words, out: *mut $t, problem: *mut Any) -> bool {
                // SAFETY: this table's words; the caller's places.
                unsafe {
                    run_guarded_read(out, problem, || {
                        let $source = Self::source_from_words(words);
                        $read
                    })
                }
            }
        )*}
    };
}

readers! {
    bool: bool, |it| it.read_bool();
    i64: i64, |it| it.read_i64();
    u64: u64, |it| it.read_u64();
    i128: [u64; 2], |it| it.read_i128().map(|number| split_halves(number as u128));
    u128: [u64; 2], |it| it.read_u128().map(split_halves);
    big_int: BigInt, |it| it.big_int();
    f64: f64, |it| it.read_f64();
    str: Slice, |it| it.read_str().map(|text| Slice(text.as_ptr(), text.len()));
    bytes: Slice, |it| it.read_bytes().map(|bytes| Slice(bytes.as_ptr(), bytes.len()));
    copied_bytes: Bytes, |it| it.copied_bytes().map(|bytes| Bytes::from(&bytes[..]));
    path: Bytes, |it| it.read_path().map(|path| Bytes::from(path.as_os_str().as_encoded_bytes()));
    object: NonNull<Header>, |it| it.read_object().map(|object| NonNull::from(object.header()));
    function: Function, |it| it.read_function();
    foreign: Foreign, |it| it.read_foreign();
    any: Any, |it| it.read_any();
    array: ErasedRef, |it| it.read_array().map(Array::into_erased);
    subscript: Subscript, |it| it.read_subscript();
    describe: Str, |it| Ok(it.describe().into());
}
