//! The layout of an object, and the way from its header to its type and value.
//!
//! The header itself is in [`custody`](crate::custody).

use std::alloc::Layout;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::destroy::destroy_object;
use super::reach::Reach;
use super::trace::Trace;
use crate::custody::{Died, Header, Prefix, Released, value_offset};
use crate::event::{Kind, notify_object_event};
use crate::layout::{LayoutWriter, Origin};
use crate::memory::{Counted, memory_table};
use crate::types::{Carrying, Equality, FieldInfo, Items, NodeType, TypeCell, TypeInfo};

/// The layout of objects of a type, without items.
pub struct Shape<T>(PhantomData<T>);

impl<T: Object> Shape<T> {
    pub(crate) const ALIGN: usize = if align_of::<T>() < align_of::<Header>() {
        align_of::<Header>()
    } else {
        align_of::<T>()
    };
    /// Bytes before the header.
    pub(crate) const PREFIX: usize = if T::TRACED {
        size_of::<Prefix>().next_multiple_of(Self::ALIGN)
    } else {
        0
    };
    /// From the header to the value.
    pub const OFFSET: usize = value_offset(align_of::<T>());
    /// From the header to the end of the value.
    pub const END: usize = Self::OFFSET + size_of::<T>();
    /// The whole allocation.
    pub(crate) const LAYOUT: Layout = match Layout::from_size_align(Self::PREFIX + Self::END, Self::ALIGN) {
        Ok(layout) => layout,
        Err(_) => panic!("a type as large as memory"),
    };
}

/// A type whose values can be native objects. `#[pairbond::object]` implements it.
///
/// # Safety
/// `cell` returns the same cell at each call and no other type's; with a `Base` that is not
/// [`Root`](super::Root) the value begins with the base's; `FIELDS` and `THREAD_SAFE` are true of
/// the type; what `FIELDS` and `layout` show is the whole layout of the type, or `VERSION` changes
/// when that does.
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
    /// Whether the class itself refuses to be changed, as the classes of Python's own types do (its
    /// instances and subclasses do not). Calling such a class is cheaper: an interpreter can rely
    /// on it.
    const IMMUTABLE_TYPE: bool = false;
    /// Whether attributes are read more than methods are called, so that an interpreter should make
    /// reading fast where it has to choose.
    const FAST_GETTERS: bool = false;
    /// Whether all objects live for the process, by design.
    const CONSTANT: bool = false;
    /// How a structure keeps the objects, if they are nodes of one; `None` for other types. What
    /// extends a node is one.
    const NODE: Option<NodeType> = None;
    /// Whether the type is `Send + Sync`.
    const THREAD_SAFE: bool;
    /// The crate that defines it.
    const ORIGIN: Origin = Origin::UNKNOWN;
    /// All fields with their offsets.
    const FIELDS: &'static [FieldInfo] = &[];
    /// The type that this one extends.
    type Base: Object;
    /// The trailing array of a type that is [`WithItems`](super::WithItems).
    #[must_use]
    fn items() -> Option<Items> {
        None
    }
    /// How objects of the type are compared and hashed as keys; `None`: as those of the base, which
    /// is by identity in the end.
    #[must_use]
    fn equality() -> Option<Equality> {
        None
    }
    /// How objects are taken apart and made again (`carry` in the crate `pairbond-value`).
    #[must_use]
    fn carrying() -> Carrying {
        Carrying::opaque()
    }
    /// Shows what [`FIELDS`](Self::FIELDS) does not show of the layout: the variants of an enum.
    fn write_extra_layout(to: &mut LayoutWriter) {
        let _ = to;
    }
    /// Shows the object types that fields mention, also those that collectors are not shown.
    fn visit_types(reach: &mut Reach) {
        Self::visit_reachable(reach);
    }
    /// Where the registered [`TypeInfo`] is kept.
    fn type_cell() -> &'static TypeCell;

    /// The registered type, registering it the first time.
    ///
    /// # Panics
    /// When the key is taken by a type with another layout: [`TypeCell::register`] returns that
    /// error instead.
    #[inline]
    #[must_use]
    fn info() -> &'static TypeInfo {
        match Self::type_cell().get() {
            Some(info) => info,
            None => TypeCell::register_or_panic::<Self>(),
        }
    }
}

impl Header {
    /// Whether the object is of type `T` or extends it.
    #[inline]
    #[must_use]
    pub fn is<T: Object>(&self) -> bool {
        let wanted = T::info();
        let info = self.info();
        std::ptr::eq(info, wanted) || info.is_a(wanted)
    }

