//! [`TypeInfo`]: a registered object type, what is known of it when objects are made, traced and freed.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::members::Members;
use crate::memory::Count;
use crate::object::{Header, Items};
use crate::runtime::runtime;
use crate::serial::{CarryTable, Carrying};
use crate::sync::statics::{AtomicIsize, AtomicPtr, AtomicU32, Ordering};
use crate::trace::{Plan, TracerTable};
use crate::tree::TreeTable;
use crate::types::{Equality, Field, Table};

mod describe;
mod dynamic;

pub use describe::trace_of;
pub(super) use dynamic::DynamicType;

/// One field of an object's value.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FieldInfo {
    /// The name in Rust.
    pub name: &'static str,
    /// Documentation comment; empty when there is none.
    pub doc: &'static str,
    /// The Rust type as written, white space normalised.
    pub rust_type: &'static str,
    /// Bytes from the beginning of the value.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
    /// Whether frontends may set it.
    pub settable: bool,
    /// Shows the references of the field alone, for reports; `None` when it shows none.
    pub trace: Option<TraceFn>,
    /// How its values are taken apart and made again; `None`: not at all.
    pub carry: Option<CarryTable>,
    /// The value where data has none.
    pub default: Option<FieldDefault>,
    /// See [`FieldFlags`].
    pub flags: FieldFlags,
    /// The field of a type that was made at run time.
    pub dynamic: Option<&'static Field>,
}

impl FieldInfo {
    /// Whether the field is the value of the type that its type extends.
    #[must_use]
    pub const fn is_base(&self) -> bool {
        self.flags.has(FieldFlags::BASE)
    }

    /// Whether it is left out of data.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        self.flags.has(FieldFlags::TRANSIENT)
    }
}

/// Properties of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct FieldFlags(pub u32);

impl FieldFlags {
    /// None.
    pub const NONE: FieldFlags = FieldFlags(0);
    /// It is the value of the type that its type extends.
    pub const BASE: FieldFlags = FieldFlags(1);
    /// It is left out of data, and made by its default.
    pub const TRANSIENT: FieldFlags = FieldFlags(2);
    /// Comparing objects by structure leaves it out.
    pub const NOT_COMPARED: FieldFlags = FieldFlags(4);

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn has(self, other: FieldFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: FieldFlags) -> Self {
        FieldFlags(self.0 | other.0)
    }
}

/// Makes the value of a field that data does not have, and drops it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FieldDefault {
    /// Writes a value of the field.
    pub write: unsafe extern "C-unwind" fn(*mut u8, *const FieldInfo),
    /// Drops one.
    pub drop: unsafe extern "C-unwind" fn(*mut u8),
}

/// Properties of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct TypeFlags(pub u32);

impl TypeFlags {
    /// Values can own references: the collector lists objects of the type.
    pub const TRACED: TypeFlags = TypeFlags(1);
    /// Wrappers take attributes, weak references and subclasses.
    pub const ATTRIBUTES: TypeFlags = TypeFlags(2);
    /// `Send + Sync`.
    pub const THREAD_SAFE: TypeFlags = TypeFlags(4);
    /// By the types that it declares, no value leads to an object of a frontend.
    pub const SHAREABLE: TypeFlags = TypeFlags(8);

    /// All objects live for the process, by design: they are nobody's leak.
    pub const CONSTANT: TypeFlags = TypeFlags(16);

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn has(self, other: TypeFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

// `C-unwind`: a destructor may panic, and that is for the thread that dropped the reference, not for the process.
pub(super) type ValueFn = unsafe extern "C-unwind" fn(*mut u8);
/// Shows the references of a value.
pub type TraceFn = unsafe extern "C-unwind" fn(*const u8, *const TracerTable);
/// 0 and 1 for no and yes, anything else for: as the type says.
type ShareFn = unsafe extern "C-unwind" fn(*const u8) -> u8;

/// What has to be done when an object of the type is made or dies, one bit each. None: nothing.
mod hot {
    pub(super) const DROP: u32 = 1;
    pub(super) const ITEMS: u32 = 2;
    pub(super) const TRACED: u32 = 4;
    pub(super) const OBSERVED: u32 = 8;
    pub(super) const TREE: u32 = 16;
}

/// A registered object type. Lives for the process; its address is the type's identity (its low eight bits are free, see
/// [`Header`]).
#[repr(C, align(256))]
pub struct TypeInfo {
    // What making and freeing an object reads comes first, in one cache line.
    hot: AtomicU32,
    abi: u32,
    /// From the beginning of the prefix, without items.
    size: usize,
    align: usize,
    prefix: usize,
    value_offset: usize,
    index: AtomicIsize,
    members: AtomicPtr<Members>,
    drop: Option<ValueFn>,
    trace: TraceFn,
    /// What `trace` shows, if that is known.
    plan: Plan,
    clear: ValueFn,
    shareable: ShareFn,
    items: Option<Items>,
    items_offset: usize,
    key: &'static str,
    version: u32,
    depth: u32,
    base: *const TypeInfo,
    /// From the root (depth 0) to the type itself.
    ancestors: AtomicPtr<*const TypeInfo>,
    fields: &'static [FieldInfo],
    fingerprint: u64,
    flags: TypeFlags,
    /// What threads that have ended counted.
    objects: AtomicIsize,
    wrappers: AtomicIsize,
    equality: Option<Equality>,
    /// Of a type that was made at run time.
    table: Option<&'static Table>,
    carrying: Carrying,
    /// See [`TypeInfo::keep`].
    kept: AtomicPtr<()>,
    tree: Option<&'static TreeTable>,
}

// SAFETY: immutable after registration but for the atomics; the pointers are to other registered types.
unsafe impl Send for TypeInfo {}
// SAFETY: as above.
unsafe impl Sync for TypeInfo {}

impl TypeInfo {
    /// Fills in what is known when the type enters the table; called once, under the table's lock.
    pub(super) fn enter(&self, this: *const TypeInfo, index: usize, observed: bool) {
        let mut chain = vec![this];
        let mut at = self.base;
        // SAFETY: bases are registered types.
        while let Some(info) = unsafe { at.as_ref() } {
            chain.push(at);
            at = info.base;
        }
        chain.reverse();
        self.ancestors.store(
            Box::leak(chain.into_boxed_slice()).as_mut_ptr(),
            Ordering::Release,
        );
        self.index.store(index as isize, Ordering::Release);
        self.observe(observed);
    }

    /// The key, `"module.Name"`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// The module part of the key.
    #[must_use]
    pub fn module(&self) -> &'static str {
        self.key.rsplit_once('.').map_or("", |(module, _)| module)
    }

    /// The name part of the key.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.key.rsplit_once('.').map_or(self.key, |(_, name)| name)
    }

