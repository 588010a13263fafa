//! One call of a C function: a `pb_call` has its arguments and takes its result.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::Text;
use super::errors::{catch_silently, take_error};
use crate::args::ErasedArgs;
use pairbond_core::error::{Error, panics};
use pairbond_core::object::{ErasedBorrow, ErasedRef, Header};
use pairbond_core::types::TypeInfo;
use pairbond_tree::{check_object, is_erased};
use pairbond_value::class::Args;
use pairbond_value::convert::erased::sink_table::ErasedSink;
use pairbond_value::convert::erased::source_table::ErasedSource;
use pairbond_value::convert::erased::words::{Word, WordArgs, WordTable};
use pairbond_value::convert::{FromValue, Mismatch, Sink, Source};
use pairbond_value::value::Any;

/// Where the arguments are.
pub(super) enum Input {
    /// In the call itself, as words of a frontend of this binary.
    Words,
    /// Of a function, method or constructor, of any frontend.
    Arguments(*const ErasedArgs<'static>),
    /// The object of an attribute that is read, or is set to a value.
    Attribute(NonNull<Header>, Option<*const ErasedSource<'static>>),
}

/// The name of a function or attribute in messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) name: &'static str,
    /// The parameters of a function.
    pub(crate) parameters: &'static [pairbond_value::class::Parameter],
}

/// See the head of this file. It lives for the call, on its thread. The first fields are those of
/// `pb_call`, whose inline functions use them.
#[repr(C)]
pub(crate) struct Call {
    /// How arguments are read, if they are words; or null. The first field of a table is what C
    /// knows of it.
    pub(super) quick: *const WordTable,
    pub(super) words: *const *mut c_void,
    pub(super) count: usize,
    /// The object of a method or attribute, and its type: null where `call_receiver` has to be
    /// called.
    pub(super) receiver: *mut Header,
    pub(super) receiver_type: *const TypeInfo,
    /// How the result is made, if it becomes a word; or null.
    pub(super) makes: *const WordTable,
    /// The result, owned; or null.
    pub(super) result: *mut c_void,
    /// The object of a method, if arguments are words.
    native: Option<NonNull<Header>>,
    /// Further arguments, if they are words.
    rest: *const [*mut c_void],
    input: Input,
    /// Where the result goes, if it becomes no word; taken when it is given.
    sink: Option<ErasedSink<'static>>,
    error: Option<Error>,
    label: *const Label,
}

impl Call {
    /// A call of whatever frontend that has not begun. With a table, its result becomes a word.
    #[inline(always)]
    pub(super) fn new(
        input: Input,
        sink: Option<ErasedSink<'static>>,
        makes: Option<&'static WordTable>,
        label: &'static Label,
    ) -> Self {
        let mut call = Call {
            quick: std::ptr::null(),
            words: std::ptr::null(),
            count: 0,
            receiver: std::ptr::null_mut(),
            receiver_type: std::ptr::null(),
            makes: makes.map_or(std::ptr::null(), std::ptr::from_ref),
            result: std::ptr::null_mut(),
            native: None,
            rest: std::ptr::slice_from_raw_parts(NonNull::dangling().as_ptr(), 0),
            input,
            sink,
            error: None,
            label,
        };
        if let Input::Attribute(object, _) = call.input {
            // SAFETY: the object lives during the call.
            call.note_receiver(unsafe { ErasedBorrow::from_header(object) });
        }
        call
    }

    /// A call with words that has not begun.
    ///
    /// # Safety
    /// The arguments live during the call.
    #[inline(always)]
    pub(crate) unsafe fn with_words(args: &WordArgs<'_>, label: &'static Label, has_result: bool) -> Self {
        let mut call = Call {
            quick: args.table,
            words: args.parameters,
            count: args.count,
            receiver: std::ptr::null_mut(),
            receiver_type: std::ptr::null(),
            makes: if has_result { args.table } else { std::ptr::null() },
            result: std::ptr::null_mut(),
            native: args.receiver.map(|object| object.as_ptr()),
            rest: args.rest,
            input: Input::Words,
            sink: None,
            error: None,
            label,
        };
        if let Some(object) = args.receiver {
            call.note_receiver(object);
        }
        call
    }

