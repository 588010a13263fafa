//! From a Rust type to its [`TypeInfo`].

use super::{BINARY, TraceFn, TypeFlags, TypeInfo, ValueFn, hot, prefix_bytes};
use crate::error::{Error, panics};
use crate::frontend::{contain_panics, contain_trace};
use crate::layout::LayoutWriter;
use crate::layout::Part;
use crate::object::show_object;
use crate::object::{Object, Root, Shape};
use crate::sync::statics::{AtomicIsize, AtomicPtr, AtomicU32};
use crate::trace::{Plan, Reach, Trace, Tracer, TracerTable};

/// How a field of type `T` shows its references.
#[must_use]
pub const fn trace_of<T: Trace>() -> Option<TraceFn> {
    if T::TRACED { Some(trace_value::<T>) } else { None }
}

unsafe extern "C-unwind" fn trace_value<T: Trace>(value: *const u8, table: *const TracerTable) {
    // SAFETY: called with a living value of `T` and a valid table.
    contain_trace::<T>(|| unsafe { (*value.cast::<T>()).trace(&mut Tracer::new(&*table)) });
}

impl TypeInfo {
    pub(in crate::types) fn describe_type<T: Object>() -> TypeInfo {
        unsafe extern "C-unwind" fn drop_value<T: Object>(value: *mut u8) {
            // SAFETY: called once with a living value of `T`.
            contain_panics(T::KEY, || unsafe {
                if let Some(node) = const { T::NODE } {
                    (node.hooks().leave)(value, node.table());
                }
                value.cast::<T>().drop_in_place();
            });
        }
        unsafe extern "C-unwind" fn clear_value<T: Object>(value: *mut u8) {
            // SAFETY: called with a living value of `T`.
            contain_panics(T::KEY, || unsafe { (*value.cast::<T>()).clear() });
        }
        unsafe extern "C-unwind" fn is_shareable<T: Trace>(value: *const u8) -> u8 {
            // SAFETY: called with a living value of `T`.
            let answer =
                panics::catch_panic(|| Ok::<_, Error>(unsafe { (*value.cast::<T>()).is_shareable() }));
            match answer {
                Ok(None) => u8::MAX,
                Ok(Some(yes)) => yes.into(),
                Err(_) => 0,
            }
        }
        let offset = Shape::<T>::OFFSET;
        let (fingerprint, parts) = layout_of::<T>();
        let items = T::items();
        let end = Shape::<T>::END;
        let align = Shape::<T>::ALIGN.max(items.map_or(1, |i| i.align));
        assert!(align <= 4096, "{}: alignment of more than a page", T::KEY);
        let items_offset = items.map_or(0, |i| end.next_multiple_of(i.align));
        let is_root = std::any::TypeId::of::<T>() == std::any::TypeId::of::<Root>();
        let base: *const TypeInfo = if is_root {
            std::ptr::null()
        } else {
            T::Base::info()
        };
        let mut flags = 0;
        for (set, flag) in [
            (T::TRACED, TypeFlags::TRACED),
            (T::ATTRIBUTES, TypeFlags::ATTRIBUTES),
            (T::THREAD_SAFE, TypeFlags::THREAD_SAFE),
            (T::CONSTANT, TypeFlags::CONSTANT),
            (T::FAST_GETTERS, TypeFlags::FAST_GETTERS),
            (
                T::THREAD_SAFE && Reach::is_native(Reach::visit_object::<T>),
                TypeFlags::SHAREABLE,
            ),
        ] {
            if set {
                flags |= flag.0;
            }
        }
        if !is_root {
            // A reference to the base reads the base's value at the base's offset.
            assert!(
                T::Base::type_cell().is_root() || offset == T::Base::info().value_offset(),
                "{}: needs a larger alignment than the type that it extends",
                T::KEY
            );
        }
        let prefix = prefix_bytes(T::TRACED, align);
        let mut hot = hot::CLASSES;
        for (set, bit) in [
            (
                std::mem::needs_drop::<T>() || items.is_some_and(|i| i.drop.is_some()),
                hot::DROP,
            ),
            (items.is_some(), hot::ITEMS),
            (T::TRACED, hot::TRACED),
            (T::NODE.is_some(), hot::NODE),
            (
                T::TRACED && T::THREAD_SAFE && Reach::owns_none::<T>(),
                hot::NATIVE_FIELDS,
            ),
        ] {
            if set {
                hot |= bit;
            }
        }
        TypeInfo {
            hot: AtomicU32::new(hot),
            bytes: size_of::<TypeInfo>() as u32,
            flags: TypeFlags(flags),
            value_offset: offset,
            prefix,
            size: prefix + if items.is_some() { items_offset } else { end },
            align,
            drop: std::mem::needs_drop::<T>().then_some(drop_value::<T> as ValueFn),
            trace: trace_value::<T>,
            // What the items own is known to the function only.
            plan: if items.is_some() {
                Plan::of_any(T::TRACED)
            } else {
                T::PLAN
            },
            clear: clear_value::<T>,
            shareable: is_shareable::<T>,
            items,
            items_offset,
            key: T::KEY,
            version: T::VERSION,
            // SAFETY: a base is registered before what extends it.
            depth: unsafe { base.as_ref() }.map_or(0, |b| b.depth + 1),
            base,
            ancestors: AtomicPtr::new(std::ptr::null_mut()),
            fields: T::FIELDS,
            fingerprint,
            index: AtomicIsize::new(-1),
            objects: AtomicIsize::new(0),
            wrappers: AtomicIsize::new(0),
            members: AtomicPtr::new(std::ptr::null_mut()),
            // What a type does not define is its base's.
            // SAFETY: a base is registered before what extends it.
            equality: T::equality().or_else(|| unsafe { base.as_ref() }.and_then(|b| b.equality)),
            table: None,
            carrying: T::carrying(),
            kept: AtomicPtr::new(std::ptr::null_mut()),
            node: T::NODE,
            parts: Box::leak(parts.into_boxed_slice()),
            origin: T::ORIGIN,
            binary: &raw const BINARY,
            rust_type: {
                use std::hash::{DefaultHasher, Hash, Hasher};
                let mut hash = DefaultHasher::new();
                std::any::TypeId::of::<T>().hash(&mut hash);
                hash.finish()
            },
            classes: super::watch::Classes::new(),
        }
    }
}

/// Everything that two binaries must agree on to share objects of a type: the hash of it, and its
/// parts.
fn layout_of<T: Object>() -> ([u64; 2], Vec<Part>) {
    let mut to = LayoutWriter::for_origin(T::ORIGIN);
    to.write_known::<T>("an object");
    for n in [
        u64::from(T::VERSION),
        T::TRACED.into(),
        T::ATTRIBUTES.into(),
        T::THREAD_SAFE.into(),
    ] {
        to.write_number(n);
    }
    if let Some(items) = T::items() {
        to.write_number(items.size as u64);
        to.write_number(items.align as u64);
    }
    to.write_text(T::Base::KEY);
    show_object::<T>(&mut to);
    to.finish()
}
