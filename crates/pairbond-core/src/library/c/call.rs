//! One call of a C function: a `pb_call` has its arguments and takes its result.

use std::ptr::NonNull;

use super::Text;
use super::errors::{quiet, taken};
use crate::class::Args;
use crate::convert::{FromValue, Mismatch, Sink, Source};
use crate::error::{Error, panics};
use crate::library::args::ErasedArgs;
use crate::library::sink::ErasedSink;
use crate::library::source::ErasedSource;
use crate::object::{ErasedBorrow, ErasedRef, Header};
use crate::tree::check_object;
use crate::types::TypeInfo;
use crate::value::Any;

/// Where the arguments are.
pub(super) enum Input {
    /// Of a function, method or constructor.
    Arguments(*const ErasedArgs<'static>),
    /// The object of an attribute that is read, or is set to a value.
    Attribute(NonNull<Header>, Option<*const ErasedSource<'static>>),
}

/// See the head of this file. It lives for the call, on its thread.
pub(super) struct Call {
    pub(super) input: Input,
    pub(super) sink: Option<ErasedSink<'static>>,
    pub(super) error: Option<Error>,
    /// For messages: the function's name, or the attribute's.
    pub(super) name: &'static str,
    /// The names of a function's parameters.
    pub(super) parameters: &'static [crate::class::Parameter],
}

impl Call {
    /// Runs a C function for a call, and returns its outcome. A function that gives no result
    /// returns nothing.
    ///
    /// # Errors
    /// That which the function reported.
    pub(super) fn run(mut self, function: impl FnOnce(*mut Call) -> bool) -> Result<(), Error> {
        let done = function(&raw mut self);
        match (done, self.error, self.sink) {
            (true, None, Some(sink)) => sink.none(),
            (true, None, None) => Ok(()),
            (_, Some(error), _) => Err(error),
            (false, None, _) => Err(Error::runtime_error(format!(
                "{}() failed without an error",
                self.name
            ))),
        }
    }

    fn source(&self, index: usize) -> Option<ErasedSource<'static>> {
        match self.input {
            // A parameter that the function does not have was not given.
            Input::Arguments(_) if index >= self.parameters.len() => None,
            // SAFETY: the arguments live during the call.
            Input::Arguments(args) => unsafe { &*args }.get(index),
            // SAFETY: the value lives during the call.
            Input::Attribute(_, value) => value.filter(|_| index == 0).map(|value| unsafe { *value }),
        }
    }

    fn place(&self, index: usize) -> String {
        match self.input {
            Input::Arguments(_) => match self.parameters.get(index) {
                Some(parameter) => format!("{}() argument '{}'", self.name, parameter.name),
                None => format!("{}() argument {index}, which it does not describe,", self.name),
            },
            Input::Attribute(..) => self.name.to_owned(),
        }
    }

    fn fail(&mut self, error: Error) -> bool {
        self.error = Some(error);
        false
    }
}

/// Reads an argument into a place.
///
/// # Safety
/// A call on this thread, and a place for a `T`.
pub(super) unsafe fn read<T>(
    call: *mut Call,
    index: usize,
    expected: &str,
    out: *mut T,
    read: impl FnOnce(ErasedSource<'static>) -> Result<T, Mismatch>,
) -> bool {
    // SAFETY: the caller's call.
    let call = unsafe { &mut *call };
    let Some(source) = call.source(index) else {
        let place = call.place(index);
        return call.fail(Error::type_error(format!("{place} is missing")));
    };
    match panics::catch(|| {
        read(source).map_err(|why| why.explain(|| call.place(index), expected, || source.describe()))
    }) {
        Ok(value) => {
            // SAFETY: the caller's place.
            unsafe { out.write(value) };
            true
        }
        Err(error) => call.fail(error),
    }
}

/// A value of any kind, unless it is a node that was erased.
///
/// # Errors
/// `InvalidatedError`, or what the source says.
pub(super) fn any_of<'a, S: Source<'a>>(source: S) -> Result<Any, Mismatch> {
    Any::from_value(source)
}

macro_rules! readers {
    ($($name:ident: $t:ty, $expected:literal, |$source:ident| $read:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name(call: *mut Call, index: usize, out: *mut $t) -> bool {
            // SAFETY: the caller's call and place.
            unsafe { read(call, index, $expected, out, |$source: ErasedSource<'static>| $read) }
        }
    )*};
}

readers! {
    get_bool: bool, "bool", |it| it.bool();
    get_i64: i64, "an int of 64 bits", |it| it.i64();
    get_u64: u64, "an int from 0 to 2**64-1", |it| it.u64();
    get_f64: f64, "float", |it| it.f64();
    get_text: Text, "str", |it| it.str().map(Text::of);
    get_bytes: Text, "bytes", |it| it.bytes().map(|bytes| Text { data: bytes.as_ptr(), size: bytes.len() });
    get_any: Any, "any value", |it| any_of(it);
    get_function: Any, "a callable", |it| it.function().map(Any::Function);
}

/// An object of a type, or of one that extends it; any, where `info` is null. It is lent for the
/// call.
pub(super) unsafe extern "C" fn get_object(
    call: *mut Call,
    index: usize,
    info: *const TypeInfo,
    out: *mut *mut Header,
) -> bool {
    // SAFETY: a registered type or null; the caller's call and place.
    unsafe {
        let info = info.as_ref();
        let expected = info.map_or("a native object", TypeInfo::key);
        read(call, index, expected, out, |source| {
            let object = source.object()?;
            match info {
                Some(info) if !object.header().info().is_a(info) => Err(Mismatch::Type),
                _ => {
                    check_object(object.header()).map_err(Mismatch::Raised)?;
                    Ok(object.as_ptr().as_ptr())
                }
            }
        })
    }
}

/// Whether an argument was given.
pub(super) unsafe extern "C" fn is_given(call: *const Call, index: usize) -> bool {
    // SAFETY: the caller's call.
    quiet(|| unsafe { &*call }.source(index).is_some()).unwrap_or(false)
}

/// Whether an argument was not given, or is `None`.
pub(super) unsafe extern "C" fn is_none(call: *const Call, index: usize) -> bool {
    // SAFETY: the caller's call.
    quiet(|| unsafe { &*call }.source(index).is_none_or(Source::is_none)).unwrap_or(true)
}

/// A further argument by position; `found` says whether there is one.
pub(super) unsafe extern "C" fn get_rest(
    call: *mut Call,
    index: usize,
    out: *mut Any,
    found: *mut bool,
) -> bool {
    // SAFETY: the caller's call and places.
    unsafe {
        let call = &mut *call;
        let rest = match call.input {
            Input::Arguments(args) => (*args).rest(index),
            Input::Attribute(..) => None,
        };
        found.write(rest.is_some());
        let Some(source) = rest else { return true };
        match panics::catch(|| {
            let why = |why: Mismatch| why.explain(|| call.place(index), "any value", || source.describe());
            any_of(source).map_err(why)
        }) {
            Ok(value) => {
                out.write(value);
                true
            }
            Err(error) => call.fail(error),
        }
    }
}

/// The object whose method or attribute this is, lent for the call.
pub(super) unsafe extern "C" fn receiver(call: *mut Call, info: *const TypeInfo) -> *mut Header {
    // SAFETY: the caller's call; a registered type or null.
    let (call, info) = unsafe { (&mut *call, info.as_ref()) };
    let found = match call.input {
        // SAFETY: the arguments live during the call.
        Input::Arguments(args) => panics::catch(|| Ok(unsafe { &*args }.native_receiver())),
        // SAFETY: the object lives during the call.
        Input::Attribute(object, _) => Ok(Some(unsafe { ErasedBorrow::from_header(object) })),
    };
    match found {
        Ok(Some(object)) if info.is_none_or(|info| object.header().info().is_a(info)) => {
            match check_object(object.header()) {
                Ok(()) => object.as_ptr().as_ptr(),
                Err(error) => {
                    call.fail(error);
                    std::ptr::null_mut()
                }
            }
        }
        Ok(_) => {
            let expected = info.map_or("native object", TypeInfo::key);
            call.fail(Error::type_error(format!(
                "{}() needs a {expected} as its receiver",
                call.name
            )));
            std::ptr::null_mut()
        }
        Err(error) => {
            call.fail(error);
            std::ptr::null_mut()
        }
    }
}

/// Gives the result.
///
/// # Safety
/// A call on this thread.
pub(super) unsafe fn give(
    call: *mut Call,
    put: impl FnOnce(ErasedSink<'static>) -> Result<(), Error>,
) -> bool {
    // SAFETY: the caller's call.
    let call = unsafe { &mut *call };
    let Some(sink) = call.sink.take() else {
        let name = call.name;
        return call.fail(Error::runtime_error(format!(
            "{name}() gave a result twice, or where none is taken"
        )));
    };
    match panics::catch(|| put(sink)) {
        Ok(()) => true,
        Err(error) => call.fail(error),
    }
}

macro_rules! writers {
    ($($name:ident($($value:ident: $t:ty),*) => |$sink:ident| $put:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name(call: *mut Call, $($value: $t),*) -> bool {
            // SAFETY: the caller's call, and a value that is alive during it.
            unsafe { give(call, |$sink| $put) }
        }
    )*};
}

writers! {
    give_none() => |sink| sink.none();
    give_bool(value: bool) => |sink| sink.bool(value);
    give_i64(value: i64) => |sink| sink.i64(value);
    give_u64(value: u64) => |sink| sink.u64(value);
    give_f64(value: f64) => |sink| sink.f64(value);
    give_text(value: Text) => |sink| sink.str(value.get()?);
    give_bytes(value: Text) => |sink| sink.bytes(value.bytes());
    give_any(value: *const Any) => |sink| sink.any(&*value);
    give_object(value: *mut Header) => |sink| match NonNull::new(value) {
        Some(object) => sink.object(ErasedBorrow::from_header(object)),
        None => sink.none(),
    };
}

/// As `give_object`, of a counted reference that is given away.
pub(super) unsafe extern "C" fn give_owned(call: *mut Call, value: *mut Header) -> bool {
    // SAFETY: a counted reference that is given away, or null; the caller's call.
    unsafe {
        let value = NonNull::new(value).map(|object| ErasedRef::from_raw(object));
        give(call, |sink| match value {
            Some(object) => sink.owned(object),
            None => sink.none(),
        })
    }
}

/// Reports an error, which is taken; returns `false`.
pub(super) unsafe extern "C" fn fail(call: *mut Call, error: *mut Error) -> bool {
    // SAFETY: the caller's call and error.
    unsafe { (*call).fail(taken(error)) }
}
