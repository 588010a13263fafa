//! The layout of an object, and the way from its header to its type and value.
//!
//! This is a contract between separately built binaries: `repr(C)`, asserted below, versioned by [`ABI_VERSION`]. What comes *before* a
//! header is not part of it: allocation and release go through the runtime's table.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::custody::{Custody, Released};
use super::destroy::destroy;
use super::items::Items;
use super::pair::Pair;
use crate::error::Error;
use crate::memory::AllocationError;
use crate::runtime::runtime;
use crate::trace::Trace;
use crate::types::{FieldInfo, TypeCell, TypeInfo};

/// Version of everything that separately built binaries share: header, tables, custody protocol.
pub const ABI_VERSION: u32 = 1;

/// The 24 bytes before each object's value.
#[repr(C)]
pub struct Header {
    custody: Custody,
    /// `*const TypeInfo`; the low eight bits, which its alignment leaves free, are the slot of the allocator.
    type_word: usize,
}

/// What the runtime keeps before the header of an object that can own references: where the object is listed, and a
/// collector's note. Sixteen bytes; absent for other types.
#[repr(C)]
pub struct Prefix {
    /// Index in the shard.
    pub index: u32,
    /// The shard that lists the object.
    pub shard: u32,
    /// The object's number in the snapshot of that epoch.
    pub note: u32,
    /// The epoch of the note.
    pub epoch: u32,
}

#[cfg(not(loom))]
const _: () = {
    assert!(size_of::<Header>() == 24);
    assert!(align_of::<Header>() == 8);
    assert!(size_of::<Prefix>() == 16);
};

/// Where the value of a type begins, counted from the header.
#[must_use]
pub const fn value_offset(align: usize) -> usize {
    let align = if align < 8 { 8 } else { align };
    size_of::<Header>().div_ceil(align) * align
}

/// A type whose values can be native objects. `#[pairbond::object]` implements it.
///
/// # Safety
/// `cell` returns the same cell at each call and no other type's; with a `Base` that is not [`Root`](super::Root) the value begins
/// with the base's; `FIELDS` and `THREAD_SAFE` are true of the type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a pairbond object",
    label = "not marked `#[pairbond::object(\"module.Name\")]`"
)]
pub unsafe trait Object: Trace + Sized + 'static {
    /// The type's key, `"module.Name"`.
    const KEY: &'static str;
    /// Version of the type's layout and meaning, for the message when two disagree.
    const VERSION: u32 = 1;
    /// Whether wrappers take attributes, weak references and subclasses.
    const ATTRIBUTES: bool = true;
    /// Whether the type is `Send + Sync`.
    const THREAD_SAFE: bool;
    /// All fields with their offsets.
    const FIELDS: &'static [FieldInfo] = &[];
    /// The type that this one extends.
    type Base: Object;
    /// The trailing array of a type that is [`WithItems`](super::WithItems).
    #[must_use]
    fn items() -> Option<Items> {
        None
    }
    /// Where the registered [`TypeInfo`] is kept.
    fn cell() -> &'static TypeCell;

    /// The registered type, registering it the first time.
    ///
    /// # Panics
    /// When the key is taken by a type with another layout: [`TypeCell::register`] returns that error instead.
    #[inline]
    #[must_use]
    fn info() -> &'static TypeInfo {
        match Self::cell().get() {
            Some(info) => info,
            None => TypeCell::register_or_panic::<Self>(),
        }
    }
}

impl Header {
    pub(crate) const ALLOCATOR: usize = 0xff;

    /// The custody words.
    #[inline]
    #[must_use]
    pub fn custody(&self) -> &Custody {
        &self.custody
    }

