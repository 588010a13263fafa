//! One runtime per process.
//!
//! All process-wide state – types, allocators, frontends, the list of traced objects – belongs to
//! one runtime, reached through a `repr(C)` table of functions. Each binary has a runtime of its
//! own to begin with; a binary that is loaded into a process where another is in use
//! [`adopt_runtime`]s that one, after checking the [`Head`] of its table, before it makes its first
//! object. Extension modules get the table from the Python package's capsule.
//!
//! The table consists of one part for each module that is called through it. Such a module has the
//! functions of its own part, and knows which binary's part is in use; so none of them needs this
//! one, which puts the parts together and makes all of them use another binary's.

use std::ffi::c_void;
use std::fmt;

pub use self::functions::function_names;
#[doc(hidden)]
pub use self::functions::{Found, find_function};
use crate::abi::heap::Heap;
use crate::abi::{Head, Unfit};
#[doc(hidden)]
pub use crate::any::moved_count;
use crate::any::tagged_word::Word;
use crate::any::{MOVED, adopt_moved};
pub use crate::custody::detach_epoch;
use crate::custody::{DETACH_EPOCH, adopt_detach_epoch};
use crate::event::{EventsTable, adopt_events};
pub use crate::frontend::waiting_releases;
use crate::frontend::{InterpretersTable, adopt_interpreters};
pub use crate::memory::{Allocation, Home};
use crate::memory::{MemoryTable, adopt_memory};
use crate::object::{ObjectsTable, adopt_objects};
use crate::sync::ProcessWide;
use crate::sync::statics::{AtomicIsize, AtomicPtr, AtomicUsize, Ordering};
pub use crate::trace::Collections;
use crate::trace::{COLLECTIONS, adopt_collections};
#[cfg(not(loom))]
use crate::tracked::STRUCTURE_LOCK;
#[cfg(loom)]
pub use crate::tracked::UNTRACK;
#[cfg(not(loom))]
use crate::tracked::adopt_structures;
#[doc(hidden)]
pub use crate::tracked::structure_lock;
use crate::types::{TypesTable, adopt_types, first_type_here};
pub use crate::types::{each_type, find_type, registered_types};

/// The functions of the process's runtime. Grows at the end only;
/// [`ABI_VERSION`](crate::abi::ABI_VERSION) changes when anything before changes.
#[repr(C)]
pub struct RuntimeTable {
    /// What the binary that owns the runtime was built with.
    pub head: Head,
    /// The global allocator of that binary.
    pub heap: Heap,
    /// Memory and counts.
    pub memory: MemoryTable,
    /// The registered types.
    pub types: TypesTable,
    /// Objects that die, and the list of traced ones.
    pub objects: ObjectsTable,
    /// The interpreters.
    pub interpreters: InterpretersTable,
    /// How often a foreign reference was moved from a value into a native object that is shared.
    pub moved: *const AtomicUsize,
    /// How often an object lost its wrapper while it lived on.
    pub detach_epoch: *const AtomicUsize,
    /// `(name, length, function, replace)`: the function is given away. `false`: the name is taken.
    pub register_function: unsafe extern "C" fn(*const u8, usize, *const Word, bool) -> bool,
    /// `(name, length, place)`: a clone of the function is written, if there is one.
    pub get_function: unsafe extern "C" fn(*const u8, usize, *mut Word) -> Found,
    /// `(name, length, place)`: the function is written, if there is one.
    pub remove_function: unsafe extern "C" fn(*const u8, usize, *mut Word) -> bool,
    /// Shows the name of every function.
    pub each_function: unsafe extern "C" fn(*mut c_void, unsafe extern "C" fn(*mut c_void, *const u8, usize)),
    /// Drops the functions of an interpreter.
    pub end_functions: unsafe extern "C" fn(u16),
    /// What native collections have done since the process began.
    pub collections: *const Collections,
    /// Observers of events.
    pub events: EventsTable,
    /// How strings are hashed ([`set_text_hash`]): a [`TextHash`], null until somebody decides.
    pub text_hash: *const AtomicPtr<c_void>,
    /// See [`structure_lock`].
    pub structure_lock: *const crate::CellLock,
    /// See [`process_section`].
    pub sections: *const [AtomicPtr<c_void>; SECTIONS],
    /// How `None` is hashed ([`set_none_hash`]), 0 until somebody decides.
    pub none_hash: *const AtomicIsize,
    /// How hash tables lie in memory ([`digest`](crate::abi::tables::table_digest)), as this binary
    /// makes them.
    pub tables: unsafe extern "C" fn() -> u64,
    /// Bytes of a [`FrontendTable`](crate::frontend::FrontendTable), which grows at its end, and
    /// always together with this table: a binary that needs more of a frontend than this runtime's
    /// frontends offer is refused when it joins.
    pub frontend_bytes: usize,
    /// For tests only: what the next release has more.
    #[cfg(pairbond_next_abi)]
    pub next: unsafe extern "C" fn() -> u32,
}

