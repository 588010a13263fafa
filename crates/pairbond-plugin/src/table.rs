//! The table that a library exports, and the one that it is given.

use std::ffi::{c_int, c_void};

use super::describe::{self, Member};
use super::entry::Entry;
use pairbond_core::abi::{Head, check_head};
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::runtime::{AdoptError, RuntimeTable, adopt_runtime};
use pairbond_value::class::{DetachHooks, Module, set_class_layout, set_detach_hooks};
use pairbond_value::convert::erased::guard::{call_guarded, install_hook, run_guarded};
use pairbond_value::value::{Any, Foreign, Str};
use std::sync::atomic::{AtomicPtr, Ordering};

/// The first bytes of a table.
const MAGIC: [u8; 8] = *b"pairbond";

type Say = unsafe extern "C" fn(*mut c_void, *const u8, usize);

/// What a library exports, as `pairbond_library_` and the last part of its module's name. The first
/// two fields never change; the others belong to
/// [`ABI_VERSION`](pairbond_core::abi::ABI_VERSION), and more may come behind them.
#[derive(Debug)]
#[repr(C)]
pub struct Table {
    magic: [u8; 8],
    head: Head,
    name: &'static str,
    doc: &'static str,
    /// Joins the runtime of the process: `false`, and the reason is passed to a callback. Before it
    /// has joined, a library has no values for errors.
    join: unsafe extern "C" fn(*const RuntimeTable, *const Host, *mut c_void, Say) -> bool,
    members: unsafe extern "C" fn(*mut &'static [Member], *mut Any) -> bool,
}

impl Table {
    /// The table of a module.
    #[must_use]
    pub const fn of<M: Module>() -> Self {
        unsafe extern "C" fn write_members<M: Module>(
            out: *mut &'static [Member],
            problem: *mut Any,
        ) -> bool {
            // SAFETY: the caller's places.
            unsafe { run_guarded(out, problem, describe::members_of::<M>) }
        }
        Table {
            magic: MAGIC,
            head: Head::of::<Table>(),
            name: M::NAME,
            doc: M::DOC,
            join: join_runtime,
            members: write_members::<M>,
        }
    }

    /// Whether a symbol's value is a table that this binary can read.
    ///
    /// # Errors
    /// It is none, or one that does not fit (what differs is named).
    ///
    /// # Safety
    /// Magic and [`Head`] can be read there; if it begins as a table, it is that of a library that
    /// stays during the call.
    pub unsafe fn check_table(start: *const u8) -> Result<(), String> {
        // SAFETY: the caller's bytes; any are a `[u8; 8]`.
        if unsafe { start.cast::<[u8; 8]>().read_unaligned() } != MAGIC {
            return Err("has a symbol that is named as a pairbond library's, and is something else".into());
        }
        // SAFETY: the caller's bytes are those of a table, which begins with these two fields in
        // all versions, and is aligned.
        let head = unsafe { &*start.add(std::mem::offset_of!(Table, head)).cast::<Head>() };
        check_head(head, Table::FIRST).map_err(|why| why.to_string())
    }

    /// The bytes of a table in the first version.
    const FIRST: usize = std::mem::offset_of!(Table, members) + size_of::<usize>();

    /// The module's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The module's documentation; empty when there is none.
    #[must_use]
    pub fn doc(&self) -> &'static str {
        self.doc
    }

    /// Lets the library join a runtime, and its frontend if there is one.
    pub(super) fn join_runtime(
        &self,
        runtime: &RuntimeTable,
        host: Option<&'static Host>,
    ) -> Result<(), String> {
        unsafe extern "C" fn report_text(text: *mut c_void, start: *const u8, len: usize) {
            // SAFETY: the string below; a text that is alive during the call.
            unsafe {
                let said = String::from_utf8_lossy(std::slice::from_raw_parts(start, len));
                text.cast::<String>().write(said.into_owned());
            }
        }
        let mut text = String::new();
        let host = host.map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the library's own function, of this version.
        if unsafe { (self.join)(runtime, host, (&raw mut text).cast(), report_text) } {
            Ok(())
        } else {
            Err(text)
        }
    }

