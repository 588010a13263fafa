//! Classes and functions of a module.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pairbond_core::error::Error;
use pairbond_core::error::exception::ExceptionInfo;
use pairbond_core::types::TypeInfo;
use pairbond_value::class::{Callable, Class, Enumeration, Members, Module, ModuleObject, ModuleVisitor};
use pairbond_value::convert::Sink;
use pairbond_value::value::Any;
use pyo3_ffi as py;

use crate::call::method_def;
use crate::convert::PySink;
use crate::errors::owned_or_error;
use crate::errors::{exceptions, take};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

/// Adds everything that a module lists, and `__all__`.
pub(super) fn add_members<M: Module>(interp: &Interp, module: &Owned) -> Result<(), Error> {
    // SAFETY: attached, with a living module; a new reference or null.
    let name = unsafe { owned_or_error(py::PyModule_GetNameObject(module.as_ptr())) }?;
    let all = index(module)?;
    let mut builder = Builder {
        interp,
        module,
        name,
        all,
        outcome: Ok(()),
    };
    M::visit_members(&mut builder);
    builder.outcome?;
    add_function::<Members<M>>(module)
}

/// Returns the list `__all__` of a module, which PyO3 may have begun, and to which PyO3's functions
/// append. The thread is attached.
fn index(module: &Owned) -> Result<Owned, Error> {
    // SAFETY: attached; living objects; new references or null.
    unsafe {
        let all = Owned::from_new(running::PyObject_GetAttrString(
            module.as_ptr(),
            c"__all__".as_ptr(),
        ));
        if let Some(all) = all.filter(|all| py::PyList_Check(all.as_ptr()) != 0) {
            return Ok(all);
        }
        crate::errors::clear();
        let all = Owned::empty_list()?;
        match py::PyModule_AddObjectRef(module.as_ptr(), c"__all__".as_ptr(), all.as_ptr()) {
            0 => Ok(all),
            _ => Err(take()),
        }
    }
}

/// Makes an empty module inside a module, which `import` finds by its full name.
///
/// # Errors
/// What CPython raised.
pub(crate) fn inner_module(full_name: &str, doc: &str) -> Result<Owned, Error> {
    let name = crate::convert::from_text(full_name)?;
    let text = crate::convert::from_text(doc)?;
    // SAFETY: attached; living objects; a new reference or null; the dict of all modules is
    // borrowed.
    unsafe {
        let module = owned_or_error(py::PyModule_NewObject(name.as_ptr()))?;
        let documented = doc.is_empty()
            || running::PyObject_SetAttrString(module.as_ptr(), c"__doc__".as_ptr(), text.as_ptr()) == 0;
        let all = py::PyImport_GetModuleDict();
        if documented && running::PyDict_SetItem(all, name.as_ptr(), module.as_ptr()) == 0 {
            Ok(module)
        } else {
            Err(take())
        }
    }
}

struct Builder<'a> {
    interp: &'a Interp,
    module: &'a Owned,
    name: Owned,
    all: Owned,
    /// The first error; nothing is added after it.
    outcome: Result<(), Error>,
}

impl Builder<'_> {
    fn add(&mut self, make: impl FnOnce(&Self) -> Result<(&'static str, Owned), Error>) {
        if self.outcome.is_ok() {
            self.outcome = make(self).and_then(|(name, member)| self.add_member(name, &member));
        }
    }

    fn attach<T: Class>(&self) -> Result<(), Error> {
        let class = crate::class::build::<T>(self.interp, self.module)?;
        attach_variant(self.interp, &class, T::info())
    }

    fn add_member(&self, name: &str, member: &Owned) -> Result<(), Error> {
        let name = crate::convert::from_text(name)?;
        self.module.set_attr(&name, member)?;
        self.all.append(&name)
    }
}