    /// How objects are compared and hashed as keys; `None`: by identity.
    #[must_use]
    pub fn equality(&self) -> Option<&Equality> {
        self.equality.as_ref()
    }

    /// How objects are taken apart and made again.
    #[must_use]
    pub fn carrying(&self) -> &Carrying {
        &self.carrying
    }

    /// Where the links and lists of nodes of a [tree](crate::tree) are; `None` for other types.
    #[inline]
    #[must_use]
    pub fn tree(&self) -> Option<&'static TreeTable> {
        self.tree
    }

    /// Whether objects are nodes of trees.
    #[inline]
    pub(crate) fn is_tree(&self) -> bool {
        self.hot(hot::TREE)
    }

    /// The version that the type declares.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The type that this one extends; `None` for `pairbond.Object`.
    #[must_use]
    pub fn base(&self) -> Option<&'static TypeInfo> {
        // SAFETY: a base is registered and lives for the process.
        unsafe { self.base.as_ref() }
    }

    /// The fields.
    #[must_use]
    pub fn fields(&self) -> &'static [FieldInfo] {
        self.fields
    }

    /// The fields of a type that was made at run time, its bases' included; `None` for a Rust type.
    #[inline]
    #[must_use]
    pub fn table(&self) -> Option<&'static Table> {
        self.table
    }

    /// Keeps something of a frontend's for the type, unless there is something already. It lives for the process.
    pub fn keep(&self, what: std::ptr::NonNull<()>) {
        let none = std::ptr::null_mut();
        let _ = self
            .kept
            .compare_exchange(none, what.as_ptr(), Ordering::AcqRel, Ordering::Acquire);
    }

    /// What a frontend [keeps](Self::keep) for the type.
    #[must_use]
    pub fn kept(&self) -> Option<std::ptr::NonNull<()>> {
        std::ptr::NonNull::new(self.kept.load(Ordering::Acquire))
    }

    /// What the class offers, once a class was registered for the type ([`register`](super::register)).
    #[must_use]
    pub fn members(&self) -> Option<&'static Members> {
        // SAFETY: set once, and never freed.
        unsafe { self.members.load(Ordering::Acquire).as_ref() }
    }

    /// Sets the members, unless another thread was first.
    pub(super) fn set_members(&self, members: Members) {
        let new = Box::into_raw(Box::new(members));
        let place = &self.members;
        if place
            .compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            // SAFETY: nobody saw it.
            drop(unsafe { Box::from_raw(new) });
        }
    }

    /// A small number, dense over the registered types.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.index.load(Ordering::Acquire) as usize
    }

    /// Hash of layout, fields and version.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether this type is `other` or extends it. Constant time.
    #[inline]
    #[must_use]
    pub fn is_a(&self, other: &TypeInfo) -> bool {
        if other.depth > self.depth {
            return false;
        }
        // SAFETY: a registered type has `depth + 1` ancestors.
        let ancestor = unsafe { *self.ancestors.load(Ordering::Acquire).add(other.depth as usize) };
        std::ptr::eq(ancestor, other)
    }

    /// Whether values can own references.
    #[inline]
    #[must_use]
    pub fn is_traced(&self) -> bool {
        self.flags.has(TypeFlags::TRACED)
    }

    /// The type's properties.
    #[must_use]
    pub fn flags(&self) -> TypeFlags {
        self.flags
    }

    /// Objects alive now, over all threads, and how many of them have a wrapper. Exact when nobody makes or destroys any meanwhile.
    #[must_use]
    pub fn counted(&self) -> Count {
        let mut count = Count::default();
        // SAFETY: a registered type, and a place for the count.
        unsafe { (runtime().counted)(self, &mut count) };
        count
    }

    /// Objects alive now.
    #[must_use]
    pub fn live(&self) -> isize {
        self.counted().objects
    }

    /// Adds what a thread that ends has counted.
    pub(crate) fn settle_count(&self, objects: isize, wrappers: isize) {
        self.objects.fetch_add(objects, Ordering::Relaxed);
        self.wrappers.fetch_add(wrappers, Ordering::Relaxed);
    }

    /// What threads that have ended counted.
    pub(crate) fn settled_count(&self) -> Count {
        Count {
            objects: self.objects.load(Ordering::Relaxed),
            wrappers: self.wrappers.load(Ordering::Relaxed),
        }
    }

    /// Whether somebody wants to know what happens to objects of the type.
    #[inline]
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.hot(hot::OBSERVED)
    }

    pub(super) fn observe(&self, on: bool) {
        if on {
            self.hot.fetch_or(hot::OBSERVED, Ordering::Relaxed);
        } else {
            self.hot.fetch_and(!hot::OBSERVED, Ordering::Relaxed);
        }
    }

    #[inline]
    fn hot(&self, bits: u32) -> bool {
        self.hot.load(Ordering::Relaxed) & bits != 0
    }

    /// Whether objects die by giving their memory back, and nothing else.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.hot.load(Ordering::Relaxed) == 0
    }

    /// Bytes of an object without items, from the beginning of the prefix.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Alignment of an object.
    #[inline]
    pub(crate) fn align(&self) -> usize {
        self.align
    }

    #[inline]
    pub(crate) fn value_offset(&self) -> usize {
        self.value_offset
    }

    #[inline]
    pub(crate) fn items_offset(&self) -> usize {
        self.items_offset
    }

    #[inline]
    pub(crate) fn prefix(&self) -> usize {
        self.prefix
    }

    #[inline]
    pub(crate) fn needs_drop(&self) -> bool {
        self.hot(hot::DROP)
    }

    /// The layout of an object with `items` bytes of items, from the beginning of the prefix.
    #[inline]
    pub(crate) fn allocation(&self, items: usize) -> Option<Layout> {
        let size = self.size.checked_add(items)?;
        Layout::from_size_align(size, self.align).ok()
    }

    /// Bytes of items of an object.
    ///
    /// # Safety
    /// The object is of this type and its value still readable (it may be dropped: the length is a plain number).
    #[inline]
    pub(crate) unsafe fn items_size(&self, object: NonNull<Header>) -> usize {
        match self.items {
            None => 0,
            // SAFETY: passed on.
            Some(items) => unsafe {
                (items.len)(object.as_ptr().cast::<u8>().add(self.value_offset)) * items.size
            },
        }
    }

    /// Destroys an object's value and items.
    ///
    /// # Safety
    /// The object is of this type; called once.
    #[inline]
    pub(crate) unsafe fn drop_value(&self, object: NonNull<Header>) {
        /// Drops the value, also when an item's destructor panics.
        struct Value(Option<ValueFn>, *mut u8);
        impl Drop for Value {
            fn drop(&mut self) {
                if let Some(drop) = self.0 {
                    // SAFETY: once, after the items.
                    unsafe { drop(self.1) }
                }
            }
        }
        // SAFETY: passed on.
        unsafe {
            let start = object.as_ptr().cast::<u8>();
            let value = Value(self.drop, start.add(self.value_offset));
            if let Some(items) = self.items
                && let Some(drop) = items.drop
            {
                drop(start.add(self.items_offset), (items.len)(value.1));
            }
        }
    }

    /// Shows an object's references.
    ///
    /// # Safety
    /// The object is alive and of this type; the table's callbacks may be called.
    #[inline]
    pub unsafe fn trace(&self, object: &Header, table: &TracerTable) {
        if self.is_traced() {
            // SAFETY: passed on.
            unsafe { (self.trace)(object.value(), table) }
        }
    }

    /// Where values keep the references that [`trace`](Self::trace) shows.
    #[inline]
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether an object may be shown in several interpreters at once: it leads to no object of a frontend.
    #[must_use]
    pub fn is_shareable(object: &Header) -> bool {
        let info = object.info();
        // SAFETY: a living value of the type.
        match unsafe { (info.shareable)(object.value()) } {
            0 => false,
            1 => true,
            _ => info.flags.has(TypeFlags::SHAREABLE),
        }
    }

    /// Empties an object's mutable references.
    ///
    /// # Safety
    /// The object is alive, of this type, and garbage.
    pub unsafe fn clear(&self, object: &Header) {
        if self.is_traced() {
            // SAFETY: passed on.
            unsafe { (self.clear)(object.value()) }
        }
    }
}

impl std::fmt::Debug for TypeInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TypeInfo({} v{}, {} bytes)", self.key, self.version, self.size)
    }
}
