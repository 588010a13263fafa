//! Values that objects hold and that cross borders.
//!
//! * `any` – a value of any kind, `any_ref` – borrowed, `view` – to match on; `text`, `function` –
//!   its variants.
//! * `array` – numbers in memory that others look at too.
//! * `list`, `tuple`, `map`, `frozen`, `set` – containers, each a native object (its *body*) and a
//!   typed handle.
//! * `element` – what containers hold, `field_kind` – what fields of types made at run time hold,
//!   `kinds` – both by name; `key` – how keys are compared and hashed, `hash` – with which numbers;
//!   `hash_table`, `table_find` – keys in order, `hashed` – shared by threads; `container_handle` –
//!   the common part of handles; `recursion_guard` – a bound; `element_cache`, `cache_entry`,
//!   `element_cache_index` – what a frontend remembers of a container; `object_cache` – where no
//!   lock guards its interpreters.

mod any;
mod any_ref;
mod array;
mod bigint;
mod cache_entry;
mod callback;
mod container_handle;
mod dlpack;
mod dlpack_body;
mod element;
mod element_cache;
mod element_cache_index;
mod field_kind;
mod frontend_calls;
mod frozen;
mod function;
mod function_bind;
mod function_build;
mod hash;
mod hash_table;
mod hashed;
mod key;
mod kinds;
mod layout;
mod list;
mod map;
mod object_cache;
mod recursion_guard;
mod registry;
mod request;
mod set;
mod table_find;
mod text;
mod tuple;
mod view;

pub use crate::any::{Foreign, ForeignBody};
pub use crate::cell::Cell;
pub use crate::runtime::detach_epoch;
pub use crate::runtime::function_names;
pub use any::Any;
pub use any_ref::AnyRef;
pub use array::{Access, Array, ArrayBody, ArrayView, Axes, BlockBody, Lent, ManagedTensor, Number, Tensor};
pub use bigint::BigInt;
pub use cache_entry::CacheEntry;
pub use callback::{CallAttached, Callback};
pub use dlpack::{DType, Device};
pub use dlpack_body::{DTypeBody, DeviceBody};
pub use element::Kind;
pub use element::{Element, Key, Lookup};
pub use element_cache::{ElementCache, Seek, version_stamp};
pub use field_kind::{FieldKind, Later};
pub use frontend_calls::{CallEach, FrontendValues};
pub use frozen::{FrozenMap, FrozenMapBody};
pub use function::{Function, FunctionBody, Given};
pub use function_build::{Builder, Described, Parameter, Parameters};
pub use hash::hash_sequence;
pub use hash_table::{Entry, Step, Table};
pub use hashed::Hashed;
pub use key::{Verdict, keys_equal};
pub use kinds::Kinds;
pub use list::{List, ListBody};
pub use map::{Map, MapBody};
pub use object_cache::{MOST, ObjectCache, Objects, Offered};
pub use recursion_guard::with_recursion_guard;
pub(crate) use registry::edit_distance;
pub use registry::{
    end_functions, get_function, register_function, register_function_at_start, register_functions,
    remove_function,
};
pub use request::{Part, Request};
pub use set::{Set, SetBody};
pub use text::{Bytes, BytesBody, Str, StrBody};
pub use tuple::{Tuple, TupleBody};
pub use view::View;