/// Makes the class of a variant an attribute of its enum's.
///
/// # Errors
/// What CPython raised.
pub(crate) fn attach_variant(interp: &Interp, class: &Owned, info: &'static TypeInfo) -> Result<(), Error> {
    let Some(base) = info.base() else {
        return Err(Error::type_error("a variant extends its enum"));
    };
    let base_class: *mut py::PyObject = interp.class_of(base).cast();
    let set = |object: *mut py::PyObject, name: &str, value: &Owned| {
        let name = crate::convert::from_text(name)?;
        // SAFETY: attached; living objects.
        match unsafe { running::PyObject_SetAttr(object, name.as_ptr(), value.as_ptr()) } {
            0 => Ok(()),
            _ => Err(take()),
        }
    };
    let qualified = format!("{}.{}", base.name(), info.name());
    set(
        class.as_ptr(),
        "__module__",
        &crate::convert::from_text(base.module())?,
    )?;
    set(
        class.as_ptr(),
        "__qualname__",
        &crate::convert::from_text(&qualified)?,
    )?;
    set(base_class, info.name(), class)
}

impl ModuleVisitor for Builder<'_> {
    fn visit_class<T: Class>(&mut self) {
        self.add(|this| {
            Ok((
                T::info().name(),
                crate::class::build::<T>(this.interp, this.module)?,
            ))
        });
    }

    fn visit_enumeration<E: Enumeration>(&mut self) {
        self.add(|this| {
            let name = E::KEY.rsplit_once('.').map_or(E::KEY, |(_, name)| name);
            Ok((name, crate::class::enum_class::<E>(this.interp)?))
        });
    }

    /// The class is an attribute of its enum's.
    fn visit_variant<T: Class>(&mut self) {
        if self.outcome.is_ok() {
            self.outcome = self.attach::<T>();
        }
    }

    fn visit_exception(&mut self, info: &'static ExceptionInfo) {
        self.add(|_| Ok((info.name(), exceptions::exception_class(info)?)));
    }

    fn visit_constant(&mut self, name: &'static str, make: fn() -> Result<Any, Error>) {
        self.add(|_| Ok((name, PySink.write_any(&make()?)?)));
    }

    fn visit_module<M: Module>(&mut self, name: &'static str) {
        self.add(|this| {
            let module = inner_module(M::NAME, M::DOC)?;
            add_members::<M>(this.interp, &module)?;
            Ok((name, module))
        });
    }

    fn visit_foreign_members(&mut self, add: fn(ModuleObject<'_>) -> Result<(), Error>) {
        if self.outcome.is_ok() {
            // SAFETY: attached; `self.module` owns a module.
            self.outcome = add(unsafe { ModuleObject::new(self.module.as_non_null().cast()) });
        }
    }

    fn visit_function<F: Callable>(&mut self) {
        self.add(|this| {
            let (module, name) = (this.module.as_ptr(), this.name.as_ptr());
            // SAFETY: attached; the definition lives for the process; a new reference or null.
            let function =
                unsafe { owned_or_error(py::PyCFunction_NewEx(function_definition::<F>(), module, name)) }?;
            Ok((F::SIGNATURE.name, function))
        });
    }
}

/// Builds the class of a type and adds it under its name, for `pairbond` itself.
/// The thread is attached to `interp`.
///
/// # Errors
/// As [`build`](crate::class::build).
pub(crate) fn add_class<T: Class>(interp: &Interp, module: &Owned) -> Result<(), Error> {
    let class = crate::class::build::<T>(interp, module)?;
    module.set_attr(&crate::convert::from_text(T::info().name())?, &class)
}

/// Adds a function under its name, for `pairbond` itself. The thread is attached.
///
/// # Errors
/// What CPython raised.
pub(crate) fn add_function<F: Callable>(module: &Owned) -> Result<(), Error> {
    let name = crate::convert::from_text("pairbond")?;
    let definition = function_definition::<F>();
    // SAFETY: attached, with living objects; the definition lives for the process.
    let function =
        unsafe { owned_or_error(py::PyCFunction_NewEx(definition, module.as_ptr(), name.as_ptr())) }?;
    module.set_attr(&crate::convert::from_text(F::SIGNATURE.name)?, &function)
}

/// CPython keeps a pointer to the definition of a function: one for the process.
fn function_definition<F: Callable>() -> *mut py::PyMethodDef {
    static ALL: Mutex<Option<HashMap<TypeId, usize>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || std::ptr::from_mut(Box::leak(Box::new(method_def::<F>()))).expose_provenance();
    std::ptr::with_exposed_provenance_mut(
        *all.get_or_insert_with(HashMap::new)
            .entry(TypeId::of::<F>())
            .or_insert_with(make),
    )
}
