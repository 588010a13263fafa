//! `FromPyObject` and `IntoPyObject` for references to objects.

use ::pyo3::prelude::*;

use super::hooks::{Written, hooks_of_binary};
use super::into_py_err;
use crate::any::Foreign;
use crate::error::Error;
use crate::object::{Borrow, ErasedBorrow, ErasedRef, Object, Ref, Weak};

fn borrow_object<'a, T: Object>(object: Borrowed<'a, '_, PyAny>) -> Result<Borrow<'a, T>, Error> {
    let hooks = hooks_of_binary()?;
    // SAFETY: a `Borrowed` proves that the thread is attached, and keeps the object for `'a`.
    let found: ErasedBorrow<'a> = unsafe { (hooks.borrow)(object.as_ptr(), T::info()) }?;
    found.downcast().ok_or_else(|| Error::type_error(T::KEY))
}

fn own_object<T: Object>(object: Borrowed<'_, '_, PyAny>) -> Result<Ref<T>, Error> {
    let hooks = hooks_of_binary()?;
    // SAFETY: a `Borrowed` proves that the thread is attached, and keeps the object meanwhile.
    let found = unsafe { (hooks.own)(object.as_ptr(), T::info()) }?;
    found.downcast().map_err(|_| Error::type_error(T::KEY))
}

fn foreign_object(object: Borrowed<'_, '_, PyAny>) -> Result<Foreign, Error> {
    // SAFETY: a `Borrowed` proves that the thread is attached, and keeps the object meanwhile.
    unsafe { (hooks_of_binary()?.foreign)(object.as_ptr()) }
}

fn write_value<'py>(py: Python<'py>, value: Written<'_>) -> PyResult<Bound<'py, PyAny>> {
    let made = hooks_of_binary().and_then(|hooks| (hooks.write)(value));
    // SAFETY: attached, as `py` proves; a new reference.
    made.map(|object| unsafe { Bound::from_owned_ptr(py, object) })
        .map_err(into_py_err)
}

macro_rules! from_python {
    ($([$($generics:tt)*] $t:ty, $object:ident => $read:expr;)*) => {$(
        impl<'a, 'py, $($generics)*> FromPyObject<'a, 'py> for $t {
            type Error = PyErr;

            fn extract($object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                $read.map_err(into_py_err)
            }
        }
    )*};
}

macro_rules! into_python {
    ($([$($generics:tt)*] $t:ty, $value:ident => $written:expr;)*) => {$(
        impl<'py, $($generics)*> IntoPyObject<'py> for $t {
            type Target = PyAny;
            type Output = Bound<'py, PyAny>;
            type Error = PyErr;

            fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
                let $value = self;
                write_value(py, $written)
            }
        }
    )*};
}

from_python! {
    [T: Object] Ref<T>, object => own_object(object);
    [T: Object] Weak<T>, object => borrow_object::<T>(object).map(|it| it.downgrade());
    [T: Object] Borrow<'a, T>, object => borrow_object(object);
    [] Foreign, object => foreign_object(object);
}

into_python! {
    [T: Object + Send + Sync] Ref<T>, value => Written::Owned(value.into_erased());
    [T: Object + Send + Sync] &Ref<T>, value => Written::Lent(value.as_borrow().erase());
    [T: Object + Send + Sync] Weak<T>, value => value.upgrade().map_or(Written::None, |it| Written::Owned(it.into_erased()));
    [T: Object + Send + Sync] Borrow<'_, T>, value => Written::Lent(value.erase());
    [] ErasedRef, value => Written::Owned(value);
    [] ErasedBorrow<'_>, value => Written::Lent(value);
    [] Foreign, value => Written::Foreign(&value);
}
