//! [`Table`]: where the fields of a type lie that was made at run time; dropping, tracing and emptying them.
//!
//! Layout of a value: the base's value first (the whole of a Rust base, or the fields of another such type), then a slot for each field, in order.
//!
//! | storage | slot | when nothing was assigned yet |
//! |---|---|---|
//! | [`Float`](Storage::Float) | 8 bytes, read and written atomically | a NaN that no computation gives; one that is assigned is stored as another |
//! | [`Bool`](Storage::Bool) | 1 byte, the same | 2 |
//! | [`Value`](Storage::Value) | a `Cell<Option<Any>>` | `None` |
//!
//! Invariants: slots are valid from [`Table::clean`] to [`Table::drop`]; a slot is reached through a shared reference only, so that any thread may
//! read and write it. A value of a kind without references is never one with references.

use super::FieldKind;
use crate::frontend::contain;
use crate::object::{Header, value_offset};
use crate::sync::statics::{AtomicU8, AtomicU64, Ordering};
use crate::trace::{Trace, Tracer, TracerTable};
use crate::types::TypeInfo;
use crate::types::info::{TraceFn, ValueFn};
use crate::value::{Any, Cell};

/// The form in which a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// See the head of this file.
    Float,
    /// See the head of this file.
    Bool,
    /// See the head of this file.
    Value,
}

pub(super) const NO_FLOAT: u64 = 0x7ff4_7061_6972_626f;
pub(super) const NO_BOOL: u8 = 2;

pub(super) type Slot = Cell<Option<Any>>;

impl Storage {
    pub(super) fn of(kind: &FieldKind) -> Self {
        match kind {
            FieldKind::Float => Storage::Float,
            FieldKind::Bool => Storage::Bool,
            _ => Storage::Value,
        }
    }

    /// Size and alignment.
    pub(super) fn layout(self) -> (usize, usize) {
        match self {
            Storage::Float => (size_of::<AtomicU64>(), align_of::<AtomicU64>()),
            Storage::Bool => (size_of::<AtomicU8>(), align_of::<AtomicU8>()),
            Storage::Value => (size_of::<Slot>(), align_of::<Slot>()),
        }
    }
}

/// What is in a field, or goes into one: in the form of its storage.
#[derive(Debug)]
pub enum Value {
    /// For [`Storage::Float`].
    Float(f64),
    /// For [`Storage::Bool`].
    Bool(bool),
    /// For [`Storage::Value`].
    Any(Any),
}

impl From<Value> for Any {
    fn from(value: Value) -> Any {
        match value {
            Value::Float(value) => Any::Float(value),
            Value::Bool(value) => Any::Bool(value),
            Value::Any(value) => value,
        }
    }
}

/// One field.
#[derive(Debug)]
pub struct Field {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) kind: &'static FieldKind,
    pub(super) storage: Storage,
    pub(super) offset: usize,
    pub(super) settable: bool,
    pub(super) default: Option<Any>,
}

