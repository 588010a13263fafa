//! Fields and properties of a type of C.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::Text;
use super::call::{Call, Input};
use super::callables::Callback;
use super::module::{Described, rust_type};
use crate::convert::{Mismatch, Sink, Source};
use crate::error::{Error, ErrorKind};
use crate::library::attribute::AttributeEntry;
use crate::library::guard::{NOTHING, guarded};
use crate::library::sink::ErasedSink;
use crate::library::source::ErasedSource;
use crate::object::{ErasedBorrow, ErasedRef, Header};
use crate::runtime::find_type;
use crate::sync::statics::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};
use crate::types::{Attribute, FieldFlags, FieldInfo, TypeInfo, trace_of};
use crate::value::{Any, Cell};

/// `pb_field`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct FieldSpec {
    pub(super) size: usize,
    pub(super) name: Text,
    pub(super) doc: Text,
    pub(super) kind_of_value: Text,
    pub(super) kind: u32,
    pub(super) settable: bool,
    pub(super) offset: usize,
    /// The type of the objects in an object field or cell.
    pub(super) key: Text,
    pub(super) get: Option<Callback>,
    pub(super) set: Option<Callback>,
    pub(super) context: *mut c_void,
}

// SAFETY: plain data; zero is a value of each field.
unsafe impl Described for FieldSpec {
    const FIRST: usize = size_of::<Self>();
}

/// What a field holds: the numbers of `pb_field_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Property,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    Object,
    Value,
    Cell,
}

impl FieldKind {
    const ALL: [FieldKind; 15] = [
        FieldKind::Property,
        FieldKind::Bool,
        FieldKind::I8,
        FieldKind::I16,
        FieldKind::I32,
        FieldKind::I64,
        FieldKind::U8,
        FieldKind::U16,
        FieldKind::U32,
        FieldKind::U64,
        FieldKind::F32,
        FieldKind::F64,
        FieldKind::Object,
        FieldKind::Value,
        FieldKind::Cell,
    ];

    /// Size and alignment.
    fn layout(self) -> (usize, usize) {
        match self {
            FieldKind::Property => (0, 1),
            FieldKind::Bool | FieldKind::I8 | FieldKind::U8 => (1, 1),
            FieldKind::I16 | FieldKind::U16 => (2, 2),
            FieldKind::I32 | FieldKind::U32 | FieldKind::F32 => (4, 4),
            FieldKind::I64 | FieldKind::U64 | FieldKind::F64 | FieldKind::Object => (8, 8),
            FieldKind::Value => (size_of::<Any>(), align_of::<Any>()),
            FieldKind::Cell => (size_of::<Cell<Any>>(), align_of::<Cell<Any>>()),
        }
    }

    /// The type of values in stubs, where the author says none.
    fn of_value(self) -> &'static str {
        match self {
            FieldKind::Bool => "bool",
            FieldKind::F32 | FieldKind::F64 => "float",
            FieldKind::Property | FieldKind::Object | FieldKind::Value | FieldKind::Cell => "",
            _ => "int",
        }
    }

    /// Whether it can own references.
    pub(super) fn is_traced(self) -> bool {
        matches!(self, FieldKind::Object | FieldKind::Value | FieldKind::Cell)
    }
}

/// A field or property, for the process.
pub(super) struct Field {
    /// `Class.name`, for messages.
    qualified: &'static str,
    name: &'static str,
    doc: &'static str,
    rust_type: &'static str,
    pub(super) kind: FieldKind,
    settable: bool,
    offset: usize,
    key: &'static str,
    /// The type of the key, once it is known.
    info: OnceLock<&'static TypeInfo>,
    get: Option<Callback>,
    set: Option<Callback>,
    context: *mut c_void,
}

// SAFETY: constant but for the `OnceLock`; the context is given to functions that any thread may
// call, as `pairbond.h` demands.
unsafe impl Send for Field {}
// SAFETY: constant but for the `OnceLock`; the context is given to functions that any thread may
// call, as `pairbond.h` demands.
unsafe impl Sync for Field {}

