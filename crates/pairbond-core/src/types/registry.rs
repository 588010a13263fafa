//! The process's table of object types.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::LazyLock;

use super::info::TypeInfo;
use crate::alloc::try_push;
use crate::error::or_unwind;
use crate::fork::{Guards, StaticLocks, guard_if_free, hold_over_forks};
use crate::layout::Part;
use crate::sync::ProcessWide;
use crate::sync::statics::RwLock;

/// A type's key is taken by a type with another layout.
#[derive(Debug)]
pub struct RegisterError {
    message: String,
}

impl RegisterError {
    pub(crate) fn new(first: &TypeInfo, second: &TypeInfo) -> Self {
        let origins = (first.origin().describe(), second.origin().describe());
        let same = origins.0 == origins.1;
        let (theirs, ours) = if same {
            ("the other".to_owned(), format!("this build of {}", origins.1))
        } else {
            (origins.0.clone(), origins.1.clone())
        };
        let message = format!(
            "the type key {:?} is already registered with another layout: {}. Registered is version {} by {} with fields {}; refused is version {} by {} with \
             fields {}. Two libraries in this process were built with different versions of the type: {}",
            first.key(),
            explain_difference(first, second, &theirs, &ours),
            first.version(),
            origins.0,
            list_fields(first),
            second.version(),
            origins.1,
            list_fields(second),
            what_to_do(first, second),
        );
        RegisterError { message }
    }

    /// Of types that were made at run time; `defined` describes the fields of the first, if it is
    /// one.
    #[doc(hidden)]
    #[must_use]
    pub fn redefined_dynamic(
        first: &TypeInfo,
        defined: Option<String>,
        base: &TypeInfo,
        fields: &str,
    ) -> Self {
        let message = format!(
            "the type key {:?} is already defined otherwise: defined is {} with fields {}; refused is {} with fields {fields}. \
             Objects of the first may be alive, so a type lasts as long as the process: give one of them another key, or start anew.",
            first.key(),
            first.base().map_or("", TypeInfo::key),
            defined.unwrap_or_else(|| list_fields(first)),
            base.key(),
        );
        RegisterError { message }
    }
}

/// What differs, in words.
fn explain_difference(first: &TypeInfo, second: &TypeInfo, theirs: &str, ours: &str) -> String {
    if first.struct_size() < size_of::<TypeInfo>() || second.struct_size() < size_of::<TypeInfo>() {
        return "they were registered by different versions of pairbond".to_owned();
    }
    if first.version() != second.version() {
        return format!(
            "version {} in {theirs}, version {} in {ours}",
            first.version(),
            second.version()
        );
    }
    let (a, b) = (first.layout_parts(), second.layout_parts());
    let Some((a, b)) = a.iter().zip(b).find(|(a, b)| !a.is_like(b)) else {
        let (first, second) = (first.base().map(TypeInfo::key), second.base().map(TypeInfo::key));
        return match (a.len() == b.len(), first == second) {
            (false, _) => format!("it has {} fields in {theirs} and {} in {ours}", a.len(), b.len()),
            (_, false) => format!(
                "it extends {} in {theirs} and {} in {ours}",
                first.unwrap_or_default(),
                second.unwrap_or_default()
            ),
            _ => format!("its size, alignment or kind is not the same in {theirs} and {ours}"),
        };
    };
    let part = |part: &Part| format!("`{}: {}`", part.name.get(), part.rust_type.get());
    if a.name.get() != b.name.get() || a.rust_type.get() != b.rust_type.get() {
        return format!("{theirs} has {} where {ours} has {}", part(a), part(b));
    }
    let mut words = format!("the field {} is not the same in {theirs} and {ours}", part(a));
    if a.opaque || b.opaque {
        let (theirs, ours) = (first.origin(), second.origin());
        words += if theirs.describe() != ours.describe() {
            ": pairbond cannot look into its type, which each of the two crates defines for itself"
        } else if theirs.digest() != ours.digest() {
            ": pairbond cannot look into its type, and the two were compiled from different sources or with different features"
        } else {
            ": pairbond cannot look into its type, and the compiler takes the two for different types (other dependencies, or other settings)"
        };
    }
    words
}

/// What to do about it.
fn what_to_do(first: &TypeInfo, second: &TypeInfo) -> String {
    let mut words = "build them against the same one, or give one type another key".to_owned();
    let unlike = first
        .layout_parts()
        .iter()
        .zip(second.layout_parts())
        .find(|(a, b)| !a.is_like(b));
    if unlike.is_some_and(|(a, b)| a.opaque && b.opaque) {
        words += ". If their fields are the same, say so: #[derive(pairbond::layout::Layout)] on their types";
    }
    words
}

fn list_fields(info: &TypeInfo) -> String {
    let all: Vec<String> = info
        .fields()
        .iter()
        .map(|f| format!("{}: {} at {}", f.name, f.rust_type, f.offset))
        .collect();
    format!("[{}]", all.join(", "))
}

impl std::fmt::Display for RegisterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RegisterError {}

/// Enters a type into the process's table, or finds the same one.
///
/// # Errors
/// The one that has its key has another layout; that, and the one that was refused.
#[doc(hidden)]
pub fn enter_type(mine: TypeInfo) -> Result<&'static TypeInfo, (&'static TypeInfo, Box<TypeInfo>)> {
    let mine = Box::into_raw(Box::new(mine));
    let mut entered: *const TypeInfo = std::ptr::null();
    // SAFETY: `mine` lives for the process if it is entered.
    let fits = unsafe { (types_table().register_type)(mine, &mut entered) };
    // SAFETY: the table returns a registered type.
    let known = unsafe { &*entered };
    if !std::ptr::eq(entered, mine) {
        // SAFETY: the table keeps `mine` or returns another.
        let refused = unsafe { Box::from_raw(mine) };
        if !fits {
            return Err((known, refused));
        }
        refused.discard();
    }
    Ok(known)
}

