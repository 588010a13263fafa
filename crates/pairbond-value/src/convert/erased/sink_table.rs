//! A place for one result in another binary: [`Sink`] as a table of functions.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::NonNull;

use super::guard::{NOTHING, run_guarded};
use super::wire;
use crate::convert::{IntoValue, Part, Sink};
use crate::error::Error;
use crate::object::{ErasedBorrow, ErasedRef, Header};
use crate::value::{Any, BigInt, Foreign, Function};

pub type Put<T> = unsafe extern "C" fn(*mut c_void, T, *mut Any) -> bool;
pub type PutSlice = unsafe extern "C" fn(*mut c_void, *const u8, usize, *mut Any) -> bool;
/// Puts the next element into a sink.
pub type Next = unsafe extern "C" fn(*mut c_void, *const ErasedSink<'static>, *mut Any) -> bool;

#[repr(C)]
pub struct SinkTable {
    pub none: unsafe extern "C" fn(*mut c_void, *mut Any) -> bool,
    pub bool: Put<bool>,
    pub i64: Put<i64>,
    pub u64: Put<u64>,
    pub i128: Put<*const i128>,
    pub u128: Put<*const u128>,
    pub big_int: Put<*const BigInt>,
    pub f64: Put<f64>,
    pub str: PutSlice,
    pub bytes: PutSlice,
    pub path: PutSlice,
    pub at_hand: unsafe extern "C" fn(*mut c_void, NonNull<Header>) -> bool,
    pub object: Put<NonNull<Header>>,
    pub owned: Put<ErasedRef>,
    pub function: Put<*const Function>,
    pub foreign: Put<*const Foreign>,
    pub any: Put<*const Any>,
    pub list: PutElements,
    pub tuple: unsafe extern "C" fn(*mut c_void, usize, *mut c_void, Next, *mut Any) -> bool,
    /// Keys and values in turn; the last function says whether there is another pair.
    pub mapping: unsafe extern "C" fn(
        *mut c_void,
        *mut c_void,
        unsafe extern "C" fn(*mut c_void) -> bool,
        Next,
        *mut Any,
    ) -> bool,
    /// The value is a [`Part::Made`].
    pub construct: unsafe extern "C" fn(*mut c_void, *const Part<'_>, *mut Any) -> bool,
    pub set: PutElements,
    /// The name of the class, and its arguments: the first function writes the name of the next, if
    /// there is one.
    pub instance: unsafe extern "C" fn(
        *mut c_void,
        *const &str,
        *mut c_void,
        unsafe extern "C" fn(*mut c_void, *mut &'static str) -> bool,
        Next,
        *mut Any,
    ) -> bool,
}

/// Makes a list, or a set, of so many elements.
type PutElements = unsafe extern "C" fn(*mut c_void, usize, *mut c_void, Next, *mut Any) -> bool;

/// A place of whatever frontend, for the time of a call.
#[derive(Clone, Copy)]
#[repr(C)]
#[allow(missing_debug_implementations)]
pub struct ErasedSink<'s> {
    pub place: *mut c_void,
    pub table: *const SinkTable,
    pub borrowed: PhantomData<&'s mut ()>,
}

impl ErasedSink<'_> {
    fn table(&self) -> &SinkTable {
        // SAFETY: a constant of the binary that made this, which stays.
        unsafe { &*self.table }
    }

    fn elements_of<I>(self, mut items: I, put: PutElements) -> Result<(), Error>
    where
        I: ExactSizeIterator,
        I::Item: IntoValue,
    {
        let (len, mut given) = (items.len(), 0);
        let mut give = |sink: ErasedSink<'_>| match items.next() {
            Some(item) => {
                given += 1;
                item.into_value(sink)
            }
            None => Err(Error::runtime_error(format!(
                "an iterator that promised {len} elements gave {given}"
            ))),
        };
        with_elements(&mut give, |context, next| {
            // SAFETY: a function of the table, with the place that belongs to it; what gives
            // elements outlives the call.
            check_problem(|problem| unsafe { put(self.place, len, context, next, problem) })
        })
    }

    fn write_value<T>(self, function: impl FnOnce(&SinkTable) -> Put<T>, value: T) -> Result<(), Error> {
        // SAFETY: the table's function, with the place that belongs to it.
        check_problem(|problem| unsafe { function(self.table())(self.place, value, problem) })
    }

    fn put_slice(self, function: PutSlice, value: &[u8]) -> Result<(), Error> {
        // SAFETY: the table's function, with the place that belongs to it.
        check_problem(|problem| unsafe { function(self.place, value.as_ptr(), value.len(), problem) })
    }
}