impl Field {
    /// A field of a class whose values have so many bytes.
    ///
    /// # Errors
    /// It is no field that such a value can have.
    ///
    /// # Safety
    /// A specification whose texts are good for the call; functions and context live for the
    /// process; the field is there.
    pub(super) unsafe fn of(spec: &FieldSpec, class: &str, bytes: usize) -> Result<&'static Field, Error> {
        // SAFETY: the caller's texts.
        let (name, doc, of_value, key) = unsafe {
            (
                spec.name.leak()?,
                spec.doc.leak()?,
                spec.kind_of_value.get()?,
                spec.key.leak()?,
            )
        };
        let refuse = |why: String| Err(Error::value_error(format!("{class}.{name}: {why}")));
        let Some(&kind) = FieldKind::ALL.get(spec.kind as usize) else {
            return refuse(format!("{} is no kind of field", spec.kind));
        };
        let (size, align) = kind.layout();
        if kind == FieldKind::Property {
            if spec.get.is_none() {
                return refuse("a property needs a getter".into());
            }
        } else if !spec.offset.is_multiple_of(align)
            || spec.offset.checked_add(size).is_none_or(|end| end > bytes)
        {
            return refuse(format!(
                "{size} bytes at {} are not within a value of {bytes} bytes, or not aligned",
                spec.offset
            ));
        }
        if spec.settable && matches!(kind, FieldKind::Object | FieldKind::Value) {
            return refuse(
                "a reference that can change must be a pb_cell, for others may look at it meanwhile".into(),
            );
        }
        let rust_type = match of_value {
            "" if !key.is_empty() => rust_type(&format!("{key}?")),
            "" => rust_type(kind.of_value()),
            text => rust_type(text),
        };
        Ok(Box::leak(Box::new(Field {
            qualified: format!("{class}.{name}").leak(),
            name,
            doc,
            rust_type: rust_type.leak(),
            kind,
            settable: match kind {
                FieldKind::Property => spec.set.is_some(),
                _ => spec.settable,
            },
            offset: spec.offset,
            key,
            info: OnceLock::new(),
            get: spec.get,
            set: spec.set,
            context: spec.context,
        })))
    }

    /// For reports and fingerprints; `None` for a property.
    pub(super) fn info(&self) -> Option<FieldInfo> {
        (self.kind != FieldKind::Property).then(|| FieldInfo {
            name: self.name,
            doc: self.doc,
            rust_type: self.rust_type,
            offset: self.offset,
            size: self.kind.layout().0,
            settable: self.settable,
            trace: match self.kind {
                FieldKind::Object => trace_of::<Option<ErasedRef>>(),
                FieldKind::Value => trace_of::<Any>(),
                FieldKind::Cell => trace_of::<Cell<Any>>(),
                _ => None,
            },
            carry: None,
            default: None,
            flags: FieldFlags::NONE,
            layout: None,
            dynamic: None,
        })
    }

    pub(super) fn attribute(&self) -> Attribute {
        Attribute {
            name: self.name,
            doc: self.doc,
            rust_type: self.rust_type,
            settable: self.settable,
            immutable: matches!(self.kind, FieldKind::Object | FieldKind::Value),
        }
    }

    pub(super) fn entry(&'static self, owner: &'static TypeInfo) -> AttributeEntry {
        AttributeEntry {
            name: self.name,
            doc: self.doc,
            owner,
            get,
            set: self.settable.then_some(set),
            context: std::ptr::from_ref(self).cast(),
        }
    }

    /// Whether the field takes a value: an object of its type, or nothing.
    fn takes(&self, value: &Any) -> bool {
        if self.key.is_empty() || value.is_none() {
            return true;
        }
        let info = self.info.get().copied().or_else(|| {
            let found = find_type(self.key)?;
            Some(*self.info.get_or_init(|| found))
        });
        match (value, info) {
            (Any::Object(object), Some(info)) => object.header().info().is_a(info),
            _ => false,
        }
    }

    fn call(&self, object: NonNull<Header>, value: Option<*const ErasedSource<'static>>) -> Call {
        Call {
            input: Input::Attribute(object, value),
            sink: None,
            error: None,
            name: self.qualified,
            parameters: &[],
        }
    }
}

