//! [`Plan`]: what a class that was defined in Python knows.
//!
//! The class owns a module object (`ht_module`), which CPython's collector sees, and whose state
//! owns the plan; so do the plans of classes that extend it, whose fields are its own. A class that
//! is defined again and again leaves nothing behind.

use std::cell::UnsafeCell;
use std::ffi::{CString, c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use pairbond_core::error::Error;
use pairbond_core::types::TypeInfo;
use pairbond_dynamic::{Field, FieldKind, Later, Table};
use pairbond_value::value::Any;
use pyo3_ffi as py;

use super::{field_kinds, fields};
use crate::class::BaseConstructor;
use crate::errors::owned_or_error;
use crate::owned::Owned;

/// See the head of this file.
pub(super) struct Plan {
    pub(super) info: &'static TypeInfo,
    pub(super) table: &'static Table,
    /// For each field of the table: those of the plan that is extended, then `own`.
    pub(super) fields: Vec<&'static Access>,
    /// Keeps the fields of the class that is extended.
    _extends: Option<Arc<Plan>>,
    /// The class's own fields, where they stay.
    #[expect(clippy::vec_box, reason = "a descriptor has the address of its access")]
    own: Vec<Box<Access>>,
    pub(super) params: Vec<Param>,
    /// How many parameters can be given by position.
    pub(super) positional: usize,
    /// Fields that are no parameters but have a default.
    pub(super) fixed: Vec<(usize, Default)>,
    pub(super) post_init: bool,
    /// Python objects, in no order but that of [`Object`]'s numbers.
    objects: Vec<AtomicPtr<py::PyObject>>,
    /// The kinds that names were resolved to, for this class.
    laters: Vec<AtomicPtr<FieldKind>>,
    /// The constructor in the form that vectorcall needs, once the class is finished: `tp_init` as
    /// it was then.
    pub(super) init: AtomicUsize,
    /// `tp_new` as it was then.
    pub(super) new: AtomicUsize,
    /// Makes the value of the Rust type that the type extends.
    pub(super) base: Option<&'static BaseConstructor>,
    /// For each field: the default in its form, if that has no references.
    pub(super) stored: Vec<OnceLock<Any>>,
}

/// A field as a class's descriptors and constructors reach it. The plan of its class owns it.
pub(super) struct Access {
    /// The plan of the class that defined the field.
    pub(super) plan: AtomicPtr<Plan>,
    pub(super) info: &'static TypeInfo,
    pub(super) field: &'static Field,
    /// Name and documentation as C has them, and the definition that the descriptor reads.
    _texts: (CString, CString),
    definition: UnsafeCell<py::PyGetSetDef>,
}

// SAFETY: the definition is written before the class has the descriptor, and read by CPython only.
unsafe impl Send for Access {}
// SAFETY: as for `Send`.
unsafe impl Sync for Access {}

impl Access {
    pub(super) fn new(info: &'static TypeInfo, field: &'static Field) -> Box<Self> {
        let texts = (c_text(field.name()), c_text(field.doc()));
        let mut access = Box::new(Access {
            plan: AtomicPtr::new(std::ptr::null_mut()),
            info,
            field,
            definition: UnsafeCell::new(fields::field_definition(&texts.0, &texts.1)),
            _texts: texts,
        });
        let closure = (&raw mut *access).cast();
        access.definition.get_mut().closure = closure;
        access
    }

    /// Returns the definition of the descriptor; alive as long as the field.
    pub(super) fn definition(&self) -> *mut py::PyGetSetDef {
        self.definition.get()
    }
}

/// A text up to its first NUL.
fn c_text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).expect("cut off at the first NUL")
}

/// A parameter of the constructor.
pub(super) struct Param {
    pub(super) name: Object,
    pub(super) text: String,
    pub(super) to: Target,
    pub(super) default: Default,
}

pub(super) enum Target {
    Field(usize),
    /// For `__post_init__`.
    PostInit,
    /// A parameter of the Rust type that the type extends.
    Base,
}

/// The number of one of a plan's Python objects.
#[derive(Clone, Copy)]
pub(super) struct Object(usize);

