//! From the Python side's description to a finished class.

use std::sync::atomic::Ordering;

use pairbond_core::error::Error;
use pairbond_core::object::{Object as _, Root};
use pairbond_core::types::TypeInfo;
use pairbond_dynamic::{Builder, Value};
use pairbond_value::class::ParameterKind;
use pairbond_value::value::Any;
use pyo3_ffi as py;

use super::description::{Description, make_plan, read_bool, read_field};
use super::plan::{self, Default, Plan, Target};
use super::{convert, field_kinds, fields, initialise, record, record_construct};
use crate::call::method_table::{Methods, method_definition, method_fast};
use crate::class::BaseConstructor;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::errors::take;
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;
use crate::wrapper;

static FUNCTIONS: Methods<5> = Methods([
    method_definition(
        c"_base_parameters",
        base_parameters,
        py::METH_O,
        c"_base_parameters(class, /)\n--\n\nThe parameters of a Rust type's constructor, as (name, keyword-only, default or None as a text); None without one.",
    ),
    method_definition(
        c"_is_native",
        is_native,
        py::METH_O,
        c"_is_native(class, /)\n--\n\nWhether a class stands for a native type, and does not merely extend one that does.",
    ),
    method_definition(
        c"_define",
        define_function,
        py::METH_O,
        c"_define(description, /)\n--\n\nRegisters the type of a class.",
    ),
    method_definition(
        c"_complete",
        complete_class,
        py::METH_O,
        c"_complete(class, /)\n--\n\nMakes the class the one of its type.",
    ),
    py::PyMethodDef::zeroed(),
]);

static CONSTRUCTOR: Methods<1> = Methods([method_fast(
    c"__init__",
    initialise::assign_all,
    c"Assigns the fields of an object.",
)]);

/// Adds the base classes and what the Python side calls.
///
/// # Safety
/// Attached to `interp`; a living module.
pub(crate) unsafe fn publish_define(interp: &Interp, module: *mut py::PyObject) -> Result<(), Error> {
    // SAFETY: attached to `interp`; a living module: the caller ensures it. The definitions live
    // for the process.
    unsafe {
        record::publish_bases(interp, module)?;
        if py::PyModule_AddFunctions(module, FUNCTIONS.0.as_ptr().cast_mut()) != 0 {
            return Err(take());
        }
    }
    Ok(())
}

unsafe extern "C" fn is_native(_: *mut py::PyObject, class: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached; alive during the call.
    finish_call(|| unsafe {
        let native = py::PyType_Check(class) != 0 && field_kinds::native_type(class.cast())?.is_some();
        Ok(Owned::from_borrowed(if native {
            py::Py_True()
        } else {
            py::Py_False()
        }))
    })
}

unsafe extern "C" fn base_parameters(_: *mut py::PyObject, class: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached; alive during the call.
    finish_call(|| unsafe {
        let info = match py::PyType_Check(class) {
            0 => None,
            _ => field_kinds::native_type(class.cast())?,
        };
        let Some(base) = info.and_then(BaseConstructor::of) else {
            return Ok(Owned::from_borrowed(py::Py_None()));
        };
        let parameters = owned_or_error(py::PyList_New(0))?;
        for parameter in base.signature.parameters {
            if parameter.kind.takes_rest() {
                return Ok(Owned::from_borrowed(py::Py_None()));
            }
            let name = crate::convert::from_text(parameter.name)?;
            let keyword_only = parameter.kind == ParameterKind::KeywordOnly;
            let keyword_only = if keyword_only {
                py::Py_True()
            } else {
                py::Py_False()
            };
            let default = match parameter.default {
                Some(default) => crate::convert::from_text(default)?,
                None => Owned::from_borrowed(py::Py_None()),
            };
            let all = owned_or_error(py::PyTuple_Pack(3, name.as_ptr(), keyword_only, default.as_ptr()))?;
            if py::PyList_Append(parameters.as_ptr(), all.as_ptr()) != 0 {
                return Err(take());
            }
        }
        Ok(parameters)
    })
}