/// # Safety
/// An entry that [`Field::entry`] made.
unsafe fn field_of(entry: &AttributeEntry) -> &'static Field {
    // SAFETY: its context, which lives for the process.
    unsafe { &*entry.context.cast::<Field>() }
}

/// The object of an attribute, and where its value is.
///
/// # Errors
/// An object of another type.
///
/// # Safety
/// A living object.
unsafe fn checked<'a>(
    entry: &AttributeEntry,
    object: NonNull<Header>,
) -> Result<(ErasedBorrow<'a>, *mut u8), Error> {
    // SAFETY: a living object.
    let object = unsafe { ErasedBorrow::from_header(object) };
    if !object.header().info().is_a(entry.owner()) {
        return Err(Error::type_error("the attribute is of another type's objects"));
    }
    Ok((object, object.header().value()))
}

unsafe extern "C" fn get(
    entry: &AttributeEntry,
    object: NonNull<Header>,
    sink: ErasedSink<'static>,
    problem: *mut Any,
) -> bool {
    // SAFETY: an entry that `Field::entry` made; a living object of a type that has the field; the
    // caller's places. Numbers are read as atomics, because other threads may write them.
    unsafe {
        guarded(NOTHING, problem, || {
            let field = field_of(entry);
            let (_, value) = checked(entry, object)?;
            let place = value.add(field.offset);
            let relaxed = Ordering::Relaxed;
            match field.kind {
                FieldKind::Property => {
                    let mut call = field.call(object, None);
                    call.sink = Some(sink);
                    let get = field.get.expect("a property has a getter");
                    call.run(|call| get(call, field.context))
                }
                FieldKind::Bool => sink.bool((*place.cast::<AtomicU8>()).load(relaxed) != 0),
                FieldKind::I8 => sink.i64((*place.cast::<AtomicU8>()).load(relaxed).cast_signed().into()),
                FieldKind::I16 => sink.i64((*place.cast::<AtomicU16>()).load(relaxed).cast_signed().into()),
                FieldKind::I32 => sink.i64((*place.cast::<AtomicU32>()).load(relaxed).cast_signed().into()),
                FieldKind::I64 => sink.i64((*place.cast::<AtomicU64>()).load(relaxed).cast_signed()),
                FieldKind::U8 => sink.i64((*place.cast::<AtomicU8>()).load(relaxed).into()),
                FieldKind::U16 => sink.i64((*place.cast::<AtomicU16>()).load(relaxed).into()),
                FieldKind::U32 => sink.i64((*place.cast::<AtomicU32>()).load(relaxed).into()),
                FieldKind::U64 => sink.u64((*place.cast::<AtomicU64>()).load(relaxed)),
                FieldKind::F32 => {
                    let bits = (*place.cast::<AtomicU32>()).load(relaxed);
                    sink.f64(f32::from_bits(bits).into())
                }
                FieldKind::F64 => sink.f64(f64::from_bits((*place.cast::<AtomicU64>()).load(relaxed))),
                FieldKind::Object => match NonNull::new(*place.cast::<*mut Header>()) {
                    Some(object) => sink.object(ErasedBorrow::from_header(object)),
                    None => sink.none(),
                },
                FieldKind::Value => sink.any(&*place.cast::<Any>()),
                FieldKind::Cell => sink.any(&(*place.cast::<Cell<Any>>()).get()),
            }
        })
    }
}

