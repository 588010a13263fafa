//! The [`TypeInfo`] of a Rust type, of what `object/describe.rs` finds out about it.

use std::ptr::NonNull;

use super::{BINARY, ShareFn, TraceFn, TypeFlags, TypeInfo, ValueFn, class_watch, hot, prefix_bytes};
use crate::layout::{Origin, Part};
use crate::sync::statics::{AtomicIsize, AtomicPtr, AtomicU32};
use crate::types::{Carrying, Equality, FieldInfo, Items, NodeType, Plan};

/// A Rust type, described.
pub(crate) struct RustType {
    pub(crate) key: &'static str,
    pub(crate) version: u32,
    pub(crate) base: Option<&'static TypeInfo>,
    pub(crate) flags: TypeFlags,
    /// See [`TypeInfo::has_native_fields`].
    pub(crate) native_fields: bool,
    /// From the header to the value.
    pub(crate) value_offset: usize,
    /// From the header to the end of the value.
    pub(crate) end: usize,
    /// That of an object without items.
    pub(crate) align: usize,
    pub(crate) drop: Option<ValueFn>,
    pub(crate) trace: TraceFn,
    pub(crate) plan: Plan,
    pub(crate) clear: ValueFn,
    pub(crate) shareable: ShareFn,
    pub(crate) items: Option<Items>,
    pub(crate) fields: &'static [FieldInfo],
    pub(crate) fingerprint: [u64; 2],
    pub(crate) parts: Vec<Part>,
    pub(crate) equality: Option<Equality>,
    pub(crate) carrying: Carrying,
    pub(crate) node: Option<NodeType>,
    pub(crate) origin: Origin,
    pub(crate) rust_type: u64,
}

impl TypeInfo {
    /// # Panics
    /// If an object would have to be aligned to more than a page.
    pub(crate) fn of_rust(of: RustType) -> TypeInfo {
        let items = of.items;
        let align = of.align.max(items.map_or(1, |i| i.align));
        assert!(align <= 4096, "{}: alignment of more than a page", of.key);
        let items_offset = items.map_or(0, |i| of.end.next_multiple_of(i.align));
        let traced = of.flags.contains(TypeFlags::TRACED);
        let prefix = prefix_bytes(traced, align);
        let mut hot = hot::CLASSES;
        for (set, bit) in [
            (
                of.drop.is_some() || items.is_some_and(|i| i.drop.is_some()),
                hot::DROP,
            ),
            (items.is_some(), hot::ITEMS),
            (traced, hot::TRACED),
            (of.node.is_some(), hot::NODE),
            (of.native_fields, hot::NATIVE_FIELDS),
        ] {
            if set {
                hot |= bit;
            }
        }
        TypeInfo {
            hot: AtomicU32::new(hot),
            bytes: size_of::<TypeInfo>() as u32,
            flags: of.flags,
            value_offset: of.value_offset,
            prefix,
            size: prefix + if items.is_some() { items_offset } else { of.end },
            align,
            drop: of.drop,
            trace: of.trace,
            plan: of.plan,
            clear: of.clear,
            shareable: of.shareable,
            items,
            items_offset,
            key: of.key,
            version: of.version,
            depth: of.base.map_or(0, |base| base.depth + 1),
            base: of.base.map_or(std::ptr::null(), std::ptr::from_ref),
            ancestors: AtomicPtr::new(std::ptr::null_mut()),
            fields: of.fields,
            fingerprint: of.fingerprint,
            index: AtomicIsize::new(-1),
            objects: AtomicIsize::new(0),
            wrappers: AtomicIsize::new(0),
            members: AtomicPtr::new(std::ptr::null_mut()),
            equality: of.equality,
            table: None,
            carrying: of.carrying,
            kept: AtomicPtr::new(std::ptr::null_mut()),
            node: of.node,
            parts: NonNull::from(Box::leak(of.parts.into_boxed_slice())),
            origin: of.origin,
            binary: &raw const BINARY,
            rust_type: of.rust_type,
            classes: class_watch::Classes::new(),
        }
    }
}
