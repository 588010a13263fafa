//! [`AnySource`]: a value that is native already, as a [`Source`]: how Rust functions are called by
//! Rust, with arguments of any kind.

use std::path::PathBuf;

use super::{FromValue, Mismatch, Part, Request, Source};
use crate::error::{Error, ErrorKind};
use crate::memory::{or_unwind, try_collect, try_copy};
use crate::object::ErasedBorrow;
use crate::value::{
    Any, BigInt, Foreign, FrontendValues, FrozenMapBody, Function, ListBody, MapBody, SetBody, TupleBody,
};

/// A value, or several that stand for a sequence.
#[derive(Clone, Copy, Debug)]
pub enum AnySource<'a> {
    /// One value.
    One(&'a Any),
    /// A sequence.
    Many(&'a [Any]),
}

impl<'a> AnySource<'a> {
    fn single_value(self) -> Result<&'a Any, Mismatch> {
        match self {
            AnySource::One(value) => Ok(value),
            AnySource::Many(_) => Err(Mismatch::Type),
        }
    }

    /// An integer that may be too large for `T`.
    fn read_integer<T: TryFrom<i64> + TryFrom<i128> + TryFrom<u128>>(self) -> Result<T, Mismatch> {
        match self.single_value()? {
            Any::Int(value) => T::try_from(*value).map_err(|_| Mismatch::Overflow),
            Any::Bool(value) => T::try_from(i64::from(*value)).map_err(|_| Mismatch::Overflow),
            Any::BigInt(value) => {
                let signed = value.to_i128().and_then(|v| T::try_from(v).ok());
                let unsigned = || value.to_u128().and_then(|v| T::try_from(v).ok());
                signed.or_else(unsigned).ok_or(Mismatch::Overflow)
            }
            _ => Err(Mismatch::Type),
        }
    }
}

