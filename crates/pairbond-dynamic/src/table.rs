//! [`Table`]: where the fields of a type lie that was made at run time; dropping, tracing and
//! emptying them. `field` reads and writes one.
//!
//! Layout of a value: the base's value first (the whole of a Rust base, or the fields of another
//! such type), then a slot for each field, in order.
//!
//! | storage | slot | when nothing was assigned yet |
//! |---|---|---|
//! | [`Float`](Storage::Float) | 8 bytes, read and written atomically | a NaN that no computation gives; one that is assigned is stored as another |
//! | [`Bool`](Storage::Bool) | 1 byte, the same | 2 |
//! | [`Value`](Storage::Value) | a `Cell<Option<Any>>` | `None` |
//!
//! Invariants: slots are valid from [`Table::init_slots`] to [`Table::drop`]; a slot is reached
//! through a shared reference only, so that any thread may read and write it. A value of a kind
//! without references is never one with references.

use super::field::{Field, NO_BOOL, NO_FLOAT, Slot, Storage};
use pairbond_core::frontend::{contain_panics, contain_trace};
use pairbond_core::object::{Header, value_offset};
use pairbond_core::sync::statics::{AtomicU8, AtomicU64};
use pairbond_core::trace::{Trace, Tracer, TracerTable};
use pairbond_core::types::{DescribedBy, DynamicFunctions, FieldInfo, TraceFn, TypeInfo};
use pairbond_value::value::Cell;

// SAFETY: only `Builder::register` makes such types.
unsafe impl DescribedBy<Table> for TypeInfo {}
// SAFETY: `Builder::register` describes each field of such types by a `Field`.
unsafe impl DescribedBy<Field> for FieldInfo {}

/// All fields of a type that was made at run time: those of the types that it extends first.
#[derive(Debug)]
pub struct Table {
    pub(super) key: &'static str,
    pub(super) fields: Vec<Field>,
    /// How many of them are the base's.
    pub(super) inherited: usize,
    /// The Rust type at the beginning, if there is one with a value.
    pub(super) native: Option<&'static TypeInfo>,
    /// Bytes of a value.
    pub(super) end: usize,
    /// The fields by which objects are compared as keys, and whether they are hashed by them;
    /// `None`: by identity, or as the base says.
    pub(super) compared: Option<(Vec<usize>, bool)>,
}

// SAFETY: never changes after registration; kinds are what any thread may use.
unsafe impl Send for Table {}
// SAFETY: never changes after registration; kinds are what any thread may use.
unsafe impl Sync for Table {}

impl Table {
    /// The fields, the base's first.
    #[inline]
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// How many of them the type has from the one that it extends.
    #[must_use]
    pub fn inherited_count(&self) -> usize {
        self.inherited
    }

    /// The field of a name: the last one, where a type defines one of its base's names anew.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().rev().find(|field| field.name == name)
    }

    /// The Rust type that the type extends in the end, if it is one with a value.
    #[must_use]
    pub fn native_base(&self) -> Option<&'static TypeInfo> {
        self.native
    }

    pub(super) fn value_size(&self) -> usize {
        self.end
    }

    pub(super) fn has_drop(&self) -> bool {
        self.slots().next().is_some()
    }

    /// Makes all slots valid and empty.
    ///
    /// # Safety
    /// Memory for a value that is not shared.
    pub(super) unsafe fn init_slots(&self, value: *mut u8) {
        for field in &self.fields {
            // SAFETY: memory for a value that is not shared: the caller ensures it. Slots are
            // within the value.
            unsafe {
                let slot = value.add(field.offset);
                match field.storage {
                    Storage::Float => slot.cast::<AtomicU64>().write(AtomicU64::new(NO_FLOAT)),
                    Storage::Bool => slot.cast::<AtomicU8>().write(AtomicU8::new(NO_BOOL)),
                    Storage::Value => slot.cast::<Slot>().write(Cell::new(None)),
                }
            }
        }
    }

    /// Drops all fields.
    ///
    /// # Safety
    /// A clean value or one in use, once.
    pub(super) unsafe fn drop(&self, value: *mut u8) {
        for field in self.slots() {
            // SAFETY: A clean value or one in use, once: the caller ensures it.
            unsafe { value.add(field.offset).cast::<Slot>().drop_in_place() }
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.storage == Storage::Value)
    }

    fn traced_fields(&self) -> impl Iterator<Item = &Field> {
        self.slots().filter(|field| field.kind.is_traced())
    }
}

