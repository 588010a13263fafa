//! The table that separately built extension modules share.
//!
//! Every extension has a copy of this crate linked in. The one in `pairbond._pairbond` is in
//! charge: it makes the base class, owns the interpreters, and publishes its [`Api`] in a capsule;
//! the others join it (`module/join.rs`) when they are imported, and call it through the table from
//! then on.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU16, AtomicUsize, Ordering};

use pairbond_core::abi::Head;
use pairbond_core::object::Header;
use pairbond_core::runtime::RuntimeTable;
use pairbond_core::types::TypeInfo;
use pyo3_ffi as py;

use super::{Interp, Spare};
use crate::layout::set_wrapper_marker;
use crate::owned::Owned;

/// The functions of the binary in charge. Grows at the end only.
#[repr(C)]
pub struct Api {
    /// The build of the binary in charge.
    pub head: Head,
    /// Where fields of an interpreter are.
    pub shape: u64,
    pub runtime: *const RuntimeTable,
    /// `tp_is_gc` of every wrapper type.
    pub marker: unsafe extern "C" fn(*mut py::PyObject) -> c_int,
    /// `tp_dealloc` of every wrapper class that a library made.
    pub dealloc: unsafe extern "C" fn(*mut py::PyObject),
    /// The tag of the only interpreter that was ever opened; 0 before the first and after the
    /// second.
    pub sole: *const AtomicU16,
    /// The spare memory of the only interpreter that was ever opened; null before the first and
    /// after the second.
    pub spare: *const AtomicPtr<Spare>,
    /// The attached thread's interpreter, or null when pairbond is not imported in it.
    pub current: unsafe extern "C" fn() -> *const Interp,
    /// A new reference to the object's wrapper, made if there is none; null with an exception set.
    pub make_wrapper: unsafe extern "C" fn(*const Interp, *const Header) -> *mut py::PyObject,
    /// Drains the deferred releases of the attached thread's interpreter.
    pub drain: unsafe extern "C" fn(),
    /// Lists a wrapper that native code holds now.
    pub hold: unsafe extern "C" fn(*mut py::PyObject),
    /// Borrowed.
    pub class_of: unsafe extern "C" fn(*const Interp, *const TypeInfo) -> *mut py::PyTypeObject,
    pub register_class: unsafe extern "C" fn(*const Interp, *const TypeInfo, *mut py::PyTypeObject),
    /// Borrowed; null when there is no such exception.
    pub exception: unsafe extern "C" fn(*const Interp, *const u8, usize) -> *mut py::PyObject,
    /// A new reference to what goes through a few elements, each an owned reference that is given
    /// away, or null behind the last; null with an exception set.
    pub element_iterator: unsafe extern "C" fn(*const *mut py::PyObject) -> *mut py::PyObject,
    /// As `make_wrapper`, of a native reference that is given away, whatever happens.
    pub give_wrapper: unsafe extern "C" fn(*const Interp, *const Header) -> *mut py::PyObject,
    /// A new descriptor whose definition, which lives for the process, has a getter of the class;
    /// null with an exception set.
    pub new_class_getter: unsafe extern "C" fn(*const py::PyGetSetDef) -> *mut py::PyObject,
    /// `tp_getattro` of classes with fast getters.
    pub get_attribute: py::getattrofunc,
    /// The only interpreter that was ever opened, while it is; null before the first and after the
    /// second.
    pub sole_interp: *const AtomicPtr<Interp>,
    /// Looks for garbage before a wrapper is born, because it is time, or (`true`) because trees
    /// have grown.
    pub sweep: unsafe extern "C" fn(bool),
    /// For tests only: what the next release has more.
    #[cfg(pairbond_next_abi)]
    pub next: unsafe extern "C" fn(),
}

// SAFETY: functions and a pointer to a static.
unsafe impl Send for Api {}
// SAFETY: functions and a pointer to a static.
unsafe impl Sync for Api {}

