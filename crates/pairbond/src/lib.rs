//! One native object, one Python self.
//!
//! pairbond binds libraries that own a graph of objects (a compiler's program, a document, a
//! dependency graph) to Python. You write ordinary structs; Python gets classes whose instances are
//! these structs' only wrappers:
//!
//! ```
//! use pairbond::prelude::*;
//!
//! /// A package of a lock file.
//! #[pairbond::object("lockgraph.Package")]
//! pub struct Package {
//!     #[field]
//!     name: Str,
//!     #[field(set)]
//!     note: Cell<Option<Str>>,
//!     #[field]
//!     dependencies: List<Package>,
//! }
//!
//! #[pairbond::methods]
//! impl Package {
//!     #[new]
//!     fn new(name: &str) -> Self {
//!         Package { name: name.into(), note: Cell::new(None), dependencies: List::new() }
//!     }
//! }
//!
//! pairbond::module!(lockgraph { Package });
//!
//! // Without Python, it is a library like any other.
//! let (app, log) = (Ref::new(Package::new("app")), Ref::new(Package::new("log")));
//! app.dependencies.push(log.clone());
//! log.note.set(Some("pinned".into()));
//! assert_eq!(app.dependencies.get(0).unwrap().note.get().as_deref(), Some("pinned"));
//! ```
//!
//! In Python `app.dependencies[0] is app.dependencies[0]`, and `id()`, attributes, subclass and
//! weak references last as long as the object in Rust. Cycles through both heaps are collected:
//! fields are traced by their types. A [`Ref`] costs as much as an `Arc`, on any thread.
//!
//! | | |
//! |---|---|
//! | declare | [`object`](macro@object), [`methods`], [`function`], [`exception`], [`module!`](module), [`global!`](global) |
//! | refer to objects | [`Ref`], [`Weak`], [`Borrow`], [`Cell`] in a field; more in [`refs`] |
//! | values and containers | [`Any`], [`Str`], [`Bytes`], [`List`], [`Map`], [`Set`], [`Tuple`], [`FrozenMap`], [`Array`], [`Function`], [`Callback`]; more in [`value`] |
//! | cross the border | [`New`] for results by value, [`Record`] for plain structs; traits in [`convert`] |
//! | fail | [`Error`], [`ErrorKind`], [`Result`], [`ResultExt`] |
//! | work for seconds | [`detached`], [`check_signals`] |
//! | batteries | [`tree`]s whose nodes can be erased, [`serial`] (copies, pickles, JSON), [`dynamic`] types, [`library`] without Python, [`event`]s, [`diagnostics`] |
//!
//! Features: `python` makes the module an extension of Python, `plugin` one that `pairbond.load`
//! loads, and `library` loads such ones in Rust; `tree`, `dynamic` and `serial` (copies and writes
//! graphs) add the modules of that name; `serde`, `tracing`, `log`, `tokio`, `pyo3` and those named
//! like other crates work with these crates. Guides and a tutorial are on the project's site.

#![deny(unsafe_code)]
#![cfg_attr(
    not(all(feature = "dynamic", feature = "library", feature = "tree")),
    allow(
        rustdoc::broken_intra_doc_links,
        reason = "the front page names all features' modules"
    )
)]

#[doc(inline)]
pub use pairbond_core::{
    error::{Error, ErrorKind, Result, ResultExt},
    frontend::check_signals,
    object::{Borrow, Object, Ref, Weak},
    trace::collect,
};
pub use pairbond_macros::{Record, exception, function, methods, module, object};
pub use pairbond_value::{
    convert::{New, Record},
    value::{Any, Array, Bytes, Callback, Cell, Foreign, FrozenMap, Function, List, Map, Set, Str, Tuple},
};

/// Runs a function while other threads of Python run, where only a part of a call is worth that;
/// what `#[detach]` does with the whole of it. It touches no Python object without attaching, and
/// costs nothing where no Python is around.
///
/// ```
/// let large: u64 = pairbond::detached(|| (0..1000).sum());
/// assert_eq!(large, 499_500);
/// ```
pub use pairbond_value::class::detached;

/// References to objects for special cases: counted, erased, from a global, to an unshared object.
pub mod refs {
    pub use pairbond_core::object::{
        Counted, ErasedBorrow, ErasedRef, Root, Shares, Unique, Weaks, WithItems,
    };
}

