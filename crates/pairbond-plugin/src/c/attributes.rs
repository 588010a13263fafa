//! Fields and properties of a type of C.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::Text;
use super::call::{Call, Input, Label};
use super::callables::Callback;
use super::module::{Described, rust_type};
use crate::attribute::AttributeEntry;
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{ErasedBorrow, ErasedRef, Header, Root, trace_of};
use pairbond_core::runtime::find_type;
use pairbond_core::types::{Attribute, FieldFlags, FieldInfo, TypeInfo};
use pairbond_tree::{Children, Links, NodeList, check_object, is_erased};
use pairbond_value::convert::erased::guard::{NOTHING, run_guarded};
use pairbond_value::convert::erased::sink_table::ErasedSink;
use pairbond_value::convert::erased::source_table::ErasedSource;
use pairbond_value::convert::erased::words::{Home, Word, WordTable};
use pairbond_value::convert::{Mismatch, Sink, Source};
use pairbond_value::value::{Any, Cell};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

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

/// `pb_ref_cell`.
pub(super) type RefCell = Cell<Option<ErasedRef>>;

/// The kind of a field's contents: the numbers of `pb_field_kind`.
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
    Links,
    Children,
    RefCell,
}

impl FieldKind {
    const ALL: [FieldKind; 18] = [
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
        FieldKind::Links,
        FieldKind::Children,
        FieldKind::RefCell,
    ];

    /// Bytes and whether there is a sign, of an integer.
    fn integer_format(self) -> Option<(usize, bool)> {
        Some(match self {
            FieldKind::I8 => (1, true),
            FieldKind::I16 => (2, true),
            FieldKind::I32 => (4, true),
            FieldKind::I64 => (8, true),
            FieldKind::U8 => (1, false),
            FieldKind::U16 => (2, false),
            FieldKind::U32 => (4, false),
            FieldKind::U64 => (8, false),
            _ => return None,
        })
    }

    /// Size and alignment.
    fn layout(self) -> (usize, usize) {
        match self {
            FieldKind::Property => (0, 1),
            FieldKind::Bool => (1, 1),
            FieldKind::F32 => (4, 4),
            FieldKind::F64 | FieldKind::Object => (8, 8),
            FieldKind::Value => (size_of::<Any>(), align_of::<Any>()),
            FieldKind::Cell => (size_of::<Cell<Any>>(), align_of::<Cell<Any>>()),
            FieldKind::RefCell => (size_of::<RefCell>(), align_of::<RefCell>()),
            FieldKind::Links => (size_of::<Links>(), align_of::<Links>()),
            FieldKind::Children => (size_of::<Children<Root>>(), align_of::<Children<Root>>()),
            _ => self.integer_format().map_or((0, 1), |(bytes, _)| (bytes, bytes)),
        }
    }

    /// The type of values in stubs, where the author says none.
    fn of_value(self) -> &'static str {
        match self {
            FieldKind::Bool => "bool",
            FieldKind::F32 | FieldKind::F64 => "float",
            FieldKind::Children => "list[object]",
            _ if self.integer_format().is_some() => "int",
            _ => "",
        }
    }

    /// Whether it can own references.
    pub(super) fn is_traced(self) -> bool {
        matches!(
            self,
            FieldKind::Object | FieldKind::Value | FieldKind::Cell | FieldKind::RefCell
        )
    }
}