/// All registered types.
#[derive(Default)]
pub struct TypeTable {
    inner: RwLock<Inner>,
}

#[derive(Default)]
struct Inner {
    types: Vec<&'static TypeInfo>,
    by_key: HashMap<&'static str, usize>,
    /// Whether somebody observes events.
    observed: bool,
}

impl TypeTable {
    /// Enters a type, or finds the one that has its key. `false`: that one has another layout.
    pub(crate) fn enter_type(&self, info: &'static TypeInfo) -> (&'static TypeInfo, bool) {
        let mut inner = self
            .inner
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(&index) = inner.by_key.get(info.key()) {
            let first = inner.types[index];
            return (first, first.is_like(info));
        }
        let index = inner.types.len();
        info.fill_entry(info, index, inner.observed);
        inner.types.push(info);
        inner.by_key.insert(info.key(), index);
        (info, true)
    }

    /// The table's lock, if it is free: for who forks.
    fn try_hold(&'static self) -> Option<Guards> {
        Some(Box::new(guard_if_free(self.inner.try_write())?))
    }

    pub(crate) fn set_observed(&self, on: bool) {
        let mut inner = self
            .inner
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        inner.observed = on;
        inner.types.iter().for_each(|info| info.set_observed(on));
    }

    pub(crate) fn find_type(&self, key: &str) -> Option<&'static TypeInfo> {
        let inner = self
            .inner
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        inner.by_key.get(key).map(|&i| inner.types[i])
    }

    pub(crate) fn type_at(&self, index: usize) -> Option<&'static TypeInfo> {
        self.inner
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .types
            .get(index)
            .copied()
    }
}

/// The runtime's functions for types.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TypesTable {
    /// Enters a type, which lives for the process then; the registered one is written, which may be
    /// another from before, and the caller's is not kept. `false`: that has another layout.
    pub register_type: unsafe extern "C" fn(*const TypeInfo, *mut *const TypeInfo) -> bool,
    /// `(key, length)` → type or null.
    pub find_type: unsafe extern "C" fn(*const u8, usize) -> *const TypeInfo,
    /// Shows every type.
    pub each_type: unsafe extern "C" fn(*mut c_void, unsafe extern "C" fn(*mut c_void, *const TypeInfo)),
}

impl TypesTable {
    /// This binary's own.
    pub(crate) const HERE: TypesTable = TypesTable {
        register_type: register_here,
        find_type: find_here,
        each_type: each_here,
    };
}

static HERE: TypesTable = TypesTable::HERE;
static CURRENT: ProcessWide<TypesTable> = ProcessWide::new(&HERE);
/// The types of this binary's own runtime.
static TYPES: LazyLock<TypeTable> = LazyLock::new(TypeTable::default);

fn types_here() -> &'static TypeTable {
    hold_over_forks(StaticLocks::Types, || TYPES.try_hold());
    &TYPES
}

#[inline]
fn types_table() -> &'static TypesTable {
    CURRENT.get()
}

/// Makes this binary use another's.
pub(crate) fn adopt_types(table: &'static TypesTable) {
    CURRENT.adopt(table);
}

/// The first type that this binary registered with its own runtime.
pub(crate) fn first_type_here() -> Option<&'static TypeInfo> {
    types_here().type_at(0)
}

/// Marks all types of this binary's own runtime as observed or not.
pub(crate) fn observe_types(on: bool) {
    types_here().set_observed(on);
}

unsafe extern "C" fn register_here(info: *const TypeInfo, out: *mut *const TypeInfo) -> bool {
    // SAFETY: the type lives for the process; `out` is the caller's place.
    unsafe {
        let (entered, fits) = types_here().enter_type(&*info);
        out.write(entered);
        fits
    }
}

unsafe extern "C" fn find_here(key: *const u8, len: usize) -> *const TypeInfo {
    // SAFETY: a string of that length.
    let key = unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(key, len)) };
    types_here()
        .find_type(key)
        .map_or(std::ptr::null(), std::ptr::from_ref)
}

unsafe extern "C" fn each_here(
    context: *mut c_void,
    each: unsafe extern "C" fn(*mut c_void, *const TypeInfo),
) {
    let mut index = 0;
    while let Some(info) = types_here().type_at(index) {
        // SAFETY: the caller's own function and argument.
        unsafe { each(context, info) };
        index += 1;
    }
}

/// The registered type of a key.
#[must_use]
pub fn find_type(key: &str) -> Option<&'static TypeInfo> {
    // SAFETY: a string; types live for the process.
    unsafe { (types_table().find_type)(key.as_ptr(), key.len()).as_ref() }
}

/// All registered types, in the order of their registration. Without memory it unwinds with a
/// `MemoryError`.
#[must_use]
pub fn registered_types() -> Vec<&'static TypeInfo> {
    let (mut all, mut outcome) = (Vec::new(), Ok(()));
    each_type(|info| {
        if outcome.is_ok() {
            outcome = try_push(&mut all, info);
        }
    });
    or_unwind(outcome);
    all
}

/// Calls a function, which must not unwind, with each registered type, in the order of their
/// registration.
pub fn each_type<F: FnMut(&'static TypeInfo)>(mut each: F) {
    unsafe extern "C" fn call_each<F: FnMut(&'static TypeInfo)>(each: *mut c_void, info: *const TypeInfo) {
        // SAFETY: the closure below; types live for the process.
        unsafe { (*each.cast::<F>())(&*info) }
    }
    // SAFETY: the function fits its argument.
    unsafe { (types_table().each_type)((&raw mut each).cast(), call_each::<F>) };
}