/// Conversions at the border, and parameters that take more than one kind of value.
pub mod convert {
    pub use pairbond_value::convert::{
        Emit, Few, FromValue, IntOrSlice, IntoValue, Mismatch, Part, Sink, Source, Stored, Subscript,
    };
    pub use pairbond_value::value::CallEach;
}

/// Values that few signatures name: integers of any size, elements of arrays, keys of maps.
pub mod value {
    pub use pairbond_value::value::{
        AnyRef, ArrayView, BigInt, DType, Device, Element, Key, Lookup, Number, View,
    };
}

/// Functions that the whole process knows by a name; see [`global!`](crate::global).
pub mod registry {
    pub use pairbond_value::value::{
        function_names, get_function, register_function, register_function_at_start, remove_function,
    };
}

/// References of a type, for the collector; fields of an [`object`](macro@crate::object) are
/// traced without a line about it.
pub mod trace {
    pub use pairbond_core::trace::{Trace, Tracer, Untraced};
}

/// Types as data: which there are, their fields and members.
pub mod types {
    pub use pairbond_core::runtime::{find_type, registered_types};
    pub use pairbond_core::types::{Attribute, FieldInfo, Members, RegisterError, TypeInfo};
    pub use pairbond_value::class::register_class;
}

/// Living objects, by type, and the references that keep them.
pub mod diagnostics {
    pub use pairbond_core::leaks::{Leak, leaks};
    pub use pairbond_core::stats::{Stats, TypeStats, stats};
}

/// How a type is laid out, proved or promised; see the [derive](derive@layout::Layout).
pub mod layout {
    pub use pairbond_core::abi::{Layout, LayoutWriter};
    pub use pairbond_macros::Layout;
}

/// Exception classes that Rust defines; see [`exception`](macro@crate::exception).
pub mod error {
    pub use pairbond_core::error::exception::{Exception, ExceptionInfo};
}

/// Types that are made while the program runs, from a table of fields (feature `dynamic`).
#[cfg(feature = "dynamic")]
pub mod dynamic {
    pub use pairbond_dynamic::{
        Builder, DynamicFields, Field, FieldDescription, FieldKind, Later, MakeObject, Storage, Table, Value,
    };
}

/// Memory for what others decide the size of: an error where there is none, instead of the end of
/// the process.
pub mod memory {
    pub use pairbond_core::memory::{
        Gather, Grow, Room, ThinVec, check_room, has_room_for_a_thread, or_unwind, try_collect, try_copy,
        try_push, try_push_str,
    };
}

/// Libraries that bring no Python: a `cdylib` with a [`module!`], built with the feature `plugin`
/// and without `python`. The feature `library` is for programs that load them.
#[cfg(feature = "library")]
pub mod library {
    pub use pairbond_plugin::{Library, load};
}

/// Objects that have one owner, stand in ordered lists of it, and can be erased by anyone:
/// `#[object("…", tree)]` (feature `tree`).
///
/// ```
/// use pairbond::prelude::*;
/// use pairbond::tree::{Children, Links, TreeNode};
///
/// #[pairbond::object("doc.Branch", tree)]
/// #[derive(Default)]
/// struct Branch {
///     links: Links,
///     below: Children<Branch>,
///     name: &'static str,
/// }
///
/// let branch = |name| Ref::new(Branch { name, ..Branch::default() });
/// let (root, one, two) = (branch("root"), branch("one"), branch("two"));
/// root.list(|b| &b.below).push(&two)?;
/// root.list(|b| &b.below).insert_before(&two, &one)?;
/// assert_eq!(root.list(|b| &b.below).get(1).unwrap().name, "two");
///
/// // Any handle keeps the whole tree.
/// drop((root, two));
/// let root = one.parent().unwrap();
/// let root: Ref<Branch> = root.downcast().unwrap();
/// assert_eq!((root.name, root.list(|b| &b.below).len()), ("root", 2));
///
/// // And says when it is part of it no more.
/// root.erase()?;
/// assert!(one.check().unwrap_err().to_string().contains("was erased"));
/// # Ok::<(), Error>(())
/// ```
#[cfg(feature = "tree")]
pub mod tree {
    pub use pairbond_tree::{
        Ancestors, BatchInsert, Children, Cursor, Descendants, DetachedNode, Found, Guarded, Iter, Links,
        List, Siblings, Traversal, TreeGuard, TreeNode, UninitNode, Visit, batch_insert, current, drop_all,
        reason, with_lock,
    };
}

