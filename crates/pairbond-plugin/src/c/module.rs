//! A library's description of itself: a `pb_module`, while the library's function runs.

use super::Text;
use super::callables::{FunctionSpec, function_entry};
use super::errors::{Problem, catch_errors, catch_errors_as_bool};
use super::types::{TypeSpec, register_class};
use crate::describe::{ConstantEntry, Member};
use pairbond_core::error::Error;
use pairbond_core::runtime::find_type;
use pairbond_core::types::TypeInfo;
use pairbond_value::value::Any;

/// See the head of this file.
#[derive(Default)]
pub(super) struct Module {
    pub(super) members: Vec<Member>,
}

/// A structure of C that begins with its size, and grows at its end.
///
/// # Safety
/// The structure begins with a `usize`; any bytes are a value of it, and so are zeros in the place
/// of fields that a shorter one lacks (a `bool` in it is 0 or 1, and a function pointer good, as
/// the author promises).
pub(super) unsafe trait Described: Copy {
    /// Bytes of the structure in the first version.
    const FIRST: usize;
}

/// A structure as this version knows it.
///
/// # Errors
/// It is shorter than the first version's.
///
/// # Safety
/// As many bytes as its size says can be read.
pub(super) unsafe fn read_struct<T: Described>(start: *const T) -> Result<T, Error> {
    // SAFETY: it begins with its size; zeros are values of the fields that it lacks.
    unsafe {
        if start.is_null() {
            return Err(Error::value_error("NULL where a structure is expected"));
        }
        let size = start.cast::<usize>().read_unaligned();
        if size < T::FIRST {
            return Err(Error::value_error(format!(
                "a structure of {size} bytes is too short: {} are needed (is its first field set to its sizeof?)",
                T::FIRST
            )));
        }
        let mut all = std::mem::zeroed::<T>();
        let bytes = size.min(size_of::<T>());
        std::ptr::copy_nonoverlapping(start.cast::<u8>(), (&raw mut all).cast(), bytes);
        Ok(all)
    }
}

/// An array of structures, all as large as the first says.
///
/// # Errors
/// As [`read_struct`].
///
/// # Safety
/// So many structures can be read.
pub(super) unsafe fn read_array<T: Described>(start: *const T, count: usize) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    if start.is_null() && count > 0 {
        return Err(Error::value_error(format!(
            "NULL where {count} structures are expected"
        )));
    }
    for at in 0..count {
        // SAFETY: the caller's structures, each as large as it says.
        unsafe {
            let stride = start.cast::<usize>().read_unaligned();
            all.push(read_struct(start.byte_add(at * stride))?);
        }
    }
    Ok(all)
}

/// The Rust type of a value, which the generator of stubs understands, from the words of C's
/// authors: `int`, `float`, `str`, `shapes.Circle`, `list[int]`, `dict[str, float]`,
/// `tuple[int, str]`, with `?` at the end for what may be `None`.
pub(super) fn rust_type(text: &str) -> String {
    let text = text.trim();
    if let Some(inner) = text.strip_suffix('?') {
        return format!("Option<{}>", rust_type(inner));
    }
    if let Some((name, inside)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        let inside = argument_types(inside).collect::<Vec<_>>().join(", ");
        return match name {
            "list" => format!("Vec<{inside}>"),
            "dict" => format!("HashMap<{inside}>"),
            "tuple" => format!("({inside},)"),
            // A container that Python, Rust and C share.
            other => format!("{other}<{inside}>"),
        };
    }
    match text {
        "" | "object" | "Any" => "Any",
        "None" => "()",
        "bool" => "bool",
        "int" => "i64",
        "float" => "f64",
        "str" => "String",
        "bytes" => "Bytes",
        "list" => "List<Any>",
        "dict" | "map" => "Map<Any, Any>",
        "set" => "Set<Any>",
        "tuple" => "Tuple<Any>",
        "callable" => "Function",
        "array" => "Array",
        key => return format!("Ref<{}>", key.rsplit_once('.').map_or(key, |(_, name)| name)),
    }
    .to_owned()
}

/// The types between brackets.
fn argument_types(inside: &str) -> impl Iterator<Item = String> {
    let mut depth = 0;
    inside
        .split(move |c| {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            c == ',' && depth == 0
        })
        .map(rust_type)
}

impl Module {
    /// Adds a member.
    ///
    /// # Errors
    /// There is one of that name.
    fn add_member(&mut self, member: Member) -> Result<(), Error> {
        fn name_of(member: &Member) -> Option<&str> {
            match member {
                Member::Class(class) => Some(class.info().name()),
                Member::Function(entry) => Some(entry.signature().name),
                Member::Constant(entry) => Some(entry.name),
                _ => None,
            }
        }
        if let Some(name) = name_of(&member)
            && self.members.iter().any(|it| name_of(it) == Some(name))
        {
            let why = format!("the module has two members of the name {name}: a function is not overloaded");
            return Err(Error::value_error(why));
        }
        self.members.push(member);
        Ok(())
    }
}

pub(super) unsafe extern "C" fn add_type(
    module: *mut Module,
    spec: *const TypeSpec,
    problem: Problem,
) -> *const TypeInfo {
    // SAFETY: the module that is being described; the caller's specification.
    unsafe {
        catch_errors(problem, || {
            let class: &'static _ = Box::leak(Box::new(register_class(&read_struct(spec)?)?));
            (*module).add_member(Member::Class(class))?;
            Ok(std::ptr::from_ref(class.info()))
        })
        .unwrap_or(std::ptr::null())
    }
}

pub(super) unsafe extern "C" fn add_function(
    module: *mut Module,
    spec: *const FunctionSpec,
    problem: Problem,
) -> bool {
    // SAFETY: the module that is being described; the caller's specification.
    unsafe {
        catch_errors_as_bool(problem, || {
            let entry = function_entry(&read_struct(spec)?, None)?;
            (*module).add_member(Member::Function(entry))
        })
    }
}

pub(super) unsafe extern "C" fn add_constant(
    module: *mut Module,
    name: Text,
    value: *mut Any,
    problem: Problem,
) -> bool {
    unsafe extern "C" fn copy_constant(entry: &ConstantEntry, out: *mut Any, _: *mut Any) -> bool {
        // SAFETY: the value that was leaked below; the caller's place.
        unsafe { out.write((*entry.make.cast::<Any>()).clone()) };
        true
    }
    // SAFETY: the module that is being described; a text, and a value, which is taken.
    unsafe {
        let value = std::mem::take(&mut *value);
        catch_errors_as_bool(problem, || {
            let entry: &'static ConstantEntry = Box::leak(Box::new(ConstantEntry {
                name: name.leak_str()?,
                make: Box::into_raw(Box::new(value)).cast(),
                call: copy_constant,
            }));
            (*module).add_member(Member::Constant(entry))
        })
    }
}

pub(super) unsafe extern "C" fn find_type_by_key(key: Text) -> *const TypeInfo {
    // SAFETY: a text of the caller.
    let key = unsafe { super::errors::text_lossy(key) };
    super::errors::catch_silently(|| find_type(&key))
        .flatten()
        .map_or(std::ptr::null(), std::ptr::from_ref)
}
