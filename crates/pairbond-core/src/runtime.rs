//! One runtime per process.
//!
//! All process-wide state – types, allocators, frontends, the list of traced objects – belongs to
//! one runtime, reached through a `repr(C)` table of functions. Each binary has a runtime of its
//! own to begin with; a binary that is loaded into a process where another is in use
//! [`adopt_runtime`]s that one, after checking the [`Head`] of its table, before it makes its first
//! object. Extension modules get the table from the Python package's capsule.

use std::ffi::c_void;
use std::fmt;

use self::functions::Registry;
pub use self::functions::function_names;
#[doc(hidden)]
pub use self::functions::{Found, find_function};
use crate::abi::heap::Heap;
use crate::abi::{Head, Unfit};
use crate::any::tagged_word::Word;
use crate::event::{self, Event, Observer, Observers};
use crate::frontend::{Collecting, FrontendTable, Slots};
use crate::memory::{Allocator, Allocators, Count, Counted, cache, counts, or_unwind, try_push};
use crate::object::{Header, destroy_here, postpone_here, unlist_here, wrapper_died_here};
use crate::sync::statics::{AtomicIsize, AtomicPtr, AtomicUsize, Ordering};
use crate::trace::Tracked;
use crate::types::{TypeInfo, TypeTable};

/// Memory for an object, in two registers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Allocation {
    /// Null when the allocator refused.
    pub memory: *mut u8,
    /// The allocator's slot in the lowest byte, and otherwise the address of what the runtime keeps
    /// for this thread.
    origin: *const c_void,
}

impl Allocation {
    /// The allocator's slot, 0 to 255.
    #[inline]
    #[must_use]
    pub fn slot(self) -> usize {
        self.origin.addr() & 0xFF
    }

    /// What the runtime keeps for the thread that allocated, so that it need not be looked up again
    /// when the object is listed.
    #[inline]
    #[must_use]
    pub fn home(self) -> Home {
        Home(self.origin.map_addr(|a| a & !0xFF))
    }
}

/// What a runtime keeps for a thread, opaque to other binaries, or nothing. It is for that thread
/// only.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Home(*const c_void);

impl Home {
    /// To be looked up.
    pub const UNKNOWN: Home = Home(std::ptr::null());
}

/// The functions of the process's runtime. Grows at the end only;
/// [`ABI_VERSION`](crate::abi::ABI_VERSION) changes when anything before changes.
#[repr(C)]
pub struct RuntimeTable {
    /// What the binary that owns the runtime was built with.
    pub head: Head,
    /// The global allocator of that binary.
    pub heap: Heap,
    /// `(size, align, what)` → memory and the slot of the allocator that made it; the new block is
    /// counted.
    pub allocate: unsafe extern "C" fn(usize, usize, Counted) -> Allocation,
    /// `(memory, size, align, slot, what)`: the block is counted no more.
    pub deallocate: unsafe extern "C" fn(*mut u8, usize, usize, u8, Counted),
    /// `(type, objects, wrappers)`: counts what comes and goes without memory.
    pub count: unsafe extern "C" fn(*const TypeInfo, isize, isize),
    /// What there is of a type.
    pub counted: unsafe extern "C" fn(*const TypeInfo, *mut Count),
    /// The current allocator.
    pub get_allocator: unsafe extern "C" fn(*mut Allocator),
    /// `false`: too many.
    pub set_allocator: unsafe extern "C" fn(*const Allocator) -> bool,
    /// Enters a type, which lives for the process then; the registered one is written, which may be
    /// another from before, and the caller's is not kept. `false`: that has another layout.
    pub register_type: unsafe extern "C" fn(*const TypeInfo, *mut *const TypeInfo) -> bool,
    /// `(key, length)` → type or null.
    pub find_type: unsafe extern "C" fn(*const u8, usize) -> *const TypeInfo,
    /// Shows every type.
    pub each_type: unsafe extern "C" fn(*mut c_void, unsafe extern "C" fn(*mut c_void, *const TypeInfo)),
    /// Lists an object of a traced type, on the thread of the [`Home`] if there is one. `false`:
    /// there is no memory to list it; if it lives on nevertheless, collectors take its targets for
    /// referred to from outside.
    pub track: unsafe extern "C" fn(*mut Header, Home) -> bool,
    /// See `destroy_object`; takes a traced object off the list, which waits
    /// while a collector walks.
    pub destroy: unsafe extern "C-unwind" fn(*mut Header),
    /// Takes an object off the list that no other thread can reach; waits while a collector walks.
    pub unlist: unsafe extern "C" fn(*mut Header),
    /// See [`wrapper_died`](crate::object::wrapper_died).
    pub wrapper_died: unsafe extern "C-unwind" fn(*mut Header),
    /// See `postpone_task`.
    pub postpone: unsafe extern "C-unwind" fn(unsafe extern "C" fn(*mut c_void), *mut c_void),
    /// Shows all traced objects, shard by shard, while none can be made or destroyed; then calls
    /// the last function, still so. `false`: somebody else is walking.
    pub walk: unsafe extern "C" fn(
        *mut c_void,
        unsafe extern "C" fn(*mut c_void, *const *mut Header, usize),
        unsafe extern "C" fn(*mut c_void),
    ) -> bool,
    /// Opens an interpreter; 0 when no tag is left.
    pub open_frontend: unsafe extern "C" fn(*const FrontendTable) -> u16,
    /// Disarms one.
    pub disarm_frontend: unsafe extern "C" fn(u16) -> bool,
    /// The tables of the interpreters, by tag.
    pub frontends: *const AtomicPtr<FrontendTable>,
    /// The number of releases that wait in deferred queues, over all interpreters: what every entry
    /// looks at.
    pub waiting: *const AtomicUsize,
    /// The interpreters that are in the middle of a collection.
    pub collecting: *const Collecting,
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
    /// How many observe events.
    pub observed: *const AtomicUsize,
    /// Tells all observers.
    pub tell: unsafe extern "C" fn(*const Event),
    /// Adds an observer, which is moved from: its number.
    pub observe: unsafe extern "C" fn(*mut Observer) -> usize,
    /// Removes one.
    pub forget_observer: unsafe extern "C" fn(usize),
    /// Adds or removes the frontend of a tag.
    pub observe_frontend: unsafe extern "C" fn(u16, bool),
    /// Sets whether this thread is hidden from observers; returns the previous setting.
    pub mute: unsafe extern "C" fn(bool) -> bool,
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
    /// Bytes of a [`FrontendTable`], which grows at its end, and
    /// always together with this table: a binary that needs more of a frontend than this runtime's
    /// frontends offer is refused when it joins.
    pub frontend_bytes: usize,
    /// For tests only: what the next release has more.
    #[cfg(pairbond_next_abi)]
    pub next: unsafe extern "C" fn() -> u32,
}

