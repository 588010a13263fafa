//! Calls of C functions by a frontend of the same binary, whose values are words: pointers of its
//! language.
//!
//! Between binaries values cross through tables of whatever a source or sink can do (`source`,
//! `sink`), and errors as values (`wire`). A call that stays in one binary needs neither: the
//! frontend's words lie in an array, as its language passed them, and each is read, and a result
//! made, by one function of a [`WordTable`], by the frontend's own conversions.
//!
//! Whether a frontend is of the binary that an entry comes from is decided by the address of a
//! static (`Home`); any other takes the way between binaries.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::place::with_place;
use super::sink_table::ErasedSink;
use super::source_table::ErasedSource;
use crate::convert::{Mismatch, Sink, Source};
use crate::error::{Error, panics};
use crate::object::{ErasedBorrow, ErasedRef, Header, is_erased};
use crate::types::TypeInfo;
use crate::value::Any;

/// A value of the frontend's language: lent, as an argument; owned, as a result.
pub type Word = NonNull<c_void>;

/// A frontend whose values are words.
pub trait Words: 'static {
    /// Reads a word.
    type Source: Source<'static>;
    /// Makes one.
    type Sink: Sink;

    /// A lent word as a source.
    ///
    /// # Safety
    /// A word of this frontend, which is alive for the call; the source is used during it only.
    unsafe fn word_source(word: Word) -> Self::Source;
    /// A place for one result.
    fn new_sink() -> Self::Sink;
    /// Where numbers lie in words.
    const LAYOUT: Layout;
    /// Returns the value of a bool; `None` where [`Source::read_bool`] has to decide. It runs no
    /// code of the language.
    ///
    /// # Safety
    /// As for [`word_source`](Self::word_source).
    unsafe fn quick_bool(word: Word) -> Option<bool>;
    /// Whether a word can be called.
    ///
    /// # Safety
    /// As for [`word_source`](Self::word_source).
    unsafe fn is_callable(word: Word) -> bool;
    /// Calls a word with others.
    ///
    /// # Errors
    /// That of the callee.
    ///
    /// # Safety
    /// As for [`word_source`](Self::word_source); `count` words.
    unsafe fn call(word: Word, arguments: *const *mut c_void, count: usize) -> Result<Word, Error>;
    /// Converts the output of a sink to an owned word.
    fn into_word(out: <Self::Sink as Sink>::Out) -> Word;
    /// The other way round.
    ///
    /// # Safety
    /// What [`into_word`](Self::into_word) returned, once.
    unsafe fn from_word(word: Word) -> <Self::Sink as Sink>::Out;
}

type Read<T> = unsafe fn(Word) -> Result<T, Mismatch>;
type Made = Result<Word, Error>;
/// Where an error is written, in a box.
type Problem = *mut *mut Error;
/// Gives one value to a sink.
type Give<'a> = dyn FnMut(ErasedSink<'_>) -> Result<(), Error> + 'a;