impl Field {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Documentation; empty when there is none.
    #[must_use]
    pub fn doc(&self) -> &'static str {
        self.doc
    }

    /// What it takes.
    #[must_use]
    pub fn kind(&self) -> &'static FieldKind {
        self.kind
    }

    /// How it is stored.
    #[inline]
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// Bytes from the beginning of the value.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether it can be assigned after the object was made.
    #[must_use]
    pub fn is_settable(&self) -> bool {
        self.settable
    }

    /// What it is when no value is given, if that is a native value.
    #[must_use]
    pub fn default(&self) -> Option<&Any> {
        self.default.as_ref()
    }

    /// # Safety
    /// The value of an object whose type has the field.
    #[inline]
    unsafe fn float<'a>(&self, value: *const u8) -> &'a AtomicU64 {
        debug_assert_eq!(self.storage, Storage::Float);
        // SAFETY: promised; slots are aligned.
        unsafe { &*value.add(self.offset).cast() }
    }

    /// # Safety
    /// As [`float`](Self::float).
    #[inline]
    unsafe fn bool<'a>(&self, value: *const u8) -> &'a AtomicU8 {
        debug_assert_eq!(self.storage, Storage::Bool);
        // SAFETY: promised.
        unsafe { &*value.add(self.offset).cast() }
    }

    /// # Safety
    /// As [`float`](Self::float).
    #[inline]
    unsafe fn slot<'a>(&self, value: *const u8) -> &'a Slot {
        debug_assert_eq!(self.storage, Storage::Value);
        // SAFETY: promised; slots are aligned.
        unsafe { &*value.add(self.offset).cast() }
    }

    /// Reads the field; a [`Storage::Value`] is looked at in place, under its lock, so that `look` must run no foreign code. `None`: nothing was assigned.
    ///
    /// # Safety
    /// An object whose type has this very field, in the table of the type or of one that it extends.
    #[inline]
    pub unsafe fn read<R>(
        &self,
        object: &Header,
        simple: impl FnOnce(Value) -> R,
        look: impl FnOnce(&Any) -> R,
    ) -> Option<R> {
        let value = object.value().cast_const();
        // SAFETY: promised.
        unsafe {
            match self.storage {
                Storage::Float => match self.float(value).load(Ordering::Acquire) {
                    NO_FLOAT => None,
                    bits => Some(simple(Value::Float(f64::from_bits(bits)))),
                },
                Storage::Bool => match self.bool(value).load(Ordering::Acquire) {
                    NO_BOOL => None,
                    byte => Some(simple(Value::Bool(byte == 1))),
                },
                Storage::Value => self.slot(value).with(|any| any.as_ref().map(look)),
            }
        }
    }

    /// Stores a value, or empties the field. Whether there was a value before. What was there is dropped after the field's lock was given back.
    ///
    /// # Panics
    /// The value is not in the form of the storage.
    ///
    /// # Safety
    /// As [`read`](Self::read); a [`Value::Any`] is one that the kind [takes](FieldKind::takes).
    #[inline]
    pub unsafe fn write(&self, object: &Header, new: Option<Value>) -> bool {
        // SAFETY: promised.
        unsafe { self.write_at(object.value(), new) }
    }

    /// As [`write`](Self::write), into a value.
    pub(super) unsafe fn write_at(&self, value: *const u8, new: Option<Value>) -> bool {
        // SAFETY: promised.
        unsafe {
            match (self.storage, new) {
                (Storage::Float, Some(Value::Float(new))) => {
                    let bits = new.to_bits();
                    let bits = if bits == NO_FLOAT {
                        f64::NAN.to_bits()
                    } else {
                        bits
                    };
                    self.float(value).swap(bits, Ordering::AcqRel) != NO_FLOAT
                }
                (Storage::Float, None) => self.float(value).swap(NO_FLOAT, Ordering::AcqRel) != NO_FLOAT,
                (Storage::Bool, Some(Value::Bool(new))) => {
                    self.bool(value).swap(new.into(), Ordering::AcqRel) != NO_BOOL
                }
                (Storage::Bool, None) => self.bool(value).swap(NO_BOOL, Ordering::AcqRel) != NO_BOOL,
                (Storage::Value, Some(Value::Any(new))) => self.slot(value).replace(Some(new)).is_some(),
                (Storage::Value, None) => self.slot(value).replace(None).is_some(),
                (storage, Some(new)) => panic!("{}: {new:?} is not in the form {storage:?}", self.name),
            }
        }
    }

    /// Stores the first value of a field that nobody else can reach.
    ///
    /// # Safety
    /// As [`write`](Self::write); the slot is clean, and nobody else can reach it.
    #[inline]
    pub(super) unsafe fn first(&self, value: *mut u8, new: Value) {
        // SAFETY: promised; a clean slot has nothing to drop.
        unsafe {
            let slot = value.add(self.offset);
            match (self.storage, new) {
                (Storage::Value, Value::Any(new)) => slot.cast::<Slot>().write(Cell::new(Some(new))),
                (_, new) => {
                    self.write_at(value, Some(new));
                }
            }
        }
    }
}

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
    /// The fields by which objects are compared as keys, and whether they are hashed by them; `None`: by identity, or as the base says.
    pub(super) compared: Option<(Vec<usize>, bool)>,
}