    /// The object's exact type.
    #[inline]
    #[must_use]
    pub fn info(&self) -> &'static TypeInfo {
        let info = std::ptr::with_exposed_provenance::<TypeInfo>(self.type_word & !Self::ALLOCATOR);
        // SAFETY: written by `allocate` from a registered type, which lives for the process.
        unsafe { &*info }
    }

    #[inline]
    pub(crate) fn allocator(&self) -> u8 {
        (self.type_word & Self::ALLOCATOR) as u8
    }

    /// The value's address.
    #[inline]
    #[must_use]
    pub fn value(&self) -> *mut u8 {
        std::ptr::from_ref(self).cast_mut().cast::<u8>().wrapping_add(self.info().value_offset())
    }

    /// Whether the object is of type `T` or extends it.
    #[inline]
    #[must_use]
    pub fn is<T: Object>(&self) -> bool {
        let wanted = T::info();
        let info = self.info();
        std::ptr::eq(info, wanted) || info.is_a(wanted)
    }

    /// The prefix of a traced object.
    ///
    /// # Safety
    /// The object's type is traced, and the caller holds what guards the field it touches (the shard's lock, or a collection).
    #[must_use]
    pub unsafe fn prefix(&self) -> *mut Prefix {
        std::ptr::from_ref(self).cast_mut().cast::<Prefix>().wrapping_sub(1)
    }

    /// Counts a strong reference; the caller must hold one (or have seen that one is held).
    #[inline]
    pub(crate) fn acquire(&self) {
        self.custody.acquire();
    }

    /// Drops a strong reference and does what that leaves to do.
    ///
    /// # Safety
    /// The caller gives away a strong reference of its own.
    #[inline]
    pub(crate) unsafe fn release(this: NonNull<Header>) {
        // SAFETY: the caller's reference keeps the object alive until this call has dropped it.
        match unsafe { this.as_ref() }.custody.release() {
            Released::Shared => {}
            // SAFETY: passed on.
            duty => unsafe { settle(this, duty) },
        }
    }
}

/// Does what a transition left to do.
///
/// # Safety
/// `duty` came from a transition of this object and is settled once.
#[cold]
pub(crate) unsafe fn settle(object: NonNull<Header>, duty: Released) {
    match duty {
        Released::Shared => {}
        // SAFETY: the protocol gave this thread the duty to destroy.
        Released::Destroy => unsafe { destroy(object) },
        Released::HandedOver(pair) => {
            // SAFETY: the object's counted reference to the wrapper is ours to release.
            unsafe { crate::frontend::frontend(pair.tag()).release(pair.wrapper()) }
        }
    }
}

/// Allocates an object and writes its header; the caller writes the value and `items` bytes behind it.
///
/// # Errors
/// The allocator's refusal; nothing is left behind.
///
/// # Safety
/// The value must be written before anybody else sees the object, in particular before a traced object is
/// [tracked](crate::runtime::RuntimeTable).
#[inline]
pub(crate) unsafe fn allocate(
    info: &'static TypeInfo,
    pair: Option<Pair>,
    items: usize,
) -> Result<NonNull<Header>, Error> {
    let layout = info.allocation(items).ok_or(AllocationError)?;
    let mut slot = 0;
    // SAFETY: the layout is not empty: it has a header.
    let start = unsafe { (runtime().allocate)(layout.size(), layout.align(), &mut slot) };
    if start.is_null() {
        return Err(AllocationError.into());
    }
    // SAFETY: the allocation begins with the prefix, if any, and has room for the header behind it.
    unsafe {
        let header = start.add(info.prefix()).cast::<Header>();
        header.write(Header {
            custody: match pair {
                None => Custody::native(),
                Some(pair) => Custody::wrapped(pair),
            },
            type_word: std::ptr::from_ref(info).expose_provenance() | usize::from(slot),
        });
        info.count(1);
        Ok(NonNull::new_unchecked(header))
    }
}

/// Gives an object's memory back to the allocator that it came from.
///
/// # Safety
/// The value is destroyed and nobody can reach the header any more.
pub(crate) unsafe fn free(object: NonNull<Header>) {
    // SAFETY: the header is still readable.
    let (info, slot, items) = unsafe {
        let header = object.as_ref();
        (header.info(), header.allocator(), header.info().items_size(object))
    };
    let layout: Layout = info.allocation(items).expect("the layout that the object was allocated with");
    // SAFETY: the same layout and allocator as in `allocate`.
    unsafe {
        let start = object.as_ptr().cast::<u8>().sub(info.prefix());
        (runtime().deallocate)(start, layout.size(), layout.align(), slot);
    }
}
