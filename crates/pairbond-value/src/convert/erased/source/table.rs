//! The functions by which another binary reads a source of this one.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::super::guard::{guarded, reading};
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
        sequence: Self::sequence,
        mapping: Self::mapping,
        array: Self::array,
        describe: Self::describe,
        own: Self::own,
        subscript: Self::subscript,
        parts: Self::parts,
        attributes: Self::attributes,
    };

    /// # Safety
    /// Words that `ErasedSource::of::<S>` wrote.
    unsafe fn source(words: *const Words) -> S {
        // SAFETY: words that `ErasedSource::of::<S>` wrote: the caller ensures it.
        unsafe { words.cast::<S>().read() }
    }

    unsafe extern "C" fn is_none(words: *const Words) -> bool {
        // SAFETY: this table's words.
        unsafe { Self::source(words) }.is_none()
    }

    unsafe extern "C" fn sequence(
        words: *const Words,
        context: *mut c_void,
        each: Each,
        out: *mut usize,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; the caller's places and function.
        unsafe {
            reading(out, problem, || {
                Self::source(words).sequence(|_, item| show_item(context, each, ErasedSource::of(item)))
            })
        }
    }

    unsafe extern "C" fn mapping(
        words: *const Words,
        context: *mut c_void,
        each: Each,
        out: *mut usize,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; the caller's places and function.
        unsafe {
            reading(out, problem, || {
                Self::source(words).mapping(|key, value| {
                    show_item(context, each, ErasedSource::of(key))?;
                    show_item(context, each, ErasedSource::of(value))
                })?;
                Ok(0)
            })
        }
    }

    unsafe extern "C" fn parts(
        words: *const Words,
        request: *const Request<'_>,
        out: *mut Any,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; a request that lives during the call; the caller's places.
        unsafe {
            reading(out, problem, || {
                let parts = Self::source(words).parts((*request).class, (*request).names)?;
                Ok(Any::from(parts.into_iter().collect::<List<Any>>()))
            })
        }
    }

    unsafe extern "C" fn attributes(
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
            reading(out, problem, || {
                Self::source(words).attributes(*names, &mut Shown(context, each))
            })
        }
    }

    unsafe extern "C" fn own(
        words: *const Words,
        object: NonNull<Header>,
        out: *mut ErasedRef,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's words; the object came from the source; the caller's places.
        unsafe {
            guarded(out, problem, || {
                Ok(Self::source(words).own(ErasedBorrow::from_header(object)))
            })
        }
    }
}

/// The fields of the binary that reads.
struct Shown(*mut c_void, EachAttribute);

impl Fields for Shown {
    fn set<'b, S: Source<'b>>(&mut self, index: usize, value: S) -> Result<(), Mismatch> {
        let (item, mut problem) = (ErasedSource::of(value), Any::None);
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
    // SAFETY: promised; the item is alive during the call.
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
                    reading(out, problem, || {
                        let $source = Self::source(words);
                        $read
                    })
                }
            }
        )*}
    };
}

readers! {
    bool: bool, |it| it.bool();
    i64: i64, |it| it.i64();
    u64: u64, |it| it.u64();
    i128: [u64; 2], |it| it.i128().map(|number| split_halves(number as u128));
    u128: [u64; 2], |it| it.u128().map(split_halves);
    big_int: BigInt, |it| it.big_int();
    f64: f64, |it| it.f64();
    str: Slice, |it| it.str().map(|text| Slice(text.as_ptr(), text.len()));
    bytes: Slice, |it| it.bytes().map(|bytes| Slice(bytes.as_ptr(), bytes.len()));
    copied_bytes: Bytes, |it| it.copied_bytes().map(|bytes| Bytes::from(&bytes[..]));
    path: Bytes, |it| it.path().map(|path| Bytes::from(path.as_os_str().as_encoded_bytes()));
    object: NonNull<Header>, |it| it.object().map(|object| NonNull::from(object.header()));
    function: Function, |it| it.function();
    foreign: Foreign, |it| it.foreign();
    any: Any, |it| it.any();
    array: ErasedRef, |it| it.array().map(Array::into_erased);
    subscript: Subscript, |it| it.subscript();
    describe: Str, |it| Ok(it.describe().into());
}
