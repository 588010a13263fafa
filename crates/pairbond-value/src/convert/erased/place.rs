//! The other side of an [`ErasedSink`]: the sink that it stands for.

use std::ffi::{OsStr, c_void};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::NonNull;

use super::guard::{NOTHING, run_guarded};
use super::sink_table::{ErasedSink, Next, SinkTable, check_problem};
use crate::convert::{IntoValue, Part, Sink};
use crate::error::Error;
use crate::object::{ErasedBorrow, ErasedRef, Header};
use crate::value::{Any, BigInt, Foreign, Function};

/// A sink, and then what came of it.
pub struct Place<S: Sink> {
    sink: Option<S>,
    out: Option<S::Out>,
}

impl<S: Sink> Place<S> {
    pub fn new(sink: S) -> Self {
        Place {
            sink: Some(sink),
            out: None,
        }
    }

    /// The same place for another binary.
    pub fn erase(&mut self) -> ErasedSink<'_> {
        ErasedSink {
            place: std::ptr::from_mut(self).cast(),
            table: &raw const *<Of<S>>::TABLE,
            borrowed: PhantomData,
        }
    }

    /// The value that was put there.
    pub fn take_result(&mut self) -> Result<S::Out, Error> {
        self.out
            .take()
            .ok_or_else(|| Error::runtime_error("a library returned no result"))
    }
}

/// Lets `give` write one value to a sink of whatever kind, and returns what the sink made of it.
///
/// # Errors
/// That of `give`, or of the sink.
#[doc(hidden)]
pub fn with_place<S: Sink>(
    sink: S,
    give: &mut (dyn FnMut(ErasedSink<'_>) -> Result<(), Error> + '_),
) -> Result<S::Out, Error> {
    let mut place = Place::new(sink);
    give(place.erase())?;
    place.take_result()
}

/// The functions of a place of type `S`.
struct Of<S>(PhantomData<S>);

/// An element that the other binary gives when it is asked.
struct Element(*mut c_void, Next);

impl IntoValue for Element {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        let mut place = Place::new(out);
        let sink = place.erase();
        // SAFETY: the function with its argument; both live as long as the call that this is part
        // of.
        check_problem(|problem| unsafe { (self.1)(self.0, (&raw const sink).cast(), problem) })?;
        place.take_result()
    }
}

impl<S: Sink> Of<S> {
    const TABLE: &'static SinkTable = &SinkTable {
        none: Self::none,
        bool: Self::bool,
        i64: Self::i64,
        u64: Self::u64,
        i128: Self::i128,
        u128: Self::u128,
        big_int: Self::big_int,
        f64: Self::f64,
        str: Self::str,
        bytes: Self::bytes,
        path: Self::path,
        at_hand: Self::at_hand,
        object: Self::object,
        owned: Self::owned,
        function: Self::function,
        foreign: Self::foreign,
        any: Self::any,
        list: Self::write_list,
        tuple: Self::fill_tuple,
        mapping: Self::fill_mapping,
        construct: Self::construct,
        set: Self::write_set,
        instance: Self::fill_instance,
    };

    /// Fills the place.
    ///
    /// # Safety
    /// This table's place, which is not used otherwise meanwhile; the caller's place for a problem.
    unsafe fn fill_place(
        place: *mut c_void,
        problem: *mut Any,
        put: impl FnOnce(S) -> Result<S::Out, Error>,
    ) -> bool {
        // SAFETY: this table's place, which is not used otherwise meanwhile; the caller's place for
        // a problem: the caller ensures it.
        unsafe {
            let place = &mut *place.cast::<Place<S>>();
            run_guarded(NOTHING, problem, || {
                let sink = place.sink.take();
                let sink = sink.ok_or_else(|| Error::runtime_error("a result was given twice"))?;
                place.out = Some(put(sink)?);
                Ok(())
            })
        }
    }

    unsafe extern "C" fn at_hand(place: *mut c_void, object: NonNull<Header>) -> bool {
        // SAFETY: this table's place; the object is alive during the call.
        unsafe {
            let place = &mut *place.cast::<Place<S>>();
            let object = ErasedBorrow::from_header(object);
            let found = place.sink.as_ref().and_then(|sink| sink.at_hand(object));
            let is = found.is_some();
            place.out = found;
            is
        }
    }

    unsafe extern "C" fn fill_tuple(
        place: *mut c_void,
        len: usize,
        context: *mut c_void,
        next: Next,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: this table's place, and the caller's.
        unsafe {
            Self::fill_place(place, problem, |sink| {
                sink.write_tuple(len, &mut |_, sink| Element(context, next).into_value(sink))
            })
        }
    }

    unsafe extern "C" fn fill_instance(
        place: *mut c_void,
        class: *const &str,
        context: *mut c_void,
        more: unsafe extern "C" fn(*mut c_void, *mut &'static str) -> bool,
        next: Next,
        problem: *mut Any,
    ) -> bool {
        let arguments = std::iter::from_fn(|| {
            let mut name = "";
            // SAFETY: the function with its argument; it writes a name of its binary, which stays.
            unsafe { more(context, &raw mut name) }.then_some((name, Element(context, next)))
        });
        // SAFETY: this table's place, and the caller's; a name that lives during the call.
        unsafe { Self::fill_place(place, problem, |sink| sink.write_instance(*class, arguments)) }
    }

    unsafe extern "C" fn fill_mapping(
        place: *mut c_void,
        context: *mut c_void,
        more: unsafe extern "C" fn(*mut c_void) -> bool,
        next: Next,
        problem: *mut Any,
    ) -> bool {
        let pairs = std::iter::from_fn(|| {
            // SAFETY: the function with its argument.
            unsafe { more(context) }.then_some((Element(context, next), Element(context, next)))
        });
        // SAFETY: the function with its argument.
        unsafe { Self::fill_place(place, problem, |sink| sink.write_mapping(pairs)) }
    }
}

