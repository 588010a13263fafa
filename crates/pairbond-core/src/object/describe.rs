//! From a Rust type to its [`TypeInfo`].

use super::object_layout::{Object, Shape};
use super::reach::Reach;
use super::root::Root;
use super::show_layout::show_object;
use super::trace::Trace;
use crate::error::{Error, panics};
use crate::frontend::{contain_panics, contain_trace};
use crate::layout::{LayoutWriter, Part};
use crate::sync::statics::Ordering;
use crate::types::{
    Plan, RegisterError, RustType, TraceFn, Tracer, TracerTable, TypeCell, TypeFlags, TypeInfo, ValueFn,
    enter_type,
};

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
    fn describe_type<T: Object>() -> TypeInfo {
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
        let is_root = std::any::TypeId::of::<T>() == std::any::TypeId::of::<Root>();
        let base = (!is_root).then(T::Base::info);
        // A reference to the base reads the base's value at the base's offset.
        assert!(
            base.is_none_or(
                |base| is_root_cell(T::Base::type_cell()) || Shape::<T>::OFFSET == base.value_offset()
            ),
            "{}: needs a larger alignment than the type that it extends",
            T::KEY
        );
        let items = T::items();
        let (fingerprint, parts) = layout_of::<T>();
        TypeInfo::of_rust(RustType {
            key: T::KEY,
            version: T::VERSION,
            base,
            flags: TypeFlags(flags),
            native_fields: T::TRACED && T::THREAD_SAFE && Reach::owns_none::<T>(),
            value_offset: Shape::<T>::OFFSET,
            end: Shape::<T>::END,
            align: Shape::<T>::ALIGN,
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
            fields: T::FIELDS,
            fingerprint,
            parts,
            // What a type does not define is its base's.
            equality: T::equality().or_else(|| base.and_then(|base| base.equality().copied())),
            carrying: T::carrying(),
            node: T::NODE,
            origin: T::ORIGIN,
            rust_type: {
                use std::hash::{DefaultHasher, Hash, Hasher};
                let mut hash = DefaultHasher::new();
                std::any::TypeId::of::<T>().hash(&mut hash);
                hash.finish()
            },
        })
    }
}

fn is_root_cell(cell: &TypeCell) -> bool {
    std::ptr::eq(cell, Root::type_cell())
}

impl TypeCell {
    /// Registers `T` with the process's runtime; the same type from another binary with the same
    /// layout is the same type.
    ///
    /// # Errors
    /// The key is taken by a type with another layout.
    pub fn register<T: Object>() -> Result<&'static TypeInfo, RegisterError> {
        if let Some(info) = T::type_cell().get() {
            return Ok(info);
        }
        if std::any::TypeId::of::<T>() != std::any::TypeId::of::<Root>() {
            TypeCell::register::<T::Base>()?;
        }
        match enter_type(TypeInfo::describe_type::<T>()) {
            Ok(info) => {
                let place = &T::type_cell().0;
                place.store(std::ptr::from_ref(info).cast_mut(), Ordering::Release);
                Ok(info)
            }
            Err((known, refused)) => {
                let error = RegisterError::new(known, &refused);
                refused.discard();
                Err(error)
            }
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn register_or_panic<T: Object>() -> &'static TypeInfo {
        match TypeCell::register::<T>() {
            Ok(info) => info,
            Err(error) => panic!("{error}"),
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