pub(super) enum Default {
    Required,
    /// That of the Rust type.
    Theirs,
    Object(Object),
    Factory(Object),
    /// `list`, `dict` or `set` for a native container.
    Empty(&'static FieldKind),
}

/// The places of the objects that every plan has.
pub(super) const CHECKS: Object = Object(0);
const RESOLVER: Object = Object(1);
pub(super) const MISSING: Object = Object(2);
pub(super) const POST_INIT: Object = Object(3);

/// Python objects on their way into a plan.
pub(super) struct Objects(Vec<Owned>);

impl Objects {
    pub(super) fn new(checks: Owned, resolver: Owned, missing: Owned, post_init: Owned) -> Self {
        Objects(vec![checks, resolver, missing, post_init])
    }

    pub(super) fn add(&mut self, object: Owned) -> Object {
        self.0.push(object);
        Object(self.0.len() - 1)
    }
}

impl Plan {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        info: &'static TypeInfo,
        table: &'static Table,
        extends: Option<Arc<Plan>>,
        params: Vec<Param>,
        positional: usize,
        fixed: Vec<(usize, Default)>,
        post_init: bool,
        laters: usize,
        objects: Objects,
    ) -> Arc<Plan> {
        let mut fields = extends.as_ref().map_or_else(Vec::new, |base| base.fields.clone());
        let own: Vec<Box<Access>> = table.fields()[fields.len()..]
            .iter()
            .map(|field| Access::new(info, field))
            .collect();
        // SAFETY: in boxes that the plan owns until it is dropped, and lent by it.
        fields.extend(
            own.iter()
                .map(|access| unsafe { &*std::ptr::from_ref(&**access) }),
        );
        let plan = Arc::new(Plan {
            info,
            table,
            fields,
            _extends: extends,
            own,
            params,
            positional,
            fixed,
            post_init,
            objects: objects
                .0
                .into_iter()
                .map(|object| AtomicPtr::new(object.into_ptr()))
                .collect(),
            laters: (0..laters)
                .map(|_| AtomicPtr::new(std::ptr::null_mut()))
                .collect(),
            init: AtomicUsize::new(0),
            new: AtomicUsize::new(0),
            base: table.native_base().and_then(BaseConstructor::of),
            stored: table.fields().iter().map(|_| OnceLock::new()).collect(),
        });
        for access in &plan.own {
            access
                .plan
                .store(Arc::as_ptr(&plan).cast_mut(), Ordering::Release);
        }
        plan
    }

    /// One of the plan's objects, borrowed from it. Null when the class is being freed.
    #[inline]
    pub(super) fn object(&self, which: Object) -> *mut py::PyObject {
        self.objects[which.0].load(Ordering::Acquire)
    }

    /// One of the plan's objects.
    pub(super) fn owned_object(&self, which: Object) -> Result<Owned, Error> {
        let object = self.object(which);
        if object.is_null() {
            return Err(Error::runtime_error(format!(
                "the class of {} is gone",
                self.info.key()
            )));
        }
        // SAFETY: attached; the plan's own reference.
        Ok(unsafe { Owned::from_borrowed(object) })
    }

    /// Resolves a name to a kind, in Python the first time.
    pub(super) fn find(&self, number: usize) -> Result<&'static FieldKind, Error> {
        let Some(place) = self.laters.get(number) else {
            return Err(Error::runtime_error("a name without a number"));
        };
        // SAFETY: kinds are never freed.
        if let Some(kind) = unsafe { place.load(Ordering::Acquire).as_ref() } {
            return Ok(kind);
        }
        let resolver = self.owned_object(RESOLVER)?;
        let kind = {
            // SAFETY: attached; living objects.
            let number = unsafe { owned_or_error(py::PyLong_FromSize_t(number)) }?;
            let found = resolver.call1(&number)?;
            field_kinds::parse_kind(&found)?
        };
        let mut known: Option<&'static FieldKind> = None;
        self.laters_of(number, |later| known = known.or(later.resolved_kind()));
        let kind = match known {
            // A class that is defined again finds the same: one of them stays, in the type.
            Some(known) if known.is_same(&kind) => known,
            _ => Box::leak(Box::new(kind)),
        };
        self.laters_of(number, |later| later.resolve_to(kind));
        place.store(std::ptr::from_ref(kind).cast_mut(), Ordering::Release);
        Ok(kind)
    }

    /// The places in its own fields that a name stands at.
    fn laters_of(&self, number: usize, mut each: impl FnMut(&Later)) {
        for access in &self.own {
            access.field.kind().for_each_later(&mut |later| {
                if later.number() == number {
                    each(later);
                }
            });
        }
    }
}