    /// Counts a wrapper that comes (1) or goes (−1) while the object lives.
    pub fn count_wrapper(&self, by: isize) {
        // SAFETY: a registered type.
        unsafe { (memory_table().count)(self.info(), 0, by) }
    }

    /// Counts a strong reference and returns the pointer to it.
    ///
    /// # Safety
    /// The caller holds a strong reference.
    #[inline]
    pub(crate) unsafe fn acquire(this: NonNull<Header>) -> NonNull<Header> {
        // SAFETY: the caller's reference keeps the object alive.
        if unsafe { this.as_ref() }.custody().acquire_fast() {
            // SAFETY: the caller holds a strong reference, which has just been counted.
            return unsafe { acquire_watched(this) };
        }
        this
    }

    /// Drops a strong reference and does what that leaves to do.
    ///
    /// # Safety
    /// The caller gives away a strong reference of its own.
    #[inline]
    pub(crate) unsafe fn release(this: NonNull<Header>) {
        // SAFETY: the caller's reference keeps the object alive until this call has dropped it.
        if unsafe { this.as_ref() }.custody().release_fast() {
            // SAFETY: the caller gave its reference away, and it was the last.
            unsafe { release_last(this) }
        }
    }
}

/// Returns its argument, and the compiler must not know: then the fast path has nothing to save
/// over the call.
///
/// # Safety
/// The caller holds the reference that it has just counted.
#[cold]
#[inline(never)]
unsafe fn acquire_watched(this: NonNull<Header>) -> NonNull<Header> {
    // SAFETY: the caller's reference keeps the object.
    unsafe { this.as_ref() }.custody().acquire_slow();
    std::hint::black_box(this)
}

/// The last reference was dropped.
///
/// # Safety
/// Called by the thread that dropped it, once.
#[cold]
#[inline(never)]
unsafe fn release_last(this: NonNull<Header>) {
    // SAFETY: the object lives until the protocol's duty to destroy it is done, here or elsewhere.
    unsafe {
        let header = this.as_ref();
        let info = header.info();
        // What others did to the object before they dropped it happened before this load.
        if header.custody().state().is_last_reference() && info.is_plain() {
            // No other reference exists, and nothing else is left: most objects without references
            // in them end here.
            (memory_table().deallocate)(
                this.as_ptr().cast(),
                info.object_size(),
                info.object_align(),
                header.allocator(),
                Counted::of_object(info, false),
            );
        } else {
            run_release_action(this, header.custody().release_slow());
        }
    }
}

/// Does what a transition left to do.
///
/// # Safety
/// `duty` came from a transition of this object and is settled once.
#[cold]
pub unsafe fn run_release_action(object: NonNull<Header>, duty: Released) {
    match duty {
        Released::Shared => {}
        // SAFETY: the protocol gave this thread the duty; in a tree it may be another than to
        // destroy.
        Released::Destroy => unsafe {
            match object.as_ref().info().node() {
                Some(node) => (node.hooks().released)(object),
                None => destroy_object(object),
            }
        },
        Released::HandedOver(pair) => {
            let frontend = crate::frontend::frontend_of(pair.tag());
            if frontend.is_disarmed() {
                // The wrapper went with its interpreter, so no other thread destroys the object
                // with it. SAFETY: alive until the duty to destroy is done; the protocol gives it
                // to this thread.
                unsafe {
                    if crate::frontend::is_orphan(pair)
                        && object.as_ref().custody().wrapper_died() == Died::Destroy
                    {
                        destroy_object(object);
                    }
                }
            } else {
                // SAFETY: the object's counted reference to the wrapper is ours to release; until
                // then both live.
                unsafe {
                    notify_object_event(Kind::HandedOver, object.as_ref(), pair.tag());
                    frontend.release_wrapper(pair.wrapper());
                }
            }
        }
    }
}

/// Gives an object's memory back to the allocator that it came from; `what` is still counted until
/// then.
///
/// # Safety
/// The value is destroyed and the header is unreachable.
pub(crate) unsafe fn free_object(object: NonNull<Header>, what: Counted) {
    // SAFETY: the header is still readable.
    let (info, slot, items) = unsafe {
        let header = object.as_ref();
        (
            header.info(),
            header.allocator(),
            header.info().items_size(object),
        )
    };
    let layout = info
        .allocation_layout(items)
        .expect("the layout that the object was allocated with");
    // SAFETY: the same layout and allocator as in `allocate`.
    unsafe {
        let start = object.as_ptr().cast::<u8>().sub(info.prefix_size());
        (memory_table().deallocate)(start, layout.size(), layout.align(), slot, what);
    }
}