unsafe extern "C" fn set(
    entry: &AttributeEntry,
    object: NonNull<Header>,
    value: *const ErasedSource<'static>,
    problem: *mut Any,
) -> bool {
    // SAFETY: as for `get`; the value lives during the call.
    unsafe {
        guarded(NOTHING, problem, || {
            let field = field_of(entry);
            let (_, start) = checked(entry, object)?;
            let (place, source) = (start.add(field.offset), *value);
            let why = |why: Mismatch, expected: &str| {
                why.explain(|| field.qualified.to_owned(), expected, || source.describe())
            };
            let number = |least: i64, most: i64| {
                let expected = format!("an int from {least} to {most}");
                let number = source.i64().map_err(|mismatch| why(mismatch, &expected))?;
                if (least..=most).contains(&number) {
                    Ok(number)
                } else {
                    Err(why(Mismatch::Overflow, &expected))
                }
            };
            let relaxed = Ordering::Relaxed;
            match field.kind {
                FieldKind::Property => {
                    let Some(set) = field.set else {
                        let why = format!("{} cannot be set", field.qualified);
                        return Err(Error::new(ErrorKind::Attribute, why));
                    };
                    let call = field.call(object, Some(value));
                    return call.run(|call| set(call, field.context));
                }
                FieldKind::Bool => {
                    let new = source.bool().map_err(|mismatch| why(mismatch, "bool"))?;
                    (*place.cast::<AtomicBool>()).store(new, relaxed);
                }
                FieldKind::I8 => {
                    let new = number(i8::MIN.into(), i8::MAX.into())?;
                    (*place.cast::<AtomicU8>()).store(new as u8, relaxed);
                }
                FieldKind::I16 => {
                    let new = number(i16::MIN.into(), i16::MAX.into())?;
                    (*place.cast::<AtomicU16>()).store(new as u16, relaxed);
                }
                FieldKind::I32 => {
                    let new = number(i32::MIN.into(), i32::MAX.into())?;
                    (*place.cast::<AtomicU32>()).store(new as u32, relaxed);
                }
                FieldKind::I64 => {
                    let new = number(i64::MIN, i64::MAX)?;
                    (*place.cast::<AtomicU64>()).store(new.cast_unsigned(), relaxed);
                }
                FieldKind::U8 => {
                    let new = number(0, u8::MAX.into())?;
                    (*place.cast::<AtomicU8>()).store(new as u8, relaxed);
                }
                FieldKind::U16 => {
                    let new = number(0, u16::MAX.into())?;
                    (*place.cast::<AtomicU16>()).store(new as u16, relaxed);
                }
                FieldKind::U32 => {
                    let new = number(0, u32::MAX.into())?;
                    (*place.cast::<AtomicU32>()).store(new as u32, relaxed);
                }
                FieldKind::U64 => {
                    let new = source
                        .u64()
                        .map_err(|mismatch| why(mismatch, "an int from 0 to 2**64-1"))?;
                    (*place.cast::<AtomicU64>()).store(new, relaxed);
                }
                FieldKind::F32 => {
                    let new = source.f64().map_err(|mismatch| why(mismatch, "float"))?;
                    (*place.cast::<AtomicU32>()).store((new as f32).to_bits(), relaxed);
                }
                FieldKind::F64 => {
                    let new = source.f64().map_err(|mismatch| why(mismatch, "float"))?;
                    (*place.cast::<AtomicU64>()).store(new.to_bits(), relaxed);
                }
                FieldKind::Cell => {
                    let new = source.any().map_err(|mismatch| why(mismatch, "any value"))?;
                    if !field.takes(&new) {
                        return Err(why(Mismatch::Type, &format!("{} or None", field.key)));
                    }
                    (*place.cast::<Cell<Any>>()).set(new);
                }
                FieldKind::Object | FieldKind::Value => {
                    let why = format!("{} cannot be set", field.qualified);
                    return Err(Error::new(ErrorKind::Attribute, why));
                }
            }
            Ok(())
        })
    }
}