/// How words of a frontend are read and made. None of the functions unwinds.
#[allow(missing_debug_implementations)]
#[repr(C)]
pub struct WordTable {
    /// First, so that a pointer to it is one to the table.
    pub quick: Quick,
    pub source: unsafe fn(Word) -> ErasedSource<'static>,
    pub is_none: unsafe fn(Word) -> bool,
    pub bool: Read<bool>,
    pub i64: Read<i64>,
    pub u64: Read<u64>,
    pub f64: Read<f64>,
    pub str: Read<&'static str>,
    pub object: Read<ErasedBorrow<'static>>,
    pub none: fn() -> Made,
    pub from_bool: fn(bool) -> Made,
    pub from_i64: fn(i64) -> Made,
    pub from_u64: fn(u64) -> Made,
    pub from_f64: fn(f64) -> Made,
    pub from_str: fn(&str) -> Made,
    /// The word of an object that has one already, at little cost.
    pub at_hand: fn(ErasedBorrow<'_>) -> Option<Word>,
    pub from_object: fn(ErasedBorrow<'_>) -> Made,
    pub from_owned: fn(ErasedRef) -> Made,
    pub from_any: fn(&Any) -> Made,
    /// Of anything else.
    pub from: fn(&mut Give<'_>) -> Made,
    pub drop: unsafe fn(Word),
}

/// `pb_layout` of `pairbond.h`: where numbers lie in words, so that C reads them without a call. An
/// int of one digit has a tag, from which the least one is taken; if that is within the span, the
/// value is the digit times the tag's sign.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Layout {
    /// Where a word's type is; a word is looked into if that is one of the two below.
    pub type_at: usize,
    /// The type of ints.
    pub int_type: *const c_void,
    /// The type of floats.
    pub float_type: *const c_void,
    /// Where an int's tag is: a word of 64 bits.
    pub tag_at: usize,
    /// Where an int's digit is: 32 bits.
    pub digit_at: usize,
    /// Where a float's number is.
    pub float_at: usize,
    /// The least tag of an int of one digit.
    pub tag_least: i64,
    /// How many more there are.
    pub tag_span: u64,
    /// 1, 0 or -1 for each of them.
    pub signs: [i8; 16],
}

/// `pb_quick` of `pairbond.h`: conversions that C calls itself. Where there is no place for an
/// error they refuse by `false` or null, and C calls the function of the interface then, which
/// converts or reports.
#[repr(C)]
pub struct Quick {
    get_bool: unsafe extern "C" fn(Word, *mut bool) -> bool,
    get_object: unsafe extern "C" fn(Word, *const TypeInfo) -> *mut Header,
    get_function: unsafe extern "C" fn(Word, *mut Any) -> bool,
    is_none: unsafe extern "C" fn(Word) -> bool,
    is_callable: unsafe extern "C" fn(Word) -> bool,
    new_none: extern "C" fn() -> *mut c_void,
    new_bool: extern "C" fn(bool) -> *mut c_void,
    new_i64: extern "C" fn(i64) -> *mut c_void,
    new_f64: extern "C" fn(f64) -> *mut c_void,
    new_object: unsafe extern "C" fn(NonNull<Header>, Problem) -> *mut c_void,
    new_owned: unsafe extern "C" fn(NonNull<Header>, Problem) -> *mut c_void,
    new_any: unsafe extern "C" fn(*const Any, Problem) -> *mut c_void,
    call: unsafe extern "C" fn(Word, *const *mut c_void, usize, Problem) -> *mut c_void,
    to_any: unsafe extern "C" fn(Word, *mut Any, Problem) -> bool,
    drop: unsafe extern "C" fn(Word),
    layout: Layout,
}

/// A function of C that is called with words and nothing else: where it returns null without an
/// error it has done nothing, and the other function is called.
pub type QuickCallback = unsafe extern "C" fn(
    *const Quick,
    *mut Header,
    *const *mut c_void,
    usize,
    *mut c_void,
    Problem,
) -> *mut c_void;
/// The same of a constructor, which says whether it has written the value at the place.
pub type QuickConstruct =
    unsafe extern "C" fn(*const Quick, *const *mut c_void, usize, *mut c_void, *mut c_void, Problem) -> bool;

fn or_null(made: Made) -> *mut c_void {
    made.map_or(std::ptr::null_mut(), Word::as_ptr)
}

/// The word, or null after its error was written.
///
/// # Safety
/// A place for an error.
unsafe fn or_problem(made: Made, problem: Problem) -> *mut c_void {
    match made {
        Ok(word) => word.as_ptr(),
        Err(error) => {
            // SAFETY: the caller's place.
            unsafe { write_problem(error, problem) };
            std::ptr::null_mut()
        }
    }
}

/// # Safety
/// A place for an error.
#[cold]
unsafe fn write_problem(error: Error, problem: Problem) {
    // SAFETY: the caller's place.
    unsafe { problem.write(Box::into_raw(Box::new(error))) }
}

impl<W: Words> Of<W> {
    const QUICK: Quick = Quick {
        get_bool: Self::get_bool,
        get_object: Self::get_object,
        get_function: Self::get_function,
        is_none: Self::tells_none,
        is_callable: Self::tells_callable,
        new_none: Self::new_none,
        new_bool: Self::new_bool,
        new_i64: Self::new_i64,
        new_f64: Self::new_f64,
        new_object: Self::new_object,
        new_owned: Self::new_owned,
        new_any: Self::new_any,
        call: Self::call_words,
        to_any: Self::to_any,
        drop: Self::drop_word,
        layout: W::LAYOUT,
    };

    unsafe extern "C" fn get_bool(word: Word, out: *mut bool) -> bool {
        // SAFETY: the caller's word and place.
        unsafe {
            match W::quick_bool(word) {
                Some(value) => {
                    out.write(value);
                    true
                }
                None => false,
            }
        }
    }

    unsafe extern "C" fn get_function(word: Word, out: *mut Any) -> bool {
        // SAFETY: the caller's word and place.
        unsafe {
            match panics::catch_panic(|| W::word_source(word).read_function()) {
                Ok(function) => {
                    out.write(Any::Function(function));
                    true
                }
                Err(_) => false,
            }
        }
    }

    unsafe extern "C" fn tells_callable(word: Word) -> bool {
        // SAFETY: the caller's word.
        unsafe { W::is_callable(word) }
    }

    unsafe extern "C" fn new_object(object: NonNull<Header>, problem: Problem) -> *mut c_void {
        // SAFETY: an object that lives during the call; the caller's place.
        unsafe {
            let object = ErasedBorrow::from_header(object);
            or_problem(make_word::<W>(|sink| sink.write_object(object)), problem)
        }
    }

    unsafe extern "C" fn new_owned(object: NonNull<Header>, problem: Problem) -> *mut c_void {
        // SAFETY: a counted reference that is given away; the caller's place.
        unsafe {
            let object = ErasedRef::from_raw(object);
            or_problem(make_word::<W>(|sink| sink.write_owned(object)), problem)
        }
    }

    unsafe extern "C" fn new_any(value: *const Any, problem: Problem) -> *mut c_void {
        // SAFETY: a value that lives during the call; the caller's place.
        unsafe { or_problem(make_word::<W>(|sink| sink.write_any(&*value)), problem) }
    }

    unsafe extern "C" fn call_words(
        word: Word,
        arguments: *const *mut c_void,
        count: usize,
        problem: Problem,
    ) -> *mut c_void {
        // SAFETY: the caller's words and place.
        unsafe { or_problem(panics::catch_panic(|| W::call(word, arguments, count)), problem) }
    }

    /// The word is taken.
    unsafe extern "C" fn to_any(word: Word, out: *mut Any, problem: Problem) -> bool {
        // SAFETY: an owned word that is given away; the caller's places.
        unsafe {
            let result = panics::catch_panic(|| {
                let value = W::word_source(word).read_any().map_err(|why| {
                    let came = || W::word_source(word).describe();
                    why.into_error(|| "a result".into(), "any object", came)
                });
                Self::drop_owned_word(word);
                value
            });
            match result {
                Ok(value) => {
                    out.write(value);
                    true
                }
                Err(error) => {
                    write_problem(error, problem);
                    false
                }
            }
        }
    }

    unsafe extern "C" fn drop_word(word: Word) {
        // SAFETY: an owned word, given away.
        unsafe { Self::drop_owned_word(word) }
    }

    unsafe extern "C" fn get_object(word: Word, info: *const TypeInfo) -> *mut Header {
        // SAFETY: the caller's word; a registered type or null.
        unsafe {
            match Self::read_object(word) {
                Ok(object)
                    if info.as_ref().is_none_or(|info| object.header().info().is_a(info))
                        && !is_erased(object.header()) =>
                {
                    object.as_ptr().as_ptr()
                }
                _ => std::ptr::null_mut(),
            }
        }
    }

    unsafe extern "C" fn tells_none(word: Word) -> bool {
        // SAFETY: the caller's word.
        unsafe { Self::is_none(word) }
    }

    extern "C" fn new_none() -> *mut c_void {
        or_null(make_word::<W>(Sink::write_none))
    }

    extern "C" fn new_bool(value: bool) -> *mut c_void {
        or_null(make_word::<W>(|sink| sink.write_bool(value)))
    }

    extern "C" fn new_i64(value: i64) -> *mut c_void {
        or_null(make_word::<W>(|sink| sink.write_i64(value)))
    }

    extern "C" fn new_f64(value: f64) -> *mut c_void {
        or_null(make_word::<W>(|sink| sink.write_f64(value)))
    }
}

impl WordTable {
    /// The table of a frontend.
    #[must_use]
    pub const fn of<W: Words>() -> &'static WordTable {
        Of::<W>::TABLE
    }

    /// Returns the part of it that is declared for C.
    #[inline(always)]
    pub fn quick_table(&'static self) -> *const Quick {
        &raw const self.quick
    }
}

struct Of<W>(PhantomData<W>);

fn make_word<W: Words>(put: impl FnOnce(W::Sink) -> Result<<W::Sink as Sink>::Out, Error>) -> Made {
    panics::catch_panic(|| put(W::new_sink()).map(W::into_word))
}

macro_rules! readers {
    ($($name:ident: $t:ty;)*) => {$(
        unsafe fn $name(word: Word) -> Result<$t, Mismatch> {
            // SAFETY: the caller's word, which is alive for the call.
            panics::catch_panic(|| unsafe { W::word_source(word) }.$name())
        }
    )*};
}

impl<W: Words> Of<W> {
    const TABLE: &'static WordTable = &WordTable {
        quick: Self::QUICK,
        source: Self::source,
        is_none: Self::is_none,
        bool: Self::read_bool,
        i64: Self::read_i64,
        u64: Self::read_u64,
        f64: Self::read_f64,
        str: Self::read_str,
        object: Self::read_object,
        none: || make_word::<W>(Sink::write_none),
        from_bool: |value| make_word::<W>(|sink| sink.write_bool(value)),
        from_i64: |value| make_word::<W>(|sink| sink.write_i64(value)),
        from_u64: |value| make_word::<W>(|sink| sink.write_u64(value)),
        from_f64: |value| make_word::<W>(|sink| sink.write_f64(value)),
        from_str: |value| make_word::<W>(|sink| sink.write_str(value)),
        at_hand: |value| W::new_sink().at_hand(value).map(W::into_word),
        from_object: |value| make_word::<W>(|sink| sink.write_object(value)),
        from_owned: |value| make_word::<W>(|sink| sink.write_owned(value)),
        from_any: |value| make_word::<W>(|sink| sink.write_any(value)),
        from: |give| panics::catch_panic(|| with_place(W::new_sink(), give).map(W::into_word)),
        drop: Self::drop_owned_word,
    };