// SAFETY: functions and pointers to statics.
unsafe impl Send for RuntimeTable {}
// SAFETY: functions and pointers to statics.
unsafe impl Sync for RuntimeTable {}

static TEXT_HASH: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static NONE_HASH: AtomicIsize = AtomicIsize::new(0);

mod functions;
mod local_functions;

static LOCAL: RuntimeTable = RuntimeTable {
    head: Head::of::<RuntimeTable>(),
    heap: Heap::of_this_binary(),
    memory: MemoryTable::HERE,
    types: TypesTable::HERE,
    objects: ObjectsTable::HERE,
    interpreters: InterpretersTable::HERE,
    moved: &raw const MOVED,
    detach_epoch: &raw const DETACH_EPOCH,
    register_function: local_functions::register_function,
    get_function: local_functions::get_function,
    remove_function: local_functions::remove_function,
    each_function: local_functions::each_function,
    end_functions: local_functions::end_functions,
    collections: &raw const COLLECTIONS,
    events: EventsTable::HERE,
    text_hash: &raw const TEXT_HASH,
    none_hash: &raw const NONE_HASH,
    tables: crate::abi::tables::digest_here,
    frontend_bytes: size_of::<crate::frontend::FrontendTable>(),
    #[cfg(not(loom))]
    structure_lock: &raw const STRUCTURE_LOCK,
    // A model makes its own.
    #[cfg(loom)]
    structure_lock: std::ptr::null(),
    sections: &raw const KEPT,
    #[cfg(pairbond_next_abi)]
    next: local_functions::next,
};

/// How many [sections](process_section) there are.
pub const SECTIONS: usize = 8;

static KEPT: [AtomicPtr<c_void>; SECTIONS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; SECTIONS];

/// Returns what a part of the library keeps for the process beside the runtime: `make`, of the
/// binary that asks first. It lives for the process, and is laid out as the interface's version
/// says.
///
/// # Safety
/// All binaries ask for the same type by the same number.
#[doc(hidden)]
#[must_use]
pub unsafe fn process_section<T: Sync>(number: usize, make: &'static T) -> &'static T {
    // SAFETY: lives for the process.
    let place = unsafe { &(&*runtime_table().sections)[number] };
    let mut kept = place.load(Ordering::Acquire);
    if kept.is_null() {
        let make = std::ptr::from_ref(make).cast_mut().cast();
        kept = match place.compare_exchange(kept, make, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => make,
            Err(other) => other,
        };
    }
    // SAFETY: a `T` that lives for the process, by the caller's promise.
    unsafe { &*kept.cast::<T>() }
}

/// The number of the [section](process_section) of the structure that keeps nodes. It begins with a
/// [`NodeSection`].
#[doc(hidden)]
pub const NODES: usize = 0;

/// What frontends ask the structure that keeps nodes, and tell it.
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct NodeSection {
    /// Returns whether a frontend that is about to make a wrapper for a node, or a node with its
    /// wrapper, should collect before. It is asked once for each time that it becomes so.
    pub is_crowded: fn() -> bool,
    /// Called when a full collection of a frontend is over.
    pub on_full_collection: fn(),
}

/// Returns what the structure that keeps nodes answers; `None`: there are no nodes yet.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn node_section() -> Option<&'static NodeSection> {
    // SAFETY: lives for the process; who claims the section begins it so.
    unsafe {
        (&*runtime_table().sections)[NODES]
            .load(Ordering::Acquire)
            .cast::<NodeSection>()
            .as_ref()
    }
}

static CURRENT: ProcessWide<RuntimeTable> = ProcessWide::new(&LOCAL);

/// The process's runtime, as this binary knows it.
#[inline]
#[must_use]
pub fn runtime_table() -> &'static RuntimeTable {
    CURRENT.get()
}

/// For tests only: what the next release has more, and what a caller of it gets.
#[cfg(pairbond_next_abi)]
pub(crate) const NEXT: u32 = 4711;

/// For tests only: a function that the next release has.
#[cfg(pairbond_next_abi)]
#[must_use]
pub fn next() -> u32 {
    // SAFETY: takes nothing; the table was found to have it when the runtime was adopted.
    unsafe { (runtime_table().next)() }
}

/// Why a runtime was not adopted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdoptError {
    /// The binaries cannot work together.
    Unfit(Unfit),
    /// This binary registered types with its own runtime before.
    InUse {
        /// The first such type.
        key: &'static str,
    },
}

impl fmt::Display for AdoptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdoptError::Unfit(unfit) => unfit.fmt(f),
            AdoptError::InUse { key } => write!(
                f,
                "made objects of type {key:?} before it joined the process's runtime: make them after the module is imported"
            ),
        }
    }
}

