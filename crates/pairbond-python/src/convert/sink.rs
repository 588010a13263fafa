//! [`PySink`]: a place for one result.

use std::path::Path;

use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::frontend::frontend_of;
use pairbond_core::memory::Gather;
use pairbond_core::object::{ErasedBorrow, ErasedRef, Object, Ref};
use pairbond_value::convert::{IntoValue, Part, Sink};
use pairbond_value::value::{Any, BigInt, DTypeBody, DeviceBody, Foreign, Function};
use pyo3_ffi as py;

use super::containers::Unfinished;
use super::{int, parts, text};
use crate::errors::owned_or_error;
use crate::interp::api::api;
use crate::owned::Owned;
use crate::running;
use crate::{interp, wrapper};

/// Makes a new reference to a Python object. For attached threads.
#[derive(Clone, Copy, Debug)]
pub struct PySink;

/// A place in a container: null, until its element is made.
#[derive(Debug)]
pub struct Slot(*mut *mut py::PyObject);

/// Makes what goes through the elements of a list, where that would be made for nothing else; other
/// values as [`PySink`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements;

/// The methods that all sinks implement alike, but for how each returns an object: `put`.
macro_rules! made {
    ($out:ty) => {
        fn write_instance<I, V>(self, class: &str, items: I) -> Result<$out, Error>
        where
            I: Iterator<Item = (&'static str, V)>,
            V: IntoValue,
        {
            parts::new_instance(class, items).map(|object| self.put(object))
        }
        fn write_set<I>(self, items: I) -> Result<$out, Error>
        where
            I: ExactSizeIterator,
            I::Item: IntoValue,
        {
            make_set(items).map(|object| self.put(object))
        }
        fn write_constructed(self, class: &str, arguments: &[Part<'_>]) -> Result<$out, Error> {
            parts::call_class(class, arguments).map(|object| self.put(object))
        }
        fn write_tuple(
            self,
            len: usize,
            fill: &mut dyn FnMut(usize, Slot) -> Result<(), Error>,
        ) -> Result<$out, Error> {
            make_tuple(len, fill).map(|object| self.put(object))
        }
        fn write_mapping<I, K, V>(self, items: I) -> Result<$out, Error>
        where
            I: Iterator<Item = (K, V)>,
            K: IntoValue,
            V: IntoValue,
        {
            make_dict(items).map(|object| self.put(object))
        }
    };
}

impl PySink {
    fn put(self, object: Owned) -> Owned {
        object
    }
}

impl Elements {
    fn put(self, object: Owned) -> Owned {
        object
    }
}

/// All sinks at once: the one makes an object, the other puts the same object into its place.
macro_rules! sinks {
    ($($name:ident($($value:ident: $t:ty)?) => $make:expr;)*) => {
        impl Sink for PySink {
            type Out = Owned;
            type Inner = Slot;
            $(
                #[inline]
                fn $name(self $(, $value: $t)?) -> Result<Owned, Error> {
                    $make
                }
            )*
            #[inline]
            fn at_hand(&self, value: ErasedBorrow<'_>) -> Option<Owned> {
                wrapper::existing_wrapper(value)
            }
            #[inline]
            fn write_new_object<T: Object + Send + Sync>(self, value: T) -> Result<Owned, Error> {
                wrapper::give_new(value)
            }
            made!(Owned);
            fn write_list<I>(self, items: I) -> Result<Owned, Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                make_list(items)
            }
        }

        impl Sink for Elements {
            type Out = Owned;
            type Inner = Slot;
            $(
                #[inline]
                fn $name(self $(, $value: $t)?) -> Result<Owned, Error> {
                    PySink.$name($($value)?)
                }
            )*
            made!(Owned);
            #[inline]
            fn write_list<I>(self, items: I) -> Result<Owned, Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                if items.len() > FEW { make_list(items) } else { make_few(items) }
            }
        }

        impl Sink for Slot {
            type Out = ();
            type Inner = Slot;
            $(
                fn $name(self $(, $value: $t)?) -> Result<(), Error> {
                    PySink.$name($($value)?).map(|object| self.put(object))
                }
            )*
            made!(());
            fn write_list<I>(self, items: I) -> Result<(), Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                make_list(items).map(|object| self.put(object))
            }
        }
    };
}

