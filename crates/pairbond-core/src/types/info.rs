//! [`TypeInfo`]: a registered object type with its properties. `objects` uses it when objects are
//! traced and freed; `describe`, `dynamic` and `external` make one.

use std::ptr::NonNull;

use super::members::Members;
use crate::custody::Prefix;
use crate::layout::{Origin, Part};
use crate::sync::statics::{AtomicIsize, AtomicPtr, AtomicU32, Ordering};
use crate::types::{Carrying, Equality, Items, NodeType, Plan, TracerTable};

mod class_watch;
mod dynamic;
mod external;
mod field;
mod instances;
mod rust;

pub use class_watch::{ClassRecord, forget_classes, note_unchanged_class, record_class};
pub use dynamic::{DescribedBy, DynamicFunctions, DynamicType, Opaque};
pub use external::ExternalType;
pub use field::{FieldDefault, FieldFlags, FieldInfo};
pub(crate) use rust::RustType;

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

    /// All objects live for the process, by design: they are not leaks.
    pub const CONSTANT: TypeFlags = TypeFlags(16);
    /// See [`Object::FAST_GETTERS`](crate::object::Object::FAST_GETTERS).
    pub const FAST_GETTERS: TypeFlags = TypeFlags(32);

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn contains(self, other: TypeFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Does something with a value, such as destroy it. (`C-unwind`: a destructor may panic, which is
/// for the thread that dropped the reference, and not for the process.)
pub type ValueFn = unsafe extern "C-unwind" fn(*mut u8);
/// Shows the references of a value.
pub type TraceFn = unsafe extern "C-unwind" fn(*const u8, *const TracerTable);
/// 0 and 1 for no and yes, anything else for: as the type says.
type ShareFn = unsafe extern "C-unwind" fn(*const u8) -> u8;

/// What has to be done when an object of the type is made or dies, one bit each.
mod hot {
    pub(super) const DROP: u32 = 1;
    pub(super) const ITEMS: u32 = 2;
    pub(super) const TRACED: u32 = 4;
    pub(super) const OBSERVED: u32 = 8;
    pub(super) const NODE: u32 = 16;
    pub(super) const NATIVE_FIELDS: u32 = 32;
    /// `classes` is there: not in the types of binaries that were built before it was added. Their
    /// `TypeInfo` is as large, because of its alignment.
    pub(super) const CLASSES: u32 = 64;
    /// All that is work when an object dies.
    pub(super) const WORK: u32 = !CLASSES;
}

/// A registered object type. Lives for the process; its address is the type's identity (its low
/// eight bits are free, see [`Header`](crate::object::Header)).
#[repr(C, align(256))]
pub struct TypeInfo {
    // What making and freeing an object reads comes first, in one cache line.
    hot: AtomicU32,
    /// Bytes of this struct, as the binary that made it knows it: it grows at the end only.
    bytes: u32,
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
    /// Hash of everything that two binaries must agree on to share objects of the type.
    fingerprint: [u64; 2],
    flags: TypeFlags,
    /// What threads that have ended counted.
    objects: AtomicIsize,
    wrappers: AtomicIsize,
    equality: Option<Equality>,
    /// Of a type that was made at run time.
    table: Option<&'static Opaque>,
    carrying: Carrying,
    /// See [`TypeInfo::keep_frontend_data`].
    kept: AtomicPtr<()>,
    node: Option<NodeType>,
    /// What the fingerprint consists of, for the message when two differ. Its owner, as
    /// [`discard`](Self::discard) frees it: for the process, once the type was entered.
    parts: NonNull<[Part]>,
    origin: Origin,
    /// Stands for the binary that registered it.
    binary: *const u8,
    /// Hash of the compiler's identity of the Rust type; 0 where there is none.
    rust_type: u64,
    /// The classes that frontends have for it.
    classes: class_watch::Classes,
}

unsafe extern "C-unwind" fn trace_nothing(_: *const u8, _: *const TracerTable) {}
unsafe extern "C-unwind" fn clear_nothing(_: *mut u8) {}
/// As the type says.
unsafe extern "C-unwind" fn as_type_says(_: *const u8) -> u8 {
    u8::MAX
}

/// Bytes before the header of an object of that alignment.
fn prefix_bytes(traced: bool, align: usize) -> usize {
    if traced {
        size_of::<Prefix>().next_multiple_of(align)
    } else {
        0
    }
}

/// Its address stands for this binary.
static BINARY: u8 = 0;

// SAFETY: immutable after registration but for the atomics; the pointers are to other registered
// types.
unsafe impl Send for TypeInfo {}
// SAFETY: immutable after registration but for the atomics; the pointers are to other registered
// types.
unsafe impl Sync for TypeInfo {}

impl TypeInfo {
    /// A type that is none of Rust's, and extends `base`: without a value, and with the base's
    /// equality.
    fn beside_rust(key: &'static str, base: &'static TypeInfo) -> Self {
        TypeInfo {
            hot: AtomicU32::new(hot::CLASSES),
            bytes: size_of::<TypeInfo>() as u32,
            size: 0,
            align: 1,
            prefix: 0,
            value_offset: 0,
            index: AtomicIsize::new(-1),
            members: AtomicPtr::new(std::ptr::null_mut()),
            drop: None,
            trace: trace_nothing,
            plan: Plan::NOTHING,
            clear: clear_nothing,
            shareable: as_type_says,
            items: None,
            items_offset: 0,
            key,
            version: 1,
            depth: base.depth + 1,
            base,
            ancestors: AtomicPtr::new(std::ptr::null_mut()),
            fields: &[],
            fingerprint: [0; 2],
            flags: TypeFlags(0),
            objects: AtomicIsize::new(0),
            wrappers: AtomicIsize::new(0),
            equality: base.equality,
            table: None,
            carrying: Carrying::opaque(),
            kept: AtomicPtr::new(std::ptr::null_mut()),
            node: None,
            parts: NonNull::from(&mut []),
            origin: Origin::UNKNOWN,
            binary: std::ptr::null(),
            rust_type: 0,
            classes: class_watch::Classes::new(),
        }
    }

    /// Fills in the rest when the type enters the table; called once, under the table's lock.
    pub(super) fn fill_entry(&self, this: *const TypeInfo, index: usize, observed: bool) {
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
        // SAFETY: a base is a registered type.
        let base = unsafe { self.base.as_ref() };
        if let (Some(classes), Some(of_base)) = (self.classes(), base.and_then(|base| base.classes())) {
            classes.inherit_records(of_base);
        }
        self.index.store(index as isize, Ordering::Release);
        self.set_observed(observed);
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

    /// How a structure keeps the objects, if they are nodes of one.
    #[inline]
    #[must_use]
    pub fn node(&self) -> Option<&NodeType> {
        if self.is_node() { self.node.as_ref() } else { None }
    }

    /// Whether objects are nodes of a structure, such as a tree.
    #[inline]
    #[must_use]
    pub fn is_node(&self) -> bool {
        self.has_hot_bits(hot::NODE)
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

    /// Returns whether the type was made at run time, and has a [table](Self::table).
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.table.is_some()
    }

    /// The fields of a type that was made at run time, its bases' included; `None` for a Rust type.
    #[inline]
    #[must_use]
    pub fn table<D: 'static>(&self) -> Option<&'static D>
    where
        TypeInfo: DescribedBy<D>,
    {
        // SAFETY: that is what the description is of, as the trait's implementation promises.
        self.table
            .map(|table| unsafe { &*std::ptr::from_ref(table).cast::<D>() })
    }

    /// Keeps something of a frontend's for the type, unless there is something already (for an enum
    /// without data: the objects of its variants). It lives for the process.
    pub fn keep_frontend_data(&self, what: NonNull<()>) {
        let none = std::ptr::null_mut();
        let _ = self
            .kept
            .compare_exchange(none, what.as_ptr(), Ordering::AcqRel, Ordering::Acquire);
    }

    /// What a frontend [keeps](Self::keep_frontend_data) for the type.
    #[must_use]
    pub fn frontend_data(&self) -> Option<NonNull<()>> {
        NonNull::new(self.kept.load(Ordering::Acquire))
    }

    /// What the class offers, once a class was registered for the type
    /// (`register` of the crate `pairbond-value`).
    #[must_use]
    pub fn members(&self) -> Option<&'static Members> {
        // SAFETY: set once, and never freed.
        unsafe { self.members.load(Ordering::Acquire).as_ref() }
    }

    /// Sets the members, unless another thread was first.
    pub fn set_members(&self, members: Members) {
        let new = Box::into_raw(Box::new(members));
        let place = &self.members;
        if place
            .compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            // SAFETY: it was not shared.
            drop(unsafe { Box::from_raw(new) });
        }
    }

    /// A small number, dense over the registered types.
    #[inline]
    #[must_use]
    pub fn index(&self) -> usize {
        self.index.load(Ordering::Acquire) as usize
    }

    /// Hash of layout, fields and version: equal in two binaries that can share objects of the
    /// type.
    #[must_use]
    pub fn fingerprint(&self) -> u128 {
        u128::from(self.fingerprint[1]) << 64 | u128::from(self.fingerprint[0])
    }

    /// What the fingerprint consists of.
    pub(super) fn layout_parts(&self) -> &'static [Part] {
        // SAFETY: never changed, and freed with a description that was not entered only.
        unsafe { self.parts.as_ref() }
    }

    /// Drops a description that was not entered.
    pub(crate) fn discard(self: Box<Self>) {
        // SAFETY: `of_rust` made them of a box, for this one, which has not been shared; where
        // there are none nothing is freed.
        drop(unsafe { Box::from_raw(self.parts.as_ptr()) });
    }

    /// The crate that defines the type, as the binary that registered it has it.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether objects of the other, which has the same key, are laid out as this one's.
    pub(super) fn is_like(&self, other: &TypeInfo) -> bool {
        self.fingerprint == other.fingerprint && !self.is_another_of_its_binary(other)
    }

    /// Whether both are types of one binary, which can tell them apart where fingerprints cannot.
    fn is_another_of_its_binary(&self, other: &TypeInfo) -> bool {
        let parts = self.layout_parts();
        std::ptr::eq(self.binary, other.binary)
            && self.rust_type != other.rust_type
            && parts.iter().any(|part| part.opaque)
    }

    /// Bytes of this struct, as the binary that made it knows it.
    pub(super) fn struct_size(&self) -> usize {
        self.bytes as usize
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
        self.flags.contains(TypeFlags::TRACED)
    }

    /// Whether values can own references, but by the declared fields no object of a frontend by
    /// themselves, and are not bound to a thread. (Other objects that they refer to may own one.)
    /// `false` also if that is not known.
    #[inline]
    #[must_use]
    pub fn has_native_fields(&self) -> bool {
        self.has_hot_bits(hot::NATIVE_FIELDS)
    }

    /// The type's properties.
    #[must_use]
    pub fn flags(&self) -> TypeFlags {
        self.flags
    }

    /// Whether somebody wants to know what happens to objects of the type.
    #[inline]
    #[must_use]
    pub fn is_observed(&self) -> bool {
        self.has_hot_bits(hot::OBSERVED)
    }

    pub(super) fn set_observed(&self, on: bool) {
        if on {
            self.hot.fetch_or(hot::OBSERVED, Ordering::Relaxed);
        } else {
            self.hot.fetch_and(!hot::OBSERVED, Ordering::Relaxed);
        }
    }

    #[inline]
    fn has_hot_bits(&self, bits: u32) -> bool {
        self.hot.load(Ordering::Relaxed) & bits != 0
    }
}

impl std::fmt::Debug for TypeInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TypeInfo({} v{}, {} bytes)", self.key, self.version, self.size)
    }
}
