//! The export of a library of C: `pb_library` in `pairbond.h`.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::fmt;
use std::sync::PoisonError;

use super::api::{ABI, API, Api};
use crate::Library;
use crate::c::callables;
use crate::c::errors::{Problem, call_checked};
use crate::c::module::Module;
use crate::describe::Member;
use pairbond_core::abi::pep440_version;
use pairbond_core::error::{Error, ErrorKind};
use std::sync::Mutex;

/// The first bytes of a table.
pub(crate) const MAGIC: [u8; 8] = *b"pairbndC";

type Describe = unsafe extern "C" fn(*const Api, *mut Module, Problem) -> bool;

/// See the head of this file. The fields before `name` are the same in all versions.
#[derive(Debug)]
#[repr(C)]
pub struct Table {
    pub(super) magic: [u8; 8],
    pub(super) size: u32,
    pub(super) abi: u32,
    /// Bytes of the table of functions that the library was built with.
    pub(super) api_size: u64,
    /// The version of the header.
    pub(super) version: *const c_char,
    pub(super) name: *const c_char,
    pub(super) doc: *const c_char,
    pub(super) describe: Option<Describe>,
}

/// # Safety
/// Null or a terminated text that lives for the process.
unsafe fn static_text(start: *const c_char) -> Result<&'static str, String> {
    if start.is_null() {
        return Ok("");
    }
    // SAFETY: null or a terminated text that lives for the process: the caller ensures it.
    let bytes = unsafe { CStr::from_ptr(start) };
    bytes
        .to_str()
        .map_err(|_| "has a name or documentation that is not UTF-8".to_owned())
}

impl Table {
    /// Whether a symbol's value is a table that this process can read.
    ///
    /// # Errors
    /// What does not fit, as the end of a sentence that the file's name begins.
    ///
    /// # Safety
    /// It begins with [`MAGIC`], and as many bytes as it says can be read.
    unsafe fn check_table(table: *const Table) -> Result<&'static Table, String> {
        const NEEDED: usize = size_of::<Table>();
        // SAFETY: these fields are there in all versions.
        let (size, abi, api_size) = unsafe { ((*table).size, (*table).abi, (*table).api_size) };
        if (size as usize) < NEEDED {
            return Err(format!(
                "has a table of {size} bytes where {NEEDED} are needed: set its field `size` to sizeof(pb_library), as PB_LIBRARY does"
            ));
        }
        // SAFETY: this field, too, is there in all versions.
        let version = unsafe { static_text((*table).version) }?;
        if abi > ABI || api_size > size_of::<Api>() as u64 {
            return Err(format!(
                "was built with the headers of pairbond {version}, and this process has pairbond {}, which is too old for it: \
                 pip install --upgrade 'pairbond>={}'",
                pairbond_core::abi::VERSION,
                pep440_version(version)
            ));
        }
        if abi < ABI {
            return Err(format!(
                "was built with the headers of pairbond {version}, whose interface pairbond {} does not have any more: build it again, \
                 or: pip install 'pairbond=={}'",
                pairbond_core::abi::VERSION,
                pep440_version(version)
            ));
        }
        // SAFETY: it is as large as this version expects, and of a library that stays.
        Ok(unsafe { &*table })
    }
}

/// Lets a library describe itself; the second time its description is there.
///
/// # Errors
/// It does not fit this process, or that of its function.
///
/// # Safety
/// A symbol's value that begins with [`MAGIC`], of a library that stays loaded.
pub(crate) unsafe fn load_table(table: *const u8) -> Result<Library, Refused> {
    static ALL: Mutex<Option<HashMap<usize, Library>>> = Mutex::new(None);
    let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = all().as_ref().and_then(|all| all.get(&table.addr())) {
        return Ok(*loaded);
    }
    // SAFETY: a symbol's value that begins with `MAGIC`, of a library that stays loaded: the caller
    // ensures it.
    let library = unsafe { Table::check_table(table.cast()) }.map_err(Refused::Unfit)?;
    // SAFETY: texts of a library that stays.
    let (name, doc) = unsafe { (static_text(library.name), static_text(library.doc)) };
    let (name, doc) = (name.map_err(Refused::Unfit)?, doc.map_err(Refused::Unfit)?);
    let Some(describe) = library.describe else {
        return Err(Refused::Unfit(
            "has a table without a function that describes it".into(),
        ));
    };
    let mut module = Module::default();
    // SAFETY: the library's own function, of this version. Not under the lock: it may do anything.
    unsafe { call_checked(|error| describe(&raw const API, &raw mut module, error)) }
        .map_err(Refused::Failed)?;
    let members = callables::members_entry(&module.members);
    module.members.push(Member::Function(members));
    let loaded = Library::new(name, doc, module.members.leak(), table.addr());
    // Another thread's are as good.
    Ok(*all()
        .get_or_insert_with(HashMap::new)
        .entry(table.addr())
        .or_insert(loaded))
}

/// Why a library was not loaded.
pub(crate) enum Refused {
    /// It does not fit this process; the end of a sentence that its name begins.
    Unfit(String),
    /// Its own function failed.
    Failed(Error),
}

impl Refused {
    /// The error, about the library in that place.
    pub(crate) fn into_error_at(self, place: impl fmt::Display) -> Error {
        match self {
            Refused::Unfit(why) => Error::new(ErrorKind::Import, format!("{place} {why}")),
            Refused::Failed(error) => error,
        }
    }
}