/// The native class that a class extends, and its type: the first class upwards that a library made
/// or that was defined.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn base_of(class: *mut py::PyTypeObject) -> Result<&'static TypeInfo, Error> {
    // SAFETY: attached; a living class.
    unsafe {
        let base = wrapper::deciding_class((*class).tp_base);
        if base.is_null() {
            return Err(Error::type_error("a native class extends pairbond.Object"));
        }
        if let Some(info) = field_kinds::native_type(base)? {
            return Ok(info);
        }
        Ok(Root::info())
    }
}

/// Checks that wrappers of the class are of one form, whichever code makes them.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn check_form(class: *mut py::PyTypeObject, key: &str) -> Result<(), Error> {
    // SAFETY: attached; a living class and its bases.
    unsafe {
        let base = wrapper::deciding_class((*class).tp_base);
        if (*class).tp_basicsize != (*base).tp_basicsize
            || (*class).tp_itemsize != 0
            || (*class).tp_dictoffset != (*base).tp_dictoffset
            || (*class).tp_weaklistoffset != (*base).tp_weaklistoffset
        {
            return Err(Error::type_error(format!(
                "{key}: its objects cannot have other places for attributes than those of {}: whether there are any is \
                 said once, at the first native class (dict=True), and bases in between have __slots__ = ()",
                crate::ffi::type_name(base)
            )));
        }
    }
    Ok(())
}

/// Registers the type and makes the plan. Returns the constructor and the descriptors of the
/// class's own fields.
unsafe extern "C" fn define_function(
    _: *mut py::PyObject,
    description: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: attached; alive during the call.
    finish_call(|| unsafe { define_class(&Description(Owned::from_borrowed(description))) })
}

/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn define_class(description: &Description) -> Result<Owned, Error> {
    let class = description.get(c"class")?;
    let key = description.text(c"key")?;
    // SAFETY: attached; living objects.
    unsafe {
        let class = class.as_ptr().cast::<py::PyTypeObject>();
        if py::PyType_Check(class.cast()) == 0
            || !crate::ffi::has_flag(class, py::Py_TPFLAGS_HEAPTYPE)
            || !is_wrapper_class(class)
            || wrapper::is_exact(class)
            || !(*class.cast::<py::PyHeapTypeObject>()).ht_module.is_null()
        {
            return Err(Error::type_error(
                "only the class that @pairbond.object makes can be defined",
            ));
        }
        let base = base_of(class)?;
        check_form(class, &key)?;
        let mut builder = Builder::new(key)
            .extends(base)
            .doc(description.text(c"doc")?)
            .with_attributes((*class).tp_dictoffset != 0);
        let own = description.items(c"fields")?;
        for field in &own {
            builder = builder.described(read_field(field)?);
        }
        let compared = description.get(c"compared")?;
        if compared.as_ptr() != py::Py_None() {
            let names = field_kinds::tuple_items(&compared)?;
            let names = names
                .iter()
                .map(field_kinds::spec_text)
                .collect::<Result<_, _>>()?;
            builder = builder.compared_by(names, description.truth(c"hashed")?);
        }
        let info = builder.register()?;
        let plan = make_plan(description, class, info)?;
        let owner = plan::plan_owner(plan.clone())?;
        plan::attach_owner(class, &owner);
        let descriptors = owned_or_error(py::PyDict_New())?;
        for access in &plan.fields[plan.table.inherited_count()..] {
            let descriptor = fields::field_descriptor(class, access)?;
            let name = crate::convert::from_text(access.field.name())?;
            if running::PyDict_SetItem(descriptors.as_ptr(), name.as_ptr(), descriptor.as_ptr()) != 0 {
                return Err(take());
            }
        }
        let constructor = owned_or_error(py::PyCFunction_New(
            CONSTRUCTOR.0.as_ptr().cast_mut(),
            owner.as_ptr(),
        ))?;
        owned_or_error(py::PyTuple_Pack(2, constructor.as_ptr(), descriptors.as_ptr()))
    }
}

