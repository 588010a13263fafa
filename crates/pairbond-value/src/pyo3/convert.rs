//! `FromPyObject` and `IntoPyObject` for pairbond's types.

use ::pyo3::prelude::*;

use super::bridge::{read_argument, write_result};
use crate::convert::{FromValue, IntoValue, New};
use crate::object::Object;
use crate::value::{
    Any, Array, BigInt, Bytes, DType, Device, Element, FrozenMap, Function, Key, List, Map, Set, Str, Tuple,
};

macro_rules! from_python {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<'a, 'py, $($generics)*> FromPyObject<'a, 'py> for $t
        where
            Self: FromValue<'a>,
        {
            type Error = PyErr;

            fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                read_argument(object)
            }
        }
    )*};
}

macro_rules! into_python {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<'py, $($generics)*> IntoPyObject<'py> for $t
        where
            Self: IntoValue,
        {
            type Target = PyAny;
            type Output = Bound<'py, PyAny>;
            type Error = PyErr;

            fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
                write_result(py, self)
            }
        }
    )*};
}

/// Types that go both ways.
macro_rules! both_ways {
    ($([$($generics:tt)*] $t:ty;)*) => {
        from_python! { $([$($generics)*] $t;)* }
        into_python! { $([$($generics)*] $t;)* }
    };
}

both_ways! {
    [] Any;
    [] Str;
    [] Bytes;
    [] BigInt;
    [] Function;
    [] Array;
    [] DType;
    [] Device;
    [T: Element] List<T>;
    [T: Element] Tuple<T>;
    [T: Key] Set<T>;
    [K: Key, V: Element] Map<K, V>;
    [K: Key, V: Element] FrozenMap<K, V>;
}

into_python! {
    [T: Object] New<T>;
}