// SAFETY: never changes after registration; kinds are what any thread may use.
unsafe impl Send for Table {}
// SAFETY: as above.
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
    pub fn inherited(&self) -> usize {
        self.inherited
    }

    /// The field of a name: the last one, where a type defines one of its base's names anew.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().rev().find(|field| field.name == name)
    }

    /// The Rust type that the type extends in the end, if it is one with a value.
    #[must_use]
    pub fn native(&self) -> Option<&'static TypeInfo> {
        self.native
    }

    pub(in crate::types) fn size(&self) -> usize {
        self.end
    }

    pub(in crate::types) fn has_drop(&self) -> bool {
        self.slots().next().is_some()
    }

    /// Makes all slots valid and empty.
    ///
    /// # Safety
    /// Memory for a value that nobody else can reach.
    pub(super) unsafe fn clean(&self, value: *mut u8) {
        for field in &self.fields {
            // SAFETY: promised; slots are within the value.
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
            // SAFETY: promised.
            unsafe { value.add(field.offset).cast::<Slot>().drop_in_place() }
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.storage == Storage::Value)
    }

    fn traced(&self) -> impl Iterator<Item = &Field> {
        self.slots().filter(|field| field.kind.is_traced())
    }
}

/// Shows what one slot refers to, for reports.
pub(super) fn trace_of(field: &Field) -> Option<TraceFn> {
    unsafe extern "C-unwind" fn slot(slot: *const u8, table: *const TracerTable) {
        // SAFETY: called with a living slot and a valid table.
        unsafe { (*slot.cast::<Slot>()).trace(&mut Tracer::new(&*table)) }
    }
    (field.storage == Storage::Value && field.kind.is_traced()).then_some(slot as TraceFn)
}

/// The functions that a type has. They find the table through the header, which is before the value by the offset of its alignment.
pub(in crate::types) struct Functions {
    pub(in crate::types) drop: ValueFn,
    pub(in crate::types) trace: TraceFn,
    pub(in crate::types) clear: ValueFn,
    pub(in crate::types) shareable: unsafe extern "C-unwind" fn(*const u8) -> u8,
}

/// The functions for values of an alignment; `None` if it is none that objects can have.
pub(in crate::types) fn functions(align: usize) -> Option<Functions> {
    macro_rules! of {
        ($($align:literal)*) => {
            match align {
                $($align => Some(Functions {
                    drop: drop::<{ value_offset($align) }>,
                    trace: trace::<{ value_offset($align) }>,
                    clear: clear::<{ value_offset($align) }>,
                    shareable: shareable::<{ value_offset($align) }>,
                }),)*
                _ => None,
            }
        };
    }
    of!(8 16 32 64 128 256 512 1024 2048 4096)
}

/// # Safety
/// A living value at that offset behind its header, of a type that was made at run time.
unsafe fn table<const OFFSET: usize>(value: *const u8) -> &'static Table {
    // SAFETY: promised.
    unsafe {
        let info = (*value.sub(OFFSET).cast::<Header>()).info();
        info.table().expect("a type that was made at run time")
    }
}

unsafe extern "C-unwind" fn drop<const OFFSET: usize>(value: *mut u8) {
    // SAFETY: called once with a living value.
    unsafe {
        let table = table::<OFFSET>(value);
        contain(table.key, || table.drop(value));
        if let Some(drop) = table.native.and_then(TypeInfo::drop_function) {
            drop(value);
        }
    }
}

unsafe extern "C-unwind" fn trace<const OFFSET: usize>(value: *const u8, tracer: *const TracerTable) {
    // SAFETY: called with a living value and a valid tracer.
    unsafe {
        let table = table::<OFFSET>(value);
        for field in table.traced() {
            field.slot(value).trace(&mut Tracer::new(&*tracer));
        }
        if let Some(native) = table.native.filter(|native| native.is_traced()) {
            native.trace_function()(value, tracer);
        }
    }
}

unsafe extern "C-unwind" fn clear<const OFFSET: usize>(value: *mut u8) {
    // SAFETY: called with a living value that is garbage.
    unsafe {
        let table = table::<OFFSET>(value);
        contain(table.key, || {
            for field in table.traced() {
                field.slot(value).clear();
            }
        });
        if let Some(native) = table.native.filter(|native| native.is_traced()) {
            native.clear_function()(value);
        }
    }
}

/// What the Rust type at the beginning says of its part; the rest is known to the type.
unsafe extern "C-unwind" fn shareable<const OFFSET: usize>(value: *const u8) -> u8 {
    // SAFETY: called with a living value.
    unsafe {
        let table = table::<OFFSET>(value);
        let answer = table
            .native
            .map_or(u8::MAX, |native| native.shareable_function()(value));
        if answer == 0 || !table.fields.iter().all(|field| field.kind.is_native()) {
            return 0;
        }
        answer
    }
}