macro_rules! sequences {
    ($($name:ident)*) => {
        impl<S: Sink> Of<S> {$(
            unsafe extern "C" fn $name(
                place: *mut c_void,
                len: usize,
                context: *mut c_void,
                next: Next,
                problem: *mut Any,
            ) -> bool {
                // SAFETY: this table's place, and the caller's.
                unsafe {
                    Self::fill_place(place, problem, |sink| {
                        sink.$name((0..len).map(|_| Element(context, next)))
                    })
                }
            }
        )*}
    };
}

sequences! { write_list write_set }

macro_rules! writers {
    ($($name:ident($($value:ident: $t:ty),*) => |$sink:ident| $put:expr;)*) => {
        impl<S: Sink> Of<S> {$(
            unsafe extern "C" fn $name(place: *mut c_void, $($value: $t,)* problem: *mut Any) -> bool {
                // SAFETY: this table's place, the caller's, and a value that is alive during the
                // call.
                unsafe { Self::fill_place(place, problem, |$sink| $put) }
            }
        )*}
    };
}

writers! {
    none() => |sink| sink.write_none();
    bool(value: bool) => |sink| sink.write_bool(value);
    i64(value: i64) => |sink| sink.write_i64(value);
    u64(value: u64) => |sink| sink.write_u64(value);
    i128(value: *const i128) => |sink| sink.write_i128(*value);
    u128(value: *const u128) => |sink| sink.write_u128(*value);
    big_int(value: *const BigInt) => |sink| sink.big_int(&*value);
    f64(value: f64) => |sink| sink.write_f64(value);
    str(start: *const u8, len: usize) => |sink| sink.write_str(std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, len)));
    bytes(start: *const u8, len: usize) => |sink| sink.write_bytes(std::slice::from_raw_parts(start, len));
    path(start: *const u8, len: usize) => |sink| sink.write_path(Path::new(OsStr::from_encoded_bytes_unchecked(std::slice::from_raw_parts(start, len))));
    object(value: NonNull<Header>) => |sink| sink.write_object(ErasedBorrow::from_header(value));
    owned(value: ErasedRef) => |sink| sink.write_owned(value);
    function(value: *const Function) => |sink| sink.write_function(&*value);
    foreign(value: *const Foreign) => |sink| sink.write_foreign(&*value);
    any(value: *const Any) => |sink| sink.write_any(&*value);
    construct(value: *const Part<'_>) => |sink| match &*value {
        Part::Made(class, arguments) => sink.write_constructed(class, arguments),
        _ => Err(Error::runtime_error("only what is made of parts can be constructed")),
    };
}
