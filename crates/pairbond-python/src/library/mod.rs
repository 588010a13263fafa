//! Libraries that bring no Python of their own: what `pairbond.load` is made of.
//!
//! The C functions that CPython calls are the library's, because their address identifies the
//! callable; they come straight back here ([`HOST`]), where arguments are bound and results are
//! made as for extension modules.
//!
//! The order of things, the lock and `sys.modules` are the package's business
//! (`python/pairbond/_load.py`).

use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use pairbond_core::abi::Head;
use pairbond_core::error::Error;
use pairbond_plugin::{Entry, Host, Library, Member, load_for, load_table, set_host};
use pairbond_value::convert::{IntoValue, Sink, Source};
use pairbond_value::value::{Foreign, Str};
use pyo3_ffi as py;

use crate::call::method_table::{Methods, add_functions, method_definition};
use crate::call::{HOOKS, class_layout, leak_text};
use crate::class;
use crate::convert::{PySink, PySource, from_text};
use crate::errors::owned_or_error;
use crate::errors::{exceptions, take};
use crate::errors::{finish_call, finish_status};
use crate::interp::Interp;
use crate::owned::Owned;
use crate::running;

static HOST: Host = Host {
    head: Head::of::<Host>(),
    call: call_entry,
    init: class::loaded_init,
    describe: describe_exception,
    detach: &HOOKS,
    class: class_layout().0,
    version: class_layout().1,
};

/// The name of capsules that hold a [`Library`].
const CAPSULE: &CStr = c"pairbond.library";

static FUNCTIONS: Methods<5> = Methods([
    method_definition(
        c"_open_library",
        open_library,
        py::METH_O,
        c"_open_library(path, /)\n--\n\nLoads a library: a handle, a number that is its own, and name and documentation of its module.",
    ),
    method_definition(
        c"_define_module",
        define_module,
        py::METH_O,
        c"_define_module(address, /)\n--\n\nThe definition of an extension module that is a library of C.",
    ),
    method_definition(
        c"_library_number",
        library_number,
        py::METH_O,
        c"_library_number(module, /)\n--\n\nThe number of the library that an imported module is; None for any other object.",
    ),
    method_definition(
        c"_library_members",
        library_members,
        py::METH_VARARGS,
        c"_library_members(handle, module, /)\n--\n\nThe library's classes and functions by name, made for the module.",
    ),
    py::PyMethodDef::zeroed(),
]);

/// Adds the functions that the package loads with. The thread is attached.
pub(crate) fn publish_library(module: &Owned) -> Result<(), Error> {
    add_functions(module, &FUNCTIONS)
}

/// A function or method of a library, by way of the C function that CPython calls.
unsafe extern "C" fn call_entry(
    entry: &'static Entry,
    receiver: *mut c_void,
    arguments: *const *mut c_void,
    count: isize,
    names: *mut c_void,
) -> *mut c_void {
    // SAFETY: receiver and arguments are alive during the call.
    let result = finish_call(|| unsafe {
        class::call_loaded(
            entry,
            receiver.cast(),
            arguments.cast(),
            count as usize,
            names.cast(),
        )
    });
    result.cast()
}

unsafe extern "C" fn describe_exception(exception: &Foreign, out: *mut Str) -> bool {
    let words = crate::errors::describe_exception(exception);
    words.is_some_and(|words| {
        // SAFETY: the caller's place.
        unsafe { out.write(words.into()) };
        true
    })
}

unsafe extern "C" fn open_library(_: *mut py::PyObject, path: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: alive during the call; attached.
        let source = unsafe { PySource::new(path) };
        let path = source
            .read_path()
            .map_err(|mismatch| mismatch.into_error(|| "the path".into(), "a path", || source.describe()))?;
        set_host(&HOST);
        new_handle(load_for(&path, Some(&HOST))?)
    })
}