/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn is_wrapper_class(class: *mut py::PyTypeObject) -> bool {
    // SAFETY: a living class.
    unsafe { (*class).tp_is_gc.map(|f| f as usize) == Some(crate::layout::wrapper_marker()) }
}

/// Checks the defaults of a class that is complete otherwise, gives it our functions, and makes it
/// the class of its type in this interpreter.
unsafe extern "C" fn complete_class(_: *mut py::PyObject, arguments: *mut py::PyObject) -> *mut py::PyObject {
    // SAFETY: attached; alive during the call.
    finish_call(|| unsafe {
        let arguments = field_kinds::tuple_items(&Owned::from_borrowed(arguments))?;
        let [class, constructs] = &arguments[..] else {
            return Err(Error::type_error("a class and a bool are needed"));
        };
        let constructs = read_bool(constructs)?;
        let class = class.as_ptr().cast::<py::PyTypeObject>();
        let plan = match py::PyType_Check(class.cast()) {
            0 => None,
            _ => plan::of_class(class),
        };
        let Some(plan) = plan.filter(|_| !wrapper::is_exact(class)) else {
            return Err(Error::type_error(
                "only a class that was defined can be completed, once",
            ));
        };
        check_defaults(plan)?;
        (*class).tp_traverse = Some(crate::gc::traverse);
        (*class).tp_clear = Some(crate::gc::clear);
        (*class).tp_dealloc = Some(crate::interp::api::api().dealloc);
        if constructs && (plan.table.native_base().is_none() || plan.base.is_some()) && keeps_new(class) {
            let new = (*class).tp_new.map_or(0, |f| f as usize);
            plan.new.store(new, Ordering::Relaxed);
            (*class).tp_init = Some(initialise::record_init);
            plan.init
                .store(initialise::record_init as *const () as usize, Ordering::Relaxed);
            (*class).tp_vectorcall = Some(record_construct::record_vectorcall);
        }
        Interp::current()?.register_class(plan.info, class);
        Ok(Owned::from_borrowed(py::Py_None()))
    })
}

/// Whether the class has the `__new__` of the native class that it extends.
///
/// # Safety
/// The calling thread is attached to the interpreter, and the caller keeps `class` alive.
unsafe fn keeps_new(class: *mut py::PyTypeObject) -> bool {
    // SAFETY: a living wrapper class and its bases.
    unsafe {
        let base = wrapper::deciding_class((*class).tp_base);
        (*class).tp_new.map(|f| f as usize) == (*base).tp_new.map(|f| f as usize)
    }
}

/// A default that its field does not take is an error of the definition. What names stand for that
/// are not known yet is not asked.
///
/// # Safety
/// The calling thread is attached to the interpreter.
unsafe fn check_defaults(plan: &'static Plan) -> Result<(), Error> {
    let of_params = plan.params.iter().filter_map(|param| match param.to {
        Target::Field(number) => Some((number, &param.default)),
        Target::PostInit | Target::Base => None,
    });
    let of_fixed = plan.fixed.iter().map(|(number, default)| (*number, default));
    for (number, default) in of_params.chain(of_fixed) {
        let access = plan.fields[number];
        let mut known = true;
        access
            .field
            .kind()
            .for_each_later(&mut |later| known &= later.resolved_kind().is_some());
        if let (Default::Object(object), true) = (default, known) {
            // SAFETY: attached; the plan's own object. A value stored without references is
            // computed once.
            let value = unsafe { convert::convert_field(access, plan.owned_object(*object)?.as_ptr()) }?;
            if !access.field.kind().is_traced() {
                plan.store_default(number, value);
            }
        }
    }
    Ok(())
}

impl Plan {
    /// Remembers a default without references.
    fn store_default(&self, number: usize, value: Value) {
        let place = &self.stored[number];
        let _ = place.set(Any::from(value));
    }
}
