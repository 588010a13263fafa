//! Objects of types that were made at run time: made from values, read and changed by the names of
//! their fields.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use super::Storage;
use super::field::{Field, Value};
use super::table::Table;
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{ErasedBorrow, ErasedRef, Header, Object, Pair, Ref, Unfinished};
use pairbond_core::runtime::Home;
use pairbond_core::types::TypeInfo;
use pairbond_value::value::Any;

/// An object whose fields are being filled in. It is not shared before it is
/// [finished](Making::finish); dropped before, it leaves nothing behind.
pub struct Making {
    unfinished: Unfinished,
    home: Home,
    table: &'static Table,
    value: *mut u8,
    /// Whether the value of the Rust type at the beginning is there.
    based: bool,
}

impl Making {
    /// Room for an object, born in the custody of a wrapper if `pair` is given. All fields are
    /// empty.
    ///
    /// # Errors
    /// The allocator refused, or the type was not made at run time.
    #[inline]
    pub fn begin_object(info: &'static TypeInfo, pair: Option<Pair>) -> Result<Self, Error> {
        let Some(table) = info.table() else {
            return Err(Error::type_error(format!("{} is a Rust type", info.key())));
        };
        let (unfinished, home) = Unfinished::new(info, pair, 0)?;
        let value = unfinished.value();
        // SAFETY: the fields are made valid here, the Rust type's value before it is finished.
        unsafe { table.init_slots(value) };
        Ok(Making {
            unfinished,
            home,
            table,
            value,
            based: table.native.is_none(),
        })
    }

    /// Fills a field in that was empty.
    ///
    /// # Safety
    /// A number of a field of the table, each at most once; the value has the form of its storage,
    /// and the kind takes it.
    #[inline]
    pub unsafe fn fill_field(&mut self, number: usize, value: Value) {
        // SAFETY: a number of a field of the table, each at most once; the value has the form of
        // its storage, and the kind takes it: the caller ensures it. The object is not shared.
        unsafe { self.table.fields.get_unchecked(number).first(self.value, value) }
    }

    /// Fills the value of the Rust type at the beginning in.
    ///
    /// # Errors
    /// That of `write`.
    ///
    /// # Safety
    /// `write` writes a value of the table's [`native`](Table::native_base) type, or fails.
    pub unsafe fn put_base(&mut self, write: impl FnOnce(*mut u8) -> Result<(), Error>) -> Result<(), Error> {
        debug_assert!(!self.based);
        write(self.value)?;
        self.based = true;
        Ok(())
    }

    /// The object, as a reference that is to be kept (or, with a pair, the wrapper's).
    ///
    /// # Errors
    /// `TypeError`: the value of the Rust type that it extends is missing. `MemoryError`: there is
    /// no memory to list the object.
    #[inline]
    pub fn finish(self) -> Result<NonNull<Header>, Error> {
        if !self.based {
            return Err(Error::type_error(format!(
                "a {} begins with a {}, which is missing",
                self.table.key,
                self.table.native.map_or("", TypeInfo::key)
            )));
        }
        let this = ManuallyDrop::new(self);
        // SAFETY: read once, as its container is not dropped; the value is complete.
        unsafe {
            let unfinished = std::ptr::read(&raw const this.unfinished);
            let traced = unfinished.info().is_traced();
            Ok(unfinished.finish(this.home, traced)?)
        }
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        // SAFETY: all slots are valid; they are not shared. The memory goes afterwards.
        unsafe {
            self.table.drop(self.value);
            if self.based
                && let Some(drop) = self.table.native.and_then(TypeInfo::drop_function)
            {
                drop(self.value);
            }
        }
    }
}

impl Field {
    /// The form in which a value is stored here.
    ///
    /// # Errors
    /// `TypeError`, with the names of type and field.
    pub fn check_value(&self, key: &str, value: Any) -> Result<Value, Error> {
        let value = self.kind.to_stored_form(value).map_err(|value| {
            Error::type_error(format!(
                "{key}.{}: expected {}, got {}",
                self.name,
                self.kind.name(),
                value.kind()
            ))
        })?;
        Ok(match (self.storage, value) {
            (Storage::Float, Any::Float(value)) => Value::Float(value),
            (Storage::Bool, Any::Bool(value)) => Value::Bool(value),
            (_, value) => Value::Any(value),
        })
    }
}

