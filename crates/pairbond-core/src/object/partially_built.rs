//! [`Unfinished`]: how every object is made: memory and header first, then its value where it
//! stays, and then it is there for everybody.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::objects_table::objects_table;
use crate::custody::{Custody, Header, Pair};
use crate::event::{Kind, notify_object_event};
use crate::memory::{AllocationError, Counted, Home, memory_table};
use crate::types::TypeInfo;

/// In whose custody an object is born.
#[derive(Clone, Copy)]
pub enum Birth {
    /// Of one native reference.
    Native,
    /// Of a wrapper.
    Wrapped(Pair),
    /// None: a node whose place in a tree will keep it.
    Asleep,
}

impl From<Option<Pair>> for Birth {
    #[inline(always)]
    fn from(pair: Option<Pair>) -> Self {
        pair.map_or(Birth::Native, Birth::Wrapped)
    }
}

/// An object whose value is not there yet: gives the memory back when it does not come.
pub struct Unfinished {
    header: NonNull<Header>,
    info: &'static TypeInfo,
    layout: Layout,
    prefix: usize,
    /// Whether it was to be born with a wrapper.
    wrapped: bool,
}

impl Unfinished {
    /// Allocates an object with room for `bytes` of items, and writes its header: with a pair, in
    /// the custody of a wrapper. Home is where it will be listed.
    ///
    /// # Errors
    /// The allocator's refusal; nothing is left behind.
    #[doc(hidden)]
    #[inline]
    pub fn new(
        info: &'static TypeInfo,
        pair: Option<Pair>,
        bytes: usize,
    ) -> Result<(Self, Home), AllocationError> {
        let layout = info.allocation_layout(bytes).ok_or(AllocationError)?;
        // SAFETY: the layout was computed from this type.
        unsafe { Self::with_layout(info, pair.into(), layout, info.prefix_size()) }
    }

    /// The same, by who knows the layout already.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Safety
    /// Layout and prefix are the type's, with the items' bytes.
    #[inline]
    pub(crate) unsafe fn with_layout(
        info: &'static TypeInfo,
        birth: Birth,
        layout: Layout,
        prefix: usize,
    ) -> Result<(Self, Home), AllocationError> {
        let wrapped = matches!(birth, Birth::Wrapped(_));
        // SAFETY: the layout is not empty: it has a header.
        let made = unsafe {
            (memory_table().allocate)(layout.size(), layout.align(), Counted::of_object(info, wrapped))
        };
        if made.memory.is_null() {
            return Err(AllocationError);
        }
        // SAFETY: the allocation begins with the prefix, if any, and has room for the header behind
        // it.
        let header = unsafe {
            let header = made.memory.add(prefix).cast::<Header>();
            let custody = match birth {
                Birth::Native => Custody::new_native(),
                Birth::Wrapped(pair) => Custody::new_wrapped(pair),
                Birth::Asleep => Custody::new_asleep(),
            };
            header.write(Header::of_type(custody, info, made.slot()));
            // For `Header::object_ptr`.
            let _ = header.expose_provenance();
            NonNull::new_unchecked(header)
        };
        let unfinished = Unfinished {
            header,
            info,
            layout,
            prefix,
            wrapped,
        };
        Ok((unfinished, made.home()))
    }

    /// The object, which has not been shared.
    #[inline(always)]
    pub(crate) fn header(&self) -> NonNull<Header> {
        self.header
    }

    /// Its type.
    #[doc(hidden)]
    pub fn info(&self) -> &'static TypeInfo {
        self.info
    }

    /// Where its value comes.
    #[doc(hidden)]
    #[inline(always)]
    pub fn value(&self) -> *mut u8 {
        // SAFETY: within the allocation.
        unsafe { self.header.as_ptr().cast::<u8>().add(self.info.value_offset()) }
    }

    /// The object is there: lists it, if it is traced, and tells who observes. The reference is the
    /// caller's (or, with a pair, the wrapper's).
    ///
    /// # Errors
    /// There is no memory to list it; value and items are dropped.
    ///
    /// # Safety
    /// The value is written, and all items. `traced` is the type's.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn finish(self, home: Home, traced: bool) -> Result<NonNull<Header>, AllocationError> {
        let header = self.header;
        // SAFETY: the object is complete; it is listed once.
        unsafe {
            if traced && !(objects_table().track)(header.as_ptr(), home) {
                self.drop_value();
                return Err(AllocationError);
            }
            std::mem::forget(self);
            notify_object_event(Kind::Made, header.as_ref(), 0);
        }
        Ok(header)
    }

    /// Drops the value and all items of an object that could not be listed, then gives its memory
    /// back.
    ///
    /// # Safety
    /// They are written; the object has not been shared.
    #[cold]
    #[inline(never)]
    unsafe fn drop_value(self) {
        // SAFETY: value and items are written, and are dropped once.
        unsafe { self.info.drop_value(self.header) }
    }
}

impl Drop for Unfinished {
    #[cold]
    fn drop(&mut self) {
        // SAFETY: as it was allocated; the object has not been shared.
        unsafe {
            let start = self.header.as_ptr().cast::<u8>().sub(self.prefix);
            let slot = self.header.as_ref().allocator();
            let what = Counted::of_object(self.info, self.wrapped);
            (memory_table().deallocate)(start, self.layout.size(), self.layout.align(), slot, what);
        }
    }
}