/// The definition of an extension module that is a library of C, which its `PyInit` function
/// returns; by the address of the library's table. `pairbond.h` writes the function.
unsafe extern "C" fn define_module(_: *mut py::PyObject, address: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: alive during the call; attached; an extension module's own function gives the
        // address of its table.
        let table = unsafe { py::PyLong_AsVoidPtr(address) };
        if table.is_null() {
            return Err(if crate::errors::is_set() {
                take()
            } else {
                Error::value_error("there is no library at address 0")
            });
        }
        set_host(&HOST);
        // SAFETY: attached; a module's own function gives the address of its table.
        let library = unsafe { load_table(table.cast()) }?;
        let mut all = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_with(HashMap::new);
        let known = all.iter().find(|(_, known)| known.id() == library.id());
        let definition = match known {
            Some((definition, _)) => std::ptr::with_exposed_provenance_mut(*definition),
            None => {
                let (name, doc) = (leak_text(library.name()), leak_text(library.doc()));
                let definition = std::ptr::from_mut(crate::module::make_definition(name, doc, exec_module));
                all.insert(definition.expose_provenance(), library);
                definition
            }
        };
        // SAFETY: attached; the definition lives for the process.
        Ok(unsafe { Owned::from_borrowed(py::PyModuleDef_Init(definition)) })
    })
}

/// The libraries of C that are extension modules, by the addresses of their definitions.
static MODULES: Mutex<Option<HashMap<usize, Library>>> = Mutex::new(None);

/// The second phase of such a module.
unsafe extern "C" fn exec_module(module: *mut py::PyObject) -> c_int {
    finish_status(|| {
        // SAFETY: attached; a module that is being made, of a definition from above.
        let definition = unsafe { py::PyModule_GetDef(module) }.expose_provenance();
        let library = {
            let all = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
            all.as_ref().and_then(|all| all.get(&definition)).copied()
        };
        let library = library.ok_or_else(|| Error::runtime_error("a module that nothing defines"))?;
        // SAFETY: attached; a module that is being made, of a definition from above.
        let owned_module = unsafe { Owned::from_borrowed(module) };
        let members = make_members(library.members(), &owned_module, library.name())?;
        let all = Owned::empty_list()?;
        let names = library.members().iter().filter_map(Member::name);
        for name in names.filter(|name| !name.starts_with('_')) {
            all.append(&from_text(name)?)?;
        }
        // SAFETY: attached; a module that is being made, of a definition from above.
        let set = unsafe {
            py::PyDict_Update(py::PyModule_GetDict(module), members.as_ptr()) == 0
                && running::PyObject_SetAttrString(module, c"__all__".as_ptr(), all.as_ptr()) == 0
        };
        if set { Ok(0) } else { Err(take()) }
    })
}

/// The number of the library that is the extension module, or `None`.
unsafe extern "C" fn library_number(_: *mut py::PyObject, module: *mut py::PyObject) -> *mut py::PyObject {
    finish_call(|| {
        // SAFETY: alive during the call; attached.
        let definition = unsafe {
            match py::PyModule_Check(module) {
                0 => std::ptr::null_mut(),
                _ => py::PyModule_GetDef(module),
            }
        };
        let all = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        let library = all.as_ref().and_then(|all| all.get(&definition.addr()));
        library.map(Library::id).into_value(PySink)
    })
}

/// A handle of a library, its number, and name and documentation of its module.
fn new_handle(library: Library) -> Result<Owned, Error> {
    let (id, name, doc) = (library.id(), library.name(), library.doc());
    let handle = Box::into_raw(Box::new(library)).cast::<c_void>();
    // SAFETY: attached; each place of the new tuple is filled once.
    unsafe {
        let capsule = py::PyCapsule_New(handle, CAPSULE.as_ptr(), Some(close_handle));
        if capsule.is_null() {
            drop(Box::from_raw(handle.cast::<Library>()));
        }
        let (capsule, rest) = (owned_or_error(capsule)?, (id, name, doc).into_value(PySink)?);
        let all = owned_or_error(py::PyTuple_New(4))?;
        py::PyTuple_SET_ITEM(all.as_ptr(), 0, capsule.into_ptr());
        for at in 0..3 {
            let part = Owned::from_borrowed(py::PyTuple_GET_ITEM(rest.as_ptr(), at));
            py::PyTuple_SET_ITEM(all.as_ptr(), at + 1, part.into_ptr());
        }
        Ok(all)
    }
}