/// Copies, comparisons, pickles and JSON: graphs of objects taken apart and made again. Objects can
/// be copied and pickled in Python whatever the features; `serial` is for programs that do it
/// themselves, `serde` for other formats and JSON.
pub mod serial {
    #[cfg(feature = "serial")]
    pub use pairbond_serial::{Buffer, Edge, Graph, Loader, OutOfBand, Save, Schema, Token};
    #[cfg(feature = "serial")]
    pub use pairbond_serial::{deep_copy, shallow_copy, structural_cmp, structural_equal, structural_hash};
    #[cfg(feature = "serde")]
    pub use pairbond_serial::{from_json, to_json};
    pub use pairbond_value::carry::{Carry, Fault, Kinds, Loading, Part, Saver};
}

/// Locks that a forked process finds free, for tables that threads share, and the guarantees for
/// programs that fork while native code runs.
pub mod fork {
    pub use pairbond_core::fork::{Mutex, RwLock};
}

/// Events of objects and interpreters, for observers; and events of a library's own.
pub mod event {
    pub use pairbond_core::event::{Event, Kind, Observing, emit, muted, observe, observed};

    #[cfg(feature = "tracing")]
    pub use crate::to_tracing::to_tracing;
}

#[cfg(feature = "tracing")]
mod to_tracing;

#[cfg(feature = "python")]
pub mod python;

/// Returns the runtime that an `async fn` is polled in (feature `tokio`): for `spawn`, and
/// `block_on` elsewhere.
///
/// # Errors
/// The system gives it no threads.
#[cfg(feature = "tokio")]
pub fn tokio_runtime() -> Result<&'static tokio::runtime::Runtime> {
    pairbond_value::class::tokio::runtime()
}

#[cfg(feature = "log")]
mod logging;
#[cfg(feature = "log")]
pub use logging::log_to_python;

#[cfg(feature = "pyo3")]
pub mod pyo3;

/// The Rust examples of the pages, run as tests: `tests/python/test_docs.py` checks that none is
/// missing here.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/abi.md")]
    struct Abi;
    #[doc = include_str!("../../../docs/explanation/object-model.md")]
    struct ExplanationObjectModel;
    #[doc = include_str!("../../../docs/how-to/arrays.md")]
    struct HowToArrays;
    #[cfg(feature = "dynamic")]
    #[doc = include_str!("../../../docs/how-to/classes.md")]
    struct HowToClasses;
    #[doc = include_str!("../../../docs/how-to/containers.md")]
    struct HowToContainers;
    #[cfg(feature = "serial")]
    #[doc = include_str!("../../../docs/how-to/copying.md")]
    struct HowToCopying;
    #[doc = include_str!("../../../docs/how-to/errors.md")]
    struct HowToErrors;
    #[doc = include_str!("../../../docs/how-to/foreign-arena.md")]
    struct HowToForeignArena;
    #[doc = include_str!("../../../docs/how-to/functions.md")]
    struct HowToFunctions;
    #[doc = include_str!("../../../docs/how-to/interpreters.md")]
    struct HowToInterpreters;
    #[doc = include_str!("../../../docs/how-to/leaks.md")]
    struct HowToLeaks;
    #[cfg(feature = "library")]
    #[doc = include_str!("../../../docs/how-to/packaging.md")]
    struct HowToPackaging;
    #[doc = include_str!("../../../docs/how-to/threads.md")]
    struct HowToThreads;
    #[cfg(feature = "tree")]
    #[doc = include_str!("../../../docs/how-to/trees.md")]
    struct HowToTrees;
    #[doc = include_str!("../../../docs/reference/values.md")]
    struct ReferenceValues;
    #[doc = include_str!("../../../docs/tutorial/first-library.md")]
    struct TutorialFirstLibrary;
}