    /// The module's members.
    ///
    /// # Errors
    /// A type whose key is taken by another with another layout.
    pub(super) fn members(&self) -> Result<&'static [Member], Error> {
        // SAFETY: the library's own function, of this version; it has joined.
        unsafe { call_guarded(|out, problem| (self.members)(out, problem)) }
    }
}

/// In the library.
unsafe extern "C" fn join_runtime(
    runtime: *const RuntimeTable,
    host: *const Host,
    context: *mut c_void,
    say: Say,
) -> bool {
    // SAFETY: the runtime and the frontend of the process, which live for it.
    let joined = unsafe { adopt_runtime(runtime) }.map_err(|error| match error {
        AdoptError::InUse { key } => {
            format!("made objects of type {key:?} before it joined the process's runtime: make none in static initialisers")
        }
        unfit @ AdoptError::Unfit(_) => unfit.to_string(),
    });
    let joined = joined.and_then(|()| {
        install_hook();
        if !host.is_null() {
            // SAFETY: the frontend's table, which lives for the process and begins with a head,
            // whatever its version.
            let head = unsafe { &*host.cast::<Head>() };
            head.check_table::<Host>().map_err(|why| why.to_string())?;
            // SAFETY: it is as large as this binary expects.
            set_host(unsafe { &*host });
        }
        pairbond_value::value::register_functions().map_err(|error| format!("cannot be loaded: {error}"))
    });
    match joined {
        Ok(()) => true,
        Err(text) => {
            // SAFETY: the caller's function and its argument.
            unsafe { say(context, text.as_ptr(), text.len()) };
            false
        }
    }
}

/// The functions that a frontend gives to libraries that are built without it.
#[derive(Debug)]
#[repr(C)]
pub struct Host {
    /// The build of the frontend.
    pub head: Head,
    /// Called with the words that [`Entry::fast_call`] was called with.
    pub call: unsafe extern "C" fn(
        &'static Entry,
        *mut c_void,
        *const *mut c_void,
        isize,
        *mut c_void,
    ) -> *mut c_void,
    /// Called with the words that [`Entry::init`] was called with.
    pub init: unsafe extern "C" fn(&'static Entry, *mut c_void, *mut c_void, *mut c_void) -> c_int,
    /// Puts an exception into words: `false` when that cannot be done on this thread now.
    pub describe: unsafe extern "C" fn(&Foreign, *mut Str) -> bool,
    /// How other threads are let run.
    pub detach: &'static DetachHooks,
    /// See [`set_class_layout`].
    pub class: u16,
    /// See [`set_class_layout`].
    pub version: u16,
}

static HOST: AtomicPtr<Host> = AtomicPtr::new(std::ptr::null_mut());

/// Makes this binary work for a frontend.
pub fn set_host(host: &'static Host) {
    set_detach_hooks(host.detach);
    // SAFETY: the frontend says so.
    unsafe { set_class_layout(host.class, host.version) };
    pairbond_value::convert::erased::wire::set_describe(describe_foreign);
    HOST.store(std::ptr::from_ref(host).cast_mut(), Ordering::Release);
}

/// The frontend.
pub(super) fn frontend_host() -> &'static Host {
    // SAFETY: it lives for the process.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }.expect("whoever calls has given its table")
}

/// Puts an exception into words.
fn describe_foreign(exception: &Foreign) -> Option<String> {
    let mut text = std::mem::MaybeUninit::<Str>::uninit();
    // SAFETY: it lives for the process; the text is written if the answer is yes.
    unsafe {
        let host = HOST.load(Ordering::Acquire).as_ref()?;
        (host.describe)(exception, text.as_mut_ptr()).then(|| text.assume_init().to_string())
    }
}

/// A library that cannot be used.
pub(super) fn refused_error(path: &std::path::Path, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Import, format!("{} {why}", path.display()))
}
