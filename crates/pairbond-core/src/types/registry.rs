//! The process's table of object types.

use std::collections::HashMap;

use super::info::TypeInfo;
use crate::sync::statics::RwLock;

/// A type's key is taken by a type with another layout.
#[derive(Debug)]
pub struct RegisterError {
    message: String,
}

impl RegisterError {
    pub(super) fn new(first: &TypeInfo, second: &TypeInfo) -> Self {
        let mut message = format!(
            "the type key {:?} is already registered with another layout: registered is version {} with fields {}; \
             refused is version {} with fields {}. ",
            first.key(),
            first.version(),
            fields(first),
            second.version(),
            fields(second),
        );
        message.push_str(
            "Two libraries in this process were built with different versions of the type: \
                          build them against the same one, or give one type another key.",
        );
        RegisterError { message }
    }

    /// Of types that were made at run time.
    pub(super) fn again(first: &TypeInfo, base: &TypeInfo, fields: &str) -> Self {
        let message = format!(
            "the type key {:?} is already defined otherwise: defined is {} with fields {}; refused is {} with fields {fields}. \
             Objects of the first may be alive, so a type lasts as long as the process: give one of them another key, or start anew.",
            first.key(),
            first.base().map_or("", TypeInfo::key),
            described(first),
            base.key(),
        );
        RegisterError { message }
    }
}

fn fields(info: &TypeInfo) -> String {
    let all: Vec<String> = info
        .fields()
        .iter()
        .map(|f| format!("{}: {} at {}", f.name, f.rust_type, f.offset))
        .collect();
    format!("[{}]", all.join(", "))
}

fn described(info: &TypeInfo) -> String {
    let all: Vec<String> = match info.table() {
        Some(table) => table.fields()[table.inherited()..]
            .iter()
            .map(|field| {
                let frozen = if field.is_settable() { "" } else { " (frozen)" };
                format!("{}: {}{frozen}", field.name(), field.kind().name())
            })
            .collect(),
        None => return fields(info),
    };
    format!("[{}]", all.join(", "))
}

impl std::fmt::Display for RegisterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RegisterError {}

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
    pub(crate) fn enter(&self, info: &'static TypeInfo) -> (&'static TypeInfo, bool) {
        let mut inner = self
            .inner
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(&index) = inner.by_key.get(info.key()) {
            let first = inner.types[index];
            return (first, first.fingerprint() == info.fingerprint());
        }
        let index = inner.types.len();
        info.enter(info, index, inner.observed);
        inner.types.push(info);
        inner.by_key.insert(info.key(), index);
        (info, true)
    }

    /// The table's lock, if it is free: for who forks.
    pub(crate) fn try_hold(&self) -> Option<impl Sized + '_> {
        crate::runtime::fork::free(self.inner.try_write())
    }

    pub(crate) fn observe(&self, on: bool) {
        let mut inner = self
            .inner
            .write()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        inner.observed = on;
        inner.types.iter().for_each(|info| info.observe(on));
    }

    pub(crate) fn find(&self, key: &str) -> Option<&'static TypeInfo> {
        let inner = self
            .inner
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        inner.by_key.get(key).map(|&i| inner.types[i])
    }

    pub(crate) fn all(&self) -> Vec<&'static TypeInfo> {
        self.inner
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .types
            .clone()
    }
}