unsafe extern "C" fn close_handle(capsule: *mut py::PyObject) {
    // SAFETY: made above, once. The library itself stays.
    unsafe {
        let library = py::PyCapsule_GetPointer(capsule, CAPSULE.as_ptr());
        drop(Box::from_raw(library.cast::<Library>()));
    }
}

unsafe extern "C" fn library_members(
    _: *mut py::PyObject,
    arguments: *mut py::PyObject,
) -> *mut py::PyObject {
    // SAFETY: alive during the call; attached; new references or null.
    finish_call(|| unsafe {
        let (mut capsule, mut module) = (std::ptr::null_mut(), std::ptr::null_mut());
        if py::PyArg_UnpackTuple(
            arguments,
            c"_library_members".as_ptr(),
            2,
            2,
            &raw mut capsule,
            &raw mut module,
        ) == 0
        {
            return Err(take());
        }
        let library = py::PyCapsule_GetPointer(capsule, CAPSULE.as_ptr()).cast::<Library>();
        let Some(library) = library.as_ref() else {
            return Err(take());
        };
        make_members(library.members(), &Owned::from_borrowed(module), library.name())
    })
}

/// Makes members for a module; returns them by name.
fn make_members(
    members: &'static [Member],
    module: &Owned,
    module_name: &'static str,
) -> Result<Owned, Error> {
    let interp = Interp::current()?;
    // SAFETY: attached; living objects; new references or null.
    let name = unsafe { owned_or_error(py::PyModule_GetNameObject(module.as_ptr())) }?;
    let all = Owned::empty_dict()?;
    for member in members {
        let (key, value) = match member {
            Member::Variant(entry) => {
                let class = class::build_loaded(interp, entry, module)?;
                crate::module::attach_variant(interp, &class, entry.info())?;
                continue;
            }
            Member::Enumeration(entry) => (entry.info().name(), class::loaded_enumeration(interp, entry)?),
            Member::Module(entry) => {
                let inner = crate::module::inner_module(entry.full_name, entry.doc)?;
                let members = make_members(entry.members, &inner, entry.full_name)?;
                // SAFETY: attached; living objects; new references or null.
                if unsafe { py::PyDict_Update(py::PyModule_GetDict(inner.as_ptr()), members.as_ptr()) } != 0 {
                    return Err(take());
                }
                (entry.name, inner)
            }
            Member::Exception(info) => (info.name(), exceptions::exception_class(info)?),
            Member::Constant(entry) => (entry.name, PySink.write_any(&entry.value()?)?),
            Member::Class(entry) => (entry.info().name(), class::build_loaded(interp, entry, module)?),
            Member::Function(entry) => {
                let function = match definition_of(entry) {
                    Some(definition) => {
                        // SAFETY: attached; living objects; new references or null.
                        unsafe {
                            owned_or_error(py::PyCFunction_NewEx(definition, module.as_ptr(), name.as_ptr()))
                        }?
                    }
                    None => {
                        // SAFETY: attached; living objects; new references or null.
                        unsafe {
                            class::native_callable::new(interp, entry, module_name, std::ptr::null_mut())
                        }?
                    }
                };
                (entry.signature().name, function)
            }
        };
        let key = from_text(key)?;
        all.set_item(&key, &value)?;
    }
    Ok(all)
}

/// CPython keeps a pointer to the definition of a function: one for the process. `None` for a
/// function of a library of C, if there are too many.
fn definition_of(entry: &'static Entry) -> Option<*mut py::PyMethodDef> {
    static ALL: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_with(HashMap::new);
    let key = std::ptr::from_ref(entry).addr();
    let address = match all.get(&key) {
        Some(address) => *address,
        None => {
            let definition = std::ptr::from_mut(Box::leak(Box::new(class::method_def(entry)?)));
            *all.entry(key).insert_entry(definition.expose_provenance()).get()
        }
    };
    Some(std::ptr::with_exposed_provenance_mut(address))
}
