//! What this binary's own runtime does with its statics. Called only in the binary whose runtime is
//! in use.

use std::ptr::NonNull;

use super::{
    ALLOCATORS, Allocation, Allocator, Count, Counted, FUNCTIONS, Found, FrontendTable, Header, Home, SLOTS,
    TRACKED, TYPES, TypeInfo, Word, c_void, cache, counts,
};
use crate::thread::{Thread, with_thread};
use crate::trace::Tracked;

/// The list of traced objects.
#[inline]
pub(crate) fn tracked_objects() -> &'static Tracked {
    &TRACKED
}

/// Takes an object off the list.
///
/// # Safety
/// An object that `track` listed.
#[inline]
pub(crate) unsafe fn untrack_object(thread: &Thread, object: *mut Header) {
    // SAFETY: the caller's object was listed by `track`.
    #[cfg(not(loom))]
    unsafe {
        tracked_objects().remove(thread, object);
    }
    #[cfg(loom)]
    {
        let _ = thread;
        let untrack = *super::UNTRACK
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        untrack.expect("the model has a list")(object);
    }
}

/// Gives an object's memory back to the allocator that it came from; `what` is still counted until
/// then.
///
/// # Safety
/// The value is destroyed and the header is unreachable.
#[inline(always)]
pub(crate) unsafe fn free_object(thread: &Thread, object: NonNull<Header>, what: Counted) {
    // SAFETY: the header is still readable; the same layout and allocator as in `allocate`.
    unsafe {
        let header = object.as_ref();
        let (info, slot) = (header.info(), header.allocator());
        let size = info.object_size() + info.items_size(object);
        let start = object.as_ptr().cast::<u8>().sub(info.prefix_size());
        give_back(thread, start, size, info.object_align(), slot, what);
    }
}

