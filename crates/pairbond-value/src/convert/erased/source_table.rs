//! One value that came from a frontend, read by another binary: [`Source`] as a table of functions,
//! which are in `table`.

use std::borrow::Cow;
use std::ffi::{OsString, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::ptr::NonNull;

use self::table::Of;
use super::guard::{NOTHING, call_guarded_read, call_with_raw_problem, run_guarded_read};
use crate::convert::record::Fields;
use crate::convert::{Mismatch, Request, Source, Subscript};
use crate::object::{ErasedBorrow, ErasedRef, Header};
use crate::value::{Any, Array, BigInt, Bytes, Foreign, Function, ListBody, Str};

mod table;

/// A source of whatever frontend, by value: two words are enough for all.
type Words = [MaybeUninit<*const c_void>; 2];

type Read<T> = unsafe extern "C" fn(*const Words, *mut T, *mut Any) -> bool;
type Each = unsafe extern "C" fn(*mut c_void, *const ErasedSource<'static>, *mut Any) -> bool;
/// Shows the attribute with this index.
type EachAttribute = unsafe extern "C" fn(*mut c_void, usize, *const ErasedSource<'static>, *mut Any) -> bool;
type ReadAll = unsafe extern "C" fn(*const Words, *mut c_void, Each, *mut usize, *mut Any) -> bool;

/// The parts of a slice.
#[derive(Clone, Copy)]
#[repr(C)]
struct Slice(*const u8, usize);

impl Slice {
    /// # Safety
    /// Made from a slice that lives for `'a`.
    unsafe fn get<'a>(self) -> &'a [u8] {
        // SAFETY: made from a slice that lives for `'a`: the caller ensures it.
        unsafe { std::slice::from_raw_parts(self.0, self.1) }
    }
}

#[repr(C)]
struct SourceTable {
    is_none: unsafe extern "C" fn(*const Words) -> bool,
    bool: Read<bool>,
    i64: Read<i64>,
    u64: Read<u64>,
    i128: Read<[u64; 2]>,
    u128: Read<[u64; 2]>,
    big_int: Read<BigInt>,
    f64: Read<f64>,
    str: Read<Slice>,
    bytes: Read<Slice>,
    copied_bytes: Read<Bytes>,
    path: Read<Bytes>,
    object: Read<NonNull<Header>>,
    function: Read<Function>,
    foreign: Read<Foreign>,
    any: Read<Any>,
    sequence: ReadAll,
    mapping: ReadAll,
    array: Read<ErasedRef>,
    describe: Read<Str>,
    own: unsafe extern "C" fn(*const Words, NonNull<Header>, *mut ErasedRef, *mut Any) -> bool,
    subscript: Read<Subscript>,
    parts: unsafe extern "C" fn(*const Words, *const Request<'_>, *mut Any, *mut Any) -> bool,
    attributes: unsafe extern "C" fn(
        *const Words,
        *const &[&str],
        *mut c_void,
        EachAttribute,
        *mut usize,
        *mut Any,
    ) -> bool,
}

/// A value of whatever frontend, borrowed for `'a`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ErasedSource<'a> {
    words: Words,
    table: *const SourceTable,
    borrowed: PhantomData<&'a Header>,
}

impl<'a> ErasedSource<'a> {
    /// The same value for another binary.
    pub fn from_source<S: Source<'a>>(source: S) -> Self {
        const { assert!(size_of::<S>() <= size_of::<Words>() && align_of::<S>() <= align_of::<Words>()) };
        let mut words: Words = [MaybeUninit::uninit(); 2];
        // SAFETY: it fits, and is `Copy`.
        unsafe { words.as_mut_ptr().cast::<S>().write(source) };
        ErasedSource {
            words,
            table: &raw const *<Of<'a, S>>::TABLE,
            borrowed: PhantomData,
        }
    }

    fn table(&self) -> &SourceTable {
        // SAFETY: a constant of the binary that made this, which stays.
        unsafe { &*self.table }
    }

    fn read<T>(&self, function: impl Fn(&SourceTable) -> Read<T>) -> Result<T, Mismatch> {
        // SAFETY: the table's function, with the words that belong to it.
        unsafe {
            call_guarded_read(|out, problem| function(self.table())(&raw const self.words, out, problem))
        }
    }

    /// Shows each item to `each`, in order.
    fn for_each_item<F>(&self, function: ReadAll, mut each: F) -> Result<usize, Mismatch>
    where
        F: FnMut(ErasedSource<'_>) -> Result<(), Mismatch>,
    {
        unsafe extern "C" fn visit_item<F>(
            each: *mut c_void,
            item: *const ErasedSource<'static>,
            problem: *mut Any,
        ) -> bool
        where
            F: FnMut(ErasedSource<'_>) -> Result<(), Mismatch>,
        {
            // SAFETY: the closure below, which no other code uses meanwhile; an item that is alive
            // during the call.
            unsafe { run_guarded_read(NOTHING, problem, || (*each.cast::<F>())(*item)) }
        }
        let each = (&raw mut each).cast();
        // SAFETY: the table's function, with the words that belong to it; the closure outlives the
        // call.
        unsafe {
            call_guarded_read(|out, problem| {
                function(&raw const self.words, each, visit_item::<F>, out, problem)
            })
        }
    }
}

impl<'a> Source<'a> for ErasedSource<'a> {
    type Item<'b> = ErasedSource<'b>;

    fn is_none(self) -> bool {
        // SAFETY: as in `read`.
        unsafe { (self.table().is_none)(&raw const self.words) }
    }
    fn read_bool(self) -> Result<bool, Mismatch> {
        self.read(|table| table.bool)
    }
    fn read_i64(self) -> Result<i64, Mismatch> {
        self.read(|table| table.i64)
    }
    fn read_u64(self) -> Result<u64, Mismatch> {
        self.read(|table| table.u64)
    }
    fn read_i128(self) -> Result<i128, Mismatch> {
        self.read(|table| table.i128)
            .map(|halves| join_halves(halves) as i128)
    }
    fn read_u128(self) -> Result<u128, Mismatch> {
        self.read(|table| table.u128).map(join_halves)
    }
    fn big_int(self) -> Result<BigInt, Mismatch> {
        self.read(|table| table.big_int)
    }
    fn read_f64(self) -> Result<f64, Mismatch> {
        self.read(|table| table.f64)
    }
    fn read_str(self) -> Result<&'a str, Mismatch> {
        // SAFETY: from a `&'a str`.
        self.read(|table| table.str)
            .map(|text| unsafe { std::str::from_utf8_unchecked(text.get()) })
    }
    fn read_bytes(self) -> Result<&'a [u8], Mismatch> {
        // SAFETY: from a `&'a [u8]`.
        self.read(|table| table.bytes).map(|bytes| unsafe { bytes.get() })
    }
    fn copied_bytes(self) -> Result<Cow<'a, [u8]>, Mismatch> {
        match self.read_bytes() {
            Ok(bytes) => Ok(Cow::Borrowed(bytes)),
            Err(_) => {
                let copy = self.read(|table| table.copied_bytes)?;
                Ok(Cow::Owned(copy.to_vec()))
            }
        }
    }
    fn read_path(self) -> Result<PathBuf, Mismatch> {
        let path = self.read(|table| table.path)?;
        // SAFETY: the encoded bytes of a path.
        Ok(unsafe { OsString::from_encoded_bytes_unchecked(path.to_vec()) }.into())
    }
    fn read_object(self) -> Result<ErasedBorrow<'a>, Mismatch> {
        // SAFETY: borrowed for `'a`.
        self.read(|table| table.object)
            .map(|object| unsafe { ErasedBorrow::from_header(object) })
    }
    fn read_function(self) -> Result<Function, Mismatch> {
        self.read(|table| table.function)
    }
    fn read_foreign(self) -> Result<Foreign, Mismatch> {
        self.read(|table| table.foreign)
    }
    fn read_any(self) -> Result<Any, Mismatch> {
        self.read(|table| table.any)
    }
    fn read_sequence<F>(self, mut each: F) -> Result<usize, Mismatch>
    where
        F: for<'b> FnMut(usize, ErasedSource<'b>) -> Result<(), Mismatch>,
    {
        let mut index = 0;
        self.for_each_item(self.table().sequence, |item| {
            index += 1;
            each(index - 1, item)
        })
    }
    fn read_mapping<F>(self, mut each: F) -> Result<(), Mismatch>
    where
        F: for<'b> FnMut(ErasedSource<'b>, ErasedSource<'b>) -> Result<(), Mismatch>,
    {
        // Keys and values come in turn; a key stays alive until its value was shown.
        let mut key: Option<ErasedSource<'static>> = None;
        self.for_each_item(self.table().mapping, |item| match key.take() {
            None => {
                // SAFETY: the same value; it is used before the call that shows both returns.
                key = Some(unsafe { std::mem::transmute::<ErasedSource<'_>, ErasedSource<'static>>(item) });
                Ok(())
            }
            Some(key) => each(key, item),
        })
        .map(drop)
    }
    fn read_array(self) -> Result<Array, Mismatch> {
        let array = self.read(|table| table.array)?;
        array.downcast().map(Array::from_ref).map_err(|_| Mismatch::Type)
    }
    fn read_subscript(self) -> Result<Subscript, Mismatch> {
        self.read(|table| table.subscript)
    }
    fn read_parts(self, class: &str, names: &[&str]) -> Result<Vec<Any>, Mismatch> {
        let request = Request { class, names };
        let parts = self.table().parts;
        // SAFETY: the table's function, with the words that belong to it.
        let list = unsafe {
            call_guarded_read(|out, problem| parts(&raw const self.words, &raw const request, out, problem))
        }?;
        let list = list.downcast::<ListBody>().ok_or(Mismatch::Type)?;
        Ok(list.change_items(std::mem::take))
    }
    fn read_attributes<F: Fields>(self, names: &[&str], fields: &mut F) -> Result<usize, Mismatch> {
        unsafe extern "C" fn one<F: Fields>(
            fields: *mut c_void,
            index: usize,
            item: *const ErasedSource<'static>,
            problem: *mut Any,
        ) -> bool {
            // SAFETY: the fields below, which only this call uses; an item that is alive during it.
            unsafe { run_guarded_read(NOTHING, problem, || (*fields.cast::<F>()).set_field(index, *item)) }
        }
        let attributes = self.table().attributes;
        let (words, names) = (&raw const self.words, &raw const names);
        let fields = std::ptr::from_mut(fields).cast();
        // SAFETY: the table's function, with the words that belong to it; names and fields outlive
        // the call.
        unsafe { call_guarded_read(|out, problem| attributes(words, names, fields, one::<F>, out, problem)) }
    }
    fn describe(self) -> String {
        self.read(|table| table.describe)
            .map_or_else(|_| "a value".to_owned(), |text| text.to_string())
    }
    fn to_owned_ref(self, object: ErasedBorrow<'a>) -> ErasedRef {
        let object = NonNull::from(object.header());
        let own = self.table().own;
        // SAFETY: as in `read`; the object came from this source.
        let owned =
            unsafe { call_with_raw_problem(|out, problem| own(&raw const self.words, object, out, problem)) };
        // SAFETY: it is alive.
        owned.unwrap_or_else(|_: Any| unsafe { ErasedBorrow::from_header(object) }.to_ref())
    }
}

fn join_halves([low, high]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}