/// A field or property, for the process.
pub(super) struct Field {
    /// `Class.name`, for messages.
    label: Label,
    name: &'static str,
    doc: &'static str,
    rust_type: &'static str,
    pub(super) kind: FieldKind,
    settable: bool,
    pub(super) offset: usize,
    pub(super) key: &'static str,
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
    pub(super) unsafe fn from_spec(
        spec: &FieldSpec,
        class: &str,
        bytes: usize,
    ) -> Result<&'static Field, Error> {
        // SAFETY: the caller's texts.
        let (name, doc, of_value, key) = unsafe {
            (
                spec.name.leak_str()?,
                spec.doc.leak_str()?,
                spec.kind_of_value.get()?,
                spec.key.leak_str()?,
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
        if spec.settable && matches!(kind, FieldKind::Links | FieldKind::Children) {
            return refuse("the place and the children of a node are changed by its methods".into());
        }
        if spec.settable && matches!(kind, FieldKind::Object | FieldKind::Value) {
            return refuse(
                "a reference that can change must be a pb_cell or a pb_ref_cell, for others may look at it meanwhile".into(),
            );
        }
        let rust_type = match of_value {
            "" if kind == FieldKind::Children && !key.is_empty() => rust_type(&format!("list[{key}]")),
            "" if !key.is_empty() => rust_type(&format!("{key}?")),
            "" => rust_type(kind.of_value()),
            text => rust_type(text),
        };
        Ok(Box::leak(Box::new(Field {
            label: Label {
                name: format!("{class}.{name}").leak(),
                parameters: &[],
            },
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

    /// Whether the class has an attribute for it.
    pub(super) fn is_attribute(&self) -> bool {
        self.kind != FieldKind::Links && !self.name.is_empty()
    }

    /// Whether its author names a type of values that may be Python objects, or none.
    pub(super) fn may_own_python(&self) -> bool {
        let may_be = |word: &str| matches!(word, "Any" | "Function");
        let mut words = self.rust_type.split(|c: char| !c.is_alphanumeric());
        matches!(self.kind, FieldKind::Value | FieldKind::Cell) && words.any(may_be)
    }

    /// For reports and fingerprints; `None` for a property.
    pub(super) fn field_info(&self) -> Option<FieldInfo> {
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
                FieldKind::RefCell => trace_of::<RefCell>(),
                _ => None,
            },
            carry: None,
            default: None,
            flags: FieldFlags::NONE,
            layout: None,
            dynamic: None,
        })
    }

    pub(super) fn to_attribute(&self) -> Attribute {
        Attribute {
            name: self.name,
            doc: self.doc,
            rust_type: self.rust_type,
            settable: self.settable,
            immutable: matches!(self.kind, FieldKind::Object | FieldKind::Value),
        }
    }

    pub(super) fn to_entry(&'static self, owner: &'static TypeInfo) -> AttributeEntry {
        AttributeEntry {
            name: self.name,
            doc: self.doc,
            owner,
            get: get_field,
            set: self.settable.then_some(set_field),
            context: std::ptr::from_ref(self).cast(),
            direct: Some((Home::here(), get_word)),
        }
    }

    /// Whether the field takes a value: an object of its type, or nothing.
    fn accepts_object(&self, value: &Any) -> bool {
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

    #[cold]
    fn constant_error(&self) -> Error {
        Error::new(ErrorKind::Attribute, format!("{} cannot be set", self.label.name))
    }

    #[inline(always)]
    fn call_accessor(
        &'static self,
        object: NonNull<Header>,
        value: Option<*const ErasedSource<'static>>,
        sink: Option<ErasedSink<'static>>,
        makes: Option<&'static WordTable>,
    ) -> Call {
        Call::new(Input::Attribute(object, value), sink, makes, &self.label)
    }
}

/// A number of so many bytes, read as an atomic because other threads may write it.
///
/// # Safety
/// An aligned number of one, two, four or eight bytes.
unsafe fn load_number(place: *const u8, bytes: usize) -> u64 {
    // SAFETY: the caller's number.
    unsafe {
        match bytes {
            1 => (*place.cast::<AtomicU8>()).load(Ordering::Relaxed).into(),
            2 => (*place.cast::<AtomicU16>()).load(Ordering::Relaxed).into(),
            4 => (*place.cast::<AtomicU32>()).load(Ordering::Relaxed).into(),
            _ => (*place.cast::<AtomicU64>()).load(Ordering::Relaxed),
        }
    }
}

/// The other way round: the lowest bytes are stored.
///
/// # Safety
/// As [`load_number`].
unsafe fn store_number(place: *const u8, bytes: usize, number: u64) {
    // SAFETY: the caller's number.
    unsafe {
        match bytes {
            1 => (*place.cast::<AtomicU8>()).store(number as u8, Ordering::Relaxed),
            2 => (*place.cast::<AtomicU16>()).store(number as u16, Ordering::Relaxed),
            4 => (*place.cast::<AtomicU32>()).store(number as u32, Ordering::Relaxed),
            _ => (*place.cast::<AtomicU64>()).store(number, Ordering::Relaxed),
        }
    }
}

/// # Safety
/// An entry that [`Field::to_entry`] made.
unsafe fn field_of(entry: &AttributeEntry) -> &'static Field {
    // SAFETY: its context, which lives for the process.
    unsafe { &*entry.context.cast::<Field>() }
}

/// The object of an attribute, and where its value is.
///
/// # Errors
/// An object of another type, or a node that was erased.
///
/// # Safety
/// A living object.
unsafe fn checked_value<'a>(
    entry: &AttributeEntry,
    object: NonNull<Header>,
) -> Result<(ErasedBorrow<'a>, *mut u8), Error> {
    // SAFETY: a living object.
    let object = unsafe { ErasedBorrow::from_header(object) };
    if !object.header().info().is_a(entry.owner()) {
        return Err(Error::type_error("the attribute is of another type's objects"));
    }
    check_object(object.header())?;
    Ok((object, object.header().value_ptr()))
}

unsafe extern "C" fn get_field(
    entry: &AttributeEntry,
    object: NonNull<Header>,
    sink: ErasedSink<'static>,
    problem: *mut Any,
) -> bool {
    // SAFETY: an entry that `Field::to_entry` made; a living object of a type that has the field;
    // the caller's places.
    unsafe {
        run_guarded(NOTHING, problem, || {
            let (object, value) = checked_value(entry, object)?;
            write_field(field_of(entry), object, value, sink)?;
            // Where it was erased meanwhile, that may have been of less than there was.
            check_object(object.header())
        })
    }
}

/// As [`get_field`], as a word.
///
/// # Safety
/// An entry that [`Field::to_entry`] made; an object of a type that has the field.
unsafe fn get_word(
    entry: &AttributeEntry,
    object: ErasedBorrow<'_>,
    table: &'static WordTable,
) -> Result<Word, Error> {
    // SAFETY: the caller's entry and object.
    let (field, value) = unsafe { (field_of(entry), object.header().value_ptr()) };
    check_object(object.header())?;
    // SAFETY: the caller's object, which has the field.
    let word = unsafe { word_of(field, object, value, table) }?;
    if is_erased(object.header()) {
        // Where it was erased meanwhile, that may have been of less than there was.
        // SAFETY: an owned word, which is given away.
        unsafe { (table.drop)(word) };
        check_object(object.header())?;
    }
    Ok(word)
}

/// A field's value as a word.
///
/// # Safety
/// A living object of a type that has the field, and its value.
#[inline(always)]
unsafe fn word_of(
    field: &'static Field,
    object: ErasedBorrow<'_>,
    value: *mut u8,
    table: &'static WordTable,
) -> Result<Word, Error> {
    // SAFETY: the caller's object: the field is there, and is what its kind says.
    unsafe {
        let place = value.add(field.offset);
        match field.kind {
            FieldKind::Object => match NonNull::new(*place.cast::<*mut Header>()) {
                Some(object) => {
                    let object = ErasedBorrow::from_header(object);
                    match (table.at_hand)(object) {
                        Some(word) => Ok(word),
                        None => (table.from_object)(object),
                    }
                }
                None => (table.none)(),
            },
            FieldKind::Cell => {
                let cell = &*place.cast::<Cell<Any>>();
                // The lock is held: nothing is done that could wait.
                let found = cell.with(|value| match value {
                    Any::Object(object) => (table.at_hand)(object.as_borrow()).ok_or(None),
                    other => Err(Some(other.clone())),
                });
                match found {
                    Ok(word) => Ok(word),
                    Err(Some(value)) => (table.from_any)(&value),
                    Err(None) => (table.from_any)(&cell.get()),
                }
            }
            FieldKind::RefCell => {
                let cell = &*place.cast::<RefCell>();
                // The lock is held, as above.
                let found = cell.with(|value| match value {
                    Some(object) => (table.at_hand)(object.as_borrow()).ok_or(true),
                    None => Err(false),
                });
                match found {
                    Ok(word) => Ok(word),
                    Err(false) => (table.none)(),
                    Err(true) => match cell.get() {
                        Some(object) => (table.from_object)(object.as_borrow()),
                        None => (table.none)(),
                    },
                }
            }
            FieldKind::I64 => (table.from_i64)(load_number(place, 8).cast_signed()),
            FieldKind::F64 => (table.from_f64)(f64::from_bits(load_number(place, 8))),
            FieldKind::Bool => (table.from_bool)(load_number(place, 1) != 0),
            FieldKind::Property => {
                let call = field.call_accessor(object.as_ptr(), None, None, Some(table));
                let get = field.get.expect("a property has a getter");
                call.run_for_word(|call| get(call, field.context))
            }
            _ => (table.from)(&mut |sink| {
                // It is used during this call only, whatever it takes its lifetime for.
                let sink = std::mem::transmute::<ErasedSink<'_>, ErasedSink<'static>>(sink);
                write_field(field, object, value, sink)
            }),
        }
    }
}

/// Gives a field's value to a sink.
///
/// # Safety
/// A living object of a type that has the field, and its value.
unsafe fn write_field(
    field: &'static Field,
    object: ErasedBorrow<'_>,
    value: *mut u8,
    sink: ErasedSink<'static>,
) -> Result<(), Error> {
    // SAFETY: the caller's object: the field is there, and is what its kind says.
    unsafe {
        let place = value.add(field.offset);
        if let Some((bytes, signed)) = field.kind.integer_format() {
            let number = load_number(place, bytes);
            let unused = u64::BITS - 8 * bytes as u32;
            return if signed {
                sink.write_i64((number << unused).cast_signed() >> unused)
            } else {
                sink.write_u64(number)
            };
        }
        match field.kind {
            FieldKind::Property => {
                let call = field.call_accessor(object.as_ptr(), None, Some(sink), None);
                let get = field.get.expect("a property has a getter");
                call.run_function(|call| get(call, field.context))
            }
            FieldKind::Bool => sink.write_bool(load_number(place, 1) != 0),
            FieldKind::F32 => sink.write_f64(f32::from_bits(load_number(place, 4) as u32).into()),
            FieldKind::F64 => sink.write_f64(f64::from_bits(load_number(place, 8))),
            FieldKind::Object => match NonNull::new(*place.cast::<*mut Header>()) {
                Some(object) => sink.write_object(ErasedBorrow::from_header(object)),
                None => sink.write_none(),
            },
            FieldKind::Value => sink.write_any(&*place.cast::<Any>()),
            FieldKind::Cell => sink.write_any(&(*place.cast::<Cell<Any>>()).get()),
            FieldKind::RefCell => match (*place.cast::<RefCell>()).get() {
                Some(object) => sink.write_object(object.as_borrow()),
                None => sink.write_none(),
            },
            FieldKind::Children => {
                let children = NodeList::at_place(object, place.cast())?.as_list().to_vec();
                sink.write_list(children.into_iter())
            }
            _ => unreachable!("an integer, or no attribute"),
        }
    }
}

unsafe extern "C" fn set_field(
    entry: &AttributeEntry,
    object: NonNull<Header>,
    value: *const ErasedSource<'static>,
    problem: *mut Any,
) -> bool {
    // SAFETY: as for `get`; the value lives during the call.
    unsafe {
        run_guarded(NOTHING, problem, || {
            let field = field_of(entry);
            let (_, start) = checked_value(entry, object)?;
            let (place, source) = (start.add(field.offset), *value);
            let why = |why: Mismatch, expected: &str| {
                why.into_error(|| field.label.name.to_owned(), expected, || source.describe())
            };
            if let Some((bytes, signed)) = field.kind.integer_format() {
                let bits = 8 * bytes as u32;
                let new = if (bytes, signed) == (8, false) {
                    source
                        .read_u64()
                        .map_err(|mismatch| why(mismatch, "an int from 0 to 2**64-1"))?
                } else {
                    let (least, most) = if signed {
                        (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
                    } else {
                        (0, (1 << bits) - 1)
                    };
                    let expected = format!("an int from {least} to {most}");
                    let number = source.read_i64().map_err(|mismatch| why(mismatch, &expected))?;
                    if !(least..=most).contains(&number) {
                        return Err(why(Mismatch::Overflow, &expected));
                    }
                    number.cast_unsigned()
                };
                store_number(place, bytes, new);
                return Ok(());
            }
            if let (FieldKind::Property | FieldKind::Cell, Some(set)) = (field.kind, field.set) {
                let call = field.call_accessor(object, Some(value), None, None);
                return call.run_function(|call| set(call, field.context));
            }
            match field.kind {
                FieldKind::Bool => {
                    let new = source.read_bool().map_err(|mismatch| why(mismatch, "bool"))?;
                    store_number(place, 1, new.into());
                }
                FieldKind::F32 => {
                    let new = source.read_f64().map_err(|mismatch| why(mismatch, "float"))?;
                    store_number(place, 4, (new as f32).to_bits().into());
                }
                FieldKind::F64 => {
                    let new = source.read_f64().map_err(|mismatch| why(mismatch, "float"))?;
                    store_number(place, 8, new.to_bits());
                }
                FieldKind::Cell => {
                    let new = source.read_any().map_err(|mismatch| why(mismatch, "any value"))?;
                    if !field.accepts_object(&new) {
                        return Err(why(Mismatch::Type, &format!("{} or None", field.key)));
                    }
                    (*place.cast::<Cell<Any>>()).set(new);
                }
                FieldKind::RefCell => {
                    let named = if field.key.is_empty() {
                        "a native object"
                    } else {
                        field.key
                    };
                    let expected = || format!("{named} or None");
                    let new = source.read_any().map_err(|mismatch| why(mismatch, &expected()))?;
                    let accepted = field.accepts_object(&new);
                    let new = match new {
                        Any::None => None,
                        Any::Object(object) if accepted => Some(object),
                        _ => return Err(why(Mismatch::Type, &expected())),
                    };
                    (*place.cast::<RefCell>()).set(new);
                }
                _ => return Err(field.constant_error()),
            }
            Ok(())
        })
    }
}