/// # Safety
/// `memory`, its layout and `slot` are from `allocate`, and no other thread uses the block.
#[inline(always)]
unsafe fn give_back(thread: &Thread, memory: *mut u8, size: usize, align: usize, slot: u8, what: Counted) {
    thread.counts.add_count(what, -1);
    // SAFETY: memory, layout and slot are from `allocate`.
    unsafe {
        if slot == 0 {
            cache::deallocate_block(&thread.bins, memory, size, align);
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

pub(super) unsafe extern "C" fn allocate_object(size: usize, align: usize, what: Counted) -> Allocation {
    let current = ALLOCATORS.current_slot();
    with_thread(|thread| {
        // SAFETY: the caller's layout is valid.
        let memory = unsafe {
            if current == 0 {
                cache::allocate_block(&thread.bins, size, align)
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
pub(super) unsafe extern "C" fn deallocate_object(
    memory: *mut u8,
    size: usize,
    align: usize,
    slot: u8,
    what: Counted,
) {
    // SAFETY: memory that `allocate` returned for this size, alignment and slot, given back once.
    with_thread(|thread| unsafe { give_back(thread, memory, size, align, slot, what) });
}
pub(super) unsafe extern "C" fn add_count(info: *const TypeInfo, objects: isize, wrappers: isize) {
    // SAFETY: a registered type.
    with_thread(|thread| thread.counts.add(unsafe { &*info }, objects, wrappers));
}
pub(super) unsafe extern "C" fn read_count(info: *const TypeInfo, out: *mut Count) {
    // SAFETY: a registered type, and the caller's place.
    unsafe { out.write(counts::current_count(&*info)) }
}
pub(super) unsafe extern "C" fn get_allocator(out: *mut Allocator) {
    // SAFETY: the caller's place for it.
    unsafe { out.write(ALLOCATORS.get(ALLOCATORS.current_slot())) }
}
pub(super) unsafe extern "C" fn set_allocator(new: *const Allocator) -> bool {
    // SAFETY: a valid allocator.
    ALLOCATORS.install_allocator(unsafe { *new })
}
pub(super) unsafe extern "C" fn register_type(info: *const TypeInfo, out: *mut *const TypeInfo) -> bool {
    // SAFETY: the type lives for the process; `out` is the caller's place.
    unsafe {
        let (entered, fits) = TYPES.enter_type(&*info);
        out.write(entered);
        fits
    }
}
pub(super) unsafe extern "C" fn find_type(key: *const u8, len: usize) -> *const TypeInfo {
    // SAFETY: a string of that length.
    let key = unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(key, len)) };
    TYPES.find_type(key).map_or(std::ptr::null(), std::ptr::from_ref)
}
pub(super) unsafe extern "C" fn each_type(
    context: *mut c_void,
    each: unsafe extern "C" fn(*mut c_void, *const TypeInfo),
) {
    let mut index = 0;
    while let Some(info) = TYPES.type_at(index) {
        // SAFETY: the caller's own function and argument.
        unsafe { each(context, info) };
        index += 1;
    }
}
pub(super) unsafe extern "C" fn track_object(object: *mut Header, home: Home) -> bool {
    // SAFETY: a new object of a traced type; the thread that it was allocated on is this one.
    unsafe {
        match home.0.cast::<Thread>().as_ref() {
            Some(thread) => tracked_objects().add(thread, object),
            None => with_thread(|thread| tracked_objects().add(thread, object)),
        }
    }
}
pub(super) unsafe extern "C" fn walk_objects(
    context: *mut c_void,
    shard: unsafe extern "C" fn(*mut c_void, *const *mut Header, usize),
    finish: unsafe extern "C" fn(*mut c_void),
) -> bool {
    TRACKED.walk_shards(
        // SAFETY: the caller's own functions and argument.
        |objects| unsafe { shard(context, objects.as_ptr(), objects.len()) },
        // SAFETY: the caller's own functions and argument.
        || unsafe { finish(context) },
    )
}
pub(super) unsafe extern "C" fn open_frontend(table: *const FrontendTable) -> u16 {
    super::fork::survive_forks();
    SLOTS.open_slot(table)
}
/// # Safety
/// `name` points at `len` bytes of UTF-8 that live for `'a`.
unsafe fn text_of_parts<'a>(name: *const u8, len: usize) -> &'a str {
    // SAFETY: the caller's string.
    unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(name, len)) }
}
pub(super) unsafe extern "C" fn register_function(
    name: *const u8,
    len: usize,
    function: *const Word,
    replace: bool,
) -> bool {
    // SAFETY: a string, and a function that is given away. The old or refused one dies here,
    // outside of the lock.
    let done = unsafe { FUNCTIONS.register_function(text_of_parts(name, len), function.read(), replace) };
    done.is_ok()
}
pub(super) unsafe extern "C" fn get_function(name: *const u8, len: usize, place: *mut Word) -> Found {
    // SAFETY: a string, and the caller's place.
    unsafe {
        let (found, function) = FUNCTIONS.get(text_of_parts(name, len));
        if let Some(function) = function {
            place.write(function);
        }
        found
    }
}
pub(super) unsafe extern "C" fn remove_function(name: *const u8, len: usize, place: *mut Word) -> bool {
    // SAFETY: a string, and the caller's place.
    unsafe {
        match FUNCTIONS.remove(text_of_parts(name, len)) {
            Some(function) => {
                place.write(function);
                true
            }
            None => false,
        }
    }
}
pub(super) unsafe extern "C" fn each_function(
    context: *mut c_void,
    each: unsafe extern "C" fn(*mut c_void, *const u8, usize),
) {
    // SAFETY: the caller's own function and argument; it only copies the name.
    FUNCTIONS.each_name(|name| unsafe { each(context, name.as_ptr(), name.len()) });
}
pub(super) unsafe extern "C" fn end_functions(tag: u16) {
    FUNCTIONS.end_interpreter(tag);
}
pub(super) unsafe extern "C" fn disarm_frontend(tag: u16) -> bool {
    SLOTS.disarm_slot(tag)
}
#[cfg(pairbond_next_abi)]
pub(super) unsafe extern "C" fn next() -> u32 {
    super::NEXT
}