    readers! {
        read_bool: bool;
        read_i64: i64;
        read_u64: u64;
        read_f64: f64;
        read_str: &'static str;
        read_object: ErasedBorrow<'static>;
    }

    /// # Safety
    /// A word of this frontend, alive for the call.
    unsafe fn source(word: Word) -> ErasedSource<'static> {
        // SAFETY: the caller's word. (The same below.)
        ErasedSource::from_source(unsafe { W::word_source(word) })
    }

    /// # Safety
    /// A word of this frontend, alive for the call.
    unsafe fn is_none(word: Word) -> bool {
        // SAFETY: the caller's word.
        unsafe { W::word_source(word) }.is_none()
    }

    /// # Safety
    /// A word of this frontend, alive for the call.
    unsafe fn drop_owned_word(word: Word) {
        // SAFETY: an owned word, given away.
        drop(unsafe { W::from_word(word) });
    }
}

/// The arguments of one call: words in the order of the parameters, null where none was given.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations)]
pub struct WordArgs<'a> {
    pub table: &'static WordTable,
    pub receiver: Option<ErasedBorrow<'a>>,
    pub parameters: *const *mut c_void,
    /// Parameters beyond it were not given.
    pub count: usize,
    pub rest: &'a [*mut c_void],
}

impl<'a> WordArgs<'a> {
    /// # Safety
    /// `count` words or nulls of the frontend whose table it is, which are alive for `'a` like
    /// those of the rest.
    #[inline(always)]
    pub unsafe fn new(
        table: &'static WordTable,
        receiver: Option<ErasedBorrow<'a>>,
        parameters: *const *mut c_void,
        count: usize,
        rest: &'a [*mut c_void],
    ) -> Self {
        WordArgs {
            table,
            receiver,
            parameters,
            count,
            rest,
        }
    }
}

static HERE: u8 = 0;

/// The binary that something was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home(*const u8);

impl Home {
    pub fn here() -> Self {
        Home(&raw const HERE)
    }

    #[inline(always)]
    pub fn is_here(self) -> bool {
        std::ptr::eq(self.0, &raw const HERE)
    }
}

// SAFETY: an address that is compared only.
unsafe impl Send for Home {}
// SAFETY: an address that is compared only.
unsafe impl Sync for Home {}