/// Calls what succeeds or writes a problem.
pub fn check_problem(call: impl FnOnce(*mut Any) -> bool) -> Result<(), Error> {
    let mut problem = Any::None;
    if call(&raw mut problem) {
        Ok(())
    } else {
        Err(wire::unpack_error(&problem))
    }
}

/// Gives elements to the other binary, which asks for one after the other.
unsafe extern "C" fn next_element<F>(
    context: *mut c_void,
    sink: *const ErasedSink<'static>,
    problem: *mut Any,
) -> bool
where
    F: FnMut(ErasedSink<'_>) -> Result<(), Error>,
{
    // SAFETY: the closure that was handed over with this function, which no other code uses
    // meanwhile; a sink for this call.
    unsafe { run_guarded(NOTHING, problem, || (*context.cast::<F>())(*sink)) }
}

/// With the function that gives elements, and its argument.
fn with_elements<F, R>(give: &mut F, run: impl FnOnce(*mut c_void, Next) -> R) -> R
where
    F: FnMut(ErasedSink<'_>) -> Result<(), Error>,
{
    run(std::ptr::from_mut(give).cast(), next_element::<F>)
}

impl Sink for ErasedSink<'_> {
    type Out = ();
    type Inner = ErasedSink<'static>;

    fn write_none(self) -> Result<(), Error> {
        // SAFETY: the table's function, with the place that belongs to it.
        check_problem(|problem| unsafe { (self.table().none)(self.place, problem) })
    }
    fn write_bool(self, value: bool) -> Result<(), Error> {
        self.write_value(|table| table.bool, value)
    }
    fn write_i64(self, value: i64) -> Result<(), Error> {
        self.write_value(|table| table.i64, value)
    }
    fn write_u64(self, value: u64) -> Result<(), Error> {
        self.write_value(|table| table.u64, value)
    }
    fn write_i128(self, value: i128) -> Result<(), Error> {
        self.write_value(|table| table.i128, &raw const value)
    }
    fn write_u128(self, value: u128) -> Result<(), Error> {
        self.write_value(|table| table.u128, &raw const value)
    }
    fn big_int(self, value: &BigInt) -> Result<(), Error> {
        self.write_value(|table| table.big_int, std::ptr::from_ref(value))
    }
    fn write_f64(self, value: f64) -> Result<(), Error> {
        self.write_value(|table| table.f64, value)
    }
    fn write_str(self, value: &str) -> Result<(), Error> {
        self.put_slice(self.table().str, value.as_bytes())
    }
    fn write_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.put_slice(self.table().bytes, value)
    }
    fn write_path(self, value: &Path) -> Result<(), Error> {
        self.put_slice(self.table().path, value.as_os_str().as_encoded_bytes())
    }
    fn at_hand(&self, value: ErasedBorrow<'_>) -> Option<()> {
        // SAFETY: the table's function, with the place that belongs to it.
        unsafe { (self.table().at_hand)(self.place, NonNull::from(value.header())) }.then_some(())
    }
    fn write_object(self, value: ErasedBorrow<'_>) -> Result<(), Error> {
        self.write_value(|table| table.object, NonNull::from(value.header()))
    }
    fn write_owned(self, value: ErasedRef) -> Result<(), Error> {
        self.write_value(|table| table.owned, value)
    }
    fn write_function(self, value: &Function) -> Result<(), Error> {
        self.write_value(|table| table.function, std::ptr::from_ref(value))
    }
    fn write_foreign(self, value: &Foreign) -> Result<(), Error> {
        self.write_value(|table| table.foreign, std::ptr::from_ref(value))
    }
    fn write_any(self, value: &Any) -> Result<(), Error> {
        self.write_value(|table| table.any, std::ptr::from_ref(value))
    }
    fn write_constructed(self, class: &str, arguments: &[Part<'_>]) -> Result<(), Error> {
        let value = Part::Made(class, arguments);
        // SAFETY: the table's function, with the place that belongs to it; the value lives during
        // the call.
        check_problem(|problem| unsafe { (self.table().construct)(self.place, &raw const value, problem) })
    }
    fn write_instance<I, V>(self, class: &str, items: I) -> Result<(), Error>
    where
        I: Iterator<Item = (&'static str, V)>,
        V: IntoValue,
    {
        let mut arguments: Arguments<I, V> = Arguments { items, value: None };
        let context = (&raw mut arguments).cast();
        // SAFETY: the table's function, with the place that belongs to it; both functions are for
        // these arguments, which outlive the call.
        check_problem(|problem| unsafe {
            (self.table().instance)(
                self.place,
                &raw const class,
                context,
                Arguments::<I, V>::next_name,
                Arguments::<I, V>::write_next,
                problem,
            )
        })
    }
    fn write_list<I>(self, items: I) -> Result<(), Error>
    where
        I: ExactSizeIterator,
        I::Item: IntoValue,
    {
        self.elements_of(items, self.table().list)
    }
    fn write_set<I>(self, items: I) -> Result<(), Error>
    where
        I: ExactSizeIterator,
        I::Item: IntoValue,
    {
        self.elements_of(items, self.table().set)
    }
    fn write_tuple(
        self,
        len: usize,
        fill: &mut dyn FnMut(usize, ErasedSink<'static>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut index = 0;
        let mut give = |sink: ErasedSink<'_>| {
            index += 1;
            // SAFETY: it is used before `fill` returns: a sink of any lifetime cannot be kept
            // without knowing it.
            fill(index - 1, unsafe {
                std::mem::transmute::<ErasedSink<'_>, ErasedSink<'static>>(sink)
            })
        };
        with_elements(&mut give, |context, next| {
            // SAFETY: as in `list`.
            check_problem(|problem| unsafe { (self.table().tuple)(self.place, len, context, next, problem) })
        })
    }
    fn write_mapping<I, K, V>(self, items: I) -> Result<(), Error>
    where
        I: Iterator<Item = (K, V)>,
        K: IntoValue,
        V: IntoValue,
    {
        let mut pairs: Pairs<I, K, V> = Pairs {
            items,
            key: None,
            value: None,
        };
        let context = (&raw mut pairs).cast();
        // SAFETY: as in `list`; both functions are for these pairs.
        check_problem(|problem| unsafe {
            (self.table().mapping)(
                self.place,
                context,
                Pairs::<I, K, V>::has_more,
                Pairs::<I, K, V>::write_next,
                problem,
            )
        })
    }
}

/// The arguments of a class, by name.
struct Arguments<I, V> {
    items: I,
    value: Option<V>,
}

impl<I: Iterator<Item = (&'static str, V)>, V: IntoValue> Arguments<I, V> {
    unsafe extern "C" fn next_name(context: *mut c_void, name: *mut &'static str) -> bool {
        // SAFETY: arguments that only this call uses; the caller's place.
        let (this, name) = unsafe { (&mut *context.cast::<Self>(), &mut *name) };
        // A panic of the iterator cannot be reported here: it ends.
        let next = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| this.items.next()));
        let Ok(Some((named, value))) = next else {
            return false;
        };
        (*name, this.value) = (named, Some(value));
        true
    }

    unsafe extern "C" fn write_next(
        context: *mut c_void,
        sink: *const ErasedSink<'static>,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: as above; a sink for this call.
        let (this, sink) = unsafe { (&mut *context.cast::<Self>(), *sink) };
        let give = || match this.value.take() {
            Some(value) => value.into_value(sink),
            None => Err(Error::runtime_error("a class was given more than there is")),
        };
        // SAFETY: the caller's place.
        unsafe { run_guarded(NOTHING, problem, give) }
    }
}

