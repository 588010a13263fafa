//! Objects of types that were made at run time as keys: equal and hashed by fields, as dataclasses
//! are.

use super::table::Table;
use pairbond_core::any::RawAny;
use pairbond_core::error::{Error, panics};
use pairbond_core::object::Header;
use pairbond_core::types::Equality;
use pairbond_value::value::{Any, AnyRef, hash_sequence, keys_equal as equal_values};

pub(super) fn field_equality(hashed: bool) -> Equality {
    Equality::new(Some(fields_equal), hashed.then_some(hash_object))
}

fn field_values<'a>(table: &'a Table, object: &'a Header) -> impl ExactSizeIterator<Item = Option<Any>> + 'a {
    let numbers = table.compared.as_ref().map_or(&[][..], |(numbers, _)| numbers);
    // SAFETY: the fields of the object's own table.
    numbers
        .iter()
        .map(|number| unsafe { table.fields[*number].read(object, Any::from, Any::clone) })
}

/// # Safety
/// Living objects, the first of a type that was made at run time.
unsafe fn write_answer(out: *mut RawAny, compute: impl FnOnce() -> Result<Any, Error>) -> bool {
    let (fine, answer) = match panics::catch_panic(compute) {
        Ok(answer) => (true, RawAny::new(answer)),
        Err(error) => (false, RawAny::from_error(error)),
    };
    // SAFETY: the caller's place.
    unsafe { *out = answer };
    fine
}

unsafe extern "C-unwind" fn fields_equal(a: *const Header, b: *const Header, out: *mut RawAny) -> bool {
    // SAFETY: called with living objects, the first of which is of the type.
    unsafe {
        let (a, b) = (&*a, &*b);
        write_answer(out, || {
            let Some(table) = a.info().table().filter(|_| std::ptr::eq(a.info(), b.info())) else {
                return Err(Error::new(pairbond_core::error::ErrorKind::NoSuchOperation, ""));
            };
            for (a, b) in field_values(table, a).zip(field_values(table, b)) {
                let same = match (a, b) {
                    (Some(a), Some(b)) => equal_values(&a, &b)?,
                    (None, None) => true,
                    _ => false,
                };
                if !same {
                    return Ok(Any::Bool(false));
                }
            }
            Ok(Any::Bool(true))
        })
    }
}

unsafe extern "C-unwind" fn hash_object(object: *const Header, _: *const Header, out: *mut RawAny) -> bool {
    // SAFETY: called with living objects, the first of which is of the type.
    unsafe {
        let object = &*object;
        write_answer(out, || {
            let Some(table) = object.info().table() else {
                return Err(Error::type_error("not a type that was made at run time"));
            };
            let values: Vec<Any> = field_values(table, object)
                .map(Option::unwrap_or_default)
                .collect();
            hash_sequence(values.iter().map(|value| AnyRef::from(value).hash())).map(Any::Int)
        })
    }
}