/// The names that most files need: `use pairbond::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Any, Array, Borrow, Bytes, Callback, Cell, Error, ErrorKind, Foreign, FrozenMap, Function, List, Map,
        Ref, Result, ResultExt, Set, Str, Tuple, Weak,
    };
}

/// Makes a function known to the whole process by a name, from a static initialiser: when the
/// extension module is imported, or the program asks for a function by name the first time.
///
/// ```
/// #[pairbond::function]
/// fn half(x: f64) -> f64 {
///     x / 2.0
/// }
///
/// pairbond::global!("maths.half", half);
/// pairbond::global!("maths.zero", || pairbond::Function::build("zero").from(|| 0));
///
/// # fn main() -> pairbond::Result<()> {
/// use pairbond::registry::get_function;
///
/// assert_eq!(get_function("maths.half")?.call(&[3.0.into()])?.as_f64(), Some(1.5));
/// assert_eq!(get_function("maths.zero")?.call(&[])?.as_i64(), Some(0));
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! global {
    ($name:literal, $function:path) => {
        $crate::global!(@ $name, || $crate::Function::of::<$function>());
    };
    ($name:literal, $make:expr) => {
        $crate::global!(@ $name, $make);
    };
    (@ $name:literal, $make:expr) => {
        const _: () = {
            extern "C" fn register() {
                $crate::registry::register_function_at_start($name, $make);
            }
            #[used]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
            #[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
            #[cfg_attr(
                not(any(target_vendor = "apple", windows)),
                unsafe(link_section = ".init_array")
            )]
            static REGISTER: extern "C" fn() = register;
        };
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

/// Adds members of PyO3 to a module, for the expansion of `module!`.
#[cfg(feature = "pyo3")]
#[doc(hidden)]
#[macro_export]
macro_rules! __pyo3_member {
    ($visitor:expr, pyclass, $member:path) => {
        $crate::__pyo3_member!(@ $visitor, |module| {
            ::pyo3::types::PyModuleMethods::add_class::<$member>(module)
        })
    };
    ($visitor:expr, pyfunction, $member:path) => {
        $crate::__pyo3_member!(@ $visitor, |module| {
            ::pyo3::types::PyModuleMethods::add_function(module, ::pyo3::wrap_pyfunction!($member, module)?)
        })
    };
    ($visitor:expr, pyo3, $member:path) => {
        $crate::__pyo3_member!(@ $visitor, $member)
    };
    (@ $visitor:expr, $add:expr) => {
        $crate::__private::class::ModuleVisitor::visit_foreign_members($visitor, |module| {
            $crate::pyo3::with_module(module, $add)
        })
    };
}

/// Says which feature is missing.
#[cfg(not(feature = "pyo3"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __pyo3_member {
    ($visitor:expr, $kind:ident, $member:path) => {
        ::core::compile_error!(
            "members of PyO3 need pairbond's feature `pyo3`: cargo add pairbond --features pyo3"
        )
    };
}

/// Nothing is exported: the crate is part of a Rust program.
#[cfg(not(any(feature = "python", feature = "plugin")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_module {
    ($marker:path, $name:ident) => {};
}

/// Makes the module loadable by a program that has a frontend, or none: none is here.
#[cfg(all(feature = "plugin", not(feature = "python")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __export_module {
    ($marker:path, $name:ident) => {
        // For `pairbond.load` in Python and `pairbond::library::load` in Rust.
        #[unsafe(export_name = concat!("pairbond_library_", stringify!($name)))]
        static __LIBRARY: $crate::__private::library::Table =
            $crate::__private::library::Table::of::<$marker>();
    };
}

/// For tests of what happens between releases only.
#[cfg(pairbond_next_abi)]
#[doc(hidden)]
pub use pairbond_core::runtime::next as next_abi;

/// For the macros' expansions only.
#[doc(hidden)]
pub mod __private {
    pub use pairbond_core::{abi, error, object, trace, types};
    #[cfg(feature = "plugin")]
    pub use pairbond_plugin as library;
    #[cfg(feature = "python")]
    pub use pairbond_python::module as python;
    #[cfg(feature = "tree")]
    pub use pairbond_tree as tree;
    pub use pairbond_value::{carry as serial, class, convert, value};
    pub use pairbond_value::{implement_enumeration, implement_variants};
}