impl<'a> Source<'a> for AnySource<'a> {
    type Item<'b> = AnySource<'b>;

    fn is_none(self) -> bool {
        matches!(self, AnySource::One(Any::None))
    }
    fn read_bool(self) -> Result<bool, Mismatch> {
        match self.single_value()? {
            Any::Bool(value) => Ok(*value),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_i64(self) -> Result<i64, Mismatch> {
        self.read_integer()
    }
    fn read_u64(self) -> Result<u64, Mismatch> {
        self.read_integer()
    }
    fn read_i128(self) -> Result<i128, Mismatch> {
        self.read_integer()
    }
    fn read_u128(self) -> Result<u128, Mismatch> {
        self.read_integer()
    }
    fn big_int(self) -> Result<BigInt, Mismatch> {
        match self.single_value()? {
            Any::Int(value) => Ok(BigInt::from(*value)),
            Any::Bool(value) => Ok(BigInt::from(i64::from(*value))),
            Any::BigInt(value) => Ok(value.clone()),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_f64(self) -> Result<f64, Mismatch> {
        match self.single_value()? {
            Any::Float(value) => Ok(*value),
            Any::Int(value) => Ok(*value as f64),
            Any::Bool(value) => Ok(f64::from(u8::from(*value))),
            Any::BigInt(value) => {
                let value = value.to_f64();
                if value.is_finite() {
                    Ok(value)
                } else {
                    Err(Mismatch::Overflow)
                }
            }
            Any::Foreign(object) if object.is_nan() => Ok(f64::NAN),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_str(self) -> Result<&'a str, Mismatch> {
        match self.single_value()? {
            Any::Str(value) => Ok(value),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_bytes(self) -> Result<&'a [u8], Mismatch> {
        match self.single_value()? {
            Any::Bytes(value) => Ok(value),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_path(self) -> Result<PathBuf, Mismatch> {
        if let AnySource::One(value @ Any::Foreign(object)) = self {
            let (tag, _) = object.check_present()?;
            let has = Part::Made(
                "builtins.hasattr",
                &[Part::Value(value.clone()), "__fspath__".into()],
            );
            if !matches!(
                crate::frontend::frontend_of(tag).construct_value(&has)?,
                Any::Bool(true)
            ) {
                return Err(Mismatch::Type);
            }
            return match &self.read_parts("builtins.object", &["__fspath__()"])?[..] {
                [Any::Str(path)] => Ok(PathBuf::from(&**path)),
                _ => Err(Mismatch::Type),
            };
        }
        self.read_str().map(PathBuf::from)
    }
    fn read_object(self) -> Result<ErasedBorrow<'a>, Mismatch> {
        match self.single_value()? {
            Any::Object(value) => Ok(value.as_borrow()),
            Any::Function(value) => value.native().map(|body| body.erase()).ok_or(Mismatch::Type),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_function(self) -> Result<Function, Mismatch> {
        match self.single_value()? {
            Any::Function(value) => Ok(value.clone()),
            Any::Foreign(value) => Ok(Function::from_foreign(value.clone())),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_foreign(self) -> Result<Foreign, Mismatch> {
        match self.single_value()? {
            Any::Foreign(value) => Ok(value.clone()),
            Any::Function(value) => value.foreign().cloned().ok_or(Mismatch::Type),
            _ => Err(Mismatch::Type),
        }
    }
    fn read_any(self) -> Result<Any, Mismatch> {
        match self {
            AnySource::One(value) => Ok(value.clone()),
            AnySource::Many(values) => Ok(Any::Object(
                crate::value::List::<Any>::from_iter(values.iter().cloned()).into_erased(),
            )),
        }
    }
    fn read_sequence<F>(self, mut each: F) -> Result<usize, Mismatch>
    where
        F: for<'b> FnMut(usize, AnySource<'b>) -> Result<(), Mismatch>,
    {
        let items;
        let values = match self {
            AnySource::Many(values) => values,
            AnySource::One(Any::Foreign(object)) => {
                items = unfold_foreign(object, false)?;
                &items
            }
            AnySource::One(_) => {
                items = elements_of(self.read_object()?).ok_or(Mismatch::Type)?;
                &items
            }
        };
        for (index, value) in values.iter().enumerate() {
            each(index, AnySource::One(value))?;
        }
        Ok(values.len())
    }
    fn read_mapping<F>(self, mut each: F) -> Result<(), Mismatch>
    where
        F: for<'b> FnMut(AnySource<'b>, AnySource<'b>) -> Result<(), Mismatch>,
    {
        if let Any::Foreign(object) = self.single_value()? {
            for pair in unfold_foreign(object, true)?.chunks_exact(2) {
                each(AnySource::One(&pair[0]), AnySource::One(&pair[1]))?;
            }
            return Ok(());
        }
        let object = self.read_object()?;
        let table = match (object.downcast::<MapBody>(), object.downcast::<FrozenMapBody>()) {
            (Some(map), _) => map.get().entries().read(Clone::clone),
            (_, Some(map)) => map.get().table().clone(),
            _ => return Err(Mismatch::Type),
        };
        table
            .iter()
            .try_for_each(|entry| each(AnySource::One(&entry.key), AnySource::One(&entry.value)))
    }
    fn read_parts(self, class: &str, names: &[&str]) -> Result<Vec<Any>, Mismatch> {
        let Any::Foreign(object) = self.single_value()? else {
            return Err(Mismatch::Type);
        };
        let (tag, _) = object.check_present()?;
        let parts = crate::frontend::frontend_of(tag).read_attributes(object, &Request { class, names })?;
        parts.ok_or(Mismatch::Type)
    }
    fn describe(self) -> String {
        match self {
            AnySource::One(value) => value.describe(),
            AnySource::Many(values) => format!("a sequence of {}", values.len()),
        }
    }
}

/// Returns the contents of a frontend's sequence or mapping.
fn unfold_foreign(object: &Foreign, mapping: bool) -> Result<Vec<Any>, Mismatch> {
    let (tag, object) = object.check_present()?;
    // SAFETY: the value keeps the object, which is of that frontend.
    let items = unsafe { crate::frontend::frontend_of(tag).collect_items(object, mapping) }?;
    items.ok_or(Mismatch::Type)
}

/// The elements of a list, tuple or set.
fn elements_of(object: ErasedBorrow<'_>) -> Option<Vec<Any>> {
    if let Some(list) = object.downcast::<ListBody>() {
        return Some(or_unwind(list.get().read(|items| try_copy(items))));
    }
    if let Some(tuple) = object.downcast::<TupleBody>() {
        return Some(or_unwind(try_copy(tuple.get().items())));
    }
    let set = object.downcast::<SetBody>()?;
    let keys = |table: &crate::value::Table<()>| try_collect(table.iter().map(|entry| entry.key.clone()));
    Some(or_unwind(set.get().entries().read(keys)))
}

impl Any {
    /// The value as a `T`, under the rules for arguments of functions: an int where a float is
    /// expected, a list for a `Vec`, and so on.
    ///
    /// # Errors
    /// `TypeError` or `OverflowError` that names the expected type and the value.
    pub fn to<'a, T: FromValue<'a>>(&'a self) -> Result<T, Error> {
        let source = AnySource::One(self);
        T::from_value(source).map_err(|mismatch| {
            let (expected, came) = (T::expected_type(), source.describe());
            match mismatch {
                Mismatch::Type => Error::type_error(format!("expected {expected}, got {came}")),
                Mismatch::Overflow => Error::new(
                    ErrorKind::Overflow,
                    format!("{came} does not fit into {expected}"),
                ),
                other => other.into_error(|| "the value".into(), &expected, || came.clone()),
            }
        })
    }
}
