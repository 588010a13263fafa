//! From the Python side's description to a finished class.

use std::sync::atomic::Ordering;

use pairbond_core::error::Error;
use pairbond_core::object::{Object as _, Root};
use pairbond_core::types::TypeInfo;
use pairbond_dynamic::{Builder, Value};
use pairbond_value::class::ParameterKind;
use pairbond_value::value::Any;
use pyo3_ffi as py;

use super::description::{Description, make_plan, read_field};
use super::plan::{self, Default, Plan, Target};
use super::{convert, field_kinds, fields, initialise, record, record_construct};
use crate::call::method_table::{Methods, add_functions, method_definition, method_fast};
use crate::class::BaseConstructor;
use crate::errors::finish_call;
use crate::errors::owned_or_error;
use crate::interp::Interp;
use crate::owned::Owned;
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

/// Adds the base classes and what the Python side calls. The thread is attached to `interp`.
pub(crate) fn publish_define(interp: &Interp, module: &Owned) -> Result<(), Error> {
    record::publish_bases(interp, module)?;
    add_functions(module, &FUNCTIONS)
}

unsafe extern "C" fn is_native(_: *mut py::PyObject, class: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: attached; alive during the call.
        let native =
            unsafe { py::PyType_Check(class) != 0 && field_kinds::native_type(class.cast())?.is_some() };
        Ok(Owned::from_bool(native))
    })
}

unsafe extern "C" fn base_parameters(_: *mut py::PyObject, class: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: attached; alive during the call.
        let info = unsafe {
            match py::PyType_Check(class) {
                0 => None,
                _ => field_kinds::native_type(class.cast())?,
            }
        };
        let Some(base) = info.and_then(BaseConstructor::of) else {
            return Ok(Owned::none());
        };
        let parameters = Owned::empty_list()?;
        for parameter in base.signature.parameters {
            if parameter.kind.takes_rest() {
                return Ok(Owned::none());
            }
            let name = crate::convert::from_text(parameter.name)?;
            let keyword_only = Owned::from_bool(parameter.kind == ParameterKind::KeywordOnly);
            let default = match parameter.default {
                Some(default) => crate::convert::from_text(default)?,
                None => Owned::none(),
            };
            parameters.append(&Owned::tuple([&name, &keyword_only, &default])?)?;
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
    let base = unsafe { wrapper::deciding_class((*class).tp_base) };
    if base.is_null() {
        return Err(Error::type_error("a native class extends pairbond.Object"));
    }
    // SAFETY: attached; a living class.
    if let Some(info) = unsafe { field_kinds::native_type(base) }? {
        return Ok(info);
    }
    Ok(Root::info())
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

/// The thread is attached.
fn define_class(description: &Description) -> Result<Owned, Error> {
    let class = description.get(c"class")?;
    let key = description.text(c"key")?;
    let class = class.as_ptr().cast::<py::PyTypeObject>();
    // SAFETY: attached; the description keeps the object, which is looked into if it is a class.
    let can_be_defined = unsafe {
        py::PyType_Check(class.cast()) != 0
            && crate::ffi::has_flag(class, py::Py_TPFLAGS_HEAPTYPE)
            && is_wrapper_class(class)
            && !wrapper::is_exact(class)
            && (*class.cast::<py::PyHeapTypeObject>()).ht_module.is_null()
    };
    if !can_be_defined {
        return Err(Error::type_error(
            "only the class that @pairbond.object makes can be defined",
        ));
    }
    // SAFETY: attached; a living class of wrappers.
    let (base, has_attributes) = unsafe {
        let base = base_of(class)?;
        check_form(class, &key)?;
        (base, (*class).tp_dictoffset != 0)
    };
    let mut builder = Builder::new(key)
        .extends(base)
        .doc(description.text(c"doc")?)
        .with_attributes(has_attributes);
    for field in &description.items(c"fields")? {
        builder = builder.described(read_field(field)?);
    }
    let compared = description.get(c"compared")?;
    if !compared.is_none() {
        let names = field_kinds::tuple_items(&compared)?;
        let names = names
            .iter()
            .map(field_kinds::spec_text)
            .collect::<Result<_, _>>()?;
        builder = builder.compared_by(names, description.truth(c"hashed")?);
    }
    let info = builder.register()?;
    // SAFETY: attached; a living class.
    let plan = unsafe { make_plan(description, class, info) }?;
    let owner = plan::plan_owner(plan.clone())?;
    // SAFETY: attached; a class that was made in Python and has no module.
    unsafe { plan::attach_owner(class, &owner) };
    let descriptors = Owned::empty_dict()?;
    for access in &plan.fields[plan.table.inherited_count()..] {
        // SAFETY: attached; a living class of wrappers.
        let descriptor = unsafe { fields::field_descriptor(class, access) }?;
        let name = crate::convert::from_text(access.field.name())?;
        descriptors.set_item(&name, &descriptor)?;
    }
    let definition = CONSTRUCTOR.0.as_ptr().cast_mut();
    // SAFETY: attached; the definition lives for the process.
    let constructor = unsafe { owned_or_error(py::PyCFunction_New(definition, owner.as_ptr())) }?;
    Owned::tuple([&constructor, &descriptors])
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
    finish_call(|| {
        // SAFETY: attached; alive during the call.
        let arguments = field_kinds::tuple_items(unsafe { Owned::lend(&arguments) })?;
        let [class, constructs] = &arguments[..] else {
            return Err(Error::type_error("a class and a bool are needed"));
        };
        let constructs = constructs.is_true()?;
        let class = class.as_ptr().cast::<py::PyTypeObject>();
        // SAFETY: attached; the arguments keep the object, which is looked into if it is a class.
        let plan = unsafe {
            match py::PyType_Check(class.cast()) {
                0 => None,
                _ => plan::of_class(class).filter(|_| !wrapper::is_exact(class)),
            }
        };
        let Some(plan) = plan else {
            return Err(Error::type_error(
                "only a class that was defined can be completed, once",
            ));
        };
        check_defaults(plan)?;
        // SAFETY: attached; a living class of wrappers, which nothing makes objects of yet.
        unsafe {
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
        }
        Ok(Owned::none())
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
/// are not known yet is not asked. The thread is attached.
fn check_defaults(plan: &'static Plan) -> Result<(), Error> {
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