static CURRENT: AtomicPtr<Api> = AtomicPtr::new(std::ptr::null_mut());
static DEALLOC: AtomicUsize = AtomicUsize::new(0);
static NONE_WAIT: AtomicUsize = AtomicUsize::new(0);
static WAITING: AtomicPtr<AtomicUsize> = AtomicPtr::new((&raw const NONE_WAIT).cast_mut());
static NO_SOLE: AtomicU16 = AtomicU16::new(0);
static NO_SPARE: AtomicPtr<Spare> = AtomicPtr::new(std::ptr::null_mut());
static SPARE: AtomicPtr<AtomicPtr<Spare>> = AtomicPtr::new((&raw const NO_SPARE).cast_mut());
static NO_SOLE_INTERP: AtomicPtr<Interp> = AtomicPtr::new(std::ptr::null_mut());
static SOLE_INTERP: AtomicPtr<AtomicPtr<Interp>> = AtomicPtr::new((&raw const NO_SOLE_INTERP).cast_mut());
static SOLE: AtomicPtr<AtomicU16> = AtomicPtr::new((&raw const NO_SOLE).cast_mut());

/// The name of the capsule.
pub const CAPSULE: &std::ffi::CStr = c"pairbond._pairbond._api";

/// The table in charge.
///
/// # Panics
/// Before this binary is in charge, or has joined another.
#[inline]
pub fn api() -> &'static Api {
    // SAFETY: tables live for the process.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }.expect("pairbond._pairbond is not imported")
}

/// The table in charge, if there is one yet.
#[cfg(feature = "package")]
pub(crate) fn installed() -> Option<&'static Api> {
    // SAFETY: tables live for the process.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// `tp_dealloc` of every wrapper class that a library made, as a number.
#[inline]
pub(crate) fn wrapper_dealloc() -> usize {
    DEALLOC.load(Ordering::Relaxed)
}

/// The number of releases that wait in deferred queues, over all interpreters.
#[inline]
pub(crate) fn releases_waiting() -> usize {
    // SAFETY: a static of this binary or of the runtime.
    unsafe { (*WAITING.load(Ordering::Relaxed)).load(Ordering::Relaxed) }
}

/// See [`Api::sole`].
#[inline]
pub(crate) fn sole_tag() -> u16 {
    // SAFETY: a static of this binary or of the one in charge.
    unsafe { (*SOLE.load(Ordering::Relaxed)).load(Ordering::Relaxed) }
}

/// See [`Api::sole_interp`]. An attached thread is attached to that one, as with
/// [`spare_wrappers`].
#[inline]
pub(crate) fn sole_interp() -> Option<&'static Interp> {
    // SAFETY: a static of this binary or of the one in charge; interpreters are never freed.
    unsafe {
        (*SOLE_INTERP.load(Ordering::Relaxed))
            .load(Ordering::Acquire)
            .as_ref()
    }
}

/// See [`Api::spare`]. An attached thread is attached to that interpreter: another stores null
/// before it does anything else.
#[inline]
pub(crate) fn spare_wrappers() -> Option<&'static Spare> {
    // SAFETY: a static of this binary or of the one in charge; interpreters are never freed.
    unsafe { (*SPARE.load(Ordering::Relaxed)).load(Ordering::Relaxed).as_ref() }
}

pub(crate) fn install_api(table: &'static Api) {
    set_wrapper_marker(table.marker);
    DEALLOC.store(table.dealloc as usize, Ordering::Release);
    WAITING.store(
        std::ptr::from_ref(pairbond_core::runtime::waiting_releases()).cast_mut(),
        Ordering::Release,
    );
    SOLE.store(table.sole.cast_mut(), Ordering::Release);
    SPARE.store(table.spare.cast_mut(), Ordering::Release);
    SOLE_INTERP.store(table.sole_interp.cast_mut(), Ordering::Release);
    CURRENT.store(std::ptr::from_ref(table).cast_mut(), Ordering::Release);
}

/// A new capsule that holds the table; `None` with an exception set. The thread is attached.
pub fn capsule() -> Option<Owned> {
    let table = std::ptr::from_ref(api()).cast_mut().cast::<c_void>();
    // SAFETY: attached; the table and the name live for the process.
    unsafe { Owned::from_new(py::PyCapsule_New(table, CAPSULE.as_ptr(), None)) }
}