    /// A node may have been erased, which `call_receiver` looks at.
    #[inline(always)]
    fn note_receiver(&mut self, object: ErasedBorrow<'_>) {
        let info = object.header().info();
        if !info.is_node() {
            (self.receiver, self.receiver_type) = (object.as_ptr().as_ptr(), info);
        }
    }

    fn label(&self) -> Label {
        // SAFETY: labels live for the process.
        unsafe { *self.label }
    }

    /// Runs a C function for a call, and returns its outcome. A function that gives no result
    /// returns nothing.
    ///
    /// # Errors
    /// That which the function reported.
    #[inline(always)]
    pub(crate) fn run_function(mut self, function: impl FnOnce(*mut Call) -> bool) -> Result<(), Error> {
        let done = function(&raw mut self);
        if !done || self.error.is_some() {
            return Err(self.failure_error());
        }
        match self.sink {
            Some(sink) => sink.write_none(),
            None => Ok(()),
        }
    }

    /// As [`run_function`](Self::run_function), of a call whose result becomes a word.
    ///
    /// # Errors
    /// As there.
    #[inline(always)]
    pub(crate) fn run_for_word(mut self, function: impl FnOnce(*mut Call) -> bool) -> Result<Word, Error> {
        let done = function(&raw mut self);
        if !done || self.error.is_some() {
            return Err(self.failure_error());
        }
        match (Word::new(self.result), self.result_word_table()) {
            (Some(word), _) => Ok(word),
            (None, Some(table)) => (table.none)(),
            (None, None) => Err(self.failure_error()),
        }
    }

    #[cold]
    fn failure_error(self) -> Error {
        if let Some(word) = Word::new(self.result) {
            // SAFETY: the result was not returned, and the table made it.
            unsafe { ((*self.makes).drop)(word) };
        }
        let name = self.label().name;
        let without = || Error::runtime_error(format!("{name}() failed without an error"));
        self.error.unwrap_or_else(without)
    }

    /// An argument as a word.
    ///
    /// # Safety
    /// The call that the arguments live for.
    #[inline(always)]
    unsafe fn arg_word(&self, index: usize) -> Option<(&'static WordTable, Word)> {
        if index >= self.count {
            return None;
        }
        // SAFETY: there are so many, of the frontend whose table it is.
        unsafe { Word::new(*self.words.add(index)).map(|word| (&*self.quick, word)) }
    }

    fn arg_source(&self, index: usize) -> Option<ErasedSource<'static>> {
        match self.input {
            // A parameter that the function does not have was not given.
            Input::Arguments(_) if index >= self.label().parameters.len() => None,
            // SAFETY: the arguments live during the call.
            Input::Arguments(args) => unsafe { &*args }.get(index),
            // SAFETY: the arguments live during the call.
            Input::Words => unsafe { self.arg_word(index).map(|(table, word)| (table.source)(word)) },
            // SAFETY: the value lives during the call.
            Input::Attribute(_, value) => value.filter(|_| index == 0).map(|value| unsafe { *value }),
        }
    }

    fn describe_arg(&self, index: usize) -> String {
        let Label { name, parameters } = self.label();
        match self.input {
            Input::Arguments(_) | Input::Words => match parameters.get(index) {
                Some(parameter) => format!("{name}() argument '{}'", parameter.name),
                None => format!("{name}() argument {index}, which it does not describe,"),
            },
            Input::Attribute(..) => name.to_owned(),
        }
    }

    fn set_error(&mut self, error: Error) -> bool {
        self.error = Some(error);
        false
    }
}