/// What native collections have done.
#[derive(Debug)]
#[repr(C)]
pub struct Collections {
    /// How many there were.
    pub runs: AtomicUsize,
    /// Objects that they condemned.
    pub condemned: AtomicUsize,
}

// SAFETY: functions and pointers to statics.
unsafe impl Send for RuntimeTable {}
// SAFETY: functions and pointers to statics.
unsafe impl Sync for RuntimeTable {}

static ALLOCATORS: Allocators = Allocators::new();
static SLOTS: Slots = Slots::new();
#[cfg(not(loom))]
static TRACKED: Tracked = Tracked::new();
/// Model-checked builds list no objects.
#[cfg(loom)]
static TRACKED: std::sync::LazyLock<Tracked> = std::sync::LazyLock::new(|| unreachable!());
/// How a model takes an object off a list of its own, as the functions of its table list it and
/// show the list.
#[cfg(loom)]
pub static UNTRACK: crate::sync::statics::Mutex<Option<fn(*mut Header)>> =
    crate::sync::statics::Mutex::new(None);
static WAITING: AtomicUsize = AtomicUsize::new(0);
#[cfg(not(loom))]
static COLLECTING: Collecting = Collecting::new();
static MOVED: AtomicUsize = AtomicUsize::new(0);
static DETACH_EPOCH: AtomicUsize = AtomicUsize::new(0);
static FUNCTIONS: Registry = Registry::new();
pub(crate) static OBSERVERS: Observers = Observers::new();
static COLLECTIONS: Collections = Collections {
    runs: AtomicUsize::new(0),
    condemned: AtomicUsize::new(0),
};
static TEXT_HASH: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static NONE_HASH: AtomicIsize = AtomicIsize::new(0);
static TYPES: std::sync::LazyLock<TypeTable> = std::sync::LazyLock::new(TypeTable::default);

pub(crate) mod fork;
mod functions;
pub(crate) mod home;

static LOCAL: RuntimeTable = RuntimeTable {
    head: Head::of::<RuntimeTable>(),
    heap: Heap::of_this_binary(),
    allocate: home::allocate_object,
    deallocate: home::deallocate_object,
    count: home::add_count,
    counted: home::read_count,
    get_allocator: home::get_allocator,
    set_allocator: home::set_allocator,
    register_type: home::register_type,
    find_type: home::find_type,
    each_type: home::each_type,
    track: home::track_object,
    destroy: destroy_here,
    unlist: unlist_here,
    wrapper_died: wrapper_died_here,
    postpone: postpone_here,
    walk: home::walk_objects,
    open_frontend: home::open_frontend,
    disarm_frontend: home::disarm_frontend,
    frontends: SLOTS.tables.as_ptr(),
    waiting: &raw const WAITING,
    #[cfg(not(loom))]
    collecting: &raw const COLLECTING,
    // A model makes its own.
    #[cfg(loom)]
    collecting: std::ptr::null(),
    moved: &raw const MOVED,
    detach_epoch: &raw const DETACH_EPOCH,
    register_function: home::register_function,
    get_function: home::get_function,
    remove_function: home::remove_function,
    each_function: home::each_function,
    end_functions: home::end_functions,
    collections: &raw const COLLECTIONS,
    observed: OBSERVERS.count_ptr(),
    tell: event::local::tell_observers,
    observe: event::local::add_observer,
    forget_observer: event::local::remove_observer,
    observe_frontend: event::local::observe_frontend,
    mute: event::local::set_muted,
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
    next: home::next,
};

