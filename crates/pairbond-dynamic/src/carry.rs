//! How the fields of types that were made at run time are taken apart and made again. A field to
//! which nothing was assigned is a sequence of no values, which no value is.

use std::ffi::c_void;

use super::field::{Field, NO_BOOL, NO_FLOAT, Slot, Storage};
use pairbond_core::any::RawAny;
use pairbond_core::error::{Error, panics};
use pairbond_core::sync::statics::{AtomicU8, AtomicU64, Ordering};
use pairbond_core::types::{FieldDefault, FieldInfo};
use pairbond_value::carry::{CarryTable, Fault, Item, Loading, Part, Saver, status};
use pairbond_value::value::{Any, Cell};

impl Field {
    pub(super) fn carry_table(&self) -> CarryTable {
        CarryTable {
            save: save_slot,
            load: load_slot,
            finish: finish_slot,
            drop: match self.storage {
                Storage::Value => drop_slot,
                _ => drop_nothing,
            },
            kinds: no_kinds,
        }
    }

    /// What data of an older version gets: the default, or nothing assigned if only the frontend
    /// knows it.
    pub(super) fn carry_default(&self) -> FieldDefault {
        FieldDefault {
            write: write_default,
            drop: self.carry_table().drop,
        }
    }
}

/// # Safety
/// None is needed.
unsafe fn no_kinds(_: *mut c_void) {}

unsafe extern "C-unwind" fn drop_nothing(_: *mut u8) {}

unsafe extern "C-unwind" fn drop_slot(slot: *mut u8) {
    // SAFETY: called once with a living slot.
    unsafe { slot.cast::<Slot>().drop_in_place() }
}

unsafe extern "C-unwind" fn save_slot(
    slot: *const u8,
    field: *const FieldInfo,
    to: *mut c_void,
    error: *mut RawAny,
) -> bool {
    // SAFETY: a living slot of the field, a saver, a place for an error.
    unsafe {
        let (field, to) = (field_of(field), &mut *to.cast::<Saver>());
        let saved = panics::catch_panic(|| match field.storage {
            Storage::Float => match (*slot.cast::<AtomicU64>()).load(Ordering::Acquire) {
                NO_FLOAT => to.put_part(Part::Sequence(0)),
                bits => to.put_part(Part::Float(f64::from_bits(bits))),
            },
            Storage::Bool => match (*slot.cast::<AtomicU8>()).load(Ordering::Acquire) {
                NO_BOOL => to.put_part(Part::Sequence(0)),
                byte => to.put_part(Part::Bool(byte == 1)),
            },
            Storage::Value => (*slot.cast::<Slot>()).with(|value| match value {
                None => to.put_part(Part::Sequence(0)),
                Some(value) => to.save_mutable(value),
            }),
        });
        status::to_status(saved.map_err(Fault::Error), &mut *error.cast::<Any>()) == status::FINE
    }
}

unsafe extern "C-unwind" fn load_slot(
    place: *mut u8,
    field: *const FieldInfo,
    from: *mut c_void,
    error: *mut RawAny,
) -> u8 {
    // SAFETY: a place for a slot of the field, a loading, a place for an error.
    unsafe {
        status::to_status(
            panics::catch_panic(|| field_of(field).load_into(place, &mut *from.cast::<Loading>())),
            &mut *error.cast::<Any>(),
        )
    }
}

unsafe extern "C-unwind" fn finish_slot(
    slot: *const u8,
    field: *const FieldInfo,
    from: *mut c_void,
    error: *mut RawAny,
) -> u8 {
    // SAFETY: a living slot of the field, a loading, a place for an error.
    unsafe {
        let (field, from) = (field_of(field), &mut *from.cast::<Loading>());
        let finished = panics::catch_panic(|| match field.storage {
            Storage::Value if (*slot.cast::<Slot>()).is_vacant() => field
                .load_stored(from)
                .map(|value| (*slot.cast::<Slot>()).fill(value)),
            _ => from.skip_value(),
        });
        status::to_status(finished, &mut *error.cast::<Any>())
    }
}

unsafe extern "C-unwind" fn write_default(place: *mut u8, field: *const FieldInfo, _: *mut RawAny) -> bool {
    // SAFETY: a place for a slot of the field.
    unsafe {
        let field = field_of(field);
        match (field.storage, &field.default) {
            (Storage::Float, Some(Any::Float(value))) => place.cast::<u64>().write(float_bits(*value)),
            (Storage::Float, _) => place.cast::<u64>().write(NO_FLOAT),
            (Storage::Bool, Some(Any::Bool(value))) => place.write((*value).into()),
            (Storage::Bool, _) => place.write(NO_BOOL),
            (Storage::Value, default) => place.cast::<Slot>().write(Cell::new(default.clone())),
        }
    }
    true
}

fn float_bits(value: f64) -> u64 {
    match value.to_bits() {
        NO_FLOAT => f64::NAN.to_bits(),
        bits => bits,
    }
}

/// # Safety
/// The description of a field of such a type.
unsafe fn field_of(field: *const FieldInfo) -> &'static Field {
    // SAFETY: the description of a field of such a type: the caller ensures it.
    unsafe { (*field).description() }.expect("the field of a type that was made at run time")
}

impl Field {
    /// # Safety
    /// A place for a slot of the field.
    unsafe fn load_into(&self, place: *mut u8, from: &mut Loading) -> Result<(), Fault> {
        // SAFETY: A place for a slot of the field: the caller ensures it.
        unsafe {
            match self.storage {
                Storage::Value => {
                    let slot = from.load_if_ready_by(|from| self.load_stored(from))?;
                    place
                        .cast::<Slot>()
                        .write(slot.map_or_else(Cell::vacant, Cell::new));
                }
                Storage::Float => place.cast::<u64>().write(match self.load_stored(from)? {
                    Some(Any::Float(value)) => float_bits(value),
                    _ => NO_FLOAT,
                }),
                Storage::Bool => place.write(match self.load_stored(from)? {
                    Some(Any::Bool(value)) => value.into(),
                    _ => NO_BOOL,
                }),
            }
        }
        Ok(())
    }

    fn load_stored(&self, from: &mut Loading) -> Result<Option<Any>, Fault> {
        match from.next_item()? {
            Item::Sequence(0) => Ok(None),
            // The frontend has made its own checks; and its object may not have its final class
            // yet.
            Item::Any(value @ Any::Foreign(_)) if self.kind.may_be_foreign() => Ok(Some(value)),
            Item::Any(value) => self.kind.to_stored_form(value).map(Some).or_else(|value| {
                if self.kind.is_unknown() {
                    return Ok(Some(value));
                }
                let message = format!("expected {}, got {}", self.kind.name(), value.kind());
                Err(Fault::Error(Error::type_error(message)))
            }),
            _ => Err(Fault::Error(Error::value_error("a single value is expected"))),
        }
    }
}