/// Reads an argument into a place.
///
/// # Safety
/// A call on this thread, and a place for a `T`.
pub(super) unsafe fn read_arg<T>(
    call: *mut Call,
    index: usize,
    expected: &str,
    out: *mut T,
    read: impl FnOnce(ErasedSource<'static>) -> Result<T, Mismatch>,
) -> bool {
    // SAFETY: the caller's call.
    let call = unsafe { &mut *call };
    let Some(source) = call.arg_source(index) else {
        let place = call.describe_arg(index);
        return call.set_error(Error::type_error(format!("{place} is missing")));
    };
    match panics::catch_panic(|| {
        read(source)
            .map_err(|why| why.into_error(|| call.describe_arg(index), expected, || source.describe()))
    }) {
        Ok(value) => {
            // SAFETY: the caller's place.
            unsafe { out.write(value) };
            true
        }
        Err(error) => call.set_error(error),
    }
}

/// A value of any kind, unless it is a node that was erased.
///
/// # Errors
/// `InvalidatedError`, or what the source says.
pub(super) fn any_of<'a, S: Source<'a>>(source: S) -> Result<Any, Mismatch> {
    Any::from_value(source)
}

/// Reports why an argument is none that was expected.
///
/// # Safety
/// A call on this thread.
#[cold]
#[inline(never)]
unsafe fn refuse_arg(call: &mut Call, index: usize, why: Mismatch, expected: &str) -> bool {
    let came = || call.arg_source(index).map_or_else(String::new, Source::describe);
    let error =
        panics::catch_panic(|| Ok::<_, Error>(why.into_error(|| call.describe_arg(index), expected, came)));
    let error = error.unwrap_or_else(|error| error);
    call.set_error(error)
}

macro_rules! word_readers {
    ($($name:ident: $t:ty, $expected:literal, $read:ident, |$source:ident| $other:expr, |$value:ident| $out:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name(call: *mut Call, index: usize, out: *mut $t) -> bool {
            // SAFETY: the caller's call and place; a word of the table's frontend.
            unsafe {
                if let Some((table, word)) = (*call).arg_word(index) {
                    return match (table.$read)(word) {
                        Ok($value) => {
                            out.write($out);
                            true
                        }
                        Err(why) => refuse_arg(&mut *call, index, why, $expected),
                    };
                }
                read_arg(call, index, $expected, out, |$source: ErasedSource<'static>| $other)
            }
        }
    )*};
}

word_readers! {
    get_bool: bool, "bool", bool, |it| it.read_bool(), |value| value;
    get_i64: i64, "an int of 64 bits", i64, |it| it.read_i64(), |value| value;
    get_u64: u64, "an int from 0 to 2**64-1", u64, |it| it.read_u64(), |value| value;
    get_f64: f64, "float", f64, |it| it.read_f64(), |value| value;
    get_text: Text, "str", str, |it| it.read_str().map(Text::new), |value| Text::new(value);
}

macro_rules! readers {
    ($($name:ident: $t:ty, $expected:literal, |$source:ident| $read:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name(call: *mut Call, index: usize, out: *mut $t) -> bool {
            // SAFETY: the caller's call and place.
            unsafe { read_arg(call, index, $expected, out, |$source: ErasedSource<'static>| $read) }
        }
    )*};
}

readers! {
    get_bytes: Text, "bytes", |it| it.read_bytes().map(|bytes| Text { data: bytes.as_ptr(), size: bytes.len() });
    get_any: Any, "any value", |it| any_of(it);
    get_function: Any, "a callable", |it| it.read_function().map(Any::Function);
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
        if let Some((table, word)) = (*call).arg_word(index)
            && let Ok(object) = (table.object)(word)
            && info.is_none_or(|info| object.header().info().is_a(info))
            && !is_erased(object.header())
        {
            out.write(object.as_ptr().as_ptr());
            return true;
        }
        let expected = info.map_or("a native object", TypeInfo::key);
        read_arg(call, index, expected, out, |source| {
            let object = source.read_object()?;
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
    unsafe {
        match (*call).input {
            Input::Words => (*call).arg_word(index).is_some(),
            _ => catch_silently(|| (*call).arg_source(index).is_some()).unwrap_or(false),
        }
    }
}

/// Whether an argument was not given, or is `None`.
pub(super) unsafe extern "C" fn is_none(call: *const Call, index: usize) -> bool {
    // SAFETY: the caller's call.
    unsafe {
        match (*call).input {
            Input::Words => (*call)
                .arg_word(index)
                .is_none_or(|(table, word)| (table.is_none)(word)),
            _ => catch_silently(|| (*call).arg_source(index).is_none_or(Source::is_none)).unwrap_or(true),
        }
    }
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
            Input::Arguments(args) => (*args).rest_arg(index),
            Input::Words => {
                let word = (&*call.rest).get(index).copied().and_then(Word::new);
                word.map(|word| ((*call.quick).source)(word))
            }
            Input::Attribute(..) => None,
        };
        found.write(rest.is_some());
        let Some(source) = rest else { return true };
        match panics::catch_panic(|| {
            let why = |why: Mismatch| {
                why.into_error(|| call.describe_arg(index), "any value", || source.describe())
            };
            any_of(source).map_err(why)
        }) {
            Ok(value) => {
                out.write(value);
                true
            }
            Err(error) => call.set_error(error),
        }
    }
}

/// The object whose method or attribute this is, lent for the call.
pub(super) unsafe extern "C" fn call_receiver(call: *mut Call, info: *const TypeInfo) -> *mut Header {
    // SAFETY: the caller's call; a registered type or null.
    let (call, info) = unsafe { (&mut *call, info.as_ref()) };
    if let Some(object) = match call.input {
        // SAFETY: the object lives during the call.
        Input::Words => call
            .native
            .map(|object| unsafe { ErasedBorrow::from_header(object) }),
        // SAFETY: the object lives during the call.
        Input::Attribute(object, _) => Some(unsafe { ErasedBorrow::from_header(object) }),
        Input::Arguments(_) => None,
    } && info.is_none_or(|info| object.header().info().is_a(info))
        && !is_erased(object.header())
    {
        return object.as_ptr().as_ptr();
    }
    let found = match call.input {
        // SAFETY: the arguments live during the call.
        Input::Arguments(args) => panics::catch_panic(|| Ok(unsafe { &*args }.native_receiver())),
        // SAFETY: the object lives during the call.
        Input::Words => Ok(call
            .native
            .map(|object| unsafe { ErasedBorrow::from_header(object) })),
        // SAFETY: the object lives during the call.
        Input::Attribute(object, _) => Ok(Some(unsafe { ErasedBorrow::from_header(object) })),
    };
    match found {
        Ok(Some(object)) if info.is_none_or(|info| object.header().info().is_a(info)) => {
            match check_object(object.header()) {
                Ok(()) => object.as_ptr().as_ptr(),
                Err(error) => {
                    call.set_error(error);
                    std::ptr::null_mut()
                }
            }
        }
        Ok(_) => {
            let expected = info.map_or("native object", TypeInfo::key);
            call.set_error(Error::type_error(format!(
                "{}() needs a {expected} as its receiver",
                call.label().name
            )));
            std::ptr::null_mut()
        }
        Err(error) => {
            call.set_error(error);
            std::ptr::null_mut()
        }
    }
}

/// Gives the result.
///
/// # Safety
/// A call on this thread.
pub(super) unsafe fn write_result(
    call: *mut Call,
    put: impl FnOnce(ErasedSink<'static>) -> Result<(), Error>,
) -> bool {
    // SAFETY: the caller's call.
    let call = unsafe { &mut *call };
    if let Some(table) = call.result_word_table() {
        let mut put = Some(put);
        let made = (table.from)(&mut |sink| {
            let put = put.take().expect("a result is given once");
            // SAFETY: it is used during this call only, whatever it takes its lifetime for.
            put(unsafe { std::mem::transmute::<ErasedSink<'_>, ErasedSink<'static>>(sink) })
        });
        return call.give_word(made);
    }
    match call.sink.take() {
        Some(sink) => match panics::catch_panic(|| put(sink)) {
            Ok(()) => true,
            Err(error) => call.set_error(error),
        },
        None => {
            let name = call.label().name;
            call.set_error(Error::runtime_error(format!(
                "{name}() gave a result twice, or where none is taken"
            )))
        }
    }
}

impl Call {
    /// Keeps the word that a result became.
    #[inline(always)]
    fn give_word(&mut self, made: Result<Word, Error>) -> bool {
        match made {
            Ok(word) => {
                self.result = word.as_ptr();
                true
            }
            Err(error) => self.set_error(error),
        }
    }

    /// The table to make the result by, if it becomes a word and there is none yet.
    #[inline(always)]
    fn result_word_table(&self) -> Option<&'static WordTable> {
        if self.result.is_null() {
            // SAFETY: null, or a table that lives for the process.
            unsafe { self.makes.as_ref() }
        } else {
            None
        }
    }
}

macro_rules! word_writers {
    ($($name:ident($($value:ident: $t:ty)?) => $make:ident, |$sink:ident| $put:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name(call: *mut Call $(, $value: $t)?) -> bool {
            // SAFETY: the caller's call.
            unsafe {
                match (*call).result_word_table() {
                    Some(table) => (*call).give_word((table.$make)($($value)?)),
                    None => write_result(call, |$sink| $put),
                }
            }
        }
    )*};
}

word_writers! {
    give_none() => none, |sink| sink.write_none();
    give_bool(value: bool) => from_bool, |sink| sink.write_bool(value);
    give_i64(value: i64) => from_i64, |sink| sink.write_i64(value);
    give_u64(value: u64) => from_u64, |sink| sink.write_u64(value);
    give_f64(value: f64) => from_f64, |sink| sink.write_f64(value);
}

macro_rules! writers {
    ($($name:ident($($value:ident: $t:ty),*) => |$sink:ident| $put:expr;)*) => {$(
        pub(super) unsafe extern "C" fn $name(call: *mut Call, $($value: $t),*) -> bool {
            // SAFETY: the caller's call, and a value that is alive during it.
            unsafe { write_result(call, |$sink| $put) }
        }
    )*};
}

writers! {
    give_bytes(value: Text) => |sink| sink.write_bytes(value.as_bytes());
}

pub(super) unsafe extern "C" fn give_text(call: *mut Call, value: Text) -> bool {
    // SAFETY: the caller's call, and a text that is alive during it.
    unsafe {
        match (*call).result_word_table() {
            Some(table) => {
                let made = value.get().and_then(|text| (table.from_str)(text));
                (*call).give_word(made)
            }
            None => write_result(call, |sink| sink.write_str(value.get()?)),
        }
    }
}

/// A copy of a value.
pub(super) unsafe extern "C" fn give_any(call: *mut Call, value: *const Any) -> bool {
    // SAFETY: the caller's call, and a value that is alive during it.
    unsafe {
        match (*call).result_word_table() {
            Some(table) => (*call).give_word((table.from_any)(&*value)),
            None => write_result(call, |sink| sink.write_any(&*value)),
        }
    }
}

/// An object that the library keeps, or none.
pub(super) unsafe extern "C" fn give_object(call: *mut Call, value: *mut Header) -> bool {
    let Some(object) = NonNull::new(value) else {
        // SAFETY: the caller's call.
        return unsafe { give_none(call) };
    };
    // SAFETY: the caller's call, and an object that is alive during it.
    unsafe {
        let object = ErasedBorrow::from_header(object);
        match (*call).result_word_table() {
            Some(table) => (*call).give_word((table.from_object)(object)),
            None => write_result(call, |sink| sink.write_object(object)),
        }
    }
}

/// As `give_object`, of a counted reference that is given away.
pub(super) unsafe extern "C" fn give_owned(call: *mut Call, value: *mut Header) -> bool {
    // SAFETY: a counted reference that is given away, or null; the caller's call.
    unsafe {
        let Some(object) = NonNull::new(value) else {
            return give_none(call);
        };
        let object = ErasedRef::from_raw(object);
        match (*call).result_word_table() {
            Some(table) => (*call).give_word((table.from_owned)(object)),
            None => write_result(call, |sink| sink.write_owned(object)),
        }
    }
}

/// Reports an error, which is taken; returns `false`.
pub(super) unsafe extern "C" fn fail_call(call: *mut Call, error: *mut Error) -> bool {
    // SAFETY: the caller's call and error.
    unsafe { (*call).set_error(take_error(error)) }
}