/// The pairs of a mapping, keys and values in turn.
struct Pairs<I, K, V> {
    items: I,
    key: Option<K>,
    value: Option<V>,
}

impl<I: Iterator<Item = (K, V)>, K: IntoValue, V: IntoValue> Pairs<I, K, V> {
    unsafe extern "C" fn has_more(context: *mut c_void) -> bool {
        // SAFETY: pairs that are used by this call only.
        let this = unsafe { &mut *context.cast::<Self>() };
        // What an iterator panics with cannot be told here: it ends.
        let next = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| this.items.next()));
        (this.key, this.value) = next.ok().flatten().unzip();
        this.key.is_some()
    }

    unsafe extern "C" fn write_next(
        context: *mut c_void,
        sink: *const ErasedSink<'static>,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: as above; a sink for this call.
        let (this, sink) = unsafe { (&mut *context.cast::<Self>(), *sink) };
        let give = || match (this.key.take(), this.value.take()) {
            (Some(key), value) => {
                this.value = value;
                key.into_value(sink)
            }
            (None, Some(value)) => value.into_value(sink),
            (None, None) => Err(Error::runtime_error("a mapping was asked for more than it has")),
        };
        // SAFETY: the caller's place.
        unsafe { run_guarded(NOTHING, problem, give) }
    }
}