static DEFINITION: Definition = Definition(std::cell::UnsafeCell::new(py::PyModuleDef {
    m_base: py::PyModuleDef_HEAD_INIT,
    m_name: c"pairbond._plan".as_ptr(),
    m_doc: std::ptr::null(),
    m_size: size_of::<AtomicPtr<Plan>>() as py::Py_ssize_t,
    m_methods: std::ptr::null_mut(),
    m_slots: std::ptr::null_mut(),
    m_traverse: Some(plan_traverse),
    m_clear: Some(plan_clear),
    m_free: Some(plan_free),
}));

struct Definition(std::cell::UnsafeCell<py::PyModuleDef>);
// SAFETY: CPython writes to its head, under its own lock.
unsafe impl Sync for Definition {}

/// The plan that a module owns, as `Arc::into_raw` returned it; null if it owns none.
///
/// # Safety
/// Attached; a living object or null.
unsafe fn plan_in(module: *mut py::PyObject) -> *const Plan {
    // SAFETY: attached; a living object or null: the caller ensures it. A module of our definition
    // has that state, once it was made.
    unsafe {
        if module.is_null()
            || py::PyModule_Check(module) == 0
            || py::PyModule_GetDef(module) != DEFINITION.0.get()
        {
            return std::ptr::null();
        }
        let state = py::PyModule_GetState(module).cast::<AtomicPtr<Plan>>();
        state
            .as_ref()
            .map_or(std::ptr::null(), |plan| plan.load(Ordering::Acquire))
    }
}

unsafe extern "C" fn plan_traverse(
    module: *mut py::PyObject,
    visit: py::visitproc,
    arg: *mut c_void,
) -> c_int {
    // SAFETY: called by CPython's collector with a module of ours.
    if let Some(plan) = unsafe { of_module(module) } {
        for object in &plan.objects {
            let object = object.load(Ordering::Acquire);
            if !object.is_null() {
                // SAFETY: called by CPython's collector with a module of ours.
                let status = unsafe { visit(object, arg) };
                if status != 0 {
                    return status;
                }
            }
        }
    }
    0
}

unsafe extern "C" fn plan_clear(module: *mut py::PyObject) -> c_int {
    // SAFETY: called by CPython with a module of ours; the plan's own references are given up.
    unsafe {
        if let Some(plan) = of_module(module) {
            for object in &plan.objects {
                py::Py_XDECREF(object.swap(std::ptr::null_mut(), Ordering::AcqRel));
            }
        }
    }
    0
}

unsafe extern "C" fn plan_free(module: *mut c_void) {
    // SAFETY: called by CPython with a module of ours, which is going: nothing has its plan but
    // plans of classes that extend its class. The class's descriptors refer to the class, which
    // owned the module.
    unsafe {
        plan_clear(module.cast());
        let state = py::PyModule_GetState(module.cast()).cast::<AtomicPtr<Plan>>();
        if let Some(state) = state.as_ref() {
            let plan = state.swap(std::ptr::null_mut(), Ordering::AcqRel);
            if !plan.is_null() {
                drop(Arc::from_raw(plan));
            }
        }
    }
}