impl std::error::Error for AdoptError {}

/// Makes this binary use `table` from now on.
///
/// # Errors
/// Another version, compiler or allocator, or this binary is in use with its own runtime already.
/// Adopting the same table again is fine.
///
/// # Safety
/// `table` is the table of a runtime of this process; its `head` at least is readable.
pub unsafe fn adopt_runtime(table: *const RuntimeTable) -> Result<(), AdoptError> {
    // SAFETY: the caller's table begins with a head, whatever its version.
    unsafe { &*table.cast::<Head>() }
        .check_table::<RuntimeTable>()
        .map_err(AdoptError::Unfit)?;
    let current = std::ptr::from_ref(runtime_table());
    if std::ptr::eq(current, table) {
        return Ok(());
    }
    // SAFETY: the table was just found to be as large as this binary expects.
    if unsafe { (*table).heap }.certainly_differs(Heap::of_this_binary()) {
        return Err(AdoptError::Unfit(Unfit::Heap));
    }
    // SAFETY: the table is as large as this binary expects; the function takes nothing.
    if unsafe { ((*table).tables)() } != crate::abi::tables::table_digest() {
        // SAFETY: as for the head above.
        let theirs = unsafe { (*table).head.version.get() };
        return Err(AdoptError::Unfit(Unfit::Shape {
            built: crate::abi::VERSION,
            process: theirs,
        }));
    }
    if let Some(first) = first_type_here() {
        return Err(AdoptError::InUse { key: first.key() });
    }
    crate::fork::survive_forks();
    // SAFETY: as large as this binary expects; a table and its targets live for the process.
    unsafe {
        let table: &'static RuntimeTable = &*table;
        adopt_memory(&table.memory);
        adopt_types(&table.types);
        adopt_interpreters(&table.interpreters);
        adopt_moved(&*table.moved);
        adopt_collections(&*table.collections);
        adopt_events(&table.events);
        adopt_detach_epoch(&*table.detach_epoch);
        adopt_objects(&table.objects);
        #[cfg(not(loom))]
        adopt_structures(&*table.structure_lock);
        CURRENT.adopt(table);
    }
    Ok(())
}

/// Hashes strings (`true`) and bytes: `(start, length, is text)`. -1 where there is no memory for
/// that.
pub type TextHash = unsafe extern "C" fn(*const u8, usize, bool) -> i64;

/// Sets how the process hashes strings and bytes that are keys, unless that is set: a key must hash
/// alike for ever. Returns whether `hash` is used from now on. A frontend gives its language's own
/// function, so that its objects can be found by strings that they are equal to.
pub fn set_text_hash(hash: TextHash) -> bool {
    // SAFETY: lives for the process.
    let place = unsafe { &*runtime_table().text_hash };
    let hash = hash as *mut c_void;
    match place.compare_exchange(std::ptr::null_mut(), hash, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => true,
        Err(before) => before == hash,
    }
}

/// The hash of a string or of bytes.
#[doc(hidden)]
#[inline]
pub fn text_hash(bytes: &[u8], is_text: bool) -> i64 {
    // SAFETY: lives for the process; a value that is not null was a `TextHash`; the slice's own
    // parts.
    unsafe {
        let hash = (*runtime_table().text_hash).load(Ordering::Acquire);
        if hash.is_null() {
            set_text_hash(own_text_hash);
            return text_hash(bytes, is_text);
        }
        let hash = std::mem::transmute::<*mut c_void, TextHash>(hash);
        hash(bytes.as_ptr(), bytes.len(), is_text)
    }
}

/// Decides how `None` hashes as a key, unless that is decided.
pub fn set_none_hash(hash: i64) {
    // SAFETY: lives for the process.
    let place = unsafe { &*runtime_table().none_hash };
    let _ = place.compare_exchange(0, hash as isize, Ordering::AcqRel, Ordering::Acquire);
}

/// The hash of `None`.
#[doc(hidden)]
#[inline]
pub fn none_hash() -> i64 {
    // SAFETY: lives for the process.
    match unsafe { &*runtime_table().none_hash }.load(Ordering::Acquire) {
        0 => {
            // CPython's since 3.12.
            set_none_hash(0xfca8_6420);
            none_hash()
        }
        hash => hash as i64,
    }
}

/// Where no frontend has one: the standard library's, with a key of the process's own.
unsafe extern "C" fn own_text_hash(start: *const u8, len: usize, _: bool) -> i64 {
    use std::hash::{BuildHasher, RandomState};
    static KEY: std::sync::LazyLock<RandomState> = std::sync::LazyLock::new(RandomState::new);
    // SAFETY: the parts of a slice.
    match KEY.hash_one(unsafe { std::slice::from_raw_parts(start, len) }) as i64 {
        // An error, to frontends.
        -1 => -2,
        hash => hash,
    }
}