/// The runtime's own lock of structures.
#[cfg(not(loom))]
static STRUCTURE_LOCK: crate::CellLock = crate::CellLock::new();

/// Where nodes are not model-checked there are none: models have a lock of their own.
#[cfg(loom)]
static STRUCTURE_LOCK: std::sync::LazyLock<crate::CellLock> = std::sync::LazyLock::new(|| unreachable!());

/// Returns the lock of all structures that keep objects, which many objects show a tracer (see
/// [`NodeType`](crate::object::NodeType)). It is taken once in a walk, and never retired.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn structure_lock() -> &'static crate::CellLock {
    // SAFETY: lives for the process.
    unsafe { &*runtime_table().structure_lock }
}

/// Returns whether this is the lock of all structures, and not one of an object's own.
pub(crate) fn is_structure_lock(lock: *const crate::CellLock) -> bool {
    std::ptr::eq(lock, runtime_table().structure_lock)
}

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

/// Marks all types of this binary's own runtime as observed or not.
pub(crate) fn observe_types(on: bool) {
    TYPES.set_observed(on);
}

static CURRENT: AtomicPtr<RuntimeTable> = AtomicPtr::new((&raw const LOCAL).cast_mut());

/// The process's runtime, as this binary knows it.
#[inline]
#[must_use]
pub fn runtime_table() -> &'static RuntimeTable {
    // SAFETY: a runtime's table lives for the process.
    unsafe { &*CURRENT.load(Ordering::Acquire) }
}

/// Whether the process's runtime is this binary's own.
#[cold]
pub(crate) fn owns_runtime() -> bool {
    std::ptr::eq(runtime_table(), &raw const LOCAL)
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
    if let Some(first) = TYPES.type_at(0) {
        return Err(AdoptError::InUse { key: first.key() });
    }
    crate::fork::survive_forks(None);
    CURRENT.store(table.cast_mut(), Ordering::Release);
    Ok(())
}

/// The registered type of a key.
#[must_use]
pub fn find_type(key: &str) -> Option<&'static TypeInfo> {
    // SAFETY: a string; types live for the process.
    unsafe { (runtime_table().find_type)(key.as_ptr(), key.len()).as_ref() }
}

/// All registered types, in the order of their registration. Without memory it unwinds with a
/// `MemoryError`.
#[must_use]
pub fn registered_types() -> Vec<&'static TypeInfo> {
    let (mut all, mut outcome) = (Vec::new(), Ok(()));
    each_type(|info| {
        if outcome.is_ok() {
            outcome = try_push(&mut all, info);
        }
    });
    or_unwind(outcome);
    all
}

/// Calls a function, which must not unwind, with each registered type, in the order of their
/// registration.
pub fn each_type<F: FnMut(&'static TypeInfo)>(mut each: F) {
    unsafe extern "C" fn call_each<F: FnMut(&'static TypeInfo)>(each: *mut c_void, info: *const TypeInfo) {
        // SAFETY: the closure below; types live for the process.
        unsafe { (*each.cast::<F>())(&*info) }
    }
    // SAFETY: the function fits its argument.
    unsafe { (runtime_table().each_type)((&raw mut each).cast(), call_each::<F>) };
}

/// What native collections have done since the process began.
#[must_use]
pub(crate) fn collection_counts() -> &'static Collections {
    // SAFETY: lives for the process.
    unsafe { &*runtime_table().collections }
}

/// The number of releases that wait in deferred queues.
#[inline]
#[must_use]
pub fn waiting_releases() -> &'static AtomicUsize {
    // SAFETY: lives for the process.
    unsafe { &*runtime_table().waiting }
}

/// How often a reference to an object of a frontend was moved from a word into an object of its
/// own, in this process.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn moved_count() -> &'static AtomicUsize {
    // SAFETY: lives for the process.
    unsafe { &*runtime_table().moved }
}

/// How often an object lost its wrapper while it lived on, in this process.
#[inline]
#[must_use]
pub fn detach_epoch() -> &'static AtomicUsize {
    // SAFETY: lives for the process.
    unsafe { &*runtime_table().detach_epoch }
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
