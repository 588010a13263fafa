//! The [`TypeInfo`] of a type that is made at run time.

use super::{TraceFn, TypeFlags, TypeInfo, ValueFn, hot, prefix_bytes};
use crate::abi::LayoutWriter;
use crate::carry::Carrying;
use crate::object::Header;
use crate::sync::statics::AtomicU32;
use crate::trace::Plan;
use crate::types::dynamic::functions_of_align;
use crate::types::{Equality, FieldInfo, Table};

/// What a builder has found out.
pub(in crate::types) struct DynamicType<'a> {
    pub(in crate::types) key: &'static str,
    pub(in crate::types) base: &'static TypeInfo,
    pub(in crate::types) table: &'static Table,
    pub(in crate::types) fields: &'static [FieldInfo],
    pub(in crate::types) attributes: bool,
    /// What another definition of the same type must say, too.
    pub(in crate::types) lasting: &'a str,
    pub(in crate::types) equality: Option<Equality>,
}

impl TypeInfo {
    /// `None`: the base cannot be extended.
    pub(in crate::types) fn dynamic(of: DynamicType<'_>) -> Option<TypeInfo> {
        let (base, table) = (of.base, of.table);
        let align = base.align.max(align_of::<Header>());
        let functions = functions_of_align(align)?;
        if !base.flags.has(TypeFlags::THREAD_SAFE) || !base.flags.has(TypeFlags::ATTRIBUTES) {
            return None;
        }
        // A type whose wrappers have attributes can be part of any cycle.
        let traced =
            base.is_traced() || of.attributes || table.fields().iter().any(|field| field.kind().is_traced());
        let shareable = base.base.is_null() || base.flags.has(TypeFlags::SHAREABLE);
        let shareable =
            shareable && !of.attributes && table.fields().iter().all(|field| field.kind().is_native());
        let mut flags = TypeFlags::ATTRIBUTES.0 | TypeFlags::THREAD_SAFE.0;
        for (set, flag) in [(traced, TypeFlags::TRACED), (shareable, TypeFlags::SHAREABLE)] {
            if set {
                flags |= flag.0;
            }
        }
        let drops = table.has_drop() || base.needs_drop();
        let prefix = prefix_bytes(traced, align);
        let end = base.value_offset + table.size();
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
            table: Some(table),
            node: base.node,
            ..TypeInfo::beside_rust(of.key, base)
        })
    }

    /// Whether objects have trailing items.
    pub(in crate::types) fn has_items(&self) -> bool {
        self.items.is_some()
    }

    /// Bytes of a value without items.
    pub(in crate::types) fn value_size(&self) -> usize {
        match self.table {
            Some(table) => table.size(),
            None if self.base.is_null() => 0,
            None => self.size - self.prefix - self.value_offset,
        }
    }

    pub(in crate::types) fn drop_function(&self) -> Option<ValueFn> {
        self.drop
    }

    pub(in crate::types) fn trace_function(&self) -> TraceFn {
        self.trace
    }

    pub(in crate::types) fn clear_function(&self) -> ValueFn {
        self.clear
    }

    pub(in crate::types) fn shareable_function(&self) -> unsafe extern "C-unwind" fn(*const u8) -> u8 {
        self.shareable
    }
}

/// By fields, if the value of the Rust type at the beginning is, too.
fn carrying_of(base: &TypeInfo) -> Carrying {
    let plain = base.base.is_null() || base.carrying.is_by_fields();
    if plain {
        // SAFETY: a slot for each field, and what the base says of its own.
        unsafe { Carrying::fields() }
    } else {
        Carrying::opaque()
    }
}

impl TypeInfo {
    /// Hash of what another definition of the same type must say, too. (Never that of a Rust type:
    /// those do not begin like this.)
    pub(in crate::types) fn dynamic_fingerprint(lasting: &str, base: &TypeInfo) -> [u64; 2] {
        let mut to = LayoutWriter::new();
        to.text("made at run time");
        to.text(lasting);
        base.fingerprint.iter().for_each(|half| to.number(*half));
        to.finish().0
    }

    /// Whether the fingerprint is that one.
    pub(in crate::types) fn has_fingerprint(&self, fingerprint: [u64; 2]) -> bool {
        self.fingerprint == fingerprint
    }
}
