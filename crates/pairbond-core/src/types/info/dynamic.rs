//! The [`TypeInfo`] of a type that is made at run time. What its fields are is known to the crate
//! `pairbond-value` (its module `dynamic`); the core keeps the description and calls its functions.

use super::{TraceFn, TypeFlags, TypeInfo, ValueFn, hot, prefix_bytes};
use crate::custody::Header;
use crate::layout::LayoutWriter;
use crate::sync::statics::AtomicU32;
use crate::types::Plan;
use crate::types::{Carrying, Equality, FieldInfo};

/// A description that the core does not read.
#[derive(Debug)]
pub struct Opaque {
    _private: [u8; 0],
}

/// A `D` describes the types, or the fields, that were made at run time. There is one such type for
/// each of both.
///
/// # Safety
/// Each [`Opaque`] that a type or field has is a `D`.
pub unsafe trait DescribedBy<D> {}

/// The functions of such a type, for values of an alignment.
#[derive(Debug)]
pub struct DynamicFunctions {
    /// Destroys a value.
    pub drop: ValueFn,
    /// Shows its references.
    pub trace: TraceFn,
    /// Drops its references.
    pub clear: ValueFn,
    /// As the type says (neither 0 nor 1), or no or yes.
    pub shareable: unsafe extern "C-unwind" fn(*const u8) -> u8,
}

/// What a builder has found out.
#[derive(Debug)]
pub struct DynamicType<'a> {
    /// `"module.Name"`.
    pub key: &'static str,
    /// The type that it extends.
    pub base: &'static TypeInfo,
    /// The description of its fields.
    pub table: &'static Opaque,
    /// Its own fields.
    pub fields: &'static [FieldInfo],
    /// Bytes of a value.
    pub size: usize,
    /// Whether a value has something to drop.
    pub has_drop: bool,
    /// Whether one of its fields can own references.
    pub traced: bool,
    /// Whether its fields lead to no object of a frontend.
    pub native: bool,
    /// `None`: there is no such alignment.
    pub functions: fn(usize) -> Option<DynamicFunctions>,
    /// Whether wrappers have attributes.
    pub attributes: bool,
    /// What another definition of the same type must say, too.
    pub lasting: &'a str,
    /// How objects are compared, if they are.
    pub equality: Option<Equality>,
}

impl TypeInfo {
    /// `None`: the base cannot be extended.
    #[doc(hidden)]
    pub fn new_dynamic(of: DynamicType<'_>) -> Option<TypeInfo> {
        let base = of.base;
        let align = base.align.max(align_of::<Header>());
        let functions = (of.functions)(align)?;
        if !base.flags.contains(TypeFlags::THREAD_SAFE) || !base.flags.contains(TypeFlags::ATTRIBUTES) {
            return None;
        }
        // A type whose wrappers have attributes can be part of any cycle.
        let traced = base.is_traced() || of.attributes || of.traced;
        let shareable = base.base.is_null() || base.flags.contains(TypeFlags::SHAREABLE);
        let shareable = shareable && !of.attributes && of.native;
        let mut flags = TypeFlags::ATTRIBUTES.0 | TypeFlags::THREAD_SAFE.0;
        for (set, flag) in [(traced, TypeFlags::TRACED), (shareable, TypeFlags::SHAREABLE)] {
            if set {
                flags |= flag.0;
            }
        }
        let drops = of.has_drop || base.needs_drop();
        let prefix = prefix_bytes(traced, align);
        let end = base.value_offset + of.size;
        let mut bits = 0;
        for (set, bit) in [
            (true, hot::CLASSES),
            (drops, hot::DROP),
            (traced, hot::TRACED),
            (base.node.is_some(), hot::NODE),
        ] {
            if set {
                bits |= bit;
            }
        }
        Some(TypeInfo {
            hot: AtomicU32::new(bits),
            flags: TypeFlags(flags),
            value_offset: base.value_offset,
            prefix,
            size: prefix + end,
            align,
            drop: drops.then_some(functions.drop),
            trace: functions.trace,
            plan: Plan::of_any(traced),
            clear: functions.clear,
            shareable: functions.shareable,
            fields: of.fields,
            fingerprint: TypeInfo::dynamic_fingerprint(of.lasting, base),
            equality: of.equality.or(base.equality),
            carrying: carrying_of(base),
            table: Some(of.table),
            node: base.node,
            ..TypeInfo::beside_rust(of.key, base)
        })
    }

    /// Whether objects have trailing items.
    #[doc(hidden)]
    pub fn has_items(&self) -> bool {
        self.items.is_some()
    }

    /// Bytes of a value without items.
    #[doc(hidden)]
    pub fn value_size(&self) -> usize {
        if self.base.is_null() {
            return 0;
        }
        self.size - self.prefix - self.value_offset
    }

    #[doc(hidden)]
    pub fn drop_function(&self) -> Option<ValueFn> {
        self.drop
    }

    #[doc(hidden)]
    pub fn trace_function(&self) -> TraceFn {
        self.trace
    }

    #[doc(hidden)]
    pub fn clear_function(&self) -> ValueFn {
        self.clear
    }

    #[doc(hidden)]
    pub fn shareable_function(&self) -> unsafe extern "C-unwind" fn(*const u8) -> u8 {
        self.shareable
    }
}

/// By fields, if the value of the Rust type at the beginning is, too.
fn carrying_of(base: &TypeInfo) -> Carrying {
    let plain = base.base.is_null() || base.carrying.is_by_fields();
    if plain {
        // SAFETY: a slot for each field, and what the base says of its own.
        unsafe { Carrying::by_fields() }
    } else {
        Carrying::opaque()
    }
}

impl TypeInfo {
    /// Hash of what another definition of the same type must say, too. (Never that of a Rust type:
    /// those do not begin like this.)
    #[doc(hidden)]
    pub fn dynamic_fingerprint(lasting: &str, base: &TypeInfo) -> [u64; 2] {
        let mut to = LayoutWriter::new();
        to.write_text("made at run time");
        to.write_text(lasting);
        base.fingerprint.iter().for_each(|half| to.write_number(*half));
        to.finish().0
    }

    /// Whether the fingerprint is that one.
    #[doc(hidden)]
    pub fn has_fingerprint(&self, fingerprint: [u64; 2]) -> bool {
        self.fingerprint == fingerprint
    }
}