sinks! {
    write_none() => Ok(constant_object(py::Py_None));
    write_bool(value: bool) => Ok(constant_object(if value { py::Py_True } else { py::Py_False }));
    // SAFETY: attached; CPython's own, or a new reference or null.
    write_i64(value: i64) => unsafe {
        match crate::ints::cached(value) {
            Some(int) => Ok(Owned::from_borrowed(int)),
            None => owned_or_error(py::PyLong_FromLongLong(value)),
        }
    };
    // SAFETY: attached; CPython's own, or a new reference or null.
    write_u64(value: u64) => unsafe { owned_or_error(py::PyLong_FromUnsignedLongLong(value)) };
    write_i128(value: i128) => int::from_i128(value);
    write_u128(value: u128) => int::from_u128(value);
    big_int(value: &BigInt) => int::from_big(value);
    // SAFETY: attached; CPython's own, or a new reference or null.
    write_f64(value: f64) => unsafe { owned_or_error(py::PyFloat_FromDouble(value)) };
    write_str(value: &str) => text::from_text(value);
    shared_str(value: &str) => text::from_shared_text(value);
    write_bytes(value: &[u8]) => text::from_slice(value);
    write_path(value: &Path) => text::from_path(value);
    write_object(value: ErasedBorrow<'_>) => wrapper::fetch(value);
    write_owned(value: ErasedRef) => wrapper::give(value);
    write_function(value: &Function) => match value.foreign() {
        Some(callable) => make_foreign(callable),
        None => match value.native() {
            Some(body) => wrapper::fetch(body.erase()),
            None => Err(Error::runtime_error("a function that is neither native nor foreign")),
        },
    };
    write_foreign(value: &Foreign) => make_foreign(value);
    write_any(value: &Any) => match value {
        Any::None => Ok(constant_object(py::Py_None)),
        value => make_any(value),
    };
}

impl Slot {
    fn put(&self, object: Owned) {
        // SAFETY: the place is a local of `make_list` or `make_tuple`, which waits for it to be
        // filled.
        unsafe { self.0.write(object.into_ptr()) }
    }
}

#[inline]
fn constant_object(which: unsafe fn() -> *mut py::PyObject) -> Owned {
    // SAFETY: attached; constants live as long as the interpreter.
    unsafe { Owned::from_borrowed(which()) }
}

/// The object that a [`Foreign`] holds, if it is of the interpreter that asks.
fn make_foreign(value: &Foreign) -> Result<Owned, Error> {
    let object = foreign_at_hand(value)?;
    // SAFETY: attached to the object's interpreter; the value keeps it alive.
    Ok(unsafe { Owned::from_borrowed(object) })
}

/// As [`make_foreign`]; the value keeps the object alive.
#[inline]
pub(crate) fn foreign_at_hand(value: &Foreign) -> Result<*mut py::PyObject, Error> {
    let (tag, object) = value.check_present()?;
    if tag != interp::tag() {
        return Err(wrong_interpreter_error(tag));
    }
    Ok(object.cast())
}

#[cold]
fn wrong_interpreter_error(tag: u16) -> Error {
    let message = format!(
        "this Python object belongs to {}, and cannot be used in another",
        frontend_of(tag).name()
    );
    Error::new(ErrorKind::Interpreter, message)
}

fn make_any(value: &Any) -> Result<Owned, Error> {
    match value {
        Any::None => PySink.write_none(),
        Any::Bool(value) => PySink.write_bool(*value),
        Any::Int(value) => PySink.write_i64(*value),
        Any::BigInt(value) => PySink.big_int(value),
        Any::DType(value) => wrapper::give(Ref::try_new(DTypeBody::from_value(*value))?.into_erased()),
        Any::Device(value) => wrapper::give(Ref::try_new(DeviceBody::from_value(*value))?.into_erased()),
        Any::Float(value) => PySink.write_f64(*value),
        Any::Str(value) => PySink.write_str(value),
        Any::Bytes(value) => PySink.write_bytes(value),
        Any::Object(value) => PySink.write_object(value.as_borrow()),
        Any::Function(value) => PySink.write_function(value),
        Any::Foreign(value) => PySink.write_foreign(value),
        Any::Error(error) => Err(Error::new(error.kind().clone(), error.message())),
        other => Err(Error::type_error(format!(
            "{} has no form in Python",
            other.kind()
        ))),
    }
}

/// One element, made by a sink of its own.
#[inline]
fn make_element(make: impl FnOnce(Slot) -> Result<(), Error>) -> Result<*mut py::PyObject, Error> {
    let mut place = std::ptr::null_mut();
    make(Slot(&raw mut place))?;
    if place.is_null() {
        Err(Error::runtime_error("an element of a container was left out"))
    } else {
        Ok(place)
    }
}

fn make_list<I>(items: I) -> Result<Owned, Error>
where
    I: ExactSizeIterator,
    I::Item: IntoValue,
{
    let len = items.len();
    // SAFETY: attached; a new list that is ours alone until it is finished; each place is filled
    // once, in bounds.
    unsafe {
        let list = Unfinished::new(owned_or_error(py::PyList_New(len as py::Py_ssize_t))?);
        let mut filled = 0;
        for item in items.take(len) {
            let object = item.into_value(PySink)?;
            py::PyList_SET_ITEM(list.as_ptr(), filled as py::Py_ssize_t, object.into_ptr());
            filled += 1;
        }
        if filled < len {
            return Err(broken_promise(len, filled));
        }
        Ok(list.finish())
    }
}

/// How many elements what goes through a few of them may have.
pub(crate) const FEW: usize = 4;

/// Creates an iterator over elements, which are at the front.
fn element_iterator(elements: [Option<Owned>; FEW]) -> Result<Owned, Error> {
    let elements = elements.map(|it| it.map_or(std::ptr::null_mut(), Owned::into_ptr));
    // SAFETY: attached; references that are given away.
    unsafe { owned_or_error((api().element_iterator)(elements.as_ptr())) }
}

/// Goes through no more than [`FEW`] elements.
#[inline]
fn make_few<I>(items: I) -> Result<Owned, Error>
where
    I: ExactSizeIterator,
    I::Item: IntoValue,
{
    let (len, mut filled) = (items.len(), 0);
    let mut all = [const { None }; FEW];
    for (place, item) in all.iter_mut().zip(items) {
        *place = Some(item.into_value(PySink)?);
        filled += 1;
    }
    if filled < len {
        return Err(broken_promise(len, filled));
    }
    element_iterator(all)
}

#[cold]
fn broken_promise(len: usize, filled: usize) -> Error {
    Error::runtime_error(format!("an iterator that promised {len} elements gave {filled}"))
}

fn make_tuple(len: usize, fill: &mut dyn FnMut(usize, Slot) -> Result<(), Error>) -> Result<Owned, Error> {
    // SAFETY: attached; a new tuple that is ours alone until it is finished; each place is filled
    // once, in bounds.
    unsafe {
        let tuple = owned_or_error(py::PyTuple_New(len as py::Py_ssize_t))?;
        if len == 0 {
            return Ok(tuple);
        }
        let tuple = Unfinished::new(tuple);
        for index in 0..len {
            let object = make_element(|slot| fill(index, slot))?;
            py::PyTuple_SET_ITEM(tuple.as_ptr(), index as py::Py_ssize_t, object);
        }
        Ok(tuple.finish())
    }
}

/// A `set`; a `list` where an element cannot be hashed.
fn make_set<I>(items: I) -> Result<Owned, Error>
where
    I: ExactSizeIterator,
    I::Item: IntoValue,
{
    let items = items.map(|item| item.into_value(PySink)).gather_ok()?;
    // SAFETY: attached; an empty set is made of nothing; a new reference or null.
    let set = unsafe { owned_or_error(py::PySet_New(std::ptr::null_mut())) }?;
    for item in &items {
        // SAFETY: attached; a set that is ours alone, and a living object.
        unsafe {
            if running::PySet_Add(set.as_ptr(), item.as_ptr()) != 0 {
                if py::PyErr_ExceptionMatches(py::PyExc_TypeError) == 0 {
                    return Err(crate::errors::take());
                }
                py::PyErr_Clear();
                return list_of(items);
            }
        }
    }
    Ok(set)
}

/// A list of objects.
fn list_of(items: Vec<Owned>) -> Result<Owned, Error> {
    // SAFETY: attached; a new list that is ours alone until it is finished; each place is filled
    // once, in bounds.
    unsafe {
        let list = Unfinished::new(owned_or_error(py::PyList_New(items.len() as py::Py_ssize_t))?);
        for (index, item) in items.into_iter().enumerate() {
            py::PyList_SET_ITEM(list.as_ptr(), index as py::Py_ssize_t, item.into_ptr());
        }
        Ok(list.finish())
    }
}

pub(super) fn make_dict<K: IntoValue, V: IntoValue>(
    items: impl Iterator<Item = (K, V)>,
) -> Result<Owned, Error> {
    // SAFETY: attached; a new reference or null.
    let dict = unsafe { owned_or_error(py::PyDict_New()) }?;
    for (key, value) in items {
        let (key, value) = (key.into_value(PySink)?, value.into_value(PySink)?);
        // SAFETY: attached; living objects.
        if unsafe { running::PyDict_SetItem(dict.as_ptr(), key.as_ptr(), value.as_ptr()) } != 0 {
            return Err(crate::errors::take());
        }
    }
    Ok(dict)
}
