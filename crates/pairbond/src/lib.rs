//! One native object, one Python self.
//!
//! Write ordinary Rust structs; get Python classes whose instances are Python objects that happen to live in Rust: identity,
//! attributes, subclasses and weak references last as long as the native object, cycles are collected across the border, and native code pays
//! nothing for it.

pub use pairbond_core::convert::{Emit, FromValue, IntoValue, Mismatch, Sink, Source, Stored};
pub use pairbond_core::error::{Error, ErrorKind, Result, ResultExt};
pub use pairbond_core::object::{Borrow, ErasedBorrow, ErasedRef, Object, Ref, Root, Weak, WithItems};
pub use pairbond_core::runtime::{count_objects, find_type, types};
pub use pairbond_core::trace::{Trace, Tracer, collect};
pub use pairbond_core::types::{Attribute, FieldInfo, Members, RegisterError, TypeInfo, register};
pub use pairbond_core::value::{Any, Bytes, Cell, Element, Foreign, Function, List, Str};

pub use pairbond_macros::{function, methods, module, object};

/// The examples of the front page, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct FrontPage;

/// The guide's examples, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide.md")]
pub struct Guide;

/// What most files need: `use pairbond::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Any, Borrow, Bytes, Cell, Error, ErrorKind, Foreign, Function, List, Ref, Result, ResultExt, Str,
        Weak,
    };
}

/// Makes the module importable from Python.
#[cfg(feature = "python")]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_module {
    ($marker:path, $name:ident) => {
        #[unsafe(export_name = concat!("PyInit_", stringify!($name)))]
        extern "C" fn __init() -> *mut $crate::__private::python::PyObject {
            $crate::__private::python::init::<$marker>()
        }
    };
}

/// Makes the module importable where a frontend is compiled in; none is here.
#[cfg(not(feature = "python"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_module {
    ($marker:path, $name:ident) => {
        const _: fn() = || $crate::__private::module::<$marker>();
    };
}

/// For the macros' expansions only.
#[doc(hidden)]
pub mod __private {
    /// Nothing but the check that a marker is a module.
    pub fn module<M: class::Module>() {}

    pub use pairbond_core::{class, convert, error, object, trace, types, value};
    #[cfg(feature = "python")]
    pub use pairbond_python::module as python;
}