/// A module that owns the Python objects of a plan. The thread is attached.
pub(super) fn plan_owner(plan: Arc<Plan>) -> Result<Owned, Error> {
    // SAFETY: attached; the definition lives for the process.
    unsafe {
        let module = owned_or_error(py::PyModule_Create2(DEFINITION.0.get(), py::PYTHON_API_VERSION))?;
        let state = py::PyModule_GetState(module.as_ptr()).cast::<AtomicPtr<Plan>>();
        (*state).store(Arc::into_raw(plan).cast_mut(), Ordering::Release);
        Ok(module)
    }
}

/// Makes the module the class's.
///
/// # Safety
/// Attached; a class that was made in Python and has no module.
pub(super) unsafe fn attach_owner(class: *mut py::PyTypeObject, module: &Owned) {
    let heap = class.cast::<py::PyHeapTypeObject>();
    // SAFETY: attached; a class that was made in Python and has no module: the caller ensures it. A
    // heap type.
    unsafe {
        let old = std::mem::replace(&mut (*heap).ht_module, module.clone().into_ptr());
        py::Py_XDECREF(old);
    }
}

/// The plan of the module that a constructor belongs to: `'static` stands for as long as the
/// module, or a class that has it, is alive.
///
/// # Safety
/// Attached; a living object or null.
pub(super) unsafe fn of_module(module: *mut py::PyObject) -> Option<&'static Plan> {
    // SAFETY: attached; a living object or null: the caller ensures it.
    unsafe { plan_in(module).as_ref() }
}

/// The module of a class; null if it has none.
///
/// # Safety
/// A living class.
#[inline]
unsafe fn module_of(class: *mut py::PyTypeObject) -> *mut py::PyObject {
    // SAFETY: a living class: the caller ensures it. A heap type has that field.
    unsafe {
        if crate::ffi::has_flag(class, py::Py_TPFLAGS_HEAPTYPE) {
            (*class.cast::<py::PyHeapTypeObject>()).ht_module
        } else {
            std::ptr::null_mut()
        }
    }
}

/// The plan of a class, if it was defined in Python; of a class that extends one, `None`.
///
/// # Safety
/// Attached; a living class.
#[inline]
pub(super) unsafe fn of_class(class: *mut py::PyTypeObject) -> Option<&'static Plan> {
    // SAFETY: attached; a living class: the caller ensures it.
    unsafe { of_module(module_of(class)) }
}

/// The type of a class that was defined in Python. One that was defined again since is not the
/// class of its type any more.
///
/// # Safety
/// Attached; a living class or null.
#[cfg(feature = "serial")]
pub(crate) unsafe fn type_of_class(class: *mut py::PyTypeObject) -> Option<&'static TypeInfo> {
    // SAFETY: attached; a living class or null: the caller ensures it.
    unsafe { deciding_plan(class) }.map(|plan| plan.info)
}

/// As [`deciding_plan`], and keeps it.
///
/// # Safety
/// Attached; a living class or null.
pub(super) unsafe fn deciding_owned(class: *mut py::PyTypeObject) -> Option<Arc<Plan>> {
    // SAFETY: attached; a living class or null: the caller ensures it. The module still owns the
    // plan, and the pointer is the one of `Arc::into_raw`: through a reference's nothing is freed.
    unsafe {
        let plan = deciding_pointer(class);
        if plan.is_null() {
            return None;
        }
        Arc::increment_strong_count(plan);
        Some(Arc::from_raw(plan))
    }
}

/// The plan of the [class that decides](crate::wrapper::deciding_class) what a wrapper stands for.
///
/// # Safety
/// Attached; a living class.
pub(super) unsafe fn deciding_plan(class: *mut py::PyTypeObject) -> Option<&'static Plan> {
    // SAFETY: attached; a living class: the caller ensures it.
    unsafe { deciding_pointer(class).as_ref() }
}

/// As [`deciding_plan`], as [`plan_in`] returns it.
///
/// # Safety
/// Attached; a living class or null.
unsafe fn deciding_pointer(class: *mut py::PyTypeObject) -> *const Plan {
    // SAFETY: attached; a living class or null: the caller ensures it.
    unsafe {
        let class = crate::wrapper::deciding_class(class);
        if class.is_null() {
            std::ptr::null()
        } else {
            plan_in(module_of(class))
        }
    }
}
