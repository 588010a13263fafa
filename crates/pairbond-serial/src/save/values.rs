//! Values as tokens.

use std::ptr::NonNull;

use super::super::graph::{OutOfBand, Token};
use super::Save;
use pairbond_core::error::{Error, panics};
use pairbond_core::memory::{Room, try_push};
use pairbond_core::object::{ErasedBorrow, ErasedRef};
use pairbond_value::carry::{Part, Saver};
use pairbond_value::value::{
    Any, DTypeBody, DeviceBody, Function, FunctionBody, Str, function_names, get_function,
};

impl Save<'_> {
    pub(super) fn put_any(&mut self, value: &Any, hard: bool) -> Result<(), Error> {
        let token = match value {
            Any::None => Token::None,
            Any::Bool(value) => Token::Bool(*value),
            Any::Int(value) => Token::Int(*value),
            Any::BigInt(value) => Token::BigInt(value.clone()),
            Any::Float(value) => Token::Float(*value),
            Any::Str(value) => Token::Str(value.clone()),
            Any::Bytes(value) => Token::Bytes(value.clone()),
            Any::DType(value) => Token::DType(*value),
            Any::Device(value) => Token::Device(*value),
            Any::Object(object) => return self.put_object(object.clone(), hard),
            Any::Function(function) => self.function_token(function)?,
            Any::Foreign(object) if self.plain_nans && object.is_nan() => Token::Float(f64::NAN),
            Any::Foreign(object) => {
                object.check_present()?;
                let number = self.put_beside(object.as_ptr().addr(), value);
                Token::External(number)
            }
            _ => return Err(Error::type_error("cannot write an error")),
        };
        try_push(&mut self.tokens, token)?;
        Ok(())
    }

    fn put_object(&mut self, object: ErasedRef, hard: bool) -> Result<(), Error> {
        let borrow = object.as_borrow();
        let token = if let Some(body) = borrow.downcast::<DTypeBody>() {
            Token::DType(body.get().value())
        } else if let Some(body) = borrow.downcast::<DeviceBody>() {
            Token::Device(body.get().value())
        } else if borrow.is::<FunctionBody>() {
            return self.put_any(&Any::from(object), hard);
        } else {
            Token::Node(self.number_of(object, hard)?)
        };
        try_push(&mut self.tokens, token)?;
        Ok(())
    }

    fn function_token(&mut self, function: &Function) -> Result<Token, Error> {
        if let Some(foreign) = function.foreign() {
            foreign.check_present()?;
            let value = Any::Foreign(foreign.clone());
            return Ok(Token::Callable(self.put_beside(foreign.as_ptr().addr(), &value)));
        }
        let functions = self.functions.get_or_insert_with(|| {
            let all = function_names().into_iter();
            all.filter_map(|name| Some((name.clone(), get_function(&name).ok()?)))
                .collect()
        });
        match functions.iter().find(|(_, other)| other.is(function)) {
            Some((name, _)) => Ok(Token::Named(Str::from(name))),
            None => Err(Error::type_error(format!(
                "cannot write the native function {}: it is not registered by a name (pairbond.register_function)",
                function.name()
            ))),
        }
    }

    fn put_beside(&mut self, address: usize, value: &Any) -> u32 {
        let next = self.beside.len() as u32;
        let number = *self.foreign.room().entry(address).or_insert(next);
        if number == next {
            self.beside.room().push(OutOfBand {
                value: value.clone(),
                early: false,
            });
        }
        number
    }

    pub(super) fn put_part(&mut self, part: &Part<'_>, hard: bool) -> Result<(), Error> {
        let count =
            |n: usize| u32::try_from(n).map_err(|_| Error::value_error("more than 2^32 values in one"));
        let token = match *part {
            Part::Any(value) => return self.put_any(value, hard),
            Part::None => Token::None,
            Part::Bool(value) => Token::Bool(value),
            Part::Int(value) => Token::Int(value),
            Part::Float(value) => Token::Float(value),
            // SAFETY: the parts of a `str`.
            Part::Text(start, len) => Token::Str(Str::from(unsafe {
                std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, len))
            })),
            Part::Object(header) => {
                // SAFETY: alive while it is borrowed.
                let object = unsafe { ErasedBorrow::from_header(NonNull::from(header)) };
                return self.put_object(object.to_ref(), hard);
            }
            Part::Owned(header) => {
                // SAFETY: alive while it is borrowed.
                let object = unsafe { ErasedBorrow::from_header(NonNull::from(header)) };
                let number = self.number_of(object.to_ref(), false)?;
                self.met[number as usize].owned = true;
                Token::Node(number)
            }
            Part::Weak(weak) => {
                self.weaks.room().push((self.tokens.len(), weak.clone()));
                Token::None
            }
            Part::Sequence(n) => Token::Sequence(count(n)?),
            Part::Bag(n) => Token::Bag(count(n)?),
            Part::Pairs(n) => Token::Pairs(count(n)?),
        };
        try_push(&mut self.tokens, token)?;
        Ok(())
    }
}

/// Called by a [`Saver`] for each part of a field.
pub(super) unsafe extern "C-unwind" fn put_part_of_field(
    saver: *mut Saver,
    part: *const Part<'_>,
    error: *mut Any,
) -> bool {
    // SAFETY: the saver was made by `put_fields`, which lends its `Save`; a living part, a place
    // for an error.
    unsafe {
        let hard = (*saver).is_hard();
        match panics::catch_panic(|| (*(*saver).context().cast::<Save<'_>>()).put_part(&*part, hard)) {
            Ok(()) => true,
            Err(e) => {
                *error = Any::Error(std::sync::Arc::new(e));
                false
            }
        }
    }
}