/// Shows what one slot refers to, for reports.
pub(super) fn trace_of(field: &Field) -> Option<TraceFn> {
    unsafe extern "C-unwind" fn trace_slot(slot: *const u8, table: *const TracerTable) {
        // SAFETY: called with a living slot and a valid table.
        contain_trace::<Slot>(|| unsafe { (*slot.cast::<Slot>()).trace(&mut Tracer::new(&*table)) });
    }
    (field.storage == Storage::Value && field.kind.is_traced()).then_some(trace_slot as TraceFn)
}

/// The functions for values of an alignment. They find the table through the header, which is
/// before the value by the offset of its alignment. `None` if it is none that objects can have.
pub(super) fn functions_of_align(align: usize) -> Option<DynamicFunctions> {
    macro_rules! of {
        ($($align:literal)*) => {
            match align {
                $($align => Some(DynamicFunctions {
                    drop: drop_value::<{ value_offset($align) }>,
                    trace: trace_value::<{ value_offset($align) }>,
                    clear: clear_value::<{ value_offset($align) }>,
                    shareable: shareable_value::<{ value_offset($align) }>,
                }),)*
                _ => None,
            }
        };
    }
    of!(8 16 32 64 128 256 512 1024 2048 4096)
}

/// # Safety
/// A living value at that offset behind its header, of a type that was made at run time.
unsafe fn table_of_value<const OFFSET: usize>(value: *const u8) -> &'static Table {
    // SAFETY: A living value at that offset behind its header, of a type that was made at run time:
    // the caller ensures it.
    unsafe {
        let info = (*value.sub(OFFSET).cast::<Header>()).info();
        info.table().expect("a type that was made at run time")
    }
}

unsafe extern "C-unwind" fn drop_value<const OFFSET: usize>(value: *mut u8) {
    // SAFETY: called once with a living value.
    unsafe {
        let table = table_of_value::<OFFSET>(value);
        contain_panics(table.key, || table.drop(value));
        if let Some(drop) = table.native.and_then(TypeInfo::drop_function) {
            drop(value);
        }
    }
}

unsafe extern "C-unwind" fn trace_value<const OFFSET: usize>(value: *const u8, tracer: *const TracerTable) {
    // SAFETY: called with a living value and a valid tracer.
    unsafe {
        let table = table_of_value::<OFFSET>(value);
        contain_trace::<Table>(|| {
            for field in table.traced_fields() {
                field.slot_at(value).trace(&mut Tracer::new(&*tracer));
            }
        });
        if let Some(native) = table.native.filter(|native| native.is_traced()) {
            native.trace_function()(value, tracer);
        }
    }
}

unsafe extern "C-unwind" fn clear_value<const OFFSET: usize>(value: *mut u8) {
    // SAFETY: called with a living value that is garbage.
    unsafe {
        let table = table_of_value::<OFFSET>(value);
        contain_panics(table.key, || {
            for field in table.traced_fields() {
                field.slot_at(value).clear();
            }
        });
        if let Some(native) = table.native.filter(|native| native.is_traced()) {
            native.clear_function()(value);
        }
    }
}

/// What the Rust type at the beginning says of its part; the rest is known to the type.
unsafe extern "C-unwind" fn shareable_value<const OFFSET: usize>(value: *const u8) -> u8 {
    // SAFETY: called with a living value.
    unsafe {
        let table = table_of_value::<OFFSET>(value);
        let answer = table
            .native
            .map_or(u8::MAX, |native| native.shareable_function()(value));
        if answer == 0 || !table.fields.iter().all(|field| field.kind.is_native()) {
            return 0;
        }
        answer
    }
}
