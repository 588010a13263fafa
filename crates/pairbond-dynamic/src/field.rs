//! [`Field`]: one field of a type that was made at run time, in a slot of its [`Storage`]. `table`
//! defines when a slot is valid, and which threads may touch it.

use super::FieldKind;
use pairbond_core::object::Header;
use pairbond_core::sync::statics::{AtomicU8, AtomicU64, Ordering};
use pairbond_value::value::{Any, Cell};

/// The form in which a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// See the head of `table`.
    Float,
    /// See the head of `table`.
    Bool,
    /// See the head of `table`.
    Value,
}

pub(super) const NO_FLOAT: u64 = 0x7ff4_7061_6972_626f;
pub(super) const NO_BOOL: u8 = 2;

pub(super) type Slot = Cell<Option<Any>>;

impl Storage {
    pub(super) fn for_kind(kind: &FieldKind) -> Self {
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

/// The value of a field, old or new: in the form of its storage.
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

    /// Its kind of value.
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

    /// Its value when none is given, if that is a native value.
    #[must_use]
    pub fn default(&self) -> Option<&Any> {
        self.default.as_ref()
    }

    /// # Safety
    /// The value of an object whose type has the field.
    #[inline]
    unsafe fn float_at<'a>(&self, value: *const u8) -> &'a AtomicU64 {
        debug_assert_eq!(self.storage, Storage::Float);
        // SAFETY: the value of an object whose type has the field: the caller ensures it. Slots are
        // aligned.
        unsafe { &*value.add(self.offset).cast() }
    }

    /// # Safety
    /// As [`float_at`](Self::float_at).
    #[inline]
    unsafe fn bool_at<'a>(&self, value: *const u8) -> &'a AtomicU8 {
        debug_assert_eq!(self.storage, Storage::Bool);
        // SAFETY: the value of an object whose type has the field: the caller ensures it.
        unsafe { &*value.add(self.offset).cast() }
    }

    /// # Safety
    /// As [`float_at`](Self::float_at).
    #[inline]
    pub(super) unsafe fn slot_at<'a>(&self, value: *const u8) -> &'a Slot {
        debug_assert_eq!(self.storage, Storage::Value);
        // SAFETY: the value of an object whose type has the field: the caller ensures it. Slots are
        // aligned.
        unsafe { &*value.add(self.offset).cast() }
    }

    /// Reads the field; a [`Storage::Value`] is looked at in place, under its lock, so that `look`
    /// must run no foreign code. `None`: nothing was assigned.
    ///
    /// # Safety
    /// An object whose type has this very field, in the table of the type or of one that it
    /// extends.
    #[inline]
    pub unsafe fn read<R>(
        &self,
        object: &Header,
        simple: impl FnOnce(Value) -> R,
        look: impl FnOnce(&Any) -> R,
    ) -> Option<R> {
        let value = object.value_ptr().cast_const();
        // SAFETY: an object whose type has this very field, in the table of the type or of one that
        // it extends: the caller ensures it.
        unsafe {
            match self.storage {
                Storage::Float => match self.float_at(value).load(Ordering::Acquire) {
                    NO_FLOAT => None,
                    bits => Some(simple(Value::Float(f64::from_bits(bits)))),
                },
                Storage::Bool => match self.bool_at(value).load(Ordering::Acquire) {
                    NO_BOOL => None,
                    byte => Some(simple(Value::Bool(byte == 1))),
                },
                Storage::Value => self.slot_at(value).with(|any| any.as_ref().map(look)),
            }
        }
    }

    /// Stores a value, or empties the field. Returns whether there was a value before. The old
    /// value is dropped after the field's lock was given back.
    ///
    /// # Panics
    /// The value is not in the form of the storage.
    ///
    /// # Safety
    /// As [`read`](Self::read); a [`Value::Any`] is one that the kind takes.
    #[inline]
    pub unsafe fn write(&self, object: &Header, new: Option<Value>) -> bool {
        // SAFETY: an object whose type has this very field, in the table of the type or of one that
        // it extends; a `Value::Any` is one that the kind takes: the caller ensures it.
        unsafe { self.write_at(object.value_ptr(), new) }
    }

    /// As [`write`](Self::write), into a value.
    ///
    /// # Safety
    /// `value` is the value of an object that has this field; no other thread writes to the field
    /// meanwhile.
    pub(super) unsafe fn write_at(&self, value: *const u8, new: Option<Value>) -> bool {
        // SAFETY: the value of an object that has this field, as for `write`.
        unsafe {
            match (self.storage, new) {
                (Storage::Float, Some(Value::Float(new))) => {
                    let bits = new.to_bits();
                    let bits = if bits == NO_FLOAT {
                        f64::NAN.to_bits()
                    } else {
                        bits
                    };
                    self.float_at(value).swap(bits, Ordering::AcqRel) != NO_FLOAT
                }
                (Storage::Float, None) => self.float_at(value).swap(NO_FLOAT, Ordering::AcqRel) != NO_FLOAT,
                (Storage::Bool, Some(Value::Bool(new))) => {
                    self.bool_at(value).swap(new.into(), Ordering::AcqRel) != NO_BOOL
                }
                (Storage::Bool, None) => self.bool_at(value).swap(NO_BOOL, Ordering::AcqRel) != NO_BOOL,
                (Storage::Value, Some(Value::Any(new))) => self.slot_at(value).replace(Some(new)).is_some(),
                (Storage::Value, None) => self.slot_at(value).replace(None).is_some(),
                (storage, Some(new)) => panic!("{}: {new:?} is not in the form {storage:?}", self.name),
            }
        }
    }

    /// Stores the first value of a field that is not shared.
    ///
    /// # Safety
    /// As [`write`](Self::write); the slot is clean, and not shared.
    #[inline]
    pub(super) unsafe fn first(&self, value: *mut u8, new: Value) {
        // SAFETY: memory for a value that has the field, which no other thread knows: the caller
        // ensures it. A clean slot has nothing to drop.
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
