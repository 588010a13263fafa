//! [`MemoryTable`]: memory of objects, and counts of them, from the process's runtime. What this
//! binary's own runtime does for it stands below.

use std::ffi::c_void;

use super::allocator::Allocators;
use super::{Allocator, Count, Counted, Thread, counts, with_thread};
use crate::alloc;
use crate::fork::{StaticLocks, hold_over_forks};
use crate::sync::ProcessWide;
use crate::types::TypeInfo;

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

/// The runtime's functions for memory and counts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MemoryTable {
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
}

impl MemoryTable {
    /// This binary's own.
    pub(crate) const HERE: MemoryTable = MemoryTable {
        allocate: allocate_object,
        deallocate: deallocate_object,
        count: add_count,
        counted: read_count,
        get_allocator,
        set_allocator,
    };
}

static HERE: MemoryTable = MemoryTable::HERE;
static CURRENT: ProcessWide<MemoryTable> = ProcessWide::new(&HERE);

/// The process's.
#[inline]
pub(crate) fn memory_table() -> &'static MemoryTable {
    CURRENT.get()
}

/// Makes this binary use another's.
pub(crate) fn adopt_memory(table: &'static MemoryTable) {
    CURRENT.adopt(table);
}

static ALLOCATORS: Allocators = Allocators::new();

impl Home {
    /// What this binary's runtime keeps for the thread, if it was looked up.
    ///
    /// # Safety
    /// Called in the binary that made it, on the thread that it is for.
    #[inline]
    pub(crate) unsafe fn thread<'a>(self) -> Option<&'a Thread> {
        // SAFETY: it is this thread's, which lives as long as the thread runs.
        unsafe { self.0.cast::<Thread>().as_ref() }
    }
}

/// Gives memory back to the allocator that it came from; `what` is counted until then.
///
/// # Safety
/// `memory`, its layout and `slot` are from `allocate`, and no other thread uses the block.
#[inline(always)]
pub(crate) unsafe fn give_back(
    thread: &Thread,
    memory: *mut u8,
    size: usize,
    align: usize,
    slot: u8,
    what: Counted,
) {
    thread.counts.add_count(what, -1);
    // SAFETY: memory, layout and slot are from `allocate`.
    unsafe {
        if slot == 0 {
            alloc::deallocate_block(&thread.bins, memory, size, align);
        } else {
            give_back_elsewhere(memory, size, align, slot);
        }
    }
}

/// # Safety
/// As for `give_back`.
#[cold]
unsafe fn give_back_elsewhere(memory: *mut u8, size: usize, align: usize, slot: u8) {
    let allocator = ALLOCATORS.get(slot);
    // SAFETY: memory of that allocator with this size and alignment, which the caller uses no more.
    unsafe { (allocator.deallocate)(allocator.context, memory, size, align) };
}

unsafe extern "C" fn allocate_object(size: usize, align: usize, what: Counted) -> Allocation {
    let current = ALLOCATORS.current_slot();
    with_thread(|thread| {
        // SAFETY: the caller's layout is valid.
        let memory = unsafe {
            if current == 0 {
                alloc::allocate_block(&thread.bins, size, align)
            } else {
                allocate_elsewhere(size, align, current)
            }
        };
        if !memory.is_null() {
            thread.counts.add_count(what, 1);
        }
        Allocation {
            memory,
            origin: std::ptr::from_ref(thread)
                .cast::<c_void>()
                .map_addr(|a| a | usize::from(current)),
        }
    })
}

/// # Safety
/// `align` is a power of two, and `size` is not 0.
#[cold]
unsafe fn allocate_elsewhere(size: usize, align: usize, slot: u8) -> *mut u8 {
    let allocator = ALLOCATORS.get(slot);
    // SAFETY: the caller's size is not 0, and its alignment a power of two.
    unsafe { (allocator.allocate)(allocator.context, size, align) }
}

unsafe extern "C" fn deallocate_object(memory: *mut u8, size: usize, align: usize, slot: u8, what: Counted) {
    // SAFETY: memory that `allocate` returned for this size, alignment and slot, given back once.
    with_thread(|thread| unsafe { give_back(thread, memory, size, align, slot, what) });
}

unsafe extern "C" fn add_count(info: *const TypeInfo, objects: isize, wrappers: isize) {
    // SAFETY: a registered type.
    with_thread(|thread| thread.counts.add(unsafe { &*info }, objects, wrappers));
}

unsafe extern "C" fn read_count(info: *const TypeInfo, out: *mut Count) {
    // SAFETY: a registered type, and the caller's place.
    unsafe { out.write(counts::current_count(&*info)) }
}

unsafe extern "C" fn get_allocator(out: *mut Allocator) {
    // SAFETY: the caller's place for it.
    unsafe { out.write(ALLOCATORS.get(ALLOCATORS.current_slot())) }
}

unsafe extern "C" fn set_allocator(new: *const Allocator) -> bool {
    hold_over_forks(StaticLocks::Allocators, || ALLOCATORS.try_hold());
    // SAFETY: a valid allocator.
    ALLOCATORS.install_allocator(unsafe { *new })
}