/// Objects of types that were made at run time.
pub trait MakeObject {
    /// A new object of a type that was made at run time, from the values of fields; others take
    /// their defaults. No code of the program that defined the type runs.
    ///
    /// # Errors
    /// A value that its field does not take, a field without a value, a name that is no field's;
    /// the type is a Rust type or extends one.
    fn make_object(&'static self, values: &[(&str, Any)]) -> Result<ErasedRef, Error>;

    /// As [`make_object`](Self::make_object), of a type that extends the Rust type `T`, with its
    /// value.
    ///
    /// # Errors
    /// As [`make_object`](Self::make_object); the type extends another Rust type.
    fn make_on<T: Object + Send + Sync>(
        &'static self,
        base: T,
        values: &[(&str, Any)],
    ) -> Result<ErasedRef, Error>;
}

impl MakeObject for TypeInfo {
    fn make_object(&'static self, values: &[(&str, Any)]) -> Result<ErasedRef, Error> {
        let making = Making::begin_object(self, None)?;
        fill_all_fields(self, making, values)
    }

    fn make_on<T: Object + Send + Sync>(
        &'static self,
        base: T,
        values: &[(&str, Any)],
    ) -> Result<ErasedRef, Error> {
        let mut making = Making::begin_object(self, None)?;
        if !making
            .table
            .native
            .is_some_and(|native| std::ptr::eq(native, T::info()))
        {
            return Err(Error::type_error(format!(
                "{} does not extend {}",
                self.key(),
                T::KEY
            )));
        }
        // SAFETY: the type begins with a `T`.
        unsafe {
            making.put_base(|place| {
                place.cast::<T>().write(base);
                Ok(())
            })?;
        }
        fill_all_fields(self, making, values)
    }
}

fn fill_all_fields(
    info: &'static TypeInfo,
    mut making: Making,
    values: &[(&str, Any)],
) -> Result<ErasedRef, Error> {
    let fields = making.table.fields();
    for (name, _) in values {
        if !fields.iter().any(|field| field.name == *name) {
            return Err(Error::type_error(format!("{} has no field '{name}'", info.key())));
        }
    }
    for (number, field) in fields.iter().enumerate() {
        let hidden = fields[number + 1..].iter().any(|other| other.name == field.name);
        let given = values
            .iter()
            .rev()
            .find(|(name, _)| *name == field.name && !hidden);
        let value = match (given, &field.default) {
            _ if hidden => continue,
            (Some((_, value)), _) | (None, Some(value)) => value.clone(),
            (None, None) => {
                let message = format!("{}: field '{}' needs a value", info.key(), field.name);
                return Err(Error::type_error(message));
            }
        };
        let value = field.check_value(info.key(), value)?;
        // SAFETY: each once, and checked.
        unsafe { making.fill_field(number, value) };
    }
    let header = making.finish()?;
    // SAFETY: a new reference; values of such types may be used on any thread.
    Ok(unsafe { ErasedRef::from_raw(header) })
}

/// Fields by name, of objects whose types were made at run time.
pub trait DynamicFields {
    /// The value of a field of an object whose type was made at run time.
    ///
    /// # Errors
    /// `AttributeError`: there is no such field, or it is empty.
    fn field(&self, name: &str) -> Result<Any, Error>;

    /// Assigns a field of an object whose type was made at run time.
    ///
    /// # Errors
    /// `AttributeError`: there is no such field, or it is frozen; `TypeError`: it does not take the
    /// value.
    fn set_field(&self, name: &str, value: Any) -> Result<(), Error>;
}

impl DynamicFields for ErasedBorrow<'_> {
    fn field(&self, name: &str) -> Result<Any, Error> {
        let field = field_named(*self, name)?;
        // SAFETY: a field of the object's own type.
        let value = unsafe { field.read(self.header(), Any::from, Any::clone) };
        value.ok_or_else(|| {
            let message = format!("{}.{name} has no value", self.header().info().key());
            Error::new(ErrorKind::Attribute, message)
        })
    }

    fn set_field(&self, name: &str, value: Any) -> Result<(), Error> {
        let field = field_named(*self, name)?;
        let key = self.header().info().key();
        if !field.settable {
            return Err(Error::new(
                ErrorKind::Attribute,
                format!("{key}.{name} is frozen"),
            ));
        }
        let value = field.check_value(key, value)?;
        // SAFETY: a field of the object's own type, and checked.
        unsafe { field.write(self.header(), Some(value)) };
        Ok(())
    }
}

fn field_named(object: ErasedBorrow<'_>, name: &str) -> Result<&'static Field, Error> {
    let info = object.header().info();
    info.table()
        .and_then(|table: &Table| table.field(name))
        .ok_or_else(|| {
            let message = format!(
                "{} objects have no field '{name}' that is known by name",
                info.key()
            );
            Error::new(ErrorKind::Attribute, message)
        })
}

/// Of an object that extends `T`.
impl<T: Object + Send + Sync> DynamicFields for Ref<T> {
    fn field(&self, name: &str) -> Result<Any, Error> {
        self.as_borrow().erase().field(name)
    }

    fn set_field(&self, name: &str, value: Any) -> Result<(), Error> {
        self.as_borrow().erase().set_field(name, value)
    }
}
